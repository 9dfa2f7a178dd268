//! Promises of `compact prune`, over invented sessions in every form that is written back.

#[path = "prune/invented.rs"]
mod invented;

use compact::extract::extract;
use compact::prune::{self, Options, Plan, Report, Strategy, TurnUnit};
use compact::session::{Digest, Session};
use compact::transcript::read::read_bytes;
use invented::{Act, FORMS, acts, render};
use proptest::prelude::*;
use proptest::strategy::Strategy as _;
use serde_json::{Value, json};

fn session(bytes: &[u8]) -> Session {
    let mut digest = Digest::default();
    let head = read_bytes(bytes, &Default::default(), &mut digest).expect("readable");
    digest.finish(head)
}

fn pruned(bytes: &[u8], options: &Options) -> (Vec<u8>, Report) {
    let session = session(bytes);
    let plan = Plan::new(&session, options).expect("a plan");
    let mut out = Vec::new();
    let report = prune::write(
        session.head.family,
        &plan,
        options,
        &mut &bytes[..],
        &mut out,
    )
    .expect("a copy");
    (out, report)
}

/// Ids in the order of the file, with lines that are no JSON.
fn ids(bytes: &[u8]) -> Vec<String> {
    fn walk(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::Object(map) => {
                for (key, value) in map {
                    let id = matches!(
                        key.as_str(),
                        "id" | "tool_use_id"
                            | "toolCallId"
                            | "tool_call_id"
                            | "call_id"
                            | "uuid"
                            | "parentUuid"
                            | "parentId"
                            | "role"
                            | "type"
                            | "name"
                    );
                    match value.as_str() {
                        // An image's place is taken by text.
                        Some(
                            "image" | "text" | "input_image" | "input_text" | "base64"
                            | "image_url",
                        ) => {}
                        Some(text) if id => out.push(format!("{key}={text}")),
                        _ => walk(value, out),
                    }
                }
            }
            Value::Array(list) => list.iter().for_each(|v| walk(v, out)),
            _ => {}
        }
    }
    let mut out = Vec::new();
    for line in bytes.split(|b| *b == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => walk(&value, &mut out),
            Err(_) => out.push(String::from_utf8_lossy(line).into_owned()),
        }
    }
    out
}

