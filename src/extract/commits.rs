//! Commits that git confirmed in the result of the call that made them (SPEC 1.9): never what a command
//! merely asked for.

mod proof;

use super::touches::workdir;
use crate::session::{Session, Step};
use crate::shell::{self, CommitCall, HistoryKind};
use crate::state::Commit;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Ref, Status};
use proof::Proof;
use serde::{Deserialize, Serialize};

/// Most commits a state keeps.
const KEPT: usize = 30;
/// Commits that are remembered at least: a reset takes fewer back (see [`steps_back`]).
const REMEMBERED: usize = 1100;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Made {
    commit: Commit,
    /// Directory git ran in, as far as it is known.
    dir: Option<String>,
}

/// What git confirmed, call by call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    made: Vec<Made>,
    #[serde(skip)]
    places: Vec<u32>,
    /// Commits that were still running when their call's result was written.
    running: Vec<CommitCall>,
}

impl Log {
    /// The commits of the active conversation, oldest first; an amended one stands for what it replaced.
    pub fn commits(self) -> Vec<Commit> {
        let skip = self.made.len().saturating_sub(KEPT);
        self.made.into_iter().skip(skip).map(|m| m.commit).collect()
    }

    /// The places (`seq`) of the messages whose calls committed, ascending.
    pub fn places(&self) -> &[u32] {
        &self.places
    }

    /// Nothing read yet but what is remembered of calls that were let go of.
    pub fn behind(mut old: Log) -> Log {
        old.places.clear();
        old
    }

    /// Reads one call; they come in order.
    pub fn take(&mut self, session: &Session, step: &Step<'_>) {
        let (Some(reference), Some(outcome)) = (step.entry.number, step.outcome) else {
            return;
        };
        let args = step.call.args.json();
        let here = (step.entry.seq, reference);
        match tools::family_of_call(step.call.tool, &args) {
            Tool::Shell => {}
            Tool::ShellSession if !self.running.is_empty() => {
                let calls = std::mem::take(&mut self.running);
                let found = self.prove(&calls, &outcome.text, None, here, false);
                if !found {
                    self.running = calls;
                }
                return;
            }
            _ => return,
        }
        let text = match &step.call.args {
            Args::Raw(text) => text.clone(),
            Args::Json(_) => tools::command(&args).unwrap_or_default(),
        };
        if !text.contains("git") && !proof::confirmed(&crate::language::visible(&outcome.text)) {
            return;
        }
        let script = shell::parse(&text);
        let calls = shell::git_commits(&script);
        let history = shell::history_calls(&script);
        let copies = history
            .iter()
            .filter(|h| {
                matches!(
                    h.kind,
                    HistoryKind::CherryPick
                        | HistoryKind::Revert
                        | HistoryKind::Merge
                        | HistoryKind::Rebase
                )
            })
            .map(|h| CommitCall {
                dir: h.dir.clone(),
                ..CommitCall::default()
            });
        let dir = workdir(&args).or_else(|| session.dir_of(step.entry).map(str::to_owned));
        let worked = matches!(outcome.status, Status::Ok | Status::Unknown);
        if worked {
            self.reset(&script, &dir);
        }
        let many = script
            .commands
            .iter()
            .any(|c| c.program == "git" && c.has("commit") && !c.certain);
        if !calls.is_empty() {
            let found = self.prove(&calls, &outcome.text, dir.as_deref(), here, many);
            if !found && outcome.status == Status::Running {
                self.running = calls;
            }
        } else {
            let mut copies: Vec<CommitCall> = copies.collect();
            let runs_a_script = shell::family(&script).is_some_and(|f| f.kind == shell::Kind::Run);
            if copies.is_empty() && runs_a_script && proof::confirmed(&outcome.text) {
                copies.push(CommitCall::default());
            }
            if !copies.is_empty() {
                self.prove(&copies, &outcome.text, dir.as_deref(), here, true);
            }
        }
    }

    /// Takes every commit that the text confirms; tells whether there was one.
    fn prove(
        &mut self,
        calls: &[CommitCall],
        text: &str,
        dir: Option<&str>,
        (seq, reference): (u32, Ref),
        many: bool,
    ) -> bool {
        let last = self.made.last().map(|m| m.commit.subject.clone());
        // A terminal's colours stand around the hash.
        let text = crate::language::visible(text);
        let found = proof::proofs(calls, &text, last.as_deref(), many);
        for proof in &found {
            let call = calls.get(proof.call);
            let dir = at(dir, call.and_then(|c| c.dir.as_deref()));
            self.add(proof, call.is_some_and(|c| c.amend), dir, reference);
        }
        if !found.is_empty() {
            self.places.push(seq);
        }
        !found.is_empty()
    }

    fn add(&mut self, proof: &Proof, amend: bool, dir: Option<String>, reference: Ref) {
        let same_repo = |made: &Made| made.dir.is_none() || dir.is_none() || made.dir == dir;
        if amend && let Some(at) = self.made.iter().rposition(same_repo) {
            self.made.remove(at);
        }
        self.made.retain(|m| m.commit.hash != proof.hash);
        self.made.push(Made {
            commit: Commit {
                hash: proof.hash.clone(),
                subject: proof.subject.clone(),
                branch: proof.branch.clone(),
                reference,
            },
            dir,
        });
        if self.made.len() > 2 * REMEMBERED {
            self.made.drain(..self.made.len() - REMEMBERED);
        }
    }

    /// `git reset HEAD~2` takes two commits back, `git reset HASH` everything after that one.
    fn reset(&mut self, script: &shell::Script, dir: &Option<String>) {
        for command in &script.commands {
            let resets = command.program == "git"
                && command.certain
                && command
                    .args()
                    .find(|a| !a.starts_with('-') && !a.contains('/'))
                    == Some("reset");
            if !resets {
                continue;
            }
            let here = at(dir.as_deref(), command.dir.as_deref());
            let target = command.args().rfind(|a| !a.starts_with('-')).unwrap_or("");
            let same = |made: &Made| made.dir.is_none() || here.is_none() || made.dir == here;
            if let Some(steps) = steps_back(target) {
                for _ in 0..steps {
                    match self.made.iter().rposition(same) {
                        Some(at) => self.made.remove(at),
                        None => break,
                    };
                }
            } else if target.len() >= 7
                && let Some(kept) = self.made.iter().position(|m| {
                    m.commit.hash.starts_with(target) || target.starts_with(&m.commit.hash)
                })
            {
                self.made.truncate(kept + 1);
            }
        }
    }
}

/// How many commits before the newest a name stands for: `HEAD~2`, `HEAD^^`, `@~`.
fn steps_back(target: &str) -> Option<usize> {
    let rest = target
        .strip_prefix("HEAD")
        .or_else(|| target.strip_prefix('@'))?;
    if let Some(count) = rest.strip_prefix('~') {
        return if count.is_empty() {
            Some(1)
        } else {
            count.parse().ok().filter(|n| *n < 1000)
        };
    }
    (!rest.is_empty() && rest.bytes().all(|b| b == b'^')).then_some(rest.len())
}

/// A directory that a command names, seen from where the shell stood.
fn at(dir: Option<&str>, inner: Option<&str>) -> Option<String> {
    match (dir, inner?) {
        (Some(dir), "") => Some(dir.trim_end_matches('/').to_owned()),
        (_, inner) if inner.starts_with(['/', '~']) => Some(inner.to_owned()),
        (Some(dir), inner) => Some(format!("{}/{inner}", dir.trim_end_matches('/'))),
        (None, _) => None,
    }
}

#[cfg(test)]
mod tests;
