//! What many formats spell alike: text parts, calls with their arguments, times as numbers or text. A format
//! that differs keeps its own reading.

use crate::json::{Json, Kind as Shape};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{
    Args, Block, Call, Compaction, Desk, Entry, Image, Kind, Mark, Millis, Outcome, Side, Status,
    Voice, picture,
};
use std::borrow::Cow;

/// A string's text; anything else is empty.
pub fn text<'a>(value: Option<Json<'a>>) -> Cow<'a, str> {
    value.and_then(|v| v.str()).unwrap_or_default()
}

/// A string that says something, kept.
pub fn some(value: Option<Json<'_>>) -> Option<String> {
    let text = value?.str()?;
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// The text of a string, of a part with `text` or `content`, or of an array of those, joined by line ends.
pub fn joined<'a>(value: Json<'a>) -> Cow<'a, str> {
    match value.kind() {
        Shape::String => value.str().unwrap_or_default(),
        Shape::Object => {
            let [text, content] = value.pick(["text", "content"]);
            text.or(content).and_then(|t| t.str()).unwrap_or_default()
        }
        Shape::Array => {
            let mut texts = value
                .items()
                .map(|item| match item.kind() {
                    Shape::Array => Cow::Borrowed(""),
                    _ => joined(item),
                })
                .filter(|t| !t.is_empty());
            let Some(first) = texts.next() else {
                return Cow::Borrowed("");
            };
            let mut rest = texts.peekable();
            if rest.peek().is_none() {
                return first;
            }
            let mut all = first.into_owned();
            for text in rest {
                all.push('\n');
                all.push_str(&text);
            }
            Cow::Owned(all)
        }
        _ => Cow::Borrowed(""),
    }
}

/// [`joined`], empty where there is nothing.
pub fn content_text(content: Option<Json<'_>>) -> Cow<'_, str> {
    content.map(joined).unwrap_or_default()
}

/// What a result shows: its text, else the value as it stands (numbers, objects without text).
pub fn shown<'a>(value: Option<Json<'a>>) -> Cow<'a, str> {
    let Some(value) = value.filter(|v| !v.is_null()) else {
        return Cow::Borrowed("");
    };
    match joined(value) {
        text if !text.is_empty() => text,
        _ if value.kind() == Shape::String
            || (value.is_array() && value.items().next().is_none()) =>
        {
            Cow::Borrowed("")
        }
        _ => Cow::Borrowed(value.raw()),
    }
}

/// Arguments as the format has them: a value, the text of a value, or raw text.
pub fn args<'a>(value: Option<Json<'a>>) -> Args<'a> {
    let Some(value) = value else {
        return Args::Json(Cow::Borrowed("null"));
    };
    match value.str() {
        None => Args::Json(Cow::Borrowed(value.raw())),
        Some(text) => args_text(text),
    }
}

/// Arguments written as text: a JSON value if it is one.
pub fn args_text(text: Cow<'_, str>) -> Args<'_> {
    match Json::parse(&text) {
        Ok(_) => Args::Json(text),
        Err(_) if text.trim().is_empty() => Args::Json(Cow::Borrowed("null")),
        Err(_) => Args::Raw(text),
    }
}

/// A call block.
pub fn call<'a>(
    id: impl Into<Cow<'a, str>>,
    name: impl Into<Cow<'a, str>>,
    args: Args<'a>,
) -> Block<'a> {
    let name = name.into();
    let mut tool = tools::family(&name);
    // Editors that do three jobs name theirs in `command`; a patch tool may take old and new text.
    match tool {
        Tool::Edit => {
            tool = match args.json().text("command").as_deref() {
                Some("view") => Tool::Read,
                Some("create") => Tool::Write,
                _ => tool,
            }
        }
        Tool::Patch => tool = tools::family_of_call(tool, &args.json()),
        _ => {}
    }
    Block::Call(Box::new(Call {
        id: id.into(),
        tool,
        name,
        args,
    }))
}

/// Whether a prompt is a command to the host (`/stats`, `/model x`), not words; a path is none.
pub fn is_command(text: &str) -> bool {
    let Some(word) = text
        .trim_start()
        .strip_prefix('/')
        .and_then(|t| t.split_whitespace().next())
    else {
        return false;
    };
    word.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_:".contains(&b))
}

