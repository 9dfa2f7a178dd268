//! Calls that repeat: the same read of an unchanged file, the same call in a row, the same result again, a call
//! that keeps coming back (SPEC 5). Findings say what a guard would have answered; nothing is blocked here.

mod keys;
mod seen;

use crate::prune::stub;
use crate::session::{Session, Step, is_human_turn};
use crate::transcript::tools::Tool;
use crate::transcript::{Mark, Ref, Status};
use anyhow::{Context, Result};
use foldhash::{HashMap, HashSet};
use keys::Keys;
use regex::Regex;
pub use seen::{before as seen_before, range as read_lines};
use serde::Serialize;
use std::collections::VecDeque;

/// What a guard would have done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Answered with one line that points to the earlier result.
    Stub,
    Warn,
    Block,
    /// A loop is suspected.
    Loop,
}

/// One repeated call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The message of the repeated call.
    #[serde(rename = "ref")]
    pub reference: Option<Ref>,
    pub tool: String,
    pub action: Action,
    /// Which occurrence this is.
    pub count: u32,
    /// The message of the first one.
    pub first_ref: Option<Ref>,
    /// Characters a stub would have saved.
    pub saved_chars: u64,
    /// Places of this call and of the one it repeats, among [`Session::steps`].
    #[serde(skip)]
    pub at: usize,
    #[serde(skip)]
    pub first: usize,
    /// The stub that would have been the answer; eight `#` stand for the hash of the text.
    #[serde(skip)]
    pub stub: Option<String>,
}

/// Limits of the stages.
#[derive(Debug, Clone)]
pub struct Options {
    /// Calls that the loop stage looks back on.
    pub last: usize,
    /// Occurrences among them that make a loop.
    pub repeats: u32,
    /// Stubs before a block.
    pub stubs: u32,
    pub allow: Allow,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            last: 20,
            repeats: 5,
            stubs: 2,
            allow: Allow::default(),
        }
    }
}

/// Calls that may repeat: polling.
#[derive(Debug, Clone, Default)]
pub struct Allow {
    names: Vec<String>,
    patterns: Vec<Regex>,
}

impl Allow {
    /// Names of tools, or regular expressions over a tool's whole name or a part of a command line.
    ///
    /// # Errors
    /// A text that is no regular expression.
    pub fn new(texts: &[String]) -> Result<Allow> {
        let mut allow = Allow::default();
        for text in texts {
            allow.names.push(text.to_lowercase());
            let pattern = Regex::new(&format!("(?i){text}"))
                .with_context(|| format!("--allow {text}: neither a name nor a pattern"))?;
            allow.patterns.push(pattern);
        }
        Ok(allow)
    }

    fn allows(&self, step: &Step<'_>) -> bool {
        let name = step.call.name.as_ref();
        if self.names.iter().any(|n| *n == name.to_lowercase()) {
            return true;
        }
        let whole = |p: &Regex| {
            p.find(name)
                .is_some_and(|m| m.start() == 0 && m.end() == name.len())
        };
        let args = step.call.args.json();
        let command = (step.call.tool == Tool::Shell)
            .then(|| crate::transcript::tools::command(&args))
            .flatten();
        self.patterns
            .iter()
            .any(|p| whole(p) || command.as_ref().is_some_and(|c| p.is_match(c)))
    }
}

/// What is known of an earlier call.
#[derive(Debug, Clone, Copy)]
struct Seen {
    result: u64,
    count: u32,
    first: usize,
    first_ref: Option<Ref>,
}

/// What repeats in a session.
#[derive(Debug, Default)]
pub struct Repeats {
    /// In file order.
    pub found: Vec<Finding>,
    /// Places of the results that lines of an earlier prune point to.
    pub needed: Vec<usize>,
}

#[derive(Default)]
struct Watch {
    findings: Vec<Finding>,
    needed: Vec<usize>,
    /// Unchanged reads and results, by call.
    seen: Keys<Seen>,
    /// Keys of the reads of a path, for edits to clear.
    reads: HashMap<String, Vec<u64>>,
    /// The call in a row, how often, and where it began.
    row: Option<(u64, u32, usize, Option<Ref>)>,
    window: VecDeque<(u64, usize, Option<Ref>)>,
    raised: HashSet<u64>,
}

/// The repeated calls of the active conversation, in file order.
pub fn find(session: &Session, options: &Options) -> Vec<Finding> {
    repeats(session, options, |_| false).found
}

/// The same for a session of which the results at some places (among [`Session::steps`]) are about to be left out.
pub fn repeats(session: &Session, options: &Options, gone: impl Fn(usize) -> bool) -> Repeats {
    let mut watch = Watch::default();
    let place = crate::extract::place::Place::of(session);
    // Boundaries and turns between the calls.
    let mut events = session.active().filter_map(|e| match e.mark {
        Some(Mark::Compaction(_) | Mark::Clear) => Some((e.seq, true)),
        _ => is_human_turn(e).then_some((e.seq, false)),
    });
    let mut event = events.next();
    for (at, step) in session.steps().enumerate() {
        while let Some((_, boundary)) = event.filter(|(seq, _)| *seq < step.entry.seq) {
            if boundary {
                watch.seen.clear();
                watch.reads.clear();
                watch.row = None;
            }
            watch.window.clear();
            watch.raised.clear();
            event = events.next();
        }
        watch.call(session, &place, at, &step, gone(at), options);
    }
    Repeats {
        found: watch.findings,
        needed: watch.needed,
    }
}

