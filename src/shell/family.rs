//! Which check a command is, and of what, so that a later run of the same thing can be told from a
//! run of something else: `cargo test -p a | tail -5` and `cargo test -p a` are one, and a later
//! `cargo test` says more than both.

mod builds;
mod call;
mod checks;
mod deploys;
mod goal;
mod js;
mod programs;
mod scope;
mod tools;
mod wider;

pub(super) use programs::git_looks;

use super::commits::git;
use super::joint::Joint;
use super::path;
use super::script::{Command, Script};
use crate::language::{clip, one_line};

/// Longest target, in characters; what is compared is never cut.
const MAX_TARGET: usize = 200;

/// What kind of work a command is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Runs tests.
    Test,
    /// Builds, compiles or bundles.
    Build,
    /// Looks for mistakes without running.
    Lint,
    /// Formats, or checks the format.
    Format,
    /// Checks types only.
    TypeCheck,
    /// Installs packages.
    Install,
    /// Brings something out: deploy, publish, apply.
    Deploy,
    /// Asks a CI service how its checks stand.
    Ci,
    /// A git subcommand.
    Git(String),
    /// Talks to a network address.
    Http,
    /// Runs a program or script of the project.
    Run,
    /// Looks for text or files, or shows them.
    Search,
    /// Anything else.
    Other,
}

/// A check and what it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// What kind of work it is.
    pub kind: Kind,
    /// One spelling for one check (`cargo test -p a foo`), without filters and options of output.
    pub target: String,
    /// Directory it runs in, as far as the command says (`""` where the shell started).
    pub dir: Option<String>,
    /// The tool, one name for tools that do the same job.
    pub(super) tool: String,
    /// What narrows it to a part, sorted.
    pub(super) scope: Vec<String>,
}

/// The family a script stands for: its last check, else the last program it runs.
pub fn family(script: &Script) -> Option<Family> {
    let mut best: Option<Family> = None;
    for next in families(script) {
        if best
            .as_ref()
            .is_none_or(|b| rank(&next.kind) >= rank(&b.kind))
        {
            best = Some(next);
        }
    }
    best
}

/// The families of all commands of a script, in order; filters and preparation have none.
pub fn families(script: &Script) -> Vec<Family> {
    script
        .commands
        .iter()
        .filter(|c| !c.substituted)
        .filter_map(of)
        .collect()
}

fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Search => 0,
        Kind::Other | Kind::Run | Kind::Http => 1,
        Kind::Git(sub) if git_looks(sub) => 0,
        Kind::Git(_) | Kind::Install => 2,
        _ => 3,
    }
}

/// The family of one command.
pub(super) fn of(command: &Command) -> Option<Family> {
    if command.program.is_empty() || programs::is_preparation(&command.program) {
        return None;
    }
    if command.joint == Joint::Pipe && programs::is_filter(&command.program) {
        return None;
    }
    if let Some(git) = git(command) {
        return Some(Family {
            kind: Kind::Git(git.sub.to_owned()),
            target: format!("git {}", git.sub),
            dir: git.dir,
            tool: format!("git {}", git.sub),
            scope: Vec::new(),
        });
    }
    let call = tools::call(command);
    let shown = if call.scope.is_empty() {
        call.tool.clone()
    } else {
        format!("{} {}", call.tool, call.scope.join(" "))
    };
    let shown = clip(&one_line(&shown), MAX_TARGET).into_owned();
    let mut scope = call.scope;
    scope.sort();
    scope.dedup();
    let dir = match (&command.dir, call.dir) {
        (Some(dir), Some(inner)) => Some(path::join(dir, &inner)),
        (dir, None) => dir.clone(),
        (None, Some(_)) => None,
    };
    Some(Family {
        kind: call.kind,
        target: shown,
        dir,
        tool: call.tool,
        scope,
    })
}

