//! Cursor's agent transcripts: roles and blocks, without ids, times, results or usage (FORMATS 11.2).

use super::Format;
use super::shared::{args, call, result, text};
use crate::json::Json;
use crate::transcript::{Block, Desk, Entry, Kind, Status, Voice, picture};

/// Reader of Cursor's agent transcripts.
#[derive(Default)]
pub struct Cursor {
    calls: u32,
    /// A prompt inside `<user_query>` was met: what stands outside is the host's.
    queries: bool,
}

impl Format for Cursor {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [role, message, kind] = record.pick(["role", "message", "type"]);
        let content = message.and_then(|m| m.get("content")).unwrap_or(Json::NULL);
        match text(role).as_ref() {
            "user" => {
                let mut entry = Entry::new(Kind::User);
                match content.str() {
                    Some(said) => self.said(&said, &mut entry),
                    None => {
                        for block in content.items() {
                            self.block(block, &mut entry);
                        }
                    }
                }
                desk.message(entry);
            }
            "assistant" => {
                let mut entry = Entry::new(Kind::Assistant);
                if let Some(said) = content.str() {
                    entry.say(Voice::Assistant, said);
                }
                for block in content.items() {
                    self.answer(block, &mut entry);
                }
                desk.message(entry);
            }
            "system" => {
                let mut entry = Entry::new(Kind::System);
                entry.say(Voice::System, super::shared::joined(content));
                desk.message(entry);
            }
            _ if text(kind) == "turn_ended" => {}
            _ => desk.unknown(&text(kind.or(role))),
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl Cursor {
    fn said(&mut self, said: &str, entry: &mut Entry<'_>) {
        let query = said.contains("<user_query>");
        let voice = if self.queries && !query {
            Voice::Harness
        } else {
            Voice::Person
        };
        self.queries |= query;
        entry.say(voice, said.to_owned());
    }

    fn block<'a>(&mut self, block: Json<'a>, entry: &mut Entry<'a>) {
        let [kind, said, source] = block.pick(["type", "text", "source"]);
        match text(kind).as_ref() {
            "text" => self.said(&text(said), entry),
            "image" => {
                let [mime, data] = source.unwrap_or(block).pick(["media_type", "data"]);
                let mime = mime.and_then(|m| m.str());
                entry
                    .blocks
                    .push(Block::Image(Box::new(picture(None, mime, &text(data)))));
            }
            _ => {}
        }
    }

    fn answer<'a>(&mut self, block: Json<'a>, entry: &mut Entry<'a>) {
        let [kind, said, name, input] = block.pick(["type", "text", "name", "input"]);
        match text(kind).as_ref() {
            "text" if text(said).trim() == "[REDACTED]" => {
                entry.blocks.push(Block::Thinking { chars: 0 });
            }
            "text" => entry.say(Voice::Assistant, text(said)),
            "tool_use" => {
                self.calls += 1;
                let id = format!("call-{}", self.calls);
                entry.blocks.push(call(id.clone(), text(name), args(input)));
                // The file has no results at all: how it ended is unknown, not pending.
                entry.blocks.push(result(id, Status::Unknown, None, ""));
            }
            _ => {}
        }
    }
}
