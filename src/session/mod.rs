//! A session kept in memory: every message of the file, shortened to what a brief can need, each call with its
//! result. Memory grows with what is kept, not with the file.

mod digest;
mod kept;
mod notable;
pub mod own;
pub mod part;
pub mod place;
mod same;
#[cfg(test)]
pub mod testing;
pub mod thin;

use crate::transcript::tools::Tool;
use crate::transcript::{
    Block, Call, Entry, Options, Outcome, Ref, Source, Status, Transcript, Usage, Voice, read,
};
use anyhow::Result;
use serde::{Deserialize, Serialize};

pub use digest::Digest;
pub use kept::{canonical_value, hash};
pub use same::same_call;

/// Which of a session's entries something is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Scope {
    /// The active branch
    #[default]
    Active,
    /// Abandoned branches too
    All,
}

/// A session as `compact` keeps it.
#[derive(Debug, Default)]
pub struct Session {
    /// What is known of the file as a whole.
    pub head: Transcript,
    /// Every message, injected record and mark, in file order; `entries[n].seq == n`. Rows of one message are one entry.
    pub entries: Vec<Entry<'static>>,
    /// Every call in file order.
    pub calls: Vec<CallRow>,
    /// Results whose call is not in the file.
    pub orphans: u64,
    /// Estimated tokens of everything the model was shown.
    pub source_tokens: f64,
}

/// Where a call stands, where its result stands, and what was measured before either was shortened.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct CallRow {
    pub entry: u32,
    block: u16,
    result: Option<(u32, u16)>,
    /// Where a command that was still running came to its end.
    end: Option<(u32, u16)>,
    /// Hash of tool family and canonical arguments.
    pub args_hash: u64,
    /// Characters of the arguments and of the result as the model saw them.
    pub args_chars: u32,
    pub result_hash: u64,
    pub result_chars: u32,
    pub result_lines: u32,
    /// Estimated tokens of the arguments and of the result's text.
    pub args_tokens: f32,
    pub result_tokens: f32,
    /// The arguments or the result hold a stub of `compact prune`: they are no longer what they were.
    pub pruned: bool,
}

impl CallRow {
    /// The place of the last entry that belongs to the call.
    pub fn until(&self) -> u32 {
        let ends = [self.result, self.end].into_iter().flatten();
        ends.map(|(entry, _)| entry).fold(self.entry, u32::max)
    }
}

/// A call with everything around it.
#[derive(Clone, Copy)]
pub struct Step<'s> {
    pub entry: &'s Entry<'static>,
    pub call: &'s Call<'static>,
    /// `None`: no result in the file, the call is pending. Of a command that went on in the background it is
    /// the output that ended it.
    pub outcome: Option<&'s Outcome<'static>>,
    /// Where the result stands.
    pub answered: Option<&'s Entry<'static>>,
    pub row: &'s CallRow,
}

impl Step<'_> {
    /// Whether the call was to change a file, and nothing says that it did not.
    pub fn has_edited(&self) -> bool {
        let edits = matches!(
            self.call.tool,
            Tool::Edit | Tool::Write | Tool::Patch | Tool::Delete
        );
        let done = |o: &Outcome<'_>| matches!(o.status, Status::Ok | Status::Unknown);
        edits && self.outcome.is_some_and(done)
    }
}

impl Session {
    /// Reads and digests a session.
    ///
    /// # Errors
    /// As [`read()`].
    pub fn read(source: &Source, options: &Options<'_>) -> Result<Session> {
        let mut digest = Digest::default();
        let head = read(source, options, &mut digest)?;
        Ok(digest.finish(head))
    }

    /// Whether the entry belongs to the active branch of its conversation.
    pub fn is_active(&self, entry: &Entry<'_>) -> bool {
        self.head
            .active
            .get(entry.seq as usize)
            .copied()
            .unwrap_or(false)
    }

    /// The lane a brief is about: the main one, or the only other one of a sub-agent's file.
    pub fn main_lane(&self) -> u16 {
        u16::from(self.head.child && self.head.lanes.len() > 1)
    }