/// Whether a later success says that an earlier failure is over: the same check of the same thing,
/// or of more. Shells that keep their directory name it only once, so an unnamed directory matches.
pub fn covers(later: &Family, earlier: &Family) -> bool {
    if !same_place(later.dir.as_deref(), earlier.dir.as_deref()) {
        return false;
    }
    if later.tool != earlier.tool {
        return wider::includes(&later.tool, &earlier.tool) && subset(later, earlier);
    }
    match later.kind {
        // Another way to the same end is a success too (`git push --force`, `npm install --legacy`).
        Kind::Git(_) => true,
        Kind::Install | Kind::Deploy | Kind::Ci => {
            let names = |f: &Family| -> Vec<String> {
                f.scope
                    .iter()
                    .filter(|s| !s.starts_with('-'))
                    .cloned()
                    .collect()
            };
            later.scope.is_empty() || names(later) == names(earlier)
        }
        Kind::Test | Kind::Build | Kind::Lint | Kind::Format | Kind::TypeCheck => {
            subset(later, earlier)
        }
        Kind::Http | Kind::Run | Kind::Search | Kind::Other => later.scope == earlier.scope,
    }
}

fn subset(later: &Family, earlier: &Family) -> bool {
    later.scope.iter().all(|s| {
        earlier.scope.contains(s)
            || earlier.scope.iter().any(|e| wider::goes_through(&later.tool, s, e))
            // A folder or file holds its parts (`tests/` and `tests/a.py::test_x`).
            || earlier.scope.iter().any(|e| {
                e.strip_prefix(s.trim_end_matches('/'))
                    .is_some_and(|rest| rest.starts_with('/') || rest.starts_with("::") || rest.starts_with(':'))
            })
    })
}

/// Whether a check of another tool looks at no less than an earlier one; of the same tool, [`covers`] says it.
pub fn as_wide(later: &Family, earlier: &Family) -> bool {
    later.tool != earlier.tool
        && same_place(later.dir.as_deref(), earlier.dir.as_deref())
        && later
            .scope
            .iter()
            .all(|s| s.starts_with('-') || earlier.scope.contains(s))
}

/// Whether a command of this kind only looks at things.
pub fn looks(kind: &Kind) -> bool {
    match kind {
        Kind::Search => true,
        Kind::Git(sub) => git_looks(sub),
        _ => false,
    }
}

fn same_place(later: Option<&str>, earlier: Option<&str>) -> bool {
    match (later, earlier) {
        (None, _) | (_, None) => true,
        (Some(a), Some(b)) => {
            let shell_kept =
                |x: &str, y: &str| x.is_empty() && (y.is_empty() || y.starts_with(['/', '~']));
            a == b || shell_kept(a, b) || shell_kept(b, a)
        }
    }
}

/// Whether a non-zero exit of the script only means "nothing found" or "not the same": the command
/// that decides its status is a search or a comparison.
pub fn harmless_nonzero(script: &Script) -> bool {
    let mut asked = false;
    let mut piped = false;
    // From the end: the last pipeline decides, and what stands before it with `&&`.
    for command in script
        .commands
        .iter()
        .rev()
        .filter(|c| !c.substituted && !c.program.is_empty())
    {
        let decides = !piped || script.pipefail;
        if decides && asks(command) {
            asked = true;
        } else if decides && !never_fails(command) {
            return false;
        }
        match command.joint {
            Joint::Pipe => piped = true,
            Joint::And => piped = false,
            Joint::Then | Joint::Or | Joint::Background => break,
        }
    }
    asked
}

/// A command whose non-zero status is an answer.
fn asks(command: &Command) -> bool {
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "diff" | "cmp" | "comm" | "test"
        | "[" | "[[" | "pgrep" | "pkill" | "which" | "type" | "command" | "lsof" | "pidof"
        | "false" | "zgrep" | "colordiff" | "fuser" => true,
        "git" => git(command).is_some_and(|g| {
            let has = |name: &str| g.args.iter().any(|w| w.text == name);
            match g.sub {
                "diff" | "diff-index" | "diff-files" => {
                    has("--exit-code") || has("--quiet") || has("--no-index") || has("--check")
                }
                "grep" | "check-ignore" | "merge-base" => true,
                "show-ref" | "rev-parse" => has("--verify") || has("--quiet") || has("-q"),
                "config" => true,
                "ls-files" => has("--error-unmatch"),
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Preparation and filters that are not to blame for a status.
fn never_fails(command: &Command) -> bool {
    matches!(
        command.program.as_str(),
        "echo" | "printf" | "true" | ":" | "sleep" | "export" | "set" | "cd" | "pwd" | "date"
    )
}

#[cfg(test)]
mod tests;
