use super::*;

#[test]
fn references_stand_in_parentheses() {
    let refs = |l: &str| printed(l).iter().map(Ref::to_string).collect::<Vec<_>>();
    assert_eq!(refs("* Edit \"a\" (#28, #c3) x2"), ["#28", "#c3"]);
    assert_eq!(
        refs("colour #283228 or (#008899), step (3) of (#a)"),
        [""; 0]
    );
}

#[test]
fn lines_of_a_request_may_have_references_between_them() {
    assert_eq!(
        without_references("a (#43)\n- b (see #1) (#43, #44) c ("),
        "a \n- b (see #1)  c ("
    );
}

#[test]
fn one_closing_line_at_the_end() {
    let line = "`compact recall '#N' SESSION` opens a message.";
    let failed = |text: &str| {
        let mut failures = Vec::new();
        closing_line(text, &mut failures);
        !failures.is_empty()
    };
    assert!(!failed(&format!("a\n\n{line}\n")));
    assert!(failed("a\n"));
    assert!(failed(&format!("{line}\n{line}\n")));
    assert!(failed(&format!("{line}\nmore\n")));
}

#[test]
fn dirt_is_found_and_not_repeated() {
    let mut failures = Vec::new();
    let key = format!("api_key = \"sk-ant-{}\"", "a1B2c3D4".repeat(6));
    dirt(&key, Some(Ref::Message(4)), &mut failures);
    dirt(&"QUJD".repeat(50), None, &mut failures);
    dirt(&"a/b c ".repeat(90), None, &mut failures);
    let lines: Vec<String> = failures.iter().map(Failure::line).collect();
    assert_eq!(
        lines,
        [
            "clean: a secret value (#4)",
            "clean: 200 unbroken base64 characters"
        ]
    );
}

/// Which checks fail once `spoil` has been at the brief and the state of a sound session.
fn failed(spoil: impl FnOnce(&mut String, &mut State)) -> Vec<&'static str> {
    let session = crate::session::testing::Talk::in_dir("/w")
        .person("결제 모듈의 환불 버그를 고쳐줘")
        .edit("src/refund.rs")
        .agent("고쳤습니다. PR (#4711)도 보세요.")
        .person("환불 테스트도 추가해줘")
        .session();
    let rules = crate::lexicon::Rules::builtin();
    let mut state = crate::extract::extract(&session, rules);
    let options = brief::Options::default();
    let mut brief = brief::render_into(&session, &mut state, &options).unwrap();
    spoil(&mut brief, &mut state);
    let subject = Subject {
        session: &session,
        whole: &session,
        state: &state,
        brief: &brief,
        options: &options,
    };
    let mut failed: Vec<_> = subject.failures().iter().map(|f| f.check.name()).collect();
    failed.dedup();
    failed
}

#[test]
fn a_sound_brief_passes() {
    assert_eq!(failed(|_, _| ()), [""; 0]);
}

#[test]
fn each_check_sees_its_fault() {
    let none = Ref::Message(900);
    assert_eq!(
        failed(|b, _| b.insert_str(0, "- a (#900)\n")),
        ["references"]
    );
    assert_eq!(failed(|_, s| s.files[0].reference = none), ["references"]);
    assert_eq!(
        failed(|b, _| *b = b.replace("환불 버그", "버그")),
        ["requests"]
    );
    assert_eq!(
        failed(|b, _| *b = b.replace("환불 테스트", "")),
        ["requests"]
    );
    assert_eq!(failed(|_, s| s.goal.clear()), ["requests"]);
    assert_eq!(
        failed(|b, _| b.insert_str(0, &"word ".repeat(2000))),
        ["ceiling"]
    );
    assert_eq!(failed(|b, _| b.push_str("more\n")), ["closing_line"]);
    let token = format!("password: {}\n", "hunter2Hunter2");
    assert_eq!(failed(|b, _| b.insert_str(0, &token)), ["clean"]);
    assert_eq!(
        failed(|_, s| s.files[0].path = "QUJD".repeat(60)),
        ["clean"]
    );
}
