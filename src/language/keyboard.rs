//! Text typed with the wrong keyboard layout: `dd` for `ㅇㅇ`, `ㅛㄷㄴ` for `yes`.
//!
//! Only the other reading; whether it is a likelier one is for the caller, who knows which words to expect.

use super::script::{compose, is_hangul, jamo_of};

/// Keys of the standard Korean layout (두벌식), unshifted and shifted.
const KEYS: [(char, char); 33] = [
    ('q', 'ㅂ'),
    ('w', 'ㅈ'),
    ('e', 'ㄷ'),
    ('r', 'ㄱ'),
    ('t', 'ㅅ'),
    ('y', 'ㅛ'),
    ('u', 'ㅕ'),
    ('i', 'ㅑ'),
    ('o', 'ㅐ'),
    ('p', 'ㅔ'),
    ('a', 'ㅁ'),
    ('s', 'ㄴ'),
    ('d', 'ㅇ'),
    ('f', 'ㄹ'),
    ('g', 'ㅎ'),
    ('h', 'ㅗ'),
    ('j', 'ㅓ'),
    ('k', 'ㅏ'),
    ('l', 'ㅣ'),
    ('z', 'ㅋ'),
    ('x', 'ㅌ'),
    ('c', 'ㅊ'),
    ('v', 'ㅍ'),
    ('b', 'ㅠ'),
    ('n', 'ㅜ'),
    ('m', 'ㅡ'),
    ('Q', 'ㅃ'),
    ('W', 'ㅉ'),
    ('E', 'ㄸ'),
    ('R', 'ㄲ'),
    ('T', 'ㅆ'),
    ('O', 'ㅒ'),
    ('P', 'ㅖ'),
];

/// Letters that take two strokes.
const DOUBLE: [(char, char, char); 18] = [
    ('ㅘ', 'ㅗ', 'ㅏ'),
    ('ㅙ', 'ㅗ', 'ㅐ'),
    ('ㅚ', 'ㅗ', 'ㅣ'),
    ('ㅝ', 'ㅜ', 'ㅓ'),
    ('ㅞ', 'ㅜ', 'ㅔ'),
    ('ㅟ', 'ㅜ', 'ㅣ'),
    ('ㅢ', 'ㅡ', 'ㅣ'),
    ('ㄳ', 'ㄱ', 'ㅅ'),
    ('ㄵ', 'ㄴ', 'ㅈ'),
    ('ㄶ', 'ㄴ', 'ㅎ'),
    ('ㄺ', 'ㄹ', 'ㄱ'),
    ('ㄻ', 'ㄹ', 'ㅁ'),
    ('ㄼ', 'ㄹ', 'ㅂ'),
    ('ㄽ', 'ㄹ', 'ㅅ'),
    ('ㄾ', 'ㄹ', 'ㅌ'),
    ('ㄿ', 'ㄹ', 'ㅍ'),
    ('ㅀ', 'ㄹ', 'ㅎ'),
    ('ㅄ', 'ㅂ', 'ㅅ'),
];

/// What the same keys give on the other layout: Hangul becomes Latin, else Latin becomes Hangul. `None` without letters.
pub fn other_layout(text: &str) -> Option<String> {
    if text.chars().any(is_hangul) {
        Some(to_latin(text))
    } else if text.chars().any(|c| c.is_ascii_alphabetic()) {
        Some(to_hangul(text))
    } else {
        None
    }
}

/// The Latin letters of the keys that type this Hangul; everything else stays.
pub fn to_latin(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match jamo_of(c) {
            Some((first, vowel, last)) => [Some(first), Some(vowel), last]
                .into_iter()
                .flatten()
                .for_each(|jamo| push_keys(jamo, &mut out)),
            None => push_keys(c, &mut out),
        }
    }
    out
}

fn push_keys(jamo: char, out: &mut String) {
    if let Some(&(_, one, two)) = DOUBLE.iter().find(|d| d.0 == jamo) {
        push_keys(one, out);
        push_keys(two, out);
    } else {
        out.push(KEYS.iter().find(|k| k.1 == jamo).map_or(jamo, |k| k.0));
    }
}

