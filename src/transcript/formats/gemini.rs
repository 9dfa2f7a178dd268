//! Gemini CLI: messages that are written again whenever they change, with rewinds, replayed at the end; the
//! older one-document sessions; checkpoints of `/chat save` (FORMATS 10).

mod tool;

pub use tool::change;

use super::Format;
use super::google::{Open, content_parts, part_block};
use super::shared::{
    boundary, is_command, joined, length, number, only_results, some, stamp, text,
};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Custom, Desk, Entry, Kind, Usage, Voice};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use tool::tool_call;

/// Reader of Gemini CLI's files.
#[derive(Default)]
pub struct Gemini {
    /// Messages in the order they first came.
    slots: Vec<Slot>,
    /// Where the live message of an id is.
    live: HashMap<String, usize>,
    /// Calls of a checkpoint that wait for their result.
    open: Open,
    child: bool,
}

struct Slot {
    raw: String,
    line: u32,
    active: bool,
}

impl Format for Gemini {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        if record.is_array() {
            return record.items().for_each(|item| self.turn(item, desk));
        }
        let [set, rewind, messages, history, id, kind, role, session] = record.pick([
            "$set",
            "$rewindTo",
            "messages",
            "history",
            "id",
            "type",
            "role",
            "sessionId",
        ]);
        if let Some(history) = history {
            history.items().for_each(|item| self.turn(item, desk));
        } else if let Some(set) = set {
            self.metadata(set, desk);
            if let Some(messages) = set.get("messages") {
                self.replace(messages, desk);
            }
        } else if let Some(to) = rewind.and_then(|r| r.str()) {
            self.rewind(&to);
        } else if messages.is_some() || (session.is_some() && kind.is_none()) {
            self.metadata(record, desk);
            for message in messages.iter().flat_map(|m| m.items()) {
                self.upsert(message, desk.line);
            }
        } else if id.is_some() && kind.is_some() {
            self.upsert(record, desk.line);
        } else if role.is_some() {
            self.turn(record, desk);
        } else {
            desk.unknown(&text(kind));
        }
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        let lane = match (self.child, desk.session.id.clone()) {
            (true, id) => {
                desk.session.child = true;
                desk.lane(id.as_deref().unwrap_or("subagent"))
            }
            _ => 0,
        };
        for slot in std::mem::take(&mut self.slots) {
            if let Ok(message) = Json::parse(&slot.raw) {
                self.message(message, lane, &slot, desk);
            }
        }
    }
}

impl Gemini {
    fn metadata(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [id, summary, directories, kind] =
            record.pick(["sessionId", "summary", "directories", "kind"]);
        desk.session.id = some(id).or(desk.session.id.take());
        desk.session.title = some(summary).or(desk.session.title.take());
        self.child |= text(kind) == "subagent";
        if let Some(first) = directories.and_then(|d| d.items().next()) {
            desk.dir(&text(Some(first)));
        }
    }

    /// A message, or its next version: it keeps its first place.
    fn upsert(&mut self, message: Json<'_>, line: u32) {
        let id = text(message.get("id"));
        let slot = Slot {
            raw: message.raw().to_owned(),
            line,
            active: true,
        };
        match self.live.get(id.as_ref()) {
            Some(&at) if !id.is_empty() => self.slots[at] = slot,
            _ => {
                self.live.insert(id.into_owned(), self.slots.len());
                self.slots.push(slot);
            }
        }
    }

    /// The message with this id and all after it were taken back; an unknown id takes everything.
    fn rewind(&mut self, id: &str) {
        let from = self.live.get(id).copied().unwrap_or(0);
        for slot in &mut self.slots[from..] {
            slot.active = false;
        }
        self.live.retain(|_, at| *at < from);
    }

    /// The whole list anew: what is missing in it was taken back, unless a compression made it.
    fn replace(&mut self, messages: Json<'_>, desk: &Desk<'_>) {
        let compressed = messages.items().any(|m| is_snapshot(&m));
        let kept: HashSet<Cow<'_, str>> = messages.items().map(|m| text(m.get("id"))).collect();
        if !compressed {
            for (id, at) in &self.live {
                if !kept.contains(id.as_str()) {
                    self.slots[*at].active = false;
                }
            }
        }
        self.live.retain(|id, _| kept.contains(id.as_str()));
        for message in messages.items() {
            self.upsert(message, desk.line);
        }
    }

