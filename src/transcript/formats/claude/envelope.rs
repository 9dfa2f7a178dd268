//! What every row of Claude Code has around its content.

use crate::json::Json;
use crate::transcript::formats::shared::{moment, text};
use crate::transcript::{Desk, Entry, Kind, Millis};
use std::borrow::Cow;

/// The fields of a row that concern every type.
#[derive(Default)]
pub struct Envelope<'a> {
    pub kind: Cow<'a, str>,
    pub uuid: Cow<'a, str>,
    pub parent: Option<Json<'a>>,
    pub logical: Option<Json<'a>>,
    pub time: Cow<'a, str>,
    pub cwd: Cow<'a, str>,
    pub branch: Cow<'a, str>,
    pub session: Cow<'a, str>,
    pub permission: Cow<'a, str>,
    pub side: bool,
    pub agent: Cow<'a, str>,
    pub meta: bool,
    pub summary: bool,
    pub api_error: bool,
    pub machine: bool,
    pub message: Option<Json<'a>>,
    pub result: Option<Json<'a>>,
    pub record: Json<'a>,
}

/// A time as text; wrappers write milliseconds since 1970.
fn written(value: Json<'_>) -> Cow<'_, str> {
    match value.str() {
        Some(text) => text,
        None => moment(value).map_or_else(Cow::default, |m| Cow::Owned(m.rfc3339())),
    }
}

impl<'a> Envelope<'a> {
    pub fn read(record: Json<'a>) -> Envelope<'a> {
        let mut env = Envelope {
            record,
            ..Envelope::default()
        };
        for (key, value) in record.fields() {
            match key.name().as_ref() {
                "type" => env.kind = text(Some(value)),
                "uuid" => env.uuid = text(Some(value)),
                "parentUuid" => env.parent = Some(value),
                "logicalParentUuid" => env.logical = Some(value),
                "timestamp" => env.time = written(value),
                "cwd" => env.cwd = text(Some(value)),
                "gitBranch" => env.branch = text(Some(value)),
                "permissionMode" => env.permission = text(Some(value)),
                "sessionId" => env.session = text(Some(value)),
                "isSidechain" => env.side = value.bool() == Some(true),
                "agentId" => env.agent = text(Some(value)),
                "isMeta" => env.meta = value.bool() == Some(true),
                "isCompactSummary" => env.summary |= value.bool() == Some(true),
                "isVisibleInTranscriptOnly" => env.meta |= value.bool() == Some(true),
                "isApiErrorMessage" => env.api_error = value.bool() == Some(true),
                "origin" | "turnOrigin" => {
                    env.machine |= value
                        .text("kind")
                        .is_some_and(|k| !matches!(k.as_ref(), "human" | "user"));
                }
                "message" => env.message = Some(value),
                "toolUseResult" => env.result = Some(value),
                _ => {}
            }
        }
        env
    }

    /// An entry of this kind with what the row says of its place and time.
    pub fn entry(&self, kind: Kind, desk: &mut Desk<'_>) -> Entry<'a> {
        let mut entry = Entry::new(kind);
        entry.time = Millis::parse(&self.time);
        entry.id = self.uuid.clone();
        if self.side {
            entry.lane = desk.lane(&self.agent);
        }
        entry.dir = desk.dir(&self.cwd);
        entry
    }

    /// Whether a user's row is the summary of a compaction; old versions do not mark it.
    pub fn is_summary(&self) -> bool {
        const HEAD: &str = "This session is being continued from a previous conversation";
        let content = self.message.and_then(|m| m.get("content"));
        let begins =
            |said: Option<Cow<'_, str>>| said.is_some_and(|t| t.trim_start().starts_with(HEAD));
        self.summary
            || (self.kind == "user"
                && content.is_some_and(|c| {
                    begins(c.str()) || begins(c.items().next().and_then(|b| b.text("text")))
                }))
    }
}
