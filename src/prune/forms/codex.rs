//! Codex: items of a response (bare or in `payload`), their copies in `replacement_history` and in events.

use super::{Work, is_stub};
use crate::json::{Json, Kind, quote};
use crate::prune::content::Done;
use crate::prune::edit::Edits;
use std::borrow::Cow;

pub fn record<'t>(record: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    let [kind, payload] = record.pick(["type", "payload"]);
    let payload = payload.filter(|p| p.is_object());
    match (text(kind).as_ref(), payload) {
        ("response_item", Some(payload)) => item(payload, line, work, edits),
        ("event_msg", Some(payload)) => {
            if let Some(id) = payload.text("call_id") {
                work.copy(&id, payload, edits);
            }
        }
        ("compacted", Some(payload)) => {
            let history = payload.get("replacement_history");
            for part in history.iter().flat_map(|h| h.items()) {
                item(part, 0, work, edits);
            }
        }
        (_, None) => item(record, line, work, edits),
        _ => {}
    }
}

fn text(value: Option<Json<'_>>) -> Cow<'_, str> {
    value.and_then(|v| v.str()).unwrap_or_default()
}

fn item<'t>(item: Json<'t>, line: u32, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    let [kind, call, id, arguments, input, action, output, content] = item.pick([
        "type",
        "call_id",
        "id",
        "arguments",
        "input",
        "action",
        "output",
        "content",
    ]);
    let id = text(call.filter(|c| !c.is_null()).or(id));
    match text(kind).as_ref() {
        "function_call" | "custom_tool_call" | "local_shell_call" => {
            if let Some(input) = arguments.or(input).or(action) {
                work.input(&id, input, edits);
            }
        }
        "function_call_output" | "custom_tool_call_output" => {
            let Some(output) = output else { return };
            match output.kind() {
                Kind::String => framed(&id, output, work, edits),
                // Older: the content with its success.
                Kind::Object => work.output(&id, output.get("content"), None, "text", edits),
                _ => work.output(&id, Some(output), None, "input_text", edits),
            }
        }
        "message" if line > 0 => {
            if let Some(content) = content {
                work.prompt(line, content, "input_text", edits);
            }
        }
        _ => {}
    }
}

/// An output with its frame: JSON inside the text, or header lines in front. The frame says how the call ended
/// and stays.
fn framed<'t>(id: &str, output: Json<'t>, work: &mut Work<'_>, edits: &mut Edits<'t>) {
    let Some((at, claim)) = work.claim(id) else {
        return;
    };
    let whole = text(Some(output));
    let (old, new, framed) = if let Ok(inner) = Json::parse(&whole)
        && inner.is_object()
        && let Some(body) = inner.get("output").filter(|o| o.kind() == Kind::String)
    {
        let old = text(Some(body)).into_owned();
        let Some(new) = crate::prune::content::shorter(claim, &old) else {
            return;
        };
        let mut inside = Edits::new(inner.raw());
        inside.set(body, quote(&new));
        let Some(framed) = inside.done() else { return };
        (old, new, framed)
    } else {
        let body = body_at(&whole);
        let (front, old) = whole.split_at(body);
        if is_stub(old) {
            return;
        }
        let Some(new) = crate::prune::content::shorter(claim, old) else {
            return;
        };
        (old.to_owned(), new.clone(), format!("{front}{new}"))
    };
    if edits.set(output, quote(&framed)) {
        work.note(
            at,
            Done {
                old,
                new,
                ..Done::default()
            },
        );
    }
}

/// Where the printed text begins behind header lines; 0 without such lines.
fn body_at(text: &str) -> usize {
    let first = text.lines().next().unwrap_or_default();
    let framed = [
        "Exit code: ",
        "Chunk ID: ",
        "Wall time: ",
        "Process exited",
        "Process running",
    ]
    .iter()
    .any(|h| first.starts_with(h));
    if !framed {
        return 0;
    }
    let mut at = 0;
    for line in text.split_inclusive('\n').take(12) {
        at += line.len();
        if line.trim_end() == "Output:" {
            return at;
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::body_at;

    #[test]
    fn header_lines_are_told_from_output() {
        let text =
            "Chunk ID: 0f\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\nhello\n";
        assert_eq!(&text[body_at(text)..], "hello\n");
        assert_eq!(body_at("Output:\nno header"), 0);
        assert_eq!(body_at("Exit code: 1\nno output line"), 0);
    }
}
