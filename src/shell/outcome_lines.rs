//! The lines by which tools say how it went, one table: what a line means and how telling it is.
//! Rules are anchored to the shapes tools print, because words alone (`error`, `failed`) stand in
//! the names of tests, in logs that are shown, and in source code.

use regex::Regex;
use regex::bytes::{RegexSet, RegexSetBuilder};
use std::sync::LazyLock;

/// What a line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// The tool's own verdict: it failed.
    Failed,
    /// A sign of failure that a later verdict of success takes back.
    Maybe,
    /// The tool's own verdict: it went well.
    Passed,
}

use Says::{Failed, Maybe, Passed};

/// Pattern, meaning, and how telling the line is to a reader (higher is better).
const RULES: &[(&str, Says, u8)] = &[
    // Success first: the first rule that matches a line counts.
    (r"^test result: ok\.", Passed, 0),
    (
        r"\b0 fail(?:ed|ures?|ing)?\b(?:[^1-9]|[1-9]\d* (?:passed|skipped|ignored|tests?|examples?|pending|todo|measured|filtered))*$",
        Passed,
        0,
    ),
    (
        r"(?:실패|오류|에러)\s*(?::|：)?\s*(?:0|없음)(?:\D|$)",
        Passed,
        0,
    ),
    (
        r"(?i)^[\W\d]*all (?:\d+ )?(?:tests?|checks?)(?: have)? (?:passed|successful)",
        Passed,
        0,
    ),
    (
        r"(?i)\b(?:compiled|built|build completed|deployed) successfully\b",
        Passed,
        0,
    ),
    (
        r"\bBUILD SUCCE|^\*\* (?:BUILD|TEST) SUCCEEDED|^Build succeeded",
        Passed,
        0,
    ),
    (
        r"^\s*(?:=+ )?\d+ passed\b[^a-z]*(?:\d+ (?:skipped|warnings?|deselected|xfailed|xpassed)\b[^a-z]*)*(?: in |$)",
        Passed,
        0,
    ),
    (
        r"^\s*(?:Tests|Test Files|Test Suites):?\s+(?:\d+ (?:skipped|todo), )*\d+ passed",
        Passed,
        0,
    ),
    (
        r"^(?:ok  ?\s*\S+|OK)(?:$|\s+\(|\s+[\d.]+s|\s+\(cached\))",
        Passed,
        0,
    ),
    (
        r"^\s*Finished `?(?:dev|release|test|bench|debug|\w+)`? (?:profile|\[)",
        Passed,
        0,
    ),
    (
        r"^(?:✓|✔) (?:built|Compiled)|^Success: no issues|^Found 0 errors|\b0 errors\b|^\d+ passing\b",
        Passed,
        0,
    ),
    // Verdicts of test runners.
    (r"^test result: FAILED", Failed, 9),
    (
        r"^(?:=+ )?(?:\d+ \w+, )*[1-9]\d* (?:failed|errors?)\b.* in [\d.]+ ?m?s",
        Failed,
        9,
    ),
    (
        r"^\s*(?:Tests|Test Files|Test Suites):?\s+.*\b[1-9]\d* failed\b",
        Failed,
        9,
    ),
    (
        r"\b[1-9]\d* (?:tests? )?failed\b.*\bpass(?:ed)?\b|\bpassed\b.*\b[1-9]\d* (?:tests? )?failed\b",
        Failed,
        9,
    ),
    (r"\b\d+ examples?, [1-9]\d* failures?", Failed, 9),
    (
        r"^Tests: \d+, Assertions: \d+,.*(?:Failures|Errors): [1-9]",
        Failed,
        9,
    ),
    (r"^\s*[1-9]\d* fail(?:ing\b|$)", Failed, 9),
    (r"^(?:# |ℹ )fail [1-9]", Failed, 8),
    (r"^FAILED \((?:failures|errors)=", Failed, 9),
    (r"^Failed!\s+- Failed:", Failed, 9),
    (r"^FAILURES!$", Failed, 3),
    (
        r"^(?:\d\d:\d\d )?(?:\+\d+ )?(?:~\d+ )?-[1-9]\d*: Some tests failed|^Some tests failed",
        Failed,
        8,
    ),
    (r"^\s*\d+ tests completed, [1-9]\d* failed", Failed, 9),
    (r"^--- FAIL: ", Failed, 7),
    (r"^FAILED \S+", Failed, 7),
    (r"^\s*(?:❯ |× )?FAIL\s+\S+", Failed, 7),
    (r"^FAIL$", Failed, 2),
    (r"^test .+ \.\.\. FAILED$", Failed, 6),
    (r"^\S+ > .+ FAILED$", Failed, 6),
    (r"^ERROR \S+\.py\b", Failed, 6),
    // Compilers and linters.
    (
        r"^error: could not compile|^error: aborting due to|^error: test failed, to rerun|^error: (?:\d+ )?target(?:s)? failed",
        Failed,
        2,
    ),
    (r"^error: (?:script|command) .* exited with", Failed, 2),
    (r"^error: failed to push", Failed, 5),
    (r"^error(?:\[E\d+\])?: ", Failed, 8),
    (
        r"\(\d+,\d+\): error TS\d+: |:\d+:\d+ - error TS\d+: ",
        Failed,
        8,
    ),
    (r"^[^\s:][^:]*:\d+(?::\d+)?: (?:fatal )?error\b", Failed, 8),
    (
        r"^[^\s(]+\(\d+(?:,\d+)?\): (?:fatal )?error [A-Z]+\d+: ",
        Failed,
        8,
    ),
    (r"^e: (?:file://|/)", Failed, 8),
    (r"✖ \d+ problems? \([1-9]\d* errors?", Failed, 9),
    (r"^Found [1-9]\d* errors?\b", Failed, 7),
    (
        r"\b[1-9]\d* errors? generated|^[1-9]\d* errors?$",
        Failed,
        5,
    ),
    (
        r"^\s*(?:Failed to compile|Build failed\b|ERROR in |Type error: )",
        Failed,
        6,
    ),
    (
        r"^(?:\*\* )?(?:BUILD|TEST|ARCHIVE) FAILED|^Build FAILED|\bBUILD FAILURE\b|^FAILURE: Build failed",
        Failed,
        4,
    ),
    (r"^> Task \S+ FAILED", Failed, 5),
    (
        r"^> (?:Could not |Keystore file |SDK location not found|Compilation (?:error|failed)|No matching |Failed to (?:find|install|apply|read|transform|notify))",
        Failed,
        6,
    ),
    (r"^\[ERROR\] ", Failed, 4),
    (r"^make(?:\[\d+\])?: \*\*\* ", Failed, 3),
    (r"^ninja: build stopped", Failed, 3),
    // Package managers.
    (
        r"^npm (?:ERR!|error) (?:code|errno|path|command|A complete log|lifecycle|workspace|location|at |\s)",
        Failed,
        2,
    ),
    (r"^npm (?:ERR!|error) \S", Failed, 6),
    (
        r"^\s*(?:ERR_PNPM_\w+|ELIFECYCLE)\b|ELIFECYCLE\s+Command failed",
        Failed,
        3,
    ),
    (r"^error Command failed with exit code", Failed, 2),
    (
        r"^ERROR: (?:Could not|No matching|pip)|^E: (?:Unable|Package|Could not)",
        Failed,
        7,
    ),
    // The shell, git, the network.
    (
        r"^(?:\S*/)?(?:ba|z|da|k|fi)?sh: (?:line \d+: |\d+: )?.*(?:not found|No such file or directory|Permission denied|syntax error|cannot execute)",
        Failed,
        8,
    ),
    (
        r"^(?:zsh:\d*: ?)?command not found: \S|^\S+: command not found$",
        Failed,
        8,
    ),
    (r"^fatal: ", Failed, 8),
    (
        r"^! \[(?:remote )?rejected\]|^ ! \[(?:remote )?rejected\]",
        Failed,
        7,
    ),
    (r"^CONFLICT \(", Failed, 9),
    (r"^curl: \(\d+\) ", Failed, 8),
    (
        r"^(?:ssh: |scp: |rsync error: )|^\S+: Permission denied \(publickey",
        Failed,
        7,
    ),
    (
        r"^(?:Segmentation fault|Killed|Aborted|Bus error)(?: \(core dumped\))?$|\(core dumped\)$",
        Failed,
        6,
    ),
    (r"(?i)^command (?:timed out|aborted)\b", Failed, 6),
    (
        r"^(?:\w+: )*\S*: (?:cannot|can't|failed to) .*: (?:No such file or directory|Permission denied|Is a directory|Not a directory)$",
        Maybe,
        7,
    ),
    (
        r"^[\w./-]+: .*: (?:No such file or directory|Permission denied)$",
        Maybe,
        6,
    ),
    (r"\b(?:ENOENT|EACCES|EADDRINUSE|ECONNREFUSED)\b", Maybe, 6),
    (
        r"^\S+\.(?:go|java|kt|swift|c|cc|cpp|h|hpp):\d+:\d+: \S",
        Maybe,
        6,
    ),
    // Programs that break.
    (r"^thread '.*' (?:\(\d+\) )?panicked at|^panic: ", Maybe, 5),
    (
        r"^(?:Uncaught )?(?:[A-Z]\w*\.)*[A-Z]\w*(?:Error|Exception): ",
        Maybe,
        7,
    ),
    (r"^(?:[a-z_]\w*\.)+\w*(?:Error|Exception)\b", Maybe, 7),
    (
        r"^(?:Error|ERROR|Fatal error|FATAL|PHP Fatal error): ",
        Maybe,
        7,
    ),
    (r"^\s*✘ |^\s*✗ \S|^\s*❌ ", Maybe, 4),
    // Korean summaries.
    (
        r"(?:실패|오류|에러)\s*(?::|：)?\s*[1-9]\d*\s*(?:건|개)?(?:\s|[.,)!]|$)|[1-9]\d*\s*(?:건|개)(?:의)?\s*(?:가\s*)?(?:실패|오류)",
        Failed,
        9,
    ),
    (
        r"(?:빌드|테스트|배포|설치|컴파일)(?:에|가|이)?\s*실패(?:했|하였|함|입니다|[.!]?$)",
        Failed,
        8,
    ),
];

