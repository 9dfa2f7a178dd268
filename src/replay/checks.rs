//! What must hold of a brief, whatever the session (CONTRACT 10).

use crate::brief;
use crate::language::{clip, fold, one_line};
use crate::redact;
use crate::session::Session;
use crate::state::State;
use crate::transcript::{Block, Ref};
use serde::Serialize;
use std::collections::BTreeSet;

/// The checks, in the order in which they are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    /// Read twice, the same bytes; read again with its own state, the same state.
    Deterministic,
    /// Compacted in slices with a carried state, the same as in one go.
    Slices,
    /// Every reference of the brief and of the state opens.
    References,
    /// The first and the latest request stand in the brief.
    Requests,
    Ceiling,
    /// Exactly one closing line, and it is the last.
    ClosingLine,
    /// No base64, no secret.
    Clean,
    /// A pruned copy has every call and every result.
    Pairs,
}

impl Check {
    /// Every check, in the order of reports.
    pub const ALL: [Check; 8] = [
        Check::Deterministic,
        Check::Slices,
        Check::References,
        Check::Requests,
        Check::Ceiling,
        Check::ClosingLine,
        Check::Clean,
        Check::Pairs,
    ];

    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Check::Deterministic => "deterministic",
            Check::Slices => "slices",
            Check::References => "references",
            Check::Requests => "requests",
            Check::Ceiling => "ceiling",
            Check::ClosingLine => "closing_line",
            Check::Clean => "clean",
            Check::Pairs => "pairs",
        }
    }
}

/// A check that did not hold: what, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    pub check: Check,
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    pub what: String,
}

impl Failure {
    /// What did not hold, and at which message.
    pub fn new(check: Check, reference: Option<Ref>, what: impl Into<String>) -> Failure {
        Failure {
            check,
            reference: reference.map(|r| r.to_string()),
            what: what.into(),
        }
    }

    /// One line: `slices: files: only in one go: src/a.rs (#33)`.
    pub fn line(&self) -> String {
        let what = one_line(&self.what);
        match &self.reference {
            Some(reference) => format!("{}: {what} ({reference})", self.check.name()),
            None => format!("{}: {what}", self.check.name()),
        }
    }
}

/// A brief with everything it is about.
pub struct Subject<'s> {
    /// The session as far as the brief knows it.
    pub session: &'s Session,
    /// The whole session: a number never changes, so every reference opens there too.
    pub whole: &'s Session,
    pub state: &'s State,
    pub brief: &'s str,
    pub options: &'s brief::Options,
}

impl Subject<'_> {
    /// Everything that the brief's text and its state must keep.
    pub fn failures(&self) -> Vec<Failure> {
        let mut failures = Vec::new();
        self.references(&mut failures);
        self.requests(&mut failures);
        self.ceiling(&mut failures);
        closing_line(self.brief, &mut failures);
        self.clean(&mut failures);
        failures
    }

    fn references(&self, failures: &mut Vec<Failure>) {
        let known: BTreeSet<Ref> = self.whole.entries.iter().filter_map(|e| e.number).collect();
        let dead: BTreeSet<Ref> = stated(self.state)
            .into_iter()
            .filter(|r| !known.contains(r))
            .collect();
        for reference in &dead {
            let what = "the state names a message that is not there";
            failures.push(Failure::new(Check::References, Some(*reference), what));
        }
        for line in self.brief.lines().filter(|l| !is_closing(l)) {
            for reference in printed(line) {
                if known.contains(&reference)
                    || dead.contains(&reference)
                    || is_quoted(self.whole, reference)
                {
                    continue;
                }
                let what = format!("no such message: {}", clip(&one_line(line), 80));
                failures.push(Failure::new(Check::References, Some(reference), what));
            }
        }
    }

    fn requests(&self, failures: &mut Vec<Failure>) {
        let text = letters(&without_references(self.brief));
        let first = self.state.goal.first();
        let latest = self.state.latest_request.as_ref();
        if let (None, Some(latest)) = (first, latest) {
            let what = "a latest request without a first one";
            failures.push(Failure::new(Check::Requests, Some(latest.reference), what));
        }
        for (name, item) in [("first", first), ("latest", latest)] {
            let Some(item) = item else { continue };
            let start: String = letters(&item.text).chars().take(PROBE).collect();
            if !text.contains(&start) {
                let what = format!("the {name} request is not in the brief");
                failures.push(Failure::new(Check::Requests, Some(item.reference), what));
            }
        }
    }

    fn ceiling(&self, failures: &mut Vec<Failure>) {
        let (session, state) = (self.session, self.state);
        let (ceiling, tight) = brief::ceilings(session, state, self.options, TIGHT);
        let chars = self.brief.chars().count();
        if chars > ceiling {
            let what = format!("{chars} characters, {ceiling} are allowed");
            failures.push(Failure::new(Check::Ceiling, None, what));
        }
        // A tight ceiling: kept, or refused with the least that would do.
        match tight {
            Ok(text) if text.chars().count() > TIGHT => {
                let what = format!(
                    "{} characters, --max-chars {TIGHT} was asked for",
                    text.chars().count()
                );
                failures.push(Failure::new(Check::Ceiling, None, what));
            }
            Err(error) if !error.to_string().contains("at least") => {
                failures.push(Failure::new(Check::Ceiling, None, error.to_string()));
            }
            _ => {}
        }
    }

    fn clean(&self, failures: &mut Vec<Failure>) {
        for line in self.brief.lines() {
            dirt(line, printed(line).into_iter().last(), failures);
        }
        if let Ok(state) = serde_json::to_value(self.state) {
            strings(&state, None, failures);
        }
    }
}

