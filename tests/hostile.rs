//! Files that were made, or happened, to hurt a reader: each ends soon, with status 0 or 2, without a raw
//! control character on the way out. The largest are ignored by default: `cargo test --release -- --ignored`.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Time of a processor that no file may cost: an unoptimised build takes ten times as long.
const LIMIT: Duration = Duration::from_secs(if cfg!(debug_assertions) { 50 } else { 5 });
/// After so long something hangs, however busy the machine.
const HANGS: Duration = Duration::from_secs(600);
/// Peak memory in MB that no file may exceed, its longest line aside.
const MEMORY: u64 = 256;

struct Ended {
    output: Output,
    /// Time of a processor, and MB, where the system tells.
    took: Option<Duration>,
    peak: Option<u64>,
}

impl Ended {
    fn status(&self) -> i32 {
        self.output.status.code().unwrap_or(-1)
    }
    fn out(&self) -> String {
        String::from_utf8_lossy(&self.output.stdout).into_owned()
    }
    fn err(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

fn file(make: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> File {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("session.jsonl");
    let mut out = std::io::BufWriter::new(std::fs::File::create(&path).expect("a file"));
    make(&mut out).and_then(|()| out.flush()).expect("written");
    File {
        _folder: folder,
        path,
    }
}

/// Runs `compact ARGS FILE` and checks what every run promises.
fn run(args: &[&str], file: &File) -> Ended {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(args)
        .arg(&file.path)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let child_id = child.id();
    let of = |file: &str| {
        std::fs::read_to_string(format!("/proc/{}/{file}", child_id)).unwrap_or_default()
    };
    let stdout = child.stdout.take();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut out) = stdout {
            let _ = std::io::Read::read_to_end(&mut out, &mut bytes);
        }
        bytes
    });
    let (mut peak, mut took) = (None, None);
    while child.try_wait().expect("waited").is_none() {
        took = processor_time(&of("stat")).or(took);
        let slow = took.is_some_and(|t| t > LIMIT) || start.elapsed() > HANGS;
        if slow {
            let _ = child.kill();
        }
        assert!(!slow, "{args:?} takes too long: {took:?}");
        peak = peak_megabytes(&of("status")).or(peak);
        std::thread::sleep(Duration::from_millis(2));
    }
    let mut output = child.wait_with_output().expect("ended");
    output.stdout = reader.join().expect("read");
    let ended = Ended { output, took, peak };
    eprintln!(
        "{args:?}: status {}, {:?}, peak {:?} MB",
        ended.status(),
        ended.took,
        ended.peak
    );
    assert!(matches!(ended.status(), 0 | 2), "{}", ended.err());
    assert!(!ended.err().contains("panicked"), "{}", ended.err());
    assert_eq!(
        ended.status() == 2,
        ended.out().is_empty(),
        "{}",
        ended.err()
    );
    if ended.status() == 2 {
        assert_eq!(ended.err().lines().count(), 1, "{}", ended.err());
    }
    for text in [ended.out(), ended.err()] {
        assert!(!text.chars().any(unprintable), "{text:?}");
    }
    ended
}

/// User and system time of `/proc/N/stat`, in hundredths of seconds.
fn processor_time(stat: &str) -> Option<Duration> {
    // The name in front may hold anything, parentheses too.
    let (_, fields) = stat.rsplit_once(')')?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: Vec<u64> = ticks.filter_map(|t| t.parse().ok()).collect();
    (ticks.len() == 2).then(|| Duration::from_millis(ticks.iter().sum::<u64>() * 10))
}

fn peak_megabytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

