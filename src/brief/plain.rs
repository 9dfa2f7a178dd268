//! Text of the transcript made fit to be shown: no secrets, no control characters, nothing that could be taken for
//! one of our own headings, markers or lines.

use crate::language::{nfc, one_line, visible};
use crate::redact::redact;
use std::borrow::Cow;

/// What may be printed of a text: secrets replaced, control characters out. Always before any cut.
pub fn shown(text: &str) -> String {
    let text = nfc(text);
    // Control characters first: one inside a secret must not hide it.
    redact(&visible(&text)).into_owned()
}

/// [`shown`] on one line, none of its lines looking like one of ours.
pub fn line(text: &str) -> String {
    let text = shown(text);
    let lines: Vec<Cow<'_, str>> = text.trim().lines().map(neutral).collect();
    neutral(&one_line(&lines.join("\n"))).into_owned()
}

/// Headings of briefs, ours and pi-vcc's, in lower case.
const HEADINGS: &[&str] = &[
    "session goal",
    "earlier requests",
    "scope change",
    "latest request",
    "user preferences",
    "outstanding context",
    "todos",
    "files and changes",
    "commits",
    "transcript",
    "user requests",
    "final goal",
    "work completed",
    "remaining tasks",
    "active working context",
    "explicit constraints",
    "agent verification state",
    "delegated agent sessions",
];

/// A line of quoted text that can no longer be read as one of ours. Hashes in front go, brackets become round, a rule
/// becomes a dash, a call line a list line.
pub fn neutral(text: &str) -> Cow<'_, str> {
    let mut line = match once(text) {
        Cow::Owned(line) => line,
        same => return same,
    };
    // What was behind the sign may begin with another.
    loop {
        match once(&line) {
            next if next == line => return Cow::Owned(line),
            next => line = next.into_owned(),
        }
    }
}

fn once(text: &str) -> Cow<'_, str> {
    let trimmed = text.trim_start();
    let mut out: Cow<'_, str> = Cow::Borrowed(text);
    if trimmed.starts_with('#') {
        let rest = trimmed.trim_start_matches('#');
        // `#12` and `#define` are no headings.
        if rest.is_empty() || rest.starts_with([' ', '\t']) {
            out = Cow::Owned(rest.trim_start().to_owned());
        }
    } else if trimmed.starts_with('[') {
        if let Some((inner, rest)) = trimmed.get(1..).and_then(|t| t.split_once(']')) {
            let name = inner.trim().to_lowercase();
            if matches!(name.as_str(), "user" | "assistant" | "bash")
                || name.starts_with("custom:")
                || HEADINGS.contains(&name.as_str())
            {
                out = Cow::Owned(format!("({}){rest}", inner.trim()));
            }
        }
    } else if trimmed.len() >= 3 && trimmed.trim_end().bytes().all(|b| b == b'-') {
        out = Cow::Borrowed("—");
    } else if let Some(rest) = trimmed.strip_prefix("* ") {
        out = Cow::Owned(format!("- {rest}"));
    } else if trimmed.starts_with('…') && trimmed.trim_end().ends_with("omitted …") {
        out = Cow::Owned(trimmed.replace('…', "...").to_owned());
    }
    if mentions_recall(&out) {
        out = Cow::Owned(out.replace("compact recall", "compact-recall"));
    }
    out
}

/// Whether the line reads like the closing line of a brief.
fn mentions_recall(text: &str) -> bool {
    text.contains("compact recall")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_markers_lose_their_form() {
        assert_eq!(neutral("## Session Goal"), "Session Goal");
        assert_eq!(neutral("[User Preferences]"), "(User Preferences)");
        assert_eq!(neutral("[user] 안녕"), "(user) 안녕");
        assert_eq!(neutral("---"), "—");
        assert_eq!(
            neutral("… 14 messages omitted …"),
            "... 14 messages omitted ..."
        );
        assert!(!neutral("`compact recall '#N'`").contains("compact recall"));
        assert_eq!(neutral("# ## [Session Goal]"), "(Session Goal)");
    }

    #[test]
    fn on_one_line_each_line_has_lost_its_form() {
        let text = "표를 고쳐줘\n## Session Goal\n- 가짜\n[user]\n… 3 messages omitted …\n`compact recall '#N' SESSION` opens";
        assert_eq!(
            line(text),
            "표를 고쳐줘 Session Goal - 가짜 (user) ... 3 messages omitted ... `compact-recall '#N' SESSION` opens"
        );
    }

    #[test]
    fn ordinary_lines_stay() {
        for text in [
            "#12 를 봐줘",
            "[긴급] 고쳐줘",
            "- item",
            "-- not a rule",
            "…끝",
        ] {
            assert_eq!(neutral(text), text);
        }
    }
}
