//! Which parts are printed: the best for their length, as long as there is room.
//!
//! Parts are taken in the order of their worth. A block is cut only when it could hold the next best part: until then
//! [`bounds`](super::bounds) says what its parts are worth at most and how short they are at least.

use super::blocks::{Block, Part, USER};
use super::bounds::{self, Bound};
use super::talk::Talk;
use super::weigh::{self, OVERHEAD};
use crate::beside;
use crate::language::squash;
use memchr::memmem;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::sync::OnceLock;

/// Blocks shown at most, and how many at the end are preferred (SPEC 8).
const BLOCKS: usize = 80;
const LAST: usize = 16;
/// About what a line about a gap takes.
const GAP_LINE: usize = 24;
/// Characters a reference takes.
const REFERENCE: usize = 8;
/// A rest of the room that hardly holds a line stays empty: what would fill it is chosen by its shortness, and nobody could
/// tell which blocks need not be cut.
const BRIEF: usize = 24;
/// Shorter texts stand somewhere by chance.
const WORD: usize = 8;

/// For each block that was looked at, which of its parts are chosen; for others nothing.
pub type Chosen = Vec<Vec<bool>>;

/// Characters of a part and its line break.
pub fn cost(part: &Part) -> usize {
    part.text.chars().count() + 1
}

/// What stays whatever the ceiling.
pub fn musts(talk: &Talk<'_>) -> Chosen {
    let mut first = true;
    let flags = |(b, block): (usize, &Block)| {
        let looked = block.head == USER && std::mem::take(&mut first);
        match looked || block.cut.get().is_some() {
            true => talk.parts(b).iter().map(|p| p.must).collect(),
            false => Vec::new(),
        }
    };
    talk.blocks.iter().enumerate().map(flags).collect()
}

/// Ranks the parts of a conversation by their worth for a character.
pub struct Ranking<'t> {
    talk: &'t Talk<'t>,
    /// What the sections say, squashed: a part that says it again is worth less.
    known: String,
    worths: Vec<OnceLock<Vec<f64>>>,
    bounds: Vec<OnceLock<[Bound; 2]>>,
}

impl<'t> Ranking<'t> {
    pub fn new(talk: &'t Talk<'t>, known: &str) -> Ranking<'t> {
        Ranking {
            talk,
            known: squash(known),
            worths: talk.blocks.iter().map(|_| OnceLock::new()).collect(),
            bounds: talk.blocks.iter().map(|_| OnceLock::new()).collect(),
        }
    }

    fn worths(&self, block: usize) -> &[f64] {
        let Some(cell) = self.worths.get(block) else {
            return &[];
        };
        cell.get_or_init(|| {
            let worth = |part: &Part| {
                let text = squash(&part.text);
                let again = text.chars().nth(WORD).is_some()
                    && memmem::find(self.known.as_bytes(), text.as_bytes()).is_some();
                let factor = if again { weigh::AGAIN } else { 1.0 };
                factor * part.value / (cost(part) as f64 + OVERHEAD)
            };
            self.talk.parts(block).iter().map(worth).collect()
        })
    }

    fn bounds(&self, block: usize) -> &[Bound] {
        match self.bounds.get(block) {
            Some(cell) => cell.get_or_init(|| bounds::of(self.talk, block)),
            None => &[],
        }
    }

    /// The parts from the best to the worst.
    fn order(&self) -> Order<'_, 't> {
        let cut = |(b, block): (usize, &Block)| block.cut.get().is_some().then_some(b);
        let blocks = self.talk.blocks.iter().enumerate();
        let cut: Vec<usize> = blocks.filter_map(cut).collect();
        beside::map(&cut, |b| self.worths(*b).len());
        let mut order = Order {
            ranking: self,
            next: BinaryHeap::new(),
            opened: self.talk.blocks.iter().map(|_| false).collect(),
        };
        for (b, block) in self.talk.blocks.iter().enumerate() {
            if block.cut.get().is_some() {
                order.open(b);
                continue;
            }
            for (kind, bound) in self.bounds(b).iter().enumerate() {
                order.next.push(Next {
                    worth: bound.worth,
                    block: b,
                    what: Reverse(What::Some(kind)),
                });
            }
        }
        order
    }
}

/// A part, or the promise of parts in a block that is not cut yet.
#[derive(PartialEq)]
struct Next {
    worth: f64,
    block: usize,
    what: Reverse<What>,
}

/// A promise stands before parts of the same worth: one of its own may come first.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Some(usize),
    Part(usize),
}

impl Eq for Next {}

