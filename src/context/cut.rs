//! Cutting one file down to a share of the budget: its head, a marker with the true count, its tail.
//!
//! Not [`crate::language::head_tail`], which ends at words, keeps two thirds to one, and doesn't say how much it
//! left out: here the proportions are fixed and the count is part of the promise.

use unicode_segmentation::UnicodeSegmentation;

/// A file's body as it will be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    /// What is shown, marker included; empty or ending in a line break.
    pub text: String,
    /// Length of `text` in characters.
    pub len: u64,
    /// Characters of the file in `text`.
    pub kept: u64,
}

impl Body {
    fn new(text: String, kept: u64) -> Self {
        let len = count(&text);
        Body { text, len, kept }
    }
}

/// Length in characters (Unicode scalar values).
pub(super) fn count(text: &str) -> u64 {
    text.chars().count() as u64
}

/// The whole file.
pub(super) fn whole(text: &str, chars: u64) -> Body {
    Body::new(closed(text), chars)
}

/// 70 % of `share` from the head and 20 % from the tail around a marker, all of it within `share`.
///
/// When the share has no room for the marker and some text, only the marker is left: even a file cut
/// to nothing is named, so the result can be longer than a tiny share.
pub(super) fn to_share(text: &str, chars: u64, path: &str, share: u64) -> Body {
    // The marker is longest when nothing is kept; three line breaks may join it to the text.
    let marker = count(&marker(path, chars)) + 3;
    let (mut front, mut back) = (percent(share, 70), percent(share, 20));
    let room = share.saturating_sub(marker);
    if front + back > room {
        (front, back) = (room * 7 / 9, room * 2 / 9);
    }
    let head = head(text, front.min(chars));
    let tail = tail(text.get(head.len()..).unwrap_or(""), back);
    let kept = count(head) + count(tail);
    let marker = self::marker(path, chars.saturating_sub(kept));
    let lead = closed(head);
    Body::new(format!("{lead}{marker}\n{}", closed(tail)), kept)
}

fn percent(share: u64, percent: u64) -> u64 {
    u64::try_from(u128::from(share) * u128::from(percent) / 100).unwrap_or(u64::MAX)
}

fn marker(path: &str, more: u64) -> String {
    format!("…[truncated: {more} more chars; read {path} for the rest]")
}

/// The text with a line break at its end, unless it is empty.
fn closed(text: &str) -> String {
    match text {
        "" => String::new(),
        text if text.ends_with('\n') => text.to_owned(),
        text => format!("{text}\n"),
    }
}

/// The longest beginning of whole grapheme clusters with at most `max` characters.
fn head(text: &str, max: u64) -> &str {
    let mut left = max;
    let mut end = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        let Some(rest) = left.checked_sub(count(cluster)) else {
            break;
        };
        left = rest;
        end = at + cluster.len();
    }
    text.get(..end).unwrap_or("")
}

/// The longest end of whole grapheme clusters with at most `max` characters.
fn tail(text: &str, max: u64) -> &str {
    let mut left = max;
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        let Some(rest) = left.checked_sub(count(cluster)) else {
            break;
        };
        left = rest;
        start = at;
    }
    text.get(start..).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_stay_whole() {
        let family = "👨‍👩‍👧"; // five scalar values, one character for a person
        let text = format!("가나{family}다라");
        assert_eq!(head(&text, 6), "가나");
        assert_eq!(head(&text, 7), format!("가나{family}"));
        assert_eq!(tail(&text, 6), "다라");
        assert_eq!(tail(&text, 7), format!("{family}다라"));
    }

    #[test]
    fn seventy_and_twenty_percent_around_the_true_count() {
        let text = "규칙 한 줄.\n".repeat(2_000);
        let body = to_share(&text, count(&text), "a/AGENTS.md", 8_000);
        assert_eq!(body.kept, 7_200);
        assert!(
            body.text
                .contains("…[truncated: 8800 more chars; read a/AGENTS.md for the rest]\n"),
            "{}",
            body.text
        );
        assert!(body.len <= 8_000);
    }

    #[test]
    fn the_marker_counts_in_a_small_share() {
        let text = "가".repeat(500);
        for share in 80..200 {
            let body = to_share(&text, 500, "AGENTS.md", share);
            assert!(body.len <= share, "{share}: {}", body.len);
        }
        assert_eq!(to_share(&text, 500, "AGENTS.md", 10).kept, 0);
    }
}
