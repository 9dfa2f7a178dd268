//! The event a host sends (FORMATS 7.10): keys in snake or camel case, all of them optional but the name.

use serde_json::Value;
use std::path::PathBuf;

/// An event, as far as anything here needs it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    /// Only an id that is safe to count by: `[A-Za-z0-9][A-Za-z0-9_-]*`, at most 256 characters.
    pub session: Option<String>,
    pub transcript: Option<PathBuf>,
    pub cwd: Option<String>,
    /// SessionStart: `startup`, `resume`, `clear`, `compact`.
    pub source: String,
    /// PreCompact: `manual` or `auto`.
    pub trigger: String,
    pub instructions: String,
    /// Stop: why the turn ended.
    pub stop_reasons: Vec<String>,
    pub user_requested: bool,
    pub stop_hook_active: bool,
    /// The window, if the host tells.
    pub window: Option<u64>,
}

impl Event {
    /// Reads an event.
    ///
    /// # Errors
    /// One sentence: no JSON object.
    pub fn parse(text: &str) -> Result<Event, String> {
        let text = text.trim_start_matches('\u{feff}').trim();
        if text.is_empty() {
            return Err("no event on standard input; a hook is run by the agent".to_owned());
        }
        let value: Value =
            serde_json::from_str(text).map_err(|e| format!("the event is no JSON: {e}"))?;
        if !value.is_object() {
            return Err("the event is no JSON object".to_owned());
        }
        let get = |keys: &[&str]| {
            let mut found = keys.iter().filter_map(|k| value.get(*k));
            found.find(|v| !v.is_null())
        };
        let text = |keys: &[&str]| {
            let found = get(keys).and_then(Value::as_str);
            found.unwrap_or_default().to_owned()
        };
        let flag = |keys: &[&str]| get(keys).and_then(Value::as_bool).unwrap_or(false);
        let context = get(&["context_window", "contextWindow"]);
        let window = context.and_then(|c| {
            ["context_window_size", "contextWindowSize"]
                .into_iter()
                .find_map(|k| c.get(k)?.as_u64())
        });
        Ok(Event {
            name: text(&["hook_event_name", "hookEventName"]),
            session: Some(text(&["session_id", "sessionId"])).filter(|id| countable(id)),
            transcript: Some(text(&["transcript_path", "transcriptPath"]))
                .filter(|p| !p.trim().is_empty())
                .map(|p| expand(&p)),
            cwd: Some(text(&["cwd"])).filter(|c| !c.is_empty()),
            source: text(&["source"]),
            trigger: text(&["trigger"]),
            instructions: text(&["custom_instructions", "customInstructions"]),
            stop_reasons: [
                "stop_reason",
                "stopReason",
                "end_turn_reason",
                "endTurnReason",
                "reason",
            ]
            .into_iter()
            .filter_map(|key| Some(value.get(key)?.as_str()?.to_owned()))
            .collect(),
            user_requested: flag(&["user_requested", "userRequested"]),
            stop_hook_active: flag(&["stop_hook_active", "stopHookActive"]),
            window: window.filter(|w| *w > 0),
        })
    }
}

fn countable(id: &str) -> bool {
    let ok = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    id.len() <= 256
        && id.bytes().all(ok)
        && id.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
}

/// `~` is the home; a relative path is relative to this process.
fn expand(path: &str) -> PathBuf {
    let rest = match path {
        "~" => Some(""),
        _ => path.strip_prefix("~/"),
    };
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_spellings_are_read() {
        for text in [
            r#"{"session_id":"a-1","transcript_path":"t","hook_event_name":"Stop","stop_hook_active":true,"end_turn_reason":"x","context_window":{"context_window_size":5}}"#,
            r#"{"session_id":null,"sessionId":"a-1","transcriptPath":"t","hookEventName":"Stop","stopHookActive":true,"endTurnReason":"x","contextWindow":{"contextWindowSize":5}}"#,
        ] {
            let want = Event {
                name: "Stop".into(),
                session: Some("a-1".into()),
                transcript: Some("t".into()),
                stop_reasons: vec!["x".into()],
                stop_hook_active: true,
                window: Some(5),
                ..Event::default()
            };
            assert_eq!(Event::parse(text), Ok(want), "{text}");
        }
    }

    #[test]
    fn ids_that_are_no_names_are_none() {
        for id in ["", "../x", "-a", "a b", "a/b", "가"] {
            assert!(!countable(id), "{id}");
        }
        assert!(countable("0a_B-9"));
    }

    #[test]
    fn what_is_no_object_is_refused() {
        for text in ["", " ", "[]", "{", "null"] {
            assert!(Event::parse(text).is_err(), "{text}");
        }
    }
}
