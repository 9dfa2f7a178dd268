//! Mending a line whose only fault is its text: half a surrogate pair becomes U+FFFD, a raw control
//! character its escape. (JavaScript's `slice` through an emoji writes the first; crashed writers the second.)

/// The line with text faults mended. Anything else that is wrong with it stays wrong.
pub fn repair(line: &str) -> String {
    let mut out = String::with_capacity(line.len() + 16);
    let mut inside = false;
    let mut chars = line.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                inside = !inside;
                out.push(c);
            }
            '\\' if inside => {
                let rest = &line[at..];
                let unit = |from: usize| {
                    rest.get(from..from + 6)
                        .filter(|e| e.starts_with("\\u"))
                        .and_then(|e| u16::from_str_radix(&e[2..], 16).ok())
                };
                let taken = match (unit(0), unit(6)) {
                    (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => {
                        out.push_str(&rest[..12]);
                        12
                    }
                    (Some(0xD800..=0xDFFF), _) => {
                        out.push('\u{FFFD}');
                        6
                    }
                    _ => {
                        out.push(c);
                        if let Some((_, next)) = chars.next() {
                            out.push(next);
                        }
                        continue;
                    }
                };
                // Everything taken is ASCII, so characters and bytes agree.
                for _ in 1..taken {
                    chars.next();
                }
            }
            c if inside && (c as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Json;

    #[test]
    fn mends_text_and_nothing_else() {
        let mended = repair(r#"{"t":"a \ud83e b","u":"\ud83d\ude00"}"#);
        let json = Json::parse(&mended).unwrap();
        assert_eq!(json.text("t").unwrap(), "a \u{FFFD} b");
        assert_eq!(json.text("u").unwrap(), "😀");
        let mended = repair("{\"t\":\"a\u{1}b\"}");
        assert_eq!(Json::parse(&mended).unwrap().text("t").unwrap(), "a\u{1}b");
        assert!(Json::parse(&repair(r#"{"t":}"#)).is_err());
    }
}
