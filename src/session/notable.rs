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

enum Finder {
    Packed(packed::Searcher),
    /// Where the machine cannot compare many words at once.
    Automaton(AhoCorasick),
    Nothing,
}

static FINDER: LazyLock<Finder> = LazyLock::new(|| {
    let mut spellings: Vec<String> = Vec::new();
    for word in WORDS {
        let first = word.find(|c: char| c != ' ').unwrap_or(0);
        let mut capital = word.to_owned();
        if let Some(letter) = capital.get_mut(first..first + 1) {
            letter.make_ascii_uppercase();
        }
        for spelling in [word.to_owned(), capital, word.to_ascii_uppercase()] {
            if !spellings.contains(&spelling) {
                spellings.push(spelling);
            }
        }
    }
    match packed::Searcher::new(&spellings) {
        Some(searcher) => Finder::Packed(searcher),
        None => AhoCorasick::new(&spellings).map_or(Finder::Nothing, Finder::Automaton),
    }
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

/// Where the next notable word begins, from `at` on.
fn find(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let found = match &*FINDER {
        Finder::Packed(searcher) => searcher.find(rest)?.start(),
        Finder::Automaton(automaton) => automaton.find(rest)?.start(),
        Finder::Nothing => return None,
    };
    Some(at + found)
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
        assert_eq!(lines("nothing\nto see\n", 4, 8).count(), 0);
        assert_eq!(lines("", 4, 8).count(), 0);
    }
}
