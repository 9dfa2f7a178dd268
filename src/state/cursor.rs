//! How far a state has read: enough to know the file again, whatever its name, and what is remembered from a file
//! that no longer shows it. The program's own business (CONTRACT 3, `cursor`).

use super::facts::Facts;
use super::prints::{Print, Prints, branch, messages, print};
use super::resume::Packed;
use crate::session::Session;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

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
    /// What the next run goes on from, where it can.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        deserialize_with = "lenient"
    )]
    pub memory: Option<Packed>,
}

/// A damaged memory is none.
fn lenient<'de, D: serde::Deserializer<'de>>(d: D) -> Result<Option<Packed>, D::Error> {
    let value = Value::deserialize(d)?;
    Ok(serde_json::from_value(value).ok())
}

impl Cursor {
    /// At the end of this session, behind the prints of what it let go of.
    pub fn of(session: &Session, old: Option<&Prints>) -> Cursor {
        let prints = Prints::of(session, old);
        Cursor {
            file: prints.file.print(),
            branch: prints.branch.print(),
            first: prints.first,
            lane: lane(session),
            earlier: None,
            memory: None,
        }
    }

    /// From a state; `None` when it has none, or one of another version.
    pub fn read(map: &Map<String, Value>) -> Option<Cursor> {
        Cursor::deserialize(map).ok()
    }

    /// The cursor as the state keeps it.
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
            || self.branch.messages > 0
                && print(branch(session), Some(self.branch.messages)) == self.branch
    }

    /// Whether what was read is enough to call a file of another id a copy, or of no id (`nameless`) the same.
    pub fn proves(&self, session: &Session, nameless: bool) -> bool {
        let most = self.file.messages.max(self.branch.messages);
        let first = messages(session).find_map(|e| e.time).map(|t| t.0);
        most >= COPY || most > 0 && (nameless || first.is_some() && self.first == first)
    }
}

/// The side chain a session is focused on.
pub fn lane(session: &Session) -> Option<String> {
    match session.main_lane() {
        0 => None,
        lane => session.head.lanes.get(lane as usize).cloned(),
    }
}
