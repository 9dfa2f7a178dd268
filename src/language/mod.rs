//! Text as text: normal form, comparing, cutting, columns, sentences, words, tokens, Korean particles.
//!
//! Pure functions over `&str`. Nothing here knows a session, an agent or the vocabulary; the vocabulary is
//! [`crate::lexicon`]. Lengths are user-perceived characters (grapheme clusters) of NFC text unless a name says
//! otherwise, and no function ever cuts inside one.

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc, is_nfc_quick};

pub mod clip;
pub mod josa;
pub mod keyboard;
pub mod script;
pub mod sentence;
pub mod tokens;
pub mod visible;
pub mod width;
pub mod words;

pub use clip::{clip, clip_chars, head_tail, head_tail_words, length};
pub use josa::{stem, strip_josa};
pub use script::{Language, Votes, language_of};
pub use sentence::{sentences, split_sentences};
pub use visible::{one_line, visible};
pub use width::{columns, wrap};

/// The text in Unicode normal form C; borrowed when it already is.
///
/// Only canonical composition: compatibility jamo (`ㅇㅋ`, `ㅋㅋ`) stay what the person typed.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if surely_composed(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No => Cow::Owned(text.nfc().collect()),
        IsNormalized::Maybe if is_nfc(text) => Cow::Borrowed(text),
        IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
    }
}

/// Whether every character is of a kind that normal form C never touches: ASCII, Hangul syllables and compatibility
/// jamo, the common Chinese characters, dashes, quotation marks and the ellipsis. Nearly all text is; telling it by
/// its bytes is ten times faster than asking for each character.
fn surely_composed(bytes: &[u8]) -> bool {
    let mut at = 0;
    while at < bytes.len() {
        // Long runs of ASCII in long steps; not tried behind every Korean word.
        if let Some(step) = bytes.get(at..at + 16)
            && step.first().is_some_and(u8::is_ascii)
            && step.is_ascii()
        {
            at += 16;
            continue;
        }
        at += match (bytes.get(at), bytes.get(at + 1), bytes.get(at + 2)) {
            (Some(0..0x80), _, _) => 1,
            // U+AC00 to U+D7A3.
            (Some(0xEA), Some(0xB0..), _) | (Some(0xEB | 0xEC), _, _) => 3,
            (Some(0xED), Some(0x80..=0x9D), _) | (Some(0xED), Some(0x9E), Some(..=0xA3)) => 3,
            // U+4E00 to U+9FBF.
            (Some(0xE5..=0xE8), _, _)
            | (Some(0xE4), Some(0xB8..), _)
            | (Some(0xE9), Some(0x80..=0xBE), _) => 3,
            // U+3130 to U+317F.
            (Some(0xE3), Some(0x84), Some(0xB0..)) | (Some(0xE3), Some(0x85), _) => 3,
            // U+2010 to U+202F.
            (Some(0xE2), Some(0x80), Some(0x90..=0xAF)) => 3,
            _ => return false,
        };
    }
    true
}

/// The text as it is compared: NFC, lower case, runs of white space as one blank, none at the ends.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in nfc(text).split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        push_lower(&mut folded, word);
    }
    recompose(folded)
}

/// [`fold`] without any white space: `하지 마 세요` and `하지마세요` are the same.
pub fn squash(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for word in nfc(text).split_whitespace() {
        push_lower(&mut folded, word);
    }
    recompose(folded)
}

fn push_lower(out: &mut String, word: &str) {
    if word.is_ascii() {
        out.extend(word.chars().map(|c| c.to_ascii_lowercase()));
    } else {
        out.extend(word.chars().flat_map(char::to_lowercase));
    }
}

/// Lower case can leave NFC (`İ` becomes `i` and a dot that composes with what follows).
fn recompose(text: String) -> String {
    match nfc(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(composed) => composed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn nfc_composes_and_borrows() {
        assert_eq!(nfc("한글"), "한글");
        assert!(matches!(nfc("한글 abc"), Cow::Borrowed(_)));
        assert_eq!(
            nfc("한글 abc … “인용” 漢字 a\u{301}"),
            "한글 abc … “인용” 漢字 á"
        );
        assert!(matches!(nfc("plain"), Cow::Borrowed(_)));
        assert_eq!(nfc("ㅇㅋ ㅋㅋ"), "ㅇㅋ ㅋㅋ");
        assert_eq!(nfc("cafe\u{301}"), "café");
    }

    #[test]
    fn what_is_taken_for_composed_is() {
        for c in (0..=0x10FFFFu32).filter_map(char::from_u32) {
            let text = c.to_string();
            if surely_composed(text.as_bytes()) {
                assert_eq!(is_nfc_quick(text.chars()), IsNormalized::Yes, "{c:?}");
                // Nor does it join its neighbours in a cluster, a carriage return excepted.
                let three = format!("가{c}{c}a");
                assert!(c == '\r' || three.graphemes(true).count() == 4, "{c:?}");
                assert_eq!(
                    unicode_normalization::char::canonical_combining_class(c),
                    0,
                    "{c:?}"
                );
            }
        }
        assert!(surely_composed("가힝 ㄱㅎ 漢 – …\n".as_bytes()));
    }

    #[test]
    fn fold_makes_spellings_equal() {
        assert_eq!(fold("  Add\tRetries \n"), "add retries");
        assert_eq!(
            fold("\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            "한글"
        );
        assert_ne!(fold("하지 마"), fold("하지마"));
        assert_eq!(squash("하지 마"), squash("하지마"));
        assert_eq!(squash(" A\u{a0}b "), "ab");
    }
}
