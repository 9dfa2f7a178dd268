//! How far a state has read: enough to know the file again, whatever its name, and what is remembered from a file
//! that no longer shows it. The program's own business (CONTRACT 3, `cursor`).

use super::merge::Facts;
use crate::session::Session;
use crate::transcript::{Entry, Kind, Ref, Voice};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

/// Messages that must agree before a file of another session counts as a copy, unless the first times agree too.
const COPY: u64 = 4;

/// What the state has read.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Cursor {
    /// Every message of the file, in its order.
    pub file: Print,
    /// Those of the active branch: what a fork copies.
    pub branch: Print,
    /// Time of the first message, milliseconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<i64>,
    /// The side chain it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lane: Option<String>,
    /// What is known from files that no longer show it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub earlier: Option<Facts>,
}

/// A count of messages and the hash over them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Print {
    pub messages: u64,
    pub hash: String,
}

impl Cursor {
    /// At the end of this session.
    pub fn of(session: &Session) -> Cursor {
        Cursor {
            file: print(messages(session), None),
            branch: print(branch(session), None),
            first: messages(session).find_map(|e| e.time).map(|t| t.0),
            lane: lane(session),
            earlier: None,
        }
    }

    /// From a state; `None` when it has none, or one of another version.
    pub fn read(map: &Map<String, Value>) -> Option<Cursor> {
        serde_json::from_value(Value::Object(map.clone())).ok()
    }

    pub fn write(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(map)) => map,
            _ => Map::new(),
        }
    }

    /// Whether the session shows everything that was read: the same file grown, a copy that went on, or a file of
    /// which only a part was read.
    pub fn is_in(&self, session: &Session) -> bool {
        self.file.is_in(session, self.first)
            || print(branch(session), Some(self.branch.messages)) == self.branch
    }

    /// Whether what was read is enough to call a file of another id a copy, or of no id (`nameless`) the same.
    pub fn proves(&self, session: &Session, nameless: bool) -> bool {
        let most = self.file.messages.max(self.branch.messages);
        let first = messages(session).find_map(|e| e.time).map(|t| t.0);
        most >= COPY || most > 0 && (nameless || first.is_some() && self.first == first)
    }
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

/// The side chain a session is focused on.
pub fn lane(session: &Session) -> Option<String> {
    match session.main_lane() {
        0 => None,
        lane => session.head.lanes.get(lane as usize).cloned(),
    }
}

fn is_message(entry: &&Entry<'static>) -> bool {
    matches!(entry.number, Some(Ref::Message(_)))
}

fn messages(session: &Session) -> impl Iterator<Item = &Entry<'static>> {
    session.entries.iter().filter(is_message)
}

fn branch(session: &Session) -> impl Iterator<Item = &Entry<'static>> {
    session.active().filter(is_message)
}

/// The first `most` messages. Only what never changes afterwards counts: who wrote a record, and a person's words.
/// An answer grows row by row while it is written, and a pruned copy has other results.
fn print<'s>(entries: impl Iterator<Item = &'s Entry<'static>>, most: Option<u64>) -> Print {
    let mut hash = Sha256::new();
    let mut messages = 0;
    for entry in entries {
        if most == Some(messages) {
            break;
        }
        messages += 1;
        hash.update([match entry.kind {
            Kind::User | Kind::Tool => b'u',
            Kind::Assistant => b'a',
            Kind::System => b's',
            Kind::Bash => b'b',
            Kind::Custom => b'c',
            Kind::Mark => b'm',
        }]);
        for text in entry.texts(Voice::Person) {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
    }
    let hash = hash.finalize();
    let hash = hash.iter().take(8).map(|b| format!("{b:02x}")).collect();
    Print { messages, hash }
}
