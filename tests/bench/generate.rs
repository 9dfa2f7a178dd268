//! Sessions of any size for measuring: invented text, the same bytes every time.
//!
//! Of the bytes, tool results are about a third, base64 images a quarter; the rest is Korean and English talk,
//! thinking, calls, copies of results in side data (Claude Code), and many small rows that say nothing.

use serde_json::{Value, json};
use std::io::{BufWriter, Result, Write};

/// Whose files are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agent {
    Claude,
    Pi,
    Codex,
}

impl Agent {
    pub fn name(self) -> &'static str {
        match self {
            Agent::Claude => "claude",
            Agent::Pi => "pi",
            Agent::Codex => "codex",
        }
    }
}

/// Classes of bytes with their shares in percent.
#[derive(Clone, Copy)]
enum Class {
    Result,
    Image,
    Korean,
    Said,
    Thinking,
    Call,
    Small,
}
const SHARES: [f64; 7] = [0.33, 0.25, 0.08, 0.12, 0.09, 0.10, 0.03];

/// Writes a session of about `bytes` bytes.
pub fn session(agent: Agent, bytes: u64, out: &mut dyn Write) -> Result<()> {
    one_of_many(agent, bytes, 0, 0, out)
}

/// Writes the session of that number: other words in another order, compacted `compactions` times on its way.
pub fn one_of_many(
    agent: Agent,
    bytes: u64,
    number: u64,
    compactions: u64,
    out: &mut dyn Write,
) -> Result<()> {
    let mut writer = Writer {
        agent,
        number,
        dice: Dice(0x9E37_79B9_7F4A_7C15 ^ (number << 32)),
        out: BufWriter::with_capacity(1 << 20, out),
        written: 0,
        seconds: 0,
        parent: None,
        spent: [0.0; 7],
        big: bytes >= 100_000_000,
        message: 0,
    };
    writer.head()?;
    let mut compacted = 0;
    while writer.written < bytes {
        writer.turn()?;
        if compacted < compactions && writer.written * (compactions + 1) > bytes * (compacted + 1) {
            writer.compaction()?;
            compacted += 1;
        }
    }
    writer.out.flush()
}

/// A small generator of pseudo-random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
    fn below(&mut self, n: usize) -> usize {
        (self.roll() % n as u64) as usize
    }
    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
    fn id(&mut self) -> String {
        format!("{:016x}{:08x}", self.roll(), self.roll() as u32)
    }
}

const KOREAN: &[&str] = &[
    "주문",
    "목록에서",
    "취소한",
    "항목을",
    "따로",
    "보여",
    "주도록",
    "바꿉니다",
    "재고가",
    "없으면",
    "버튼을",
    "막고",
    "서버",
    "응답을",
    "기다리는",
    "동안",
    "빈",
    "화면이",
    "나오지",
    "않게",
    "했습니다",
    "테스트는",
    "세",
    "개를",
    "더하고",
    "이름이",
    "긴",
    "상품은",
    "두",
    "줄로",
    "나눕니다",
    "설정",
    "파일은",
    "그대로",
    "둡니다",
    "로그인이",
    "풀리는",
    "문제는",
    "쿠키의",
    "수명",
    "때문입니다",
    "다음으로",
    "배포",
    "순서를",
    "정리하겠습니다",
];
const ENGLISH: &[&str] = &[
    "the", "order", "list", "keeps", "its", "filter", "when", "a", "row", "is", "closed", "and",
    "stock", "runs", "out", "while", "we", "wait", "for", "server", "so", "this", "branch", "adds",
    "three", "checks", "before", "writing", "cache", "entries", "that", "nobody", "reads",
    "parser", "returns", "early", "config", "stays", "as", "it", "was", "session", "cookie",
    "expires", "too", "soon",
];
const CODE: &[&str] = &[
    "    let total = rows.iter().map(|r| r.price).sum::<u64>();",
    "        if (order.state === \"closed\") { return null; }",
    "export function stockOf(id: string): number {",
    "    assert_eq!(parse(\"a\\tb\"), [\"a\", \"b\"]);",
    "\treturn fmt.Errorf(\"read %s: %w\", path, err)",
    "}",
    "",
    "    // 상품 이름은 두 줄까지만 보인다.",
    "  const label = t(\"cart.empty\");",
    "src/cart/list.ts:42:  filter: (row) => row.open,",
    "test cart::keeps_filter ... ok",
    "warning: unused variable: `old`",
];
const FILES: &[&str] = &[
    "src/cart/list.ts",
    "src/cart/row.ts",
    "src/stock/mod.rs",
    "src/stock/count.rs",
    "web/login.tsx",
    "web/app.css",
    "docs/배포.md",
    "tests/cart.rs",
    "server/main.go",
    "server/session.go",
];
const PROMPTS: &[&str] = &[
    "주문 목록에서 취소한 항목을 따로 보여 주세요.",
    "로그인이 자꾸 풀립니다. 원인을 찾아서 고쳐 주세요.",
    "Please add a test for the empty cart.",
    "앞으로 커밋 메시지는 한국어로 써 주세요.",
    "재고가 없을 때 버튼을 막아 주세요. 서버 응답이 늦어도 화면이 비지 않아야 합니다.",
    "Rename the stock helpers and keep the old names as aliases for now.",
    "네, 그렇게 진행해 주세요.",
];
const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

