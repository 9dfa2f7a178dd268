use super::*;
use proptest::prelude::*;

#[test]
fn what_fits_is_borrowed() {
    assert!(matches!(clip("짧은 글", 10), Cow::Borrowed("짧은 글")));
    assert_eq!(clip("👨‍👩‍👧‍👦👨‍👩‍👧‍👦", 2), "👨‍👩‍👧‍👦👨‍👩‍👧‍👦");
    assert_eq!(clip("abc", 0), "");
}

#[test]
fn a_sentence_end_is_preferred() {
    assert_eq!(
        clip("로그인을 고쳐줘. 그리고 나머지 화면도 전부 봐줘", 16),
        "로그인을 고쳐줘. …"
    );
    // Too early to be worth it.
    assert_eq!(
        clip("네. 이 화면의 버튼을 모두 옮겨줘", 14),
        "네. 이 화면의 버튼을…"
    );
}

#[test]
fn a_word_end_is_next() {
    assert_eq!(
        clip("띄어쓰기가 있는 문장은 사이에서만", 12),
        "띄어쓰기가 있는…"
    );
    assert_eq!(clip("add a retry to the client", 12), "add a retry…");
}

#[test]
fn text_without_blanks_is_cut_anywhere() {
    let text = "공백없이아주길게".repeat(20);
    assert_eq!(clip(&text, 9), "공백없이아주길게…");
    let mixed = format!("이것은 {text}");
    assert_eq!(length(&clip(&mixed, 50)), 50);
}

#[test]
fn clusters_stay_whole() {
    for max in 0..12 {
        let cut = clip("가👍🏽나👨‍👩‍👧‍👦다🇰🇷라", max);
        assert!(!cut.ends_with('\u{200d}'), "{cut}");
        assert!(length(&cut) <= max);
    }
}

#[test]
fn chars_are_scalar_values() {
    assert!(clip_chars("👨‍👩‍👧‍👦👨‍👩‍👧‍👦 abc", 9).chars().count() <= 9);
    assert_eq!(clip_chars("abcdef", 4), "abc…");
}

#[test]
fn both_ends() {
    let text = "처음 말은 이렇고 가운데 말은 길고 길어서 잘리며 끝말은 이렇다";
    let cut = head_tail(text, 24, " … ");
    assert!(
        cut.starts_with("처음 말은") && cut.ends_with("이렇다"),
        "{cut}"
    );
    assert!(cut.chars().count() <= 24);
    assert_eq!(head_tail("짧다", 24, " … "), "짧다");
}

#[test]
fn head_and_tail_in_words() {
    let stop = |w: &str| matches!(w, "the" | "of" | "그리고");
    let marker = |n: usize| format!("[{n}]");
    assert_eq!(
        head_tail_words("the one of two  three four five", 2, 1, stop, marker),
        "the one of two [2] five"
    );
    assert_eq!(
        head_tail_words("one   two\n\n\n  three", 2, 1, stop, marker),
        "one two\n\nthree"
    );
    assert_eq!(
        head_tail_words("하나 그리고 둘을\n셋을\n넷을 다섯을", 1, 1, stop, marker),
        "하나\n[4]\n다섯을"
    );
    assert_eq!(
        head_tail_words("漢字文化圈", 2, 1, stop, marker),
        "漢字 [2] 圈"
    );
    assert_eq!(head_tail_words("a b c", 0, 1, stop, marker), "[2] c");
}

proptest! {
    #[test]
    fn clips_respect_the_limit_and_clusters(text in "(?s).{0,60}", max in 0usize..40) {
        let whole = nfc(&text).into_owned();
        let cut = clip(&text, max);
        prop_assert!(length(&cut) <= max);
        let body = cut.strip_suffix('…').map_or(&*cut, |b| b.strip_suffix(' ').filter(|_| !whole.starts_with(b)).unwrap_or(b));
        if cut != whole {
            prop_assert!(whole.starts_with(body));
            prop_assert!(whole.grapheme_indices(true).any(|(at, _)| at == body.len()) || body.len() == whole.len());
        }
        prop_assert!(clip_chars(&text, max).chars().count() <= max);
        prop_assert!(head_tail(&text, max, " … ").chars().count() <= max);
    }
}
