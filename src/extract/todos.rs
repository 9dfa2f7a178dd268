//! The todo list as it stands: the newest list that a tool accepted, or the replay of tools that make and
//! change one task at a time (SPEC 1.7). Refused and failed writes change nothing.

mod text;

use crate::json::{Json, Kind as Shape};
use crate::language::{nfc, one_line};
use crate::session::{Session, Step};
use crate::state::{Todo, TodoStatus};
use crate::transcript::tools::Tool;
use crate::transcript::{Ref, Status};
use serde::{Deserialize, Serialize};
use std::ops::RangeBounds;

/// The list after a part of the session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Board {
    /// Every item of the last list, finished ones included, in its order.
    pub items: Vec<Todo>,
    /// Place (`seq`) of the message that last wrote it; `None` when nothing did.
    pub written: Option<u32>,
}

/// The list for the state: as it stands, or nothing once all of it is finished.
pub fn todos(old: Option<Old<'_>>, session: &Session) -> Vec<Todo> {
    let items = replay(old, session, ..).board.items;
    match items.iter().any(|t| is_open(t.status)) {
        true => items,
        false => Vec::new(),
    }
}

/// Whether there is still something to do for an item of that status.
pub fn is_open(status: TodoStatus) -> bool {
    matches!(status, TodoStatus::Pending | TodoStatus::InProgress)
}

/// The list as the messages at these places (`seq`) leave it.
pub fn board(session: &Session, places: impl RangeBounds<u32>) -> Board {
    replay(None, session, places).board
}

/// Whether the list was ever written.
pub fn is_written(old: Option<Old<'_>>, session: &Session) -> bool {
    replay(old, session, ..).board.written.is_some()
}

/// What is remembered of the list when its calls are let go of.
pub fn remember(old: Option<Old<'_>>, session: &Session) -> Replay {
    let mut replay = replay(old, session, ..);
    replay.board.written = replay.board.written.map(|_| 0);
    replay
}

/// What is known of calls that were let go of.
#[derive(Clone, Copy)]
pub struct Old<'p> {
    pub replay: &'p Replay,
    /// One had a result.
    pub answers: bool,
}

fn replay(old: Option<Old<'_>>, session: &Session, places: impl RangeBounds<u32>) -> Replay {
    // Some agents write no results at all; their calls are all there is.
    let silent =
        !old.is_some_and(|o| o.answers) && !session.all_steps().any(|s| s.outcome.is_some());
    // The empty entry that stands for what was let go of is at the first place.
    let mut replay = match old.filter(|_| places.contains(&0)) {
        Some(old) => old.replay.clone(),
        None => Replay::default(),
    };
    for step in session.steps() {
        let Some(reference) = step.entry.number else {
            continue;
        };
        let accepted = match step.outcome {
            Some(outcome) => matches!(outcome.status, Status::Ok | Status::Unknown),
            None => silent,
        };
        if accepted && places.contains(&step.entry.seq) && replay.take(&step, reference) {
            replay.board.written = Some(step.entry.seq);
        }
    }
    replay
}

/// Which kind of tool keeps the list; the newest kind wins, a mix of both is two lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum Keeper {
    List,
    Tasks,
}

/// The list while the calls that change it are followed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    board: Board,
    keeper: Option<Keeper>,
}

impl Replay {
    /// Whether the call wrote the list.
    fn take(&mut self, step: &Step<'_>, reference: Ref) -> bool {
        let args = step.call.args.json();
        match step.call.tool {
            Tool::TodoList => self.list(step, &args, reference),
            // `update_plan` by its shape, whatever the tool is called.
            Tool::Other if args.get("plan").is_some_and(|p| p.is_array()) => {
                self.list(step, &args, reference)
            }
            Tool::TaskCreate => self.create(step, &args, reference),
            Tool::TaskUpdate => self.update(&args, reference),
            _ => false,
        }
    }

