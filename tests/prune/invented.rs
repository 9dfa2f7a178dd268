//! Small sessions as a list of acts, written in the form of each agent.

use proptest::prelude::*;
use serde_json::{Value, json};

pub const FORMS: [&str; 5] = ["claude", "pi", "codex", "openai", "anthropic"];

#[derive(Debug, Clone)]
pub enum Act {
    Person(String),
    Picture,
    Agent(String),
    Read {
        path: u8,
        part: bool,
        lines: usize,
    },
    Write {
        path: u8,
        lines: usize,
    },
    Edit {
        path: u8,
        lines: usize,
        fails: bool,
    },
    Run {
        command: u8,
        lines: usize,
        fails: bool,
    },
    Commit(u8),
    Todos(u8),
    Screenshot,
    Pending,
    Refused,
    Damaged,
}

const PERSON: [&str; 6] = [
    "주문 취소 API의 재고 버그를 고쳐줘",
    "앞으로 커밋 메시지는 항상 한국어로 써줘",
    "Add a retry to the upload and test it",
    "로그를 보고 원인을 찾아줘",
    "never touch the migrations folder",
    "네, 계속해줘",
];
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=";

pub fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (0..PERSON.len()).prop_map(|n| Act::Person(PERSON[n].to_owned())),
        1 => Just(Act::Picture),
        2 => Just(Act::Agent("확인했습니다. 다음으로 넘어갑니다.".to_owned())),
        6 => (0u8..2, any::<bool>(), 0usize..40).prop_map(|(path, part, lines)| Act::Read { path, part, lines }),
        3 => (0u8..2, 0usize..30).prop_map(|(path, lines)| Act::Write { path, lines }),
        3 => (0u8..2, 0usize..20, any::<bool>()).prop_map(|(path, lines, fails)| Act::Edit { path, lines, fails }),
        5 => (0u8..3, 0usize..60, any::<bool>()).prop_map(|(command, lines, fails)| Act::Run { command, lines, fails }),
        2 => (0u8..9).prop_map(Act::Commit),
        1 => (0u8..3).prop_map(Act::Todos),
        2 => Just(Act::Screenshot),
        1 => Just(Act::Pending),
        1 => Just(Act::Refused),
        1 => Just(Act::Damaged),
    ];
    proptest::collection::vec(act, 1..24).prop_map(|mut acts| {
        acts.insert(0, Act::Person(PERSON[0].to_owned()));
        acts.push(Act::Agent("끝났습니다.".to_owned()));
        acts
    })
}

/// One session in which every strategy has something to do.
pub fn sample() -> Vec<Act> {
    vec![
        Act::Person(PERSON[0].to_owned()),
        Act::Picture,
        Act::Write { path: 0, lines: 30 },
        Act::Read {
            path: 0,
            part: false,
            lines: 30,
        },
        Act::Read {
            path: 0,
            part: false,
            lines: 30,
        },
        Act::Edit {
            path: 1,
            lines: 20,
            fails: true,
        },
        Act::Run {
            command: 0,
            lines: 60,
            fails: false,
        },
        Act::Agent("중간 보고입니다.".to_owned()),
        Act::Run {
            command: 0,
            lines: 60,
            fails: false,
        },
        Act::Edit {
            path: 0,
            lines: 20,
            fails: false,
        },
        Act::Screenshot,
        Act::Agent("하나 더 봅니다.".to_owned()),
        Act::Run {
            command: 1,
            lines: 60,
            fails: true,
        },
        Act::Agent("끝났습니다.".to_owned()),
    ]
}

fn lines(what: &str, n: usize) -> String {
    (0..n)
        .map(|i| format!("{what} {i} 번째 줄입니다\n"))
        .collect()
}

