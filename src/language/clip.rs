//! The one way to cut text.
//!
//! Every cut falls between grapheme clusters (SPEC 0.8). Where there is a choice, a cut falls at the end of a sentence, else
//! of a word; only text without blanks is cut inside a word.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation;

use super::sentence::sentence_ends;
use super::{nfc, surely_composed};

mod ends;

pub use ends::{bare, byte_ends, head_tail, head_tail_words};

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
    let rest = in_word(after.graphemes(true));
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

/// How many clusters there are up to the next blank; one more than the longest word stands for any number.
fn in_word<'a>(clusters: impl Iterator<Item = &'a str>) -> usize {
    clusters
        .take(LONGEST_WORD + 1)
        .take_while(|g| !g.starts_with(char::is_whitespace))
        .count()
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

#[cfg(test)]
mod tests;
