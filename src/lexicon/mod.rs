//! The vocabulary: which words mean what, as data, and the engine that finds them.
//!
//! `en.toml` and `ko.toml` hold the built-in entries by [`Group`]; a user's `--rules` file adds to the same groups and
//! takes the same path. Every hit names its rule. What a hit is good for is decided by the extractors, not here.
//!
//! Texts are expected in NFC. One automaton looks for the literals that rules need (`finder.rs`); rules whose literal
//! occurs are asked for all that they need (`needs.rs`), and only what is left is tried, and ever compiled. The built-in
//! files are read, and their literals found out, by the build script (`build.rs`).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

mod ascii;
mod builtin;
#[cfg(test)]
mod entries;
mod finder;
mod group;
mod literals;
mod lowered;
mod needs;
mod quick;
mod row;
mod rule;
mod table;
mod user;
mod whole;

pub use ascii::ascii_words;
pub use builtin::FINGERPRINT;
pub use group::Group;
use group::is_apart;
pub use rule::{Hit, Lazy, Rule, RuleId};
pub use user::{RulesError, RulesFile, USER_GROUPS, Warning};

use finder::Finder;
use lowered::Lowered;
use rule::{Matcher, Pattern};
use table::Table;
use whole::Whole;

/// A set of rules, ready to search with.
#[derive(Debug)]
pub struct Rules {
    rules: Vec<Rule>,
    groups: BTreeMap<Group, Members>,
    /// For what people say, and for the groups that are asked for apart.
    finders: [OnceLock<Option<Finder>>; 2],
    /// They are just those that come with the program.
    is_builtin: bool,
}

/// The rules of one group.
#[derive(Debug, Default)]
struct Members {
    all: Vec<usize>,
    /// Those without a literal: always tried.
    always: Vec<usize>,
    whole: OnceLock<Whole>,
}

static BUILTIN: LazyLock<Arc<Rules>> = LazyLock::new(|| {
    let rules = Rules::new(builtin::rules(&[]));
    Arc::new(Rules {
        is_builtin: true,
        ..rules
    })
});

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
            let members = groups.entry(rule.group).or_default();
            members.all.push(id);
            if rule.is_pattern() && rule.literals().next().is_none() {
                members.always.push(id);
            }
        }
        Rules {
            rules,
            groups,
            finders: Default::default(),
            is_builtin: false,
        }
    }

    /// Gets ready what every search needs.
    pub fn prepare(&self) {
        self.finder(Group::ALL[0]);
    }

    /// What finds the literals of the group's rules.
    fn finder(&self, group: Group) -> Option<&Finder> {
        let apart = is_apart(group);
        let finder = self.finders[usize::from(apart)].get_or_init(|| {
            let known = self.is_builtin.then(|| builtin::table(apart)).flatten();
            let table = known.or_else(|| made_table(&self.rules, apart))?;
            Some(Finder::new(table, &self.rules))
        });
        finder.as_ref()
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
        let members = self.groups.get(&group);
        members.is_some_and(|m| self.whole(m).contains(word))
    }

    /// Calls `found` for each hit until it says stop.
    fn search(&self, group: Group, text: &str, found: &mut dyn FnMut(Hit) -> bool) {
        let Some(members) = self.groups.get(&group) else {
            return;
        };
        if let Some(id) = self.whole(members).find(text) {
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
        let (mut candidates, literals) = match self.finder(group) {
            Some(finder) => (members.always.clone(), finder.find(group, text)),
            None => (members.all.clone(), Vec::new()),
        };
        for literal in literals {
            let (id, range) = (literal.rule, literal.range);
            if matches!(self.rules.get(id).map(|r| &r.matcher), Some(Matcher::Word)) {
                let rule = RuleId(id);
                if at_borders(text, &range) && !found(Hit { rule, range }) {
                    return;
                }
            } else if !candidates.contains(&id) {
                candidates.push(id);
            }
        }
        if candidates.is_empty() {
            return;
        }
        candidates.sort_unstable();
        let lowered = Lowered::of_short(text);
        let may = |pattern: &&Lazy| lowered.as_ref().is_none_or(|l| pattern.may_match(l));
        for id in candidates {
            let Some(Matcher::Pattern(pattern)) = self.rules.get(id).map(|r| &r.matcher) else {
                continue;
            };
            let Pattern {
                find,
                unless,
                unless_anywhere,
            } = &**pattern;
            if !may(&find) {
                continue;
            }
            let mut refused: Option<Vec<Range<usize>>> = None;
            for range in find.find_iter(text) {
                let refused = refused.get_or_insert_with(|| {
                    let anywhere = unless_anywhere.as_ref().filter(may);
                    if anywhere.is_some_and(|u| u.is_match(text)) {
                        return std::iter::once(0..text.len()).collect();
                    }
                    let unless = unless.as_ref().filter(may);
                    unless.map_or_else(Vec::new, |u| u.find_iter(text).collect())
                });
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

    fn whole<'m>(&self, members: &'m Members) -> &'m Whole {
        members.whole.get_or_init(|| {
            let mut whole = Whole::default();
            for &id in &members.all {
                if let Some(rule) = self.rules.get(id)
                    && matches!(rule.matcher, Matcher::Whole)
                {
                    whole.add(&rule.text, id);
                }
            }
            whole
        })
    }
}

/// The literals that the rules of one half of the groups need.
fn made_table(rules: &[Rule], apart: bool) -> Option<Table> {
    let of_half = rules
        .iter()
        .zip(0..)
        .filter(|(r, _)| is_apart(r.group) == apart);
    Table::of(of_half.flat_map(|(rule, id)| rule.literals().map(move |l| (l, id))))
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

#[cfg(test)]
mod tests;
