//! Claude Code: `tool_use` and `tool_result` blocks in `message.content`, the copy in `toolUseResult`.

use super::Work;
use crate::json::{Json, Kind};
use crate::prune::edit::Edits;

pub fn record<'t>(record: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    // Side chains need no look: the plan has claims of the main conversation only, by ids that are its own.
    let [kind, message, result] = record.pick(["type", "message", "toolUseResult"]);
    let kind = kind.and_then(|k| k.str()).unwrap_or_default();
    let content = message.and_then(|m| m.get("content"));
    let Some(content) = content.filter(|c| c.kind() == Kind::Array) else {
        return;
    };
    if matches!(kind.as_ref(), "user" | "assistant") {
        blocks(content, result, line, work, edits);
    }
}

/// The blocks of a message in Anthropic's shape.
pub fn blocks<'t>(
    content: Json<'t>,
    side: Option<Json<'t>>,
    line: u32,
    work: &mut Work<'_>,
    edits: &mut Edits<'t>,
) {
    work.prompt(line, content, "text", edits);
    for block in content.items() {
        let [kind, id, call, input, shown] =
            block.pick(["type", "id", "tool_use_id", "input", "content"]);
        let text = |v: Option<Json<'t>>| v.and_then(|v| v.str()).unwrap_or_default();
        match text(kind).as_ref() {
            "tool_use" | "server_tool_use" => {
                if let Some(input) = input {
                    work.input(&text(id), input, edits);
                }
            }
            "tool_result" => work.output(&text(call), shown, side, "text", edits),
            _ => {}
        }
    }
}
