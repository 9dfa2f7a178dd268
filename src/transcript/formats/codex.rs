//! Codex: a linear log in which most things stand twice, as an item for the model and as an event for the
//! screen (FORMATS 8). Items are the messages; events say which prompts a person wrote, what a patch changed,
//! how many tokens a response took, and which turns were rolled back.
//!
//! Older files hold bare items, or one document of items.

mod item;
mod mirror;
mod output;
mod parts;
mod prompt;

use super::{Format, some, text};
use crate::json::Json;
use crate::transcript::{Compaction, Custom, Desk, Entry, Kind, Mark, Millis, Place, Usage, Voice};
use foldhash::HashMap;
use mirror::{Held, Mirror};
use serde::{Deserialize, Serialize};

/// Reader of Codex's rollout files.
#[derive(Default, Serialize, Deserialize)]
pub struct Codex {
    /// The first header; later ones are copied from the parent.
    headed: bool,
    /// A `token_count` named the window, which counts more than a turn's start.
    counted: bool,
    model: String,
    dir: Option<u16>,
    time: Option<Millis>,
    /// Characters of reasoning that the next answer carries.
    reasoning: usize,
    /// The last response, which the next token count belongs to.
    response: Option<Place>,
    /// The running total as last written; an equal one is a repetition.
    total: String,
    /// An item whose event may still follow.
    held: Option<Held>,
    mirror: Mirror,
    /// Where each user turn that is still alive begins.
    turns: Vec<u32>,
    #[serde(with = "super::sorted")]
    calls: HashMap<u64, item::Known>,
    #[serde(with = "super::sorted")]
    patches: HashMap<u64, output::Patch>,
    boundary: Option<Boundary>,
    /// A compaction was read and no answer since.
    compacted: bool,
    /// A turn is running, and a prompt began it.
    running: bool,
}

/// A compaction that waits for its tokens.
#[derive(Default, Serialize, Deserialize)]
struct Boundary {
    line: u32,
    time: Option<Millis>,
    auto: Option<bool>,
    after: Option<u64>,
    summary: Option<String>,
    /// The record itself was read, not only the event that mirrors it.
    recorded: bool,
}

impl Format for Codex {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [stamp, kind, payload, items, session] =
            record.pick(["timestamp", "type", "payload", "items", "session"]);
        if let Some(stamp) = stamp.and_then(|s| s.str()) {
            self.time = Millis::parse(&stamp);
            if self.time.is_some() {
                desk.time(&stamp);
            }
        }
        let kind = text(kind);
        let Some(payload) = payload else {
            if let (Some(items), Some(session)) = (items.filter(|i| i.is_array()), session) {
                self.meta(session, desk);
                items.items().for_each(|i| self.item(i, desk));
            } else if !kind.is_empty() {
                self.item(record, desk);
            } else if record.get("instructions").is_some() || record.get("id").is_some() {
                self.meta(record, desk);
            } else if record.get("record_type").is_none() {
                desk.unknown("record");
            }
            return;
        };
        match kind.as_ref() {
            "session_meta" => self.meta(payload, desk),
            "turn_context" => self.context(payload, desk),
            "response_item" => self.item(payload, desk),
            "event_msg" => self.event(payload, desk),
            "compacted" => self.compacted(payload, desk),
            "inter_agent_communication" => {
                self.flush(desk);
                let mut entry = self.entry(Kind::Custom);
                entry.custom = Some(Box::new(Custom {
                    name: "inter_agent_communication".into(),
                    hidden: false,
                }));
                entry.say(Voice::Harness, super::content_text(payload.get("content")));
                desk.injected(entry);
            }
            // The state of the world as the host sees it, and where the beginning of the log lies.
            "world_state"
            | "inter_agent_communication_metadata"
            | "token_usage_record"
            | "rollout_reference" => {}
            other => desk.unknown(other),
        }
    }

    /// What is needed of earlier items stands in the tables of open calls and turns; nothing of them is forgotten.
    fn settle(&mut self, desk: &mut Desk<'_>) {
        if !desk.session.lost {
            desk.fold(&|_| true);
        }
    }

    fn remember(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.flush(desk);
    }
}

