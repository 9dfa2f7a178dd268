//! Stores that hold many sessions: which one is meant.

#[cfg(feature = "sqlite")]
pub mod database;

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
