//! Understanding a shell command from its text alone: which programs it runs and where, which
//! files it touches, which check it is, how it reads on one line, and whether its printed output
//! says that it failed.
//!
//! Pure functions from text to values. Nothing here runs a command, looks at a disk or knows what
//! a session is; what a tool call really did is for the caller to prove from its result.

mod commits;
mod display;
mod effects;
mod family;
mod joint;
mod memo;
mod outcome;
mod outcome_lines;
mod parse;
mod path;
mod scan;
mod script;
mod split;
mod words;
mod wrappers;

pub use commits::{CommitCall, HistoryCall, HistoryKind, git_commits, history_calls};
pub use display::display;
pub use effects::{EffectKind, FileEffect, effects};
pub use family::{Family, Kind, as_wide, covers, families, family, harmless_nonzero, looks};

pub use joint::Joint;
pub use memo::parse;
pub use outcome::{Outcome, exit_code, outcome};
pub use path::tidy;
pub use script::{Command, Heredoc, Redirect, RedirectKind, Script};
pub use words::Word;

/// Longest command that is read, in bytes; the rest of a longer one is ignored.
pub const MAX_COMMAND: usize = 64 * 1024;

/// The first [`MAX_COMMAND`] bytes of a command, cut between characters.
pub(crate) fn head(text: &str) -> &str {
    let mut end = text.len().min(MAX_COMMAND);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod props;
