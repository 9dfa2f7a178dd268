//! A checkpoint as text for the agent, within a budget (SPEC 4.4): whole parts in a fixed order, and one last
//! line that says what was left out.

mod parts;

use super::Checkpoint;
use crate::extract::todos::{self, is_open};
use crate::language::{clip, length, nfc};
use crate::session::Session;
use crate::state::Todo;
use crate::transcript::Mark;
use parts::{Part, parts};
use serde::Serialize;

/// Characters of the text by default.
pub const BUDGET: usize = 6000;
/// With so many characters left or fewer, a part is not begun.
const REST: usize = 120;
/// How the text begins.
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
        let begun = part.lines.then(|| begin(&part.text, left)).flatten();
        if let Some(begun) = begun {
            out.push_str("\n\n");
            out.push_str(begun);
        }
        let given = begun.map_or(0, chars);
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

/// The first whole lines of a text within so many characters; a heading without an item says nothing.
fn begin(text: &str, room: usize) -> Option<&str> {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    ends.chain([text.len()])
        .skip(1)
        .map_while(|end| text.get(..end).filter(|t| chars(t) <= room))
        .last()
}

/// The line that names what was left out.
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
    use crate::state::TodoStatus;
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
