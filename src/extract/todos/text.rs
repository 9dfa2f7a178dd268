//! Todo lists that are written as text, and the words that agents use for a status.

use super::{Read, clean};
use crate::state::TodoStatus;
use crate::transcript::Ref;

/// Items of a list such as `1. [in_progress] 문법 수정` or `- [x] done`, one a line; other lines are none.
pub fn items(text: &str, reference: Ref) -> Vec<Read> {
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
            let rest = match digits.len() < line.len() {
                true => digits.trim_start_matches(['.', ')']),
                false => line.trim_start_matches(['-', '*', '+']),
            };
            let (mark, text) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
            Some(Read {
                text: clean(text),
                status: Some(box_of(mark)?),
                id: None,
                reference,
            })
        })
        .collect()
}

fn box_of(mark: &str) -> Option<TodoStatus> {
    match mark.trim() {
        "" => Some(TodoStatus::Pending),
        "x" | "X" | "✓" | "✔" => Some(TodoStatus::Completed),
        "~" | ">" | "/" | "-" => Some(TodoStatus::InProgress),
        word => status(word),
    }
}

/// The status that a word names, however it is joined (`in_progress`, `in-progress`, `In Progress`).
pub fn status(word: &str) -> Option<TodoStatus> {
    let word: String = word
        .chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect();
    match word.as_str() {
        "pending" | "todo" | "open" | "notstarted" | "queued" | "blocked" => {
            Some(TodoStatus::Pending)
        }
        "inprogress" | "active" | "doing" | "started" | "running" => Some(TodoStatus::InProgress),
        "completed" | "complete" | "done" | "finished" => Some(TodoStatus::Completed),
        "cancelled" | "canceled" | "abandoned" | "skipped" | "deleted" => {
            Some(TodoStatus::Cancelled)
        }
        _ => None,
    }
}

/// The first number behind a `#` in a result (`Task #3 created successfully`).
pub fn number(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('#')?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then_some(digits)
}
