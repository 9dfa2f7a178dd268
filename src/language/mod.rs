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

pub use clip::{byte_ends, clip, clip_chars, head_tail, head_tail_words, length};
pub use josa::{stem, strip_josa};
pub use script::{Language, Votes, language_of};
pub use sentence::{sentences, split_sentences};
pub use visible::{one_line, visible};
pub use width::{columns, wrap};

/// The text of a file without the byte-order mark that an editor may have put in front.
pub fn unmarked(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

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
    let mut rest = mostly(bytes);
    loop {
        rest = match rest {
            [] => return true,
            [0..0x80, behind @ ..] => ascii_end(behind),
            // U+B000 to U+CFFF, then U+AC00 to U+AFFF and U+D000 to U+D7A3.
            [0xEB | 0xEC, _, _, behind @ ..]
            | [0xEA, 0xB0..=0xFF, _, behind @ ..]
            | [0xED, 0x80..=0x9D, _, behind @ ..]
            | [0xED, 0x9E, 0x00..=0xA3, behind @ ..] => behind,
            // U+4E00 to U+9FBF.
            [0xE5..=0xE8, _, _, behind @ ..]
            | [0xE4, 0xB8..=0xFF, _, behind @ ..]
            | [0xE9, 0x80..=0xBE, _, behind @ ..] => behind,
            // U+3130 to U+317F.
            [0xE3, 0x84, 0xB0..=0xFF, behind @ ..] | [0xE3, 0x85, _, behind @ ..] => behind,
            // U+2010 to U+202F.
            [0xE2, 0x80, 0x90..=0xAF, behind @ ..] => behind,
            _ => return false,
        };
    }
}

/// What is left of a text behind long stretches of nothing but ASCII and Hangul syllables, which are seen many bytes at a
/// time: a syllable is told by its first two bytes.
fn mostly(bytes: &[u8]) -> &[u8] {
    const LONG: usize = 64;
    let fine = |a: u8, b: u8| {
        (a < 0xC0)
            | (a == 0xEB)
            | (a == 0xEC)
            | (a == 0xEA) & (b >= 0xB0)
            | (a == 0xED) & (b < 0x9E)
    };
    let mut at = 0;
    while let (Some(first), Some(second)) =
        (bytes.get(at..at + LONG), bytes.get(at + 1..at + 1 + LONG))
    {
        let pairs = first.iter().zip(second);
        if !pairs.fold(true, |all, (a, b)| all & fine(*a, *b)) {
            break;
        }
        at += LONG;
    }
    // The last character may reach over the border: its first two bytes were seen.
    while bytes.get(at).is_some_and(|b| (0x80..0xC0).contains(b)) {
        at += 1;
    }
    bytes.get(at..).unwrap_or_default()
}

/// What stands behind the ASCII at the start: long runs in long steps, which are not tried behind every Korean word.
fn ascii_end(mut bytes: &[u8]) -> &[u8] {
    const LONG: usize = 64;
    while let Some((step, behind)) = bytes.split_first_chunk::<LONG>()
        && step[0].is_ascii()
        && step.iter().fold(0, |all, b| all | b).is_ascii()
    {
        bytes = behind;
    }
    while let [0..0x80, behind @ ..] = bytes {
        bytes = behind;
    }
    bytes
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
    for c in word.chars() {
        // Syllables have no case, and asking takes as long as copying ten of them.
        match c.is_ascii() || script::is_syllable(c) {
            true => out.push(c.to_ascii_lowercase()),
            false => out.extend(c.to_lowercase()),
        }
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
        // Wherever it stands in a long text.
        for before in 0..70 {
            for odd in [
                "\u{1100}\u{1161}",
                "e\u{301}",
                "\u{ac00}\u{11a8}",
                "\u{d7b0}",
                "\u{a9fa}",
                "\u{1f600}",
            ] {
                let text = format!("{}{}{odd}", "a".repeat(before), "한글".repeat(30));
                let end = format!("{odd}{}", "열ab".repeat(30));
                assert!(!surely_composed(text.as_bytes()), "{odd}");
                assert!(!surely_composed(end.as_bytes()), "{odd}");
            }
            let text = format!("{}{}", "a".repeat(before), "한글, 값".repeat(30));
            assert!(surely_composed(text.as_bytes()));
        }
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
