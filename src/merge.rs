//! What was known before, and what the session says now, as one state.
//!
//! A session file only grows, so nearly always the new reading holds everything and simply wins: the state of k
//! slices is the state of one run. What a file no longer shows (rewritten, cut short, only its newer part) is
//! kept: it moves into the cursor as [`Facts`] and is joined again on every run, so that reading twice is
//! reading once.

use crate::extract::past::Known;
use crate::extract::todos;
use crate::language::{clip, fold};
use crate::state::cursor::{self, Cursor};
use crate::state::facts::Facts;
use crate::state::{Blocker, BlockerKind, Item, State};
use crate::transcript::Millis;

/// The state belongs to another session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// The session it belongs to, where it says so.
    pub id: Option<String>,
}

/// `now` (what this session says) with what `previous` knows beyond it.
///
/// # Errors
/// `previous` belongs to another session (CONTRACT 11 "State").
pub fn merge<'s>(
    previous: Option<&State>,
    mut now: State,
    session: impl Into<Known<'s>>,
) -> Result<State, Stranger> {
    let session = session.into();
    let mut cursor = cursor_of(session);
    if let Some(previous) = previous {
        let known = Cursor::read(&previous.cursor);
        let stranger = || Stranger {
            id: previous.session.id.clone(),
        };
        if known.as_ref().and_then(|k| k.lane.clone()) != cursor::lane(&session) {
            return Err(stranger());
        }
        let same = previous.session.id.is_some() && previous.session.id == now.session.id;
        let goes_on = known.as_ref().is_some_and(|k| k.is_in(&session));
        // Without ids there is nothing else to go by.
        let nameless = previous.session.id.is_none() && now.session.id.is_none();
        let copied = goes_on && known.as_ref().is_some_and(|k| k.proves(&session, nameless));
        if !same && !copied {
            return Err(stranger());
        }
        let before = match known {
            Some(known) if goes_on => known.earlier,
            Some(known) => Some(Facts {
                file: known.earlier.is_none().then_some(known.file),
                first: known.first,
                ..Facts::of(previous)
            }),
            None => Some(Facts::of(previous)),
        };
        let before =
            before.filter(|b| !b.file.as_ref().is_some_and(|f| f.is_in(&session, b.first)));
        if let Some(before) = before {
            let plain = Facts::of(&now);
            join(&before, &mut now, session);
            // The file shows it all: nothing has to be remembered apart from it.
            cursor.earlier = (Facts::of(&now) != plain).then_some(before);
        }
        now.rest.clone_from(&previous.rest);
    }
    now.cursor = cursor.write();
    Ok(now)
}

/// `now`, where reading went on from what `previous` remembers: the file shows all that it holds.
pub fn go_on(previous: &State, mut now: State, session: Known<'_>) -> State {
    now.cursor = cursor_of(session).write();
    now.rest.clone_from(&previous.rest);
    now
}

fn cursor_of(session: Known<'_>) -> Cursor {
    Cursor::of(&session, session.past.map(|p| &p.prints))
}

/// Whether this state has read at least as much of the same session as `now` has.
pub fn is_ahead(state: &State, now: &State) -> bool {
    let (Some(theirs), Some(ours)) = (Cursor::read(&state.cursor), Cursor::read(&now.cursor))
    else {
        return false;
    };
    state.session.id == now.session.id
        && theirs.first == ours.first
        && theirs.lane == ours.lane
        && theirs.earlier == ours.earlier
        && theirs.file.messages > ours.file.messages
}

fn join(before: &Facts, now: &mut State, session: Known<'_>) {
    let time = |t: &Option<String>| t.as_deref().and_then(Millis::parse);
    let (begun, ended) = (time(&before.started), time(&before.ended));
    // Records that are all younger than what was read cannot be counted twice.
    let apart = matches!((ended, time(&now.session.started)), (Some(a), Some(b)) if a < b);
    if begun.is_some() && begun < time(&now.session.started) {
        now.session.started.clone_from(&before.started);
    }
    requests(before, now);
    let newer = std::mem::take(&mut now.preferences);
    now.preferences = union(&before.preferences, newer, |a, b| {
        fold(&a.text) == fold(&b.text)
    });
    blockers(before, now, session);
    if now.todos.is_empty() && !todos::is_written(session.todos(), &session) {
        now.todos.clone_from(&before.todos);
    }
    files(before, now, apart);
    let newer = std::mem::take(&mut now.commits);
    now.commits = union(&before.commits, newer, |a, b| {
        a.hash.starts_with(&b.hash) || b.hash.starts_with(&a.hash)
    });
    let count = |a: u64, b: u64| if apart { a.saturating_add(b) } else { a.max(b) };
    now.turns.human = count(before.turns.human, now.turns.human);
    now.turns.assistant = count(before.turns.assistant, now.turns.assistant);
    now.turns.tool_calls = count(before.turns.tool_calls, now.turns.tool_calls);
}

/// The older ones that have no equal among the newer, then the newer.
fn union<T: Clone>(older: &[T], newer: Vec<T>, same: impl Fn(&T, &T) -> bool) -> Vec<T> {
    let mut all: Vec<T> = older
        .iter()
        .filter(|o| !newer.iter().any(|n| same(o, n)))
        .cloned()
        .collect();
    all.extend(newer);
    all
}

