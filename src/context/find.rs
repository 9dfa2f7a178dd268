//! Finding and reading instruction files: which one of a folder counts, and what can't be read.
//!
//! The only part of this room that touches the disk. It reads, and carries on past anything odd.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{DEPTH, FILES};
use crate::language::{nfc, one_line, visible};
use anyhow::{Context, Result};

/// Per folder the first of these that can be read and isn't blank counts. The families in order:
/// the host's own file, AGENTS (an override first), CLAUDE, cursorrules.
const NAMES: [&str; 7] = [
    ".snowpea/instructions.md",
    "AGENTS.override.md",
    "AGENTS.md",
    "agents.md",
    "CLAUDE.md",
    ".claude/CLAUDE.md",
    ".cursorrules",
];

/// Folders of other people's code; hidden folders are left out too.
const FOREIGN: [&str; 3] = ["node_modules", "__pycache__", "site-packages"];

/// One instruction file as read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Source {
    /// Relative to the folder, `/` between the parts, composed.
    pub path: String,
    /// The content: composed, plain line ends, no control characters or escape sequences.
    pub text: String,
}

/// Files, shallow before deep and then by path, and what to tell the person.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub files: Vec<Source>,
    pub notices: Vec<String>,
}

/// A folder still to be visited.
struct Folder {
    /// As the disk spells it.
    disk: PathBuf,
    /// Relative to the start, composed; empty for the start.
    shown: String,
    /// Whether the disk spells it decomposed.
    decomposed: bool,
}

/// Reads the instruction files of `dir` and the folders below it.
///
/// # Errors
///
/// When `dir` itself cannot be listed.
pub(super) fn below(dir: &Path) -> Result<Found> {
    let mut found = Found::default();
    let mut left_out = 0_usize;
    let mut links = Vec::new();
    let mut level = vec![Folder {
        disk: dir.to_owned(),
        shown: String::new(),
        decomposed: false,
    }];
    for depth in 0..=DEPTH {
        let mut next = Vec::new();
        for folder in &level {
            // What lies in the folder counts even when the folder can't be listed.
            let looked = instructions(folder, &mut found.notices).and_then(|source| {
                match source {
                    Some(_) if found.files.len() == FILES => left_out += 1,
                    source => found.files.extend(source),
                }
                folders_in(folder, &mut links)
            });
            match looked {
                Ok(folders) => next.extend(folders),
                Err(error) if depth == 0 => {
                    let dir = dir.display();
                    return Err(error).with_context(|| {
                        format!("{dir}: cannot list this folder; name the project's folder")
                    });
                }
                Err(error) => {
                    let notice = format!("{}: folder not looked at: {error}", folder.shown);
                    found.notices.push(notice);
                }
            }
        }
        next.sort_by(|a, b| a.shown.cmp(&b.shown).then_with(|| a.disk.cmp(&b.disk)));
        level = next;
    }
    found.notices.extend(not_followed(&links));
    let deeper = level
        .iter()
        .filter(|folder| NAMES.iter().any(|name| folder.disk.join(name).is_file()))
        .count();
    if left_out > 0 {
        found.notices.push(format!(
            "{left_out} more instruction files left out: the limit is {FILES}"
        ));
    }
    if deeper > 0 {
        found.notices.push(format!(
            "instruction files of {deeper} folders left out: they lie deeper than {DEPTH}"
        ));
    }
    Ok(found)
}

/// The folders in a folder, without hidden ones, other people's code and links.
fn folders_in(folder: &Folder, links: &mut Vec<String>) -> io::Result<Vec<Folder>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(&folder.disk)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') || FOREIGN.contains(&name.as_ref()) {
            continue;
        }
        let shown = below_path(&folder.shown, &name);
        let kind = entry.file_type()?;
        if kind.is_symlink() {
            // A link inside the project leads to a folder that is visited anyway, or round in
            // circles; one that leads out of it leads to another project's rules.
            if entry.path().is_dir() {
                links.push(shown);
            }
        } else if kind.is_dir() {
            let decomposed = folder.decomposed || nfc(&name) != name;
            folders.push(Folder {
                disk: entry.path(),
                shown,
                decomposed,
            });
        }
    }
    Ok(folders)
}

/// One line about all links to folders, the first three by name.
fn not_followed(links: &[String]) -> Option<String> {
    let mut names: Vec<&str> = links.iter().map(String::as_str).collect();
    names.sort_unstable();
    let more = if names.len() > 3 { ", …" } else { "" };
    names.truncate(3);
    (!names.is_empty()).then(|| {
        format!(
            "{}{more}: links to folders are not followed ({})",
            names.join(", "),
            links.len()
        )
    })
}

/// The instruction file that counts in a folder; an error when the folder can't be looked into.
fn instructions(folder: &Folder, notices: &mut Vec<String>) -> io::Result<Option<Source>> {
    for name in NAMES {
        let disk = folder.disk.join(name);
        if !exists(&disk)? {
            continue;
        }
        let path = below_path(&folder.shown, name);
        let read = match read(&disk) {
            Ok(read) => read,
            Err(error) => {
                notices.push(format!("{path}: skipped: {error}"));
                continue;
            }
        };
        if read.text.trim().is_empty() {
            continue;
        }
        if read.repaired {
            notices.push(format!(
                "{path}: not UTF-8 everywhere; unreadable bytes are shown as \u{fffd}"
            ));
        }
        if folder.decomposed {
            notices.push(format!(
                "{path}: the disk spells this path decomposed (NFD); shown composed"
            ));
        }
        return Ok(Some(Source {
            path,
            text: read.text,
        }));
    }
    Ok(None)
}

/// Whether there is anything of this name, even a link that leads nowhere.
fn exists(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(_) => Ok(true),
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ) =>
        {
            Ok(false)
        }
        Err(error) => Err(error),
    }
}

/// A file's text and whether bytes had to be replaced.
struct Read {
    text: String,
    repaired: bool,
}

/// Reads one file. A link that leads nowhere or round in circles is an error, as is UTF-16.
fn read(path: &Path) -> io::Result<Read> {
    // A pipe or a device would be read forever.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let bytes = fs::read(path)?;
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(io::Error::other("UTF-16; save it as UTF-8"));
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let text = String::from_utf8_lossy(bytes);
    let repaired = matches!(text, std::borrow::Cow::Owned(_));
    Ok(Read {
        text: tidy(&text),
        repaired,
    })
}

/// Composed, `\n` at line ends, nothing a terminal obeys: what two spellings of one rule share.
fn tidy(text: &str) -> String {
    nfc(&visible(text)).into_owned()
}

/// A composed path below another, on one line whatever the disk calls it.
fn below_path(folder: &str, name: &str) -> String {
    let name = nfc(name);
    let name = one_line(&name);
    if folder.is_empty() {
        name.into_owned()
    } else {
        format!("{folder}/{name}")
    }
}
