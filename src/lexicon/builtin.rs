//! The vocabulary that is part of the program: the build script's table of `en.toml` and `ko.toml` as rules.

use super::group::Group;
use super::rule::{Lazy, Literals, Matcher, Pattern, Rule};

/// An entry of a file; see `entries.rs`.
struct Entry {
    file: &'static str,
    group: Group,
    index: usize,
    line: usize,
    text: &'static str,
    means: Means,
}

enum Means {
    Whole,
    Word,
    Pattern {
        find: &'static str,
        unless: Option<&'static str>,
        unless_anywhere: Option<&'static str>,
        literals: Option<&'static [&'static str]>,
    },
}

include!(concat!(env!("OUT_DIR"), "/vocabulary.rs"));

/// The rules of both files without the disabled groups.
pub(super) fn rules(disabled: &[Group]) -> Vec<Rule> {
    let enabled = |entry: &&Entry| !disabled.contains(&entry.group);
    ENTRIES.iter().filter(enabled).map(rule).collect()
}

fn rule(entry: &Entry) -> Rule {
    let (matcher, literals) = match entry.means {
        Means::Whole => (Matcher::Whole, Literals::None),
        Means::Word => (Matcher::Word, Literals::Text),
        Means::Pattern {
            find,
            unless,
            unless_anywhere,
            literals,
        } => {
            let pattern = Pattern {
                find: Lazy::new(find),
                unless: unless.map(Lazy::new),
                unless_anywhere: unless_anywhere.map(Lazy::new),
            };
            let matcher = Matcher::Pattern(Box::new(pattern));
            (matcher, literals.map_or(Literals::None, Literals::Builtin))
        }
    };
    Rule {
        source: entry.file.into(),
        group: entry.group,
        index: entry.index,
        line: Some(entry.line),
        text: entry.text.into(),
        matcher,
        literals,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_entry_is_sound() {
        let rules = rules(&[]);
        for rule in &rules {
            if let Matcher::Pattern(pattern) = &rule.matcher {
                let Pattern {
                    find,
                    unless,
                    unless_anywhere,
                } = &**pattern;
                for pattern in [Some(find), unless.as_ref(), unless_anywhere.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    assert!(pattern.is_sound(), "{rule}: {}", pattern.source());
                    assert!(!pattern.source().contains("<<"), "{rule}: unknown fragment");
                }
                assert!(
                    !matches!(rule.literals, Literals::None) || find.source().starts_with('^'),
                    "{rule} needs no literal: {}",
                    find.source()
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
