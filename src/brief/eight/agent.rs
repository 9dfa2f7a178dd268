//! A sub-agent in one line: who, what for, how it ended, and how to go on with it.

use crate::brief::plain;
use crate::language::clip;
use crate::lexicon::{Group, Rules};
use crate::session::Step;
use crate::transcript::{Outcome, Status};

/// `explore "find callers" – done (#1), resume ag1`.
pub fn agent(step: &Step<'_>) -> String {
    let args = step.call.args.json();
    let text = |keys: &[&str]| {
        keys.iter()
            .filter_map(|k| args.get(k))
            .filter_map(|v| v.str())
            .find(|t| !t.trim().is_empty())
            .map(|t| plain::line(&t))
    };
    let name = text(&["subagent_type", "agent", "agent_type", "agent_name", "type"])
        .unwrap_or_else(|| plain::line(&step.call.name));
    let what = text(&["description", "task", "message", "prompt"]).unwrap_or_default();
    let status = match step.outcome.map(|o| o.status) {
        None | Some(Status::Running) => "no result yet (pending)",
        Some(Status::Ok | Status::Unknown) => step.outcome.map_or("done", |o| told(&o.text)),
        Some(Status::Error) => "failed",
        Some(Status::Cancelled) => "cancelled",
        Some(Status::Rejected) => "refused",
    };
    let mut line = format!("{name} \"{}\" – {status}", clip(&what, 80));
    if let Some(reference) = step.entry.number {
        line.push_str(&format!(" ({reference})"));
    }
    let named = |o: &'_ Outcome<'_>| {
        o.side
            .agent
            .as_deref()
            .or_else(|| id_in(&o.text))
            .map(plain::line)
    };
    if let Some(id) = step.outcome.and_then(named) {
        line.push_str(&format!(", id {id}"));
    }
    line
}

/// How far into an agent's report it is told how it ended.
const REPORT_HEAD: usize = 400;

/// What the words of an agent's result say of its end, where its status says nothing against it.
fn told(text: &str) -> &'static str {
    let head: String = text.trim_start().chars().take(REPORT_HEAD).collect();
    let says = |group| Rules::builtin().any(group, &head);
    if says(Group::AgentFailures) {
        "failed"
    } else if says(Group::AgentPending) {
        "no result yet (running)"
    } else {
        "done"
    }
}

/// Labels of such an id, without what is no letter.
const ID_LABELS: [&str; 4] = ["agentid", "sessionid", "taskid", "resumeid"];

/// The id under which an agent's result says that it can be gone on with: `agentId: a1`, `session_id: s1`.
fn id_in(text: &str) -> Option<&str> {
    text.lines().rev().find_map(|line| {
        let (label, value) = line.trim_start_matches(['-', '*', ' ']).split_once(':')?;
        let label: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
        let label = label.to_ascii_lowercase();
        let named = ID_LABELS.contains(&label.as_str());
        let value = value.trim().trim_matches(['`', '"', ',']);
        let end = value.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
        let id = value.get(..end.unwrap_or(value.len()))?;
        (named && id.len() > 1).then_some(id)
    })
}

#[cfg(test)]
mod tests {
    use crate::session::testing::Talk;
    use serde_json::json;

    #[test]
    fn an_agents_result_tells_how_it_ended_and_how_to_go_on() {
        let call =
            |what: &str| json!({"description": what, "subagent_type": "worker", "prompt": "p"});
        let talk = Talk::in_dir("/w")
            .person("나눠서 조사해줘")
            .call("Task", call("호출자"))
            .ok("Error handling has 12 callers.\n\nagentId: a12f (to go on, send it a message)")
            .call("Task", call("정리"))
            .ok("Error: the agent ran out of tokens")
            .call("Task", call("감시"))
            .ok("Async agent launched successfully.\nagentId: b777")
            .call("delegate_task", call("빌드"))
            .ok("Background task launched.\n\nTask ID: bg_01\nStatus: running");
        let session = talk.session();
        let state = crate::extract::extract(&session, &crate::lexicon::Rules::shared());
        let options = crate::brief::Options {
            layout: crate::brief::Layout::Eight,
            ..Default::default()
        };
        let brief = crate::brief::render(&session, &state, &options).unwrap();
        for line in [
            "worker \"호출자\" – done (#1), id a12f",
            "worker \"정리\" – failed (#3)\n",
            "worker \"감시\" – no result yet (pending) (#5), id b777",
            "worker \"빌드\" – no result yet (running) (#7), id bg_01",
        ] {
            assert!(brief.contains(line), "{line}: {brief}");
        }
        assert!(state.blockers.iter().any(|b| b.text.contains("감시")));
    }
}
