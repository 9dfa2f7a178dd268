//! Messages of Pi by role, with their blocks, results and tokens (FORMATS 6.5, 6.6).

use super::super::{content_text, shared, text};
use super::Envelope;
use crate::json::Json;
use crate::transcript::{
    Args, Aside, Block, Call, Custom, Desk, Entry, Kind, Outcome, Side, Status, Usage, Voice,
    picture, tools,
};
use std::borrow::Cow;

/// The entry of a `message` record.
pub fn read<'a>(record: Json<'a>, env: &Envelope<'a>, desk: &mut Desk<'_>) -> Entry<'a> {
    let message = record.get("message").unwrap_or(Json::NULL);
    let [role, content] = message.pick(["role", "content"]);
    let role = text(role);
    let mut entry = env.entry(Kind::User);
    match role.as_ref() {
        "user" => {
            let voice = if desk.session.child {
                Voice::Parent
            } else {
                Voice::Person
            };
            blocks(content, voice, &mut entry);
        }
        "assistant" => assistant(message, content, desk, &mut entry),
        "toolResult" => result(message, content, &mut entry),
        "bashExecution" | "pythonExecution" => execution(message, &mut entry),
        "system" | "developer" => {
            entry.kind = Kind::System;
            entry.say(Voice::System, content_text(content));
        }
        "branchSummary" | "compactionSummary" => {
            entry.say(Voice::Summary, text(message.get("summary")));
        }
        "fileMention" => {
            custom("fileMention".into(), false, &mut entry);
            for file in message.get("files").iter().flat_map(|f| f.items()) {
                let [path, content] = file.pick(["path", "content"]);
                entry.say(Voice::Harness, format!("{}\n{}", text(path), text(content)));
            }
        }
        "custom" | "hookMessage" => {
            let [name, display] = message.pick(["customType", "display"]);
            let hidden = display.and_then(|d| d.bool()) == Some(false);
            custom(text(name), hidden, &mut entry);
            blocks(content, Voice::Harness, &mut entry);
        }
        other => {
            desk.unknown(&format!("message/{other}"));
            custom(role.clone(), true, &mut entry);
            blocks(content, Voice::Harness, &mut entry);
        }
    }
    entry
}

fn custom<'a>(name: Cow<'a, str>, hidden: bool, entry: &mut Entry<'a>) {
    entry.kind = Kind::Custom;
    entry.custom = Some(Box::new(Custom { name, hidden }));
}

/// A string, or blocks of text and images.
pub fn blocks<'a>(content: Option<Json<'a>>, voice: Voice, entry: &mut Entry<'a>) {
    let Some(content) = content else { return };
    if let Some(said) = content.str() {
        return entry.say(voice, said);
    }
    for block in content.items() {
        let [kind, said] = block.pick(["type", "text"]);
        match text(kind).as_ref() {
            "image" => entry.blocks.push(image(block)),
            _ => entry.say(voice, text(said)),
        }
    }
}

fn image<'a>(block: Json<'a>) -> Block<'a> {
    let [data, mime] = block.pick(["data", "mimeType"]);
    let data = text(data);
    // oh-my-pi keeps large images in a folder of their own.
    let data = if data.starts_with("blob:") { "" } else { &data };
    Block::Image(Box::new(picture(None, mime.and_then(|m| m.str()), data)))
}

