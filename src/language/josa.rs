//! Korean particles (조사) at the end of a word.
//!
//! Without a dictionary a particle can only be guessed by its form. The guesses serve tolerant comparing (`서버를` finds
//! `서버가`), never rewriting: compare both the word and its stem.

use super::script::{batchim, is_hangul, is_syllable};

/// What a particle asks of the syllable before it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum After {
    Any,
    Consonant,
    Vowel,
    /// 로: a vowel or ㄹ. 으로 is its counterpart.
    VowelOrL,
    ConsonantNotL,
}

/// Longest first.
const PARTICLES: &[(&str, After)] = &[
    ("이라고는", After::Consonant),
    ("에서부터", After::Any),
    ("으로부터", After::ConsonantNotL),
    ("에서까지", After::Any),
    ("에게서는", After::Any),
    ("에서는", After::Any),
    ("에서도", After::Any),
    ("에서만", After::Any),
    ("에서의", After::Any),
    ("에게는", After::Any),
    ("에게도", After::Any),
    ("에게서", After::Any),
    ("한테는", After::Any),
    ("한테서", After::Any),
    ("으로는", After::ConsonantNotL),
    ("으로도", After::ConsonantNotL),
    ("으로만", After::ConsonantNotL),
    ("으로써", After::ConsonantNotL),
    ("으로서", After::ConsonantNotL),
    ("로부터", After::VowelOrL),
    ("까지는", After::Any),
    ("까지도", After::Any),
    ("까지만", After::Any),
    ("부터는", After::Any),
    ("처럼은", After::Any),
    ("보다는", After::Any),
    ("보다도", After::Any),
    ("만으로", After::Any),
    ("이라고", After::Consonant),
    ("이라는", After::Consonant),
    ("이라도", After::Consonant),
    ("이라면", After::Consonant),
    ("이랑은", After::Consonant),
    ("에서", After::Any),
    ("에게", After::Any),
    ("에는", After::Any),
    ("에도", After::Any),
    ("에만", After::Any),
    ("에선", After::Any),
    ("한테", After::Any),
    ("께서", After::Any),
    ("으로", After::ConsonantNotL),
    ("로는", After::VowelOrL),
    ("로도", After::VowelOrL),
    ("로만", After::VowelOrL),
    ("로서", After::VowelOrL),
    ("로써", After::VowelOrL),
    ("까지", After::Any),
    ("부터", After::Any),
    ("보다", After::Any),
    ("처럼", After::Any),
    ("만큼", After::Any),
    ("마다", After::Any),
    ("조차", After::Any),
    ("마저", After::Any),
    ("밖에", After::Any),
    ("대로", After::Any),
    ("하고", After::Any),
    ("라고", After::Vowel),
    ("라는", After::Vowel),
    ("라도", After::Vowel),
    ("라면", After::Vowel),
    ("이랑", After::Consonant),
    ("이나", After::Consonant),
    ("와는", After::Vowel),
    ("와의", After::Vowel),
    ("과는", After::Consonant),
    ("과의", After::Consonant),
    ("만은", After::Any),
    ("만을", After::Any),
    ("만이", After::Any),
    ("랑", After::Vowel),
    ("은", After::Consonant),
    ("는", After::Vowel),
    ("이", After::Consonant),
    ("가", After::Vowel),
    ("을", After::Consonant),
    ("를", After::Vowel),
    ("과", After::Consonant),
    ("와", After::Vowel),
    ("로", After::VowelOrL),
    ("의", After::Any),
    ("에", After::Any),
    ("도", After::Any),
    ("만", After::Any),
];

/// The word without its particle, and the particle; `None` when it ends in none.
///
/// A Hangul stem keeps two syllables or more (`결과` is not `결` + `과`) and agrees with the particle; a stem that ends in
/// Latin letters, digits or a closing mark (`server.go를`, `v2는`, `` `main`의 ``) takes any particle, since how it is
/// read aloud isn't known.
pub fn strip_josa(word: &str) -> Option<(&str, &str)> {
    if !word.ends_with(is_syllable) {
        return None;
    }
    for &(particle, after) in PARTICLES {
        let Some(stem) = word.strip_suffix(particle) else {
            continue;
        };
        let Some(last) = stem.chars().next_back() else {
            continue;
        };
        let fits = if is_syllable(last) {
            stem.chars()
                .rev()
                .take(2)
                .filter(|&c| !c.is_whitespace())
                .count()
                == 2
                && agrees(last, after)
        } else {
            !is_hangul(last) && !last.is_whitespace() && stem.chars().any(char::is_alphanumeric)
        };
        if fits {
            return Some((stem, particle));
        }
    }
    None
}

/// The word without any particle; the word itself when it has none.
pub fn stem(word: &str) -> &str {
    strip_josa(word).map_or(word, |(stem, _)| stem)
}

fn agrees(last: char, after: After) -> bool {
    let end = batchim(last);
    match after {
        After::Any => true,
        After::Consonant => end.is_some(),
        After::Vowel => end.is_none(),
        After::VowelOrL => end.is_none_or(|c| c == 'ㄹ'),
        After::ConsonantNotL => end.is_some_and(|c| c != 'ㄹ'),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn particles_come_off() {
        for (word, expected) in [
            ("서버를", "서버"),
            ("서버에서는", "서버"),
            ("사용자의", "사용자"),
            ("파일을", "파일"),
            ("파일로", "파일"),
            ("화면으로", "화면"),
            ("결과가", "결과"),
            ("효과와", "효과"),
            ("캐시부터", "캐시"),
            ("server.go를", "server.go"),
            ("API의", "API"),
            ("v2는", "v2"),
            ("`main`에서", "`main`"),
            ("README라고", "README"),
        ] {
            assert_eq!(stem(word), expected, "{word}");
        }
    }

    #[test]
    fn words_that_only_look_like_it_stay() {
        for word in [
            "결과",
            "회의",
            "나는",
            "지도",
            "서버을",
            "파일가",
            "의",
            "를",
            "server",
            "",
            "고쳐줘",
            "ㅋㅋ는",
        ] {
            assert_eq!(stem(word), word, "{word}");
        }
    }
}