/// Byte classes instead of Unicode ones: a tenth of the work to compile, and only Latin letters
/// and digits stand in these classes.
static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSetBuilder::new(RULES.iter().map(|r| r.0))
        .unicode(false)
        .build()
        .unwrap_or_else(|_| RegexSet::empty())
});

/// Without one of these pieces no rule can match; looked for before the rules.
const HINTS: &[&str] = &[
    "FAIL",
    "fail",
    "rror",
    "ERR",
    "✖",
    "✗",
    "✘",
    "❌",
    "panic",
    "fatal",
    "FATAL",
    "Fatal",
    "denied",
    "not found",
    "No such",
    "ENOENT",
    "EACCES",
    "EADDR",
    "ECONN",
    "실패",
    "오류",
    "에러",
    "assed",
    "SUCCE",
    "uccess",
    "succeed",
    "***",
    "xception",
    "timed out",
    "aborted",
    "rejected",
    "CONFLICT",
    "ssh:",
    "scp:",
    "curl:",
    "dumped",
    "Killed",
    "Aborted",
    "fault",
    "ok",
    "OK",
    "Finished",
    "built",
    ".go:",
    ".java:",
    ".kt:",
    ".swift:",
    ".c:",
    ".cc:",
    ".cpp:",
    ".h:",
    ".hpp:",
    "Compiled",
    "passing",
    "ELIFE",
    "problem",
    "> Could not ",
    "> Keystore ",
    "> SDK ",
    "> No ",
    "> Comp",
    "e: ",
    "E: ",
    "sh:",
    "stopped",
    "successful",
];

