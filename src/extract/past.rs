//! What is known of the part of a session that was let go of (see [`session::fold`](crate::session::fold)): for each
//! extractor what it would have carried on from there, and of the conversation the parts that may still be shown.
//!
//! Extractors start from it as if they had just read that part. Its places (`seq`) are all 0, those of the empty entry
//! that stands for it.

use super::turns::Before;
use super::work::Work;
use super::{commits, files, outcomes, preferences, requests, stated, todos, turns};
use crate::beside;
use crate::brief::Pool;
use crate::language::Votes;
use crate::lexicon::Rules;
use crate::session::Session;
use crate::state::cursor::Prints;
use crate::state::{Blocker, Turns, foreign};
use crate::transcript::Ref;
use crate::usage::{Event, readings};
use serde::{Deserialize, Serialize};
use std::mem::take;

/// See the module.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Past {
    /// What the agent said last.
    pub before: Before,
    /// In which language the person wrote.
    pub votes: Votes,
    pub asked: Vec<requests::Asked>,
    pub preferences: preferences::Kept,
    /// What the person said to be in the way, since the last work that succeeded.
    pub stated: Vec<Blocker>,
    /// Code was edited, so that writing about it is no progress.
    pub coded: bool,
    pub runs: outcomes::OldRuns,
    pub errors: outcomes::Errors,
    pub todos: todos::Replay,
    pub files: files::Ledger,
    pub commits: commits::Log,
    pub events: Vec<Event>,
    pub turns: Turns,
    /// A call had a result: the format has some.
    pub answers: bool,
    /// The newest record of another compactor, and the last number.
    pub foreign: Option<(Ref, String)>,
    pub last: Ref,
    pub prints: Prints,
    pub talk: Pool,
}

impl Past {
    /// Of a session that is let go of, with what it knows of its own past. The conversation is remembered in so many
    /// `parts` (the most, and what is kept of more).
    pub fn of(mut session: Session, parts: (usize, usize)) -> Past {
        // What is long goes on as it is.
        let known = session.past.as_deref_mut().map(|p| {
            let deeds = (
                take(&mut p.commits),
                take(&mut p.errors),
                take(&mut p.files),
            );
            (
                take(&mut p.asked),
                Some(take(&mut p.preferences)),
                deeds,
                p.talk.take(),
            )
        });
        let (asked, ruled, (commits, errors, ledger), pool) = known.unwrap_or_default();
        let session = &session;
        let rules = &*Rules::shared();
        let old = session.past.as_deref();
        let last = session.active().filter_map(|e| e.number).last();
        let wishes = || {
            let (said, before) = turns::told(session, rules);
            let mut votes = old.map(|p| p.votes).unwrap_or_default();
            said.iter().for_each(|t| votes.add(&t.text));
            let (asked, preferences) = beside::both(
                true,
                || requests::remember(asked, &said, rules),
                || preferences::remember(ruled, &said, rules),
            );
            (said, before, votes, asked, preferences)
        };
        let deeds = || {
            let mut work = Work::behind(commits, errors, session);
            let files = files::remember(ledger, session, &mut work);
            (work, files, pool.with(session, parts))
        };
        let ((said, before, votes, asked, preferences), (work, files, talk)) =
            beside::both(true, wishes, deeds);
        let (stated, coded) = stated::remember(session, &said, rules, &work.runs);
        Past {
            before,
            votes,
            asked,
            preferences,
            stated,
            coded,
            runs: outcomes::remember(session, &work),
            errors: work.errors,
            todos: todos::remember(session),
            files,
            commits: work.commits,
            events: readings::remember(session),
            turns: super::turns(session),
            answers: old.is_some_and(|p| p.answers)
                || session.all_steps().any(|s| s.outcome.is_some()),
            foreign: foreign::newest(session),
            last: last.unwrap_or(old.map_or(Ref::Message(0), |p| p.last)),
            prints: Prints::of(session),
            talk,
        }
    }
}
