//! Claude Code: a graph of rows by `parentUuid`, one answer spread over several rows (FORMATS 7).

pub(super) mod block;
mod envelope;
mod queue;
mod queued;
pub(super) mod result;

use super::graph::{Graph, Row, unnamed};
use super::{Format, hash, some, text};
use crate::json::Json;
use crate::transcript::{Compaction, Desk, Entry, Kind, Mark, Place, Voice};
use envelope::Envelope;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

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
                || env.is_summary()
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
        if env.side || !env.is_summary() || std::mem::take(&mut self.bounded) {
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
            entry.usage = usage.and_then(block::read_usage);
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
}

#[cfg(test)]
mod tests;
