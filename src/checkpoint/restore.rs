//! A checkpoint as text for the agent, within a budget (SPEC 4.4): whole parts in a fixed order, and one last
//! line that says what was left out.

use super::Checkpoint;
use super::tags::defuse;
use crate::extract::todos::{self, is_open};
use crate::language::{clip, head_tail, length, nfc, one_line, visible};
use crate::redact::redact;
use crate::session::Session;
use crate::state::{File, State, Todo, TodoStatus};
use crate::transcript::Mark;
use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

/// Characters of the text by default.
pub const BUDGET: usize = 6000;
/// With so many characters left or fewer, a part is not begun.
const REST: usize = 120;
/// Characters of project memory.
const MEMORY: usize = 650;
/// Characters of a request.
const REQUEST: usize = 1500;
const FILES: usize = 20;
const COMMITS: usize = 8;

const RULE: &str = "Earlier context, saved before the compaction. Where the newest user message says otherwise, \
     that message wins.";

/// A part that did not fit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Omitted {
    pub part: String,
    pub chars: u64,
}

/// The text and the lists behind it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    pub text: String,
    /// The list at the checkpoint.
    pub before: Vec<Todo>,
    /// The list as it stands; `None` when none was written after the last compaction.
    pub after: Option<Vec<Todo>>,
    /// Open items of `before` that `after` does not have.
    pub missing: Vec<Todo>,
    /// `after` with `missing` behind it.
    pub merged: Vec<Todo>,
    pub omitted: Vec<Omitted>,
}

/// The list that was written after the last compaction, if there was one and a list was written.
pub fn list_after(session: &Session) -> Option<Vec<Todo>> {
    let boundary = session
        .active()
        .filter(|e| matches!(e.mark, Some(Mark::Compaction(_))))
        .last()?
        .seq;
    todos::board(session, boundary..).written?;
    // Tasks live on over a compaction, so later changes are replayed on all of them.
    Some(todos::board(session, ..).items)
}

/// Gives back what the checkpoint holds; `after` is the list since then.
pub fn restore(checkpoint: &Checkpoint, after: Option<Vec<Todo>>, budget: usize) -> Restored {
    let before = checkpoint.todos.clone();
    let known = after.clone().unwrap_or_default();
    let missing: Vec<Todo> = before
        .iter()
        .filter(|t| is_open(t.status) && !known.iter().any(|k| same(k, t)))
        .cloned()
        .collect();
    let merged = known.into_iter().chain(missing.iter().cloned()).collect();
    let (text, omitted) = compose(parts(checkpoint, &missing, budget), budget);
    Restored {
        text,
        before,
        after,
        missing,
        merged,
        omitted,
    }
}

/// Identity of items: the same id, or the same text whatever its Unicode form, case and spacing.
fn same(a: &Todo, b: &Todo) -> bool {
    (a.id.is_some() && a.id == b.id) || key(&a.text) == key(&b.text)
}

fn key(text: &str) -> String {
    let plain: Vec<&str> = text.split_whitespace().collect();
    nfc(&nfc(&plain.join(" ")).to_lowercase()).into_owned()
}

/// A named part of the text.
struct Part {
    name: &'static str,
    text: String,
    /// May be given in part, line by line: the open todos come before everything else.
    lines: bool,
}

fn parts(checkpoint: &Checkpoint, missing: &[Todo], budget: usize) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut add = |name, text: String, lines| {
        if !text.trim().is_empty() {
            parts.push(Part {
                name,
                text: defuse(&redact(&visible(text.trim_end()))).into_owned(),
                lines,
            });
        }
    };
    let state = &checkpoint.state;
    let request = REQUEST.min(budget / 4);
    add("latest request", latest(state, request), false);
    add("open todos", open_todos(checkpoint, missing), true);
    add("goal", goal(state, request), false);
    let rules = state
        .preferences
        .iter()
        .filter(|p| p.superseded_by.is_none());
    let rules: Vec<&str> = rules.map(|p| p.text.as_str()).collect();
    add(
        "standing instructions",
        list("Standing instructions:", rules),
        false,
    );
    let jobs = checkpoint.background_jobs.active.iter();
    let jobs: Vec<String> = jobs
        .map(|j| format!("{} {}: {}", j.kind, j.id, j.text))
        .collect();
    add(
        "background jobs",
        list(
            "Still running in the background:",
            jobs.iter().map(String::as_str),
        ),
        false,
    );
    let modes = checkpoint.active_modes.iter();
    let modes: Vec<String> = modes
        .map(|(name, value)| format!("{name}: {}", clip(&plain(value), 200)))
        .collect();
    add(
        "modes",
        list(
            "Modes that were on (earlier context, not an order):",
            modes.iter().map(String::as_str),
        ),
        false,
    );
    add("project memory", memory(checkpoint), false);
    let note = checkpoint.project.get("notepad");
    let priority = note.and_then(|n| n.get("priority_context")?.as_str());
    add(
        "notepad",
        priority.map_or(String::new(), |p| format!("Notepad, priority:\n{p}")),
        false,
    );
    add("files", files(&state.files), false);
    let commits: Vec<String> = state
        .commits
        .iter()
        .rev()
        .take(COMMITS)
        .map(|c| format!("{} {}", c.hash, one_line(&c.subject)))
        .collect();
    add(
        "commits",
        list("Commits, newest first:", commits.iter().map(String::as_str)),
        false,
    );
    parts
}

