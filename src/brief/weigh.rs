//! What a part is worth: how likely a reader of the brief misses something without it.
//!
//! Only general signs count – names, numbers, quoted code, links, outcomes and causes against announcements and
//! pasted text – and the place: a person's words, the answer that closes a turn, the end of the session. Each sign
//! adds to the logarithm of the worth, so signs multiply and none of them decides alone.

use super::calls::Line;
use super::talk::{Block, Talk};
use crate::lexicon::{Group, Rules};
use crate::session::Step;
use crate::transcript::tools::Tool;
use std::collections::BTreeMap;

// The numbers come from a Poisson regression over labelled sessions (what share of the facts a careful reader noted
// stands in a part), rounded, and smaller where one half of the sessions did not bear the other half out.
/// The length, in characters, that adds nothing.
const USUAL: f64 = 60.0;
/// Below it a text hardly says anything by itself.
const SHORT: usize = 25;
/// How fast further lines of one message lose worth.
const RANK: f64 = 0.05;
/// Blocks that count as the end of the session, and as its very end.
const LATE: usize = 16;
const LAST: usize = 2;
/// Only the ratio between worths counts; this keeps them near those of notices and images, which are given directly.
const SCALE: f64 = 10.0;

/// Adds up signs.
#[derive(Clone, Copy)]
struct Signs(f64);

impl Signs {
    fn when(self, holds: bool, sign: f64) -> Signs {
        Signs(if holds { self.0 + sign } else { self.0 })
    }

    fn add(self, sign: f64) -> Signs {
        Signs(self.0 + sign)
    }

    fn worth(self) -> f64 {
        SCALE * self.0.exp()
    }
}

/// The logarithm of the length against the usual one.
fn length(text: &str) -> f64 {
    (text.chars().count().clamp(4, 300) as f64 / USUAL).ln()
}

fn short(text: &str) -> bool {
    text.chars().count() < SHORT
}

fn any(group: Group, text: &str) -> bool {
    Rules::builtin().any(group, text)
}

/// Words that name something exactly, and whether there is a number among them.
struct Names {
    /// Paths, identifiers, numbers.
    count: usize,
    numbers: bool,
}

fn names(text: &str) -> Names {
    let mut found = Names {
        count: 0,
        numbers: false,
    };
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let digit = bare.bytes().any(|b| b.is_ascii_digit());
        let inner = bare.contains(['/', '_', '.', '=']) && bare.chars().count() > 3;
        let camel = bare
            .as_bytes()
            .windows(2)
            .any(|w| matches!(w, [a, b] if a.is_ascii_lowercase() && b.is_ascii_uppercase()));
        found.numbers |= digit;
        found.count += usize::from(digit) + usize::from(inner) + usize::from(camel);
    }
    found
}

/// Where a piece of what a person said stands in the message.
#[derive(Debug, Clone, Copy)]
pub struct Spot {
    /// From 0.
    pub at: usize,
    /// Pieces of the message.
    pub of: usize,
    /// The message is the latest request, which has a section of its own.
    pub latest: bool,
}

/// A line or sentence of a person.
pub fn person(text: &str, spot: Spot) -> f64 {
    // A long message is mostly something pasted; what the person wants stands at one of its ends.
    let middle = spot.of > 6 && spot.at >= 2 && spot.at + 2 < spot.of;
    Signs(1.4)
        .add(0.5 * length(text))
        .add(-0.5 * (spot.of.max(1) as f64).ln())
        .when(short(text), -0.6)
        .when(names(text).numbers, 0.9)
        .when(looks_pasted(text), -0.65)
        .when(middle, -0.95)
        .when(spot.latest, -0.5)
        .when(asks(text), -0.4)
        .worth()
}

fn asks(text: &str) -> bool {
    text.trim_end().ends_with(['?', '？'])
}

/// Prompts, traces, JSON and the like: someone else's words under a person's name.
fn looks_pasted(text: &str) -> bool {
    let text = text.trim();
    let letters = text
        .chars()
        .filter(|c| c.is_alphabetic() || *c == ' ')
        .count();
    let all = text.chars().count().max(1);
    letters * 100 < all * 70
        || text.starts_with(['{', '}', '[', ']', '<', '+', '|', '>', '$', '%', '↑'])
        || text.starts_with("at ")
}

/// A line or sentence of an assistant.
pub fn prose(text: &str, closing: bool, last: bool, fenced: bool) -> f64 {
    let names = names(text);
    let code = (text.matches('`').count() / 2).min(4) as f64 / 4.0;
    // The last message of all may end in the question that waits for an answer.
    let announces = any(Group::Announcements, text) && !(last && asks(text));
    Signs(-0.5)
        .add(0.7 * length(text))
        .add(0.45 * code)
        .add(0.4 * names.count.min(5) as f64 / 5.0)
        .when(short(text), -0.8)
        .when(names.numbers, 0.3)
        .when(closing, 0.6)
        .when(last, 0.3)
        .when(fenced, -0.45)
        .when(text.trim_start().starts_with('|'), -0.55)
        .when(text.contains('→') || text.contains("->"), 0.55)
        .when(text.contains("http"), 0.8)
        .when(asks(text), 0.5)
        .when(any(Group::Causes, text), 0.2)
        .when(announces, -0.35)
        .worth()
}

