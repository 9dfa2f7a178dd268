//! An assistant's message: its text line by line, its calls, and no more of it than is worth reading.

use super::Knife;
use super::ends::significant;
use crate::brief::blocks::Part;
use crate::brief::lines::{is_ruler, pieces, stops, without_self_talk};
use crate::brief::{calls, plain, weigh};
use crate::language::head_tail_words;
use crate::transcript::{Block as Piece, Entry, Voice};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Words of a message, from its head and from its tail (SPEC 1.10 T1).
const ANSWER_WORDS: (usize, usize) = (80, 120);
/// The same where the message closes a turn.
const CLOSING_WORDS: (usize, usize) = (120, 120);

fn words(closing: bool) -> (usize, usize) {
    match closing {
        true => CLOSING_WORDS,
        false => ANSWER_WORDS,
    }
}

/// A line that alone is more than a message may show: its head and tail.
fn within(piece: &str, (head, tail): (usize, usize)) -> Cow<'_, str> {
    // Words are longer than a character.
    match piece.chars().count() > 2 * (head + tail) {
        true => head_tail_words(piece, head, tail, stops, |_| "…".to_owned()).into(),
        false => piece.into(),
    }
}

impl Knife<'_, '_> {
    /// Cuts an assistant's message; `at` is its place among the entries.
    pub(super) fn assistant(&mut self, entry: &Entry<'static>, message: u32, at: usize) {
        let (closing, last) = self.of.closes(at);
        let (head, tail) = words(closing);
        let mut base = 0;
        for (i, piece) in entry.blocks.iter().enumerate() {
            match piece {
                Piece::Said {
                    voice: Voice::Assistant,
                    text,
                } => {
                    let text = plain::shown(text);
                    let text = without_self_talk(&text);
                    base = self.prose(message, text, (closing, last), base);
                }
                Piece::Call(_) => {
                    self.call(entry, i, message);
                    // A plan is put before the person: it is said, not done.
                    if let Some(plan) = calls::plan(piece) {
                        base = self.prose(message, &plain::shown(&plan), (true, false), base);
                    }
                }
                _ => {}
            }
        }
        self.shorten(message, head + tail);
        self.images(entry, message, false);
    }

    /// Keeps the lines of a message that are worth most, among equals those at its ends, at most so many words of it
    /// (SPEC 1.10 T1).
    fn shorten(&mut self, message: u32, words: usize) {
        let parts = &mut self.cut.parts;
        let count = |part: &Part| significant(&part.text);
        // Its own parts stand at the end of the block, which may be as long as the session.
        let others = parts
            .iter()
            .rposition(|p| p.messages.first().is_none_or(|m| *m < message));
        let from = others.map_or(0, |at| at + 1);
        let mut own: Vec<(usize, usize, f64)> = parts
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(_, p)| p.line.is_some() && p.messages.first() == Some(&message))
            .map(|(i, p)| (i, count(p), p.value / (p.text.chars().count() as f64 + 6.0)))
            .collect();
        if own.iter().map(|o| o.1).sum::<usize>() <= words {
            return;
        }
        // Among equals those nearer to an end.
        let (first, last) = (
            own.first().map_or(0, |o| o.0),
            own.last().map_or(0, |o| o.0),
        );
        let inner = |at: usize| (at - first).min(last - at);
        own.sort_by(|a, b| {
            b.2.total_cmp(&a.2)
                .then(inner(a.0).cmp(&inner(b.0)))
                .then(a.0.cmp(&b.0))
        });
        let mut room = words;
        let mut out = BTreeSet::new();
        for (at, size, _) in own {
            match room.checked_sub(size) {
                Some(rest) => room = rest,
                None => {
                    out.insert(at);
                }
            }
        }
        let rest = parts.split_off(from);
        let kept = rest
            .into_iter()
            .enumerate()
            .filter(|(i, _)| !out.contains(&(from + i)))
            .map(|(_, part)| part);
        parts.extend(kept);
    }

    /// Lines of an assistant's text as parts; gives the number of the next line.
    fn prose(&mut self, message: u32, text: &str, (closing, last): (bool, bool), base: u32) -> u32 {
        let mut fenced = false;
        let mut number = base;
        for line in text.lines() {
            number += 1;
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            if is_ruler(line) {
                continue;
            }
            for piece in pieces(line) {
                let piece = within(piece, words(closing));
                let value = weigh::prose(&piece, closing, last, fenced);
                self.push(message, piece.into_owned(), Some(number), value, false);
            }
        }
        number
    }
}
