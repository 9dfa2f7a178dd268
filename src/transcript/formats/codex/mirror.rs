//! Items and events that mirror each other: which event belongs to which item, so that nothing is read twice
//! and nothing is missed.

use super::super::hash;
use crate::transcript::Millis;
use serde::{Deserialize, Serialize};

/// An item or event that waits for its other half, as the text of its JSON.
#[derive(Serialize, Deserialize)]
pub struct Held {
    pub what: What,
    pub raw: String,
    pub line: u32,
    pub time: Option<Millis>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A user item; the event that says a person wrote it comes behind it.
    Prompt,
    /// The result of a patch; what the patch changed may come behind it.
    Output,
}

/// What is known of the prompts so far.
#[derive(Default, Serialize, Deserialize)]
pub struct Mirror {
    /// The file tells prompts by events, so an item without one is the host's.
    pub events: bool,
    /// Prompts passed on without an event, by the hash of their text.
    waiting: Vec<u64>,
    /// The prompt told last, until an answer follows.
    last: Option<u64>,
}

impl Mirror {
    /// An event arrived for words that stand nowhere else yet; whether it only repeats what was passed on.
    pub fn repeats(&mut self, words: &str) -> bool {
        let key = hash(words.trim());
        if self.last == Some(key) {
            return true;
        }
        match self.waiting.iter().position(|w| *w == key) {
            Some(at) => {
                self.waiting.swap_remove(at);
                self.last = Some(key);
                true
            }
            None => false,
        }
    }

    pub fn told(&mut self, words: &str) {
        self.events = true;
        self.last = Some(hash(words.trim()));
    }

    pub fn untold(&mut self, words: &str) {
        self.waiting.push(hash(words.trim()));
    }

    /// A new item or an answer: the same words again are a new prompt.
    pub fn moved_on(&mut self) {
        self.last = None;
    }
}

/// Whether the words of an item and of an event are one prompt. The event leaves out image tags and fragments
/// of the context; one without words is about the images.
pub fn same(item: &str, event: &str) -> bool {
    let (item, event) = (item.trim(), event.trim());
    item == event || item.contains(event) || (!item.is_empty() && event.contains(item))
}
