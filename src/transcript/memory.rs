//! What reading can go on from: a place in the file behind a whole line, and all that was known there. Entries are not
//! in it, those are the sink's.

use super::Transcript;
use serde::{Deserialize, Serialize};

/// The end of the whole lines of a file as its reader leaves it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    /// Bytes and lines that were read.
    pub bytes: u64,
    pub lines: u64,
    /// The first place (`seq`) that the sink still has; what came before was let go of.
    pub from: u32,
    pub head: Transcript,
    /// From `from` on: whether the entry was on the active branch, `1` or `0`.
    pub active: String,
    /// Settings stated since the last mark, and the value each has.
    pub stated: Vec<String>,
    pub latest: Vec<(String, String)>,
    /// The format's own.
    pub format: serde_json::Value,
}
