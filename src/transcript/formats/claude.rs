//! Claude Code: a graph of rows by `parentUuid`, one answer spread over several rows (FORMATS 7).

pub(super) mod block;
mod queue;
pub(super) mod result;

use super::graph::{Graph, Row, unnamed};
use super::shared::moment;
use super::{Format, hash, joined, some, text};
use crate::json::Json;
use crate::transcript::{Compaction, Custom, Desk, Entry, Kind, Mark, Millis, Place, Usage, Voice};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Reader of Claude Code's session files.
#[derive(Default, Serialize, Deserialize)]
pub struct Claude {
    graph: Graph,
    /// Each answer by its `message.id`.
    #[serde(with = "super::sorted")]
    answers: HashMap<u64, Answer>,
    queue: queue::Queue,
    titles: Titles,
    /// Rows of the main conversation; a file without any is a sub-agent's.
    main_rows: u64,
    /// A boundary was read whose summary has not come yet.
    bounded: bool,
}

#[derive(Serialize, Deserialize)]
struct Answer {
    place: Place,
    /// Hashes of its blocks, so that streamed copies of a row count once.
    blocks: Vec<u64>,
}

#[derive(Default, Serialize, Deserialize)]
struct Titles {
    person: Option<String>,
    generated: Option<String>,
    /// Summaries name a leaf, which may be in another file.
    summaries: Vec<(u64, String)>,
    /// The last of them whose leaf was in what was let go of.
    past: Option<String>,
}

/// The fields of a row that concern every type.
#[derive(Default)]
struct Envelope<'a> {
    kind: Cow<'a, str>,
    uuid: Cow<'a, str>,
    parent: Option<Json<'a>>,
    logical: Option<Json<'a>>,
    time: Cow<'a, str>,
    cwd: Cow<'a, str>,
    branch: Cow<'a, str>,
    session: Cow<'a, str>,
    permission: Cow<'a, str>,
    side: bool,
    agent: Cow<'a, str>,
    meta: bool,
    summary: bool,
    api_error: bool,
    machine: bool,
    message: Option<Json<'a>>,
    result: Option<Json<'a>>,
    record: Json<'a>,
}

