use super::super::tests::{calls, human, read};
use crate::transcript::{Kind, Mark, Ref, Voice};

const HEAD: &str =
    r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T09:00:00.000Z","cwd":"/w"}"#;

fn session(records: &[&str]) -> crate::session::Session {
    read(&format!("{HEAD}\n{}\n", records.join("\n")))
}

fn user(id: &str, parent: &str, said: &str) -> String {
    format!(
        r#"{{"type":"message","id":"{id}","parentId":{parent},"message":{{"role":"user","content":"{said}"}}}}"#
    )
}

#[test]
fn the_last_record_is_the_leaf_and_numbers_are_those_of_the_file() {
    let session = session(&[
        &user("a", "null", "하나"),
        &user("b", "\"a\"", "버린 것"),
        r#"{"type":"branch_summary","id":"s","parentId":"a","fromId":"b","summary":"버렸다"}"#,
        &user("c", "\"s\"", "둘"),
        r#"{"type":"label","id":"l","parentId":"c","targetId":"b","label":"x"}"#,
    ]);
    assert_eq!(human(&session), ["하나", "둘"]);
    assert_eq!(session.head.messages, 3);
    assert!(
        session
            .active()
            .any(|e| matches!(&e.mark, Some(Mark::Branch { summary }) if summary == "버렸다"))
    );
    assert!(session.head.input.unknown.is_empty());
}

#[test]
fn a_second_root_leaves_the_first_behind_a_missing_parent_does_not() {
    let roots = session(&[&user("a", "null", "하나"), &user("b", "null", "둘")]);
    assert_eq!(human(&roots), ["둘"]);
    let missing = session(&[&user("a", "null", "하나"), &user("b", "\"gone\"", "둘")]);
    assert_eq!(human(&missing), ["하나", "둘"]);
    assert_eq!(missing.head.input.stitched, 1);
    let cycle = session(&[&user("a", "\"b\"", "하나"), &user("b", "\"a\"", "둘")]);
    assert_eq!(human(&cycle), ["하나", "둘"]);
}

#[test]
fn version_one_is_linear() {
    let session = read(
        r#"{"type":"session","id":"s","timestamp":"2025-11-21T09:00:00.000Z","cwd":"/w","provider":"p","modelId":"m-1"}
{"type":"message","timestamp":"2025-11-21T09:00:02.000Z","message":{"role":"user","content":[{"type":"text","text":"하나"}]}}
{"type":"compaction","timestamp":"2025-11-21T09:00:40.000Z","summary":"요약","firstKeptEntryIndex":1,"tokensBefore":3320}
{"type":"message","timestamp":"2025-11-21T09:00:50.000Z","message":{"role":"user","content":"둘"}}
"#,
    );
    assert_eq!(human(&session), ["하나", "둘"]);
    assert_eq!(session.head.models, ["m-1"]);
    let mark = session.active().find_map(|e| match &e.mark {
        Some(Mark::Compaction(c)) => Some(c),
        _ => None,
    });
    assert_eq!(mark.unwrap().tokens_before, Some(3320));
}

#[test]
fn version_four_keeps_its_leaf() {
    let session = read(
        r#"{"kind":"header","version":4,"id":"s","createdAt":1790000000000,"cwd":"/w"}
{"kind":"entry","lane":"main","id":"m1","seq":2,"parentId":null,"timestamp":1790000002000,"type":"message","message":{"role":"user","content":"정리해줘"}}
{"kind":"entry","lane":"main","id":"m2","seq":3,"parentId":"m1","type":"message","message":{"role":"assistant","content":[{"type":"text","text":"초안 A"}]}}
{"kind":"entry","lane":"main","id":"m3","seq":4,"parentId":"m1","type":"message","message":{"role":"assistant","content":[{"type":"text","text":"초안 B"}]}}
{"kind":"lane","seq":5,"lane":"main","leafId":"m2"}
{"type":"something-new","note":"x"}
{"kind":"fact","type":"name","seq":6,"name":"환불"}
"#,
    );
    let said: Vec<_> = session
        .active()
        .flat_map(|e| e.texts(Voice::Assistant))
        .collect();
    assert_eq!(said, ["초안 A"]);
    assert_eq!(session.head.title.as_deref(), Some("환불"));
    assert_eq!(
        session.head.started.as_deref(),
        Some("2026-09-21T14:13:20Z")
    );
}

