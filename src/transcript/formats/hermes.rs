//! Hermes: sessions that a compression ends and a child continues, exported one a line or kept in a database
//! (FORMATS 11.6).

#[cfg(feature = "sqlite")]
pub mod store;

use super::Format;
use super::shared::{
    args, boundary, call, exit, joined, length, parts, refused, result, shown, some, stamp, text,
};
use super::stores::{Listed, choose};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Desk, Entry, Kind, Options, Status, Voice};
use anyhow::Result;
use std::borrow::Cow;
use std::collections::HashMap;

/// Reader of an export; lines are kept until all sessions are known.
#[derive(Default)]
pub struct Hermes {
    lines: Vec<(String, u32)>,
}

/// What of a session decides which ones belong together.
struct About {
    id: String,
    parent: Option<String>,
    title: Option<String>,
    compressed: bool,
    source: String,
    last: f64,
}

impl Format for Hermes {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        if record.get("messages").is_some() {
            self.lines.push((record.raw().to_owned(), desk.line));
        } else {
            desk.unknown(&text(record.get("type")));
        }
    }

    fn finish(&mut self, desk: &mut Desk<'_>) {
        // Without options there is nothing to choose by and nothing that could fail.
        let _ = self.end(&Options::default(), desk);
    }

    fn end(&mut self, options: &Options<'_>, desk: &mut Desk<'_>) -> Result<()> {
        let lines = std::mem::take(&mut self.lines);
        let sessions: Vec<_> = lines
            .iter()
            .filter_map(|(raw, line)| Some((Json::parse(raw).ok()?, *line)))
            .collect();
        if sessions.is_empty() {
            return Ok(());
        }
        let about: Vec<About> = sessions.iter().map(|(json, _)| about(*json)).collect();
        let mut before = None;
        for at in chain("this export", &about, options)? {
            let (json, line) = sessions[at];
            desk.line = line;
            session(json, desk);
            desk.session.child = about[at].part_of_another();
            let [model, messages] = json.pick(["model", "messages"]);
            let model = text(model);
            let mut reader = Messages::new(&model, before.is_some());
            for message in messages.iter().flat_map(|m| m.items()) {
                reader.message(message, desk);
            }
            before = Some(at);
        }
        Ok(())
    }
}

impl About {
    /// A sub-agent's session: its prompts are its parent's.
    fn part_of_another(&self) -> bool {
        self.parent.is_some() && matches!(self.source.as_str(), "subagent" | "delegate" | "tool")
    }
}

fn about(json: Json<'_>) -> About {
    let [id, parent, title, reason, source, started, messages] = json.pick([
        "id",
        "parent_session_id",
        "title",
        "end_reason",
        "source",
        "started_at",
        "messages",
    ]);
    let last = messages
        .iter()
        .flat_map(|m| m.items())
        .filter_map(|m| m.get("timestamp")?.f64())
        .fold(started.and_then(|s| s.f64()).unwrap_or(0.0), f64::max);
    About {
        id: text(id).into_owned(),
        parent: some(parent),
        title: some(title),
        compressed: text(reason) == "compression",
        source: text(source).into_owned(),
        last,
    }
}

/// The sessions that make one conversation, first to last: the chosen one and what compressions ended before it.
fn chain(name: &str, about: &[About], options: &Options<'_>) -> Result<Vec<usize>> {
    let index: HashMap<&str, usize> = about
        .iter()
        .enumerate()
        .map(|(i, a)| (a.id.as_str(), i))
        .collect();
    let before = |at: usize| {
        let parent = about[at]
            .parent
            .as_deref()
            .and_then(|p| index.get(p).copied())?;
        about[parent].compressed.then_some(parent)
    };
    let mut goes_on: Vec<Option<&str>> = vec![None; about.len()];
    for (at, one) in about.iter().enumerate() {
        if let Some(parent) = before(at).filter(|p| *p != at) {
            goes_on[parent] = Some(&one.id);
        }
    }
    let listed: Vec<Listed<usize>> = about
        .iter()
        .enumerate()
        .map(|(at, one)| Listed {
            id: one.id.clone(),
            // A session that goes on in another is no session of its own; nor is a sub-agent's.
            parent: goes_on[at]
                .map(str::to_owned)
                .or_else(|| one.parent.clone().filter(|_| one.part_of_another())),
            title: one.title.clone(),
            last: format!("{:020.3}", one.last.clamp(0.0, 1e15)),
            place: at,
        })
        .collect();
    let mut at = choose(name, &listed, options)?.place;
    let mut found = vec![at];
    while let Some(parent) = before(at).filter(|p| !found.contains(p)) {
        found.push(parent);
        at = parent;
    }
    found.reverse();
    Ok(found)
}

fn session(json: Json<'_>, desk: &mut Desk<'_>) {
    let [id, title, cwd, branch, started] =
        json.pick(["id", "title", "cwd", "git_branch", "started_at"]);
    desk.session.id = some(id).or(desk.session.id.take());
    desk.session.title = some(title).or(desk.session.title.take());
    desk.dir(&text(cwd));
    desk.branch(&text(branch));
    if let Some(started) = started.filter(|_| desk.session.started.is_none()) {
        super::shared::note(started, desk);
    }
}

