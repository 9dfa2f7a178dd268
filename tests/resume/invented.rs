//! Invented sessions of three agents, step by step: talk, commands, edits, renames, commits, lists, rewinds,
//! compactions, calls that were interrupted, requests that were taken back.

use proptest::prelude::*;
use serde_json::{Value, json};

/// What happens next.
#[derive(Debug, Clone)]
pub enum Step {
    Say(usize),
    Answer(usize),
    Run(usize, usize),
    Edit(usize, bool),
    Read(usize),
    Todo(usize),
    /// A call that nothing answers.
    Cut(usize),
    Compact(bool),
    /// Back by so many messages of the person.
    Rewind(usize),
    Title(usize),
    /// A line that is no record.
    Noise(usize),
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        6 => (0..SAID.len()).prop_map(Step::Say),
        6 => (0..ANSWERS.len()).prop_map(Step::Answer),
        6 => (0..RUNS.len(), 0..3usize).prop_map(|(run, end)| Step::Run(run, end)),
        3 => (0..FILES.len(), any::<bool>()).prop_map(|(file, ok)| Step::Edit(file, ok)),
        2 => (0..FILES.len()).prop_map(Step::Read),
        2 => (0..6usize).prop_map(Step::Todo),
        1 => (0..RUNS.len()).prop_map(Step::Cut),
        1 => any::<bool>().prop_map(Step::Compact),
        1 => (1..4usize).prop_map(Step::Rewind),
        1 => (0..4usize).prop_map(Step::Title),
        1 => (0..3usize).prop_map(Step::Noise),
    ];
    prop::collection::vec(step, 8..70)
}

const SAID: &[&str] = &[
    "환불 화면에서 합계가 두 번 더해집니다. 고쳐 주세요.",
    "Please add a test for the empty cart.",
    "앞으로 커밋 메시지는 한국어로 써 주세요.",
    "커밋 메시지 한국어 규칙은 취소할게요. 이제 영어로 써도 됩니다.",
    "네, 진행해 주세요.",
    "계획을 바꿔서 로그인부터 합시다. 쿠키 수명을 늘려 주세요.",
    "배포가 안 됩니다. 서버에 접속 권한이 없습니다.",
    "ok",
    "왜 빌드가 느린지 알아봐 줄래요?",
    "Rename the stock helpers.\nKeep the old names as aliases.\nNever touch the lock file.",
    "방금 건 취소. 그대로 두세요.",
    "api key는 sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-abcdefghijklmnop 입니다. 확인해 주세요.",
];
const ANSWERS: &[&str] = &[
    "합계는 `cart.rs`에서 한 번만 더하도록 고쳤습니다.\n\n테스트 12개가 통과했습니다.",
    "The cache is stale because the lock file was never written.",
    "운영 서버에 권한이 없어 배포가 막혀 있습니다.",
    "다음으로 로그인을 볼까요?",
    "먼저 파일을 읽겠습니다.",
    "| a | b |\n|---|---|\n| 1 | 2 |\n\nDone in 3 steps: see https://example.com/a/b.",
];
const RUNS: &[(&str, &str, &str)] = &[
    (
        "cargo test",
        "test result: ok. 3 passed; 0 failed",
        "test cart ... FAILED\nerror: test failed\ntest result: FAILED. 2 passed; 1 failed",
    ),
    (
        "git commit -m 'fix: total'",
        "[main 1a2b3c4] fix: total\n 1 file changed",
        "nothing to commit",
    ),
    (
        "git commit --amend -m 'fix: totals'",
        "[main 5d6e7f8] fix: totals\n 1 file changed",
        "nothing to amend",
    ),
    ("git mv src/cart.rs src/basket.rs", "", "fatal: bad source"),
    ("git reset --soft HEAD~1", "", "fatal: ambiguous argument"),
    (
        "npm run build",
        "built in 3s",
        "npm ERR! missing script: build",
    ),
    ("rm docs/old.md", "", "rm: cannot remove 'docs/old.md'"),
    (
        "git push",
        "To example.com\n   1a2b3c4..5d6e7f8  main -> main",
        "error: failed to push some refs; the remote holds work you do not have",
    ),
];
const FILES: &[&str] = &[
    "src/cart.rs",
    "src/basket.rs",
    "docs/배포.md",
    "web/app.css",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Pi,
    Codex,
}

