//! What `--state` and `compact diff` promise on the command line.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn line(n: usize, who: &str, text: &str) -> String {
    let parent = n
        .checked_sub(1)
        .map_or("null".to_owned(), |p| format!("\"u{p}\""));
    let message = match who {
        "user" => format!(r#"{{"role":"user","content":"{text}"}}"#),
        _ => format!(
            r#"{{"id":"m{n}","role":"assistant","model":"m","content":[{{"type":"text","text":"{text}"}}]}}"#
        ),
    };
    format!(
        r#"{{"parentUuid":{parent},"isSidechain":false,"cwd":"/w","sessionId":"s1","type":"{who}","uuid":"u{n}","timestamp":"2026-01-05T09:00:0{n}Z","message":{message}}}"#
    ) + "\n"
}

fn session() -> String {
    line(0, "user", "주문 화면을 고쳐줘")
        + &line(1, "assistant", "고쳤습니다.")
        + &line(2, "user", "테스트도 추가해줘")
        + &line(3, "assistant", "추가했습니다.")
}

fn compact(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .expect("runs")
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("s.jsonl"), session()).expect("written");
    dir
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(dir)
        .expect("a folder")
        .map(|e| {
            e.expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

fn refused(out: &Output, name: &str) {
    let error = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(2), "{error}");
    assert!(out.stdout.is_empty());
    assert_eq!(error.lines().count(), 1, "{error}");
    assert!(error.contains(name), "{error}");
}

#[test]
fn the_same_again_changes_nothing() {
    let dir = folder();
    let args = ["s.jsonl", "--state", "st.json", "--json"];
    let first = compact(dir.path(), &args);
    let written = fs::read(dir.path().join("st.json")).expect("a state");
    assert_eq!(first.stdout, written);
    let when = |p: &str| {
        fs::metadata(dir.path().join(p))
            .and_then(|m| m.modified())
            .expect("a time")
    };
    let before = when("st.json");
    for _ in 0..3 {
        assert_eq!(compact(dir.path(), &args).stdout, first.stdout);
    }
    assert_eq!(before, when("st.json"));
    assert_eq!(files(dir.path()), ["s.jsonl", "st.json"]);
}

#[test]
fn runs_at_once_all_succeed_and_the_longest_reading_stays() {
    let dir = folder();
    let lines = session();
    let lines: Vec<&str> = lines.split_inclusive('\n').collect();
    for n in 1..=4 {
        let part = lines.iter().take(n).copied().collect::<String>();
        fs::write(dir.path().join(format!("{n}.jsonl")), part).expect("written");
    }
    let children: Vec<_> = (0..24)
        .map(|n| {
            Command::new(env!("CARGO_BIN_EXE_compact"))
                .args([&format!("{}.jsonl", n % 4 + 1), "--state", "st.json"])
                .current_dir(dir.path())
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .expect("runs")
        })
        .collect();
    for child in children {
        let out = child.wait_with_output().expect("ends");
        assert!(
            out.status.success(),
            "{}",
            String::from_utf8_lossy(&out.stderr)
        );
    }
    let text = fs::read_to_string(dir.path().join("st.json")).expect("a state");
    let state: serde_json::Value = serde_json::from_str(&text).expect("complete");
    assert_eq!(state["turns"]["human"], 2);
    assert_eq!(files(dir.path()).len(), 6);
}

#[test]
fn a_reader_that_stops_still_leaves_the_state() {
    let dir = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(["s.jsonl", "--state", "st.json"])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    drop(child.stdout.take());
    assert!(child.wait().expect("ends").success());
    assert!(dir.path().join("st.json").exists());
}

#[test]
fn what_is_no_state_is_refused_and_left() {
    let dir = folder();
    let state = dir.path().join("st.json");
    compact(dir.path(), &["s.jsonl", "--state", "st.json"]);
    let good = fs::read_to_string(&state).expect("a state");
    for bad in [
        String::new(),
        good[..good.len() / 2].to_owned(),
        // A state without a session's id proves itself by what it has read.
        good.replace("\"s1\"", "\"s2\"")
            .replace("\"hash\": \"", "\"hash\": \"x"),
        good.replace("\"version\": 1", "\"version\": 2"),
        r#"{"compactor":"pi-vcc-ko","version":3,"files":{}}"#.to_owned(),
        session(),
    ] {
        fs::write(&state, &bad).expect("written");
        refused(
            &compact(dir.path(), &["s.jsonl", "--state", "st.json"]),
            "st.json",
        );
        assert_eq!(fs::read_to_string(&state).expect("there"), bad);
    }
    fs::write(&state, [0xff, 0xfe, 0x00]).expect("written");
    refused(
        &compact(dir.path(), &["s.jsonl", "--state", "st.json"]),
        "st.json",
    );
    refused(
        &compact(dir.path(), &["s.jsonl", "--state", "s.jsonl"]),
        "s.jsonl",
    );
    assert_eq!(
        fs::read_to_string(dir.path().join("s.jsonl")).expect("there"),
        session()
    );
}

#[test]
fn a_place_that_cannot_be_written_is_found_before_anything_is_printed() {
    let dir = folder();
    refused(&compact(dir.path(), &["s.jsonl", "--state", "."]), ".");
    refused(
        &compact(dir.path(), &["s.jsonl", "--state", "no/st.json"]),
        "no/st.json",
    );
    refused(
        &compact(dir.path(), &["s.jsonl", "--state", "s.jsonl/st.json"]),
        "st.json",
    );
    refused(
        &compact(dir.path(), &["s.jsonl", "--state", "x", "--output", "x"]),
        "x",
    );
    assert_eq!(files(dir.path()), ["s.jsonl"]);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let dir = folder();
    compact(dir.path(), &["s.jsonl", "--state", "real.json"]);
    std::os::unix::fs::symlink("real.json", dir.path().join("link.json")).expect("linked");
    let longer = session() + &line(4, "user", "문서도 고쳐줘");
    fs::write(dir.path().join("s.jsonl"), longer).expect("written");
    assert!(
        compact(dir.path(), &["s.jsonl", "--state", "link.json"])
            .status
            .success()
    );
    assert!(
        fs::symlink_metadata(dir.path().join("link.json"))
            .expect("there")
            .is_symlink()
    );
    let real = fs::read_to_string(dir.path().join("real.json")).expect("a state");
    assert!(real.contains("문서도 고쳐줘"));
}

#[test]
fn standard_input_carries_a_state_too() {
    let dir = folder();
    let mut child = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(["-", "--state", "st.json"])
        .current_dir(dir.path())
        .stdin(fs::File::open(dir.path().join("s.jsonl")).expect("there"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("runs");
    let mut text = String::new();
    child
        .stdout
        .take()
        .expect("piped")
        .read_to_string(&mut text)
        .expect("text");
    assert!(child.wait().expect("ends").success());
    assert_eq!(
        text.as_bytes(),
        compact(dir.path(), &["s.jsonl", "--state", "st.json"]).stdout
    );
}

#[test]
fn diff_tells_what_changed() {
    let dir = folder();
    compact(dir.path(), &["s.jsonl", "--state", "old.json"]);
    fs::copy(dir.path().join("old.json"), dir.path().join("new.json")).expect("copied");
    let same = compact(dir.path(), &["diff", "old.json", "new.json"]);
    assert_eq!(
        (same.status.code(), same.stdout.is_empty()),
        (Some(0), true)
    );
    let longer =
        session() + &line(4, "user", "앞으로 로그는 남기지 마") + &line(5, "user", "문서도 고쳐줘");
    fs::write(dir.path().join("s.jsonl"), longer).expect("written");
    compact(dir.path(), &["s.jsonl", "--state", "new.json"]);
    let text = compact(dir.path(), &["diff", "old.json", "new.json"]);
    assert_eq!(text.status.code(), Some(1));
    let shown = String::from_utf8_lossy(&text.stdout);
    assert!(
        shown.contains("preferences\n  + 앞으로 로그는 남기지 마 (#4)\n"),
        "{shown}"
    );
    assert!(shown.contains("  ~ human: 2 -> 4\n"), "{shown}");
    let json = compact(dir.path(), &["diff", "old.json", "new.json", "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    assert_eq!(json["added"]["preferences"][0]["ref"], "#4");
    assert_eq!(json["removed"].as_object().map(|o| o.len()), Some(0));
    assert_eq!(json["changed"]["latest_request"][0]["new"]["ref"], "#5");
    refused(
        &compact(dir.path(), &["diff", "old.json", "none.json"]),
        "none.json",
    );
    refused(
        &compact(dir.path(), &["diff", "s.jsonl", "new.json"]),
        "s.jsonl",
    );
}

#[test]
fn a_state_holds_no_secret_whatever_list_it_stands_in() {
    const SECRET: &str = "ghp_a8Kd02mXq7LzP4vT9sWc3RbN6yHj1GfE5uQo";
    let dir = tempfile::tempdir().expect("a folder");
    let mut lines = line(0, "user", "서버 배포를 고쳐줘")
        + &line(1, "user", &format!("{SECRET} 로 접속해서 설정을 바꿔줘"));
    let todos = format!(r#"{{"todos":[{{"content":"{SECRET} 바꾸기","status":"pending"}}]}}"#);
    let branch = format!("b-{SECRET}");
    let calls = [
        (
            "Bash",
            format!(r#"{{"command":"cargo test {SECRET}"}}"#),
            true,
        ),
        (
            "Bash",
            format!(r#"{{"command":"git commit -m '{SECRET}'"}}"#),
            false,
        ),
        (
            "Edit",
            format!(r#"{{"file_path":"/w/{SECRET}.rs"}}"#),
            false,
        ),
        ("TodoWrite", todos, false),
        // Cut in the middle of the secret.
        (
            "Bash",
            format!(r#"{{"command":"npm test {} {SECRET}"}}"#, "x".repeat(58)),
            true,
        ),
    ];
    for (n, (name, input, failed)) in (2..).step_by(2).zip(&calls) {
        let (call, result) = (n, n + 1);
        lines += &format!(
            r#"{{"parentUuid":"u{}","cwd":"/w/{SECRET}","gitBranch":"{branch}","sessionId":"s1","type":"assistant","uuid":"u{call}","message":{{"id":"m{call}","role":"assistant","content":[{{"type":"tool_use","id":"t{call}","name":"{name}","input":{input}}}]}}}}"#,
            call - 1
        );
        lines += "\n";
        lines += &format!(
            r#"{{"parentUuid":"u{call}","cwd":"/w","sessionId":"s1","type":"user","uuid":"u{result}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{call}","is_error":{failed},"content":"[{branch} 1a2b3c4] {SECRET}\n1 failed"}}]}}}}"#
        );
        lines += "\n";
    }
    lines += &format!(r#"{{"type":"custom-title","customTitle":"{SECRET}","sessionId":"s1"}}"#);
    fs::write(dir.path().join("s.jsonl"), lines + "\n").expect("written");
    let wanted = [
        &["s.jsonl", "--json", "--state", "st.json"][..],
        &["s.jsonl", "--layout", "eight"],
        &["s.jsonl"],
        &["checkpoint", "s.jsonl"],
        &["recall", "", "s.jsonl", "--json"],
    ];
    for words in wanted {
        let out = compact(dir.path(), words);
        let text = String::from_utf8_lossy(&out.stdout);
        assert!(out.status.success(), "{words:?}");
        assert!(!text.contains("ghp_a8Kd"), "{words:?}: {text}");
    }
    let saved = fs::read_to_string(dir.path().join("st.json")).expect("a state");
    let state: serde_json::Value = serde_json::from_str(&saved).expect("JSON");
    for list in ["blockers", "todos", "files", "commits"] {
        let list = &state[list];
        assert!(list.to_string().contains("[redacted]"), "{list}");
    }
    assert!(!saved.contains("ghp_a8Kd"), "{saved}");
}
