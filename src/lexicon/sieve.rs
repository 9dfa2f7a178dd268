//! Which groups a text can hold at all: the literals of all groups, found in one pass.
//!
//! A sentence is asked about by a dozen groups in a row, and most of them have nothing in it. The answer for the last few
//! texts is remembered by their hash, so that the dozen costs one pass. Building takes some milliseconds, so it is done
//! only once much text has been searched.

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use super::group::Group;

/// Bytes searched before it pays.
const ENOUGH: usize = 256 << 10;
/// Longer texts are asked about by few groups.
const LONGEST: usize = 1024;
/// Texts remembered.
const KEPT: usize = 8;

/// A set of groups, a bit each.
type Groups = u64;

const _: () = assert!(Group::ALL.len() <= Groups::BITS as usize);

fn bit(group: Group) -> Groups {
    1 << group as u32
}

#[derive(Debug)]
pub(super) struct Sieve {
    automaton: AhoCorasick,
    /// For each pattern its group.
    owners: Vec<Groups>,
    /// Tells this sieve's answers from those of other rules.
    id: u64,
}

/// Counts what has been searched.
#[derive(Debug, Default)]
pub(super) struct Searched(AtomicUsize);

impl Searched {
    /// Whether texts of that kind have come often enough for a sieve.
    pub(super) fn enough(&self, text: &str) -> bool {
        text.len() <= LONGEST && self.0.fetch_add(text.len(), Ordering::Relaxed) > ENOUGH
    }
}

/// Hash of the text and number of the sieve, with what was found; and where the next is put.
type Memory = ([(u64, u64, Groups); KEPT], usize);

thread_local! {
    static LAST: RefCell<Memory> = const { RefCell::new(([(0, 0, 0); KEPT], 0)) };
}

impl Sieve {
    /// Of these literals; `None` when they cannot be put into one automaton.
    pub(super) fn new<'l>(literals: impl Iterator<Item = (Group, &'l str)>) -> Option<Sieve> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let (owners, literals): (Vec<Groups>, Vec<&str>) =
            literals.map(|(group, text)| (bit(group), text)).unzip();
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .match_kind(MatchKind::Standard)
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .build(literals)
            .ok()?;
        Some(Sieve {
            automaton,
            owners,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Whether any literal of the group stands in the text.
    pub(super) fn holds(&self, group: Group, text: &str) -> bool {
        let hash = FixedState::default().hash_one(text);
        LAST.with_borrow_mut(|(known, next)| {
            let same = known
                .iter()
                .find(|(text, sieve, _)| *text == hash && *sieve == self.id);
            if let Some((_, _, groups)) = same {
                return groups & bit(group) != 0;
            }
            let groups = self.groups(text);
            if let Some(slot) = known.get_mut(*next) {
                *slot = (hash, self.id, groups);
            }
            *next = (*next + 1) % KEPT;
            groups & bit(group) != 0
        })
    }

    fn groups(&self, text: &str) -> Groups {
        let hits = self.automaton.find_overlapping_iter(text);
        hits.filter_map(|hit| self.owners.get(hit.pattern().as_usize()))
            .fold(0, |all, group| all | group)
    }
}
