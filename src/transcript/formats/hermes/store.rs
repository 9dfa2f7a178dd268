//! Hermes' database: sessions and messages as rows, read into the shape of an export.

use super::{About, Messages, chain, session};
use crate::json::Json;
use crate::transcript::formats::stores::database::{each, failed, last_by_session, text, told};
use crate::transcript::{Desk, Family, Options, Sink, Transcript};
use anyhow::Result;
use rusqlite::Connection;
use rusqlite::types::ValueRef;

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
    let mut last = last_by_session(db, "messages", "timestamp")?;
    let columns = [
        ("parent_session_id", "NULL"),
        ("title", "NULL"),
        ("end_reason", "NULL"),
        ("source", "''"),
    ];
    let mut found = Vec::new();
    each(db, "sessions", &columns, |row| {
        let id = text(row, 0).unwrap_or_default();
        let last = last.remove(&id).and_then(|t| t.parse().ok());
        found.push(About {
            parent: text(row, 1).filter(|p| !p.is_empty()),
            title: told(row, 2),
            compressed: text(row, 3).as_deref() == Some("compression"),
            source: text(row, 4).unwrap_or_default(),
            last: last.unwrap_or(0.0),
            id,
        });
    })?;
    Ok(found)
}

/// Gives each row that a query with the session's id finds, as a JSON object.
fn objects(
    db: &Connection,
    query: &str,
    id: &str,
    mut take: impl FnMut(String),
) -> rusqlite::Result<()> {
    let mut query = db.prepare(query)?;
    let names = query.column_names().into_iter();
    let names: Vec<String> = names.map(str::to_owned).collect();
    let mut rows = query.query([id])?;
    while let Some(row) = rows.next()? {
        take(object(row, &names)?);
    }
    Ok(())
}

fn messages(
    db: &Connection,
    id: &str,
    continues: bool,
    desk: &mut Desk<'_>,
) -> rusqlite::Result<()> {
    let mut model = String::new();
    objects(db, "SELECT * FROM sessions WHERE id = ?1", id, |row| {
        if let Ok(json) = Json::parse(&row) {
            session(json, desk);
            model = super::text(json.get("model")).into_owned();
        }
    })?;
    let mut reader = Messages::new(&model, continues);
    let messages = "SELECT * FROM messages WHERE session_id = ?1 ORDER BY id";
    objects(db, messages, id, |row| {
        desk.session.input.records += 1;
        desk.line = u32::try_from(desk.session.input.records).unwrap_or(u32::MAX);
        match Json::parse(&row) {
            Ok(json) => reader.message(json, desk),
            Err(_) => desk.session.input.skipped += 1,
        }
    })
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
