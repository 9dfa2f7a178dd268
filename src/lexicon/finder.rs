//! Where the literals of all rules stand in a text, found in one pass.
//!
//! A sentence is asked about by a dozen groups in a row. What was found in the last few texts is remembered by their hash,
//! so that the dozen costs one pass.

use super::group::Group;
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
type Groups = u64;

const _: () = assert!(Group::ALL.len() <= Groups::BITS as usize);

fn bit(group: Group) -> Groups {
    1 << group as u32
}

#[derive(Debug)]
pub(super) struct Finder {
    /// Of lower-case literals, each once.
    automaton: AhoCorasick,
    /// For each literal of the automaton the rules that need it, and their groups.
    owners: Vec<Vec<(u32, Group)>>,
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

/// In lower case as far as ASCII goes; places stay what they are.
fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|b| b.is_ascii_uppercase()) {
        true => text.to_ascii_lowercase().into(),
        false => text.into(),
    }
}

impl Finder {
    /// For the literals of these rules; `None` when they cannot be put into one automaton.
    pub(super) fn new(rules: &[Rule]) -> Option<Finder> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let mut places: HashMap<Cow<'_, str>, usize> = HashMap::default();
        let mut literals = Vec::new();
        let mut owners: Vec<Vec<(u32, Group)>> = Vec::new();
        for (rule, id) in rules.iter().zip(0..) {
            for literal in rule.literals() {
                let literal = lower(literal);
                let place = *places.entry(literal).or_insert_with_key(|literal| {
                    literals.push(literal.clone());
                    owners.push(Vec::new());
                    owners.len() - 1
                });
                if let Some(owners) = owners.get_mut(place) {
                    owners.push((id, rule.group));
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
            owners,
            id: NEXT.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// The literals of a group's rules in the text, by where they end.
    pub(super) fn find(&self, group: Group, text: &str) -> Vec<Found> {
        if text.len() > LONGEST {
            let mut found = self.all(text);
            found.retain(|f| f.group == group);
            return found;
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
        let found = self.all(text);
        Text {
            hash,
            finder: self.id,
            groups: found.iter().fold(0, |all, f| all | bit(f.group)),
            found,
        }
    }

    fn all(&self, text: &str) -> Vec<Found> {
        let mut found = Vec::new();
        for hit in self.automaton.find_overlapping_iter(&*lower(text)) {
            let owners = self.owners.get(hit.pattern().as_usize());
            found.extend(owners.into_iter().flatten().map(|&(rule, group)| Found {
                rule: rule as usize,
                range: hit.range(),
                group,
            }));
        }
        found
    }
}