fn unprintable(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Within the memory that no file may exceed, its longest line (MB) aside.
fn small(ended: &Ended, longest_line: u64) {
    if let Some(peak) = ended.peak {
        assert!(peak < MEMORY + longest_line, "{peak} MB");
    }
}

fn user(id: &str, parent: Option<&str>, text: &str) -> String {
    serde_json::json!({"parentUuid": parent, "isSidechain": false, "cwd": "/home/sora/shop", "sessionId": "s",
        "type": "user", "message": {"role": "user", "content": text}, "uuid": id,
        "timestamp": "2026-01-01T00:00:00.000Z"})
    .to_string()
}

fn assistant(id: &str, parent: Option<&str>, text: &str) -> String {
    serde_json::json!({"parentUuid": parent, "isSidechain": false, "sessionId": "s", "type": "assistant",
        "message": {"model": "claude-opus-4-6", "id": format!("m-{id}"), "role": "assistant",
        "content": [{"type": "text", "text": text}], "usage": {"input_tokens": 3, "output_tokens": 8}},
        "uuid": id, "timestamp": "2026-01-01T00:00:01.000Z"})
    .to_string()
}

/// A session of two messages around a line that hurts.
fn around(line: &[u8]) -> File {
    file(|out| {
        writeln!(out, "{}", user("u1", None, "주문 목록을 고쳐 주세요."))?;
        out.write_all(line)?;
        writeln!(out, "\n{}", assistant("u2", Some("u1"), "고치겠습니다."))
    })
}

#[test]
fn a_file_of_nothing_but_zeros() {
    let zeros = file(|out| out.write_all(&vec![0; 5_000_000]));
    let ended = run(&[], &zeros);
    assert_eq!(ended.status(), 2);
    small(&ended, 5);
    let inside = run(&[], &around(&vec![0; 3_000_000]));
    assert_eq!(inside.status(), 0);
    assert!(inside.out().contains("주문 목록"));
}

#[test]
fn nesting_ten_thousand_deep() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let deep = format!("{}1{}", open.repeat(10_000), close.repeat(10_000));
        let line = format!(r#"{{"type":"progress","uuid":"p","parentUuid":"u1","data":{deep}}}"#);
        assert!(
            run(&[], &around(line.as_bytes()))
                .out()
                .contains("주문 목록")
        );
        // In a call's arguments, where values are kept, and cut off in the middle.
        let call = format!(
            r#"{{"type":"assistant","uuid":"p","parentUuid":"u1","message":{{"id":"m","role":"assistant","content":[{{"type":"tool_use","id":"t","name":"X","input":{deep}}}]}}}}"#
        );
        for args in [
            &[][..],
            &["--json"],
            &["prune"],
            &["usage"],
            &["recall", "주문"],
        ] {
            run_command(args, &around(call.as_bytes()));
        }
        assert_eq!(
            run(&["--json"], &around(&line.as_bytes()[..line.len() / 2])).status(),
            0
        );
    }
}

/// Commands take their session first.
fn run_command(args: &[&str], file: &File) {
    match args {
        ["recall", query] => {
            let out = Command::new(env!("CARGO_BIN_EXE_compact"))
                .args(["recall".as_ref(), query.as_ref(), file.path.as_os_str()])
                .output()
                .expect("run");
            assert!(out.status.code().is_some_and(|c| c <= 2), "{out:?}");
        }
        _ => {
            run(args, file);
        }
    }
}

#[test]
fn parents_in_circles() {
    let circle = file(|out| {
        for n in 0..2000 {
            let parent = format!("u{}", (n + 1) % 2000);
            writeln!(
                out,
                "{}",
                user(
                    &format!("u{n}"),
                    Some(&parent),
                    "돌고 도는 요청을 고쳐 주세요."
                )
            )?;
        }
        Ok(())
    });
    let ended = run(&["--json"], &circle);
    let state: serde_json::Value = serde_json::from_str(&ended.out()).expect("JSON");
    assert!(state["input"]["stitched"].as_u64() > Some(0));
    let own = file(|out| writeln!(out, "{}", user("u", Some("u"), "나를 고쳐 주세요.")));
    assert!(run(&[], &own).out().contains("나를 고쳐"));
}

fn branches(count: usize) -> File {
    file(|out| {
        writeln!(out, "{}", user("root", None, "가지를 많이 만들어 주세요."))?;
        for n in 0..count {
            writeln!(out, "{}", assistant(&format!("a{n}"), Some("root"), "가지"))?;
        }
        Ok(())
    })
}

#[test]
fn many_branches() {
    let ended = run(&[], &branches(10_000));
    assert!(ended.out().contains("가지를"));
}

