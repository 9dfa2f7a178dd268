//! A session in parts: what a digest lets go of, what it remembers of the rest, and a session of entries that follow
//! others.

use super::digest::{Digest, Waiting};
use super::thin::Thin;
use super::{CallRow, Session};
use crate::transcript::{Entry, Kind, Transcript};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// What a digest holds, to go on with.
#[derive(Serialize, Deserialize)]
pub struct Snapshot<'k> {
    entries: Cow<'k, [Entry<'static>]>,
    calls: Cow<'k, [CallRow]>,
    waiting: Vec<(u64, Waiting)>,
    running: Vec<(u64, u32)>,
    open: Cow<'k, BTreeSet<u64>>,
    orphans: u64,
    /// The bits of a number with a fraction.
    tokens: u64,
}

impl Digest {
    /// The entries that are still here, the first of which has the place [`base`](Digest::base).
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The place of the first entry that is still here.
    pub fn base(&self) -> u32 {
        self.base
    }

    /// Whether every text is as it came.
    pub fn is_unabridged(&self) -> bool {
        self.thin.is_idle()
    }

    /// Lets go of the first entries and of their calls, and gives them away.
    pub fn let_go(&mut self, count: usize) -> (Vec<Entry<'static>>, Vec<CallRow>) {
        let from = self.base + count as u32;
        let entries = self.session.entries.drain(..count).collect();
        let all = std::mem::take(&mut self.session.calls);
        // Where each call that stays was before.
        let staying = all.iter().zip(0..).filter(|(row, _)| row.entry >= from);
        let places: HashMap<u32, u32> = staying.map(|(_, at)| at).zip(0..).collect();
        let (gone, calls) = all.into_iter().partition(|r| r.entry < from);
        self.session.calls = calls;
        for (id, waiting) in std::mem::take(&mut self.waiting) {
            let moved = waiting.moved(|row| places.get(row).copied());
            if moved.as_ref().map_or(0, Waiting::count) < waiting.count() {
                self.open.insert(id);
            }
            self.waiting.extend(moved.map(|m| (id, m)));
        }
        self.running = std::mem::take(&mut self.running)
            .into_iter()
            .filter_map(|(id, row)| Some((id, *places.get(&row)?)))
            .collect();
        self.thin = weighed(&self.session.entries);
        self.base = from;
        (entries, gone)
    }

    /// What it holds.
    pub fn snapshot(&self) -> Snapshot<'_> {
        let mut waiting: Vec<_> = self.waiting.clone().into_iter().collect();
        waiting.sort_unstable_by_key(|(id, _)| *id);
        let mut running: Vec<_> = self.running.clone().into_iter().collect();
        running.sort_unstable();
        Snapshot {
            entries: Cow::Borrowed(&self.session.entries),
            calls: Cow::Borrowed(&self.session.calls),
            waiting,
            running,
            open: Cow::Borrowed(&self.open),
            orphans: self.session.orphans,
            tokens: self.session.source_tokens.to_bits(),
        }
    }

    /// As it was when the snapshot was made, when its first entry had the place `base`.
    pub fn recalled(kept: Snapshot<'_>, base: u32) -> Digest {
        let session = Session {
            entries: kept.entries.into_owned(),
            calls: kept.calls.into_owned(),
            orphans: kept.orphans,
            source_tokens: f64::from_bits(kept.tokens),
            ..Session::default()
        };
        Digest {
            thin: weighed(&session.entries),
            session,
            waiting: kept.waiting.into_iter().collect(),
            running: kept.running.into_iter().collect(),
            open: kept.open.into_owned(),
            base,
            ..Digest::default()
        }
    }

    /// The session of what is still here, when reading has ended. With `behind` an empty entry stands for what was let go of.
    pub fn end(self, mut head: Transcript, behind: bool) -> Session {
        let gone = head.active.len().min(self.base as usize);
        head.active.drain(..gone);
        let Session {
            entries,
            calls,
            orphans,
            source_tokens,
            ..
        } = self.session;
        let mut session = part(entries, calls, self.base, head, behind);
        session.orphans = orphans;
        session.source_tokens = source_tokens;
        session.head.lost |= self.lost;
        session
    }
}

/// What the entries weigh, as if they had just come.
fn weighed(entries: &[Entry<'static>]) -> Thin {
    let mut thin = Thin::default();
    entries.iter().for_each(|e| thin.add(&e.blocks));
    thin
}

/// A session of these entries, the first of which has the place `base` and the first flag of the head. With `behind` an
/// empty entry stands for what came before them.
pub fn part(
    mut entries: Vec<Entry<'static>>,
    mut calls: Vec<CallRow>,
    base: u32,
    mut head: Transcript,
    behind: bool,
) -> Session {
    if behind {
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
        ..Session::default()
    }
}
