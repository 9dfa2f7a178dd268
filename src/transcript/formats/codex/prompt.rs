//! Who wrote a user item: a person, the parent agent, or the host (FORMATS 8.7).

use super::super::{content_text, hash, text};
use super::Codex;
use super::mirror::{self, Held, What};
use super::parts::{call_id, image};
use crate::json::Json;
use crate::transcript::{Block, Desk, Entry, Kind, Voice};
use std::borrow::Cow;

/// Beginnings of what the host puts under the user's name; compared without case.
const INJECTED: &[&str] = &[
    "<environment_context>",
    "# agents.md instructions",
    "<user_instructions>",
    "<skill>",
    "<user_shell_command>",
    "<turn_aborted>",
    "<subagent_notification>",
    "<additional_context>",
    "<hook_prompt",
    "<recommended_plugins>",
    SUMMARY,
];
const SUMMARY: &str = "another language model started to solve this problem and produced a summary";

fn starts(text: &str, head: &str) -> bool {
    text.trim_start()
        .as_bytes()
        .get(..head.len())
        .is_some_and(|t| t.eq_ignore_ascii_case(head.as_bytes()))
}

/// Whether the text is a compaction's summary.
pub fn is_summary(text: &str) -> bool {
    starts(text, SUMMARY)
}

fn is_injected(text: &str) -> bool {
    INJECTED.iter().any(|head| starts(text, head))
}

impl Codex {
    /// A user item waits for its event.
    pub(super) fn hold(&mut self, what: What, item: Json<'_>, desk: &mut Desk<'_>) {
        self.flush(desk);
        self.mirror.moved_on();
        self.held = Some(Held {
            what,
            raw: item.raw().to_owned(),
            line: desk.line,
            time: self.time,
        });
    }

    /// An event says that a person wrote these words.
    pub(super) fn told(&mut self, words: &str, images: [Option<Json<'_>>; 2], desk: &mut Desk<'_>) {
        match self.held.take() {
            Some(held) if held.what == What::Prompt && is_told(&held.raw, words) => {
                self.mirror.told(words);
                return self.release(held, Some(words), desk);
            }
            held => self.held = held,
        }
        if self.mirror.repeats(words) {
            self.mirror.events = true;
            return;
        }
        self.flush(desk);
        self.mirror.told(words);
        let mut entry = self.entry(Kind::User);
        entry.say(writer(desk), words.to_owned());
        let pictures = images.iter().flatten().flat_map(|i| i.items());
        entry
            .blocks
            .extend(pictures.filter_map(image).map(Block::image));
        if !entry.blocks.is_empty() {
            self.prompt_at(entry, desk);
        }
    }

    fn prompt_at(&mut self, entry: Entry<'_>, desk: &mut Desk<'_>) {
        let place = desk.message(entry);
        self.turns.push(place.seq);
        self.running = true;
        self.compacted = false;
    }

    /// Passes a held item on. `told`: the words of the event that belongs to it.
    pub(super) fn release(&mut self, held: Held, told: Option<&str>, desk: &mut Desk<'_>) {
        let Ok(item) = Json::parse(&held.raw) else {
            return;
        };
        let (time, line) = (self.time, desk.line);
        (self.time, desk.line) = (held.time, held.line);
        match held.what {
            What::Prompt => self.prompt(item, told, desk),
            What::Output => {
                let id = hash(&call_id(item));
                let patch = self.patches.remove(&id);
                self.result(item, patch, desk);
            }
        }
        (self.time, desk.line) = (time, line);
    }

    fn prompt(&mut self, item: Json<'_>, told: Option<&str>, desk: &mut Desk<'_>) {
        let content = item.get("content");
        let injected = parts(content).any(|t| is_injected(&t));
        let person = told.is_some() || !(injected || self.mirror.events);
        let mut entry = self.entry(Kind::User);
        if let Some(said) = content.and_then(|c| c.str()) {
            self.say(said, person, told, desk, &mut entry);
        }
        for part in content.iter().flat_map(|c| c.items()) {
            match image(part) {
                Some(image) => entry.blocks.push(Block::image(image)),
                None => self.say(text(part.get("text")), person, told, desk, &mut entry),
            }
        }
        if person {
            if told.is_none() {
                self.mirror.untold(&content_text(content));
            }
            self.prompt_at(entry, desk);
        } else {
            // A picture that a tool put there is no turn of a person.
            if entry.blocks.iter().all(|b| matches!(b, Block::Image(_))) {
                entry.kind = Kind::Tool;
            }
            desk.message(entry);
        }
    }

    fn say<'a>(
        &mut self,
        said: Cow<'a, str>,
        person: bool,
        told: Option<&str>,
        desk: &mut Desk<'_>,
        entry: &mut Entry<'a>,
    ) {
        let voice = if is_summary(&said) {
            Voice::Summary
        } else if is_injected(&said) && told.is_none_or(|t| t.trim() != said.trim()) {
            self.place_of(&said, desk);
            Voice::Harness
        } else if person {
            writer(desk)
        } else {
            Voice::Harness
        };
        entry.say(voice, said);
    }

    /// The oldest files name the working directory in the context only.
    fn place_of(&mut self, context: &str, desk: &mut Desk<'_>) {
        if self.dir.is_some() || !starts(context, "<environment_context>") {
            return;
        }
        let found = between(context, "<cwd>", "</cwd>")
            .or_else(|| between(context, "Current working directory: ", "\n"));
        self.dir = found.and_then(|dir| desk.dir(dir.trim()));
    }
}

/// Whose words a prompt is: a sub-agent's comes from its parent.
fn writer(desk: &Desk<'_>) -> Voice {
    if desk.session.child {
        Voice::Parent
    } else {
        Voice::Person
    }
}

fn is_told(raw: &str, words: &str) -> bool {
    let item = Json::parse(raw).unwrap_or(Json::NULL);
    mirror::same(&content_text(item.get("content")), words)
        || parts(item.get("content")).any(|t| t.trim() == words.trim())
}

fn parts<'a>(content: Option<Json<'a>>) -> impl Iterator<Item = Cow<'a, str>> {
    let whole = content.and_then(|c| c.str());
    whole.into_iter().chain(
        content
            .into_iter()
            .flat_map(|c| c.items())
            .filter_map(|p| p.text("text")),
    )
}

fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let from = text.find(open)? + open.len();
    let to = text.get(from..)?.find(close)? + from;
    text.get(from..to)
}