fn missing_parents(count: usize) -> File {
    file(|out| {
        for n in 0..count {
            writeln!(
                out,
                "{}",
                assistant(&format!("a{n}"), Some(&format!("gone{n}")), "말")
            )?;
            // Side rows in between make the way back long.
            writeln!(
                out,
                r#"{{"type":"progress","isSidechain":true,"agentId":"x","uuid":"s{n}","parentUuid":null}}"#
            )?;
        }
        Ok(())
    })
}

#[test]
fn many_missing_parents() {
    run(&[], &missing_parents(10_000));
}

#[test]
fn invalid_bytes_everywhere() {
    let broken = file(|out| {
        for n in 0..2000 {
            let line = user(&format!("u{n}"), None, "한글을 고쳐 주세요");
            let mut bytes = line.into_bytes();
            let at = bytes
                .windows(3)
                .position(|w| w == "한".as_bytes())
                .unwrap_or(0);
            bytes[at + n % 3] = 0xFF;
            out.write_all(&bytes)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    });
    let state: serde_json::Value =
        serde_json::from_str(&run(&["--json"], &broken).out()).expect("JSON");
    assert_eq!(state["input"]["repaired"].as_u64(), Some(2000));
    assert_eq!(state["input"]["skipped"].as_u64(), Some(0));
    let noise: Vec<u8> = (0..1_000_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8 | 0x80)
        .collect();
    assert_eq!(run(&[], &file(|out| out.write_all(&noise))).status(), 2);
}

#[test]
fn halves_of_characters() {
    let halves = file(|out| {
        for n in 0..500 {
            let line = user(&format!("u{n}"), None, "반쪽 HALF 를 고쳐 주세요");
            writeln!(
                out,
                "{}",
                line.replace(
                    "HALF",
                    ["\\ud83d", "\\ude00", "\\ude00\\ud83d", "\\ud83d\\ud83d"][n % 4]
                )
            )?;
        }
        Ok(())
    });
    let state: serde_json::Value =
        serde_json::from_str(&run(&["--json"], &halves).out()).expect("JSON");
    assert_eq!(state["input"]["repaired"].as_u64(), Some(500));
}

#[test]
fn what_a_terminal_would_obey_is_never_printed() {
    const EVIL: &str = "\u{1b}]0;제목\u{7}\u{1b}[2J\u{1b}[31m빨강\u{9b}1m \u{202e}뒤집힘\u{2066} \u{0}\u{8}\u{7f} 고쳐 주세요";
    let evil = file(|out| {
        let row = user("u1", None, EVIL);
        writeln!(
            out,
            "{}",
            row.replace("/home/sora/shop", "/home/sora/\\u001b[31mshop")
        )?;
        writeln!(out, "{}", assistant("u2", Some("u1"), EVIL))?;
        let call = serde_json::json!({"parentUuid": "u2", "type": "assistant", "uuid": "u3", "message": {"id": "m3",
            "role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": format!("Ed\u{1b}[1mit"),
            "input": {"file_path": EVIL}}, {"type": "tool_use", "id": "t2", "name": "Bash",
            "input": {"command": format!("git commit -m '{EVIL}'")}}]}});
        writeln!(out, "{call}")?;
        let result = serde_json::json!({"parentUuid": "u3", "type": "user", "uuid": "u4", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t2", "is_error": true,
            "content": format!("error: {EVIL}\n[main abc1234] {EVIL}\n 1 file changed")}]}});
        writeln!(out, "{result}")?;
        writeln!(out, r#"{{"type":"\u001b[31mweird","x":1}}"#)
    });
    for args in [
        &[][..],
        &["--layout", "eight"],
        &["usage"],
        &["tools"],
        &["loops"],
        &["checkpoint"],
    ] {
        if matches!(args, ["tools" | "loops" | "checkpoint"]) {
            let out = Command::new(env!("CARGO_BIN_EXE_compact"))
                .args(args)
                .arg(&evil.path)
                .output()
                .expect("run");
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            assert!(!text.chars().any(unprintable), "{args:?}: {text:?}");
            continue;
        }
        run(args, &evil);
    }
    // What was saved is given back to a terminal too.
    let saved = evil.path.with_file_name("checkpoint.json");
    let saved = [
        vec![
            "checkpoint".as_ref(),
            evil.path.as_os_str(),
            "--output".as_ref(),
            saved.as_os_str(),
        ],
        vec![
            "restore".as_ref(),
            "--checkpoint".as_ref(),
            saved.as_os_str(),
        ],
    ];
    for args in saved {
        let out = Command::new(env!("CARGO_BIN_EXE_compact"))
            .args(&args)
            .output()
            .expect("run");
        assert!(out.status.success(), "{out:?}");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(!text.chars().any(unprintable), "{args:?}: {text:?}");
    }
    let found = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(["recall".as_ref(), "빨강".as_ref(), evil.path.as_os_str()])
        .output()
        .expect("run");
    let text = String::from_utf8_lossy(&found.stdout).into_owned();
    assert!(text.contains("빨강"), "{text}");
    assert!(!text.chars().any(unprintable), "{text:?}");
}

