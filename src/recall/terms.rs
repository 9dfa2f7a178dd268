//! The words of a query and where they stand in a text: as a word, with another particle or none, as the noun
//! of a verb (`배포했습니다`), or inside a longer word.
//!
//! The text isn't cut into words: each query word is looked for, and what stands around it decides how much the
//! find counts.

use crate::language::{josa, nfc, script};
use crate::lexicon::{Group, Rules};
use aho_corasick::{AhoCorasick, AhoCorasickKind};
use std::borrow::Cow;
use std::ops::Range;

/// More words than this are no query.
const MOST: usize = 32;
/// What a find inside a longer word counts.
const INSIDE: f32 = 0.3;
/// Verbs made from nouns: 하다, 되다, 시키다.
const VERBS: &[char] = &[
    '하', '했', '해', '할', '한', '함', '합', '되', '됐', '돼', '된', '될', '됨', '됩', '시', '중',
];

/// The words of a query, ready to search with.
#[derive(Debug)]
pub struct Terms {
    needles: Vec<String>,
    automaton: Option<AhoCorasick>,
    /// A needle has letters whose case ASCII rules don't fold.
    lower: bool,
}

/// One find.
#[derive(Debug, Clone, PartialEq)]
pub struct Find {
    pub term: usize,
    pub range: Range<usize>,
    /// 1 for the word itself, less inside a longer one, 0 where only its letters are there.
    pub weight: f32,
}

impl Terms {
    /// The words of the query that say something; all of them when none does.
    pub fn new(query: &str) -> Terms {
        let rules = Rules::builtin();
        let mut all = Vec::new();
        for word in query.split_whitespace() {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            if word.is_empty() {
                continue;
            }
            let word: String = nfc(word).chars().flat_map(char::to_lowercase).collect();
            let stop = rules.is_word(Group::StopWords, &word)
                || rules.is_word(Group::QueryStopWords, &word);
            let needle = stem(&word).to_owned();
            if !all.iter().any(|(n, _)| *n == needle) && all.len() < MOST {
                all.push((needle, stop));
            }
        }
        if all.iter().any(|(_, stop)| !stop) {
            all.retain(|(_, stop)| !stop);
        }
        let needles: Vec<String> = all.into_iter().map(|(n, _)| n).collect();
        let automaton = (!needles.is_empty())
            .then(|| {
                AhoCorasick::builder()
                    .ascii_case_insensitive(true)
                    .kind(Some(AhoCorasickKind::DFA))
                    .build(&needles)
                    .ok()
            })
            .flatten();
        let lower = needles
            .iter()
            .any(|n| n.chars().any(|c| !c.is_ascii() && !script::is_hangul(c)));
        Terms {
            needles,
            automaton,
            lower,
        }
    }

    pub fn len(&self) -> usize {
        self.needles.len()
    }

    pub fn is_empty(&self) -> bool {
        self.needles.is_empty()
    }

    /// The words as they are looked for.
    pub fn needles(&self) -> &[String] {
        &self.needles
    }

    /// The text in the case the words are looked for; borrowed unless letters beyond ASCII matter. Lower case of
    /// the same length only, so that places stay those of the text.
    fn folded<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if !self.lower || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let one = |c: char| {
            let mut lower = c.to_lowercase();
            match (lower.next(), lower.next()) {
                (Some(l), None) if l.len_utf8() == c.len_utf8() => l,
                _ => c,
            }
        };
        Cow::Owned(text.chars().map(one).collect())
    }

    /// Every find in the text (NFC), in order of their ends.
    pub fn finds(&self, text: &str, mut found: impl FnMut(Find)) {
        let Some(automaton) = &self.automaton else {
            return;
        };
        let folded = self.folded(text);
        for m in automaton.find_overlapping_iter(folded.as_ref()) {
            let term = m.pattern().as_usize();
            let range = m.range();
            if !(text.is_char_boundary(range.start) && text.is_char_boundary(range.end)) {
                continue;
            }
            let needle = self.needles.get(term).map_or("", String::as_str);
            let weight = weight(text, &range, needle);
            found(Find {
                term,
                range,
                weight,
            });
        }
    }
}

/// The word without its particle.
fn stem(word: &str) -> &str {
    josa::stem(word)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Hangul,
    Letter,
    Ideograph,
    Other,
}

