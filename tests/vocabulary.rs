//! Every rule of the built-in vocabulary has an example and a look-alike, as data in `data/vocabulary.toml`.
//!
//! A case is a pair: `yes` texts that one and the same rule of the group catches, `no` texts that look like them and
//! that no rule of the group catches. Patterns need such a pair each; word lists are only sampled.

use std::collections::{BTreeMap, BTreeSet};

use compact::language::nfc;
use compact::lexicon::{Group, RuleId, Rules};
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pair {
    yes: Vec<String>,
    no: Vec<String>,
}

fn pairs() -> BTreeMap<String, Vec<Pair>> {
    toml::from_str(include_str!("data/vocabulary.toml")).expect("vocabulary.toml")
}

/// The text as it reaches the rules: composed, however it was typed.
fn read(text: &str) -> String {
    let decomposed: String = text.nfd().collect();
    nfc(&decomposed).into_owned()
}

fn caught(rules: &Rules, group: Group, text: &str) -> BTreeSet<RuleId> {
    rules
        .hits(group, &read(text))
        .iter()
        .map(|h| h.rule)
        .collect()
}

#[test]
fn examples_are_caught_and_look_alikes_are_not() {
    let rules = Rules::builtin();
    let mut wrong = Vec::new();
    for (name, pairs) in pairs() {
        let Some(group) = Group::from_name(&name) else {
            panic!("unknown group {name}");
        };
        for pair in pairs {
            let by: Vec<_> = pair.yes.iter().map(|t| caught(rules, group, t)).collect();
            for (text, _) in pair.yes.iter().zip(&by).filter(|(_, by)| by.is_empty()) {
                wrong.push(format!("{name} misses: {text}"));
            }
            let common = by.iter().skip(1).fold(by.first().cloned(), |all, one| {
                all.map(|all| all.intersection(one).copied().collect())
            });
            if common.is_none_or(|c| c.is_empty()) {
                wrong.push(format!("{name}: no rule catches all of {:?}", pair.yes));
            }
            for text in &pair.no {
                for rule in caught(rules, group, text)
                    .iter()
                    .filter_map(|id| rules.rule(*id))
                {
                    wrong.push(format!("{name} catches: {text} ({})", rule.text()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_pattern_has_an_example_and_a_look_alike() {
    let rules = Rules::builtin();
    let mut all = pairs();
    let mut missing = Vec::new();
    for &group in Group::ALL {
        let pairs = all.remove(group.name()).unwrap_or_default();
        if pairs.iter().all(|p| p.no.is_empty()) {
            missing.push(format!("{}: nothing at all", group.name()));
        }
        let examples: Vec<BTreeSet<&str>> = pairs
            .iter()
            .filter(|p| !p.no.is_empty())
            .flat_map(|p| &p.yes)
            .map(|text| {
                let by = caught(rules, group, text);
                by.iter()
                    .filter_map(|id| rules.rule(*id))
                    .map(|r| r.text())
                    .collect()
            })
            .collect();
        for rule in rules.in_group(group).filter(|r| r.is_pattern()) {
            if !examples.iter().any(|by| by.contains(rule.text())) {
                missing.push(format!("{rule}: {}", rule.text()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