/// The Hangul these keys type, composed as an input method does; everything else stays.
pub fn to_hangul(text: &str) -> String {
    let mut typed = Composer::default();
    for c in text.chars() {
        let key = KEYS
            .iter()
            .find(|k| k.0 == c)
            .or_else(|| KEYS.iter().find(|k| k.0 == c.to_ascii_lowercase()));
        match key {
            Some(&(_, jamo)) if is_vowel(jamo) => typed.vowel(jamo),
            Some(&(_, jamo)) => typed.consonant(jamo),
            None => {
                typed.flush();
                typed.out.push(c);
            }
        }
    }
    typed.flush();
    typed.out
}

fn is_vowel(jamo: char) -> bool {
    ('ㅏ'..='ㅣ').contains(&jamo)
}

fn joined(one: char, two: char) -> Option<char> {
    DOUBLE
        .iter()
        .find(|d| (d.1, d.2) == (one, two))
        .map(|d| d.0)
}

#[derive(Default)]
struct Composer {
    out: String,
    first: Option<char>,
    vowel: Option<char>,
    last: Option<char>,
}

impl Composer {
    fn consonant(&mut self, jamo: char) {
        match (self.first, self.vowel, self.last) {
            (Some(first), Some(vowel), None) if compose(first, vowel, Some(jamo)).is_some() => {
                self.last = Some(jamo)
            }
            (_, _, Some(last)) if joined(last, jamo).is_some() => self.last = joined(last, jamo),
            _ => {
                self.flush();
                self.first = Some(jamo);
            }
        }
    }

    fn vowel(&mut self, jamo: char) {
        match (self.vowel, self.last) {
            // A final consonant, or its second stroke, moves on to the next syllable.
            (_, Some(last)) => {
                let (stays, moves) = DOUBLE
                    .iter()
                    .find(|d| d.0 == last)
                    .map_or((None, last), |d| (Some(d.1), d.2));
                self.last = stays;
                self.flush();
                self.first = Some(moves);
                self.vowel = Some(jamo);
            }
            (Some(vowel), None) if joined(vowel, jamo).is_some() => {
                self.vowel = joined(vowel, jamo)
            }
            (Some(_), None) => {
                self.flush();
                self.vowel = Some(jamo);
            }
            (None, None) => self.vowel = Some(jamo),
        }
    }

    fn flush(&mut self) {
        let letters = (self.first.take(), self.vowel.take(), self.last.take());
        if let (Some(first), Some(vowel), last) = letters
            && let Some(syllable) = compose(first, vowel, last)
        {
            self.out.push(syllable);
            return;
        }
        self.out
            .extend([letters.0, letters.1, letters.2].into_iter().flatten());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_read_as_korean() {
        for (latin, hangul) in [
            ("dd", "ㅇㅇ"),
            ("rr", "ㄱㄱ"),
            ("dz", "ㅇㅋ"),
            ("sp", "네"),
            ("dmd", "응"),
            ("whgdk", "좋아"),
            ("dkssudgktpdy", "안녕하세요"),
            ("rPthr", "계속"),
            ("qhkwnj", "봐줘"),
            ("dksek", "안다"),
            ("ekfrdl", "닭이"),
        ] {
            let read = to_hangul(latin);
            assert_eq!(read, hangul);
            assert_eq!(to_latin(&read), latin);
        }
        assert_eq!(to_hangul("ekfrrl"), "닭기");
        assert_eq!(to_hangul("ekfrl"), "달기");
    }

    #[test]
    fn korean_read_as_latin() {
        assert_eq!(to_latin("ㅛㄷㄴ"), "yes");
        assert_eq!(to_latin("해"), "go");
        assert_eq!(to_latin("ㅐㅏ"), "ok");
        assert_eq!(to_latin("두 v1!"), "en v1!");
        assert_eq!(other_layout("ㅛㄷㄴ").as_deref(), Some("yes"));
        assert_eq!(other_layout("12!"), None);
    }
}
