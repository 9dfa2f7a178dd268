//! Which agent wrote it, by positive evidence in the head of the file (FORMATS 3). A file that only looks
//! like a session is named for what it is.

use crate::json::Json;
use std::str::FromStr;

/// A format family, as `--from` and `session.format` name it.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub enum Family {
    Pi,
    #[default]
    ClaudeCode,
    Codex,
    OpenCode,
    Gemini,
    Qwen,
    Copilot,
    Cursor,
    Kimi,
    Droid,
    Amp,
    Hermes,
    OpenHands,
    SweAgent,
    MiniSweAgent,
    OpenAi,
    Anthropic,
}

impl Family {
    /// Every family with its name, in the order `--from` lists them.
    pub const ALL: [(Family, &'static str); 17] = [
        (Family::Pi, "pi"),
        (Family::ClaudeCode, "claude-code"),
        (Family::Codex, "codex"),
        (Family::OpenCode, "opencode"),
        (Family::Gemini, "gemini"),
        (Family::Qwen, "qwen"),
        (Family::Copilot, "copilot"),
        (Family::Cursor, "cursor"),
        (Family::Kimi, "kimi"),
        (Family::Droid, "droid"),
        (Family::Amp, "amp"),
        (Family::Hermes, "hermes"),
        (Family::OpenHands, "openhands"),
        (Family::SweAgent, "swe-agent"),
        (Family::MiniSweAgent, "mini-swe-agent"),
        (Family::OpenAi, "openai"),
        (Family::Anthropic, "anthropic"),
    ];

    pub fn name(self) -> &'static str {
        Family::ALL
            .iter()
            .find(|(f, _)| *f == self)
            .map_or("", |(_, n)| n)
    }
}

impl FromStr for Family {
    type Err = String;
    fn from_str(name: &str) -> Result<Family, String> {
        Family::ALL
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(f, _)| *f)
            .ok_or_else(|| {
                let names: Vec<_> = Family::ALL.iter().map(|(_, n)| *n).collect();
                format!("unknown format {name:?}; known: auto, {}", names.join(", "))
            })
    }
}

