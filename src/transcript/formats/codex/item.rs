//! Items of a response: answers, calls and their outputs (FORMATS 8.4, 8.8). Each is a message of its own.

use super::super::{content_text, hash, string_args, text};
use super::Codex;
use super::mirror::What;
use super::parts::call_id;
use crate::json::Json;
use crate::transcript::{
    Args, Block, Call, Desk, Entry, Kind, Outcome, Side, Status, Voice, tools, tools::Tool,
};
use std::borrow::Cow;

/// What the output of a call needs to know of it.
#[derive(Default, serde::Serialize, serde::Deserialize)]
pub struct Known {
    pub patch: bool,
    /// The running command that a `write_stdin` is about.
    pub session: Option<String>,
    /// The answers that a question offered.
    pub options: Option<Vec<String>>,
}

impl Codex {
    pub(super) fn item(&mut self, item: Json<'_>, desk: &mut Desk<'_>) {
        match item.text("type").unwrap_or_default().as_ref() {
            "message" => self.message(item, desk),
            "reasoning" => {
                let [summary, content] = item.pick(["summary", "content"]);
                self.reasoning += [summary, content]
                    .into_iter()
                    .map(|part| content_text(part).chars().count())
                    .sum::<usize>()
                    .max(1);
            }
            "function_call" => {
                let [name, space, args] = item.pick(["name", "namespace", "arguments"]);
                let name = named(text(name), &text(space));
                let args = match args {
                    Some(args) if args.str().is_none() => Args::Json(args.raw().into()),
                    args => string_args(text(args)),
                };
                self.call(item, name, args, desk);
            }
            "custom_tool_call" => {
                let [name, input] = item.pick(["name", "input"]);
                self.call(item, text(name), Args::Raw(text(input)), desk);
            }
            "local_shell_call" => {
                let action = item.get("action").map_or("null", |a| a.raw());
                self.call(item, "local_shell".into(), Args::Json(action.into()), desk);
            }
            "tool_search_call" => {
                let args = item.get("arguments").map_or("null", |a| a.raw());
                self.call(item, "tool_search".into(), Args::Json(args.into()), desk);
            }
            // These two have no output of their own: the item says how it ended.
            "web_search_call" => self.done("web_search", item, "action", desk),
            "image_generation_call" => self.done("image_generation", item, "revised_prompt", desk),
            "function_call_output" | "custom_tool_call_output" | "tool_search_output" => {
                let id = hash(&call_id(item));
                let patch = self.patches.remove(&id);
                if patch.is_none() && self.calls.get(&id).is_some_and(|c| c.patch) {
                    self.hold(What::Output, item, desk);
                } else {
                    self.flush(desk);
                    self.result(item, patch, desk);
                }
            }
            // Undo points, unreadable compactions, tools that were added: nothing was said.
            "ghost_snapshot" | "compaction" | "compaction_summary" | "context_compaction"
            | "compaction_trigger" | "agent_message" | "additional_tools" => {}
            other => desk.unknown(&format!("response_item/{other}")),
        }
    }

    fn message(&mut self, item: Json<'_>, desk: &mut Desk<'_>) {
        let [role, content] = item.pick(["role", "content"]);
        match text(role).as_ref() {
            "user" => self.hold(What::Prompt, item, desk),
            "assistant" => {
                let mut entry = self.answer(desk);
                entry.say(Voice::Assistant, content_text(content));
                self.respond(entry, desk);
            }
            "developer" | "system" => {
                self.flush(desk);
                let mut entry = self.entry(Kind::System);
                entry.say(Voice::System, content_text(content));
                desk.message(entry);
            }
            other => desk.unknown(&format!("message/{other}")),
        }
    }

    /// An entry of the model, with the reasoning in front of it.
    fn answer<'a>(&mut self, desk: &mut Desk<'_>) -> Entry<'a> {
        self.flush(desk);
        let mut entry = self.entry(Kind::Assistant);
        entry.model = desk.model(&self.model);
        let chars = std::mem::take(&mut self.reasoning);
        if chars > 0 {
            entry.blocks.push(Block::Thinking { chars });
        }
        entry
    }

    fn respond(&mut self, entry: Entry<'_>, desk: &mut Desk<'_>) {
        self.mirror.moved_on();
        self.compacted = false;
        self.response = Some(desk.message(entry));
    }

    fn call<'a>(
        &mut self,
        item: Json<'a>,
        name: Cow<'a, str>,
        args: Args<'a>,
        desk: &mut Desk<'_>,
    ) {
        let mut entry = self.answer(desk);
        let id = call_id(item);
        let tool = tools::family(&name);
        let json = args.json();
        let known = Known {
            patch: tool == Tool::Patch
                || (tool == Tool::Shell && args.as_str().contains("*** Begin Patch")),
            session: json
                .get("session_id")
                .filter(|_| tool == Tool::ShellSession)
                .map(|s| s.str().map_or_else(|| s.raw().to_owned(), Cow::into_owned)),
            options: (tool == Tool::Ask).then(|| options(json)),
        };
        if known.patch || known.session.is_some() || known.options.is_some() {
            self.calls.insert(hash(&id), known);
        }
        entry.blocks.push(Block::Call(Box::new(Call {
            id,
            name,
            tool,
            args,
        })));
        self.respond(entry, desk);
    }

    /// A call that the provider ran itself.
    fn done(&mut self, name: &'static str, item: Json<'_>, args: &str, desk: &mut Desk<'_>) {
        let mut entry = self.answer(desk);
        let status = match item.text("status").as_deref() {
            Some("failed" | "incomplete") => Status::Error,
            Some("in_progress") => Status::Running,
            _ => Status::Ok,
        };
        let id = format!("{name}:{}", desk.session.messages);
        entry.blocks.push(Block::Call(Box::new(Call {
            id: id.clone().into(),
            name: name.into(),
            tool: tools::family(name),
            args: Args::Json(item.get(args).map_or("null", |a| a.raw()).into()),
        })));
        entry.blocks.push(Block::Result(Box::new(Outcome {
            call: id.into(),
            status,
            exit: None,
            text: "".into(),
            images: 0,
            side: Side::default(),
        })));
        self.respond(entry, desk);
    }
}

/// A tool of a server is named with its server.
fn named<'a>(name: Cow<'a, str>, space: &str) -> Cow<'a, str> {
    if space.is_empty() || name.starts_with(space) {
        name
    } else if space.ends_with("__") {
        Cow::Owned(format!("{space}{name}"))
    } else {
        Cow::Owned(format!("{space}__{name}"))
    }
}

fn options(args: Json<'_>) -> Vec<String> {
    args.get("questions")
        .iter()
        .flat_map(|q| q.items())
        .filter_map(|q| q.get("options"))
        .flat_map(|o| o.items())
        .filter_map(|o| o.text("label").map(Cow::into_owned))
        .collect()
}
