//! Background commands and sub-agents: what still runs, and what ended a moment ago (SPEC 4.3).

use crate::language::{clip, nfc, one_line};
use crate::redact::redact;
use crate::session::{Session, Step};
use crate::transcript::tools::Tool;
use crate::transcript::{Millis, Ref, Status, Voice};
use serde::{Deserialize, Serialize};

/// How long after its end a job is still mentioned (milliseconds of transcript time), and how many are.
const RECENT: i64 = 5 * 60 * 1000;
const LISTED: usize = 10;

/// A job and how it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Job {
    /// The host's id of the job, else the id of the call.
    pub id: String,
    /// `shell` or `agent`.
    pub kind: String,
    /// For agents: which one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The command, or what the agent was asked for.
    pub text: String,
    /// `active`, `completed`, `failed`.
    pub status: String,
    pub started: Option<String>,
    pub ended: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Option<Ref>,
}

/// Counts of all jobs of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Stats {
    pub total: u64,
    pub active: u64,
    pub completed: u64,
    pub failed: u64,
}

/// The jobs of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Jobs {
    pub active: Vec<Job>,
    pub recent: Vec<Job>,
    pub stats: Stats,
}

/// How a job ended: well or not, and when.
type End = (bool, Option<Millis>);

/// Finds the jobs of the active conversation.
pub fn jobs(session: &Session) -> Jobs {
    let last = session.active().filter_map(|e| e.time).max();
    let mut found = Jobs::default();
    for step in session.steps() {
        let Some((mut job, end)) = job(session, &step) else {
            continue;
        };
        found.stats.total += 1;
        let Some((well, time)) = end else {
            found.stats.active += 1;
            found.active.push(job);
            continue;
        };
        if well {
            found.stats.completed += 1;
            "completed".clone_into(&mut job.status);
        } else {
            found.stats.failed += 1;
            "failed".clone_into(&mut job.status);
        }
        job.ended = time.map(Millis::rfc3339);
        let fresh = last
            .zip(time)
            .is_some_and(|(last, time)| last.0.saturating_sub(time.0) <= RECENT);
        if fresh {
            found.recent.push(job);
        }
    }
    let old = found.recent.len().saturating_sub(LISTED);
    found.recent.drain(..old);
    found
}

fn job(session: &Session, step: &Step<'_>) -> Option<(Job, Option<End>)> {
    let args = step.call.args.json();
    let text = |key: &str| args.text(key).unwrap_or_default().into_owned();
    let (kind, agent, said) = match step.call.tool {
        Tool::Agent => {
            let agent = ["subagent_type", "agent", "agent_type"]
                .into_iter()
                .map(text)
                .find(|n| !n.is_empty());
            let said = ["description", "prompt", "task", "message"]
                .into_iter()
                .map(text)
                .find(|n| !n.is_empty());
            ("agent", agent, said.unwrap_or_default())
        }
        Tool::Shell => {
            let asked = args.flag("run_in_background");
            let named = step.outcome.is_some_and(|o| o.side.background.is_some());
            if !asked && !named {
                return None;
            }
            let command = crate::transcript::tools::command(&args).unwrap_or_default();
            ("shell", None, command.into_owned())
        }
        _ => return None,
    };
    let id = step.outcome.and_then(|o| {
        let side = o.side.background.as_deref().or(o.side.agent.as_deref());
        side.map(str::to_owned)
            .or_else(|| (kind == "shell").then(|| background_id(&o.text)).flatten())
    });
    let end = end(session, step, kind, id.as_deref());
    Some((
        Job {
            id: id.unwrap_or_else(|| step.call.id.to_string()),
            kind: kind.to_owned(),
            agent: agent.map(|name| redact(&nfc(&name)).into_owned()),
            text: clip(&redact(&nfc(&one_line(&said))), 200).into_owned(),
            status: "active".to_owned(),
            started: step.entry.time.map(Millis::rfc3339),
            ended: None,
            reference: step.entry.number,
        },
        end,
    ))
}

/// `Command running in background with ID: bg1`.
fn background_id(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("background with ID:")?;
    let id = rest.split_whitespace().next()?;
    Some(id.trim_end_matches(['.', ',']).to_owned()).filter(|i| !i.is_empty())
}

