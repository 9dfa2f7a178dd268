use super::ends::ends;

#[test]
fn a_long_first_message_stays_with_both_its_ends() {
    let short = ["표를 만들어줘", "열은 세 개"];
    assert_eq!(ends(&short), (2, 2));
    let line = "one steady sentence holding exactly seven counted nouns";
    let long = vec![line; 40];
    let (head, tail) = ends(&long);
    assert!(
        head > 2 && head < 10 && tail > 30 && tail < 38,
        "{head} {tail}"
    );
}

/// What the brief shows of an agent's answer, between two short turns.
fn answer(text: &str) -> String {
    let talk = crate::session::testing::Talk::in_dir("/w")
        .person("화면을 고쳐줘")
        .agent(text)
        .person("표도 고쳐줘")
        .agent("고쳤습니다.");
    let brief = brief(&talk.session());
    brief.split("[assistant]").nth(1).unwrap().to_owned()
}

fn brief(session: &crate::session::Session) -> String {
    let state = crate::extract::extract(session, &crate::lexicon::Rules::shared());
    crate::brief::render(session, &state, &crate::brief::Options::default()).unwrap()
}

#[test]
fn a_long_answer_shows_both_its_ends() {
    let words = |n| (0..n).map(|i| format!("낱말{i}")).collect::<Vec<_>>();
    let line = answer(&words(500).join(" "));
    for (word, there) in [
        ("낱말0 ", true),
        ("낱말119 …", true),
        ("… 낱말380", true),
        ("낱말499 (#1)", true),
        ("낱말200", false),
    ] {
        assert_eq!(line.contains(word), there, "{word}: {line}");
    }
    let lines: Vec<String> = (0..100)
        .map(|i| format!("화면 {i}의 여백을 고르게 조정했습니다."))
        .collect();
    let lines = answer(&lines.join("\n"));
    assert!(
        lines.contains("화면 0의") && lines.contains("화면 99의"),
        "{lines}"
    );
    assert!(!lines.contains("화면 50의"), "{lines}");
}

#[test]
fn what_the_host_keeps_stands_nowhere_in_the_brief() {
    let talk = crate::session::testing::Talk::in_dir("/w")
        .person("화면을 고쳐줘")
        .agent("고쳤습니다.")
        .person("표도 고쳐줘")
        .agent("표를 고쳤습니다.")
        .person("아니, 방향을 바꿔서 색부터 고쳐줘. 앞으로 로그는 남기지 마.")
        .agent("색을 고쳤습니다.");
    let session = talk.session();
    let state = crate::extract::extract(&session, &crate::lexicon::Rules::shared());
    let brief = |keep| {
        let options = crate::brief::Options {
            keep,
            ..Default::default()
        };
        crate::brief::render(&session, &state, &options).unwrap()
    };
    assert!(brief(0).contains("색부터") && brief(0).contains("로그는"));
    assert!(brief(1).contains("표도 고쳐줘"), "{}", brief(1));
    for gone in ["색부터", "로그는", "색을"] {
        assert!(!brief(1).contains(gone), "{}", brief(1));
    }
    // With nothing else there, the brief is not emptied.
    assert!(brief(3).contains("화면을 고쳐줘"));
}

#[test]
fn a_hidden_notice_shows_its_first_line_that_says_something() {
    let rows = [
        r#"{"type":"session","id":"s-1","version":3,"cwd":"/w","timestamp":"2026-01-01T00:00:00Z"}"#,
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"화면을 고쳐줘"}}"#,
        r#"{"type":"custom_message","id":"b","parentId":"a","customType":"tree","content":"<reminder>\n<tree>\nFiles of the shop\n  cart.rs","display":false}"#,
        r#"{"type":"message","id":"c","parentId":"b","message":{"role":"assistant","content":[{"type":"text","text":"고쳤습니다."}]}}"#,
    ];
    let brief = brief(&crate::session::testing::session(&rows.join("\n")));
    assert!(
        brief.contains("[custom:tree]\nFiles of the shop (#c0)"),
        "{brief}"
    );
}
