//! Archives of sessions, compacted again and checked: is a brief still what was promised (SPEC 7)?
//!
//! Each session is compacted at its own compactions (or every N human turns) with a carried state, and once in one
//! go; `checks` says what must hold. Nothing here reads a clock, and results come in the order of the paths however
//! many sessions are read at once.

mod checks;
mod curve;
mod find;
mod golden;
mod measure;
mod pairs;
mod pool;
pub mod report;
mod run;
mod shard;
mod slices;

pub use checks::{Check, Failure};
pub use curve::Curve;
pub use find::{Found, Target, find};
pub use golden::{Briefs, Change};
pub use pool::{Watch, each, order};
pub use run::{Answer, Replayed, replay};
pub use shard::Shard;

use crate::lexicon::Rules;
use crate::transcript::Family;
use std::sync::Arc;

/// How sessions are replayed.
#[derive(Debug, Clone)]
pub struct Options {
    pub rules: Arc<Rules>,
    pub from: Option<Family>,
    pub strict: bool,
    /// Which session of a store that holds many.
    pub session: Option<String>,
    /// Slices of so many human turns; `None`: the session's own compactions.
    pub every: Option<usize>,
}
