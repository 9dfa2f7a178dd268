//! The vocabulary: which words mean what, as data, and the engine that finds them.
//!
//! `en.toml` and `ko.toml` hold the built-in entries by [`Group`]; a user's `--rules` file adds to the same groups and
//! takes the same path. Every hit names its rule. What a hit is good for is decided by the extractors, not here.
//!
//! Texts are expected in NFC. One automaton per group looks for the literals its rules need; only rules whose literal
//! occurs are tried, and only those are ever compiled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

mod builtin;
mod group;
mod literals;
mod rule;
mod sieve;
mod user;
mod whole;

pub use builtin::fingerprint;
pub use group::{Group, USER_GROUPS};
pub use rule::{Hit, Rule, RuleId, ascii_words};
pub use user::{RulesError, RulesFile, Warning};

use rule::Matcher;
use sieve::{Searched, Sieve};
use whole::Whole;

/// A set of rules, ready to search with.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    groups: BTreeMap<Group, Members>,
    sieve: OnceLock<Option<Sieve>>,
    searched: Searched,
}

/// The rules of one group.
#[derive(Debug, Default)]
struct Members {
    all: Vec<usize>,
    index: OnceLock<Index>,
}

#[derive(Debug)]
struct Index {
    /// Finds the literals; the pattern ids of the automaton index `owners`.
    automaton: Option<AhoCorasick>,
    literals: Vec<String>,
    owners: Vec<usize>,
    /// Rules without a required literal: always tried.
    always: Vec<usize>,
    whole: Whole,
}

static BUILTIN: LazyLock<Arc<Rules>> = LazyLock::new(|| Arc::new(Rules::new(builtin::rules(&[]))));

