use super::*;
use crate::shell::parse;

fn of_text(command: &str, text: &str) -> String {
    match outcome(text, None, None, &parse(command)) {
        Outcome::Ok => "ok".to_owned(),
        Outcome::Unknown => "?".to_owned(),
        Outcome::Failed { line } => line,
    }
}

#[test]
fn a_tool_says_itself_that_it_failed() {
    for (command, text, want) in [
        (
            "cargo test 2>&1 | tail -5",
            "test a ... ok\ntest result: FAILED. 3 passed; 2 failed; 0 ignored",
            "test result: FAILED. 3 passed; 2 failed; 0 ignored",
        ),
        (
            "cargo build 2>&1 | tail",
            "error[E0308]: mismatched types\n --> src/a.rs:1:2\nerror: could not compile `a` (lib)",
            "error[E0308]: mismatched types",
        ),
        (
            "npm test | tail",
            "npm ERR! code ELIFECYCLE\nnpm ERR! Missing script: \"x\"",
            "npm ERR! Missing script: \"x\"",
        ),
        (
            "npx vitest run | tail",
            " FAIL  src/x.test.ts\n Tests  1 failed | 3 passed (4)",
            "Tests  1 failed | 3 passed (4)",
        ),
        (
            "pytest | tail -3",
            "===== 2 failed, 10 passed in 1.2s =====",
            "2 failed, 10 passed in 1.2s",
        ),
        (
            "npx jest",
            "Tests:       1 failed, 3 passed, 4 total",
            "Tests: 1 failed, 3 passed, 4 total",
        ),
        (
            "./gradlew build",
            "BUILD FAILED in 3s",
            "BUILD FAILED in 3s",
        ),
        (
            "go test ./... | tail",
            "--- FAIL: TestA (0.00s)\nFAIL\nFAIL\texample/a\t0.1s",
            "--- FAIL: TestA (0.00s)",
        ),
        (
            "npx eslint . | tail",
            "✖ 3 problems (3 errors, 0 warnings)",
            "✖ 3 problems (3 errors, 0 warnings)",
        ),
        (
            "npx tsc --noEmit | head",
            "src/a.ts(3,1): error TS2322: Type 'x'.",
            "src/a.ts(3,1): error TS2322: Type 'x'.",
        ),
        (
            "python3 a.py | tail",
            "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: 나쁜 값",
            "ValueError: 나쁜 값",
        ),
        (
            "git push 2>&1 | tail",
            "fatal: unable to access",
            "fatal: unable to access",
        ),
        (
            "foo; true",
            "bash: line 1: foo: command not found",
            "bash: line 1: foo: command not found",
        ),
        (
            "./검사.sh | tail -3",
            "검사 끝: 성공 10, 실패 2",
            "검사 끝: 성공 10, 실패 2",
        ),
        ("./검사.sh | tail -3", "오류 3건", "오류 3건"),
        (
            "cargo test > log; echo \"exit: $?\"",
            "exit: 101",
            "exit 101",
        ),
    ] {
        let want = one_line(want);
        assert_eq!(of_text(command, text), want, "{command}: {text}");
    }
}

#[test]
fn a_tool_says_itself_that_it_worked() {
    for (command, text) in [
        (
            "cargo test | tail -3",
            "test handles_error ... ok\ntest result: ok. 12 passed; 0 failed; 0 ignored",
        ),
        ("./검사.sh | tail", "성공 12, 실패 0건"),
        ("flutter test", "00:03 +12: All tests passed!"),
        ("npm run build", "Compiled successfully in 3.1s"),
        (
            "cargo test | tail",
            "thread 'a' panicked at src/a.rs:1\ntest result: ok. 1 passed; 0 failed",
        ),
        ("pytest | tail -1", "===== 12 passed in 0.3s ====="),
    ] {
        assert_eq!(of_text(command, text), "ok", "{command}: {text}");
    }
}

