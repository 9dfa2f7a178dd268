//! Kimi CLI: what the model sees (`context.jsonl`) and what happened (`wire.jsonl`); Kimi Code's wire is
//! handed to its own reader (FORMATS 11.3).

mod code;
mod wire;

use super::Format;
use super::shared::{args, boundary, call, is_command, joined, labelled_exit, parts, result, text};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Desk, Entry, Kind, Place, Status, Usage, Voice};
use std::borrow::Cow;

/// Reader of all three kinds of file; each record tells its kind.
#[derive(Default)]
pub struct Kimi {
    wire: wire::Wire,
    code: code::Code,
    /// The last answer in a context file, which a usage record is about.
    answer: Option<Place>,
}

impl Format for Kimi {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [role, message, kind] = record.pick(["role", "message", "type"]);
        match (role, message, kind) {
            (Some(role), _, _) => self.context(&text(Some(role)), record, desk),
            // The older wire wraps each event; the newer one is flat.
            (None, Some(message), None) => self.wire.event(record, message, desk),
            (None, _, Some(kind)) => self.code.record(&text(Some(kind)), record, desk),
            _ => desk.unknown(""),
        }
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        self.wire.flush(desk);
    }
}

impl Kimi {
    fn context(&mut self, role: &str, record: Json<'_>, desk: &mut Desk<'_>) {
        let [content, calls, of, used] =
            record.pick(["content", "tool_calls", "tool_call_id", "token_count"]);
        let content = content.unwrap_or(Json::NULL);
        match role {
            "user" => {
                let mut entry = Entry::new(Kind::User);
                if says_compacted(content) {
                    parts(content, Voice::Summary, &mut entry);
                    desk.mark(boundary(Compaction {
                        summary: Some(joined(content).into_owned().into()),
                        ..Compaction::default()
                    }));
                } else {
                    words(content, &mut entry);
                }
                desk.message(entry);
            }
            "assistant" => {
                let mut entry = Entry::new(Kind::Assistant);
                parts(content, Voice::Assistant, &mut entry);
                for made in calls.iter().flat_map(|c| c.items()) {
                    let [id, function] = made.pick(["id", "function"]);
                    let [name, arguments] =
                        function.unwrap_or(Json::NULL).pick(["name", "arguments"]);
                    entry
                        .blocks
                        .push(call(text(id), text(name), args(arguments)));
                }
                self.answer = Some(desk.message(entry));
            }
            "tool" => {
                let mut entry = Entry::new(Kind::Tool);
                entry.blocks.push(outcome(text(of), None, joined(content)));
                desk.message(entry);
            }
            "system" => {
                let mut entry = Entry::new(Kind::System);
                parts(content, Voice::System, &mut entry);
                desk.message(entry);
            }
            "_usage" => {
                let used = used.and_then(|u| u.u64()).filter(|u| *u > 0);
                if let (Some(prompt), Some(place)) = (used, self.answer) {
                    let mut row = Entry::new(Kind::Assistant);
                    row.usage = Some(Usage { prompt, output: 0 });
                    desk.again(place, row);
                }
            }
            "_system_prompt" | "_checkpoint" => {}
            other => desk.unknown(other),
        }
    }
}

/// The first message after a compaction.
fn says_compacted(content: Json<'_>) -> bool {
    joined(content)
        .trim_start()
        .starts_with("<system>Previous context has been compacted")
}

/// A user's content: what begins with the host's own tag is the host's.
fn words<'a>(content: Json<'a>, entry: &mut Entry<'a>) {
    parts(content, Voice::Person, entry);
    for block in &mut entry.blocks {
        if let Block::Said { voice, text } = block
            && (text.trim_start().starts_with("<system>") || is_command(text))
        {
            *voice = Voice::Harness;
        }
    }
}

/// A result; in a context file only its text tells a failure.
fn outcome<'a>(call: Cow<'a, str>, failed: Option<bool>, shown: Cow<'a, str>) -> Block<'a> {
    noted_outcome(call, failed, shown, "")
}

/// As [`outcome`], with what the host says of the result beside it.
fn noted_outcome<'a>(
    call: Cow<'a, str>,
    failed: Option<bool>,
    shown: Cow<'a, str>,
    note: &str,
) -> Block<'a> {
    let failed = failed.unwrap_or_else(|| shown.starts_with("<system>ERROR:"));
    let exit = failed
        .then(|| {
            let (_, rest) = [note, shown.as_ref()]
                .into_iter()
                .find_map(|text| text.split_once("exit code: "))?;
            labelled_exit(rest.split(['.', '<', '\n']).next()?, "")
        })
        .flatten();
    let status = if !failed {
        Status::Ok
    } else if [note, shown.as_ref()]
        .iter()
        .any(|text| text.contains("ejected by the user"))
    {
        Status::Rejected
    } else {
        Status::Error
    };
    result(call, status, exit, shown)
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;

    #[test]
    fn exit_codes_stand_in_the_output_or_in_the_note_beside_it() {
        let wire = |output: &str, note: &str| {
            let text = format!(
                r#"{{"type":"metadata","protocol_version":"1.3"}}
{{"timestamp":1,"message":{{"type":"ToolCall","payload":{{"id":"t","function":{{"name":"Shell","arguments":"{{}}"}}}}}}}}
{{"timestamp":2,"message":{{"type":"ToolResult","payload":{{"tool_call_id":"t","return_value":{{"is_error":true,"output":"{output}","message":"{note}"}}}}}}}}
"#
            );
            let session = read(&text);
            let outcome = session.steps().next().and_then(|s| s.outcome).expect("one");
            (outcome.exit, outcome.text.to_string())
        };
        let failed = "Command failed with exit code: 2.";
        assert_eq!(wire("boom", failed), (Some(2), "boom".to_owned()));
        assert_eq!(wire("", failed), (Some(2), failed.to_owned()));
        assert_eq!(wire("boom", "Failed."), (None, "boom".to_owned()));
    }
}