fn end(session: &Session, step: &Step<'_>, kind: &str, id: Option<&str>) -> Option<End> {
    let outcome = step.outcome?;
    let time = step.answered.and_then(|e| e.time);
    let failed = matches!(
        outcome.status,
        Status::Error | Status::Cancelled | Status::Rejected
    );
    if failed {
        return Some((false, time));
    }
    let launched = kind == "shell" || outcome.status == Status::Running;
    if !launched {
        return Some((true, time));
    }
    let id = id?;
    // The job's end is told by a later look at it, by its killing, or by a notification.
    let looked = session.steps().find_map(|later| {
        let outcome = later.outcome?;
        if later.entry.seq <= step.entry.seq || !about(&later, id) {
            return None;
        }
        let time = later.answered.and_then(|e| e.time);
        let name = later.call.name.to_ascii_lowercase();
        if name.contains("kill") || name.contains("stop") {
            return Some((false, time));
        }
        if later.call.tool == Tool::ShellSession && outcome.status != Status::Running {
            let well = matches!(outcome.status, Status::Ok | Status::Unknown);
            return ended(&outcome.text)
                .or((!running(&outcome.text)).then_some(well))
                .map(|well| (well, time));
        }
        ended(&outcome.text).map(|well| (well, time))
    });
    looked.or_else(|| {
        session
            .active()
            .filter(|e| e.seq > step.entry.seq)
            .find_map(|e| {
                e.texts(Voice::Harness)
                    .filter(|t| names(t, id))
                    .find_map(ended)
                    .map(|well| (well, e.time))
            })
    })
}

/// Whether the call names the job.
fn about(step: &Step<'_>, id: &str) -> bool {
    let keys = [
        "session_id",
        "bash_id",
        "shell_id",
        "task_id",
        "agent_id",
        "id",
    ];
    let args = step.call.args.json();
    let named = args.pick(keys).into_iter().flatten();
    named.into_iter().any(|value| match value.str() {
        Some(text) => text == id,
        None => value.raw() == id,
    })
}

/// The host's own word that a look found the job still at work.
fn running(text: &str) -> bool {
    text.contains("<status>running</status>")
}

/// Whether the text holds the id as a word of its own.
fn names(text: &str, id: &str) -> bool {
    let word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    text.match_indices(id).any(|(at, _)| {
        let before = text.get(..at).and_then(|t| t.chars().next_back());
        let after = text.get(at + id.len()..).and_then(|t| t.chars().next());
        !before.is_some_and(word) && !after.is_some_and(word)
    })
}

/// What a `<status>` in the host's words says; `None`: it still runs, or nothing is said.
fn ended(text: &str) -> Option<bool> {
    let (_, rest) = text.split_once("<status>")?;
    let (status, _) = rest.split_once("</status>")?;
    match status.trim() {
        "completed" | "done" | "success" => Some(true),
        "failed" | "killed" | "error" | "stopped" | "cancelled" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;
    use serde_json::json;

    fn server() -> Talk {
        let start = json!({"command": "npm run dev", "run_in_background": true});
        Talk::in_dir("/w")
            .person("서버를 띄워줘")
            .call("Bash", start)
            .ok("Command running in background with ID: bg1")
    }

    #[test]
    fn a_background_command_runs_until_something_ends_it() {
        let found = jobs(&server().session());
        assert_eq!(found.stats.active, 1);
        assert_eq!(
            found
                .active
                .first()
                .map(|j| (j.id.as_str(), j.text.as_str())),
            Some(("bg1", "npm run dev"))
        );
        let look = server()
            .call("BashOutput", json!({"bash_id": "bg1"}))
            .ok("<status>running</status>");
        assert_eq!(jobs(&look.session()).stats.active, 1);
        let ended = look
            .call("BashOutput", json!({"bash_id": "bg1"}))
            .ok("<status>completed</status>");
        let found = jobs(&ended.session());
        assert_eq!((found.stats.active, found.stats.completed), (0, 1));
        assert_eq!(found.recent.len(), 1);
        let killed = server()
            .call("KillShell", json!({"shell_id": "bg1"}))
            .ok("Successfully killed shell: bg1");
        let found = jobs(&killed.session());
        assert_eq!((found.stats.active, found.stats.failed), (0, 1));
        // Another job's end is not this one's.
        let other = server()
            .call("BashOutput", json!({"bash_id": "bg12"}))
            .ok("<status>completed</status>");
        assert_eq!(jobs(&other.session()).stats.active, 1);
    }

    #[test]
    fn an_agent_is_done_when_it_answered() {
        let task =
            json!({"description": "색인 점검", "subagent_type": "reviewer", "prompt": "점검"});
        let asked = Talk::in_dir("/w").person("점검해줘").call("Task", task);
        assert_eq!(jobs(&asked.session()).stats.active, 1);
    }
}
