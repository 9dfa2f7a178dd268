//! A session cut where it was compacted, and the state carried from cut to cut.

use super::measure;
use crate::session::{Session, is_human_turn};
use crate::state::State;
use crate::transcript::{Mark, Options, formats};
use anyhow::Result;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// Lines of the file before which a slice ends, in order. Empty where the file has no lines of its own.
pub fn cuts(path: &Path, session: &Session, every: Option<usize>) -> Vec<u32> {
    if !formats::is_lines(path) {
        return Vec::new();
    }
    let mut cuts = Vec::new();
    let mut turns = 0;
    for entry in session.lane(session.main_lane()) {
        let cut = match every {
            Some(every) => {
                let turn = session.is_active(entry) && is_human_turn(entry);
                turns += usize::from(turn);
                turn && turns > 1 && (turns - 1usize).is_multiple_of(every)
            }
            None => matches!(entry.mark, Some(Mark::Compaction(_))),
        };
        // The first line has nothing before it; a document has no other.
        if cut && entry.line > 1 {
            cuts.push(entry.line);
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}

/// The session as it was before that line. `None`: nothing was said by then.
pub fn before(path: &Path, line: u32, options: &Options<'_>) -> Result<Option<Session>> {
    let mut file = std::fs::File::open(path)?;
    let mut lines = FirstLines {
        input: formats::unpacked(&mut file)?,
        left: line.saturating_sub(1),
    };
    Ok(measure::session_from(&mut lines, options).ok())
}

/// A reader that ends after some lines.
struct FirstLines<R> {
    input: R,
    left: u32,
}

impl<R: Read> Read for FirstLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let read = self.input.read(buffer)?;
        for end in memchr::memchr_iter(b'\n', buffer.get(..read).unwrap_or_default()) {
            self.left -= 1;
            if self.left == 0 {
                return Ok(end + 1);
            }
        }
        Ok(read)
    }
}

/// What must not depend on how often a session was compacted (SPEC 1.11).
const SAME: [&str; 8] = [
    "goal",
    "scope_change",
    "earlier_requests",
    "latest_request",
    "preferences",
    "files",
    "commits",
    "todos",
];

/// Where the two states differ: the key, the item and its reference.
pub fn difference(sliced: &State, whole: &State) -> Option<(String, Option<String>)> {
    let (sliced, whole) = (
        serde_json::to_value(sliced).ok()?,
        serde_json::to_value(whole).ok()?,
    );
    for key in SAME {
        let (a, b) = (items(&sliced, key), items(&whole, key));
        if a == b {
            continue;
        }
        let lost = b.iter().find(|i| !a.contains(i));
        let gained = a.iter().find(|i| !b.contains(i));
        let (what, item) = match (lost, gained) {
            (Some(item), _) => ("only in one go", *item),
            (None, Some(item)) => ("only in slices", *item),
            (None, None) => return Some((format!("{key}: another order"), None)),
        };
        let text = ["text", "path", "hash"]
            .iter()
            .find_map(|k| item.get(k)?.as_str())
            .unwrap_or_default();
        let text = crate::language::one_line(text).into_owned();
        let text = crate::language::clip(&text, 60).into_owned();
        let reference = item.get("ref").and_then(Value::as_str).map(str::to_owned);
        return Some((format!("{key}: {what}: {text}"), reference));
    }
    None
}

fn items<'v>(state: &'v Value, key: &str) -> Vec<&'v Value> {
    match state.get(key) {
        Some(Value::Array(items)) => items.iter().collect(),
        Some(Value::Null) | None => Vec::new(),
        Some(one) => vec![one],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::Item;
    use crate::transcript::Ref;

    #[test]
    fn a_reader_ends_after_its_lines() {
        let text = "one\n\ntwo\nthree";
        for (left, want) in [(0, ""), (1, "one\n"), (3, "one\n\ntwo\n"), (9, text)] {
            let mut lines = FirstLines {
                input: text.as_bytes(),
                left,
            };
            let mut read = String::new();
            lines.read_to_string(&mut read).unwrap();
            assert_eq!(read, want);
        }
    }

    #[test]
    fn a_difference_names_its_item() {
        let mut whole = State::default();
        whole.goal.push(Item::new("캐시 고쳐줘", Ref::Message(3)));
        let sliced = State::default();
        let (what, reference) = difference(&sliced, &whole).unwrap();
        assert_eq!(what, "goal: only in one go: 캐시 고쳐줘");
        assert_eq!(reference.as_deref(), Some("#3"));
        assert_eq!(difference(&whole, &whole), None);
        // What is no promise may differ.
        whole.turns.human = 9;
        let other = State {
            goal: whole.goal.clone(),
            ..State::default()
        };
        assert_eq!(difference(&other, &whole), None);
    }
}
