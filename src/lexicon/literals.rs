//! The literals without which a pattern can't match: the two sieves in front of the compiled patterns. A coarse one for one
//! pass over a text with all patterns at once, [`required`], and a fine one for a single pattern, [`sequences`].
//!
//! Also part of the build script.

use super::row;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, Hir, HirKind};

/// More alternatives than this sieve nothing.
const MOST: usize = 200;

/// Literals of which every match of the pattern (matched without regard to ASCII case) holds at least one; `None` when
/// there is no such set worth having.
pub fn required(pattern: &str) -> Option<Vec<String>> {
    // Parsed case-sensitively: the automaton that looks for the literals ignores case itself.
    let hir = ParserBuilder::new().build().parse(pattern).ok()?;
    let found = required_in(&hir)?;
    // Case outside ASCII is not what the automaton can ignore.
    // A single letter stands in every sentence.
    let tells = |l: &str| !matches!(l.as_bytes(), [b] if b.is_ascii_alphanumeric() || *b == b'.');
    let fit = |l: &String| is_plain(l) && tells(l);
    found.iter().all(fit).then_some(found)
}

fn required_in(hir: &Hir) -> Option<Vec<String>> {
    match hir.kind() {
        HirKind::Literal(literal) => Some(vec![std::str::from_utf8(&literal.0).ok()?.to_owned()]),
        HirKind::Capture(capture) => required_in(&capture.sub),
        HirKind::Repetition(repetition) if repetition.min > 0 => required_in(&repetition.sub),
        HirKind::Concat(parts) => parts.iter().filter_map(required_in).max_by_key(worth),
        HirKind::Alternation(branches) => {
            let mut all = Vec::new();
            for branch in branches {
                all.extend(required_in(branch)?);
                if all.len() > MOST {
                    return None;
                }
            }
            Some(all)
        }
        HirKind::Class(Class::Unicode(class)) => {
            let size: usize = class.iter().map(|r| r.len()).sum();
            (size <= 12).then(|| {
                class
                    .iter()
                    .flat_map(|r| r.start()..=r.end())
                    .map(String::from)
                    .collect()
            })
        }
        _ => None,
    }
}

/// What a pattern needs one of: sets of literals, in their order.
pub type Sequence = Vec<Vec<String>>;

/// More literals than this in one set take longer to look for than the pattern itself.
const MOST_IN_SET: usize = 48;

/// Of every match of the pattern (matched without regard to ASCII case), one of the sequences tells which literals it holds:
/// one of each set, each behind the one before. Empty when there is nothing to tell.
pub fn sequences(pattern: &str) -> Vec<Sequence> {
    let hir = ParserBuilder::new().build().parse(pattern);
    hir.ok()
        .and_then(|hir| alternatives(&hir))
        .unwrap_or_default()
}

/// The [`sequences`] as one text.
pub fn joined(pattern: &str) -> String {
    let sets = |sequence: &Sequence| {
        row::join(sequence.iter().map(|set| row::join(set, row::OR)), row::SET)
    };
    row::join(sequences(pattern).iter().map(sets), row::SEQUENCE)
}

fn alternatives(hir: &Hir) -> Option<Vec<Sequence>> {
    match hir.kind() {
        HirKind::Capture(capture) => alternatives(&capture.sub),
        HirKind::Alternation(branches) => {
            let all: Option<Vec<_>> = branches.iter().map(alternatives).collect();
            all.map(|all| all.concat())
        }
        _ => {
            let mut sequence = Sequence::new();
            in_order(hir, &mut sequence);
            (!sequence.is_empty()).then(|| vec![sequence])
        }
    }
}

fn in_order(hir: &Hir, sequence: &mut Sequence) {
    match hir.kind() {
        HirKind::Capture(capture) => in_order(&capture.sub, sequence),
        HirKind::Repetition(repetition) if repetition.min > 0 => {
            in_order(&repetition.sub, sequence)
        }
        HirKind::Concat(parts) => parts.iter().for_each(|part| in_order(part, sequence)),
        _ => {
            let set = required_in(hir).unwrap_or_default();
            if (1..=MOST_IN_SET).contains(&set.len()) && set.iter().all(|l| is_plain(l)) {
                sequence.push(set.iter().map(|l| l.to_ascii_lowercase()).collect());
            }
        }
    }
}

/// Whether case can be ignored in it by ignoring that of ASCII.
fn is_plain(literal: &str) -> bool {
    let plain = |c: char| c.is_ascii() || c.to_lowercase().eq(c.to_uppercase());
    !literal.is_empty() && literal.chars().all(plain)
}

/// Long literals first, then few of them.
#[expect(
    clippy::ptr_arg,
    reason = "a key function for max_by_key takes what it compares"
)]
fn worth(literals: &Vec<String>) -> (usize, usize) {
    let shortest = literals.iter().map(String::len).min().unwrap_or(0).min(6);
    (shortest, MOST.saturating_sub(literals.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_part_is_chosen() {
        assert_eq!(required("지\\s*(?:마|말)").unwrap(), ["지"]);
        assert_eq!(
            required("(?:항상|절대로)\\s*[가-힣]+").unwrap(),
            ["항상", "절대로"]
        );
        assert_eq!(required("a?(?:be)+").unwrap(), ["be"]);
        assert_eq!(required("a?b+"), None);
        assert_eq!(required("(?-u:\\b)always\\s+\\w+").unwrap(), ["always"]);
        assert_eq!(required("x|\\d+"), None);
        assert_eq!(required("Ünder"), None);
    }
}
