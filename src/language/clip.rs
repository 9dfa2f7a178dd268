//! The one way to cut text, and to make it printable.
//!
//! Every cut falls between grapheme clusters (SPEC 0.8). Where there is a choice, a cut falls at the end of a sentence, else
//! of a word; only text without blanks is cut inside a word.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::script::{is_alphanumeric, is_syllable};
use super::sentence::sentence_ends;
use super::words::{Piece, pieces};
use super::{nfc, surely_composed};

/// A word of more clusters than this is no word of a person (an address, a dump, text without blanks) and may be cut.
const LONGEST_WORD: usize = 30;

/// Length in user-perceived characters after NFC: the unit of every rule that names a number of characters.
pub fn length(text: &str) -> usize {
    if text.is_ascii() && !text.contains('\r') {
        return text.len();
    }
    // Composed text of the usual scripts has a cluster for each character.
    if surely_composed(text.as_bytes()) && !text.contains('\r') {
        return text.chars().count();
    }
    nfc(text).graphemes(true).count()
}

/// At most `max` user-perceived characters of the text (NFC), `…` included when something was left out.
///
/// Prefers the end of a sentence in the second half of what fits, else the end of a word; text without blanks is cut
/// between clusters. `max` 0 gives nothing.
pub fn clip(text: &str, max: usize) -> Cow<'_, str> {
    clip_by(text, max, |_| 1)
}

/// [`clip`] with the limit in Unicode scalar values, the unit of ceilings (`--max-chars`).
pub fn clip_chars(text: &str, max: usize) -> Cow<'_, str> {
    clip_by(text, max, |cluster| cluster.chars().count())
}

fn clip_by(text: &str, max: usize, size: impl Fn(&str) -> usize) -> Cow<'_, str> {
    // Every cluster is at least a byte and a scalar value, so short text needs no look.
    if text.len() <= max && text.is_ascii() {
        return Cow::Borrowed(text);
    }
    match nfc(text) {
        Cow::Borrowed(text) => match cut_front(text, max, &size) {
            None => Cow::Borrowed(text),
            Some(clipped) => Cow::Owned(clipped),
        },
        Cow::Owned(text) => match cut_front(&text, max, &size) {
            None => Cow::Owned(text),
            Some(clipped) => Cow::Owned(clipped),
        },
    }
}

/// `None` when the text fits.
fn cut_front(text: &str, max: usize, size: &impl Fn(&str) -> usize) -> Option<String> {
    // No cluster is bigger than its characters are many.
    if text.chars().count() <= max {
        return None;
    }
    let fits = prefix(text, max, size);
    if fits == text.len() {
        return None;
    }
    if max == 0 {
        return Some(String::new());
    }
    // One place for the ellipsis, two behind the end of a sentence.
    let hard = prefix(text, max - 1, size);
    let soft = prefix(text, max.saturating_sub(2), size);
    let half = prefix(text, max / 2, size);
    if let Some(end) = sentence_ends(text)
        .take_while(|&end| end <= soft)
        .last()
        .filter(|&end| end >= half && end > 0)
    {
        return Some(format!("{} …", text.get(..end).unwrap_or_default()));
    }
    let end = word_end(text, hard);
    let kept = text.get(..end).unwrap_or_default();
    Some(format!("{}…", trim_cut(kept)))
}

/// The largest cluster border whose prefix is at most `max` big.
fn prefix(text: &str, max: usize, size: &impl Fn(&str) -> usize) -> usize {
    let mut used = 0;
    for (at, cluster) in text.grapheme_indices(true) {
        used += size(cluster);
        if used > max {
            return at;
        }
    }
    text.len()
}

/// The cut at or before `limit` (a cluster border) that splits no word, or `limit` when the word there is too long to be one.
fn word_end(text: &str, limit: usize) -> usize {
    let (before, after) = text.split_at_checked(limit).unwrap_or((text, ""));
    if after.chars().next().is_none_or(char::is_whitespace) {
        return limit;
    }
    let start = before
        .char_indices()
        .rev()
        .find(|(_, c)| c.is_whitespace())
        .map_or(0, |(at, c)| at + c.len_utf8());
    let rest: usize = after
        .graphemes(true)
        .take(LONGEST_WORD + 1)
        .take_while(|g| !g.starts_with(char::is_whitespace))
        .count();
    let word = rest
        + before
            .get(start..)
            .unwrap_or_default()
            .graphemes(true)
            .count();
    if word > LONGEST_WORD || before.get(..start).unwrap_or_default().trim().is_empty() {
        limit
    } else {
        start
    }
}

