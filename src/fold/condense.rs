//! Makes the past of what a digest lets go of, piece by piece and in order: beside the reading, where there is a second
//! core for it.

use crate::beside;
use crate::extract::past::Past;
use crate::session::CallRow;
use crate::session::part::part;
use crate::session::thin::{Gone, shorten_past};
use crate::transcript::{Entry, Transcript};
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{Builder, JoinHandle};

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
    pub past: Option<Past>,
    pub gone: Gone,
}

impl Condensed {
    fn add(&mut self, mut piece: Piece, parts: (usize, usize)) {
        shorten_past(&mut piece.entries, &mut self.gone);
        let past = self.past.take();
        let Piece {
            entries,
            calls,
            base,
            head,
        } = piece;
        let session = part(entries, calls, base, head, past.is_some());
        self.past = Some(Past::of(&session, past, parts));
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
        if self.worker.is_none() {
            self.worker = self.begin();
        }
        let Some(worker) = &self.worker else {
            return self.here.add(piece, self.parts);
        };
        // A worker that does not listen any more has panicked, and says so when it is waited for.
        if worker.send.send(piece).is_err() {
            self.wait();
        }
    }

    /// A worker that has taken over what is here; `None` where there is nobody to help.
    fn begin(&mut self) -> Option<Worker> {
        if !beside::has_help() {
            return None;
        }
        let (send, pieces) = sync_channel(WAITING);
        let (give, given) = sync_channel(1);
        let parts = self.parts;
        let work = move || work(given.recv().unwrap_or_default(), &pieces, parts);
        let thread = Builder::new().spawn(work).ok()?;
        // It listens until it has panicked, and says so when it is waited for.
        let _ = give.send(std::mem::take(&mut self.here));
        Some(Worker { send, thread })
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
