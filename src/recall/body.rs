//! A message as text: what is searched of it, and how it reads when opened.

use crate::json::{Json, Kind};
use crate::language::visible;
use crate::transcript::{Args, Block, Call, Image, Outcome, Status, Voice, tools};
use std::borrow::Cow;

/// How much of a call's arguments is searched, in characters (SPEC 1.12).
const ARGUMENTS: usize = 2000;

/// The text of a block that is searched: no keys, names, ids or image data. `None` when there is none.
pub fn searched<'t>(block: &'t Block<'_>) -> Option<Cow<'t, str>> {
    let text = match block {
        Block::Said {
            voice: Voice::System,
            ..
        }
        | Block::Thinking { .. }
        | Block::Image(_) => return None,
        Block::Said { text, .. } => Cow::Borrowed(text.as_ref()),
        Block::Result(outcome) => Cow::Borrowed(outcome.text.as_ref()),
        Block::Call(call) => Cow::Owned(values(call)),
    };
    let text = match text {
        Cow::Borrowed(text) => crate::language::nfc(text),
        Cow::Owned(text) => match crate::language::nfc(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(composed) => Cow::Owned(composed),
        },
    };
    (!text.trim().is_empty()).then_some(text)
}

/// The values of a call's arguments, one a line, up to [`ARGUMENTS`] characters.
fn values(call: &Call<'_>) -> String {
    let mut out = String::new();
    match &call.args {
        Args::Raw(text) => out.push_str(text),
        Args::Json(_) => collect(call.args.json(), &mut out, 0),
    }
    if let Some((at, _)) = out.char_indices().nth(ARGUMENTS) {
        out.truncate(at);
    }
    out
}

/// Arguments nest; deeper than this is no tool's.
const DEPTH: usize = 16;