/// Beginnings of texts under the user's name that a compression wrote.
const SUMMARIES: &[&str] = &["[CONTEXT COMPACTION", "[PRIOR CONTEXT"];
/// Beginnings of those that the host wrote.
const NOTICES: &[&str] = &[
    "[ASYNC DELEGATION BATCH COMPLETE",
    "[IMPORTANT: Background process",
    "[Your active task list was preserved",
    "[Continuing toward your standing goal]",
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving",
];

/// Messages of one session.
struct Messages<'m> {
    model: &'m str,
    /// The session continues a compressed one, whose boundary has not been written yet.
    continues: bool,
}

impl<'m> Messages<'m> {
    fn new(model: &'m str, continues: bool) -> Self {
        Messages { model, continues }
    }

    fn message(&mut self, message: Json<'_>, desk: &mut Desk<'_>) {
        let [id, time, role, content, calls, of, hidden, summary] = message.pick([
            "id",
            "timestamp",
            "role",
            "content",
            "tool_calls",
            "tool_call_id",
            "display_kind",
            "_compressed_summary",
        ]);
        let [active, compacted, reasoning] = message.pick(["active", "compacted", "reasoning"]);
        let content = content.unwrap_or(Json::NULL);
        let mut entry = Entry::new(Kind::User);
        entry.id = id
            .map(|i| i.str().unwrap_or(Cow::Borrowed(i.raw())))
            .unwrap_or_default();
        stamp(time, &mut entry, desk);
        let said = joined(content);
        let begins = |heads: &[&str]| heads.iter().any(|h| said.trim_start().starts_with(h));
        let summary = summary.is_some_and(set) || begins(SUMMARIES);
        if self.continues || summary {
            self.continues = false;
            let mut mark = boundary(Compaction {
                summary: summary.then(|| said.clone()),
                ..Compaction::default()
            });
            mark.time = entry.time;
            desk.mark(mark);
        }
        match text(role).as_ref() {
            "user" => {
                let voice = if summary {
                    Voice::Summary
                } else if text(hidden) == "hidden" || begins(NOTICES) {
                    Voice::Harness
                } else if desk.session.child {
                    Voice::Parent
                } else {
                    Voice::Person
                };
                parts(content, voice, &mut entry);
            }
            "assistant" => {
                entry.kind = Kind::Assistant;
                entry.model = desk.model(self.model);
                if let Some(reasoning) = reasoning.filter(|r| !r.is_null()) {
                    let chars = length(reasoning);
                    entry.blocks.push(Block::Thinking { chars });
                }
                let voice = if summary {
                    Voice::Summary
                } else {
                    Voice::Assistant
                };
                parts(content, voice, &mut entry);
                tool_calls(calls, &mut entry);
            }
            "tool" => {
                entry.kind = Kind::Tool;
                entry.blocks.push(outcome(text(of), said));
            }
            "system" => {
                entry.kind = Kind::System;
                parts(content, Voice::System, &mut entry);
            }
            _ => return desk.unknown(&text(role)),
        }
        let place = desk.message(entry);
        // A rewound row is inactive; one that a compression put aside still was said.
        if active.is_some_and(|a| !set(a)) && !compacted.is_some_and(set) {
            desk.set_active(place.seq, false);
        }
    }
}

/// `true` or a number other than 0, as databases write it.
fn set(value: Json<'_>) -> bool {
    value
        .bool()
        .unwrap_or_else(|| value.f64().is_some_and(|n| n != 0.0))
}

/// Calls, an array or its text.
fn tool_calls<'a>(calls: Option<Json<'a>>, entry: &mut Entry<'a>) {
    let Some(calls) = calls else { return };
    let mut push = |made: Json<'_>| {
        let [id, function] = made.pick(["id", "function"]);
        let [name, arguments] = function.unwrap_or(made).pick(["name", "arguments"]);
        let arguments = match args(arguments) {
            crate::transcript::Args::Json(t) => {
                crate::transcript::Args::Json(t.into_owned().into())
            }
            crate::transcript::Args::Raw(t) => crate::transcript::Args::Raw(t.into_owned().into()),
        };
        entry.blocks.push(call(
            text(id).into_owned(),
            text(name).into_owned(),
            arguments,
        ));
    };
    match calls.str() {
        Some(packed) => {
            if let Ok(list) = Json::parse(&packed) {
                list.items().for_each(&mut push);
            }
        }
        None => calls.items().for_each(&mut push),
    }
}

/// A result is JSON text whose fields tell how it ended.
fn outcome<'a>(of: Cow<'a, str>, said: Cow<'a, str>) -> Block<'a> {
    let found = Json::parse(&said)
        .ok()
        .filter(|j| j.is_object())
        .map(|json| {
            let [output, code, error, success] =
                json.pick(["output", "exit_code", "error", "success"]);
            let error = error.filter(|e| !e.is_null() && e.str().is_none_or(|e| !e.is_empty()));
            let code = exit(code);
            let failed = error.is_some()
                || code.is_some_and(|c| c != 0)
                || success.and_then(|s| s.bool()) == Some(false);
            let mut text = output.map(|o| shown(Some(o)).into_owned());
            if let (Some(text), Some(error)) = (&mut text, error) {
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&shown(Some(error)));
            }
            let denied = error.is_some_and(|error| refused(&shown(Some(error))));
            (failed, denied, code, text)
        });
    match found {
        Some((failed, denied, code, text)) => {
            let status = match failed {
                true if denied => Status::Rejected,
                true => Status::Error,
                false => Status::Ok,
            };
            result(of, status, code, text.map_or(said, Cow::Owned))
        }
        None => result(of, Status::Ok, None, said),
    }
}
