//! `compact` reads the session transcripts of coding agents and writes a brief of what matters.

pub mod brief;
pub mod checkpoint;
pub mod clean;
pub mod cli;
pub mod context;
pub mod discover;
pub mod extract;
pub mod hook;
pub mod json;
pub mod language;
pub mod lexicon;
pub mod loops;
pub mod patch;
pub mod prune;
pub mod recall;
pub mod redact;
pub mod replay;
pub mod session;
pub mod shell;
pub mod state;
pub mod toolbox;
pub mod transcript;
pub mod usage;
