//! The literals without which a pattern can't match: the sieve in front of the compiled patterns.
//!
//! Also part of the build script.

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
    let plain = |c: char| c.is_ascii() || c.to_lowercase().eq(c.to_uppercase());
    found
        .iter()
        .all(|l| !l.is_empty() && l.chars().all(plain))
        .then_some(found)
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
        assert_eq!(required("a?b+").unwrap(), ["b"]);
        assert_eq!(required("(?-u:\\b)always\\s+\\w+").unwrap(), ["always"]);
        assert_eq!(required("x|\\d+"), None);
        assert_eq!(required("Ünder"), None);
    }
}
