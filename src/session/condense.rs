//! Makes the past of what a digest lets go of, piece by piece and in order: beside the reading, where there is a second
//! core for it.

use super::CallRow;
use super::fold::rebased;
use super::thin::{Gone, shorten_past};
use crate::extract::past::Past;
use crate::transcript::{Entry, Transcript};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{JoinHandle, available_parallelism, spawn};

/// Pieces that may wait: few, since they are what memory is spent on.
const WAITING: usize = 2;

/// Entries that were let go of together.
pub struct Piece {
    pub entries: Vec<Entry<'static>>,
    pub calls: Vec<CallRow>,
    /// The place of the first entry.
    pub base: u32,
    /// The transcript as far as it was known then, with just the flags of these entries.
    pub head: Transcript,
}

/// What came of the pieces so far.
#[derive(Debug, Default)]
pub struct Condensed {
    pub past: Option<Box<Past>>,
    pub gone: Gone,
}

impl Condensed {
    fn add(&mut self, mut piece: Piece, parts: (usize, usize)) {
        shorten_past(&mut piece.entries, &mut self.gone);
        let past = self.past.take();
        let session = rebased(piece.entries, piece.calls, piece.base, piece.head, past);
        self.past = Some(Box::new(Past::of(session, parts)));
    }
}

/// Takes pieces in; see the module.
pub struct Condenser {
    /// How many parts of the conversation are remembered: the most, and what is kept of more.
    parts: (usize, usize),
    here: Condensed,
    /// While it works, everything is there and nothing here.
    worker: Option<Worker>,
}

struct Worker {
    send: SyncSender<Piece>,
    thread: JoinHandle<Condensed>,
}

impl Condenser {
    pub fn new(parts: (usize, usize), from: Condensed) -> Condenser {
        Condenser {
            parts,
            here: from,
            worker: None,
        }
    }

    /// Whether there is a past.
    pub fn has_begun(&self) -> bool {
        self.worker.is_some() || self.here.past.is_some()
    }

    /// The next piece.
    pub fn add(&mut self, piece: Piece) {
        if self.worker.is_none() && available_parallelism().map_or(1, usize::from) == 1 {
            return self.here.add(piece, self.parts);
        }
        let worker = self.worker.get_or_insert_with(|| {
            let (send, pieces) = sync_channel(WAITING);
            let (from, parts) = (std::mem::take(&mut self.here), self.parts);
            let thread = spawn(move || work(from, &pieces, parts));
            Worker { send, thread }
        });
        // A worker that does not listen any more has panicked, and says so when it is waited for.
        if worker.send.send(piece).is_err() {
            self.wait();
        }
    }

    /// What came of all pieces.
    pub fn wait(&mut self) -> &mut Condensed {
        if let Some(Worker { send, thread }) = self.worker.take() {
            drop(send);
            self.here = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        &mut self.here
    }
}

fn work(mut all: Condensed, pieces: &Receiver<Piece>, parts: (usize, usize)) -> Condensed {
    for piece in pieces {
        all.add(piece, parts);
    }
    all
}
