//! Which agent wrote it, by positive evidence in the head of the file (FORMATS 3). A file that only looks
//! like a session is named for what it is.
//!
//! What is looked for goes from the narrow to the wide: a header, then records that only one agent writes, then
//! the shapes that several share.

mod document;
mod look_alike;
mod signs;

pub use look_alike::unreadable;

use super::Family;
use crate::json::Json;

/// The outcome of detection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Family(Family),
    /// Not a session file, though it looks like one: a sentence that says what it is.
    NoSession(&'static str),
    Nothing,
}

/// Decides from the head's records. `whole`: the first record is all there is in the file.
pub fn decide(head: &[Json<'_>], whole: bool) -> Found {
    let Some(first) = head.first() else {
        return Found::Nothing;
    };
    if let Some(found) = whole.then(|| document::decide(first)).flatten() {
        return found;
    }
    if let Some(what) = look_alike::look_alike(first, head.get(1)) {
        return Found::NoSession(what);
    }
    let family = header(first)
        .or_else(|| headless(head))
        .or_else(|| signs::codex_header(first).then_some(Family::Codex))
        .or_else(|| written_by_one(head, &FIRST_SIGNS))
        .or_else(|| head.iter().find_map(signs::row_of_a_graph))
        .or_else(|| written_by_one(head, &LATER_SIGNS))
        .or_else(|| head.iter().find_map(|r| shared_shape(r, head)));
    family.map_or(Found::Nothing, Found::Family)
}

/// Tells a record that only one agent writes.
type Sign = fn(&Json<'_>) -> bool;

/// Any record tells these: a damaged first line must not hide the rest.
const FIRST_SIGNS: [(Family, Sign); 6] = [
    (Family::Codex, signs::rollout),
    (Family::Copilot, signs::copilot_event),
    (Family::Kimi, signs::kimi_metadata),
    (Family::Kimi, signs::kimi_event),
    (Family::Kimi, signs::kimi_context),
    (Family::Gemini, signs::gemini_record),
];

/// Told only by records that no row of a graph speaks against.
const LATER_SIGNS: [(Family, Sign); 2] = [
    (Family::ClaudeCode, signs::claude_metadata),
    (Family::Codex, signs::bare_item),
];

fn written_by_one(head: &[Json<'_>], known: &[(Family, Sign)]) -> Option<Family> {
    let found = known.iter().find(|(_, sign)| head.iter().any(sign))?;
    Some(found.0)
}

/// The first record as the header of a session.
fn header(first: &Json<'_>) -> Option<Family> {
    let [kind, id, payload, version, layout, title] =
        first.pick(["type", "id", "payload", "version", "kind", "v"]);
    let number = |value: Option<Json<'_>>| value.and_then(|v| v.u64());
    let layout = layout.and_then(|k| k.str()).unwrap_or_default();
    match kind.and_then(|k| k.str()).unwrap_or_default().as_ref() {
        "title" if number(title) == Some(1) => Some(Family::Pi),
        _ if layout == "header" && number(version).is_some_and(|v| v >= 4) => Some(Family::Pi),
        "session" if id.is_some_and(|i| i.is_string()) => Some(Family::Pi),
        "session_start" if id.is_some() && payload.is_none() => Some(Family::Droid),
        _ => None,
    }
}

/// A file whose header was lost: its messages still name their parents.
fn headless(head: &[Json<'_>]) -> Option<Family> {
    let starts = head.first().and_then(|r| r.text("type"));
    if starts.as_deref() == Some("session_start")
        || !head.iter().take(20).any(signs::linked_message)
    {
        return None;
    }
    // droid's messages name their parents too; their blocks are Anthropic's.
    Some(match head.iter().any(signs::linked_tool_block) {
        true => Family::Droid,
        false => Family::Pi,
    })
}

/// Shapes of a record that several agents write.
fn shared_shape(r: &Json<'_>, head: &[Json<'_>]) -> Option<Family> {
    let [role, content, kind, message, source] =
        r.pick(["role", "content", "type", "message", "source"]);
    if role.is_some() && kind.is_none() && message.is_some_and(|m| m.get("content").is_some()) {
        return Some(Family::Cursor);
    }
    if source.is_some() && signs::openhands_event(r) {
        return Some(Family::OpenHands);
    }
    if r.get("messages").is_some_and(|m| m.is_array()) {
        return Some(match source.is_some() && r.get("started_at").is_some() {
            true => Family::Hermes,
            false => Family::OpenAi,
        });
    }
    if role.is_some_and(|role| role.is_string())
        && (content.is_some() || r.get("tool_calls").is_some())
    {
        return Some(match head.iter().any(signs::anthropic_blocks) {
            true => Family::Anthropic,
            false => Family::OpenAi,
        });
    }
    None
}

#[cfg(test)]
mod tests;
