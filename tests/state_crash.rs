//! A run that is killed at any point leaves a complete state: the old one or the new one.

use std::fs;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A session with that many requests, large enough for a run to take a while.
fn session(requests: usize) -> String {
    (0..requests)
        .map(|n| {
            let (a, b) = (2 * n, 2 * n + 1);
            let parent = a.checked_sub(1).map_or("null".to_owned(), |p| format!("\"u{p}\""));
            format!(
                concat!(
                    r#"{{"parentUuid":{parent},"isSidechain":false,"cwd":"/w","sessionId":"s1","type":"user","uuid":"u{a}","timestamp":"2026-01-05T09:00:00Z","message":{{"role":"user","content":"{n}번째 화면의 색을 바꿔줘"}}}}"#,
                    "\n",
                    r#"{{"parentUuid":"u{a}","isSidechain":false,"cwd":"/w","sessionId":"s1","type":"assistant","uuid":"u{b}","timestamp":"2026-01-05T09:00:00Z","message":{{"id":"m{b}","role":"assistant","model":"m","content":[{{"type":"text","text":"바꿨습니다."}}]}}}}"#,
                    "\n",
                ),
                parent = parent,
                a = a,
                b = b,
                n = n
            )
        })
        .collect()
}

#[test]
fn a_killed_run_leaves_a_complete_state() {
    let dir = tempfile::tempdir().expect("a folder");
    let at = |name: &str| dir.path().join(name);
    fs::write(at("old.jsonl"), session(40)).expect("written");
    fs::write(at("new.jsonl"), session(41)).expect("written");
    let run = |file: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_compact"));
        command
            .arg(at(file))
            .arg("--state")
            .arg(at("state.json"))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    assert!(run("old.jsonl").status().expect("runs").success());
    let old = fs::read(at("state.json")).expect("a state");
    let begun = Instant::now();
    assert!(run("new.jsonl").status().expect("runs").success());
    let whole = begun.elapsed();
    let new = fs::read(at("state.json")).expect("a state");
    assert_ne!(old, new);
    let (mut kept, mut written) = (0, 0);
    for turn in 0..200u32 {
        fs::write(at("state.json"), &old).expect("written");
        let mut child = run("new.jsonl").spawn().expect("runs");
        // From the first moment to a little after the end, denser where the state is written.
        let share = f64::from(turn) / 199.0;
        let share = if turn % 2 == 0 {
            share * 1.1
        } else {
            0.7 + share * 0.5
        };
        std::thread::sleep(Duration::from_secs_f64(whole.as_secs_f64() * share));
        let _ = child.kill();
        child.wait().expect("ends");
        let there = fs::read(at("state.json")).expect("a state");
        match there {
            s if s == old => kept += 1,
            s if s == new => written += 1,
            s => panic!("neither old nor new: {} bytes", s.len()),
        }
    }
    assert!(kept > 0 && written > 0, "{kept} old, {written} new");
    // What killed runs left is gone after the next one.
    fs::write(at("state.json"), &old).expect("written");
    assert!(run("new.jsonl").status().expect("runs").success());
    let mut left: Vec<_> = fs::read_dir(dir.path())
        .expect("a folder")
        .map(|e| e.expect("an entry").file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["new.jsonl", "old.jsonl", "state.json"]);
}