/// Blocks as Anthropic's interface has them, and what several agents made of it. `voice` speaks the texts.
pub fn blocks<'a>(content: Json<'a>, voice: Voice, entry: &mut Entry<'a>) {
    if let Some(said) = content.str() {
        entry.say(voice, said);
        return;
    }
    for block in content.items() {
        let [kind, said, id, name, input, thinking, of, failed, source] = block.pick([
            "type",
            "text",
            "id",
            "name",
            "input",
            "thinking",
            "tool_use_id",
            "is_error",
            "source",
        ]);
        match text(kind).as_ref() {
            // A block whose type cannot be read is told by its text.
            "text" | "" => entry.say(voice, text(said)),
            "thinking" | "redacted_thinking" => entry.blocks.push(Block::Thinking {
                chars: thinking.map_or(0, length),
            }),
            "tool_use" => entry.blocks.push(call(text(id), text(name), args(input))),
            "tool_result" => {
                let failed = failed.and_then(|e| e.bool()) == Some(true);
                let said = shown(block.get("content"));
                let status = match failed {
                    true if refused(&said) => Status::Rejected,
                    true => Status::Error,
                    false => Status::Ok,
                };
                entry.blocks.push(result(text(of), status, None, said));
            }
            "image" => {
                if let Some(source) = source {
                    let [media, data] = source.pick(["media_type", "data"]);
                    let media = media.and_then(|m| m.str());
                    entry
                        .blocks
                        .push(Block::Image(Box::new(picture(None, media, &text(data)))));
                }
            }
            _ => {}
        }
    }
}

/// Marks the entry as one that only carries results, if it does.
pub fn only_results(entry: &mut Entry<'_>) {
    if !entry.blocks.is_empty() && entry.blocks.iter().all(|b| matches!(b, Block::Result(_))) {
        entry.kind = Kind::Tool;
    }
}

/// A compaction boundary.
pub fn boundary<'a>(compaction: Compaction<'a>) -> Entry<'a> {
    let mut entry = Entry::new(Kind::Mark);
    entry.mark = Some(Mark::Compaction(Box::new(compaction)));
    entry
}

/// Beginnings of what hosts and their gates write in place of a result when the person said no.
const REFUSALS: &[&str] = &[
    "blocked by user",
    "denied by user",
    "rejected by user",
    "user denied",
    "user rejected",
    "user declined",
    "user doesn't want to proceed with this tool use",
    "user doesn't want to take this action",
    "cancelled by user",
    "tool call was rejected",
];

/// Whether a result without a status of its own for it tells of a refusal.
pub fn refused(text: &str) -> bool {
    let mut head = text.trim_start();
    let begins = |head: &str, words: &str| {
        head.as_bytes()
            .get(..words.len())
            .is_some_and(|s| s.eq_ignore_ascii_case(words.as_bytes()))
    };
    for lead in ["error: ", "blocked: ", "the "] {
        if begins(head, lead) {
            head = head.get(lead.len()..).unwrap_or_default();
        }
    }
    REFUSALS.iter().any(|words| begins(head, words))
}

/// The code behind a label in a tool's own report (`Exit Code: 1`), from the line that begins with it.
pub fn labelled_exit(text: &str, label: &str) -> Option<i32> {
    text.lines()
        .rev()
        .find_map(|line| line.trim_start().strip_prefix(label))
        .and_then(|rest| rest.split_whitespace().next()?.parse().ok())
}

/// A result block without side data.
pub fn result<'a>(
    call: impl Into<Cow<'a, str>>,
    status: Status,
    exit: Option<i32>,
    text: impl Into<Cow<'a, str>>,
) -> Block<'a> {
    Block::Result(Box::new(Outcome {
        call: call.into(),
        status,
        exit,
        text: text.into(),
        images: 0,
        side: Side::default(),
    }))
}

/// A moment written as RFC 3339 text, milliseconds or seconds.
pub fn moment(value: Json<'_>) -> Option<Millis> {
    if let Some(text) = value.str() {
        return Millis::parse(&text);
    }
    let number = value.f64().filter(|n| n.is_finite() && *n > 0.0)?;
    // Seconds reach this number in the year 5138; milliseconds passed it in 1973.
    let millis = if number < 1e11 {
        number * 1000.0
    } else {
        number
    };
    Some(Millis(millis.round() as i64))
}

/// Notes a record's time at the entry and at the desk (text as written, numbers as RFC 3339).
pub fn stamp(value: Option<Json<'_>>, entry: &mut Entry<'_>, desk: &mut Desk<'_>) {
    let Some(value) = value else { return };
    entry.time = moment(value).or(entry.time);
    note(value, desk);
}

/// Notes a record's time at the desk alone.
pub fn note(value: Json<'_>, desk: &mut Desk<'_>) {
    match value.str() {
        Some(written) => desk.time(&written),
        None => {
            if let Some(millis) = moment(value) {
                desk.time(&millis.rfc3339());
            }
        }
    }
}

