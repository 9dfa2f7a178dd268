//! OpenHands: actions and observations, one document (V0) or events by kind (V1) (FORMATS 11.7).

mod v1;

use super::Format;
use super::shared::{
    args_text, boundary, call, exit, image, joined, number, result, shown, stamp, text,
};
use crate::json::Json;
use crate::transcript::{
    Args, Block, Compaction, Custom, Desk, Entry, Kind, Place, Status, Usage, Voice,
};
use std::borrow::Cow;
use std::collections::HashMap;

/// Reader of both generations; a V1 event has a `kind`.
#[derive(Default)]
pub struct OpenHands {
    v1: v1::V1,
    /// Call ids by the number of their action.
    calls: HashMap<String, String>,
    /// Answers by the id of the model's response: parallel calls are one message.
    answers: HashMap<String, Place>,
}

impl Format for OpenHands {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        if record.is_array() {
            return record.items().for_each(|event| self.event(event, desk));
        }
        match record.get("kind").and_then(|k| k.str()) {
            Some(kind) => self.v1.event(&kind, record, desk),
            None => self.event(record, desk),
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl OpenHands {
    fn event(&mut self, event: Json<'_>, desk: &mut Desk<'_>) {
        let [id, time, action, observation] =
            event.pick(["id", "timestamp", "action", "observation"]);
        let mut entry = Entry::new(Kind::Assistant);
        entry.id = id.map(|i| Cow::Borrowed(i.raw())).unwrap_or_default();
        stamp(time, &mut entry, desk);
        if let Some(action) = action {
            self.action(&text(Some(action)), event, entry, desk);
        } else if let Some(observation) = observation {
            self.observation(&text(Some(observation)), event, entry, desk);
        } else {
            desk.unknown(&text(event.get("type")));
        }
    }

    fn action<'a>(
        &mut self,
        action: &str,
        event: Json<'a>,
        mut entry: Entry<'a>,
        desk: &mut Desk<'_>,
    ) {
        let [source, arguments, metadata, metrics] =
            event.pick(["source", "args", "tool_call_metadata", "llm_metrics"]);
        let arguments = arguments.unwrap_or(Json::NULL);
        let [content, thought] = arguments.pick(["content", "thought"]);
        let metadata = metadata.unwrap_or(Json::NULL);
        match action {
            "message" if text(source) == "user" => {
                entry.kind = Kind::User;
                entry.say(Voice::Person, text(content));
                let images = arguments.get("image_urls");
                for url in images.iter().flat_map(|i| i.items()) {
                    entry.blocks.push(image(text(Some(url)), None, None));
                }
                desk.message(entry);
                return;
            }
            "system" => {
                entry.kind = Kind::System;
                entry.say(Voice::System, text(content));
                desk.message(entry);
                return;
            }
            "condensation" => {
                let summary = arguments.text("summary").filter(|s| !s.is_empty());
                let mark = boundary(Compaction {
                    summary,
                    ..Compaction::default()
                });
                (entry.kind, entry.mark) = (mark.kind, mark.mark);
                desk.mark(entry);
                return;
            }
            "recall"
            | "change_agent_state"
            | "condensation_request"
            | "start"
            | "pause"
            | "resume"
            | "stop"
            | "null" => return,
            "message" => entry.say(Voice::Assistant, text(content)),
            "finish" => {
                let said = match text(arguments.get("final_thought")) {
                    said if said.is_empty() => text(thought),
                    said => said,
                };
                entry.say(Voice::Assistant, said);
            }
            "think" => entry.blocks.push(Block::Thinking {
                chars: thought.map_or(0, super::shared::length),
            }),
            _ => {
                entry.say(Voice::Assistant, text(thought));
                let id = match text(metadata.get("tool_call_id")) {
                    id if id.is_empty() => Cow::Owned(format!("event-{}", entry.id)),
                    id => id,
                };
                self.calls
                    .insert(entry.id.clone().into_owned(), id.clone().into_owned());
                let name = match action {
                    "call_tool_mcp" => text(arguments.get("name")),
                    _ => Cow::Owned(action.to_owned()),
                };
                entry
                    .blocks
                    .push(call(id, name, Args::Json(Cow::Borrowed(arguments.raw()))));
            }
        }
        let response = metadata.get("model_response").unwrap_or(Json::NULL);
        let [response_id, model, usage] = response.pick(["id", "model", "usage"]);
        entry.model = desk.model(&text(model));
        entry.usage = usage.and_then(prompt_and_answer);
        let accumulated = metrics.and_then(|m| m.get("accumulated_token_usage"));
        if let Some(accumulated) = accumulated {
            turn_usage(accumulated, &mut entry, desk);
        }
        self.answer(&text(response_id), entry, desk);
    }

    fn answer(&mut self, response: &str, entry: Entry<'_>, desk: &mut Desk<'_>) {
        match self.answers.get(response) {
            Some(&place) if !response.is_empty() => desk.again(place, entry),
            _ => {
                let place = desk.message(entry);
                self.answers.insert(response.to_owned(), place);
            }
        }
    }

    fn observation<'a>(
        &mut self,
        observation: &str,
        event: Json<'a>,
        mut entry: Entry<'a>,
        desk: &mut Desk<'_>,
    ) {
        let [cause, content, extras, success, metadata] = event.pick([
            "cause",
            "content",
            "extras",
            "success",
            "tool_call_metadata",
        ]);
        let extras = extras.unwrap_or(Json::NULL);
        let details = extras.get("metadata").unwrap_or(Json::NULL);
        let [code, dir] = details.pick(["exit_code", "working_dir"]);
        entry.dir = desk.dir(&text(dir));
        let said = shown(content);
        let id = match cause.and_then(|c| self.calls.get(c.raw())) {
            Some(id) => Cow::Owned(id.clone()),
            None => text(metadata.and_then(|m| m.get("tool_call_id"))),
        };
        if id.is_empty() {
            if matches!(observation, "recall" | "error") {
                entry.kind = Kind::Custom;
                entry.custom = Some(Box::new(Custom {
                    name: Cow::Owned(observation.to_owned()),
                    hidden: observation != "error",
                }));
                entry.say(Voice::Harness, said);
                desk.injected(entry);
            }
            return;
        }
        let exit = exit(code.or(extras.get("exit_code")));
        let failed = observation == "error"
            || success.and_then(|s| s.bool()) == Some(false)
            || exit.is_some_and(|code| code > 0);
        let status = match observation {
            "user_rejected" => Status::Rejected,
            // A command that still runs has -1.
            _ if exit == Some(-1) && observation == "run" => Status::Running,
            _ if failed => Status::Error,
            _ => Status::Ok,
        };
        entry.kind = Kind::Tool;
        entry
            .blocks
            .push(result(id, status, exit.filter(|code| *code >= 0), said));
        desk.message(entry);
    }
}

/// The provider's own numbers of one response.
fn prompt_and_answer(usage: Json<'_>) -> Option<Usage> {
    let [prompt, output] = usage.pick(["prompt_tokens", "completion_tokens"]);
    let (prompt, output) = (number(prompt), number(output));
    (prompt > 0).then_some(Usage { prompt, output })
}

/// The window, and the turn's total where the response has no numbers of its own.
fn turn_usage(accumulated: Json<'_>, entry: &mut Entry<'_>, desk: &mut Desk<'_>) {
    let [window, turn] = accumulated.pick(["context_window", "per_turn_token"]);
    if let Some(window) = window.and_then(|w| w.u64()).filter(|w| *w > 0) {
        desk.session.window = Some(window);
    }
    if entry.usage.is_none()
        && let Some(prompt) = turn.and_then(|t| t.u64()).filter(|t| *t > 0)
    {
        entry.usage = Some(Usage { prompt, output: 0 });
    }
}
