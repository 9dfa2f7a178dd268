//! One command for an agent's hooks (CONTRACT 9 and 11): event JSON in, the host's answer out.
//!
//! Every event is a process of its own. What one must tell the next stands in a small file below `--dir`,
//! named by a hash of the session; all other knowledge comes from the transcript. Whatever goes wrong, the
//! host gets an answer that lets it go on.

pub mod config;
mod deliver;
mod event;
mod guard;
mod memory;
mod warn;

use crate::usage::{Share, Windows, tail};
use anyhow::Result;
pub use deliver::checkpoints;
pub use event::Event;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What the flags say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Where counts and checkpoints live; nothing is stored without it.
    pub dir: Option<PathBuf>,
    pub windows: Windows,
    pub threshold: Share,
    pub critical: Share,
    pub max_blocks: u64,
    /// A block is exit status 2 with the reason on stderr.
    pub exit_code: bool,
}

/// What the process does at its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub out: Option<Value>,
    /// One line for stderr.
    pub note: Option<String>,
    pub status: u8,
}

/// Go on, and do not mention it.
fn allow() -> Answer {
    Answer {
        out: Some(json!({"continue": true, "suppressOutput": true})),
        note: None,
        status: 0,
    }
}

/// The answer when something went wrong: allow, and say so on stderr.
pub fn failed(why: impl std::fmt::Display) -> Answer {
    Answer {
        note: Some(why.to_string()),
        ..allow()
    }
}

/// Text for the model, in the way of the event.
fn context(event: &str, text: &str) -> Answer {
    Answer {
        out: Some(json!({
            "hookSpecificOutput": {"hookEventName": event, "additionalContext": text}
        })),
        ..allow()
    }
}

/// Answers one event.
pub fn answer(input: &str, options: &Options) -> Answer {
    let event = match Event::parse(input) {
        Ok(event) => event,
        Err(why) => return failed(why),
    };
    let answered = match event.name.as_str() {
        "Stop" => guard::stop(&event, options),
        "PostToolUse" => warn::after_tool(&event, options),
        "PreCompact" => deliver::save(&event, options),
        "SessionStart" if event.source == "compact" => deliver::give(&event, options),
        "UserPromptSubmit" => deliver::give(&event, options),
        _ => Ok(allow()),
    };
    answered.unwrap_or_else(|error| failed(format!("{error:#}")))
}

/// How full the context is, for a hook.
struct Fill {
    tokens: u64,
    window: u64,
}

/// The newest reading with its window; `None` while either is unknown. The longest prompt of the session is looked
/// up in the memory, and kept there.
fn fill(
    tail: &tail::Tail,
    event: &Event,
    options: &Options,
    memory: &mut memory::Memory,
) -> Option<Fill> {
    let tokens = tail.tokens?;
    let own = tail.window.or(event.window);
    let of = |most: u64| options.windows.of_model(&tail.model, own, most.max(tokens));
    let found = of(memory.most);
    let mut window = found.tokens?;
    // Before anything is said by the table of models: a longer prompt anywhere would disprove it.
    if found.from == Some("model-table")
        && tokens >= options.threshold.reached_at(window)
        && let Some(path) = &event.transcript
        && let Ok(longer) = tail::above(path, window, memory.searched)
    {
        memory.searched = tail.length;
        if let Some(longer) = longer {
            memory.most = longer;
            window = of(longer).tokens?;
        }
    }
    Some(Fill { tokens, window })
}

/// The session's transcript, found from its end.
fn look(event: &Event, since: Option<u64>) -> Result<tail::Tail> {
    let path = event
        .transcript
        .as_ref()
        .ok_or_else(|| anyhow::anyhow!("the event names no transcript_path; nothing to do"))?;
    tail::look(path, since).map_err(|e| {
        anyhow::anyhow!(
            "{}: {}",
            path.display(),
            crate::transcript::read::reason(&e)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn stop(readings: &[u64]) -> bool {
        let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
        for tokens in readings {
            let line = json!({"type": "assistant", "message": {"model": "claude-x",
                "usage": {"input_tokens": tokens}}});
            writeln!(file, "{line}").expect("a line");
        }
        let event =
            json!({"hook_event_name": "Stop", "session_id": "s1", "transcript_path": file.path()});
        let options = Options {
            dir: None,
            windows: Windows::default(),
            threshold: Share::percent(75),
            critical: Share::percent(95),
            max_blocks: 2,
            exit_code: false,
        };
        let out = answer(&event.to_string(), &options).out;
        out.is_some_and(|o| o.get("decision").is_some())
    }

    #[test]
    fn a_longer_prompt_before_a_compaction_proves_the_larger_window() {
        assert!(stop(&[160_000]));
        assert!(!stop(&[250_000, 160_000]));
        assert!(stop(&[250_000, 760_000]));
    }
}
