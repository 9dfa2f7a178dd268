//! Prints of messages, by which a file is known again whatever its name.

use crate::redact::redact;
use crate::session::Session;
use crate::transcript::{Entry, Kind, Ref, Voice};
use serde::{Deserialize, Serialize};
use sha2::digest::common::hazmat::SerializableState;
use sha2::{Digest, Sha256};

/// A count of messages and the hash over them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Print {
    pub messages: u64,
    pub hash: String,
}

impl Print {
    /// Whether the session's file holds these messages, at its start or from one of that time on.
    pub fn is_in(&self, session: &Session, first: Option<i64>) -> bool {
        let here = |skip: usize| print(messages(session).skip(skip), Some(self.messages)) == *self;
        let begins = |e: &Entry<'_>| e.time.is_some_and(|t| Some(t.0) == first);
        let begin = messages(session).position(begins);
        here(0) || begin.is_some_and(|skip| skip > 0 && here(skip))
    }
}

fn is_message(entry: &&Entry<'static>) -> bool {
    matches!(entry.number, Some(Ref::Message(_)))
}

/// The messages of the file.
pub fn messages(session: &Session) -> impl Iterator<Item = &Entry<'static>> {
    session.entries.iter().filter(is_message)
}

/// Those of the active branch.
pub fn branch(session: &Session) -> impl Iterator<Item = &Entry<'static>> {
    session.active().filter(is_message)
}

/// Prints of what was read so far, to go on with.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Prints {
    pub file: Hashed,
    pub branch: Hashed,
    pub first: Option<i64>,
}

impl Prints {
    /// Of a session, behind those of what it let go of.
    pub fn of(session: &Session, old: Option<&Prints>) -> Prints {
        let mut prints = old.cloned().unwrap_or_default();
        messages(session).for_each(|e| prints.file.add(e));
        branch(session).for_each(|e| prints.branch.add(e));
        prints.first = prints
            .first
            .or_else(|| messages(session).find_map(|e| e.time).map(|t| t.0));
        prints
    }
}

/// A hash over messages. Only what never changes afterwards counts: who wrote a record, and a person's words.
/// An answer grows row by row while it is written, and a pruned copy has other results.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "(u64, Vec<u8>)", into = "(u64, Vec<u8>)")]
pub struct Hashed {
    messages: u64,
    hash: Sha256,
}

impl Hashed {
    fn add(&mut self, entry: &Entry<'_>) {
        self.messages += 1;
        self.hash.update([match entry.kind {
            Kind::User | Kind::Tool => b'u',
            Kind::Assistant => b'a',
            Kind::System => b's',
            Kind::Bash => b'b',
            Kind::Custom => b'c',
            Kind::Mark => b'm',
        }]);
        for text in entry.texts(Voice::Person) {
            // Old words of a long session are shortened, never at their ends.
            let text = redact(text);
            for end in ends(&text) {
                self.hash.update((end.len() as u64).to_le_bytes());
                self.hash.update(end);
            }
        }
    }

    /// The count and the hash so far.
    pub fn print(&self) -> Print {
        let hash = self.hash.clone().finalize();
        let hash = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
        Print {
            messages: self.messages,
            hash,
        }
    }
}

impl From<(u64, Vec<u8>)> for Hashed {
    fn from((messages, state): (u64, Vec<u8>)) -> Hashed {
        let state = state.as_slice().try_into().ok();
        let hash = state.and_then(|s| Sha256::deserialize(s).ok());
        Hashed {
            messages,
            hash: hash.unwrap_or_default(),
        }
    }
}

impl From<Hashed> for (u64, Vec<u8>) {
    fn from(hashed: Hashed) -> (u64, Vec<u8>) {
        (hashed.messages, hashed.hash.serialize().to_vec())
    }
}

/// The first and the last bytes of a longer text.
fn ends(text: &str) -> [&str; 2] {
    const END: usize = 48;
    if text.len() <= 2 * END {
        return [text, ""];
    }
    let head = (0..=END).rev().find_map(|at| text.get(..at));
    let tail = (text.len() - END..text.len()).find_map(|at| text.get(at..));
    [head.unwrap_or_default(), tail.unwrap_or_default()]
}

/// The first `most` messages.
pub fn print<'s>(entries: impl Iterator<Item = &'s Entry<'static>>, most: Option<u64>) -> Print {
    let mut hashed = Hashed::default();
    for entry in entries.take(most.map_or(usize::MAX, |m| m as usize)) {
        hashed.add(entry);
    }
    hashed.print()
}
