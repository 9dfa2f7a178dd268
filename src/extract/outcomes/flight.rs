//! What has not ended when the session does: calls without a result, background jobs, sub-agents.

use super::blocker;
use super::runs::job_of;
use super::standing::turns_since;
use crate::language::{clip, length, one_line};
use crate::redact::redact;
use crate::session::{Session, Step, is_human_turn};
use crate::shell;
use crate::state::{Blocker, BlockerKind};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Kind, Status, Voice};

/// Calls, jobs and agents that are still under way.
pub fn in_flight(session: &Session, answers: bool) -> Vec<(u32, Blocker)> {
    let end = last_move(session);
    // A format without results goes on after calls that nothing answers: it says nothing about what is pending.
    let silent = !answers
        && session.all_steps().all(|s| s.outcome.is_none())
        && session.steps().any(|s| s.entry.seq < end);
    if silent {
        return Vec::new();
    }
    let since = turns_since(session);
    let steps: Vec<Step<'_>> = session.steps().collect();
    let mut out = Vec::new();
    for (n, step) in steps.iter().enumerate() {
        let Some(reference) = step.entry.number else {
            continue;
        };
        let open = match step.outcome {
            None => step.entry.seq >= end,
            // A job that was left alone for long is nobody's concern, and a server is meant to run.
            Some(outcome) => {
                outcome.status == Status::Running
                    && step.call.tool != Tool::ShellSession
                    && since(step.entry.seq) == 0
                    && (n + RECENT >= steps.len() || asked_for(step))
                    && !serves(step)
                    && !heard_of(session, step)
            }
        };
        if open {
            out.push((
                step.entry.seq,
                blocker(BlockerKind::InFlight, shown(step), reference),
            ));
        }
    }
    out
}

/// Longest text of a call, in characters.
const SHOWN: usize = 140;
/// Steps from the end in which a job is still waited for, when it was not sent to the background on purpose.
const RECENT: usize = 3;

/// Whether the call itself asked to go on in the background.
fn asked_for(step: &Step<'_>) -> bool {
    let args = step.call.args.json();
    let asked = args.pick(["run_in_background", "is_background", "background"]);
    step.call.tool == Tool::Agent || asked.into_iter().flatten().any(|v| v.bool() == Some(true))
}

/// Words of commands that run until they are stopped.
const SERVERS: &[&str] = &[
    "dev",
    "serve",
    "server",
    "start",
    "watch",
    "runserver",
    "phx.server",
    "preview",
    "up",
    "--watch",
    "http.server",
    "tail",
    "storybook",
    "uvicorn",
    "gunicorn",
    "nodemon",
];

/// Whether the command is a server or a watcher.
fn serves(step: &Step<'_>) -> bool {
    let args = step.call.args.json();
    let Some(text) = tools::command(&args) else {
        return false;
    };
    shell::parse(&text).commands.iter().any(|c| {
        std::iter::once(c.program.as_str())
            .chain(c.args())
            .any(|word| {
                SERVERS
                    .iter()
                    .any(|s| word == *s || word.ends_with(&format!(":{s}")))
            })
    })
}

/// Place of the last thing the agent or a person did: calls before it were given up.
fn last_move(session: &Session) -> u32 {
    session
        .active()
        .filter(|e| e.kind == Kind::Assistant || is_human_turn(e))
        .map(|e| e.seq)
        .last()
        .unwrap_or(0)
}

/// Whether anything later tells that the job or agent ended.
fn heard_of(session: &Session, step: &Step<'_>) -> bool {
    let Some(outcome) = step.outcome else {
        return false;
    };
    let ids: Vec<&str> = [&outcome.side.background, &outcome.side.agent]
        .into_iter()
        .filter_map(|id| id.as_deref())
        .collect();
    if ids.is_empty() {
        return false;
    }
    let after = step.entry.seq;
    let told = session.active().filter(|e| e.seq > after).any(|e| {
        e.texts(Voice::Harness)
            .any(|t| ids.iter().any(|id| t.contains(id)))
    });
    told || session
        .steps()
        .filter(|s| s.entry.seq > after && s.call.tool == Tool::ShellSession)
        .any(|s| {
            let names = job_of(&s.call.args.json()).is_some_and(|job| ids.contains(&job.as_str()));
            names
                && s.outcome.is_some_and(|o| {
                    let lower = o.text.to_ascii_lowercase();
                    o.status != Status::Running && !lower.contains("<status>running</status>")
                })
        })
}

/// The call in one line: the command, the agent's task, or the tool and its file.
fn shown(step: &Step<'_>) -> String {
    let args = step.call.args.json();
    match tools::family_of_call(step.call.tool, &args) {
        Tool::Shell => {
            let text = match &step.call.args {
                Args::Raw(text) => text.clone(),
                Args::Json(_) => tools::command(&args).unwrap_or_default(),
            };
            let whole = redact(&shell::display(&text)).into_owned();
            if length(&whole) <= SHOWN {
                return whole;
            }
            // The end of a chain of commands tells as much as its beginning.
            let script = shell::parse(&text);
            let last = script.commands.last().map(|c| {
                std::iter::once(c.program.as_str())
                    .chain(c.args())
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            match last.filter(|_| script.commands.len() > 1) {
                Some(last) => {
                    format!(
                        "{} … {}",
                        clip(&whole, 60),
                        clip(&redact(&one_line(&last)), SHOWN - 63)
                    )
                }
                None => clip(&whole, SHOWN).into_owned(),
            }
        }
        _ => {
            let what = args
                .pick(["description", "prompt", "message", "query", "question"])
                .into_iter()
                .flatten()
                .find_map(|v| v.str())
                .or_else(|| tools::path(&args));
            match what {
                Some(what) => clip(
                    &format!("{}: {}", step.call.name, redact(&one_line(&what))),
                    140,
                )
                .into_owned(),
                None => step.call.name.to_string(),
            }
        }
    }
}
