//! What a part is worth: how likely a reader of the brief misses something without it.
//!
//! Only general signs count – names, paths, numbers, quoted code, outcomes and causes against announcements and
//! small talk – and the place: a person's words, the answer that closes a turn, the end of the session.

use super::calls::Line;
use super::talk::Talk;
use crate::session::Step;
use crate::shell::{self, Kind};
use crate::transcript::tools::Tool;
use regex::Regex;
use std::sync::LazyLock;

/// Longer lines hold more, but less than in proportion.
fn size(text: &str) -> f64 {
    let chars = text.chars().count() as f64;
    if chars < 6.0 {
        0.5
    } else {
        chars.min(240.0).sqrt()
    }
}

static CAUSE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)원인|때문|결론|핵심|이유|because|root cause|the issue|the problem|conclusion|therefore|instead of|\bnot\b|cannot|없습니다|않습니다|아닙니다|불가").ok()
});
static DONE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)완료|통과|성공|추가했|수정했|변경했|제거했|삭제했|배포|적용|생성했|\b(?:pass(?:es|ed)?|fixed|added|removed|moved|renamed|created|updated|deleted|deployed|merged|pushed|published|released|complete[d]?|verified)\b").ok()
});
static FILLER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)^(?:(?:now|first|next|okay|ok|great|perfect|good|alright|then),? )?(?:let me|let's|i'll|i will|i'm going to|i am going to|i need to|now i|i should|here's|here is|here are)\b|하겠습니다[.!:]?$|보겠습니다[.!:]?$|할게요[.!:]?$|볼게요[.!:]?$|:$|：$|^(?:sure|done|perfect|great)[.!]?$|하시겠(?:어요|습니까)\?$|드릴까요\?$|할까요\?$|let me know|would you like|want me to").ok()
});

fn is(pattern: &LazyLock<Option<Regex>>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|p| p.is_match(text))
}

/// How many names, paths, numbers and quoted pieces the text holds, capped.
fn specifics(text: &str) -> f64 {
    let code = (text.matches('`').count() / 2).min(4) as f64;
    let mut names = 0.0;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digit = bare.bytes().any(|b| b.is_ascii_digit());
        let inner = bare.contains(['/', '_', '.', '=']) && bare.len() > 3;
        let camel = bare
            .as_bytes()
            .windows(2)
            .any(|w| matches!(w, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
        if digit || inner || camel {
            names += 1.0;
        }
    }
    let arrow = f64::from(u8::from(text.contains('→') || text.contains("->")));
    (code + f64::min(names, 4.0) * 0.7 + arrow).min(6.0)
}

/// A line of what a person said; `of` lines in all, `end` of them near the beginning or end.
pub fn person(text: &str, of: usize, end: bool) -> f64 {
    // A long message is mostly something pasted; what the person wants stands at one of its ends.
    let pasted = if of <= 6 || end { 1.0 } else { 0.35 };
    size(text) * 3.2 * pasted * (1.0 + 0.05 * specifics(text))
}

/// A line or sentence of an assistant.
pub fn prose(text: &str, closing: bool, fenced: bool) -> f64 {
    let mut value = 1.0 + 0.22 * specifics(text);
    if text.contains("**") {
        value += 0.25;
    }
    if is(&CAUSE, text) {
        value += 0.35;
    }
    if is(&DONE, text) {
        value += 0.3;
    }
    if is(&FILLER, text) {
        value *= 0.3;
    }
    if text.trim_start().starts_with('#') {
        value *= 0.5;
    }
    if fenced {
        value *= 0.4;
    }
    if !closing {
        value *= 0.42;
    }
    value * size(text)
}

/// A tool call.
pub fn call(step: &Step<'_>, line: &Line) -> f64 {
    let base = match step.call.tool {
        Tool::Write | Tool::Edit | Tool::Patch | Tool::Delete => 2.5,
        Tool::Agent => 4.0,
        Tool::Shell => {
            let command = crate::transcript::tools::command(&step.call.args.json());
            let kind = command.and_then(|c| shell::family(&shell::parse(&c)).map(|f| f.kind));
            match kind {
                Some(Kind::Test | Kind::Build) => 4.0,
                _ => 2.5,
            }
        }
        Tool::Read | Tool::Search | Tool::List => 0.8,
        _ => 1.5,
    };
    let mut value: f64 = base;
    if line.failed {
        value += 1.0;
    }
    if line.proof {
        value += 16.0;
    }
    value
}

/// Raises what stands near the end of the session.
pub fn place(talk: &mut Talk) {
    let blocks = talk.blocks.len();
    for (i, block) in talk.blocks.iter_mut().enumerate() {
        let behind = blocks - i;
        let at = (i + 1) as f64 / blocks.max(1) as f64;
        let mut factor = 0.85 + 0.3 * at;
        if behind <= 16 {
            factor += 0.15;
        }
        if behind <= 2 {
            factor += 0.5;
        }
        let parts = block.parts.len();
        for (k, part) in block.parts.iter_mut().enumerate() {
            part.value *= factor;
            // What was being done when the session ended is told by its last calls.
            if behind == 1 && part.line.is_none() && k + 3 >= parts {
                part.value += 30.0;
            }
        }
    }
}