static HINT: LazyLock<Option<aho_corasick::AhoCorasick>> =
    LazyLock::new(|| aho_corasick::AhoCorasick::new(HINTS).ok());

/// What a line says and how telling it is.
pub(super) fn read(line: &str) -> Option<(Says, u8)> {
    if HINT.as_ref().is_some_and(|h| !h.is_match(line)) {
        return None;
    }
    let rule = SET.matches(line.as_bytes()).iter().next()?;
    RULES.get(rule).map(|r| (r.1, r.2))
}

/// A frame of a stack, a caret line, a note: true but not telling.
pub(super) fn is_frame(line: &str) -> bool {
    static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r#"^\s*(?:at \S|File "|\d+: |\^+|~+\^|\||-->|=+$|-+$|note: |help: |hint: |warning: |Node\.js v|goroutine |"#,
            r"Wall time|Output:|Chunk ID|Original token count|Total output lines|stack backtrace|Traceback|",
            r"A complete log|npm (?:ERR!|error) A complete|Waiting for|Shell cwd was reset|\S+\.go:\d+ \+0x)"
        ))
        .ok()
    });
    FRAME.as_ref().is_some_and(|f| f.is_match(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_compiles() {
        assert_eq!(SET.len(), RULES.len());
        assert!(!is_frame("plain"));
        assert!(is_frame("    at foo (a.js:1:2)"));
    }
}