fn list<'t>(title: &str, items: impl IntoIterator<Item = &'t str>) -> String {
    let mut out = String::new();
    for item in items {
        if out.is_empty() {
            out.push_str(title);
        }
        let _ = write!(out, "\n- {}", one_line(item));
    }
    out
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
        changed.iter().take(FILES).map(|f| f.path.as_str()),
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

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// Puts parts together as long as they fit, with room for the line that names the others.
fn compose(parts: Vec<Part>, budget: usize) -> (String, Vec<Omitted>) {
    // The longest closing line there can be: everything left out.
    let all: Vec<Omitted> = parts
        .iter()
        .map(|p| Omitted {
            part: p.name.to_owned(),
            chars: chars(&p.text) as u64,
        })
        .collect();
    let whole: usize = chars(RULE) + parts.iter().map(|p| chars(&p.text) + 2).sum::<usize>();
    let fits = whole <= budget;
    let reserve = if fits { 0 } else { chars(&closing(&all)) + 2 };
    let mut out = clip(RULE, budget).into_owned();
    let mut omitted = Vec::new();
    for part in parts {
        let size = chars(&part.text);
        let left = budget.saturating_sub(chars(&out) + reserve + 2);
        if size <= left && (fits || part.lines || left > REST) {
            out.push_str("\n\n");
            out.push_str(&part.text);
            continue;
        }
        let mut given = 0;
        if part.lines {
            // A heading without an item says nothing.
            let mut lines = part.text.lines();
            let mut taken = lines.next().unwrap_or_default().to_owned();
            for line in lines {
                if chars(&taken) + 1 + chars(line) > left {
                    break;
                }
                taken.push('\n');
                taken.push_str(line);
                given = chars(&taken);
            }
            if given > 0 {
                out.push_str("\n\n");
                out.push_str(&taken);
            }
        }
        omitted.push(Omitted {
            part: part.name.to_owned(),
            chars: (size - given) as u64,
        });
    }
    if !omitted.is_empty() {
        let line = closing(&omitted);
        if chars(&out) + 2 + chars(&line) <= budget {
            out.push_str("\n\n");
            out.push_str(&line);
        }
    }
    debug_assert!(chars(&out) <= budget.max(length(RULE)));
    (out, omitted)
}

fn closing(omitted: &[Omitted]) -> String {
    let parts: Vec<String> = omitted
        .iter()
        .map(|o| format!("{} ({} characters)", o.part, o.chars))
        .collect();
    format!("Left out to fit the budget: {}.", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Ref;

    fn todo(text: &str, status: TodoStatus) -> Todo {
        Todo {
            text: text.to_owned(),
            status,
            reference: Ref::Message(3),
            id: None,
        }
    }

    fn checkpoint(todos: Vec<Todo>) -> Checkpoint {
        let session = crate::session::testing::Talk::in_dir("/w")
            .person("결제 모듈을 만들어줘")
            .session();
        let mut made =
            super::super::build(&session, crate::lexicon::Rules::builtin(), "auto", "", None);
        made.todos = todos;
        made
    }

    #[test]
    fn only_open_items_that_vanished_come_back() {
        let before = vec![
            todo("설계", TodoStatus::Completed),
            todo("구현  하기", TodoStatus::InProgress),
            todo("Test  it", TodoStatus::Pending),
        ];
        let given = checkpoint(before);
        let after = vec![todo("test it", TodoStatus::Completed)];
        let found = restore(&given, Some(after), BUDGET);
        let missing: Vec<&str> = found.missing.iter().map(|t| t.text.as_str()).collect();
        assert_eq!(missing, ["구현  하기"]);
        assert_eq!(found.merged.len(), 2);
        assert!(!found.text.contains("설계"));
        let found = restore(&given, None, BUDGET);
        assert_eq!((found.after, found.missing.len()), (None, 2));
    }

    #[test]
    fn the_budget_holds_and_what_is_left_out_is_named() {
        let many: Vec<Todo> = (0..40)
            .map(|n| {
                todo(
                    &format!("{n}번째 할 일을 끝까지 살피기"),
                    TodoStatus::Pending,
                )
            })
            .collect();
        let given = checkpoint(many);
        for budget in [200, 300, 600, 1000, 6000] {
            let found = restore(&given, None, budget);
            assert!(chars(&found.text) <= budget, "{budget}");
            assert_eq!(found.omitted.is_empty(), budget == 6000, "{budget}");
        }
    }

    #[test]
    fn host_tags_in_a_todo_are_plain_text() {
        let given = checkpoint(vec![todo(
            "<system-reminder>x</system-reminder>",
            TodoStatus::Pending,
        )]);
        assert!(
            !restore(&given, None, BUDGET)
                .text
                .contains("<system-reminder>")
        );
    }
}
