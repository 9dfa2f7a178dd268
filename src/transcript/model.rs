//! The common model: entries made of blocks, with the numbers that references use.
//!
//! Lifetimes: while a file is read, text is borrowed from the line it stands in; a digest keeps it.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The number a message is known by, everywhere: in the brief, the state and `compact recall`.
///
/// `#N` counts every message record of the file from 0; `#cN` counts injected records that have no `#N`.
/// Neither is ever renumbered (CONTRACT 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ref {
    Message(u32),
    Injected(u32),
}

impl fmt::Display for Ref {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ref::Message(n) => write!(f, "#{n}"),
            Ref::Injected(n) => write!(f, "#c{n}"),
        }
    }
}

impl std::str::FromStr for Ref {
    type Err = ();
    /// `#12`, `(#12)`, `m12`, `#c3`, `c3`; a bare number is none.
    fn from_str(text: &str) -> Result<Ref, ()> {
        let text = text.trim().trim_start_matches('(').trim_end_matches(')');
        let digits = |s: &str| -> Result<u32, ()> {
            if s.is_empty() || !s.bytes().all(|b| b.is_ascii_digit()) {
                Err(())
            } else {
                s.parse().map_err(drop)
            }
        };
        if let Some(rest) = text.strip_prefix("#c").or_else(|| text.strip_prefix('c')) {
            digits(rest).map(Ref::Injected)
        } else if let Some(rest) = text.strip_prefix('#').or_else(|| text.strip_prefix('m')) {
            digits(rest).map(Ref::Message)
        } else {
            Err(())
        }
    }
}

impl serde::Serialize for Ref {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Ref {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Ref, D::Error> {
        let text = String::deserialize(d)?;
        text.parse()
            .map_err(|()| serde::de::Error::custom(format!("{text:?} is no reference")))
    }
}

/// A moment of the transcript, milliseconds since 1970 (UTC). Never the clock of this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Millis(pub i64);

impl Millis {
    /// From RFC 3339 text; a missing zone is taken for UTC.
    pub fn parse(text: &str) -> Option<Millis> {
        let text = text.trim();
        text.parse::<jiff::Timestamp>()
            .ok()
            .or_else(|| format!("{text}Z").parse().ok())
            .map(|t| Millis(t.as_millisecond()))
    }
    /// RFC 3339 in UTC with milliseconds only where there are some.
    pub fn rfc3339(self) -> String {
        jiff::Timestamp::from_millisecond(self.0)
            .map(|t| t.to_string())
            .unwrap_or_default()
    }
}

/// What kind of record an entry is. Who *spoke* in it stands at each block ([`Voice`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A record under the user's name: a prompt, tool results, or both.
    User,
    Assistant,
    /// A record that only carries tool results.
    Tool,
    /// The system or developer prompt.
    System,
    /// A command the person ran past the agent (`!ls`), with its output.
    Bash,
    /// A custom or injected record of the host.
    Custom,
    /// No message: a boundary, a model change, a title. See [`Entry::mark`].
    Mark,
}

/// One record of the transcript, or one row of a message that is spread over several.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// Place in the sequence of messages and marks; rows of one message share it. Set by the desk.
    pub seq: u32,
    /// The message's number; `None` for marks.
    pub number: Option<Ref>,
    pub kind: Kind,
    /// Which conversation: 0 is the main one, others are side chains in the order of [`Transcript::lanes`](super::Transcript).
    pub lane: u16,
    pub time: Option<Millis>,
    /// Working directory at this record, an index into [`Transcript::dirs`](super::Transcript).
    pub dir: Option<u16>,
    /// Model that answered, an index into [`Transcript::models`](super::Transcript).
    pub model: Option<u16>,
    /// Prompt and answer tokens of a response. Absent for synthetic, failed and all-zero ones.
    pub usage: Option<Usage>,
    pub blocks: Vec<Block<'a>>,
    pub mark: Option<Mark<'a>>,
    /// For [`Kind::Custom`]: the host's name of its type, and whether the host hides it.
    pub custom: Option<Box<Custom<'a>>>,
    /// Line of the file, from 1.
    pub line: u32,
    /// The host's id of this record (`uuid`, `id`), for `prune`, `--keep` and checks.
    pub id: Cow<'a, str>,
}

