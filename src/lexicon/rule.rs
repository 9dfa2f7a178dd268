//! One entry of the vocabulary: a word, a whole message or a pattern, and where it stands.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use regex::{Regex, RegexBuilder};

use super::group::Group;

/// Size of a compiled pattern, in bytes, beyond which it counts as bad. Twenty times what the largest built-in needs.
const SIZE_LIMIT: usize = 4 << 20;

/// Which rule it was; [`super::Rules::rule`] tells more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RuleId(pub(super) usize);

/// How a rule matches.
#[derive(Debug)]
pub(super) enum Matcher {
    /// The whole message, folded and without what decorates its end.
    Whole,
    /// A literal; where it begins or ends with an ASCII letter or digit, at an ASCII word border.
    Word,
    /// A regular expression, compiled at its first use; a hit that `unless` overlaps, or any hit in a text where
    /// `unless_anywhere` matches, is refused.
    Pattern {
        find: Lazy,
        unless: Option<Lazy>,
        unless_anywhere: Option<Lazy>,
    },
}

/// A pattern that is compiled when it is first needed. One that doesn't compile never matches; built-in ones are compiled
/// by a test, users' ones when they are loaded.
#[derive(Debug)]
pub(super) struct Lazy {
    source: String,
    regex: OnceLock<Option<Regex>>,
}

impl Lazy {
    pub(super) fn new(source: String) -> Lazy {
        Lazy {
            source,
            regex: OnceLock::new(),
        }
    }

    pub(super) fn get(&self) -> Option<&Regex> {
        self.regex
            .get_or_init(|| compile(&self.source).ok())
            .as_ref()
    }

    pub(super) fn source(&self) -> &str {
        &self.source
    }
}

/// Compiles as every rule is compiled: case-insensitive, ASCII word borders, bounded size, linear time.
///
/// Unicode's `\b` sees no border in `test를`, and makes the fast engine give up at the first Korean syllable.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    RegexBuilder::new(&ascii_borders(pattern))
        .case_insensitive(true)
        .size_limit(SIZE_LIMIT)
        .build()
}

/// The pattern with each `\b` as an ASCII word border.
pub(super) fn ascii_borders(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + 16);
    let mut chars = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                // `\b{start}` and its kin are written out by people who know what they want.
                Some('b') if !in_class && chars.peek() != Some(&'{') => out.push_str(r"(?-u:\b)"),
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            '[' => {
                in_class = true;
                out.push(c);
            }
            ']' => {
                in_class = false;
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A rule with its identity.
#[derive(Debug)]
pub struct Rule {
    pub(super) source: Arc<str>,
    pub(super) group: Group,
    pub(super) index: usize,
    pub(super) line: Option<usize>,
    pub(super) text: String,
    pub(super) matcher: Matcher,
}

impl Rule {
    /// The file: `en.toml`, `ko.toml`, or a user's file as they named it.
    pub fn source(&self) -> &str {
        &self.source
    }

    pub fn group(&self) -> Group {
        self.group
    }

    /// Position among the rules of its group in its file, from 0.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Line in a built-in file, from 1.
    pub fn line(&self) -> Option<usize> {
        self.line
    }

    /// The word or pattern as it is written, a user's to the letter.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether it is a regular expression, rather than a word or a whole message.
    pub fn is_pattern(&self) -> bool {
        matches!(self.matcher, Matcher::Pattern { .. })
    }

    /// Whether it came with the program.
    pub fn is_builtin(&self) -> bool {
        self.line.is_some()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}[{}]", self.source, self.group.name(), self.index)
    }
}

/// A rule and the bytes it caught.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    pub rule: RuleId,
    pub range: Range<usize>,
}

/// The pattern with `\w` and `\d` as ASCII classes, which compile fifty times faster. For patterns of our own only.
pub fn ascii_words(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() * 2);
    let mut chars = pattern.chars();
    let mut in_class = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(escaped @ ('w' | 'd')) => {
                    let set = if escaped == 'w' { "0-9A-Za-z_" } else { "0-9" };
                    if in_class {
                        out.push_str(set);
                    } else {
                        out.extend(["[", set, "]"]);
                    }
                }
                Some(escaped) => out.extend(['\\', escaped]),
                None => out.push('\\'),
            },
            '[' | ']' => {
                in_class = c == '[';
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_ascii() {
        let regex = compile(r"\btest\b").unwrap();
        assert!(regex.is_match("TEST를 돌려줘"));
        assert!(!regex.is_match("testing"));
        assert_eq!(ascii_borders(r"\\b[\b]x"), r"\\b[\b]x");
    }

    #[test]
    fn words_and_digits_become_ascii() {
        assert_eq!(
            ascii_words(r"\w+[\w.-]\d\\w\S"),
            r"[0-9A-Za-z_]+[0-9A-Za-z_.-][0-9]\\w\S"
        );
    }

    #[test]
    fn what_the_engine_lacks_is_an_error() {
        assert!(compile("(?=x)y").is_err());
        assert!(compile("([잘못된").is_err());
        assert!(compile(r"\w{1000}{1000}").is_err());
    }
}
