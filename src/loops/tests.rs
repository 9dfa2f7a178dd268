use super::*;
use crate::session::testing::Talk;
use crate::transcript::stub;
use serde_json::json;

fn actions(talk: &Talk, options: &Options) -> Vec<(Action, u32)> {
    let found = find(&talk.session(), options);
    found.iter().map(|f| (f.action, f.count)).collect()
}

fn read(talk: Talk, text: &str) -> Talk {
    talk.call("Read", json!({"file_path": "a.rs"})).ok(text)
}

#[test]
fn an_unchanged_read_is_a_stub_until_the_file_changes() {
    let talk = read(read(Talk::in_dir("/w").person("고쳐줘"), "본문"), "본문");
    assert_eq!(actions(&talk, &Options::default()), [(Action::Stub, 2)]);
    let talk = read(Talk::in_dir("/w").person("고쳐줘"), "본문").edit("/w/a.rs");
    assert!(actions(&read(talk, "본문"), &Options::default()).is_empty());
}

#[test]
fn the_same_call_in_a_row_is_warned_about_then_blocked() {
    let mut talk = Talk::in_dir("/w").person("상태를 봐줘");
    for n in 0..4 {
        talk = talk
            .call("WebFetch", json!({"url": "http://x"}))
            .ok(&format!("대기 {n}"));
    }
    assert_eq!(
        actions(&talk, &Options::default()),
        [(Action::Warn, 3), (Action::Block, 4)]
    );
    let allow = Allow::new(&["web.*".to_owned()]).unwrap();
    let options = Options {
        allow,
        ..Options::default()
    };
    assert!(actions(&talk, &options).is_empty());
    assert!(Allow::new(&["(".to_owned()]).is_err());
}

#[test]
fn what_a_prune_has_answered_counts_on() {
    let line = stub::unchanged("/w/a.rs", 1, "0a1b2c3d");
    let mut talk = Talk::in_dir("/w").person("고쳐줘");
    for text in ["본문", &line, &line, "본문"] {
        talk = read(talk, text);
        talk = talk.call("WebFetch", json!({"url": "http://x"})).ok("대기");
    }
    assert_eq!(actions(&talk, &Options::default()), [(Action::Block, 4)]);
    let all = repeats(&talk.session(), &Options::default(), |_| false);
    assert_eq!(all.needed, [0, 0]);
    // Without the text it points to, the line says nothing.
    let all = repeats(&talk.session(), &Options::default(), |at| at == 0);
    assert!(all.found.is_empty() && all.needed.is_empty());
}

#[test]
fn a_stub_of_an_earlier_prune_is_no_base() {
    let stub = stub::output("Read", Some("a.rs"), 400, "");
    let talk = read(read(Talk::in_dir("/w").person("고쳐줘"), &stub), &stub);
    assert!(actions(&talk, &Options::default()).is_empty());
}

#[test]
fn a_result_that_was_not_written_down_is_not_the_same_again() {
    let call = r#"{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Shell","input":{"command":"cargo test"}}]}}
"#;
    let ask = r#"{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\n고쳐줘\n</user_query>"}]}}
"#;
    let session = crate::session::testing::session(&format!("{ask}{call}{call}"));
    assert!(find(&session, &Options::default()).is_empty());
}
