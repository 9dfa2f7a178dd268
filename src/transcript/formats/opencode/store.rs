//! OpenCode's database: rows hold the JSON of sessions, messages and parts without their ids.

use super::{OpenCode, Part};
use crate::json::{self, Json};
use crate::transcript::formats::shared;
use crate::transcript::formats::stores::database::{each, failed, last_by_session, text, told};
use crate::transcript::formats::stores::{Listed, choose};
use crate::transcript::{Desk, Family, Options, Sink, Transcript};
use anyhow::{Result, bail};
use rusqlite::Connection;

struct Row {
    directory: String,
    revert: Option<String>,
    created: Option<String>,
}

/// Reads one session of the database.
///
/// # Errors
/// The database is damaged or empty, holds several sessions with `strict`, or not the one asked for.
pub fn read(
    name: &str,
    db: &Connection,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Transcript> {
    let sessions = sessions(db).map_err(|e| failed(name, &e))?;
    let chosen = choose(name, &sessions, options)?;
    let mut desk = Desk::new(sink, Family::OpenCode);
    let mut format = OpenCode::default();
    desk.session.id = Some(chosen.id.clone());
    desk.session.title = chosen.title.clone();
    desk.dir(&chosen.place.directory);
    if let Some(created) = chosen
        .place
        .created
        .as_deref()
        .and_then(|t| Json::parse(t).ok())
    {
        shared::note(created, &mut desk);
    }
    if chosen.parent.is_some() {
        desk.session.child = true;
        let lane = desk.lane(&chosen.id);
        format.lane(lane);
    }
    let revert = chosen
        .place
        .revert
        .as_deref()
        .and_then(|r| Json::parse(r).ok());
    format.revert_to(revert);
    messages(db, &chosen.id, &mut format, &mut desk).map_err(|e| failed(name, &e))?;
    for child in sessions
        .iter()
        .filter(|s| s.parent.as_ref() == Some(&chosen.id))
    {
        let lane = desk.lane(&child.id);
        format.lane(lane);
        messages(db, &child.id, &mut format, &mut desk).map_err(|e| failed(name, &e))?;
    }
    let damaged = desk.session.input.skipped;
    if options.strict && damaged > 0 {
        bail!(
            "{name}: {damaged} rows of the session are not readable; run without --strict to leave them out"
        );
    }
    Ok(desk.session)
}

fn sessions(db: &Connection) -> rusqlite::Result<Vec<Listed<Row>>> {
    let mut last = last_by_session(db, "message", "id")?;
    let columns = [
        ("parent_id", "NULL"),
        ("title", "NULL"),
        ("directory", "''"),
        ("revert", "NULL"),
        ("time_created", "NULL"),
    ];
    let mut found = Vec::new();
    each(db, "session", &columns, |row| {
        let id = text(row, 0).unwrap_or_default();
        found.push(Listed {
            parent: text(row, 1).filter(|p| !p.is_empty()),
            title: told(row, 2),
            // Ids begin with the time: the last message's id is the time of the last event.
            last: last.remove(&id).unwrap_or_default(),
            place: Row {
                directory: text(row, 3).unwrap_or_default(),
                revert: text(row, 4),
                created: text(row, 5),
            },
            id,
        });
    })?;
    Ok(found)
}

fn messages(
    db: &Connection,
    session: &str,
    format: &mut OpenCode,
    desk: &mut Desk<'_>,
) -> rusqlite::Result<()> {
    let mut messages =
        db.prepare("SELECT id, data FROM message WHERE session_id = ?1 ORDER BY id")?;
    let mut parts = db.prepare("SELECT id, data FROM part WHERE message_id = ?1 ORDER BY id")?;
    let mut rows = messages.query([session])?;
    while let Some(row) = rows.next()? {
        let id = text(row, 0).unwrap_or_default();
        desk.session.input.records += 1;
        desk.line = u32::try_from(desk.session.input.records).unwrap_or(u32::MAX);
        let Some(info) = value(text(row, 1), desk) else {
            continue;
        };
        let mut texts = Vec::new();
        let mut found = parts.query([&id])?;
        while let Some(row) = found.next()? {
            let part = text(row, 0).unwrap_or_default();
            if let Some(data) = value(text(row, 1), desk) {
                texts.push((part, data));
            }
        }
        let parts = texts
            .iter()
            .filter_map(|(id, data)| {
                let json = Json::parse(data).ok()?;
                Some(Part {
                    id: id.as_str().into(),
                    json,
                })
            })
            .collect();
        if let Ok(info) = Json::parse(&info) {
            format.message(info, &id, parts, desk);
        }
    }
    Ok(())
}

/// The column's JSON, mended if need be; counted as skipped if it is none.
fn value(data: Option<String>, desk: &mut Desk<'_>) -> Option<String> {
    let data = data.unwrap_or_default();
    match Json::parse(&data) {
        Ok(_) => return Some(data),
        Err(json::Broken::Text) => {
            let mended = json::repair(&data);
            if Json::parse(&mended).is_ok() {
                desk.session.input.repaired += 1;
                return Some(mended);
            }
        }
        Err(_) => {}
    }
    desk.session.input.skipped += 1;
    None
}