#[test]
fn a_text_about_errors_is_no_failure() {
    for (command, text) in [
        ("grep -rn error src", "src/a.rs:3: error: no\nerror: x"),
        (
            "cat build.log",
            "error: could not compile `a`\ntest result: FAILED. 1 passed; 2 failed",
        ),
        ("tail -50 log", "fatal: x"),
        (
            "git log --oneline",
            "abc1234 fix: error: handling\nfatal: x",
        ),
        ("curl -s https://a.test/log", "error: x\nFAIL src/a.test.ts"),
        ("npx eslint . | tail", "✓ returns error: for bad input"),
        ("./run", "12 warnings and handled errors: none"),
        ("./run", ""),
    ] {
        assert_eq!(of_text(command, text), "?", "{command}: {text}");
    }
    for text in ["0 errors, 3 warnings", "Found 0 errors in 3 files"] {
        assert_eq!(of_text("npm run lint | tail", text), "ok", "{text}");
    }
}

#[test]
fn a_status_counts_before_words() {
    let run = |command: &str, text: &str, exit, flag| outcome(text, exit, flag, &parse(command));
    let failed = |line: &str| Outcome::Failed {
        line: line.to_owned(),
    };
    assert_eq!(run("cargo build", "error: x", Some(0), None), Outcome::Ok);
    assert_eq!(run("cargo build", "", Some(1), None), failed("exit 1"));
    assert_eq!(
        run("./x", "first\nlast words\n    at f (a.js:1)", Some(2), None),
        failed("last words")
    );
    assert_eq!(
        run(
            "himail send",
            "Exit code 2\nerror: unexpected argument '--account' found",
            None,
            Some(true)
        ),
        failed("error: unexpected argument '--account' found")
    );
    assert_eq!(run("grep x a", "", Some(1), None), Outcome::Ok);
    assert_eq!(
        run("grep x a", "Exit code 1", None, Some(true)),
        Outcome::Ok
    );
    assert_eq!(
        run(
            "grep x a",
            "grep: a: No such file or directory",
            Some(2),
            None
        ),
        failed("grep: a: No such file or directory")
    );
    assert_eq!(
        run(
            "cargo test | tail -2",
            "test result: FAILED. 1 passed; 1 failed",
            Some(0),
            Some(false)
        ),
        failed("test result: FAILED. 1 passed; 1 failed")
    );
    assert_eq!(
        run(
            "rg x src docs",
            "src/a.rs: x\nrg: docs: No such file or directory",
            Some(2),
            None
        ),
        Outcome::Ok
    );
    assert_eq!(
        run(
            "npm test",
            "{\"output\":\"a\\nTests: 1 failed, 2 passed\",\"metadata\":{\"exit_code\":1}}",
            None,
            None
        ),
        failed("Tests: 1 failed, 2 passed")
    );
    assert_eq!(run("cargo fmt; ls", "a b", Some(0), None), Outcome::Ok);
    assert_eq!(
        run(
            "set -o pipefail; cargo test | tail",
            "test result: FAILED. 1",
            Some(0),
            None
        ),
        Outcome::Ok
    );
}

#[test]
fn written_statuses_are_read() {
    for (text, want) in [
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nx", Some(0)),
        ("Exit code 101\nx", Some(101)),
        (
            "Chunk ID: a\nWall time: 1\nProcess exited with code 3\nOutput:",
            Some(3),
        ),
        ("x\n\nCommand exited with code 1", Some(1)),
        ("x\nexit status 2", Some(2)),
        ("x\n[exit 1]", Some(1)),
        ("<returncode>1</returncode>\n<output>x", Some(1)),
        (
            "{\"output\":\"x\",\"metadata\":{\"exit_code\":7,\"duration_seconds\":0.1}}",
            Some(7),
        ),
        ("we saw exit status 2 in the log", None),
        ("Process running with session ID 7", None),
        ("", None),
    ] {
        assert_eq!(exit_code(text), want, "{text}");
    }
}

#[test]
fn a_long_line_is_cut() {
    let Outcome::Failed { line } = outcome(
        &format!("error: {}", "가".repeat(900)),
        Some(1),
        None,
        &parse("x"),
    ) else {
        panic!("failed");
    };
    assert!(line.chars().count() <= 150);
}
