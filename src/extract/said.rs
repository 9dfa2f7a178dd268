//! A message line by line: what was said, and what was only mentioned.
//!
//! Fenced code, quotes, tables, logs, traces, diffs, attached blocks, and everything behind a line that looks like
//! a heading of a brief are mentioned, not said (CONTRACT 11 "Who speaks"): no request, rule or blocker comes from them.

use crate::language::script::is_syllable;
use crate::lexicon::{Lazy, ascii_words};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    pub text: &'t str,
    pub said: bool,
}

/// Lines that a program printed: logs, traces, compiler messages, shell prompts.
static PRINTED: LazyLock<Lazy> = LazyLock::new(|| {
    Lazy::new(ascii_words(
        r#"(?x-i)^\s*(?:
        \[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d                      # 2026-01-01 10:00
        | (?:\[)?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)(?:\]|:|\s)\s*(?:\d|\[|in\s|at\s|[A-Za-z_./-]+[:\]])
        | (?:ERROR|WARN|INFO|DEBUG)\s+\d{4}-
        | \[?\d\d:\d\d:\d\d[\].,\s]                           # 10:00:00
        | at\s+(?:async\s+)?[\w$.<>\[\]/\s]*\(?[^\s()]+:\d+(?::\d+)?\)?\s*$      # stack frames
        | File\s"[^"]+",\sline\s\d+
        | Traceback\s\(most
        | (?:Uncaught\s)?(?:[A-Z][A-Za-z]*)?(?:Error|Exception|Warning)(?::\s|\s\[)  # TypeError: …
        | \[(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|OK|FAIL)\]\s
        | \[[a-z][a-z0-9_.-]{1,20}\]\s[[:ascii:]]*$             # [tag] of a logger
        | ~?/\S+\s\([^)]*\)\s*$                            # a status line: path and branch
        | \S+:\d+\s*$                                      # node:fs:443
        | [↑↓]\d
        | (?:npm|yarn|pnpm)\s(?:ERR!|error|warn|WARN)
        | (?:Compiling|Downloaded|Checking|Fresh)\s[\w-]+\sv\d\S*.*$ | Finished\s.*\btarget\(s\)\sin\s.*$   # cargo
        | -->\s\S+:\d+                                       # where a compiler points to
        | >?\s*\d+\s\|(?:\s|$) | \|\s*(?:\^|-{3,}|$) | \|\s+[\^~-]{2,}  # its margin
        | =\s(?:note|help):\s | For\smore\sinformation\sabout\sthis\serror
        | error:\s(?:could\snot\scompile|aborting\sdue|process\sdidn) | error\sCommand\sfailed
        | thread\s'[^']+'\s(?:\(\d+\)\s)?panicked\sat | note:\srun\swith\s`RUST | called\s`\w+::\w+\(\)`\son
        | panic:\s | goroutine\s\d+\s\[ | exit\sstatus\s\d
        | (?:[a-z]\w*\.){2,}[A-Z]\w*(?:Error|Exception)\b | Caused\sby:\s | \.\.\.\s\d+\s(?:more|common)
        | (?:FAIL|PASS|FAILED|PASSED|---\sFAIL:|---\sPASS:)\s+[\w./-]*[./:]\S* # test runners
        | [✓✔✕✖✗]\s | (?:Test\sSuites|Tests|Snapshots|Time|Suites|Duration|Test\sFiles):\s{2,}\d | Ran\sall\stest\ssuites
        | E\s{3}\S | ={3,}\s.*\s={3,}$ | _{3,}\s\S+\s_{3,}$
        | HTTP/\d(?:\.\d)?\s\d{3}\b                          # an answer and its headers
        | (?:content|access-control|cache|transfer|accept|user|set|x)-[a-z-]+:\s[[:ascii:]]+$
        | (?:PS\s)?[A-Z]:\\[^>]*>\s*\S                       # prompts of Windows
        | error(?:\[E\d+\]|\sTS\d+):
        | (?:diff\s--git|index\s[0-9a-f]{6,}|---\s[ab/]|\+\+\+\s[ab/]|@@\s-)
        | [%$❯➜]\s+\S+                                        # a shell prompt
        | \w[\w.-]*@[\w.-]+[:\s]\S+\s*[%$\#]\s
        | \S+\.[a-zA-Z]{1,5}:\d+(?::\d+)?:?\s                  # app.ts:12 message
        | [├└│┌┐┘┬┴┼─═║╔╗╚╝▶●⎿⏺✻]                            # drawings and terminal furniture
        )"#,
    ))
});

