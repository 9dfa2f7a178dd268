//! What each agent's file gives, one snapshot a file, and that no damage to a file hurts.

use compact::session::{Digest, Session};
use compact::transcript::read::read_bytes;
use compact::transcript::{Args, Block, Family, Mark, Options, Outcome, Ref, Source, Voice};
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn data(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/formats")
        .join(name)
}

fn session(bytes: &[u8], options: &Options<'_>) -> anyhow::Result<Session> {
    let mut digest = Digest::default();
    let head = read_bytes(bytes, options, &mut digest)?;
    Ok(digest.finish(head))
}

/// The id of the call that a result answers.
fn answered<'s>(session: &'s Session, result: &Outcome<'_>) -> &'s str {
    let mut steps = session.all_steps();
    let step = steps.find(|s| s.outcome.is_some_and(|o| std::ptr::eq(o, result)));
    step.map_or("of no call", |s| &s.call.id)
}

/// Holds what was read against the snapshot of that name.
fn assert_shown(name: &str, session: &Session) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots/formats");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_snapshot!(name.replace('.', "-"), shown(session)));
}

/// A session as a person can check it against its file.
fn shown(s: &Session) -> String {
    let mut out = String::new();
    let h = &s.head;
    let name = |v: &Option<String>| v.clone().unwrap_or("-".into());
    let _ = writeln!(
        out,
        "{} id={} title={} cwd={} branch={} models={:?} window={:?} child={}\nfrom {} to {} records={} skipped={} stitched={} unknown={:?} orphans={}",
        h.family.name(),
        name(&h.id),
        name(&h.title),
        name(&h.cwd),
        name(&h.branch),
        h.models,
        h.window,
        h.child,
        name(&h.started),
        name(&h.ended),
        h.input.records,
        h.input.skipped,
        h.input.stitched,
        h.input.unknown,
        s.orphans
    );
    for e in &s.entries {
        let number = e.number.map_or("--".into(), |n: Ref| n.to_string());
        let _ = write!(out, "{number} {:?}", e.kind);
        if e.lane > 0 {
            let _ = write!(out, " lane={}", h.lanes[e.lane as usize]);
        }
        if !s.is_active(e) {
            out.push_str(" OFF");
        }
        if let Some(u) = e.usage {
            let _ = write!(out, " tokens={}+{}", u.prompt, u.output);
        }
        out.push('\n');
        match &e.mark {
            Some(Mark::Compaction(c)) => {
                let _ = writeln!(
                    out,
                    "   compaction auto={:?} before={:?} after={:?} summary={:?}",
                    c.auto, c.tokens_before, c.tokens_after, c.summary
                );
            }
            Some(mark) => {
                let _ = writeln!(out, "   {mark:?}");
            }
            None => {}
        }
        for block in &e.blocks {
            let _ = match block {
                Block::Said { voice, text } => writeln!(out, "   {voice:?}: {text:?}"),
                Block::Thinking { chars } => writeln!(out, "   thinking {chars}"),
                Block::Image(i) => writeln!(out, "   image {:?} {:?}", i.name, i.size),
                Block::Call(c) => writeln!(
                    out,
                    "   call {} {} {:?} {}",
                    c.id,
                    c.name,
                    c.tool,
                    match &c.args {
                        Args::Json(_) => c.args.json().to_value().to_string(),
                        Args::Raw(text) => text.to_string(),
                    }
                ),
                Block::Result(r) => writeln!(
                    out,
                    "   result {} {:?} exit={:?} {:?} agent={:?} changes={:?}",
                    answered(s, r),
                    r.status,
                    r.exit,
                    r.text,
                    r.side.agent,
                    r.side.changes
                ),
            };
        }
    }
    out
}

