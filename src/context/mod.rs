//! The project's instruction files (AGENTS.md, CLAUDE.md, …) packed into one text within a budget.
//!
//! [`gather`] walks a folder, takes at most one instruction file a folder, gives identical contents
//! once, and cuts what doesn't fit: each file to its own cap, then the deepest files first until the
//! whole text fits. A file is never dropped without a word, because a rule nobody sees is a rule
//! nobody follows.
//!
//! It is not a search for documentation, follows no imports, and never writes anything.

mod cut;
mod find;
mod pack;

use std::path::Path;

use anyhow::Result;
use serde::Serialize;

/// How deep below the folder instruction files are looked for; the folder itself is depth 0.
pub const DEPTH: usize = 4;
/// How many instruction files are taken, shallow ones first.
pub const FILES: usize = 40;

/// What the caller asked for; the default is "window unknown, nothing explicit".
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Context window of the model in tokens; the caps follow it.
    pub window: Option<u64>,
    /// Cap of one file in characters; wins over the window.
    pub file_max: Option<u64>,
    /// Cap of the whole text in characters, headers and markers included; wins over the window.
    pub total_max: Option<u64>,
    /// Look at nothing and give nothing back.
    pub ignore: bool,
}

/// The packed text and what became of each file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Cap of one file in characters, as used.
    pub file_max: u64,
    /// Cap of `text` in characters, as used.
    pub total_max: u64,
    /// Every instruction file found: shallow before deep, then by path.
    pub files: Vec<File>,
    /// What to give to the model; empty or ending in a line break.
    pub text: String,
    /// What a person should know (unreadable files, folder links, …); not part of the JSON.
    #[serde(skip)]
    pub notices: Vec<String>,
}

/// One instruction file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct File {
    /// Path relative to the folder, `/` between the parts, composed (NFC).
    pub path: String,
    /// Length in characters, composed and with plain line ends.
    pub chars: u64,
    /// How many of those characters stand in the text.
    pub kept: u64,
    /// Whether something was cut; false for a duplicate.
    pub truncated: bool,
    /// The file with the same content that stands in the text instead.
    pub duplicate_of: Option<String>,
}

/// Caps in characters: of one file, and of the whole text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Caps {
    file: u64,
    total: u64,
}

impl Caps {
    /// Shares of the window at four characters a token (6 % a file, 10 % in all), kept in bounds.
    fn of(options: &Options) -> Self {
        let share = |percent: u128, low: u64, high: u64| {
            move |window: u64| {
                let chars = u128::from(window) * 4 * percent / 100;
                u64::try_from(chars).unwrap_or(u64::MAX).clamp(low, high)
            }
        };
        // A small window can't afford 20,000 characters for one file.
        let file_low = match options.window {
            Some(window) if window <= 32_000 => 8_000,
            _ => 20_000,
        };
        let file = options.window.map_or(20_000, share(6, file_low, 500_000));
        let total = options.window.map_or(12_000, share(10, 12_000, 120_000));
        Caps {
            file: options.file_max.unwrap_or(file),
            total: options.total_max.unwrap_or(total),
        }
    }
}

/// Gathers the instruction files below `dir` into one text of at most `total_max` characters.
///
/// # Errors
///
/// Only when `dir` itself cannot be listed. Whatever goes wrong below it is a notice in the report.
pub fn gather(dir: &Path, options: &Options) -> Result<Report> {
    let caps = Caps::of(options);
    if options.ignore {
        let (file_max, total_max) = (caps.file, caps.total);
        return Ok(Report {
            file_max,
            total_max,
            files: Vec::new(),
            text: String::new(),
            notices: Vec::new(),
        });
    }
    let found = find::below(dir)?;
    let packed = pack::pack(&found.files, caps);
    let mut notices = found.notices;
    notices.extend(packed.notice);
    Ok(Report {
        file_max: caps.file,
        total_max: caps.total,
        files: packed.files,
        text: packed.text,
        notices,
    })
}

#[cfg(test)]
mod tests;
