//! What other tools left in a project's folder (SPEC 4.3), read as it is and never trusted: every file is
//! optional, a damaged one is skipped, nothing is written.

use crate::redact::redact;
use crate::state::{Todo, TodoStatus};
use crate::transcript::{Millis, Ref};
use serde_json::{Map, Value};
use std::fs;
use std::io::Read;
use std::path::Path;

/// Bytes read of one file, and of the notepad.
const FILE: u64 = 256 << 10;
const NOTEPAD: usize = 8192;
/// Characters of the notepad's priority section.
const PRIORITY: usize = 500;
const DAY: i64 = 24 * 60 * 60 * 1000;

/// What was found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    /// `memory`, `notepad`, `plans`, as far as there are any.
    pub files: Map<String, Value>,
    /// Modes that were on for this session.
    pub modes: Map<String, Value>,
    /// A todo list kept in a file, for sessions without one of their own.
    pub todos: Vec<Todo>,
}

fn text(path: &Path) -> Option<String> {
    let mut text = Vec::new();
    let file = fs::File::open(path).ok()?;
    file.take(FILE).read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

fn json(path: &Path) -> Option<Value> {
    serde_json::from_str(&text(path)?).ok()
}

/// Reads a project's folder for the session with that id; times are compared with `now`, the last record's.
pub fn read(dir: &Path, session: Option<&str>, now: Option<&str>) -> Project {
    let omc = dir.join(".omc");
    let now = now.and_then(Millis::parse);
    let mut found = Project::default();
    if let Some(memory) = json(&omc.join("project-memory.json")).filter(Value::is_object) {
        found
            .files
            .insert("memory".to_owned(), clean(both_directives(memory)));
    }
    if let Some(note) = text(&omc.join("notepad.md")) {
        let note = notepad(&note, now);
        if !note.is_empty() {
            found
                .files
                .insert("notepad".to_owned(), Value::Object(note));
        }
    }
    let plans = plans(&omc.join("notepads"));
    if !plans.is_empty() {
        found.files.insert("plans".to_owned(), Value::Object(plans));
    }
    for mode in ["autopilot", "ralph", "ultrawork", "ultraqa"] {
        let state = json(&omc.join("state").join(format!("{mode}-state.json")));
        if let Some(state) = state.and_then(|s| active_mode(s, session, now)) {
            found.modes.insert(mode.to_owned(), clean(state));
        }
    }
    found.todos = [dir.join(".claude/todos.json"), omc.join("state/todos.json")]
        .iter()
        .filter_map(|path| json(path))
        .map(|value| todos(&value))
        .find(|list| !list.is_empty())
        .unwrap_or_default();
    found
}

/// Secrets out of every text of a value.
fn clean(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text).into_owned()),
        Value::Array(items) => Value::Array(items.into_iter().map(clean).collect()),
        Value::Object(map) => Value::Object(map.into_iter().map(|(k, v)| (k, clean(v))).collect()),
        other => other,
    }
}

/// Old memories say `directives`; both are `userDirectives` here.
fn both_directives(mut memory: Value) -> Value {
    if let Some(map) = memory.as_object_mut()
        && let Some(old) = map.remove("directives")
    {
        match map.get_mut("userDirectives").and_then(Value::as_array_mut) {
            Some(new) => new.extend(old.as_array().into_iter().flatten().cloned()),
            None => drop(map.insert("userDirectives".to_owned(), old)),
        }
    }
    memory
}

/// The notepad's sections without comments; old entries of the working memory are left out.
fn notepad(note: &str, now: Option<Millis>) -> Map<String, Value> {
    let mut end = note.len().min(NOTEPAD);
    while !note.is_char_boundary(end) {
        end -= 1;
    }
    let mut plain = String::new();
    let mut rest = note.get(..end).unwrap_or_default();
    while let Some((before, after)) = rest.split_once("<!--") {
        plain.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let mut found = Map::new();
    for part in format!("\n{plain}").split("\n## ").skip(1) {
        let (title, body) = part.split_once('\n').unwrap_or((part, ""));
        let title = title.trim();
        let body = match title {
            "Priority Context" => body.trim().chars().take(PRIORITY).collect(),
            "Working Memory" => recent(body, now),
            "MANUAL" => body.trim().to_owned(),
            _ => continue,
        };
        if !body.is_empty() {
            let key = title.to_lowercase().replace(' ', "_");
            found.insert(key, Value::String(redact(&body).into_owned()));
        }
    }
    found
}

/// The entries (`### 2026-01-05 09:30`) of the last seven days; text before the first entry stays.
fn recent(body: &str, now: Option<Millis>) -> String {
    let fresh = |entry: &str| {
        let stamp = entry.lines().next().unwrap_or_default().trim();
        let time = Millis::parse(&stamp.replacen(' ', "T", 1)).or_else(|| {
            let day = stamp.get(..10)?;
            Millis::parse(&format!("{day}T00:00:00"))
        });
        match (time, now) {
            (Some(time), Some(now)) => now.0.saturating_sub(time.0) <= 7 * DAY,
            _ => true,
        }
    };
    let marked = format!("\n{body}");
    let mut parts = marked.split("\n### ");
    let mut out = parts.next().unwrap_or_default().trim().to_owned();
    for entry in parts.filter(|e| fresh(e)) {
        out.push_str("\n### ");
        out.push_str(entry.trim_end());
    }
    out.trim().to_owned()
}

fn plans(dir: &Path) -> Map<String, Value> {
    let mut names: Vec<_> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|e| e.path().is_dir())
        .map(|e| e.file_name())
        .collect();
    names.sort();
    let mut found = Map::new();
    for name in names {
        let mut plan = Map::new();
        for part in ["learnings", "decisions", "issues", "problems"] {
            let note = text(&dir.join(&name).join(format!("{part}.md")));
            if let Some(note) = note.filter(|n| !n.trim().is_empty()) {
                plan.insert(
                    part.to_owned(),
                    Value::String(redact(note.trim()).into_owned()),
                );
            }
        }
        if !plan.is_empty() {
            found.insert(name.to_string_lossy().into_owned(), Value::Object(plan));
        }
    }
    found
}

