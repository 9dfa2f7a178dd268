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

// Found by trying on labelled sessions; all are shares or multiples, none is a length.
/// How worth grows with length.
const GROWTH: f64 = 0.65;
/// What is left of a line that looks pasted.
const PASTED: f64 = 0.4;
/// A person's line against an assistant's plain one.
const PERSON: f64 = 2.0;
/// What an assistant says before its last word in a turn.
const MIDDLE: f64 = 0.5;
/// Announcements, greetings, offers.
const ANNOUNCED: f64 = 0.3;
/// How much the beginning loses and the end gains.
const AGE: f64 = 0.4;
/// More for the last sixteen blocks.
const LATE: f64 = 0.15;
/// More for the last two blocks.
const LAST: f64 = 4.0;
/// How fast further lines of one message lose worth.
const RANK: f64 = 0.13;

/// Longer lines hold more, but less than in proportion; very short ones hold hardly anything.
fn size(text: &str) -> f64 {
    let chars = text.chars().count() as f64;
    if chars < 6.0 {
        0.5
    } else {
        chars.min(240.0).powf(GROWTH)
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
    let dump = if looks_pasted(text) { PASTED } else { 1.0 };
    size(text) * PERSON * pasted * dump * (1.0 + 0.05 * specifics(text))
}

/// Prompts, traces, JSON and the like: someone else's words under a person's name.
fn looks_pasted(text: &str) -> bool {
    let text = text.trim();
    let letters = text
        .chars()
        .filter(|c| c.is_alphabetic() || *c == ' ')
        .count();
    let all = text.chars().count().max(1);
    letters * 100 < all * 70
        || text.starts_with(['{', '}', '[', ']', '<', '+', '|', '>', '$', '%', '↑'])
        || text.starts_with("at ")
        || text.starts_with("http") && all > 60
        || text.contains("% ") && text.contains('@')
}

/// A line or sentence of an assistant.
pub fn prose(text: &str, closing: bool, last: bool, fenced: bool) -> f64 {
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
    // The last message of all may end in the question that waits for an answer.
    if is(&FILLER, text) && !(last && text.trim_end().ends_with('?')) {
        value *= ANNOUNCED;
    }
    if text.trim_start().starts_with('#') {
        value *= 0.5;
    }
    if fenced {
        value *= 0.4;
    }
    if !closing {
        value *= MIDDLE;
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

/// Raises what stands near the end of the session, and lowers what a message says besides its best lines.
pub fn place(talk: &mut Talk) {
    let blocks = talk.blocks.len();
    for (i, block) in talk.blocks.iter_mut().enumerate() {
        let behind = blocks - i;
        let at = (i + 1) as f64 / blocks.max(1) as f64;
        // What a person said early still holds; what was answered early is often overtaken.
        let age = if block.head == "[user]" {
            AGE / 2.0
        } else {
            AGE
        };
        let mut factor = 1.0 - age + 2.0 * age * at;
        if behind <= 16 {
            factor += LATE;
        }
        if behind <= 2 {
            factor += LAST;
        }
        let parts = block.parts.len();
        for (k, part) in block.parts.iter_mut().enumerate() {
            part.value *= factor;
            // What was being done when the session ended is told by its last calls.
            if behind == 1 && part.line.is_none() && k + 3 >= parts {
                part.value += 30.0;
            }
        }
        diminish(block);
    }
}

/// The second-best line of a message tells less than the best, the tenth hardly anything new.
fn diminish(block: &mut super::talk::Block) {
    let mut order: Vec<usize> = (0..block.parts.len()).collect();
    let density = |p: &super::talk::Part| p.value / (p.text.chars().count() as f64 + 6.0);
    order.sort_by(|a, b| {
        let (x, y) = (block.parts.get(*a), block.parts.get(*b));
        let (x, y) = (x.map_or(0.0, density), y.map_or(0.0, density));
        y.total_cmp(&x).then(a.cmp(b))
    });
    let mut ranks: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
    for at in order {
        let Some(part) = block.parts.get_mut(at).filter(|p| p.line.is_some()) else {
            continue;
        };
        let message = part.messages.first().copied().unwrap_or(0);
        let rank = ranks.entry(message).or_insert(0.0);
        part.value /= 1.0 + RANK * *rank;
        *rank += 1.0;
    }
}
