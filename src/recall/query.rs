//! What a query asks for: messages by reference, the newest ones, words, or a pattern.

use super::reference::{Reference, references};
use super::terms::Terms;
use crate::language::nfc;
use anyhow::{Result, anyhow};
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// Largest compiled pattern; larger ones are refused (`--regex`).
const PATTERN_SIZE: usize = 4 << 20;
/// Signs that a query is meant to be read as typed before it is read as words.
const META: &[char] = &[
    '\\', '^', '$', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|',
];

/// A query, understood.
#[derive(Debug)]
pub enum Query {
    Open(Vec<Reference>),
    Newest,
    Search(Search),
}

/// How a text is searched.
#[derive(Debug)]
pub struct Search {
    pub terms: Terms,
    /// The whole query as typed (blanks stretch), or the pattern of `--regex`.
    pub literal: Option<Regex>,
    pub mode: Mode,
}

/// What counts as a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Literal ones first, then all messages by their words.
    Words,
    /// Only literal ones if there are some; else by words.
    LiteralElseWords,
    /// Only literal ones: quoted, or a pattern.
    Literal,
}

impl Query {
    /// Understands a query.
    ///
    /// # Errors
    /// With `pattern`: the regular expression is invalid or too large.
    pub fn parse(text: &str, pattern: bool) -> Result<Query> {
        let text = nfc(text);
        let text = text.trim();
        if text.is_empty() {
            return Ok(Query::Newest);
        }
        if pattern {
            return Ok(Query::Search(Search::pattern(text)?));
        }
        if let Some(references) = references(text) {
            return Ok(Query::Open(references));
        }
        Ok(Query::Search(Search::words(text)))
    }
}

impl Search {
    fn pattern(text: &str) -> Result<Search> {
        let regex = RegexBuilder::new(text)
            .case_insensitive(true)
            .multi_line(true)
            .size_limit(PATTERN_SIZE)
            .build()
            .map_err(|error| match error {
                regex::Error::CompiledTooBig(_) => anyhow!("--regex: the pattern is too large; make it shorter"),
                other => {
                    let text = other.to_string();
                    let reason = text.lines().last().unwrap_or_default();
                    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
                    anyhow!("--regex: {reason}; mend the pattern, or search for it as text without --regex")
                }
            })?;
        Ok(Search {
            terms: Terms::new(""),
            literal: Some(regex),
            mode: Mode::Literal,
        })
    }

    fn words(text: &str) -> Search {
        if let Some(inner) = quoted(text) {
            return Search {
                terms: Terms::new(""),
                literal: literal(inner),
                mode: Mode::Literal,
            };
        }
        let terms = Terms::new(text);
        let mode = if terms.is_empty() {
            Mode::Literal
        } else if text.contains(META) {
            Mode::LiteralElseWords
        } else {
            Mode::Words
        };
        // A single plain word is its own literal.
        let plain = mode == Mode::Words
            && terms.len() == 1
            && terms.needles().first().is_some_and(|n| n == text);
        Search {
            literal: if plain { None } else { literal(text) },
            terms,
            mode,
        }
    }

    /// Where the text would be marked: literal finds, else the words.
    pub fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut ranges: Vec<Range<usize>> = self
            .literal
            .iter()
            .flat_map(|r| r.find_iter(text).take(100))
            .map(|m| m.range())
            .filter(|r| !r.is_empty())
            .collect();
        if ranges.is_empty() {
            self.terms.finds(text, |f| ranges.push(f.range));
        }
        ranges.sort_by_key(|r| (r.start, std::cmp::Reverse(r.end)));
        let mut end = 0;
        ranges.retain(|r| {
            let apart = r.start >= end;
            if apart {
                end = r.end;
            }
            apart
        });
        ranges
    }
}

fn quoted(text: &str) -> Option<&str> {
    [('"', '"'), ('“', '”'), ('\'', '\'')]
        .iter()
        .find_map(|&(open, close)| text.strip_prefix(open)?.strip_suffix(close))
        .map(str::trim)
        .filter(|inner| !inner.is_empty())
}

/// The text as a pattern that ignores case and how wide blanks are.
fn literal(text: &str) -> Option<Regex> {
    let words: Vec<String> = text.split_whitespace().map(regex::escape).collect();
    RegexBuilder::new(&words.join(r"\s+"))
        .case_insensitive(true)
        .size_limit(PATTERN_SIZE)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(text: &str) -> Search {
        match Query::parse(text, false).unwrap() {
            Query::Search(search) => search,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn kinds_of_queries() {
        assert!(matches!(Query::parse(" ", false).unwrap(), Query::Newest));
        assert!(matches!(Query::parse("#1", false).unwrap(), Query::Open(_)));
        assert_eq!(search("12").mode, Mode::Words);
        assert_eq!(search("[worker#41]").mode, Mode::LiteralElseWords);
        assert_eq!(search("?!").mode, Mode::Literal);
        assert_eq!(search("\"two words\"").mode, Mode::Literal);
        assert!(
            search("\"two words\"")
                .literal
                .unwrap()
                .is_match("Two\n  words")
        );
        assert!(search("cache").literal.is_none());
    }

    #[test]
    fn bad_patterns_are_errors() {
        let error = |p: &str| Query::parse(p, true).unwrap_err().to_string();
        assert!(error("(").contains("unclosed group"), "{}", error("("));
        assert!(error(&"(\\w{1000}){1000}".repeat(2)).contains("too large"));
        assert!(Query::parse("a|b", true).is_ok());
    }

    #[test]
    fn marks_do_not_overlap() {
        assert_eq!(search("cache 만료").marks("Cache가 만료"), [0..5, 9..15]);
        assert_eq!(search("a b").marks("x a  b"), vec![2..6; 1]);
    }
}
