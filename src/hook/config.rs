//! The settings a person pastes to have the hooks run. Printed, never written.

use serde_json::{Value, json};

/// The agents whose settings are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Host {
    #[default]
    ClaudeCode,
    Codex,
}

impl Host {
    /// Where the settings belong, and what else has to be done.
    pub fn place(self) -> &'static str {
        match self {
            Host::ClaudeCode => "merge this into ~/.claude/settings.json or .claude/settings.json",
            Host::Codex => {
                "merge this into ~/.codex/hooks.json or .codex/hooks.json, and trust the hooks when codex asks"
            }
        }
    }
}

/// The settings: every event that the hook answers, with the same command.
pub fn settings(host: Host, command: &str) -> Value {
    let run = |matcher: Option<&str>, timeout: u64| {
        let mut group = serde_json::Map::new();
        if let Some(matcher) = matcher {
            group.insert("matcher".to_owned(), json!(matcher));
        }
        let hook = json!({"type": "command", "command": command, "timeout": timeout});
        group.insert("hooks".to_owned(), json!([hook]));
        json!([group])
    };
    // Both hosts take one shape; Codex matches every tool when no matcher is given.
    let tools = match host {
        Host::ClaudeCode => Some("*"),
        Host::Codex => None,
    };
    json!({"hooks": {
        "PreCompact": run(None, 60),
        "SessionStart": run(Some("compact"), 30),
        "UserPromptSubmit": run(None, 30),
        "PostToolUse": run(tools, 5),
        "Stop": run(None, 5),
    }})
}
