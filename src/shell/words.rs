//! Single shell words: quotes off, and whether the text is what the program gets.

use super::scan;

/// One word of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// As written, with quotes.
    pub raw: String,
    /// Without quotes. Variables, substitutions and globs stay as written.
    pub text: String,
    /// True if `text` is exactly what the program receives: no variable, glob or substitution.
    pub literal: bool,
}

impl Word {
    /// Reads a word as written in a shell text.
    pub fn new(raw: &str) -> Self {
        let (text, literal) = unquote(raw);
        Word {
            raw: raw.to_owned(),
            text,
            literal,
        }
    }
}

/// Takes the quotes off; the flag says whether nothing in it is expanded.
fn unquote(raw: &str) -> (String, bool) {
    let mut text = String::with_capacity(raw.len());
    let mut literal = true;
    let mut chars = raw.chars();
    let mut double = false;
    let mut braces = 0usize;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('\n') => {}
                Some(n) if double && !matches!(n, '"' | '\\' | '$' | '`') => {
                    text.push('\\');
                    text.push(n);
                }
                Some(n) => text.push(n),
                None => text.push('\\'),
            },
            '\'' if !double => {
                for n in chars.by_ref() {
                    if n == '\'' {
                        break;
                    }
                    text.push(n);
                }
            }
            '"' => double = !double,
            '$' if !double && chars.as_str().starts_with('\'') => {
                chars.next();
                ansi(&mut chars, &mut text);
            }
            '$' if chars.as_str().starts_with('(') => {
                // Quotes inside a substitution belong to it; it is kept whole.
                literal = false;
                let rest = raw
                    .get(raw.len() - chars.as_str().len() - 1..)
                    .unwrap_or("");
                let whole = rest.get(..scan::closing(rest)).unwrap_or(rest);
                text.push_str(whole);
                chars = rest.get(whole.len()..).unwrap_or("").chars();
            }
            '$' => {
                if chars
                    .as_str()
                    .starts_with(|n: char| n.is_ascii_alphanumeric() || "{_@*#?!$-".contains(n))
                {
                    literal = false;
                }
                text.push('$');
            }
            '`' => {
                literal = false;
                text.push('`');
            }
            '*' | '?' | '[' if !double => {
                literal = false;
                text.push(c);
            }
            '{' if !double => {
                braces += 1;
                text.push(c);
            }
            ',' | '.' if !double && braces > 0 => {
                if c == ',' || chars.as_str().starts_with('.') {
                    literal = false;
                }
                text.push(c);
            }
            '}' if !double => {
                braces = braces.saturating_sub(1);
                text.push(c);
            }
            c => text.push(c),
        }
    }
    (text, literal)
}

/// `$'…'`: the escapes people write.
fn ansi(chars: &mut std::str::Chars, text: &mut String) {
    while let Some(c) = chars.next() {
        match c {
            '\'' => return,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('r') => text.push('\r'),
                Some(n) => text.push(n),
                None => {}
            },
            c => text.push(c),
        }
    }
}

/// A piece of a simple command as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    /// Bytes of a word.
    Word(usize, usize),
    /// Bytes of a redirection operator with its descriptor (`2>&`, `>>`, `<<-`).
    Redirect(usize, usize),
}

/// Splits the text of one simple command at blanks outside quotes. Linear, never fails.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        if at(i).is_ascii_whitespace() {
            i += 1;
            continue;
        }
        if at(i) == b'\\' && at(i + 1) == b'\n' {
            i += 2;
            continue;
        }
        let start = i;
        let mut digits = i;
        while at(digits).is_ascii_digit() {
            digits += 1;
        }
        let amp = at(i) == b'&' && at(i + 1) == b'>';
        let process = matches!(at(digits), b'<' | b'>') && at(digits + 1) == b'(';
        if (matches!(at(digits), b'<' | b'>') && !process) || amp {
            i = if amp { i + 1 } else { digits };
            while matches!(at(i), b'<' | b'>') {
                i += 1;
            }
            if matches!(at(i), b'&' | b'|') || (at(i) == b'-' && at(i - 1) == b'<') {
                i += 1;
            }
            out.push(Piece::Redirect(start, i));
            continue;
        }
        i = word_end(bytes, i);
        out.push(Piece::Word(start, i.max(start + 1).min(bytes.len())));
        i = i.max(start + 1);
    }
    out
}

/// Where the word that begins at `i` ends.
fn word_end(bytes: &[u8], mut i: usize) -> usize {
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let (mut depth, mut quote) = (0usize, 0u8);
    while i < bytes.len() {
        let c = at(i);
        match (quote, c) {
            (b'\'', b'\'') | (b'"', b'"') => quote = 0,
            (b'\'', _) => {}
            (_, b'\\') => i += 1,
            (_, b'$' | b'<' | b'>') if at(i + 1) == b'(' => {
                depth += 1;
                i += 1;
            }
            (_, b'(') if depth > 0 => depth += 1,
            (_, b')') if depth > 0 => depth -= 1,
            (b'"', _) => {}
            (_, b'\'' | b'"') => quote = c,
            (_, b'<' | b'>') if depth == 0 => break,
            (_, c) if depth == 0 && c.is_ascii_whitespace() => break,
            _ => {}
        }
        i += 1;
    }
    i.min(bytes.len())
}

/// Whether this can be the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_come_off_and_expansions_are_noticed() {
        for (raw, text, literal) in [
            ("plain", "plain", true),
            ("'a b'", "a b", true),
            (r#""a \"b\"""#, "a \"b\"", true),
            (r"a\ b", "a b", true),
            ("$'x\\ny'", "x\ny", true),
            ("'$HOME'", "$HOME", true),
            ("5$", "5$", true),
            ("$HOME/a", "$HOME/a", false),
            ("\"$X\"", "$X", false),
            ("*.rs", "*.rs", false),
            ("'*.rs'", "*.rs", true),
            ("a{b,c}", "a{b,c}", false),
            ("$(cat 'a b')", "$(cat 'a b')", false),
            ("한글", "한글", true),
        ] {
            let word = Word::new(raw);
            assert_eq!((word.text.as_str(), word.literal), (text, literal), "{raw}");
        }
    }

    #[test]
    fn a_command_falls_into_words_and_redirections() {
        let text = "cat 'a b' 2>/dev/null >> out $(x y)";
        let shown: Vec<&str> = pieces(text)
            .into_iter()
            .map(|p| match p {
                Piece::Word(a, b) | Piece::Redirect(a, b) => &text[a..b],
            })
            .collect();
        assert_eq!(
            shown,
            ["cat", "'a b'", "2>", "/dev/null", ">>", "out", "$(x y)"]
        );
    }
}
