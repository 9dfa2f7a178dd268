//! SWE-agent's and mini-SWE-agent's trajectories: one document a run (FORMATS 11.9).

use super::Format;
use super::shared::{args, call, exit, joined, number, result, some, text};
use crate::json::{self, Json};
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Block, Call, Desk, Entry, Kind, Status, Usage, Voice};
use std::borrow::Cow;

/// Reader of `*.traj`: the task from the history, the work from the steps.
#[derive(Default)]
pub struct SweAgent {
    calls: u32,
}

impl Format for SweAgent {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [history, trajectory] = record.pick(["history", "trajectory"]);
        // What stands before the first answer: system prompt, demonstrations, the task.
        for message in history.iter().flat_map(|h| h.items()) {
            let [role, content, kind, demo] =
                message.pick(["role", "content", "message_type", "is_demo"]);
            let demo =
                text(kind) == "demonstration" || demo.is_some_and(|d| d.bool() == Some(true));
            let (kind, voice) = match text(role).as_ref() {
                "system" => (Kind::System, Voice::System),
                _ if demo => (Kind::User, Voice::Harness),
                "user" => (Kind::User, Voice::Person),
                _ => break,
            };
            let mut entry = Entry::new(kind);
            entry.say(voice, content.map(joined).unwrap_or_default());
            desk.message(entry);
        }
        for step in trajectory.iter().flat_map(|t| t.items()) {
            self.step(step, desk);
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl SweAgent {
    fn step(&mut self, step: Json<'_>, desk: &mut Desk<'_>) {
        let [action, observation, response, thought, state] =
            step.pick(["action", "observation", "response", "thought", "state"]);
        let mut entry = Entry::new(Kind::Assistant);
        let state = state.unwrap_or(Json::NULL);
        // Old versions wrote the state as text.
        let packed = state.str();
        let state = packed
            .as_deref()
            .and_then(|s| Json::parse(s).ok())
            .unwrap_or(state);
        let [dir, file] = state.pick(["working_dir", "open_file"]);
        entry.dir = desk.dir(&text(dir));
        let action = text(action);
        let said = match text(thought) {
            said if said.trim().is_empty() && action.is_empty() => text(response),
            said => said,
        };
        entry.say(Voice::Assistant, said);
        let id = format!("step-{}", self.calls);
        let called = !action.trim().is_empty();
        if called {
            self.calls += 1;
            entry.blocks.push(command(id.clone(), &action, &text(file)));
        }
        desk.message(entry);
        if called {
            let mut entry = Entry::new(Kind::Tool);
            // A step does not say how its command ended.
            entry
                .blocks
                .push(result(id, Status::Unknown, None, text(observation)));
            desk.message(entry);
        }
    }
}

/// An action is a line of a shell in which the agent's own tools are commands.
fn command(id: String, action: &str, open: &str) -> Block<'static> {
    let action = action.trim();
    let mut words = action.split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let next = words.next().unwrap_or_default();
    let (tool, path) = match name.as_str() {
        "open" => (Tool::Read, next),
        "create" => (Tool::Write, next),
        "edit" | "insert" => (Tool::Edit, open),
        "goto" | "scroll_up" | "scroll_down" | "submit" | "exit_cost" | "exit_forfeit" => {
            (Tool::Other, "")
        }
        "search_dir" | "search_file" | "find_file" => (Tool::Search, ""),
        "str_replace_editor" => {
            let tool = match next {
                "view" => Tool::Read,
                "create" => Tool::Write,
                _ => Tool::Edit,
            };
            (tool, words.next().unwrap_or_default())
        }
        _ => (Tool::Shell, ""),
    };
    let mut arguments = format!("{{\"command\":{}", json::quote(action));
    let path = path.trim_matches(['\'', '"']);
    if !path.is_empty() && path != "n/a" {
        arguments.push_str(&format!(",\"path\":{}", json::quote(path)));
    }
    arguments.push('}');
    Block::Call(Box::new(Call {
        id: Cow::Owned(id),
        name: if tool == Tool::Shell {
            Cow::Borrowed("bash")
        } else {
            Cow::Owned(name)
        },
        tool,
        args: Args::Json(Cow::Owned(arguments)),
    }))
}

/// Reader of mini-SWE-agent's trajectories: a chat whose commands stand in fenced blocks.
#[derive(Default)]
pub struct MiniSweAgent {
    calls: u32,
    /// Commands whose output has not come yet.
    open: std::collections::VecDeque<String>,
    task: bool,
}

impl Format for MiniSweAgent {
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>) {
        let [messages, instance, info] = record.pick(["messages", "instance_id", "info"]);
        desk.session.id = some(instance).or(desk.session.id.take());
        let config = info.and_then(|i| i.get("config")).unwrap_or(Json::NULL);
        let model = text(config.at(&["model", "model_name"])).into_owned();
        desk.dir(&text(config.at(&["environment", "cwd"])));
        for message in messages.iter().flat_map(|m| m.items()) {
            self.message(message, &model, desk);
        }
    }

