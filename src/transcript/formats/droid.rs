//! Factory droid: Anthropic's blocks in a chain of messages (FORMATS 11.4).

use super::graph::{Graph, Row, unnamed};
use super::shared::{blocks, boundary, only_results, some, stamp, text};
use super::{Format, hash};
use crate::json::Json;
use crate::transcript::{Compaction, Desk, Entry, Kind, Voice};

/// Reader of droid's session files.
#[derive(Default)]
pub struct Droid {
    graph: Graph,
}

impl Format for Droid {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [kind, id, time, parent, message] =
            record.pick(["type", "id", "timestamp", "parentId", "message"]);
        let id = text(id);
        match text(kind).as_ref() {
            "session_start" => {
                let [title, given, cwd] = record.pick(["title", "sessionTitle", "cwd"]);
                desk.session.id = some(record.get("id")).or(desk.session.id.take());
                desk.session.title = some(given).or(some(title)).or(desk.session.title.take());
                desk.dir(&text(cwd));
            }
            "message" => {
                if !id.is_empty() && self.graph.contains(hash(&id)) {
                    return;
                }
                let [role, content] = message.unwrap_or(Json::NULL).pick(["role", "content"]);
                let assistant = text(role) == "assistant";
                let mut entry = Entry::new(if assistant {
                    Kind::Assistant
                } else {
                    Kind::User
                });
                entry.id = id.clone();
                stamp(time, &mut entry, desk);
                let voice = if assistant {
                    Voice::Assistant
                } else {
                    Voice::Person
                };
                blocks(content.unwrap_or(Json::NULL), voice, &mut entry);
                only_results(&mut entry);
                let place = desk.message(entry);
                let of = text(parent);
                self.graph.add(Row {
                    id: if id.is_empty() { 0 } else { hash(&id) },
                    parent: if of.is_empty() { 0 } else { hash(&of) },
                    seq: Some(place.seq),
                    leaf: true,
                    side: false,
                    // Older rows do not name the one before them; a `null` begins a branch.
                    bridge: unnamed(parent, || assistant),
                    result: false,
                });
            }
            "compaction_state" => {
                let summary = record.text("summaryText").filter(|s| !s.is_empty());
                let mut mark = boundary(Compaction {
                    summary,
                    ..Compaction::default()
                });
                stamp(time, &mut mark, desk);
                desk.mark(mark);
            }
            // The same list stands in the call that wrote it.
            "todo_state" | "session_end" => {}
            other => desk.unknown(other),
        }
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.graph.settle(desk);
    }
}
