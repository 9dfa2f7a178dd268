//! One file a format. A format translates records into entries and, at the end, says which of them are on the
//! active branch; it never judges what a text means.
//!
//! What each format gives. *Branches*: what is left out of the active conversation. *Tokens*: the prompt part of
//! the last answer, unless only a total is written. *Errors*: what tells that a call failed.
//!
//! | Agent | Files | Branches | Tokens | Window | Errors | Compactions | Not in its files |
//! |---|---|---|---|---|---|---|---|
//! | Claude Code | `.jsonl` | rewinds, side chains | every answer | – | flag, text | boundary with tokens | window |
//! | Pi, oh-my-pi | `.jsonl` | tree, resets | every answer | – | flag | summary, tokens before | window, git branch |
//! | Codex | `.jsonl`, `.jsonl.zst` | rollbacks | counts after answers | yes | exit code, text | replaced history | an error flag |
//! | OpenCode | export, folder, database | reverts; sub-agents as side chains | every answer | – | status, exit code | summary message | window, git branch |
//! | Gemini CLI | `.jsonl`, `.json`, checkpoints | rewinds, replaced lists | every answer | – | status, `Exit Code:` | snapshot message | working directory (often), window, git branch; a checkpoint also ids, times, tokens |
//! | Qwen Code | `.jsonl` | rewinds | every answer | yes | status, `Exit Code:` | boundary with tokens | – |
//! | Copilot CLI | `events.jsonl` | rewinds; sub-agents as side chains | a total, when written | when written | success flag, exit code | boundary with tokens before | prompt tokens of one answer |
//! | Cursor | `.jsonl` | – | – | – | – | – | results, times, ids, models, working directory |
//! | Kimi CLI | context, wire | – | context: a total; wire: every step | wire | wire: flag; context: text | boundary | model, working directory; context: times |
//! | Kimi Code | wire | undo, clear | every step | – | flag | boundary with tokens | window, git branch |
//! | droid | `.jsonl` | chain of messages | – | – | flag | summary | model and tokens (in a file beside it), git branch |
//! | Amp | `.json` | – | every answer | yes | run status, exit code | summary message | times of answers |
//! | Hermes | export, database | rewound rows | – | – | exit code and error in the result | session chain, summary message | tokens of one answer |
//! | OpenHands V0 | `.json` | – | every answer | yes | exit code, observation | condensation with summary | git branch |
//! | OpenHands V1 | `.jsonl` | – | a turn's total, when written | when written | flag, exit code | condensation with summary | git branch |
//! | SWE-agent | `.traj` | – | – | – | – | – | times, how a step ended, models |
//! | mini-SWE-agent | `.traj.json` | – | every answer | – | return code | – | times in older versions |
//! | OpenAI chat | `.jsonl`, `.json` | – | – | – | – | – | times, working directory, tokens, errors |
//! | Anthropic messages | `.jsonl`, `.json` | – | when written | – | flag | – | times, working directory |
//!
//! Read from none of them: images (only their header's size), signatures of thinking, telemetry, snapshots of files.
//! Of Kimi CLI's wire the events of sub-agents are passed over; of droid the `todo_state` records, since the call
//! that wrote the list stands beside them; of Cursor the two databases, which are refused by name.

mod amp;
mod anthropic;
mod claude;
mod codex;
mod copilot;
mod cursor;
mod droid;
mod gemini;
mod google;
mod graph;
mod hermes;
mod kimi;
mod openai;
mod opencode;
mod openhands;
mod packed;
mod pi;
mod qwen;
mod shared;
mod shelf;
mod stores;
mod swe;

use super::{Desk, Family, Options, Sink, Transcript};
use crate::json::Json;
use anyhow::Result;
use foldhash::fast::FixedState;
use shared::{args_text as string_args, content_text, joined, text};
use std::borrow::Cow;
use std::hash::BuildHasher;
use std::io::Read;
use std::path::Path;

