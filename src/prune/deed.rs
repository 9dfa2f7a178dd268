//! A call as pruning sees it: what it did to which file, how old it is, whether anything may touch it.

use super::protect::Protection;
use super::{Options, TurnUnit};
use crate::extract::touches::{changed, meant};
use crate::json::Json;
use crate::session::place::Place;
use crate::session::{Session, Step, is_human_turn, same_call};
use crate::shell;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Family, Kind, Status};
use foldhash::HashMap;

/// One call of the active main conversation, with its circumstances.
pub struct Deed<'s> {
    pub step: Step<'s>,
    /// The family, with tools that do several jobs told apart by their arguments.
    pub tool: Tool,
    /// The file it reads or writes, as the session shows it.
    pub path: Option<String>,
    /// Names of the files it read or meant to change.
    pub paths: Vec<String>,
    /// Files it did change, as its result proves.
    pub changed: Vec<String>,
    /// What makes two calls the same.
    pub key: u64,
    /// Turns since; the newest has age 0.
    pub age: u32,
    /// Its tool round, counted from the newest, which is 0.
    pub round: u32,
    pub ok: bool,
    pub failed: bool,
    /// Git confirmed a commit in its result.
    pub commits: bool,
    /// Reads the whole file.
    pub whole_read: bool,
    /// Nothing may touch it.
    pub locked: bool,
}

impl Deed<'_> {
    /// Whether its result is still what the tool printed, and says something.
    pub fn has_copy(&self) -> bool {
        self.ok && !self.step.row.pruned && !points_elsewhere(&self.step)
    }
}

/// Results that only point to an earlier result, as some hosts answer a repeated read.
fn points_elsewhere(step: &Step<'_>) -> bool {
    let text = step.outcome.map_or("", |o| o.text.as_ref());
    step.row.result_chars < 600
        && ["File unchanged since", "<file_unchanged>"]
            .iter()
            .any(|h| text.starts_with(h))
}

/// Whether a result without any status tells of a failure in its own words: it must replace no earlier success.
fn says_failed(step: &Step<'_>, tool: Tool) -> bool {
    let Some(outcome) = step.outcome else {
        return false;
    };
    let text = outcome.text.trim_start();
    if tool == Tool::Shell {
        let args = step.call.args.json();
        let command = tools::command(&args).unwrap_or_default();
        let judged = shell::outcome(text, outcome.exit, None, &shell::parse(&command));
        return matches!(judged, shell::Outcome::Failed { .. });
    }
    ["Error:", "error:", "ERROR:", "{\"error\":"]
        .iter()
        .any(|e| text.starts_with(e))
}

/// The turns of a session: for each place in it, how many began up to there.
struct Turns {
    /// By [`Entry::seq`](crate::transcript::Entry).
    of: HashMap<u32, u32>,
    last: u32,
    /// The same in steps, whatever the unit.
    steps: HashMap<u32, u32>,
}

impl Turns {
    fn of(session: &Session, unit: TurnUnit) -> Turns {
        // Records of one response follow each other; where each is a message of its own, a run of them is one, up
        // to the count of its tokens.
        let joined = session.head.family == Family::Codex;
        let (mut step, mut user, mut spoke) = (0, 0, false);
        let (mut of, mut steps) = (HashMap::default(), HashMap::default());
        for entry in session.active() {
            match entry.kind {
                Kind::Assistant => {
                    if !(joined && spoke) {
                        step += 1;
                    }
                    // Tokens are counted when a response is complete.
                    spoke = entry.usage.is_none();
                }
                Kind::Mark => {}
                _ => spoke = false,
            }
            user += u32::from(is_human_turn(entry));
            of.insert(
                entry.seq,
                match unit {
                    TurnUnit::Step => step,
                    TurnUnit::User => user,
                },
            );
            steps.insert(entry.seq, step);
        }
        let last = match unit {
            TurnUnit::Step => step,
            TurnUnit::User => user,
        };
        Turns { of, last, steps }
    }

