//! An SQLite database, opened without changing anything, and its rows.

use anyhow::{Result, bail};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use std::collections::HashMap;
use std::path::Path;

/// Opens the file read-only. A write-ahead log beside it is read too; without one a database in that mode
/// is opened as it stands, since SQLite would otherwise create the log's files.
///
/// # Errors
/// SQLite cannot open it.
pub fn open(path: &Path) -> Result<Connection> {
    let name = path.display();
    let log = {
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        Path::new(&log).exists()
    };
    let logging = super::head(path).is_some_and(|h| h[18] == 2 || h[19] == 2);
    let mode = if logging && !log { "&immutable=1" } else { "" };
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("file:{}?mode=ro{mode}", escaped(path));
    let open = || -> rusqlite::Result<Connection> {
        let db = Connection::open_with_flags(&uri, flags)?;
        db.busy_timeout(std::time::Duration::from_secs(5))?;
        // A damaged schema must not run anything of its own.
        db.pragma_update(None, "trusted_schema", false)?;
        db.query_row("SELECT count(*) FROM sqlite_master", [], |_| Ok(()))?;
        Ok(db)
    };
    open().map_err(|e| {
        let hint = if log {
            "; if its folder cannot be written, copy it with its -wal file elsewhere"
        } else {
            ""
        };
        anyhow::anyhow!("{name}: this SQLite store cannot be read: {e}{hint}")
    })
}

/// The path for a `file:` URI.
fn escaped(path: &Path) -> String {
    let mut out = String::new();
    let text = path.to_string_lossy();
    // A relative path stays relative; an absolute one needs no authority.
    for c in text.chars() {
        match c {
            '?' => out.push_str("%3f"),
            '#' => out.push_str("%23"),
            '%' => out.push_str("%25"),
            c => out.push(c),
        }
    }
    out
}

/// Names of the tables.
///
/// # Errors
/// The schema is damaged.
pub fn tables(db: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut query = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")?;
    let names = query.query_map([], |row| Ok(text(row, 0).unwrap_or_default()))?;
    names.collect()
}

/// Names of a table's columns; releases differ in them.
///
/// # Errors
/// The schema is damaged.
pub fn columns(db: &Connection, table: &str) -> rusqlite::Result<Vec<String>> {
    let mut query = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
    let names = query.query_map([table], |row| Ok(text(row, 0).unwrap_or_default()))?;
    names.collect()
}

/// The rows of a table by their id: the id first, then the columns, each with the literal that stands for it where
/// the table lacks it.
///
/// # Errors
/// The table is damaged, or has no ids.
pub fn each(
    db: &Connection,
    table: &str,
    columns: &[(&str, &str)],
    mut take: impl FnMut(&Row<'_>),
) -> rusqlite::Result<()> {
    let known = self::columns(db, table)?;
    let mut select = String::from("SELECT id");
    for (column, other) in columns {
        let there = known.iter().any(|c| c == column);
        select.push_str(", ");
        select.push_str(if there { column } else { other });
    }
    let mut query = db.prepare(&format!("{select} FROM {table} ORDER BY id"))?;
    let mut rows = query.query([])?;
    while let Some(row) = rows.next()? {
        take(row);
    }
    Ok(())
}

/// The largest value of a column by session, as text.
///
/// # Errors
/// The table is damaged, or lacks the column.
pub fn last_by_session(
    db: &Connection,
    table: &str,
    column: &str,
) -> rusqlite::Result<HashMap<String, String>> {
    let query = format!("SELECT session_id, max({column}) FROM {table} GROUP BY session_id");
    let mut query = db.prepare(&query)?;
    let mut rows = query.query([])?;
    let mut found = HashMap::new();
    while let Some(row) = rows.next()? {
        if let (Some(id), Some(last)) = (text(row, 0), text(row, 1)) {
            found.insert(id, last);
        }
    }
    Ok(found)
}

/// [`text`] that says something.
pub fn told(row: &Row<'_>, at: usize) -> Option<String> {
    text(row, at).filter(|t| !t.trim().is_empty())
}

/// A value as text, whatever its type; `None` for NULL.
pub fn text(row: &Row<'_>, at: usize) -> Option<String> {
    match row.get_ref(at).ok()? {
        ValueRef::Null => None,
        ValueRef::Integer(n) => Some(n.to_string()),
        ValueRef::Real(n) => Some(n.to_string()),
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

/// A failed query as a sentence.
pub fn failed(name: &str, error: &rusqlite::Error) -> anyhow::Error {
    anyhow::anyhow!("{name}: this SQLite store is damaged or of an unknown version: {error}")
}

/// What a store without a reader is.
///
/// # Errors
/// Always, with a sentence.
pub fn refuse<T>(name: &str, tables: &[String]) -> Result<T> {
    let has = |t: &str| tables.iter().any(|n| n == t);
    if has("cursorDiskKV") {
        bail!(
            "{name}: this is the Cursor IDE's store, which is not supported; use a file below ~/.cursor/projects/*/agent-transcripts"
        );
    }
    if has("blobs") && has("meta") {
        bail!(
            "{name}: this is the Cursor CLI's store, which is not supported; use a file below ~/.cursor/projects/*/agent-transcripts"
        );
    }
    if has("threads") {
        bail!(
            "{name}: this is an index of Codex sessions; the session files are below ~/.codex/sessions"
        );
    }
    bail!(
        "{name}: this SQLite database is no session store that is known; known are OpenCode's and Hermes'"
    )
}