/// Headings and markers of a brief, ours or another tool's: what follows is a summary somebody pasted.
const HEADINGS: &[&str] = &[
    "Session Goal",
    "Earlier Requests",
    "Scope Change",
    "Latest Request",
    "User Preferences",
    "Outstanding Context",
    "Files And Changes",
    "Commits",
    "Transcript",
    "Todos",
    // Of the eight of the other layout those that nobody else writes: all eight begin with the first.
    "User Requests",
    "Final Goal",
    "Active Working Context",
    "Explicit Constraints",
    "Agent Verification State",
    "Delegated Agent Sessions",
];

/// Splits a message into lines and tells which of them were said.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let raw: Vec<&str> = text.lines().collect();
    let mut kinds = kinds(&raw);
    screens(&raw, &mut kinds);
    raw.into_iter()
        .zip(kinds)
        .map(|(text, kind)| Line {
            text,
            said: kind == Of::Person,
        })
        .collect()
}

/// Whose a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    Person,
    /// A program printed it.
    Program,
    /// Quoted, fenced, attached, or behind a pasted heading.
    Quote,
    Blank,
}

fn kinds(raw: &[&str]) -> Vec<Of> {
    let mut kinds: Vec<Of> = Vec::with_capacity(raw.len());
    let mut fence: Option<&str> = None;
    let mut block: Option<String> = None;
    let mut behind_heading = false;
    let mut diff = false;
    // Inside code without a fence: its body is indented.
    let mut code = false;
    for (i, line) in raw.iter().enumerate() {
        let trimmed = line.trim();
        let after_program = kinds.last() == Some(&Of::Program);
        let kind = if let Some(mark) = fence {
            if trimmed.starts_with(mark) && trimmed.trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
            Of::Quote
        } else if let Some(close) = &block {
            if trimmed.contains(close.as_str()) {
                block = None;
            }
            Of::Quote
        } else if trimmed.is_empty() {
            Of::Blank
        } else if behind_heading || is_heading(trimmed) {
            behind_heading = true;
            Of::Quote
        } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            fence = Some(&trimmed[..3]);
            Of::Quote
        } else if let Some(close) = opens_block(trimmed, &raw[i + 1..]) {
            if !trimmed.contains(close.as_str()) {
                block = Some(close);
            }
            Of::Quote
        } else if trimmed.starts_with('>') || is_table(trimmed) {
            Of::Quote
        } else if is_code(line) || code && line.starts_with("    ") {
            code = true;
            Of::Quote
        } else if is_record(trimmed) || is_printed(line) {
            diff |= trimmed.starts_with("diff --git") || trimmed.starts_with("@@ -");
            Of::Program
        } else if after_program && line.starts_with("  ")
            || diff && line.starts_with(['+', '-', ' '])
        {
            Of::Program
        } else {
            diff = false;
            code = false;
            Of::Person
        };
        kinds.push(kind);
    }
    kinds
}

