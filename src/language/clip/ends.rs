//! Cuts that leave both ends of a text, with a marker between.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::{LONGEST_WORD, clip_chars, in_word, prefix, word_end};
use crate::language::nfc;
use crate::language::script::{is_alphanumeric, is_syllable};
use crate::language::words::{Piece, pieces};

/// Head and tail of a text in at most so many bytes, at character borders; they never overlap. For what is kept, not for what
/// is shown.
pub fn byte_ends(text: &str, head: usize, tail: usize) -> (&str, &str) {
    let mut h = head.min(text.len());
    while !text.is_char_boundary(h) {
        h -= 1;
    }
    let mut t = text.len() - tail.min(text.len() - h);
    while !text.is_char_boundary(t) {
        t += 1;
    }
    (&text[..h], &text[t..])
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
    let word = in_word(after.graphemes(true)) + in_word(before.graphemes(true).rev());
    let end = after
        .find(char::is_whitespace)
        .map_or(text.len(), |at| limit + at);
    if word > LONGEST_WORD || text.get(end..).unwrap_or_default().trim().is_empty() {
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
    let mut counting = words.iter().filter(|w| w.2);
    if counting.clone().count() <= head + tail {
        return text;
    }
    let last_of_head = head.checked_sub(1).and_then(|n| counting.clone().nth(n));
    let first_of_tail = tail.checked_sub(1).and_then(|n| counting.nth_back(n));
    let cut_from = last_of_head.map_or(0, |w| w.1);
    let cut_to = first_of_tail.map_or(text.len(), |w| w.0);
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