impl Watch {
    fn call(
        &mut self,
        session: &Session,
        place: &crate::extract::place::Place,
        at: usize,
        step: &Step<'_>,
        gone: bool,
        options: &Options,
    ) {
        let dir = session.dir_of(step.entry);
        let args = step.call.args.json();
        let path = crate::transcript::tools::path(&args).map(|p| place.resolve(&p, dir));
        let key = crate::prune::same_call(step, path.as_deref(), dir);
        let ok = step.outcome.is_some_and(|o| {
            matches!(o.status, Status::Ok | Status::Unknown) && o.exit.unwrap_or(0) == 0
        });
        let reference = step.entry.number;
        let allowed = options.allow.allows(step);

        // In a row, whatever the tool.
        let row = match self.row {
            Some((last, count, first, first_ref)) if last == key => {
                (key, count + 1, first, first_ref)
            }
            _ => (key, 1, at, reference),
        };
        self.row = Some(row);

        let tool = crate::transcript::tools::family_of_call(step.call.tool, &args);
        for path in crate::prune::changed(session, place, step) {
            for read in self.reads.remove(&path).into_iter().flatten() {
                self.seen.remove(read);
            }
        }
        let found = if allowed {
            None
        } else {
            self.unchanged(at, step, gone, tool, key, path.as_deref(), ok, options)
                .or_else(|| in_a_row(at, step, row))
        };
        self.findings.extend(found);

        // The loop: how often among the last calls of this turn.
        self.window.push_back((key, at, reference));
        while self.window.len() > options.last.max(1) {
            self.window.pop_front();
        }
        let mut same = self.window.iter().filter(|w| w.0 == key);
        let first = same.next().copied();
        let count = 1 + same.count() as u32;
        if !allowed
            && count >= options.repeats
            && options.repeats > 1
            && let Some((_, first, first_ref)) = first
            && self.raised.insert(key)
        {
            self.findings
                .push(finding(at, step, Action::Loop, count, first, first_ref));
        }
    }

    /// A read of an unchanged file, or the same result as last time.
    #[allow(clippy::too_many_arguments)]
    fn unchanged(
        &mut self,
        at: usize,
        step: &Step<'_>,
        gone: bool,
        tool: Tool,
        key: u64,
        path: Option<&str>,
        ok: bool,
        options: &Options,
    ) -> Option<Finding> {
        let read = tool == Tool::Read && path.is_some();
        let watched =
            read || matches!(
                tool,
                Tool::Shell | Tool::ShellSession | Tool::Search | Tool::List
            ) || step.call.name.starts_with("mcp__");
        if !watched || !ok {
            return None;
        }
        if gone || step.row.pruned {
            let text = step.outcome.map_or("", |o| o.text.as_ref());
            match self.seen.get_mut(key) {
                // A prune has answered this repeat already; what it points to is still there.
                Some(seen) if !gone && stub::is_repeat(text) => {
                    seen.count += 1;
                    self.needed.push(seen.first);
                }
                // The earlier text is gone: "still current" would not be true.
                _ => self.seen.remove(key),
            }
            return None;
        }
        let fresh = Seen {
            result: step.row.result_hash,
            count: 1,
            first: at,
            first_ref: step.entry.number,
        };
        let Some(seen) = self.seen.get_mut(key).filter(|s| s.result == fresh.result) else {
            self.seen.insert(key, fresh);
            if let Some(path) = path.filter(|_| read) {
                self.reads.entry(path.to_owned()).or_default().push(key);
            }
            return None;
        };
        seen.count += 1;
        let seen = *seen;
        let action = if seen.count <= options.stubs + 1 {
            Action::Stub
        } else {
            Action::Block
        };
        let mut found = finding(at, step, action, seen.count, seen.first, seen.first_ref);
        let lines = step.row.result_lines;
        let stub = match path.filter(|_| read) {
            Some(path) => stub::unchanged(path, lines, "########"),
            None => stub::same_result(&step.call.name, lines),
        };
        let chars = stub.chars().count() as u64;
        found.saved_chars = u64::from(step.row.result_chars).saturating_sub(chars);
        found.stub = Some(stub);
        Some(found)
    }
}

fn in_a_row(
    at: usize,
    step: &Step<'_>,
    (_, count, first, first_ref): (u64, u32, usize, Option<Ref>),
) -> Option<Finding> {
    let action = match count {
        0..=2 => return None,
        3 => Action::Warn,
        _ => Action::Block,
    };
    Some(finding(at, step, action, count, first, first_ref))
}

fn finding(
    at: usize,
    step: &Step<'_>,
    action: Action,
    count: u32,
    first: usize,
    first_ref: Option<Ref>,
) -> Finding {
    Finding {
        reference: step.entry.number,
        tool: step.call.name.to_string(),
        action,
        count,
        first_ref,
        saved_chars: 0,
        at,
        first,
        stub: None,
    }
}

#[cfg(test)]
mod tests;