/// The session file, a line a record.
pub fn written(agent: Agent, steps: &[Step]) -> Vec<String> {
    let mut file = File {
        agent,
        lines: Vec::new(),
        tip: None,
        ids: 0,
        calls: 0,
        turns: Vec::new(),
    };
    match agent {
        Agent::Claude => {}
        Agent::Pi => file
            .lines
            .push(json!({"type": "session", "version": 3, "id": "s1", "cwd": "/w"}).to_string()),
        Agent::Codex => file.bare(
            "session_meta",
            json!({"id": "s1", "cwd": "/w", "git": {"branch": "main"}}),
        ),
    }
    file.step(&Step::Say(0));
    for step in steps {
        file.step(step);
    }
    file.lines
}

struct File {
    agent: Agent,
    lines: Vec<String>,
    /// Id of the last record of the conversation.
    tip: Option<String>,
    ids: usize,
    calls: usize,
    /// What each turn of the person hangs on.
    turns: Vec<Option<String>>,
}

impl File {
    fn time(&self) -> String {
        let n = self.lines.len();
        format!(
            "2026-01-05T{:02}:{:02}:{:02}.000Z",
            9 + n / 3600,
            n / 60 % 60,
            n % 60
        )
    }

    fn record(&mut self, kind: &str, body: Value) {
        self.ids += 1;
        let id = format!("r{}", self.ids);
        let mut record = match self.agent {
            Agent::Claude => {
                json!({"parentUuid": self.tip, "isSidechain": false, "cwd": "/w", "sessionId": "s1",
                "gitBranch": "main", "type": kind, "uuid": id, "timestamp": self.time()})
            }
            _ => json!({"type": kind, "id": id, "parentId": self.tip, "timestamp": self.time()}),
        };
        if let (Value::Object(record), Value::Object(body)) = (&mut record, body) {
            record.extend(body);
        }
        self.tip = Some(id);
        self.lines.push(record.to_string());
    }

    fn bare(&mut self, kind: &str, payload: Value) {
        let line = json!({"timestamp": self.time(), "type": kind, "payload": payload});
        self.lines.push(line.to_string());
    }

    fn answer(&mut self, block: Value) {
        let n = self.lines.len();
        match self.agent {
            Agent::Claude => self.record("assistant", json!({"message": {"id": format!("m{}", n / 2), "role": "assistant",
                "model": "claude-x", "content": [block], "usage": {"input_tokens": 100 + n, "output_tokens": 5}}})),
            Agent::Pi => self.record("message", json!({"message": {"role": "assistant", "content": [block],
                "model": "claude-x", "usage": {"input": 100 + n, "output": 5}}})),
            Agent::Codex => {
                self.bare("response_item", block);
                let used = json!({"input_tokens": 100 + n, "output_tokens": 5, "total_tokens": 105 + n});
                let info = json!({"last_token_usage": used, "total_token_usage": used, "model_context_window": 200_000});
                self.bare("event_msg", json!({"type": "token_count", "info": info}));
            }
        }
    }

    fn call(&mut self, name: &str, args: Value) -> String {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let block = match self.agent {
            Agent::Claude => json!({"type": "tool_use", "id": id, "name": name, "input": args}),
            Agent::Pi => {
                json!({"type": "toolCall", "id": id, "name": name.to_lowercase(), "arguments": args})
            }
            Agent::Codex => {
                json!({"type": "function_call", "call_id": id, "name": name, "arguments": args.to_string()})
            }
        };
        self.answer(block);
        id
    }

    fn result(&mut self, id: &str, text: &str, failed: bool) {
        match self.agent {
            Agent::Claude => {
                let block = json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": failed});
                self.record("user", json!({"message": {"role": "user", "content": [block]}, "toolUseResult": {"stdout": text}}));
            }
            Agent::Pi => self.record(
                "message",
                json!({"message": {"role": "toolResult", "toolCallId": id,
                "content": [{"type": "text", "text": text}], "isError": failed}}),
            ),
            Agent::Codex => {
                let output = format!(
                    "Exit code: {}\nWall time: 0.1 seconds\nOutput:\n{text}",
                    u8::from(failed)
                );
                self.bare(
                    "response_item",
                    json!({"type": "function_call_output", "call_id": id, "output": output}),
                );
            }
        }
    }

    fn run(&mut self, command: &str) -> String {
        match self.agent {
            Agent::Codex => self.call("shell", json!({"command": ["bash", "-lc", command]})),
            _ => self.call("Bash", json!({"command": command})),
        }
    }

