//! Hermes' database: sessions and messages as rows, read into the shape of an export.

use super::{About, Messages, chain, session};
use crate::json::Json;
use crate::transcript::formats::stores::database::{columns, failed, or, text};
use crate::transcript::{Desk, Family, Options, Sink, Transcript};
use anyhow::Result;
use rusqlite::Connection;
use rusqlite::types::ValueRef;
use std::collections::HashMap;

/// Reads one conversation of the database.
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
    let order = chain(name, &sessions, options)?;
    let mut desk = Desk::new(sink, Family::Hermes);
    for (nth, at) in order.into_iter().enumerate() {
        let id = &sessions[at].id;
        desk.session.child = sessions[at].part_of_another();
        messages(db, id, nth > 0, &mut desk).map_err(|e| failed(name, &e))?;
    }
    Ok(desk.session)
}

fn sessions(db: &Connection) -> rusqlite::Result<Vec<About>> {
    let mut last: HashMap<String, f64> = HashMap::new();
    let mut query =
        db.prepare("SELECT session_id, max(timestamp) FROM messages GROUP BY session_id")?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        let time = text(row, 1).and_then(|t| t.parse().ok()).unwrap_or(0.0);
        last.insert(text(row, 0).unwrap_or_default(), time);
    }
    let has = columns(db, "sessions")?;
    let mut query = db.prepare(&format!(
        "SELECT id, {}, {}, {}, {} FROM sessions ORDER BY id",
        or(&has, "parent_session_id", "NULL"),
        or(&has, "title", "NULL"),
        or(&has, "end_reason", "NULL"),
        or(&has, "source", "''"),
    ))?;
    let mut rows = query.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        let id = text(row, 0).unwrap_or_default();
        found.push(About {
            parent: text(row, 1).filter(|p| !p.is_empty()),
            title: text(row, 2).filter(|t| !t.trim().is_empty()),
            compressed: text(row, 3).as_deref() == Some("compression"),
            source: text(row, 4).unwrap_or_default(),
            last: last.remove(&id).unwrap_or(0.0),
            id,
        });
    }
    Ok(found)
}

fn messages(
    db: &Connection,
    id: &str,
    continues: bool,
    desk: &mut Desk<'_>,
) -> rusqlite::Result<()> {
    let mut model = String::new();
    let mut query = db.prepare("SELECT * FROM sessions WHERE id = ?1")?;
    let names: Vec<String> = query
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut rows = query.query([id])?;
    if let Some(row) = rows.next()? {
        let json = object(row, &names)?;
        if let Ok(json) = Json::parse(&json) {
            session(json, desk);
            model = super::text(json.get("model")).into_owned();
        }
    }
    let mut query = db.prepare("SELECT * FROM messages WHERE session_id = ?1 ORDER BY id")?;
    let names: Vec<String> = query
        .column_names()
        .into_iter()
        .map(str::to_owned)
        .collect();
    let mut rows = query.query([id])?;
    let mut reader = Messages::new(&model, continues);
    while let Some(row) = rows.next()? {
        let json = object(row, &names)?;
        desk.session.input.records += 1;
        desk.line = u32::try_from(desk.session.input.records).unwrap_or(u32::MAX);
        match Json::parse(&json) {
            Ok(json) => reader.message(json, desk),
            Err(_) => desk.session.input.skipped += 1,
        }
    }
    Ok(())
}

/// A row as a JSON object.
fn object(row: &rusqlite::Row<'_>, names: &[String]) -> rusqlite::Result<String> {
    let mut map = serde_json::Map::new();
    for (at, name) in names.iter().enumerate() {
        let value = match row.get_ref(at)? {
            ValueRef::Null => serde_json::Value::Null,
            ValueRef::Integer(n) => n.into(),
            ValueRef::Real(n) => n.into(),
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                String::from_utf8_lossy(bytes).into_owned().into()
            }
        };
        map.insert(name.clone(), value);
    }
    Ok(serde_json::Value::Object(map).to_string())
}