    /// Turns since an entry; the newest has age 0.
    fn age(&self, seq: u32) -> u32 {
        let turn = self.of.get(&seq);
        turn.map_or(0, |turn| self.last.saturating_sub(*turn))
    }

    /// The tool rounds in order: steps with calls that were answered.
    fn rounds(&self, session: &Session) -> Vec<u32> {
        let mut rounds: Vec<u32> = session
            .steps()
            .filter(|s| s.outcome.is_some())
            .filter_map(|s| self.steps.get(&s.entry.seq).copied())
            .collect();
        rounds.dedup();
        rounds
    }
}

/// Every call of the active main conversation, and the age in turns of every entry by its place.
pub fn deeds<'s>(
    session: &'s Session,
    options: &Options,
    protection: &Protection,
) -> (Vec<Deed<'s>>, HashMap<u32, u32>) {
    let place = Place::of(session);
    let turns = Turns::of(session, options.turn_unit);
    // Ids that several calls share cannot be told apart in a copy.
    let mut ids: HashMap<&str, u32> = HashMap::default();
    for step in session.all_steps() {
        *ids.entry(step.call.id.as_ref()).or_default() += 1;
    }
    let rounds = turns.rounds(session);
    let commits = crate::extract::work::Work::of(session).commits;
    let committed = commits.places();
    let deeds = session
        .steps()
        .map(|step| {
            let args = step.call.args.json();
            let dir = session.dir_of(step.entry);
            let tool = tools::family_of_call(step.call.tool, &args);
            let named = tools::path(&args).map(|p| place.resolve(&p, dir));
            let mut paths: Vec<String> = named.iter().cloned().collect();
            for path in meant(session, &place, &step) {
                if !paths.contains(&path) {
                    paths.push(path);
                }
            }
            let changed = changed(session, &place, &step);
            let path = paths.first().map(|p| place.shown(p));
            let age = turns.age(step.entry.seq);
            let round = turns.steps.get(&step.entry.seq).map_or(0, |own| {
                let later = rounds.partition_point(|r| r <= own);
                (rounds.len() - later) as u32
            });
            let status = step.outcome.map_or(Status::Running, |o| o.status);
            let exit = step.outcome.and_then(|o| o.exit).unwrap_or(0);
            let told = status == Status::Unknown && says_failed(&step, tool);
            let done = matches!(status, Status::Ok | Status::Unknown) && !told;
            let protected = protection.tool(&step.call.name, step.call.tool)
                || paths.iter().any(|p| protection.path(p, &place.shown(p)));
            // The words of a person stand in the results of these.
            let asks = matches!(tool, Tool::Ask | Tool::Plan);
            let locked = matches!(status, Status::Running | Status::Rejected)
                || protected
                || asks
                || step.row.pruned
                || age < options.protect_turns
                || step.call.id.is_empty()
                || ids.get(step.call.id.as_ref()).is_some_and(|n| *n > 1);
            Deed {
                tool,
                path,
                key: same_call(&step, named.as_deref(), dir),
                age,
                round,
                ok: done && exit == 0,
                failed: status == Status::Error || told || (done && exit != 0),
                commits: committed.binary_search(&step.entry.seq).is_ok(),
                whole_read: tool == Tool::Read && named.is_some() && !has_range(&args),
                locked,
                paths,
                changed,
                step,
            }
        })
        .collect();
    let ages = session
        .active()
        .map(|e| (e.seq, turns.age(e.seq)))
        .collect();
    (deeds, ages)
}

/// Whether a read names a part of the file.
fn has_range(args: &Json<'_>) -> bool {
    args.pick([
        "offset",
        "limit",
        "view_range",
        "start_line",
        "end_line",
        "start_line_one_indexed",
        "end_line_one_indexed_inclusive",
        "line_start",
        "line_end",
        "range",
        "ranges",
        "pages",
        "startLine",
        "endLine",
    ])
    .into_iter()
    .flatten()
    .any(|v| !v.is_null())
}
