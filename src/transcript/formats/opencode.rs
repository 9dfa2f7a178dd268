//! OpenCode: messages made of parts, from an export, a folder of JSON files or the database (FORMATS 9).

pub mod folder;
#[cfg(feature = "sqlite")]
pub mod store;

use super::Format;
use super::shared::{args, call, image, length, moment, note, number, shown, some, text};
use crate::json::Json;
use crate::transcript::{
    Aside, Block, Change, Compaction, Desk, Entry, Kind, Mark, Outcome, Side, Status, Usage, Voice,
};
use std::borrow::Cow;

/// Reader of an export, one document; the stores hand their messages to it one by one.
#[derive(Default)]
pub struct OpenCode {
    /// The lane messages go to: 0, or that of a sub-agent's session.
    lane: u16,
    /// From this message (and part) on the person took everything back.
    revert: Option<Revert>,
    hiding: bool,
    /// A compaction was asked for (`Some(auto)`); the next summary is its answer.
    asked: Option<Option<bool>>,
}

struct Revert {
    message: String,
    part: Option<String>,
}

impl Format for OpenCode {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [info, messages] = record.pick(["info", "messages"]);
        if let Some(info) = info {
            self.session(info, desk);
        }
        for message in messages.iter().flat_map(|m| m.items()) {
            let [info, parts] = message.pick(["info", "parts"]);
            if let Some(info) = info {
                let parts: Vec<_> = parts
                    .iter()
                    .flat_map(|p| p.items())
                    .map(Part::read)
                    .collect();
                self.message(info, &text(info.get("id")), parts, desk);
            }
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

/// A part with the id that a store keeps apart from it.
pub struct Part<'a> {
    pub id: Cow<'a, str>,
    pub json: Json<'a>,
}

impl<'a> Part<'a> {
    pub fn read(json: Json<'a>) -> Part<'a> {
        Part {
            id: text(json.get("id")),
            json,
        }
    }
}

impl OpenCode {
    /// What is known of the session as a whole.
    pub fn session(&mut self, info: Json<'_>, desk: &mut Desk<'_>) {
        let [id, title, directory, time, revert] =
            info.pick(["id", "title", "directory", "time", "revert"]);
        desk.session.id = some(id).or(desk.session.id.take());
        desk.session.title = some(title).or(desk.session.title.take());
        desk.dir(&text(directory));
        if let Some(created) = time.and_then(|t| t.get("created")) {
            note(created, desk);
        }
        self.revert_to(revert);
    }

    /// Hides what a revert took back.
    pub fn revert_to(&mut self, revert: Option<Json<'_>>) {
        self.revert = revert.and_then(|r| {
            Some(Revert {
                message: some(r.get("messageID"))?,
                part: some(r.get("partID")),
            })
        });
    }

    /// The messages that follow are a sub-agent's, or the main conversation's again.
    pub fn lane(&mut self, lane: u16) {
        *self = OpenCode {
            lane,
            ..OpenCode::default()
        };
    }

    pub fn message(&mut self, info: Json<'_>, id: &str, parts: Vec<Part<'_>>, desk: &mut Desk<'_>) {
        let [role, time, summary] = info.pick(["role", "time", "summary"]);
        let mut entry = Entry::new(match text(role).as_ref() {
            "assistant" => Kind::Assistant,
            "user" => Kind::User,
            other => return desk.unknown(other),
        });
        entry.lane = self.lane;
        entry.id = Cow::Owned(id.to_owned());
        if let Some(created) = time.and_then(|t| t.get("created")) {
            entry.time = moment(created);
            if self.lane == 0 || desk.session.child {
                note(created, desk);
            }
        }
        let hidden = self.hidden(id, &parts);
        // In the message that a revert cuts through, what was taken back is no part of it any more.
        let mut parts = parts;
        if let Some(Revert {
            message,
            part: Some(part),
        }) = &self.revert
            && !hidden
            && message == id
            && let Some(at) = parts.iter().position(|p| &p.id == part)
        {
            parts.truncate(at);
        }
        let summary = summary.and_then(|s| s.bool()) == Some(true);
        match entry.kind {
            Kind::User => self.user(&parts, &mut entry),
            _ => answer(info, parts, summary, &mut entry, desk),
        }
        let boundary = (summary && entry.kind == Kind::Assistant).then(|| {
            let mut mark = Entry::new(Kind::Mark);
            (mark.lane, mark.time) = (entry.lane, entry.time);
            mark.mark = Some(Mark::Compaction(Box::new(Compaction {
                auto: self.asked.take().flatten(),
                summary: entry
                    .texts(Voice::Summary)
                    .next()
                    .map(|t| Cow::Owned(t.to_owned())),
                ..Compaction::default()
            })));
            mark
        });
        let place = desk.message(entry);
        desk.set_active(place.seq, !hidden);
        if let Some(mark) = boundary {
            let place = desk.mark(mark);
            desk.set_active(place.seq, !hidden);
        }
    }

