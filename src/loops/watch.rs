//! The guard that is played over a session, call by call.

use super::keys::Keys;
use super::{Action, Finding, Options, Repeats};
use crate::extract::touches::changed;
use crate::session::place::Place;
use crate::session::{Session, Step, same_call};
use crate::transcript::stub;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Ref, Status};
use foldhash::{HashMap, HashSet};
use std::collections::VecDeque;

/// A place among [`Session::steps`] and the message there.
type Spot = (usize, Option<Ref>);

/// What is known of an earlier call.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// Hash of its result.
    result: u64,
    count: u32,
    first: Spot,
}

/// Calls that follow each other and are the same.
#[derive(Clone, Copy)]
struct Row {
    key: u64,
    count: u32,
    first: Spot,
}

/// One call as the guard sees it.
struct Watched<'c> {
    at: usize,
    step: &'c Step<'c>,
    key: u64,
    tool: Tool,
    /// The file it names, by its one name.
    path: Option<String>,
    /// Its result is about to be left out.
    gone: bool,
}

impl Watched<'_> {
    fn spot(&self) -> Spot {
        (self.at, self.step.entry.number)
    }

    fn succeeded(&self) -> bool {
        self.step.outcome.is_some_and(|o| {
            matches!(o.status, Status::Ok | Status::Unknown) && o.exit.unwrap_or(0) == 0
        })
    }

    /// Whether nothing was written down of what came back: then nobody knows that it was the same.
    fn untold(&self) -> bool {
        self.step
            .outcome
            .is_some_and(|o| o.status == Status::Unknown && o.text.is_empty())
    }

    /// The file, if it is a read of one.
    fn read(&self) -> Option<&str> {
        self.path.as_deref().filter(|_| self.tool == Tool::Read)
    }

    /// Whether the same result again says nothing new.
    fn only_looks(&self) -> bool {
        self.read().is_some()
            || matches!(
                self.tool,
                Tool::Shell | Tool::ShellSession | Tool::Search | Tool::List
            )
            || self.step.call.name.starts_with("mcp__")
    }

    fn finding(&self, action: Action, count: u32, (first, first_ref): Spot) -> Finding {
        Finding {
            reference: self.step.entry.number,
            tool: self.step.call.name.to_string(),
            action,
            count,
            first_ref,
            saved_chars: 0,
            at: self.at,
            first,
            stub: None,
        }
    }

    /// The line that would have been the answer.
    fn stub(&self) -> String {
        let lines = self.step.row.result_lines;
        match self.read() {
            Some(path) => stub::unchanged(path, lines, "########"),
            None => stub::same_result(&self.step.call.name, lines),
        }
    }
}

/// What the guard remembers between two calls.
pub struct Watch<'s> {
    session: &'s Session,
    options: &'s Options,
    place: Place,
    repeats: Repeats,
    /// Unchanged reads and results, by call.
    seen: Keys<Seen>,
    /// Keys of the reads of a path, for edits to clear.
    reads: HashMap<String, Vec<u64>>,
    row: Option<Row>,
    /// The last calls of this turn.
    window: VecDeque<(u64, Spot)>,
    /// Loops of this turn that were told.
    raised: HashSet<u64>,
}

