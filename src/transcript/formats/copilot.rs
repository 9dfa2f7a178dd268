//! GitHub Copilot CLI: one stream of events for the agent and its sub-agents (FORMATS 11.1).

use super::Format;
use super::shared::{
    args, boundary, call, labelled_exit, length, result, shown, some, stamp, text,
};
use crate::json::Json;
use crate::transcript::{
    Block, Compaction, Custom, Desk, Entry, Kind, Mark, Place, Status, Usage, Voice, picture,
};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Reader of Copilot CLI's `events.jsonl`.
#[derive(Default)]
pub struct Copilot {
    /// Calls that an answer or an earlier event has shown.
    called: HashSet<String>,
    /// The entry that follows an event, for rewinds.
    places: HashMap<String, u32>,
    model: String,
    /// Answers by their own id: one may come in several events.
    answers: HashMap<String, Place>,
}

impl Format for Copilot {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [kind, data, id, time, agent] =
            record.pick(["type", "data", "id", "timestamp", "agentId"]);
        let (kind, id, data) = (text(kind), text(id), data.unwrap_or(Json::NULL));
        self.places
            .insert(id.clone().into_owned(), desk.session.active.len() as u32);
        let mut entry = Entry::new(Kind::Custom);
        entry.id = id;
        let agent = match text(agent) {
            agent if agent.is_empty() => text(data.get("parentToolCallId")),
            agent => agent,
        };
        if agent.is_empty() {
            stamp(time, &mut entry, desk);
        } else if !kind.starts_with("subagent.") {
            entry.lane = desk.lane(&agent);
            entry.time = time.and_then(super::shared::moment);
        }
        match kind.as_ref() {
            "session.start" | "session.resume" => self.start(data, desk),
            "user.message" => user(data, entry, desk),
            "assistant.message" => self.answer(data, entry, desk),
            "tool.execution_start" => self.started(data, entry, desk),
            "tool.execution_complete" => completed(data, entry, desk),
            "system.message" => {
                entry.kind = Kind::System;
                entry.say(Voice::System, text(data.get("content")));
                desk.message(entry);
            }
            "system.notification" | "skill.invoked" => {
                let [content, name] = data.pick(["content", "name"]);
                let name = text(name);
                entry.custom = Some(Box::new(Custom {
                    name: Cow::Owned(kind.clone().into_owned()),
                    hidden: true,
                }));
                entry.say(
                    Voice::Harness,
                    if name.is_empty() {
                        text(content)
                    } else {
                        Cow::Owned(format!("[skill: {name}]"))
                    },
                );
                desk.injected(entry);
            }
            "session.compaction_complete" => {
                let [success, before, summary] =
                    data.pick(["success", "preCompactionTokens", "summaryContent"]);
                if success.and_then(|s| s.bool()) != Some(false) {
                    let mark = boundary(Compaction {
                        tokens_before: before.and_then(|n| n.u64()),
                        summary: summary.and_then(|s| s.str()).filter(|s| !s.is_empty()),
                        ..Compaction::default()
                    });
                    (entry.kind, entry.mark) = (mark.kind, mark.mark);
                    desk.mark(entry);
                }
            }
            "session.context_cleared" => {
                (entry.kind, entry.mark) = (Kind::Mark, Some(Mark::Clear));
                desk.mark(entry);
            }
            "session.snapshot_rewind" => self.rewind(&text(data.get("upToEventId")), desk),
            "session.model_change" => self.model = text(data.get("newModel")).into_owned(),
            "session.title_changed" => {
                desk.session.title = some(data.get("title")).or(desk.session.title.take());
            }
            "session.usage_info" | "session.shutdown" => {
                let [used, window] = data.pick(["currentTokens", "tokenLimit"]);
                if let Some(window) = window.and_then(|w| w.u64()).filter(|w| *w > 0) {
                    desk.session.window = Some(window);
                }
                if let Some(prompt) = used.and_then(|u| u.u64()).filter(|u| *u > 0)
                    && entry.lane == 0
                {
                    (entry.kind, entry.mark) = (Kind::Mark, Some(Mark::Model));
                    entry.usage = Some(Usage { prompt, output: 0 });
                    desk.mark(entry);
                }
            }
            known if KNOWN.iter().any(|k| known.starts_with(k)) => {}
            other => desk.unknown(other),
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

/// Beginnings of events that say nothing of the conversation.
const KNOWN: &[&str] = &[
    "session.",
    "assistant.",
    "tool.",
    "subagent.",
    "skill.",
    "hook.",
    "permission.",
    "user_input.",
    "elicitation.",
    "external_tool.",
    "command.",
    "mcp.",
    "abort",
];

impl Copilot {
    fn start(&mut self, data: Json<'_>, desk: &mut Desk<'_>) {
        let [id, model, context] = data.pick(["sessionId", "selectedModel", "context"]);
        let [cwd, branch] = context.unwrap_or(Json::NULL).pick(["cwd", "branch"]);
        desk.session.id = some(id).or(desk.session.id.take());
        if let Some(model) = some(model) {
            self.model = model;
        }
        desk.dir(&text(cwd));
        desk.branch(&text(branch));
    }

    fn answer<'a>(&mut self, data: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) {
        let [message, content, thought, opaque, calls, model] = data.pick([
            "messageId",
            "content",
            "reasoningText",
            "reasoningOpaque",
            "toolRequests",
            "model",
        ]);
        entry.kind = Kind::Assistant;
        entry.model = match text(model) {
            model if !model.is_empty() => desk.model(&model),
            _ if entry.lane == 0 => desk.model(&self.model),
            _ => None,
        };
        if let Some(thought) = thought.or(opaque) {
            let chars = length(thought);
            entry.blocks.push(Block::Thinking { chars });
        }
        entry.say(Voice::Assistant, text(content));
        for request in calls.iter().flat_map(|c| c.items()) {
            let [id, name, arguments] = request.pick(["toolCallId", "name", "arguments"]);
            let id = text(id);
            if self.called.insert(id.clone().into_owned()) || id.is_empty() {
                entry.blocks.push(call(id, text(name), args(arguments)));
            }
        }
        let message = text(message);
        match self.answers.get(message.as_ref()) {
            Some(&place) => desk.again(place, entry),
            None => {
                let place = desk.message(entry);
                if !message.is_empty() {
                    self.answers.insert(message.into_owned(), place);
                }
            }
        }
    }

    /// A call that no answer announced.
    fn started<'a>(&mut self, data: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) {
        let [id, name, arguments] = data.pick(["toolCallId", "toolName", "arguments"]);
        let id = text(id);
        if !self.called.insert(id.clone().into_owned()) {
            return;
        }
        entry.kind = Kind::Assistant;
        entry.blocks.push(call(id, text(name), args(arguments)));
        desk.message(entry);
    }