    fn list(&mut self, step: &Step<'_>, args: &Json<'_>, reference: Ref) -> bool {
        if args.text("command").as_deref() == Some("view") {
            return false;
        }
        let found = args.pick(["todos", "plan", "items", "tasks", "list", "task_list"]);
        let Some(value) = found.into_iter().flatten().find(|v| !v.is_null()) else {
            return self.action(step, args, reference);
        };
        let read = match value.kind() {
            Shape::Array => value
                .items()
                .filter_map(|item| item_of(&item, reference))
                .collect::<Vec<_>>(),
            Shape::String => {
                let text = value.str().unwrap_or_default();
                match Json::parse(&text).ok().filter(|v| v.is_array()) {
                    Some(list) => list
                        .items()
                        .filter_map(|item| item_of(&item, reference))
                        .collect(),
                    None => text::items(&text, reference),
                }
            }
            _ => return false,
        };
        if args.get("merge").and_then(|m| m.bool()) == Some(true) {
            for item in read {
                self.merge(item);
            }
        } else {
            self.board.items = read.into_iter().filter_map(|r| r.whole()).collect();
        }
        self.keeper = Some(Keeper::List);
        true
    }

    /// An item of a list that is merged into the old one, by its id or its text.
    fn merge(&mut self, item: Read) {
        let old = self.board.items.iter_mut().find(|t| match &item.id {
            Some(id) => t.id.as_ref() == Some(id),
            None => Some(t.text.as_str()) == item.text.as_deref(),
        });
        match old {
            Some(old) => {
                if let Some(text) = item.text {
                    old.text = text;
                }
                if let Some(status) = item.status {
                    old.status = status;
                }
                old.reference = item.reference;
            }
            None => self.board.items.extend(item.whole()),
        }
    }

    fn start_tasks(&mut self) {
        if self.keeper != Some(Keeper::Tasks) {
            self.board.items.clear();
            self.keeper = Some(Keeper::Tasks);
        }
    }

    fn create(&mut self, step: &Step<'_>, args: &Json<'_>, reference: Ref) -> bool {
        let Some(text) = text_of(args) else {
            return false;
        };
        self.start_tasks();
        let result = step.outcome;
        let id = result
            .and_then(|r| r.side.task.as_deref().map(str::to_owned))
            .or_else(|| result.and_then(|r| text::number(&r.text)))
            .unwrap_or_else(|| self.next_id());
        // A task made again under an old id is the new one.
        self.board.items.retain(|t| t.id.as_ref() != Some(&id));
        self.board.items.push(Todo {
            text,
            status: status_of(args).unwrap_or(TodoStatus::Pending),
            reference,
            id: Some(id),
        });
        true
    }

    /// Where the task of that id stands on the board.
    fn position(&self, id: &str) -> Option<usize> {
        let items = &self.board.items;
        items.iter().position(|t| t.id.as_deref() == Some(id))
    }

    fn next_id(&self) -> String {
        let highest = self
            .board
            .items
            .iter()
            .filter_map(|t| t.id.as_deref().and_then(|id| id.parse::<u64>().ok()));
        (highest.max().unwrap_or(0).saturating_add(1)).to_string()
    }

    fn update(&mut self, args: &Json<'_>, reference: Ref) -> bool {
        let Some(id) = id_of(args) else { return false };
        let gone = args
            .text("status")
            .is_some_and(|s| matches!(s.as_ref(), "deleted" | "removed"));
        let Some(at) = self.position(&id) else {
            return false;
        };
        if gone {
            self.board.items.remove(at);
            return true;
        }
        if let Some(task) = self.board.items.get_mut(at) {
            let subject = args.text("subject").or_else(|| args.text("title"));
            if let Some(text) = subject.as_deref().and_then(clean) {
                task.text = text;
            }
            if let Some(status) = status_of(args) {
                task.status = status;
                task.reference = reference;
            }
        }
        true
    }

