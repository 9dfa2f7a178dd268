//! How much is kept of each kind of text, and how it is shortened; how calls are compared.

use super::notable;
use crate::json::{Json, Kind as Shape, reduce};
use crate::language::byte_ends;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Aside, Change, Compaction, Mark, Side};
use foldhash::fast::FixedState;
use std::borrow::Cow;
use std::hash::{BuildHasher, Hasher};

/// Bytes kept of a text: its head and its tail.
pub(super) const PERSON: (usize, usize) = (48 << 10, 48 << 10);
pub(super) const ASSISTANT: (usize, usize) = (6 << 10, 10 << 10);
pub(super) const SUMMARY: (usize, usize) = (8 << 10, 4 << 10);
pub(super) const HARNESS: (usize, usize) = (1 << 10, 1 << 10);
/// Bytes kept of a result that can prove something, and of one that cannot.
const PROOF: (usize, usize) = (400, 1200);
pub(super) const PLAIN: (usize, usize) = (160, 0);
/// Bytes kept of what is written into a document, which is prose.
const DOCUMENT: usize = 2 << 10;
/// Lines kept from the middle of a result.
const NOTABLE: usize = 12;

pub(super) fn own(text: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(text.into_owned())
}

/// A text that was put together, without room for more: thousands of them are kept.
pub(super) fn fitted(mut text: String) -> Cow<'static, str> {
    text.shrink_to_fit();
    Cow::Owned(text)
}

pub(super) fn mark(mark: Mark<'_>) -> Mark<'static> {
    let keep = |text: Option<Cow<'_, str>>| text.map(|t| Cow::Owned(ends(&t, SUMMARY)));
    match mark {
        Mark::Compaction(c) => Mark::Compaction(Box::new(Compaction {
            auto: c.auto,
            tokens_before: c.tokens_before,
            tokens_after: c.tokens_after,
            summary: keep(c.summary),
            details: c.details.map(own),
        })),
        Mark::Branch { summary } => Mark::Branch {
            summary: Cow::Owned(ends(&summary, SUMMARY)),
        },
        Mark::Clear => Mark::Clear,
        Mark::Model => Mark::Model,
    }
}

pub(super) fn side(side: Side<'_>) -> Side<'static> {
    let aside = side.into_inner();
    Side::from(Aside {
        agent: aside.agent.map(own),
        background: aside.background.map(own),
        task: aside.task.map(own),
        changes: aside
            .changes
            .into_iter()
            .map(|c| Change {
                op: c.op,
                path: own(c.path),
                to: c.to.map(own),
            })
            .collect(),
        todos: aside.todos.map(own),
    })
}

/// Arguments with what nobody will read cut off: file bodies, long prompts.
pub(super) fn kept_args(tool: Tool, args: &Args<'_>, json: Json<'_>) -> Args<'static> {
    match args {
        // The lines of a patch that name files are all that is needed of it.
        Args::Raw(text) => Args::Raw(fitted(patch_heads(text))),
        Args::Json(_) => {
            let limit = match tool {
                Tool::Shell => 16 << 10,
                Tool::TodoList => 4 << 10,
                Tool::Patch => return Args::Json(fitted(reduce_patch(json))),
                Tool::Write | Tool::Edit => match tools::path(&json) {
                    Some(path) if tools::is_document(&path) => DOCUMENT,
                    _ => 300,
                },
                _ => 1 << 10,
            };
            Args::Json(fitted(reduce(json, limit, 400, 8)))
        }
    }
}

/// A patch's marker lines and what it adds to documents; a short patch whole.
fn patch_heads(text: &str) -> String {
    if text.len() <= 512 {
        return text.to_owned();
    }
    let mut room = DOCUMENT;
    let mut prose = false;
    let mut out = String::new();
    for line in text.lines() {
        let marks = line.starts_with("*** ");
        if marks {
            prose = tools::is_document(line);
        } else if !prose || !line.starts_with('+') || line.len() > room {
            continue;
        } else {
            room -= line.len();
        }
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(line);
    }
    out
}

fn reduce_patch(json: Json<'_>) -> String {
    let mut out = String::from("{");
    for (i, (key, value)) in json.fields().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&crate::json::quote(&key.name()));
        out.push(':');
        match value.str() {
            Some(text) => out.push_str(&crate::json::quote(&patch_heads(&text))),
            None => out.push_str(&reduce(value, 512, 100, 6)),
        }
    }
    out.push('}');
    out
}

/// A hash that stays the same for the same text, in this process only.
pub fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text)
}

/// Hash of a call's family and arguments with keys sorted and nulls dropped at every level (SPEC 2.2).
pub(super) fn canonical(tool: Tool, name: &str, args: &Args<'_>, json: Json<'_>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    // Families whose members do the same with the same arguments; `grep` and `glob` do not.
    let same = matches!(
        tool,
        Tool::Read
            | Tool::Write
            | Tool::Edit
            | Tool::Patch
            | Tool::Delete
            | Tool::Shell
            | Tool::List
    );
    if !same {
        hasher.write(name.to_ascii_lowercase().as_bytes());
    }
    hasher.write_u8(tool as u8);
    let value = match args {
        Args::Raw(text) => hash(text),
        Args::Json(_) => canonical_value(json, 0),
    };
    hasher.write_u64(value);
    hasher.finish()
}

/// Hash of a value with keys sorted and nulls dropped at every level.
pub fn canonical_value(value: Json<'_>, depth: u8) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    match value.kind() {
        // Deeper than any real argument: the text as it stands.
        _ if depth > 64 => hasher.write(value.raw().as_bytes()),
        Shape::Object => {
            let mut fields: Vec<(String, u64)> = value
                .fields()
                .filter(|(_, v)| !v.is_null())
                .map(|(k, v)| (k.name().into_owned(), canonical_value(v, depth + 1)))
                .collect();
            fields.sort_unstable();
            for (key, value) in fields {
                hasher.write(key.as_bytes());
                hasher.write_u64(value);
            }
        }
        Shape::Array => value
            .items()
            .for_each(|v| hasher.write_u64(canonical_value(v, depth + 1))),
        Shape::String => hasher.write(value.str().unwrap_or_default().as_bytes()),
        _ => hasher.write(value.raw().as_bytes()),
    }
    hasher.write_u8(value.kind() as u8);
    hasher.finish()
}

/// Head and tail of a text in bytes, cut at characters, with a gap marked by an ellipsis on its own line.
pub(super) fn ends(text: &str, (head, tail): (usize, usize)) -> String {
    if text.len() <= head + tail {
        return text.to_owned();
    }
    match byte_ends(text, head, tail) {
        (head, "") => format!("{head}…"),
        (head, tail) => format!("{head}\n…\n{tail}"),
    }
}

/// How many lines [`str::lines`] gives, counted at memory speed.
pub(super) fn lines(text: &str) -> usize {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'\n', bytes).count()
        + usize::from(bytes.last().is_some_and(|b| *b != b'\n'))
}

/// A result that may prove something: its ends and the notable lines between them.
pub(super) fn excerpt(text: &str) -> String {
    if text.len() <= PROOF.0 + PROOF.1 + 200 {
        return text.to_owned();
    }
    let (head, tail) = byte_ends(text, PROOF.0, PROOF.1);
    let middle = text.get(head.len()..text.len() - tail.len());
    let mut out = head.to_owned();
    out.push_str("\n…\n");
    // Outcomes stand near the end; the first ones name the cause.
    let middle = middle.unwrap_or_default();
    for line in notable::lines(middle, NOTABLE / 3, NOTABLE - NOTABLE / 3) {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(tail);
    out
}
