//! What may still be shown of a conversation that was let go of: its best parts, in their blocks, and counts for the
//! rest. The choice among them is made when a brief is printed, together with what is still there.

use super::blocks::{Block, Cut, Part, USER};
use super::cutter::Cutter;
use super::pick::cost;
use super::talk::Talk;
use super::weigh::OVERHEAD;
use super::{bounds, weigh};
use crate::session::Session;
use crate::state::State;
use crate::transcript::Ref;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::OnceLock;

/// See the module.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Pool {
    blocks: Vec<Kept>,
    /// Blocks there were.
    total: usize,
    /// What the dropped parts counted towards the size of the conversation.
    gone: usize,
    /// A person spoke.
    pub spoken: bool,
    /// The worth for a character of the worst part that was kept when there were too many.
    #[serde(with = "bits")]
    floor: f64,
}

/// A block with what is left of it, or several neighbours of which nothing is left.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kept {
    head: Cow<'static, str>,
    index: usize,
    members: u32,
    /// Of each message; none where nothing is left.
    references: Vec<Option<Ref>>,
    /// Parts count messages from the block's first, and are weighed without regard to their place.
    cut: Cut,
}

/// Blocks that follow at least: what is let go of does not stand at the end.
const LATER: usize = 40;

const SUMMARY: &str = "[custom:summary]";

impl Pool {
    /// All of it, of which only counts stay behind.
    pub fn take(&mut self) -> Pool {
        let blocks = std::mem::take(&mut self.blocks);
        Pool {
            blocks,
            ..self.clone()
        }
    }

    /// With a session that is let go of, whose past it is about. With more parts than the first number the best are kept,
    /// as many as the second.
    pub fn with(mut self, session: &Session, (most, best): (usize, usize)) -> Pool {
        let entries: Vec<_> = session.active().collect();
        let cutter = Cutter::new(session, self.spoken, &State::default(), &entries).goes_on();
        let talk = Talk::outlined(cutter, entries);
        let newer = talk.cutter().is_some_and(|c| c.newest_summary.is_some());
        if newer {
            self.outdate();
        }
        let total = self.total + talk.total;
        for (at, block) in talk.blocks.iter().enumerate() {
            let first = block.head == USER && !std::mem::replace(&mut self.spoken, true);
            // What cannot be as good as the worst that was kept is not even cut.
            let index = self.total + block.index;
            let hopeless = !first && block.head != SUMMARY && self.floor > 0.0 && {
                let bounds = bounds::of(&talk, at);
                let here = weigh::most(&block.head, block.index, talk.total);
                let there = weigh::most(&block.head, index, total + LATER);
                bounds.iter().all(|b| b.worth / here * there < self.floor)
            };
            if hopeless {
                self.gone += block.members as usize;
            }
            self.blocks.push(kept(&talk, block, index, !hopeless));
        }
        self.total = total;
        if self.blocks.iter().map(|b| b.cut.parts.len()).sum::<usize>() > most {
            self.thin_out(best);
        }
        self.pack();
        self
    }

    /// Puts what is known in front of a conversation.
    pub fn open(&self, talk: &mut Talk<'_>) {
        let (latest, newer) = match talk.cutter() {
            Some(cutter) => (cutter.latest, cutter.newest_summary.is_some()),
            None => (None, false),
        };
        let total = self.total + talk.total;
        let mut blocks = Vec::with_capacity(self.blocks.len());
        let mut first = 0;
        for kept in &self.blocks {
            let mut cut = kept.cut.clone();
            if newer && kept.head == SUMMARY {
                // The newer one holds what the old one said.
                cut.parts.clear();
            }
            for part in &mut cut.parts {
                let message = part.messages.first();
                let reference = message.and_then(|m| *kept.references.get(*m as usize)?);
                let is_latest = latest.is_some() && reference == latest;
                if is_latest && part.line.is_some() && !part.must {
                    part.value *= weigh::latest();
                }
                part.messages.iter_mut().for_each(|m| *m += first);
            }
            weigh::place(&mut cut.parts, &kept.head, kept.index, total);
            let block = Block {
                head: kept.head.clone(),
                index: kept.index,
                first,
                members: kept.members,
                entries: 0..0,
                cut: OnceLock::from(Box::new(cut)),
            };
            blocks.push((block, kept.references.clone()));
            first += kept.references.len() as u32;
        }
        talk.prepend(blocks, self.total, self.gone);
    }

    /// Takes the parts of a summary out that a newer one replaces.
    fn outdate(&mut self) {
        for block in self.blocks.iter_mut().filter(|b| b.head == SUMMARY) {
            block.cut.parts.clear();
        }
    }

    /// Leaves the best parts, and those that stay whatever comes.
    fn thin_out(&mut self, best: usize) {
        let mut order: Vec<(f64, usize, usize)> = Vec::new();
        for (b, block) in self.blocks.iter().enumerate() {
            let mut parts = block.cut.parts.clone();
            weigh::place(&mut parts, &block.head, block.index, self.total + LATER);
            for (p, part) in parts.iter().enumerate() {
                let stays = part.must || block.head == SUMMARY;
                let worth = match stays {
                    true => f64::INFINITY,
                    false => part.value / (cost(part) as f64 + OVERHEAD),
                };
                order.push((worth, b, p));
            }
        }
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        let mut chosen: Vec<Vec<bool>> = self
            .blocks
            .iter()
            .map(|b| vec![false; b.cut.parts.len()])
            .collect();
        for (worth, b, p) in order.into_iter().take(best) {
            self.floor = worth;
            if let Some(flag) = chosen.get_mut(b).and_then(|b| b.get_mut(p)) {
                *flag = true;
            }
        }
        for (block, chosen) in self.blocks.iter_mut().zip(chosen) {
            let mut flags = chosen.into_iter();
            let calls = |parts: &[Part]| -> usize {
                let calls = parts.iter().filter(|p| p.line.is_none());
                calls.map(|p| p.messages.len()).sum()
            };
            let before = calls(&block.cut.parts);
            block.cut.parts.retain(|_| flags.next() == Some(true));
            self.gone += before - calls(&block.cut.parts);
        }
    }

    /// Makes one of neighbouring blocks of which nothing is left.
    fn pack(&mut self) {
        let mut blocks: Vec<Kept> = Vec::with_capacity(self.blocks.len());
        for mut block in self.blocks.drain(..) {
            if block.cut.parts.is_empty() {
                self.gone += block.cut.pieces.iter().filter(|p| **p > 0).count();
                block.cut.pieces.clear();
                block.references.clear();
            }
            match blocks.last_mut() {
                Some(last) if last.cut.parts.is_empty() && block.cut.parts.is_empty() => {
                    last.members += block.members;
                }
                _ => blocks.push(block),
            }
        }
        self.blocks = blocks;
    }
}

fn kept(talk: &Talk<'_>, block: &Block, index: usize, cut: bool) -> Kept {
    let mut cut = if cut { talk.raw(block) } else { Cut::default() };
    weigh::rank(&mut cut.parts, &block.head);
    for part in &mut cut.parts {
        part.messages.iter_mut().for_each(|m| *m -= block.first);
    }
    let messages = block.first as usize..(block.first + block.members) as usize;
    let messages = talk.messages.get(messages).unwrap_or_default();
    Kept {
        head: block.head.clone(),
        index,
        members: block.members,
        references: messages.iter().map(|m| m.reference).collect(),
        cut,
    }
}

/// A number with a fraction as its bits: read back it is the same.
pub mod bits {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_u64(value.to_bits())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        u64::deserialize(d).map(f64::from_bits)
    }
}
