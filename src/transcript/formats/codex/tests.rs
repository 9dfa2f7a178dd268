use super::super::tests::{calls, human, read};
use crate::session::Session;
use crate::transcript::{Kind, Mark, Voice};

const META: &str = r#"{"timestamp":"2026-04-20T05:00:00.000Z","type":"session_meta","payload":{"id":"t1","cwd":"/w","source":"cli","git":{"branch":"main"}}}"#;

fn line(kind: &str, payload: &str) -> String {
    format!(r#"{{"timestamp":"2026-04-20T05:00:01.000Z","type":"{kind}","payload":{payload}}}"#)
}
fn item(payload: &str) -> String {
    line("response_item", payload)
}
fn event(payload: &str) -> String {
    line("event_msg", payload)
}
fn user(said: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"user","content":[{{"type":"input_text","text":"{said}"}}]}}"#
    ))
}
fn told(said: &str) -> String {
    event(&format!(
        r#"{{"type":"user_message","message":"{said}","images":[]}}"#
    ))
}
fn answer(said: &str) -> String {
    item(&format!(
        r#"{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":"{said}"}}]}}"#
    ))
}
fn session(lines: &[String]) -> Session {
    read(&format!("{META}\n{}\n", lines.join("\n")))
}
fn tokens(input: u32, total: u32) -> String {
    event(&format!(
        r#"{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":{input},"output_tokens":1,"total_tokens":{}}},"model_context_window":1000}}}}"#,
        input + 1
    ))
}

