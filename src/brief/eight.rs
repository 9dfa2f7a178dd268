//! `--layout eight`: eight fixed headings, always all, `None` where empty (SPEC 1.17).
//!
//! Requests, constraints and delegated sessions are rebuilt from every message on every run, so that no earlier
//! brief can lose them.

use super::paths::{home, short_path};
use super::{Options, calls, closing, fit, plain};
use crate::language::{clip, head_tail, wrap};
use crate::session::{Session, Step};
use crate::shell::{self, Kind};
use crate::state::{Item, State, TodoStatus};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Outcome, Ref, Status, Voice};

/// Items of a section, and characters of a line, from generous to least.
const ROOMS: [(usize, usize); 6] = [
    (usize::MAX, 200),
    (40, 200),
    (16, 160),
    (8, 120),
    (3, 100),
    (1, 60),
];
/// Files named as context (SPEC 1.17).
const FILES: usize = 10;

/// The brief within `ceiling` characters; `None` when even the least does not fit.
pub fn brief(
    session: &Session,
    state: &State,
    options: &Options,
    ceiling: usize,
) -> Option<String> {
    let view = View::new(session, state, options);
    ROOMS
        .iter()
        .enumerate()
        .find_map(|(level, &(count, width))| {
            let request = (ceiling >> (level + 1)).max(width);
            let text = view.write(count, width, request);
            (text.chars().count() <= ceiling).then_some(text)
        })
}

/// The smallest there is.
pub fn least(session: &Session, state: &State, options: &Options) -> String {
    let (count, width) = ROOMS.last().copied().unwrap_or((1, 60));
    View::new(session, state, options).write(count, width, width)
}

struct View<'s> {
    state: &'s State,
    options: &'s Options,
    /// Human messages, oldest first.
    requests: Vec<Item>,
    checks: Vec<Check>,
    failed: Option<String>,
    /// Edited files with no passing check behind the edit.
    unverified: Vec<(String, Ref)>,
    refused: Vec<String>,
    agents: Vec<String>,
}

/// The last run of one check.
struct Check {
    line: String,
    reference: Option<Ref>,
    passed: Option<bool>,
}