    /// Tools that change a list by actions: `{"action":"add","text":"…"}`, `{"action":"toggle","id":1}`.
    fn action(&mut self, step: &Step<'_>, args: &Json<'_>, reference: Ref) -> bool {
        let named = args.pick(["action", "op", "command"]);
        let Some(action) = named.into_iter().flatten().find_map(|a| a.str()) else {
            return false;
        };
        match action.to_ascii_lowercase().as_str() {
            "add" | "create" | "new" | "append" => self.create(step, args, reference),
            "clear" | "reset" => {
                self.start_tasks();
                self.board.items.clear();
                true
            }
            "toggle" => self.set(args, reference, |old| match old {
                TodoStatus::Completed => Some(TodoStatus::Pending),
                _ => Some(TodoStatus::Completed),
            }),
            "done" | "complete" | "check" | "finish" => {
                self.set(args, reference, |_| Some(TodoStatus::Completed))
            }
            "start" => self.set(args, reference, |_| Some(TodoStatus::InProgress)),
            "uncheck" | "reopen" => self.set(args, reference, |_| Some(TodoStatus::Pending)),
            "delete" | "remove" | "drop" => self.set(args, reference, |_| None),
            "update" | "edit" => self.update(args, reference),
            _ => false,
        }
    }

    fn set(
        &mut self,
        args: &Json<'_>,
        reference: Ref,
        status: impl Fn(TodoStatus) -> Option<TodoStatus>,
    ) -> bool {
        let Some(id) = id_of(args) else { return false };
        let Some(at) = self.position(&id) else {
            return false;
        };
        match self.board.items.get_mut(at) {
            Some(task) => match status(task.status) {
                Some(new) => {
                    task.status = new;
                    task.reference = reference;
                }
                None => {
                    self.board.items.remove(at);
                }
            },
            None => return false,
        }
        true
    }
}

/// An item as a call gives it; in a merge parts of it may be missing.
pub(super) struct Read {
    text: Option<String>,
    status: Option<TodoStatus>,
    id: Option<String>,
    reference: Ref,
}

impl Read {
    fn whole(self) -> Option<Todo> {
        Some(Todo {
            text: self.text?,
            status: self.status.unwrap_or(TodoStatus::Pending),
            reference: self.reference,
            id: self.id,
        })
    }
}

fn item_of(item: &Json<'_>, reference: Ref) -> Option<Read> {
    if let Some(text) = item.str() {
        return text::items(&text, reference).pop().or_else(|| {
            Some(Read {
                text: clean(&text),
                status: None,
                id: None,
                reference,
            })
        });
    }
    if !item.is_object() {
        return None;
    }
    Some(Read {
        text: text_of(item),
        status: status_of(item),
        id: item.get("id").and_then(|id| plain(&id)),
        reference,
    })
}

fn text_of(item: &Json<'_>) -> Option<String> {
    let keys = [
        "content",
        "subject",
        "text",
        "step",
        "title",
        "task",
        "description",
        "name",
    ];
    let found = item.pick(keys);
    found
        .into_iter()
        .flatten()
        .filter_map(|v| v.str())
        .find_map(|t| clean(&t))
}

fn id_of(args: &Json<'_>) -> Option<String> {
    let found = args.pick(["taskId", "task_id", "id", "index"]);
    found.into_iter().flatten().find_map(|v| plain(&v))
}

/// A string or a number as text, without the `#` of a task.
fn plain(value: &Json<'_>) -> Option<String> {
    let text = match value.str() {
        Some(text) => text.trim().trim_start_matches('#').to_owned(),
        None => value.u64()?.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn clean(text: &str) -> Option<String> {
    let text = one_line(text);
    let text = nfc(text.trim());
    (!text.is_empty()).then(|| text.into_owned())
}

fn status_of(item: &Json<'_>) -> Option<TodoStatus> {
    if let Some(done) = item.get("done").or_else(|| item.get("completed"))
        && let Some(done) = done.bool()
    {
        return Some(match done {
            true => TodoStatus::Completed,
            false => TodoStatus::Pending,
        });
    }
    let word = item.text("status").or_else(|| item.text("state"))?;
    text::status(&word)
}

#[cfg(test)]
mod tests;
