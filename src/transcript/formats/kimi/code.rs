//! Kimi Code's wire: flat records; answers are rebuilt from the events of their steps.

use super::super::shared::{
    args, boundary, call, is_command, joined, length, note, number, parts, some, stamp, text,
};
use super::{noted_outcome, outcome};
use crate::json::Json;
use crate::transcript::{Block, Compaction, Desk, Entry, Kind, Mark, Place, Usage, Voice};
use std::collections::HashMap;

#[derive(Default)]
pub struct Code {
    steps: HashMap<String, Place>,
    /// Places of the person's turns that an undo can take back.
    turns: Vec<u32>,
    model: String,
    lane: u16,
}

impl Code {
    pub fn record(&mut self, kind: &str, record: Json<'_>, desk: &mut Desk<'_>) {
        let time = record.get("time");
        if let Some(time) = time {
            note(time, desk);
        }
        match kind {
            "metadata" => {
                if let Some(created) = record.get("created_at") {
                    note(created, desk);
                }
            }
            "config.update" | "profile.bind" => self.config(record, desk),
            "context.append_message" => {
                if let Some(message) = record.get("message") {
                    self.message(message, time, desk);
                }
            }
            "context.append_loop_event" => {
                if let Some(event) = record.get("event") {
                    self.event(event, time, desk);
                }
            }
            "context.apply_compaction" => {
                let [summary, context, before, after] =
                    record.pick(["summary", "contextSummary", "tokensBefore", "tokensAfter"]);
                let summary = some(summary).or(some(context));
                let mut mark = boundary(Compaction {
                    tokens_before: before.and_then(|n| n.u64()),
                    tokens_after: after.and_then(|n| n.u64()).filter(|n| *n > 0),
                    summary: summary.map(Into::into),
                    ..Compaction::default()
                });
                mark.lane = self.lane;
                stamp(time, &mut mark, desk);
                desk.mark(mark);
                self.turns.clear();
            }
            "context.undo" => self.undo(number(record.get("count")), desk),
            "context.clear" => {
                let mut mark = Entry::new(Kind::Mark);
                (mark.lane, mark.mark) = (self.lane, Some(Mark::Clear));
                stamp(time, &mut mark, desk);
                desk.mark(mark);
                self.turns.clear();
            }
            "llm.request" | "usage.record" => {
                if let Some(model) = some(record.get("model")) {
                    self.model = model;
                }
            }
            known if KNOWN.iter().any(|k| known.starts_with(k)) => {}
            other => desk.unknown(other),
        }
    }

    fn config(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [agent, environment, cwd] = record.pick(["agentId", "environmentDisclosure", "cwd"]);
        let agent = text(agent);
        // One file an agent: another name than `main` makes it a sub-agent's.
        if !agent.is_empty() && agent != "main" && desk.session.active.is_empty() {
            self.lane = desk.lane(&agent);
            desk.session.child = true;
        }
        let cwd = cwd.or(environment.and_then(|e| e.get("cwd")));
        desk.dir(&text(cwd));
    }

    fn message(&mut self, message: Json<'_>, time: Option<Json<'_>>, desk: &mut Desk<'_>) {
        let [role, content, calls, of, origin, failed] = message.pick([
            "role",
            "content",
            "toolCalls",
            "toolCallId",
            "origin",
            "isError",
        ]);
        let content = content.unwrap_or(Json::NULL);
        let mut entry = Entry::new(Kind::User);
        entry.lane = self.lane;
        stamp(time, &mut entry, desk);
        match text(role).as_ref() {
            "user" => {
                let origin = origin.and_then(|o| o.text("kind"));
                let voice = match origin.as_deref() {
                    _ if self.lane > 0 => Voice::Parent,
                    Some("compaction_summary") => Voice::Summary,
                    Some("user") => Voice::Person,
                    // Older wires name no origin.
                    None if !joined(content).trim_start().starts_with("<system") => Voice::Person,
                    _ => Voice::Harness,
                };
                parts(content, voice, &mut entry);
                for block in &mut entry.blocks {
                    if let Block::Said { voice, text } = block
                        && *voice == Voice::Person
                        && is_command(text)
                    {
                        *voice = Voice::Harness;
                    }
                }
                let person = voice == Voice::Person;
                let place = desk.message(entry);
                if person {
                    self.turns.push(place.seq);
                }
            }
            "assistant" => {
                entry.kind = Kind::Assistant;
                parts(content, Voice::Assistant, &mut entry);
                for made in calls.iter().flat_map(|c| c.items()) {
                    let [id, name, arguments] = made.pick(["id", "name", "arguments"]);
                    entry
                        .blocks
                        .push(call(text(id), text(name), args(arguments)));
                }
                desk.message(entry);
            }
            "tool" => {
                entry.kind = Kind::Tool;
                let failed = failed.and_then(|f| f.bool());
                entry
                    .blocks
                    .push(outcome(text(of), failed, joined(content)));
                desk.message(entry);
            }
            "system" => {
                entry.kind = Kind::System;
                parts(content, Voice::System, &mut entry);
                desk.message(entry);
            }
            other => desk.unknown(other),
        }
    }

