//! The lines around a match, short enough that one hit cannot flood a page.

use std::ops::Range;

/// Longest excerpt, in bytes of text before cluster borders are sought.
const LONGEST: usize = 700;
/// Of a long line: how much stands before and behind the match.
const BEFORE: usize = 200;
const BEHIND: usize = 400;
/// Lines around a match where nobody says how many.
pub const LINES: usize = 2;

/// The text around `at`: `context` lines on both sides, long lines cut near the match. Without `context` a short
/// text is shown whole.
pub fn around(text: &str, at: &Range<usize>, context: Option<usize>) -> String {
    if context.is_none() && text.len() <= LONGEST {
        return tidy(text, 0, 0);
    }
    let lines = context.unwrap_or(LINES);
    let limit = if context.is_some() {
        LONGEST.max(160 * (2 * lines + 1))
    } else {
        LONGEST
    };
    let (mut start, mut end) = (line_start(text, at.start), line_end(text, at.end));
    // The line itself may be longer than everything that is shown.
    if end - start > limit {
        start = start.max(at.start.saturating_sub(BEFORE));
        end = end.min(at.start.saturating_add(BEHIND));
    } else {
        for _ in 0..lines {
            let wider = start
                .checked_sub(1)
                .map_or(start, |before| line_start(text, before));
            if end - wider > limit {
                break;
            }
            start = wider;
        }
        for _ in 0..lines {
            let wider = if end < text.len() {
                line_end(text, end + 1)
            } else {
                end
            };
            if wider - start > limit {
                break;
            }
            end = wider;
        }
    }
    let (start, end) = (floor(text, start), floor(text, end));
    let shown = text.get(start..end).unwrap_or_default();
    let mark = |there: bool| usize::from(there);
    let before = text.get(..start).unwrap_or_default();
    let behind = text.get(end..).unwrap_or_default();
    tidy(
        shown,
        mark(!before.trim().is_empty()),
        mark(!behind.trim().is_empty()),
    )
}

/// The beginning of a text.
pub fn head(text: &str) -> String {
    around(text, &(0..0), None)
}

fn tidy(shown: &str, before: usize, behind: usize) -> String {
    let shown = crate::language::visible(shown);
    let shown = shown.trim_matches('\n').trim_end();
    format!("{}{shown}{}", "…".repeat(before), "…".repeat(behind))
}

fn line_start(text: &str, at: usize) -> usize {
    text.as_bytes()
        .get(..at)
        .and_then(|b| memchr::memrchr(b'\n', b))
        .map_or(0, |i| i + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text.as_bytes()
        .get(at..)
        .and_then(|b| memchr::memchr(b'\n', b))
        .map_or(text.len(), |i| at + i)
}

/// The nearest border between clusters at or before `at`. Looks back a little only: a cluster of more code points
/// is nobody's character.
fn floor(text: &str, mut at: usize) -> usize {
    use unicode_segmentation::UnicodeSegmentation;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    if at == text.len() {
        return at;
    }
    let mut from = at.saturating_sub(64);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let mut end = (at + 64).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(from..end)
        .and_then(|window| {
            window
                .grapheme_indices(true)
                .map(|(i, _)| from + i)
                .take_while(|&i| i <= at)
                .last()
        })
        .unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(text: &str, what: &str) -> Range<usize> {
        let at = text.find(what).unwrap();
        at..at + what.len()
    }

    #[test]
    fn short_texts_are_whole_and_long_ones_are_cut_around_the_match() {
        assert_eq!(around("짧은 글\n", &(0..3), None), "짧은 글");
        let text = format!(
            "{}토큰 {}",
            "앞 문장. ".repeat(400),
            "뒤 문장. ".repeat(400)
        );
        let shown = around(&text, &find(&text, "토큰"), None);
        assert!(shown.contains("토큰") && shown.starts_with('…') && shown.ends_with('…'));
        assert!(shown.chars().count() < 700, "{}", shown.chars().count());
    }

    #[test]
    fn context_is_lines() {
        let text = (0..400).map(|i| format!("line {i}\n")).collect::<String>();
        let at = find(&text, "line 200");
        assert_eq!(
            around(&text, &at, Some(1)),
            "…line 199\nline 200\nline 201…"
        );
        assert_eq!(around(&text, &at, Some(0)), "…line 200…");
        assert_eq!(around(&text, &at, None).lines().count(), 5);
        assert!(around(&text, &find(&text, "line 0"), Some(1)).starts_with("line 0"));
    }

    #[test]
    fn no_cut_inside_a_character() {
        let text = "👨‍👩‍👧‍👦".repeat(200);
        let shown = around(&text, &(0..25), Some(0));
        assert_eq!(shown.trim_matches('…').chars().count() % 7, 0);
    }
}