    /// Whether a revert took this message back; parts are told apart only inside the first one.
    fn hidden(&mut self, id: &str, parts: &[Part<'_>]) -> bool {
        if let Some(revert) = &self.revert
            && revert.message == id
        {
            self.hiding = true;
            // A revert to a later part of an answer leaves the parts before it.
            return revert
                .part
                .as_ref()
                .is_none_or(|part| parts.first().is_none_or(|first| &first.id == part));
        }
        self.hiding
    }

    fn user<'a>(&mut self, parts: &[Part<'a>], entry: &mut Entry<'a>) {
        let voice = if self.lane == 0 {
            Voice::Person
        } else {
            Voice::Parent
        };
        for Part { json: part, .. } in parts {
            let [kind, said, synthetic, ignored] =
                part.pick(["type", "text", "synthetic", "ignored"]);
            let injected = [synthetic, ignored]
                .into_iter()
                .flatten()
                .any(|f| f.bool() == Some(true));
            match text(kind).as_ref() {
                "text" => entry.say(if injected { Voice::Harness } else { voice }, text(said)),
                "file" => {
                    let [mime, name, url] = part.pick(["mime", "filename", "url"]);
                    let mime = text(mime);
                    if mime.starts_with("image/") {
                        let name = name.and_then(|n| n.str());
                        entry.blocks.push(image(text(url), name, Some(mime)));
                    }
                }
                "compaction" => self.asked = Some(part.get("auto").and_then(|a| a.bool())),
                _ => {}
            }
        }
    }
}

/// An answer: its words, calls with their results, tokens.
fn answer<'a>(
    info: Json<'a>,
    parts: Vec<Part<'a>>,
    summary: bool,
    entry: &mut Entry<'a>,
    desk: &mut Desk<'_>,
) {
    let [model, path, tokens, error] = info.pick(["modelID", "path", "tokens", "error"]);
    entry.model = desk.model(&text(model));
    if entry.lane == 0 {
        entry.dir = desk.dir(&text(path.and_then(|p| p.get("cwd"))));
    }
    let failed = error.is_some_and(|e| !e.is_null());
    // An aborted answer's numbers are partial, and a summary's prompt is the context that it replaces.
    if !failed && !summary {
        entry.usage = tokens.and_then(usage);
    }
    let voice = if summary {
        Voice::Summary
    } else {
        Voice::Assistant
    };
    for Part { json: part, id } in parts {
        let [kind, said] = part.pick(["type", "text"]);
        match text(kind).as_ref() {
            "text" => entry.say(voice, text(said)),
            "reasoning" => entry.blocks.push(Block::Thinking {
                chars: said.map_or(0, length),
            }),
            "tool" => tool(part, id, failed, entry),
            _ => {}
        }
    }
    if failed
        && let Some(message) = error
            .and_then(|e| e.at(&["data", "message"]))
            .and_then(|m| m.str())
    {
        entry.say(Voice::Harness, message);
    }
}

