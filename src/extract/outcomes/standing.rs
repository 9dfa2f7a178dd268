//! Which failures nothing has made up for.

use super::blocker;
use super::runs::{NAMED, OldRuns, Run};
use crate::extract::touches::{self, Touch};
use crate::extract::work::Work;
use crate::language::clip;
use crate::redact::redact;
use crate::session::place::Place;
use crate::session::{Session, Step, is_human_turn};
use crate::shell::{self, Family, Kind};
use crate::state::{Blocker, BlockerKind};
use crate::transcript::Status;
use std::collections::BTreeSet;

/// What is remembered of the runs when their calls are let go of.
pub fn remember(session: &Session, work: &Work) -> OldRuns {
    let since = turns_since(session);
    let stand = standing(session, work, &since);
    let open = |n: &usize, run: &Run| stand.contains(n) || run.job.is_some() && run.ok.is_none();
    let kept = work.runs.iter().enumerate();
    let kept = kept.filter(|(n, run)| open(n, run));
    let old = kept.map(|(_, run)| Run {
        seq: 0,
        since: run.since + since(run.seq),
        ..run.clone()
    });
    OldRuns(old.collect())
}

/// Turns of a person after which a failure that nobody repeated was let go.
const LET_GO: usize = 2;

/// Checks whose last run failed and that still matter at the end.
///
/// Agents drop most failed commands (a wrong path, a probe, another way to the same end), so only work whose
/// failure stops something counts, and only while it is recent, no check of its kind has passed since, and no
/// commit has gone over it.
pub fn failed(session: &Session, work: &Work) -> Vec<(u32, Blocker)> {
    let stand = standing(session, work, &turns_since(session));
    let mut out = Vec::new();
    for run in stand.iter().filter_map(|n| work.runs.get(*n)) {
        // Before it is cut: half a secret is no longer known for one.
        let command = shell::display(&run.command);
        let command = redact(&command);
        let text = match run.line.is_empty() {
            true => format!("{}: failed", clip(&command, NAMED)),
            false => format!("{}: {}", clip(&command, NAMED), run.line),
        };
        out.push((
            run.seq,
            blocker(BlockerKind::FailedCommand, text, run.reference),
        ));
    }
    out
}

/// Place of the last edit that worked, 0 if there is none.
fn last_edit(session: &Session) -> u32 {
    session
        .steps()
        .filter(Step::has_edited)
        .map(|s| s.entry.seq)
        .last()
        .unwrap_or(0)
}

/// Whether a run shows that the work went on: it did something, and nothing says that it failed.
fn goes_on(run: &Run) -> bool {
    run.ok != Some(false) && run.families.iter().any(|f| !shell::looks(&f.kind))
}

/// Failures that are held against all that came after them: the newest ones. More than a session leaves open.
const LOOKED_AT: usize = 200;

/// Which runs failed and nothing has made up for.
fn standing(session: &Session, work: &Work, since: &dyn Fn(u32) -> usize) -> BTreeSet<usize> {
    let runs = &work.runs;
    let committed = work.commits.places().last().copied().unwrap_or(0);
    let worked = last_edit(session);
    let went_on = runs.iter().rposition(goes_on);
    let matters = |n: &usize| {
        let Some(run) = runs.get(*n).filter(|r| r.ok == Some(false)) else {
            return false;
        };
        let since = run.since + since(run.seq);
        match run.families.first().map(|f| &f.kind) {
            // A check that fails stays failed until it is run again or committed over; other work is let go.
            Some(kind) if is_check(kind) => committed <= run.seq,
            Some(kind) if stops_work(kind) => since <= LET_GO,
            // A program counts when its failure is what the session ends with.
            Some(Kind::Run | Kind::Other | Kind::Http) => {
                since == 0 && run.seq > worked && went_on.is_none_or(|at| at < *n)
            }
            _ => false,
        }
    };
    let failed = (0..runs.len()).rev().filter(matters).take(LOOKED_AT);
    failed.filter(|n| !is_over(runs, *n)).collect()
}

/// Whether a later success clears a failure, or a later failure of the same thing stands for it.
fn is_over(runs: &[Run], n: usize) -> bool {
    let failed = runs.get(n).and_then(|run| run.families.first());
    let clears = |family: &Family, ok: bool| {
        failed.is_some_and(|failed| {
            shell::covers(family, failed)
                || ok && (likewise(family, failed) || concludes(family, failed))
        })
    };
    let later = runs.get(n + 1..).unwrap_or_default();
    later.iter().any(|run| {
        run.ok
            .is_some_and(|ok| run.families.iter().any(|f| clears(f, ok)))
    })
}

