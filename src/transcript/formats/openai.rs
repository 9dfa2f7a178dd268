//! OpenAI chat messages: one a line, a whole document, or wrapped as `{"messages":[…]}` (FORMATS 11.8). The
//! format has no times, usage or error flags unless an exporter added them.

use super::shared::{linked, refused};
use super::{Format, anthropic, content_text, string_args, text};
use crate::json::Json;
use crate::transcript::{
    Block, Call, Desk, Entry, Image, Kind, Millis, Outcome, Side, Status, Voice, tools,
};
use std::borrow::Cow;
use std::collections::VecDeque;

/// Reader of chat lines in OpenAI's shape.
#[derive(Default)]
pub struct OpenAi {
    /// Ids of calls without result, for results that name none.
    open: VecDeque<String>,
}

impl Format for OpenAi {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        if record.is_array() {
            record.items().for_each(|r| self.message(r, desk));
        } else if let Some(messages) = record.get("messages").filter(|m| m.is_array()) {
            self.open.clear();
            messages.items().for_each(|r| self.message(r, desk));
        } else {
            self.message(record, desk);
        }
    }

    fn settle(&mut self, desk: &mut Desk<'_>) {
        // Lines know nothing of each other but ids.
        desk.fold(&|_| true);
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl OpenAi {
    fn message(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [role, content, time, model] = record.pick(["role", "content", "timestamp", "model"]);
        if content.is_some_and(has_tool_blocks) {
            return anthropic::message(record, desk);
        }
        let role = text(role);
        let (kind, voice) = match role.as_ref() {
            "user" => (Kind::User, Voice::Person),
            "assistant" => (Kind::Assistant, Voice::Assistant),
            "system" | "developer" => (Kind::System, Voice::System),
            "tool" | "function" => (Kind::Tool, Voice::Harness),
            other => {
                desk.unknown(if other.is_empty() { "message" } else { other });
                return;
            }
        };
        let mut entry = Entry::new(kind);
        let time = text(time);
        entry.time = Millis::parse(&time);
        if entry.time.is_some() {
            desk.time(&time);
        }
        match kind {
            Kind::Tool => self.result(record, content, &mut entry),
            Kind::Assistant => {
                entry.model = desk.model(&text(model));
                if let Some(thought) = record
                    .text("reasoning_content")
                    .or_else(|| record.text("reasoning"))
                    .filter(|t| !t.is_empty())
                {
                    entry.blocks.push(Block::Thinking {
                        chars: thought.chars().count(),
                    });
                }
                parts(content, voice, &mut entry);
                if let Some(refusal) = record.text("refusal") {
                    entry.say(voice, refusal);
                }
                self.calls(record, &mut entry);
            }
            _ => parts(content, voice, &mut entry),
        }
        desk.message(entry);
    }

    fn calls<'a>(&mut self, record: Json<'a>, entry: &mut Entry<'a>) {
        let [calls, legacy] = record.pick(["tool_calls", "function_call"]);
        let mut add = |id: Cow<'a, str>, function: Json<'a>| {
            let name = function.text("name").unwrap_or_default();
            self.open.push_back(id.to_string());
            let args = match function.get("arguments") {
                Some(args) if args.str().is_none() => {
                    crate::transcript::Args::Json(Cow::Borrowed(args.raw()))
                }
                args => string_args(text(args)),
            };
            entry.blocks.push(Block::Call(Box::new(Call {
                id,
                tool: tools::family(&name),
                name,
                args,
            })));
        };
        for call in calls.iter().flat_map(|c| c.items()) {
            add(
                call.text("id").unwrap_or_default(),
                call.get("function").unwrap_or(call),
            );
        }
        if let Some(function) = legacy.filter(|f| f.is_object()) {
            add(Cow::Borrowed(""), function);
        }
    }

    /// The result names its call; where it does not, it answers the oldest open one.
    fn result<'a>(&mut self, record: Json<'a>, content: Option<Json<'a>>, entry: &mut Entry<'a>) {
        let named = record.text("tool_call_id").unwrap_or_default();
        let at = self.open.iter().position(|id| *id == named);
        let call = match at.or_else(|| (named.is_empty() && !self.open.is_empty()).then_some(0)) {
            Some(at) => self.open.remove(at).map_or(named, Cow::Owned),
            None => named,
        };
        let failed = record.flag("is_error") || record.flag("isError");
        let mut images = Vec::new();
        for part in content.iter().flat_map(|c| c.items()) {
            images.extend(image(part));
        }
        let said = content_text(content);
        entry.blocks.push(Block::Result(Box::new(Outcome {
            call,
            status: match failed {
                // Without a flag, a command's own output may begin with such words.
                _ if refused(&said) && (failed || !said.trim_end().contains('\n')) => {
                    Status::Rejected
                }
                true => Status::Error,
                false => Status::Unknown,
            },
            exit: None,
            text: said,
            images: u32::try_from(images.len()).unwrap_or(u32::MAX),
            side: Side::default(),
        })));
        entry.blocks.extend(images.into_iter().map(Block::image));
    }
}

