//! PreCompact saves what must survive; the first event after the compaction gives it back, once, to its own
//! session and working directory (SPEC 4.3 and 4.4).

use super::memory::{self, Armed};
use super::{Answer, Event, Options, allow, context};
use crate::checkpoint::{self, Checkpoint, restore};
use crate::disk::write_file;
use crate::lexicon::Rules;
use crate::merge::merge;
use crate::session::Session;
use crate::state::State;
use crate::state::store::{self, Store};
use crate::transcript::{self, Source};
use anyhow::{Context, Result, anyhow};
use std::fs;
use std::path::{Path, PathBuf};

/// Checkpoints kept of one session.
const KEPT: usize = 10;

fn session(event: &Event) -> Result<Session> {
    let path = event
        .transcript
        .clone()
        .ok_or_else(|| anyhow!("the event names no transcript_path; nothing to do"))?;
    Session::read(&Source::Path(path), &transcript::Options::default())
}

/// PreCompact: writes checkpoint and state, and arms the delivery.
///
/// # Errors
/// The transcript cannot be read or the folder not written; the caller lets go.
pub fn save(event: &Event, options: &Options) -> Result<Answer> {
    let session = session(event)?;
    let Some(mut held) = memory::hold(options.dir.as_deref(), event)? else {
        return Ok(allow());
    };
    let trigger = match event.trigger.as_str() {
        "auto" => "auto",
        _ => "manual",
    };
    let checkpoint = checkpoint::build(
        &session,
        Rules::builtin(),
        trigger,
        &event.instructions,
        None,
    );
    let file = checkpoint.file_name();
    write_file(&held.folder().join(&file), &text(&checkpoint)?)?;
    carry(
        &held.folder().join("state.json"),
        &checkpoint.state,
        &session,
    )?;
    held.now.armed = Some(Armed {
        file: file.clone(),
        cwd: event.cwd.clone(),
    });
    held.keep()?;
    prune(held.folder(), &file);
    Ok(allow())
}

/// Writes the state with what the last compaction's still knows; an unusable one is no reason to stop anybody.
fn carry(file: &Path, now: &State, session: &Session) -> Result<()> {
    let store = Store::open(file).ok();
    let previous = store.as_ref().and_then(Store::previous);
    match merge(previous.map(|p| &p.state), now.clone(), session) {
        Ok(state) => write_file(file, &store::text(&state, previous)?),
        Err(_) => write_file(file, &store::text(now, None)?),
    }
}

fn text(value: &impl serde::Serialize) -> Result<String> {
    Ok(crate::json::pretty(value)?)
}

/// SessionStart after a compaction, or the next prompt: gives the checkpoint back.
///
/// # Errors
/// The checkpoint cannot be read; the caller lets go. It is used up all the same.
pub fn give(event: &Event, options: &Options) -> Result<Answer> {
    // Nothing was saved for this session: no folder is made for it.
    let known = options
        .dir
        .as_deref()
        .zip(event.session.as_deref())
        .is_some_and(|(dir, id)| memory::folder(dir, id).is_dir());
    if !known {
        return Ok(allow());
    }
    let Some(mut held) = memory::hold(options.dir.as_deref(), event)? else {
        return Ok(allow());
    };
    if event.source == "compact" {
        held.restart();
    }
    let armed = held.now.armed.take_if(|a| a.cwd == event.cwd);
    // Used up before it is given: twice is worse than not at all.
    held.keep()?;
    let Some(armed) = armed else {
        return Ok(allow());
    };
    let path = held.folder().join(&armed.file);
    let text = fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let checkpoint = Checkpoint::parse(&text).map_err(|e| anyhow!("{}: {e}", path.display()))?;
    // The transcript after the compaction tells which todos are there already; without it all come back.
    let after = session(event)
        .ok()
        .and_then(|session| restore::list_after(&session));
    let restored = restore::restore(&checkpoint, after, restore::BUDGET);
    Ok(context(&event.name, &restored.text))
}

/// Keeps the newest checkpoints of a session's folder, and always the one just written.
fn prune(folder: &Path, keep: &str) {
    let mut names: Vec<PathBuf> = checkpoints(folder);
    names.retain(|p| p.file_name().is_some_and(|n| n != keep));
    let old = names.len().saturating_sub(KEPT - 1);
    for path in names.into_iter().take(old) {
        // Left behind, it does no harm.
        let _ = fs::remove_file(path);
    }
}

/// The checkpoints of a folder, oldest first by the time in their names.
pub fn checkpoints(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .filter(|p| {
            p.file_name()
                .and_then(|n| n.to_str())
                .is_some_and(|n| n.starts_with("checkpoint-") && n.ends_with(".json"))
        })
        .collect();
    found.sort();
    found
}