/// What no strategy may change of what is known.
fn known(bytes: &[u8]) -> Value {
    let state = serde_json::to_value(extract(&session(bytes), compact::lexicon::Rules::builtin()))
        .expect("a state");
    let keys = [
        "goal",
        "earlier_requests",
        "scope_changes",
        "latest_request",
        "preferences",
        "commits",
        "todos",
        "turns",
    ];
    keys.iter()
        .map(|k| (*k).to_owned())
        .map(|k| {
            let value = state.get(&k).cloned().unwrap_or_default();
            (k, value)
        })
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn options() -> impl proptest::strategy::Strategy<Value = Options> {
    let some = proptest::sample::subsequence(Strategy::ALL.to_vec(), 1..=8);
    (
        some,
        0u32..4,
        any::<bool>(),
        0u32..3,
        prop_oneof![Just(40u64), Just(50_000)],
        any::<bool>(),
    )
        .prop_map(
            |(strategies, protect, aggressive, keep, cap, user)| Options {
                strategies,
                protect_turns: protect,
                aggressive,
                error_turns: 1,
                keep_rounds: keep,
                cap_tokens: cap,
                turn_unit: if user { TurnUnit::User } else { TurnUnit::Step },
                default_protection: !user,
                ..Options::default()
            },
        )
}

fn holds(acts: &[Act], options: &Options) -> Result<(), TestCaseError> {
    for form in FORMS {
        let bytes = render(form, acts);
        let (once, report) = pruned(&bytes, options);
        let context = format!("{form} {report:?}");
        prop_assert_eq!(report.bytes_in, bytes.len() as u64);
        prop_assert_eq!(report.bytes_out, once.len() as u64);
        prop_assert!(once.len() <= bytes.len(), "{}", context);
        prop_assert_eq!(ids(&bytes), ids(&once), "{}", context);
        prop_assert_eq!(known(&bytes), known(&once), "{}", context);
        if report.items.is_empty() {
            prop_assert_eq!(&bytes, &once);
        }
        let changed = bytes
            .split(|b| *b == b'\n')
            .zip(once.split(|b| *b == b'\n'))
            .filter(|(a, b)| a != b)
            .count();
        prop_assert!(changed <= 3 * report.items.len(), "{}", context);
        let (twice, again) = pruned(&once, options);
        prop_assert!(again.items.is_empty(), "{} then {:?}", context, again);
        prop_assert_eq!(once, twice, "{}", context);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_pruned_session_is_the_same_session(acts in acts(), options in options()) {
        holds(&acts, &options)?;
    }
}

#[test]
fn every_strategy_finds_something_in_every_form() {
    let acts = invented::sample();
    for form in FORMS {
        let bytes = render(form, &acts);
        for strategy in Strategy::ALL {
            // Chat messages have no error flag.
            if form == "openai" && strategy == Strategy::Errors {
                continue;
            }
            let options = Options {
                strategies: vec![strategy],
                protect_turns: 0,
                error_turns: 1,
                keep_rounds: 2,
                cap_tokens: 40,
                ..Options::default()
            };
            let (out, report) = pruned(&bytes, &options);
            assert!(
                !report.items.is_empty(),
                "{form} {} {}",
                strategy.name(),
                String::from_utf8_lossy(&bytes)
            );
            assert!(report.tokens_saved > 0, "{form} {}", strategy.name());
            assert!(out.len() < bytes.len());
        }
    }
}

#[test]
fn what_is_not_touched_stays_byte_for_byte() {
    let acts = invented::sample();
    for form in FORMS {
        let mut bytes = b"\xEF\xBB\xBF".to_vec();
        bytes.extend(render(form, &acts));
        bytes.extend(b"{\"cut\": \"off");
        let (out, report) = pruned(&bytes, &Options::default());
        assert!(report.changed > 0, "{form}");
        assert!(out.starts_with(b"\xEF\xBB\xBF"));
        assert!(out.ends_with(b"\n{\"cut\": \"off"));
    }
}

/// The same file read five times, its text long: a loop guard answers two, and blocks the rest.
#[test]
fn repeats_are_answered_once_however_often_it_is_pruned() {
    let read = Act::Read {
        path: 0,
        part: false,
        lines: 30,
    };
    let run = Act::Run {
        command: 0,
        lines: 60,
        fails: false,
    };
    let mut acts = vec![Act::Person("로그를 보고 원인을 찾아줘".to_owned())];
    for _ in 0..5 {
        acts.extend([read.clone(), run.clone()]);
    }
    acts.push(Act::Agent("끝났습니다.".to_owned()));
    use Strategy::*;
    let lists = [
        vec![Repeats],
        vec![Outputs, Repeats],
        vec![Repeats, Outputs],
        vec![Supersede, Repeats],
    ];
    for strategies in lists {
        let options = Options {
            strategies,
            aggressive: true,
            protect_turns: 0,
            keep_rounds: 6,
            ..Options::default()
        };
        holds(&acts, &options).expect("the same copy again");
    }
    // What the lines point to stays, whatever comes later.
    let with = |strategies: &[Strategy]| Options {
        strategies: strategies.to_vec(),
        protect_turns: 0,
        keep_rounds: 0,
        ..Options::default()
    };
    let (once, _) = pruned(&render("claude", &acts), &with(&[Repeats]));
    let (_, later) = pruned(&once, &with(&[Outputs]));
    let stays = ["#1", "#3"];
    assert!(!later.items.is_empty());
    for item in &later.items {
        let reference = item.reference.map(|r| r.to_string()).unwrap_or_default();
        assert!(!stays.contains(&reference.as_str()), "{reference}");
    }
}

/// A part of a file is told when a newer read shows all of its lines; an edit in between makes it another text.
#[test]
fn reads_inside_a_newer_one_are_told() {
    let read = |id: &str, offset: u64, limit: u64| {
        let text: String = (0..limit)
            .map(|n| format!("{} 번째 줄\n", offset + n))
            .collect();
        let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "Read",
            "input": {"file_path": "/w/a.rs", "offset": offset, "limit": limit}}]});
        let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
        format!("{call}\n{result}\n")
    };
    let told = |reads: &[String]| {
        let text = format!(
            "{}\n{}",
            json!({"role": "user", "content": "a.rs를 봐줘"}),
            reads.concat()
        );
        let (_, report) = pruned(text.as_bytes(), &Options::default());
        report.warnings.join(" ")
    };
    assert!(told(&[read("t1", 20, 30), read("t2", 1, 100)]).ends_with("holds their lines: #1"));
    assert_eq!(told(&[read("t1", 20, 30), read("t2", 30, 100)]), "");
    assert_eq!(told(&[read("t1", 1, 100), read("t2", 20, 30)]), "");
}