/// Type and visibility of an injected record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Custom<'a> {
    pub name: Cow<'a, str>,
    /// The host does not display it (`display: false`).
    pub hidden: bool,
}

/// Tokens of one response. `prompt` is everything the model was sent (SPEC 0.5: per format).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub prompt: u64,
    pub output: u64,
}

/// Whose words a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Voice {
    /// A person typed (or queued, or answered) it.
    Person,
    /// The parent agent wrote it: the prompt of a sub-agent.
    Parent,
    Assistant,
    /// The host put it there: reminders, command echoes, notifications, hook output.
    Harness,
    /// A compaction or branch summary, by whatever wrote it.
    Summary,
    /// System or developer prompt.
    System,
}

/// A part of an entry. Small, since a session has many: what is large stands in a box.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Block<'a> {
    Said {
        voice: Voice,
        text: Cow<'a, str>,
    },
    /// Thinking is never shown; its length (characters) tells a silent answer from a busy one.
    Thinking {
        chars: usize,
    },
    Image(Box<Image<'a>>),
    Call(Box<Call<'a>>),
    Result(Box<Outcome<'a>>),
}

impl<'a> Block<'a> {
    /// An image as a block.
    pub fn image(image: Image<'a>) -> Block<'a> {
        Block::Image(Box::new(image))
    }
}

/// An image, never its data. Sizes come from the header of the data, if that could be read.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image<'a> {
    pub name: Option<Cow<'a, str>>,
    pub mime: Option<Cow<'a, str>>,
    /// Length of the decoded data in bytes.
    pub bytes: Option<u64>,
    pub size: Option<(u32, u32)>,
}

/// A tool call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call<'a> {
    /// The host's id that its result names; empty where the format has none.
    pub id: Cow<'a, str>,
    /// The tool's name as written.
    pub name: Cow<'a, str>,
    pub tool: super::tool::Tool,
    /// The arguments: the text of a JSON value, or raw text (a patch) where the format has that.
    pub args: Args<'a>,
}

/// Arguments of a call, as JSON text or raw.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Args<'a> {
    /// Text of one valid JSON value.
    Json(Cow<'a, str>),
    Raw(Cow<'a, str>),
}

impl Args<'_> {
    /// As a JSON value; raw text gives `null`.
    pub fn json(&self) -> crate::json::Json<'_> {
        match self {
            Args::Json(text) => crate::json::Json::parse(text).unwrap_or(crate::json::Json::NULL),
            Args::Raw(_) => crate::json::Json::NULL,
        }
    }
    /// As they stand in the record, JSON or not.
    pub fn as_str(&self) -> &str {
        match self {
            Args::Json(text) | Args::Raw(text) => text,
        }
    }
}

/// How a call ended, as far as its own result says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    Ok,
    Error,
    /// Stopped by the host or an interruption.
    Cancelled,
    /// A person refused it.
    Rejected,
    /// Still running when the result was written (background, unified exec).
    Running,
    /// The format has no results, or does not say.
    Unknown,
}

/// The result of a call.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Outcome<'a> {
    /// The id of the call it answers; a result whose call is not in the file is an orphan.
    pub call: Cow<'a, str>,
    pub status: Status,
    /// Exit code, where the result or its side data names one.
    pub exit: Option<i32>,
    /// What the model was shown.
    pub text: Cow<'a, str>,
    pub images: u32,
    /// Side data worth keeping: see [`Side`].
    pub side: Side<'a>,
}

/// What a result's side data says beyond its text: nothing, for most.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Side<'a>(Option<Box<Aside<'a>>>);

impl<'a> From<Aside<'a>> for Side<'a> {
    fn from(aside: Aside<'a>) -> Side<'a> {
        Side((aside != Aside::NOTHING).then(|| Box::new(aside)))
    }
}

