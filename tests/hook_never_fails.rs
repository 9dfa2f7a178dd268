//! The promise that a hook never stops its host by accident: whatever comes in, status 0, one JSON object on
//! standard output that blocks nothing, at most one line on standard error. Mistakes in the flags are status 1.

use serde_json::Value;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn hook(args: &[&str], input: &[u8]) -> Output {
    let mut process = Command::new(env!("CARGO_BIN_EXE_compact"))
        .arg("hook")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the hook");
    let mut stdin = process.stdin.take().expect("standard input");
    // A hook that ends before it has read everything is fine.
    let _ = stdin.write_all(input);
    drop(stdin);
    process.wait_with_output().expect("an end")
}

fn lets_go(args: &[&str], input: &[u8]) {
    let shown = String::from_utf8_lossy(input).into_owned();
    let output = hook(args, input);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    assert!(answer.is_object(), "{shown}");
    assert_ne!(answer["decision"], "block", "{shown}");
    assert_ne!(answer["continue"], false, "{shown}");
    let errors = String::from_utf8_lossy(&output.stderr).lines().count();
    assert!(errors <= 1, "{shown}: {errors} lines");
}

#[test]
fn odd_input_lets_go() {
    let dir = tempfile::tempdir().expect("a folder");
    let dir = dir.path().to_str().expect("a plain name");
    let noise: &[&[u8]] = &[
        b"",
        b"\n",
        b"{",
        b"[]",
        b"null",
        b"\"Stop\"",
        b"\xff\xfe{}",
        b"{}",
        b"{\"hook_event_name\":7,\"session_id\":[],\"transcript_path\":{}}",
        b"{\"hook_event_name\":\"Unheard\",\"session_id\":\"s\"}",
        b"\xef\xbb\xbf{\"hook_event_name\":\"Stop\",\"session_id\":\"s\",\"transcript_path\":\"\"}",
    ];
    for input in noise {
        lets_go(&["--dir", dir], input);
        lets_go(&[], input);
    }
    for event in [
        "Stop",
        "PreCompact",
        "PostToolUse",
        "SessionStart",
        "UserPromptSubmit",
    ] {
        for path in ["/nowhere/at/all.jsonl", "/", "~nobody/x", dir] {
            let input = format!(
                r#"{{"hook_event_name":"{event}","session_id":"s","source":"compact","transcript_path":"{path}"}}"#
            );
            lets_go(&["--dir", dir], input.as_bytes());
            lets_go(&[], input.as_bytes());
        }
    }
}

#[test]
fn a_folder_that_cannot_be_used_lets_go() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/claude-mixed.jsonl");
    let at = file.path().to_str().expect("a plain name");
    for event in ["Stop", "PreCompact", "PostToolUse", "SessionStart"] {
        let input = format!(
            r#"{{"hook_event_name":"{event}","session_id":"s","source":"compact","transcript_path":"{sample}"}}"#
        );
        lets_go(
            &["--dir", at, "--window", "1000", "--threshold", "1"],
            input.as_bytes(),
        );
    }
}

#[test]
fn a_damaged_memory_starts_anew() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = dir.path().to_str().expect("a plain name");
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/claude-mixed.jsonl");
    let input = format!(
        r#"{{"hook_event_name":"PreCompact","session_id":"s","trigger":"auto","transcript_path":"{sample}"}}"#
    );
    lets_go(&["--dir", at], input.as_bytes());
    let folder = std::fs::read_dir(dir.path())
        .expect("a folder")
        .flatten()
        .next();
    let folder = folder.expect("the session's folder").path();
    assert!(folder.join("state.json").is_file());
    std::fs::write(folder.join("hook.json"), "{\"armed\": tr").expect("a damaged file");
    let input = input
        .replace("PreCompact", "SessionStart")
        .replace("trigger", "source");
    lets_go(
        &["--dir", at],
        input.replace("\"auto\"", "\"compact\"").as_bytes(),
    );
}

#[test]
fn a_mistake_in_the_flags_is_status_1() {
    for args in [
        &["--no-such-flag"][..],
        &["--max-blocks", "many"],
        &["--window", "0"],
    ] {
        let output = hook(args, b"{}");
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(output.stdout.is_empty(), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
    assert_eq!(hook(&["--help"], b"").status.code(), Some(0));
}
