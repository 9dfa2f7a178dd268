//! `compact` reads the session transcripts of coding agents and writes a brief of what matters.

pub mod clean;
pub mod context;
pub mod json;
pub mod language;
pub mod lexicon;
pub mod patch;
pub mod shell;
pub mod transcript;
