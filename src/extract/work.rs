//! What every section asks of the calls, found once: which of them committed, and how the commands ended.

use super::commits;
use super::outcomes::{Run, runs};
use crate::session::Session;

/// The calls of a session as the sections see them.
pub struct Work {
    pub commits: commits::Log,
    /// The shell commands of the active conversation, in order.
    pub runs: Vec<Run>,
}

impl Work {
    pub fn of(session: &Session) -> Work {
        Work {
            commits: commits::Log::of(session),
            runs: runs(session),
        }
    }
}
