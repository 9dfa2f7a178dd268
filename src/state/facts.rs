//! What a state knows from files that no longer show it; it is kept in the cursor.

use super::prints::Print;
use super::{Blocker, Commit, File, Item, Preference, State, Todo, Turns};
use serde::{Deserialize, Serialize};

/// What a state knows, without the file it came from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The files it came from as one: where a file shows all of it again, it is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<Print>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended: Option<String>,
    pub goal: Vec<Item>,
    pub scope_change: Vec<Item>,
    pub earlier_requests: Vec<Item>,
    pub latest_request: Option<Item>,
    pub preferences: Vec<Preference>,
    pub blockers: Vec<Blocker>,
    pub todos: Vec<Todo>,
    pub files: Vec<File>,
    pub commits: Vec<Commit>,
    pub turns: Turns,
}

impl Facts {
    /// What this state knows; the file it came from is not in it.
    pub fn of(state: &State) -> Facts {
        Facts {
            file: None,
            first: None,
            started: state.session.started.clone(),
            ended: state.session.ended.clone(),
            goal: state.goal.clone(),
            scope_change: state.scope_change.clone(),
            earlier_requests: state.earlier_requests.clone(),
            latest_request: state.latest_request.clone(),
            preferences: state.preferences.clone(),
            blockers: state.blockers.clone(),
            todos: state.todos.clone(),
            files: state.files.clone(),
            commits: state.commits.clone(),
            turns: state.turns,
        }
    }
}
