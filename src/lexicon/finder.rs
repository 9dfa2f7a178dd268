//! Where the literals of all rules stand in a text, found in one pass.
//!
//! A sentence is asked about by a dozen groups in a row. What was found in the last few texts is remembered by their hash,
//! so that the dozen costs one pass.

use super::group::Group;
use super::lowered::lower;
use super::rule::Rule;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use foldhash::HashMap;
use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Longer texts are not remembered.
const LONGEST: usize = 4096;
/// Texts remembered.
const KEPT: usize = 8;

/// A set of groups, a bit each.
type Groups = u128;

const _: () = assert!(Group::ALL.len() <= Groups::BITS as usize);

fn bit(group: Group) -> Groups {
    1 << group as u32
}

#[derive(Debug)]
pub(super) struct Finder {
    /// Of lower-case literals, each once.
    automaton: AhoCorasick,
    /// By their places in the automaton.
    literals: Vec<Literal>,
    /// Tells what this finder found from what others did.
    id: u64,
}

/// What is looked for, and for whom.
#[derive(Debug, Default)]
struct Literal {
    length: usize,
    /// The rules that need it, and their groups.
    owners: Vec<(u32, Group)>,
    groups: Groups,
}

/// A literal that stands in a text.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub rule: usize,
    pub range: Range<usize>,
}

/// What was found in a text. Most groups have nothing in it.
#[derive(Debug)]
struct Text {
    hash: u64,
    finder: u64,
    groups: Groups,
    /// Which literal, and where it ends.
    hits: Vec<(u32, u32)>,
}

thread_local! {
    static LAST: RefCell<(Vec<Text>, usize)> = const { RefCell::new((Vec::new(), 0)) };
}

impl Finder {
    /// For the literals of these rules, each with its place among all; `None` when they cannot be put into one automaton.
    pub(super) fn new<'r>(rules: impl Iterator<Item = (&'r Rule, u32)>) -> Option<Finder> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut places: HashMap<Cow<'_, str>, usize> = HashMap::default();
        let mut literals = Vec::new();
        let mut about: Vec<Literal> = Vec::new();
        for (rule, id) in rules {
            for literal in rule.literals() {
                let literal = lower(literal);
                let place = *places.entry(literal).or_insert_with_key(|literal| {
                    literals.push(literal.clone());
                    about.push(Literal {
                        length: literal.len(),
                        ..Literal::default()
                    });
                    about.len() - 1
                });
                if let Some(about) = about.get_mut(place) {
                    about.owners.push((id, rule.group));
                    about.groups |= bit(rule.group);
                }
            }
        }
        // Nobody waits for this: one case, each literal once, few dense states and this kind are made in a fourth of the time
        // that the usual settings take, and search as fast. The fastest kind costs more than a session has text.
        let automaton = AhoCorasick::builder()
            .dense_depth(1)
            .prefilter(false)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals.iter().map(|l| &**l))
            .ok()?;
        Some(Finder {
            automaton,
            literals: about,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The literals of a group's rules in the text, by where they end.
    pub(super) fn find(&self, group: Group, text: &str) -> Vec<Found> {
        if text.len() > LONGEST {
            return self.of(&self.text(text, 0), group);
        }
        let hash = FixedState::default().hash_one(text);
        LAST.with_borrow_mut(|(known, next)| {
            let same = |t: &&Text| t.hash == hash && t.finder == self.id;
            if let Some(here) = known.iter().find(same) {
                return self.of(here, group);
            }
            let here = self.text(text, hash);
            let of_group = self.of(&here, group);
            match known.get_mut(*next) {
                Some(slot) => *slot = here,
                None => known.push(here),
            }
            *next = (*next + 1) % KEPT;
            of_group
        })
    }

    fn text(&self, text: &str, hash: u64) -> Text {
        let (mut hits, mut groups) = (Vec::new(), 0);
        for hit in self.automaton.find_overlapping_iter(&*lower(text)) {
            let literal = hit.pattern();
            let of = self.literals.get(literal.as_usize());
            groups |= of.map_or(0, |l| l.groups);
            hits.push((literal.as_u32(), hit.end() as u32));
        }
        Text {
            hash,
            finder: self.id,
            groups,
            hits,
        }
    }

    /// What was found for a group.
    fn of(&self, text: &Text, group: Group) -> Vec<Found> {
        let mut found = Vec::new();
        if text.groups & bit(group) == 0 {
            return found;
        }
        for &(literal, end) in &text.hits {
            let Some(literal) = self.literals.get(literal as usize) else {
                continue;
            };
            if literal.groups & bit(group) == 0 {
                continue;
            }
            let end = end as usize;
            let owners = literal.owners.iter().filter(|(_, g)| *g == group);
            found.extend(owners.map(|(rule, _)| Found {
                rule: *rule as usize,
                range: end - literal.length..end,
            }));
        }
        found
    }
}