/// A result whose call is not in the file is told of and stays as it is.
#[test]
fn results_without_a_call_are_told() {
    let result = |id: &str| json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": "한 줄"}]});
    let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read",
        "input": {"file_path": "/w/a.rs"}}]});
    let asked = json!({"role": "user", "content": "a.rs를 봐줘"});
    let told = |lines: &[&Value]| {
        let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
        let (copy, report) = pruned(text.as_bytes(), &Options::default());
        assert_eq!(copy, text.as_bytes());
        report.warnings
    };
    assert_eq!(
        told(&[&asked, &call, &result("t1"), &result("t9")]),
        ["1 result without a call, copied as is"]
    );
    assert_eq!(told(&[&asked, &call, &result("t1")]), [""; 0]);
}

/// What a tool says of a file before and after an edit are two things, whatever the tool; of another file not.
#[test]
fn an_edit_of_the_file_keeps_both_answers() {
    let call = |id: &str, name: &str, input: Value, text: &str| {
        let call = json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": name, "input": input}]});
        let result = json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]});
        format!("{call}\n{result}\n")
    };
    let pruned_of = |edited: &str| {
        let long = "경고: 쓰이지 않는 변수가 있습니다. ".repeat(20);
        let asked = json!({"path": "/w/a.rs"});
        let text = [
            format!("{}\n", json!({"role": "user", "content": "경고를 없애줘"})),
            call("t1", "lsp_diagnostics", asked.clone(), &long),
            call(
                "e1",
                "Edit",
                json!({"file_path": edited, "old_string": "x", "new_string": "y"}),
                "updated",
            ),
            call("t2", "lsp_diagnostics", asked, &long),
        ];
        let options = Options {
            protect_turns: 0,
            ..Options::default()
        };
        let (_, report) = pruned(text.concat().as_bytes(), &options);
        report.items.len()
    };
    assert_eq!((pruned_of("/w/a.rs"), pruned_of("/w/b.rs")), (0, 1));
}

/// Data that is no base64 is told of; its marker says what is known, and no size.
#[test]
fn damaged_images_are_told() {
    let image = |data: &str| json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}});
    let told = |data: &str| {
        let result = json!({"type": "tool_result", "tool_use_id": "t1", "content": [image(data)]});
        let lines = [
            json!({"role": "user", "content": "이 화면을 고쳐줘"}),
            json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "Read",
                "input": {"file_path": "/w/a.png"}}]}),
            json!({"role": "user", "content": [result]}),
        ];
        let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
        let options = Options {
            strategies: vec![Strategy::Images],
            protect_turns: 0,
            ..Options::default()
        };
        let (copy, report) = pruned(text.as_bytes(), &options);
        (String::from_utf8_lossy(&copy).into_owned(), report.warnings)
    };
    let (copy, warnings) = told("그림 데이터가 깨졌습니다");
    assert!(copy.contains(r#""image attached: image/png""#), "{copy}");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let (copy, warnings) = told("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwC");
    assert!(
        copy.contains("1x1 image/png (1 KB)") && warnings.is_empty(),
        "{copy}"
    );
}

/// Codex writes a record for each part of a response and counts its tokens behind it: that is where a turn ends.
#[test]
fn a_count_of_tokens_ends_a_response_of_codex() {
    let record = |kind: &str, payload: Value| {
        format!(
            "{}\n",
            json!({"timestamp": "2026-01-05T09:00:00Z", "type": kind, "payload": payload})
        )
    };
    let item = |payload: Value| record("response_item", payload);
    let said = |role: &str, kind: &str, text: &str| {
        item(json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]}))
    };
    let run = |id: &str| {
        let call = item(
            json!({"type": "function_call", "name": "shell", "call_id": id,
            "arguments": r#"{"command":"make"}"#}),
        );
        let text = "빌드 기록 한 줄입니다\n".repeat(40);
        call + &item(json!({"type": "function_call_output", "call_id": id, "output": text}))
    };
    let pruned_of = |counts: bool| {
        let mut text = record("session_meta", json!({"id": "s1", "cwd": "/w"}))
            + &said("user", "input_text", "빌드를 고쳐줘")
            + &run("t1")
            + &run("t2");
        for n in 1..4 {
            text += &said("assistant", "output_text", "다음으로 넘어갑니다.");
            if counts {
                let usage =
                    json!({"input_tokens": 1000 * n, "output_tokens": 9, "total_tokens": 1009 * n});
                text += &record(
                    "event_msg",
                    json!({"type": "token_count",
                    "info": {"total_token_usage": usage, "last_token_usage": usage}}),
                );
            }
        }
        let (_, report) = pruned(text.as_bytes(), &Options::default());
        report.items.len()
    };
    // Three answers later the call is old enough; as one answer they are not.
    assert_eq!((pruned_of(true), pruned_of(false)), (1, 0));
}