fn script_of(c: char) -> Script {
    if script::is_hangul(c) {
        Script::Hangul
    } else if crate::language::script::is_ideograph(c) {
        Script::Ideograph
    } else if c.is_alphanumeric() {
        Script::Letter
    } else {
        Script::Other
    }
}

/// How much a find counts by what stands around it.
fn weight(text: &str, range: &Range<usize>, needle: &str) -> f32 {
    let before = text
        .get(..range.start)
        .and_then(|t| t.chars().next_back())
        .map_or(Script::Other, script_of);
    let rest = text.get(range.end..).unwrap_or_default();
    let after = rest.chars().next().map_or(Script::Other, script_of);
    let first = needle.chars().next().map_or(Script::Other, script_of);
    let last = needle.chars().next_back().map_or(Script::Other, script_of);
    let starts = before != first || matches!(first, Script::Other | Script::Ideograph);
    match last {
        Script::Hangul => {
            let syllables = needle.chars().filter(|&c| script::is_syllable(c)).count();
            let tail_len: usize = rest
                .chars()
                .take_while(|&c| script::is_hangul(c))
                .take(12)
                .map(char::len_utf8)
                .sum();
            let tail = rest.get(..tail_len).unwrap_or_default();
            if starts && (tail.is_empty() || carries(needle, tail)) {
                1.0
            } else if syllables >= 2 {
                if starts && tail.starts_with(VERBS) {
                    1.0
                } else {
                    INSIDE
                }
            } else {
                0.0
            }
        }
        // A particle may follow a name directly (`server.go를`), so another script ends the word.
        Script::Letter if starts && after != Script::Letter => 1.0,
        Script::Letter if starts && needle.chars().count() >= 3 => INSIDE,
        Script::Letter => 0.0,
        Script::Ideograph | Script::Other => 1.0,
    }
}

/// Whether what follows the word is particles.
fn carries(needle: &str, tail: &str) -> bool {
    // The particle looks at the end of the word only; a long needle need not be copied.
    let start = needle
        .char_indices()
        .rev()
        .take(8)
        .last()
        .map_or(0, |(i, _)| i);
    let end = needle.get(start..).unwrap_or(needle);
    let word = format!("{end}{tail}");
    let mut stem = word.as_str();
    while let Some((shorter, _)) = josa::strip_josa(stem) {
        if shorter.len() <= end.len() {
            return shorter.len() == end.len();
        }
        stem = shorter;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(query: &str, text: &str) -> f32 {
        let mut best = -1.0f32;
        Terms::new(query).finds(text, |f| best = best.max(f.weight));
        best
    }

    #[test]
    fn particles_may_differ_or_be_missing() {
        for (query, text) in [
            ("알림", "알림을 껐어"),
            ("알림이", "알림을 껐어"),
            ("알림이", "알림"),
            ("배포", "배포는 그대로"),
            ("배포", "배포했습니다"),
            ("server.go를", "server.go의 줄"),
            ("server.go", "(server.go)"),
            ("보고서를", "docs/보고서.md도"),
            ("LUMEN", "Lumen은 느려"),
            ("lumen", "Lumen"),
            ("회의를", "회의에서 결정"),
            ("Élan", "élan"),
        ] {
            assert_eq!(best(query, text), 1.0, "{query} in {text}");
        }
    }

    #[test]
    fn other_words_are_not_found() {
        for (query, text) in [
            ("결과", "결을 정리"),
            ("회의", "다음 회차 목록"),
            ("회식", "회의에서"),
            ("utils.py", "utilsXpy"),
        ] {
            assert_eq!(best(query, text), -1.0, "{query} in {text}");
        }
        assert!(best("토큰", "액세스토큰이") < 1.0);
        assert_eq!(best("go", "good"), 0.0);
        assert!(best("cache", "cached") > 0.0 && best("cache", "cached") < 1.0);
        assert_eq!(best("ache", "cache"), 0.0);
    }

    #[test]
    fn stop_words_are_no_terms_unless_alone() {
        assert_eq!(
            Terms::new("show me the cache 관련 찾아줘").needles(),
            ["cache"]
        );
        assert_eq!(Terms::new("the").needles(), ["the"]);
        assert!(Terms::new("?! …").is_empty());
    }
}
