//! Letting go of what lies behind, so that a later run can go on from the end instead of reading everything again.
//!
//! A digest with a [`Fold`] keeps the newest entries only. Whenever enough new ones have come, the older part of them, up
//! to a place where nothing is left open, becomes a [`Past`]: what each extractor knows of it, and the parts of the
//! conversation that may still be shown. Where that happens follows from the entries alone, never from where a run
//! began or ended; so a run that goes on from a memory ends where a run over the whole file ends.
//!
//! A memory is all of it at the end of the whole lines: the reader's place and tables ([`Memory`]), the newest entries,
//! the past. What needs an entry that was let go of makes the digest *lost*, and the file is read anew without a fold.

use super::condense::{Condensed, Condenser, Piece};
use super::digest::Waiting;
use super::thin::{Gone, Thin};
use super::{CallRow, Digest, Session, is_human_turn};
use crate::extract::past::Past;
use crate::transcript::{self, Entry, Kind, Memory, Options, Source, Transcript, Voice};
use anyhow::Result;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
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

/// Reads a session and lets go of what is old. `None`: something was missed that had been let go of; the file has to be
/// read by [`Session::read`].
///
/// # Errors
/// As [`Session::read`].
pub fn read(path: &Path, options: &Options<'_>, limits: Limits) -> Result<Option<Session>> {
    let mut digest = Digest::folding(limits);
    let head = transcript::read(&Source::Path(path.to_owned()), options, &mut digest)?;
    Ok(found(digest.finish(head)))
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
) -> Result<Option<Session>> {
    let Recalled { mut digest, reader } = memory;
    let head = transcript::read::read_on(input, name, &reader, options, &mut digest)?;
    Ok(found(digest.finish(head)))
}

fn found(session: Session) -> Option<Session> {
    // A turn that was rewound since takes the ground from under the past that ends at it.
    let stands = session.head.active.get(1) == Some(&true);
    let settled = session.past.is_none()
        || stands && {
            let turns = session.active().filter(|e| is_human_turn(e)).count();
            let words = |e: &&Entry<'static>| e.texts(Voice::Assistant).next().is_some();
            turns >= 2 && session.active().any(|e| words(&e))
        };
    (settled && !session.head.lost).then_some(session)
}

/// What a later run can go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Bytes of the file that were read.
    pub bytes: u64,
    /// All that is known of them, as text that this program reads back. It may hold secrets.
    pub text: String,
}

/// A digest as it was when it was remembered, and where its reader was.
pub struct Recalled {
    digest: Digest,
    reader: Memory,
}

/// How far a digest has let go.
pub struct Fold {
    limits: Limits,
    /// The place of the first entry that is still there.
    pub(super) base: u32,
    /// With more entries than this it is time to try again.
    pub(super) next: usize,
    /// Calls that were let go of without a result, by the hash of their id.
    open: BTreeSet<u64>,
    past: Condenser,
    pub(super) lost: bool,
    memory: Option<Remembered>,
}

/// A digest as it is remembered.
#[derive(Serialize, Deserialize)]
struct Kept<'k> {
    reader: Memory,
    entries: Cow<'k, [Entry<'static>]>,
    calls: Cow<'k, [CallRow]>,
    waiting: Vec<(u64, Waiting)>,
    running: Vec<(u64, u32)>,
    open: BTreeSet<u64>,
    gone: Gone,
    orphans: u64,
    /// The bits of a number with a fraction.
    tokens: u64,
    next: usize,
    past: Option<Cow<'k, Past>>,
}

impl Digest {
    /// A digest that lets go of what is old.
    pub fn folding(limits: Limits) -> Digest {
        Digest::folded(limits, Condensed::default())
    }

    fn folded(limits: Limits, past: Condensed) -> Digest {
        Digest {
            fold: Some(Box::new(Fold {
                limits,
                base: 0,
                next: limits.begin,
                open: BTreeSet::new(),
                past: Condenser::new(limits.parts, past),
                lost: false,
                memory: None,
            })),
            ..Digest::default()
        }
    }

    /// From a memory (see [`Remembered::text`]). `None`: it is none.
    pub fn recall(memory: &[u8], limits: Limits) -> Option<Recalled> {
        // At once: checked string by string, Korean takes ten times as long.
        let text = simdutf8::basic::from_utf8(memory).ok()?;
        let kept: Kept<'_> = serde_json::from_str(text).ok()?;
        let past = Condensed {
            past: kept.past.map(|p| Box::new(p.into_owned())),
            gone: kept.gone,
        };
        let mut digest = Digest::folded(limits, past);
        if let Some(fold) = &mut digest.fold {
            fold.base = kept.reader.from;
            fold.next = kept.next;
            fold.open = kept.open;
        }
        digest.session = Session {
            entries: kept.entries.into_owned(),
            calls: kept.calls.into_owned(),
            orphans: kept.orphans,
            source_tokens: f64::from_bits(kept.tokens),
            ..Session::default()
        };
        digest.waiting = kept.waiting.into_iter().collect();
        digest.running = kept.running.into_iter().collect();
        digest.thin = weighed(&digest.session.entries);
        Some(Recalled {
            digest,
            reader: kept.reader,
        })
    }
}

impl Fold {
    /// The session at the end of reading.
    pub(super) fn finish(mut self, mut session: Session, mut head: Transcript) -> Session {
        let lost = head.lost;
        let past = self.past.wait().past.take();
        let entries = std::mem::take(&mut session.entries);
        let calls = std::mem::take(&mut session.calls);
        head.active
            .drain(..head.active.len().min(self.base as usize));
        let mut whole = rebased(entries, calls, self.base, head, past);
        whole.orphans = session.orphans;
        whole.source_tokens = session.source_tokens;
        whole.memory = self.memory.filter(|_| !lost);
        whole.head.lost |= self.lost;
        whole
    }
}