#[test]
fn tags_that_never_close() {
    for tag in [
        "<timestamp>",
        "<system-reminder>",
        "[Image #",
        "<image ",
        "<skill ",
        "[Image #1 ",
        "<",
    ] {
        let text = tag.repeat(400_000 / tag.len());
        run(
            &[],
            &file(|out| writeln!(out, "{}", user("u", None, &format!("고쳐 주세요 {text}")))),
        );
    }
}

#[test]
fn patterns_that_explode_elsewhere() {
    let rules = tempfile::NamedTempFile::new().expect("a file");
    let patterns = serde_json::json!({"rules": {"preferencePatterns": ["(a+)+$", "(a|aa)+$", "(.*)*x", "([a-z]+)*!",
        "a{500}{500}", "(?=a)b", "("], "goalExclusions": ["^(a?){40}a{40}$"]}});
    std::fs::write(rules.path(), patterns.to_string()).expect("written");
    let text = format!(
        "{} 고쳐 주세요. {}",
        "a".repeat(20_000),
        "ab ".repeat(5_000)
    );
    let session = file(|out| {
        for n in 0..50 {
            writeln!(out, "{}", user(&format!("u{n}"), None, &text))?;
        }
        Ok(())
    });
    let path = rules.path().to_string_lossy().into_owned();
    let ended = run(&["--rules", &path], &session);
    assert_eq!(ended.status(), 0);
    assert!(
        ended.err().contains("preferencePatterns"),
        "{}",
        ended.err()
    );
    for pattern in ["(a+)+$", "(a|aa)+$", "(x+x+)+y", "a{1000}{1000}"] {
        let out = Command::new(env!("CARGO_BIN_EXE_compact"))
            .args([
                "recall".as_ref(),
                "--regex".as_ref(),
                pattern.as_ref(),
                session.path.as_os_str(),
            ])
            .output()
            .expect("run");
        assert!(out.status.code().is_some_and(|c| c <= 2), "{out:?}");
    }
}

fn tiny_records(count: usize) -> File {
    file(|out| {
        writeln!(
            out,
            "{}",
            user("u0", None, "아주 작은 기록을 백만 개 읽어 주세요.")
        )?;
        for n in 1..count {
            writeln!(
                out,
                r#"{{"type":"user","uuid":"u{n}","parentUuid":"u{}","message":{{"content":"a"}}}}"#,
                n - 1
            )?;
        }
        Ok(())
    })
}

#[test]
fn many_tiny_records() {
    small(&run(&[], &tiny_records(50_000)), 0);
}

/// As many requests that are rules too: none is compared with every other one.
fn requests(count: usize) -> File {
    file(|out| {
        for n in 0..count {
            let parent = n.checked_sub(1).map(|p| format!("u{p}"));
            let text = format!("주문 {n} 목록을 고쳐 주세요. 앞으로 {n}번은 하지 마세요.");
            writeln!(out, "{}", user(&format!("u{n}"), parent.as_deref(), &text))?;
        }
        Ok(())
    })
}

