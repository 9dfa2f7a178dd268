//! Files that are one JSON value: told by the value's own fields and by its first message.

use super::{Found, signs::anthropic_blocks};
use crate::json::Json;
use crate::transcript::Family;

/// How many elements of a list are looked at for an event.
const LOOKED_AT: usize = 50;

/// Decides for a file that is one value; `None` where its records have to tell.
pub fn decide(doc: &Json<'_>) -> Option<Found> {
    match doc.is_array() {
        true => list(doc),
        false => object(doc).map(Found::Family),
    }
}

fn list(doc: &Json<'_>) -> Option<Found> {
    let first = doc.items().find(|i| i.is_object())?;
    let has = |key: &str| first.get(key).is_some();
    let event = |i: Json<'_>| i.get("action").is_some() || i.get("observation").is_some();
    let family = if doc.items().take(LOOKED_AT).any(event) {
        Family::OpenHands
    } else if has("parts") && has("role") {
        Family::Gemini
    } else if has("messageId") && has("sessionId") {
        return Some(Found::NoSession(
            "this is Gemini's prompt log; the sessions are in the chats folder beside it",
        ));
    } else if has("role") && has("content") {
        match doc.items().any(|i| anthropic_blocks(&i)) {
            true => Family::Anthropic,
            false => Family::OpenAi,
        }
    } else {
        return None;
    };
    Some(Found::Family(family))
}

fn object(doc: &Json<'_>) -> Option<Family> {
    let [info, messages, format, trajectory] =
        doc.pick(["info", "messages", "trajectory_format", "trajectory"]);
    let [hash, history, id, session, items] =
        doc.pick(["projectHash", "history", "id", "session", "items"]);
    let first = messages.and_then(|m| m.items().next());
    let first_has = |key: &str| first.is_some_and(|m| m.get(key).is_some());
    let starts = |value: Option<Json<'_>>, with: &str| {
        value.is_some_and(|v| v.str().is_some_and(|text| text.starts_with(with)))
    };
    let turns = |h: Json<'_>| h.items().next().is_some_and(|i| i.get("parts").is_some());
    Some(if info.is_some() && first_has("parts") {
        Family::OpenCode
    } else if starts(format, "mini-swe-agent") {
        Family::MiniSweAgent
    } else if trajectory.is_some() && info.is_some() {
        Family::SweAgent
    } else if hash.is_some() && messages.is_some() || history.is_some_and(turns) {
        Family::Gemini
    } else if starts(id, "T-") && first_has("messageId") {
        Family::Amp
    } else if session.is_some() && items.is_some_and(|i| i.is_array()) {
        Family::Codex
    } else {
        return None;
    })
}