const FILES: &[(&str, Family)] = &[
    ("amp.json", Family::Amp),
    ("copilot.jsonl", Family::Copilot),
    ("cursor.jsonl", Family::Cursor),
    ("droid.jsonl", Family::Droid),
    ("gemini.jsonl", Family::Gemini),
    ("gemini-session.json", Family::Gemini),
    ("gemini-checkpoint.json", Family::Gemini),
    ("hermes.jsonl", Family::Hermes),
    ("kimi-context.jsonl", Family::Kimi),
    ("kimi-wire.jsonl", Family::Kimi),
    ("kimi-code.jsonl", Family::Kimi),
    ("mini-swe-agent.traj.json", Family::MiniSweAgent),
    ("opencode.json", Family::OpenCode),
    ("openhands-v0.json", Family::OpenHands),
    ("openhands-v1.jsonl", Family::OpenHands),
    ("qwen.jsonl", Family::Qwen),
    ("swe-agent.traj", Family::SweAgent),
];

#[test]
fn every_agents_file_gives_what_it_says() {
    for (name, family) in FILES {
        let bytes = std::fs::read(data(name)).unwrap();
        let session = session(&bytes, &Options::default()).unwrap();
        assert_eq!(session.head.family, *family, "{name}");
        assert_shown(name, &session);
    }
}

#[test]
fn an_export_behind_a_progress_line_is_the_same_session() {
    let bytes = std::fs::read(data("opencode.json")).unwrap();
    let plain = session(&bytes, &Options::default()).unwrap();
    let behind = [b"Exporting session: ses_1\n", bytes.as_slice()].concat();
    let behind = session(&behind, &Options::default()).unwrap();
    assert_eq!(behind.head.input.skipped, 1);
    assert_eq!(plain.entries.len(), behind.entries.len());
}

#[test]
fn a_sessions_lines_are_chosen_by_their_last_event() {
    let bytes = std::fs::read(data("hermes.jsonl")).unwrap();
    let named = |id: &str| {
        session(
            &bytes,
            &Options {
                session: Some(id.into()),
                ..Options::default()
            },
        )
    };
    assert_eq!(named("h0").unwrap().head.id.as_deref(), Some("h0"));
    assert!(named("h9").is_err_and(|e| e.root_cause().to_string().contains("h9")));
    let strict = Options {
        strict: true,
        ..Options::default()
    };
    let error = format!("{:#}", session(&bytes, &strict).unwrap_err());
    assert!(
        error.contains("h0") && error.contains("h2") && error.contains("--session"),
        "{error}"
    );
}

/// The storage folder that OpenCode would have written for the export.
fn folder_of_export(root: &Path) {
    let doc: serde_json::Value =
        serde_json::from_slice(&std::fs::read(data("opencode.json")).unwrap()).unwrap();
    let write = |path: PathBuf, value: &serde_json::Value| {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, value.to_string()).unwrap();
    };
    write(root.join("storage/session/p/ses_1.json"), &doc["info"]);
    for message in doc["messages"].as_array().unwrap() {
        let id = message["info"]["id"].as_str().unwrap();
        write(
            root.join(format!("storage/message/ses_1/{id}.json")),
            &message["info"],
        );
        for part in message["parts"].as_array().unwrap() {
            let part_id = part["id"].as_str().unwrap();
            write(root.join(format!("storage/part/{id}/{part_id}.json")), part);
        }
    }
    // A part without its message, and a folder that is none of a session.
    write(root.join("storage/part/msg_zzz/prt_z.json"), &doc["info"]);
}

#[test]
fn a_storage_folder_is_the_session_of_its_export() {
    let root = tempfile::tempdir().unwrap();
    folder_of_export(root.path());
    let export = session(
        &std::fs::read(data("opencode.json")).unwrap(),
        &Options::default(),
    )
    .unwrap();
    let read = Session::read(&Source::Path(root.path().to_owned()), &Options::default()).unwrap();
    let entries = |s: &Session| {
        shown(s)
            .split_once("records=")
            .map(|(_, t)| t.split_once('\n').unwrap().1.to_owned())
    };
    assert_eq!(entries(&export), entries(&read));
    let other = tempfile::tempdir().unwrap();
    let error =
        Session::read(&Source::Path(other.path().to_owned()), &Options::default()).unwrap_err();
    assert!(error.to_string().contains("is a directory"), "{error}");
}

