//! Which tools a session used, and which of them a host need not keep loaded (SPEC 6.1).

use crate::session::Session;
use crate::transcript::tools::{Tool, family};
use crate::transcript::{Ref, Status};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One tool by its name as written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Used {
    pub name: String,
    pub calls: u64,
    pub errors: u64,
    /// Characters of all arguments, and of all results.
    pub chars_in: u64,
    pub chars_out: u64,
    pub first_ref: Option<Ref>,
    pub last_ref: Option<Ref>,
}

/// Tools of one source that may be loaded later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Group {
    pub group: String,
    pub tools: Vec<String>,
}

/// The tools by name, the deferrable ones by group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Toolbox {
    pub tools: Vec<Used>,
    pub deferred: Vec<Group>,
}

/// Core tools that no family covers.
const EAGER: &[&str] = &[
    "execute_code",
    "set_mode",
    "view_image",
    "ask_user",
    "delegate_task",
    "skill_view",
    "tool_search",
];

impl Toolbox {
    /// The tools of the active conversation; `eager` names more that are always loaded.
    pub fn of(session: &Session, eager: &[String]) -> Toolbox {
        let mut tools: BTreeMap<&str, Used> = BTreeMap::new();
        for step in session.steps() {
            let name = step.call.name.as_ref();
            let used = tools.entry(name).or_insert_with(|| Used {
                name: crate::language::one_line(name).into_owned(),
                calls: 0,
                errors: 0,
                chars_in: 0,
                chars_out: 0,
                first_ref: step.entry.number,
                last_ref: None,
            });
            let failed = step.outcome.is_some_and(|o| {
                matches!(
                    o.status,
                    Status::Error | Status::Cancelled | Status::Rejected
                ) || (o.status != Status::Running && o.exit.is_some_and(|e| e != 0))
            });
            used.calls += 1;
            used.errors += u64::from(failed);
            used.chars_in += u64::from(step.row.args_chars);
            used.chars_out += u64::from(step.row.result_chars);
            used.last_ref = step.entry.number;
        }
        let mut groups: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for used in tools.values().filter(|u| !is_eager(&u.name, eager)) {
            groups
                .entry(group(&used.name))
                .or_default()
                .insert(used.name.clone());
        }
        Toolbox {
            tools: tools.into_values().collect(),
            deferred: groups
                .into_iter()
                .map(|(group, tools)| Group {
                    group,
                    tools: tools.into_iter().collect(),
                })
                .collect(),
        }
    }

    /// `browser (2), git (1), mcp:github (2)`; empty when every tool is always loaded.
    pub fn line(&self) -> String {
        let groups = self.deferred.iter();
        groups
            .map(|g| format!("{} ({})", g.group, g.tools.len()))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

fn is_eager(name: &str, eager: &[String]) -> bool {
    let core = matches!(
        family(name),
        Tool::Read
            | Tool::Write
            | Tool::Edit
            | Tool::Patch
            | Tool::Delete
            | Tool::Shell
            | Tool::ShellSession
            | Tool::Search
            | Tool::List
            | Tool::Ask
            | Tool::Agent
            | Tool::Plan
            | Tool::Skill
            | Tool::Noise
    );
    core || EAGER.contains(&name.to_ascii_lowercase().as_str())
        || eager.iter().any(|e| e.eq_ignore_ascii_case(name))
}

/// `mcp:SERVER` of an MCP tool, else the name in front of its first underscore.
fn group(name: &str) -> String {
    if let Some(rest) = name.strip_prefix("mcp__")
        && let Some((server, _)) = rest.split_once("__")
    {
        return format!("mcp:{server}");
    }
    match name.split_once('_') {
        Some((front, _)) if !front.is_empty() => front.to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;
    use serde_json::json;

    #[test]
    fn a_name_of_several_lines_is_shown_on_one() {
        let session = Talk::in_dir("/w")
            .person("확인해줘")
            .call("odd\nname_x", json!({}))
            .ok("ok")
            .session();
        let toolbox = Toolbox::of(&session, &[]);
        assert_eq!(toolbox.tools[0].name, "odd name_x");
        assert_eq!(toolbox.line(), "odd name (1)");
    }

    #[test]
    fn tools_are_counted_and_grouped() {
        let session = Talk::in_dir("/w")
            .person("로그인 화면을 확인해줘")
            .call("browser_open", json!({"url": "http://localhost"}))
            .ok("opened")
            .call("browser_open", json!({"url": "http://localhost/x"}))
            .fails("404")
            .call("mcp__github__list", json!({}))
            .ok("[]")
            .run("ls", "a.rs")
            .session();
        let toolbox = Toolbox::of(&session, &[]);
        assert_eq!(toolbox.line(), "browser (1), mcp:github (1)");
        let browser = toolbox
            .tools
            .iter()
            .find(|t| t.name == "browser_open")
            .unwrap();
        assert_eq!(
            (browser.calls, browser.errors, browser.chars_out),
            (2, 1, 9)
        );
        assert_eq!(
            Toolbox::of(&session, &["browser_open".to_owned()]).line(),
            "mcp:github (1)"
        );
    }
}
