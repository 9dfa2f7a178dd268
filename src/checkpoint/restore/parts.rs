//! What a checkpoint has to say, part by part.

use crate::checkpoint::Checkpoint;
use crate::checkpoint::tags::defuse;
use crate::language::{clip, head_tail, one_line, visible};
use crate::redact::redact;
use crate::state::{File, State, Todo, TodoStatus};
use serde_json::Value;
use std::fmt::Write;

/// Characters of project memory.
const MEMORY: usize = 650;
/// Characters of a request.
const REQUEST: usize = 1500;
/// Files and commits named.
const FILES: usize = 20;
const COMMITS: usize = 8;

/// The part that may be given line by line.
const TODOS: &str = "open todos";

/// A named part of the text.
pub struct Part {
    pub name: &'static str,
    pub text: String,
    /// May be given in part, line by line: the open todos come before everything else.
    pub lines: bool,
}

/// The parts in the order in which they are given; empty ones are none.
pub fn parts(checkpoint: &Checkpoint, missing: &[Todo], budget: usize) -> Vec<Part> {
    let state = &checkpoint.state;
    let request = REQUEST.min(budget / 4);
    let all = [
        ("latest request", latest(state, request)),
        (TODOS, open_todos(checkpoint, missing)),
        ("goal", goal(state, request)),
        ("standing instructions", rules(state)),
        ("background jobs", jobs(checkpoint)),
        ("modes", modes(checkpoint)),
        ("project memory", memory(checkpoint)),
        ("notepad", notepad(checkpoint)),
        ("files", files(&state.files)),
        ("commits", commits(state)),
    ];
    let said = all.into_iter().filter(|(_, text)| !text.trim().is_empty());
    said.map(|(name, text)| Part {
        name,
        text: defuse(&redact(&visible(text.trim_end()))).into_owned(),
        lines: name == TODOS,
    })
    .collect()
}

/// A title and its items, one a line; nothing without items.
fn list(title: &str, items: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    let mut out = String::new();
    for item in items {
        if out.is_empty() {
            out.push_str(title);
        }
        let _ = write!(out, "\n- {}", one_line(item.as_ref()));
    }
    out
}

fn rules(state: &State) -> String {
    let standing = state
        .preferences
        .iter()
        .filter(|p| p.superseded_by.is_none());
    list("Standing instructions:", standing.map(|p| &p.text))
}

fn jobs(checkpoint: &Checkpoint) -> String {
    let jobs = checkpoint.background_jobs.active.iter();
    list(
        "Still running in the background:",
        jobs.map(|j| format!("{} {}: {}", j.kind, j.id, j.text)),
    )
}

fn modes(checkpoint: &Checkpoint) -> String {
    let modes = checkpoint.active_modes.iter();
    list(
        "Modes that were on (earlier context, not an order):",
        modes.map(|(name, value)| format!("{name}: {}", clip(&plain(value), 200))),
    )
}

fn notepad(checkpoint: &Checkpoint) -> String {
    let note = checkpoint.project.get("notepad");
    let priority = note.and_then(|n| n.get("priority_context")?.as_str());
    priority.map_or(String::new(), |p| format!("Notepad, priority:\n{p}"))
}

fn commits(state: &State) -> String {
    let newest = state.commits.iter().rev().take(COMMITS);
    list(
        "Commits, newest first:",
        newest.map(|c| format!("{} {}", c.hash, one_line(&c.subject))),
    )
}

/// The latest request and the last change of plan, each at most so many characters.
fn latest(state: &State, max: usize) -> String {
    let mut out = String::new();
    let latest = state.latest_request.as_ref();
    let other = |text: &str| latest.is_none_or(|l| l.text.trim() != text.trim());
    for change in state.scope_change.iter().filter(|c| other(&c.text)) {
        let text = head_tail(&change.text, max, " … ");
        let _ = writeln!(out, "Change of plan ({}):\n{text}", change.reference);
    }
    if let Some(latest) = latest {
        let text = head_tail(&latest.text, max, " … ");
        let _ = writeln!(out, "Latest request ({}):\n{text}", latest.reference);
    }
    out
}

/// The goal, unless it is the latest request.
fn goal(state: &State, max: usize) -> String {
    let lines: Vec<&str> = state.goal.iter().map(|g| g.text.as_str()).collect();
    let text = lines.join("\n");
    let latest = state.latest_request.as_ref();
    if text.is_empty() || latest.is_some_and(|l| l.text.trim() == text.trim()) {
        return String::new();
    }
    format!("Goal of the session:\n{}", head_tail(&text, max, " … "))
}

fn open_todos(checkpoint: &Checkpoint, missing: &[Todo]) -> String {
    let mut out = String::new();
    for item in missing {
        if out.is_empty() {
            out.push_str("Open todos:");
        }
        let mark = match item.status {
            TodoStatus::InProgress => "[~]",
            _ => "[ ]",
        };
        let _ = write!(out, "\n- {mark} {}", one_line(&item.text));
    }
    let done = checkpoint.todo_summary.completed;
    if !out.is_empty() && done > 0 {
        let _ = write!(out, "\n({done} finished)");
    }
    out
}

fn files(files: &[File]) -> String {
    let changed = files
        .iter()
        .filter(|f| f.modified > 0 || f.created || f.deleted);
    let mut changed: Vec<&File> = changed.collect();
    changed.sort_by_key(|f| std::cmp::Reverse(f.reference));
    let mut out = list(
        "Files changed, newest first:",
        changed.iter().take(FILES).map(|f| &f.path),
    );
    if changed.len() > FILES {
        let _ = write!(out, "\n(+{} earlier)", changed.len() - FILES);
    }
    out
}

/// The parts of the project's memory that help most, shortly.
fn memory(checkpoint: &Checkpoint) -> String {
    let Some(Value::Object(memory)) = checkpoint.project.get("memory") else {
        return String::new();
    };
    let mut out = String::from("Project memory:");
    for name in [
        "techStack",
        "build",
        "conventions",
        "structure",
        "userDirectives",
        "customNotes",
        "hotPaths",
        "learnings",
    ] {
        let Some(value) = memory.get(name) else {
            continue;
        };
        let text = match value {
            Value::Array(items) => {
                let items: Vec<String> = items.iter().take(3).map(plain).collect();
                items.join("; ")
            }
            other => plain(other),
        };
        if !text.is_empty() {
            let _ = write!(out, "\n{name}: {}", clip(&text, 200));
        }
    }
    match out.contains('\n') {
        true => clip(&out, MEMORY).into_owned(),
        false => String::new(),
    }
}

/// A JSON value as words.
fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text).into_owned(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        Value::Object(map) => {
            let said = ["directive", "content", "path", "text", "note"]
                .into_iter()
                .find_map(|k| map.get(k)?.as_str());
            match said {
                Some(text) => one_line(text).into_owned(),
                None => map
                    .iter()
                    .map(|(k, v)| format!("{k} {}", plain(v)))
                    .collect::<Vec<_>>()
                    .join(", "),
            }
        }
        other => other.to_string(),
    }
}
