//! Lines of an output that stay beside its stub: why a call failed, what proves a commit, the id of a task.

use super::deed::Deed;
use crate::shell::{self, Outcome as Judged};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Status};

/// Characters of a kept line.
const WIDTH: usize = 300;
/// Lines of git kept of one result.
const PROOFS: usize = 40;

/// The lines to keep, in their order; `None` when the whole result is proof and must stay.
pub fn lines(deed: &Deed<'_>) -> Option<Vec<String>> {
    let mut kept: Vec<String> = Vec::new();
    let Some(outcome) = deed.step.outcome else {
        return Some(kept);
    };
    let text = outcome.text.as_ref();
    let mut keep = |line: &str| {
        let line = crate::language::clip_chars(line.trim_end(), WIDTH).into_owned();
        if !line.trim().is_empty() && !kept.contains(&line) {
            kept.push(line);
        }
    };
    if deed.tool == Tool::Patch && !crate::patch::updated(text).is_empty() {
        return None;
    }
    if let Some(task) = &outcome.side.task {
        text.lines()
            .filter(|l| l.contains(task.as_ref()))
            .take(1)
            .for_each(&mut keep);
    }
    // Whether a file is new stands in the first line only.
    if matches!(deed.tool, Tool::Write | Tool::Edit | Tool::Delete) {
        text.lines().next().into_iter().for_each(&mut keep);
    }
    let last = text.lines().rev().find(|l| !l.trim().is_empty());
    if matches!(deed.tool, Tool::Shell | Tool::ShellSession) {
        let args = deed.step.call.args.json();
        let command = match &deed.step.call.args {
            Args::Raw(text) => text.clone(),
            Args::Json(_) => tools::command(&args).unwrap_or_default(),
        };
        let script = shell::parse(&command);
        if deed.commits || !shell::git_commits(&script).is_empty() {
            text.lines()
                .filter(|l| proves(l))
                .take(PROOFS)
                .for_each(&mut keep);
        }
        let flag = match outcome.status {
            Status::Error => Some(true),
            Status::Ok => Some(false),
            _ => None,
        };
        if deed.failed
            && let Some(first) = text.lines().next().filter(|l| l.contains("xit code"))
        {
            keep(first);
        }
        match shell::outcome(text, outcome.exit, flag, &script) {
            Judged::Failed { line } if !line.is_empty() => {
                // The line as it stands, so that it is judged alike again.
                keep(text.lines().find(|l| l.contains(&line)).unwrap_or(&line));
                last.into_iter().for_each(&mut keep);
            }
            Judged::Ok if outcome.status == Status::Unknown => {
                last.filter(|l| l.chars().count() <= WIDTH)
                    .into_iter()
                    .for_each(&mut keep);
            }
            _ => {}
        }
    }
    if deed.failed {
        last.into_iter().for_each(&mut keep);
    }
    Some(kept)
}

/// `[main abc1234] subject`, `abc1234 subject`, `commit abc1234…`, ` rename a => b (100%)`.
fn proves(line: &str) -> bool {
    let hash = |word: &str| {
        (7..=40).contains(&word.len())
            && word.bytes().all(|b| b.is_ascii_hexdigit())
            && word.bytes().any(|b| b.is_ascii_digit())
    };
    let line = line.trim_start_matches(['*', '|', ' ']);
    let of_files = ["rename ", "create mode ", "delete mode "];
    if of_files.iter().any(|s| line.starts_with(s)) || line.contains(" changed, ") {
        return true;
    }
    if let Some(inner) = line.strip_prefix('[').and_then(|l| l.split_once(']')) {
        return inner.0.split_whitespace().last().is_some_and(hash);
    }
    let line = line.strip_prefix("commit ").unwrap_or(line);
    line.split_whitespace()
        .next()
        .is_some_and(|w| hash(w.trim_end_matches([':', '.'])))
}

#[cfg(test)]
mod tests {
    use super::proves;

    #[test]
    fn lines_of_git_prove() {
        for line in [
            "[main 1a2b3c4] 재고 수정",
            "[feat/x (root-commit) 1a2b3c4] first",
            "1a2b3c4 subject",
            " rename a.rs => b.rs (100%)",
            "commit 1a2b3c4d5e6f1a2b3c4d5e6f1a2b3c4d5e6f1a2b",
        ] {
            assert!(proves(line), "{line}");
        }
        for line in [" 2 files", "[INFO] started", "deadbeef is a word", ""] {
            assert!(!proves(line), "{line}");
        }
    }
}