fn has_tool_blocks(content: Json<'_>) -> bool {
    content.items().any(|b| {
        matches!(
            b.text("type").as_deref(),
            Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking")
        )
    })
}

/// A string, or parts of text and images.
fn parts<'a>(content: Option<Json<'a>>, voice: Voice, entry: &mut Entry<'a>) {
    let Some(content) = content else { return };
    if let Some(said) = content.str() {
        return entry.say(voice, said);
    }
    for part in content.items() {
        match image(part) {
            Some(image) => entry.blocks.push(Block::image(image)),
            None => entry.say(voice, text(part.get("text"))),
        }
    }
}

fn image<'a>(part: Json<'a>) -> Option<Image<'a>> {
    let url = part.get("image_url")?;
    let url = url.str().or_else(|| url.text("url"))?;
    Some(linked(url, None, None))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, human, read};

    #[test]
    fn results_come_in_any_order_and_without_ids() {
        let session = read(
            r#"{"role":"system","content":"s"}
{"role":"user","content":"파일을 알려줘"}
{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"list_dir","arguments":"{\"path\":\".\"}"}},{"id":"c2","type":"function","function":{"name":"run","arguments":"{\"command\":\"git status\"}"}}]}
{"role":"tool","tool_call_id":"c2","content":"fatal"}
{"role":"tool","content":"a.py"}
{"role":"assistant","content":null,"function_call":{"name":"run","arguments":"not json"}}
{"role":"function","name":"run","content":"done"}
"#,
        );
        assert_eq!(human(&session), ["파일을 알려줘"]);
        let texts: Vec<_> = session
            .steps()
            .map(|s| (s.call.name.as_ref(), s.outcome.map(|o| o.text.as_ref())))
            .collect();
        assert_eq!(
            texts,
            [
                ("list_dir", Some("a.py")),
                ("run", Some("fatal")),
                ("run", Some("done"))
            ]
        );
        assert_eq!(calls(&session).len(), 3);
        assert_eq!(session.orphans, 0);
        assert_eq!(session.head.messages, 7);
    }

    #[test]
    fn a_refused_call_did_nothing() {
        let edit = |said: &str| {
            let session = read(&format!(
                r#"{{"role":"user","content":"고쳐줘"}}
{{"role":"assistant","content":null,"tool_calls":[{{"id":"c1","type":"function","function":{{"name":"shell","arguments":"{{}}"}}}}]}}
{{"role":"tool","tool_call_id":"c1","content":"{said}"}}
"#
            ));
            calls(&session)
        };
        let refused = "The user doesn't want to proceed with this tool use. STOP.";
        assert_eq!(edit(refused), ["shell:Rejected"]);
        assert_eq!(
            edit("BLOCKED: User denied this action."),
            ["shell:Rejected"]
        );
        assert_eq!(edit("user denied: 3\\nuser allowed: 4"), ["shell:Unknown"]);
        assert_eq!(edit("the users want to proceed"), ["shell:Unknown"]);
    }

    #[test]
    fn wrapped_messages_are_numbered_one_by_one() {
        let session = read(
            r#"{"messages":[{"role":"user","content":"하나"},{"role":"assistant","content":"네"}]}
{"messages":[{"role":"user","content":[{"type":"text","text":"둘"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}]}
"#,
        );
        assert_eq!(human(&session), ["하나", "둘"]);
        assert_eq!(session.head.messages, 3);
    }
}
