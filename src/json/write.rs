//! Writing JSON that is kept: quoted strings, and a value with its long strings shortened.

use super::{Json, Kind};

/// `text` as a JSON string, quotes included.
pub fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A value as it is printed or written for people and scripts: indented, with a line break at its end. What a terminal
/// would obey rather than show (C1 controls, DEL, bidi controls) stands there as an escape.
///
/// # Errors
/// The value cannot be written as JSON.
pub fn pretty<T: serde::Serialize>(value: &T) -> serde_json::Result<String> {
    let mut text = serde_json::to_string_pretty(value)?;
    text.push('\n');
    let obeyed = obeyed(&text);
    if obeyed.is_empty() {
        return Ok(text);
    }
    let mut out = String::with_capacity(text.len() + 6 * obeyed.len());
    let mut from = 0;
    for (at, c) in obeyed {
        out.push_str(text.get(from..at).unwrap_or_default());
        out.push_str(&format!("\\u{:04x}", c as u32));
        from = at + c.len_utf8();
    }
    out.push_str(text.get(from..).unwrap_or_default());
    Ok(out)
}

/// The characters that a terminal obeys, and where they stand. Nearly always there are none.
fn obeyed(text: &str) -> Vec<(usize, char)> {
    let obeyed = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}');
    let bytes = text.as_bytes();
    // With these bytes they begin, and few others.
    let begin = memchr::memchr3_iter(0xc2, 0xe2, 0xef, bytes);
    let char_at = |at: usize| Some((at, text.get(at..)?.chars().next()?));
    let begin = begin.chain(memchr::memchr_iter(0x7f, bytes));
    let mut found: Vec<_> = begin
        .filter_map(char_at)
        .filter(|(_, c)| obeyed(*c))
        .collect();
    found.sort_unstable();
    found
}

/// The value with every string longer than `limit` bytes cut to its head, arrays cut to `items` elements and
/// nesting to `depth` levels: what a digest keeps of a tool call's arguments. Short values come back as they stand.
pub fn reduce(value: Json<'_>, limit: usize, items: usize, depth: usize) -> String {
    if value.raw().len() <= limit {
        return value.raw().to_owned();
    }
    let mut out = String::new();
    write(value, limit, items, depth, &mut out);
    out
}

fn write(value: Json<'_>, limit: usize, items: usize, depth: usize, out: &mut String) {
    match value.kind() {
        Kind::String if value.raw().len() > limit => {
            let text = value.str().unwrap_or_default();
            let mut end = limit.min(text.len());
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            out.push_str(&quote(&text[..end]));
        }
        Kind::Object if depth > 0 => {
            out.push('{');
            for (i, (key, value)) in value.fields().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                out.push_str(&quote(&key.name()));
                out.push(':');
                write(value, limit, items, depth - 1, out);
            }
            out.push('}');
        }
        Kind::Array if depth > 0 => {
            out.push('[');
            for (i, value) in value.items().take(items).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write(value, limit, items, depth - 1, out);
            }
            out.push(']');
        }
        Kind::Object | Kind::Array => out.push_str("null"),
        _ => out.push_str(value.raw()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_obeys_is_escaped() {
        let value = ["한글 \u{9b}1m \u{202e}x\u{7f}", "é…"];
        let text = pretty(&value).unwrap();
        assert_eq!(
            text,
            "[\n  \"한글 \\u009b1m \\u202ex\\u007f\",\n  \"é…\"\n]\n"
        );
        assert_eq!(serde_json::from_str::<Vec<String>>(&text).unwrap(), value);
    }

    #[test]
    fn long_strings_are_cut_and_the_rest_stays() {
        let text = format!(r#"{{"path":"a.rs","content":"{}"}}"#, "가".repeat(100));
        let short = reduce(Json::parse(&text).unwrap(), 40, 10, 4);
        let json = Json::parse(&short).unwrap();
        assert_eq!(json.text("path").unwrap(), "a.rs");
        assert_eq!(json.text("content").unwrap(), "가".repeat(13));
        assert_eq!(reduce(Json::parse("[1,2]").unwrap(), 40, 1, 4), "[1,2]");
    }
}
