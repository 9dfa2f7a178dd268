//! The promise of the tail reader: from the end of a file it finds the number that reading all of it gives.

use compact::session::Session;
use compact::transcript::{Family, Options, Source};
use compact::usage::{events, now, tail};
use std::path::{Path, PathBuf};

fn sessions() -> Vec<PathBuf> {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut found: Vec<PathBuf> = std::fs::read_dir(samples)
        .expect("the samples")
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    found.sort();
    found
}

/// `None`: not a session with hooks.
fn both(path: &Path) -> Option<(Option<u64>, Option<u64>)> {
    let source = Source::Path(path.to_owned());
    let session = Session::read(&source, &Options::default()).ok()?;
    let hooked = [Family::ClaudeCode, Family::Pi, Family::Codex].contains(&session.head.family);
    if !hooked || session.head.child {
        return None;
    }
    let tail = tail::look(path, None).expect("a readable file");
    Some((tail.tokens, now(&events(&session)).tokens))
}

#[test]
fn at_every_length_of_every_sample() {
    let dir = tempfile::tempdir().expect("a folder");
    let cut = dir.path().join("cut.jsonl");
    let mut compared = 0;
    for path in sessions() {
        let bytes = std::fs::read(&path).expect("a sample");
        let ends = bytes.iter().enumerate().filter(|(_, b)| **b == b'\n');
        let mut start = 0;
        for (end, _) in ends {
            let line = bytes.get(start..=end).unwrap_or_default();
            start = end + 1;
            // Between a rewind and its first answer the newest reading is on the branch that was left; no hook
            // that counts runs there.
            let text = String::from_utf8_lossy(line);
            if ![
                "\"usage\"",
                "tool_result",
                "toolResult",
                "compact",
                "token_count",
            ]
            .iter()
            .any(|w| text.contains(w))
            {
                continue;
            }
            std::fs::write(&cut, bytes.get(..=end).unwrap_or_default()).expect("a file");
            if let Some((tail, whole)) = both(&cut) {
                assert_eq!(tail, whole, "{} up to byte {end}", path.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared} compared");
}

/// `COMPACT_SESSIONS=DIR cargo test --test tail_agrees -- --ignored`: sessions of your own.
#[test]
#[ignore = "needs a folder of sessions"]
fn on_sessions_of_your_own() {
    let root = std::env::var("COMPACT_SESSIONS").expect("COMPACT_SESSIONS");
    let mut folders = vec![PathBuf::from(root)];
    let (mut compared, mut different) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "jsonl")
                && let Some((tail, whole)) = both(&path)
            {
                compared += 1;
                if tail != whole {
                    different += 1;
                    println!("{}: {tail:?}, whole {whole:?}", path.display());
                }
            }
        }
    }
    println!("{compared} compared, {different} different");
}
