//! OpenCode's older store: a folder with one JSON file a session, message and part.

use super::{OpenCode, Part};
use crate::json::{self, Json};
use crate::transcript::formats::stores::{Listed, choose};
use crate::transcript::{Desk, Family, Options, Sink, Transcript};
use anyhow::{Result, bail};
use std::path::{Path, PathBuf};

/// The storage root at or right below the path.
pub fn root(path: &Path) -> Option<PathBuf> {
    [path.to_owned(), path.join("storage")]
        .into_iter()
        .find(|p| p.join("session").is_dir() && p.join("message").is_dir())
}

/// Reads one session of the store.
///
/// # Errors
/// The store is empty, holds several sessions with `strict`, or not the one asked for.
pub fn read(root: &Path, options: &Options<'_>, sink: &mut dyn Sink) -> Result<Transcript> {
    let name = root.display().to_string();
    let mut desk = Desk::new(sink, Family::OpenCode);
    let mut format = OpenCode::default();
    let mut sessions = Vec::new();
    for project in entries(&root.join("session")) {
        for file in entries(&project) {
            if let Some(session) = session(root, &file) {
                sessions.push(session);
            }
        }
    }
    let chosen = choose(&name, &sessions, options)?;
    let id = chosen.id.clone();
    let mut damaged = 0;
    if let Some(text) = slurp(&chosen.place, &mut damaged) {
        with(&text, |info| format.session(info, &mut desk));
    }
    if chosen.parent.is_some() {
        desk.session.child = true;
        let lane = desk.lane(&id);
        format.lane(lane);
    }
    messages(root, &id, &mut format, &mut desk, &mut damaged);
    for child in sessions.iter().filter(|s| s.parent.as_deref() == Some(&id)) {
        let lane = desk.lane(&child.id);
        format.lane(lane);
        messages(root, &child.id, &mut format, &mut desk, &mut damaged);
    }
    desk.session.input.skipped += damaged;
    if options.strict && damaged > 0 {
        bail!(
            "{name}: {damaged} files of the session are not readable; mend or remove them, or run without --strict"
        );
    }
    Ok(desk.session)
}

/// The JSON files or folders in a folder, by name.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map(|dir| dir.flatten().map(|e| e.path()).collect())
        .unwrap_or_default();
    found.retain(|p| p.extension().is_none_or(|e| e == "json"));
    found.sort();
    found
}

fn stem(path: &Path) -> String {
    path.file_stem()
        .map(|s| s.to_string_lossy().into_owned())
        .unwrap_or_default()
}

fn session(root: &Path, file: &Path) -> Option<Listed<PathBuf>> {
    let text = slurp(file, &mut 0)?;
    let mut listed = None;
    with(&text, |info| {
        let [id, parent, title] = info.pick(["id", "parentID", "title"]);
        // An id names files below the store, never beside it.
        let plain = |id: &String| {
            id.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"_-".contains(&b))
        };
        let id = super::some(id).filter(plain).unwrap_or_else(|| stem(file));
        // Ids begin with the time: the last message's id is the time of the last event.
        let last = entries(&root.join("message").join(&id))
            .last()
            .map(|p| stem(p));
        listed = Some(Listed {
            last: last.unwrap_or_default(),
            id,
            parent: super::some(parent),
            title: super::some(title),
            place: file.to_owned(),
        });
    });
    listed
}

fn messages(
    root: &Path,
    session: &str,
    format: &mut OpenCode,
    desk: &mut Desk<'_>,
    damaged: &mut u64,
) {
    for file in entries(&root.join("message").join(session)) {
        let Some(info) = slurp(&file, damaged) else {
            continue;
        };
        desk.session.input.records += 1;
        let id = stem(&file);
        let texts: Vec<(String, String)> = entries(&root.join("part").join(&id))
            .into_iter()
            .filter_map(|part| Some((stem(&part), slurp(&part, damaged)?)))
            .collect();
        let parts = texts
            .iter()
            .filter_map(|(id, text)| {
                Some(Part {
                    id: id.as_str().into(),
                    json: Json::parse(text).ok()?,
                })
            })
            .collect();
        with(&info, |info| format.message(info, &id, parts, desk));
    }
}

/// A file's text if it is one JSON value (mended if need be); counts it as damaged otherwise.
fn slurp(path: &Path, damaged: &mut u64) -> Option<String> {
    let text = std::fs::read(path)
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .ok()
        .and_then(|text| match Json::parse(&text) {
            Ok(_) => Some(text),
            Err(json::Broken::Text) => {
                let mended = json::repair(&text);
                Json::parse(&mended).is_ok().then_some(mended)
            }
            Err(_) => None,
        });
    *damaged += u64::from(text.is_none());
    text
}

fn with(text: &str, job: impl FnOnce(Json<'_>)) {
    if let Ok(json) = Json::parse(text) {
        job(json);
    }
}
