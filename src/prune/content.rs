//! A result's content and the copies of it that hosts keep beside it, with the planned change made.

use super::cut;
use super::edit::Edits;
use super::plan::{Claim, What};
use crate::json::{Json, Kind, quote};
use crate::language::tokens;
use crate::transcript::stub;
use crate::transcript::{is_damaged, picture};
use sha2::{Digest, Sha256};

/// The text that stands for the output, if the claim is about the output and the text is longer.
pub fn shorter(claim: &Claim, old: &str) -> Option<String> {
    let chars = old.chars().count();
    let new = match &claim.what {
        What::Output { stub } => stub.replace("########", &eight(old)),
        What::Cut {
            tokens,
            chars: fixed,
            head_ratio,
        } => {
            let limit = fixed.unwrap_or_else(|| {
                let price = chars as f64 / tokens::sampled(old).max(1.0);
                (*tokens as f64 * price).floor() as usize
            });
            cut::cut(old, limit, *head_ratio, claim.tool.as_deref().unwrap_or(""))?
        }
        What::Input { .. } | What::Images => return None,
    };
    (new.chars().count() < chars).then_some(new)
}

/// Eight hexadecimal digits of the text's SHA-256.
fn eight(text: &str) -> String {
    Sha256::digest(text.as_bytes())
        .iter()
        .take(4)
        .map(|b| format!("{b:02x}"))
        .collect()
}

/// What a change of content took away.
#[derive(Debug, Default)]
pub struct Done {
    /// The output before and after; equal when only images went.
    pub old: String,
    pub new: String,
    pub images: usize,
    /// Characters of image data that went.
    pub data: usize,
    /// Images of these whose data was no base64.
    pub damaged: usize,
}

/// Changes a result's content: a string, or an array of parts. `kind` is the type of a text part where there is
/// none to take it from. `None`: nothing was changed.
pub fn result<'t>(
    content: Json<'t>,
    claim: &Claim,
    kind: &str,
    edits: &mut Edits<'t>,
) -> Option<Done> {
    match content.kind() {
        Kind::String => {
            let old = content.str()?.into_owned();
            let new = shorter(claim, &old)?;
            edits.set(content, quote(&new)).then_some(Done {
                old,
                new,
                ..Done::default()
            })
        }
        Kind::Array if claim.what == What::Images => images(content, kind, edits),
        Kind::Array => parts(content, claim, kind, edits),
        _ => None,
    }
}

fn text_of<'t>(part: Json<'t>) -> Option<Json<'t>> {
    let text = part.get("text")?;
    (text.kind() == Kind::String).then_some(text)
}

fn parts<'t>(content: Json<'t>, claim: &Claim, kind: &str, edits: &mut Edits<'t>) -> Option<Done> {
    let texts: Vec<Json<'t>> = content
        .items()
        .filter_map(text_of)
        .filter(|t| t.raw().len() > 2)
        .collect();
    let old = texts
        .iter()
        .filter_map(|t| t.str())
        .collect::<Vec<_>>()
        .join("\n");
    let whole = matches!(claim.what, What::Output { .. });
    let new = shorter(claim, &old)?;
    let mut kept: Vec<String> = Vec::new();
    let mut done = Done::default();
    let mut placed = false;
    for part in content.items() {
        if let Some(text) = text_of(part) {
            // The first text holds what is left, the others went with it.
            if !placed && text.raw().len() > 2 {
                placed = true;
                let mut inner = Edits::new(part.raw());
                inner.force(text, quote(&new));
                kept.push(inner.done().unwrap_or_else(|| part.raw().to_owned()));
            }
        } else if whole && let Some(image) = image_of(part) {
            done.images += 1;
            done.data += image.data;
            done.damaged += usize::from(image.damaged);
        } else {
            kept.push(part.raw().to_owned());
        }
    }
    if !placed {
        kept.insert(0, text_part(kind, &new));
    }
    if !edits.set(content, format!("[{}]", kept.join(","))) {
        return None;
    }
    done.old = old;
    done.new = new;
    Some(done)
}

fn text_part(kind: &str, text: &str) -> String {
    format!(r#"{{"type":{},"text":{}}}"#, quote(kind), quote(text))
}

/// An image part: its marker, and what its data is.
struct Picture {
    marker: String,
    /// Characters.
    data: usize,
    damaged: bool,
}

fn image_of(part: Json<'_>) -> Option<Picture> {
    let [source, data, mime, url, name, title] =
        part.pick(["source", "data", "mimeType", "image_url", "name", "title"]);
    let name = title
        .or(name)
        .and_then(|n| n.str())
        .filter(|n| !n.is_empty());
    let kind = part.text("type").unwrap_or_default();
    if !matches!(kind.as_ref(), "image" | "input_image" | "image_url") {
        return None;
    }
    let (data, mime) = if let Some(source) = source {
        (source.text("data"), source.text("media_type"))
    } else if let Some(url) = url {
        (url.str().or_else(|| url.text("url")), None)
    } else {
        (data.and_then(|d| d.str()), mime.and_then(|m| m.str()))
    };
    let data = data.unwrap_or_default();
    Some(Picture {
        marker: stub::image(&picture(name, mime, &data)),
        data: data.len(),
        damaged: !data.contains("://") && is_damaged(&data),
    })
}

/// Puts a line in the place of every image part of the array.
pub fn images<'t>(content: Json<'t>, kind: &str, edits: &mut Edits<'t>) -> Option<Done> {
    let mut done = Done::default();
    let kind = content
        .items()
        .find(|p| text_of(*p).is_some())
        .and_then(|p| p.text("type"))
        .unwrap_or(kind.into());
    for part in content.items() {
        if let Some(Picture {
            marker,
            data,
            damaged,
        }) = image_of(part)
            && edits.set(part, text_part(&kind, &marker))
        {
            done.images += 1;
            done.data += data;
            done.damaged += usize::from(damaged);
            if !done.new.is_empty() {
                done.new.push('\n');
            }
            done.new.push_str(&marker);
        }
    }
    (done.images > 0).then_some(done)
}

