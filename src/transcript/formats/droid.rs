//! Factory droid: Anthropic's blocks in a chain of messages (FORMATS 11.4).

use super::Format;
use super::chain::{Before, Chain};
use super::shared::{blocks, boundary, only_results, some, stamp, text};
use crate::json::Json;
use crate::transcript::{Compaction, Desk, Entry, Kind, Voice};

/// Reader of droid's session files.
#[derive(Default)]
pub struct Droid {
    chain: Chain,
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
                if !id.is_empty() && self.chain.has(&id) {
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
                let parent_id = text(parent);
                let before = match parent {
                    None => Before::Unsaid,
                    Some(_) if parent_id.is_empty() => Before::Root,
                    Some(_) => Before::Row(&parent_id),
                };
                self.chain.add(&id, before, Some(place.seq));
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
        self.chain.settle(desk);
    }
}
