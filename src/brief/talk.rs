//! The conversation as blocks (`[user]`, `[assistant]`, …) of parts: lines and sentences of text, calls.
//!
//! A part is the smallest thing that is printed or left out. `cutter` makes them, `weigh` says what they are worth;
//! which ones are printed is `fit`'s choice.

use super::blocks::{Block, Cut, Part, USER, head};
use super::cutter::Cutter;
use super::{Options, weigh};
use crate::beside;
use crate::session::{Scope, Session, Step};
use crate::state::State;
use crate::transcript::{Entry, Ref};
use std::borrow::Cow;
use std::sync::OnceLock;

/// The conversation, cut up where it is looked at.
pub struct Talk<'s> {
    pub blocks: Vec<Block>,
    /// Every message that counts, in order; injected and empty ones are none.
    pub messages: Vec<Message>,
    /// Blocks of the conversation: more than are here where the past was let go of.
    pub total: usize,
    /// What is no longer here counted towards the [size](Talk::size).
    gone: usize,
    entries: Vec<&'s Entry<'static>>,
    /// `None` in tests, where every block is cut.
    cutter: Option<Cutter<'s>>,
}

/// A message that is either printed or counted as omitted; of those that were let go of only some are here.
pub struct Message {
    pub reference: Option<Ref>,
    pub block: u32,
}

impl<'s> Talk<'s> {
    /// Tells the conversation's blocks apart. Nothing is cut yet. `spoken`: a person spoke before.
    pub fn of(session: &'s Session, spoken: bool, state: &State, options: &Options) -> Talk<'s> {
        let lane = session.main_lane();
        let entries: Vec<&Entry<'static>> = match options.scope {
            Scope::Active => session.active().collect(),
            Scope::All => session.lane(lane).collect(),
        };
        let entries = kept(entries, options.keep);
        Talk::outlined(Cutter::new(session, spoken, state, &entries), entries)
    }

    /// The blocks of these entries.
    pub fn outlined(cutter: Cutter<'s>, entries: Vec<&'s Entry<'static>>) -> Talk<'s> {
        let mut talk = Talk {
            blocks: Vec::new(),
            messages: Vec::new(),
            total: 0,
            gone: 0,
            entries,
            cutter: Some(cutter),
        };
        for at in 0..talk.entries.len() {
            talk.outline(at);
        }
        talk.total = talk.blocks.len();
        talk
    }

    /// Puts blocks of the past in front: of so many that there were, those that are still known, which are cut.
    pub fn prepend(&mut self, past: Vec<(Block, Vec<Option<Ref>>)>, total: usize, gone: usize) {
        let (mut blocks, mut messages) = (Vec::new(), Vec::new());
        for (mut block, references) in past {
            block.first = messages.len() as u32;
            let at = blocks.len() as u32;
            let message = |reference| Message {
                reference,
                block: at,
            };
            messages.extend(references.into_iter().map(message));
            blocks.push(block);
        }
        for message in &mut self.messages {
            message.block += blocks.len() as u32;
        }
        for block in &mut self.blocks {
            block.index += total;
            block.first += messages.len() as u32;
        }
        blocks.append(&mut self.blocks);
        messages.append(&mut self.messages);
        (self.blocks, self.messages) = (blocks, messages);
        self.total += total;
        self.gone = gone;
    }

    /// What cuts the blocks.
    pub fn cutter(&self) -> Option<&Cutter<'s>> {
        self.cutter.as_ref()
    }

