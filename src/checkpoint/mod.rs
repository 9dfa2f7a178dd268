//! What must survive a compaction, written before it and given back after it (SPEC 4.3 and 4.4).
//!
//! Everything that can come from the transcript does; what another tool left in the project is added on
//! request. Writing and reading files is the caller's business, except for the project's own ones.

pub mod jobs;
pub mod project;
pub mod restore;
mod tags;

use crate::extract::{self, todos};
use crate::language::unmarked;
use crate::lexicon::Rules;
use crate::redact::redact;
use crate::session::Session;
use crate::state::{SessionInfo, State, Todo, TodoStatus};
use jobs::Jobs;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name of the schema.
pub const SCHEMA: &str = "compact/checkpoint";
/// The version this program writes.
pub const VERSION: u64 = 1;

/// Items of the last list by status. Cancelled ones count nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TodoSummary {
    pub pending: u64,
    pub in_progress: u64,
    pub completed: u64,
}

/// The checkpoint of CONTRACT 9, keys in its order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub schema: String,
    pub version: u64,
    /// The last record's time as written.
    pub created_at: Option<String>,
    /// `manual` or `auto`.
    pub trigger: String,
    pub custom_instructions: String,
    pub session: SessionInfo,
    #[serde(default)]
    pub active_modes: Map<String, Value>,
    #[serde(default)]
    pub todo_summary: TodoSummary,
    /// The whole last list, finished items included.
    #[serde(default)]
    pub todos: Vec<Todo>,
    #[serde(default)]
    pub background_jobs: Jobs,
    #[serde(default)]
    pub project: Map<String, Value>,
    pub state: State,
    #[serde(default)]
    pub source: Source,
}

/// How much of the transcript the checkpoint knows.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Source {
    pub format: String,
    pub records: u64,
    pub messages: u64,
    pub context_tokens: Option<u64>,
}

/// Makes the checkpoint of a session; `project` is what [`project::read`] found.
pub fn build(
    session: &Session,
    rules: &Rules,
    trigger: &str,
    instructions: &str,
    project: Option<project::Project>,
) -> Checkpoint {
    let state = extract::extract(session, rules);
    let mut list = todos::board(session, ..).items;
    let project = project.unwrap_or_default();
    if list.is_empty() {
        list.clone_from(&project.todos);
    }
    for item in &mut list {
        item.text = redact(&item.text).into_owned();
    }
    let count = |status| list.iter().filter(|t| t.status == status).count() as u64;
    Checkpoint {
        schema: SCHEMA.to_owned(),
        version: VERSION,
        created_at: session.head.ended.clone(),
        trigger: trigger.to_owned(),
        custom_instructions: redact(instructions).into_owned(),
        session: state.session.clone(),
        active_modes: project.modes,
        todo_summary: TodoSummary {
            pending: count(TodoStatus::Pending),
            in_progress: count(TodoStatus::InProgress),
            completed: count(TodoStatus::Completed),
        },
        todos: list,
        background_jobs: jobs::jobs(session),
        project: project.files,
        source: Source {
            format: state.session.format.clone(),
            records: state.input.records,
            messages: u64::from(session.head.messages),
            context_tokens: state.usage.context_tokens,
        },
        state,
    }
}

impl Checkpoint {
    /// `checkpoint-<created_at with : and . as ->.json`; without a time the number of records stands there.
    pub fn file_name(&self) -> String {
        let time = match &self.created_at {
            Some(time) => time.clone(),
            None => format!("{} records", self.source.records),
        };
        let safe: String = time
            .chars()
            .take(64)
            .map(|c| {
                if c.is_ascii_alphanumeric() || c == '+' {
                    c
                } else {
                    '-'
                }
            })
            .collect();
        format!("checkpoint-{safe}.json")
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// One sentence: no checkpoint, or one of a later version.
    pub fn parse(text: &str) -> Result<Checkpoint, String> {
        let value: Value =
            serde_json::from_str(unmarked(text)).map_err(|e| format!("no checkpoint: {e}"))?;
        if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(
                "no checkpoint of compact; name a file that `compact checkpoint` wrote".to_owned(),
            );
        }
        if value.get("version").and_then(Value::as_u64) > Some(VERSION) {
            return Err(format!(
                "a checkpoint of a later version than {VERSION}; use a newer compact"
            ));
        }
        serde_json::from_value(value).map_err(|e| format!("a damaged checkpoint: {e}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;
    use serde_json::json;

    #[test]
    fn the_whole_last_list_is_kept_and_counted() {
        let list = json!({"todos": [
            {"content": "설계", "status": "completed"}, {"content": "구현", "status": "in_progress"},
        ]});
        let session = Talk::in_dir("/w")
            .person("결제 모듈을 만들어줘")
            .call("TodoWrite", list)
            .ok("Todos have been modified")
            .session();
        let found = build(&session, Rules::builtin(), "auto", "", None);
        assert_eq!(
            found.todo_summary,
            TodoSummary {
                pending: 0,
                in_progress: 1,
                completed: 1
            }
        );
        assert_eq!(found.todos.len(), 2);
        assert_eq!(
            found.file_name(),
            "checkpoint-2026-01-05T09-00-02-000Z.json"
        );
        let text = serde_json::to_string(&found).expect("JSON");
        assert_eq!(
            Checkpoint::parse(&format!("\u{feff}{text}")),
            Ok(found.clone())
        );
        assert_eq!(Checkpoint::parse(&text), Ok(found));
    }

    #[test]
    fn other_files_are_no_checkpoints() {
        for text in [
            "",
            "{}",
            "[]",
            r#"{"schema":"compact/state","version":1}"#,
            r#"{"schema":"compact/checkpoint","version":2}"#,
        ] {
            assert!(Checkpoint::parse(text).is_err(), "{text}");
        }
    }
}
