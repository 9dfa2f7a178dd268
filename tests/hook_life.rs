//! The promise of `compact hook` over the life of a session, each event a process of its own: two levels are
//! warned of once each, what was saved comes back once, the guard lets go, and sessions do not mix.

use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A session that grows, and the agent that asks its hook.
struct Life {
    dir: PathBuf,
    transcript: PathBuf,
    session: &'static str,
    cwd: &'static str,
    records: usize,
}

impl Life {
    fn new(dir: &Path, session: &'static str, cwd: &'static str) -> Life {
        Life {
            dir: dir.to_owned(),
            transcript: dir.join(format!("{session}.jsonl")),
            session,
            cwd,
            records: 0,
        }
    }

    fn record(&mut self, mut record: Value) {
        let n = self.records;
        self.records += 1;
        let parent = n.checked_sub(1).map(|p| format!("{}-{p}", self.session));
        let base = json!({
            "parentUuid": parent, "isSidechain": false, "cwd": self.cwd, "sessionId": self.session,
            "version": "2.1.9", "uuid": format!("{}-{n}", self.session),
            "timestamp": format!("2026-01-05T09:{:02}:{:02}.000Z", n / 60, n % 60),
        });
        let object = record.as_object_mut().expect("an object");
        for (key, value) in base.as_object().into_iter().flatten() {
            object.entry(key.clone()).or_insert(value.clone());
        }
        let mut file = std::fs::File::options()
            .create(true)
            .append(true)
            .open(&self.transcript)
            .expect("the transcript");
        writeln!(file, "{record}").expect("a line");
    }

    fn person(&mut self, text: &str) {
        self.record(json!({"type": "user", "message": {"role": "user", "content": text}}));
    }

    fn answer(&mut self, tokens: u64) {
        let id = format!("msg-{}", self.records);
        self.record(json!({"type": "assistant", "message": {
            "id": id, "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": "네"}],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": tokens - 5, "output_tokens": 9},
        }}));
    }

    fn todos(&mut self, first: &str, second: &str) {
        let id = format!("call-{}", self.records);
        self.record(json!({"type": "assistant", "message": {
            "id": format!("msg-{}", self.records), "role": "assistant", "model": "claude-x",
            "content": [{"type": "tool_use", "id": id, "name": "TodoWrite", "input": {"todos": [
                {"content": first, "status": "completed"}, {"content": second, "status": "pending"}]}}],
        }}));
        self.record(
            json!({"type": "user", "message": {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": id, "content": "Todos have been modified"}]}}),
        );
    }

    fn boundary(&mut self) {
        self.record(json!({"type": "system", "subtype": "compact_boundary", "content": "Conversation compacted",
            "compactMetadata": {"trigger": "auto", "preTokens": 190_000}}));
    }

    /// Sends an event to a new process and reads its one answer.
    fn event(&self, name: &str, more: Value) -> Value {
        let mut event = json!({"session_id": self.session, "transcript_path": self.transcript,
            "cwd": self.cwd, "hook_event_name": name});
        for (key, value) in more.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        let mut process = Command::new(env!("CARGO_BIN_EXE_compact"))
            .args(["hook", "--window", "200000", "--dir"])
            .arg(self.dir.join("hooks"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the hook");
        let mut input = process.stdin.take().expect("standard input");
        input
            .write_all(event.to_string().as_bytes())
            .expect("the event");
        drop(input);
        let output = process.wait_with_output().expect("an end");
        assert!(output.status.success(), "{name}: {}", output.status);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(errors, "", "{name}");
        serde_json::from_slice(&output.stdout).expect("one JSON value")
    }

    fn tool(&self) -> String {
        context(&self.event("PostToolUse", json!({"tool_name": "Bash"})))
    }

    fn blocks(&self) -> bool {
        let answer = self.event("Stop", json!({"stop_hook_active": false}));
        assert_ne!(answer["continue"], false);
        answer["decision"] == "block"
    }

    fn start(&self, source: &str) -> String {
        context(&self.event("SessionStart", json!({"source": source})))
    }
}

fn context(answer: &Value) -> String {
    let text = &answer["hookSpecificOutput"]["additionalContext"];
    text.as_str().unwrap_or_default().to_owned()
}

/// One cycle: grows, warns, is held back, compacts, gets its things back. `between` runs after each step.
fn live(life: &mut Life, request: &str, todo: &str, mut between: impl FnMut()) {
    life.person(request);
    life.todos("설계", todo);
    life.answer(100_000);
    assert_eq!(life.tool(), "");
    assert!(!life.blocks());
    between();
    life.answer(164_000);
    assert!(life.tool().contains("82 %"));
    between();
    life.answer(166_000);
    assert_eq!(life.tool(), "");
    assert!(life.blocks() && life.blocks());
    between();
    assert!(!life.blocks(), "the guard lets go");
    life.answer(192_000);
    assert!(life.tool().contains("96 %"));
    assert_eq!(life.tool(), "");
    assert!(!life.blocks(), "never at a critical level");
    between();
    let saved = life.event(
        "PreCompact",
        json!({"trigger": "auto", "custom_instructions": ""}),
    );
    assert!(saved.get("hookSpecificOutput").is_none());
    between();
    assert_eq!(life.start("startup"), "");
    life.boundary();
    let given = life.start("compact");
    assert!(given.contains(request) && given.contains(todo), "{given}");
    assert!(!given.contains("설계"), "{given}");
    between();
    assert_eq!(life.start("compact"), "");
    assert_eq!(
        context(&life.event("UserPromptSubmit", json!({"prompt": "계속"}))),
        ""
    );
    // A new cycle: counts and warnings begin again.
    assert!(!life.blocks());
    life.answer(170_000);
    assert!(life.tool().contains("85 %"));
    assert!(life.blocks());
    between();
}

#[test]
fn a_session_from_its_beginning_over_a_compaction() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut life = Life::new(dir.path(), "first", "/w");
    live(&mut life, "결제 화면을 고쳐줘", "환불 점검", || {});
}

#[test]
fn two_sessions_at_once_do_not_mix() {
    let dir = tempfile::tempdir().expect("a folder");
    let (to_second, turns) = std::sync::mpsc::channel::<()>();
    let (done, to_first) = std::sync::mpsc::channel::<()>();
    let path = dir.path().to_owned();
    // The two take turns, step by step, on one folder.
    let second = std::thread::spawn(move || {
        turns.recv().expect("a turn");
        let mut life = Life::new(&path, "second", "/v");
        live(
            &mut life,
            "검색 색인을 다시 만들어줘",
            "색인 비교",
            || {
                let _ = done.send(());
                let _ = turns.recv();
            },
        );
        drop(done);
    });
    let mut first = Life::new(dir.path(), "first", "/w");
    live(
        &mut first,
        "결제 화면을 고쳐줘",
        "환불 점검",
        || {
            let _ = to_second.send(());
            let _ = to_first.recv();
        },
    );
    drop(to_second);
    second.join().expect("the second session");
}

#[test]
fn many_stops_at_once_are_counted_one_by_one() {
    let dir = tempfile::tempdir().expect("a folder");
    let mut life = Life::new(dir.path(), "busy", "/w");
    life.person("고쳐줘");
    life.answer(160_000);
    let held: usize = std::thread::scope(|scope| {
        let life = &life;
        let runs: Vec<_> = (0..8).map(|_| scope.spawn(|| life.blocks())).collect();
        runs.into_iter()
            .map(|r| usize::from(r.join().expect("a run")))
            .sum()
    });
    assert_eq!(held, 2);
}
