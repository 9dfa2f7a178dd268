//! Pi and oh-my-pi, versions 1 to 4: a tree of records by `parentId` whose last record is the leaf
//! (FORMATS 6). Roles and blocks of a message are read in [`message`].

mod message;

use super::graph::{Graph, Row, unnamed};
use super::{Format, content_text, hash, some, text};
use crate::json::Json;
use crate::transcript::{
    Compaction, Custom, Desk, Entry, Kind, Mark, Millis, Place, Voice, tools::Tool,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Reader of Pi's session files.
#[derive(Default, Serialize, Deserialize)]
pub struct Pi {
    graph: Graph,
    title: Option<String>,
    /// The header's working directory; Pi never leaves it.
    dir: Option<u16>,
    /// Messages that the person had removed from the context, by place.
    hidden: Vec<u32>,
    /// Messages by record id, for edits of the context.
    #[serde(with = "super::sorted")]
    messages: foldhash::HashMap<u64, Message>,
    /// An edit of the context meant a record that was let go of.
    lost: bool,
}

/// What an edit of the context needs to know of the message it is about.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Message {
    place: Place,
    kind: Kind,
    voice: Voice,
}

/// The fields of a record that concern every type.
struct Envelope<'a> {
    kind: Cow<'a, str>,
    id: Cow<'a, str>,
    /// Absent in version 1, whose files are linear.
    parent: Option<Json<'a>>,
    time: Option<Millis>,
    /// On the lane that the session shows (version 4 has others).
    main: bool,
    dir: Option<u16>,
    record: Json<'a>,
}

impl<'a> Envelope<'a> {
    fn entry(&self, kind: Kind) -> Entry<'a> {
        let mut entry = Entry::new(kind);
        entry.time = self.time;
        entry.id = self.id.clone();
        entry.dir = self.dir;
        entry
    }
}

/// A time as the formats write it: RFC 3339 text, or milliseconds.
fn time(value: Option<Json<'_>>, desk: &mut Desk<'_>) -> Option<Millis> {
    let value = value?;
    if let Some(written) = value.str() {
        let time = Millis::parse(&written);
        if time.is_some() {
            desk.time(&written);
        }
        return time;
    }
    let time = Millis(value.i64()?);
    desk.time(&time.rfc3339());
    Some(time)
}

impl Format for Pi {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [form, kind, id, parent, stamp, lane] =
            record.pick(["kind", "type", "id", "parentId", "timestamp", "lane"]);
        let kind = text(kind);
        // Version 4 wraps everything in an envelope of its own.
        let form = form.filter(|_| kind.is_empty() || lane.is_some() || parent.is_none());
        match text(form).as_ref() {
            "header" => return self.header(record, desk),
            "lane" => {
                if text(lane) == "main" {
                    self.graph
                        .point(hash(&record.text("leafId").unwrap_or_default()));
                }
                return;
            }
            "fact" => {
                if kind == "name" {
                    self.title = some(record.text("name"));
                }
                return;
            }
            // Operations, queues and attempts of the harness.
            "record" => return,
            _ => {}
        }
        match kind.as_ref() {
            "session" => return self.header(record, desk),
            "title" | "title_change" => {
                self.title = some(record.text("title"));
                if kind == "title" {
                    return;
                }
            }
            _ => {}
        }
        let env = Envelope {
            kind,
            id: text(id),
            parent,
            time: time(stamp, desk),
            main: lane.is_none_or(|l| text(Some(l)) == "main"),
            dir: self.dir,
            record,
        };
        let place = self.entry(&env, desk);
        self.row(&env, place);
    }

    fn settle(&mut self, desk: &mut Desk<'_>) {
        self.walk(desk);
        if desk.session.lost {
            return;
        }
        let Some(from) = desk.fold(&|seq| self.graph.can_cut(seq)) else {
            return;
        };
        self.graph.cut(from, desk.session.input.stitched);
        self.messages.retain(|_, m| m.place.seq >= from);
        self.hidden.retain(|seq| *seq >= from);
    }

    fn remember(&self) -> Option<serde_json::Value> {
        serde_json::to_value(self).ok()
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.walk(desk);
        desk.session.title = self.title.take();
    }
}

