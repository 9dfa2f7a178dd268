//! The fine sieve: which literals stand in every match of one pattern, and in which order (see [`literals::sequences`]). Most
//! patterns that the coarse one lets through stop here, and are never compiled.

use super::ascii::ascii_borders;
use super::lowered::Lowered;
use super::{literals, row};
use std::borrow::Cow;

/// What a match needs one of: literals of sets, in their order; written as one text, so that none is made at every start.
#[derive(Debug, Default)]
pub(super) struct Needs(Cow<'static, str>);

impl Needs {
    /// As the build script found out.
    pub fn known(joined: &'static str) -> Needs {
        Needs(joined.into())
    }

    /// Of a user's pattern.
    pub fn of(pattern: &str) -> Needs {
        Needs(literals::joined(&ascii_borders(pattern)).into())
    }

    /// Whether the text holds what a match needs.
    pub fn hold_in(&self, text: &Lowered<'_>) -> bool {
        // Behind the literal of each set that ends first.
        let first = |at: usize, set: &str| {
            let literals = set.split(row::OR);
            literals.filter_map(|l| text.behind(l, at)).min()
        };
        let in_order = |sequence: &str| sequence.split(row::SET).try_fold(0, first).is_some();
        self.0.is_empty() || self.0.split(row::SEQUENCE).any(in_order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::Rules;
    use crate::lexicon::rule::Matcher;

    #[test]
    fn sets_stand_in_their_order() {
        let needs = Needs::of(r"\bbefore [a-z ]*(?:push|commit)ing,? ask");
        assert!(needs.hold_in(&Lowered::of("before you think of committing, ask")));
        assert!(needs.hold_in(&Lowered::of("before pushing or so we ask")));
        assert!(!needs.hold_in(&Lowered::of("ask before pushing")));
        assert!(!needs.hold_in(&Lowered::of("before you leave, ask")));
    }

    #[test]
    fn literals_of_two_sets_do_not_overlap() {
        let needs = Needs::of("a(?:bc|bd)[ef]*b");
        assert!(needs.hold_in(&Lowered::of("abcb")));
        assert!(!needs.hold_in(&Lowered::of("abc")));
    }

    #[test]
    fn one_of_the_alternatives_is_enough() {
        let needs = Needs::of("(?:(?:못|안) 돼|실패.*(?:했|함))");
        assert!(needs.hold_in(&Lowered::of("아직 안 돼")));
        assert!(needs.hold_in(&Lowered::of("또 실패함")));
        assert!(!needs.hold_in(&Lowered::of("실패를 못 봤어")));
    }

    #[test]
    fn whatever_matches_holds_what_it_needs() {
        let examples = include_str!("../../tests/data/vocabulary.toml");
        let texts: Vec<&str> = examples.split('"').filter(|t| t.len() > 3).collect();
        let mut matches = 0;
        for rule in &Rules::builtin().rules {
            let Matcher::Pattern(pattern) = &rule.matcher else {
                continue;
            };
            for pattern in pattern.all() {
                for text in texts.iter().filter(|t| pattern.is_match(t)) {
                    assert!(
                        pattern.may_match(&Lowered::of(text)),
                        "{}: {text}",
                        pattern.source()
                    );
                    matches += 1;
                }
            }
        }
        assert!(matches > 5000, "{matches}");
    }

    #[test]
    fn what_needs_nothing_is_always_let_through() {
        assert!(Needs::of(r"^\w+$").hold_in(&Lowered::of("x")));
        assert!(Needs::of(r"stop|^\w+$").hold_in(&Lowered::of("x")));
        assert!(Needs::default().hold_in(&Lowered::of("")));
        // Its case cannot be ignored.
        assert!(Needs::of("Ünder").hold_in(&Lowered::of("ünder")));
    }
}
