//! What `compact recall` promises on the command line (CONTRACT 5 and 11), on invented sessions.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn recall(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_compact"))
        .arg("recall")
        .args(args)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .expect("the binary runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn found(folder: &Path, args: &[&str]) -> Value {
    let output = recall(folder, &[args, &["--json"]].concat());
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", errors(&output)))
}

fn refs(answer: &Value) -> Vec<&str> {
    let hits = answer["hits"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    hits.iter().filter_map(|h| h["ref"].as_str()).collect()
}

/// Writes a Claude Code session; each turn is a record's role and content.
fn session(folder: &Path, name: &str, turns: &[(&str, Value)]) {
    let mut lines = String::new();
    let mut parent = Value::Null;
    for (i, (role, content)) in turns.iter().enumerate() {
        let uuid = format!("u{i}");
        let mut message = json!({"role": role, "content": content});
        if *role == "assistant" {
            message["id"] = json!(format!("msg_{i}"));
            message["type"] = json!("message");
        }
        let record = json!({
            "parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "s1", "version": "2.1.0",
            "type": role, "uuid": uuid, "timestamp": format!("2026-01-01T00:{:02}:00Z", i % 60), "message": message,
        });
        lines.push_str(&record.to_string());
        lines.push('\n');
        parent = json!(uuid);
    }
    std::fs::write(folder.join(name), lines).expect("a file is written");
}

#[test]
fn what_was_taken_out_of_the_context_is_only_found_raw() {
    let folder = tempfile::tempdir().expect("a folder");
    let lines = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"봄날 암호를 지워줘"}}
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"read","arguments":{"path":"env"}}]}}
{"type":"message","id":"r","parentId":"b","message":{"role":"toolResult","toolCallId":"c","toolName":"read","content":[{"type":"text","text":"봄날 셋"}]}}
{"type":"context_edit","id":"d","parentId":"r","targetId":"a","replacement":{"content":"암호를 지워줘"}}
{"type":"context_edit","id":"e","parentId":"d","targetId":"r","replacement":{"content":"가렸다"}}
"#;
    std::fs::write(folder.path().join("s.jsonl"), lines).expect("a file is written");
    let run = |args: &[&str]| recall(folder.path(), &[args, &["s.jsonl"]].concat());
    assert_eq!(run(&["봄날"]).status.code(), Some(1));
    for open in [&["#0", "#2"][..], &["#1:env"], &["#2:env"]] {
        assert!(!text(&run(&[&open.join(" ")])).contains("봄날"), "{open:?}");
    }
    assert!(text(&run(&["#0"])).contains("암호를 지워줘"));
    assert!(text(&run(&["봄날", "--raw"])).contains("봄날"));
    assert!(text(&run(&["#2", "--raw"])).contains("봄날"));
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!([{"type": "tool_use", "id": id, "name": name, "input": input}])
}

fn result(id: &str, content: &str) -> Value {
    json!([{"type": "tool_result", "tool_use_id": id, "content": content}])
}

fn shop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let long = "재고 표: 사과 12, 배 7, 감 30. ".repeat(8);
    session(
        folder.path(),
        "shop.jsonl",
        &[
            ("user", json!("재고 알림을 src/stock.rs에 넣어줘")),
            (
                "assistant",
                call("t1", "Bash", json!({"command": "stock list"})),
            ),
            ("user", result("t1", &long)),
            (
                "assistant",
                call(
                    "t2",
                    "Bash",
                    json!({"command": "compact recall '알림' old.jsonl"}),
                ),
            ),
            ("user", result("t2", "#4 user 예전 알림 이야기")),
            (
                "assistant",
                call("t3", "Bash", json!({"command": "stock list"})),
            ),
            ("user", result("t3", &long)),
            (
                "assistant",
                call(
                    "t4",
                    "Edit",
                    json!({"file_path": "/w/src/stock.rs", "old_string": "a", "new_string": "one\ntwo\nthree"}),
                ),
            ),
            (
                "user",
                result("t4", "The file /w/src/stock.rs has been updated."),
            ),
            (
                "assistant",
                json!([{"type": "text", "text": "알림이 동작합니다. API_KEY=sk-proj-EXAMPLEexampleEXAMPLEexample0123456789ab"}]),
            ),
        ],
    );
    folder
}

#[test]
fn particles_do_not_hide_a_word_and_recall_does_not_find_itself() {
    let folder = shop();
    for query in ["알림", "알림은", "알림을"] {
        let answer = found(folder.path(), &[query, "shop.jsonl"]);
        let mut refs = refs(&answer);
        refs.sort_unstable();
        assert_eq!(refs, ["#0", "#9"], "{query}");
    }
    // Its number stays, and opens.
    let own = recall(folder.path(), &["m4", "shop.jsonl"]);
    assert!(text(&own).contains("예전 알림 이야기"));
}

#[test]
fn equal_contents_are_one_hit() {
    let folder = shop();
    let answer = found(folder.path(), &["재고 표", "shop.jsonl"]);
    assert_eq!(answer["total"], 1);
    assert_eq!(answer["hits"][0]["ref"], "#2");
    assert_eq!(answer["hits"][0]["also"], json!(["#6"]));
    assert_eq!(answer["hits"][0]["role"], "tool");
}