/// A mode that is on, belongs to this session, and was not buried within the last day.
fn active_mode(mut state: Value, session: Option<&str>, now: Option<Millis>) -> Option<Value> {
    let map = state.as_object_mut()?;
    if map.get("active").and_then(Value::as_bool) != Some(true) {
        return None;
    }
    let get = |keys: [&str; 2]| keys.into_iter().find_map(|k| map.get(k).cloned());
    let owner = get(["session_id", "sessionId"]);
    if let Some(owner) = owner.as_ref().and_then(Value::as_str)
        && session != Some(owner)
    {
        return None;
    }
    if let Some(buried) = get(["tombstone", "tombstoned_at"]).filter(|t| !t.is_null()) {
        let time = buried.as_str().and_then(Millis::parse);
        let over = time
            .zip(now)
            .is_some_and(|(t, now)| now.0.saturating_sub(t.0) > DAY);
        if !over {
            return None;
        }
    }
    if let Some(old) = map.remove("original_prompt") {
        map.entry("prompt").or_insert(old);
    }
    Some(state)
}

fn todos(value: &Value) -> Vec<Todo> {
    let list = value.as_array().or_else(|| value.get("todos")?.as_array());
    let item = |item: &Value| {
        let text = ["content", "text", "subject", "title"]
            .into_iter()
            .find_map(|k| item.get(k)?.as_str())?;
        let status = match item.get("status").and_then(Value::as_str) {
            Some("completed" | "done") => TodoStatus::Completed,
            Some("in_progress" | "active") => TodoStatus::InProgress,
            Some("cancelled" | "deleted") => TodoStatus::Cancelled,
            _ => TodoStatus::Pending,
        };
        Some(Todo {
            text: text.to_owned(),
            status,
            // Not from the transcript; the session's beginning stands for it.
            reference: Ref::Message(0),
            id: item.get("id").and_then(Value::as_str).map(str::to_owned),
        })
    };
    list.into_iter().flatten().filter_map(item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn write(dir: &Path, name: &str, text: &str) {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    #[test]
    fn what_another_tool_left_is_read_as_it_is() {
        let dir = tempfile::tempdir().expect("a folder");
        let at = dir.path();
        write(
            at,
            ".omc/project-memory.json",
            r#"{"build":"make","directives":[{"directive":"탭 금지"}]}"#,
        );
        write(
            at,
            ".omc/notepad.md",
            "<!-- x -->\n## Priority Context\n배포는 금요일 금지\n## Working Memory\n### 2026-01-01 00:00\n옛것\n### 2026-01-20 00:00\n새것\n## Other\nno\n",
        );
        write(
            at,
            ".omc/state/ralph-state.json",
            r#"{"active":true,"session_id":"s1","iteration":2,"original_prompt":"p"}"#,
        );
        write(at, ".omc/state/ultraqa-state.json", r#"{"active":false}"#);
        write(
            at,
            ".omc/state/autopilot-state.json",
            r#"{"active":true,"session_id":"other"}"#,
        );
        write(at, ".omc/notepads/login/decisions.md", "쿠키 사용\n");
        write(
            at,
            ".claude/todos.json",
            r#"[{"content":"테스트","status":"pending"}]"#,
        );
        let found = read(at, Some("s1"), Some("2026-01-21T00:00:00Z"));
        let memory = found.files.get("memory").expect("a memory");
        assert_eq!(
            memory.get("userDirectives"),
            Some(&json!([{"directive": "탭 금지"}]))
        );
        let note = found.files.get("notepad").expect("a notepad");
        assert_eq!(
            note.get("priority_context"),
            Some(&json!("배포는 금요일 금지"))
        );
        let working = note.get("working_memory").and_then(Value::as_str);
        assert_eq!(working, Some("### 2026-01-20 00:00\n새것"));
        assert!(note.get("other").is_none());
        assert_eq!(found.modes.keys().collect::<Vec<_>>(), ["ralph"]);
        assert_eq!(
            found.modes.get("ralph").and_then(|m| m.get("prompt")),
            Some(&json!("p"))
        );
        assert_eq!(found.todos.len(), 1);
        assert!(found.files.contains_key("plans"));
    }

    #[test]
    fn an_empty_folder_gives_nothing() {
        let dir = tempfile::tempdir().expect("a folder");
        assert_eq!(read(dir.path(), None, None), Project::default());
    }
}
