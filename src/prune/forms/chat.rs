//! Chat messages in OpenAI's and Anthropic's shape: one a line, a list of them, or under `messages`.

use super::{Work, claude};
use crate::json::{Json, Kind};
use crate::prune::edit::Edits;

pub fn record<'t>(record: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    if record.kind() == Kind::Array {
        record.items().for_each(|m| message(m, 0, work, edits));
    } else if let Some(messages) = record.get("messages").filter(|m| m.is_array()) {
        messages.items().for_each(|m| message(m, 0, work, edits));
    } else {
        message(record, line, work, edits);
    }
}

fn message<'t>(message: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    let [content, calls, answered] = message.pick(["content", "tool_calls", "tool_call_id"]);
    let text = |v: Option<Json<'t>>| v.and_then(|v| v.str()).unwrap_or_default();
    for call in calls.iter().flat_map(|c| c.items()) {
        let [id, function, custom] = call.pick(["id", "function", "custom"]);
        let body = function.or(custom).unwrap_or(Json::NULL);
        let [arguments, input] = body.pick(["arguments", "input"]);
        if let Some(arguments) = arguments.or(input) {
            work.input(&text(id), arguments, edits);
        }
    }
    if answered.is_some() {
        work.output(&text(answered), content, None, "text", edits);
    } else if let Some(content) = content.filter(|c| c.kind() == Kind::Array) {
        claude::blocks(content, None, line, work, edits);
    }
}
