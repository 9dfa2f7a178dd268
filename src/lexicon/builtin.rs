//! Reads the TOML files that are part of the program.
//!
//! A table per group: `whole` (messages), `words` (literals), `patterns` (regular expressions, or a table with `find`,
//! `unless`, `unless_anywhere`). `[fragments]` holds pieces that patterns name as `<<piece>>`.

use std::collections::BTreeMap;
use std::hash::BuildHasher;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::group::Group;
use super::rule::{Lazy, Matcher, Rule, ascii_words};

const FILES: [(&str, &str); 2] = [
    ("en.toml", include_str!("en.toml")),
    ("ko.toml", include_str!("ko.toml")),
];

/// A number that changes when any of the words do.
pub fn fingerprint() -> u64 {
    let texts: Vec<&str> = FILES.iter().map(|(_, text)| *text).collect();
    foldhash::fast::FixedState::default().hash_one(texts)
}

/// The rules of both files without the disabled groups. A file that doesn't parse gives none; a test sees to that.
pub(super) fn rules(disabled: &[Group]) -> Vec<Rule> {
    let mut rules = Vec::new();
    for (name, text) in FILES {
        if let Ok(table) = DeTable::parse(text) {
            add(name, text, table.get_ref(), disabled, &mut rules);
        }
    }
    rules
}

fn add(name: &str, text: &str, file: &DeTable<'_>, disabled: &[Group], rules: &mut Vec<Rule>) {
    let source = super::source(name);
    let lines: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let fragments = fragments(file);
    // In the order of the file: tables keep theirs only by position.
    let mut tables: Vec<(usize, Group, &DeTable<'_>)> = file
        .iter()
        .filter_map(|(key, value)| {
            Some((
                key.span().start,
                Group::from_name(key.get_ref())?,
                value.get_ref().as_table()?,
            ))
        })
        .filter(|(_, group, _)| !disabled.contains(group))
        .collect();
    tables.sort_by_key(|table| table.0);
    for (_, group, table) in tables {
        let list = |key: &str| {
            table
                .get(key)
                .and_then(|v| v.get_ref().as_array())
                .into_iter()
                .flatten()
        };
        let mut index = 0;
        let mut push = |entry: &Spanned<DeValue<'_>>, text: &str, matcher: Matcher| {
            let at = entry.span().start;
            rules.push(Rule {
                source: source.clone(),
                group,
                index,
                line: Some(lines.partition_point(|&end| end < at) + 1),
                text: text.to_owned(),
                matcher,
            });
            index += 1;
        };
        for entry in list("whole") {
            if let Some(text) = entry.get_ref().as_str() {
                push(entry, text, Matcher::Whole);
            }
        }
        for entry in list("words") {
            if let Some(text) = entry.get_ref().as_str() {
                push(entry, text, Matcher::Word);
            }
        }
        for entry in list("patterns") {
            let guards = entry.get_ref().as_table();
            let part = |key: &str| {
                guards
                    .and_then(|g| g.get(key))
                    .and_then(|v| v.get_ref().as_str())
            };
            let lazy = |pattern: &str| Lazy::new(ascii_words(&expand(pattern, &fragments)));
            let Some(find) = entry.get_ref().as_str().or_else(|| part("find")) else {
                continue;
            };
            let matcher = Matcher::Pattern {
                find: lazy(find),
                unless: part("unless").map(lazy),
                unless_anywhere: part("unless_anywhere").map(lazy),
            };
            push(entry, find, matcher);
        }
    }
}

fn fragments(file: &DeTable<'_>) -> BTreeMap<String, String> {
    let table = file.get("fragments").and_then(|v| v.get_ref().as_table());
    table
        .into_iter()
        .flatten()
        .filter_map(|(name, piece)| {
            Some((
                name.get_ref().to_string(),
                piece.get_ref().as_str()?.to_owned(),
            ))
        })
        .collect()
}

/// Fragments may name fragments defined before them in the alphabet or not; three rounds are enough for anyone.
fn expand(pattern: &str, fragments: &BTreeMap<String, String>) -> String {
    let mut expanded = pattern.to_owned();
    for _ in 0..3 {
        if !expanded.contains("<<") {
            break;
        }
        for (name, piece) in fragments {
            expanded = expanded.replace(&format!("<<{name}>>"), &format!("(?:{piece})"));
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_entry_is_sound() {
        for (name, text) in FILES {
            let file = DeTable::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
            for (group, table) in file.get_ref() {
                let group = group.get_ref();
                assert!(
                    group == "fragments" || Group::from_name(group).is_some(),
                    "{name}: unknown group {group}"
                );
                for key in table
                    .get_ref()
                    .as_table()
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| key.get_ref())
                {
                    assert!(
                        group == "fragments" || ["whole", "words", "patterns"].contains(&&**key),
                        "{name}: {group}.{key}"
                    );
                }
            }
        }
        let rules = rules(&[]);
        for rule in &rules {
            if let Matcher::Pattern {
                find,
                unless,
                unless_anywhere,
            } = &rule.matcher
            {
                for pattern in [Some(find), unless.as_ref(), unless_anywhere.as_ref()]
                    .into_iter()
                    .flatten()
                {
                    assert!(pattern.get().is_some(), "{rule}: {}", pattern.source());
                    assert!(!pattern.source().contains("<<"), "{rule}: unknown fragment");
                }
                let literals = super::super::literals::required(
                    &super::super::rule::ascii_borders(find.source()),
                );
                assert!(
                    literals.is_some() || find.source().starts_with('^'),
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
}