/// What stands before an ellipsis has no blank, comma or open bracket at its end.
fn trim_cut(text: &str) -> &str {
    let trimmed = text
        .trim_end_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | '[' | '{' | '·'));
    // A combining mark may sit on what was trimmed: then leave it.
    let border = text
        .get(trimmed.len()..)
        .and_then(|rest| rest.graphemes(true).next())
        .is_none_or(|g| g.chars().count() == 1 || g == "\r\n");
    if border { trimmed } else { text }
}

/// Both ends of the text (NFC) in at most `max` Unicode scalar values, `marker` included, two parts head to one part tail.
///
/// Borrowed when everything fits. A `max` too small for the marker and some text falls back to [`clip_chars`].
pub fn head_tail<'a>(text: &'a str, max: usize, marker: &str) -> Cow<'a, str> {
    let text = nfc(text);
    if text.chars().count() <= max {
        return text;
    }
    let count = |g: &str| g.chars().count();
    let room = max.saturating_sub(marker.chars().count());
    if room < 12 {
        return Cow::Owned(clip_chars(&text, max).into_owned());
    }
    let tail_room = room / 3;
    let head = prefix(&text, room - tail_room, &count);
    let head = text.get(..word_end(&text, head)).unwrap_or_default();
    let mut used = 0;
    let mut start = text.len();
    for (at, cluster) in text.grapheme_indices(true).rev() {
        used += count(cluster);
        if used > tail_room {
            break;
        }
        start = at;
    }
    let tail = text.get(word_start(&text, start)..).unwrap_or_default();
    Cow::Owned(format!("{}{marker}{}", head.trim_end(), tail.trim_start()))
}

/// The mirror of [`word_end`]: the cut at or behind `limit` that splits no word.
fn word_start(text: &str, limit: usize) -> usize {
    let (before, after) = text.split_at_checked(limit).unwrap_or((text, ""));
    if before.ends_with(char::is_whitespace) {
        return limit;
    }
    let ahead: usize = after
        .graphemes(true)
        .take(LONGEST_WORD + 1)
        .take_while(|g| !g.starts_with(char::is_whitespace))
        .count();
    let behind = before
        .graphemes(true)
        .rev()
        .take(LONGEST_WORD + 1)
        .take_while(|g| !g.starts_with(char::is_whitespace))
        .count();
    let end = after
        .find(char::is_whitespace)
        .map_or(text.len(), |at| limit + at);
    if ahead + behind > LONGEST_WORD || text.get(end..).unwrap_or_default().trim().is_empty() {
        limit
    } else {
        end
    }
}

/// The first `head` and the last `tail` significant words with `marker(N)` between, N being the words left out.
///
/// SPEC 1.10 T1: words for which `stop` holds (given without punctuation, lower case) do not count; an eojeol is one
/// word, an ideograph is one word; white space collapses within lines, line breaks stay.
pub fn head_tail_words(
    text: &str,
    head: usize,
    tail: usize,
    stop: impl Fn(&str) -> bool,
    marker: impl FnOnce(usize) -> String,
) -> String {
    let text = collapse_lines(&nfc(text));
    // (start, end, counts)
    let words: Vec<(usize, usize, bool)> = pieces(&text)
        .map(|Piece { start, text }| (start, start + text.len(), !stop(&bare(text))))
        .collect();
    let total = words.iter().filter(|w| w.2).count();
    if total <= head + tail {
        return text;
    }
    let mut seen = 0;
    let mut cut_from = text.len();
    for &(start, end, counts) in &words {
        if seen == head {
            break;
        }
        seen += usize::from(counts);
        cut_from = end;
        if head == 0 {
            cut_from = start;
        }
    }
    if head == 0 {
        cut_from = 0;
    }
    let mut seen = 0;
    let mut cut_to = text.len();
    for &(start, _, counts) in words.iter().rev() {
        if seen == tail {
            break;
        }
        seen += usize::from(counts);
        cut_to = start;
    }
    if cut_to <= cut_from {
        return text;
    }
    let left_out = words
        .iter()
        .filter(|w| w.0 >= cut_from && w.1 <= cut_to)
        .count();
    let first = text.get(..cut_from).unwrap_or_default().trim_end();
    let gap = text.get(cut_from..cut_to).unwrap_or_default();
    let last = text.get(cut_to..).unwrap_or_default();
    let joint = if gap.contains('\n') { "\n" } else { " " };
    let mut out = String::with_capacity(first.len() + last.len() + 32);
    out.push_str(first);
    if !first.is_empty() {
        out.push_str(joint);
    }
    out.push_str(&marker(left_out));
    if !last.is_empty() {
        out.push_str(joint);
        out.push_str(last);
    }
    out
}

/// A word without the punctuation around it, lower case: the form stop words are written in.
pub fn bare(word: &str) -> Cow<'_, str> {
    let word = word.trim_matches(|c| !is_alphanumeric(c));
    let low = |c: char| c.is_ascii() && !c.is_ascii_uppercase() || is_syllable(c);
    match word.chars().all(low) {
        true => Cow::Borrowed(word),
        false => Cow::Owned(word.to_lowercase()),
    }
}

