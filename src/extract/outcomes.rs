//! How commands and edits ended: the last outcome of each check and file, and what is still running when the
//! session ends (SPEC 1.6, points 1 and 2). Only results speak here, never anyone's words.

mod flight;
mod runs;

use super::past::Known;
use super::work::Work;
use crate::session::place::Place;
use crate::state::{Blocker, BlockerKind};

pub use runs::{Errors, OldRuns, Run, Runs, errors, remember, runs};

/// What stands in the way at the end, oldest first: failed checks, failed edits, calls in flight.
pub fn blockers<'s>(session: impl Into<Known<'s>>, work: &Work) -> Vec<Blocker> {
    let session = session.into();
    let place = Place::of(&session);
    let mut found = runs::failed(&session, work);
    found.extend(runs::failed_edits(&session, &place, work.commits.places()));
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
