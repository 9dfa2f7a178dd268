//! A message line by line: what was said, and what was only mentioned.
//!
//! Fenced code, quotes, tables, logs, traces, diffs, attached blocks, and everything behind a line that looks like
//! a heading of a brief are mentioned, not said (CONTRACT 11 "Who speaks"): no request, rule or blocker comes from them.

use regex::Regex;
use std::sync::LazyLock;

/// One line of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'t> {
    pub text: &'t str,
    pub said: bool,
}

/// Lines that a program printed: logs, traces, compiler messages, shell prompts.
static PRINTED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?x)^\s*(?:
        \[?\d{4}-\d\d-\d\d[T\s]\d\d:\d\d                      # 2026-01-01 10:00
        | (?:\[)?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)(?:\]|:|\s)\s*(?:\d|\[|in\s|at\s|[A-Za-z_./-]+[:\]])
        | (?:ERROR|WARN|INFO|DEBUG)\s+\d{4}-
        | \[?\d\d:\d\d:\d\d[\].,\s]                           # 10:00:00
        | at\s+(?:async\s+)?[\w$.<>\[\]/\s]*\(?[^\s()]+:\d+(?::\d+)?\)?\s*$      # stack frames
        | File\s"[^"]+",\sline\s\d+
        | Traceback\s\(most
        | (?:Uncaught\s)?(?:[A-Z][A-Za-z]*)?(?:Error|Exception|Warning)(?::\s|\s\[)  # TypeError: …
        | \[[a-z][a-z0-9_.-]{1,20}\]\s                       # [tag] of a logger
        | ~?/\S+\s\([^)]*\)\s*$                            # a status line: path and branch
        | [↑↓]\d
        | (?:npm|yarn|pnpm)\s(?:ERR!|error|warn)
        | error(?:\[E\d+\]|\sTS\d+):
        | (?:diff\s--git|index\s[0-9a-f]{6,}|---\s[ab/]|\+\+\+\s[ab/]|@@\s-)
        | [%$❯➜]\s+\S+                                        # a shell prompt
        | \w[\w.-]*@[\w.-]+[:\s]\S+\s*[%$\#]\s
        | \S+\.[a-zA-Z]{1,5}:\d+(?::\d+)?:?\s                  # app.ts:12 message
        | [├└│┌┐┘┬┴┼─═║╔╗╚╝▶●⎿⏺✻]                            # drawings and terminal furniture
        )"#,
    )
    .ok()
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
];

/// Splits a message into lines and tells which of them were said.
pub fn lines(text: &str) -> Vec<Line<'_>> {
    let raw: Vec<&str> = text.lines().collect();
    let mut said: Vec<bool> = Vec::with_capacity(raw.len());
    let mut fence: Option<&str> = None;
    let mut block: Option<String> = None;
    let mut behind_heading = false;
    let mut diff = false;
    // The line before was a program's: indented lines behind it are too.
    let mut printed = false;
    for (i, line) in raw.iter().enumerate() {
        let trimmed = line.trim();
        let mut mention = behind_heading;
        if let Some(mark) = fence {
            mention = true;
            if trimmed.starts_with(mark) && trimmed.trim_start_matches(['`', '~']).is_empty() {
                fence = None;
            }
        } else if let Some(close) = &block {
            mention = true;
            if trimmed.contains(close.as_str()) {
                block = None;
            }
        } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            mention = true;
            fence = Some(&trimmed[..3]);
        } else if let Some(close) = opens_block(trimmed, &raw[i + 1..]) {
            mention = true;
            if !trimmed.contains(close.as_str()) {
                block = Some(close);
            }
        } else if is_heading(trimmed) {
            behind_heading = true;
            mention = true;
        } else if trimmed.starts_with('>')
            || is_table(trimmed)
            || is_record(trimmed)
            || is_printed(line)
        {
            mention = true;
            diff |= trimmed.starts_with("diff --git") || trimmed.starts_with("@@ -");
        } else if printed && line.starts_with("  ") && !trimmed.is_empty() {
            mention = true;
        } else if diff && (line.starts_with('+') || line.starts_with('-') || line.starts_with(' '))
        {
            mention = true;
        } else if !trimmed.is_empty() {
            diff = false;
        }
        printed = mention
            && fence.is_none()
            && block.is_none()
            && !trimmed.starts_with('>')
            && !trimmed.starts_with('<');
        said.push(!mention && !trimmed.is_empty());
    }
    raw.into_iter()
        .zip(said)
        .map(|(text, said)| Line { text, said })
        .collect()
}

/// The said lines only, trimmed, without what a terminal printed behind the words on the same line.
pub fn said(text: &str) -> Vec<&str> {
    let lines = lines(text).into_iter().filter(|l| l.said);
    lines
        .map(|l| before_terminal(l.text.trim()))
        .filter(|l| !l.is_empty())
        .collect()
}

/// Where a pasted screen starts behind a person's words: a drawn line, a shell prompt.
static TERMINAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"[─━═]{4,}|[\w.-]+@[\w.-]+[: ]\S+ [%$#] ").ok());

fn before_terminal(line: &str) -> &str {
    let start = TERMINAL
        .as_ref()
        .and_then(|t| t.find(line))
        .map_or(line.len(), |m| m.start());
    line[..start].trim_end()
}

/// Longer messages, in lines said and in user-perceived characters, hold pasted material as a rule.
const LONG: (usize, usize) = (25, 2500);
/// Lines at each end of a long message that are taken for the person's own.
const ENDS: usize = 4;

/// The lines that are likely the person's own: of a long message both ends, and there no headings and list items.
pub fn own(text: &str) -> Vec<&str> {
    let all = said(text);
    if all.len() <= LONG.0 && crate::language::length(text) <= LONG.1 {
        return all;
    }
    let middle = ENDS..all.len().saturating_sub(ENDS);
    let listed = |l: &str| l.starts_with(['#', '-', '*', '•']) || super::goal::peel(l) != l;
    all.iter()
        .enumerate()
        .filter(|(i, l)| !middle.contains(i) && !listed(l))
        .map(|(_, l)| *l)
        .collect()
}

fn is_printed(line: &str) -> bool {
    PRINTED.as_ref().is_some_and(|p| p.is_match(line))
}

/// A pasted record: a line that is one JSON object with several fields.
fn is_record(line: &str) -> bool {
    line.starts_with("{\"")
        && line.len() > 40
        && crate::json::Json::parse(line).is_ok_and(|j| j.fields().nth(1).is_some())
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

#[cfg(test)]
mod tests {
    use super::*;

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
