//! Qwen Code: Gemini's content in rows that name their parent (FORMATS 10.4).

use super::gemini::change;
use super::google::{Open, content_parts, outcome};
use super::graph::{Graph, Row, unnamed};
use super::shared::{boundary, joined, number, only_results, shown, some, stamp, text};
use super::{Format, hash};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Desk, Entry, Kind, Place, Side, Status, Usage, Voice};
use std::borrow::Cow;

/// Reader of Qwen Code's files.
#[derive(Default)]
pub struct Qwen {
    graph: Graph,
    open: Open,
    main_rows: u64,
}

impl Format for Qwen {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [uuid, parent, session, time, kind, cwd, branch, side, agent] = record.pick([
            "uuid",
            "parentUuid",
            "sessionId",
            "timestamp",
            "type",
            "cwd",
            "gitBranch",
            "isSidechain",
            "agentId",
        ]);
        let uuid = text(uuid);
        if !uuid.is_empty() && self.graph.contains(hash(&uuid)) {
            return;
        }
        let side = side.is_some_and(|s| s.bool() == Some(true));
        let mut entry = Entry::new(Kind::User);
        entry.id = uuid.clone();
        if side {
            entry.lane = desk.lane(&text(agent));
            entry.time = time.and_then(super::shared::moment);
        } else {
            desk.session.id = some(session).or(desk.session.id.take());
            desk.branch(&text(branch));
            entry.dir = desk.dir(&text(cwd));
            stamp(time, &mut entry, desk);
        }
        let place = match text(kind).as_ref() {
            "user" => Some(self.user(record, entry, desk)),
            "assistant" => Some(self.assistant(record, entry, desk)),
            "tool_result" => Some(self.result(record, entry, desk)),
            "system" => system(record, entry, desk),
            other => {
                desk.unknown(other);
                None
            }
        };
        if side {
            return;
        }
        self.main_rows += u64::from(place.is_some());
        let of = text(parent);
        self.graph.add(Row {
            id: if uuid.is_empty() { 0 } else { hash(&uuid) },
            parent: if of.is_empty() { 0 } else { hash(&of) },
            seq: place.map(|p| p.seq),
            leaf: true,
            side: false,
            // Older rows do not name the one before them; a `null` begins a branch.
            bridge: unnamed(parent, || {
                matches!(text(kind).as_ref(), "assistant" | "tool_result")
            }),
            result: false,
        });
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.graph.settle(desk);
        desk.session.child = self.main_rows == 0 && desk.session.lanes.len() > 1;
    }
}

impl Qwen {
    fn user<'a>(&mut self, record: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) -> Place {
        let [subtype, provenance, message] = record.pick(["subtype", "provenance", "message"]);
        let source = provenance
            .and_then(|p| {
                p.str()
                    .or_else(|| p.text("kind"))
                    .or_else(|| p.text("type"))
            })
            .unwrap_or_default();
        let human = matches!(source.as_ref(), "" | "real_user")
            && matches!(text(subtype).as_ref(), "" | "mid_turn_user_message");
        let voice = match human {
            _ if entry.lane > 0 => Voice::Parent,
            true => Voice::Person,
            false => Voice::Harness,
        };
        self.parts(message, voice, &mut entry);
        only_results(&mut entry);
        desk.message(entry)
    }

    fn parts<'a>(&mut self, message: Option<Json<'a>>, voice: Voice, entry: &mut Entry<'a>) {
        let message = message.unwrap_or(Json::NULL);
        let [parts, content] = message.pick(["parts", "content"]);
        if let Some(parts) = parts.or(content) {
            content_parts(parts, voice, entry, &mut self.open);
        }
    }

    fn assistant<'a>(
        &mut self,
        record: Json<'a>,
        mut entry: Entry<'a>,
        desk: &mut Desk<'_>,
    ) -> Place {
        let [message, model, tokens, window] =
            record.pick(["message", "model", "usageMetadata", "contextWindowSize"]);
        entry.kind = Kind::Assistant;
        entry.model = desk.model(&text(model));
        entry.usage = tokens.and_then(|t| {
            let [prompt, output] = t.pick(["promptTokenCount", "candidatesTokenCount"]);
            let (prompt, output) = (number(prompt), number(output));
            (prompt > 0 || output > 0).then_some(Usage { prompt, output })
        });
        if entry.lane == 0
            && let Some(window) = window.and_then(|w| w.u64()).filter(|w| *w > 0)
        {
            desk.session.window = Some(window);
        }
        self.parts(message, Voice::Assistant, &mut entry);
        desk.message(entry)
    }

    fn result<'a>(&mut self, record: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) -> Place {
        let [message, details] = record.pick(["message", "toolCallResult"]);
        entry.kind = Kind::Tool;
        self.parts(message, Voice::Harness, &mut entry);
        let [id, status, display, error] =
            details
                .unwrap_or(Json::NULL)
                .pick(["callId", "status", "resultDisplay", "error"]);
        let status = match text(status).as_ref() {
            "error" => Some(Status::Error),
            "cancelled" => Some(Status::Cancelled),
            _ if error.is_some_and(|e| !e.is_null()) => Some(Status::Error),
            _ => None,
        };
        let id = text(id);
        let said = match error.and_then(|e| e.get("message")) {
            Some(message) => shown(Some(message)),
            None => shown(display.filter(|d| d.str().is_some())),
        };
        let mut found = false;
        for block in &mut entry.blocks {
            if let Block::Result(outcome) = block {
                found = true;
                outcome.status = status.unwrap_or(outcome.status);
                outcome.side.changes.extend(display.and_then(change));
            }
        }
        if !found && !id.is_empty() {
            entry
                .blocks
                .push(outcome(id, status, said, Side::default()));
        }
        desk.message(entry)
    }
}

fn system<'a>(record: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) -> Option<Place> {
    let [subtype, payload] = record.pick(["subtype", "systemPayload"]);
    let payload = payload.unwrap_or(Json::NULL);
    match text(subtype).as_ref() {
        "chat_compression" => {
            let [info, history] = payload.pick(["info", "compressedHistory"]);
            let [before, after] = info
                .unwrap_or(Json::NULL)
                .pick(["originalTokenCount", "newTokenCount"]);
            let summary = history
                .and_then(|h| h.items().next())
                .and_then(|first| first.get("parts"))
                .map(joined)
                .filter(|s| !s.is_empty());
            let mark = boundary(Compaction {
                tokens_before: before.and_then(|n| n.u64()),
                tokens_after: after.and_then(|n| n.u64()).filter(|n| *n > 0),
                summary: summary.map(|s| Cow::Owned(s.into_owned())),
                ..Compaction::default()
            });
            entry.kind = mark.kind;
            entry.mark = mark.mark;
            Some(desk.mark(entry))
        }
        "custom_title" => {
            let [title, custom] = payload.pick(["title", "customTitle"]);
            desk.session.title = some(custom.or(title)).or(desk.session.title.take());
            None
        }
        _ => None,
    }
}