/// Blanks and tabs collapse within lines, line breaks stay, at most one empty line in a row, none at the ends.
fn collapse_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let Some(first) = words.next() else {
            empty += 1;
            continue;
        };
        if !out.is_empty() {
            out.push('\n');
            if empty > 0 {
                out.push('\n');
            }
        }
        empty = 0;
        out.push_str(first);
        for word in words {
            out.push(' ');
            out.push_str(word);
        }
    }
    out
}

/// The text as one line: [`visible`], with line breaks, tabs and runs of blanks as one blank and none at the ends.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let clean = visible(text);
    let tidy = !clean.starts_with(' ')
        && !clean.ends_with(' ')
        && !clean.contains("  ")
        && !clean.contains(|c: char| c != ' ' && c.is_whitespace());
    if tidy {
        return clean;
    }
    let mut out = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// The text with everything taken out that a terminal or a reader would obey rather than see.
///
/// Escape sequences, control characters, bidi controls, byte-order marks and tag characters outside a flag go; line
/// breaks and tabs stay; `\r\n` and a lone `\r` become `\n`; U+2028, U+2029 and U+0085 become a blank.
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text
        .char_indices()
        .find(|&(_, c)| hidden(c))
        .map(|(at, _)| at)
    else {
        return Cow::Borrowed(text);
    };
    let (clean, rest) = text.split_at_checked(first).unwrap_or((text, ""));
    let mut out = String::with_capacity(text.len());
    out.push_str(clean);
    let mut rest = rest;
    let mut in_flag = clean.ends_with('\u{1f3f4}');
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\u{1b}' => rest = after_escape(rest),
            '\u{9b}' => rest = after_csi(rest),
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                out.push('\n');
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            // England's flag is spelled in tag characters; elsewhere they are text nobody can see.
            '\u{e0020}'..='\u{e007f}' => {
                if in_flag {
                    out.push(c);
                }
                continue;
            }
            _ if hidden(c) => {}
            _ => out.push(c),
        }
        in_flag = c == '\u{1f3f4}';
    }
    Cow::Owned(out)
}

fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{20}'..='\u{7e}' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

/// What follows an escape sequence, given what follows its ESC.
fn after_escape(rest: &str) -> &str {
    let Some(kind) = rest.chars().next() else {
        return rest;
    };
    let body = rest.get(kind.len_utf8()..).unwrap_or_default();
    match kind {
        '[' => after_csi(body),
        // Strings (titles, links) end with BEL or ESC \; one that never ends loses only its introducer. The look ahead is
        // bounded, or a text full of introducers would be read once for each.
        ']' | 'P' | '^' | '_' | 'X' => {
            for (at, c) in body.char_indices().take(2000) {
                match c {
                    '\u{7}' | '\u{9c}' => return body.get(at + c.len_utf8()..).unwrap_or_default(),
                    '\u{1b}' => {
                        let rest = body.get(at + 1..).unwrap_or_default();
                        return rest.strip_prefix('\\').unwrap_or(rest);
                    }
                    '\n' => break,
                    _ => {}
                }
            }
            body
        }
        ' '..='/' => {
            let end = body.find(|c: char| !(' '..='/').contains(&c));
            match end.and_then(|at| body.get(at..)) {
                Some(tail) if tail.starts_with(|c: char| ('0'..='~').contains(&c)) => {
                    tail.get(1..).unwrap_or_default()
                }
                _ => rest,
            }
        }
        '0'..='~' => body,
        _ => rest,
    }
}

