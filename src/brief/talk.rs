//! The conversation as blocks (`[user]`, `[assistant]`, …) of parts: lines and sentences of text, calls.
//!
//! A part is the smallest thing that is printed or left out. `cutter` makes them, `weigh` says what they are worth;
//! which ones are printed is `fit`'s choice.

use super::cutter::Cutter;
use super::{Options, Scope, weigh};
use crate::session::Session;
use crate::state::State;
use crate::transcript::{Entry, Kind, Mark, Ref, Voice};

/// One `[user]`, `[assistant]`, … group.
pub struct Block {
    pub head: String,
    pub parts: Vec<Part>,
}

/// A piece of a message.
pub struct Part {
    /// Ordinals (in [`Talk::messages`]) of the messages it stands for: one, or several for folded calls.
    pub messages: Vec<u32>,
    pub text: String,
    /// For text: which line of the message it is from. Calls have none.
    pub line: Option<u32>,
    pub value: f64,
    /// Stays whatever the ceiling.
    pub must: bool,
}

/// The conversation, cut up.
pub struct Talk {
    pub blocks: Vec<Block>,
    /// Every message that counts, in order, with the block it belongs to; injected and empty ones are none.
    pub messages: Vec<Message>,
}

/// A message that is either printed or counted as omitted.
pub struct Message {
    pub reference: Option<Ref>,
    pub block: u32,
    /// How many parts were made of its text: fewer printed ones mean a cut.
    pub pieces: u32,
}

impl Talk {
    /// Blocks before neighbours are joined: each message's text, each call. What the default ceiling grows with.
    pub fn size(&self) -> usize {
        let calls = self.blocks.iter().flat_map(|b| &b.parts);
        let calls = calls.filter(|p| p.line.is_none()).map(|p| p.messages.len());
        self.messages.iter().filter(|m| m.pieces > 0).count() + calls.sum::<usize>()
    }

    /// Cuts the conversation up.
    pub fn of(session: &Session, state: &State, options: &Options) -> Talk {
        let lane = session.main_lane();
        let entries: Vec<&Entry<'static>> = match options.scope {
            Scope::Active => session.active().collect(),
            Scope::All => session.lane(lane).collect(),
        };
        let entries = kept(&entries, options.keep);
        let newest_summary = entries.iter().rposition(|e| summary(e).is_some());
        let mut cutter = Cutter::new(session, state, entries);
        for (at, entry) in entries.iter().enumerate() {
            if let Some(text) = summary(entry) {
                cutter.summary(entry, text, Some(at) == newest_summary);
            } else {
                cutter.entry(entry, at);
            }
        }
        let mut talk = cutter.talk;
        weigh::place(&mut talk);
        talk
    }
}

/// Without the last `keep` human turns.
fn kept<'a>(entries: &'a [&'a Entry<'static>], keep: usize) -> &'a [&'a Entry<'static>] {
    if keep == 0 {
        return entries;
    }
    let turns: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, e)| crate::session::is_human_turn(e))
        .map(|(i, _)| i)
        .collect();
    let cut = turns.len().checked_sub(keep).and_then(|i| turns.get(i));
    // Fewer turns than are kept: everything stays with the host.
    entries.get(..cut.copied().unwrap_or(0)).unwrap_or_default()
}

/// The summary a compaction or a branch left, if the entry is one.
fn summary<'e>(entry: &'e Entry<'static>) -> Option<&'e str> {
    match &entry.mark {
        Some(Mark::Compaction(c)) => c.summary.as_deref(),
        Some(Mark::Branch { summary }) => Some(summary),
        _ => entry.texts(Voice::Summary).next(),
    }
}

/// For each entry: whether its text is the last an assistant says before a person speaks again.
pub fn closing(entries: &[&Entry<'static>]) -> Vec<bool> {
    let mut flags = vec![false; entries.len()];
    let mut open = true;
    for (i, entry) in entries.iter().enumerate().rev() {
        if crate::session::is_human_turn(entry) {
            open = true;
        } else if entry.kind == Kind::Assistant
            && open
            && entry.texts(Voice::Assistant).next().is_some()
        {
            if let Some(flag) = flags.get_mut(i) {
                *flag = true;
            }
            open = false;
        }
    }
    flags
}