/// A line that was written into a document, against one that was said.
pub fn written(text: &str) -> f64 {
    0.5 * prose(text, false, false, false)
}

/// A tool call.
pub fn call(step: &Step<'_>, line: &Line) -> f64 {
    let commits = step.call.tool == Tool::Shell && line.text.contains("git commit");
    let kind = match step.call.tool {
        Tool::Shell => -0.15,
        Tool::Edit | Tool::Patch if !line.quotes => -0.55,
        Tool::Read | Tool::Search | Tool::List => -0.6,
        _ => 0.0,
    };
    Signs(-1.0)
        .add(kind)
        .add(length(&line.text))
        .when(short(&line.text), -0.5)
        .when(line.proof, 2.2)
        .when(line.failed, 0.3)
        // The commits have a section.
        .when(commits, -0.4)
        .worth()
}

/// What a part that says again what a section says is worth against one that says it first.
pub const AGAIN: f64 = 0.22;

/// Raises what stands near the end of the session, and lowers what a message says besides its best lines.
pub fn place(talk: &mut Talk) {
    let blocks = talk.blocks.len();
    for (i, block) in talk.blocks.iter_mut().enumerate() {
        let behind = blocks - i;
        let at = (i + 1) as f64 / blocks.max(1) as f64 - 0.5;
        // What a person said early still holds; what was answered early is often overtaken.
        let age = if block.head == "[user]" { -0.45 } else { 0.9 };
        let signs = Signs(age * at)
            .when(behind <= LATE, 0.4)
            .when(behind <= LAST, 0.45);
        let parts = block.parts.len();
        let mut ends: BTreeMap<u32, usize> = BTreeMap::new();
        for (k, part) in block.parts.iter_mut().enumerate() {
            // What was being done when the session ended is told by its last calls.
            let final_call = behind == 1 && part.line.is_none() && k + 3 >= parts;
            part.value *= signs.when(final_call, 1.2).0.exp();
            if part.line.is_some()
                && let Some(message) = part.messages.first()
            {
                ends.insert(*message, k);
            }
        }
        if block.head == "[assistant]" {
            // A message ends with what it comes to.
            for k in ends.into_values() {
                if let Some(part) = block.parts.get_mut(k) {
                    part.value *= 1.45;
                }
            }
        }
        diminish(block);
    }
}

/// The second-best line of a message tells less than the best, the tenth hardly anything new.
fn diminish(block: &mut Block) {
    let density = |p: &super::talk::Part| p.value / (p.text.chars().count() as f64 + 6.0);
    let mut order: Vec<(f64, usize)> = block.parts.iter().map(density).zip(0..).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut ranks: BTreeMap<u32, f64> = BTreeMap::new();
    for (_, at) in order {
        let Some(part) = block.parts.get_mut(at).filter(|p| p.line.is_some()) else {
            continue;
        };
        let message = part.messages.first().copied().unwrap_or(0);
        let rank = ranks.entry(message).or_insert(0.0);
        part.value /= 1.0 + RANK * *rank;
        *rank += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONLY: Spot = Spot {
        at: 0,
        of: 1,
        latest: false,
    };

    fn said(text: &str) -> f64 {
        prose(text, true, false, false)
    }

    #[test]
    fn what_names_something_is_worth_more() {
        assert!(
            said("재시도는 `retry.rs`에서 3회로 제한했습니다.")
                > said("재시도는 그 파일에서 몇 번으로 제한했습니다.")
        );
        assert!(
            said("The build failed because the lock file was stale.")
                > said("The build failed again, and the lock file was stale.")
        );
    }

    #[test]
    fn announcements_and_fences_are_worth_less() {
        let plain = said("The parser reads the header first.");
        assert!(said("Let me read the header first now.") < plain);
        assert!(prose("The parser reads the header first.", true, false, true) < plain);
        assert!(prose("The parser reads the header first.", false, false, false) < plain);
        let (ask, rest) = ("Would you like the header too?", (true, false));
        assert!(prose(ask, rest.0, true, rest.1) > prose(ask, rest.0, false, rest.1));
    }

    #[test]
    fn the_middle_of_a_long_message_is_worth_less_than_its_ends() {
        let text = "설정 파일은 그대로 두고 테스트만 고쳐 주세요";
        let at = |at| {
            person(
                text,
                Spot {
                    at,
                    of: 20,
                    latest: false,
                },
            )
        };
        assert!(at(10) < at(0));
        assert!(at(10) < at(19));
        assert!(person(text, ONLY) > at(0));
        assert!(
            person("{\"a\": [true], \"b\": {\"c\": null}, \"d\": []}", ONLY) < person(text, ONLY)
        );
    }
}