/// Pasted screens: a run of lines without a blank one that a program printed for the most part is its as a whole, and so
/// is a title of such a run (`[Plugin problems]`, `More errors:`) with the indented lines below it. The first and the
/// last line of a message are spared: that is where people say what they want with their paste.
fn screens(raw: &[&str], kinds: &mut [Of]) {
    traces(raw, kinds);
    repeats(raw, kinds);
    let first = kinds.iter().position(|k| *k != Of::Blank);
    let last = kinds.iter().rposition(|k| *k != Of::Blank);
    let mut start = 0;
    while start < raw.len() {
        let end = (start..raw.len())
            .find(|&i| kinds[i] == Of::Blank)
            .unwrap_or(raw.len());
        let printed = kinds[start..end]
            .iter()
            .filter(|k| **k == Of::Program)
            .count();
        if end - start > 2 && printed * 2 >= end - start {
            for (i, kind) in kinds.iter_mut().enumerate().take(end).skip(start) {
                if *kind == Of::Person && Some(i) != first && Some(i) != last {
                    *kind = Of::Program;
                }
            }
        }
        start = end + 1;
    }
    let mut any = kinds.contains(&Of::Program);
    for i in 0..raw.len() {
        let line = raw[i].trim();
        let title = line.starts_with('[') && line.ends_with(']') || any && line.ends_with(':');
        let indented = |j: usize| raw.get(j).is_some_and(|l| l.starts_with("  "));
        if kinds[i] != Of::Person || !title || !indented(i + 1) {
            continue;
        }
        kinds[i] = Of::Program;
        any = true;
        for j in (i + 1..raw.len()).take_while(|&j| indented(j) || raw[j].trim().is_empty()) {
            if kinds[j] == Of::Person {
                kinds[j] = Of::Program;
            }
        }
    }
}

/// Lines between an error and the frames of its stack, at most.
const ADVICE: usize = 12;

/// What stands between an error and the frames of its stack belongs to the error: advice, code, the name of a log.
fn traces(raw: &[&str], kinds: &mut [Of]) {
    let mut error: Option<usize> = None;
    for i in 0..raw.len() {
        if kinds[i] != Of::Program {
            continue;
        }
        let line = raw[i].trim_start();
        if line.starts_with("at ") {
            if let Some(start) = error.take().filter(|s| i - s <= ADVICE) {
                for kind in &mut kinds[start..i] {
                    if *kind == Of::Person {
                        *kind = Of::Program;
                    }
                }
            }
        } else if line.contains("Error") || line.contains("Exception") {
            error = Some(i);
        }
    }
}

/// A line that stands three times in a message beside a program's was not typed three times.
fn repeats(raw: &[&str], kinds: &mut [Of]) {
    const TYPED: usize = 2;
    if !kinds.contains(&Of::Program) {
        return;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (line, kind) in raw.iter().zip(kinds.iter()) {
        if *kind == Of::Person {
            *counts.entry(line.trim()).or_default() += 1;
        }
    }
    for (line, kind) in raw.iter().zip(kinds.iter_mut()) {
        if *kind == Of::Person && counts.get(line.trim()).is_some_and(|n| *n > TYPED) {
            *kind = Of::Program;
        }
    }
}

/// The said lines only, trimmed, without what a terminal printed behind the words on the same line.
pub fn said(text: &str) -> Vec<&str> {
    spoken(&lines(text))
}

/// [`said`] of lines that were told apart already.
pub fn spoken<'t>(lines: &[Line<'t>]) -> Vec<&'t str> {
    let lines = lines.iter().filter(|l| l.said);
    lines
        .map(|l| before_terminal(l.text.trim()))
        .filter(|l| !l.is_empty())
        .collect()
}

/// Where a pasted screen starts behind a person's words: a drawn line, a shell prompt.
static TERMINAL: LazyLock<Lazy> =
    LazyLock::new(|| Lazy::new(ascii_words(r"[─━═]{4,}|[\w.-]+@[\w.-]+[: ]\S+ [%$#] ")));

fn before_terminal(line: &str) -> &str {
    let found = TERMINAL.find_iter(line).next();
    let start = found.map_or(line.len(), |m| m.start);
    line[..start].trim_end()
}

/// Longer messages, in lines said and in user-perceived characters, hold pasted material as a rule.
const LONG: (usize, usize) = (25, 2500);
/// A message with as many Markdown headings is a document.
const HEADED: usize = 3;
/// Lines of a paragraph at the end of a long message that are taken for the person's own.
const OWN: usize = 4;