    fn event(&mut self, event: Json<'_>, time: Option<Json<'_>>, desk: &mut Desk<'_>) {
        let [kind, step, uuid] = event.pick(["type", "stepUuid", "uuid"]);
        let mut entry = Entry::new(Kind::Assistant);
        entry.lane = self.lane;
        stamp(time, &mut entry, desk);
        match text(kind).as_ref() {
            "content.part" => {
                let part = event.get("part").unwrap_or(Json::NULL);
                let [kind, said, thought] = part.pick(["type", "text", "think"]);
                match text(kind).as_ref() {
                    "text" => entry.say(Voice::Assistant, text(said)),
                    "think" => entry.blocks.push(Block::Thinking {
                        chars: thought.map_or(0, length),
                    }),
                    _ => {}
                }
                self.row(&text(step), entry, desk);
            }
            "tool.call" => {
                let [id, name, arguments] = event.pick(["toolCallId", "name", "args"]);
                entry
                    .blocks
                    .push(call(text(id), text(name), args(arguments)));
                self.row(&text(step), entry, desk);
            }
            "step.end" => {
                let usage = event.get("usage").unwrap_or(Json::NULL);
                let [input, read, written, output] = usage.pick([
                    "inputOther",
                    "inputCacheRead",
                    "inputCacheCreation",
                    "output",
                ]);
                let prompt = number(input)
                    .saturating_add(number(read))
                    .saturating_add(number(written));
                let output = number(output);
                if prompt > 0 || output > 0 {
                    entry.usage = Some(Usage { prompt, output });
                    self.row(&text(uuid.or(step)), entry, desk);
                }
            }
            "tool.result" => {
                let [of, result] = event.pick(["toolCallId", "result"]);
                let [output, failed, hint] = result
                    .unwrap_or(Json::NULL)
                    .pick(["output", "isError", "note"]);
                let shown = output.map(joined).filter(|o| !o.is_empty());
                let note = text(hint);
                let shown = shown.unwrap_or_else(|| note.clone());
                let failed = failed.and_then(|f| f.bool()) == Some(true);
                entry.kind = Kind::Tool;
                let block = noted_outcome(text(of), Some(failed), shown, &note);
                entry.blocks.push(block);
                desk.message(entry);
            }
            _ => {}
        }
    }

    /// A row of a step's answer.
    fn row(&mut self, step: &str, mut entry: Entry<'_>, desk: &mut Desk<'_>) {
        entry.model = desk.model(&self.model);
        match self.steps.get(step) {
            Some(&place) => desk.again(place, entry),
            None => {
                let place = desk.message(entry);
                self.steps.insert(step.to_owned(), place);
            }
        }
    }

    /// The last turns of the person, with all that followed, were taken back.
    fn undo(&mut self, count: u64, desk: &mut Desk<'_>) {
        let count = usize::try_from(count).unwrap_or(usize::MAX).max(1);
        let keep = self.turns.len().saturating_sub(count);
        if let Some(&from) = self.turns.get(keep) {
            for seq in from..desk.session.active.len() as u32 {
                desk.set_active(seq, false);
            }
        }
        self.turns.truncate(keep);
    }
}

/// Beginnings of records about state and billing.
const KNOWN: &[&str] = &[
    "turn.",
    "tools.",
    "task.",
    "goal.",
    "plan_mode.",
    "full_compaction.",
    "micro_compaction.",
    "permission.",
    "swarm_mode.",
    "llm.",
    "cron.",
    "background.",
    "forked",
    "hook.",
    "skill.",
];
