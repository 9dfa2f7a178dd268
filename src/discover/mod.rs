//! Finds sessions in the agents' usual places. The only room that looks at the environment, and only to find the
//! input: which project a session belongs to is what its file says, not the name of its folder, and the newest is
//! the one whose last event is the latest, not the file that was touched last.

mod peek;
pub mod places;
mod projects;

use crate::beside;
use crate::transcript::{Family, Millis, formats};
use places::{Candidate, Env};
use serde::Serialize;
use std::path::{Path, PathBuf};
use unicode_normalization::UnicodeNormalization;

/// A session in an agent's place (CONTRACT 10, `compact list`).
#[derive(Debug, Clone, Serialize)]
pub struct Found {
    /// The file, or the store that holds it.
    pub path: String,
    /// The format's name as in `--from`.
    pub format: &'static str,
    pub id: Option<String>,
    pub title: Option<String>,
    /// Where the session was started.
    pub cwd: Option<String>,
    /// Times of the first and the last event, as written.
    pub started: Option<String>,
    pub ended: Option<String>,
    /// Size of the file or store.
    pub bytes: u64,
    /// One of several in a store: named by its id.
    #[serde(skip)]
    pub stored: bool,
    /// What a person said first.
    #[serde(skip)]
    pub first: Option<String>,
    /// What the newest is decided by: the last event, or the file's time where no event has one.
    #[serde(skip)]
    last: i64,
}

/// Which sessions are wanted.
#[derive(Debug, Clone, Default)]
pub struct Wanted {
    pub agent: Option<Family>,
    /// Only sessions that were started in this directory.
    pub cwd: Option<PathBuf>,
}

/// The sessions that are wanted, newest first. Files that are no sessions, and sub-agents' own files, are left out.
pub fn sessions(env: &Env<'_>, wanted: &Wanted) -> Vec<Found> {
    let asked = wanted.cwd.as_deref().map(spellings);
    let candidates = places::candidates(env, wanted.agent);
    let looks = beside::map(&candidates, |candidate| {
        look(candidate, asked.as_deref().unwrap_or_default())
    });
    let fits = |found: &Found| {
        asked.as_deref().is_none_or(|asked| {
            let cwd = found.cwd.as_deref().map(plain);
            cwd.is_some_and(|cwd| asked.contains(&cwd))
        })
    };
    let mut found: Vec<Found> = looks.into_iter().flatten().filter(fits).collect();
    found.sort_by(|a, b| {
        b.last
            .cmp(&a.last)
            .then_with(|| (&a.path, &a.id).cmp(&(&b.path, &b.id)))
    });
    found
}

/// The ways to write a directory: as given and with links resolved.
fn spellings(dir: &Path) -> Vec<String> {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| dir.to_owned());
    let real = std::fs::canonicalize(dir).ok();
    let mut all: Vec<String> = real
        .into_iter()
        .chain([absolute])
        .map(|path| plain(&path.to_string_lossy()))
        .collect();
    all.dedup();
    all
}

/// A directory for comparing: composed, without a slash at its end or `.` in it.
fn plain(dir: &str) -> String {
    let composed: String = dir.nfc().collect();
    let tidy: PathBuf = Path::new(&composed).components().collect();
    tidy.to_string_lossy().into_owned()
}

/// The sessions of one file or store.
fn look(candidate: &Candidate, asked: &[String]) -> Vec<Found> {
    let path = &candidate.path;
    let meta = std::fs::metadata(path).ok();
    let touched = meta.as_ref().and_then(|m| {
        let since = m.modified().ok()?.duration_since(std::time::UNIX_EPOCH);
        i64::try_from(since.ok()?.as_millis()).ok()
    });
    let last = |ended: Option<&str>| {
        ended
            .and_then(Millis::parse)
            .map_or_else(|| touched.unwrap_or(0), |time| time.0)
    };
    let bytes = meta.map_or(0, |m| m.len());
    let shown = path.display().to_string();
    match formats::stored(path) {
        Ok(Some(sessions)) => {
            let rows = sessions.into_iter().map(|stored| Found {
                last: last(stored.ended.as_deref()),
                path: shown.clone(),
                format: candidate.family.name(),
                id: Some(stored.id),
                title: stored.title,
                cwd: stored.cwd.filter(|c| !c.is_empty()),
                started: stored.started,
                ended: stored.ended,
                bytes,
                stored: true,
                first: None,
            });
            rows.collect()
        }
        Err(_) => Vec::new(),
        Ok(None) => {
            let Ok((head, first)) = peek::peek(path) else {
                return Vec::new();
            };
            if head.child {
                return Vec::new();
            }
            let guess = || {
                let asked = asked.iter().map(|dir| Some(dir.as_str())).chain([None]);
                asked
                    .into_iter()
                    .find_map(|dir| projects::cwd(head.family, path, dir))
            };
            let cwd = match head.family {
                // A directory found among tool paths is a guess; the folder's mark is not.
                Family::Gemini => guess().or(head.cwd.clone()),
                _ => head.cwd.clone().or_else(guess),
            };
            vec![Found {
                last: last(head.ended.as_deref()),
                path: shown,
                format: head.family.name(),
                id: head.id.or_else(|| projects::id(head.family, path)),
                title: head.title,
                cwd,
                started: head.started,
                ended: head.ended,
                bytes,
                stored: false,
                first,
            }]
        }
    }
}