/// A reader of one agent's records.
pub trait Format {
    /// One record (or, for whole documents, the document).
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>);
    /// The sink would like to let go of what is old: settle the active branch as it stands, let it, and forget the same.
    /// A format that does nothing keeps everything.
    fn settle(&mut self, _desk: &mut Desk<'_>) {}
    /// What reading could go on from, for formats that can.
    fn remember(&self) -> Option<serde_json::Value> {
        None
    }
    /// The file has ended: settle the active branch, the title, the id.
    fn finish(&mut self, desk: &mut Desk<'_>);
    /// As [`finish`](Format::finish), for formats whose files hold several sessions: which one is meant, and the
    /// errors of choosing.
    ///
    /// # Errors
    /// No such session, or several of them with `strict`; a sentence without the file's name.
    fn end(&mut self, _options: &Options<'_>, desk: &mut Desk<'_>) -> Result<()> {
        self.finish(desk);
        Ok(())
    }
}

/// The reader for a family.
pub fn new(family: Family) -> Box<dyn Format> {
    match family {
        Family::ClaudeCode => Box::new(claude::Claude::default()),
        Family::OpenCode => Box::new(opencode::OpenCode::default()),
        Family::Gemini => Box::new(gemini::Gemini::default()),
        Family::Qwen => Box::new(qwen::Qwen::default()),
        Family::Copilot => Box::new(copilot::Copilot::default()),
        Family::Cursor => Box::new(cursor::Cursor::default()),
        Family::Kimi => Box::new(kimi::Kimi::default()),
        Family::Droid => Box::new(droid::Droid::default()),
        Family::Amp => Box::new(amp::Amp::default()),
        Family::Hermes => Box::new(hermes::Hermes::default()),
        Family::OpenHands => Box::new(openhands::OpenHands::default()),
        Family::SweAgent => Box::new(swe::SweAgent::default()),
        Family::MiniSweAgent => Box::new(swe::MiniSweAgent::default()),
        Family::Pi => Box::new(pi::Pi::default()),
        Family::Codex => Box::new(codex::Codex::default()),
        Family::OpenAi => Box::new(openai::OpenAi::default()),
        Family::Anthropic => Box::new(anthropic::Anthropic),
    }
}

/// The reader of a family as it was when it was remembered; `None`: it cannot go on, or the memory is not its own.
pub fn recall(family: Family, memory: &serde_json::Value) -> Option<Box<dyn Format>> {
    match family {
        Family::ClaudeCode => Some(Box::new(claude::Claude::recall(memory)?)),
        Family::Pi => Some(Box::new(pi::Pi::recall(memory)?)),
        Family::Codex => Some(Box::new(codex::Codex::recall(memory)?)),
        _ => None,
    }
}

/// A map by hash as it is remembered: a list in order, so that the same memory is the same text.
mod sorted {
    use foldhash::HashMap;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        map: &HashMap<u64, T>,
        s: S,
    ) -> Result<S::Ok, S::Error> {
        let mut list: Vec<(&u64, &T)> = map.iter().collect();
        list.sort_unstable_by_key(|(key, _)| **key);
        s.collect_seq(list)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        d: D,
    ) -> Result<HashMap<u64, T>, D::Error> {
        Ok(Vec::<(u64, T)>::deserialize(d)?.into_iter().collect())
    }
}

