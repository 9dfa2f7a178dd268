//! `compact list` and `compact --latest` on an invented home.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

fn run(home: &Path, words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(words)
        .env_clear()
        .env("HOME", home)
        .current_dir(home)
        .output()
        .unwrap()
}

fn put(home: &Path, name: &str, text: &str) {
    let path = home.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// One prompt and one answer of Claude Code.
fn claude(id: &str, cwd: &str, time: &str, prompt: &str, extra: &str) -> String {
    let row = |uuid: &str, parent: &str, kind: &str, content: &str| {
        format!(
            r#"{{"type":"{kind}","uuid":"{id}{uuid}","parentUuid":{parent},"sessionId":"{id}","cwd":"{cwd}","timestamp":"{time}"{extra},"message":{{"role":"{kind}","content":{content}}}}}"#
        )
    };
    let parent = format!("\"{id}1\"");
    format!(
        "{}\n{}\n",
        row("1", "null", "user", &format!("\"{prompt}\"")),
        row(
            "2",
            &parent,
            "assistant",
            r#"[{"type":"text","text":"네."}]"#
        )
    )
}

fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    let slug = ".claude/projects/-p----app";
    let say = |id: &str, cwd: &str, time: &str, prompt: &str| claude(id, cwd, time, prompt, "");
    // Two directories whose folder has the same name; the older one's file was written last.
    put(
        at,
        &format!("{slug}/b.jsonl"),
        &say(
            "b",
            "/p/개인/app",
            "2026-05-02T00:00:00Z",
            "블로그 글을 고쳐줘",
        ),
    );
    put(
        at,
        &format!("{slug}/a.jsonl"),
        &say(
            "a",
            "/p/외주/app",
            "2026-05-01T00:00:00Z",
            "결제창을 고쳐줘",
        ),
    );
    // A sub-agent, a file that is no session, a prompt log.
    put(
        at,
        &format!("{slug}/agent-1.jsonl"),
        &say("a", "/p/외주/app", "2026-06-01T00:00:00Z", "찾아라"),
    );
    put(at, &format!("{slug}/notes.jsonl"), "{\"note\":1}\n");
    put(at, ".claude/history.jsonl", "{\"display\":\"안녕\"}\n");
    put(
        at,
        ".codex/sessions/2026/05/03/rollout-2026-05-03T00-00-00-c.jsonl",
        concat!(
            r#"{"timestamp":"2026-05-03T00:00:00Z","type":"session_meta","payload":{"id":"c","timestamp":"2026-05-03T00:00:00Z","cwd":"/p/tool"}}"#,
            "\n",
            r#"{"timestamp":"2026-05-03T00:00:01Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Fix the parser"}]}}"#,
            "\n",
        ),
    );
    home
}

fn listed(home: &Path, words: &[&str]) -> Vec<Value> {
    let out = run(home, &[&["list", "--json"], words].concat());
    assert!(out.status.code() < Some(2), "{out:?}");
    serde_json::from_slice(&out.stdout).unwrap()
}

fn ids(sessions: &[Value]) -> Vec<&str> {
    sessions.iter().filter_map(|s| s["id"].as_str()).collect()
}

#[test]
fn sessions_are_listed_newest_event_first() {
    let home = home();
    let all = listed(home.path(), &[]);
    assert_eq!(ids(&all), ["c", "b", "a"]);
    let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
    assert_eq!(
        keys,
        [
            "path", "format", "id", "title", "cwd", "started", "ended", "bytes"
        ]
    );
    assert_eq!(all[1]["format"], "claude-code");
    assert_eq!(all[1]["ended"], "2026-05-02T00:00:00Z");
    assert_eq!(ids(&listed(home.path(), &["-n", "1"])), ["c"]);
    assert_eq!(
        ids(&listed(home.path(), &["--agent", "claude-code"])),
        ["b", "a"]
    );
}

#[test]
fn the_directory_inside_the_file_decides() {
    let home = home();
    assert_eq!(ids(&listed(home.path(), &["--cwd", "/p/외주/app/"])), ["a"]);
    assert_eq!(ids(&listed(home.path(), &["--cwd", "/p/개인/app"])), ["b"]);
    let none = run(home.path(), &["list", "--cwd", "/p"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(none.stdout.is_empty() && !none.stderr.is_empty());
}

#[test]
fn the_newest_session_is_the_main_job_s() {
    let home = home();
    let brief = run(home.path(), &["--latest", "--agent", "claude-code"]);
    assert_eq!(brief.status.code(), Some(0));
    let text = String::from_utf8(brief.stdout).unwrap();
    assert!(text.contains("블로그 글을 고쳐줘"), "{text}");
    assert!(String::from_utf8_lossy(&brief.stderr).contains("b.jsonl"));
    let empty = tempfile::tempdir().unwrap();
    let none = run(empty.path(), &["--latest"]);
    assert_eq!((none.status.code(), none.stdout.len()), (Some(2), 0));
    assert_eq!(
        run(home.path(), &["--cwd", "/p", "x.jsonl"]).status.code(),
        Some(2)
    );
}

#[test]
fn the_table_has_one_line_a_session_with_its_first_words() {
    let home = home();
    let out = run(home.path(), &["list"]);
    let text = String::from_utf8(out.stdout).unwrap();
    assert_eq!(text.lines().count(), 3, "{text}");
    assert!(text.starts_with("2026-05-03 00:00  codex "), "{text}");
    assert!(text.contains("결제창을 고쳐줘") && !text.contains('\u{1b}'));
}

#[test]
fn a_long_session_is_judged_by_its_ends() {
    let home = tempfile::tempdir().unwrap();
    let mut text = claude("x", "/p/long", "2026-01-01T00:00:00Z", "시작", "");
    let filler = "가나다라마바사 ".repeat(200);
    while text.len() < 900_000 {
        text += &claude("y", "/p/long", "2026-01-02T00:00:00Z", &filler, "");
    }
    text += &claude("z", "/p/elsewhere", "2026-01-03T00:00:00Z", "끝", "");
    put(home.path(), ".claude/projects/-p-long/x.jsonl", &text);
    let all = listed(home.path(), &[]);
    assert_eq!(all[0]["cwd"], "/p/long");
    assert_eq!(all[0]["started"], "2026-01-01T00:00:00Z");
    assert_eq!(all[0]["ended"], "2026-01-03T00:00:00Z");
}

#[test]
fn a_variable_moves_the_place() {
    let home = home();
    let moved = tempfile::tempdir().unwrap();
    std::fs::rename(home.path().join(".codex"), moved.path().join("elsewhere")).unwrap();
    assert_eq!(ids(&listed(home.path(), &[])), ["b", "a"]);
    let out = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(["list", "--json", "--agent", "codex"])
        .env_clear()
        .env("HOME", home.path())
        .env("CODEX_HOME", moved.path().join("elsewhere"))
        .output()
        .unwrap();
    let found: Vec<Value> = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(ids(&found), ["c"]);
}
