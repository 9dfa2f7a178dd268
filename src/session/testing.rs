//! Invented sessions for unit tests: written as Claude Code records and read like any file.

use super::{Digest, Session};
use crate::transcript::{Options, read::read_bytes};
use serde_json::{Value, json};

/// The session in this JSON Lines text, of any format.
pub fn session(jsonl: &str) -> Session {
    let mut digest = Digest::default();
    let head = read_bytes(jsonl.as_bytes(), &Options::default(), &mut digest)
        .expect("the invented session is readable");
    digest.finish(head)
}

/// A conversation written turn by turn. Every method is one record, so numbers count calls of methods from 0
/// (`run` and `edit` are two: the call and its result).
pub struct Talk {
    lines: Vec<String>,
    cwd: String,
    call: usize,
}

impl Talk {
    /// A conversation in that working directory.
    pub fn in_dir(cwd: &str) -> Talk {
        Talk {
            lines: Vec::new(),
            cwd: cwd.to_owned(),
            call: 0,
        }
    }

    /// From here on the records have another working directory.
    pub fn cd(mut self, cwd: &str) -> Talk {
        cwd.clone_into(&mut self.cwd);
        self
    }

    fn record(mut self, kind: &str, message: Value, side: Option<Value>) -> Talk {
        let n = self.lines.len();
        let mut record = json!({
            "parentUuid": n.checked_sub(1).map(|p| format!("u{p}")), "isSidechain": false, "userType": "external",
            "cwd": self.cwd, "sessionId": "s1", "version": "2.1.9", "gitBranch": "main", "type": kind,
            "uuid": format!("u{n}"), "timestamp": format!("2026-01-05T09:{:02}:{:02}.000Z", n / 60 % 60, n % 60),
            "message": message,
        });
        if let (Some(side), Some(object)) = (side, record.as_object_mut()) {
            object.insert("toolUseResult".to_owned(), side);
        }
        self.lines.push(record.to_string());
        self
    }

    /// A person says something.
    pub fn person(self, text: &str) -> Talk {
        self.record("user", json!({"role": "user", "content": text}), None)
    }

    /// The agent says something.
    pub fn agent(self, text: &str) -> Talk {
        let id = format!("msg_{}", self.lines.len());
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-x",
            "content": [{"type": "text", "text": text}]});
        self.record("assistant", message, None)
    }

    /// The agent calls a tool; `ok`, `fails` or `result` answers the last call.
    pub fn call(mut self, tool: &str, args: Value) -> Talk {
        self.call += 1;
        let id = format!("msg_{}", self.lines.len());
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "claude-x",
            "content": [{"type": "tool_use", "id": format!("t{}", self.call), "name": tool, "input": args}]});
        self.record("assistant", message, None)
    }

    /// The last call's result, with its side data (`toolUseResult`).
    pub fn result(self, text: &str, failed: bool, side: Option<Value>) -> Talk {
        let content = json!([{"type": "tool_result", "tool_use_id": format!("t{}", self.call), "content": text, "is_error": failed}]);
        self.record("user", json!({"role": "user", "content": content}), side)
    }

    pub fn ok(self, text: &str) -> Talk {
        self.result(text, false, None)
    }

    pub fn fails(self, text: &str) -> Talk {
        self.result(text, true, None)
    }

    /// A shell command that worked.
    pub fn run(self, command: &str, output: &str) -> Talk {
        self.call("Bash", json!({ "command": command })).ok(output)
    }

    /// A shell command that failed.
    pub fn run_fails(self, command: &str, output: &str) -> Talk {
        self.call("Bash", json!({ "command": command }))
            .fails(output)
    }

    /// An edit that worked.
    pub fn edit(self, path: &str) -> Talk {
        self.call(
            "Edit",
            json!({"file_path": path, "old_string": "a", "new_string": "b"}),
        )
        .ok("The file has been updated.")
    }

    pub fn jsonl(&self) -> String {
        self.lines.join("\n") + "\n"
    }

    pub fn session(&self) -> Session {
        session(&self.jsonl())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_written_talk_is_read_back() {
        let session = Talk::in_dir("/w")
            .person("고쳐줘")
            .run("ls", "a.rs")
            .agent("끝")
            .session();
        assert_eq!(session.entries.len(), 4);
        assert_eq!(session.steps().count(), 1);
        assert!(session.steps().all(|s| s.outcome.is_some()));
    }
}
