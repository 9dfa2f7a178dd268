//! What a part is worth: how likely a reader of the brief misses something without it.
//!
//! Only general signs count – names, numbers, quoted code, links, outcomes and causes against announcements and
//! pasted text – and the place: a person's words, the answer that closes a turn, the end of the session. Each sign
//! adds to the logarithm of the worth, so signs multiply and none of them decides alone.

use super::blocks::{ASSISTANT, Part, USER};
use super::calls::Line;
use super::signs;
use crate::language::script::{is_alphanumeric, is_syllable};
use crate::lexicon::{Group, Rules};
use crate::session::Step;
use crate::transcript::tools::Tool;
use std::collections::BTreeMap;
use std::sync::LazyLock;

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
/// What the latest request says counts that much less here.
const LATEST: f64 = -0.5;
/// Characters a part costs besides its text: reference, header, line break.
pub const OVERHEAD: f64 = 10.0;
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
        let bare = word.trim_matches(|c| !is_alphanumeric(c));
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
        .when(spot.latest, LATEST)
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
        .filter(|c| is_syllable(*c) || c.is_alphabetic() || *c == ' ')
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

/// What a message's last part gains: a message ends with what it comes to.
const END: f64 = 1.45;

/// What the last calls of a session gain.
const FINAL: f64 = 1.2;

/// How much the place of a block (from 0, among `blocks`) raises or lowers what stands in it.
fn standing(head: &str, at: usize, blocks: usize) -> Signs {
    let behind = blocks - at;
    let at = (at + 1) as f64 / blocks.max(1) as f64 - 0.5;
    // What a person said early still holds; what was answered early is often overtaken.
    let age = if head == USER { -0.45 } else { 0.9 };
    Signs(age * at)
        .when(behind <= LATE, 0.4)
        .when(behind <= LAST, 0.45)
}

/// The most that the place of a block makes of a worth. A little more, for what rounding may add.
pub fn most(head: &str, at: usize, blocks: usize) -> f64 {
    let signs = standing(head, at, blocks).when(at + 1 == blocks, FINAL);
    signs.0.exp() * 1.0001
}

/// The most that [`prose`] with such signs is worth for a character.
pub fn most_prose(found: &signs::Signs, closing: bool, last: bool) -> f64 {
    if found.odd {
        return f64::INFINITY;
    }
    let signs = Signs(-0.5)
        .when(found.code, 0.45)
        .when(found.name, 0.4)
        .when(found.digit, 0.3)
        .when(closing, 0.6)
        .when(last, 0.3)
        .when(found.arrow, 0.55)
        .when(found.link, 0.8)
        .when(found.question, 0.5)
        .add(0.2);
    END * signs.worth() * peak(&PROSE, found.marks)
}

/// The most that [`written`] with such signs is worth for a character.
pub fn most_written(found: &signs::Signs) -> f64 {
    0.5 * most_prose(found, false, false)
}

/// The most that [`person`] is worth for a character, in a message of at least so many lines.
pub fn most_person(found: &signs::Signs, lines: usize) -> f64 {
    if found.odd {
        return f64::INFINITY;
    }
    let signs = Signs(1.4)
        .when(found.digit, 0.9)
        .add(-0.5 * (lines.max(1) as f64).ln());
    signs.worth() * peak(&PERSON, found.marks)
}

/// The most that a [`call`] is worth for a character whose line has at most `length` characters.
pub fn most_call(tool: Tool, failed: bool, proof: bool, length: usize) -> f64 {
    let kind = match tool {
        Tool::Shell => -0.15,
        Tool::Read | Tool::Search | Tool::List => -0.6,
        _ => 0.0,
    };
    // What is proven has not failed. The longer, the more a character is worth.
    let sign = if proof { 2.2 } else { 0.3 };
    let length = length.clamp(4, 300) as f64;
    let signs = Signs(-1.0)
        .add(kind)
        .when(proof || failed, sign)
        .add((length / USUAL).ln());
    signs.worth() / (length + 1.0 + OVERHEAD)
}

/// The most that the length of a text can make of a character's worth, for texts that lose up to 0, 8, 16, … characters
/// of Markdown when they are printed.
type Peaks = [f64; 4];

static PROSE: LazyLock<Peaks> = LazyLock::new(|| peaks(0.7, -0.8));
static PERSON: LazyLock<Peaks> = LazyLock::new(|| peaks(0.5, -0.6));

fn peaks(power: f64, short: f64) -> Peaks {
    std::array::from_fn(|lost| {
        let worth = |n: usize| {
            let length = (n.clamp(4, 300) as f64 / USUAL).ln();
            let signs = Signs(power * length).when(n < SHORT, short);
            let printed = n.saturating_sub(8 * lost).max(1);
            signs.0.exp() / (printed as f64 + 1.0 + OVERHEAD)
        };
        (1..=300).map(worth).fold(0.0, f64::max)
    })
}

fn peak(peaks: &Peaks, marks: usize) -> f64 {
    let known = peaks.get(marks.div_ceil(8)).copied();
    known.unwrap_or(f64::INFINITY)
}

/// Raises what stands near the end of the session: in the block `at` of so many.
pub fn place(parts: &mut [Part], head: &str, at: usize, blocks: usize) {
    let signs = standing(head, at, blocks);
    let count = parts.len();
    for (k, part) in parts.iter_mut().enumerate() {
        // What was being done when the session ended is told by its last calls.
        let final_call = at + 1 == blocks && part.line.is_none() && k + 3 >= count;
        part.value *= signs.when(final_call, FINAL).0.exp();
    }
}

/// Raises what a message comes to, and lowers what it says besides its best lines.
pub fn rank(parts: &mut [Part], head: &str) {
    let mut ends: BTreeMap<u32, usize> = BTreeMap::new();
    for (k, part) in parts.iter().enumerate() {
        if part.line.is_some()
            && let Some(message) = part.messages.first()
        {
            ends.insert(*message, k);
        }
    }
    if head == ASSISTANT {
        for k in ends.into_values() {
            if let Some(part) = parts.get_mut(k) {
                part.value *= END;
            }
        }
    }
    diminish(parts);
}

/// The factor of what the latest request says, which has a section of its own.
pub fn latest() -> f64 {
    Signs(LATEST).0.exp()
}

/// The second-best line of a message tells less than the best, the tenth hardly anything new.
fn diminish(parts: &mut [Part]) {
    let density = |p: &Part| p.value / (p.text.chars().count() as f64 + 6.0);
    let mut order: Vec<(f64, usize)> = parts.iter().map(density).zip(0..).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut ranks: BTreeMap<u32, f64> = BTreeMap::new();
    for (_, at) in order {
        let Some(part) = parts.get_mut(at).filter(|p| p.line.is_some()) else {
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
