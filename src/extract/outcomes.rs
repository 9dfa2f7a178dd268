//! How commands and edits ended: the last outcome of each check and file, and what is still running when the
//! session ends (SPEC 1.6, points 1 and 2). Only results speak here, never anyone's words.

mod flight;
mod runs;

use super::place::Place;
use crate::session::Session;
use crate::shell::Family;
use crate::state::{Blocker, BlockerKind};

pub use runs::{Run, runs};

/// One outcome of one check, at its place in the session.
#[derive(Debug, Clone)]
pub struct Proof {
    /// Place (`seq`) of the message whose call it was.
    pub seq: u32,
    pub family: Family,
    pub ok: bool,
}

/// Every outcome that a result proves, in order; what says neither is left out.
pub fn proofs(session: &Session) -> Vec<Proof> {
    let mut out = Vec::new();
    for run in runs(session) {
        let Some(ok) = run.ok else { continue };
        for family in run.families {
            out.push(Proof {
                seq: run.seq,
                family,
                ok,
            });
        }
    }
    out
}

/// What stands in the way at the end, oldest first: failed checks, failed edits, calls in flight.
pub fn blockers(session: &Session) -> Vec<Blocker> {
    let place = Place::of(session);
    let mut found = runs::failed(session);
    found.extend(runs::failed_edits(session, &place));
    found.extend(flight::in_flight(session));
    found.sort_by_key(|(seq, _)| *seq);
    found.into_iter().map(|(_, blocker)| blocker).collect()
}

fn blocker(kind: BlockerKind, text: String, reference: crate::transcript::Ref) -> Blocker {
    Blocker {
        text,
        reference,
        kind,
        person: false,
    }
}

#[cfg(test)]
mod tests;
