//! The state: what a session means, as one JSON object that the next run merges with (CONTRACT 3).
//!
//! `state = merge(previous, extract(session))`; a brief is one view of it.

pub mod clean;
pub mod cursor;
pub mod diff;
pub mod foreign;
pub mod merge;
pub mod resume;
pub mod store;

use crate::transcript::Ref;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name of the schema, and the version this program writes.
pub const SCHEMA: &str = "compact/state";
pub const VERSION: u64 = 1;

/// A text with the message that proves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    pub text: String,
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// How many lines of the message follow that are not listed; only on the last line of a long goal.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub more: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Item {
    pub fn new(text: impl Into<String>, reference: Ref) -> Item {
        Item {
            text: text.into(),
            reference,
            more: 0,
        }
    }
}

/// A standing rule; one that was taken back names the message that did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preference {
    pub text: String,
    #[serde(rename = "ref")]
    pub reference: Ref,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<Ref>,
}

/// Why something is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockerKind {
    Stated,
    FailedCommand,
    FailedEdit,
    InFlight,
}

/// Something still in the way at the end. `person` tells whose words it is; only stated ones can be a person's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blocker {
    pub text: String,
    #[serde(rename = "ref")]
    pub reference: Ref,
    pub kind: BlockerKind,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub person: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Todo {
    pub text: String,
    pub status: TodoStatus,
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// The host's own id of the task, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
}

/// A file, with what tool results prove of it. `reference` is the last call that touched it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    pub path: String,
    pub read: u64,
    pub modified: u64,
    pub created: bool,
    pub deleted: bool,
    pub renamed_from: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Ref,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub hash: String,
    pub subject: String,
    pub branch: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Ref,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SessionInfo {
    pub id: Option<String>,
    pub format: String,
    pub title: Option<String>,
    pub cwd: Option<String>,
    pub branch: Option<String>,
    /// The human's own language (`ko`, `en`, …), from their words.
    pub language: Option<String>,
    pub models: Vec<String>,
    pub started: Option<String>,
    pub ended: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Compactions {
    pub total: u64,
    pub auto: u64,
    pub manual: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageInfo {
    pub context_tokens: Option<u64>,
    pub window: Option<u64>,
    pub source: Option<String>,
    pub compactions: Compactions,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turns {
    pub human: u64,
    pub assistant: u64,
    pub tool_calls: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InputInfo {
    pub records: u64,
    pub skipped: u64,
    pub skipped_lines: Vec<u64>,
    pub repaired: u64,
    pub pending: u64,
    #[serde(default)]
    pub stitched: u64,
    pub unknown: std::collections::BTreeMap<String, u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct OutputInfo {
    pub chars: u64,
    pub tokens: u64,
    pub source_tokens: u64,
}

/// The whole state. Keys are written in this order; unknown ones survive in `rest`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct State {
    pub schema: String,
    pub version: u64,
    pub session: SessionInfo,
    pub goal: Vec<Item>,
    pub scope_change: Vec<Item>,
    pub earlier_requests: Vec<Item>,
    pub latest_request: Option<Item>,
    pub preferences: Vec<Preference>,
    pub blockers: Vec<Blocker>,
    pub todos: Vec<Todo>,
    pub files: Vec<File>,
    pub commits: Vec<Commit>,
    pub usage: UsageInfo,
    pub turns: Turns,
    pub input: InputInfo,
    pub output: OutputInfo,
    /// How far this state has read; the program's own business.
    #[serde(default)]
    pub cursor: Map<String, Value>,
    #[serde(flatten)]
    pub rest: Map<String, Value>,
}

impl Default for State {
    fn default() -> State {
        State {
            schema: SCHEMA.to_owned(),
            version: VERSION,
            session: SessionInfo::default(),
            goal: Vec::new(),
            scope_change: Vec::new(),
            earlier_requests: Vec::new(),
            latest_request: None,
            preferences: Vec::new(),
            blockers: Vec::new(),
            todos: Vec::new(),
            files: Vec::new(),
            commits: Vec::new(),
            usage: UsageInfo::default(),
            turns: Turns::default(),
            input: InputInfo::default(),
            output: OutputInfo::default(),
            cursor: Map::new(),
            rest: Map::new(),
        }
    }
}

#[cfg(test)]
mod tests;
