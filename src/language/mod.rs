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
pub mod width;
pub mod words;

pub use clip::{clip, clip_chars, head_tail, head_tail_words, length, one_line, visible};
pub use josa::{stem, strip_josa};
pub use script::{Language, language_of};
pub use sentence::{sentences, split_sentences};
pub use width::{columns, wrap};

/// The text in Unicode normal form C; borrowed when it already is.
///
/// Only canonical composition: compatibility jamo (`ㅇㅋ`, `ㅋㅋ`) stay what the person typed.
pub fn nfc(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        IsNormalized::No => Cow::Owned(text.nfc().collect()),
        IsNormalized::Maybe if is_nfc(text) => Cow::Borrowed(text),
        IsNormalized::Maybe => Cow::Owned(text.nfc().collect()),
    }
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

    #[test]
    fn nfc_composes_and_borrows() {
        assert_eq!(nfc("한글"), "한글");
        assert!(matches!(nfc("한글 abc"), Cow::Borrowed(_)));
        assert!(matches!(nfc("plain"), Cow::Borrowed(_)));
        assert_eq!(nfc("ㅇㅋ ㅋㅋ"), "ㅇㅋ ㅋㅋ");
        assert_eq!(nfc("cafe\u{301}"), "café");
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
