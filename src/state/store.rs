//! The state as a file: read strictly, written whole or not at all, its owner's unknown keys kept.
//!
//! Runs at the same time: nobody waits while a brief is printed; the lock is held only around the last look at
//! the file and the rename. It is a lock on the folder, so that nothing is left behind.

use super::{SCHEMA, State, VERSION};
use crate::disk::{rehearse_file, replace_file};
use crate::language::{nfc, unmarked};
use crate::redact::redact;
use crate::transcript::read::reason;
use anyhow::{Result, bail};
use foldhash::HashMap;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Keys without which a state is incomplete.
pub(super) const KEYS: [&str; 17] = [
    "schema",
    "version",
    "session",
    "goal",
    "scope_change",
    "earlier_requests",
    "latest_request",
    "preferences",
    "blockers",
    "todos",
    "files",
    "commits",
    "usage",
    "turns",
    "input",
    "output",
    "cursor",
];

/// Keys that are left out when there is nothing to say: their absence is no reason to carry the old value over.
const OPTIONAL: [&str; 3] = ["superseded_by", "person", "id"];

/// A state as it was read: typed, and with every key it had.
#[derive(Debug, Clone, PartialEq)]
pub struct Saved {
    pub state: State,
    pub value: Value,
}

/// Reads a state from its text; `name` is for messages.
///
/// # Errors
/// It is incomplete, foreign, or newer than this program.
pub fn parse(text: &str, name: &str) -> Result<Saved> {
    const KEEP: &str = "move it away to start anew";
    let text = unmarked(text);
    let mut value: Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(_) if text.trim().is_empty() => bail!("{name}: the state is empty; {KEEP}"),
        Err(e) if e.is_eof() => bail!("{name}: the state is incomplete (cut off); {KEEP}"),
        Err(_) => bail!("{name}: not a state file, or a damaged one; {KEEP}"),
    };
    let Some(object) = value.as_object() else {
        bail!("{name}: not a state file of compact; name another one");
    };
    if object.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
        bail!("{name}: not a state file of compact (its schema is not {SCHEMA}); name another one");
    }
    match object.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {}
        Some(newer) if newer > VERSION => bail!(
            "{name}: written by a newer compact (state version {newer}, this one knows {VERSION}); update compact, or name another file"
        ),
        _ => bail!("{name}: the state is damaged (no version); {KEEP}"),
    }
    if let Some(key) = KEYS.iter().find(|k| !object.contains_key(**k)) {
        bail!("{name}: the state is incomplete (no {key:?}); {KEEP}");
    }
    // Packed text holds nothing to read; what it unpacks to was clean when it was packed.
    let packed = |value: &mut Value| {
        let cursor = value.get_mut("cursor")?.as_object_mut()?;
        cursor.get_mut("memory").map(Value::take)
    };
    let memory = packed(&mut value);
    clean(&mut value);
    if let (Some(memory), Some(place)) = (memory, value.pointer_mut("/cursor/memory")) {
        *place = memory;
    }
    match State::deserialize(&value) {
        Ok(state) => Ok(Saved { state, value }),
        Err(e) => bail!("{name}: the state is damaged ({e}); {KEEP}"),
    }
}

