//! Head and tail of a long output: whole lines from both ends, one marker line between (SPEC 2.4).

use crate::transcript::stub;
use unicode_segmentation::UnicodeSegmentation;

/// Characters reserved for the marker.
const MARKER: usize = 80;
/// Fewer characters than this for head and tail are none.
const LEAST: usize = 2;

/// At most `limit` characters of the text, marker included; `None` when it fits. With no room at all one line
/// says what was there.
pub fn cut(text: &str, limit: usize, head_ratio: f64, tool: &str) -> Option<String> {
    let chars = text.chars().count();
    if chars <= limit {
        return None;
    }
    let room = limit.saturating_sub(MARKER);
    if room < LEAST {
        let notice = stub::output(tool, None, chars, "no room was left for it");
        let bare = stub::middle(0, chars);
        let fits = limit == 0 || notice.chars().count() <= limit;
        let line = if fits && notice.chars().count() < chars {
            notice
        } else {
            bare
        };
        return (line.chars().count() < chars).then_some(line);
    }
    let for_head = ((room as f64) * head_ratio.clamp(0.0, 1.0)).floor() as usize;
    let head = head(text, for_head);
    // A line counts with its end, also the last one.
    let open = usize::from(!text.ends_with('\n'));
    let tail = tail(text, (room - for_head).saturating_sub(open));
    let (head, tail) = (text.get(..head)?, text.get(tail.max(head)..)?);
    let gone = text.get(head.len()..text.len() - tail.len())?;
    let lines = gone.trim_matches('\n').lines().count();
    let whole = head.is_empty() || head.ends_with('\n');
    let marker = stub::middle(
        if whole && lines > 1 { lines } else { 0 },
        gone.chars().count(),
    );
    let before = if whole { "" } else { "\n" };
    let after = if tail.is_empty() { "" } else { "\n" };
    let short = format!("{head}{before}{marker}{after}{tail}");
    (short.chars().count() < chars).then_some(short)
}

/// Characters that [`cut`] leaves of a text of so many, told before the text itself is at hand.
pub fn estimate(chars: usize, limit: usize, tool: &str) -> usize {
    if limit >= MARKER + LEAST {
        return limit;
    }
    // Nothing of the text stays, so that any text will do.
    let line = cut(&"x".repeat(chars.min(400)), limit, 0.5, tool);
    line.map_or(chars, |l| l.chars().count())
}

/// End of the last whole line within so many characters, else of the last cluster.
fn head(text: &str, room: usize) -> usize {
    let limit = nth(text, room);
    match text.get(..limit).and_then(|t| t.rfind('\n')) {
        Some(at) => at + 1,
        None => clusters(text.graphemes(true), room),
    }
}

/// Start of the first whole line within so many characters from the end, else of the first cluster.
fn tail(text: &str, room: usize) -> usize {
    let start = text
        .char_indices()
        .rev()
        .take(room)
        .last()
        .map_or(text.len(), |(at, _)| at);
    if start > 0 && text.as_bytes().get(start - 1) == Some(&b'\n') {
        return start;
    }
    match text.get(start..).and_then(|t| t.find('\n')) {
        Some(at) if start + at + 1 < text.len() => start + at + 1,
        _ => text.len() - clusters(text.graphemes(true).rev(), room),
    }
}

/// Bytes of the clusters that fit into so many characters.
fn clusters<'t>(clusters: impl Iterator<Item = &'t str>, room: usize) -> usize {
    let (mut used, mut bytes) = (0, 0);
    for cluster in clusters {
        used += cluster.chars().count();
        if used > room {
            break;
        }
        bytes += cluster.len();
    }
    bytes
}

/// Byte offset of the n-th character.
fn nth(text: &str, n: usize) -> usize {
    text.char_indices().nth(n).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_lines_stay_at_both_ends() {
        let text: Vec<String> = (1..=100).map(|n| format!("line {n:03}")).collect();
        let short = cut(&text.join("\n"), 240, 0.5, "Bash").unwrap();
        assert!(short.starts_with("line 001\n"));
        assert!(short.contains("\nline 008\n[left out: 84 lines, 756 characters]\nline 093\n"));
        assert!(short.ends_with("\nline 100"));
        assert!(short.chars().count() <= 240);
        assert_eq!(cut(&text.join("\n"), 2000, 0.5, "Bash"), None);
    }

    #[test]
    fn one_long_line_is_cut_between_clusters() {
        let family = "👨‍👩‍👧";
        let text = family.repeat(100);
        let short = cut(&text, 200, 0.5, "Bash").unwrap();
        assert!(short.chars().count() <= 200);
        let (head, rest) = short.split_once("\n[left out: ").unwrap();
        let tail = rest.split_once("]\n").unwrap().1;
        assert!(head.chars().count() % 5 == 0 && tail.chars().count() % 5 == 0);
    }

    #[test]
    fn without_room_one_line_says_what_was_there() {
        let text = "y".repeat(500);
        assert_eq!(
            cut(&text, 0, 0.5, "WebFetch").unwrap(),
            "[left out: WebFetch, 500 characters; no room was left for it]"
        );
        assert_eq!(cut("short", 0, 0.5, "WebFetch"), None);
        // With some room the line keeps to it.
        assert_eq!(
            cut(&text, 40, 0.5, "WebFetch").unwrap(),
            "[left out: 500 characters]"
        );
    }

    proptest::proptest! {
        #[test]
        fn never_longer_than_the_limit(text in "[a한\n👨‍é]{0,300}", limit in 28usize..400, ratio in 0.0f64..1.0) {
            if let Some(short) = cut(&text, limit, ratio, "t") {
                assert!(short.chars().count() <= limit);
            } else {
                assert!(text.chars().count() <= limit);
            }
        }
    }
}
