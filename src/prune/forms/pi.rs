//! Pi: `toolCall` blocks of assistant messages, `toolResult` messages with `details`.

use super::Work;
use crate::json::Json;
use crate::prune::edit::Edits;

pub fn record<'t>(record: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    let Some(message) = record.get("message").filter(|m| m.is_object()) else {
        return;
    };
    let [role, content, call, details] = message.pick(["role", "content", "toolCallId", "details"]);
    let text = |v: Option<Json<'t>>| v.and_then(|v| v.str()).unwrap_or_default();
    match text(role).as_ref() {
        "assistant" => {
            for block in content.iter().flat_map(|c| c.items()) {
                let [kind, id, arguments] = block.pick(["type", "id", "arguments"]);
                if text(kind) == "toolCall"
                    && let Some(arguments) = arguments
                {
                    work.input(&text(id), arguments, edits);
                }
            }
        }
        "toolResult" => work.output(&text(call), content, details, "text", edits),
        "user" => {
            if let Some(content) = content {
                work.prompt(line, content, "text", edits);
            }
        }
        _ => {}
    }
}