    fn message(&mut self, message: Json<'_>, lane: u16, slot: &Slot, desk: &mut Desk<'_>) {
        let [
            id,
            time,
            kind,
            content,
            display,
            thoughts,
            calls,
            tokens,
            model,
        ] = message.pick([
            "id",
            "timestamp",
            "type",
            "content",
            "displayContent",
            "thoughts",
            "toolCalls",
            "tokens",
            "model",
        ]);
        let kind = text(kind);
        let mut entry = Entry::new(match kind.as_ref() {
            "user" => Kind::User,
            "gemini" => Kind::Assistant,
            _ => Kind::Custom,
        });
        (entry.lane, entry.line, entry.id) = (lane, slot.line, text(id));
        stamp(time, &mut entry, desk);
        let content = content.unwrap_or(Json::NULL);
        let place = match kind.as_ref() {
            "user" if is_snapshot(&message) => {
                content_parts(content, Voice::Summary, &mut entry, &mut self.open);
                let summary = entry.texts(Voice::Summary).next().unwrap_or_default();
                let mut mark = boundary(Compaction {
                    summary: Some(summary.to_owned().into()),
                    ..Compaction::default()
                });
                (mark.lane, mark.line, mark.time) = (lane, slot.line, entry.time);
                let boundary = desk.mark(mark);
                desk.set_active(boundary.seq, slot.active);
                desk.message(entry)
            }
            "user" => {
                let voice = match lane {
                    0 => Voice::Person,
                    _ => Voice::Parent,
                };
                let words = display.filter(|d| !joined(*d).trim().is_empty());
                words_of(words.unwrap_or(content), voice, &mut entry, &mut self.open);
                find_dir(&entry, desk);
                desk.message(entry)
            }
            "gemini" => {
                for thought in thoughts.iter().flat_map(|t| t.items()) {
                    let chars = thought.get("description").map_or(0, length);
                    entry.blocks.push(Block::Thinking { chars });
                }
                content_parts(content, Voice::Assistant, &mut entry, &mut self.open);
                for call in calls.iter().flat_map(|c| c.items()) {
                    tool_call(call, &mut entry);
                }
                entry.model = desk.model(&text(model));
                entry.usage = tokens.and_then(usage);
                desk.message(entry)
            }
            other => {
                entry.custom = Some(Box::new(Custom {
                    name: Cow::Owned(other.to_owned()),
                    hidden: other != "error",
                }));
                content_parts(content, Voice::Harness, &mut entry, &mut self.open);
                desk.injected(entry)
            }
        };
        desk.set_active(place.seq, slot.active);
    }

    /// A turn of a checkpoint: the model's own history.
    fn turn(&mut self, turn: Json<'_>, desk: &mut Desk<'_>) {
        let [role, parts] = turn.pick(["role", "parts"]);
        let parts = parts.unwrap_or(Json::NULL);
        let mut entry = Entry::new(Kind::Assistant);
        if text(role) == "user" {
            entry.kind = Kind::User;
            let snapshot = parts.items().any(|p| starts_snapshot(&text(p.get("text"))));
            if snapshot {
                content_parts(parts, Voice::Summary, &mut entry, &mut self.open);
                desk.mark(boundary(Compaction::default()));
            } else {
                words_of(parts, Voice::Person, &mut entry, &mut self.open);
                find_dir(&entry, desk);
            }
            only_results(&mut entry);
        } else {
            content_parts(parts, Voice::Assistant, &mut entry, &mut self.open);
        }
        desk.message(entry);
    }
}

fn usage(tokens: Json<'_>) -> Option<Usage> {
    let [input, output] = tokens.pick(["input", "output"]);
    let (prompt, output) = (number(input), number(output));
    (prompt > 0 || output > 0).then_some(Usage { prompt, output })
}

/// Whether a text is what a compression of the history left of it.
fn starts_snapshot(text: &str) -> bool {
    text.trim_start().starts_with("<state_snapshot>")
}

fn is_snapshot(message: &Json<'_>) -> bool {
    let [kind, content] = message.pick(["type", "content"]);
    text(kind) == "user" && content.is_some_and(|c| starts_snapshot(&joined(c)))
}

/// Files named by `@` stand in parts behind this line, up to the next one.
const FILES: &str = "--- Content from referenced files ---";
const FILES_END: &str = "--- End of content ---";

/// A person's content: commands to the host and the text of files named with `@` are not their words.
fn words_of<'a>(content: Json<'a>, voice: Voice, entry: &mut Entry<'a>, open: &mut Open) {
    if let Some(said) = content.str() {
        let command = is_command(&said) || said.trim_start().starts_with('?');
        return entry.say(if command { Voice::Harness } else { voice }, said);
    }
    let mut files = false;
    let one = content.is_object().then_some(content);
    for part in content.items().chain(one) {
        let said = part.str().unwrap_or_else(|| text(part.get("text")));
        let line = said.trim();
        files |= line.starts_with(FILES);
        let harness = files || is_command(&said) || line.starts_with('?');
        part_block(
            part,
            if harness { Voice::Harness } else { voice },
            entry,
            open,
        );
        files &= !line.ends_with(FILES_END);
    }
}

/// The working directory from the context that the host puts in front; the records have none.
fn find_dir(entry: &Entry<'_>, desk: &mut Desk<'_>) {
    const HEADS: [&str; 2] = ["orking directory: ", "orking in the directory: "];
    if desk.session.cwd.is_some() {
        return;
    }
    for text in entry
        .texts(Voice::Person)
        .filter(|t| t.starts_with("<session_context>"))
    {
        for head in HEADS {
            if let Some((_, rest)) = text.split_once(head) {
                let dir = rest.lines().next().unwrap_or_default().trim();
                desk.dir(dir);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{human, read};

    #[test]
    fn a_rewind_takes_back_its_message_and_one_without_a_place_nothing() {
        let text = |to: &str| {
            format!(
                r#"{{"sessionId":"s","projectHash":"h"}}
{{"id":"u1","type":"user","content":"하나"}}
{{"id":"g1","type":"gemini","content":"네"}}
{{"id":"u2","type":"user","content":"둘"}}
{{"$rewindTo":{to}}}
"#
            )
        };
        assert_eq!(human(&read(&text(r#""u2""#))), ["하나"]);
        assert!(human(&read(&text(r#""zz""#))).is_empty());
        assert_eq!(human(&read(&text("null"))), ["하나", "둘"]);
    }
}