/// A call with its result. `broken`: the answer it stands in was broken off.
fn tool<'a>(part: Json<'a>, part_id: Cow<'a, str>, broken: bool, entry: &mut Entry<'a>) {
    let [id, name, state] = part.pick(["callID", "tool", "state"]);
    let state = state.unwrap_or(Json::NULL);
    let [status, input, output, error, metadata] =
        state.pick(["status", "input", "output", "error", "metadata"]);
    let id = match text(id) {
        id if id.is_empty() => part_id,
        id => id,
    };
    entry.blocks.push(call(id.clone(), text(name), args(input)));
    let metadata = metadata.unwrap_or(Json::NULL);
    let [exit, original, agent] = metadata.pick(["exit", "output", "sessionId"]);
    let exit = super::shared::exit(exit);
    let (status, shown) = match text(status).as_ref() {
        "completed" => {
            let said = text(output);
            // Cleared for the model; the tool's own copy may still be there.
            let said = match original.and_then(|o| o.str()) {
                Some(kept) if said.starts_with("[Old tool result content cleared]") => kept,
                _ => said,
            };
            let failed = exit.is_some_and(|code| code != 0);
            (if failed { Status::Error } else { Status::Ok }, said)
        }
        "error" => {
            let said = shown(error);
            let status = if said.contains("rejected permission") {
                Status::Rejected
            } else if said.contains("aborted") {
                Status::Cancelled
            } else {
                Status::Error
            };
            (status, said)
        }
        // What was under way when its answer was broken off stays so for ever.
        _ if broken => (Status::Cancelled, Cow::Borrowed("")),
        // Pending, or running: there is no result.
        _ => return,
    };
    let changes = metadata
        .get("files")
        .iter()
        .flat_map(|f| f.items())
        .filter_map(change)
        .collect();
    entry.blocks.push(Block::Result(Box::new(Outcome {
        call: id,
        status,
        exit,
        text: shown,
        images: state
            .get("attachments")
            .map_or(0, |a| u32::try_from(a.items().count()).unwrap_or(u32::MAX)),
        side: Side::from(Aside {
            agent: agent.and_then(|a| a.str()).filter(|a| !a.is_empty()),
            changes,
            ..Aside::NOTHING
        }),
    })));
}

/// A file of a patch, as the tool lists it.
fn change(file: Json<'_>) -> Option<Change<'_>> {
    let [kind, path, to] = file.pick(["type", "filePath", "movePath"]);
    let path = path.and_then(|p| p.str()).filter(|p| !p.is_empty())?;
    let to = to.and_then(|p| p.str()).filter(|p| !p.is_empty());
    let op = match text(kind).as_ref() {
        "add" => 'A',
        "update" => 'M',
        "delete" => 'D',
        "move" if to.is_some() => 'R',
        _ => return None,
    };
    Some(Change { op, path, to })
}

/// Input is new tokens only; the cache counts beside it.
fn usage(tokens: Json<'_>) -> Option<Usage> {
    let [input, output, cache] = tokens.pick(["input", "output", "cache"]);
    let [read, write] = cache.unwrap_or(Json::NULL).pick(["read", "write"]);
    let prompt = number(input)
        .saturating_add(number(read))
        .saturating_add(number(write));
    let output = number(output);
    (prompt > 0 || output > 0).then_some(Usage { prompt, output })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{calls, human, read};

    #[test]
    fn tools_of_an_answer_that_was_broken_off_are_not_under_way() {
        let text = |error: &str| {
            format!(
                r#"{{"info":{{"id":"s"}},"messages":[{{"info":{{"id":"m1","role":"user"}},"parts":[]}},{{"info":{{"id":"m2","role":"assistant","error":{error}}},"parts":[{{"id":"p","type":"tool","callID":"c","tool":"bash","state":{{"status":"running","input":{{}}}}}}]}}]}}"#
            )
        };
        let aborted = r#"{"name":"MessageAbortedError","data":{"message":"stopped"}}"#;
        assert_eq!(calls(&read(&text(aborted))), ["bash:Cancelled"]);
        assert_eq!(calls(&read(&text("null"))), ["bash:pending"]);
    }

    #[test]
    fn a_revert_inside_an_answer_leaves_what_was_before() {
        let text = |revert: &str| {
            let tool = |id: &str, call: &str| {
                format!(
                    r#"{{"id":"{id}","type":"tool","callID":"{call}","tool":"edit","state":{{"status":"completed","input":{{"filePath":"a"}},"output":"ok"}}}}"#
                )
            };
            format!(
                r#"{{"info":{{"id":"s","revert":{revert}}},"messages":[{{"info":{{"id":"m1","role":"user"}},"parts":[{{"id":"p1","type":"text","text":"고쳐줘"}}]}},{{"info":{{"id":"m2","role":"assistant"}},"parts":[{},{}]}},{{"info":{{"id":"m3","role":"user"}},"parts":[{{"id":"p4","type":"text","text":"더"}}]}}]}}"#,
                tool("p2", "c1"),
                tool("p3", "c2")
            )
        };
        let part = read(&text(r#"{"messageID":"m2","partID":"p3"}"#));
        assert_eq!((human(&part), calls(&part).len()), (vec!["고쳐줘"], 1));
        let all = read(&text(r#"{"messageID":"m2","partID":"p2"}"#));
        assert_eq!((human(&all), calls(&all).len()), (vec!["고쳐줘"], 0));
        let none = read(&text("null"));
        assert_eq!(
            (human(&none), calls(&none).len()),
            (vec!["고쳐줘", "더"], 2)
        );
    }
}
