//! What a terminal or a reader would obey rather than see is taken out; a text becomes one line.

use std::borrow::Cow;

/// The text as one line: [`visible`], with line breaks, tabs and runs of blanks as one blank and none at the ends.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let clean = visible(text);
    let tidy = !clean.starts_with(' ')
        && !clean.ends_with(' ')
        && !clean.contains("  ")
        && !clean.contains(|c: char| c != ' ' && c.is_whitespace());
    if tidy {
        return clean;
    }
    let mut out = String::with_capacity(clean.len());
    for word in clean.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    Cow::Owned(out)
}

/// The text with everything taken out that a terminal or a reader would obey rather than see.
///
/// Escape sequences, control characters, bidi controls, byte-order marks and tag characters outside a flag go; line
/// breaks and tabs stay; `\r\n` and a lone `\r` become `\n`; U+2028, U+2029 and U+0085 become a blank.
pub fn visible(text: &str) -> Cow<'_, str> {
    let Some(first) = text
        .char_indices()
        .find(|&(_, c)| hidden(c))
        .map(|(at, _)| at)
    else {
        return Cow::Borrowed(text);
    };
    let (clean, rest) = text.split_at_checked(first).unwrap_or((text, ""));
    let mut out = String::with_capacity(text.len());
    out.push_str(clean);
    let mut rest = rest;
    let mut in_flag = clean.ends_with('\u{1f3f4}');
    while let Some(c) = rest.chars().next() {
        rest = rest.get(c.len_utf8()..).unwrap_or_default();
        match c {
            '\u{1b}' => rest = after_escape(rest),
            '\u{9b}' => rest = after_csi(rest),
            '\r' => {
                rest = rest.strip_prefix('\n').unwrap_or(rest);
                out.push('\n');
            }
            '\u{85}' | '\u{2028}' | '\u{2029}' => out.push(' '),
            // England's flag is spelled in tag characters; elsewhere they are text nobody can see.
            '\u{e0020}'..='\u{e007f}' => {
                if in_flag {
                    out.push(c);
                }
                continue;
            }
            _ if hidden(c) => {}
            _ => out.push(c),
        }
        in_flag = c == '\u{1f3f4}';
    }
    Cow::Owned(out)
}

fn hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{20}'..='\u{7e}' => false,
        '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' => true,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

/// What follows an escape sequence, given what follows its ESC.
fn after_escape(rest: &str) -> &str {
    let Some(kind) = rest.chars().next() else {
        return rest;
    };
    let body = rest.get(kind.len_utf8()..).unwrap_or_default();
    match kind {
        '[' => after_csi(body),
        // Strings (titles, links) end with BEL or ESC \; one that never ends loses only its introducer. The look ahead is
        // bounded, or a text full of introducers would be read once for each.
        ']' | 'P' | '^' | '_' | 'X' => {
            for (at, c) in body.char_indices().take(2000) {
                match c {
                    '\u{7}' | '\u{9c}' => return body.get(at + c.len_utf8()..).unwrap_or_default(),
                    '\u{1b}' => {
                        let rest = body.get(at + 1..).unwrap_or_default();
                        return rest.strip_prefix('\\').unwrap_or(rest);
                    }
                    '\n' => break,
                    _ => {}
                }
            }
            body
        }
        ' '..='/' => {
            let end = body.find(|c: char| !(' '..='/').contains(&c));
            match end.and_then(|at| body.get(at..)) {
                Some(tail) if tail.starts_with(|c: char| ('0'..='~').contains(&c)) => {
                    tail.get(1..).unwrap_or_default()
                }
                _ => rest,
            }
        }
        '0'..='~' => body,
        _ => rest,
    }
}

fn after_csi(body: &str) -> &str {
    let end = body
        .find(|c: char| !(' '..='?').contains(&c))
        .unwrap_or(body.len());
    let tail = body.get(end..).unwrap_or_default();
    if tail.starts_with(|c: char| ('@'..='~').contains(&c)) {
        tail.get(1..).unwrap_or_default()
    } else {
        tail
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_line_has_no_breaks() {
        assert_eq!(
            one_line("a\nb\u{2028}c\u{85}d\te\u{7}f  g "),
            "a b c d ef g"
        );
        assert!(matches!(one_line("그대로 둔다"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_are_not_obeyed() {
        assert_eq!(visible("\u{1b}[31m빨강\u{1b}[0m"), "빨강");
        assert_eq!(
            visible("\u{1b}]8;;http://x.example\u{7}링크\u{1b}]8;;\u{1b}\\!"),
            "링크!"
        );
        assert_eq!(visible("a\u{1b}]never ends"), "anever ends");
        assert_eq!(visible("x\u{202e}y\u{2066}z\u{feff}"), "xyz");
        assert_eq!(visible("줄\r\n바꿈\t탭"), "줄\n바꿈\t탭");
        assert_eq!(visible("👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿"), "👨‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿");
        assert_eq!(visible("a\u{e0041}b"), "ab");
        assert_eq!(visible("\u{1b}"), "");
    }

    proptest! {
        #[test]
        fn visible_is_stable(text in "(?s)[\\x00-\\x7f가-힣👍\u{1b}\\[\\]]{0,40}") {
            let once = visible(&text).into_owned();
            prop_assert!(!once.chars().any(|c| c.is_control() && c != '\n' && c != '\t'));
            prop_assert_eq!(visible(&once), once.as_str());
            prop_assert!(!one_line(&text).contains('\n'));
        }
    }
}
