//! How one record shows which agent wrote it (FORMATS 3.1). Each is a yes or no about a record, whatever stands
//! around it.

use crate::json::Json;
use crate::transcript::Family;

fn has(r: &Json<'_>, key: &str) -> bool {
    r.get(key).is_some()
}

/// Whether a block's `type` is one of these.
fn is_typed(block: &Json<'_>, types: &[&str]) -> bool {
    block
        .text("type")
        .is_some_and(|t| types.contains(&t.as_ref()))
}

/// A message of Pi or droid, which names its parent (oldest Pi: has a time instead).
pub fn linked_message(r: &Json<'_>) -> bool {
    let [kind, id, parent, message, stamp] =
        r.pick(["type", "id", "parentId", "message", "timestamp"]);
    kind.and_then(|k| k.str()).is_some_and(|k| k == "message")
        && (id.is_some() == parent.is_some())
        && (id.is_some() || stamp.is_some())
        && message.is_some_and(|m| has(&m, "role") && has(&m, "content"))
}

/// Such a message with a tool block of Anthropic's kind.
pub fn linked_tool_block(r: &Json<'_>) -> bool {
    let blocks = r.at(&["message", "content"]);
    blocks
        .iter()
        .flat_map(|c| c.items())
        .any(|b| is_typed(&b, &["tool_use", "tool_result"]))
}

/// The first line of Codex's oldest files.
pub fn codex_header(r: &Json<'_>) -> bool {
    let [kind, id, stamp, instructions] = r.pick(["type", "id", "timestamp", "instructions"]);
    let typed = kind.and_then(|k| k.str()).is_some_and(|k| !k.is_empty());
    !typed && id.is_some() && stamp.is_some() && instructions.is_some()
}

/// A line of Codex's rollout files.
pub fn rollout(r: &Json<'_>) -> bool {
    let [stamp, kind, payload] = r.pick(["timestamp", "type", "payload"]);
    stamp.is_some() && kind.is_some() && payload.is_some()
}

/// An event of Copilot CLI's stream.
pub fn copilot_event(r: &Json<'_>) -> bool {
    let [kind, data, id] = r.pick(["type", "data", "id"]);
    data.is_some_and(|d| d.is_object())
        && id.is_some()
        && matches!(
            kind.and_then(|k| k.str()).as_deref(),
            Some(
                "session.start"
                    | "session.resume"
                    | "user.message"
                    | "assistant.message"
                    | "tool.execution_start"
            )
        )
}

/// An event of Kimi's wires, whose first line tells what they are.
pub fn kimi_event(r: &Json<'_>) -> bool {
    let [kind, stamp, time, message] = r.pick(["type", "timestamp", "time", "message"]);
    match kind.and_then(|k| k.str()) {
        None => {
            stamp.is_some()
                && message.is_some_and(|m| {
                    let [kind, payload] = m.pick(["type", "payload"]);
                    kind.is_some() && payload.is_some()
                })
        }
        Some(kind) => {
            time.is_some()
                && matches!(
                    kind.as_ref(),
                    "context.append_message" | "context.append_loop_event"
                )
        }
    }
}

/// The first line of Kimi's wire file.
pub fn kimi_metadata(r: &Json<'_>) -> bool {
    is_typed(r, &["metadata"]) && has(r, "protocol_version")
}

/// A bookkeeping line of Kimi's context file: `_usage`, `_checkpoint`.
pub fn kimi_context(r: &Json<'_>) -> bool {
    r.text("role").is_some_and(|role| role.starts_with('_'))
}

/// A line of Gemini CLI's chats: their head, or an answer.
pub fn gemini_record(r: &Json<'_>) -> bool {
    let [kind, session, hash, id, content] =
        r.pick(["type", "sessionId", "projectHash", "id", "content"]);
    match kind.and_then(|k| k.str()) {
        None => session.is_some() && hash.is_some(),
        Some(kind) => kind == "gemini" && id.is_some() && content.is_some(),
    }
}

/// A row that names itself, its parent and its session: Qwen Code took the shape over from Claude Code and writes
/// Google's parts into it.
pub fn row_of_a_graph(r: &Json<'_>) -> Option<Family> {
    let [uuid, parent, session, kind, message] =
        r.pick(["uuid", "parentUuid", "sessionId", "type", "message"]);
    if !(uuid.is_some_and(|u| u.is_string()) && parent.is_some() && session.is_some()) {
        return None;
    }
    let kind = kind.and_then(|k| k.str()).unwrap_or_default();
    if kind == "tool_result" || message.is_some_and(|m| has(&m, "parts")) {
        return Some(Family::Qwen);
    }
    (matches!(kind.as_ref(), "user" | "assistant") && message.is_some())
        .then_some(Family::ClaudeCode)
}

/// An event of OpenHands by the end of its name.
pub fn openhands_event(r: &Json<'_>) -> bool {
    let event = r.text("kind").unwrap_or_default();
    event.ends_with("Event") || event.starts_with("Condensation") || event.ends_with("Observation")
}

/// An item of Codex's oldest files, whose first line tells what they are.
pub fn bare_item(r: &Json<'_>) -> bool {
    let [kind, call, content] = r.pick(["type", "call_id", "content"]);
    match kind.and_then(|k| k.str()).as_deref() {
        Some("function_call" | "function_call_output") => call.is_some(),
        Some("message") => content.is_some_and(|c| {
            c.items()
                .any(|b| is_typed(&b, &["input_text", "output_text"]))
        }),
        _ => false,
    }
}

/// Metadata records that only Claude Code writes (FORMATS 7.3).
pub fn claude_metadata(r: &Json<'_>) -> bool {
    let [kind, session, leaf, message] = r.pick(["type", "sessionId", "leafUuid", "messageId"]);
    let kind = kind.and_then(|k| k.str()).unwrap_or_default();
    match kind.as_ref() {
        "summary" => leaf.is_some(),
        "file-history-snapshot" => message.is_some(),
        "queue-operation" | "last-prompt" | "custom-title" | "ai-title" | "permission-mode"
        | "mode" | "agent-name" | "pr-link" | "tag" => session.is_some(),
        "user" | "assistant" | "system" | "attachment" | "progress" => {
            has(r, "uuid") && session.is_some()
        }
        _ => false,
    }
}

/// A message with a block that Anthropic's interface has and OpenAI's has not.
pub fn anthropic_blocks(r: &Json<'_>) -> bool {
    r.get("content").is_some_and(|c| {
        c.items().any(|b| {
            is_typed(
                &b,
                &["tool_use", "tool_result", "thinking", "redacted_thinking"],
            ) || (is_typed(&b, &["image"]) && has(&b, "source"))
        })
    })
}