#[test]
fn a_prompt_in_two_envelopes_is_one_and_one_in_an_event_is_found() {
    let session = session(&[
        user("<environment_context>\\n<cwd>/w</cwd>\\n</environment_context>"),
        user("찾아줘"),
        told("찾아줘"),
        answer("찾았습니다"),
        event(r#"{"type":"agent_message","message":"찾았습니다"}"#),
        event(
            r#"{"type":"item_completed","item":{"type":"UserMessage","content":[{"type":"Text","text":"고쳐줘"}]}}"#,
        ),
        told("고쳐줘"),
    ]);
    assert_eq!(human(&session), ["찾아줘", "고쳐줘"]);
    assert_eq!(session.head.messages, 4);
    assert!(session.head.input.unknown.is_empty());
}

#[test]
fn without_events_items_that_are_not_injected_are_prompts() {
    let lines = [
        user("# AGENTS.md instructions for /w\\n\\n<INSTRUCTIONS>x</INSTRUCTIONS>"),
        user("하나"),
        answer("네"),
        user("둘"),
    ];
    assert_eq!(human(&session(&lines)), ["하나", "둘"]);
    // With events, an item without one is the host's.
    let mut lines = lines.to_vec();
    lines.insert(2, told("하나"));
    assert_eq!(human(&session(&lines)), ["하나"]);
}

#[test]
fn the_same_words_twice_are_two_prompts() {
    let session = session(&[
        user("네"),
        told("네"),
        answer("다음은?"),
        user("네"),
        told("네"),
    ]);
    assert_eq!(human(&session), ["네", "네"]);
}

#[test]
fn a_picture_that_a_tool_put_in_is_no_turn() {
    let picture = item(
        r#"{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,iVBORw0KGgo="}]}"#,
    );
    let session = session(&[user("봐줘"), told("봐줘"), answer("네"), picture]);
    let turns = session
        .active()
        .filter(|e| crate::session::is_human_turn(e));
    assert_eq!(turns.count(), 1);
}

#[test]
fn rolled_back_turns_are_off() {
    let session = session(&[
        user("하나"),
        told("하나"),
        answer("네"),
        user("둘"),
        told("둘"),
        answer("했습니다"),
        event(r#"{"type":"thread_rolled_back","num_turns":1}"#),
        user("셋"),
        told("셋"),
    ]);
    assert_eq!(human(&session), ["하나", "셋"]);
    assert_eq!(session.head.messages, 5);
}

fn output(args: &str, output: &str) -> Session {
    session(&[
        item(&format!(
            r#"{{"type":"function_call","name":"exec_command","arguments":"{args}","call_id":"c1"}}"#
        )),
        item(&format!(
            r#"{{"type":"function_call_output","call_id":"c1","output":{output}}}"#
        )),
    ])
}

#[test]
fn exit_codes_in_every_form() {
    for (text, status, exit, shown) in [
        (
            r#""{\"output\":\"x\\n\",\"metadata\":{\"exit_code\":1}}""#,
            "Error",
            Some(1),
            "x\n",
        ),
        (
            r#""Exit code: 0\nWall time: 0.1 seconds\nOutput:\na\n""#,
            "Ok",
            Some(0),
            "a\n",
        ),
        (
            r#""Chunk ID: 1\nWall time: 0.1 seconds\nProcess exited with code 2\nOriginal token count: 1\nOutput:\nb""#,
            "Error",
            Some(2),
            "b",
        ),
        (
            r#""Command: bash -lc 'a\nb'\nChunk ID: 1\nWall time: 1\nProcess exited with code 0\nOutput:\nc""#,
            "Ok",
            Some(0),
            "c",
        ),
        (
            r#""Chunk ID: 1\nWall time: 5\nProcess running with session ID 7\nOutput:\n""#,
            "Running",
            None,
            "",
        ),
        (
            r#""command timed out after 10 milliseconds""#,
            "Error",
            None,
            "command timed out after 10 milliseconds",
        ),
        (
            r#""exec command rejected by user""#,
            "Rejected",
            None,
            "exec command rejected by user",
        ),
        (
            r#""aborted by user after 3.2s""#,
            "Cancelled",
            None,
            "aborted by user after 3.2s",
        ),
        (r#"{"content":"no","success":false}"#, "Error", None, "no"),
        (r#""Plan updated""#, "Ok", None, "Plan updated"),
        // What a command prints is not what the host says.
        (
            r#""Exit code: 0\nOutput:\nrejected by user\n""#,
            "Ok",
            Some(0),
            "rejected by user\n",
        ),
    ] {
        let session = output("{}", text);
        let step = session.steps().next().unwrap();
        let outcome = step.outcome.unwrap();
        assert_eq!(
            (
                format!("{:?}", outcome.status).as_str(),
                outcome.exit,
                outcome.text.as_ref()
            ),
            (status, exit, shown),
            "{text}"
        );
    }
}

#[test]
fn a_running_command_ends_in_a_later_output() {
    let call = |id: &str, name: &str, args: &str| {
        item(&format!(
            r#"{{"type":"function_call","name":"{name}","arguments":"{args}","call_id":"{id}"}}"#
        ))
    };
    let out = |id: &str, line: &str| {
        item(&format!(
            r#"{{"type":"function_call_output","call_id":"{id}","output":"Chunk ID: 1\nWall time: 1\n{line}\nOutput:\n"}}"#
        ))
    };
    let begun = [
        call("a", "exec_command", r#"{\"cmd\":\"cargo test\"}"#),
        out("a", "Process running with session ID 7"),
        call("b", "write_stdin", r#"{\"session_id\":7,\"chars\":\"\"}"#),
        out("b", "Process running with session ID 7"),
    ];
    assert_eq!(
        calls(&session(&begun)),
        ["exec_command:Running", "write_stdin:Running"]
    );
    let mut ended = begun.to_vec();
    ended.push(call(
        "c",
        "write_stdin",
        r#"{\"session_id\":7,\"chars\":\"\"}"#,
    ));
    ended.push(out("c", "Process exited with code 1"));
    let session = session(&ended);
    assert_eq!(
        calls(&session),
        [
            "exec_command:Error",
            "write_stdin:Running",
            "write_stdin:Error"
        ]
    );
    assert_eq!(
        session.steps().next().unwrap().outcome.unwrap().exit,
        Some(1)
    );
}

#[test]
fn what_a_patch_changed_comes_before_or_behind_its_output() {
    let call = item(
        r#"{"type":"custom_tool_call","call_id":"p","name":"apply_patch","input":"*** Begin Patch\n*** End Patch"}"#,
    );
    let out = item(r#"{"type":"custom_tool_call_output","call_id":"p","output":"done"}"#);
    let end = |ok: bool| {
        event(&format!(
            r#"{{"type":"patch_apply_end","call_id":"p","success":{ok},"changes":{{"/w/a":{{"type":"add"}},"/w/b":{{"type":"update","move_path":"/w/c"}}}}}}"#
        ))
    };
    for lines in [
        [call.clone(), out.clone(), end(true)],
        [call.clone(), end(true), out.clone()],
    ] {
        let session = session(&lines);
        let step = session.steps().next().unwrap();
        let ops: Vec<_> = step
            .outcome
            .unwrap()
            .side
            .changes
            .iter()
            .map(|c| (c.op, c.path.as_ref(), c.to.as_deref()))
            .collect();
        assert_eq!(ops, [('A', "/w/a", None), ('R', "/w/b", Some("/w/c"))]);
        assert_eq!(session.head.messages, 2);
    }
    assert_eq!(
        calls(&session(&[call, out, end(false)])),
        ["apply_patch:Error"]
    );
}

#[test]
fn tokens_belong_to_the_response_before_them_and_repeat() {
    let session = session(&[
        answer("하나"),
        tokens(100, 101),
        tokens(100, 101),
        event(r#"{"type":"token_count","info":null}"#),
        answer("둘"),
        tokens(200, 302),
    ]);
    let read: Vec<_> = session
        .readings()
        .map(|(e, u)| (e.number.unwrap().to_string(), u.prompt))
        .collect();
    assert_eq!(read, [("#0".to_owned(), 100), ("#1".to_owned(), 200)]);
    assert_eq!(session.head.window, Some(1000));
}

#[test]
fn a_compaction_has_its_summary_and_its_size_afterwards() {
    let session = session(&[
        answer("하나"),
        line(
            "compacted",
            r#"{"message":"","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Another language model started to solve this problem and produced a summary\n요약"}]}]}"#,
        ),
        event(
            r#"{"type":"token_count","info":{"total_token_usage":{"total_tokens":9},"last_token_usage":{"input_tokens":0,"output_tokens":0,"total_tokens":17},"model_context_window":1000}}"#,
        ),
        event(r#"{"type":"context_compacted"}"#),
        answer("둘"),
    ]);
    let marks: Vec<_> = session
        .active()
        .filter_map(|e| match &e.mark {
            Some(Mark::Compaction(c)) => Some(c),
            _ => None,
        })
        .collect();
    assert_eq!(marks.len(), 1);
    assert_eq!(marks[0].tokens_after, Some(17));
    assert!(marks[0].summary.as_deref().unwrap().ends_with("요약"));
    // The boundary stands between the answers.
    let kinds: Vec<_> = session.active().map(|e| e.kind).collect();
    assert_eq!(kinds, [Kind::Assistant, Kind::Mark, Kind::Assistant]);
}

#[test]
fn a_sub_agents_prompts_are_its_parents() {
    let text = format!(
        "{}\n{META}\n{}\n{}\n",
        r#"{"timestamp":"2026-04-20T05:00:00.000Z","type":"session_meta","payload":{"id":"kid","cwd":"/k","source":{"subagent":{"thread_spawn":{"depth":1}}}}}"#,
        user("찾아라"),
        told("찾아라"),
    );
    let session = read(&text);
    assert!(session.head.child);
    assert_eq!(session.head.id.as_deref(), Some("kid"));
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
fn bare_files_and_documents() {
    let items = [
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\nCurrent working directory: /home/j\nApproval policy: x\n</environment_context>"}]}"#,
        r#"{"type":"message","role":"user","content":[{"type":"input_text","text":"추가해줘"}]}"#,
        r#"{"type":"function_call","id":"fc","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}"#,
        r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0}}"}"#,
    ];
    let bare = format!(
        "{}\n{}\n{}\n",
        r#"{"id":"old","timestamp":"2025-07-10T02:00:00.000Z","instructions":null,"git":{"branch":"main"}}"#,
        r#"{"record_type":"state"}"#,
        items.join("\n")
    );
    let document = format!(
        r#"{{"session":{{"id":"old","timestamp":"2025-05-10T02:00:00.000Z"}},"items":[{}]}}"#,
        items.join(",")
    );
    for text in [bare, document] {
        let session = read(&text);
        assert_eq!(human(&session), ["추가해줘"]);
        assert_eq!(calls(&session), ["shell:Ok"]);
        assert_eq!(session.head.cwd.as_deref(), Some("/home/j"));
        assert_eq!(session.head.id.as_deref(), Some("old"));
        assert!(session.head.input.unknown.is_empty());
    }
}

#[test]
fn typed_answers_are_words_chosen_ones_are_not() {
    let session = session(&[
        item(
            r#"{"type":"function_call","name":"request_user_input","arguments":"{\"questions\":[{\"id\":\"q\",\"options\":[{\"label\":\"왼쪽\"}]}]}","call_id":"c"}"#,
        ),
        item(
            r#"{"type":"function_call_output","call_id":"c","output":"{\"answers\":{\"q\":{\"answers\":[\"왼쪽\",\"user_note: 조금 더 크게\"]}}}"}"#,
        ),
    ]);
    assert_eq!(human(&session), ["조금 더 크게"]);
}

#[test]
fn a_patch_in_a_shell_is_told_by_its_event_too() {
    let call = item(
        r#"{"type":"function_call","name":"shell","call_id":"c","arguments":"{\"command\":[\"apply_patch\",\"*** Begin Patch\\n*** Delete File: a\\n*** End Patch\"]}"}"#,
    );
    let output = item(
        r#"{"type":"function_call_output","call_id":"c","output":"{\"output\":\"Done\",\"metadata\":{\"exit_code\":0}}"}"#,
    );
    let done = |success: bool| {
        event(&format!(
            r#"{{"type":"patch_apply_end","call_id":"c","success":{success},"changes":{{"a":{{"type":"delete"}}}}}}"#
        ))
    };
    let read = |lines: &[String]| calls(&session(lines));
    let [yes, no] = [done(true), done(false)];
    assert_eq!(
        read(&[call.clone(), output.clone(), no.clone()]),
        ["shell:Error"]
    );
    assert_eq!(read(&[call.clone(), no, output.clone()]), ["shell:Error"]);
    assert_eq!(read(&[call, output, yes]), ["shell:Ok"]);
}

#[test]
fn compactions_one_behind_the_other_are_two() {
    let compacted = |summary: &str| line("compacted", &format!(r#"{{"message":"{summary}"}}"#));
    let mirror = event(r#"{"type":"context_compacted"}"#);
    let read = |lines: &[String]| {
        let session = session(lines);
        let marks = session.entries.iter().filter_map(|e| e.mark.as_ref());
        let summary = |mark: &Mark<'_>| match mark {
            Mark::Compaction(c) => c.summary.as_deref().unwrap_or_default().to_owned(),
            _ => String::new(),
        };
        marks.map(summary).collect::<Vec<_>>()
    };
    let first = [user("고쳐줘"), told("고쳐줘"), answer("네")];
    let lines = [
        &first[..],
        &[
            compacted("하나"),
            mirror.clone(),
            compacted("둘"),
            mirror.clone(),
        ],
    ];
    assert_eq!(read(&lines.concat()), ["하나", "둘"]);
    let lines = [&first[..], &[mirror, compacted("하나")]];
    assert_eq!(read(&lines.concat()), ["하나"]);
}
