//! Anthropic messages, one a line: `role` and `content` with tool blocks (FORMATS 11.8). The blocks are those
//! of Claude Code; nothing else of that format is known here.

use super::claude::{block, result};
use super::{Format, text};
use crate::json::Json;
use crate::transcript::{Desk, Entry, Kind, Voice};

/// Reader of chat lines in Anthropic's shape.
#[derive(Default)]
pub struct Anthropic;

impl Format for Anthropic {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        if record.is_array() {
            record.items().for_each(|r| message(r, desk));
        } else if let Some(messages) = record.get("messages").filter(|m| m.is_array()) {
            if let Some(system) = record.get("system") {
                let mut entry = Entry::new(Kind::System);
                entry.say(Voice::System, super::content_text(Some(system)));
                desk.message(entry);
            }
            messages.items().for_each(|r| message(r, desk));
        } else {
            message(record, desk);
        }
    }

    fn settle(&mut self, desk: &mut Desk<'_>) {
        // Lines know nothing of each other but ids.
        desk.fold(&|_| true);
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

/// One chat message.
pub fn message(record: Json<'_>, desk: &mut Desk<'_>) {
    let [role, content, model, usage] = record.pick(["role", "content", "model", "usage"]);
    let role = text(role);
    let (kind, voice) = match role.as_ref() {
        "user" => (Kind::User, Voice::Person),
        "assistant" => (Kind::Assistant, Voice::Assistant),
        "system" | "developer" => (Kind::System, Voice::System),
        other => {
            desk.unknown(if other.is_empty() { "message" } else { other });
            return;
        }
    };
    let mut entry = Entry::new(kind);
    if kind == Kind::Assistant {
        entry.model = desk.model(&text(model));
        entry.usage = usage.and_then(block::read_usage);
    }
    if let Some(said) = content.and_then(|c| c.str()) {
        entry.say(voice, said);
    }
    for item in content.iter().flat_map(|c| c.items()) {
        if item.text("type").as_deref() == Some("tool_result") {
            result::read(item, None, voice, &mut entry);
        } else {
            block::read(item, voice, &mut entry);
        }
    }
    let results = entry.results().count();
    if kind == Kind::User && results > 0 && entry.texts(Voice::Person).next().is_none() {
        entry.kind = Kind::Tool;
    }
    desk.message(entry);
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, human, read};

    #[test]
    fn results_and_words_share_a_message() {
        let session = read(
            r#"{"role":"user","content":"버전을 올려줘"}
{"role":"assistant","content":[{"type":"thinking","thinking":"x"},{"type":"tool_use","id":"t1","name":"edit","input":{"path":"a"}}]}
{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"permission denied"},{"type":"text","text":"다시 해봐"}]}
"#,
        );
        assert_eq!(human(&session), ["버전을 올려줘", "다시 해봐"]);
        assert_eq!(calls(&session), ["edit:Error"]);
    }
}
