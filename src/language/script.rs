//! Which language a person writes, and the parts of a Hangul syllable.

use serde::{Deserialize, Serialize};

/// A language a person writes in, as far as letters can tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    English,
    Korean,
    Japanese,
    Chinese,
}

impl Language {
    /// The code in `session.language`.
    pub fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Korean => "ko",
            Language::Japanese => "ja",
            Language::Chinese => "zh",
        }
    }

    /// The name in the closing line of a brief: `The user writes Korean.`
    pub fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Korean => "Korean",
            Language::Japanese => "Japanese",
            Language::Chinese => "Chinese",
        }
    }
}

/// The language of a person, from the texts they wrote themselves (no pasted logs, no quotations).
///
/// Each text votes, weighted by the square root of its words so that one long English paste doesn't outvote a Korean
/// conversation. A text is Korean from a fifth of its words on: commands, names and error messages stay English in
/// everything a Korean developer writes. Text in Latin letters counts as English. `None` when nobody wrote a letter.
pub fn language_of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Option<Language> {
    let mut votes = Votes::default();
    texts.into_iter().for_each(|text| votes.add(text));
    votes.language()
}

/// What texts say about the language of their writer, counted one by one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "[u64; 4]", into = "[u64; 4]")]
pub struct Votes([f64; 4]);

/// The languages that are told apart; of equals the first wins.
const LANGUAGES: [Language; 4] = [
    Language::Korean,
    Language::Japanese,
    Language::Chinese,
    Language::English,
];

impl Votes {
    /// Lets a text vote for its language; a long one weighs more, but not in proportion.
    pub fn add(&mut self, text: &str) {
        if let Some((language, words)) = text_language(text) {
            for (of, vote) in LANGUAGES.iter().zip(&mut self.0) {
                if *of == language {
                    *vote += f64::from(words).sqrt();
                }
            }
        }
    }

    /// The language with the most votes; `None` without any.
    pub fn language(&self) -> Option<Language> {
        let mut best: Option<(Language, f64)> = None;
        for (language, weight) in LANGUAGES.into_iter().zip(self.0) {
            if weight > best.map_or(0.0, |b| b.1) {
                best = Some((language, weight));
            }
        }
        best.map(|b| b.0)
    }
}

/// As bits: a sum that is read back must go on as if it had never been written.
impl From<[u64; 4]> for Votes {
    fn from(bits: [u64; 4]) -> Votes {
        Votes(bits.map(f64::from_bits))
    }
}

impl From<Votes> for [u64; 4] {
    fn from(votes: Votes) -> [u64; 4] {
        votes.0.map(f64::to_bits)
    }
}

/// Han and Kana: scripts that write words without blanks.
pub fn is_ideograph(c: char) -> bool {
    matches!(c,
        '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' | '々' | '〆')
}

fn text_language(text: &str) -> Option<(Language, u32)> {
    let (mut hangul, mut kana, mut han, mut latin) = (0u32, 0u32, 0u32, 0u32);
    for word in text.split_whitespace() {
        if word.chars().any(is_hangul) {
            hangul += 1;
        } else if word.chars().any(|c| matches!(c, '\u{3041}'..='\u{30ff}')) {
            kana += 1;
        } else if word.chars().any(is_ideograph) {
            han += 1;
        } else if word.chars().any(char::is_alphabetic) {
            latin += 1;
        }
    }
    let words = hangul + kana + han + latin;
    if words == 0 {
        return None;
    }
    // Chinese and Japanese have no blanks: one "word" is a whole clause.
    let language = if hangul * 5 >= words {
        Language::Korean
    } else if kana * 10 >= words {
        Language::Japanese
    } else if han * 10 >= words {
        Language::Chinese
    } else {
        Language::English
    };
    Some((language, words))
}

/// [`char::is_alphanumeric`], answered for Latin and Korean without looking into tables.
pub fn is_alphanumeric(c: char) -> bool {
    match c.is_ascii() {
        true => c.is_ascii_alphanumeric(),
        false => is_syllable(c) || c.is_alphanumeric(),
    }
}

/// A composed Hangul syllable.
pub fn is_syllable(c: char) -> bool {
    ('가'..='힣').contains(&c)
}

/// Syllables, conjoining jamo and the jamo people type alone (`ㅋㅋ`, `ㅇㅇ`).
pub fn is_hangul(c: char) -> bool {
    is_syllable(c)
        || is_jamo(c)
        || matches!(c, '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}')
}

/// A letter of a syllable typed on its own.
pub fn is_jamo(c: char) -> bool {
    ('ㄱ'..='ㆎ').contains(&c)
}

