//! Events of OpenHands' newer kit, told apart by `kind`.

use super::super::shared::{blocks, exit, length, parts, some};
use super::*;

#[derive(Default)]
pub struct V1 {
    answers: HashMap<String, Place>,
    last: Option<Place>,
}

impl V1 {
    pub fn event(&mut self, kind: &str, event: Json<'_>, desk: &mut Desk<'_>) {
        let [id, time, source, of, response] = event.pick([
            "id",
            "timestamp",
            "source",
            "tool_call_id",
            "llm_response_id",
        ]);
        let mut entry = Entry::new(Kind::Assistant);
        entry.id = text(id);
        stamp(time, &mut entry, desk);
        match kind {
            "SystemPromptEvent" => {
                entry.kind = Kind::System;
                entry.say(
                    Voice::System,
                    event.get("system_prompt").map(joined).unwrap_or_default(),
                );
                desk.message(entry);
            }
            "MessageEvent" => {
                let [message, extended] = event.pick(["llm_message", "extended_content"]);
                let [role, content] = message.unwrap_or(Json::NULL).pick(["role", "content"]);
                let content = content.unwrap_or(Json::NULL);
                if text(source) == "user" {
                    entry.kind = Kind::User;
                    parts(content, Voice::Person, &mut entry);
                    parts(extended.unwrap_or(Json::NULL), Voice::Harness, &mut entry);
                    desk.message(entry);
                } else if text(role) == "assistant" || text(source) == "agent" {
                    parts(content, Voice::Assistant, &mut entry);
                    self.answer(&text(response), entry, desk);
                } else {
                    entry.kind = Kind::User;
                    parts(content, Voice::Harness, &mut entry);
                    desk.message(entry);
                }
            }
            "ActionEvent" => self.action(event, entry, desk),
            "ObservationEvent" => {
                let observation = event.get("observation").unwrap_or(Json::NULL);
                let [content, output, failed, code, metadata] =
                    observation.pick(["content", "output", "is_error", "exit_code", "metadata"]);
                let metadata = metadata.unwrap_or(Json::NULL);
                let [inner, dir] = metadata.pick(["exit_code", "working_dir"]);
                entry.dir = desk.dir(&text(dir));
                let exit = exit(code.or(inner)).filter(|code| *code >= 0);
                let failed = failed.and_then(|f| f.bool()) == Some(true)
                    || exit.is_some_and(|code| code != 0);
                let status = if failed { Status::Error } else { Status::Ok };
                entry.kind = Kind::Tool;
                entry
                    .blocks
                    .push(result(text(of), status, exit, shown(content.or(output))));
                desk.message(entry);
            }
            "AgentErrorEvent" => {
                entry.kind = Kind::Tool;
                let said = text(event.get("error"));
                entry
                    .blocks
                    .push(result(text(of), Status::Error, None, said));
                desk.message(entry);
            }
            "UserRejectObservation" => {
                let reason = text(event.get("rejection_reason"));
                entry.kind = Kind::Tool;
                entry
                    .blocks
                    .push(result(text(of), Status::Rejected, None, reason.clone()));
                if !reason.starts_with("User rejected") {
                    entry.say(Voice::Person, reason);
                }
                desk.message(entry);
            }
            "Condensation" => {
                let mark = boundary(Compaction {
                    summary: event.text("summary").filter(|s| !s.is_empty()),
                    ..Compaction::default()
                });
                (entry.kind, entry.mark) = (mark.kind, mark.mark);
                desk.mark(entry);
            }
            "ConversationErrorEvent" => {
                let [detail, code] = event.pick(["detail", "code"]);
                entry.kind = Kind::Custom;
                entry.custom = Some(Box::new(Custom {
                    name: "error".into(),
                    hidden: false,
                }));
                entry.say(Voice::Harness, text(detail.or(code)));
                desk.injected(entry);
            }
            "ConversationStateUpdateEvent" => self.state(event, desk),
            "CondensationRequest"
            | "CondensationSummaryEvent"
            | "PauseEvent"
            | "TokenEvent"
            | "LLMCompletionLogEvent"
            | "InterruptEvent" => {}
            other => desk.unknown(other),
        }
    }

    fn action<'a>(&mut self, event: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) {
        let [
            thought,
            reasoning,
            thinking,
            action,
            name,
            of,
            made,
            response,
        ] = event.pick([
            "thought",
            "reasoning_content",
            "thinking_blocks",
            "action",
            "tool_name",
            "tool_call_id",
            "tool_call",
            "llm_response_id",
        ]);
        if let Some(reasoning) = reasoning.filter(|r| !r.is_null()) {
            let chars = length(reasoning);
            entry.blocks.push(Block::Thinking { chars });
        }
        blocks(thinking.unwrap_or(Json::NULL), Voice::Assistant, &mut entry);
        parts(thought.unwrap_or(Json::NULL), Voice::Assistant, &mut entry);
        let action = action.unwrap_or(Json::NULL);
        let [kind, message, thought] = action.pick(["kind", "message", "thought"]);
        match text(kind).as_ref() {
            "FinishAction" => entry.say(Voice::Assistant, text(message)),
            "ThinkAction" => entry.blocks.push(Block::Thinking {
                chars: thought.map_or(0, length),
            }),
            _ => {
                // An action that could not be read leaves only the call as the model wrote it.
                let arguments = if action.is_object() {
                    Args::Json(Cow::Borrowed(action.raw()))
                } else {
                    args_text(text(made.and_then(|m| m.get("arguments"))))
                };
                entry.blocks.push(call(text(of), text(name), arguments));
            }
        }
        self.answer(&text(response), entry, desk);
    }

    fn answer(&mut self, response: &str, entry: Entry<'_>, desk: &mut Desk<'_>) {
        let place = match self.answers.get(response) {
            Some(&place) if !response.is_empty() => {
                desk.again(place, entry);
                place
            }
            _ => {
                let place = desk.message(entry);
                self.answers.insert(response.to_owned(), place);
                place
            }
        };
        self.last = Some(place);
    }

    /// Numbers and the model's name stand in updates of the state.
    fn state(&mut self, event: Json<'_>, desk: &mut Desk<'_>) {
        let [key, value] = event.pick(["key", "value"]);
        let value = value.unwrap_or(Json::NULL);
        let stats = match text(key).as_ref() {
            "stats" => value,
            "full_state" => value.get("stats").unwrap_or(Json::NULL),
            _ => return,
        };
        desk.session.id = some(value.get("id")).or(desk.session.id.take());
        let Some(agent) = stats.at(&["usage_to_metrics", "agent"]) else {
            return;
        };
        let [model, accumulated] = agent.pick(["model_name", "accumulated_token_usage"]);
        let mut row = Entry::new(Kind::Assistant);
        row.model = desk.model(&text(model));
        turn_usage(accumulated.unwrap_or(Json::NULL), &mut row, desk);
        if let Some(place) = self.last.filter(|_| row.usage.is_some()) {
            desk.again(place, row);
        }
    }
}