/// The outcome of detection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Family(Family),
    /// Not a session file, though it looks like one: a sentence that says what it is.
    NoSession(&'static str),
    Nothing,
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

/// Decides from the head's records. `whole`: the first record is all there is in the file.
pub fn decide(head: &[Json<'_>], whole: bool) -> Found {
    use Family::*;
    use Found::Family as Is;
    let Some(r0) = head.first() else {
        return Found::Nothing;
    };
    if let Some(found) = whole.then(|| document(r0)).flatten() {
        return found;
    }
    let [kind, id, payload, timestamp, version] =
        r0.pick(["type", "id", "payload", "timestamp", "version"]);
    let kind = kind.and_then(|k| k.str()).unwrap_or_default();
    let second = head.get(1).and_then(|r| r.text("type")).unwrap_or_default();
    let has = |json: &Json<'_>, key: &str| json.get(key).is_some();

    if let Some(what) = look_alike(r0, &kind, &second) {
        return Found::NoSession(what);
    }
    if kind == "title" && r0.get("v").and_then(|v| v.u64()) == Some(1) {
        return Is(Pi);
    }
    if r0.text("kind").as_deref() == Some("header")
        && version.and_then(|v| v.u64()).is_some_and(|v| v >= 4)
    {
        return Is(Pi);
    }
    if kind == "session" && id.is_some_and(|i| i.str().is_some()) {
        return Is(Pi);
    }
    // A file whose header was lost: its messages still name their parents.
    let headless = |r: &Json<'_>| {
        let [kind, id, parent, message, stamp] =
            r.pick(["type", "id", "parentId", "message", "timestamp"]);
        kind.and_then(|k| k.str()).is_some_and(|k| k == "message")
            && (id.is_some() == parent.is_some())
            && (id.is_some() || stamp.is_some())
            && message.is_some_and(|m| m.get("role").is_some() && m.get("content").is_some())
    };
    if kind != "session_start" && head.iter().take(20).any(headless) {
        // droid's messages name their parents too; their blocks are Anthropic's.
        let message = |r: &Json<'_>| {
            let blocks = r.at(&["message", "content"]);
            blocks
                .iter()
                .flat_map(|c| c.items())
                .any(|b| matches!(b.text("type").as_deref(), Some("tool_use" | "tool_result")))
        };
        return Is(if head.iter().any(message) { Droid } else { Pi });
    }
    if kind == "session_start" && id.is_some() && payload.is_none() {
        return Is(Droid);
    }
    let rollout = |r: &Json<'_>| has(r, "timestamp") && has(r, "type") && has(r, "payload");
    if head.iter().any(rollout) {
        return Is(Codex);
    }
    if kind.is_empty() && id.is_some() && timestamp.is_some() && has(r0, "instructions") {
        return Is(Codex);
    }
    // A damaged first line must not hide the rest: these kinds are told by any record.
    if head.iter().any(copilot_event) {
        return Is(Copilot);
    }
    if head
        .iter()
        .any(|r| r.text("type").as_deref() == Some("metadata") && has(r, "protocol_version"))
    {
        return Is(Kimi);
    }
    if head.iter().any(kimi_event)
        || head
            .iter()
            .any(|r| r.text("role").is_some_and(|role| role.starts_with('_')))
    {
        return Is(Kimi);
    }
    let gemini = |r: &Json<'_>| {
        let [kind, session, hash, id, content] =
            r.pick(["type", "sessionId", "projectHash", "id", "content"]);
        match kind.and_then(|k| k.str()) {
            None => session.is_some() && hash.is_some(),
            Some(kind) => kind == "gemini" && id.is_some() && content.is_some(),
        }
    };
    if head.iter().any(gemini) {
        return Is(Gemini);
    }
    for r in head {
        let [uuid, parent, session, kind, message] =
            r.pick(["uuid", "parentUuid", "sessionId", "type", "message"]);
        if uuid.is_some_and(|u| u.str().is_some()) && parent.is_some() && session.is_some() {
            let kind = kind.and_then(|k| k.str()).unwrap_or_default();
            if kind == "tool_result" || message.is_some_and(|m| m.get("parts").is_some()) {
                return Is(Qwen);
            }
            if matches!(kind.as_ref(), "user" | "assistant") && message.is_some() {
                return Is(ClaudeCode);
            }
        }
    }
    if head.iter().any(claude_metadata) {
        return Is(ClaudeCode);
    }
    if head.iter().any(bare_item) {
        return Is(Codex);
    }
    for r in head {
        let [role, content, kind, message, source] =
            r.pick(["role", "content", "type", "message", "source"]);
        let event = r.text("kind").unwrap_or_default();
        if role.is_some() && kind.is_none() && message.is_some_and(|m| m.get("content").is_some()) {
            return Is(Cursor);
        }
        if source.is_some()
            && (event.ends_with("Event")
                || event.starts_with("Condensation")
                || event.ends_with("Observation"))
        {
            return Is(OpenHands);
        }
        if r.get("messages").is_some_and(|m| m.is_array()) {
            return Is(if source.is_some() && has(r, "started_at") {
                Hermes
            } else {
                OpenAi
            });
        }
        if role.is_some_and(|role| role.str().is_some())
            && (content.is_some() || has(r, "tool_calls"))
        {
            return Is(if head.iter().any(anthropic_blocks) {
                Anthropic
            } else {
                OpenAi
            });
        }
    }
    Found::Nothing
}

/// A file that is one JSON value.
fn document(doc: &Json<'_>) -> Option<Found> {
    use Family::*;
    if doc.is_array() {
        let first = doc.items().find(|i| i.is_object())?;
        if doc
            .items()
            .take(50)
            .any(|i| i.get("action").is_some() || i.get("observation").is_some())
        {
            return Some(Found::Family(OpenHands));
        }
        if first.get("parts").is_some() && first.get("role").is_some() {
            return Some(Found::Family(Gemini));
        }
        if first.get("messageId").is_some() && first.get("sessionId").is_some() {
            return Some(Found::NoSession(
                "this is Gemini's prompt log; the sessions are in the chats folder beside it",
            ));
        }
        if first.get("role").is_some() && first.get("content").is_some() {
            return Some(Found::Family(
                if doc.items().any(|i| anthropic_blocks(&i)) {
                    Anthropic
                } else {
                    OpenAi
                },
            ));
        }
        return None;
    }
    let [
        info,
        messages,
        format,
        trajectory,
        hash,
        history,
        id,
        session,
        items,
    ] = doc.pick([
        "info",
        "messages",
        "trajectory_format",
        "trajectory",
        "projectHash",
        "history",
        "id",
        "session",
        "items",
    ]);
    let first = messages.and_then(|m| m.items().next());
    if info.is_some() && first.is_some_and(|m| m.get("parts").is_some()) {
        return Some(Found::Family(OpenCode));
    }
    if format.is_some_and(|f| f.str().is_some_and(|f| f.starts_with("mini-swe-agent"))) {
        return Some(Found::Family(MiniSweAgent));
    }
    if trajectory.is_some() && info.is_some() {
        return Some(Found::Family(SweAgent));
    }
    if hash.is_some() && messages.is_some() {
        return Some(Found::Family(Gemini));
    }
    if history.is_some_and(|h| h.items().next().is_some_and(|i| i.get("parts").is_some())) {
        return Some(Found::Family(Gemini));
    }
    if id.is_some_and(|i| i.str().is_some_and(|i| i.starts_with("T-")))
        && first.is_some_and(|m| m.get("messageId").is_some())
    {
        return Some(Found::Family(Amp));
    }
    if session.is_some() && items.is_some_and(|i| i.is_array()) {
        return Some(Found::Family(Codex));
    }
    None
}

