//! Words as people count them.
//!
//! Korean words are what stands between blanks (an eojeol); Chinese and Japanese have no blanks and no dictionary is
//! shipped, so each ideograph or kana counts as one word.

use super::script::{is_ideograph, is_syllable};
use unicode_segmentation::UnicodeSegmentation;

/// A word and the byte where it starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    pub start: usize,
    pub text: &'a str,
}

/// The words of the text with the punctuation that touches them: split at white space, and around every ideograph.
pub fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(at..)?;
        let skipped = rest.len() - rest.trim_start().len();
        let rest = rest.trim_start();
        if rest.is_empty() {
            return None;
        }
        let start = at + skipped;
        let mut len = 0;
        for c in rest.chars() {
            if c.is_whitespace() {
                break;
            }
            if is_ideograph(c) {
                if len == 0 {
                    len = rest.graphemes(true).next().map_or(c.len_utf8(), str::len);
                }
                break;
            }
            len += c.len_utf8();
        }
        at = start + len;
        Some(Piece {
            start,
            text: rest.get(..len)?,
        })
    })
}

/// Word-like segments as `Intl.Segmenter('ko', {granularity: 'word'})` counts them; differs only where ideographs occur.
///
/// Unicode's own rules keep `API를` or `3번` together, ICU ends a segment wherever a run of Hangul syllables starts or stops.
pub fn count_words(text: &str) -> usize {
    let mut count = 0;
    for segment in text.split_word_bounds() {
        let mut last = None;
        let mut counted = false;
        for c in segment.chars() {
            let kind = (is_syllable(c), is_ideograph(c));
            if last.is_some_and(|l| l != kind) || kind.1 {
                counted = false;
            }
            last = Some(kind);
            if !counted && c.is_alphanumeric() {
                count += 1;
                counted = true;
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        pieces(text).map(|p| p.text).collect()
    }

    #[test]
    fn an_eojeol_is_one_piece() {
        assert_eq!(
            split(" main.rs의 버그를, 고쳐줘 "),
            ["main.rs의", "버그를,", "고쳐줘"]
        );
        assert_eq!(split("日本語 text"), ["日", "本", "語", "text"]);
        assert_eq!(split("漢字를"), ["漢", "字", "를"]);
        assert!(split("  ").is_empty());
    }

    #[test]
    fn counts_agree_with_icu() {
        // Numbers from node's Intl.Segmenter.
        for (text, words) in [
            ("3번이나 실패했다", 3),
            ("API를 고쳐줘", 3),
            ("main.rs의", 2),
            ("아니지ㅎㅎ", 2),
            ("1,234,567원이고", 2),
            ("don't는", 2),
            ("snake_case와", 2),
            ("진행해주세요.띄어쓰기", 2),
            ("The quick-brown fox, e.g. v1.2.3!", 6),
            ("...", 0),
        ] {
            assert_eq!(count_words(text), words, "{text}");
        }
    }
}
