use super::*;
use std::io::Write;

fn tail(lines: &[&str], since: Option<u64>) -> Tail {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(lines.join("\n").as_bytes())
        .expect("a written file");
    look(file.path(), since).expect("a readable file")
}

fn answer(tokens: u64) -> String {
    format!(
        r#"{{"type":"assistant","message":{{"model":"claude-x","usage":{{"input_tokens":5,"cache_read_input_tokens":{}}}}}}}"#,
        tokens - 5
    )
}

const COMPACTED: &str =
    r#"{"type":"system","subtype":"compact_boundary","compactMetadata":{"preTokens":9}}"#;

#[test]
fn the_newest_reading_is_found_behind_large_and_odd_lines() {
    let big = format!(r#"{{"type":"user","usage":"{}"}}"#, "로그 ".repeat(60_000));
    let quoted = format!(r#"{{"type":"user","text":{:?}}}"#, answer(999));
    let lines = [
        &answer(100),
        &answer(200),
        r#"{"type":"assistant","isSidechain":true,"message":{"model":"m","usage":{"input_tokens":7}}}"#,
        r#"{"type":"assistant","message":{"model":"<synthetic>","usage":{"input_tokens":7}}}"#,
        r#"{"type":"assistant","message":{"model":"m","usage":{"input_tokens":0}}}"#,
        &quoted,
        &big,
        r#"{"type":"assistant","message":{"usage":{"input_tok"#,
    ];
    let found = tail(&lines, None);
    assert_eq!(found.tokens, Some(200));
    assert_eq!(found.model, "claude-x");
    assert!(!found.compacted);
}

#[test]
fn a_compaction_makes_what_was_before_stale() {
    let before = answer(100);
    let found = tail(&[&before, COMPACTED], Some(0));
    assert_eq!((found.tokens, found.compacted), (None, true));
    let after = answer(30);
    let found = tail(&[&before, COMPACTED, &after], Some(before.len() as u64 + 1));
    assert_eq!((found.tokens, found.compacted), (Some(30), true));
    let known = (before.len() + COMPACTED.len() + 2) as u64;
    let found = tail(&[&before, COMPACTED, &after], Some(known));
    assert_eq!((found.tokens, found.compacted), (Some(30), false));
}

#[test]
fn the_model_of_a_compaction_is_the_one_before_it() {
    let after =
        r#"{"type":"system","subtype":"compact_boundary","compactMetadata":{"postTokens":80}}"#;
    let found = tail(&[&answer(100), COMPACTED, after], None);
    assert_eq!((found.tokens, found.model.as_str()), (Some(80), "claude-x"));
    assert_eq!(tail(&[after], None).tokens, Some(80));
}

#[test]
fn a_count_that_codex_prints_again_after_a_compaction_is_stale() {
    let count = |input, total| {
        format!(
            r#"{{"type":"event_msg","payload":{{"type":"token_count","info":{{"total_token_usage":{{"total_tokens":{total}}},"last_token_usage":{{"input_tokens":{input}}},"model_context_window":272000}}}}}}"#
        )
    };
    let compacted = r#"{"type":"compacted","payload":{"message":"s"}}"#;
    assert_eq!(
        tail(&[&count(9, 50), compacted, &count(9, 50)], None).tokens,
        None
    );
    let left = r#"{"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"input_tokens":0,"total_tokens":17}}}}"#;
    assert_eq!(
        tail(&[&count(9, 50), compacted, left], None).tokens,
        Some(17)
    );
    let found = tail(&[&count(9, 50), compacted, &count(4, 60)], None);
    assert_eq!((found.tokens, found.window), (Some(4), Some(272_000)));
    assert_eq!(
        tail(&[&count(7, 50), &count(9, 60), &count(9, 60)], None).tokens,
        Some(9)
    );
}

#[test]
fn a_longer_prompt_is_found_wherever_it_stands() {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    let lines = [answer(250_000), COMPACTED.to_owned(), answer(160_000)];
    file.write_all(lines.join("\n").as_bytes())
        .expect("a written file");
    let found = |tokens, since| above(file.path(), tokens, since).expect("a readable file");
    assert_eq!(
        (found(200_000, 0), found(250_000, 0)),
        (Some(250_000), None)
    );
    assert_eq!(found(200_000, 1), None);
}

#[test]
fn nothing_in_nothing_out() {
    assert_eq!(tail(&[], Some(0)), Tail::default());
    assert_eq!(tail(&["no json", "{"], None).tokens, None);
}
