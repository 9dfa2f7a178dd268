//! Where each agent keeps its sessions, as data: a variable that moves the folder, the usual folders, and
//! patterns below them (FORMATS 6.1, 7.1, 8.1, 9.1, 10, 11). Files of sub-agents are left out where their place
//! tells them; the others are told by what is in them.

use crate::transcript::Family;
use std::path::{Path, PathBuf};

/// What of the environment says where things are. A value, so that tests need no real home.
pub struct Env<'e> {
    get: &'e dyn Fn(&str) -> Option<PathBuf>,
}

/// A folder in which an agent may keep everything.
enum Root {
    /// Below the home.
    Home(&'static str),
    /// Below `$XDG_DATA_HOME`, or `~/.local/share`.
    Data(&'static str),
    /// Below `$XDG_CONFIG_HOME`, or `~/.config`.
    Config(&'static str),
}

/// An agent's place.
struct Place {
    family: Family,
    /// The variable that moves the folder; where it is set, the usual folders don't count.
    variable: Option<&'static str>,
    roots: &'static [Root],
    /// Files below the folder: `*` stands for any characters of one name.
    patterns: &'static [&'static str],
}

use Family::*;
use Root::*;

const PLACES: &[Place] = &[
    Place {
        family: ClaudeCode,
        variable: Some("CLAUDE_CONFIG_DIR"),
        roots: &[Home(".claude"), Config("claude")],
        patterns: &["projects/*/*.jsonl"],
    },
    Place {
        family: Pi,
        variable: Some("PI_CODING_AGENT_SESSION_DIR"),
        roots: &[],
        patterns: &["*.jsonl", "*/*.jsonl"],
    },
    Place {
        family: Pi,
        variable: Some("PI_CODING_AGENT_DIR"),
        roots: &[Home(".pi/agent"), Home(".omp/agent")],
        patterns: &["sessions/*.jsonl", "sessions/*/*.jsonl"],
    },
    Place {
        family: Codex,
        variable: Some("CODEX_HOME"),
        roots: &[Home(".codex")],
        patterns: &[
            "sessions/*/*/*/rollout-*.jsonl",
            "sessions/*/*/*/rollout-*.jsonl.zst",
            "archived_sessions/rollout-*.jsonl",
            "archived_sessions/rollout-*.jsonl.zst",
        ],
    },
    Place {
        family: OpenCode,
        variable: None,
        roots: &[Data("opencode")],
        patterns: &["opencode*.db", "storage"],
    },
    Place {
        family: Gemini,
        variable: None,
        roots: &[Home(".gemini")],
        patterns: &["tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"],
    },
    Place {
        family: Qwen,
        variable: None,
        roots: &[Home(".qwen")],
        patterns: &["projects/*/chats/*.jsonl", "tmp/*/chats/*.jsonl"],
    },
    Place {
        family: Copilot,
        variable: Some("COPILOT_HOME"),
        roots: &[Home(".copilot")],
        patterns: &["session-state/*/events.jsonl", "session-state/*.jsonl"],
    },
    Place {
        family: Cursor,
        variable: None,
        roots: &[Home(".cursor")],
        patterns: &[
            "projects/*/agent-transcripts/*.jsonl",
            "projects/*/agent-transcripts/*/*.jsonl",
        ],
    },
    Place {
        family: Kimi,
        variable: Some("KIMI_SHARE_DIR"),
        roots: &[Home(".kimi")],
        patterns: &["sessions/*/*/wire.jsonl", "sessions/*/*/context.jsonl"],
    },
    Place {
        family: Kimi,
        variable: Some("KIMI_CODE_HOME"),
        roots: &[Home(".kimi-code")],
        patterns: &["sessions/*/*/agents/main/wire.jsonl"],
    },
    Place {
        family: Droid,
        variable: None,
        roots: &[Home(".factory")],
        patterns: &[
            "sessions/*.jsonl",
            "sessions/*/*.jsonl",
            "projects/*/*.jsonl",
        ],
    },
    Place {
        family: Amp,
        variable: None,
        roots: &[Data("amp")],
        patterns: &["threads/T-*.json"],
    },
    Place {
        family: Hermes,
        variable: Some("HERMES_HOME"),
        roots: &[Home(".hermes")],
        patterns: &["state.db", "sessions/session_*.json", "sessions/*.jsonl"],
    },
];

/// A file or a store in an agent's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    pub family: Family,
    pub path: PathBuf,
}

impl<'e> Env<'e> {
    /// From a function that looks variables up.
    pub fn new(get: &'e dyn Fn(&str) -> Option<PathBuf>) -> Env<'e> {
        Env { get }
    }

    fn var(&self, name: &str) -> Option<PathBuf> {
        (self.get)(name).filter(|v| !v.as_os_str().is_empty())
    }

    fn home(&self) -> Option<PathBuf> {
        self.var("HOME").or_else(|| self.var("USERPROFILE"))
    }

    fn root(&self, root: &Root) -> Option<PathBuf> {
        // As the XDG specification has it, a relative path counts for nothing.
        let xdg = |name: &str, usual: &str| {
            self.var(name)
                .filter(|p| p.is_absolute())
                .or_else(|| Some(self.home()?.join(usual)))
        };
        match root {
            Root::Home(name) => Some(self.home()?.join(name)),
            Root::Data(name) => Some(xdg("XDG_DATA_HOME", ".local/share")?.join(name)),
            Root::Config(name) => Some(xdg("XDG_CONFIG_HOME", ".config")?.join(name)),
        }
    }

    /// The folders of a place: the one its variable names, else the usual ones.
    fn folders(&self, place: &Place) -> Vec<PathBuf> {
        match place.variable.and_then(|name| self.var(name)) {
            Some(folder) => vec![folder],
            None => place.roots.iter().filter_map(|r| self.root(r)).collect(),
        }
    }
}

/// The agents whose places are known, in the order of their names in `--agent`.
pub fn agents() -> Vec<Family> {
    let mut known: Vec<Family> = PLACES.iter().map(|p| p.family).collect();
    known.dedup();
    known
}

/// Everything in the agents' places that may be a session, sorted by path.
pub fn candidates(env: &Env<'_>, agent: Option<Family>) -> Vec<Candidate> {
    let mut found = Vec::new();
    for place in PLACES {
        if agent.is_some_and(|a| a != place.family) {
            continue;
        }
        for folder in env.folders(place) {
            for pattern in place.patterns {
                let names: Vec<&str> = pattern.split('/').collect();
                expand(&folder, &names, &mut |path| {
                    found.push(Candidate {
                        family: place.family,
                        path,
                    });
                });
            }
        }
    }
    found.retain(|c| !is_double(c));
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup_by(|a, b| a.path == b.path);
    found
}

/// A sub-agent's file, or a file beside a better one of the same session.
fn is_double(candidate: &Candidate) -> bool {
    let path = &candidate.path;
    let name = path
        .file_name()
        .map(|n| n.to_string_lossy())
        .unwrap_or_default();
    let beside = |other: &str| path.with_file_name(other).exists();
    match candidate.family {
        ClaudeCode => name.starts_with("agent-"),
        Codex => name.strip_suffix(".zst").is_some_and(beside),
        // The wire has the times, and what went wrong.
        Kimi => name == "context.jsonl" && beside("wire.jsonl"),
        OpenCode => name == "storage" && beside("opencode.db"),
        // In a folder of its own the main file bears the folder's name; the others are sub-agents'.
        Cursor => path.parent().is_some_and(|folder| {
            let own = folder.file_name().unwrap_or_default();
            own != "agent-transcripts" && path.file_stem() != Some(own)
        }),
        _ => false,
    }
}

/// Calls `give` with every path below `folder` that fits the names.
fn expand(folder: &Path, names: &[&str], give: &mut dyn FnMut(PathBuf)) {
    let [name, rest @ ..] = names else {
        return give(folder.to_owned());
    };
    if !name.contains('*') {
        let path = folder.join(name);
        if path.exists() {
            expand(&path, rest, give);
        }
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !fits(&entry.file_name().to_string_lossy(), name) {
            continue;
        }
        let path = entry.path();
        if rest.is_empty() == path.is_file() {
            expand(&path, rest, give);
        }
    }
}

/// Whether a name fits a pattern with `*`.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
            name.char_indices()
                .map(|(at, _)| at)
                .chain([name.len()])
                .any(|at| fits(&name[at..], rest))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_characters() {
        assert!(fits("rollout-1.jsonl", "rollout-*.jsonl"));
        assert!(fits("한글.jsonl", "*.jsonl"));
        assert!(!fits("rollout-1.jsonl.zst", "rollout-*.jsonl"));
        assert!(!fits("history.json", "*.jsonl"));
    }

    #[test]
    fn a_variable_moves_the_folder_and_nothing_else() {
        let get = |name: &str| match name {
            "HOME" => Some(PathBuf::from("/home/a")),
            "CODEX_HOME" => Some(PathBuf::from("/data/codex")),
            "XDG_DATA_HOME" => Some(PathBuf::from("share")),
            _ => None,
        };
        let env = Env::new(&get);
        let folders = |family| -> Vec<PathBuf> {
            let places = PLACES.iter().filter(|p| p.family == family);
            places.flat_map(|p| env.folders(p)).collect()
        };
        assert_eq!(folders(Codex), [PathBuf::from("/data/codex")]);
        assert_eq!(
            folders(Amp),
            [PathBuf::from("/home/a/.local/share/amp")],
            "a relative XDG folder counts for nothing"
        );
        assert_eq!(folders(ClaudeCode).len(), 2);
    }
}
