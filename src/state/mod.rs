//! The state: what a session means, as one JSON object that the next run merges with (CONTRACT 3).
//!
//! `state = merge(previous, extract(session))`; a brief is one view of it.

pub mod clean;
pub mod cursor;
pub mod diff;
pub mod facts;
pub mod foreign;
pub mod prints;
pub mod resume;
pub mod store;

use crate::transcript::Ref;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The name of the schema.
pub const SCHEMA: &str = "compact/state";
/// The version this program writes; a state of a newer one is refused.
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
    /// A whole text: nothing of it is left out.
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
    /// The message that took it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<Ref>,
}

/// Why something is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockerKind {
    /// Somebody said so.
    Stated,
    /// A command failed, and no later run of it succeeded.
    FailedCommand,
    /// A change of a file failed, and the file was not changed since.
    FailedEdit,
    /// Something was begun that has no result yet.
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

/// How far an item of the list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TodoStatus {
    Pending,
    InProgress,
    Completed,
    Cancelled,
}

/// An item of the list as the agent last wrote it; finished lists vanish.
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
    /// Relative below the working directory, `~/…` below the home.
    pub path: String,
    /// How often it was read, and changed.
    pub read: u64,
    pub modified: u64,
    pub created: bool,
    pub deleted: bool,
    pub renamed_from: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Ref,
}

/// A commit that git's own output proves; an amended one takes the place of the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commit {
    pub hash: String,
    pub subject: String,
    pub branch: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Ref,
}

/// Which session it is.
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
    /// RFC 3339, of the first and the last event.
    pub started: Option<String>,
    pub ended: Option<String>,
}

/// Compactions by who asked for them; of some the transcript does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Compactions {
    pub total: u64,
    pub auto: u64,
    pub manual: u64,
}

/// How full the context is; `None` where the transcript does not say, never a guess.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct UsageInfo {
    /// Tokens of the last prompt.
    pub context_tokens: Option<u64>,
    /// Tokens that fit.
    pub window: Option<u64>,
    /// Where the number came from: `reading` or `boundary`.
    pub source: Option<String>,
    pub compactions: Compactions,
}

/// How much was said and done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Turns {
    pub human: u64,
    pub assistant: u64,
    pub tool_calls: u64,
}

/// What reading met: [`Input`](crate::transcript::Input) as JSON.
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

/// How large the brief is, in characters and estimated tokens, and the session it is made of.
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
    /// What the session set out to do: the first real request with its own list.
    pub goal: Vec<Item>,
    /// The latest explicit change of plan.
    pub scope_change: Vec<Item>,
    /// Requests between goal and latest one, oldest first.
    pub earlier_requests: Vec<Item>,
    /// The last message that asks for something, whole.
    pub latest_request: Option<Item>,
    /// Standing rules, the newest last.
    pub preferences: Vec<Preference>,
    /// What is still in the way at the end.
    pub blockers: Vec<Blocker>,
    pub todos: Vec<Todo>,
    /// Only what results of tools prove.
    pub files: Vec<File>,
    pub commits: Vec<Commit>,
    pub usage: UsageInfo,
    pub turns: Turns,
    pub input: InputInfo,
    pub output: OutputInfo,
    /// How far this state has read; the program's own business.
    #[serde(default)]
    pub cursor: Map<String, Value>,
    /// Keys of other versions.
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