struct Writer<'o> {
    agent: Agent,
    /// Which session of many.
    number: u64,
    dice: Dice,
    out: BufWriter<&'o mut dyn Write>,
    written: u64,
    seconds: u64,
    parent: Option<String>,
    /// Bytes written of each class.
    spent: [f64; 7],
    big: bool,
    message: u64,
}

impl Writer<'_> {
    fn words(&mut self, list: &[&str], bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 32);
        while text.len() < bytes {
            for _ in 0..6 + self.dice.below(12) {
                text.push_str(self.dice.pick(list));
                text.push(' ');
            }
            text.pop();
            text.push_str(self.dice.pick(&[". ", ".\n", "\n\n", ". "]));
        }
        text
    }

    fn code(&mut self, bytes: usize) -> String {
        let mut text = String::with_capacity(bytes + 128);
        let mut line = 1;
        while text.len() < bytes {
            text.push_str(&format!("{line:>6}\t"));
            text.push_str(self.dice.pick(CODE));
            text.push('\n');
            line += 1;
        }
        text
    }

    /// A PNG header followed by noise.
    fn image(&mut self) -> String {
        let size = match self.big {
            true => (1 << 20) + self.dice.below(4 << 20),
            false => (100 << 10) + self.dice.below(400 << 10),
        };
        let mut data = b"iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAYAAAC6uhUN".to_vec();
        while data.len() < size {
            let mut bits = self.dice.roll();
            for _ in 0..10 {
                data.push(BASE64[(bits & 63) as usize]);
                bits >>= 6;
            }
        }
        data.truncate(data.len() / 4 * 4);
        String::from_utf8(data).unwrap_or_default()
    }

    fn time(&mut self) -> String {
        self.seconds += 1;
        let s = self.seconds;
        let (day, hour, minute) = (1 + s / 86_400 % 28, s / 3600 % 24, s / 60 % 60);
        let month = 1 + s / 86_400 / 28 % 12;
        format!(
            "2026-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}.000Z",
            s % 60
        )
    }

    /// Whether a class has had less than its share so far.
    fn behind(&self, class: Class) -> bool {
        self.spent[class as usize] < SHARES[class as usize] * self.written as f64
    }

    fn line(&mut self, record: &Value, class: Class) -> Result<()> {
        let text = serde_json::to_string(record)?;
        self.out.write_all(text.as_bytes())?;
        self.out.write_all(b"\n")?;
        self.written += text.len() as u64 + 1;
        self.spent[class as usize] += text.len() as f64 + 1.0;
        Ok(())
    }

    /// A record with the agent's envelope around it.
    fn record(&mut self, kind: &str, body: Value, class: Class) -> Result<()> {
        let (time, id) = (self.time(), self.dice.id());
        let mut record = match self.agent {
            Agent::Claude => {
                json!({"parentUuid": self.parent, "isSidechain": false, "userType": "external",
                "cwd": "/home/sora/shop", "sessionId": format!("7d1c3a52-0000-4000-8000-{:012x}", self.number), "version": "2.1.0",
                "gitBranch": "cart", "type": kind, "uuid": id, "timestamp": time})
            }
            Agent::Pi => {
                json!({"type": kind, "id": id, "parentId": self.parent, "timestamp": time})
            }
            Agent::Codex => json!({"timestamp": time, "type": kind}),
        };
        if let (Value::Object(record), Value::Object(body)) = (&mut record, body) {
            record.extend(body);
        }
        self.parent = Some(id);
        self.line(&record, class)
    }

    fn head(&mut self) -> Result<()> {
        match self.agent {
            Agent::Claude => Ok(()),
            Agent::Pi => {
                let time = self.time();
                let head = json!({"type": "session", "version": 3, "id": format!("019dfb1c-0000-7000-8000-{:012x}", self.number),
                    "timestamp": time, "cwd": "/home/sora/shop"});
                self.line(&head, Class::Small)
            }
            Agent::Codex => self.record(
                "session_meta",
                json!({"payload": {"id": format!("019eab52-0000-7000-8000-{:012x}", self.number), "cwd": "/home/sora/shop",
                    "originator": "codex_cli_rs", "cli_version": "0.124.0", "git": {"branch": "cart"}}}),
                Class::Small,
            ),
        }
    }

    fn turn(&mut self) -> Result<()> {
        let text = match self.behind(Class::Korean) {
            true => {
                let bytes = 500 + self.dice.below(2000);
                let prompt = self.dice.pick(PROMPTS);
                format!("{prompt}\n\n{}", self.words(KOREAN, bytes))
            }
            false => self.dice.pick(PROMPTS).to_owned(),
        };
        self.prompt(&text)?;
        for _ in 0..4 + self.dice.below(8) {
            self.step()?;
        }
        let list = if self.dice.below(2) == 0 {
            KOREAN
        } else {
            ENGLISH
        };
        let text = self.words(list, 300);
        self.answer(None, Some(text), Class::Said)
    }

    fn step(&mut self) -> Result<()> {
        while self.behind(Class::Small) {
            self.small()?;
        }
        if self.behind(Class::Thinking) {
            let bytes = 800 + self.dice.below(4000);
            let text = self.words(ENGLISH, bytes);
            self.answer(Some(text), None, Class::Thinking)?;
        }
        if self.behind(Class::Korean) {
            let bytes = 600 + self.dice.below(2000);
            let text = self.words(KOREAN, bytes);
            self.answer(None, Some(text), Class::Korean)?;
        }
        if self.behind(Class::Said) {
            let bytes = 600 + self.dice.below(4000);
            let text = self.words(ENGLISH, bytes);
            self.answer(None, Some(text), Class::Said)?;
        }
        if self.behind(Class::Image) {
            let data = self.image();
            return self.call(
                "Read",
                json!({"file_path": "/home/sora/shop/web/page.png"}),
                None,
                Some(data),
            );
        }
        let file = format!("/home/sora/shop/{}", self.dice.pick(FILES));
        if self.behind(Class::Call) {
            let bytes = 1000 + self.dice.below(8000);
            let content = self.code(bytes);
            let args = json!({"file_path": file, "content": content});
            return self.call("Write", args, Some("File written".to_owned()), None);
        }
        let bytes = match self.behind(Class::Result) {
            true => 4000 + self.dice.below(60_000),
            false => 40 + self.dice.below(400),
        };
        let shown = self.code(bytes);
        let word = self.dice.pick(ENGLISH);
        match self.dice.below(3) {
            0 => {
                let command = format!("cargo test {word} && git status --short");
                self.call("Bash", json!({"command": command}), Some(shown), None)
            }
            1 => self.call(
                "Grep",
                json!({"pattern": word, "path": file}),
                Some(shown),
                None,
            ),
            _ => self.call("Read", json!({"file_path": file}), Some(shown), None),
        }
    }

    fn prompt(&mut self, text: &str) -> Result<()> {
        match self.agent {
            Agent::Claude => self.record(
                "user",
                json!({"message": {"role": "user", "content": text}}),
                Class::Korean,
            ),
            Agent::Pi => self.record(
                "message",
                json!({"message": {"role": "user", "content": [{"type": "text", "text": text}]}}),
                Class::Korean,
            ),
            Agent::Codex => {
                let item = json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
                self.record("response_item", json!({"payload": item}), Class::Korean)?;
                self.record(
                    "event_msg",
                    json!({"payload": {"type": "user_message", "message": text, "images": []}}),
                    Class::Korean,
                )
            }
        }
    }

    /// The agent's message around blocks.
    fn assistant(&mut self, blocks: Value, class: Class) -> Result<()> {
        self.message += 1;
        let id = format!("msg_{:020}", self.message);
        match self.agent {
            Agent::Pi => self.record(
                "message",
                json!({"message": {"role": "assistant", "content": blocks, "provider": "anthropic",
                    "model": "claude-sonnet-4-5", "usage": {"input": 7, "output": 114, "cacheRead": 20_000,
                    "cacheWrite": 300, "totalTokens": 20_421}, "stopReason": "toolUse"}}),
                class,
            ),
            _ => self.record(
                "assistant",
                json!({"message": {"model": "claude-opus-4-6", "id": id, "type": "message", "role": "assistant",
                    "content": blocks, "stop_reason": null, "usage": {"input_tokens": 3,
                    "cache_creation_input_tokens": 16_319, "cache_read_input_tokens": 20_000, "output_tokens": 8}},
                    "requestId": "req_011"}),
                class,
            ),
        }
    }

    fn answer(
        &mut self,
        thinking: Option<String>,
        said: Option<String>,
        class: Class,
    ) -> Result<()> {
        if self.agent == Agent::Codex {
            let item = match (thinking, said) {
                (Some(text), _) => {
                    json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]})
                }
                (None, said) => json!({"type": "message", "role": "assistant",
                    "content": [{"type": "output_text", "text": said}]}),
            };
            return self.record("response_item", json!({"payload": item}), class);
        }
        let mut blocks = Vec::new();
        if let Some(text) = thinking {
            blocks.push(json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}));
        }
        if let Some(text) = said {
            blocks.push(json!({"type": "text", "text": text}));
        }
        self.assistant(Value::Array(blocks), class)
    }

    fn call(
        &mut self,
        name: &str,
        args: Value,
        shown: Option<String>,
        image: Option<String>,
    ) -> Result<()> {
        let id = format!("toolu_{}", self.dice.id());
        let class = match image {
            Some(_) => Class::Image,
            None => Class::Result,
        };
        let source =
            |data: &str| json!({"type": "base64", "media_type": "image/png", "data": data});
        match self.agent {
            Agent::Claude => {
                let block = json!({"type": "tool_use", "id": id, "name": name, "input": args});
                self.assistant(json!([block]), Class::Call)?;
                let content = match (&image, &shown) {
                    (Some(data), _) => json!([{"type": "image", "source": source(data)}]),
                    (None, shown) => json!(shown),
                };
                let side = match name {
                    // One result in ten is there twice.
                    "Read" if self.dice.below(4) == 0 && shown.is_some() => {
                        json!({"type": "text", "file": {"filePath": args["file_path"], "content": shown}})
                    }
                    "Bash" => json!({"stdout": "ok", "stderr": "", "interrupted": false}),
                    _ => json!({"type": "text"}),
                };
                let block = json!({"tool_use_id": id, "type": "tool_result", "content": content});
                self.record(
                    "user",
                    json!({"message": {"role": "user", "content": [block]}, "toolUseResult": side}),
                    class,
                )
            }
            Agent::Pi => {
                let name = name.to_ascii_lowercase();
                let mut args = args;
                if let Some(path) = args.get("file_path").cloned() {
                    args["path"] = path;
                }
                let block = json!({"type": "toolCall", "id": id, "name": name, "arguments": args});
                self.assistant(json!([block]), Class::Call)?;
                let content = match (&image, &shown) {
                    (Some(data), _) => {
                        json!([{"type": "image", "data": data, "mimeType": "image/png"}])
                    }
                    (None, shown) => json!([{"type": "text", "text": shown}]),
                };
                self.record(
                    "message",
                    json!({"message": {"role": "toolResult", "toolCallId": id, "toolName": name, "content": content,
                        "isError": false}}),
                    class,
                )
            }
            Agent::Codex => {
                let (name, args) = match name {
                    "Write" => ("shell", json!({"command": ["apply_patch", patch(&args)]})),
                    "Bash" => (
                        "shell",
                        json!({"command": ["bash", "-lc", args["command"]]}),
                    ),
                    _ => ("shell", json!({"command": ["cat", args["file_path"]]})),
                };
                let item = json!({"type": "function_call", "name": name, "arguments": args.to_string(), "call_id": id});
                self.record("response_item", json!({"payload": item}), Class::Call)?;
                let output = match (&image, &shown) {
                    (Some(data), _) => {
                        json!([{"type": "input_image", "image_url": format!("data:image/png;base64,{data}")}])
                    }
                    (None, shown) => json!(format!(
                        "Exit code: 0\nWall time: 0.4 seconds\nOutput:\n{}",
                        shown.as_deref().unwrap_or_default()
                    )),
                };
                let item = json!({"type": "function_call_output", "call_id": id, "output": output});
                self.record("response_item", json!({"payload": item}), class)
            }
        }
    }

    /// What the agent writes when it makes room.
    fn compaction(&mut self) -> Result<()> {
        let summary = self.words(KOREAN, 1500);
        match self.agent {
            Agent::Claude => {
                let last = self.parent.take();
                let mark = json!({"subtype": "compact_boundary", "logicalParentUuid": last,
                    "content": "Conversation compacted", "isMeta": false, "level": "info",
                    "compactMetadata": {"trigger": "auto", "preTokens": 160_000}});
                self.record("system", mark, Class::Small)?;
                let text = format!(
                    "This session is being continued from a previous conversation that ran out of context. \
                     The conversation is summarized below:\n\n{summary}"
                );
                let row = json!({"message": {"role": "user", "content": text},
                    "isVisibleInTranscriptOnly": true, "isCompactSummary": true});
                self.record("user", row, Class::Korean)
            }
            Agent::Pi => {
                let row = json!({"summary": summary, "firstKeptEntryId": self.parent, "tokensBefore": 160_000,
                    "details": {"readFiles": [], "modifiedFiles": ["src/cart/list.ts"]}});
                self.record("compaction", row, Class::Korean)
            }
            Agent::Codex => {
                let kept = json!([{"type": "message", "role": "user",
                    "content": [{"type": "input_text", "text": summary}]}]);
                let row = json!({"payload": {"message": summary, "replacement_history": kept}});
                self.record("compacted", row, Class::Korean)
            }
        }
    }

    /// A row that says nothing.
    fn small(&mut self) -> Result<()> {
        match self.agent {
            Agent::Claude => {
                let data =
                    json!({"data": {"type": "hook_progress", "hookName": "PostToolUse:Read"}});
                self.record("progress", data, Class::Small)
            }
            Agent::Pi => self.record(
                "custom",
                json!({"customType": "timer", "data": {"ms": 12}}),
                Class::Small,
            ),
            Agent::Codex => {
                let usage = json!({"input_tokens": 20_000, "cached_input_tokens": 19_000, "output_tokens": 90,
                    "reasoning_output_tokens": 0, "total_tokens": 20_090});
                let info = json!({"total_token_usage": usage, "last_token_usage": usage, "model_context_window": 258_400});
                self.record(
                    "event_msg",
                    json!({"payload": {"type": "token_count", "info": info}}),
                    Class::Small,
                )
            }
        }
    }
}

/// A file's content as a patch that adds it.
fn patch(args: &Value) -> String {
    let text = |key: &str| args.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut patch = format!("*** Begin Patch\n*** Add File: {}\n", text("file_path"));
    for line in text("content").lines() {
        patch.push('+');
        patch.push_str(line);
        patch.push('\n');
    }
    patch + "*** End Patch\n"
}