impl Codex {
    /// As it was when it was remembered.
    pub fn recall(memory: &serde_json::Value) -> Option<Codex> {
        Codex::deserialize(memory).ok()
    }

    fn meta(&mut self, meta: Json<'_>, desk: &mut Desk<'_>) {
        if std::mem::replace(&mut self.headed, true) {
            return;
        }
        let [id, cwd, source, git, stamp] = meta.pick(["id", "cwd", "source", "git", "timestamp"]);
        desk.session.id = some(id.and_then(|i| i.str()));
        desk.session.child =
            source.is_some_and(|s| s.get("subagent").is_some() || text(Some(s)) == "subagent");
        self.dir = desk.dir(&text(cwd));
        if desk.session.started.is_none() {
            desk.time(&text(stamp));
        }
        if let Some(branch) = git.and_then(|g| g.text("branch")) {
            desk.branch(&branch);
        }
    }

    fn context(&mut self, context: Json<'_>, desk: &mut Desk<'_>) {
        let [cwd, model] = context.pick(["cwd", "model"]);
        if let Some(cwd) = cwd.and_then(|c| c.str()) {
            self.dir = desk.dir(&cwd);
        }
        if let Some(model) = model.and_then(|m| m.str()) {
            self.model = model.into_owned();
        }
    }

    fn entry<'a>(&self, kind: Kind) -> Entry<'a> {
        let mut entry = Entry::new(kind);
        entry.time = self.time;
        entry.dir = self.dir;
        entry
    }

    fn event(&mut self, event: Json<'_>, desk: &mut Desk<'_>) {
        match event.text("type").unwrap_or_default().as_ref() {
            "user_message" => {
                let [message, images, local] = event.pick(["message", "images", "local_images"]);
                self.told(&text(message), [images, local], desk);
            }
            "item_completed" => {
                let item = event.get("item").unwrap_or(Json::NULL);
                if item.text("type").as_deref() == Some("UserMessage") {
                    let content = item.get("content");
                    self.told(&super::content_text(content), [content, None], desk);
                }
            }
            "token_count" => self.tokens(event, desk),
            "task_started" | "turn_started" => {
                self.running = false;
                if !self.counted {
                    desk.session.window = event
                        .get("model_context_window")
                        .and_then(|w| w.u64())
                        .or(desk.session.window);
                }
            }
            "task_complete" | "turn_complete" | "turn_aborted" => self.running = false,
            "context_compacted" => {
                if !self.compacted && self.boundary.is_none() {
                    self.compacted(Json::NULL, desk);
                }
            }
            "thread_rolled_back" => {
                self.flush(desk);
                let count = event.get("num_turns").and_then(|n| n.u64()).unwrap_or(0);
                self.roll_back(count, desk);
            }
            "thread_name_updated" => {
                let [name, thread] = event.pick(["name", "thread_name"]);
                desk.session.title = some(thread.or(name).and_then(|n| n.str()));
            }
            "patch_apply_end" => self.patched(event, desk),
            // Mirrors of items, and what only a screen needs.
            "agent_message"
            | "agent_message_delta"
            | "agent_message_content_delta"
            | "agent_reasoning"
            | "agent_reasoning_delta"
            | "agent_reasoning_raw_content"
            | "agent_reasoning_section_break"
            | "item_started"
            | "exec_command_begin"
            | "exec_command_end"
            | "exec_command_output_delta"
            | "exec_approval_request"
            | "apply_patch_approval_request"
            | "patch_apply_begin"
            | "patch_apply_updated"
            | "mcp_tool_call_begin"
            | "mcp_tool_call_end"
            | "web_search_begin"
            | "web_search_end"
            | "image_generation_begin"
            | "image_generation_end"
            | "view_image_tool_call"
            | "dynamic_tool_call_request"
            | "dynamic_tool_call_response"
            | "plan_update"
            | "plan_delta"
            | "turn_diff"
            | "entered_review_mode"
            | "exited_review_mode"
            | "undo_started"
            | "undo_completed"
            | "background_event"
            | "stream_error"
            | "error"
            | "warning"
            | "model_reroute"
            | "deprecation_notice"
            | "session_configured"
            | "thread_goal_updated"
            | "shutdown_complete" => {}
            other if other.starts_with("collab_") => {}
            other => desk.unknown(&format!("event_msg/{other}")),
        }
    }