/// Letters and digits of a request that are looked for in the brief: enough to know it, few enough for any cut.
const PROBE: usize = 24;
/// A ceiling below every default one.
const TIGHT: usize = 2000;
/// Unbroken base64 characters that no brief has (CONTRACT 10).
const BASE64: usize = 200;

/// Letters and digits only: wrapping, marks and neutralised headings make no difference.
fn letters(text: &str) -> String {
    fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn is_closing(line: &str) -> bool {
    line.starts_with("`compact recall '#N' SESSION`")
}

fn closing_line(brief: &str, failures: &mut Vec<Failure>) {
    let count = brief.lines().filter(|l| is_closing(l)).count();
    let last = brief.lines().last().is_some_and(is_closing);
    if count != 1 || !last {
        let place = if last { "the last" } else { "not the last" };
        let what = format!("{count} closing lines, {place} line is one");
        failures.push(Failure::new(Check::ClosingLine, None, what));
    }
}

/// The references a line prints: `(#12)`, `(#12, #14) x2`. `#283228` and `(#008899)` are somebody's colours.
fn printed(line: &str) -> Vec<Ref> {
    line.split('(')
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .filter_map(|(group, _)| group_of(group))
        .flatten()
        .collect()
}

/// The references between two parentheses, if nothing else is there.
fn group_of(text: &str) -> Option<Vec<Ref>> {
    text.split(", ")
        .map(|word| word.parse().ok().filter(|r: &Ref| r.to_string() == word))
        .collect()
}

/// A request of several lines may stand in the brief with a reference behind each.
fn without_references(brief: &str) -> String {
    let mut parts = brief.split('(');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((group, rest)) if group_of(group).is_some() => out.push_str(rest),
            _ => {
                out.push('(');
                out.push_str(part);
            }
        }
    }
    out
}

/// Whether somebody in the session wrote it: `fix: cache (#4711)` is a pull request.
fn is_quoted(session: &Session, reference: Ref) -> bool {
    let plain = reference.to_string();
    session.entries.iter().any(|entry| {
        entry.blocks.iter().any(|block| match block {
            Block::Said { text, .. } => text.contains(&plain),
            Block::Call(call) => call.args.as_str().contains(&plain),
            Block::Result(outcome) => outcome.text.contains(&plain),
            _ => false,
        })
    })
}

/// Every reference of a state.
fn stated(state: &State) -> Vec<Ref> {
    let items = state
        .goal
        .iter()
        .chain(&state.scope_change)
        .chain(&state.earlier_requests)
        .chain(&state.latest_request);
    items
        .map(|i| i.reference)
        .chain(state.preferences.iter().map(|p| p.reference))
        .chain(state.preferences.iter().filter_map(|p| p.superseded_by))
        .chain(state.blockers.iter().map(|b| b.reference))
        .chain(state.todos.iter().map(|t| t.reference))
        .chain(state.files.iter().map(|f| f.reference))
        .chain(state.commits.iter().map(|c| c.reference))
        .collect()
}

/// Base64 or a secret in a text. What it is must not be repeated here.
fn dirt(text: &str, reference: Option<Ref>, failures: &mut Vec<Failure>) {
    if has_base64(text) {
        let what = format!("{BASE64} unbroken base64 characters");
        failures.push(Failure::new(Check::Clean, reference, what));
    }
    if redact::contains_secret(text) {
        failures.push(Failure::new(Check::Clean, reference, "a secret value"));
    }
}

fn has_base64(text: &str) -> bool {
    let mut run = 0;
    text.bytes().any(|b| {
        run = match b {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'+' | b'/' | b'=' => run + 1,
            _ => 0,
        };
        run >= BASE64
    })
}

/// Every string of a state, with the reference it stands beside.
fn strings(value: &serde_json::Value, reference: Option<Ref>, failures: &mut Vec<Failure>) {
    use serde_json::Value;
    match value {
        Value::String(text) => dirt(text, reference, failures),
        Value::Array(values) => values.iter().for_each(|v| strings(v, reference, failures)),
        Value::Object(fields) => {
            let own = fields.get("ref").and_then(Value::as_str);
            let reference = own.and_then(|r| r.parse().ok()).or(reference);
            // The cursor is the program's own: hashes and counts.
            let fields = fields.iter().filter(|(key, _)| *key != "cursor");
            fields.for_each(|(_, v)| strings(v, reference, failures));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests;
