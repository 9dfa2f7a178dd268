//! What is kept of an entry when its line goes.

use super::kept::{
    ASSISTANT, HARNESS, PERSON, PLAIN, SUMMARY, canonical, ends, excerpt, fitted, hash, kept_args,
    lines, mark, own, side,
};
use super::thin::Thin;
use super::{CallRow, Session};
use crate::json::{Json, Map};
use crate::language::tokens;
use crate::transcript::stub;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{
    Args, Block, Call, Custom, Entry, Image, Outcome, Place, Sink, Status, Transcript, Voice,
};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};

/// The sink that keeps.
#[derive(Default)]
pub struct Digest {
    pub(super) session: Session,
    /// Calls that wait for their result, by the hash of their id.
    pub(super) waiting: HashMap<u64, Waiting>,
    /// Where the values of a call's arguments end, from call to call.
    pub(super) map: Map,
    pub(super) thin: Thin,
    /// Calls whose command goes on, by the hash of its number.
    pub(super) running: HashMap<u64, u32>,
    /// The place of the first entry that is still here: those before it were let go of.
    pub(super) base: u32,
    /// Calls that were let go of without a result, by the hash of their id.
    pub(super) open: BTreeSet<u64>,
    /// Something needed an entry that was let go of.
    pub lost: bool,
}

/// Calls of one id, the oldest first. Nearly always there is one.
#[derive(Clone, Serialize, Deserialize)]
pub struct Waiting {
    first: u32,
    others: VecDeque<u32>,
}

impl Waiting {
    /// Those of the calls that `place` still knows, where they are now.
    pub(super) fn moved(&self, place: impl Fn(&u32) -> Option<u32>) -> Option<Waiting> {
        let all = std::iter::once(&self.first).chain(&self.others);
        let mut rows = all.filter_map(place);
        Some(Waiting {
            first: rows.next()?,
            others: rows.collect(),
        })
    }

    pub(super) fn count(&self) -> usize {
        1 + self.others.len()
    }
}

impl Digest {
    /// The session, when reading has ended.
    pub fn finish(self, head: Transcript) -> Session {
        self.end(head, false)
    }
}

impl Sink for Digest {
    fn withdraw(&mut self, place: Place) {
        let at = place.seq.checked_sub(self.base);
        let Some(kept) = at.and_then(|at| self.session.entries.get_mut(at as usize)) else {
            return;
        };
        // Calls and results are known by where they stand in the entry.
        if kept.calls().next().is_none() && kept.results().next().is_none() {
            kept.blocks.clear();
        }
        for block in &mut kept.blocks {
            match block {
                Block::Said { text, .. } => *text = "".into(),
                Block::Result(outcome) => outcome.text = "".into(),
                Block::Image(image) => **image = Image::default(),
                Block::Call(_) | Block::Thinking { .. } => {}
            }
        }
    }

    fn entry(&mut self, entry: Entry<'_>) {
        let Some(seq) = entry.seq.checked_sub(self.base) else {
            self.lost = true;
            return;
        };
        let seq = seq as usize;
        let known = seq < self.session.entries.len();
        let first_block = if known {
            self.session.entries[seq].blocks.len()
        } else {
            0
        };
        let mut blocks = Vec::with_capacity(entry.blocks.len());
        for block in entry.blocks {
            let at = (
                entry.seq,
                u16::try_from(first_block + blocks.len()).unwrap_or(u16::MAX),
            );
            blocks.push(self.block(block, at));
        }
        self.thin.add(&blocks);
        if known {
            let kept = &mut self.session.entries[seq];
            kept.blocks.append(&mut blocks);
            kept.model = kept.model.or(entry.model);
            // The last row of a message has the whole answer's tokens (SPEC 0.5).
            if let Some(usage) = entry.usage
                && kept.usage.is_none_or(|k| usage.output >= k.output)
            {
                kept.usage = Some(usage);
            }
            return;
        }
        self.session.entries.push(Entry {
            seq: entry.seq,
            number: entry.number,
            kind: entry.kind,
            lane: entry.lane,
            time: entry.time,
            dir: entry.dir,
            model: entry.model,
            usage: entry.usage,
            blocks,
            mark: entry.mark.map(mark),
            custom: entry.custom.map(|c| {
                Box::new(Custom {
                    name: own(c.name),
                    hidden: c.hidden,
                })
            }),
            line: entry.line,
            // Nothing behind this room asks for it.
            id: Cow::Borrowed(""),
        });
        self.thin.relieve(&mut self.session);
    }
}