    /// Tokens of the last request. Without input it is the size after a compaction, as the host estimates it.
    fn tokens(&mut self, event: Json<'_>, desk: &mut Desk<'_>) {
        let info = event.get("info").unwrap_or(Json::NULL);
        let [last, total, window] = info.pick([
            "last_token_usage",
            "total_token_usage",
            "model_context_window",
        ]);
        if let Some(window) = window.and_then(|w| w.u64()).filter(|&w| w > 0) {
            self.counted = true;
            desk.session.window = Some(window);
        }
        let Some(last) = last else { return };
        let found = last.pick(["input_tokens", "output_tokens", "total_tokens"]);
        let [input, output, all] = found.map(|v| v.and_then(|v| v.u64()).unwrap_or(0));
        if let Some(boundary) = &mut self.boundary
            && input == 0
            && all > 0
        {
            boundary.after = Some(all);
            return;
        }
        let total = total.map_or("", |t| t.raw());
        if (!total.is_empty() && total == self.total) || (input == 0 && output == 0) {
            return;
        }
        total.clone_into(&mut self.total);
        if let Some(place) = self.response {
            let mut entry = self.entry(Kind::Assistant);
            entry.usage = Some(Usage {
                prompt: input,
                output,
            });
            desk.again(place, entry);
        }
    }

    /// Everything from the beginning of the last `count` turns on was taken back.
    fn roll_back(&mut self, count: u64, desk: &mut Desk<'_>) {
        let keep = (self.turns.len() as u64).saturating_sub(count) as usize;
        let Some(&from) = self.turns.get(keep) else {
            return;
        };
        self.turns.truncate(keep);
        // What was let go of cannot be taken back.
        desk.session.lost |= from < desk.from();
        for seq in from..desk.session.active.len() as u32 {
            desk.set_active(seq, false);
        }
        self.response = None;
    }

    fn compacted(&mut self, payload: Json<'_>, desk: &mut Desk<'_>) {
        let recorded = !payload.is_null();
        if recorded && self.boundary.as_ref().is_some_and(|b| b.recorded) {
            self.flush(desk);
        }
        if self.boundary.is_none() {
            self.flush(desk);
            self.boundary = Some(Boundary {
                line: desk.line,
                time: self.time,
                // In the middle of a turn only the host compacts.
                auto: self.running.then_some(true),
                ..Boundary::default()
            });
        }
        let [message, history] = payload.pick(["message", "replacement_history"]);
        let message = message
            .and_then(|m| m.str())
            .filter(|m| !m.trim().is_empty());
        let summary = message.map(|m| m.into_owned()).or_else(|| {
            history
                .iter()
                .flat_map(|h| h.items())
                .map(|i| super::content_text(i.get("content")))
                .filter(|t| prompt::is_summary(t))
                .last()
                .map(|t| t.into_owned())
        });
        if let Some(boundary) = &mut self.boundary {
            boundary.recorded |= recorded;
            boundary.summary = summary.or(boundary.summary.take());
        }
        self.compacted = true;
        self.response = None;
    }

    /// Passes on what was held back: nothing that changes it can follow any more.
    fn flush(&mut self, desk: &mut Desk<'_>) {
        if let Some(held) = self.held.take() {
            self.release(held, None, desk);
        }
        if let Some(boundary) = self.boundary.take() {
            let mut entry = self.entry(Kind::Mark);
            entry.line = boundary.line;
            entry.time = boundary.time;
            entry.mark = Some(Mark::Compaction(Box::new(Compaction {
                auto: boundary.auto,
                tokens_before: None,
                tokens_after: boundary.after,
                summary: boundary.summary.map(Into::into),
                details: None,
            })));
            desk.mark(entry);
        }
    }
}

#[cfg(test)]
mod tests;
