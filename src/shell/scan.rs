//! A linear pass over a shell text: where its top-level commands begin and end, and where its
//! here-documents lie. It knows quotes, brackets, comments and arithmetic, but no grammar, so it
//! never fails and never recurses: the one-line display and the fallback of the parser stand on it.

use super::joint::Joint;
use std::ops::Range;

/// A stretch between two top-level separators.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Segment {
    /// Bytes of the stretch.
    pub span: Range<usize>,
    /// The separator before it.
    pub before: Joint,
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Here {
    /// Bytes of the opener (`<<'EOF'`).
    pub opener: Range<usize>,
    /// Bytes of the body lines.
    pub body: Range<usize>,
    /// Bytes of body and end mark.
    pub whole: Range<usize>,
    /// The end mark was quoted.
    pub literal: bool,
}

/// What the pass found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Scan {
    pub segments: Vec<Segment>,
    pub heredocs: Vec<Here>,
    /// Deepest nesting of brackets and quotes seen.
    pub depth: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Level {
    Round,
    Curly,
    Parameter,
    Arithmetic,
    Double,
    Backtick,
}

struct Pending<'a> {
    opener: Range<usize>,
    mark: &'a str,
    tabs: bool,
    literal: bool,
}

/// Reads a shell text.
pub(super) fn scan(text: &str) -> Scan {
    walk(text, false).0
}

/// Where the substitution that the text begins with (`$(…)`) ends.
pub(super) fn closing(text: &str) -> usize {
    walk(text, true).1
}

fn walk(text: &str, first_only: bool) -> (Scan, usize) {
    let bytes = text.as_bytes();
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let mut out = Scan::default();
    let mut levels: Vec<Level> = Vec::new();
    let mut pending: Vec<Pending> = Vec::new();
    let mut start = 0;
    let mut before = Joint::Then;
    let mut i = 0;
    while i < bytes.len() {
        let level = levels.last().copied();
        if first_only && level.is_none() && i > 0 {
            break;
        }
        out.depth = out.depth.max(levels.len());
        let c = at(i);
        if level == Some(Level::Double) {
            match c {
                b'\\' => i += 1,
                b'"' => {
                    levels.pop();
                }
                b'$' => i += open(bytes, i, &mut levels),
                b'`' => levels.push(Level::Backtick),
                _ => {}
            }
            i += 1;
            continue;
        }
        let mut cut = None;
        match c {
            b'\\' => i += 1,
            b'\'' if level != Some(Level::Arithmetic) => {
                i = memchr::memchr(b'\'', bytes.get(i + 1..).unwrap_or_default())
                    .map_or(bytes.len(), |n| i + 1 + n);
            }
            b'"' => levels.push(Level::Double),
            b'`' if level == Some(Level::Backtick) => {
                levels.pop();
            }
            b'`' => levels.push(Level::Backtick),
            b'$' => i += open(bytes, i, &mut levels),
            b'(' if at(i + 1) == b'(' && word_start(bytes, i) => {
                levels.push(Level::Arithmetic);
                i += 1;
            }
            b'(' => levels.push(Level::Round),
            b')' => match level {
                Some(Level::Arithmetic) => {
                    levels.pop();
                    i += usize::from(at(i + 1) == b')');
                }
                Some(Level::Round) => {
                    levels.pop();
                }
                _ => {}
            },
            b'{' if word_start(bytes, i) && at(i + 1).is_ascii_whitespace() => {
                levels.push(Level::Curly);
            }
            b'}' if matches!(level, Some(Level::Parameter)) => {
                levels.pop();
            }
            b'}' if level == Some(Level::Curly) && word_start(bytes, i) => {
                levels.pop();
            }
            b'#' if word_start(bytes, i)
                && !matches!(level, Some(Level::Parameter | Level::Arithmetic)) =>
            {
                i = memchr::memchr(b'\n', bytes.get(i..).unwrap_or_default())
                    .map_or(bytes.len(), |n| i + n);
                continue;
            }
            b'<' if at(i + 1) == b'<' && at(i + 2) == b'<' => i += 2,
            b'<' if at(i + 1) == b'<'
                && !matches!(level, Some(Level::Arithmetic | Level::Parameter)) =>
            {
                if let Some(p) = opener(text, i) {
                    i = p.opener.end - 1;
                    pending.push(p);
                } else {
                    i += 1;
                }
            }
            b'\n' => {
                let end = i;
                if !pending.is_empty() {
                    i = bodies(text, i + 1, &mut pending, &mut out.heredocs) - 1;
                }
                if levels.is_empty() {
                    cut = Some((end, i + 1, Joint::Then));
                }
            }
            b';' | b'&' | b'|' if level.is_none() => {
                cut = separator(bytes, i).map(|(len, joint)| (i, i + len, joint));
            }
            _ => {}
        }
        if let Some((end, next, joint)) = cut {
            push(text, start..end, before, &mut out.segments);
            // A line end after an operator continues it.
            if joint != Joint::Then || !text.get(start..end).unwrap_or("").trim().is_empty() {
                before = joint;
            }
            start = next;
            i = next;
        } else {
            i += 1;
        }
    }
    let end = i.min(text.len());
    push(text, start.min(end)..end, before, &mut out.segments);
    (out, end)
}

