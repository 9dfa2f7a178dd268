//! The vocabulary that is part of the program: the text that the build script made of `en.toml` and `ko.toml`, as rules.

use super::group::Group;
use super::needs::Needs;
use super::row::{self, Row};
use super::rule::{Lazy, Literals, Matcher, Pattern, Rule};
use super::table::Table;
use daachorse::DoubleArrayAhoCorasick;

const VOCABULARY: &str = include_str!(concat!(env!("OUT_DIR"), "/vocabulary"));

/// Another one when any of the words is.
pub const FINGERPRINT: &str = env!("VOCABULARY");

const LITERALS: [&[u8]; 2] = [
    include_bytes!(concat!(env!("OUT_DIR"), "/literals")),
    include_bytes!(concat!(env!("OUT_DIR"), "/literals-apart")),
];

/// The literals that all rules need, of the one half of the groups or of the other (see [`super::group::is_apart`]); `None`
/// if they cannot be read.
pub(super) fn table(apart: bool) -> Option<Table> {
    let mut bytes = LITERALS[usize::from(apart)];
    let mut next = || -> Option<u32> {
        let (number, rest) = bytes.split_first_chunk()?;
        bytes = rest;
        Some(u32::from_le_bytes(*number))
    };
    let (literals, owners) = (next()?, next()?);
    let literals: Option<Vec<_>> = (0..literals).map(|_| Some((next()?, next()?))).collect();
    let owners: Option<Vec<_>> = (0..owners).map(|_| next()).collect();
    Some(Table {
        literals: literals?,
        owners: owners?,
        automaton: DoubleArrayAhoCorasick::deserialize(bytes).ok()?.0,
    })
}

/// The rules of both files without the disabled groups.
pub(super) fn rules(disabled: &[Group]) -> Vec<Rule> {
    let rows = VOCABULARY.split(row::END).filter_map(Row::read);
    let rules = rows.filter_map(|row| rule(&row));
    rules.filter(|r| !disabled.contains(&r.group)).collect()
}

fn rule(row: &Row<'static>) -> Option<Rule> {
    let lazy = |pattern: &'static str| {
        let (pattern, needs) = pattern.split_once(row::NEEDS)?;
        Some(Lazy::with_needs(pattern.into(), Needs::known(needs)))
    };
    let (matcher, literals) = match row.kind {
        row::WHOLE => (Matcher::Whole, Literals::None),
        row::WORD => (Matcher::Word, Literals::Text),
        row::PATTERN => {
            let pattern = Pattern {
                find: lazy(row.find)?,
                unless: lazy(row.unless),
                unless_anywhere: lazy(row.unless_anywhere),
            };
            let literals = match row.literals {
                "" => Literals::None,
                some => Literals::Builtin(some),
            };
            (Matcher::Pattern(Box::new(pattern)), literals)
        }
        _ => return None,
    };
    Some(Rule {
        source: row.file.into(),
        group: *Group::ALL.get(row.group)?,
        index: row.index,
        line: Some(row.line),
        text: row.text.into(),
        matcher,
        literals,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexicon::made_table;

    #[test]
    fn every_built_in_entry_is_sound() {
        let rules = rules(&[]);
        for rule in &rules {
            if let Matcher::Pattern(pattern) = &rule.matcher {
                for pattern in pattern.all() {
                    assert!(pattern.is_sound(), "{rule}: {}", pattern.source());
                    assert!(!pattern.source().contains("<<"), "{rule}: unknown fragment");
                }
                assert!(
                    !matches!(rule.literals, Literals::None)
                        || pattern.find.source().starts_with('^'),
                    "{rule} needs no literal: {}",
                    pattern.find.source()
                );
            }
        }
        assert!(rules.len() > 300, "{}", rules.len());
        for group in Group::ALL {
            assert!(
                rules.iter().any(|r| r.group == *group),
                "{} is empty",
                group.name()
            );
        }
    }

    #[test]
    fn the_tables_are_those_of_the_rules() {
        let rules = rules(&[]);
        for apart in [false, true] {
            let known = table(apart).unwrap();
            let made = made_table(&rules, apart).unwrap();
            assert_eq!(known.literals, made.literals);
            assert_eq!(known.owners, made.owners);
            assert_eq!(known.automaton.serialize(), made.automaton.serialize());
        }
    }

    #[test]
    fn a_switched_off_group_has_no_rules() {
        let rules = rules(&[Group::TaskVerbs]);
        assert!(rules.iter().all(|r| r.group != Group::TaskVerbs));
    }
}