fn collect(value: Json<'_>, out: &mut String, depth: usize) {
    if depth > DEPTH || out.len() > 4 * ARGUMENTS {
        return;
    }
    match value.kind() {
        Kind::Object => value.fields().for_each(|(_, v)| collect(v, out, depth + 1)),
        Kind::Array => value.items().for_each(|v| collect(v, out, depth + 1)),
        Kind::Null | Kind::Bool => {}
        _ => {
            let text = value.str().unwrap_or(Cow::Borrowed(value.raw()));
            if text.is_empty() || is_data(&text) {
                return;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            out.push_str(&text);
        }
    }
}

/// Data of an image that got into an argument.
fn is_data(text: &str) -> bool {
    text.starts_with("data:")
        && text
            .get(..text.len().min(200))
            .is_some_and(|h| h.contains(";base64,"))
}

/// A block as it reads when its message is opened; `None` for what is never shown.
pub fn opened(block: &Block<'_>) -> Option<String> {
    let text = match block {
        Block::Thinking { .. } => return None,
        Block::Said { text, .. } => text.to_string(),
        Block::Image(image) => picture(image),
        Block::Call(call) => asked(call),
        Block::Result(outcome) => answered(outcome),
    };
    let text = crate::language::nfc(&text);
    let text = visible(&text);
    let text = text.trim_end();
    (!text.trim().is_empty()).then(|| text.to_owned())
}

/// `image attached: shot.png 800x600 image/png (12 KB)`, whatever of it is known (SPEC 6.4).
pub fn picture(image: &Image<'_>) -> String {
    let mut parts = Vec::new();
    parts.extend(image.name.as_deref().map(str::to_owned));
    parts.extend(image.size.map(|(w, h)| format!("{w}x{h}")));
    parts.extend(image.mime.as_deref().map(str::to_owned));
    parts.extend(image.bytes.map(|b| format!("({} KB)", b.div_ceil(1024))));
    if parts.is_empty() {
        "1 image attached".to_owned()
    } else {
        format!("image attached: {}", parts.join(" "))
    }
}

/// A call: its name, then each argument with its key.
fn asked(call: &Call<'_>) -> String {
    let mut out = format!("* {}", call.name);
    let json = call.args.json();
    if json.is_object() {
        for (key, value) in json.fields() {
            let key = key.name();
            let text = match value.kind() {
                Kind::String => value.str().unwrap_or_default(),
                Kind::Null => continue,
                _ => Cow::Borrowed(value.raw()),
            };
            let text = if is_data(&text) {
                Cow::Borrowed("(image data)")
            } else {
                text
            };
            let text = text.trim_end();
            if text.contains('\n') {
                out.push_str(&format!("\n{key}:\n{text}"));
            } else {
                out.push_str(&format!("\n{key}: {text}"));
            }
        }
    } else if !call.args.as_str().trim().is_empty() {
        out.push('\n');
        out.push_str(call.args.as_str());
    }
    out
}

fn answered(outcome: &Outcome<'_>) -> String {
    let mut out = match (outcome.status, outcome.exit) {
        (Status::Error, Some(code)) if code != 0 => format!("✗ exit {code}\n"),
        (Status::Error, _) => "✗ failed\n".to_owned(),
        (Status::Cancelled, _) => "✗ cancelled\n".to_owned(),
        (Status::Rejected, _) => "✗ rejected\n".to_owned(),
        _ => String::new(),
    };
    out.push_str(&outcome.text);
    if outcome.images > 1 {
        out.push_str(&format!("\n{} images attached", outcome.images));
    }
    out
}

/// A call in a few words: `Bash "stock list"`, `Read src/a.rs`.
pub fn title(call: &Call<'_>, raw: bool) -> String {
    let json = call.args.json();
    let name = crate::language::one_line(&call.name);
    let about = match call.tool {
        tools::Tool::Shell => tools::command(&json).map(|c| {
            // Half a secret is not known for one: it goes before the line is cut.
            let line = crate::language::one_line(&c);
            let line = super::shown(&line, raw);
            format!("\"{}\"", crate::language::clip(&line, 80))
        }),
        _ => tools::path(&json).map(|p| {
            let path = crate::language::one_line(&p);
            super::shown(&path, raw).into_owned()
        }),
    };
    let title = match about {
        Some(about) => format!("{name} {about}"),
        None => name.into_owned(),
    };
    crate::language::nfc(&title).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &'static str, args: &'static str) -> Block<'static> {
        Block::Call(Box::new(Call {
            id: "t1".into(),
            name: name.into(),
            tool: tools::family(name),
            args: Args::Json(args.into()),
        }))
    }

    #[test]
    fn values_are_searched_not_keys() {
        let block = call(
            "Edit",
            r#"{"file_path":"/w/b.rs","edits":[{"old":"x","n":12}],"all":true}"#,
        );
        assert_eq!(searched(&block).unwrap(), "/w/b.rs\nx\n12");
        let image = call("Send", r#"{"image":"data:image/png;base64,ZmFrZQ=="}"#);
        assert_eq!(searched(&image), None);
        assert!(opened(&image).unwrap().contains("(image data)"));
    }

    #[test]
    fn an_opened_call_shows_each_argument() {
        let block = call("Edit", r#"{"file_path":"b.rs","new":"one\ntwo"}"#);
        assert_eq!(
            opened(&block).unwrap(),
            "* Edit\nfile_path: b.rs\nnew:\none\ntwo"
        );
        let odd = call("Edit", r#"[1,2]"#);
        assert_eq!(opened(&odd).unwrap(), "* Edit\n[1,2]");
    }

    #[test]
    fn titles_hold_no_secrets() {
        let block = call(
            "Bash",
            r#"{"command":"curl -s https://api.example.com/v1 -H 'X-Token: ghp_A1b2C3d4E5f6G7h8I9j0K1l2'"}"#,
        );
        let Block::Call(call) = block else {
            unreachable!()
        };
        assert!(
            !title(&call, false).contains("ghp_"),
            "{}",
            title(&call, false)
        );
        assert!(title(&call, true).contains("ghp_"));
    }

    #[test]
    fn an_image_is_a_line() {
        let image = Image {
            name: Some("a.png".into()),
            mime: Some("image/png".into()),
            bytes: Some(1025),
            size: Some((8, 4)),
        };
        assert_eq!(
            picture(&image),
            "image attached: a.png 8x4 image/png (2 KB)"
        );
        assert_eq!(picture(&Image::default()), "1 image attached");
    }
}