fn push(text: &str, span: Range<usize>, before: Joint, out: &mut Vec<Segment>) {
    let Some(part) = text.get(span.clone()) else {
        return;
    };
    if part.trim().is_empty() || part.trim_start().starts_with('#') && !part.contains('\n') {
        return;
    }
    let start = span.start + (part.len() - part.trim_start().len());
    let end = start + part.trim().len();
    out.push(Segment {
        span: start..end,
        before,
    });
}

/// The separator of two commands at `i`: its length, and how it joins them. `>&`, `<&`, `&>` and `>|` are none.
fn separator(bytes: &[u8], i: usize) -> Option<(usize, Joint)> {
    let before = i.checked_sub(1).and_then(|at| bytes.get(at));
    match (bytes.get(i)?, bytes.get(i + 1)) {
        (b';', Some(b';')) => Some((2, Joint::Then)),
        (b';', _) => Some((1, Joint::Then)),
        (b'&', Some(b'&')) => Some((2, Joint::And)),
        (b'&', Some(b'>')) => None,
        (b'&', _) if matches!(before, Some(b'>' | b'<')) => None,
        (b'&', _) => Some((1, Joint::Background)),
        (b'|', Some(b'|')) => Some((2, Joint::Or)),
        (b'|', _) if before == Some(&b'>') => None,
        (b'|', Some(b'&')) => Some((2, Joint::Pipe)),
        (b'|', _) => Some((1, Joint::Pipe)),
        _ => None,
    }
}

/// Opens the level that `$` at `i` begins; the answer is how many further bytes were read.
fn open(bytes: &[u8], i: usize, levels: &mut Vec<Level>) -> usize {
    match (bytes.get(i + 1), bytes.get(i + 2)) {
        (Some(b'('), Some(b'(')) => {
            levels.push(Level::Arithmetic);
            2
        }
        (Some(b'('), _) => {
            levels.push(Level::Round);
            1
        }
        (Some(b'{'), _) => {
            levels.push(Level::Parameter);
            1
        }
        _ => 0,
    }
}

fn word_start(bytes: &[u8], i: usize) -> bool {
    i == 0
        || bytes
            .get(i - 1)
            .is_some_and(|b| b.is_ascii_whitespace() || matches!(b, b';' | b'&' | b'|' | b'('))
}

