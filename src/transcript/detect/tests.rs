use super::*;

fn found(lines: &[&str]) -> Found {
    let head: Vec<Json<'_>> = lines.iter().map(|l| Json::parse(l).unwrap()).collect();
    decide(&head, head.len() == 1)
}

#[test]
fn agents_are_told_by_what_only_they_write() {
    use Family::*;
    let cases: &[(&[&str], Family)] = &[
        (
            &[
                r#"{"type":"session","id":"s","cwd":"/"}"#,
                r#"{"type":"message","id":"a"}"#,
            ],
            Pi,
        ),
        (
            &[
                r#"{"v":1,"type":"title"}"#,
                r#"{"type":"session","id":"s"}"#,
            ],
            Pi,
        ),
        (
            &[
                r#"{"type":"session","id":7}"#,
                r#"{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"a"}}"#,
            ],
            Pi,
        ),
        (&[r#"{"kind":"header","version":4}"#, "{}"], Pi),
        (
            &[
                r#"{"type":"mode","sessionId":"s"}"#,
                r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"content":"a"}}"#,
            ],
            ClaudeCode,
        ),
        (
            &[
                r#"{"uuid":"u","parentUuid":null,"sessionId":"s","type":"user","message":{"parts":[]}}"#,
                "{}",
            ],
            Qwen,
        ),
        (
            &[
                r#"{"timestamp":"t","type":"session_meta","payload":{}}"#,
                "{}",
            ],
            Codex,
        ),
        (
            &[r#"{"id":"i","timestamp":"t","instructions":null}"#, "{}"],
            Codex,
        ),
        // What is left of a file whose first line is damaged.
        (
            &[
                r#"{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"a"}]}"#,
                r#"{"record_type":"state"}"#,
            ],
            Codex,
        ),
        (
            &[
                r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"a"}}"#,
                r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"toolCall","id":"c"}]}}"#,
            ],
            Pi,
        ),
        (
            &[
                r#"{"type":"message","id":"a","parentId":null,"timestamp":"t","message":{"role":"user","content":"a"}}"#,
                r#"{"type":"message","id":"b","parentId":"a","timestamp":"t","message":{"role":"assistant","content":[{"type":"tool_use","id":"c"}]}}"#,
            ],
            Droid,
        ),
        (
            &[
                r#"{"timestamp":1.5,"message":{"type":"TurnBegin","payload":{"user_input":"a"}}}"#,
                "{}",
            ],
            Kimi,
        ),
        (
            &[
                r#"{"type":"context.append_message","time":1,"message":{"role":"user"}}"#,
                "{}",
            ],
            Kimi,
        ),
        (
            &[r#"{"info":{},"messages":[{"info":{},"parts":[]}]}"#],
            OpenCode,
        ),
        (
            &[r#"{"sessionId":"s","projectHash":"h","messages":[]}"#],
            Gemini,
        ),
        (&[r#"{"history":[{"role":"user","parts":[]}]}"#], Gemini),
        (&[r#"[{"role":"user","parts":[]}]"#], Gemini),
        (
            &[
                r#"{"id":"g","type":"gemini","content":"a"}"#,
                r#"{"$rewindTo":"g"}"#,
            ],
            Gemini,
        ),
        (
            &[r#"{"type":"session.start","data":{},"id":"e"}"#, "{}"],
            Copilot,
        ),
        (
            &[r#"{"type":"user.message","data":{},"id":"e"}"#, "{}"],
            Copilot,
        ),
        (
            &[r#"{"role":"user","message":{"content":[]}}"#, "{}"],
            Cursor,
        ),
        (
            &[r#"{"type":"metadata","protocol_version":"1.10"}"#, "{}"],
            Kimi,
        ),
        (
            &[
                r#"{"role": "_usage", "token_count": 18}"#,
                r#"{"role":"user","content":"a"}"#,
            ],
            Kimi,
        ),
        (&[r#"{"type":"session_start","id":"s"}"#, "{}"], Droid),
        (
            &[r#"{"id":"T-1","messages":[{"messageId":0,"role":"user"}]}"#],
            Amp,
        ),
        (
            &[r#"{"source":"cli","started_at":1.5,"messages":[]}"#],
            Hermes,
        ),
        (&[r#"[{"id":0,"action":"system"}]"#], OpenHands),
        (
            &[r#"{"kind":"MessageEvent","source":"user"}"#, "{}"],
            OpenHands,
        ),
        (&[r#"{"trajectory":[],"history":[],"info":{}}"#], SweAgent),
        (
            &[r#"{"trajectory_format":"mini-swe-agent-1.1","messages":[]}"#],
            MiniSweAgent,
        ),
        (
            &[
                r#"{"role":"user","content":"a"}"#,
                r#"{"role":"assistant","content":"b"}"#,
            ],
            OpenAi,
        ),
        (
            &[
                r#"{"role":"assistant","content":[{"type":"tool_use"}]}"#,
                "{}",
            ],
            Anthropic,
        ),
    ];
    for (lines, family) in cases {
        assert_eq!(found(lines), Found::Family(*family), "{lines:?}");
    }
    assert_eq!(found(&[r#"{"a":1}"#, r#"{"b":2}"#]), Found::Nothing);
}

#[test]
fn look_alikes_are_named_for_what_they_are() {
    let cases: &[(&[&str], &str)] = &[
        (
            &[
                r#"{"type":"session","id":"s"}"#,
                r#"{"type":"agent_start"}"#,
            ],
            "pi --mode json",
        ),
        (
            &[
                r#"{"type":"system","subtype":"hook_started","session_id":"s"}"#,
                "{}",
            ],
            "stream-json",
        ),
        (&[r#"{"type":"started","name":"flow"}"#, "{}"], "journal"),
        (
            &[r#"{"display":"a","project":"/p"}"#, "{}"],
            "prompt history",
        ),
        (
            &[r#"{"type":"thread.started","thread_id":"t"}"#, "{}"],
            "codex exec",
        ),
        (
            &[r#"{"session_id":"s","ts":1,"text":"a"}"#, "{}"],
            "prompt history",
        ),
        (
            &[r#"{"id":"i","thread_name":"n","updated_at":"t"}"#, "{}"],
            "index",
        ),
        (
            &[
                r#"{"type":"text","timestamp":1,"sessionID":"s","part":{}}"#,
                "{}",
            ],
            "opencode run",
        ),
        (
            &[r#"[{"sessionId":"s","messageId":0,"type":"user","message":"a"}]"#],
            "prompt log",
        ),
        (
            &[r#"{"type":"init","session_id":"s"}"#, "{}"],
            "streamed output",
        ),
        (&[r#"{"kind":0,"v":{}}"#, r#"{"kind":1}"#], "VS Code"),
    ];
    for (lines, part) in cases {
        match found(lines) {
            Found::NoSession(what) => assert!(what.contains(part), "{what}"),
            other => panic!("{lines:?}: {other:?}"),
        }
    }
}