impl<'a> std::ops::Deref for Side<'a> {
    type Target = Aside<'a>;
    fn deref(&self) -> &Aside<'a> {
        static NOTHING: Aside<'static> = Aside::NOTHING;
        self.0.as_deref().unwrap_or(&NOTHING)
    }
}

impl std::ops::DerefMut for Side<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.0.get_or_insert_with(|| Box::new(Aside::NOTHING))
    }
}

impl<'a> Side<'a> {
    /// All of it, to be kept elsewhere.
    pub fn into_inner(self) -> Aside<'a> {
        self.0.map_or(Aside::NOTHING, |aside| *aside)
    }
}

/// The parts of [`Side`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Aside<'a> {
    /// Id of the sub-agent the call launched.
    pub agent: Option<Cow<'a, str>>,
    /// Id of the background job the call started.
    pub background: Option<Cow<'a, str>>,
    /// Id of the task that a task tool made.
    pub task: Option<Cow<'a, str>>,
    /// Files the host itself says the call changed: `A`dded, `M`odified, `D`eleted, or moved (`R`, from, to).
    pub changes: Vec<Change<'a>>,
    /// The whole todo list after the call (a JSON array), where a tool keeps it beside its text.
    pub todos: Option<Cow<'a, str>>,
}

impl Aside<'_> {
    /// A result that says no more than its text.
    pub const NOTHING: Aside<'static> = Aside {
        agent: None,
        background: None,
        task: None,
        changes: Vec::new(),
        todos: None,
    };
}

/// One file change that a host recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change<'a> {
    pub op: char,
    pub path: Cow<'a, str>,
    pub to: Option<Cow<'a, str>>,
}

/// Something that happened to the conversation itself.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Mark<'a> {
    /// Everything before was replaced by a summary.
    Compaction(Box<Compaction<'a>>),
    /// The summary of an abandoned branch, put in the way back.
    Branch { summary: Cow<'a, str> },
    /// `/clear`, a reset: the model's context starts anew, without summary.
    Clear,
    /// The model or its settings changed without a response.
    Model,
}

/// What a compaction boundary says of itself.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Compaction<'a> {
    /// `Some(true)` automatic, `Some(false)` by hand.
    pub auto: Option<bool>,
    pub tokens_before: Option<u64>,
    pub tokens_after: Option<u64>,
    pub summary: Option<Cow<'a, str>>,
    /// Structured details another tool left there (JSON text), read once by the state.
    pub details: Option<Cow<'a, str>>,
}

impl<'a> Entry<'a> {
    /// An empty entry of that kind; formats fill in what they know.
    pub fn new(kind: Kind) -> Entry<'a> {
        Entry {
            seq: 0,
            number: None,
            kind,
            lane: 0,
            time: None,
            dir: None,
            model: None,
            usage: None,
            blocks: Vec::new(),
            mark: None,
            custom: None,
            line: 0,
            id: Cow::Borrowed(""),
        }
    }

    /// Appends a text block unless the text is blank.
    pub fn say(&mut self, voice: Voice, text: impl Into<Cow<'a, str>>) {
        let text = text.into();
        if !text.trim().is_empty() {
            self.blocks.push(Block::Said { voice, text });
        }
    }

    /// The texts of one voice, in order.
    pub fn texts(&self, voice: Voice) -> impl Iterator<Item = &str> {
        self.blocks.iter().filter_map(move |b| match b {
            Block::Said { voice: v, text } if *v == voice => Some(text.as_ref()),
            _ => None,
        })
    }

    /// Its calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &Call<'a>> {
        self.blocks.iter().filter_map(|b| match b {
            Block::Call(c) => Some(c.as_ref()),
            _ => None,
        })
    }

    /// Its results, in order.
    pub fn results(&self) -> impl Iterator<Item = &Outcome<'a>> {
        self.blocks.iter().filter_map(|b| match b {
            Block::Result(r) => Some(r.as_ref()),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests;