#[test]
fn roles_that_are_no_prompt() {
    let session = session(&[
        r#"{"type":"message","id":"a","parentId":null,"message":{"role":"system","content":"지시"}}"#,
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"bashExecution","command":"env","output":"KEY=1","excludeFromContext":true}}"#,
        r#"{"type":"message","id":"c","parentId":"b","message":{"role":"hookMessage","customType":"cost","content":"$3","display":true}}"#,
        r#"{"type":"custom_message","id":"d","parentId":"c","customType":"rule","content":"규칙","display":false}"#,
        &user("e", "\"d\"", "고쳐줘"),
    ]);
    assert_eq!(human(&session), ["고쳐줘"]);
    let kinds: Vec<_> = session.active().map(|e| (e.kind, e.number)).collect();
    assert_eq!(
        kinds,
        [
            (Kind::System, Some(Ref::Message(0))),
            (Kind::Bash, Some(Ref::Message(1))),
            (Kind::Custom, Some(Ref::Message(2))),
            (Kind::Custom, Some(Ref::Injected(0))),
            (Kind::User, Some(Ref::Message(3))),
        ]
    );
    assert!(
        session
            .active()
            .all(|e| e.texts(Voice::Harness).all(|t| !t.contains("KEY=1")))
    );
}

fn with_result(name: &str, result: &str) -> crate::session::Session {
    session(&[
        &format!(
            r#"{{"type":"message","id":"a","parentId":null,"message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c|f","name":"{name}","arguments":{{"command":"x"}}}}],"model":"m","usage":{{"input":1,"cacheRead":2,"cacheWrite":4,"output":8}}}}}}"#
        ),
        &format!(
            r#"{{"type":"message","id":"b","parentId":"a","message":{{"role":"toolResult","toolCallId":"c|f","toolName":"{name}",{result}}}}}"#
        ),
    ])
}

#[test]
fn results_say_how_they_ended() {
    for (result, status, exit) in [
        (
            r#""content":[{"type":"text","text":"FAIL\n\nCommand exited with code 2"}],"isError":true"#,
            "bash:Error",
            Some(2),
        ),
        (
            r#""content":[{"type":"text","text":"ok"}],"isError":false"#,
            "bash:Ok",
            None,
        ),
        (
            r#""content":[{"type":"text","text":"Blocked by user"}],"isError":true"#,
            "bash:Rejected",
            None,
        ),
        (
            r#""content":[{"type":"text","text":"Command aborted"}],"isError":true"#,
            "bash:Cancelled",
            None,
        ),
        // The words alone prove nothing.
        (
            r#""content":"Blocked by user","isError":false"#,
            "bash:Ok",
            None,
        ),
    ] {
        let session = with_result("bash", result);
        assert_eq!(calls(&session), [status], "{result}");
        let step = session.steps().next().unwrap();
        assert_eq!(step.outcome.unwrap().exit, exit, "{result}");
        assert_eq!(step.entry.usage.unwrap().prompt, 7);
    }
}