impl Ord for Next {
    fn cmp(&self, other: &Next) -> Ordering {
        let promise = |n: &Next| matches!(n.what.0, What::Some(_));
        self.worth
            .total_cmp(&other.worth)
            .then(promise(self).cmp(&promise(other)))
            .then(other.block.cmp(&self.block))
            .then_with(|| self.what.cmp(&other.what))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Next) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

struct Order<'r, 't> {
    ranking: &'r Ranking<'t>,
    next: BinaryHeap<Next>,
    opened: Vec<bool>,
}

impl Order<'_, '_> {
    fn open(&mut self, block: usize) {
        let known = self.opened.get_mut(block);
        if known.is_none_or(|o| std::mem::replace(o, true)) {
            return;
        }
        for (at, worth) in self.ranking.worths(block).iter().enumerate() {
            self.next.push(Next {
                worth: *worth,
                block,
                what: Reverse(What::Part(at)),
            });
        }
    }

    /// Blocks that are not cut yet and never will be.
    fn forget(&mut self, out: impl Fn(usize) -> bool) {
        let part = |n: &Next| matches!(n.what.0, What::Part(_));
        self.next.retain(|n| part(n) || !out(n.block));
    }

    /// The next best part. `fits` says whether a part that is at least so short could be taken from an untouched block; if
    /// not now, then never again.
    fn next(&mut self, fits: impl Fn(usize, &dyn Fn() -> usize) -> bool) -> Option<(usize, usize)> {
        loop {
            let next = self.next.pop()?;
            match next.what.0 {
                What::Part(at) => return Some((next.block, at)),
                What::Some(kind) => {
                    let bound = self.ranking.bounds(next.block).get(kind);
                    let least = || bound.map_or(0, |b| b.least(self.ranking.talk, next.block));
                    if fits(next.block, &least) {
                        self.open(next.block);
                    }
                }
            }
        }
    }
}

/// The best parts that cost at most `ceiling` together with the `used` characters of what always stays.
pub fn pick(ranking: &Ranking<'_>, musts: &Chosen, mut used: usize, ceiling: usize) -> Chosen {
    let talk = ranking.talk;
    let mut chosen = musts.clone();
    let mut printed = vec![false; talk.messages.len()];
    let mut open: Vec<bool> = chosen.iter().map(|b| b.contains(&true)).collect();
    let mut opened = open.iter().filter(|o| **o).count();
    let header = |b: usize| talk.blocks.get(b).map_or(0, |b| b.head.chars().count() + 2);
    let late = |b: usize| {
        talk.blocks
            .get(b)
            .is_none_or(|b| b.index + LAST >= talk.total)
    };
    let full = |b: usize, opened: usize| !late(b) && opened >= BLOCKS - LAST;
    let mut order = ranking.order();
    // What a block takes that nothing is shown of yet, besides its part.
    let fixed = |b: usize| header(b) + REFERENCE + 1;
    loop {
        let room = ceiling.saturating_sub(used);
        if room < BRIEF {
            return chosen;
        }
        let fits = |b: usize, least: &dyn Fn() -> usize| {
            !full(b, opened)
                && room >= fixed(b) + BRIEF
                && (room >= fixed(b) + bounds::LONG || room >= fixed(b) + least())
        };
        let Some((b, p)) = order.next(fits) else {
            return chosen;
        };
        let Some(part) = talk.parts(b).get(p).filter(|p| !p.must) else {
            continue;
        };
        let fresh = !open.get(b).copied().unwrap_or(false);
        if fresh && (full(b, opened) || room < fixed(b) + BRIEF) {
            continue;
        }
        let reference: usize = part
            .messages
            .iter()
            .filter(|m| part.line.is_none() || !printed.get(**m as usize).copied().unwrap_or(true))
            .count()
            .min(4)
            * REFERENCE;
        let follows = b == 0 || open.get(b - 1).copied().unwrap_or(true);
        let more = cost(part)
            + reference
            + match (fresh, follows) {
                (false, _) => 0,
                (true, true) => header(b),
                (true, false) => header(b) + GAP_LINE,
            };
        if used + more > ceiling {
            continue;
        }
        used += more;
        if let Some(flags) = chosen.get_mut(b) {
            flags.resize(talk.parts(b).len(), false);
            if let Some(flag) = flags.get_mut(p) {
                *flag = true;
            }
        }
        if fresh {
            if let Some(o) = open.get_mut(b) {
                *o = true;
            }
            opened += 1;
            if opened == BLOCKS - LAST {
                // From here on most blocks are out: a million of them need not be taken up one by one.
                order.forget(|b| full(b, opened));
            }
        }
        for m in &part.messages {
            if let Some(flag) = printed.get_mut(*m as usize) {
                *flag = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fit::tests::talk;
    use super::*;

    #[test]
    fn what_is_worth_most_takes_the_room() {
        let talk = talk(&[
            ("표를 만들어줘", 1.0),
            ("길이가 같은 답", 1.0),
            ("길이가 같은 말", 2.0),
        ]);
        let ranking = Ranking::new(&talk, "");
        let chosen = pick(&ranking, &musts(&talk), 10, 70);
        assert_eq!(chosen, [[true], [false], [true]]);
        let none = pick(&ranking, &musts(&talk), 10, 12);
        assert_eq!(none, [[true], [false], [false]]);
    }
}
