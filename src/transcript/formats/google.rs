//! Content as Google's interface has it: parts of text, thoughts, calls and their responses, for the agents that keep
//! it as it came.

use super::shared::{call, labelled_exit, length, shown, text};
use crate::json::Json;
use crate::transcript::{Args, Block, Entry, Outcome, Side, Status, Voice, picture};
use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

/// Calls without an id: they pair with results by name and order.
#[derive(Default)]
pub struct Open {
    waiting: HashMap<String, VecDeque<String>>,
    count: u32,
}

impl Open {
    fn call(&mut self, name: &str) -> String {
        self.count += 1;
        let id = format!("{name}-{}", self.count);
        self.waiting
            .entry(name.to_owned())
            .or_default()
            .push_back(id.clone());
        id
    }
    fn result(&mut self, name: &str) -> String {
        self.waiting
            .get_mut(name)
            .and_then(VecDeque::pop_front)
            .unwrap_or_default()
    }
}

/// Content as Google's interface has it: a string, a part, or parts.
pub fn content_parts<'a>(content: Json<'a>, voice: Voice, entry: &mut Entry<'a>, open: &mut Open) {
    if let Some(said) = content.str() {
        return entry.say(voice, said);
    }
    let one = content.is_object().then_some(content);
    for part in content.items().chain(one) {
        part_block(part, voice, entry, open);
    }
}

/// One part, which can say and call at once.
pub fn part_block<'a>(part: Json<'a>, voice: Voice, entry: &mut Entry<'a>, open: &mut Open) {
    if let Some(said) = part.str() {
        return entry.say(voice, said);
    }
    let [said, thought, made, answered, data] = part.pick([
        "text",
        "thought",
        "functionCall",
        "functionResponse",
        "inlineData",
    ]);
    if thought.is_some_and(|t| t.bool() == Some(true)) {
        let chars = said.map_or(0, length);
        entry.blocks.push(Block::Thinking { chars });
    } else if let Some(said) = said {
        entry.say(voice, text(Some(said)));
    }
    if let Some(made) = made {
        let [id, name, arguments] = made.pick(["id", "name", "args"]);
        let name = text(name);
        let id = match text(id) {
            id if id.is_empty() => Cow::Owned(open.call(&name)),
            id => id,
        };
        let arguments =
            Args::Json(arguments.map_or(Cow::Borrowed("null"), |a| Cow::Borrowed(a.raw())));
        entry.blocks.push(call(id, name, arguments));
    }
    if let Some(answered) = answered {
        let [id, name, response] = answered.pick(["id", "name", "response"]);
        let id = match text(id) {
            id if id.is_empty() => Cow::Owned(open.result(&text(name))),
            id => id,
        };
        let (shown, failed) = response_text(response.unwrap_or(Json::NULL));
        entry.blocks.push(outcome(
            id,
            failed.then_some(Status::Error),
            shown,
            Side::default(),
        ));
    }
    if let Some(data) = data {
        let [mime, data] = data.pick(["mimeType", "data"]);
        let mime = mime.and_then(|m| m.str());
        entry
            .blocks
            .push(Block::Image(Box::new(picture(None, mime, &text(data)))));
    }
}

/// A response's text, and whether it is an error.
pub fn response_text<'a>(response: Json<'a>) -> (Cow<'a, str>, bool) {
    let [output, error, content] = response.pick(["output", "error", "content"]);
    let present = |v: &Json<'_>| !v.is_null();
    if let Some(error) = error.filter(present) {
        return (shown(Some(error)), true);
    }
    (
        shown(output.or(content).filter(present).or(Some(response))),
        false,
    )
}

/// A result; a shell's own report tells a failure that the status does not.
pub fn outcome<'a>(
    id: Cow<'a, str>,
    status: Option<Status>,
    text: Cow<'a, str>,
    side: Side<'a>,
) -> Block<'a> {
    let exit = labelled_exit(&text, "Exit Code:");
    let text = printed(&text).map_or(text, Cow::Owned);
    let failed = exit.is_some_and(|code| code != 0);
    Block::Result(Box::new(Outcome {
        call: id,
        status: match status {
            None | Some(Status::Ok) if failed => Status::Error,
            status => status.unwrap_or(Status::Ok),
        },
        exit,
        text,
        images: 0,
        side,
    }))
}

/// What the command itself printed, out of a shell's report: lines in front (`Command:`, `Directory:`), a label before
/// the output, and labelled lines behind it; older reports have them all, newer ones those that say something.
fn printed(report: &str) -> Option<String> {
    const BEHIND: [&str; 4] = [
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
    ];
    const NOTHING: [&str; 2] = ["Error: (none)", "Stderr: (empty)"];
    let mut rest = report.trim();
    if let Some(inside) = rest.strip_prefix("<untrusted_context>") {
        rest = inside.trim().strip_suffix("</untrusted_context>")?.trim();
    }
    if rest.starts_with("Command: ") {
        let (_, place) = rest.split_once("\nDirectory: ")?;
        (_, rest) = place.split_once('\n')?;
    }
    rest = rest
        .strip_prefix("Output:")
        .or_else(|| rest.strip_prefix("Stdout:"))?;
    let all = rest.len();
    while let Some((before, last)) = rest.rsplit_once('\n') {
        if !BEHIND.iter().any(|label| last.starts_with(label)) && !NOTHING.contains(&last) {
            break;
        }
        rest = before;
    }
    // Without a line behind it, it may be any text that begins with the word.
    if rest.len() == all {
        return None;
    }
    let rest = rest.trim();
    if rest == "(empty)" {
        return Some(String::new());
    }
    Some(match rest.rsplit_once("\nStderr: ") {
        Some(("(empty)", errors)) => errors.to_owned(),
        Some((output, errors)) => format!("{output}\n{errors}"),
        None => rest.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_shell_report_is_left_with_what_the_command_printed() {
        let printed = |report: &str| super::printed(report).unwrap_or_else(|| report.to_owned());
        let old = "Command: git commit -m x\nDirectory: (root)\nStdout: [main 1a2b3c4] x\n 1 file changed\nStderr: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 41";
        assert_eq!(printed(old), "[main 1a2b3c4] x\n 1 file changed");
        let both = "Command: make\nDirectory: src\nStdout: built a\nStderr: warning: b\nError: (none)\nExit Code: 2\nSignal: (none)";
        assert_eq!(printed(both), "built a\nwarning: b");
        let new = "Output: [main 1a2b3c4] x\nProcess Group PGID: 41";
        assert_eq!(printed(new), "[main 1a2b3c4] x");
        let silent = "<untrusted_context>\nOutput: (empty)\nExit Code: 1\nProcess Group PGID: 41\n</untrusted_context>";
        assert_eq!(printed(silent), "");
        for other in [
            "Output: a table",
            "Command: x\nOutput: y\nExit Code: 0",
            "a\nExit Code: 1",
        ] {
            assert_eq!(printed(other), other);
        }
    }
}
