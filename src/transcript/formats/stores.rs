//! Stores that hold many sessions: which one is meant, and how a database is opened without changing anything.

use crate::transcript::Options;
use anyhow::{Result, bail};

/// A session of a store, before it is read.
pub struct Listed<P> {
    pub id: String,
    /// The session it is a part of (a sub-agent's parent).
    pub parent: Option<String>,
    pub title: Option<String>,
    /// Sorts by the time of the last event, as text.
    pub last: String,
    pub place: P,
}

/// The session that is meant: the one named, else the newest by last event (CONTRACT 1). Sub-agents' sessions
/// are only read when named.
///
/// # Errors
/// Nothing in the store, no session of that id, or several with `strict`.
pub fn choose<'l, P>(
    name: &str,
    sessions: &'l [Listed<P>],
    options: &Options<'_>,
) -> Result<&'l Listed<P>> {
    if let Some(id) = &options.session {
        return match sessions.iter().find(|s| &s.id == id) {
            Some(session) => Ok(session),
            None => bail!(
                "{name}: no session {id:?} in it; known: {}",
                list(sessions.iter())
            ),
        };
    }
    let main: Vec<&Listed<P>> = sessions.iter().filter(|s| s.parent.is_none()).collect();
    if options.strict && main.len() > 1 {
        bail!(
            "{name}: {} sessions in it; name one with --session: {}",
            main.len(),
            list(main.into_iter())
        );
    }
    let newest = main
        .into_iter()
        .max_by(|a, b| (&a.last, &a.id).cmp(&(&b.last, &b.id)));
    // A store of sub-agents alone: still the newest.
    let newest = newest.or_else(|| {
        sessions
            .iter()
            .max_by(|a, b| (&a.last, &a.id).cmp(&(&b.last, &b.id)))
    });
    newest.ok_or_else(|| {
        anyhow::anyhow!("{name}: no session in it; check that this is the agent's store")
    })
}

/// The newest sessions first, at most twenty.
fn list<'l, P: 'l>(sessions: impl Iterator<Item = &'l Listed<P>>) -> String {
    let mut sessions: Vec<_> = sessions.collect();
    sessions.sort_by(|a, b| (&b.last, &b.id).cmp(&(&a.last, &a.id)));
    let shown: Vec<String> = sessions
        .iter()
        .take(20)
        .map(|s| match &s.title {
            Some(title) => format!("{} ({title})", s.id),
            None => s.id.clone(),
        })
        .collect();
    let more = if sessions.len() > shown.len() {
        ", …"
    } else {
        ""
    };
    format!("{}{more}", shown.join(", "))
}

/// Whether the file begins as an SQLite database does.
pub fn is_database(path: &std::path::Path) -> bool {
    head(path).is_some_and(|head| head.starts_with(b"SQLite format 3\0"))
}

fn head(path: &std::path::Path) -> Option<[u8; 20]> {
    use std::io::Read;
    let mut head = [0; 20];
    std::fs::File::open(path).ok()?.read_exact(&mut head).ok()?;
    Some(head)
}

#[cfg(feature = "sqlite")]
pub mod database {
    //! A database opened for reading only.

    use anyhow::{Result, bail};
    use rusqlite::types::ValueRef;
    use rusqlite::{Connection, OpenFlags, Row};
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

    /// `column` if the table has it, else the literal that stands for it.
    pub fn or<'c>(columns: &[String], column: &'c str, other: &'c str) -> &'c str {
        if columns.iter().any(|c| c == column) {
            column
        } else {
            other
        }
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
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(id: &str, parent: Option<&str>, last: &str) -> Listed<()> {
        Listed {
            id: id.into(),
            parent: parent.map(Into::into),
            title: None,
            last: last.into(),
            place: (),
        }
    }

    #[test]
    fn the_newest_main_session_is_meant_unless_one_is_named() {
        let all = [
            listed("a", None, "1"),
            listed("b", None, "2"),
            listed("c", Some("b"), "3"),
        ];
        let mut options = Options::default();
        assert_eq!(choose("s", &all, &options).unwrap().id, "b");
        options.strict = true;
        let error = choose("s", &all, &options)
            .map(|_| ())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("2 sessions") && error.contains("b, a"),
            "{error}"
        );
        options.session = Some("c".into());
        assert_eq!(choose("s", &all, &options).unwrap().id, "c");
        options.session = Some("z".into());
        assert!(choose("s", &all, &options).is_err());
        assert!(choose::<()>("s", &[], &Options::default()).is_err());
    }
}
