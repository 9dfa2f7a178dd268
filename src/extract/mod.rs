//! What a session means: one file for each section of the brief. Each extractor reads the session and gives
//! items with the message that proves them; none looks at a format's name.

pub mod commits;
pub mod files;
pub mod goal;
pub mod narration;
pub mod outcomes;
pub mod past;
pub mod preferences;
pub mod remarks;
pub mod requests;
pub mod said;
pub mod sentence;
pub mod stated;
pub mod todos;
pub mod touches;
pub mod trace;
#[cfg(test)]
mod trials;
pub mod turns;
pub mod work;

use crate::beside;
use crate::language;
use crate::lexicon::Rules;
use crate::redact;
use crate::session::Session;
use crate::state::{Blocker, InputInfo, SessionInfo, State, Turns};
use crate::transcript::{Kind, Millis, Voice};
use past::Known;
use std::collections::HashSet;
use turns::Before;
use work::Work;

/// Entries from which on a second thread is worth its start.
const MANY: usize = 20;

/// Gets ready what is needed for any session at all.
pub fn prepare() {
    redact::prepare();
    Rules::builtin().prepare();
    said::prepare();
}

/// Everything the sections need, as a state of this session alone.
pub fn extract<'s>(session: impl Into<Known<'s>>, rules: &Rules) -> State {
    let session = session.into();
    let (head, past) = (&session.head, session.past);
    let much = session.entries.len() >= MANY;
    let wishes = || {
        let before = past.map_or(Before::Nothing, |p| p.before);
        let said = turns::told(before, &session, rules).0;
        let asked = past.map_or(&[][..], |p| &p.asked);
        let old = past.map(|p| &p.preferences);
        let requests = || requests::requests(asked, &said, rules);
        let (requests, preferences) = beside::both(much, requests, || {
            preferences::preferences(old, &said, rules)
        });
        (said, requests, preferences)
    };
    let deeds = || {
        let known = past.map(|p| (p.commits.clone(), p.errors.clone(), p.files.clone()));
        let (commits, errors, ledger) = known.unwrap_or_default();
        let mut work = Work::behind(commits, errors, past.map(|p| &p.runs), &session);
        let files = files::files(ledger, &session, &mut work);
        (work, files)
    };
    // What was said and what was done are looked through beside each other where that takes time.
    let ((said, requests, preferences), (work, mut files)) = beside::both(much, wishes, deeds);
    let mut votes = past.map(|p| p.votes).unwrap_or_default();
    said.iter().for_each(|t| votes.add(&t.text));
    let blockers = blockers(session, &said, rules, &work);
    let mut commits = work.commits.commits();
    crate::state::foreign::add(&session, session.records(), &mut files, &mut commits);
    State {
        session: SessionInfo {
            id: head.id.clone(),
            format: head.family.name().to_owned(),
            title: head.title.clone(),
            cwd: head.cwd.clone(),
            branch: head.branch.clone(),
            language: votes.language().map(|l| l.code().to_owned()),
            models: head.models.clone(),
            started: utc(head.started.as_deref()),
            ended: utc(head.ended.as_deref()),
        },
        blockers,
        todos: todos::todos(session.todos(), &session),
        files,
        commits,
        goal: requests.goal,
        scope_change: requests.scope_change,
        earlier_requests: requests.earlier,
        latest_request: requests.latest,
        preferences,
        usage: crate::usage::info(past.map_or(&[], |p| &p.events), &session),
        turns: turns(past.map(|p| p.turns), &session),
        input: InputInfo {
            records: head.input.records,
            skipped: head.input.skipped,
            skipped_lines: head.input.skipped_lines.clone(),
            repaired: head.input.repaired,
            pending: head.input.pending,
            stitched: head.input.stitched,
            unknown: head.input.unknown.clone(),
        },
        ..State::default()
    }
    .cleaned()
}

/// The same instant reads the same wherever it was written: UTC.
fn utc(written: Option<&str>) -> Option<String> {
    let written = written?;
    match Millis::parse(written) {
        Some(moment) if !written.ends_with('Z') => Some(moment.rfc3339()),
        _ => Some(written.to_owned()),
    }
}

/// What is in the way: outcomes first, then what was said, in the order of the session; each text once.
fn blockers(session: Known<'_>, said: &[turns::Turn], rules: &Rules, work: &Work) -> Vec<Blocker> {
    let mut all = outcomes::blockers(&session, session.past.is_some_and(|p| p.answers), work);
    let mut told: HashSet<String> = all.iter().map(|b| language::fold(&b.text)).collect();
    for (_, stated) in stated::stated(session.stated(), &session, said, rules, &work.runs) {
        if told.insert(language::fold(&stated.text)) {
            all.push(stated);
        }
    }
    all.sort_by_key(|b| b.reference);
    all
}

fn turns(old: Option<Turns>, session: &Session) -> Turns {
    let mut turns = old.unwrap_or_default();
    for entry in session.active() {
        turns.human += u64::from(crate::session::is_human_turn(entry));
        let spoke = entry.kind == Kind::Assistant && entry.texts(Voice::Harness).next().is_none();
        turns.assistant += u64::from(spoke && !entry.blocks.is_empty());
        turns.tool_calls += entry.calls().count() as u64;
    }
    turns
}
