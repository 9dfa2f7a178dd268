use super::*;
use proptest::prelude::*;

fn split(text: &str) -> Vec<&str> {
    sentences(text).collect()
}

#[test]
fn korean_without_blanks() {
    assert_eq!(
        split(
            "앞으로 개인정보는 남기지 말 것。v1.2.3은 그대로 둘 것.테스트는 항상 실행！37.4초 넘으면 알려줘 그리고 구성함에 주의"
        ),
        [
            "앞으로 개인정보는 남기지 말 것。",
            "v1.2.3은 그대로 둘 것.",
            "테스트는 항상 실행！",
            "37.4초 넘으면 알려줘 그리고 구성함에 주의"
        ]
    );
    assert_eq!(
        split("고쳤다.그리고 했어요.다음"),
        ["고쳤다.", "그리고 했어요.", "다음"]
    );
    assert_eq!(
        split("푸시 금지.테스트는 필수!배포해줘"),
        ["푸시 금지.", "테스트는 필수!", "배포해줘"]
    );
    assert_eq!(split("끝났다.Then go"), ["끝났다.", "Then go"]);
}

#[test]
fn emoji_stay_with_their_stop() {
    assert_eq!(
        split("이거 어떻게 처리할래?😀 배포는 하지 마🙏🏽 알겠지?"),
        ["이거 어떻게 처리할래?😀", "배포는 하지 마🙏🏽 알겠지?"]
    );
    assert_eq!(
        split("됐어!ㅋㅋ 다음 거 하자"),
        ["됐어!ㅋㅋ", "다음 거 하자"]
    );
    assert_eq!(split("좋아.👍🏽다음"), ["좋아.👍🏽", "다음"]);
}

#[test]
fn names_and_numbers_stay_whole() {
    for text in [
        "src/main.rs와 v1.2.3을 37.4초 동안 봐줘",
        "https://example.com/a.b?c=d!e를 열어줘",
        "회의록요.md를 정리해줘",
        ".env 파일과 ../lib/util.ts를 봐줘",
        "use e.g. a map, i.e. not a list",
        "git add . 하고 커밋해줘",
        "Node.js에서 foo.bar()를 불러줘",
        "1. 첫째 항목을 고쳐줘",
        "가. 나눠서 해줘",
        "`a. b! c?`를 고쳐줘",
        "“하지 마. 그만해.”라고 적혀 있다",
        "if a != b {} else if x?.y",
        "ask J. Kim about it",
        "see no. 5 there",
    ] {
        assert_eq!(split(text), [text]);
    }
}

#[test]
fn english_sentences() {
    assert_eq!(
        split("Fix it. Then run! Ok? yes"),
        ["Fix it.", "Then run!", "Ok?", "yes"]
    );
    assert_eq!(
        split("Use pnpm, yarn, etc. Never npm."),
        ["Use pnpm, yarn, etc.", "Never npm."]
    );
    assert_eq!(
        split("Say \"done.\" and stop. (Really.) Go"),
        ["Say \"done.\" and stop.", "(Really.)", "Go"]
    );
    assert_eq!(split("wait... what"), ["wait...", "what"]);
}

#[test]
fn lines_end_sentences() {
    assert_eq!(split("하나\r\n\n둘\u{2028}셋"), ["하나", "둘", "셋"]);
    assert_eq!(split("음… 그건 하지 마"), ["음…", "그건 하지 마"]);
    assert!(split(" \n ").is_empty());
    assert_eq!(split("..."), ["..."]);
    assert_eq!(split("이름이 ???로 나와"), ["이름이 ???로 나와"]);
    assert_eq!(split("됐어?로그 봐줘"), ["됐어?", "로그 봐줘"]);
}

proptest! {
    #[test]
    fn nothing_is_lost_and_no_cluster_split(text in "(?s)[ -~가-힣\n…。！👍🏽\u{301}\u{200d}ㅋ\"`“”]{0,80}|.{0,60}") {
        let ranges = split_sentences(&text);
        let borders: Vec<usize> = text.grapheme_indices(true).map(|(at, _)| at).chain([text.len()]).collect();
        let mut last = 0;
        for range in &ranges {
            prop_assert!(range.start >= last && range.start < range.end);
            prop_assert!(borders.contains(&range.start) && borders.contains(&range.end));
            prop_assert!(text[last..range.start].chars().all(char::is_whitespace));
            last = range.end;
        }
        prop_assert!(text[last..].chars().all(char::is_whitespace));
    }
}