fn assistant<'a>(
    message: Json<'a>,
    content: Option<Json<'a>>,
    desk: &mut Desk<'_>,
    entry: &mut Entry<'a>,
) {
    entry.kind = Kind::Assistant;
    let [model, usage, stop, error] =
        message.pick(["model", "usage", "stopReason", "errorMessage"]);
    let failed = matches!(text(stop).as_ref(), "error" | "aborted");
    entry.model = desk.model(&text(model));
    if !failed {
        entry.usage = usage.and_then(tokens);
    }
    if let Some(said) = content.and_then(|c| c.str()) {
        entry.say(Voice::Assistant, said);
    }
    for block in content.iter().flat_map(|c| c.items()) {
        let [kind, said, thinking, id, name, args] =
            block.pick(["type", "text", "thinking", "id", "name", "arguments"]);
        match text(kind).as_ref() {
            "text" => entry.say(Voice::Assistant, text(said)),
            "thinking" => entry.blocks.push(Block::Thinking {
                chars: thinking.map_or(0, |t| t.chars()),
            }),
            "toolCall" => {
                let name = text(name);
                let args = match args {
                    Some(args) if args.str().is_some() => {
                        super::super::string_args(text(Some(args)))
                    }
                    args => Args::Json(args.map_or("null".into(), |a| a.raw().into())),
                };
                entry.blocks.push(Block::Call(Box::new(Call {
                    id: text(id),
                    tool: tools::family(&name),
                    name,
                    args,
                })));
            }
            "image" => entry.blocks.push(image(block)),
            _ => {}
        }
    }
    if failed {
        // The host runs none of the calls of an answer that broke off.
        let calls: Vec<Cow<'a, str>> = entry.calls().map(|c| c.id.clone()).collect();
        let stopped = calls
            .into_iter()
            .map(|call| shared::result(call, Status::Cancelled, None, ""));
        entry.blocks.extend(stopped);
    }
    if failed && entry.blocks.is_empty() {
        entry.say(Voice::Harness, text(error));
    }
}

/// Prompt tokens are new ones and those read from and written to the cache (SPEC 0.5).
fn tokens(usage: Json<'_>) -> Option<Usage> {
    let found = usage.pick(["input", "cacheRead", "cacheWrite", "output"]);
    let [input, read, write, output] = found.map(|v| v.and_then(|v| v.u64()).unwrap_or(0));
    let prompt = input.saturating_add(read).saturating_add(write);
    (prompt > 0 || output > 0).then_some(Usage { prompt, output })
}

fn result<'a>(message: Json<'a>, content: Option<Json<'a>>, entry: &mut Entry<'a>) {
    entry.kind = Kind::Tool;
    let [call, name, error, details] =
        message.pick(["toolCallId", "toolName", "isError", "details"]);
    let shown = content_text(content);
    let images: Vec<Block<'a>> = content
        .iter()
        .flat_map(|c| c.items())
        .filter(|b| b.text("type").as_deref() == Some("image"))
        .map(image)
        .collect();
    let failed = error.and_then(|e| e.bool()) == Some(true);
    let last = shown.trim_end().rsplit('\n').next().unwrap_or_default();
    let exit = last
        .strip_prefix("Command exited with code ")
        .and_then(|c| c.trim().parse().ok());
    let stopped = last.starts_with("Command aborted") || last.starts_with("Operation aborted");
    let status = if !failed {
        Status::Ok
    } else if shared::refused(&shown) {
        Status::Rejected
    } else if stopped {
        Status::Cancelled
    } else {
        Status::Error
    };
    let tool = tools::family(&text(name));
    let details = details.filter(|d| d.is_object());
    entry.blocks.push(Block::Result(Box::new(Outcome {
        call: text(call),
        status,
        exit,
        text: shown,
        images: u32::try_from(images.len()).unwrap_or(u32::MAX),
        side: Side::from(Aside {
            agent: details
                .and_then(|d| d.text("agentId").or_else(|| d.text("sessionId")))
                .filter(|a| !a.is_empty()),
            todos: details
                .filter(|_| super::keeps_state(tool))
                .and_then(|d| d.get("todos"))
                .filter(|t| t.is_array())
                .map(|t| t.raw().into()),
            ..Aside::NOTHING
        }),
    })));
    entry.blocks.extend(images);
}

/// A command the person ran past the agent. What the host kept from the model is not shown: people hide
/// secrets that way.
fn execution<'a>(message: Json<'a>, entry: &mut Entry<'a>) {
    entry.kind = Kind::Bash;
    let [command, code, output, hidden] =
        message.pick(["command", "code", "output", "excludeFromContext"]);
    let command = text(command.or(code));
    let output = text(output);
    if hidden.and_then(|h| h.bool()) == Some(true) || output.trim().is_empty() {
        entry.say(Voice::Harness, format!("$ {command}"));
    } else {
        entry.say(Voice::Harness, format!("$ {command}\n{output}"));
    }
}