/// An image from a URL: with `data:` its header is read, else only its place is known.
pub fn linked<'a>(
    url: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    mime: Option<Cow<'a, str>>,
) -> Image<'a> {
    if url.starts_with("data:") {
        return picture(name, mime, &url);
    }
    Image {
        name: name.or((!url.is_empty()).then_some(url)),
        mime,
        ..Image::default()
    }
}

/// The same as a block.
pub fn image<'a>(
    url: Cow<'a, str>,
    name: Option<Cow<'a, str>>,
    mime: Option<Cow<'a, str>>,
) -> Block<'a> {
    Block::image(linked(url, name, mime))
}

/// The number of an exit code that a value holds (as number or text).
pub fn exit(value: Option<Json<'_>>) -> Option<i32> {
    let value = value?;
    match value.i64() {
        Some(n) => i32::try_from(n).ok(),
        None => value.str()?.trim().parse().ok(),
    }
}

/// A whole number, 0 where there is none.
pub fn number(value: Option<Json<'_>>) -> u64 {
    value.and_then(|v| v.u64()).unwrap_or(0)
}

/// Says a user's content, a string or parts: text by `voice`, images as images. Other parts are left out.
pub fn parts<'a>(content: Json<'a>, voice: Voice, entry: &mut Entry<'a>) {
    if let Some(said) = content.str() {
        entry.say(voice, said);
        return;
    }
    for part in content.items() {
        let [kind, said, url, source, thinking] =
            part.pick(["type", "text", "image_url", "source", "think"]);
        match text(kind).as_ref() {
            "text" | "input_text" | "output_text" => entry.say(voice, text(said)),
            "" if part.kind() == Shape::String => entry.say(voice, part.str().unwrap_or_default()),
            "" if said.is_some() => entry.say(voice, text(said)),
            "think" | "thinking" => entry.blocks.push(Block::Thinking {
                chars: thinking.or(part.get("thinking")).map_or(0, length),
            }),
            "image_url" => {
                let url = url.and_then(|u| u.str().or_else(|| u.text("url")));
                entry
                    .blocks
                    .push(image(url.unwrap_or_default(), None, None));
            }
            "image" => {
                let [media, data, path] =
                    source.unwrap_or(part).pick(["media_type", "data", "path"]);
                let block = match data {
                    Some(data) => Block::Image(Box::new(picture(
                        None,
                        media.and_then(|m| m.str()),
                        &text(Some(data)),
                    ))),
                    None => image(text(path), None, media.and_then(|m| m.str())),
                };
                entry.blocks.push(block);
            }
            _ => {}
        }
    }
}

/// Length of a string in characters.
pub fn length(value: Json<'_>) -> usize {
    value.chars()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_join_and_other_values_stay_as_they_are() {
        let of = |json: &'static str| shown(Json::parse(json).ok()).into_owned();
        assert_eq!(of(r#"["a",{"text":"b"},{"type":"image"}]"#), "a\nb");
        assert_eq!(of(r#"{"rows":3}"#), r#"{"rows":3}"#);
        assert_eq!(of("null"), "");
        assert_eq!(of("[]"), "");
    }

    #[test]
    fn a_block_of_an_odd_type_is_told_by_its_text() {
        for json in [
            r#"[{"type":7,"text":"말"},{"type":"new","text":"x"},7]"#,
            r#"[{"text":"말"}]"#,
        ] {
            let content = Json::parse(json).unwrap();
            let mut entry = Entry::new(Kind::User);
            blocks(content, Voice::Person, &mut entry);
            let mut other = Entry::new(Kind::User);
            for block in content.items() {
                super::super::claude::block::read(block, Voice::Person, &mut other);
            }
            for entry in [&entry, &other] {
                assert_eq!(entry.texts(Voice::Person).collect::<Vec<_>>(), ["말"]);
            }
        }
    }

    #[test]
    fn moments_are_told_by_kind_and_size() {
        let of = |json: &'static str| moment(Json::parse(json).unwrap()).map(|m| m.0);
        assert_eq!(of("1781000000.25"), Some(1_781_000_000_250));
        assert_eq!(of("1781000000250"), Some(1_781_000_000_250));
        assert_eq!(of(r#""2026-01-01T00:00:00""#), Some(1_767_225_600_000));
        assert_eq!(of("0"), None);
        assert_eq!(of("1e999"), None);
    }

    #[test]
    fn arguments_in_text_are_read_as_json_or_stay_raw() {
        let value = Json::parse(r#""{\"a\":1}""#).unwrap();
        assert!(matches!(args(Some(value)), Args::Json(t) if t == r#"{"a":1}"#));
        let patch = Json::parse(r#""*** Begin Patch""#).unwrap();
        assert!(matches!(args(Some(patch)), Args::Raw(_)));
    }
}
