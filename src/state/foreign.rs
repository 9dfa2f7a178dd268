//! Facts that another compactor left in the transcript itself: pi-vcc-ko writes the files and commits it knew into
//! the details of its compactions (version 3). Read once, at the door; the newest record is cumulative. What the
//! file proves itself is never taken from there, and nothing is read from the text of a summary.

use super::{Commit, File};
use crate::json::Json;
use crate::language::{nfc, one_line};
use crate::redact::redact;
use crate::session::Session;
use crate::session::place::Place;
use crate::transcript::{Mark, Ref};

/// Adds the files and commits of the newest foreign record that the lists lack, in front: they are older.
///
/// `old` is the newest record among entries that were let go of, and the last number there.
pub fn add(
    session: &Session,
    old: (Option<(Ref, String)>, Ref),
    files: &mut Vec<File>,
    commits: &mut Vec<Commit>,
) {
    let Some((at, details)) = newest(session, old) else {
        return;
    };
    let Ok(details) = Json::parse(&details) else {
        return;
    };
    let state = details.get("state").unwrap_or(details);
    let place = Place::of(session);
    let mut older = Vec::new();
    for (kind, path) in paths(state.get("files")) {
        let path = place.shown(&place.resolve(&path, session.head.cwd.as_deref()));
        if files
            .iter()
            .any(|f| f.path == path || f.renamed_from.as_ref() == Some(&path))
        {
            continue;
        }
        let slot = match older.iter().position(|f: &File| f.path == path) {
            Some(slot) => slot,
            None => {
                older.push(File {
                    path,
                    read: 0,
                    modified: 0,
                    created: false,
                    deleted: false,
                    renamed_from: None,
                    reference: at,
                });
                older.len() - 1
            }
        };
        if let Some(file) = older.get_mut(slot) {
            match kind {
                Touch::Read => file.read = 1,
                Touch::Modified => file.modified = 1,
                Touch::Created => (file.modified, file.created) = (1, true),
                Touch::Deleted => file.deleted = true,
            }
        }
    }
    files.splice(0..0, older);
    let known = |hash: &str| {
        commits
            .iter()
            .any(|c| c.hash.starts_with(hash) || hash.starts_with(&c.hash))
    };
    let older: Vec<Commit> = state
        .get("commits")
        .into_iter()
        .flat_map(|c| c.items())
        .filter_map(|c| commit(&c, at))
        .filter(|c| !known(&c.hash))
        .collect();
    commits.splice(0..0, older);
}

/// The newest foreign record, with the number of the message before it.
pub fn newest(session: &Session, old: (Option<(Ref, String)>, Ref)) -> Option<(Ref, String)> {
    let (mut newest, mut at) = old;
    for entry in session.active() {
        at = entry.number.unwrap_or(at);
        if let Some(Mark::Compaction(c)) = &entry.mark
            && let Some(details) = c.details.as_deref()
        {
            newest = Some((at, details.to_owned()));
        }
    }
    newest
}

#[derive(Clone, Copy)]
enum Touch {
    Read,
    Modified,
    Created,
    Deleted,
}

fn touch(name: &str) -> Option<Touch> {
    Some(match name {
        "read" | "readFiles" => Touch::Read,
        "modified" | "edited" | "written" | "modifiedFiles" => Touch::Modified,
        "created" | "createdFiles" => Touch::Created,
        "deleted" | "deletedFiles" => Touch::Deleted,
        _ => return None,
    })
}

/// Lists by kind (`{"modified": [PATH, …]}`), or one list of objects that name their path and what was done.
fn paths(files: Option<Json<'_>>) -> Vec<(Touch, String)> {
    let mut out = Vec::new();
    let Some(files) = files else { return out };
    let clean =
        |path: &str| Some(nfc(one_line(path).trim()).into_owned()).filter(|p| !p.is_empty());
    for (name, list) in files.fields() {
        let Some(kind) = touch(&name.name()) else {
            continue;
        };
        for path in list.items().filter_map(|p| clean(&p.str()?)) {
            out.push((kind, path));
        }
    }
    for file in files.items() {
        let Some(path) = file.text("path").and_then(|p| clean(&p)) else {
            continue;
        };
        for (name, value) in file.fields() {
            let Some(kind) = touch(&name.name()) else {
                continue;
            };
            if value.u64().is_some_and(|n| n > 0) || value.raw() == "true" {
                out.push((kind, path.clone()));
            }
        }
    }
    out
}

/// `{"hash", "message" or "subject"}`, or `HASH subject`.
fn commit(record: &Json<'_>, at: Ref) -> Option<Commit> {
    let (hash, subject) = match record.str() {
        Some(line) => {
            let (hash, subject) = line.trim().split_once([' ', ':'])?;
            (
                hash.to_owned(),
                subject.trim_start_matches(':').trim().to_owned(),
            )
        }
        None => {
            let subject = record.text("subject").or_else(|| record.text("message"))?;
            (record.text("hash")?.into_owned(), subject.into_owned())
        }
    };
    let is_hash = (4..=64).contains(&hash.len()) && hash.bytes().all(|b| b.is_ascii_hexdigit());
    let subject = subject.lines().next().unwrap_or_default();
    is_hash.then(|| Commit {
        hash,
        subject: nfc(&one_line(&redact(subject))).into_owned(),
        branch: record.text("branch").map(|b| b.into_owned()),
        reference: at,
    })
}

#[cfg(test)]
mod tests {
    use crate::extract::extract;
    use crate::lexicon::Rules;
    use crate::session::testing::session;

    fn pi(details: &str) -> String {
        format!(
            r#"{{"type":"session","version":3,"id":"s","cwd":"/w"}}
{{"type":"message","id":"a","parentId":null,"message":{{"role":"user","content":"환불 화면을 고쳐줘"}}}}
{{"type":"message","id":"b","parentId":"a","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c1","name":"edit","arguments":{{"path":"src/a.rs","oldText":"a","newText":"b"}}}}]}}}}
{{"type":"message","id":"c","parentId":"b","message":{{"role":"toolResult","toolCallId":"c1","toolName":"edit","content":[{{"type":"text","text":"ok"}}],"isError":false}}}}
{{"type":"compaction","id":"d","parentId":"c","summary":"[Session Goal]\n- ghost.rs","details":{details}}}
"#
        )
    }

    #[test]
    fn files_and_commits_of_pi_vcc_ko_are_read() {
        let text = pi(
            r#"{"version":3,"compactor":"pi-vcc-ko","state":{"files":{"read":["/w/src/b.rs"],"modified":["src/a.rs","src/c.rs"],"created":["src/c.rs"]},"commits":[{"hash":"1a2b3c4","message":"환불 수정"}]}}"#,
        );
        let state = extract(&session(&text), &Rules::shared());
        let paths: Vec<_> = state.files.iter().map(|f| f.path.as_str()).collect();
        assert_eq!(paths, ["src/b.rs", "src/c.rs", "src/a.rs"]);
        assert_eq!(state.files.iter().map(|f| f.modified).sum::<u64>(), 2);
        assert_eq!(state.commits[0].subject, "환불 수정");
        assert_eq!(state.commits[0].reference.to_string(), "#2");
    }

    #[test]
    fn others_are_not() {
        let text =
            pi(r#"{"version":3,"compactor":"other","state":{"files":{"read":["ghost.rs"]}}}"#);
        let state = extract(&session(&text), &Rules::shared());
        assert_eq!(state.files.len(), 1);
    }
}
