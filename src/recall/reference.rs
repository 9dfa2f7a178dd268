//! References as people type them: `#12`, `(#12)`, `m12`, `c3`, and narrowed to a file of that message:
//! `#12:src/a.rs`, `#12:src/a.rs:full`, `#12:src/a.rs:40`, `#12:src/a.rs:40:20` (SPEC 1.12).

use crate::transcript::Ref;

/// A message to open, whole or narrowed to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub number: Ref,
    pub part: Option<Part>,
}

/// One file of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// The path, or its last components.
    pub path: String,
    pub lines: Lines,
}

/// Which lines of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// The first [`PREVIEW`](super::PREVIEW).
    Preview,
    All,
    /// From a line (from 1), so many of them or up to the end.
    From(usize, Option<usize>),
}

/// The references of a query that is made of nothing else; `None` for a search.
pub fn references(query: &str) -> Option<Vec<Reference>> {
    let mut found: Vec<Reference> = Vec::new();
    for word in query.split_whitespace() {
        let many: Vec<Reference> = match one(word) {
            Some(reference) => vec![reference],
            None => word
                .split(',')
                .filter(|w| !w.is_empty())
                .map(one)
                .collect::<Option<_>>()?,
        };
        for reference in many {
            if !found.contains(&reference) {
                found.push(reference);
            }
        }
    }
    (!found.is_empty()).then_some(found)
}

fn one(word: &str) -> Option<Reference> {
    let bare = word.strip_prefix('(').unwrap_or(word);
    // Only `#` may be narrowed: `m12:…` and `c3:…` are things people search for.
    let Some((head, rest)) = bare.split_once(':').filter(|_| bare.starts_with('#')) else {
        return Some(Reference {
            number: word.parse().ok()?,
            part: None,
        });
    };
    let number = head.parse().ok()?;
    let rest = if word.starts_with('(') {
        rest.strip_suffix(')').unwrap_or(rest)
    } else {
        rest
    };
    let (path, lines) = lines(rest);
    let part = Part {
        path: crate::language::nfc(path).into_owned(),
        lines,
    };
    (!path.is_empty()).then_some(Reference {
        number,
        part: Some(part),
    })
}

/// Splits `path`, `path:full`, `path:OFFSET`, `path:OFFSET:LIMIT`.
fn lines(rest: &str) -> (&str, Lines) {
    if let Some(path) = rest.strip_suffix(":full") {
        return (path, Lines::All);
    }
    let number = |text: &str| -> Option<usize> {
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse().ok())
            .flatten()
    };
    let Some((before, last)) = rest
        .rsplit_once(':')
        .and_then(|(b, l)| Some((b, number(l)?)))
    else {
        return (rest, Lines::Preview);
    };
    match before
        .rsplit_once(':')
        .and_then(|(b, l)| Some((b, number(l)?)))
    {
        Some((path, offset)) => (path, Lines::From(offset, Some(last))),
        None => (before, Lines::From(last, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_references_in_any_spelling() {
        let numbers =
            |q: &str| references(q).map(|r| r.into_iter().map(|r| r.number).collect::<Vec<_>>());
        assert_eq!(
            numbers("#1 (#3) m4,c2 #1"),
            Some(vec![
                Ref::Message(1),
                Ref::Message(3),
                Ref::Message(4),
                Ref::Injected(2)
            ])
        );
        for search in ["12", "", "#1 cache", "cache", "#", "c3:x", ","] {
            assert_eq!(numbers(search), None, "{search}");
        }
    }

    #[test]
    fn a_reference_is_narrowed_to_a_file() {
        let part = |q: &str| references(q).and_then(|r| r.into_iter().next()?.part);
        let want = |path: &str, lines| {
            Some(Part {
                path: path.to_owned(),
                lines,
            })
        };
        assert_eq!(part("#1:src/a.rs"), want("src/a.rs", Lines::Preview));
        assert_eq!(part("(#1:src/a.rs)"), want("src/a.rs", Lines::Preview));
        assert_eq!(part("#1:a.rs:full"), want("a.rs", Lines::All));
        assert_eq!(part("#1:a.rs:40"), want("a.rs", Lines::From(40, None)));
        assert_eq!(
            part("#1:C:/w/a.rs:40:20"),
            want("C:/w/a.rs", Lines::From(40, Some(20)))
        );
        assert_eq!(references("#1:"), None);
    }
}