impl<'s> View<'s> {
    fn new(session: &'s Session, state: &'s State, options: &'s Options) -> View<'s> {
        let mut view = View {
            state,
            options,
            requests: Vec::new(),
            checks: Vec::new(),
            failed: None,
            unverified: Vec::new(),
            refused: Vec::new(),
            agents: Vec::new(),
        };
        for entry in session.active() {
            let said: Vec<&str> = entry
                .texts(Voice::Person)
                .chain(entry.texts(Voice::Parent))
                .collect();
            if let (false, Some(number)) = (said.is_empty(), entry.number) {
                view.requests.push(Item::new(said.join("\n"), number));
            }
        }
        let mut families: Vec<shell::Family> = Vec::new();
        for step in session.steps() {
            view.step(&step, &mut families);
        }
        view
    }

    fn short(&self, path: &str) -> String {
        let cwd = self.state.session.cwd.as_deref();
        short_path(path, cwd, cwd.and_then(home).as_deref())
    }

    fn step(&mut self, step: &Step<'_>, families: &mut Vec<shell::Family>) {
        if calls::is_recall(step) {
            return;
        }
        let line = calls::line(step, &|p| self.short(p));
        let reference = step.entry.number;
        let named = |text: &str| match reference {
            Some(r) => format!("{text} ({r})"),
            None => text.to_owned(),
        };
        let status = step.outcome.map(|o| o.status);
        if status == Some(Status::Rejected) {
            self.refused.push(named(&line.text));
            return;
        }
        match step.call.tool {
            Tool::Agent => self.agents.push(agent(step)),
            Tool::Write | Tool::Edit | Tool::Patch | Tool::Delete if status.is_some() => {
                let failed = line.failed;
                if let (false, Some(reference)) = (failed, reference) {
                    for path in edited(step) {
                        let path = self.short(&path);
                        self.unverified.retain(|(p, _)| *p != path);
                        self.unverified.push((path, reference));
                    }
                }
            }
            Tool::Shell => {
                if line.failed {
                    self.failed = Some(named(&line.text));
                }
                let Some(command) = tools::command(&step.call.args.json()) else {
                    return;
                };
                let Some(family) = shell::family(&shell::parse(&command)) else {
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
                let check = Check {
                    line: line.text,
                    reference,
                    passed,
                };
                // A later run of the same check takes the place of the earlier one.
                if let Some(at) = families.iter().position(|f| *f == family) {
                    families.remove(at);
                    self.checks.remove(at);
                }
                families.push(family);
                self.checks.push(check);
            }
            _ => {}
        }
    }

    fn write(&self, count: usize, width: usize, request: usize) -> String {
        let sections: [(&str, Vec<String>); 8] = [
            ("User Requests", self.requests(count, width, request)),
            ("Final Goal", self.goal(count, width)),
            ("Work Completed", self.done(count, width)),
            ("Remaining Tasks", self.remaining(count, width)),
            ("Active Working Context", self.context(count, width)),
            ("Explicit Constraints", self.constraints(count, width)),
            ("Agent Verification State", self.verification(count, width)),
            (
                "Delegated Agent Sessions",
                newest(&self.agents, count)
                    .iter()
                    .map(|a| format!("- {}", clip(a, width.max(120))))
                    .collect(),
            ),
        ];
        let columns = self.options.columns();
        let mut out = String::new();
        for (name, lines) in sections {
            out.push_str(&fit::heading(name, self.options.style));
            if lines.is_empty() {
                out.push_str("None\n");
            }
            for line in lines {
                out.push_str(&wrap(&line, columns, 2));
                out.push('\n');
            }
            out.push('\n');
        }
        out.push_str(&wrap(&closing(self.state, self.options), columns, 2));
        out.push('\n');
        out
    }

    fn requests(&self, count: usize, width: usize, request: usize) -> Vec<String> {
        let Some((last, earlier)) = self.requests.split_last() else {
            return Vec::new();
        };
        // The first one stays with the newest.
        let mut lines = listed(newest(earlier, count), width);
        if lines.len() < earlier.len()
            && let Some(first) = earlier.first()
        {
            lines.insert(0, listed(std::slice::from_ref(first), width).concat());
            let out = earlier.len() + 1 - lines.len();
            if out > 0 {
                lines.insert(1, format!("- (+{out} between)"));
            }
        }
        let text = plain::shown(last.text.trim());
        let text = head_tail(&text, request, "\n…\n");
        let whole: Vec<String> = text
            .lines()
            .map(|l| plain::neutral(l.trim_end()).into_owned())
            .collect();
        lines.push(format!("- {} ({})", whole.join("\n  "), last.reference));
        lines
    }

    fn goal(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = super::sections::goal(self.state, count, width);
        if let Some(change) = self.state.scope_change.last() {
            lines.extend(listed(std::slice::from_ref(change), width));
        }
        lines
    }

    fn done(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        let changed: Vec<String> = self
            .state
            .files
            .iter()
            .filter(|f| f.modified > 0 || f.created || f.deleted || f.renamed_from.is_some())
            .map(|f| {
                let what = match (f.deleted, f.created) {
                    (true, _) => "deleted",
                    (_, true) => "created",
                    _ => "changed",
                };
                format!("- {what} {} ({})", self.short(&f.path), f.reference)
            })
            .collect();
        lines.extend_from_slice(newest(&changed, count));
        for commit in newest(&self.state.commits, count) {
            let hash: String = commit.hash.chars().take(7).collect();
            let text = plain::line(&format!("{hash} {}", commit.subject));
            lines.push(format!("- {} ({})", clip(&text, width), commit.reference));
        }
        let finished: Vec<&crate::state::Todo> = self
            .state
            .todos
            .iter()
            .filter(|t| t.status == TodoStatus::Completed)
            .collect();
        for todo in newest(&finished, count) {
            let text = plain::line(&todo.text);
            lines.push(format!("- [x] {} ({})", clip(&text, width), todo.reference));
        }
        let passed = self.checks.iter().rfind(|c| c.passed == Some(true));
        if let Some(check) = passed {
            lines.push(format!("- passed: {}", check.named(width)));
        }
        lines
    }

    fn remaining(&self, count: usize, width: usize) -> Vec<String> {
        let open: Vec<String> = self
            .state
            .todos
            .iter()
            .filter_map(|t| {
                let mark = match t.status {
                    TodoStatus::Pending => "[ ]",
                    TodoStatus::InProgress => "[~]",
                    _ => return None,
                };
                let text = plain::line(&t.text);
                Some(format!("- {mark} {} ({})", clip(&text, width), t.reference))
            })
            .collect();
        let mut lines: Vec<String> = open.iter().take(count).cloned().collect();
        for blocker in newest(&self.state.blockers, count.min(5)) {
            let who = if blocker.person { "[user] " } else { "" };
            let text = plain::line(&blocker.text);
            lines.push(format!(
                "- {who}{} ({})",
                clip(&text, width),
                blocker.reference
            ));
        }
        lines
    }

    fn context(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(cwd) = &self.state.session.cwd {
            lines.push(format!("- cwd: {}", plain::line(cwd)));
        }
        if let Some(branch) = &self.state.session.branch {
            lines.push(format!("- branch: {}", plain::line(branch)));
        }
        let mut files: Vec<&crate::state::File> = self.state.files.iter().collect();
        files.sort_by_key(|f| f.reference);
        let names: Vec<String> = newest(&files, count.min(FILES))
            .iter()
            .map(|f| self.short(&f.path))
            .collect();
        if !names.is_empty() {
            lines.push(format!("- files: {}", names.join(", ")));
        }
        if let Some(failed) = &self.failed {
            lines.push(format!("- last failed: {}", clip(failed, width)));
        }
        lines
    }

    fn constraints(&self, count: usize, width: usize) -> Vec<String> {
        let standing: Vec<Item> = self
            .state
            .preferences
            .iter()
            .filter(|p| p.superseded_by.is_none())
            .map(|p| Item::new(p.text.clone(), p.reference))
            .collect();
        listed(newest(&standing, count), width)
    }

    fn verification(&self, count: usize, width: usize) -> Vec<String> {
        let mut lines: Vec<String> = newest(&self.checks, count)
            .iter()
            .map(|c| format!("- {}", c.named(width)))
            .collect();
        if !self.checks.is_empty() {
            for (path, reference) in newest(&self.unverified, count) {
                lines.push(format!(
                    "- unverified: {path}, changed after the last passing check ({reference})"
                ));
            }
        }
        for call in newest(&self.refused, count) {
            lines.push(format!("- refused: {}", clip(call, width)));
        }
        lines
    }
}

impl Check {
    fn named(&self, width: usize) -> String {
        let verdict = match self.passed {
            Some(true) => " ✓",
            Some(false) => "",
            None => " (no result)",
        };
        let line = clip(&self.line, width);
        match self.reference {
            Some(r) => format!("{line}{verdict} ({r})"),
            None => format!("{line}{verdict}"),
        }
    }
}

fn newest<T>(list: &[T], count: usize) -> &[T] {
    list.get(list.len().saturating_sub(count)..)
        .unwrap_or_default()
}

fn listed(list: &[Item], width: usize) -> Vec<String> {
    list.iter()
        .map(|i| format!("- {} ({})", clip(&plain::line(&i.text), width), i.reference))
        .collect()
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

/// `explore "find callers" – done (#1), resume ag1`.
fn agent(step: &Step<'_>) -> String {
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

/// What the words of an agent's result say of its end, where its status says nothing against it.
fn told(text: &str) -> &'static str {
    let head = text.trim_start().chars().take(400).collect::<String>();
    let head = head.to_lowercase();
    let first = head.lines().next().unwrap_or_default();
    let starts = |words: &[&str]| words.iter().any(|w| first.starts_with(w));
    if starts(&["error:", "{\"error\"", "failed:", "<error>"]) {
        return "failed";
    }
    let away =
        first.contains("launched") && (first.contains("async") || first.contains("background"));
    let under_way = |line: &str| {
        let status = line.trim().strip_prefix("status:").map(str::trim);
        matches!(
            status,
            Some("running" | "pending" | "queued" | "in_progress")
        )
    };
    match away || head.lines().any(under_way) {
        true => "no result yet (running)",
        false => "done",
    }
}

/// The id under which an agent's result says that it can be gone on with: `agentId: a1`, `session_id: s1`.
fn id_in(text: &str) -> Option<&str> {
    text.lines().rev().find_map(|line| {
        let (label, value) = line.trim_start_matches(['-', '*', ' ']).split_once(':')?;
        let label: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
        let label = label.to_ascii_lowercase();
        let named = ["agentid", "sessionid", "taskid", "resumeid"].contains(&label.as_str());
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
