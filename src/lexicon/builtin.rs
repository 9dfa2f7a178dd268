//! The vocabulary that is part of the program: the text that the build script made of `en.toml` and `ko.toml`, as rules.

use super::group::Group;
use super::needs::Needs;
use super::row::{self, Row};
use super::rule::{Lazy, Literals, Matcher, Pattern, Rule};

const VOCABULARY: &str = include_str!(concat!(env!("OUT_DIR"), "/vocabulary"));

/// Another one when any of the words is.
pub const FINGERPRINT: &str = env!("VOCABULARY");

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
    fn a_switched_off_group_has_no_rules() {
        let rules = rules(&[Group::TaskVerbs]);
        assert!(rules.iter().all(|r| r.group != Group::TaskVerbs));
    }
}
