//! What the eight sections need besides the state, gathered from every message and call of the session.

use super::agent::agent;
use super::short;
use crate::brief::calls;
use crate::language::clip;
use crate::session::{Session, Step};
use crate::shell::{self, Kind};
use crate::state::{Item, State};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Ref, Status, Voice};

#[derive(Default)]
pub struct Evidence {
    /// Human messages, oldest first.
    pub requests: Vec<Item>,
    /// The last run of each check, oldest first.
    pub checks: Vec<Check>,
    /// The last failed command.
    pub failed: Option<String>,
    /// Edited files with no passing check behind the edit.
    pub unverified: Vec<(String, Ref)>,
    pub refused: Vec<String>,
    /// A line for each sub-agent.
    pub agents: Vec<String>,
}

/// The last run of one check.
pub struct Check {
    family: shell::Family,
    line: String,
    reference: Option<Ref>,
    /// `None`: no result.
    pub passed: Option<bool>,
}

impl Check {
    /// The check with its verdict, its command in at most `width` characters.
    pub fn named(&self, width: usize) -> String {
        let verdict = match self.passed {
            Some(true) => " ✓",
            Some(false) => "",
            None => " (no result)",
        };
        let line = clip(&self.line, width);
        with_reference(&format!("{line}{verdict}"), self.reference)
    }
}

impl Evidence {
    pub fn of(session: &Session, state: &State) -> Evidence {
        let mut evidence = Evidence::default();
        for entry in session.active() {
            let said: Vec<&str> = entry
                .texts(Voice::Person)
                .chain(entry.texts(Voice::Parent))
                .collect();
            if let (false, Some(number)) = (said.is_empty(), entry.number) {
                evidence.requests.push(Item::new(said.join("\n"), number));
            }
        }
        for step in session.steps().filter(|s| !calls::is_recall(s)) {
            evidence.step(&step, state);
        }
        evidence
    }

    fn step(&mut self, step: &Step<'_>, state: &State) {
        let line = calls::line(step, &|path| short(state, path));
        let reference = step.entry.number;
        let status = step.outcome.map(|o| o.status);
        if status == Some(Status::Rejected) {
            self.refused.push(with_reference(&line.text, reference));
            return;
        }
        match step.call.tool {
            Tool::Agent => self.agents.push(agent(step)),
            Tool::Write | Tool::Edit | Tool::Patch | Tool::Delete if status.is_some() => {
                if let (false, Some(reference)) = (line.failed, reference) {
                    for path in edited(step) {
                        let path = short(state, &path);
                        self.unverified.retain(|(p, _)| *p != path);
                        self.unverified.push((path, reference));
                    }
                }
            }
            Tool::Shell => {
                if line.failed {
                    self.failed = Some(with_reference(&line.text, reference));
                }
                self.check(step, line);
            }
            _ => {}
        }
    }

    /// Notes the run of a check, if the command is one.
    fn check(&mut self, step: &Step<'_>, line: calls::Line) {
        let command = tools::command(&step.call.args.json());
        let Some(family) = command.and_then(|c| shell::family(&shell::parse(&c))) else {
            return;
        };
        if !matches!(
            family.kind,
            Kind::Test | Kind::Build | Kind::Lint | Kind::TypeCheck | Kind::Format
        ) {
            return;
        }
        let passed = step.outcome.map(|_| !line.failed);
        if passed == Some(true) && family.kind != Kind::Format {
            self.unverified.clear();
        }
        // A later run of the same check takes the place of the earlier one.
        self.checks.retain(|c| c.family != family);
        self.checks.push(Check {
            family,
            line: line.text,
            reference: step.entry.number,
            passed,
        });
    }
}

/// A text with the number of the message it comes from, where that has one.
fn with_reference(text: &str, reference: Option<Ref>) -> String {
    match reference {
        Some(r) => format!("{text} ({r})"),
        None => text.to_owned(),
    }
}

/// The files an edit names.
fn edited(step: &Step<'_>) -> Vec<String> {
    let args = step.call.args.json();
    if let Some(path) = tools::path(&args) {
        return vec![path.into_owned()];
    }
    crate::patch::files(step.call.args.as_str())
        .into_iter()
        .map(|f| f.path)
        .collect()
}
