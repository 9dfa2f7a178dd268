//! Commands with their outcomes.

use crate::session::{Session, Step};
use crate::shell::{self, Family, Outcome};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Ref, Status};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};

/// A shell command and how it ended.
#[derive(Debug, Clone)]
pub struct Run {
    /// Place (`seq`) of the message whose call it was.
    pub seq: u32,
    pub reference: Ref,
    /// What it checked or did; one that failed has only the family that failed.
    pub families: Vec<Family>,
    /// `None`: nothing says whether it worked.
    pub ok: Option<bool>,
    /// The line that tells why it failed.
    pub line: String,
    /// Empty where nobody asks for it any more: it did not fail, and no blocker of an earlier state names it.
    pub command: String,
    /// Id of the job that goes on after the result was written.
    pub job: Option<String>,
    /// Turns of a person between it and the end of what was let go of, where it was let go of itself.
    pub(super) since: usize,
}

/// The runs of what was let go of that may still matter: failures that nothing made up for, jobs that go on.
#[derive(Debug, Clone, Deserialize)]
#[serde(from = "Vec<OldRun>")]
pub struct OldRuns(pub(super) Vec<Run>);

impl From<Vec<OldRun>> for OldRuns {
    fn from(runs: Vec<OldRun>) -> OldRuns {
        OldRuns(runs.into_iter().map(OldRun::run).collect())
    }
}

impl Serialize for OldRuns {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.0.iter().map(OldRun::of))
    }
}

/// One of them as it is written down.
#[derive(Serialize, Deserialize)]
struct OldRun {
    #[serde(rename = "ref")]
    reference: Ref,
    ok: Option<bool>,
    line: String,
    command: String,
    job: Option<String>,
    since: usize,
}

/// Error texts by hash, with the calls that got them.
pub type Errors = BTreeMap<u64, BTreeSet<u64>>;

impl OldRun {
    fn of(run: &Run) -> OldRun {
        OldRun {
            reference: run.reference,
            ok: run.ok,
            line: run.line.clone(),
            command: run.command.clone(),
            job: run.job.clone(),
            since: run.since,
        }
    }

    fn run(self) -> Run {
        let script = shell::parse(&self.command);
        Run {
            seq: 0,
            reference: self.reference,
            families: match self.ok {
                Some(false) => shell::family(&script).into_iter().collect(),
                _ => shell::families(&script),
            },
            ok: self.ok,
            line: self.line,
            command: self.command,
            job: self.job,
            since: self.since,
        }
    }
}

/// The shell commands of the active conversation, in order, behind what is known of those that were let go of.
pub fn runs(old: Option<&OldRuns>, seen: Errors, session: &Session) -> Vec<Run> {
    let mut runs = Runs::new(old, &errors(seen, session));
    session.steps().for_each(|step| runs.take(&step));
    runs.list()
}

/// Bytes of the longest command that a blocker names whole.
const TOLD: usize = 4 * NAMED;
/// Characters of a command that a blocker names.
pub(super) const NAMED: usize = 80;

/// Reads the shell commands call by call.
pub struct Runs {
    out: Vec<Run>,
    refusals: BTreeSet<u64>,
}

impl Runs {
    /// With the runs of what was let go of, none of the session's own yet; `errors` are those of all.
    pub fn new(old: Option<&OldRuns>, errors: &Errors) -> Runs {
        Runs {
            out: old.map(|o| o.0.clone()).unwrap_or_default(),
            refusals: refusals(errors),
        }
    }

    /// What was read.
    pub fn list(self) -> Vec<Run> {
        self.out
    }

    /// Reads one call of the active conversation; they come in order.
    pub fn take(&mut self, step: &Step<'_>) {
        let (Some(reference), Some(outcome)) = (step.entry.number, step.outcome) else {
            return;
        };
        let args = step.call.args.json();
        match tools::family_of_call(step.call.tool, &args) {
            Tool::Shell => {}
            Tool::ShellSession => {
                // The job's end is the outcome of the command that began it.
                if let Some(job) = job_of(&args)
                    && outcome.status != Status::Running
                    && let Some(run) = self
                        .out
                        .iter_mut()
                        .rev()
                        .find(|r| r.job.as_deref() == Some(job.as_str()))
                {
                    let script = shell::parse(&run.command);
                    let read = shell::outcome(&outcome.text, outcome.exit, None, &script);
                    end(run, read);
                }
                return;
            }
            _ => return,
        }
        let command = match &step.call.args {
            Args::Raw(text) => text.clone(),
            Args::Json(_) => tools::command(&args).unwrap_or_default(),
        };
        let script = shell::parse(&command);
        let mut run = Run {
            seq: step.entry.seq,
            reference,
            families: Vec::new(),
            ok: None,
            line: String::new(),
            command: command.into_owned(),
            job: outcome.side.background.as_deref().map(str::to_owned),
            since: 0,
        };
        let flag = match outcome.status {
            // The host kept it from running: a rule of the session, not a failure.
            Status::Error if self.refusals.contains(&step.row.result_hash) => {
                self.push(run);
                return;
            }
            Status::Ok => Some(false),
            Status::Error => Some(true),
            Status::Unknown => None,
            // Nobody's failure: stopped, refused, not ended.
            Status::Cancelled | Status::Rejected | Status::Running => {
                run.families = shell::families(&script);
                self.push(run);
                return;
            }
        };
        let read = shell::outcome(&outcome.text, outcome.exit, flag, &script);
        run.families = shell::families(&script);
        end(&mut run, read);
        self.push(run);
    }

    /// Keeps a run, and its command where somebody may ask for it.
    fn push(&mut self, mut run: Run) {
        let told = run.command.len() <= TOLD;
        let asked = run.job.is_some() || run.ok == Some(false) || run.ok == Some(true) && told;
        match asked {
            true => run.command.shrink_to_fit(),
            false => run.command = String::new(),
        }
        run.families.shrink_to_fit();
        self.out.push(run);
    }
}

/// Error texts that several different commands got word for word, without an exit status: the host's own refusal.
fn refusals(errors: &Errors) -> BTreeSet<u64> {
    let often = errors.iter().filter(|(_, calls)| calls.len() >= 3);
    often.map(|(text, _)| *text).collect()
}

/// Error texts without an exit status, and who got them, behind those that are known.
pub fn errors(mut seen: Errors, session: &Session) -> Errors {
    for step in session.steps() {
        if let Some(outcome) = step.outcome
            && outcome.status == Status::Error
            && outcome.exit.is_none()
            && step.row.result_chars >= 40
        {
            seen.entry(step.row.result_hash)
                .or_default()
                .insert(step.row.args_hash);
        }
    }
    seen
}

fn end(run: &mut Run, read: Outcome) {
    match read {
        Outcome::Ok => run.ok = Some(true),
        Outcome::Failed { line } => {
            run.ok = Some(false);
            run.line = line;
            run.families = shell::family(&shell::parse(&run.command))
                .into_iter()
                .collect();
        }
        Outcome::Unknown => {}
    }
}

/// The job that a call reads from, writes to or stops.
pub fn job_of(args: &crate::json::Json<'_>) -> Option<String> {
    let found = args.pick([
        "session_id",
        "bash_id",
        "task_id",
        "shell_id",
        "shellId",
        "id",
    ]);
    found.into_iter().flatten().find_map(|v| match v.str() {
        Some(text) => Some(text.into_owned()),
        None => v.u64().map(|n| n.to_string()),
    })
}
