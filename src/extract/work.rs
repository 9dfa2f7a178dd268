//! What every section asks of the calls, found in one pass: which of them committed, how the commands ended, and what was
//! done to files. A command is taken apart once for all of it.

use super::commits;
use super::outcomes::runs::{self, Errors, OldRuns, Run, Runs};
use super::touches::{Staged, Touch, staged, touches};
use crate::session::Session;
use crate::session::place::Place;

/// The calls of a session as the sections see them.
pub struct Work {
    /// What git confirmed.
    pub commits: commits::Log,
    /// The shell commands of the active conversation, in order.
    pub runs: Vec<Run>,
    /// Error texts without an exit status, those of calls that were let go of among them.
    pub errors: Errors,
    /// For every call of the file what it did to files.
    pub done: Vec<Done>,
}

/// What a call did to files, and what it named to git.
pub struct Done {
    pub touches: Vec<Touch>,
    pub staged: Staged,
}

impl Work {
    /// Goes through every call of the file once.
    pub fn of(session: &Session) -> Work {
        Work::behind(commits::Log::default(), Errors::default(), None, session)
    }

    /// The same, behind what is known of calls that were let go of.
    pub fn behind(
        commits: commits::Log,
        errors: Errors,
        runs: Option<&OldRuns>,
        session: &Session,
    ) -> Work {
        let place = Place::of(session);
        let lane = session.main_lane();
        let mut commits = commits::Log::behind(commits);
        let errors = runs::errors(errors, session);
        let mut runs = Runs::new(runs, &errors);
        let mut done = Vec::with_capacity(session.calls.len());
        for step in session.all_steps() {
            let active = session.is_active(step.entry);
            if step.entry.lane == lane && active {
                runs.take(&step);
            }
            // What a sub-agent committed is in the history all the same.
            if step.entry.lane != lane || active {
                commits.take(session, &step);
            }
            let mut touches = touches(session, &place, &step);
            // Nearly always one, thousands of times.
            touches.shrink_to_fit();
            done.push(Done {
                touches,
                staged: staged(session, &place, &step),
            });
        }
        Work {
            commits,
            runs: runs.list(),
            errors,
            done,
        }
    }
}