/// Keys of side data that say what a call was about; never left out.
const KEPT: &[&str] = &[
    "type",
    "status",
    "answers",
    "questions",
    "todos",
    "newTodos",
    "oldTodos",
    "task",
    "tasks",
    "statusChange",
    "url",
    "command",
    "cwd",
    "description",
    "move_path",
    "query",
];
/// Lists that repeat the content line by line.
const LISTS: &[&str] = &[
    "structuredPatch",
    "hunks",
    "lines",
    "filenames",
    "links",
    "edits",
];
/// Strings up to here stay: they are no copy worth naming.
const SHORT: usize = 40;

/// Leaves out the copies in side data: `toolUseResult`, `details`, events. `old` and `new` are the content before
/// and after; a string equal to `old` becomes `new`, other long ones a stub. JSON types stay.
pub fn mirror<'t>(side: Json<'t>, old: &str, new: &str, edits: &mut Edits<'t>) {
    copies(side, "", old, new, edits);
}

fn copies<'t>(value: Json<'t>, key: &str, old: &str, new: &str, edits: &mut Edits<'t>) {
    let named = crate::transcript::tools::PATH_KEYS.contains(&key)
        || KEPT.contains(&key)
        || key.ends_with("Id")
        || key.ends_with("_id")
        || key.ends_with("Path");
    if named {
        return;
    }
    match value.kind() {
        Kind::String => {
            let Some(text) = value.str().filter(|t| t.len() > SHORT) else {
                return;
            };
            if !old.is_empty() && text == old {
                edits.set(value, quote(new));
                return;
            }
            if matches!(key, "base64" | "data") {
                edits.set(value, quote(""));
                return;
            }
            // Hosts tell failures by the word in front.
            let (front, rest) = match text.strip_prefix("Error: ") {
                Some(rest) => ("Error: ", rest),
                None => ("", text.as_ref()),
            };
            let short = if !old.is_empty() && rest == old {
                new.to_owned()
            } else {
                stub::string(rest.chars().count(), "")
            };
            if short.chars().count() < rest.chars().count() {
                edits.set(value, quote(&format!("{front}{short}")));
            }
        }
        Kind::Array if LISTS.contains(&key) && value.raw().len() > 2 * SHORT => {
            edits.set(value, "[]".to_owned());
        }
        Kind::Array => {
            for item in value.items() {
                copies(item, key, old, new, edits);
            }
        }
        Kind::Object => {
            for (key, value) in value.fields() {
                copies(value, &key.name(), old, new, edits);
            }
        }
        _ => {}
    }
}

/// Leaves out image data in side data.
pub fn image_data<'t>(side: Json<'t>, edits: &mut Edits<'t>) {
    match side.kind() {
        Kind::Object => {
            for (key, value) in side.fields() {
                let name = key.name();
                if matches!(name.as_ref(), "base64" | "data") && value.raw().len() > SHORT {
                    if value.kind() == Kind::String {
                        edits.set(value, quote(""));
                    }
                } else {
                    image_data(value, edits);
                }
            }
        }
        Kind::Array => side.items().for_each(|i| image_data(i, edits)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prune::Strategy;

    fn claim(stub: &str) -> Claim {
        Claim {
            id: "t1".into(),
            line: 0,
            reference: None,
            tool: Some("Read".into()),
            path: None,
            strategy: Strategy::Dedupe,
            what: What::Output { stub: stub.into() },
            saved_chars: 0,
            saved_tokens: 0.0,
            in_context: true,
        }
    }

    #[test]
    fn one_text_part_is_left_and_other_kinds_stay() {
        let long = "x".repeat(100);
        let text = format!(
            r#"[{{"type":"text","text":"{long}","cache":1}},{{"type":"tool_reference","tool_name":"a"}},{{"type":"text","text":"{long}"}}]"#
        );
        let mut edits = Edits::new(&text);
        let done = result(
            Json::parse(&text).unwrap(),
            &claim("[left out: x]"),
            "text",
            &mut edits,
        )
        .unwrap();
        assert_eq!(done.old.chars().count(), 201);
        assert_eq!(
            edits.done().unwrap(),
            r#"[{"type":"text","text":"[left out: x]","cache":1},{"type":"tool_reference","tool_name":"a"}]"#
        );
    }

    #[test]
    fn copies_go_and_facts_stay() {
        let long = "x".repeat(100);
        let text = format!(
            r#"{{"type":"text","file":{{"filePath":"/w/{long}","content":"{long}","numLines":3}},"stdout":"Error: {long}","structuredPatch":[{{"lines":["+{long}"]}}],"answers":{{"q":"{long}"}},"agentId":"{long}"}}"#
        );
        let mut edits = Edits::new(&text);
        mirror(Json::parse(&text).unwrap(), &long, "[stub]", &mut edits);
        assert_eq!(
            edits.done().unwrap(),
            format!(
                r#"{{"type":"text","file":{{"filePath":"/w/{long}","content":"[stub]","numLines":3}},"stdout":"Error: [stub]","structuredPatch":[],"answers":{{"q":"{long}"}},"agentId":"{long}"}}"#
            )
        );
    }

    #[test]
    fn hashes_are_those_of_the_old_text() {
        let new = shorter(&claim("[left out: ########]"), &"a".repeat(50)).unwrap();
        assert_eq!(new, "[left out: 160b4e43]");
        assert_eq!(shorter(&claim("[left out: longer]"), "short"), None);
    }
}
