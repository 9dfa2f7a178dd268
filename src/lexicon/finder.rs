//! Where the literals of all rules stand in a text, found in one pass.
//!
//! A sentence is asked about by a dozen groups in a row. What was found in the last few texts is remembered by their hash,
//! so that the dozen costs one pass.

use super::group::Group;
use super::lowered::lower;
use super::rule::Rule;
use super::table::Table;
use daachorse::DoubleArrayAhoCorasick;
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::fmt;
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

pub(super) struct Finder {
    automaton: DoubleArrayAhoCorasick<u32>,
    /// By their places in the automaton.
    literals: Vec<Literal>,
    /// The rules that need them, and their groups.
    owners: Vec<(u32, Group)>,
    /// Tells what this finder found from what others did.
    id: u64,
}

/// What is looked for, and for whom.
#[derive(Debug)]
struct Literal {
    length: u32,
    owners: Range<u32>,
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

impl fmt::Debug for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let literals = self.literals.len();
        f.debug_struct("Finder")
            .field("literals", &literals)
            .finish_non_exhaustive()
    }
}

impl Finder {
    /// For the literals of some of these rules.
    pub(super) fn new(table: Table, rules: &[Rule]) -> Finder {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let owner = |id: &u32| Some((*id, rules.get(*id as usize)?.group));
        let owners: Vec<_> = table.owners.iter().filter_map(owner).collect();
        let mut begin = 0;
        let literal = |(length, end): &(u32, u32)| {
            let own = std::mem::replace(&mut begin, *end)..*end;
            let of = owners.get(own.start as usize..own.end as usize);
            Literal {
                length: *length,
                groups: of.into_iter().flatten().fold(0, |all, o| all | bit(o.1)),
                owners: own,
            }
        };
        Finder {
            literals: table.literals.iter().map(literal).collect(),
            automaton: table.automaton,
            owners,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        }
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
            let literal = hit.value();
            let of = self.literals.get(literal as usize);
            groups |= of.map_or(0, |l| l.groups);
            hits.push((literal, hit.end() as u32));
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
            let own = literal.owners.start as usize..literal.owners.end as usize;
            let owners = self.owners.get(own).into_iter().flatten();
            let owners = owners.filter(|(_, g)| *g == group);
            found.extend(owners.map(|(rule, _)| Found {
                rule: *rule as usize,
                range: end - literal.length as usize..end,
            }));
        }
        found
    }
}
