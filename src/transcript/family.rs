//! The families of formats: the one list of their names. How a file is told is `detect`, how it is read `formats`.

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

    /// Its name in flags and JSON.
    pub fn name(self) -> &'static str {
        Family::ALL
            .iter()
            .find(|(f, _)| *f == self)
            .map_or("", |(_, n)| n)
    }
}

impl FromStr for Family {
    type Err = String;

    /// # Errors
    /// A sentence that lists the known names.
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