#[test]
fn a_sub_agents_session_of_a_store_is_its_parents_talk_and_an_empty_one_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join("storage").join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write(
        "session/p/ses_c.json",
        r#"{"id":"ses_c","parentID":"ses_a","time":{"created":1777000000000}}"#,
    );
    write("session/p/ses_e.json", r#"{"id":"ses_e"}"#);
    write(
        "message/ses_c/msg_1.json",
        r#"{"id":"msg_1","role":"user","time":{"created":1777000060000}}"#,
    );
    write("part/msg_1/prt_1.json", r#"{"type":"text","text":"find"}"#);
    let named = |id: &str| {
        let options = Options {
            session: Some(id.into()),
            ..Options::default()
        };
        Session::read(&Source::Path(root.path().to_owned()), &options)
    };
    let child = named("ses_c").unwrap();
    assert!(child.head.child);
    assert_eq!(child.head.ended.as_deref(), Some("2026-04-24T03:07:40Z"));
    let error = named("ses_e").unwrap_err().to_string();
    assert!(error.contains("no message in it"), "{error}");

    let hermes = r#"{"id":"h0","source":"cli","started_at":1.0,"messages":[{"role":"user","content":"고쳐줘"}]}
{"id":"h1","source":"subagent","parent_session_id":"h0","started_at":9.0,"messages":[{"role":"user","content":"find"}]}
"#;
    let named = |id: &str| {
        let options = Options {
            session: Some(id.into()),
            ..Options::default()
        };
        let read = session(hermes.as_bytes(), &options).unwrap();
        let voices = read.entries.iter().flat_map(|e| &e.blocks);
        let parent = |b: &Block<'_>| {
            matches!(
                b,
                Block::Said {
                    voice: Voice::Parent,
                    ..
                }
            )
        };
        (read.head.child, voices.filter(|b| parent(b)).count())
    };
    assert_eq!(named("h0"), (false, 0));
    assert_eq!(named("h1"), (true, 1));
}

#[cfg(feature = "sqlite")]
mod stores {
    use super::*;

    fn build(name: &str, folder: &Path) -> PathBuf {
        let path = folder.join(name).with_extension("db");
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(&std::fs::read_to_string(data(name)).unwrap())
            .unwrap();
        path
    }

    fn read(path: &Path, options: &Options<'_>) -> anyhow::Result<Session> {
        Session::read(&Source::Path(path.to_owned()), options)
    }

    #[test]
    fn databases_give_one_session_and_its_sub_agents() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["opencode.sql", "hermes.sql"] {
            let path = build(name, folder.path());
            let before = std::fs::read(&path).unwrap();
            let session = read(&path, &Options::default()).unwrap();
            assert_shown(name, &session);
            assert_eq!(before, std::fs::read(&path).unwrap());
            let strict = Options {
                strict: true,
                ..Options::default()
            };
            let error = format!("{:#}", read(&path, &strict).unwrap_err());
            assert!(error.contains("2 sessions"), "{error}");
        }
        let named = Options {
            session: Some("ses_c".into()),
            ..Options::default()
        };
        let child = read(&folder.path().join("opencode.db"), &named).unwrap();
        assert!(child.head.child);
        assert_eq!(
            child
                .active()
                .filter(|e| e.texts(Voice::Parent).next().is_some())
                .count(),
            1
        );
    }

    #[test]
    fn a_database_in_use_is_read_with_its_log_and_one_at_rest_stays_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = build("opencode.sql", folder.path());
        let db = rusqlite::Connection::open(&path).unwrap();
        let mode: String = db
            .query_row("PRAGMA journal_mode = wal", [], |r| r.get(0))
            .unwrap();
        assert_eq!(mode, "wal");
        db.execute_batch(
            r#"INSERT INTO message VALUES('msg_0041','ses_b',5,'{"role":"user","time":{"created":1780000004500}}');
               INSERT INTO part VALUES('prt_0041','msg_0041','ses_b','{"type":"text","text":"방금 쓴 말"}');"#,
        )
        .unwrap();
        assert!(folder.path().join("opencode.db-wal").exists());
        assert!(shown(&read(&path, &Options::default()).unwrap()).contains("방금 쓴 말"));
        db.close().unwrap();
        let files = |f: &Path| std::fs::read_dir(f).unwrap().count();
        let before = files(folder.path());
        assert!(shown(&read(&path, &Options::default()).unwrap()).contains("방금 쓴 말"));
        assert_eq!(
            before,
            files(folder.path()),
            "nothing was written beside it"
        );
    }

    #[test]
    fn the_database_comes_before_the_older_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        folder_of_export(folder.path());
        build("opencode.sql", folder.path());
        let session = read(folder.path(), &Options::default()).unwrap();
        assert_eq!(session.head.id.as_deref(), Some("ses_b"));
        let files = read(&folder.path().join("storage"), &Options::default()).unwrap();
        assert_eq!(files.head.id.as_deref(), Some("ses_1"));
    }

    #[test]
    fn other_databases_are_named_for_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        for (tables, part) in [
            ("cursorDiskKV(a)", "Cursor IDE"),
            ("threads(rollout_path)", "Codex"),
            ("x(y)", "no session store"),
        ] {
            let path = folder.path().join("other.db");
            let _ = std::fs::remove_file(&path);
            rusqlite::Connection::open(&path)
                .unwrap()
                .execute_batch(&format!("CREATE TABLE {tables}"))
                .unwrap();
            let error = read(&path, &Options::default()).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn damaged_databases_are_read_or_refused() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["opencode.sql", "hermes.sql"] {
            let whole = std::fs::read(build(name, folder.path())).unwrap();
            let path = folder.path().join("damaged.db");
            for (_, bytes) in damage(&whole, 60) {
                std::fs::write(&path, bytes).unwrap();
                let _ = read(&path, &Options::default());
            }
        }
    }
}

