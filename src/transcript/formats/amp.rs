//! Amp: one document a thread, rewritten as a whole (FORMATS 11.5).

use super::Format;
use super::shared::{blocks, boundary, exit, note, number, only_results, shown, some, stamp, text};
use crate::json::Json;
use crate::transcript::{
    Block, Compaction, Desk, Entry, Kind, Outcome, Side, Status, Usage, Voice,
};
use std::borrow::Cow;

/// Reader of Amp's threads.
#[derive(Default)]
pub struct Amp {
    /// Prompt tokens of the last answer.
    used: Option<u64>,
}

impl Format for Amp {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [id, title, created, messages, env] =
            record.pick(["id", "title", "created", "messages", "env"]);
        desk.session.id = some(id).or(desk.session.id.take());
        desk.session.title = some(title).or(desk.session.title.take());
        if let Some(created) = created {
            note(created, desk);
        }
        let tree = env
            .and_then(|e| e.at(&["initial", "trees"]))
            .and_then(|t| t.items().next());
        if let Some(tree) = tree {
            let [uri, repository] = tree.pick(["uri", "repository"]);
            desk.dir(&path_of(&text(uri)));
            let reference = text(repository.and_then(|r| r.get("ref")));
            desk.branch(reference.strip_prefix("refs/heads/").unwrap_or(&reference));
        }
        for message in messages.iter().flat_map(|m| m.items()) {
            self.message(message, desk);
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl Amp {
    fn message(&mut self, message: Json<'_>, desk: &mut Desk<'_>) {
        let [role, id, content, usage, meta] =
            message.pick(["role", "messageId", "content", "usage", "meta"]);
        let content = content.unwrap_or(Json::NULL);
        let (kind, voice) = match text(role).as_ref() {
            "user" => (Kind::User, Voice::Person),
            "assistant" => (Kind::Assistant, Voice::Assistant),
            "info" => (Kind::System, Voice::Harness),
            other => return desk.unknown(other),
        };
        let mut entry = Entry::new(kind);
        entry.id = id
            .map(|i| i.str().unwrap_or(Cow::Borrowed(i.raw())))
            .unwrap_or_default();
        let sent = meta.and_then(|m| m.get("sentAt"));
        stamp(sent, &mut entry, desk);
        blocks(content, voice, &mut entry);
        let mut mark = None;
        for block in content.items() {
            let [kind, of, run, summary] = block.pick(["type", "toolUseID", "run", "summary"]);
            match text(kind).as_ref() {
                "tool_result" if of.is_some() => {
                    // `blocks` read it by Anthropic's keys, which are not there.
                    entry
                        .blocks
                        .retain(|b| !matches!(b, Block::Result(r) if r.call.is_empty()));
                    entry
                        .blocks
                        .extend(ran(text(of), run.unwrap_or(Json::NULL)));
                }
                "summary" => {
                    let summary = summary.unwrap_or(Json::NULL);
                    let [kind, said, thread] = summary.pick(["type", "summary", "thread"]);
                    if text(kind) == "thread" {
                        entry.say(Voice::Harness, text(thread));
                    } else {
                        let said = text(said);
                        entry.say(Voice::Summary, said.clone());
                        mark = Some(boundary(Compaction {
                            summary: Some(said),
                            // Amp writes no number here and goes on showing the last answer's.
                            tokens_after: self.used,
                            ..Compaction::default()
                        }));
                    }
                }
                _ => {}
            }
        }
        only_results(&mut entry);
        if let Some(usage) = usage {
            self.usage(usage, &mut entry, desk);
        }
        desk.message(entry);
        if let Some(mark) = mark {
            desk.mark(mark);
        }
    }

    fn usage(&mut self, usage: Json<'_>, entry: &mut Entry<'_>, desk: &mut Desk<'_>) {
        let [model, total, input, written, read, output, window] = usage.pick([
            "model",
            "totalInputTokens",
            "inputTokens",
            "cacheCreationInputTokens",
            "cacheReadInputTokens",
            "outputTokens",
            "maxInputTokens",
        ]);
        entry.model = desk.model(&text(model));
        let sum = number(input)
            .saturating_add(number(written))
            .saturating_add(number(read));
        let prompt = Some(number(total)).filter(|t| *t > 0).unwrap_or(sum);
        let output = number(output);
        if prompt > 0 || output > 0 {
            entry.usage = Some(Usage { prompt, output });
            self.used = Some(prompt);
        }
        if let Some(window) = window.and_then(|w| w.u64()).filter(|w| *w > 0) {
            desk.session.window = Some(window);
        }
    }
}

/// The run of a call, if it has ended or is under way.
fn ran<'a>(call: Cow<'a, str>, run: Json<'a>) -> Option<Block<'a>> {
    let [status, outcome, error, progress] = run.pick(["status", "result", "error", "progress"]);
    let status = match text(status).as_ref() {
        "done" => Status::Ok,
        "error" => Status::Error,
        "cancelled" => Status::Cancelled,
        "rejected-by-user" => Status::Rejected,
        "in-progress" | "running" => Status::Running,
        "queued" | "blocked-on-user" => return None,
        _ => Status::Unknown,
    };
    let [output, code] = outcome.unwrap_or(Json::NULL).pick(["output", "exitCode"]);
    let error = error.filter(|e| !e.is_null());
    let said = match error {
        Some(error) => shown(error.get("message").or(Some(error))),
        None => shown(output.or(outcome).or(progress)),
    };
    let exit = exit(code);
    let failed = status == Status::Ok && exit.is_some_and(|code| code != 0);
    Some(Block::Result(Box::new(Outcome {
        call,
        status: if failed { Status::Error } else { status },
        exit,
        text: said,
        images: 0,
        side: Side::default(),
    })))
}

/// The path of a `file:` URI.
fn path_of(uri: &str) -> String {
    let Some(path) = uri.strip_prefix("file://") else {
        return uri.to_owned();
    };
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let coded = (byte == b'%')
            .then(|| path.get(at + 1..at + 3))
            .flatten()
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        out.push(coded.unwrap_or(byte));
        at += if coded.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn file_addresses_become_paths() {
        assert_eq!(
            super::path_of("file:///home/a%20b/%ED%95%9C"),
            "/home/a b/한"
        );
        assert_eq!(super::path_of("file:///x%zz"), "/x%zz");
    }
}