/// A call with its result, in no agent's form.
struct Call {
    name: [&'static str; 3],
    args: [Value; 3],
    result: Option<String>,
    failed: bool,
    image: bool,
}

fn call(act: &Act) -> Option<Call> {
    let path = |p: u8| format!("/w/src/파일{p}.rs");
    let ok = |name, args: [Value; 3], text: String| {
        Some(Call {
            name,
            args,
            result: Some(text),
            failed: false,
            image: false,
        })
    };
    match act {
        Act::Person(_) | Act::Picture | Act::Agent(_) | Act::Damaged => None,
        Act::Read {
            path: p,
            part,
            lines: n,
        } => {
            let claude = match part {
                true => json!({"file_path": path(*p), "offset": 1, "limit": 5}),
                false => json!({"file_path": path(*p)}),
            };
            let pi = match part {
                true => json!({"path": path(*p), "offset": 1, "limit": 5}),
                false => json!({"path": path(*p)}),
            };
            ok(
                ["Read", "read", "read_file"],
                [claude, pi.clone(), pi],
                lines("본문", *n),
            )
        }
        Act::Write { path: p, lines: n } => {
            let body = lines("내용", *n);
            ok(
                ["Write", "write", "write_file"],
                [
                    json!({"file_path": path(*p), "content": body}),
                    json!({"path": path(*p), "content": body}),
                    json!({"path": path(*p), "content": body}),
                ],
                format!("File created successfully at: {}", path(*p)),
            )
        }
        Act::Edit {
            path: p,
            lines: n,
            fails,
        } => {
            let (old, new) = (lines("예전", *n), lines("새것", *n));
            let mut call = ok(
                ["Edit", "edit", "edit_file"],
                [
                    json!({"file_path": path(*p), "old_string": old, "new_string": new}),
                    json!({"path": path(*p), "oldText": old, "newText": new}),
                    json!({"path": path(*p), "old_string": old, "new_string": new}),
                ],
                "The file has been updated.".to_owned(),
            )?;
            if *fails {
                call.failed = true;
                call.result = Some("String to replace not found in file.".to_owned());
            }
            Some(call)
        }
        Act::Run {
            command,
            lines: n,
            fails,
        } => {
            let command = ["./build.sh", "cargo test --all", "ls -la"]
                .get(*command as usize)?
                .to_string();
            let mut text = lines("출력", *n);
            if *fails {
                text.push_str("error: 빌드가 실패했습니다");
            }
            shell(&command, text, *fails)
        }
        Act::Commit(n) => shell(
            &format!("git add -A && git commit -m \"재고 수정 {n}\""),
            format!(
                "{}[main 1a2b3c{n}] 재고 수정 {n}\n 1 file changed, 2 insertions(+)\n",
                lines("훅", 20)
            ),
            false,
        ),
        Act::Todos(n) => {
            let todos = json!([{"content": format!("할 일 {n}"), "status": "pending", "activeForm": "하는 중"}]);
            ok(
                ["TodoWrite", "todo_write", "update_plan"],
                [
                    json!({"todos": todos}),
                    json!({"todos": todos}),
                    json!({"plan": [{"step": format!("할 일 {n}"), "status": "pending"}]}),
                ],
                "Todos have been modified successfully. ".repeat(8),
            )
        }
        Act::Screenshot => {
            let args = json!({"full": true});
            let mut call = ok(
                ["Screenshot", "screenshot", "screenshot"],
                [args.clone(), args.clone(), args],
                "captured".to_owned(),
            )?;
            call.image = true;
            Some(call)
        }
        Act::Pending => {
            let mut call = shell("sleep 100", String::new(), false)?;
            call.result = None;
            Some(call)
        }
        Act::Refused => {
            let text =
                "The user doesn't want to proceed with this tool use. The tool use was rejected.";
            shell(
                &format!("rm -rf build {}", "x ".repeat(80)),
                text.to_owned(),
                true,
            )
        }
    }
}

fn shell(command: &str, text: String, failed: bool) -> Option<Call> {
    let args = json!({"command": command});
    let codex = json!({"command": ["bash", "-lc", command]});
    Some(Call {
        name: ["Bash", "bash", "shell"],
        args: [args.clone(), args, codex],
        result: Some(text),
        failed,
        image: false,
    })
}

/// The session in that agent's form.
pub fn render(form: &str, acts: &[Act]) -> Vec<u8> {
    let mut out = Writer {
        form,
        lines: Vec::new(),
        last: None,
        calls: 0,
    };
    out.start();
    for act in acts {
        match (act, call(act)) {
            (Act::Person(text), _) => out.person(json!([{"type": "text", "text": text}])),
            (Act::Picture, _) => {
                out.person(json!([{"type": "text", "text": "이 그림을 봐줘"}, {"type": "image"}]))
            }
            (Act::Agent(text), _) => out.agent(text),
            (Act::Damaged, _) => out.lines.push("{\"type\": damaged".to_owned()),
            (_, Some(call)) => out.call(&call),
            _ => {}
        }
    }
    let mut text = out.lines.join("\n");
    text.push('\n');
    text.into_bytes()
}

struct Writer<'f> {
    form: &'f str,
    lines: Vec<String>,
    last: Option<String>,
    calls: u32,
}

