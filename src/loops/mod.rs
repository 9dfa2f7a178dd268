//! Calls that repeat: the same read of an unchanged file, the same call in a row, the same result again, a call
//! that keeps coming back (SPEC 5). Findings say what a guard would have answered; nothing is blocked here.

mod keys;
mod seen;
mod watch;

pub use seen::{before as seen_before, range as read_lines};

use crate::session::{Session, Step, is_human_turn};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Mark, Ref};
use anyhow::{Context, Result};
use regex::Regex;
use serde::Serialize;
use watch::Watch;

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
            .then(|| tools::command(&args))
            .flatten();
        self.patterns
            .iter()
            .any(|p| whole(p) || command.as_ref().is_some_and(|c| p.is_match(c)))
    }
}

/// What repeats in a session.
#[derive(Debug, Default)]
pub struct Repeats {
    /// In file order.
    pub found: Vec<Finding>,
    /// Places of the results that lines of an earlier prune point to.
    pub needed: Vec<usize>,
}

/// The repeated calls of the active conversation, in file order.
pub fn find(session: &Session, options: &Options) -> Vec<Finding> {
    repeats(session, options, |_| false).found
}

/// The same for a session of which the results at some places (among [`Session::steps`]) are about to be left out.
pub fn repeats(session: &Session, options: &Options, gone: impl Fn(usize) -> bool) -> Repeats {
    let mut watch = Watch::new(session, options);
    // Boundaries and turns between the calls.
    let mut events = session.active().filter_map(|e| match e.mark {
        Some(Mark::Compaction(_) | Mark::Clear) => Some((e.seq, true)),
        _ => is_human_turn(e).then_some((e.seq, false)),
    });
    let mut event = events.next();
    for (at, step) in session.steps().enumerate() {
        while let Some((_, boundary)) = event.filter(|(seq, _)| *seq < step.entry.seq) {
            match boundary {
                true => watch.boundary(),
                false => watch.turn(),
            }
            event = events.next();
        }
        watch.call(at, &step, gone(at));
    }
    watch.finish()
}

#[cfg(test)]
mod tests;
