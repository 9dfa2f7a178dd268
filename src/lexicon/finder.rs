//! Where the literals of all rules stand in a text, found in one pass.
//!
//! A sentence is asked about by a dozen groups in a row. What was found in the last few texts is remembered by their hash,
//! so that the dozen costs one pass.

use super::group::Group;
use super::rule::Rule;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// Longer texts are not remembered.
const LONGEST: usize = 4096;
/// Texts remembered.
const KEPT: usize = 8;

/// A set of groups, a bit each.
type Groups = u64;

const _: () = assert!(Group::ALL.len() <= Groups::BITS as usize);

fn bit(group: Group) -> Groups {
    1 << group as u32
}

#[derive(Debug)]
pub(super) struct Finder {
    automaton: AhoCorasick,
    /// For each pattern of the automaton the rule and its group.
    owners: Vec<(u32, Group)>,
    /// Tells what this finder found from what others did.
    id: u64,
}

/// A literal that stands in a text.
#[derive(Debug, Clone)]
pub(super) struct Found {
    pub rule: usize,
    pub range: Range<usize>,
    group: Group,
}

/// What was found in a text.
#[derive(Debug, Clone)]
struct Text {
    hash: u64,
    finder: u64,
    groups: Groups,
    found: Vec<Found>,
}

impl Text {
    fn of(&self, group: Group) -> Vec<Found> {
        if self.groups & bit(group) == 0 {
            return Vec::new();
        }
        let found = self.found.iter().filter(|f| f.group == group);
        found.cloned().collect()
    }
}

thread_local! {
    static LAST: RefCell<(Vec<Text>, usize)> = const { RefCell::new((Vec::new(), 0)) };
}

impl Finder {
    /// For the literals of these rules; `None` when they cannot be put into one automaton.
    pub(super) fn new(rules: &[Rule]) -> Option<Finder> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut owners = Vec::new();
        let mut literals = Vec::new();
        for (rule, id) in rules.iter().zip(0..) {
            for literal in rule.literals() {
                owners.push((id, rule.group));
                literals.push(literal);
            }
        }
        // This kind is made in a few milliseconds, the faster one costs more than a session has text.
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals)
            .ok()?;
        Some(Finder {
            automaton,
            owners,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The literals of a group's rules in the text, by where they end.
    pub(super) fn find(&self, group: Group, text: &str) -> Vec<Found> {
        if text.len() > LONGEST {
            return self.all(text).filter(|f| f.group == group).collect();
        }
        let hash = FixedState::default().hash_one(text);
        LAST.with_borrow_mut(|(known, next)| {
            let same = |t: &&Text| t.hash == hash && t.finder == self.id;
            if let Some(here) = known.iter().find(same) {
                return here.of(group);
            }
            let here = self.text(text, hash);
            let of_group = here.of(group);
            match known.get_mut(*next) {
                Some(slot) => *slot = here,
                None => known.push(here),
            }
            *next = (*next + 1) % KEPT;
            of_group
        })
    }

    fn text(&self, text: &str, hash: u64) -> Text {
        let found: Vec<Found> = self.all(text).collect();
        Text {
            hash,
            finder: self.id,
            groups: found.iter().fold(0, |all, f| all | bit(f.group)),
            found,
        }
    }

    fn all(&self, text: &str) -> impl Iterator<Item = Found> {
        let hits = self.automaton.find_overlapping_iter(text);
        hits.filter_map(|hit| {
            let (rule, group) = *self.owners.get(hit.pattern().as_usize())?;
            Some(Found {
                rule: rule as usize,
                range: hit.range(),
                group,
            })
        })
    }
}
