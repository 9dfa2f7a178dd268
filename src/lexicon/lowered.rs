//! A text in lower case as far as ASCII goes, as literals are looked for in it.

use memchr::memmem;
use std::borrow::Cow;

/// In lower case as far as ASCII goes; places stay what they are.
pub fn lower(text: &str) -> Cow<'_, str> {
    match text.bytes().any(|b| b.is_ascii_uppercase()) {
        true => text.to_ascii_lowercase().into(),
        false => text.into(),
    }
}

/// The text and which pairs of bytes stand in it: most literals are told by theirs not to.
#[derive(Debug)]
pub struct Lowered<'t> {
    text: Cow<'t, str>,
    pairs: Pairs,
}

/// A set of pairs of bytes, by a hash of them.
type Pairs = [u64; 8];

fn pairs(text: &str) -> impl Iterator<Item = (usize, u64)> {
    let bytes = text.as_bytes();
    let pairs = bytes.iter().zip(bytes.iter().skip(1));
    pairs.map(|(a, b)| {
        let hash = a.wrapping_mul(37).wrapping_add(*b) as usize;
        // The first byte says which of two halves, so that English and Korean do not mix.
        (hash % 4 + 4 * usize::from(!a.is_ascii()), 1 << (hash / 4))
    })
}

/// Bytes of the longest text for which it pays to look for literals first, and to search with the quick engine.
pub const LONG: usize = 2 << 10;

impl<'t> Lowered<'t> {
    /// Of a text that is not long.
    pub fn of_short(text: &'t str) -> Option<Lowered<'t>> {
        (text.len() <= LONG).then(|| Lowered::of(text))
    }

    pub fn of(text: &'t str) -> Lowered<'t> {
        let text = lower(text);
        let mut all = Pairs::default();
        for (word, bit) in pairs(&text) {
            all[word] |= bit;
        }
        Lowered { text, pairs: all }
    }

    /// The place behind the first of the literal, which is in lower case, at or behind the place `from`.
    pub fn behind(&self, literal: &str, from: usize) -> Option<usize> {
        if pairs(literal).any(|(word, bit)| self.pairs[word] & bit == 0) {
            return None;
        }
        let rest = self.text.as_bytes().get(from..)?;
        let at = memmem::find(rest, literal.as_bytes())?;
        Some(from + at + literal.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_found_where_they_stand() {
        let text = Lowered::of("Keep 로그를 남기지 마. KEEP it");
        assert_eq!(text.behind("keep", 0), Some(4));
        assert_eq!(
            text.behind("keep", 1),
            Some(lower("Keep 로그를 남기지 마. KEEP").len())
        );
        assert_eq!(text.behind("남기지", 0), Some("Keep 로그를 남기지".len()));
        assert_eq!(text.behind("남기자", 0), None);
        assert_eq!(text.behind("it", text.text.len()), None);
        assert_eq!(text.behind("t", text.text.len() - 1), Some(text.text.len()));
    }

    #[test]
    fn no_literal_of_a_text_is_told_not_to_stand_in_it() {
        let examples = include_str!("../../tests/data/vocabulary.toml");
        for text in examples.split('"').filter(|t| t.len() > 12) {
            let lowered = Lowered::of(text);
            let lower = lower(text);
            let ends: Vec<usize> = lower.char_indices().map(|(at, _)| at).collect();
            for pair in ends.windows(4) {
                let literal = &lower[pair[0]..pair[3]];
                assert!(lowered.behind(literal, 0).is_some(), "{literal} in {text}");
            }
        }
    }
}
