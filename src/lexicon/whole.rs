//! Messages that are nothing but small talk: `네네 ㅎㅎ`, `ok go!`, `👍`, `dd`.

use foldhash::{HashMap, HashSet};
use unicode_segmentation::UnicodeSegmentation;

use crate::language::{fold, keyboard, script};

/// Small talk is short; more than this many clusters are not looked at.
const LONGEST: usize = 40;
/// `네, 진행`, `ㅇㅇ 좋아 ㄱㄱ`.
const MOST_PARTS: usize = 3;

/// Between the parts of a message.
const BREAKS: [char; 6] = [',', '.', '!', '~', '?', '\n'];

/// The entries of a group that are whole messages.
#[derive(Debug, Default)]
pub(super) struct Whole {
    /// Folded, with their rules.
    entries: Entries,
    /// Their first words, without what decorates the end: nearly every sentence is told by its first word to be none.
    firsts: HashSet<String>,
}

type Entries = HashMap<String, usize>;

impl Whole {
    /// Adds a message; of equal ones the first counts.
    pub(super) fn add(&mut self, message: &str, rule: usize) {
        let message = fold(message);
        let first = undecorated(first_word(&message));
        self.firsts.insert(without_laughter(&first).to_owned());
        self.firsts.insert(first);
        self.entries.entry(message).or_insert(rule);
    }

    /// Whether the folded word is an entry.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.entries.contains_key(word)
    }

    /// The rule that the whole text is, or whose words the text is made of.
    pub(super) fn find(&self, text: &str) -> Option<usize> {
        if self.entries.is_empty() || text.len() > LONGEST * 4 || !self.may_begin(text) {
            return None;
        }
        find(&self.entries, text)
    }

    /// Whether the text begins like an entry, as it stands or typed with the other layout.
    fn may_begin(&self, text: &str) -> bool {
        let first = first_word(text);
        let known = |word: &str| {
            let word = undecorated(word);
            word.is_empty()
                || self.firsts.contains(&word)
                || self.firsts.contains(without_laughter(&word))
        };
        known(first)
            || known(&match text.chars().any(script::is_hangul) {
                true => keyboard::to_latin(first),
                false => keyboard::to_hangul(first),
            })
    }
}

/// What stands before the first blank or break; empty for nothing but decoration.
fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches(is_end);
    text.split(|c: char| c.is_whitespace() || BREAKS.contains(&c))
        .next()
        .unwrap_or_default()
}

fn find(entries: &Entries, text: &str) -> Option<usize> {
    if text.graphemes(true).count() > LONGEST {
        return None;
    }
    let plain = undecorated(text);
    if plain.is_empty() {
        // Only a thumb, only laughter: the entry for nothing but decoration.
        return text
            .chars()
            .any(is_decoration_word)
            .then(|| entries.get("👍").copied())
            .flatten();
    }
    known(entries, &plain).or_else(|| {
        // Typed with the other layout.
        let other = keyboard::other_layout(text.trim())?;
        known(entries, &undecorated(&other))
    })
}

fn known(entries: &Entries, plain: &str) -> Option<usize> {
    if let Some(id) = entry(entries, plain) {
        return Some(id);
    }
    let parts: Vec<String> = plain
        .split(BREAKS)
        .map(undecorated)
        .filter(|p| !p.is_empty())
        .collect();
    if parts.len() > 1 && parts.len() <= MOST_PARTS {
        return parts
            .iter()
            .map(|part| spaced(entries, part))
            .collect::<Option<Vec<_>>>()?
            .first()
            .copied();
    }
    spaced(entries, plain)
}

/// The part as an entry, or as up to three entries with blanks between (`ok go`, `네 진행해`).
fn spaced(entries: &Entries, part: &str) -> Option<usize> {
    if let Some(id) = entry(entries, part) {
        return Some(id);
    }
    let words: Vec<&str> = part.split(' ').collect();
    if words.len() > MOST_PARTS + 1 {
        return None;
    }
    // Each prefix that is an entry, with the rest again.
    (1..words.len()).rev().find_map(|cut| {
        let (head, tail) = words.split_at_checked(cut)?;
        let id = entry(entries, &undecorated(&head.join(" ")))?;
        spaced(entries, &undecorated(&tail.join(" "))).map(|_| id)
    })
}

/// The entry of that text, or of the text without the laughter behind it. In `ㅇㅋ` the last letter is none.
fn entry(entries: &Entries, text: &str) -> Option<usize> {
    let found = entries.get(text);
    found
        .or_else(|| entries.get(without_laughter(text)))
        .copied()
}

fn without_laughter(text: &str) -> &str {
    text.trim_end_matches(|c: char| is_end(c) || matches!(c, 'ㅎ' | 'ㅋ' | 'ㅠ' | 'ㅜ'))
}

/// Folded, runs of one jamo or mark shortened to two, without what decorates both ends.
fn undecorated(text: &str) -> String {
    let folded = fold(text);
    let mut short = String::with_capacity(folded.len());
    let mut last = (' ', 0);
    for c in folded.chars() {
        last = if c == last.0 { (c, last.1 + 1) } else { (c, 1) };
        if last.1 <= 2 || c.is_ascii_alphanumeric() {
            short.push(c);
        }
    }
    short.trim_matches(is_end).to_owned()
}

/// What decorates the end of a message.
fn is_end(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '.' | '~'
                | '!'
                | '?'
                | ','
                | '…'
                | '^'
                | ';'
                | ':'
                | ')'
                | '。'
                | '！'
                | '？'
                | '～'
                | '♡'
                | '\u{fe0f}'
                | '\u{200d}'
        )
        || is_emoji(c)
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}')
}

fn is_decoration_word(c: char) -> bool {
    is_emoji(c) || matches!(c, '.' | '^' | '~' | '!' | '♡' | '…')
}
