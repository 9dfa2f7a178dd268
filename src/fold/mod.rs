//! Letting go of what lies behind, so that a later run can go on from the end instead of reading everything again.
//!
//! A fold is a digest that keeps the newest entries only. Whenever enough new ones have come, the older part of them, up
//! to a place where nothing is left open, becomes a [`Past`]: what each extractor knows of it, and the parts of the
//! conversation that may still be shown. Where that happens follows from the entries alone, never from where a run
//! began or ended; so a run that goes on from a memory ends where a run over the whole file ends.
//!
//! A memory is all of it at the end of the whole lines: the reader's place and tables ([`Memory`]), the newest entries,
//! the past. What needs an entry that was let go of makes it *lost*, and the file is read anew and whole.

mod condense;

use crate::extract::past::{Known, Past};
use crate::session::part::Snapshot;
use crate::session::thin::Gone;
use crate::session::{CallRow, Digest, Session, is_human_turn};
use crate::state::resume::Remembered;
use crate::transcript::{
    self, Entry, Kind, Memory, Options, Place, Sink, Source, Transcript, Voice,
};
use anyhow::Result;
use condense::{Condensed, Condenser, Piece};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::io::Read;
use std::path::Path;

/// When to let go, and of how much. Both runs must have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// With more entries than this something is let go of for the first time.
    pub begin: usize,
    /// From then on more entries than this are too many, and so many are let go of at once at most.
    pub most: usize,
    /// So many of the newest stay at least.
    pub keep: usize,
    /// Turns of a person that stay at least, behind the one at which the past ends.
    pub turns: usize,
    /// Parts of the conversation that are remembered: once there are more than the first, the best are kept, as many as
    /// the second.
    pub parts: (usize, usize),
    /// A shorter file is read whole every time: nothing is remembered of it.
    pub bytes: u64,
    /// A memory longer than this is none; 0: nothing is remembered.
    pub memory: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            begin: 240,
            most: 240,
            keep: 80,
            turns: 2,
            parts: (900, 450),
            bytes: 2 << 20,
            memory: 4 << 20,
        }
    }
}

impl Limits {
    /// For a run that nobody goes on from: only of what is far longer than a session gets is anything let go of, so that
    /// memory does not grow with the file for ever. From there on that is faster than to keep it.
    pub fn alone() -> Limits {
        Limits {
            begin: 45_000,
            most: 16_000,
            keep: 12_000,
            memory: 0,
            ..Limits::default()
        }
    }
}

/// A session of which the older part may have been let go of.
#[derive(Debug, Default)]
pub struct Folded {
    pub session: Session,
    /// What is known of that part; then the session's first entry is an empty one that stands for it.
    pub past: Option<Past>,
    /// What a later run can go on from.
    pub memory: Option<Remembered>,
}

impl Folded {
    /// The session with what is known of the part that is not in it.
    pub fn known(&self) -> Known<'_> {
        Known {
            session: &self.session,
            past: self.past.as_ref(),
        }
    }
}

impl From<Session> for Folded {
    fn from(session: Session) -> Folded {
        Folded {
            session,
            ..Folded::default()
        }
    }
}

/// Reads a session and lets go of what is old. `None`: something was missed that had been let go of; the file has to be
/// read by [`Session::read`].
///
/// # Errors
/// As [`Session::read`].
pub fn read(path: &Path, options: &Options<'_>, limits: Limits) -> Result<Option<Folded>> {
    let mut fold = Fold::new(
        Digest::default(),
        limits,
        limits.begin,
        Condensed::default(),
    );
    let head = transcript::read(&Source::Path(path.to_owned()), options, &mut fold)?;
    Ok(found(fold.finish(head)))
}

/// Goes on from a memory: `input` begins where it ends. `None` as in [`read`].
///
/// # Errors
/// As [`Session::read`].
pub fn read_on(
    input: &mut (dyn Read + Send),
    name: &str,
    memory: Recalled,
    options: &Options<'_>,
) -> Result<Option<Folded>> {
    let Recalled { mut fold, reader } = memory;
    let head = transcript::read::read_on(input, name, &reader, options, &mut fold)?;
    Ok(found(fold.finish(head)))
}

fn found(folded: Folded) -> Option<Folded> {
    let session = &folded.session;
    // A turn that was rewound since takes the ground from under the past that ends at it.
    let stands = session.head.active.get(1) == Some(&true);
    let settled = folded.past.is_none()
        || stands && {
            let turns = session.active().filter(|e| is_human_turn(e)).count();
            let words = |e: &&Entry<'static>| e.texts(Voice::Assistant).next().is_some();
            turns >= 2 && session.active().any(|e| words(&e))
        };
    (settled && !session.head.lost).then_some(folded)
}

/// A digest as it was when it was remembered, and where its reader was.
pub struct Recalled {
    fold: Fold,
    reader: Memory,
}

