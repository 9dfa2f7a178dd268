//! What stands in a store of many sessions, without reading any of them: enough to list them and to choose one.

use super::opencode::folder;
use super::shared::moment;
use crate::json::Json;
use std::path::Path;

/// A session of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// What `--session` takes.
    pub id: String,
    pub title: Option<String>,
    pub cwd: Option<String>,
    /// RFC 3339, of the first and the last event.
    pub started: Option<String>,
    pub ended: Option<String>,
}

/// The sessions in OpenCode's folder, without those of sub-agents. `None`: the path is no such folder.
pub fn in_folder(path: &Path) -> Option<Vec<Stored>> {
    let root = folder::root(path)?;
    let files = |folder: &Path| -> Vec<_> {
        let list = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<_> = list.map(|e| e.path()).collect();
        paths.sort();
        paths
    };
    let projects = files(&root.join("session"));
    let texts = projects
        .iter()
        .flat_map(|project| files(project))
        .filter_map(|file| std::fs::read_to_string(file).ok());
    Some(texts.filter_map(|text| of_json(&text)).collect())
}

/// A session from its record; `None` for a sub-agent's.
fn of_json(text: &str) -> Option<Stored> {
    let json = Json::parse(text).ok()?;
    let [id, parent, title, directory, time] =
        json.pick(["id", "parentID", "title", "directory", "time"]);
    if super::some(parent.and_then(|p| p.str())).is_some() {
        return None;
    }
    let at = |key: &str| time?.get(key).and_then(moment).map(|t| t.rfc3339());
    Some(Stored {
        id: super::some(id?.str())?,
        title: super::some(title.and_then(|t| t.str())),
        cwd: super::some(directory.and_then(|d| d.str())),
        started: at("created"),
        ended: at("updated"),
    })
}

#[cfg(feature = "sqlite")]
pub use database::in_database;

#[cfg(feature = "sqlite")]
mod database {
    use super::Stored;
    use crate::transcript::Millis;
    use crate::transcript::formats::stores::database::{
        columns, each, failed, last_by_session, open, refuse, tables, text, told,
    };
    use anyhow::Result;
    use rusqlite::Connection;
    use std::collections::HashMap;
    use std::path::Path;

    /// The sessions in a database of OpenCode or Hermes, without those of sub-agents and without those that go on
    /// in another.
    ///
    /// # Errors
    /// It is a database of something else, or cannot be read.
    pub fn in_database(path: &Path) -> Result<Vec<Stored>> {
        let name = path.display().to_string();
        let db = open(path)?;
        let tables = tables(&db).map_err(|e| failed(&name, &e))?;
        let has = |table: &str| tables.iter().any(|t| t == table);
        if has("session") && has("message") {
            opencode(&db).map_err(|e| failed(&name, &e))
        } else if has("sessions") && has("messages") {
            hermes(&db).map_err(|e| failed(&name, &e))
        } else {
            refuse(&name, &tables)
        }
    }

    /// A number of seconds or milliseconds as RFC 3339.
    fn time(value: Option<String>) -> Option<String> {
        let number: f64 = value?.parse().ok()?;
        let millis = if number < 1e11 {
            number * 1000.0
        } else {
            number
        };
        let written = Millis(millis.round() as i64).rfc3339();
        (number.is_finite() && number > 0.0 && !written.is_empty()).then_some(written)
    }

    /// The time of the last message, by session; none where the release does not note it.
    fn last(
        db: &Connection,
        table: &str,
        column: &str,
    ) -> rusqlite::Result<HashMap<String, String>> {
        match columns(db, table)?.iter().any(|c| c == column) {
            true => last_by_session(db, table, column),
            false => Ok(HashMap::new()),
        }
    }

    fn opencode(db: &Connection) -> rusqlite::Result<Vec<Stored>> {
        let mut last = last(db, "message", "time_created")?;
        let columns = [
            ("parent_id", "NULL"),
            ("title", "NULL"),
            ("directory", "NULL"),
            ("time_created", "NULL"),
            ("time_updated", "NULL"),
        ];
        let mut found = Vec::new();
        each(db, "session", &columns, |row| {
            let child = text(row, 1).is_some_and(|parent| !parent.is_empty());
            let Some(id) = text(row, 0).filter(|_| !child) else {
                return;
            };
            found.push(Stored {
                title: told(row, 2),
                cwd: text(row, 3),
                started: time(text(row, 4)),
                ended: time(last.remove(&id).or_else(|| text(row, 5))),
                id,
            });
        })?;
        Ok(found)
    }

    fn hermes(db: &Connection) -> rusqlite::Result<Vec<Stored>> {
        let mut last = last(db, "messages", "timestamp")?;
        let columns = [
            ("parent_session_id", "NULL"),
            ("source", "''"),
            ("end_reason", "NULL"),
            ("title", "NULL"),
            ("cwd", "NULL"),
            ("started_at", "NULL"),
            ("ended_at", "NULL"),
        ];
        let mut found = Vec::new();
        let mut compressed = Vec::new();
        let mut parents = Vec::new();
        each(db, "sessions", &columns, |row| {
            let Some(id) = text(row, 0) else { return };
            let source = text(row, 2).unwrap_or_default();
            let parent = text(row, 1).filter(|p| !p.is_empty());
            if parent.is_some() && matches!(source.as_str(), "subagent" | "delegate" | "tool") {
                return;
            }
            parents.extend(parent);
            if text(row, 3).as_deref() == Some("compression") {
                compressed.push(id.clone());
            }
            found.push(Stored {
                title: told(row, 4),
                cwd: text(row, 5),
                started: time(text(row, 6)),
                ended: time(last.remove(&id).or_else(|| text(row, 7))),
                id,
            });
        })?;
        found.retain(|s: &Stored| !(compressed.contains(&s.id) && parents.contains(&s.id)));
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_lists_its_sessions_without_those_of_sub_agents() {
        let home = tempfile::tempdir().expect("a folder");
        let root = home.path().join("storage");
        for folder in ["session/p1", "message"] {
            std::fs::create_dir_all(root.join(folder)).expect("made");
        }
        let write = |name: &str, text: &str| {
            std::fs::write(root.join("session/p1").join(name), text).expect("written");
        };
        write(
            "a.json",
            r#"{"id":"ses_a","title":"색인","directory":"/w/blog","time":{"created":1777000000000,"updated":1777000090000}}"#,
        );
        write("b.json", r#"{"id":"ses_b","parentID":"ses_a"}"#);
        let found = in_folder(&root).expect("a store");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].id, "ses_a");
        assert_eq!(found[0].ended.as_deref(), Some("2026-04-24T03:08:10Z"));
        assert!(in_folder(home.path().join("none").as_path()).is_none());
    }
}