/// Takes out secrets that an older program let through, and composes what somebody decomposed.
fn clean(value: &mut Value) {
    match value {
        Value::String(text) => {
            // References and hashes hold no secrets, and must stay what they are.
            let plain =
                text.len() <= 64 && text.bytes().all(|b| b == b'#' || b.is_ascii_hexdigit());
            if !plain {
                let new = redact(&nfc(text)).into_owned();
                if new != *text {
                    *text = new;
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(clean),
        Value::Object(map) => map.values_mut().for_each(clean),
        _ => {}
    }
}

/// The text of a state: with the unknown keys of the one it follows.
///
/// # Errors
/// None that a state could cause.
pub fn text(state: &State, previous: Option<&Saved>) -> Result<String> {
    finished(body(state, previous)?, state)
}

/// The state as it will be written, but for what is known last: see [`finished`].
///
/// # Errors
/// As [`text`].
pub fn body(state: &State, previous: Option<&Saved>) -> Result<Value> {
    let mut value = serde_json::to_value(state)?;
    if let (Some(previous), Value::Object(new)) = (previous, &mut value)
        && let Value::Object(old) = &previous.value
    {
        for (key, new) in new.iter_mut().filter(|(key, _)| *key != "cursor") {
            if let Some(old) = old.get(key) {
                carry(old, new);
            }
        }
    }
    Ok(value)
}

/// The text of a state whose [`body`] was made before its brief was printed and its cursor was complete.
///
/// # Errors
/// As [`text`].
pub fn finished(mut body: Value, state: &State) -> Result<String> {
    if let Value::Object(fields) = &mut body {
        fields.insert("cursor".to_owned(), serde_json::to_value(&state.cursor)?);
        if let (Some(Value::Object(known)), Value::Object(output)) = (
            fields.get_mut("output"),
            serde_json::to_value(state.output)?,
        ) {
            known.extend(output);
        }
    }
    Ok(crate::json::pretty(&body)?)
}

/// Copies keys that this program does not write.
fn carry(old: &Value, new: &mut Value) {
    match (old, new) {
        // Another request's keys stay with that request.
        (Value::Object(a), Value::Object(b)) if a.get("text") != b.get("text") => {}
        (Value::Object(old), Value::Object(new)) => {
            for (key, value) in old {
                match new.get_mut(key) {
                    // `unknown` counts what this reading met.
                    Some(_) if key == "unknown" => {}
                    Some(new) => carry(value, new),
                    None if OPTIONAL.contains(&key.as_str()) => {}
                    None => {
                        new.insert(key.clone(), value.clone());
                    }
                }
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let mut known = HashMap::default();
            for item in old {
                if let Some(name) = name(item) {
                    known.entry(name).or_insert(item);
                }
            }
            for item in new {
                if let Some(old) = name(item).and_then(|n| known.get(&n)) {
                    carry(old, item);
                }
            }
        }
        _ => {}
    }
}

/// What tells an item of a list from the others.
fn name(item: &Value) -> Option<(&str, &str)> {
    ["path", "hash", "text"]
        .iter()
        .find_map(|key| Some((*key, item.get(key)?.as_str()?)))
}

/// The file of `--state`, whose text was not looked through yet.
pub struct Unread {
    name: String,
    path: PathBuf,
    text: Option<String>,
}

impl Unread {
    /// Takes the file's text if there is a file.
    ///
    /// # Errors
    /// It is no file, or cannot be read.
    pub fn of(path: &Path) -> Result<Unread> {
        let name = path.display().to_string();
        // A link stays a link: what it points to is replaced.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(meta) if !meta.is_file() => bail!("{name}: a state is a file; name another path"),
            Err(e) if e.kind() == std::io::ErrorKind::NotADirectory => {
                bail!("{name}: its folder is no folder; check the path")
            }
            _ => {}
        }
        let text = look(&path)?;
        Ok(Unread { name, path, text })
    }

    /// What the file holds.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Looks through it.
    ///
    /// # Errors
    /// It holds no usable state; it is left as it is.
    pub fn read(self) -> Result<Store> {
        let parse = |text| parse(text, &self.name);
        let previous = self.text().map(parse).transpose()?;
        Ok(Store {
            path: self.path,
            read: self.text,
            previous,
        })
    }
}

/// The file of `--state`.
pub struct Store {
    path: PathBuf,
    read: Option<String>,
    previous: Option<Saved>,
}

impl Store {
    /// Reads the file if it exists.
    ///
    /// # Errors
    /// It is no file, cannot be read, or holds no usable state; it is left as it is.
    pub fn open(path: &Path) -> Result<Store> {
        Unread::of(path)?.read()
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The state that the file held.
    pub fn previous(&self) -> Option<&Saved> {
        self.previous.as_ref()
    }

    /// Makes sure that `text` can be written, before anything is shown: a read-only folder and a full disk are
    /// found here. Leaves nothing behind.
    ///
    /// # Errors
    /// It could not be written.
    pub fn rehearse(&self, text: &str) -> Result<()> {
        if self.read.as_deref() == Some(text) {
            return Ok(());
        }
        rehearse_file(&self.path, text)
    }

    /// Writes `text` in place of what was read. If another run was faster, `again` gives the text that follows
    /// its state, or nothing if its state is the better one.
    ///
    /// # Errors
    /// It cannot be written, or somebody put something else there; the file is as it was.
    pub fn save(
        &self,
        text: &str,
        again: impl FnOnce(&Saved) -> Result<Option<String>>,
    ) -> Result<()> {
        if self.read.as_deref() == Some(text) {
            return Ok(());
        }
        let folder = match self.path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        // Where folders cannot be locked, the rename alone keeps the file complete.
        let lock = File::open(folder).ok().filter(hold);
        let there = look(&self.path)?;
        let prefix = self.prefix();
        if lock.is_some() {
            sweep(folder, &prefix);
        }
        if there == self.read {
            return replace_file(&self.path, text, &prefix);
        }
        match there {
            None => replace_file(&self.path, text, &prefix),
            Some(there) if there == text => Ok(()),
            Some(there) => {
                let newer = parse(&there, &self.path.display().to_string())?;
                match again(&newer)? {
                    Some(text) => replace_file(&self.path, &text, &prefix),
                    None => Ok(()),
                }
            }
        }
    }

    /// How the temporary files of this state are called.
    fn prefix(&self) -> String {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        format!(".compact-{name}-")
    }
}

/// Locks the folder. Other runs hold it for milliseconds; whoever holds it for seconds is no run of ours, and
/// then the rename has to do.
fn hold(folder: &File) -> bool {
    const PAUSE: Duration = Duration::from_millis(5);
    for _ in 0..1000 {
        match folder.try_lock() {
            Ok(()) => return true,
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            Err(TryLockError::Error(_)) => return false,
        }
    }
    false
}

/// Temporary files of this state that a killed run left: with the lock held they are nobody's.
fn sweep(folder: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The file's text; `None` if there is no file.
fn look(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => bail!(
                "{}: not a state file of compact; name another one",
                path.display()
            ),
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => bail!("{}: {}", path.display(), reason(&e)),
    }
}

/// The top-level keys of a state, for [`diff`](super::diff).
pub(super) fn object(saved: &Saved) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    saved.value.as_object().unwrap_or(&NONE)
}