    /// The active entries of the main conversation.
    pub fn active(&self) -> impl Iterator<Item = &Entry<'static>> {
        let lane = self.main_lane();
        self.entries
            .iter()
            .filter(move |e| e.lane == lane && self.is_active(e))
    }

    /// Those of them behind a place.
    pub fn active_behind(&self, seq: u32) -> impl Iterator<Item = &Entry<'static>> {
        let lane = self.main_lane();
        let behind = self.entries.get(seq as usize + 1..).unwrap_or_default();
        behind
            .iter()
            .filter(move |e| e.lane == lane && self.is_active(e))
    }

    /// Makes one side chain the conversation everything is about, as if its file had been read alone.
    pub fn focus(&mut self, lane: u16) {
        let swap = |l: u16| match l {
            l if l == lane => 1,
            1 => lane,
            l => l,
        };
        for entry in &mut self.entries {
            entry.lane = swap(entry.lane);
        }
        if (lane as usize) < self.head.lanes.len() && self.head.lanes.len() > 1 {
            self.head.lanes.swap(1, lane as usize);
        }
        self.head.child = true;
    }

    /// All entries of one lane, on any branch.
    pub fn lane(&self, lane: u16) -> impl Iterator<Item = &Entry<'static>> {
        self.entries.iter().filter(move |e| e.lane == lane)
    }

    fn step<'s>(&'s self, row: &'s CallRow) -> Option<Step<'s>> {
        let entry = self.entries.get(row.entry as usize)?;
        let Some(Block::Call(call)) = entry.blocks.get(row.block as usize) else {
            return None;
        };
        let answered = row.result.and_then(|(e, _)| self.entries.get(e as usize));
        let outcome = row.end.or(row.result).and_then(|(e, b)| {
            match self.entries.get(e as usize)?.blocks.get(b as usize)? {
                Block::Result(outcome) => Some(outcome.as_ref()),
                _ => None,
            }
        });
        Some(Step {
            entry,
            call,
            outcome,
            answered,
            row,
        })
    }

    /// The calls of the active main conversation, in order.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let lane = self.main_lane();
        self.calls
            .iter()
            .filter_map(|row| self.step(row))
            .filter(move |s| s.entry.lane == lane && self.is_active(s.entry))
    }

    /// Every call of the file, on any branch and lane.
    pub fn all_steps(&self) -> impl Iterator<Item = Step<'_>> {
        self.calls.iter().filter_map(|row| self.step(row))
    }

    /// The step of a call block of this entry.
    pub fn step_at(&self, entry: &Entry<'_>, block: usize) -> Option<Step<'_>> {
        let key = (entry.seq, u16::try_from(block).ok()?);
        let at = self
            .calls
            .binary_search_by_key(&key, |r| (r.entry, r.block))
            .ok()?;
        self.step(self.calls.get(at)?)
    }

    /// The entry with that reference.
    pub fn find(&self, reference: Ref) -> Option<&Entry<'static>> {
        self.entries.iter().find(|e| e.number == Some(reference))
    }

    /// Usage readings of the active main conversation with their entries.
    pub fn readings(&self) -> impl Iterator<Item = (&Entry<'static>, Usage)> {
        self.active().filter_map(|e| e.usage.map(|u| (e, u)))
    }

    /// The working directory of an entry, else the session's.
    pub fn dir_of(&self, entry: &Entry<'_>) -> Option<&str> {
        entry
            .dir
            .and_then(|d| self.head.dirs.get(d as usize))
            .or(self.head.cwd.as_ref())
            .map(String::as_str)
    }
}

/// Whether a person took a turn in this entry: words, or an image alone.
pub fn is_human_turn(entry: &Entry<'_>) -> bool {
    entry.kind == crate::transcript::Kind::User
        && (entry.texts(Voice::Person).next().is_some()
            || (entry.blocks.iter().all(|b| matches!(b, Block::Image(_)))
                && !entry.blocks.is_empty()))
        || entry.texts(Voice::Person).next().is_some()
}