fn after_csi(body: &str) -> &str {
    let end = body
        .find(|c: char| !(' '..='?').contains(&c))
        .unwrap_or(body.len());
    let tail = body.get(end..).unwrap_or_default();
    if tail.starts_with(|c: char| ('@'..='~').contains(&c)) {
        tail.get(1..).unwrap_or_default()
    } else {
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_fits_is_borrowed() {
        assert!(matches!(clip("짧은 글", 10), Cow::Borrowed("짧은 글")));
        assert_eq!(clip("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2), "👨‍👩‍👧‍👦👨‍👩‍👧‍👦");
        assert_eq!(clip("abc", 0), "");
    }

    #[test]
    fn a_sentence_end_is_preferred() {
        assert_eq!(
            clip("로그인을 고쳐줘. 그리고 나머지 화면도 전부 봐줘", 16),
            "로그인을 고쳐줘. …"
        );
        // Too early to be worth it.
        assert_eq!(
            clip("네. 이 화면의 버튼을 모두 옮겨줘", 14),
            "네. 이 화면의 버튼을…"
        );
    }

    #[test]
    fn a_word_end_is_next() {
        assert_eq!(
            clip("띄어쓰기가 있는 문장은 사이에서만", 12),
            "띄어쓰기가 있는…"
        );
        assert_eq!(clip("add a retry to the client", 12), "add a retry…");
    }

    #[test]
    fn text_without_blanks_is_cut_anywhere() {
        let text = "공백없이아주길게".repeat(20);
        assert_eq!(clip(&text, 9), "공백없이아주길게…");
        let mixed = format!("이것은 {text}");
        assert_eq!(length(&clip(&mixed, 50)), 50);
    }

    #[test]
    fn clusters_stay_whole() {
        for max in 0..12 {
            let cut = clip("가👍🏽나👨‍👩‍👧‍👦다🇰🇷라", max);
            assert!(!cut.ends_with('\u{200d}'), "{cut}");
            assert!(length(&cut) <= max);
        }
    }

    #[test]
    fn chars_are_scalar_values() {
        assert!(clip_chars("👨‍👩‍👧‍👦👨‍👩‍👧‍👦 abc", 9).chars().count() <= 9);
        assert_eq!(clip_chars("abcdef", 4), "abc…");
    }

    #[test]
    fn both_ends() {
        let text = "처음 말은 이렇고 가운데 말은 길고 길어서 잘리며 끝말은 이렇다";
        let cut = head_tail(text, 24, " … ");
        assert!(
            cut.starts_with("처음 말은") && cut.ends_with("이렇다"),
            "{cut}"
        );
        assert!(cut.chars().count() <= 24);
        assert_eq!(head_tail("짧다", 24, " … "), "짧다");
    }

    #[test]
    fn head_and_tail_in_words() {
        let stop = |w: &str| matches!(w, "the" | "of" | "그리고");
        let marker = |n: usize| format!("[{n}]");
        assert_eq!(
            head_tail_words("the one of two  three four five", 2, 1, stop, marker),
            "the one of two [2] five"
        );
        assert_eq!(
            head_tail_words("one   two\n\n\n  three", 2, 1, stop, marker),
            "one two\n\nthree"
        );
        assert_eq!(
            head_tail_words("하나 그리고 둘을\n셋을\n넷을 다섯을", 1, 1, stop, marker),
            "하나\n[4]\n다섯을"
        );
        assert_eq!(
            head_tail_words("漢字文化圈", 2, 1, stop, marker),
            "漢字 [2] 圈"
        );
        assert_eq!(head_tail_words("a b c", 0, 1, stop, marker), "[2] c");
    }

    #[test]
    fn one_line_has_no_breaks() {
        assert_eq!(
            one_line("a\nb\u{2028}c\u{85}d\te\u{7}f  g "),
            "a b c d ef g"
        );
        assert!(matches!(one_line("그대로 둔다"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_are_not_obeyed() {
        assert_eq!(visible("\u{1b}[31m빨강\u{1b}[0m"), "빨강");
        assert_eq!(
            visible("\u{1b}]8;;http://x.example\u{7}링크\u{1b}]8;;\u{1b}\\!"),
            "링크!"
        );
        assert_eq!(visible("a\u{1b}]never ends"), "anever ends");
        assert_eq!(visible("x\u{202e}y\u{2066}z\u{feff}"), "xyz");
        assert_eq!(visible("줄\r\n바꿈\t탭"), "줄\n바꿈\t탭");
        assert_eq!(visible("👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿"), "👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿");
        assert_eq!(visible("a\u{e0041}b"), "ab");
        assert_eq!(visible("\u{1b}"), "");
    }

    proptest! {
        #[test]
        fn clips_respect_the_limit_and_clusters(text in "(?s).{0,60}", max in 0usize..40) {
            let whole = nfc(&text).into_owned();
            let cut = clip(&text, max);
            prop_assert!(length(&cut) <= max);
            let body = cut.strip_suffix('…').map_or(&*cut, |b| b.strip_suffix(' ').filter(|_| !whole.starts_with(b)).unwrap_or(b));
            if cut != whole {
                prop_assert!(whole.starts_with(body));
                prop_assert!(whole.grapheme_indices(true).any(|(at, _)| at == body.len()) || body.len() == whole.len());
            }
            prop_assert!(clip_chars(&text, max).chars().count() <= max);
            prop_assert!(head_tail(&text, max, " … ").chars().count() <= max);
        }

        #[test]
        fn visible_is_stable(text in "(?s)[\\x00-\\x7f가-힣👍\u{1b}\\[\\]]{0,40}") {
            let once = visible(&text).into_owned();
            prop_assert!(!once.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            prop_assert_eq!(visible(&once), once.as_str());
            prop_assert!(!one_line(&text).contains('\n'));
        }
    }
}
