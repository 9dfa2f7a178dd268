//! What is kept of an entry when its line goes.

use super::thin::Thin;
use super::{CallRow, Session, notable};
use crate::json::{Json, Kind as Shape, Map, reduce};
use crate::language::tokens;
use crate::transcript::stub;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{
    Args, Aside, Block, Call, Change, Compaction, Custom, Entry, Image, Mark, Outcome, Place, Side,
    Sink, Status, Transcript, Voice,
};
use foldhash::HashMap;
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::{BTreeSet, VecDeque};
use std::hash::{BuildHasher, Hasher};

/// Bytes kept of a text: its head and its tail.
const PERSON: (usize, usize) = (48 << 10, 48 << 10);
const ASSISTANT: (usize, usize) = (6 << 10, 10 << 10);
const SUMMARY: (usize, usize) = (8 << 10, 4 << 10);
const HARNESS: (usize, usize) = (1 << 10, 1 << 10);
/// Bytes kept of a result that can prove something, and of one that cannot.
const PROOF: (usize, usize) = (400, 1200);
const PLAIN: (usize, usize) = (160, 0);
/// Bytes kept of what is written into a document, which is prose.
const DOCUMENT: usize = 2 << 10;
/// Lines kept from the middle of a result.
const NOTABLE: usize = 12;

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
    pub fn finish(mut self, head: Transcript) -> Session {
        self.session.head = head;
        self.session.calls.sort_by_key(|r| (r.entry, r.block));
        self.session
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

fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// A text that was put together, without room for more: thousands of them are kept.
fn fitted(mut text: String) -> Cow<'static, str> {
    text.shrink_to_fit();
    Cow::Owned(text)
}