/// A folder that is itself a session store: OpenCode's, or the folder of its data, where the database has what
/// the older files beside it have too. `None`: it is neither.
///
/// # Errors
/// The store cannot be read, or has no session that fits `options`.
pub fn folder(
    path: &Path,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Option<Transcript>> {
    let database = path.join("opencode.db");
    match opencode::folder::root(path) {
        _ if stores::is_database(&database) => store(&database, options, sink),
        Some(root) => opencode::folder::read(&root, options, sink).map(Some),
        None => Ok(None),
    }
}

/// Whether a folder is itself a session store, see [`folder`].
pub fn is_store(path: &Path) -> bool {
    stores::is_database(&path.join("opencode.db")) || opencode::folder::root(path).is_some()
}

/// Whether a file is made of lines that stand for themselves (no database); packed ones are.
pub fn is_lines(path: &Path) -> bool {
    path.is_file() && !is_database(path)
}

/// Whether a file is a database, by its first bytes.
pub fn is_database(path: &Path) -> bool {
    stores::is_database(path)
}

/// A file that is a database of sessions. `None`: it is not.
///
/// # Errors
/// It is a database of something else, is damaged, or has no session that fits `options`.
pub fn store(
    path: &Path,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Option<Transcript>> {
    if !stores::is_database(path) {
        return Ok(None);
    }
    database(path, options, sink).map(Some)
}

#[cfg(feature = "sqlite")]
fn database(path: &Path, options: &Options<'_>, sink: &mut dyn Sink) -> Result<Transcript> {
    use stores::database as db;
    let name = path.display().to_string();
    let store = db::open(path)?;
    let tables = db::tables(&store).map_err(|e| db::failed(&name, &e))?;
    let has = |names: &[&str]| names.iter().all(|n| tables.iter().any(|t| t == n));
    let family = if has(&["session", "message", "part"]) {
        Family::OpenCode
    } else if has(&["sessions", "messages"]) {
        Family::Hermes
    } else {
        return db::refuse(&name, &tables);
    };
    if let Some(from) = options.from.filter(|f| *f != family) {
        anyhow::bail!(
            "{name}: this is a store of {}, not {}; leave --from out",
            family.name(),
            from.name()
        );
    }
    match family {
        Family::OpenCode => opencode::store::read(&name, &store, options, sink),
        _ => hermes::store::read(&name, &store, options, sink),
    }
}

#[cfg(not(feature = "sqlite"))]
fn database(path: &Path, _options: &Options<'_>, _sink: &mut dyn Sink) -> Result<Transcript> {
    anyhow::bail!(
        "{}: this is an SQLite store, which this build cannot read; export the session instead",
        path.display()
    )
}

pub use shelf::Stored;

/// What stands in a store of many sessions. `None`: the path is no store.
///
/// # Errors
/// It is a database of something else, or cannot be read.
pub fn stored(path: &Path) -> Result<Option<Vec<Stored>>> {
    if path.is_dir() {
        return Ok(shelf::in_folder(path));
    }
    #[cfg(feature = "sqlite")]
    if stores::is_database(path) {
        return shelf::in_database(path).map(Some);
    }
    Ok(None)
}

/// The input with its compression taken off, if it has one.
///
/// # Errors
/// The input cannot be read, or this build cannot unpack it.
pub fn unpacked<'r>(input: &'r mut (dyn Read + Send)) -> Result<Box<dyn Read + Send + 'r>> {
    packed::unpacked(input)
}

/// A stable number for an id, never 0; never written anywhere.
fn hash(id: &str) -> u64 {
    FixedState::default().hash_one(id).max(1)
}

/// A title or a name: trimmed, `None` if nothing is left.
fn some(text: Option<Cow<'_, str>>) -> Option<String> {
    text.map(|t| t.trim().to_owned()).filter(|t| !t.is_empty())
}

/// Helpers of the formats' tests.
#[cfg(test)]
mod tests {
    use crate::session::{Digest, Session};
    use crate::transcript::{Options, Voice, read::read_bytes};

    /// A session from its text, the format found out.
    pub fn read(text: &str) -> Session {
        let mut digest = Digest::default();
        let head = read_bytes(text.as_bytes(), &Options::default(), &mut digest).unwrap();
        digest.finish(head)
    }

    /// What persons said on the active branch.
    pub fn human(session: &Session) -> Vec<&str> {
        session
            .active()
            .flat_map(|e| e.texts(Voice::Person))
            .collect()
    }

    /// The active calls as `name:Status`, `pending` without a result.
    pub fn calls(session: &Session) -> Vec<String> {
        session
            .steps()
            .map(|s| match s.outcome {
                Some(o) => format!("{}:{:?}", s.call.name, o.status),
                None => format!("{}:pending", s.call.name),
            })
            .collect()
    }
}
