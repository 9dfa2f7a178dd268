//! How commands and edits ended: the last outcome of each check and file, and what is still running when the
//! session ends (SPEC 1.6, points 1 and 2). Only results speak here, never anyone's words.

mod flight;
pub mod runs;
mod standing;

use super::work::Work;
use crate::session::Session;
use crate::session::place::Place;
use crate::state::{Blocker, BlockerKind};

pub use standing::remember;

/// What stands in the way at the end, oldest first: failed checks, failed edits, calls in flight.
///
/// `answers`: a call that was let go of had a result.
pub fn blockers(session: &Session, answers: bool, work: &Work) -> Vec<Blocker> {
    let place = Place::of(session);
    let mut found = standing::failed(session, work);
    found.extend(standing::failed_edits(
        session,
        &place,
        work.commits.places(),
    ));
    found.extend(flight::in_flight(session, answers));
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