fn mark(mark: Mark<'_>) -> Mark<'static> {
    let keep = |text: Option<Cow<'_, str>>| text.map(|t| Cow::Owned(ends(&t, SUMMARY)));
    match mark {
        Mark::Compaction(c) => Mark::Compaction(Box::new(Compaction {
            auto: c.auto,
            tokens_before: c.tokens_before,
            tokens_after: c.tokens_after,
            summary: keep(c.summary),
            details: c.details.map(own),
        })),
        Mark::Branch { summary } => Mark::Branch {
            summary: Cow::Owned(ends(&summary, SUMMARY)),
        },
        Mark::Clear => Mark::Clear,
        Mark::Model => Mark::Model,
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

fn side(side: Side<'_>) -> Side<'static> {
    let aside = side.into_inner();
    Side::from(Aside {
        agent: aside.agent.map(own),
        background: aside.background.map(own),
        task: aside.task.map(own),
        changes: aside
            .changes
            .into_iter()
            .map(|c| Change {
                op: c.op,
                path: own(c.path),
                to: c.to.map(own),
            })
            .collect(),
        todos: aside.todos.map(own),
    })
}

/// Arguments with what nobody will read cut off: file bodies, long prompts.
fn kept_args(tool: Tool, args: &Args<'_>, json: Json<'_>) -> Args<'static> {
    match args {
        // The lines of a patch that name files are all that is needed of it.
        Args::Raw(text) => Args::Raw(fitted(patch_heads(text))),
        Args::Json(_) => {
            let limit = match tool {
                Tool::Shell => 16 << 10,
                Tool::TodoList => 4 << 10,
                Tool::Patch => return Args::Json(fitted(reduce_patch(json))),
                Tool::Write | Tool::Edit => match tools::path(&json) {
                    Some(path) if tools::is_document(&path) => DOCUMENT,
                    _ => 300,
                },
                _ => 1 << 10,
            };
            Args::Json(fitted(reduce(json, limit, 400, 8)))
        }
    }
}

/// A patch's marker lines and what it adds to documents; a short patch whole.
fn patch_heads(text: &str) -> String {
    if text.len() <= 512 {
        return text.to_owned();
    }
    let mut room = DOCUMENT;
    let mut prose = false;
    let mut out = String::new();
    for line in text.lines() {
        let marks = line.starts_with("*** ");
        if marks {
            prose = tools::is_document(line);
        } else if !prose || !line.starts_with('+') || line.len() > room {
            continue;
        } else {
            room -= line.len();
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}

fn reduce_patch(json: Json<'_>) -> String {
    let mut out = String::from("{");
    for (i, (key, value)) in json.fields().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&crate::json::quote(&key.name()));
        out.push(':');
        match value.str() {
            Some(text) => out.push_str(&crate::json::quote(&patch_heads(&text))),
            None => out.push_str(&reduce(value, 512, 100, 6)),
        }
    }
    out.push('}');
    out
}

/// A hash that stays the same for the same text, in this process only.
pub fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}

/// Hash of a call's family and arguments with keys sorted and nulls dropped at every level (SPEC 2.2).
fn canonical(tool: Tool, name: &str, args: &Args<'_>, json: Json<'_>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    // Families whose members do the same with the same arguments; `grep` and `glob` do not.
    let same = matches!(
        tool,
        Tool::Read
            | Tool::Write
            | Tool::Edit
            | Tool::Patch
            | Tool::Delete
            | Tool::Shell
            | Tool::List
    );
    if !same {
        hasher.write(name.to_ascii_lowercase().as_bytes());
    }
    hasher.write_u8(tool as u8);
    let value = match args {
        Args::Raw(text) => hash(text),
        Args::Json(_) => canonical_value(json, 0),
    };
    hasher.write_u64(value);
    hasher.finish()
}

/// Hash of a value with keys sorted and nulls dropped at every level.
pub fn canonical_value(value: Json<'_>, depth: u8) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    match value.kind() {
        // Deeper than any real argument: the text as it stands.
        _ if depth > 64 => hasher.write(value.raw().as_bytes()),
        Shape::Object => {
            let mut fields: Vec<(String, u64)> = value
                .fields()
                .filter(|(_, v)| !v.is_null())
                .map(|(k, v)| (k.name().into_owned(), canonical_value(v, depth + 1)))
                .collect();
            fields.sort_unstable();
            for (key, value) in fields {
                hasher.write(key.as_bytes());
                hasher.write_u64(value);
            }
        }
        Shape::Array => value
            .items()
            .for_each(|v| hasher.write_u64(canonical_value(v, depth + 1))),
        Shape::String => hasher.write(value.str().unwrap_or_default().as_bytes()),
        _ => hasher.write(value.raw().as_bytes()),
    }
    hasher.write_u8(value.kind() as u8);
    hasher.finish()
}

/// Head and tail of a text in bytes, cut at characters, with a gap marked by an ellipsis on its own line.
fn ends(text: &str, (head, tail): (usize, usize)) -> String {
    if text.len() <= head + tail {
        return text.to_owned();
    }
    let mut h = head;
    while !text.is_char_boundary(h) {
        h -= 1;
    }
    let mut t = text.len() - tail;
    while !text.is_char_boundary(t) {
        t += 1;
    }
    if tail == 0 {
        format!("{}…", &text[..h])
    } else {
        format!("{}\n…\n{}", &text[..h], &text[t..])
    }
}

/// How many lines [`str::lines`] gives, counted at memory speed.
fn lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\n', bytes).count()
        + usize::from(bytes.last().is_some_and(|b| *b != b'\n'))
}

/// A result that may prove something: its ends and the notable lines between them.
fn excerpt(text: &str) -> String {
    if text.len() <= PROOF.0 + PROOF.1 + 200 {
        return text.to_owned();
    }
    let mut h = PROOF.0;
    while !text.is_char_boundary(h) {
        h -= 1;
    }
    let mut t = text.len() - PROOF.1;
    while !text.is_char_boundary(t) {
        t += 1;
    }
    let mut out = text[..h].to_owned();
    out.push_str("\n…\n");
    // Outcomes stand near the end; the first ones name the cause.
    for line in notable::lines(&text[h..t], NOTABLE / 3, NOTABLE - NOTABLE / 3) {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(&text[t..]);
    out
}
