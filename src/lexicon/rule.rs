//! One entry of the vocabulary: a word, a whole message or a pattern, and where it stands.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use regex_automata::meta::{Config, Regex};
use regex_automata::nfa::thompson::WhichCaptures;

use super::ascii::ascii_borders;
use super::group::Group;
use super::literals::required;
use super::lowered::{LONG, Lowered};
use super::needs::Needs;
use super::quick::{Quick, SIZE_LIMIT, syntax};
use super::row;

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
    /// A regular expression.
    Pattern(Box<Pattern>),
}

/// A regular expression and its guards; each is compiled at its first use.
#[derive(Debug)]
pub(super) struct Pattern {
    pub find: Lazy,
    /// A hit that this overlaps is refused.
    pub unless: Option<Lazy>,
    /// In a text where this matches every hit is refused.
    pub unless_anywhere: Option<Lazy>,
}

#[cfg(test)]
impl Pattern {
    /// The expression and its guards.
    pub fn all(&self) -> impl Iterator<Item = &Lazy> {
        let guards = [&self.unless, &self.unless_anywhere];
        std::iter::once(&self.find).chain(guards.into_iter().flatten())
    }
}

/// A pattern that is compiled when it is first needed. One that doesn't compile never matches; built-in ones are compiled
/// by a test, users' ones when they are loaded.
///
/// Most patterns see a few sentences: for those an engine is enough that is ready in a third of the time. What is searched
/// more gets the one that is five times faster at it. Both find the same.
#[derive(Debug)]
pub struct Lazy {
    source: Cow<'static, str>,
    /// The literals of every match.
    needs: Needs,
    quick: OnceLock<Option<Quick>>,
    thorough: OnceLock<Option<Regex>>,
    /// Bytes searched so far, about.
    searched: AtomicUsize,
}

/// Bytes after which the thorough engine pays.
const MUCH: usize = 16 << 10;
/// What a search costs besides its text, in bytes.
const FIXED: usize = 32;

impl Lazy {
    /// Of a pattern as rules are written: case does not matter, unless it begins with `(?-i)`; `\b` is an ASCII border.
    pub fn new(source: impl Into<Cow<'static, str>>) -> Lazy {
        Lazy::with_needs(source.into(), Needs::default())
    }

    /// Of a pattern and the literals it needs.
    pub(super) fn with_needs(source: Cow<'static, str>, needs: Needs) -> Lazy {
        Lazy {
            source,
            needs,
            quick: OnceLock::new(),
            thorough: OnceLock::new(),
            searched: AtomicUsize::new(0),
        }
    }

    /// The quick engine, if it suits this text.
    fn quick(&self, text: &str) -> Option<&Quick> {
        let size = text.len() + FIXED;
        let much = self.searched.fetch_add(size, Ordering::Relaxed) > MUCH;
        if much || text.len() > LONG {
            return None;
        }
        self.quick.get_or_init(|| Quick::new(&self.source)).as_ref()
    }

    /// Compiles it for the few sentences that most patterns see.
    pub fn prepare(&self) {
        self.quick.get_or_init(|| Quick::new(&self.source));
    }

    /// Whether the text holds the literals of a match.
    pub(super) fn may_match(&self, text: &Lowered<'_>) -> bool {
        self.needs.hold_in(text)
    }

    fn thorough(&self) -> Option<&Regex> {
        self.thorough.get_or_init(|| build(&self.source)).as_ref()
    }

    /// Whether it matches somewhere.
    pub fn is_match(&self, text: &str) -> bool {
        let quick = self.quick(text).and_then(|q| q.is_match(text));
        quick.unwrap_or_else(|| self.thorough().is_some_and(|r| r.is_match(text)))
    }

