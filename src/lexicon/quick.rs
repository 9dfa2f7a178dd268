//! The engine for a pattern that sees a few sentences: a backtracker, which needs no automaton but the pattern's own.
//!
//! What makes it quick to make is that one compiler serves all patterns of a thread: a new one begins by clearing a table
//! of 400 KB, which costs more than most patterns do.

use super::ascii::ascii_borders;
use regex_automata::nfa::thompson::backtrack::{BoundedBacktracker, Cache, Config};
use regex_automata::nfa::thompson::{self, Compiler, WhichCaptures};
use regex_automata::util::syntax;
use std::cell::RefCell;
use std::ops::Range;

/// Size of a compiled pattern, in bytes, beyond which it counts as bad. Twenty times what the largest built-in needs.
pub(super) const SIZE_LIMIT: usize = 4 << 20;

/// How every rule is read: case does not matter.
pub(super) fn syntax() -> syntax::Config {
    syntax::Config::new().case_insensitive(true)
}

/// Bytes for the places where a search has been.
const VISITED: usize = 1 << 20;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Quick(BoundedBacktracker);

thread_local! {
    static COMPILER: Compiler = {
        let mut compiler = Compiler::new();
        compiler.configure(
            thompson::Config::new()
                .nfa_size_limit(Some(SIZE_LIMIT))
                .which_captures(WhichCaptures::Implicit),
        );
        compiler
    };
    static CACHE: RefCell<Option<Cache>> = const { RefCell::new(None) };
}

impl Quick {
    /// `None`: it cannot be compiled.
    pub(super) fn new(pattern: &str) -> Option<Quick> {
        let hir = syntax::parse_with(&ascii_borders(pattern), &syntax()).ok()?;
        let nfa = COMPILER.with(|c| c.build_from_hir(&hir).ok())?;
        let engine = BoundedBacktracker::builder()
            .configure(Config::new().visited_capacity(VISITED))
            .build_from_nfa(nfa)
            .ok()?;
        Some(Quick(engine))
    }

    /// Whether it matches; `None`: the text is too long for this engine.
    pub(super) fn is_match(&self, text: &str) -> Option<bool> {
        self.with(|engine, cache| engine.try_is_match(cache, text).ok())
    }

    /// Where it matches; `None`: the text is too long for this engine.
    pub(super) fn find(&self, text: &str) -> Option<Vec<Range<usize>>> {
        self.with(|engine, cache| {
            let found = engine.try_find_iter(cache, text);
            found.map(|m| m.ok().map(|m| m.range())).collect()
        })
    }

    fn with<T>(&self, search: impl FnOnce(&BoundedBacktracker, &mut Cache) -> T) -> T {
        CACHE.with_borrow_mut(|cache| {
            let cache = cache.get_or_insert_with(|| self.0.create_cache());
            search(&self.0, cache)
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::lexicon::Rules;
    use crate::lexicon::rule::Matcher;

    #[test]
    fn both_engines_find_the_same() {
        let examples = include_str!("../../tests/data/vocabulary.toml");
        let texts: Vec<&str> = examples.split('"').filter(|t| t.len() > 12).collect();
        assert!(texts.len() > 500);
        for rule in &Rules::builtin().rules {
            let Matcher::Pattern(pattern) = &rule.matcher else {
                continue;
            };
            for pattern in pattern.all() {
                assert_eq!(pattern.differs(&texts), None, "{}", pattern.source());
            }
        }
    }
}