/// The same request: the same words, or the same message shown in part.
fn same(a: &Item, b: &Item) -> bool {
    let (x, y) = (fold(&a.text), fold(&b.text));
    let line = |t: &str| t.lines().next().unwrap_or_default().to_owned();
    x == y || a.reference == b.reference && (x.contains(&line(&y)) || y.contains(&line(&x)))
}

fn requests(before: &Facts, now: &mut State) {
    if before.goal.is_empty() && before.latest_request.is_none() {
        return;
    }
    // When the goal is the only request, the latest one repeats it.
    let repeats = |goal: &[Item], latest: &Option<Item>| matches!((goal.first(), latest), (Some(g), Some(l)) if g.reference == l.reference);
    let mut newer = Vec::new();
    let alone = repeats(&now.goal, &now.latest_request);
    let kept_goal = match (before.goal.first(), now.goal.first()) {
        (Some(a), Some(b)) => !same(a, b),
        (Some(_), None) => true,
        _ => false,
    };
    if kept_goal {
        // What looked like the goal of the newer part is a later request of the whole.
        let goal = std::mem::replace(&mut now.goal, before.goal.clone());
        if !alone {
            newer.extend(goal.into_iter().next());
        }
    }
    newer.append(&mut now.earlier_requests);
    let latest = now.latest_request.take();
    if kept_goal || !alone {
        newer.extend(latest);
    }
    let mut older = before.earlier_requests.clone();
    if !repeats(&before.goal, &before.latest_request) {
        older.extend(before.latest_request.clone());
    }
    let shown: Vec<&Item> = now.scope_change.iter().chain(&now.goal).collect();
    older.retain(|o| newer.iter().any(|n| same(n, o)) || !shown.iter().any(|s| same(s, o)));
    let mut all = between(older, newer);
    now.latest_request = all.pop().or_else(|| now.goal.first().cloned());
    if let (None, Some(latest)) = (all.last(), &before.latest_request)
        && now
            .latest_request
            .as_ref()
            .is_some_and(|l| l.reference == latest.reference && same(l, latest))
    {
        // The goal's message whole, not only its lines.
        now.latest_request = Some(latest.clone());
    }
    now.earlier_requests = all.into_iter().map(short).collect();
    if now.scope_change.is_empty() {
        now.scope_change.clone_from(&before.scope_change);
    }
}

/// The newer ones, and the older ones that they lack in front of what came after them.
fn between(older: Vec<Item>, newer: Vec<Item>) -> Vec<Item> {
    let mut all = Vec::new();
    let mut rest = newer.iter();
    for item in older {
        if rest.clone().any(|n| same(n, &item)) {
            for n in rest.by_ref() {
                all.push(n.clone());
                if same(n, &item) {
                    break;
                }
            }
        } else if !newer.iter().any(|n| same(n, &item)) {
            all.push(item);
        }
    }
    all.extend(rest.cloned());
    all
}

/// A request that is no longer the latest one shows its first lines.
fn short(item: Item) -> Item {
    let lines: Vec<_> = item
        .text
        .lines()
        .filter(|l| !l.trim().is_empty())
        .take(2)
        .map(|l| clip(l, 200))
        .collect();
    Item::new(lines.join("\n"), item.reference)
}

fn blockers(before: &Facts, now: &mut State, session: Known<'_>) {
    let runs = session.runs();
    let solved = |b: &Blocker| match b.kind {
        BlockerKind::InFlight => true,
        BlockerKind::Stated => false,
        BlockerKind::FailedCommand => runs
            .iter()
            .any(|r| r.ok == Some(true) && !r.command.is_empty() && b.text.starts_with(&r.command)),
        BlockerKind::FailedEdit => now
            .files
            .iter()
            .any(|f| f.modified > 0 && b.text.contains(&f.path)),
    };
    let open: Vec<Blocker> = before
        .blockers
        .iter()
        .filter(|b| !solved(b))
        .cloned()
        .collect();
    let newer = std::mem::take(&mut now.blockers);
    now.blockers = union(&open, newer, |a, b| fold(&a.text) == fold(&b.text));
}

fn files(before: &Facts, now: &mut State, apart: bool) {
    let count = |a: u64, b: u64| if apart { a.saturating_add(b) } else { a.max(b) };
    for file in &mut now.files {
        let old = before
            .files
            .iter()
            .find(|o| o.path == file.path || file.renamed_from.as_ref() == Some(&o.path));
        if let Some(old) = old {
            file.read = count(old.read, file.read);
            file.modified = count(old.modified, file.modified);
            file.created |= old.created;
            if file.renamed_from.is_none() {
                file.renamed_from.clone_from(&old.renamed_from);
            }
        }
    }
    let newer = std::mem::take(&mut now.files);
    now.files = union(&before.files, newer, |o, n| {
        o.path == n.path || n.renamed_from.as_ref() == Some(&o.path)
    });
}

#[cfg(test)]
mod tests;