const FIRSTS: [char; 19] = [
    'ㄱ', 'ㄲ', 'ㄴ', 'ㄷ', 'ㄸ', 'ㄹ', 'ㅁ', 'ㅂ', 'ㅃ', 'ㅅ', 'ㅆ', 'ㅇ', 'ㅈ', 'ㅉ', 'ㅊ', 'ㅋ',
    'ㅌ', 'ㅍ', 'ㅎ',
];
const VOWELS: [char; 21] = [
    'ㅏ', 'ㅐ', 'ㅑ', 'ㅒ', 'ㅓ', 'ㅔ', 'ㅕ', 'ㅖ', 'ㅗ', 'ㅘ', 'ㅙ', 'ㅚ', 'ㅛ', 'ㅜ', 'ㅝ', 'ㅞ',
    'ㅟ', 'ㅠ', 'ㅡ', 'ㅢ', 'ㅣ',
];
const FINALS: [char; 27] = [
    'ㄱ', 'ㄲ', 'ㄳ', 'ㄴ', 'ㄵ', 'ㄶ', 'ㄷ', 'ㄹ', 'ㄺ', 'ㄻ', 'ㄼ', 'ㄽ', 'ㄾ', 'ㄿ', 'ㅀ', 'ㅁ',
    'ㅂ', 'ㅄ', 'ㅅ', 'ㅆ', 'ㅇ', 'ㅈ', 'ㅊ', 'ㅋ', 'ㅌ', 'ㅍ', 'ㅎ',
];

/// First consonant, vowel and final consonant (받침) of a syllable, as jamo people type.
pub fn jamo_of(c: char) -> Option<(char, char, Option<char>)> {
    if !is_syllable(c) {
        return None;
    }
    let index = (c as usize).checked_sub('가' as usize)?;
    let first = *FIRSTS.get(index / 588)?;
    let vowel = *VOWELS.get(index % 588 / 28)?;
    let last = (index % 28)
        .checked_sub(1)
        .and_then(|i| FINALS.get(i).copied());
    Some((first, vowel, last))
}

/// The inverse of [`jamo_of`]; `None` when the letters make no syllable.
pub fn compose(first: char, vowel: char, last: Option<char>) -> Option<char> {
    let first = FIRSTS.iter().position(|&c| c == first)?;
    let vowel = VOWELS.iter().position(|&c| c == vowel)?;
    let last = match last {
        None => 0,
        Some(last) => FINALS.iter().position(|&c| c == last)? + 1,
    };
    char::from_u32('가' as u32 + u32::try_from(first * 588 + vowel * 28 + last).ok()?)
}

/// The final consonant of a syllable, if it has one.
pub fn batchim(c: char) -> Option<char> {
    jamo_of(c)?.2
}

/// Whether a syllable ends in a consonant; false for anything that is no syllable.
pub fn has_batchim(c: char) -> bool {
    batchim(c).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_person() {
        assert_eq!(
            language_of(["표를 고쳐줘. 머리글 줄이 두 번 나와."]),
            Some(Language::Korean)
        );
        assert_eq!(
            language_of(["cargo test 돌려줘", "ok"]),
            Some(Language::Korean)
        );
        assert_eq!(
            language_of(["fix the label 저장 in the dialog please and run all of the tests"]),
            Some(Language::English)
        );
        assert_eq!(language_of(["ㅇㅇ"]), Some(Language::Korean));
        assert_eq!(
            language_of(["テストを直してください"]),
            Some(Language::Japanese)
        );
        assert_eq!(language_of(["请修复测试"]), Some(Language::Chinese));
        assert_eq!(language_of(["", "123 👍"]), None);
    }

    #[test]
    fn one_long_paste_does_not_outvote_a_conversation() {
        let paste = "some long english text that was pasted here ".repeat(5);
        let texts = [
            paste.as_str(),
            "이거 왜 이러는지 봐줘",
            "고쳐줘",
            "테스트도 돌려줘 지금",
            "응 커밋해줘",
            "좋아 다음 거 하자",
        ];
        assert_eq!(language_of(texts), Some(Language::Korean));
    }

    #[test]
    fn syllables_come_apart_and_together() {
        assert_eq!(jamo_of('한'), Some(('ㅎ', 'ㅏ', Some('ㄴ'))));
        assert_eq!(jamo_of('a'), None);
        for c in ['가', '뷁', '힣', '왜'] {
            let (first, vowel, last) = jamo_of(c).unwrap();
            assert_eq!(compose(first, vowel, last), Some(c));
        }
        assert!(has_batchim('을') && !has_batchim('가') && !has_batchim('a'));
        assert_eq!(compose('ㅏ', 'ㅏ', None), None);
    }
}
