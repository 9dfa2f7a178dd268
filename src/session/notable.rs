//! Lines of a long result that are worth keeping: those that name an outcome, and git's own.
//!
//! Every byte of every result passes here, so the words are found by comparing many of them at once; only the
//! spellings that programs print are known (`error`, `Error`, `ERROR`).

use aho_corasick::{AhoCorasick, packed};
use std::collections::VecDeque;
use std::sync::LazyLock;

const WORDS: [&str; 18] = [
    "error",
    "fail",
    "passed",
    "panicked",
    "fatal",
    "warning:",
    "problems (",
    "실패",
    "오류",
    "성공",
    "통과",
    " files changed",
    " file changed",
    "create mode",
    "-> ",
    "exit code",
    "exited with",
    "] ",
];

/// Lines longer than this (bytes) are no messages.
const LONGEST: usize = 400;

struct Finder {
    search: Search,
    /// For each text that is searched what must stand in front of it: one of these.
    before: Vec<Vec<String>>,
}

enum Search {
    Packed(packed::Searcher),
    /// Where the machine cannot compare many words at once.
    Automaton(AhoCorasick),
    Nothing,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let (mut texts, mut before) = (Vec::new(), Vec::new());
    for word in WORDS {
        let letter = word.find(|c: char| c.is_ascii_lowercase());
        let Some((head, tail)) = letter.and_then(|at| word.split_at_checked(at + 1)) else {
            texts.push(word.to_owned());
            before.push(vec![String::new()]);
            continue;
        };
        // `rror` and `RROR` are fewer to compare with than `error`, `Error` and `ERROR`.
        let large = head.to_ascii_uppercase();
        texts.push(tail.to_owned());
        before.push(vec![head.to_owned(), large.clone()]);
        texts.push(tail.to_ascii_uppercase());
        before.push(vec![large]);
    }
    let search = match packed::Searcher::new(&texts) {
        Some(searcher) => Search::Packed(searcher),
        None => AhoCorasick::new(&texts).map_or(Search::Nothing, Search::Automaton),
    };
    Finder { search, before }
});

/// The first `first` and the last `last` notable lines of the text, in order.
pub fn lines(text: &str, first: usize, last: usize) -> impl Iterator<Item = &str> {
    let (mut head, mut tail) = (Vec::new(), VecDeque::new());
    let mut at = 0;
    while let Some(found) = find(text.as_bytes(), at) {
        let bytes = text.as_bytes();
        let start = memchr::memrchr(b'\n', &bytes[at..found]).map_or(at, |n| at + n + 1);
        let end = memchr::memchr(b'\n', &bytes[found..]).map_or(bytes.len(), |n| found + n);
        at = end + 1;
        let line = text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.len() >= LONGEST {
            continue;
        }
        if head.len() < first {
            head.push(line);
            continue;
        }
        tail.push_back(line);
        if tail.len() > last {
            tail.pop_front();
        }
    }
    head.into_iter().chain(tail)
}

/// A place inside the next notable word, from `at` on.
fn find(bytes: &[u8], mut at: usize) -> Option<usize> {
    let finder = &*FINDER;
    loop {
        let rest = bytes.get(at..)?;
        let (found, text) = match &finder.search {
            Search::Packed(searcher) => {
                let found = searcher.find(rest)?;
                (at + found.start(), found.pattern())
            }
            Search::Automaton(automaton) => {
                let found = automaton.find(rest)?;
                (at + found.start(), found.pattern())
            }
            Search::Nothing => return None,
        };
        let ahead = bytes.get(..found)?;
        let before = finder.before.get(text.as_usize())?;
        if before.iter().any(|b| ahead.ends_with(b.as_bytes())) {
            return Some(found);
        }
        at = found + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcomes_are_found_in_every_usual_spelling() {
        let text = "one\nERROR here\r\nplain\nan Error\n2 FILES CHANGED\n테스트 통과\n".to_owned()
            + &"x ".repeat(300)
            + "error";
        let found: Vec<&str> = lines(&text, 1, 2).collect();
        assert_eq!(found, ["ERROR here", "2 FILES CHANGED", "테스트 통과"]);
        let none = "nothing\nto see\nmail from eRror\neRROR, terror\n";
        assert_eq!(lines(none, 4, 8).collect::<Vec<_>>(), ["eRROR, terror"]);
        assert_eq!(lines("", 4, 8).count(), 0);
    }
}