/// A digest that lets go of what is old.
struct Fold {
    digest: Digest,
    limits: Limits,
    /// With more entries than this it is time to try again.
    next: usize,
    past: Condenser,
    memory: Option<Remembered>,
}

/// All that is remembered.
#[derive(Serialize, Deserialize)]
struct Kept<'k> {
    reader: Memory,
    #[serde(borrow)]
    digest: Snapshot<'k>,
    gone: Gone,
    next: usize,
    past: Option<Cow<'k, Past>>,
}

impl Recalled {
    /// From a memory (see [`Remembered::text`]). `None`: it is none.
    pub fn of(memory: &[u8], limits: Limits) -> Option<Recalled> {
        // At once: checked string by string, Korean takes ten times as long.
        let text = simdutf8::basic::from_utf8(memory).ok()?;
        let kept: Kept<'_> = serde_json::from_str(text).ok()?;
        let past = Condensed {
            past: kept.past.map(Cow::into_owned),
            gone: kept.gone,
        };
        let digest = Digest::recalled(kept.digest, kept.reader.from);
        Some(Recalled {
            fold: Fold::new(digest, limits, kept.next, past),
            reader: kept.reader,
        })
    }
}

impl Fold {
    fn new(digest: Digest, limits: Limits, next: usize, past: Condensed) -> Fold {
        Fold {
            digest,
            limits,
            next,
            past: Condenser::new(limits.parts, past),
            memory: None,
        }
    }

    /// The session at the end of reading.
    fn finish(mut self, head: Transcript) -> Folded {
        let lost = head.lost;
        let past = self.past.wait().past.take();
        Folded {
            session: self.digest.end(head, past.is_some()),
            past,
            memory: self.memory.filter(|_| !lost),
        }
    }
}

impl Sink for Fold {
    fn entry(&mut self, entry: Entry<'_>) {
        self.digest.entry(entry);
    }

    fn withdraw(&mut self, place: Place) {
        self.digest.withdraw(place);
    }

    fn due(&self) -> bool {
        self.digest.session().entries.len() > self.next
    }

    fn lost(&self) -> bool {
        self.digest.lost
    }

    /// Lets go of what is old; gives the place of the first entry that stays.
    fn fold(&mut self, head: &mut Transcript, may: &dyn Fn(u32) -> bool) -> Option<u32> {
        let base = self.digest.base();
        // As at the end of reading: the past must still end at a turn of the conversation.
        if self.past.has_begun() && head.active.get(base as usize) != Some(&true) {
            self.digest.lost = true;
            return None;
        }
        let session = self.digest.session();
        let later = self.limits.most / 4;
        let Some(at) = cut(session, base, head, &self.limits, may) else {
            self.next = session.entries.len() + later;
            return None;
        };
        let from = base + at as u32;
        let (entries, calls) = self.digest.let_go(at);
        self.past.add(Piece {
            entries,
            calls,
            base,
            head: head.part(base as usize..from as usize),
        });
        let left = self.digest.session().entries.len();
        self.next = (left + later).max(self.limits.most);
        Some(from)
    }

    /// Keeps what a later run can go on from.
    fn rest(&mut self, reader: &dyn Fn() -> Option<Memory>) {
        let digest = &self.digest;
        if digest.lost || self.limits.memory == 0 || !digest.is_unabridged() {
            return;
        }
        let Some(reader) = reader().filter(|r| r.bytes >= self.limits.bytes) else {
            return;
        };
        let bytes = reader.bytes;
        let condensed = self.past.wait();
        let kept = Kept {
            reader,
            digest: digest.snapshot(),
            gone: condensed.gone,
            next: self.next,
            past: condensed.past.as_ref().map(Cow::Borrowed),
        };
        let Ok(text) = serde_json::to_string(&kept) else {
            return;
        };
        if text.len() <= self.limits.memory {
            self.memory = Some(Remembered { bytes, text });
        }
    }
}

/// The latest place, as an index, at which the past may end: a person's turn with others behind it, no call open
/// across it, and nothing that the format would miss.
fn cut(
    session: &Session,
    base: u32,
    head: &Transcript,
    limits: &Limits,
    may: &dyn Fn(u32) -> bool,
) -> Option<usize> {
    let last = session.entries.len().checked_sub(limits.keep)?;
    let last = last.min(limits.most);
    let active = |e: &Entry<'_>| head.active.get(e.seq as usize) == Some(&true);
    let mut turns = 0;
    for (at, entry) in session.entries.iter().enumerate().skip(1).rev() {
        let speaks = entry.lane == 0
            && entry.kind == Kind::User
            && entry.number.is_some()
            && entry.texts(Voice::Person).next().is_some()
            && is_human_turn(entry)
            && active(entry);
        if !speaks {
            continue;
        }
        turns += 1;
        let seq = base + at as u32;
        let crosses = |row: &CallRow| row.entry < seq && row.until() >= seq;
        if turns > limits.turns && at <= last && !session.calls.iter().any(crosses) && may(seq) {
            return Some(at);
        }
    }
    None
}