    fn finish(&mut self, _desk: &mut Desk<'_>) {}
}

impl MiniSweAgent {
    fn message(&mut self, message: Json<'_>, model: &str, desk: &mut Desk<'_>) {
        let [role, content, calls, of, extra, timestamp] = message.pick([
            "role",
            "content",
            "tool_calls",
            "tool_call_id",
            "extra",
            "timestamp",
        ]);
        let extra = extra.unwrap_or(Json::NULL);
        let content = content.map(joined).unwrap_or_default();
        let mut entry = Entry::new(Kind::User);
        super::shared::stamp(timestamp.or(extra.get("timestamp")), &mut entry, desk);
        match text(role).as_ref() {
            "system" => {
                entry.kind = Kind::System;
                entry.say(Voice::System, content);
            }
            "assistant" => {
                entry.kind = Kind::Assistant;
                entry.model = desk.model(model);
                let usage = extra.at(&["response", "usage"]).unwrap_or(Json::NULL);
                let [prompt, output] = usage.pick(["prompt_tokens", "completion_tokens"]);
                let (prompt, output) = (number(prompt), number(output));
                entry.usage = (prompt > 0).then_some(Usage { prompt, output });
                entry.say(Voice::Assistant, content.clone());
                let before = entry.blocks.len();
                for made in calls.iter().flat_map(|c| c.items()) {
                    let [id, function] = made.pick(["id", "function"]);
                    let [name, arguments] =
                        function.unwrap_or(Json::NULL).pick(["name", "arguments"]);
                    let id = text(id);
                    self.open.push_back(id.clone().into_owned());
                    entry.blocks.push(call(id, text(name), args(arguments)));
                }
                if entry.blocks.len() == before
                    && let Some(command) = fenced(&content)
                {
                    self.calls += 1;
                    let id = format!("call-{}", self.calls);
                    self.open.push_back(id.clone());
                    let arguments = format!("{{\"command\":{}}}", json::quote(command));
                    entry.blocks.push(Block::Call(Box::new(Call {
                        id: id.into(),
                        name: "bash".into(),
                        tool: tools::Tool::Shell,
                        args: Args::Json(arguments.into()),
                    })));
                }
            }
            "user" if !self.task => {
                self.task = true;
                entry.say(Voice::Person, content);
            }
            "user" | "tool" => self.answer(content, text(of), extra, &mut entry),
            _ => entry.say(Voice::Harness, content),
        }
        desk.message(entry);
    }

    /// What the environment answered: a command's output, a person's refusal, or a complaint about the form.
    fn answer<'a>(
        &mut self,
        content: Cow<'a, str>,
        of: Cow<'a, str>,
        extra: Json<'a>,
        entry: &mut Entry<'a>,
    ) {
        const REFUSED: &str = "user rejected your command with the following message:";
        let code = exit(extra.get("returncode")).or_else(|| {
            let (_, rest) = content.split_once("<returncode>")?;
            rest.split_once("</returncode>")?.0.trim().parse().ok()
        });
        let open = self.open.pop_front();
        let id = if of.is_empty() {
            open.map(Cow::Owned)
        } else {
            Some(of)
        };
        let refusal = content
            .split_once(REFUSED)
            .map(|(_, words)| words.trim().to_owned());
        match id {
            Some(id) => {
                let status = match code {
                    _ if refusal.is_some() => Status::Rejected,
                    Some(0) => Status::Ok,
                    Some(_) => Status::Error,
                    None => Status::Unknown,
                };
                entry.kind = Kind::Tool;
                entry.blocks.push(result(id, status, code, content));
            }
            None => entry.say(Voice::Harness, content),
        }
        if let Some(words) = refusal {
            entry.say(Voice::Person, words);
        }
    }
}

/// The command in an answer's fenced block, if there is exactly one.
fn fenced(answer: &str) -> Option<&str> {
    const FENCES: [&str; 2] = ["```bash\n", "```mswea_bash_command\n"];
    let (at, fence) = FENCES
        .iter()
        .filter_map(|f| Some((answer.find(f)?, f)))
        .min()?;
    let inner = &answer[at + fence.len()..];
    let end = inner.find("\n```")?;
    let rest = &inner[end..];
    FENCES
        .iter()
        .all(|f| !rest.contains(f))
        .then(|| inner[..end].trim())
        .filter(|c| !c.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_one_fenced_block() {
        assert_eq!(fenced("보기\n\n```bash\nls -a\n```"), Some("ls -a"));
        assert_eq!(fenced("```bash\nls\n```\n```bash\npwd\n```"), None);
        assert_eq!(fenced("```python\nx\n```"), None);
    }
}
