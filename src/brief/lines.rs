//! Lines and sentences: what is cut off them, and where they are cut; the line that stands for an image.

use super::plain;
use crate::language::{head_tail_words, sentences};
use crate::lexicon::{Group, Rules};
use crate::transcript::Image;

/// A line longer than this is taken apart into sentences.
const LONG_LINE: usize = 160;

/// Whether a word does not count where words are counted.
pub fn stops(word: &str) -> bool {
    Rules::builtin().is_word(Group::StopWords, word)
}

/// The first and last so many words, with the number of those between.
pub fn clipped(text: &str, head: usize, tail: usize) -> String {
    head_tail_words(text, head, tail, stops, |n| format!("… {n} words …"))
}

/// Rules and table rulers: `---`, `|---|:--|`.
pub fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || (line.len() >= 3
            && line
                .chars()
                .all(|c| matches!(c, '-' | '|' | ':' | ' ' | '=' | '─' | '*')))
}

/// A line, or its sentences when it is long.
pub fn pieces(line: &str) -> Vec<&str> {
    if line.trim().is_empty() {
        return Vec::new();
    }
    if line.chars().count() <= LONG_LINE {
        return vec![line.trim_end()];
    }
    sentences(line).collect()
}

/// Without "음, " and "Hmm, " in front, at most twice (SPEC 1.10 T2).
pub fn without_self_talk(text: &str) -> &str {
    let mut text = text.trim_start();
    for _ in 0..2 {
        let end = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let korean = word.chars().any(crate::language::script::is_hangul);
        let stop = rest.starts_with([',', '.', '!', '?', '…', '—', ':', '~', ';'])
            || (korean && rest.starts_with(' '));
        if word.is_empty() || !stop || !is_self_talk(word) || rest.trim().chars().count() < 2 {
            break;
        }
        text = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '.' | '!' | '?' | '…' | '—' | ':' | '~' | ';')
        });
    }
    text
}

fn is_self_talk(word: &str) -> bool {
    // A Korean word stands anywhere for the vocabulary (`어제` holds `어`): only the whole word counts here.
    Rules::builtin()
        .hits(Group::SelfTalk, word)
        .iter()
        .any(|hit| hit.range == (0..word.len()))
}

/// `image attached: NAME WxH MIME (K KB)`.
pub fn image(image: &Image<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &image.name {
        parts.push(plain::line(name));
    }
    if let Some((w, h)) = image.size {
        parts.push(format!("{w}x{h}"));
    }
    if let Some(mime) = &image.mime {
        parts.push(plain::line(mime));
    }
    if let Some(bytes) = image.bytes {
        parts.push(format!("({} KB)", bytes.div_ceil(1024).max(1)));
    }
    if parts.is_empty() {
        "image attached".to_owned()
    } else {
        format!("image attached: {}", parts.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_talk_goes_only_before_a_stop() {
        for (text, want) in [
            ("음, 잠깐 캐시가 원인입니다.", "캐시가 원인입니다."),
            ("Hmm, wait. The cache is stale.", "The cache is stale."),
            ("so-called fix landed", "so-called fix landed"),
            ("Wait for the CI to finish", "Wait for the CI to finish"),
            ("어제 배포가 원인입니다.", "어제 배포가 원인입니다."),
        ] {
            assert_eq!(without_self_talk(text), want, "{text}");
        }
    }
}
