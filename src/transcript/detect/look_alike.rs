//! Files that only look like a session: output of a running command, indexes, prompt histories (FORMATS 3.2).

use crate::json::Json;

/// What the file is, told by its first two records, if it only looks like a session: a sentence for the person.
pub fn look_alike(first: &Json<'_>, second: Option<&Json<'_>>) -> Option<&'static str> {
    let has = |key: &str| first.get(key).is_some();
    let second = second.and_then(|r| r.text("type")).unwrap_or_default();
    match first.text("type").unwrap_or_default().as_ref() {
        "session"
            if matches!(
                second.as_ref(),
                "agent_start" | "turn_start" | "message_start"
            ) =>
        {
            Some(
                "this is the output of `pi --mode json`; the session file is below ~/.pi/agent/sessions",
            )
        }
        "system" | "user" | "assistant" | "result" | "stream_event"
            if has("session_id") && !has("sessionId") && !has("parentUuid") =>
        {
            Some(
                "this is the output of `claude -p --output-format stream-json`; the session file is below ~/.claude/projects",
            )
        }
        "thread.started" => Some(
            "this is the output of `codex exec --json`; the session file is below ~/.codex/sessions",
        ),
        "init" if has("session_id") || has("sessionId") => Some(
            "this is the streamed output of a running command; the session file is in the agent's chats folder",
        ),
        "started" if !has("uuid") => {
            Some("this is a workflow journal, not a session; the session files are beside it")
        }
        _ if has("sessionID") && has("part") && has("timestamp") => Some(
            "this is the output of `opencode run --format json`; export the session with `opencode export`",
        ),
        "" if has("display") && has("project") => {
            Some("this is a prompt history; the session files are below ~/.claude/projects")
        }
        "" if has("session_id") && has("ts") && has("text") => {
            Some("this is a prompt history; the session files are below ~/.codex/sessions")
        }
        "" if has("thread_name") && has("updated_at") => {
            Some("this is an index of sessions; the session files are below ~/.codex/sessions")
        }
        "" if first.get("kind").and_then(|k| k.u64()) == Some(0) => Some(
            "this is a VS Code chat log, which is not supported; use the Copilot CLI's events.jsonl",
        ),
        _ => None,
    }
}

/// Bytes that are no text at all, with a sentence for the person.
pub fn unreadable(start: &[u8]) -> Option<&'static str> {
    let utf16 = start.starts_with(b"\xFF\xFE")
        || start.starts_with(b"\xFE\xFF")
        || matches!(start, [a, 0, b, 0, ..] | [0, a, 0, b, ..] if *a != 0 && *b != 0);
    if utf16 {
        return Some("this is UTF-16; convert it to UTF-8 first (iconv -f UTF-16 -t UTF-8)");
    }
    if start.starts_with(b"SQLite format 3\0") {
        return Some("this is an SQLite store; name the file instead of piping it");
    }
    None
}