/// Copies of the bytes cut off and overwritten at `count` places each.
fn damage(bytes: &[u8], count: usize) -> impl Iterator<Item = (usize, Vec<u8>)> + '_ {
    // A step that shares no factor with the usual lengths visits all parts of a file.
    let at = move |i: usize| (i * 7919 + i * i * 31) % bytes.len().max(1);
    let cut = (0..count).map(move |i| (at(i), bytes[..at(i)].to_vec()));
    let wrong = b"\"{}[],:\\\n\0\xff\x28e9-";
    let flipped = (0..count).map(move |i| {
        let mut copy = bytes.to_vec();
        if let Some(byte) = copy.get_mut(at(i)) {
            *byte = wrong[i % wrong.len()];
        }
        (at(i), copy)
    });
    cut.chain(flipped)
}

#[test]
fn damaged_files_are_read_or_refused_and_never_hurt() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folders = [samples, data("")];
    for folder in folders {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().path())
            .collect();
        files.retain(|p| p.extension().is_some_and(|e| e != "sql"));
        files.sort();
        for file in files {
            let whole = std::fs::read(&file).unwrap();
            let known = session(&whole, &Options::default())
                .ok()
                .map(|s| s.head.family);
            for (at, bytes) in damage(&whole, 50) {
                let start = std::time::Instant::now();
                for from in [None, known] {
                    let options = Options {
                        from,
                        ..Options::default()
                    };
                    let _ = session(&bytes, &options);
                }
                assert!(start.elapsed().as_secs() < 60, "{} at {at}", file.display());
            }
        }
    }
}

#[test]
fn a_file_forced_into_any_format_never_hurts() {
    for (name, _) in FILES {
        let bytes = std::fs::read(data(name)).unwrap();
        for (family, _) in Family::ALL {
            let _ = session(
                &bytes,
                &Options {
                    from: Some(family),
                    ..Options::default()
                },
            );
        }
    }
}

#[cfg(feature = "zstd")]
#[test]
fn packed_files_read_as_plain_ones_and_damage_does_not_hurt() {
    let plain = std::fs::read(data("copilot.jsonl")).unwrap();
    let packed = zstd::encode_all(plain.as_slice(), 3).unwrap();
    let one = session(&plain, &Options::default()).unwrap();
    let other = session(&packed, &Options::default()).unwrap();
    assert_eq!(shown(&one), shown(&other));
    for (_, bytes) in damage(&packed, 100) {
        let _ = session(&bytes, &Options::default());
    }
}