/// Reads `<<MARK` at `i`. A number is a shift, not a mark.
fn opener(text: &str, i: usize) -> Option<Pending<'_>> {
    let rest = text.get(i + 2..)?;
    let tabs = rest.starts_with('-');
    let after = if tabs { rest.get(1..)? } else { rest };
    let blank = after.len() - after.trim_start_matches([' ', '\t']).len();
    let from = i + 2 + usize::from(tabs) + blank;
    let word = text.get(from..)?;
    let first = word.chars().next()?;
    let (mark, len, literal) = match first {
        '\'' | '"' => {
            let mark = word.get(1..)?.split(first).next()?;
            (mark, mark.len() + 2, true)
        }
        _ => {
            let skip = usize::from(first == '\\');
            let name = word.get(skip..)?;
            let end = name
                .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-' || c == '.'))
                .unwrap_or(name.len());
            (name.get(..end)?, end + skip, skip > 0)
        }
    };
    if mark.is_empty()
        || mark.contains('\n')
        || (!literal && mark.starts_with(|c: char| c.is_ascii_digit()))
    {
        return None;
    }
    let end = from + len;
    text.is_char_boundary(end).then_some(Pending {
        opener: i..end,
        mark,
        tabs,
        literal,
    })
}

/// Reads the bodies of the pending here-documents from `i` on; the answer is where they end.
fn bodies(text: &str, mut i: usize, pending: &mut Vec<Pending>, out: &mut Vec<Here>) -> usize {
    for p in pending.drain(..) {
        let from = i;
        let mut body_end = text.len();
        loop {
            let Some(rest) = text.get(i..).filter(|r| !r.is_empty()) else {
                i = text.len();
                break;
            };
            let line_end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |n| n + 1);
            let line = rest.get(..line_end).unwrap_or(rest).trim_end();
            let line = if p.tabs {
                line.trim_start_matches('\t')
            } else {
                line
            };
            if line == p.mark {
                body_end = i;
                i += line_end;
                break;
            }
            // `EOF)` closes the document and the substitution around it.
            i += line_end;
        }
        out.push(Here {
            opener: p.opener,
            body: from.min(body_end)..body_end,
            whole: from.min(i)..i,
            literal: p.literal,
        });
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Vec<&str> {
        scan(text)
            .segments
            .into_iter()
            .map(|s| &text[s.span])
            .collect()
    }

    #[test]
    fn separators_count_only_outside_quotes_and_brackets() {
        for (text, want) in [
            ("a && b || c; d | e", vec!["a", "b", "c", "d", "e"]),
            ("echo 'a && b'; c", vec!["echo 'a && b'", "c"]),
            ("(a; b) | c", vec!["(a; b)", "c"]),
            ("x=$(a | b) c", vec!["x=$(a | b) c"]),
            ("a 2>&1 | b", vec!["a 2>&1", "b"]),
            ("a &> f; b", vec!["a &> f", "b"]),
            ("a \\\n b\nc", vec!["a \\\n b", "c"]),
            ("# note\na # more\nb", vec!["a # more", "b"]),
            (
                "echo \"$(a; \"b;c\")\"; d",
                vec!["echo \"$(a; \"b;c\")\"", "d"],
            ),
            ("", vec![]),
        ] {
            assert_eq!(parts(text), want, "{text}");
        }
    }

    #[test]
    fn here_documents_are_found_and_shifts_are_not() {
        for (text, bodies) in [
            ("cat <<EOF > f\nx;y\nEOF\nls", vec!["x;y\n"]),
            (
                "git commit -m \"$(cat <<'EOF'\nit's (\nEOF\n)\" && b",
                vec!["it's (\n"],
            ),
            ("cat <<-E\n\ta\n\tE\nb", vec!["\ta\n"]),
            ("cat <<A <<B\n1\nA\n2\nB\n", vec!["1\n", "2\n"]),
            ("cat <<EOF\nopen end", vec!["open end"]),
            ("echo $((8<<20)); ls", vec![]),
            ("echo 8<<20", vec![]),
            ("(( x = 1<<y )); ls\na", vec![]),
            ("cat <<< word\nls", vec![]),
            ("echo '<<EOF'\nls", vec![]),
        ] {
            let found = scan(text);
            let got: Vec<&str> = found
                .heredocs
                .iter()
                .map(|h| &text[h.body.clone()])
                .collect();
            assert_eq!(got, bodies, "{text}");
        }
        assert_eq!(
            parts("cat <<EOF > f\nx;y\nEOF\nls"),
            ["cat <<EOF > f", "ls"]
        );
    }
}
