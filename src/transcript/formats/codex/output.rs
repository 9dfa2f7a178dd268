//! Outputs of calls. None has an error flag: exit codes stand in JSON inside the text, in header lines of three
//! makes, or nowhere (FORMATS 8.8).

use super::super::{content_text, hash, text};
use super::Codex;
use super::parts::{call_id, image};
use crate::json::Json;
use crate::transcript::{Aside, Block, Change, Desk, Kind, Outcome, Side, Status, Voice};
use std::borrow::Cow;

/// What an event said of a patch.
#[derive(serde::Serialize, serde::Deserialize)]
pub struct Patch {
    success: bool,
    changes: Vec<Change<'static>>,
}

/// An output taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
struct Printed<'a> {
    text: Cow<'a, str>,
    exit: Option<i32>,
    /// The command goes on under this number.
    running: Option<String>,
    failed: bool,
}

impl Codex {
    pub(super) fn patched(&mut self, event: Json<'_>, desk: &mut Desk<'_>) {
        let [call, success, changes] = event.pick(["call_id", "success", "changes"]);
        let id = hash(&text(call));
        let changes = changes
            .iter()
            .flat_map(|c| c.fields())
            .map(|(path, change)| {
                let [kind, to] = change.pick(["type", "move_path"]);
                let to = to.and_then(|t| t.str()).map(|t| Cow::Owned(t.into_owned()));
                Change {
                    op: match text(kind).as_ref() {
                        "add" => 'A',
                        "delete" => 'D',
                        _ if to.is_some() => 'R',
                        _ => 'M',
                    },
                    path: Cow::Owned(path.name().into_owned()),
                    to,
                }
            });
        let patch = Patch {
            success: success.and_then(|s| s.bool()) != Some(false),
            changes: changes.collect(),
        };
        self.patches.insert(id, patch);
        let waits = |raw: &str| Json::parse(raw).is_ok_and(|item| hash(&call_id(item)) == id);
        if self.held.as_ref().is_some_and(|h| waits(&h.raw)) {
            self.flush(desk);
        }
    }

    pub(super) fn result(&mut self, item: Json<'_>, patch: Option<Patch>, desk: &mut Desk<'_>) {
        let mut entry = self.entry(Kind::Tool);
        let call = call_id(item);
        let known = self.calls.remove(&hash(&call)).unwrap_or_default();
        let output = item.get("output").or_else(|| item.get("tools"));
        let printed = printed(output);
        let mut status = status(&printed);
        let mut side = Side::from(Aside {
            background: printed.running.map(Cow::Owned),
            agent: agent(&printed.text).map(Cow::Owned),
            ..Aside::NOTHING
        });
        if let Some(session) = known.session {
            side.background = Some(Cow::Owned(session));
        }
        if let Some(patch) = patch {
            if !patch.success && status == Status::Ok {
                status = Status::Error;
            }
            side.changes = patch.changes;
        }
        let words = known
            .options
            .filter(|_| !desk.session.child)
            .map(|options| answers(&printed.text, &options))
            .unwrap_or_default();
        let images: Vec<_> = output
            .iter()
            .flat_map(|o| o.items())
            .filter_map(image)
            .collect();
        entry.blocks.push(Block::Result(Box::new(Outcome {
            call,
            status,
            exit: printed.exit,
            text: printed.text,
            images: u32::try_from(images.len()).unwrap_or(u32::MAX),
            side,
        })));
        entry.blocks.extend(images.into_iter().map(Block::image));
        for words in words {
            entry.kind = Kind::User;
            entry.say(Voice::Person, words);
        }
        self.mirror.moved_on();
        desk.message(entry);
    }
}

fn printed<'a>(output: Option<Json<'a>>) -> Printed<'a> {
    let Some(output) = output else {
        return Printed::default();
    };
    if output.is_object() {
        let [content, success] = output.pick(["content", "success"]);
        let failed = success.and_then(|s| s.bool()) == Some(false);
        return Printed {
            failed,
            ..headed(content_text(content))
        };
    }
    let shown = content_text(Some(output));
    if shown.starts_with('{')
        && let Some((text, exit)) = boxed(&shown)
    {
        return Printed {
            exit,
            text: text.into(),
            ..Printed::default()
        };
    }
    headed(shown)
}

/// `{"output":…,"metadata":{"exit_code":0}}` as text.
fn boxed(shown: &str) -> Option<(String, Option<i32>)> {
    let json = Json::parse(shown).ok()?;
    let [output, metadata] = json.pick(["output", "metadata"]);
    let code = metadata?.get("exit_code").and_then(|c| c.i64());
    Some((
        output?.str()?.into_owned(),
        code.and_then(|c| i32::try_from(c).ok()),
    ))
}