impl Rules {
    /// What comes with the program.
    pub fn builtin() -> &'static Rules {
        &BUILTIN
    }

    /// The built-in rules for callers that may have others instead.
    pub fn shared() -> Arc<Rules> {
        Arc::clone(&BUILTIN)
    }

    /// The built-in rules without the groups named in `disabled`, and the users' rules behind them.
    ///
    /// Bad entries are skipped, each with a warning that names it. An unknown name in `disabled`, or a file that is no
    /// rules file at all, is an error.
    pub fn with_user(
        files: &[RulesFile],
        disabled: &[String],
    ) -> Result<(Rules, Vec<Warning>), RulesError> {
        let disabled = user::disabled_groups(disabled)?;
        let mut rules = builtin::rules(&disabled);
        let mut warnings = Vec::new();
        for file in files {
            user::read(file, &mut rules, &mut warnings)?;
        }
        Ok((Rules::new(rules), warnings))
    }

    fn new(rules: Vec<Rule>) -> Rules {
        let mut groups: BTreeMap<Group, Members> = BTreeMap::new();
        for (id, rule) in rules.iter().enumerate() {
            groups.entry(rule.group).or_default().all.push(id);
        }
        Rules {
            rules,
            groups,
            sieve: OnceLock::new(),
            searched: Searched::default(),
        }
    }

    /// The rule behind a hit; `None` for an id of another set.
    pub fn rule(&self, id: RuleId) -> Option<&Rule> {
        self.rules.get(id.0)
    }

    /// The rules of a group, built-in ones first.
    pub fn in_group(&self, group: Group) -> impl Iterator<Item = &Rule> {
        let members = self.groups.get(&group).map_or(&[][..], |m| &m.all);
        members.iter().filter_map(|&id| self.rules.get(id))
    }

    /// Whether any rule of the group matches.
    pub fn any(&self, group: Group, text: &str) -> bool {
        let mut found = false;
        self.search(group, text, &mut |_| {
            found = true;
            false
        });
        found
    }

    /// The earliest hit, the longest of those that begin together.
    pub fn first(&self, group: Group, text: &str) -> Option<Hit> {
        self.hits(group, text).into_iter().next()
    }

    /// All hits, by where they begin, the longer first; hits of different rules may overlap.
    pub fn hits(&self, group: Group, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.search(group, text, &mut |hit| {
            hits.push(hit);
            true
        });
        hits.sort_by_key(|hit| (hit.range.start, std::cmp::Reverse(hit.range.end), hit.rule));
        hits
    }

    /// Whether the folded word is one of the group's words; for stop words, which are asked for one by one.
    pub fn is_word(&self, group: Group, word: &str) -> bool {
        self.index(group)
            .is_some_and(|index| index.whole.contains(word))
    }

    /// Calls `found` for each hit until it says stop.
    fn search(&self, group: Group, text: &str, found: &mut dyn FnMut(Hit) -> bool) {
        let Some(index) = self.index(group) else {
            return;
        };
        if let Some(id) = index.whole.find(text) {
            let trimmed = text.trim();
            let start = text.len() - text.trim_start().len();
            let hit = Hit {
                rule: RuleId(id),
                range: start..start + trimmed.len(),
            };
            if !found(hit) {
                return;
            }
        }
        let mut candidates = index.always.clone();
        if let Some(automaton) = &index.automaton
            && self.may_hold(group, text)
        {
            for literal in automaton.find_overlapping_iter(text) {
                let Some(&id) = index.owners.get(literal.pattern().as_usize()) else {
                    continue;
                };
                if matches!(self.rules.get(id).map(|r| &r.matcher), Some(Matcher::Word)) {
                    let range = literal.range();
                    if at_borders(text, &range)
                        && !found(Hit {
                            rule: RuleId(id),
                            range,
                        })
                    {
                        return;
                    }
                } else if !candidates.contains(&id) {
                    candidates.push(id);
                }
            }
        }
        candidates.sort_unstable();
        for id in candidates {
            let Some(Matcher::Pattern {
                find,
                unless,
                unless_anywhere,
            }) = self.rules.get(id).map(|r| &r.matcher)
            else {
                continue;
            };
            let Some(regex) = find.get() else { continue };
            let mut refused: Option<Vec<Range<usize>>> = None;
            for hit in regex.find_iter(text).filter(|m| !m.is_empty()) {
                let refused = refused.get_or_insert_with(|| {
                    if unless_anywhere
                        .as_ref()
                        .and_then(|u| u.get())
                        .is_some_and(|u| u.is_match(text))
                    {
                        return Vec::from([Range {
                            start: 0,
                            end: text.len(),
                        }]);
                    }
                    let unless = unless.as_ref().and_then(|u| u.get());
                    unless.map_or_else(Vec::new, |u| u.find_iter(text).map(|m| m.range()).collect())
                });
                let range = hit.range();
                if refused
                    .iter()
                    .any(|r| r.start < range.end && range.start < r.end)
                {
                    continue;
                }
                if !found(Hit {
                    rule: RuleId(id),
                    range,
                }) {
                    return;
                }
            }
        }
    }

    /// Whether a literal of the group can stand in the text; asked before the group's own automaton is.
    fn may_hold(&self, group: Group, text: &str) -> bool {
        if !self.searched.enough(text) {
            return true;
        }
        let sieve = self.sieve.get_or_init(|| {
            let groups = self
                .groups
                .keys()
                .filter_map(|g| Some((*g, self.index(*g)?)));
            Sieve::new(
                groups.flat_map(|(g, index)| index.literals.iter().map(move |l| (g, l.as_str()))),
            )
        });
        sieve.as_ref().is_none_or(|s| s.holds(group, text))
    }

    fn index(&self, group: Group) -> Option<&Index> {
        let members = self.groups.get(&group)?;
        Some(members.index.get_or_init(|| self.build(&members.all)))
    }

    fn build(&self, members: &[usize]) -> Index {
        let mut literals = Vec::new();
        let mut owners = Vec::new();
        let mut always = Vec::new();
        let mut whole = Whole::default();
        for &id in members {
            let Some(rule) = self.rules.get(id) else {
                continue;
            };
            match &rule.matcher {
                Matcher::Whole => whole.add(&rule.text, id),
                Matcher::Word => {
                    literals.push(rule.text.clone());
                    owners.push(id);
                }
                Matcher::Pattern { find, .. } => {
                    match literals::required(&rule::ascii_borders(find.source())) {
                        Some(required) => {
                            owners.extend(std::iter::repeat_n(id, required.len()));
                            literals.extend(required);
                        }
                        None => always.push(id),
                    }
                }
            }
        }
        // The contiguous automaton is built in a fraction of a millisecond, the faster one costs more than a prompt.
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(&literals)
            .ok()
            .filter(|_| !literals.is_empty());
        if automaton.is_none() {
            always.append(&mut owners);
            always.dedup();
        }
        Index {
            automaton,
            literals,
            owners,
            always,
            whole,
        }
    }
}

/// An edge of a word that is an ASCII letter or digit stands at a border; Korean edges stand anywhere.
fn at_borders(text: &str, range: &Range<usize>) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let found = text.get(range.clone()).unwrap_or_default();
    let before = text.get(..range.start).and_then(|t| t.chars().next_back());
    let after = text.get(range.end..).and_then(|t| t.chars().next());
    let joined_before = found.starts_with(word) && before.is_some_and(word);
    let joined_after = found.ends_with(word) && after.is_some_and(word);
    !joined_before && !joined_after
}

/// A source name shared by the rules of one file.
fn source(name: &str) -> Arc<str> {
    Arc::from(name)
}

#[cfg(test)]
mod tests;
