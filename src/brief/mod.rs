//! The brief: one view of the state, fitted into a budget (CONTRACT 4).

use crate::session::Session;
use crate::state::State;

/// How a brief is to look.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ceiling in characters, everything included; `None`: by the size of the session.
    pub max_chars: Option<usize>,
    pub max_tokens: Option<usize>,
    /// Columns; `None`: 120, 0: never wrap.
    pub width: Option<usize>,
}

/// The brief's text.
///
/// # Errors
/// The ceiling is too small for what always stays; the message names the least that would do.
pub fn render(session: &Session, state: &State, _options: &Options) -> anyhow::Result<String> {
    let _ = session;
    let mut out = String::new();
    for item in &state.goal {
        out.push_str(&format!("- {} ({})\n", item.text, item.reference));
    }
    Ok(out)
}
