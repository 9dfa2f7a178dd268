//! Promises of a carried state, over invented sessions: slices are one run, twice is once, what a file no longer
//! shows stays known, and a damaged state is never taken for one.

use super::{Stranger, merge};
use crate::extract::extract;
use crate::lexicon::Rules;
use crate::session::Session;
use crate::session::testing::Talk;
use crate::state::store::{self, Saved};
use crate::state::*;
use crate::transcript::{Options, read::read_bytes};
use proptest::prelude::*;
use serde_json::json;

/// One thing that happens in a session.
#[derive(Debug, Clone)]
enum Event {
    Person(&'static str),
    Agent(&'static str),
    Run(&'static str, &'static str, bool),
    Edit(&'static str),
    Todos(Vec<(&'static str, &'static str)>),
}

fn event() -> impl Strategy<Value = Event> {
    let person = prop::sample::select(vec![
        "로그인 화면의 오류를 고쳐줘",
        "테스트도 추가해줘",
        "앞으로 커밋 메시지는 한국어로 써줘",
        "방향을 바꾸자. 로그인 말고 결제 화면을 먼저 고쳐줘",
        "응",
        "Add a retry to the upload",
        "다음부터는 main 브랜치에 직접 커밋하지 마",
        "빌드가 아직도 깨져 있어",
        "취소 버튼을 빨간색으로 바꿔줘\n- 글꼴은 그대로\n- 크기는 두 배",
    ]);
    let agent = prop::sample::select(vec!["고쳤습니다.", "Done.", "확인해 보겠습니다."]);
    let run = prop::sample::select(vec![
        ("cargo test", "test result: ok. 3 passed; 0 failed", true),
        (
            "cargo test",
            "test result: FAILED. 2 passed; 1 failed",
            false,
        ),
        (
            "git commit -m '고침'",
            "[main 1a2b3c4] 고침\n 1 file changed, 1 insertion(+)",
            true,
        ),
        (
            "git commit --amend -m '다시'",
            "[main 5d6e7f8] 다시\n 1 file changed, 1 insertion(+)",
            true,
        ),
        ("rm src/a.rs", "", true),
        ("npm run build", "error: cannot find module", false),
    ]);
    let path = prop::sample::select(vec!["src/a.rs", "/w/src/a.rs", "src/b.rs", "docs/글.md"]);
    let todo = (
        prop::sample::select(vec!["환불 테스트", "문서 쓰기", "정리"]),
        prop::sample::select(vec!["pending", "in_progress", "completed"]),
    );
    prop_oneof![
        3 => person.prop_map(Event::Person),
        2 => agent.prop_map(Event::Agent),
        2 => run.prop_map(|(c, o, ok)| Event::Run(c, o, ok)),
        2 => path.prop_map(Event::Edit),
        1 => prop::collection::vec(todo, 1..3).prop_map(Event::Todos),
    ]
}

fn write(events: &[Event]) -> String {
    let talk = Talk::in_dir("/w").person("로그인을 고쳐줘");
    let talk = events.iter().fold(talk, |talk, event| match event {
        Event::Person(text) => talk.person(text),
        Event::Agent(text) => talk.agent(text),
        Event::Run(command, output, true) => talk.run(command, output),
        Event::Run(command, output, false) => talk.run_fails(command, output),
        Event::Edit(path) => talk.edit(path),
        Event::Todos(list) => {
            let todos: Vec<_> = list
                .iter()
                .map(
                    |(text, status)| json!({"content": text, "status": status, "activeForm": text}),
                )
                .collect();
            talk.call("TodoWrite", json!({ "todos": todos })).ok("ok")
        }
    });
    talk.jsonl()
}

fn read(bytes: &[u8]) -> Option<Session> {
    let mut digest = crate::session::Digest::default();
    let head = read_bytes(bytes, &Options::default(), &mut digest).ok()?;
    Some(digest.finish(head))
}

/// One run: what it reads, and the state file before and after.
fn run(bytes: &[u8], before: Option<&str>) -> Option<Result<String, Stranger>> {
    let session = read(bytes)?;
    let saved: Option<Saved> = before.map(|t| store::parse(t, "state").expect("our own state"));
    let now = extract(&session, &Rules::shared());
    Some(
        merge(saved.as_ref().map(|s| &s.state), now, &session)
            .map(|state| store::text(&state, saved.as_ref()).expect("a state is JSON")),
    )
}

fn once(bytes: &[u8], before: Option<&str>) -> String {
    run(bytes, before)
        .expect("a session")
        .expect("its own state")
}

fn state(text: &str) -> State {
    store::parse(text, "state").expect("our own state").state
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn slices_are_one_run(events in prop::collection::vec(event(), 1..24), cuts in prop::collection::vec(0.0..1.0f64, 1..4)) {
        let whole = write(&events);
        let mut ends: Vec<usize> = cuts.iter().map(|c| (c * whole.len() as f64) as usize).collect();
        ends.sort_unstable();
        ends.push(whole.len());
        let mut carried: Option<String> = None;
        for end in ends {
            // Cut anywhere: inside a line, inside a letter.
            if let Some(next) = run(&whole.as_bytes()[..end], carried.as_deref()) {
                carried = Some(next.expect("its own state"));
            }
        }
        prop_assert_eq!(carried.unwrap(), once(whole.as_bytes(), None));
    }

    #[test]
    fn twice_is_once_whatever_is_read(events in prop::collection::vec(event(), 1..24), from in 0..20usize, to in 1..20usize) {
        let whole = write(&events);
        let lines: Vec<&str> = whole.split_inclusive('\n').collect();
        let first = once(whole.as_bytes(), None);
        prop_assert_eq!(&once(whole.as_bytes(), Some(&first)), &first);
        // Only the newer part, or only the older one.
        for part in [lines[from.min(lines.len() - 1)..].concat(), lines[..to.min(lines.len())].concat()] {
            if let Some(next) = run(part.as_bytes(), Some(&first)) {
                let next = next.expect("its own state");
                prop_assert_eq!(&once(part.as_bytes(), Some(&next)), &next);
                let (a, b) = (state(&first), state(&next));
                prop_assert_eq!(&a.goal[0].text, &b.goal[0].text);
                for file in &a.files {
                    prop_assert!(b.files.iter().any(|f| f.path == file.path), "{} is forgotten", file.path);
                }
                for rule in &a.preferences {
                    prop_assert!(b.preferences.iter().any(|p| p.text == rule.text));
                }
                // And back: nothing is remembered apart that the file shows.
                prop_assert_eq!(&once(whole.as_bytes(), Some(&next)), &first);
            }
        }
    }

    #[test]
    fn a_cut_state_is_no_state(events in prop::collection::vec(event(), 1..8), cut in 0.0..1.0f64) {
        let text = once(write(&events).as_bytes(), None);
        let mut end = (cut * (text.trim_end().len() as f64)) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        prop_assert!(store::parse(&text[..end], "state").is_err());
    }
}

fn talk() -> Talk {
    Talk::in_dir("/w")
        .person("로그인을 고쳐줘")
        .edit("src/a.rs")
        .agent("고쳤습니다.")
        .person("테스트도 추가해줘")
}

#[test]
fn a_fork_is_known_by_what_it_holds() {
    let text = once(talk().jsonl().as_bytes(), None);
    let fork = talk()
        .agent("추가했습니다.")
        .jsonl()
        .replace(r#""s1""#, r#""s2""#);
    let after = state(&once(fork.as_bytes(), Some(&text)));
    assert_eq!(after.session.id.as_deref(), Some("s2"));
    assert_eq!(after.turns.human, 2);
    // The original lacks what the fork's state has read.
    assert_eq!(
        run(
            talk().jsonl().as_bytes(),
            Some(&once(fork.as_bytes(), Some(&text)))
        ),
        Some(Err(Stranger {
            id: Some("s2".to_owned())
        }))
    );
}

#[test]
fn a_session_that_merely_starts_alike_is_another_one() {
    let text = once(Talk::in_dir("/w").person("고쳐줘").jsonl().as_bytes(), None);
    let other = Talk::in_dir("/w")
        .person("고쳐줘")
        .agent("네")
        .jsonl()
        .replace(r#""s1""#, r#""s2""#)
        .replace("2026-01-05", "2026-01-06");
    assert!(matches!(run(other.as_bytes(), Some(&text)), Some(Err(_))));
}

#[test]
fn unknown_keys_stay_at_every_depth() {
    let text = once(talk().jsonl().as_bytes(), None);
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["mine"] = json!({"note": "둘"});
    value["session"]["color"] = json!("blue");
    value["files"][0]["owner"] = json!("나");
    let grown = talk().agent("네").edit("src/b.rs").jsonl();
    let after: serde_json::Value =
        serde_json::from_str(&once(grown.as_bytes(), Some(&value.to_string()))).unwrap();
    assert_eq!(after["mine"]["note"], "둘");
    assert_eq!(after["session"]["color"], "blue");
    assert_eq!(after["files"][0]["owner"], "나");
    assert_eq!(after["files"][1].get("owner"), None);
}

#[test]
fn a_newer_part_is_counted_on_top() {
    let whole = talk().edit("src/a.rs").jsonl();
    let lines: Vec<&str> = whole.split_inclusive('\n').collect();
    let text = once(lines[..5].concat().as_bytes(), None);
    let after = state(&once(lines[5..].concat().as_bytes(), Some(&text)));
    assert_eq!(after.files[0].modified, 2);
    assert_eq!(after.turns.tool_calls, 2);
    assert_eq!(after.goal[0].text, "로그인을 고쳐줘");
}

#[test]
fn a_list_that_is_finished_does_not_come_back() {
    let list = |status: &str| json!({"todos": [{"content": "환불 테스트", "status": status, "activeForm": "x"}]});
    let open = Talk::in_dir("/w")
        .person("해줘")
        .call("TodoWrite", list("pending"))
        .ok("ok");
    let text = once(open.jsonl().as_bytes(), None);
    assert_eq!(state(&text).todos.len(), 1);
    let part = Talk::in_dir("/w")
        .person("끝내줘")
        .call("TodoWrite", list("completed"))
        .ok("ok");
    assert!(
        state(&once(part.jsonl().as_bytes(), Some(&text)))
            .todos
            .is_empty()
    );
    let silent = Talk::in_dir("/w").person("그리고 문서도 고쳐줘");
    assert_eq!(
        state(&once(silent.jsonl().as_bytes(), Some(&text)))
            .todos
            .len(),
        1
    );
}

#[test]
fn secrets_of_an_older_program_go() {
    let mut value: serde_json::Value =
        serde_json::from_str(&once(talk().jsonl().as_bytes(), None)).unwrap();
    let secret = "sk-proj-dddddddddddddddddddddddddddddddddddddddd";
    value["cursor"] = json!({});
    value["mine"] = json!([format!("API_KEY={secret}")]);
    value["preferences"] = json!([{"text": format!("API_KEY={secret} 를 써줘"), "ref": "#0"}]);
    let after = once(talk().jsonl().as_bytes(), Some(&value.to_string()));
    assert!(!after.contains(secret));
    assert_eq!(state(&after).preferences.len(), 1);
}

#[test]
fn refusals_say_what_to_do() {
    let good = once(talk().jsonl().as_bytes(), None);
    let no_goal = {
        let mut value: serde_json::Value = serde_json::from_str(&good).unwrap();
        value.as_object_mut().unwrap().remove("goal");
        value.to_string()
    };
    for (text, want) in [
        ("", "empty"),
        ("{", "cut off"),
        ("[]", "not a state file"),
        (
            r#"{"compactor":"pi-vcc-ko","version":3}"#,
            "not a state file",
        ),
        (&good.replace(r#""version": 1"#, r#""version": 2"#), "newer"),
        (
            &good.replace(r#""version": 1"#, r#""version": "1""#),
            "damaged",
        ),
        (&good.replace(r#""ref": "#, r#""rel": "#), "damaged"),
        (&no_goal, "incomplete"),
    ] {
        let error = store::parse(text, "s.json").unwrap_err().to_string();
        assert!(
            error.starts_with("s.json: ") && error.contains(want),
            "{error}"
        );
        assert!(!error.contains('\n'));
    }
    assert!(store::parse(&format!("\u{feff}{good}"), "s.json").is_ok());
}