    /// Blocks of one part each, for tests.
    #[cfg(test)]
    pub fn cut_up(parts: Vec<Part>) -> Talk<'static> {
        let count = parts.len() as u32;
        let block = |(i, part): (u32, Part)| Block {
            head: if i % 2 == 0 {
                USER
            } else {
                super::blocks::ASSISTANT
            }
            .into(),
            index: i as usize,
            first: i,
            members: 1,
            entries: 0..0,
            cut: OnceLock::from(Box::new(Cut {
                parts: vec![part],
                pieces: vec![1],
            })),
        };
        let message = |block| Message {
            reference: None,
            block,
        };
        Talk {
            blocks: (0..).zip(parts).map(block).collect(),
            messages: (0..count).map(message).collect(),
            total: count as usize,
            gone: 0,
            entries: Vec::new(),
            cutter: None,
        }
    }

    /// Puts the entry, if it is a message, into its block: the last one, or a new one.
    fn outline(&mut self, at: usize) {
        let Some(entry) = self.entries.get(at) else {
            return;
        };
        let Some(head) = head(entry) else { return };
        match self.blocks.last_mut() {
            Some(block) if head != USER && block.head == head => {
                block.members += 1;
                block.entries.end = at + 1;
            }
            _ => self.blocks.push(Block {
                head,
                index: self.blocks.len(),
                first: self.messages.len() as u32,
                members: 1,
                entries: at..at + 1,
                cut: OnceLock::new(),
            }),
        }
        self.messages.push(Message {
            reference: entry.number,
            block: (self.blocks.len() - 1) as u32,
        });
    }

    /// A block's parts, cut now if they were not.
    pub fn parts(&self, block: usize) -> &[Part] {
        self.cut(block).map_or(&[], |cut| &cut.parts)
    }

    fn cut(&self, at: usize) -> Option<&Cut> {
        let block = self.blocks.get(at)?;
        Some(block.cut.get_or_init(|| {
            let Some(cutter) = &self.cutter else {
                return Box::default();
            };
            let mut cut = cutter.cut(&self.entries, block);
            weigh::rank(&mut cut.parts, &block.head);
            weigh::place(&mut cut.parts, &block.head, block.index, self.total);
            Box::new(cut)
        }))
    }

    /// The parts of a block as they are cut, not yet weighed against each other.
    pub fn raw(&self, block: &Block) -> Cut {
        let cutter = self.cutter.as_ref();
        cutter.map_or_else(Cut::default, |c| c.cut(&self.entries, block))
    }

    /// How many parts were made of a message's text.
    pub fn pieces(&self, message: u32) -> u32 {
        let known = || {
            let block = self.messages.get(message as usize)?.block as usize;
            let first = self.blocks.get(block)?.first;
            let at = message.checked_sub(first)? as usize;
            self.cut(block)?.pieces.get(at).copied()
        };
        known().unwrap_or(0)
    }

    /// The entries of a block.
    pub fn entries(&self, block: &Block) -> &[&'s Entry<'static>] {
        self.entries.get(block.entries.clone()).unwrap_or_default()
    }

    /// Whether the message at this place closes a turn, and whether it is the last that does.
    pub fn closes(&self, at: usize) -> (bool, bool) {
        self.cutter
            .as_ref()
            .map_or((false, false), |c| c.closes(at))
    }

    /// The calls of an entry.
    pub fn steps(&self, entry: &Entry<'static>) -> impl Iterator<Item = Step<'s>> {
        let session = self.cutter.as_ref().map(|c| c.session);
        let calls = 0..entry.blocks.len();
        session
            .into_iter()
            .flat_map(move |s| calls.clone().filter_map(move |at| s.step_at(entry, at)))
    }

    /// Blocks before neighbours are joined, counted no further than `enough`: each message's text, each call. What the
    /// default ceiling grows with.
    pub fn size(&self, enough: usize) -> usize {
        let mut size = self.gone;
        // From the end: those blocks are cut in any case.
        for end in (1..=self.blocks.len()).rev().step_by(TOGETHER) {
            let some: Vec<usize> = (end.saturating_sub(TOGETHER)..end).collect();
            beside::map(&some, |block| self.cut(*block).is_some());
            for cut in some.iter().rev().filter_map(|block| self.cut(*block)) {
                if size >= enough {
                    return size;
                }
                let calls = cut.parts.iter().filter(|p| p.line.is_none());
                size += cut.pieces.iter().filter(|p| **p > 0).count();
                size += calls.map(|p| p.messages.len()).sum::<usize>();
            }
        }
        size
    }
}

/// Blocks that are cut beside each other where many will be needed.
const TOGETHER: usize = 32;

/// Without the last `keep` human turns.
fn kept<'s>(mut entries: Vec<&'s Entry<'static>>, keep: usize) -> Vec<&'s Entry<'static>> {
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
    entries.truncate(cut.copied().unwrap_or(0));
    entries
}

/// The state without what a person said in the last `keep` turns, unless that is all there is.
pub fn before_kept<'s>(session: &Session, state: &'s State, keep: usize) -> Cow<'s, State> {
    let turns: Vec<_> = session
        .active()
        .filter(|e| keep > 0 && crate::session::is_human_turn(e))
        .map(|e| e.number)
        .collect();
    let from = turns.len().saturating_sub(keep);
    let last = turns.get(from..).filter(|_| keep > 0 && from > 0);
    let Some(last) = last else {
        return Cow::Borrowed(state);
    };
    let out = |reference: Ref| last.contains(&Some(reference));
    let mut state = state.clone();
    state.earlier_requests.retain(|i| !out(i.reference));
    state.scope_change.retain(|i| !out(i.reference));
    state.preferences.retain(|p| !out(p.reference));
    state.latest_request = state.latest_request.filter(|l| !out(l.reference));
    Cow::Owned(state)
}