impl Pi {
    /// As it was when it was remembered.
    pub fn recall(memory: &serde_json::Value) -> Option<Pi> {
        let mut pi = Pi::deserialize(memory).ok()?;
        pi.graph = pi.graph.recalled();
        Some(pi)
    }

    /// Finds the active branch as it stands.
    fn walk(&self, desk: &mut Desk<'_>) {
        self.graph.settle(desk);
        desk.session.lost |= self.lost;
        for seq in &self.hidden {
            desk.set_active(*seq, false);
        }
    }

    fn header(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [id, cwd, stamp, created, title, model] =
            record.pick(["id", "cwd", "timestamp", "createdAt", "title", "modelId"]);
        if desk.session.id.is_none() {
            desk.session.id = some(id.and_then(|i| i.str()));
        }
        self.dir = desk.dir(&text(cwd));
        time(stamp.or(created), desk);
        if let Some(title) = some(title.and_then(|t| t.str())) {
            self.title = Some(title);
        }
        // Only version 1 names its first model here.
        if let Some(model) = model.and_then(|m| m.str()) {
            self.model(&model, None, desk);
        }
    }

    fn model(&mut self, model: &str, env: Option<&Envelope<'_>>, desk: &mut Desk<'_>) -> Place {
        let mut entry = match env {
            Some(env) => env.entry(Kind::Mark),
            None => Entry::new(Kind::Mark),
        };
        entry.mark = Some(Mark::Model);
        entry.model = desk.model(model);
        desk.mark(entry)
    }

    /// The entry of a record, if it is one.
    fn entry(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) -> Option<Place> {
        let record = env.record;
        match env.kind.as_ref() {
            "message" => {
                let entry = message::read(record, env, desk);
                let voice = match entry.kind {
                    Kind::User if desk.session.child => Voice::Parent,
                    Kind::User => Voice::Person,
                    Kind::Assistant => Voice::Assistant,
                    Kind::System => Voice::System,
                    _ => Voice::Harness,
                };
                let kind = entry.kind;
                let place = desk.message(entry);
                self.known(env, Message { place, kind, voice });
                Some(place)
            }
            "custom_message" => {
                let [name, content, display] = record.pick(["customType", "content", "display"]);
                let mut entry = env.entry(Kind::Custom);
                entry.custom = Some(Box::new(Custom {
                    name: text(name),
                    hidden: display.and_then(|d| d.bool()) == Some(false),
                }));
                entry.say(Voice::Harness, content_text(content));
                let (kind, voice) = (entry.kind, Voice::Harness);
                let place = desk.injected(entry);
                self.known(env, Message { place, kind, voice });
                Some(place)
            }
            "compaction" => {
                let mut entry = env.entry(Kind::Mark);
                entry.mark = Some(Mark::Compaction(Box::new(compaction(record))));
                Some(desk.mark(entry))
            }
            "branch_summary" => {
                let summary = record.text("summary").unwrap_or_default();
                if summary.trim().is_empty() {
                    return None;
                }
                let mut entry = env.entry(Kind::Mark);
                entry.mark = Some(Mark::Branch { summary });
                Some(desk.mark(entry))
            }
            "reset_boundary" => {
                let mut entry = env.entry(Kind::Mark);
                entry.mark = Some(Mark::Clear);
                Some(desk.mark(entry))
            }
            "model_change" => {
                let [name, model, role] = record.pick(["modelId", "model", "role"]);
                // Small and slow models beside the main one answer other questions.
                let main = role.is_none_or(|r| text(Some(r)) == "default");
                let name = text(name.or(model));
                let name = name.rsplit('/').next().unwrap_or_default();
                (main && !name.is_empty()).then(|| self.model(name, Some(env), desk))
            }
            "session_info" => {
                self.title = some(record.text("name"));
                None
            }
            "session_init" => {
                // A sub-agent's own file begins with the task that its parent gave it.
                if record.text("task").is_some_and(|t| !t.trim().is_empty()) {
                    desk.session.child = true;
                }
                None
            }
            "context_edit" => {
                let [target, replacement] = record.pick(["targetId", "replacement"]);
                match self.messages.get(&hash(&text(target))).copied() {
                    Some(message) => self.edit(message, replacement, env, desk),
                    None => self.lost |= self.graph.from() > 0,
                }
                None
            }
            "thinking_level_change" => {
                desk.setting("thinking level", &text(record.get("thinkingLevel")));
                None
            }
            // Settings, labels and state of extensions: no words, but part of the chain.
            "active_tools_change"
            | "custom"
            | "label"
            | "usage"
            | "model_usage"
            | "ttsr_injection"
            | "mode_change"
            | "service_tier_change"
            | "credential_pin"
            | "archive"
            | "title_change" => None,
            other => {
                desk.unknown(other);
                None
            }
        }
    }