#[test]
fn a_todo_extension_keeps_its_list_beside_the_text() {
    let result = r#""content":[{"type":"text","text":"added"}],"isError":false,"details":{"action":"add","todos":[{"id":1,"text":"표","done":false}]}"#;
    let side = |name| {
        let session = with_result(name, result);
        let todos = session
            .steps()
            .next()
            .unwrap()
            .outcome
            .unwrap()
            .side
            .todos
            .clone();
        todos.map(|t| t.into_owned())
    };
    assert_eq!(
        side("todo").as_deref(),
        Some(r#"[{"id":1,"text":"표","done":false}]"#)
    );
    assert_eq!(side("bash"), None);
}

#[test]
fn failed_and_empty_answers_are_no_readings() {
    let answer = |stop: &str, input: u32| {
        format!(
            r#"{{"type":"message","id":"{stop}","parentId":null,"message":{{"role":"assistant","content":[],"model":"m","usage":{{"input":{input},"output":0}},"stopReason":"{stop}","errorMessage":"overloaded"}}}}"#
        )
    };
    for (stop, input, wanted) in [
        ("error", 5, 0),
        ("aborted", 5, 0),
        ("stop", 0, 0),
        ("stop", 5, 1),
    ] {
        let session = session(&[&answer(stop, input)]);
        assert_eq!(session.readings().count(), wanted, "{stop} {input}");
    }
}

#[test]
fn only_our_own_details_are_kept() {
    let details = |text: &str| {
        let session = session(&[
            &format!(
                r#"{{"type":"compaction","id":"a","parentId":null,"summary":"s","details":{text}}}"#
            ),
            &user("b", "\"a\"", "고쳐줘"),
        ]);
        session.entries.iter().find_map(|e| match &e.mark {
            Some(Mark::Compaction(c)) => c.details.as_ref().map(|d| d.to_string()),
            _ => None,
        })
    };
    let ours = r#"{"version":3,"compactor":"pi-vcc-ko","x":[1]}"#;
    assert_eq!(details(ours).as_deref(), Some(ours));
    assert_eq!(details(r#"{"version":2,"compactor":"pi-vcc-ko"}"#), None);
    assert_eq!(details(r#"{"version":3,"compactor":"other"}"#), None);
}

#[test]
fn oh_my_pi_has_a_title_slot_and_models_for_side_jobs() {
    let session = read(
        r#"{"type":"title","v":1,"title":"캐시","pad":"  "}
{"type":"session","version":3,"id":"s","cwd":"/w"}
{"type":"model_change","id":"a","parentId":null,"model":"anthropic/big","role":"default"}
{"type":"session_init","id":"b","parentId":"a","task":"","tools":[]}
{"type":"reset_boundary","id":"c","parentId":"b"}
{"type":"model_change","id":"d","parentId":"c","model":"openai/mini","role":"smol"}
{"type":"message","id":"e","parentId":"d","message":{"role":"user","content":"고쳐줘"}}
"#,
    );
    assert_eq!(session.head.title.as_deref(), Some("캐시"));
    assert_eq!(session.head.models, ["big"]);
    assert!(!session.head.child);
    assert!(
        session
            .active()
            .any(|e| matches!(e.mark, Some(Mark::Clear)))
    );
    assert_eq!(human(&session), ["고쳐줘"]);
}

#[test]
fn a_sub_agents_prompt_is_its_parents() {
    let session = session(&[
        r#"{"type":"session_init","id":"a","parentId":null,"task":"찾아라","tools":[]}"#,
        &user("b", "\"a\"", "찾아라"),
    ]);
    assert!(session.head.child);
    assert_eq!(human(&session), [""; 0]);
    assert_eq!(
        session
            .active()
            .flat_map(|e| e.texts(Voice::Parent))
            .count(),
        1
    );
}

#[test]
fn what_an_edit_of_the_context_takes_away_is_gone() {
    let edit = |id: &str, target: &str, replacement: &str| {
        format!(
            r#"{{"type":"context_edit","id":"{id}","parentId":"d","targetId":"{target}","replacement":{replacement}}}"#
        )
    };
    let session = session(&[
        &user("a", "null", "열쇠는 봄날이야"),
        r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"env"}}],"model":"m"}}"#,
        r#"{"type":"message","id":"c","parentId":"b","message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","content":[{"type":"text","text":"봄날\nCommand exited with code 1"}],"isError":true}}"#,
        &user("d", "\"c\"", "주소는 은행동이야 고쳐줘"),
        &edit("e", "a", "null"),
        &edit("f", "c", r#"{"content":[{"type":"text","text":"가렸다"}]}"#),
        &edit("g", "d", r#"{"content":"주소는 가렸다"}"#),
        &edit("h", "d", r#"{"content":"고쳐줘"}"#),
        &edit("i", "zz", "null"),
    ]);
    assert_eq!(human(&session), ["고쳐줘"]);
    assert_eq!(calls(&session), ["bash:Error"]);
    let kept = format!("{:?}", session.entries);
    assert!(!kept.contains("봄날") && !kept.contains("은행동"), "{kept}");
    assert!(kept.contains("가렸다"));
}

#[test]
fn calls_of_an_answer_that_broke_off_are_not_under_way() {
    let broken = |stop: &str| {
        let answer = format!(
            r#"{{"type":"message","id":"b","parentId":"a","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c1","name":"bash","arguments":{{}}}}],"model":"m","stopReason":"{stop}"}}}}"#
        );
        calls(&session(&[&user("a", "null", "고쳐줘"), &answer]))
    };
    assert_eq!(broken("aborted"), ["bash:Cancelled"]);
    assert_eq!(broken("error"), ["bash:Cancelled"]);
    assert_eq!(broken("toolUse"), ["bash:pending"]);
}

#[test]
fn an_answer_that_names_no_parent_does_not_cut_the_history() {
    let answer = |parent: &str| {
        format!(
            r#"{{"type":"message","id":"b","parentId":{parent},"message":{{"role":"assistant","content":[],"model":"m"}}}}"#
        )
    };
    for parent in ["null", "7", "{}"] {
        let session = session(&[
            &user("a", "null", "하나"),
            &answer(parent),
            &user("c", "\"b\"", "둘"),
        ]);
        assert_eq!(human(&session), ["하나", "둘"], "{parent}");
    }
    let odd = [user("a", "null", "하나"), user("b", "7", "둘")];
    assert_eq!(human(&session(&[&odd[0], &odd[1]])), ["하나", "둘"]);
    let root = [user("a", "null", "하나"), user("b", "null", "둘")];
    assert_eq!(human(&session(&[&root[0], &root[1]])), ["둘"]);
}