/// Output of a running command or an index, which only looks like a session (FORMATS 3.2).
fn look_alike(r0: &Json<'_>, kind: &str, second: &str) -> Option<&'static str> {
    let has = |key: &str| r0.get(key).is_some();
    match kind {
        "session" if matches!(second, "agent_start" | "turn_start" | "message_start") => Some(
            "this is the output of `pi --mode json`; the session file is below ~/.pi/agent/sessions",
        ),
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
        "" if r0.get("kind").and_then(|k| k.u64()) == Some(0) => Some(
            "this is a VS Code chat log, which is not supported; use the Copilot CLI's events.jsonl",
        ),
        _ => None,
    }
}

/// An event of Copilot CLI's stream.
fn copilot_event(r: &Json<'_>) -> bool {
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
fn kimi_event(r: &Json<'_>) -> bool {
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

/// An item of Codex's oldest files, whose first line tells what they are.
fn bare_item(r: &Json<'_>) -> bool {
    let [kind, call, content] = r.pick(["type", "call_id", "content"]);
    match kind.and_then(|k| k.str()).as_deref() {
        Some("function_call" | "function_call_output") => call.is_some(),
        Some("message") => content.is_some_and(|c| {
            c.items().any(|b| {
                matches!(
                    b.text("type").as_deref(),
                    Some("input_text" | "output_text")
                )
            })
        }),
        _ => false,
    }
}

/// Metadata records that only Claude Code writes (FORMATS 7.3).
fn claude_metadata(r: &Json<'_>) -> bool {
    let [kind, session, leaf, message] = r.pick(["type", "sessionId", "leafUuid", "messageId"]);
    let kind = kind.and_then(|k| k.str()).unwrap_or_default();
    match kind.as_ref() {
        "summary" => leaf.is_some(),
        "file-history-snapshot" => message.is_some(),
        "queue-operation" | "last-prompt" | "custom-title" | "ai-title" | "permission-mode"
        | "mode" | "agent-name" | "pr-link" | "tag" => session.is_some(),
        "user" | "assistant" | "system" | "attachment" | "progress" => {
            r.get("uuid").is_some() && session.is_some()
        }
        _ => false,
    }
}

fn anthropic_blocks(r: &Json<'_>) -> bool {
    r.get("content").is_some_and(|c| {
        c.items().any(|b| {
            matches!(
                b.text("type").as_deref(),
                Some("tool_use" | "tool_result" | "thinking" | "redacted_thinking")
            ) || (b.text("type").as_deref() == Some("image") && b.get("source").is_some())
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(lines: &[&str]) -> Found {
        let head: Vec<Json<'_>> = lines.iter().map(|l| Json::parse(l).unwrap()).collect();
        decide(&head, head.len() == 1)
    }

    #[test]
    fn agents_are_told_by_what_only_they_write() {
        use Family::*;
        let cases: &[(&[&str], Family)] = &[
            (
                &[
                    r#"{"type":"session","id":"s","cwd":"/"}"#,
                    r#"{"type":"message","id":"a"}"#,
                ],
                Pi,
            ),
            (
                &[
                    r#"{"v":1,"type":"title"}"#,
                    r#"{"type":"session","id":"s"}"#,
                ],
                Pi,
            ),
            (
                &[
                    r#"{"type":"session","id":7}"#,
                    r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"a"}}"#,
                ],
                Pi,
            ),
            (&[r#"{"kind":"header","version":4}"#, "{}"], Pi),
            (
                &[
                    r#"{"type":"mode","sessionId":"s"}"#,
                    r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"content":"a"}}"#,
                ],
                ClaudeCode,
            ),
            (
                &[
                    r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"parts":[]}}"#,
                    "{}",
                ],
                Qwen,
            ),
            (
                &[
                    r#"{"timestamp":"t","type":"session_meta","payload":{}}"#,
                    "{}",
                ],
                Codex,
            ),
            (
                &[r#"{"id":"i","timestamp":"t","instructions":null}"#, "{}"],
                Codex,
            ),
            // What is left of a file whose first line is damaged.
            (
                &[
                    r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"a"}]}"#,
                    r#"{"record_type":"state"}"#,
                ],
                Codex,
            ),
            (
                &[
                    r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"a"}}"#,
                    r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"toolCall","id":"c"}]}}"#,
                ],
                Pi,
            ),
            (
                &[
                    r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"a"}}"#,
                    r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"tool_use","id":"c"}]}}"#,
                ],
                Droid,
            ),
            (
                &[
                    r#"{"timestamp":1.5,"message":{"type":"TurnBegin","payload":{"user_input":"a"}}}"#,
                    "{}",
                ],
                Kimi,
            ),
            (
                &[
                    r#"{"type":"context.append_message","time":1,"message":{"role":"user"}}"#,
                    "{}",
                ],
                Kimi,
            ),
            (
                &[r#"{"info":{},"messages":[{"info":{},"parts":[]}]}"#],
                OpenCode,
            ),
            (
                &[r#"{"sessionId":"s","projectHash":"h","messages":[]}"#],
                Gemini,
            ),
            (&[r#"{"history":[{"role":"user","parts":[]}]}"#], Gemini),
            (&[r#"[{"role":"user","parts":[]}]"#], Gemini),
            (
                &[
                    r#"{"id":"g","type":"gemini","content":"a"}"#,
                    r#"{"$rewindTo":"g"}"#,
                ],
                Gemini,
            ),
            (
                &[r#"{"type":"session.start","data":{},"id":"e"}"#, "{}"],
                Copilot,
            ),
            (
                &[r#"{"type":"user.message","data":{},"id":"e"}"#, "{}"],
                Copilot,
            ),
            (
                &[r#"{"role":"user","message":{"content":[]}}"#, "{}"],
                Cursor,
            ),
            (
                &[r#"{"type":"metadata","protocol_version":"1.10"}"#, "{}"],
                Kimi,
            ),
            (
                &[
                    r#"{"role": "_usage", "token_count": 18}"#,
                    r#"{"role":"user","content":"a"}"#,
                ],
                Kimi,
            ),
            (&[r#"{"type":"session_start","id":"s"}"#, "{}"], Droid),
            (
                &[r#"{"id":"T-1","messages":[{"messageId":0,"role":"user"}]}"#],
                Amp,
            ),
            (
                &[r#"{"source":"cli","started_at":1.5,"messages":[]}"#],
                Hermes,
            ),
            (&[r#"[{"id":0,"action":"system"}]"#], OpenHands),
            (
                &[r#"{"kind":"MessageEvent","source":"user"}"#, "{}"],
                OpenHands,
            ),
            (&[r#"{"trajectory":[],"history":[],"info":{}}"#], SweAgent),
            (
                &[r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[]}"#],
                MiniSweAgent,
            ),
            (
                &[
                    r#"{"role":"user","content":"a"}"#,
                    r#"{"role":"assistant","content":"b"}"#,
                ],
                OpenAi,
            ),
            (
                &[
                    r#"{"role":"assistant","content":[{"type":"tool_use"}]}"#,
                    "{}",
                ],
                Anthropic,
            ),
        ];
        for (lines, family) in cases {
            assert_eq!(found(lines), Found::Family(*family), "{lines:?}");
        }
        assert_eq!(found(&[r#"{"a":1}"#, r#"{"b":2}"#]), Found::Nothing);
    }

    #[test]
    fn look_alikes_are_named_for_what_they_are() {
        let cases: &[(&[&str], &str)] = &[
            (
                &[
                    r#"{"type":"session","id":"s"}"#,
                    r#"{"type":"agent_start"}"#,
                ],
                "pi --mode json",
            ),
            (
                &[
                    r#"{"type":"system","subtype":"hook_started","session_id":"s"}"#,
                    "{}",
                ],
                "stream-json",
            ),
            (&[r#"{"type":"started","name":"flow"}"#, "{}"], "journal"),
            (
                &[r#"{"display":"a","project":"/p"}"#, "{}"],
                "prompt history",
            ),
            (
                &[r#"{"type":"thread.started","thread_id":"t"}"#, "{}"],
                "codex exec",
            ),
            (
                &[r#"{"session_id":"s","ts":1,"text":"a"}"#, "{}"],
                "prompt history",
            ),
            (
                &[r#"{"id":"i","thread_name":"n","updated_at":"t"}"#, "{}"],
                "index",
            ),
            (
                &[
                    r#"{"type":"text","timestamp":1,"sessionID":"s","part":{}}"#,
                    "{}",
                ],
                "opencode run",
            ),
            (
                &[r#"[{"sessionId":"s","messageId":0,"type":"user","message":"a"}]"#],
                "prompt log",
            ),
            (
                &[r#"{"type":"init","session_id":"s"}"#, "{}"],
                "streamed output",
            ),
            (&[r#"{"kind":0,"v":{}}"#, r#"{"kind":1}"#], "VS Code"),
        ];
        for (lines, part) in cases {
            match found(lines) {
                Found::NoSession(what) => assert!(what.contains(part), "{what}"),
                other => panic!("{lines:?}: {other:?}"),
            }
        }
    }
}