/// A time as text; wrappers write milliseconds since 1970.
fn written(value: Json<'_>) -> Cow<'_, str> {
    match value.str() {
        Some(text) => text,
        None => moment(value).map_or_else(Cow::default, |m| Cow::Owned(m.rfc3339())),
    }
}

impl<'a> Envelope<'a> {
    fn read(record: Json<'a>) -> Envelope<'a> {
        let mut env = Envelope {
            record,
            ..Envelope::default()
        };
        for (key, value) in record.fields() {
            match key.name().as_ref() {
                "type" => env.kind = text(Some(value)),
                "uuid" => env.uuid = text(Some(value)),
                "parentUuid" => env.parent = Some(value),
                "logicalParentUuid" => env.logical = Some(value),
                "timestamp" => env.time = written(value),
                "cwd" => env.cwd = text(Some(value)),
                "gitBranch" => env.branch = text(Some(value)),
                "permissionMode" => env.permission = text(Some(value)),
                "sessionId" => env.session = text(Some(value)),
                "isSidechain" => env.side = value.bool() == Some(true),
                "agentId" => env.agent = text(Some(value)),
                "isMeta" => env.meta = value.bool() == Some(true),
                "isCompactSummary" => env.summary |= value.bool() == Some(true),
                "isVisibleInTranscriptOnly" => env.meta |= value.bool() == Some(true),
                "isApiErrorMessage" => env.api_error = value.bool() == Some(true),
                "origin" | "turnOrigin" => {
                    env.machine |= value
                        .text("kind")
                        .is_some_and(|k| !matches!(k.as_ref(), "human" | "user"));
                }
                "message" => env.message = Some(value),
                "toolUseResult" => env.result = Some(value),
                _ => {}
            }
        }
        env
    }

    fn entry(&self, kind: Kind, desk: &mut Desk<'_>) -> Entry<'a> {
        let mut entry = Entry::new(kind);
        entry.time = Millis::parse(&self.time);
        entry.id = self.uuid.clone();
        if self.side {
            entry.lane = desk.lane(&self.agent);
        }
        entry.dir = desk.dir(&self.cwd);
        entry
    }
}

impl Format for Claude {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let env = Envelope::read(record);
        if !env.uuid.is_empty() && self.graph.contains(hash(&env.uuid)) {
            return; // The same row again.
        }
        if !env.side && !env.session.is_empty() && desk.session.id.as_deref() != Some(&env.session)
        {
            desk.session.id = Some(env.session.to_string());
        }
        // A file of a sub-agent's rows alone is the sub-agent's own.
        let own = !env.side || self.main_rows == 0;
        if env.side && own && desk.session.id.is_none() {
            desk.session.id = [&env.agent, &env.session]
                .into_iter()
                .find(|id| !id.is_empty())
                .map(|id| id.to_string());
        }
        match env.kind.as_ref() {
            "user" | "assistant" | "system" | "attachment" | "progress" if own => {
                desk.branch(&env.branch);
                desk.time(&env.time);
                desk.setting("permission mode", &env.permission);
            }
            _ => {}
        }
        match env.kind.as_ref() {
            "user" => self.user(&env, desk),
            "assistant" => self.assistant(&env, desk),
            "system" => self.system(&env, desk),
            "attachment" => self.attachment(&env, desk),
            "progress" => self.row(&env, None, false),
            "queue-operation" => self.queue_operation(&env, desk),
            "permission-mode" => desk.setting("permission mode", &env.permission),
            "custom-title" => self.titles.person = some(record.text("customTitle")),
            "ai-title" => self.titles.generated = some(record.text("aiTitle")),
            "summary" => {
                if let (Some(leaf), Some(summary)) =
                    (record.text("leafUuid"), some(record.text("summary")))
                {
                    self.titles.summaries.push((hash(&leaf), summary));
                }
            }
            // State of the host and indexes, nothing that was said or done.
            "file-history-snapshot"
            | "last-prompt"
            | "tag"
            | "agent-name"
            | "agent-color"
            | "agent-setting"
            | "mode"
            | "pr-link"
            | "worktree-state"
            | "attribution-snapshot"
            | "content-replacement"
            | "bridge-session"
            | "saved_hook_context"
            | "speculation-accept"
            | "cost-state"
            | "task-summary"
            | "atis-latch"
            | "started"
            | "result" => {}
            other => desk.unknown(other),
        }
    }

    fn settle(&mut self, desk: &mut Desk<'_>) {
        self.graph.settle(desk);
        // A file may turn out to be a sub-agent's until a person spoke in it.
        if self.main_rows == 0 || desk.session.lost {
            return;
        }
        let Some(from) = desk.fold(&|seq| self.graph.can_cut(seq)) else {
            return;
        };
        self.titles.past = self.summary();
        self.graph.cut(from, desk.session.input.stitched);
        self.answers.retain(|_, a| a.place.seq >= from);
    }

    fn remember(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.graph.settle(desk);
        let summary = self.summary();
        desk.session.title = self
            .titles
            .person
            .take()
            .or(self.titles.generated.take())
            .or(summary);
        desk.session.child = self.main_rows == 0 && desk.session.lanes.len() > 1;
    }
}

impl Claude {
    /// As it was when it was remembered.
    pub fn recall(memory: &serde_json::Value) -> Option<Claude> {
        let mut claude = Claude::deserialize(memory).ok()?;
        claude.graph = claude.graph.recalled();
        Some(claude)
    }

    /// The last summary of a conversation that is in this file.
    fn summary(&self) -> Option<String> {
        let summaries = self.titles.summaries.iter().rev();
        let mut here = summaries.filter(|(leaf, _)| self.graph.contains(*leaf));
        here.next()
            .map(|(_, s)| s.clone())
            .or_else(|| self.titles.past.clone())
    }

    /// Puts the row into the graph. `place` is its message, if it is one.
    fn row(&mut self, env: &Envelope<'_>, place: Option<Place>, leaf: bool) {
        let row = self.row_of(env, place, leaf);
        self.graph.add(row);
    }

    fn row_of(&self, env: &Envelope<'_>, place: Option<Place>, leaf: bool) -> Row {
        let id = |value: Option<Json<'_>>| value.and_then(|v| v.str()).map_or(0, |s| hash(&s));
        let parent = match id(env.parent) {
            0 => id(env.logical),
            parent => parent,
        };
        let reply = || env.kind == "assistant" || (env.kind == "user" && env.result.is_some());
        let bridge = id(env.parent) == 0
            && (env.logical.is_some()
                || (place.is_some() && unnamed(env.parent, reply))
                || is_summary(env)
                || env.record.text("subtype").as_deref() == Some("compact_boundary"));
        Row {
            id: if env.uuid.is_empty() {
                0
            } else {
                hash(&env.uuid)
            },
            parent,
            seq: place.map(|p| p.seq),
            leaf: leaf && !env.side,
            side: env.side,
            bridge,
            result: env.kind == "user" && place.is_some() && env.result.is_some(),
        }
    }

    /// A summary without a boundary in front, as old versions write it, is one itself. Gives the boundary's row.
    fn boundary_of(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) -> Option<u64> {
        if env.side || !is_summary(env) || std::mem::take(&mut self.bounded) {
            return None;
        }
        let mut entry = env.entry(Kind::Mark, desk);
        entry.mark = Some(Mark::Compaction(Box::default()));
        let place = desk.mark(entry);
        let id = hash(&format!("boundary of {}", env.uuid));
        let row = self.row_of(env, Some(place), false);
        self.graph.add(Row { id, ..row });
        Some(id)
    }

    fn user(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let mut entry = env.entry(Kind::User, desk);
        let content = env.message.and_then(|m| m.get("content"));
        let voice = match env {
            Envelope { summary: true, .. } => Voice::Summary,
            Envelope { meta: true, .. } | Envelope { machine: true, .. } => Voice::Harness,
            Envelope { side: true, .. } => Voice::Parent,
            _ => Voice::Person,
        };
        let said = content.and_then(|c| c.str());
        // A result without its block: what stands there is the tool's.
        let answers = |c: &Json<'_>| {
            c.items()
                .any(|b| b.text("type").as_deref() == Some("tool_result"))
        };
        let voice = match voice {
            Voice::Person if env.result.is_some() && !content.as_ref().is_some_and(answers) => {
                Voice::Harness
            }
            voice => voice,
        };
        match said {
            Some(said) => entry.say(voice, said),
            None => {
                for block in content.iter().flat_map(|c| c.items()) {
                    self.user_block(block, env, voice, &mut entry);
                }
            }
        }
        let results = entry.results().count();
        if results > 0 && entry.blocks.len() == results {
            entry.kind = Kind::Tool;
        }
        if voice == Voice::Person {
            self.main_rows += 1;
        }
        let boundary = self.boundary_of(env, desk);
        let place = desk.message(entry);
        let mut row = self.row_of(env, Some(place), true);
        if let Some(boundary) = boundary {
            (row.parent, row.bridge) = (boundary, false);
        }
        self.graph.add(row);
    }

    fn user_block<'a>(
        &mut self,
        block: Json<'a>,
        env: &Envelope<'a>,
        voice: Voice,
        entry: &mut Entry<'a>,
    ) {
        if block.text("type").as_deref() == Some("tool_result") {
            result::read(block, env.result, voice, entry);
        } else {
            block::read(block, voice, entry);
        }
    }

    fn assistant(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let mut entry = env.entry(Kind::Assistant, desk);
        let message = env.message.unwrap_or(Json::NULL);
        let [id, model, content, usage] = message.pick(["id", "model", "content", "usage"]);
        let (id, model) = (text(id), text(model));
        let synthetic = env.api_error || model == "<synthetic>";
        if !synthetic && !model.is_empty() {
            entry.model = desk.model(&model);
            entry.usage = usage.and_then(read_usage);
        }
        let voice = if synthetic {
            Voice::Harness
        } else {
            Voice::Assistant
        };
        let key = hash(&id);
        if let Some(said) = content.and_then(|c| c.str()) {
            entry.say(voice, said);
        }
        let known = self.answers.get_mut(&key).filter(|_| !id.is_empty());
        let mut own = Vec::new();
        let place = known.as_ref().map(|a| a.place);
        let seen = known.map_or(&mut own, |a| &mut a.blocks);
        for block in content.iter().flat_map(|c| c.items()) {
            if !id.is_empty() {
                let block = hash(block.raw());
                if seen.contains(&block) {
                    continue;
                }
                seen.push(block);
            }
            block::read(block, voice, &mut entry);
        }
        if !env.side {
            self.main_rows += 1;
            if env.parent.is_none_or(|p| p.is_null()) && env.logical.is_none() {
                self.graph.unlinked_answer();
            }
        }
        let place = match place {
            Some(place) => {
                desk.again(place, entry);
                place
            }
            None => {
                let place = desk.message(entry);
                if !id.is_empty() {
                    self.answers.insert(key, Answer { place, blocks: own });
                }
                place
            }
        };
        self.row(env, Some(place), true);
    }

    fn system(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let subtype = env.record.text("subtype").unwrap_or_default();
        let place = (subtype == "compact_boundary").then(|| {
            self.bounded |= !env.side;
            let mut entry = env.entry(Kind::Mark, desk);
            let meta = env.record.get("compactMetadata").unwrap_or(Json::NULL);
            let number = |key: &str| meta.get(key).and_then(|v| v.u64());
            entry.mark = Some(Mark::Compaction(Box::new(Compaction {
                auto: meta.text("trigger").map(|t| t == "auto"),
                tokens_before: number("preTokens"),
                tokens_after: number("postTokens"),
                ..Compaction::default()
            })));
            desk.mark(entry)
        });
        // A file may end with the boundary; what was before it is the way to it all the same.
        self.row(env, place, place.is_some());
    }

    fn attachment(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let attachment = env.record.get("attachment").unwrap_or(Json::NULL);
        let [kind, prompt, mode, content, origin] =
            attachment.pick(["type", "prompt", "commandMode", "content", "origin"]);
        let kind = text(kind);
        let machine = origin.is_some_and(|o| o.text("kind").is_some_and(|k| k != "human"));
        let place = match kind.as_ref() {
            "queued_command"
                if mode.is_none_or(|m| text(Some(m)) == "prompt") && !env.side && !machine =>
            {
                let words = prompt.map(joined).unwrap_or_default();
                match self.queue.delivered(&words) {
                    queue::Delivery::Again(place) => Some(place),
                    queue::Delivery::First => {
                        let mut entry = env.entry(Kind::User, desk);
                        self.prompt_blocks(prompt, env, &mut entry);
                        let place = desk.message(entry);
                        self.queue.note(&words, place);
                        Some(place)
                    }
                }
            }
            "hook_additional_context"
            | "hook_system_message"
            | "hook_blocking_error"
            | "task_status" => {
                let words = content.map(joined).unwrap_or_default();
                (!words.trim().is_empty() && !env.side).then(|| {
                    let mut entry = env.entry(Kind::Custom, desk);
                    entry.custom = Some(Box::new(Custom {
                        name: kind.clone(),
                        hidden: true,
                    }));
                    entry.say(Voice::Harness, words);
                    desk.injected(entry)
                })
            }
            _ => None,
        };
        self.row(env, place, true);
    }

    fn prompt_blocks<'a>(
        &mut self,
        prompt: Option<Json<'a>>,
        env: &Envelope<'a>,
        entry: &mut Entry<'a>,
    ) {
        let Some(prompt) = prompt else { return };
        match prompt.str() {
            Some(said) => entry.say(Voice::Person, said),
            None => {
                for block in prompt.items() {
                    self.user_block(block, env, Voice::Person, entry);
                }
            }
        }
    }

    fn queue_operation(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let [operation, content] = env.record.pick(["operation", "content"]);
        let Some(words) = self
            .queue
            .operation(&text(operation), content.and_then(|c| c.str()).as_deref())
        else {
            return;
        };
        let mut entry = env.entry(Kind::User, desk);
        entry.say(Voice::Person, words.clone());
        let place = desk.message(entry);
        self.queue.note(&words, place);
        self.main_rows += 1;
        self.graph.add(Row {
            id: 0,
            parent: 0,
            seq: Some(place.seq),
            leaf: false,
            side: false,
            bridge: true,
            result: false,
        });
    }
}

