//! The blocks of a conversation and their parts; which entries open one, sum up what was before, close a turn.

use super::plain;
use crate::transcript::{Block as Piece, Entry, Kind, Mark, Voice};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::Range;
use std::sync::OnceLock;

/// One `[user]`, `[assistant]`, … group. It is cut into parts when somebody asks for them: of a long session hardly
/// any block is ever looked at.
pub struct Block {
    pub head: Cow<'static, str>,
    /// Which block of the conversation it is, from 0.
    pub index: usize,
    /// Ordinal (in [`Talk::messages`](super::talk::Talk::messages)) of its first message, and how many it has.
    pub first: u32,
    pub members: u32,
    /// Its place among the entries.
    pub entries: Range<usize>,
    pub cut: OnceLock<Box<Cut>>,
}

/// What was made of a block.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Cut {
    pub parts: Vec<Part>,
    /// For each message of the block: how many parts were made of its text. Fewer printed ones mean a cut.
    pub pieces: Vec<u32>,
}

/// A piece of a message.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Part {
    /// Ordinals (in [`Talk::messages`](super::talk::Talk::messages)) of the messages it stands for: one, or several for folded calls.
    pub messages: Vec<u32>,
    pub text: String,
    /// For text: which line of the message it is from. Calls have none.
    pub line: Option<u32>,
    #[serde(with = "super::pool::bits")]
    pub value: f64,
    /// Stays whatever the ceiling.
    pub must: bool,
}

/// The heading of a person's block.
pub const USER: &str = "[user]";
/// The heading of an assistant's block.
pub const ASSISTANT: &str = "[assistant]";

/// The heading under which an entry stands, if it is a message.
pub fn head(entry: &Entry<'static>) -> Option<Cow<'static, str>> {
    if summary(entry).is_some() {
        return Some("[custom:summary]".into());
    }
    let person =
        || crate::session::is_human_turn(entry) || entry.texts(Voice::Parent).next().is_some();
    match entry.kind {
        Kind::User | Kind::Tool => person().then(|| USER.into()),
        Kind::Assistant => {
            let says = |b: &Piece<'_>| match b {
                Piece::Said { voice, .. } => *voice == Voice::Assistant,
                Piece::Image(_) | Piece::Call(_) => true,
                _ => false,
            };
            entry.blocks.iter().any(says).then(|| ASSISTANT.into())
        }
        Kind::Bash => Some("[bash]".into()),
        Kind::Custom if entry.texts(Voice::Person).next().is_some() => {
            person().then(|| USER.into())
        }
        Kind::Custom => {
            let says =
                |b: &Piece<'_>| matches!(b, Piece::Said { text, .. } if !text.trim().is_empty());
            let name = entry.custom.as_ref().map_or("notice", |c| c.name.as_ref());
            let name = || plain::line(name).replace(['[', ']'], "");
            let said = entry.blocks.iter().any(says);
            said.then(|| format!("[custom:{}]", name()).into())
        }
        Kind::System | Kind::Mark => None,
    }
}

/// The summary a compaction or a branch left, if the entry is one.
pub fn summary<'e>(entry: &'e Entry<'static>) -> Option<&'e str> {
    match &entry.mark {
        Some(Mark::Compaction(c)) => c.summary.as_deref(),
        Some(Mark::Branch { summary }) => Some(summary),
        _ => entry.texts(Voice::Summary).next(),
    }
}

/// For each entry: whether its text is the last an assistant says before a person speaks again.
pub fn closing(entries: &[&Entry<'static>]) -> Vec<bool> {
    let mut flags = vec![false; entries.len()];
    let mut open = true;
    for (i, entry) in entries.iter().enumerate().rev() {
        if crate::session::is_human_turn(entry) {
            open = true;
        } else if entry.kind == Kind::Assistant
            && open
            && entry.texts(Voice::Assistant).next().is_some()
        {
            if let Some(flag) = flags.get_mut(i) {
                *flag = true;
            }
            open = false;
        }
    }
    flags
}