    fn say(&mut self, text: &str) {
        self.turns.push(self.tip.clone());
        match self.agent {
            Agent::Claude => self.record(
                "user",
                json!({"message": {"role": "user", "content": text}}),
            ),
            Agent::Pi => self.record(
                "message",
                json!({"message": {"role": "user", "content": text}}),
            ),
            Agent::Codex => {
                let item = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
                self.bare("response_item", item);
                self.bare(
                    "event_msg",
                    json!({"type": "user_message", "message": text}),
                );
            }
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Say(n) => self.say(SAID[n]),
            Step::Answer(n) => {
                let text = ANSWERS[n];
                self.answer(match self.agent {
                    Agent::Codex => json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}),
                    _ => json!({"type": "text", "text": text}),
                });
            }
            Step::Run(n, end) => {
                let (command, good, bad) = RUNS[n];
                let id = self.run(command);
                self.result(&id, if end == 0 { bad } else { good }, end == 0);
            }
            Step::Edit(n, ok) if self.agent == Agent::Codex => {
                let patch = format!(
                    "*** Begin Patch\n*** Update File: {}\n@@\n-a\n+b\n*** End Patch",
                    FILES[n]
                );
                let id = self.call("shell", json!({"command": ["apply_patch", patch]}));
                self.result(
                    &id,
                    if ok {
                        "Success"
                    } else {
                        "apply_patch verification failed: no such line"
                    },
                    !ok,
                );
            }
            Step::Edit(n, ok) => {
                let id = self.call("Edit", json!({"file_path": FILES[n], "path": FILES[n], "old_string": "a", "new_string": "b"}));
                self.result(
                    &id,
                    if ok {
                        "The file has been updated."
                    } else {
                        "String to replace not found in file."
                    },
                    !ok,
                );
            }
            Step::Read(n) => {
                let id = match self.agent {
                    Agent::Codex => self.run(&format!("cat {}", FILES[n])),
                    _ => self.call("Read", json!({"file_path": FILES[n], "path": FILES[n]})),
                };
                self.result(&id, "1\tlet a = 1;", false);
            }
            Step::Todo(n) => self.todo(n),
            Step::Cut(n) => drop(self.run(RUNS[n].0)),
            Step::Compact(auto) => self.compact(auto),
            Step::Rewind(n) => {
                let keep = self.turns.len().saturating_sub(n);
                if keep == 0 {
                    return;
                }
                match self.agent {
                    Agent::Codex => self.bare(
                        "event_msg",
                        json!({"type": "thread_rolled_back", "num_turns": n}),
                    ),
                    _ => self.tip = self.turns[keep].clone(),
                }
                self.turns.truncate(keep);
            }
            Step::Title(n) => match self.agent {
                Agent::Claude => self.lines.push(
                    json!({"type": "custom-title", "customTitle": format!("제목 {n}")}).to_string(),
                ),
                Agent::Pi => self.record("session_info", json!({"name": format!("제목 {n}")})),
                Agent::Codex => self.bare(
                    "event_msg",
                    json!({"type": "thread_name_updated", "name": format!("제목 {n}")}),
                ),
            },
            Step::Noise(n) => self
                .lines
                .push(["", "{\"type\":\"workflow\"}", "{broken"][n].to_owned()),
        }
    }

    fn todo(&mut self, n: usize) {
        let status = |i: usize| ["completed", "in_progress", "pending"][(i + n) % 3];
        let items: Vec<Value> = (0..n % 4)
            .map(|i| json!({"content": format!("할 일 {i}"), "step": format!("할 일 {i}"), "status": status(i)}))
            .collect();
        let id = match self.agent {
            Agent::Codex => self.call("update_plan", json!({"plan": items})),
            _ => self.call("TodoWrite", json!({"todos": items})),
        };
        self.result(&id, "ok", false);
    }

    fn compact(&mut self, auto: bool) {
        let summary = "## Session Goal\n- 환불 화면\n\nThe work so far was about totals.";
        match self.agent {
            Agent::Claude => {
                let (hangs, trigger) = (self.tip.take(), if auto { "auto" } else { "manual" });
                self.record(
                    "system",
                    json!({"subtype": "compact_boundary", "logicalParentUuid": hangs,
                    "compactMetadata": {"trigger": trigger, "preTokens": 9000}}),
                );
                self.record("user", json!({"isCompactSummary": true, "message": {"role": "user", "content": summary}}));
            }
            Agent::Pi => self.record(
                "compaction",
                json!({"summary": summary, "tokensBefore": 9000}),
            ),
            Agent::Codex => self.bare("compacted", json!({"message": summary})),
        }
    }
}
