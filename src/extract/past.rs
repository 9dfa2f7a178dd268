//! What is known of the part of a session that was let go of (see [`fold`](crate::fold)): for each
//! extractor what it would have carried on from there, and of the conversation the parts that may still be shown.
//!
//! Extractors start from it as if they had just read that part. Its places (`seq`) are all 0, those of the empty entry
//! that stands for it.

use super::outcomes::runs::Run;
use super::turns::Before;
use super::work::Work;
use super::{commits, files, outcomes, preferences, requests, stated, todos, turns};
use crate::beside;
use crate::brief::{Pool, Told};
use crate::language::Votes;
use crate::lexicon::Rules;
use crate::session::Session;
use crate::state::prints::Prints;
use crate::state::{Blocker, Turns, foreign};
use crate::transcript::Ref;
use crate::usage::{Event, readings};
use serde::{Deserialize, Serialize};
use std::mem::take;
use std::ops::Deref;

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
    pub runs: outcomes::runs::OldRuns,
    pub errors: outcomes::runs::Errors,
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

/// A session, and what is known of the part of it that was let go of.
#[derive(Debug, Clone, Copy)]
pub struct Known<'s> {
    pub session: &'s Session,
    pub past: Option<&'s Past>,
}

impl Deref for Known<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session
    }
}

impl<'s> Known<'s> {
    /// The todo list as it was there.
    pub fn todos(&self) -> Option<todos::Old<'s>> {
        self.past.map(|p| todos::Old {
            replay: &p.todos,
            answers: p.answers,
        })
    }

    /// The shell commands, those there that may still matter among them.
    pub fn runs(&self) -> Vec<Run> {
        let errors = self.past.map(|p| p.errors.clone()).unwrap_or_default();
        outcomes::runs::runs(self.past.map(|p| &p.runs), errors, self.session)
    }

    /// What was in the way there.
    pub fn stated(&self) -> stated::Old<'s> {
        let old = self.past.map(|p| stated::Old {
            stated: &p.stated,
            coded: p.coded,
        });
        old.unwrap_or_default()
    }

    /// The newest record of another compactor in that part, and the last number there.
    pub fn records(&self) -> (Option<(Ref, String)>, Ref) {
        let old = self.past.map(|p| (p.foreign.clone(), p.last));
        old.unwrap_or((None, Ref::Message(0)))
    }
}

/// What a brief shows of it.
impl<'s> From<Known<'s>> for Told<'s> {
    fn from(known: Known<'s>) -> Told<'s> {
        Told {
            session: known.session,
            pool: known.past.map(|p| &p.talk),
        }
    }
}

/// All of it is there.
impl<'s> From<&'s Session> for Known<'s> {
    fn from(session: &'s Session) -> Known<'s> {
        Known {
            session,
            past: None,
        }
    }
}

impl Past {
    /// Of a session that is let go of, with what is known of its own past. The conversation is remembered in so many `parts`
    /// (the most, and what is kept of more).
    pub fn of(session: &Session, mut old: Option<Past>, parts: (usize, usize)) -> Past {
        // What is long goes on as it is.
        let known = old.as_mut().map(|p| {
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
        let old = old.as_ref();
        let known = Known { session, past: old };
        let rules = &*Rules::shared();
        let last = session.active().filter_map(|e| e.number).last();
        let wishes = || {
            let (said, before) =
                turns::told(old.map_or(Before::Nothing, |p| p.before), session, rules);
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
            let mut work = Work::behind(commits, errors, old.map(|p| &p.runs), session);
            let files = files::remember(ledger, session, &mut work);
            (work, files, pool.with(session, parts))
        };
        let ((said, before, votes, asked, preferences), (work, files, talk)) =
            beside::both(true, wishes, deeds);
        let (stated, coded) = stated::remember(known.stated(), session, &said, rules, &work.runs);
        Past {
            before,
            votes,
            asked,
            preferences,
            stated,
            coded,
            runs: outcomes::remember(session, &work),
            errors: work.errors,
            todos: todos::remember(known.todos(), session),
            files,
            commits: work.commits,
            events: readings::remember(old.map_or(&[], |p| &p.events), session),
            turns: super::turns(old.map(|p| p.turns), session),
            answers: old.is_some_and(|p| p.answers)
                || session.all_steps().any(|s| s.outcome.is_some()),
            foreign: foreign::newest(session, known.records()),
            last: last.unwrap_or(old.map_or(Ref::Message(0), |p| p.last)),
            prints: Prints::of(session, old.map(|p| &p.prints)),
            talk,
        }
    }
}