impl Writer<'_> {
    fn start(&mut self) {
        match self.form {
            "pi" => self.lines.push(json!({"type": "session", "version": 3, "id": "s1", "timestamp": "2026-02-03T09:00:00.000Z", "cwd": "/w"}).to_string()),
            "codex" => self.lines.push(json!({"timestamp": "2026-02-03T09:00:00.000Z", "type": "session_meta", "payload": {"id": "s1", "timestamp": "2026-02-03T09:00:00.000Z", "cwd": "/w", "originator": "codex_cli_rs", "cli_version": "0.118.0", "source": "cli"}}).to_string()),
            _ => {}
        }
    }

    fn time(&self) -> String {
        let n = self.lines.len();
        format!("2026-02-03T09:{:02}:{:02}.000Z", n / 60, n % 60)
    }

    fn record(&mut self, role: &str, message: Value, side: Option<Value>) {
        let id = format!("e{:04}", self.lines.len());
        let parent = self.last.replace(id.clone());
        let time = self.time();
        let record = match self.form {
            "claude" => {
                let mut record = json!({"parentUuid": parent, "isSidechain": false, "cwd": "/w", "sessionId": "s1", "version": "2.1.9", "type": role, "message": message, "uuid": id, "timestamp": time});
                if let (Some(side), Some(record)) = (side, record.as_object_mut()) {
                    record.insert("toolUseResult".to_owned(), side);
                }
                record
            }
            "pi" => {
                json!({"type": "message", "id": id, "parentId": parent, "timestamp": time, "message": message})
            }
            "codex" => json!({"timestamp": time, "type": "response_item", "payload": message}),
            _ => message,
        };
        self.lines.push(record.to_string());
    }

    fn image(&self) -> Value {
        match self.form {
            "pi" => json!({"type": "image", "data": PNG, "mimeType": "image/png"}),
            "codex" => {
                json!({"type": "input_image", "image_url": format!("data:image/png;base64,{PNG}")})
            }
            "openai" => {
                json!({"type": "image_url", "image_url": {"url": format!("data:image/png;base64,{PNG}")}})
            }
            _ => {
                json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}})
            }
        }
    }

    /// Parts in the form's spelling.
    fn parts(&self, parts: Value) -> Value {
        let text = if self.form == "codex" {
            "input_text"
        } else {
            "text"
        };
        parts
            .as_array()
            .into_iter()
            .flatten()
            .map(|p| match p.get("text") {
                Some(t) => json!({"type": text, "text": t}),
                None => self.image(),
            })
            .collect()
    }

    fn person(&mut self, parts: Value) {
        let content = self.parts(parts);
        let message = match self.form {
            "codex" => json!({"type": "message", "role": "user", "content": content}),
            _ => json!({"role": "user", "content": content}),
        };
        self.record("user", message, None);
    }

    fn agent(&mut self, text: &str) {
        let n = self.lines.len();
        let message = match self.form {
            "claude" => {
                json!({"id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "text", "text": text}]})
            }
            "codex" => {
                json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]})
            }
            "openai" => json!({"role": "assistant", "content": text}),
            _ => json!({"role": "assistant", "content": [{"type": "text", "text": text}]}),
        };
        self.record("assistant", message, None);
    }

    fn call(&mut self, call: &Call) {
        self.calls += 1;
        let id = format!("call_{}", self.calls);
        let n = self.lines.len();
        let [claude, pi, codex] = &call.args;
        let [in_claude, in_pi, in_codex] = call.name;
        let message = match self.form {
            "claude" => {
                json!({"id": format!("msg_{n}"), "type": "message", "role": "assistant", "model": "claude-x", "content": [{"type": "tool_use", "id": id, "name": in_claude, "input": claude}]})
            }
            "anthropic" => {
                json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": in_claude, "input": claude}]})
            }
            "pi" => {
                json!({"role": "assistant", "content": [{"type": "toolCall", "id": id, "name": in_pi, "arguments": pi}], "stopReason": "toolUse"})
            }
            "codex" => {
                json!({"type": "function_call", "name": in_codex, "arguments": codex.to_string(), "call_id": id})
            }
            _ => {
                json!({"role": "assistant", "content": null, "tool_calls": [{"id": id, "type": "function", "function": {"name": in_pi, "arguments": pi.to_string()}}]})
            }
        };
        self.record("assistant", message, None);
        let Some(text) = &call.result else { return };
        let parts = || self.parts(json!([{"type": "text", "text": text}, {"type": "image"}]));
        let content = if call.image { parts() } else { json!(text) };
        let message = match self.form {
            "claude" | "anthropic" => {
                json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": content, "is_error": call.failed}]})
            }
            "pi" => {
                let content = if call.image {
                    content
                } else {
                    json!([{"type": "text", "text": text}])
                };
                json!({"role": "toolResult", "toolCallId": id, "toolName": in_pi, "content": content, "isError": call.failed, "details": {"diff": text}})
            }
            "codex" => {
                let code = i32::from(call.failed);
                let output = match (call.image, self.calls % 2) {
                    (true, _) => content,
                    (_, 0) => json!(json!({"output": text, "metadata": {"exit_code": code, "duration_seconds": 0.1}}).to_string()),
                    _ => json!(format!("Exit code: {code}\nWall time: 0.1 seconds\nOutput:\n{text}")),
                };
                json!({"type": "function_call_output", "call_id": id, "output": output})
            }
            _ => json!({"role": "tool", "tool_call_id": id, "content": content}),
        };
        let side = if call.failed {
            json!(format!("Error: {text}"))
        } else {
            json!({"stdout": text, "stderr": "", "interrupted": false})
        };
        self.record("user", message, Some(side));
    }
}