    fn known(&mut self, env: &Envelope<'_>, message: Message) {
        if !env.id.is_empty() {
            self.messages.insert(hash(&env.id), message);
        }
    }

    /// The person had a message taken out of the context, or something else put in its place: what it said first is
    /// not shown any more.
    fn edit(
        &mut self,
        message: Message,
        replacement: Option<Json<'_>>,
        env: &Envelope<'_>,
        desk: &mut Desk<'_>,
    ) {
        desk.withdraw(message.place);
        self.hidden.retain(|seq| *seq != message.place.seq);
        match replacement.filter(|r| !r.is_null()) {
            Some(replacement) => {
                let mut row = env.entry(message.kind);
                message::blocks(replacement.get("content"), message.voice, &mut row);
                desk.again(message.place, row);
            }
            None => self.hidden.push(message.place.seq),
        }
    }

    fn row(&mut self, env: &Envelope<'_>, place: Option<Place>) {
        let id = |id: &str| if id.is_empty() { 0 } else { hash(id) };
        let reply = || {
            let role = text(env.record.at(&["message", "role"]));
            env.kind == "message" && matches!(role.as_ref(), "assistant" | "toolResult")
        };
        self.graph.add(Row {
            id: id(&env.id),
            parent: id(&text(env.parent)),
            seq: place.map(|p| p.seq),
            // Something unknown without an id is no place to be: it does not move what a lane's record says.
            leaf: env.main && (place.is_some() || !env.id.is_empty()),
            side: false,
            // Version 1 has no ids: each record follows the one before it.
            bridge: unnamed(env.parent, reply),
            result: false,
        });
    }
}

/// What a compaction says of itself. Pi does not say who asked for it.
fn compaction(record: Json<'_>) -> Compaction<'_> {
    let [summary, before, details] = record.pick(["summary", "tokensBefore", "details"]);
    // A brief of an earlier run, kept with its state.
    let ours = details.filter(|d| {
        d.text("compactor").as_deref() == Some("pi-vcc-ko")
            && d.get("version").and_then(|v| v.u64()) == Some(3)
    });
    Compaction {
        auto: None,
        tokens_before: before.and_then(|v| v.u64()),
        // oh-my-pi's `tokensAfter` is an estimate of the messages it keeps, not of the next prompt.
        tokens_after: None,
        summary: summary
            .and_then(|s| s.str())
            .filter(|s| !s.trim().is_empty()),
        details: ours.map(|d| Cow::Borrowed(d.raw())),
    }
}

/// Whether a tool's own details say more than its text: the list of a todo extension.
fn keeps_state(tool: Tool) -> bool {
    matches!(tool, Tool::TodoList | Tool::TodoRead)
}

#[cfg(test)]
mod tests;