/// Calls that each fail, commit and touch a file of their own.
fn calls(count: usize) -> File {
    file(|out| {
        writeln!(out, "{}", user("u0", None, "하나씩 고쳐 주세요."))?;
        for n in 0..count {
            let call = serde_json::json!({"parentUuid": "u0", "type": "assistant", "uuid": format!("a{n}"), "message":
                {"id": format!("m{n}"), "role": "assistant", "content": [
                {"type": "tool_use", "id": format!("e{n}"), "name": "Edit", "input":
                    {"file_path": format!("/home/sora/shop/src/f{n}.ts"), "old_string": "a", "new_string": "b"}},
                {"type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input":
                    {"command": format!("cargo test f{n} && git commit -m 'fix {n}'")}}]}});
            writeln!(out, "{call}")?;
            let result = serde_json::json!({"parentUuid": format!("a{n}"), "type": "user", "uuid": format!("r{n}"),
                "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": format!("e{n}"), "content": "ok"},
                {"type": "tool_result", "tool_use_id": format!("t{n}"), "is_error": n % 2 == 0,
                    "content": format!("error: x{n}\n[main {:07x}] fix {n}\n 1 file changed", n + 0xabc_0000)}]}});
            writeln!(out, "{result}")?;
        }
        Ok(())
    })
}

/// Alone, and with a state, which is carried from one part of the file to the next.
fn with_and_without_a_state(file: &File) {
    small(&run(&[], file), 0);
    let state = file.path.with_extension("state");
    small(&run(&["--state", &state.to_string_lossy()], file), 0);
}

#[test]
fn many_requests_and_many_calls() {
    with_and_without_a_state(&requests(3_000));
    with_and_without_a_state(&calls(3_000));
}

#[test]
fn sentences_without_an_end() {
    for part in [
        "I think ",
        "my boss said I heard ",
        "I ran it and the build passed and ",
        "I tested it but it works but ",
        "확인했고 ",
    ] {
        let line = user("u1", None, &part.repeat(20_000));
        small(&run(&[], &around(line.as_bytes())), 0);
    }
}

/// Results that hang on a long row of progress reports, which lead to nothing.
fn reports(count: usize) -> File {
    file(|out| {
        writeln!(out, "{}", user("u0", None, "하나씩 고쳐 주세요."))?;
        for n in 0..count {
            let parent = n
                .checked_sub(1)
                .map_or("gone".to_owned(), |p| format!("p{p}"));
            writeln!(
                out,
                r#"{{"type":"progress","uuid":"p{n}","parentUuid":"{parent}"}}"#
            )?;
        }
        for n in 0..count {
            let result = serde_json::json!({"parentUuid": format!("p{}", count - 1), "type": "user", "uuid": format!("r{n}"),
                "toolUseResult": {}, "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": format!("t{n}"), "content": "ok"}]}});
            writeln!(out, "{result}")?;
        }
        writeln!(out, "{}", assistant("a0", Some("u0"), "고쳤습니다."))
    })
}

#[test]
fn many_results_behind_many_reports() {
    small(&run(&[], &reports(40_000)), 0);
}

#[test]
fn nothing_but_line_ends() {
    let ended = run(&[], &file(|out| out.write_all(&vec![b'\n'; 1_000_000])));
    assert_eq!(ended.status(), 2);
    small(&ended, 0);
}

#[test]
#[ignore = "large: a million records"]
fn a_million_tiny_records() {
    small(&run(&[], &tiny_records(1_000_000)), 0);
}

#[test]
#[ignore = "large: a hundred thousand branches"]
fn a_hundred_thousand_branches() {
    small(&run(&[], &branches(100_000)), 0);
    small(&run(&[], &missing_parents(100_000)), 0);
}

#[test]
#[ignore = "large: tens of thousands of rules, failures, files and commits"]
fn tens_of_thousands_of_requests_and_calls() {
    with_and_without_a_state(&requests(50_000));
    with_and_without_a_state(&calls(20_000));
}

#[test]
#[ignore = "large: a line of 150 MB"]
fn a_line_of_150_megabytes() {
    let text = "가나다 abc \\n".repeat(150_000_000 / 17);
    let line = format!(
        r#"{{"type":"user","uuid":"x","parentUuid":"u1","message":{{"content":[{{"type":"tool_result","tool_use_id":"t","content":"{text}"}}]}}}}"#
    );
    small(&run(&[], &around(line.as_bytes())), 150);
    let prompt = format!(
        r#"{{"type":"user","uuid":"x","parentUuid":"u1","message":{{"content":"{text}"}}}}"#
    );
    small(&run(&[], &around(prompt.as_bytes())), 150);
    // Never closed, so that it is no record.
    small(&run(&[], &around(&line.as_bytes()[..line.len() - 4])), 150);
}