    /// That event and everything after it was taken back; a file that no longer has it needs nothing.
    fn rewind(&mut self, id: &str, desk: &mut Desk<'_>) {
        if let Some(&from) = self.places.get(id) {
            for seq in from..desk.session.active.len() as u32 {
                desk.set_active(seq, false);
            }
        }
    }
}

fn user<'a>(data: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) {
    let [content, source, transformed, attachments, goes_on] = data.pick([
        "content",
        "source",
        "transformedContent",
        "attachments",
        "isAutopilotContinuation",
    ]);
    entry.kind = Kind::User;
    let machine = source.is_some_and(|s| s.str().is_some_and(|s| !s.is_empty() && s != "user"))
        || goes_on.is_some_and(|g| g.bool() == Some(true));
    let voice = match machine {
        _ if entry.lane > 0 => Voice::Parent,
        true => Voice::Harness,
        false => Voice::Person,
    };
    let said = text(content);
    if said.is_empty() && machine {
        entry.say(Voice::Harness, text(transformed));
    } else {
        entry.say(voice, said);
    }
    for file in attachments.iter().flat_map(|a| a.items()) {
        let [kind, name, path, data, mime] =
            file.pick(["type", "displayName", "path", "data", "mimeType"]);
        let mime = mime.and_then(|m| m.str());
        let is_image = mime.as_ref().is_some_and(|m| m.starts_with("image/"))
            || matches!(text(kind).as_ref(), "image" | "blob");
        if is_image {
            let name = name.or(path).and_then(|n| n.str());
            entry
                .blocks
                .push(Block::Image(Box::new(picture(name, mime, &text(data)))));
        }
    }
    desk.message(entry);
}

fn completed<'a>(data: Json<'a>, mut entry: Entry<'a>, desk: &mut Desk<'_>) {
    let [id, success, outcome, error] = data.pick(["toolCallId", "success", "result", "error"]);
    entry.kind = Kind::Tool;
    let content = outcome.map(|o| match o.pick(["content", "detailedContent"]) {
        [None, None] => o,
        [content, detailed] => content.or(detailed).unwrap_or(o),
    });
    let error = error.filter(|e| !e.is_null());
    let (said, code) = match error {
        Some(error) => {
            let [message, code] = error.pick(["message", "code"]);
            (shown(message.or(Some(error))), text(code))
        }
        None => (shown(content), Cow::Borrowed("")),
    };
    let exit = exit_code(&said);
    let status = match success.and_then(|s| s.bool()) {
        Some(false) if matches!(code.as_ref(), "rejected" | "denied") => Status::Rejected,
        Some(false) => Status::Error,
        _ if exit.is_some_and(|code| code != 0) => Status::Error,
        Some(true) => Status::Ok,
        None if error.is_some() => Status::Error,
        None => Status::Unknown,
    };
    entry.blocks.push(result(text(id), status, exit, said));
    desk.message(entry);
}

/// `<exited with exit code 1>` closes a shell's output.
fn exit_code(said: &str) -> Option<i32> {
    let last = said.trim_end().lines().last()?.trim();
    labelled_exit(last.trim_end_matches('>'), "<exited with exit code").or_else(|| {
        // Newer releases name the shell first: `<shellId: 3 completed with exit code 1>`.
        let (_, rest) = last.strip_prefix('<')?.rsplit_once("with exit code ")?;
        rest.trim_end_matches('>').trim().parse().ok()
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::read;
    use crate::transcript::Voice;

    #[test]
    fn one_answer_may_come_in_several_events() {
        let answer = |id: &str, said: &str| {
            format!(
                r#"{{"type":"assistant.message","id":"e","data":{{"messageId":"{id}","content":"{said}"}}}}"#
            )
        };
        let lines = [
            r#"{"type":"user.message","id":"a","data":{"content":"고쳐줘"}}"#.to_owned(),
            answer("m1", "앞"),
            answer("m1", "뒤"),
            answer("m2", "끝"),
            answer("", "하나"),
            answer("", "둘"),
        ];
        let session = read(&format!("{}\n", lines.join("\n")));
        assert_eq!(session.head.messages, 5);
        let texts: Vec<Vec<&str>> = session
            .active()
            .map(|e| e.texts(Voice::Assistant).collect())
            .collect();
        assert_eq!(texts[1], ["앞", "뒤"]);
    }
}