/// An entry of a place that is no longer there was changed.
pub(super) fn lose(digest: &mut Digest) {
    if let Some(fold) = &mut digest.fold {
        fold.lost = true;
    }
}

/// A result came for which no call waits here.
pub(super) fn answered(digest: &mut Digest, call: u64) {
    if let Some(fold) = &mut digest.fold {
        fold.lost |= fold.open.contains(&call);
    }
}

/// Keeps what a later run can go on from.
pub(super) fn rest(digest: &mut Digest, reader: &dyn Fn() -> Option<Memory>) {
    let Some(fold) = &mut digest.fold else { return };
    if fold.lost || fold.limits.memory == 0 || !digest.thin.is_idle() {
        return;
    }
    let Some(reader) = reader().filter(|r| r.bytes >= fold.limits.bytes) else {
        return;
    };
    let bytes = reader.bytes;
    let mut waiting: Vec<_> = digest.waiting.clone().into_iter().collect();
    waiting.sort_unstable_by_key(|(id, _)| *id);
    let mut running: Vec<_> = digest.running.clone().into_iter().collect();
    running.sort_unstable();
    let session = &digest.session;
    let condensed = fold.past.wait();
    let kept = Kept {
        reader,
        entries: Cow::Borrowed(&session.entries),
        calls: Cow::Borrowed(&session.calls),
        waiting,
        running,
        open: fold.open.clone(),
        gone: condensed.gone,
        orphans: session.orphans,
        tokens: session.source_tokens.to_bits(),
        next: fold.next,
        past: condensed.past.as_deref().map(Cow::Borrowed),
    };
    let Ok(text) = serde_json::to_string(&kept) else {
        return;
    };
    if text.len() <= fold.limits.memory {
        fold.memory = Some(Remembered { bytes, text });
    }
}

/// Lets go of what is old; gives the place of the first entry that stays.
pub(super) fn fold(
    digest: &mut Digest,
    head: &mut Transcript,
    may: &dyn Fn(u32) -> bool,
) -> Option<u32> {
    let fold = digest.fold.as_mut()?;
    let base = fold.base;
    // As at the end of reading: the past must still end at a turn of the conversation.
    if fold.past.has_begun() && head.active.get(base as usize) != Some(&true) {
        fold.lost = true;
        return None;
    }
    let at = cut(&digest.session, base, head, &fold.limits, may);
    let Some(at) = at else {
        fold.next = digest.session.entries.len() + fold.limits.most / 4;
        return None;
    };
    let from = base + at as u32;
    let entries = digest.session.entries.drain(..at).collect();
    let (gone, calls): (Vec<CallRow>, Vec<CallRow>) =
        digest.session.calls.iter().partition(|r| r.entry < from);
    // Where each call that stays was before.
    let places: HashMap<u32, u32> = digest
        .session
        .calls
        .iter()
        .zip(0..)
        .filter(|(row, _)| row.entry >= from)
        .map(|(_, at)| at)
        .zip(0..)
        .collect();
    for (id, waiting) in std::mem::take(&mut digest.waiting) {
        let moved = waiting.moved(|row| places.get(row).copied());
        if moved.as_ref().map_or(0, Waiting::count) < waiting.count() {
            fold.open.insert(id);
        }
        digest.waiting.extend(moved.map(|m| (id, m)));
    }
    digest.running = std::mem::take(&mut digest.running)
        .into_iter()
        .filter_map(|(id, row)| Some((id, *places.get(&row)?)))
        .collect();
    digest.session.calls = calls;
    fold.past.add(Piece {
        entries,
        calls: gone,
        base,
        head: head.part(base as usize..from as usize),
    });
    digest.thin = weighed(&digest.session.entries);
    fold.base = from;
    fold.next = (digest.session.entries.len() + fold.limits.most / 4).max(fold.limits.most);
    Some(from)
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
        let crosses = |row: &CallRow| {
            let ends = [row.result, row.end];
            row.entry < seq && ends.iter().flatten().any(|(e, _)| *e >= seq)
        };
        if turns > limits.turns && at <= last && !session.calls.iter().any(crosses) && may(seq) {
            return Some(at);
        }
    }
    None
}

/// What the entries weigh, as if they had just come.
fn weighed(entries: &[Entry<'static>]) -> Thin {
    let mut thin = Thin::default();
    entries.iter().for_each(|e| thin.add(&e.blocks));
    thin
}

/// A session of these entries, the first of which has the place `base` and the first flag of the head; where there is a
/// past, an empty entry stands for it.
pub(super) fn rebased(
    mut entries: Vec<Entry<'static>>,
    mut calls: Vec<CallRow>,
    base: u32,
    mut head: Transcript,
    past: Option<Box<Past>>,
) -> Session {
    if past.is_some() {
        head.active.insert(0, false);
        let place = |seq: u32| (seq + 1).saturating_sub(base);
        entries.insert(0, Entry::new(Kind::Mark));
        for (entry, seq) in entries.iter_mut().zip(0..) {
            entry.seq = seq;
        }
        for row in &mut calls {
            row.entry = place(row.entry);
            for end in [&mut row.result, &mut row.end].into_iter().flatten() {
                end.0 = place(end.0);
            }
        }
    }
    calls.sort_by_key(|r| (r.entry, r.block));
    Session {
        head,
        entries,
        calls,
        past,
        ..Session::default()
    }
}
