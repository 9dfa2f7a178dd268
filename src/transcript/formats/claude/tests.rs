use super::super::tests::{calls, human, read};
use crate::session::Session;
use serde_json::{Value, json};

/// A session of these rows; each has what `row` gives it besides.
fn session(rows: &[Value]) -> Session {
    let lines: Vec<String> = rows.iter().map(Value::to_string).collect();
    read(&format!("{}\n", lines.join("\n")))
}

fn row(uuid: &str, parent: Option<&str>, kind: &str, more: Value) -> Value {
    let mut row = json!({
        "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s", "cwd": "/w/app", "gitBranch": "main",
        "timestamp": "2026-02-03T09:00:00Z",
    });
    if let (Some(row), Value::Object(more)) = (row.as_object_mut(), more) {
        row.extend(more);
    }
    row
}

fn said(uuid: &str, parent: Option<&str>, text: &str) -> Value {
    row(
        uuid,
        parent,
        "user",
        json!({"message": {"role": "user", "content": text}}),
    )
}

fn call(uuid: &str, parent: &str, id: &str) -> Value {
    let block = json!({"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}});
    row(
        uuid,
        Some(parent),
        "assistant",
        json!({"message": {"id": "m", "role": "assistant", "model": "x", "content": [block]}}),
    )
}

fn result_of(uuid: &str, parent: &str, of: &str) -> Value {
    let block = json!({"type": "tool_result", "tool_use_id": of, "content": "a"});
    row(
        uuid,
        Some(parent),
        "user",
        json!({"message": {"role": "user", "content": [block]}, "toolUseResult": {"stdout": "a"}}),
    )
}

#[test]
fn results_of_parallel_calls_belong_to_the_conversation_behind_progress_too() {
    let progress = row("p", Some("a1"), "progress", json!({"data": {}}));
    let session = session(&[
        said("u", None, "고쳐줘"),
        call("a1", "u", "t1"),
        call("a2", "a1", "t2"),
        progress,
        result_of("r1", "p", "t1"),
        result_of("r2", "a2", "t2"),
        said("v", Some("u"), "버린 길"),
        said("w", Some("r2"), "계속해줘"),
    ]);
    assert_eq!(human(&session), ["고쳐줘", "계속해줘"]);
    assert_eq!(calls(&session), ["Bash:Ok", "Bash:Ok"]);
    assert_eq!(session.active().flat_map(|e| e.results()).count(), 2);
}

#[test]
fn a_result_without_its_block_is_no_prompt() {
    let side = json!({"message": {"role": "user", "content": "배포해줘"}, "toolUseResult": {"status": "completed"}});
    let session = session(&[
        said("u", None, "고쳐줘"),
        call("a", "u", "t"),
        row("r", Some("a"), "user", side),
    ]);
    assert_eq!(human(&session), ["고쳐줘"]);
}

#[test]
fn a_sub_agents_own_file_says_where_and_when_it_worked() {
    let own = |mut row: Value| {
        row["isSidechain"] = json!(true);
        row["agentId"] = json!("agent7");
        row
    };
    let child = session(&[own(said("u", None, "find")), own(call("a", "u", "t"))]);
    let head = &child.head;
    assert!(head.child);
    assert_eq!(head.id.as_deref(), Some("agent7"));
    assert_eq!(head.cwd.as_deref(), Some("/w/app"));
    assert_eq!(head.branch.as_deref(), Some("main"));
    assert_eq!(head.ended.as_deref(), Some("2026-02-03T09:00:00Z"));
    let parent = session(&[own(said("u", None, "warm up")), said("v", None, "고쳐줘")]);
    assert_eq!(parent.head.id.as_deref(), Some("s"));
    assert!(!parent.head.child);
}

#[test]
fn a_summary_without_a_boundary_is_one() {
    let text =
        "This session is being continued from a previous conversation that ran out of context.";
    let boundary = json!({"subtype": "compact_boundary", "logicalParentUuid": "u"});
    let flag = json!({"isCompactSummary": true, "message": {"role": "user", "content": "x"}});
    let marks = |session: &Session| {
        let active = session.active().filter(|e| e.mark.is_some()).count();
        (active, human(session).len())
    };
    let old = session(&[
        said("u", None, "고쳐줘"),
        said("s", Some("u"), text),
        said("v", Some("s"), "계속해줘"),
    ]);
    assert_eq!(marks(&old), (1, 2));
    let unlinked = session(&[said("u", None, "고쳐줘"), said("s", None, text)]);
    assert_eq!(marks(&unlinked), (1, 1));
    let new = session(&[
        said("u", None, "고쳐줘"),
        row("b", None, "system", boundary),
        row("s", Some("b"), "user", flag),
        said("v", Some("s"), "계속해줘"),
    ]);
    assert_eq!(marks(&new), (1, 2));
    let left = session(&[
        said("u", None, "고쳐줘"),
        said("s", Some("u"), text),
        said("v", Some("u"), "다른 길"),
    ]);
    assert_eq!(marks(&left), (0, 2));
}

#[test]
fn tools_of_the_provider_answer_in_the_same_message() {
    let blocks = json!([
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "q"}},
        {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"type": "web_search_result", "title": "t"}]},
        {"type": "server_tool_use", "id": "s2", "name": "web_search", "input": {"query": "r"}},
        {"type": "web_search_tool_result", "tool_use_id": "s2", "content": {"type": "web_search_tool_result_error"}},
    ]);
    let answer =
        json!({"message": {"id": "m", "role": "assistant", "model": "x", "content": blocks}});
    let session = session(&[
        said("u", None, "찾아줘"),
        row("a", Some("u"), "assistant", answer),
    ]);
    assert_eq!(calls(&session), ["web_search:Ok", "web_search:Error"]);
}

#[test]
fn an_answer_that_names_no_parent_does_not_cut_the_history() {
    let told = |parent: Value, result: bool| {
        let mut call = call("a", "u", "t");
        let mut answer = result_of("r", "a", "t");
        let odd = if result { &mut answer } else { &mut call };
        odd["parentUuid"] = parent;
        let more = said("v", Some("r"), "더");
        human(&session(&[said("u", None, "고쳐줘"), call, answer, more])).len()
    };
    for parent in [Value::Null, json!(7), json!({"k": 1}), json!("")] {
        assert_eq!(told(parent.clone(), false), 2, "{parent}");
        assert_eq!(told(parent, true), 2);
    }
    let first = said("u", None, "고쳐줘");
    let prompt = |parent: Value| {
        let mut prompt = said("v", Some("u"), "새로");
        prompt["parentUuid"] = parent;
        let session = session(&[first.clone(), call("a", "u", "t"), prompt]);
        human(&session).len()
    };
    assert_eq!(prompt(Value::Null), 1);
    assert_eq!(prompt(json!(7)), 2);
}
