//! What no strategy may touch: tools by name, files by glob (SPEC 2.1).

use super::Options;
use crate::transcript::tools::Tool;
use anyhow::{Context, Result};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Tools that keep state the agent goes on with.
const TOOLS: &[&str] = &[
    "task",
    "agent",
    "skill",
    "taskcreate",
    "taskupdate",
    "update_plan",
    "todowrite",
    "todoread",
    "lsp_rename",
    "lsp_code_action_resolve",
    "session_read",
    "session_write",
    "session_search",
];

/// The patterns of one run.
pub struct Protection {
    tools: GlobSet,
    paths: GlobSet,
    /// The paths' patterns as written: a name may hold what a glob takes for a sign, as `[id].tsx` does.
    names: Vec<String>,
    defaults: bool,
}

/// The glob with every `**` that is not a whole part of a path spelt out: it matches anything, `/` too.
fn anything(glob: &str) -> String {
    let mut out = String::new();
    let mut rest = glob;
    while let Some(at) = rest.find("**") {
        let (before, behind) = rest.split_at(at);
        out.push_str(before);
        let behind = behind.trim_start_matches('*');
        let starts = out.is_empty() || out.ends_with(['/', '{', ',']);
        let ends = behind.is_empty() || behind.starts_with(['/', '}', ',']);
        out.push_str(if starts && ends { "**" } else { "{*,*/**/*}" });
        rest = behind;
    }
    out.push_str(rest);
    out
}

impl Protection {
    /// # Errors
    /// A glob that cannot be read.
    pub fn new(options: &Options) -> Result<Protection> {
        let set = |globs: &[String], fold: bool, flag: &str| -> Result<GlobSet> {
            let mut set = GlobSetBuilder::new();
            for text in globs {
                let text = anything(&crate::language::nfc(text.trim_start_matches("./")));
                let glob = GlobBuilder::new(&text)
                    .literal_separator(true)
                    .case_insensitive(fold)
                    .build()
                    .with_context(|| format!("{flag} {text}"))?;
                set.add(glob);
            }
            Ok(set.build()?)
        };
        Ok(Protection {
            tools: set(&options.protect_tools, true, "--protect-tool")?,
            paths: set(&options.protect_paths, false, "--protect")?,
            names: options
                .protect_paths
                .iter()
                .map(|p| crate::language::nfc(p.trim_start_matches("./")).into_owned())
                .collect(),
            defaults: options.default_protection,
        })
    }

    pub fn tool(&self, name: &str, tool: Tool) -> bool {
        let own = matches!(
            tool,
            Tool::TodoList
                | Tool::TodoRead
                | Tool::TaskCreate
                | Tool::TaskUpdate
                | Tool::Agent
                | Tool::Skill
        ) || TOOLS.contains(&name.to_ascii_lowercase().as_str());
        (self.defaults && own) || self.tools.is_match(name)
    }

    /// Whether the file is protected, by its absolute or its relative name.
    pub fn path(&self, absolute: &str, relative: &str) -> bool {
        let named = |n: &String| *n == absolute || *n == relative;
        self.paths.is_match(absolute)
            || self.paths.is_match(relative)
            || self.names.iter().any(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn protects(glob: &str, absolute: &str, relative: &str) -> bool {
        let options = Options {
            protect_paths: vec![glob.to_owned()],
            ..Options::default()
        };
        Protection::new(&options).unwrap().path(absolute, relative)
    }

    #[test]
    fn globs_are_tested_on_both_names() {
        assert!(protects("**/계획.md", "/w/계획.md", "계획.md"));
        assert!(protects("conf/**/*.env", "/w/conf/a.env", "conf/a.env"));
        assert!(protects(
            "conf/**/*.env",
            "/w/conf/x/y/a.env",
            "conf/x/y/a.env"
        ));
        assert!(!protects("conf/*.env", "/w/conf/x/a.env", "conf/x/a.env"));
        assert!(protects("/w/**", "/w/x/a.rs", "x/a.rs"));
        assert!(!protects("?.rs", "/w/ab.rs", "ab.rs"));
        assert!(protects("src**", "/w/src/x/a.rs", "src/x/a.rs"));
        assert!(protects("**.env", "/w/conf/x/a.env", "conf/x/a.env"));
        assert!(protects("conf/**.env", "/w/conf/a.env", "conf/a.env"));
        assert!(!protects("conf/**.env", "/w/conf/a.rs", "conf/a.rs"));
        assert!(protects(
            "app/[id]/a.tsx",
            "/w/app/[id]/a.tsx",
            "app/[id]/a.tsx"
        ));
    }

    #[test]
    fn tools_are_protected_by_name_or_glob() {
        let options = Options {
            protect_tools: vec!["sh?ll".to_owned(), "mcp__*".to_owned()],
            ..Options::default()
        };
        let protection = Protection::new(&options).unwrap();
        assert!(protection.tool("Shell", Tool::Shell));
        assert!(protection.tool("mcp__db__query", Tool::Other));
        assert!(!protection.tool("Bash", Tool::Shell));
        assert!(protection.tool("TodoWrite", Tool::TodoList));
        let bare = Options {
            default_protection: false,
            ..Options::default()
        };
        assert!(
            !Protection::new(&bare)
                .unwrap()
                .tool("TodoWrite", Tool::TodoList)
        );
    }
}
