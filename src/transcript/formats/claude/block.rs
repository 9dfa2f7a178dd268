//! Content blocks and token counts of Anthropic's messages, as Claude Code and plain chat files write them.

use super::super::{content_text, shared, text};
use crate::json::Json;
use crate::transcript::{Args, Block, Call, Entry, Status, Usage, Voice, picture, tools};
use std::borrow::Cow;

/// Adds a block other than a tool result to the entry.
pub fn read<'a>(block: Json<'a>, voice: Voice, entry: &mut Entry<'a>) {
    let [kind, said, call, name, input, thinking, source] =
        block.pick(["type", "text", "id", "name", "input", "thinking", "source"]);
    match text(kind).as_ref() {
        // A block whose type cannot be read is told by its text.
        "text" | "" => entry.say(voice, text(said)),
        "thinking" | "redacted_thinking" => {
            let chars = thinking.map_or(0, |t| t.raw().len());
            entry.blocks.push(Block::Thinking { chars });
        }
        "tool_use" | "server_tool_use" => {
            let name = text(name);
            entry.blocks.push(Block::Call(Box::new(Call {
                id: text(call),
                tool: tools::family(&name),
                name,
                args: Args::Json(input.map_or(Cow::Borrowed("null"), |i| Cow::Borrowed(i.raw()))),
            })));
        }
        "image" | "document" => {
            if let Some(source) = source {
                let data = source.text("data").unwrap_or_default();
                entry.blocks.push(Block::Image(Box::new(picture(
                    source_name(block),
                    source.text("media_type"),
                    &data,
                ))));
            }
        }
        // Tools that the provider runs itself answer in the same message.
        kind if kind.ends_with("_tool_result") => {
            let [of, content] = block.pick(["tool_use_id", "content"]);
            let failed = content
                .and_then(|c| c.text("type"))
                .is_some_and(|t| t.ends_with("_error"));
            let status = if failed { Status::Error } else { Status::Ok };
            entry.blocks.push(shared::result(
                text(of),
                status,
                None,
                content_text(content),
            ));
        }
        _ => {}
    }
}

/// The name of an image or document.
pub fn source_name<'a>(block: Json<'a>) -> Option<Cow<'a, str>> {
    let [title, name] = block.pick(["title", "name"]);
    title
        .or(name)
        .and_then(|n| n.str())
        .filter(|n| !n.is_empty())
}

/// Prompt tokens are everything the model was sent: new, written to and read from the cache (SPEC 0.5).
pub fn read_usage(usage: Json<'_>) -> Option<Usage> {
    let found = usage.pick([
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
        "output_tokens",
    ]);
    let number = |i: usize| {
        found
            .get(i)
            .copied()
            .flatten()
            .and_then(|v| v.u64())
            .unwrap_or(0)
    };
    let prompt = number(0)
        .saturating_add(number(1))
        .saturating_add(number(2));
    (prompt > 0 || number(3) > 0).then_some(Usage {
        prompt,
        output: number(3),
    })
}
