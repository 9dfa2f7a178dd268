//! Kimi CLI's wire: events as they happened, answers in pieces.

use super::super::shared::{args_text, boundary, call, joined, length, moment, note, number, text};
use super::{noted_outcome, words};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Desk, Entry, Kind, Millis, Place, Usage, Voice};

/// The answer that is being put together, and what the last status said.
#[derive(Default)]
pub struct Wire {
    pieces: Vec<Piece>,
    usage: Option<Usage>,
    time: Option<Millis>,
    answer: Option<Place>,
    /// Something came after the answer: what follows is another one.
    closed: bool,
    used: Option<u64>,
}

enum Piece {
    Text(String),
    Thinking(usize),
    Call {
        id: String,
        name: String,
        arguments: String,
    },
}

impl Wire {
    pub fn event(&mut self, record: Json<'_>, message: Json<'_>, desk: &mut Desk<'_>) {
        let [kind, payload] = message.pick(["type", "payload"]);
        let payload = payload.unwrap_or(Json::NULL);
        let time = record.get("timestamp");
        if let Some(time) = time {
            note(time, desk);
        }
        let time = time.and_then(moment);
        match text(kind).as_ref() {
            "TurnBegin" | "SteerInput" => {
                self.flush(desk);
                let mut entry = Entry::new(Kind::User);
                entry.time = time;
                words(payload.get("user_input").unwrap_or(Json::NULL), &mut entry);
                desk.message(entry);
                self.closed = true;
            }
            "StepBegin" => {
                self.flush(desk);
                self.answer = None;
            }
            "ContentPart" => {
                self.time = self.time.or(time);
                self.content(payload);
            }
            "ToolCall" => {
                self.time = self.time.or(time);
                let [id, function] = payload.pick(["id", "function"]);
                let [name, arguments] = function.unwrap_or(Json::NULL).pick(["name", "arguments"]);
                self.pieces.push(Piece::Call {
                    id: text(id).into_owned(),
                    name: text(name).into_owned(),
                    arguments: text(arguments).into_owned(),
                });
            }
            "ToolCallPart" => {
                if let Some(Piece::Call { arguments, .. }) = self.pieces.last_mut() {
                    arguments.push_str(&text(payload.get("arguments_part")));
                }
            }
            "StatusUpdate" => self.status(payload, desk),
            "ToolResult" => {
                self.flush(desk);
                let [of, value] = payload.pick(["tool_call_id", "return_value"]);
                let [failed, output, message] = value
                    .unwrap_or(Json::NULL)
                    .pick(["is_error", "output", "message"]);
                let shown = output.map(joined).filter(|o| !o.is_empty());
                let note = text(message);
                let shown = shown.unwrap_or_else(|| note.clone());
                let mut entry = Entry::new(Kind::Tool);
                entry.time = time;
                let failed = failed.and_then(|f| f.bool());
                entry.blocks.push(noted_outcome(
                    text(of),
                    Some(failed == Some(true)),
                    shown,
                    &note,
                ));
                desk.message(entry);
                self.closed = true;
            }
            "CompactionEnd" => {
                self.flush(desk);
                let mut mark = boundary(Compaction {
                    // The wire has no number here; the host goes on showing the last status.
                    tokens_after: self.used,
                    ..Compaction::default()
                });
                mark.time = time;
                desk.mark(mark);
            }
            "TurnEnd" | "StepInterrupted" | "CompactionBegin" => self.flush(desk),
            "SubagentEvent"
            | "ApprovalRequest"
            | "ApprovalResponse"
            | "ApprovalRequestResolved"
            | "QuestionRequest"
            | "QuestionResponse"
            | "StepRetry"
            | "MCPLoadingBegin"
            | "MCPLoadingEnd"
            | "HookTriggered"
            | "HookResolved"
            | "Notification" => {}
            other => desk.unknown(other),
        }
    }

    fn content(&mut self, payload: Json<'_>) {
        let [kind, said, thought] = payload.pick(["type", "text", "think"]);
        match text(kind).as_ref() {
            "text" => match self.pieces.last_mut() {
                Some(Piece::Text(all)) => all.push_str(&text(said)),
                _ => self.pieces.push(Piece::Text(text(said).into_owned())),
            },
            "think" => self.pieces.push(Piece::Thinking(thought.map_or(0, length))),
            _ => {}
        }
    }

    fn status(&mut self, payload: Json<'_>, desk: &mut Desk<'_>) {
        let [used, window, tokens] =
            payload.pick(["context_tokens", "max_context_tokens", "token_usage"]);
        if let Some(window) = window.and_then(|w| w.u64()).filter(|w| *w > 0) {
            desk.session.window = Some(window);
        }
        let [input, read, written, output] = tokens.unwrap_or(Json::NULL).pick([
            "input_other",
            "input_cache_read",
            "input_cache_creation",
            "output",
        ]);
        let sum = number(input)
            .saturating_add(number(read))
            .saturating_add(number(written));
        let prompt = if sum > 0 { sum } else { number(used) };
        if prompt == 0 {
            return;
        }
        self.used = Some(prompt);
        let usage = Some(Usage {
            prompt,
            output: number(output),
        });
        match self.answer.filter(|_| self.pieces.is_empty()) {
            Some(place) => {
                let mut row = Entry::new(Kind::Assistant);
                row.usage = usage;
                desk.again(place, row);
            }
            None => self.usage = usage,
        }
    }

    /// Passes on what has been put together.
    pub fn flush(&mut self, desk: &mut Desk<'_>) {
        if self.pieces.is_empty() {
            return;
        }
        let mut entry = Entry::new(Kind::Assistant);
        entry.time = self.time.take();
        entry.usage = self.usage.take();
        for piece in std::mem::take(&mut self.pieces) {
            match piece {
                Piece::Text(said) => entry.say(Voice::Assistant, said),
                Piece::Thinking(chars) => entry.blocks.push(Block::Thinking { chars }),
                Piece::Call {
                    id,
                    name,
                    arguments,
                } => entry
                    .blocks
                    .push(call(id, name, args_text(arguments.into()))),
            }
        }
        match self.answer.filter(|_| !self.closed) {
            Some(place) => desk.again(place, entry),
            None => self.answer = Some(desk.message(entry)),
        }
        self.closed = false;
    }
}
