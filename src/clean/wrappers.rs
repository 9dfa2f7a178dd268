//! The wrappers hosts put around or in place of a person's words, and how to take them off.
//!
//! Only the *start* of a text decides whether it is the host's (after reminders are gone): pasted text that
//! merely contains a wrapper's tag is the person's (FORMATS C16).

/// A text taken apart.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Speech {
    /// The person's own words, if any.
    pub said: Option<String>,
    /// What the host put there, shortened to what a reader may need (a command, `[skill: NAME]`).
    pub aside: Option<String>,
    /// The aside is a compaction summary.
    pub summary: bool,
}

/// Texts that are the host's from start to end when they begin so. Compared without case.
const NOTICES: &[&str] = &[
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<local-command-caveat>",
    "caveat: the messages below",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "[request interrupted by user",
    "<task-notification>",
    "<agent-notification>",
    "<teammate-message",
    "<user-prompt-submit-hook>",
    "<stop-hook",
    "<hook_prompt",
    "<hook_context>",
    "base directory for this skill:",
    "stop hook feedback:",
    "stop hook blocking error",
    "pretooluse:",
    "posttooluse:",
    "userpromptsubmit hook",
    "[system notification",
    "<environment_context>",
    "# agents.md instructions",
    "<user_instructions>",
    "<permissions instructions>",
    "<collaboration_mode>",
    "<model_switch>",
    "<skills_instructions>",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<additional_context>",
    "<session_context>",
    "<state_snapshot>",
    "<tool_use_error>",
    "the following is the codex agent history",
    "your response was cut off",
    "[image: source:",
    "this is an automated notice",
    "this is an automated message",
    "this is an automated notification",
    "[this is an automated",
    // What hosts type for the person behind a command of their own.
    "generate a file named agents.md that serves as a contributor guide",
    "please analyze this codebase and create a claude.md file",
    "user has approved your plan",
];

/// Beginnings of a summary that some compaction wrote.
const SUMMARIES: &[&str] = &[
    "this session is being continued from a previous conversation",
    "another language model started to solve this problem",
    "the conversation history before this point was compacted",
    "<system>previous context has been compacted",
];

/// Tags whose pair, with everything inside, is the host's wherever it stands in front of or behind a person's words.
const TAGS: &[&str] = &[
    "system-reminder",
    "system_reminder",
    "ide_opened_file",
    "ide_selection",
    "ide_diagnostics",
    "context-window-usage",
    "command-message",
    "user-prompt-submit-hook",
    "timestamp",
    "attached_files",
    "environment_details",
    "open_and_recently_viewed_files",
    "manually_attached_skills",
    "new-diagnostics",
    "current_datetime",
];

/// Heads of the wrapper that IDE plug-ins put around a request, and the heading behind which the request stands.
const IDE_HEADS: &[&str] = &[
    "# context from my ide setup",
    "# files mentioned by the user",
    "# selected text",
    "# in app browser",
];
const IDE_REQUEST: &str = "## my request for codex:";

/// Cheap test before anything is copied: could this text hold a wrapper at all?
pub fn suspicious(text: &str) -> bool {
    memchr::memchr3(b'<', b'[', b'#', text.as_bytes()).is_some()
        || starts_with_any(text.trim_start(), NOTICES)
        || starts_with_any(text.trim_start(), SUMMARIES)
}

fn starts_with_any(text: &str, heads: &[&str]) -> bool {
    heads.iter().any(|head| starts(text, head))
}

fn starts(text: &str, head: &str) -> bool {
    text.as_bytes()
        .get(..head.len())
        .is_some_and(|t| t.eq_ignore_ascii_case(head.as_bytes()))
}

/// Takes the wrappers off a text that stands under a person's name.
pub fn speech(text: &str) -> Speech {
    let mut rest = text.trim();
    let mut asides: Vec<String> = Vec::new();
    let owned;
    if TAGS.iter().any(|tag| rest.contains(&format!("<{tag}"))) {
        owned = without_tags(rest);
        rest = owned.trim();
    }
    if starts_with_any(rest, SUMMARIES) {
        return Speech {
            said: None,
            aside: Some(rest.to_owned()),
            summary: true,
        };
    }
    while let Some((name, behind)) = skill(rest) {
        asides.push(format!("[skill: {name}]"));
        rest = behind.trim();
    }
    if let Some(request) = ide_request(rest) {
        rest = request;
    }
    let unmarked;
    if rest.contains("[Image") || rest.contains("<image") {
        unmarked = without_image_marks(rest);
        rest = unmarked.trim();
    }
    if let Some(query) = between(rest, "<user_query>", "</user_query>") {
        rest = query.trim();
    }
    if starts_with_any(rest, NOTICES) {
        asides.push(notice(rest));
        rest = "";
    }
    let keep = |text: String| (!text.trim().is_empty()).then_some(text);
    Speech {
        said: keep(rest.to_owned()),
        aside: keep(asides.join("\n")),
        summary: false,
    }
}

