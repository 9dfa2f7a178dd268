//! What one hook process leaves for the next: one file a session, named by a hash, changed under a lock and
//! replaced whole.

use super::Event;
use crate::disk::write_file;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The counts of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// How often a stop was held back since the last compaction.
    pub blocks: u64,
    /// The loudest warning since the last compaction: 0 none, 1 warn, 2 critical.
    pub warned: u8,
    /// Bytes of the transcript that were there when it was last looked at.
    pub seen: Option<u64>,
    /// The longest prompt met, if it tells something of the window.
    pub most: u64,
    /// Bytes of the transcript in which no prompt was found that is longer than the table's window.
    pub searched: u64,
    /// A checkpoint that waits to be given back.
    pub armed: Option<Armed>,
}

/// A checkpoint that waits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Armed {
    /// Its file in the session's folder.
    pub file: String,
    /// The working directory it belongs to.
    pub cwd: Option<String>,
}

/// The memory of one session, held by this process alone until it is dropped.
pub struct Held {
    folder: PathBuf,
    // Unlocked when it is dropped.
    _lock: File,
    read: Memory,
    pub now: Memory,
}

/// The folder of a session below `dir`.
pub fn folder(dir: &Path, session: &str) -> PathBuf {
    let hash = Sha256::digest(session.as_bytes());
    let name: String = hash.iter().take(16).map(|b| format!("{b:02x}")).collect();
    dir.join(name)
}

/// Takes the memory of the event's session; `None` without `--dir` or without a session to count by.
///
/// # Errors
/// The folder cannot be made or locked.
pub fn hold(dir: Option<&Path>, event: &Event) -> Result<Option<Held>> {
    let (Some(dir), Some(session)) = (dir, event.session.as_deref()) else {
        return Ok(None);
    };
    let folder = folder(dir, session);
    let cannot = || format!("{}: the hook's folder cannot be used", folder.display());
    fs::create_dir_all(&folder).with_context(cannot)?;
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(folder.join("lock"))
        .with_context(cannot)?;
    lock.lock().with_context(cannot)?;
    // A damaged file is no reason to stop anybody: counting starts anew.
    let read: Memory = fs::read_to_string(folder.join("hook.json"))
        .ok()
        .and_then(|text| serde_json::from_str(&text).ok())
        .unwrap_or_default();
    Ok(Some(Held {
        folder,
        _lock: lock,
        now: read.clone(),
        read,
    }))
}

impl Held {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A compaction was seen: counts start anew.
    pub fn restart(&mut self) {
        self.now.blocks = 0;
        self.now.warned = 0;
    }

    /// Writes the memory if it changed.
    ///
    /// # Errors
    /// The file cannot be written; the old one is untouched.
    pub fn keep(&mut self) -> Result<()> {
        if self.now != self.read {
            let text = serde_json::to_string(&self.now)? + "\n";
            write_file(&self.folder.join("hook.json"), &text)?;
            self.read = self.now.clone();
        }
        Ok(())
    }
}
