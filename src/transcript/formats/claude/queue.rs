//! Prompts typed while the agent worked. Put into the queue and removed again, a prompt was delivered in the
//! middle of the turn without a record of its own; dequeued, a user record repeats it; popped, the person took
//! it back (FORMATS 7.6).

use super::super::hash;
use crate::transcript::Place;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

#[derive(Default, Serialize, Deserialize)]
pub struct Queue {
    waiting: VecDeque<String>,
    /// Prompts delivered so far that a second record may repeat.
    delivered: Vec<(u64, Place)>,
}

/// Whether words that arrive now were delivered before.
pub enum Delivery {
    First,
    Again(Place),
}

impl Queue {
    /// A queue record; gives the words it delivers, if it does.
    pub fn operation(&mut self, operation: &str, content: Option<&str>) -> Option<String> {
        match operation {
            "enqueue" => {
                self.waiting
                    .push_back(content.unwrap_or_default().to_owned());
                None
            }
            "dequeue" => {
                self.take(content);
                None
            }
            "popAll" => {
                self.waiting.clear();
                None
            }
            "remove" => {
                let words = self.take(content)?;
                let person = !words.trim().is_empty()
                    && !words.starts_with("{\"task_id\"")
                    && !words.starts_with('/');
                (person && matches!(self.delivered(&words), Delivery::First)).then_some(words)
            }
            _ => None,
        }
    }

    fn take(&mut self, content: Option<&str>) -> Option<String> {
        let at = content
            .and_then(|c| self.waiting.iter().position(|w| w == c))
            .unwrap_or(0);
        self.waiting.remove(at)
    }

    /// Whether the words were delivered already. Each delivery answers for one repetition only.
    pub fn delivered(&mut self, words: &str) -> Delivery {
        let key = hash(words.trim());
        match self.delivered.iter().position(|(k, _)| *k == key) {
            Some(at) => Delivery::Again(self.delivered.swap_remove(at).1),
            None => Delivery::First,
        }
    }

    /// Remembers a delivery.
    pub fn note(&mut self, words: &str, place: Place) {
        self.delivered.push((hash(words.trim()), place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_is_delivered_dequeued_and_popped_are_not() {
        let mut queue = Queue::default();
        assert_eq!(queue.operation("enqueue", Some("하나")), None);
        assert_eq!(queue.operation("enqueue", Some("둘")), None);
        assert_eq!(queue.operation("dequeue", None), None);
        assert_eq!(queue.operation("remove", None).as_deref(), Some("둘"));
        queue.operation("enqueue", Some("셋"));
        queue.operation("popAll", Some("셋"));
        assert_eq!(queue.operation("remove", None), None);
    }

    #[test]
    fn notices_in_the_queue_are_no_words() {
        let mut queue = Queue::default();
        queue.operation("enqueue", Some("{\"task_id\":\"b1\"}"));
        assert_eq!(queue.operation("remove", None), None);
    }
}