impl<'s> Watch<'s> {
    pub fn new(session: &'s Session, options: &'s Options) -> Watch<'s> {
        Watch {
            session,
            options,
            place: Place::of(session),
            repeats: Repeats::default(),
            seen: Keys::default(),
            reads: HashMap::default(),
            row: None,
            window: VecDeque::new(),
            raised: HashSet::default(),
        }
    }

    /// A person spoke.
    pub fn turn(&mut self) {
        self.window.clear();
        self.raised.clear();
    }

    /// The context was emptied: what was shown before is gone.
    pub fn boundary(&mut self) {
        self.seen.clear();
        self.reads.clear();
        self.row = None;
        self.turn();
    }

    /// Takes the next call in; `gone`: its result is about to be left out.
    pub fn call(&mut self, at: usize, step: &Step<'_>, gone: bool) {
        let dir = self.session.dir_of(step.entry);
        let args = step.call.args.json();
        let path = tools::path(&args).map(|p| self.place.resolve(&p, dir));
        let call = Watched {
            at,
            step,
            key: same_call(step, path.as_deref(), dir),
            tool: tools::family_of_call(step.call.tool, &args),
            path,
            gone,
        };
        let row = self.in_row(&call);
        for path in changed(self.session, &self.place, step) {
            for read in self.reads.remove(&path).into_iter().flatten() {
                self.seen.remove(read);
            }
        }
        let allowed = self.options.allow.allows(step);
        if !allowed {
            let found = self.unchanged(&call).or_else(|| in_a_row(&call, row));
            self.repeats.found.extend(found);
        }
        // A call that may repeat takes its place among the last ones all the same.
        let looped = self.looped(&call);
        if !allowed {
            let found = looped.filter(|_| self.raised.insert(call.key));
            self.repeats.found.extend(found);
        }
    }

    pub fn finish(self) -> Repeats {
        self.repeats
    }

    /// The row of equal calls that this one makes longer or begins, whatever the tool.
    fn in_row(&mut self, call: &Watched<'_>) -> Row {
        let row = match self.row {
            Some(row) if row.key == call.key => Row {
                count: row.count + 1,
                ..row
            },
            _ => Row {
                key: call.key,
                count: 1,
                first: call.spot(),
            },
        };
        self.row = Some(row);
        row
    }

    /// The call that came back too often among the last ones of this turn.
    fn looped(&mut self, call: &Watched<'_>) -> Option<Finding> {
        self.window.push_back((call.key, call.spot()));
        while self.window.len() > self.options.last.max(1) {
            self.window.pop_front();
        }
        let mut same = self.window.iter().filter(|(key, _)| *key == call.key);
        let (_, first) = same.next().copied()?;
        let count = 1 + same.count() as u32;
        (count >= self.options.repeats && self.options.repeats > 1)
            .then(|| call.finding(Action::Loop, count, first))
    }

    /// A read of an unchanged file, or the same result as last time.
    fn unchanged(&mut self, call: &Watched<'_>) -> Option<Finding> {
        if !call.only_looks() || !call.succeeded() || call.untold() {
            return None;
        }
        let row = call.step.row;
        if call.gone || row.pruned {
            let text = call.step.outcome.map_or("", |o| o.text.as_ref());
            match self.seen.get_mut(call.key) {
                // A prune has answered this repeat already; what it points to is still there.
                Some(seen) if !call.gone && stub::is_repeat(text) => {
                    seen.count += 1;
                    self.repeats.needed.push(seen.first.0);
                }
                // The earlier text is gone: "still current" would not be true.
                _ => self.seen.remove(call.key),
            }
            return None;
        }
        let known = self.seen.get_mut(call.key);
        let Some(seen) = known.filter(|s| s.result == row.result_hash) else {
            let fresh = Seen {
                result: row.result_hash,
                count: 1,
                first: call.spot(),
            };
            self.seen.insert(call.key, fresh);
            if let Some(path) = call.read() {
                self.reads
                    .entry(path.to_owned())
                    .or_default()
                    .push(call.key);
            }
            return None;
        };
        seen.count += 1;
        let action = match seen.count <= self.options.stubs + 1 {
            true => Action::Stub,
            false => Action::Block,
        };
        let stub = call.stub();
        let chars = stub.chars().count() as u64;
        Some(Finding {
            saved_chars: u64::from(row.result_chars).saturating_sub(chars),
            stub: Some(stub),
            ..call.finding(action, seen.count, seen.first)
        })
    }
}

/// The third equal call in a row is warned about, those behind it are blocked.
fn in_a_row(call: &Watched<'_>, row: Row) -> Option<Finding> {
    let action = match row.count {
        0..=2 => return None,
        3 => Action::Warn,
        _ => Action::Block,
    };
    Some(call.finding(action, row.count, row.first))
}