/// Whether a user's row is the summary of a compaction; old versions do not mark it.
fn is_summary(env: &Envelope<'_>) -> bool {
    const HEAD: &str = "This session is being continued from a previous conversation";
    let content = env.message.and_then(|m| m.get("content"));
    let begins =
        |said: Option<Cow<'_, str>>| said.is_some_and(|t| t.trim_start().starts_with(HEAD));
    env.summary
        || (env.kind == "user"
            && content.is_some_and(|c| {
                begins(c.str()) || begins(c.items().next().and_then(|b| b.text("text")))
            }))
}

fn source_name<'a>(block: Json<'a>) -> Option<Cow<'a, str>> {
    let [title, name] = block.pick(["title", "name"]);
    title
        .or(name)
        .and_then(|n| n.str())
        .filter(|n| !n.is_empty())
}

/// Prompt tokens are everything the model was sent: new, written to and read from the cache (SPEC 0.5).
pub(super) fn read_usage(usage: Json<'_>) -> Option<Usage> {
    let found = usage.pick([
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ]);
    let number = |i: usize| {
        found
            .get(i)
            .copied()
            .flatten()
            .and_then(|v| v.u64())
            .unwrap_or(0)
    };
    let prompt = number(0)
        .saturating_add(number(1))
        .saturating_add(number(2));
    (prompt > 0 || number(3) > 0).then_some(Usage {
        prompt,
        output: number(3),
    })
}

#[cfg(test)]
mod tests;
