//! What comes beside the rows of a turn: prompts that were queued while the agent worked, and what hooks add.

use super::envelope::Envelope;
use super::{Claude, queue};
use crate::json::Json;
use crate::transcript::formats::graph::Row;
use crate::transcript::formats::{joined, text};
use crate::transcript::{Custom, Desk, Entry, Kind, Voice};

impl Claude {
    pub(super) fn attachment(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let attachment = env.record.get("attachment").unwrap_or(Json::NULL);
        let [kind, prompt, mode, content, origin] =
            attachment.pick(["type", "prompt", "commandMode", "content", "origin"]);
        let kind = text(kind);
        let machine = origin.is_some_and(|o| o.text("kind").is_some_and(|k| k != "human"));
        let place = match kind.as_ref() {
            "queued_command"
                if mode.is_none_or(|m| text(Some(m)) == "prompt") && !env.side && !machine =>
            {
                let words = prompt.map(joined).unwrap_or_default();
                match self.queue.delivered(&words) {
                    queue::Delivery::Again(place) => Some(place),
                    queue::Delivery::First => {
                        let mut entry = env.entry(Kind::User, desk);
                        self.prompt_blocks(prompt, env, &mut entry);
                        let place = desk.message(entry);
                        self.queue.note(&words, place);
                        Some(place)
                    }
                }
            }
            "hook_additional_context"
            | "hook_system_message"
            | "hook_blocking_error"
            | "task_status" => {
                let words = content.map(joined).unwrap_or_default();
                (!words.trim().is_empty() && !env.side).then(|| {
                    let mut entry = env.entry(Kind::Custom, desk);
                    entry.custom = Some(Box::new(Custom {
                        name: kind.clone(),
                        hidden: true,
                    }));
                    entry.say(Voice::Harness, words);
                    desk.injected(entry)
                })
            }
            _ => None,
        };
        self.row(env, place, true);
    }

    fn prompt_blocks<'a>(
        &mut self,
        prompt: Option<Json<'a>>,
        env: &Envelope<'a>,
        entry: &mut Entry<'a>,
    ) {
        let Some(prompt) = prompt else { return };
        match prompt.str() {
            Some(said) => entry.say(Voice::Person, said),
            None => {
                for block in prompt.items() {
                    self.user_block(block, env, Voice::Person, entry);
                }
            }
        }
    }

    pub(super) fn queue_operation(&mut self, env: &Envelope<'_>, desk: &mut Desk<'_>) {
        let [operation, content] = env.record.pick(["operation", "content"]);
        let Some(words) = self
            .queue
            .operation(&text(operation), content.and_then(|c| c.str()).as_deref())
        else {
            return;
        };
        let mut entry = env.entry(Kind::User, desk);
        entry.say(Voice::Person, words.clone());
        let place = desk.message(entry);
        self.queue.note(&words, place);
        self.main_rows += 1;
        self.graph.add(Row {
            id: 0,
            parent: 0,
            seq: Some(place.seq),
            leaf: false,
            side: false,
            bridge: true,
            result: false,
        });
    }
}