/// Header lines in front of the text: `Exit code: N`, or `Process exited with code N`, up to `Output:`.
fn headed(shown: Cow<'_, str>) -> Printed<'_> {
    const HEADS: [&str; 4] = ["Exit code: ", "Chunk ID: ", "Wall time: ", "Command: "];
    if !HEADS.iter().any(|h| shown.starts_with(h)) {
        return Printed {
            text: shown,
            ..Printed::default()
        };
    }
    // A command of many lines stands in front of the other heads.
    let from = if shown.starts_with("Command: ") {
        let head = shown
            .find("\nChunk ID: ")
            .or_else(|| shown.find("\nWall time: "));
        head.map_or(0, |at| at + 1)
    } else {
        0
    };
    let mut printed = Printed::default();
    let (mut at, mut body) = (from, None);
    let rest = shown.get(from..).unwrap_or_default();
    for line in rest.split_inclusive('\n').take(12) {
        at += line.len();
        let line = line.trim_end();
        if let Some(code) = line
            .strip_prefix("Exit code: ")
            .or_else(|| line.strip_prefix("Process exited with code "))
        {
            printed.exit = code.trim().parse().ok();
        } else if let Some(id) = line.strip_prefix("Process running with session ID ") {
            printed.running = Some(id.trim().to_owned());
        } else if line == "Output:" {
            body = Some(at);
            break;
        }
    }
    printed.text = match body.filter(|_| printed.exit.is_some() || printed.running.is_some()) {
        Some(body) => Cow::Owned(shown.get(body..).unwrap_or_default().to_owned()),
        None => shown,
    };
    printed
}

/// Beginnings of what the host prints when a call did not work.
const FAILURES: &[&str] = &[
    "apply_patch verification failed",
    "command timed out",
    "failed in sandbox",
    "failed to parse function arguments",
    "exec_command failed",
    "write_stdin failed",
    "execution error",
    "unsupported call",
    "unsupported custom tool call",
    "tool call error",
    "err:",
    "unknown process id",
];
/// Words by which the host says that the person refused.
const REFUSALS: &[&str] = &[
    "rejected by user",
    "user rejected",
    "user declined",
    "denied by user",
    "user cancelled mcp tool call",
];

fn status(printed: &Printed<'_>) -> Status {
    let mut end = printed.text.len().min(300);
    while !printed.text.is_char_boundary(end) {
        end -= 1;
    }
    let head = printed
        .text
        .get(..end)
        .unwrap_or_default()
        .trim_start()
        .to_ascii_lowercase();
    let fails = FAILURES.iter().any(|f| head.starts_with(f));
    // A command's own output may say anything; only the host's words count.
    let refused = (printed.exit.is_none() || fails) && REFUSALS.iter().any(|r| head.contains(r));
    if printed.running.is_some() {
        Status::Running
    } else if refused && (fails || head.len() < 200) {
        Status::Rejected
    } else if printed.exit.is_none() && head.starts_with("aborted") {
        Status::Cancelled
    } else if printed.failed || fails || printed.exit.is_some_and(|e| e != 0) {
        Status::Error
    } else {
        Status::Ok
    }
}

/// The sub-agent that a call launched.
fn agent(shown: &str) -> Option<String> {
    if !shown.starts_with('{') || !shown.contains("\"agent_id\"") {
        return None;
    }
    let id = Json::parse(shown).ok()?.text("agent_id")?.into_owned();
    (!id.is_empty()).then_some(id)
}

/// Answers that a person typed, in place of an option or as a note beside it.
fn answers(shown: &str, options: &[String]) -> Vec<String> {
    let Ok(json) = Json::parse(shown) else {
        return Vec::new();
    };
    json.get("answers")
        .iter()
        .flat_map(|a| a.fields())
        .filter_map(|(_, answer)| answer.get("answers"))
        .flat_map(|a| a.items())
        .filter_map(|a| a.str())
        .filter_map(|answer| match answer.strip_prefix("user_note: ") {
            Some(note) => Some(note.trim().to_owned()),
            None if options.iter().any(|o| *o == answer) => None,
            // The host's own choice beside the options.
            None if answer == "None of the above" => None,
            None => Some(answer.trim().to_owned()),
        })
        .filter(|words| !words.is_empty())
        .collect()
}