/// What is worth keeping of a notice: a slash command with its arguments, else the text itself.
fn notice(text: &str) -> String {
    match between(text, "<command-name>", "</command-name>") {
        Some(name) => {
            let args = between(text, "<command-args>", "</command-args>")
                .unwrap_or_default()
                .trim();
            format!("{} {args}", name.trim()).trim().to_owned()
        }
        None => text.to_owned(),
    }
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let from = text.find(open)? + open.len();
    let to = text[from..].find(close)? + from;
    Some(&text[from..to])
}

/// The text without the pairs of [`TAGS`]; a tag that is never closed takes nothing with it.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    // Tags that are not closed in what is left; looked for once, or a text of nothing but tags takes for ever.
    let mut open: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        let (before, tagged) = rest.split_at(at);
        out.push_str(before);
        let cut = TAGS.iter().find_map(|tag| {
            let inner = tagged[1..].strip_prefix(tag)?;
            if !inner.starts_with(['>', ' ', '\n']) || open.contains(tag) {
                return None;
            }
            let close = format!("</{tag}>");
            let end = tagged.find(&close).map(|end| end + close.len());
            if end.is_none() {
                open.push(tag);
            }
            end
        });
        match cut {
            Some(end) => rest = &tagged[end..],
            None => {
                out.push('<');
                rest = &tagged[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// A skill's manual in front: its name and what stands behind it.
fn skill(text: &str) -> Option<(&str, &str)> {
    let inner = text.strip_prefix("<skill ")?;
    let head = &inner[..inner.find('>')?];
    let end = text.find("</skill>")? + "</skill>".len();
    let name = between(head, "name=\"", "\"").unwrap_or("skill");
    Some((name, &text[end..]))
}

/// The request inside an IDE plug-in's wrapper: everything behind the first request heading.
fn ide_request(text: &str) -> Option<&str> {
    if !starts_with_any(text, IDE_HEADS) {
        return None;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if starts(line.trim(), IDE_REQUEST) {
            let behind = line.trim().len() > IDE_REQUEST.len();
            return Some(if behind {
                text[at - line.len()..].trim_start()[IDE_REQUEST.len()..].trim()
            } else {
                text[at..].trim()
            });
        }
    }
    None
}

/// Where the next mark may begin.
fn image_mark(text: &str) -> Option<usize> {
    memchr::memchr2_iter(b'[', b'<', text.as_bytes()).find(|&at| {
        let rest = &text[at..];
        ["[Image", "<image", "</image>"]
            .iter()
            .any(|mark| rest.starts_with(mark))
    })
}

/// `[Image #1]`, `[Image: source: …]` and `<image …>` marks that hosts leave for pasted pictures.
fn without_image_marks(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = image_mark(rest) {
        out.push_str(&rest[..at]);
        let tail = &rest[at..];
        let close = if tail.starts_with('[') { ']' } else { '>' };
        let mark = tail.starts_with("[Image #")
            || tail.starts_with("[Image: ")
            || tail.starts_with("[Image]")
            || tail.starts_with('<');
        let end = tail
            .bytes()
            .take(400)
            .position(|b| b == close as u8)
            .filter(|&e| mark && !tail[..e].contains('\n'));
        match end {
            Some(end) => rest = &tail[end + 1..],
            None => {
                out.push_str(&tail[..1]);
                rest = &tail[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> Option<String> {
        speech(text).said
    }

    #[test]
    fn notices_are_not_said() {
        for text in [
            "<command-name>/clear</command-name>\n<command-message>clear</command-message>",
            "<local-command-stdout>ok</local-command-stdout>",
            "[Request interrupted by user for tool use]",
            "<task-notification>\n<task-id>b1</task-id>",
            "<system-reminder>할 일이 비었습니다</system-reminder>",
            "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>",
            "Stop hook feedback:\n- run tests",
        ] {
            assert_eq!(said(text), None, "{text}");
        }
        assert_eq!(
            speech("<command-name>/review</command-name><command-args>12</command-args>")
                .aside
                .as_deref(),
            Some("/review 12")
        );
    }

    #[test]
    fn words_beside_a_wrapper_are_said() {
        for (text, want) in [
            ("<system-reminder>x</system-reminder>\n커밋해줘", "커밋해줘"),
            (
                "로그에 <bash-input> 가 왜 나와?",
                "로그에 <bash-input> 가 왜 나와?",
            ),
            (
                "# Context from my IDE setup:\n\n## Open tabs:\n- a.ts\n\n## My request for Codex:\n고쳐줘\n",
                "고쳐줘",
            ),
            (
                "<skill name=\"deploy\" location=\"x\">\n길다\n</skill>\n\n배포 문서만 고쳐줘",
                "배포 문서만 고쳐줘",
            ),
            ("[Image #1] 이 화면처럼 해줘", "이 화면처럼 해줘"),
            ("a < b 인지 봐줘", "a < b 인지 봐줘"),
            (
                "<system-reminder>안 닫힘\n고쳐줘",
                "<system-reminder>안 닫힘\n고쳐줘",
            ),
        ] {
            assert_eq!(said(text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn summaries_are_named() {
        assert!(
            speech("This session is being continued from a previous conversation that ran out")
                .summary
        );
    }
}