    /// Where it matches, empty matches left out.
    pub fn find_iter(&self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let quick = self.quick(text).and_then(|q| q.find(text));
        let thorough = match quick.is_some() {
            true => None,
            false => self.thorough().map(|r| r.find_iter(text)),
        };
        let thorough = thorough.into_iter().flatten().map(|m| m.range());
        let found = quick.into_iter().flatten().chain(thorough);
        found.filter(|r| !r.is_empty())
    }

    #[cfg(test)]
    pub(super) fn source(&self) -> &str {
        &self.source
    }

    /// The first text in which the engines find different things.
    #[cfg(test)]
    pub(super) fn differs<'t>(&self, texts: &[&'t str]) -> Option<&'t str> {
        let (quick, thorough) = (Quick::new(&self.source)?, build(&self.source)?);
        let all = |text: &str| thorough.find_iter(text).map(|m| m.range()).collect();
        let differ = |text: &&&str| quick.find(text) != Some(all(text));
        texts.iter().find(differ).copied()
    }

    #[cfg(test)]
    pub fn is_sound(&self) -> bool {
        Quick::new(&self.source).is_some() && build(&self.source).is_some()
    }
}

fn build(pattern: &str) -> Option<Regex> {
    let config = Config::new()
        .nfa_size_limit(Some(SIZE_LIMIT))
        .which_captures(WhichCaptures::Implicit);
    Regex::builder()
        .configure(config)
        .syntax(syntax())
        .build(&ascii_borders(pattern))
        .ok()
}

/// Compiles as every rule is compiled, to tell what is wrong with it: case-insensitive, ASCII word borders, bounded size,
/// linear time.
///
/// Unicode's `\b` sees no border in `test를`, and makes the fast engine give up at the first Korean syllable.
pub(super) fn compile(pattern: &str) -> Result<regex::Regex, regex::Error> {
    regex::RegexBuilder::new(&ascii_borders(pattern))
        .case_insensitive(true)
        .size_limit(SIZE_LIMIT)
        .build()
}

/// A rule with its identity.
#[derive(Debug)]
pub struct Rule {
    pub(super) source: Cow<'static, str>,
    pub(super) group: Group,
    pub(super) index: usize,
    pub(super) line: Option<usize>,
    pub(super) text: Cow<'static, str>,
    pub(super) matcher: Matcher,
    pub(super) literals: Literals,
}

/// The literals of which at least one stands wherever a rule matches.
#[derive(Debug)]
pub(super) enum Literals {
    /// There are none: the rule is always tried, or looked up as a whole.
    None,
    /// The rule's own text.
    Text,
    /// Found out when the program was built, joined by [`row::OR`].
    Builtin(&'static str),
    /// Found out when a user's rule was read.
    User(Vec<String>),
}

impl Literals {
    /// Of a user's pattern.
    pub(super) fn of(pattern: &str) -> Literals {
        required(&ascii_borders(pattern)).map_or(Literals::None, Literals::User)
    }
}

impl Rule {
    pub(super) fn literals(&self) -> impl Iterator<Item = &str> {
        let (one, joined, user) = match &self.literals {
            Literals::None => (None, None, [].as_slice()),
            Literals::Text => (Some(&*self.text), None, [].as_slice()),
            Literals::Builtin(all) => (None, Some(*all), [].as_slice()),
            Literals::User(all) => (None, None, all.as_slice()),
        };
        let builtin = joined.into_iter().flat_map(|all| all.split(row::OR));
        let user = user.iter().map(String::as_str);
        one.into_iter().chain(builtin).chain(user)
    }

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
        matches!(self.matcher, Matcher::Pattern(_))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_are_ascii() {
        let regex = compile(r"\btest\b").unwrap();
        assert!(regex.is_match("TEST를 돌려줘"));
        assert!(!regex.is_match("testing"));
    }

    #[test]
    fn what_the_engine_lacks_is_an_error() {
        assert!(compile("(?=x)y").is_err());
        assert!(compile("([잘못된").is_err());
        assert!(compile(r"\w{1000}{1000}").is_err());
    }
}