impl Digest {
    fn block(&mut self, block: Block<'_>, at: (u32, u16)) -> Block<'static> {
        match block {
            Block::Said { voice, text } => {
                self.session.source_tokens += tokens::sampled(&text);
                let keep = match voice {
                    Voice::Person | Voice::Parent => PERSON,
                    Voice::Assistant => ASSISTANT,
                    Voice::Summary => SUMMARY,
                    Voice::Harness | Voice::System => HARNESS,
                };
                Block::Said {
                    voice,
                    text: Cow::Owned(ends(&text, keep)),
                }
            }
            Block::Thinking { chars } => Block::Thinking { chars },
            Block::Image(image) => {
                self.session.source_tokens += tokens::IMAGE_TOKENS as f64;
                Block::Image(Box::new(Image {
                    name: image.name.map(own),
                    mime: image.mime.map(own),
                    bytes: image.bytes,
                    size: image.size,
                }))
            }
            Block::Call(call) => self.call(*call, at),
            Block::Result(outcome) => self.result(*outcome, at),
        }
    }

    fn call(&mut self, call: Call<'_>, at: (u32, u16)) -> Block<'static> {
        let text = call.args.as_str();
        let args_tokens = tokens::sampled(text);
        self.map.clear();
        let json = match &call.args {
            Args::Raw(_) => Json::NULL,
            Args::Json(text) => Json::parse_mapped(text, &mut self.map).unwrap_or(Json::NULL),
        };
        self.session.source_tokens += args_tokens;
        let row = self.session.calls.len() as u32;
        self.session.calls.push(CallRow {
            entry: at.0,
            block: at.1,
            result: None,
            end: None,
            args_hash: canonical(call.tool, &call.name, &call.args, json),
            args_chars: text.chars().count() as u32,
            result_hash: 0,
            result_chars: 0,
            result_lines: 0,
            args_tokens: args_tokens as f32,
            result_tokens: 0.0,
            pruned: stub::in_args(text),
        });
        self.waiting
            .entry(hash(&call.id))
            .and_modify(|w| w.others.push_back(row))
            .or_insert(Waiting {
                first: row,
                others: VecDeque::new(),
            });
        Block::Call(Box::new(Call {
            id: own(call.id),
            name: own(call.name),
            tool: call.tool,
            args: kept_args(call.tool, &call.args, json),
        }))
    }

    /// A command that outlives its call ends in the output of a later call that waits for it.
    fn goes_on(&mut self, tool: Tool, status: Status, key: u64, row: u32, at: (u32, u16)) {
        match (tool, status) {
            (Tool::ShellSession, Status::Running) => {}
            (Tool::ShellSession, _) => {
                let begun = self.running.remove(&key);
                if let Some(begun) = begun.and_then(|r| self.session.calls.get_mut(r as usize)) {
                    begun.end = Some(at);
                }
            }
            (_, Status::Running) => {
                self.running.insert(key, row);
            }
            _ => {}
        }
    }

    /// The first call of that id whose result has not come.
    fn next_waiting(&mut self, id: u64) -> Option<u32> {
        let rows = self.waiting.get_mut(&id)?;
        let first = rows.first;
        match rows.others.pop_front() {
            Some(next) => rows.first = next,
            None => drop(self.waiting.remove(&id)),
        }
        Some(first)
    }

    fn result(&mut self, outcome: Outcome<'_>, at: (u32, u16)) -> Block<'static> {
        let result_tokens = tokens::sampled(&outcome.text);
        self.session.source_tokens += result_tokens;
        let base = self.base;
        let row = self.next_waiting(hash(&outcome.call));
        self.lost |= row.is_none() && self.open.contains(&hash(&outcome.call));
        let mut tool = Tool::Other;
        let mut status = outcome.status;
        match row.and_then(|r| self.session.calls.get_mut(r as usize)) {
            Some(row) => {
                row.result = Some(at);
                row.result_hash = hash(&outcome.text);
                row.result_chars = outcome.text.chars().count() as u32;
                row.result_lines = lines(&outcome.text) as u32;
                row.result_tokens = result_tokens as f32;
                // A marker beside an image that is still there is the agent's own text.
                row.pruned |= outcome.images == 0 && stub::in_result(&outcome.text);
                if let Some(Block::Call(call)) = self
                    .session
                    .entries
                    .get((row.entry - base) as usize)
                    .and_then(|e| e.blocks.get(row.block as usize))
                {
                    tool = call.tool;
                    if status == Status::Unknown && tools::says_failed(call, &outcome.text) {
                        status = Status::Error;
                    }
                }
            }
            None => self.session.orphans += 1,
        }
        if let (Some(background), Some(row)) = (&outcome.side.background, row) {
            self.goes_on(tool, status, hash(background), row, at);
        }
        let failed = !matches!(status, Status::Ok | Status::Unknown);
        let text = match tool {
            Tool::Read | Tool::Search | Tool::List | Tool::Web if !failed => {
                ends(&outcome.text, PLAIN)
            }
            Tool::Agent => ends(&outcome.text, (1 << 10, 3 << 10)),
            _ => excerpt(&outcome.text),
        };
        Block::Result(Box::new(Outcome {
            // The row knows its call.
            call: Cow::Borrowed(""),
            status,
            exit: outcome.exit,
            text: fitted(text),
            images: outcome.images,
            side: side(outcome.side),
        }))
    }
}