/// Whether a check says much the same as another although it is a different tool's: the same kind of check, of no
/// less, unless one is a script with a name of its own (`test:e2e` is not `test`).
fn likewise(later: &Family, earlier: &Family) -> bool {
    let own = |f: &Family| {
        f.target
            .split_whitespace()
            .find(|w| w.contains(':') && !w.contains('/'))
            .map(str::to_owned)
    };
    later.kind == earlier.kind
        && (own(earlier).is_none() || own(earlier) == own(later))
        // Packages are replaced by others that do the same.
        && (later.kind == Kind::Install || shell::as_wide(later, earlier))
}

/// Whether a commit or push shows that what git stopped at was sorted out.
fn concludes(later: &Family, earlier: &Family) -> bool {
    match (&later.kind, &earlier.kind) {
        (Kind::Git(done), Kind::Git(stopped)) => {
            matches!(done.as_str(), "commit" | "push")
                && matches!(
                    stopped.as_str(),
                    "merge" | "rebase" | "cherry-pick" | "revert" | "am" | "pull" | "stash"
                )
        }
        _ => false,
    }
}

/// Whether a failure of this kind keeps the work from being done; a look around or a probe does not.
fn stops_work(kind: &Kind) -> bool {
    match kind {
        Kind::Install | Kind::Deploy | Kind::Ci => true,
        Kind::Git(sub) => matches!(
            sub.as_str(),
            "push"
                | "commit"
                | "merge"
                | "rebase"
                | "pull"
                | "cherry-pick"
                | "revert"
                | "am"
                | "stash"
        ),
        kind => is_check(kind),
    }
}

/// A check of the code itself, which a commit usually follows when it is good.
fn is_check(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Test | Kind::Build | Kind::Lint | Kind::TypeCheck | Kind::Format
    )
}

/// How many turns of a person came after a place.
pub fn turns_since(session: &Session) -> impl Fn(u32) -> usize + use<> {
    let turns: Vec<u32> = session
        .active()
        .filter(|e| is_human_turn(e))
        .map(|e| e.seq)
        .collect();
    move |seq| turns.len() - turns.partition_point(|t| *t <= seq)
}

/// Files whose last edit failed and that nothing changed later.
pub fn failed_edits(session: &Session, place: &Place, commits: &[u32]) -> Vec<(u32, Blocker)> {
    let mut open: Vec<(u32, String, Blocker)> = Vec::new();
    let since = turns_since(session);
    // Older failures were let go or committed over, so nothing before matters.
    let recent = |seq: u32| since(seq) < LET_GO && commits.last().is_none_or(|at| *at < seq);
    for step in session.steps().filter(|s| recent(s.entry.seq)) {
        let (Some(reference), Some(outcome)) = (step.entry.number, step.outcome) else {
            continue;
        };
        let touched: BTreeSet<String> = touches::touches(session, place, &step)
            .into_iter()
            .filter(|t| !matches!(t, Touch::Read(_)))
            .map(Touch::into_name)
            .collect();
        open.retain(|(_, path, _)| !touched.contains(path));
        if outcome.status != Status::Error || needless(&outcome.text) {
            continue;
        }
        for path in touches::meant(session, place, &step) {
            open.retain(|(_, p, _)| *p != path);
            let line = telling(&outcome.text);
            let shown = place.shown(&path);
            let text = match line.is_empty() {
                true => format!("{shown}: edit failed"),
                false => format!("{shown}: {line}"),
            };
            open.push((
                step.entry.seq,
                path,
                blocker(BlockerKind::FailedEdit, text, reference),
            ));
        }
    }
    open.into_iter().map(|(seq, _, b)| (seq, b)).collect()
}

/// An edit that would have changed nothing is not in the way.
fn needless(text: &str) -> bool {
    let head: String = text.chars().take(300).collect::<String>().to_lowercase();
    ["no changes to make", "exactly the same", "identical"]
        .iter()
        .any(|words| head.contains(words))
}

/// The first line of a tool's error, without its tags.
fn telling(text: &str) -> String {
    let line = text
        .lines()
        .map(|l| {
            l.trim()
                .trim_start_matches("<tool_use_error>")
                .trim_end_matches("</tool_use_error>")
        })
        .find(|l| !l.is_empty())
        .unwrap_or_default();
    clip(&redact(&crate::language::one_line(line)), 100).into_owned()
}