#[test]
fn references_open_in_any_spelling() {
    let folder = shop();
    for query in [["#0 #9"].as_slice(), &["#0", "m9"], &["(#0),#9"]] {
        let answer = found(folder.path(), &[query, &["shop.jsonl"]].concat());
        assert_eq!(refs(&answer), ["#0", "#9"], "{query:?}");
        assert_eq!(answer["hits"][0]["files"], json!(["src/stock.rs"]));
    }
    let some = recall(folder.path(), &["#0 #99", "shop.jsonl"]);
    assert_eq!(some.status.code(), Some(1));
    assert!(text(&some).contains("재고 알림을") && errors(&some).contains("#99"));
    assert_eq!(errors(&some).lines().count(), 1);
}

#[test]
fn a_reference_is_narrowed_to_a_file() {
    let folder = shop();
    let part = recall(folder.path(), &["#7:stock.rs", "shop.jsonl"]);
    assert!(text(&part).contains("three") && !text(&part).contains("file_path"));
    let lines = found(folder.path(), &["#7:src/stock.rs:2:1", "shop.jsonl"]);
    let shown = lines["hits"][0]["text"].as_str().unwrap_or_default();
    assert!(shown.starts_with("one\n… "), "{shown}");
    let none = recall(folder.path(), &["#7:other.rs", "shop.jsonl"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(
        errors(&none).contains("/w/src/stock.rs"),
        "{}",
        errors(&none)
    );
}

#[test]
fn secrets_stay_out_unless_asked_for() {
    let folder = shop();
    let secret = "sk-proj-EXAMPLEexampleEXAMPLEexample0123456789ab";
    assert!(!text(&recall(folder.path(), &["동작합니다", "shop.jsonl"])).contains(secret));
    assert!(!text(&recall(folder.path(), &["#9", "shop.jsonl"])).contains(secret));
    assert!(text(&recall(folder.path(), &["#9", "shop.jsonl", "--raw"])).contains(secret));
}

#[test]
fn several_sessions_are_ranked_together_and_named() {
    let folder = shop();
    session(
        folder.path(),
        "other.jsonl",
        &[
            ("user", json!("알림 알림 알림")),
            ("assistant", json!([{"type": "text", "text": "네"}])),
        ],
    );
    let args = ["알림", "shop.jsonl", "other.jsonl"];
    let answer = found(folder.path(), &args);
    assert_eq!(answer["total"], 3);
    assert_eq!(answer["hits"][0]["session"], "other.jsonl");
    assert_eq!(answer, found(folder.path(), &args));
    assert!(text(&recall(folder.path(), &args)).contains("· shop.jsonl"));
    let missing = recall(folder.path(), &["알림", "shop.jsonl", "none.jsonl"]);
    assert_eq!(missing.status.code(), Some(2));
    assert!(missing.stdout.is_empty() && errors(&missing).contains("none.jsonl"));
}

#[test]
fn pages_count_honestly() {
    let folder = tempfile::tempdir().expect("a folder");
    let turns: Vec<(&str, Value)> = (0..60)
        .map(|i| ("user", json!(format!("{i}번 토큰"))))
        .collect();
    session(folder.path(), "many.jsonl", &turns);
    let answer = found(folder.path(), &["토큰", "many.jsonl"]);
    assert_eq!(
        (&answer["total"], &answer["pages"], &answer["omitted"]),
        (&json!(50), &json!(10), &json!(10))
    );
    assert!(
        text(&recall(
            folder.path(),
            &["토큰", "many.jsonl", "--page", "10"]
        ))
        .contains("10 weaker hits")
    );
    let beyond = recall(folder.path(), &["토큰", "many.jsonl", "--page", "11"]);
    assert_eq!(beyond.status.code(), Some(1));
    assert!(errors(&beyond).contains("10 pages"));
    // As typed or by pattern, every hit can be reached.
    let pattern = found(
        folder.path(),
        &["토큰$", "many.jsonl", "--regex", "--per-page", "60"],
    );
    assert_eq!((&pattern["total"], refs(&pattern).len()), (&json!(60), 60));
    let newest = found(folder.path(), &["", "many.jsonl"]);
    assert_eq!((refs(&newest).len(), refs(&newest)[0]), (25, "#59"));
    assert_eq!(
        recall(folder.path(), &["x", "many.jsonl", "--page", "0"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn a_bad_pattern_is_an_error_of_one_line() {
    let folder = shop();
    for pattern in ["(", "(\\w{1000}){1000}"] {
        let output = recall(folder.path(), &[pattern, "shop.jsonl", "--regex"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        assert_eq!(errors(&output).lines().count(), 1, "{}", errors(&output));
    }
}

#[test]
fn matches_are_coloured_when_asked() {
    let folder = shop();
    let coloured = text(&recall(
        folder.path(),
        &["알림", "shop.jsonl", "--color", "always"],
    ));
    assert!(
        coloured.contains("\u{1b}[1m\u{1b}[31m알림\u{1b}[0m"),
        "{coloured:?}"
    );
    assert!(!text(&recall(folder.path(), &["알림", "shop.jsonl"])).contains('\u{1b}'));
}