/// The lines that are likely the person's own: of a long message or a document the first and the last paragraph, unless
/// they are headings and lists.
pub fn own(text: &str) -> Vec<&str> {
    let lines = lines(text);
    let all = spoken(&lines);
    // User-perceived characters are never more than characters, which are counted faster.
    let short = || text.chars().count() <= LONG.1 || crate::language::length(text) <= LONG.1;
    let headings = || all.iter().filter(|l| is_title(l)).count();
    if all.len() <= LONG.0 && headings() < HEADED && short() {
        return all;
    }
    let paragraphs: Vec<&[Line<'_>]> = lines
        .split(|l| l.text.trim().is_empty())
        .filter(|p| !p.is_empty())
        .collect();
    let listed = |l: &str| l.starts_with(['#', '-', '*', '•', '|']) || peel(l) != l;
    let ends = [
        paragraphs.first(),
        paragraphs.last().filter(|_| paragraphs.len() > 1),
    ];
    ends.into_iter()
        .flatten()
        .filter(|p| p.len() <= OWN && p.iter().all(|l| l.said && !listed(l.text.trim())))
        .flat_map(|p| p.iter().map(|l| before_terminal(l.text.trim())))
        .filter(|l| !l.is_empty())
        .collect()
}

/// Gets ready what every message is looked at with.
pub fn prepare() {
    for pattern in [&PRINTED, &CODE, &TERMINAL] {
        pattern.prepare();
    }
}

/// `## Logging`.
fn is_title(line: &str) -> bool {
    line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
}

fn is_printed(line: &str) -> bool {
    // What begins with a Korean word is told by the number of a line behind it, or not at all.
    let korean = line.trim_start().starts_with(is_syllable);
    if korean && !line.bytes().any(|b| b.is_ascii_digit()) {
        return false;
    }
    PRINTED.is_match(line)
}

/// Lines of source or data that stand in a message without a fence.
static CODE: LazyLock<Lazy> = LazyLock::new(|| {
    Lazy::new(ascii_words(
        r#"(?x-i)^\s*(?:
        (?:export\s|public\s|private\s|protected\s|static\s|async\s|pub(?:\(\w+\))?\s|default\s)*(?:
            (?:const|let|var|val)\s+(?:mut\s)?[\w$\[{][\w$\[\]{},\s:<>]*=\s*\S.*
            | (?:function|def|fn|func)\s+[\w$]+\s*[<(].*
            | (?:class|struct|enum|interface|impl|trait)\s.*\{$ | class\s[A-Z]\w*(?:\(.*\))?:$
            | type\s\w+(?:<.*>)?\s=\s.*
        )
        | import\s(?:.*\sfrom\s)?['"].*$ | import\s\w+(?:\.[\w*]+)+;?$ | from\s[\w.]+\simport\s.+ | \#include\s*[<"].*
        | (?:if|for|while|switch|catch)\s*\(.*\)\s*\{?$ | with\s[\w.]+\(.*:$ | for\s\w+(?:,\s?\w+)*\sin\s.*:$
        | (?:if|elif|while)\s.*(?:[=!<>]=|\(.*\)).*:$ | try:$ | except\b.*:$ | else:$ | return\s.*(?:;|\w\().*$
        | (?:SELECT|INSERT\sINTO|UPDATE|DELETE\sFROM|CREATE\sTABLE|ALTER\sTABLE)\s.*(?:;|\sFROM\s.*|\sSET\s.*|\()$
        | "[\w-]+"\s*:\s.*[,\[{"\d\w\]}]$ | [{}()\[\]]+[;,]?$ | </?[a-zA-Z][^>]*/?>$
        | [\w.$\[\]]+\s[+*-]?=\s[^=].*[;)]$ | [\w.$]+\(.*\)(?:;|\s*\{)$ | @\w+\(.*\)$ | curl\s+-.*$
        )"#,
    ))
});

fn is_code(line: &str) -> bool {
    !line.chars().any(crate::language::script::is_hangul) && CODE.is_match(line)
}

/// A pasted record: a line that is one JSON object.
fn is_record(line: &str) -> bool {
    line.starts_with("{\"") && crate::json::Json::parse(line).is_ok()
}

fn is_table(line: &str) -> bool {
    line.starts_with('|') && line.len() > 1 && line[1..].contains('|')
        || (line.len() >= 5
            && line
                .bytes()
                .all(|b| matches!(b, b'-' | b'|' | b'+' | b':' | b' ' | b'=')))
}

/// `## Latest Request`, `[Session Goal]`.
pub fn is_heading(line: &str) -> bool {
    let bare = line.trim_start_matches('#').trim();
    let name = if line.starts_with('#') {
        bare
    } else if let Some(inner) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
        inner
    } else {
        return false;
    };
    HEADINGS.iter().any(|h| h.eq_ignore_ascii_case(name.trim()))
}

/// The closing tag of an attached block that this line opens (`<context ref="…">` … `</context>`), if it is closed.
fn opens_block(line: &str, rest: &[&str]) -> Option<String> {
    let inner = line.strip_prefix('<')?;
    let name: String = inner
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        .collect();
    let ended = inner.get(name.len()..)?.starts_with(['>', ' ']);
    if name.len() < 2 || !ended {
        return None;
    }
    let close = format!("</{name}>");
    (line.contains(&close) || rest.iter().take(20_000).any(|l| l.contains(&close))).then_some(close)
}

/// Without its list marker: a bullet, `1.`, `1)`, a check box (G7).
pub fn peel(line: &str) -> &str {
    let mut rest = line.trim();
    for bullet in ["- ", "* ", "• ", "· ", "+ "] {
        if let Some(behind) = rest.strip_prefix(bullet) {
            rest = behind.trim_start();
            break;
        }
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=3).contains(&digits) {
        let behind = &rest[digits..];
        if let Some(text) = behind
            .strip_prefix(['.', ')'])
            .filter(|t| t.starts_with(' '))
        {
            rest = text.trim_start();
        }
    }
    for check in ["[ ] ", "[x] ", "[X] "] {
        if let Some(behind) = rest.strip_prefix(check) {
            rest = behind.trim_start();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_patterns_compile() {
        for pattern in [&PRINTED, &CODE, &TERMINAL] {
            assert!(pattern.is_sound());
        }
        // As they are written: `error` in a sentence is no log line.
        assert!(is_printed("ERROR: in cart.rs") && !is_printed("error: in cart.rs"));
    }

    #[test]
    fn pasted_material_is_not_said() {
        let text = "아래 diff 보고 고쳐줘\n```diff\n-never use tabs\n```\nERROR 2026-01-01 build failed\n> 항상 탭을 쓸 것\n| a | b |\n<context ref=\"x\">\n항상 영어로\n</context>\nTypeError: Cannot read\n    at foo (a.js:1:2)\n분기도 고쳐줘";
        assert_eq!(said(text), ["아래 diff 보고 고쳐줘", "분기도 고쳐줘"]);
    }

    #[test]
    fn a_pasted_brief_takes_the_rest_with_it() {
        assert_eq!(
            said("이어서 해줘\n## User Preferences\n- 항상 탭"),
            ["이어서 해줘"]
        );
        let eight = "이어서 해줘\n## User Requests\n- 표를 고쳐줘 (#0)\n\n## Remaining Tasks\n- 린트가 실패합니다. (#3)";
        assert_eq!(said(eight), ["이어서 해줘"]);
    }

    #[test]
    fn a_screen_is_the_programs_but_not_the_words_around_it() {
        let text = "이거 왜 이래\nnode:net:12\n    return handle(socket);\n    ^\nError: ENOENT: no such file\n    at x (node:net:12:3)\n고쳐줘";
        assert_eq!(said(text), ["이거 왜 이래", "고쳐줘"]);
        assert_eq!(
            said("[Plugin problems]\n  ~/a.toml\n    Unknown key\n\n\nMore errors:\n  - /keys"),
            [""; 0]
        );
    }

    #[test]
    fn a_document_is_not_the_persons_own() {
        let document = "# 로그\n\n## 규칙\n- Never log tokens\n\n## 함께 보기\n- 보안\n\n고쳐줘";
        assert_eq!(own(document), ["고쳐줘"]);
        let note = "# 할 일\n- 로그 회전\n\n## 주의\n- 토큰은 절대 남기지 마";
        assert_eq!(own(note).len(), 4);
    }

    #[test]
    fn ordinary_lines_are_said() {
        for line in [
            "- 로그를 지워줘",
            "Error 문구를 바꿔줘",
            "a < b 로 고쳐줘",
            "# Plan: 새 탭",
            "1) Add retries",
            "[긴급] 고쳐줘",
            "at least two tests",
        ] {
            assert_eq!(said(line), [line]);
        }
    }
}
