//! A tool call as one line: `* Bash "cargo test" ✗ exit 101`.

use super::{document, plain};
use crate::json::Json;
use crate::language::clip;
use crate::session::{Step, own};
use crate::shell;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Args, Block, Status};
use regex::Regex;
use std::sync::OnceLock;

/// Longest target shown, in characters; shell lines have their own limit (SPEC 8).
const TARGET: usize = 120;
const FAILURE: usize = 60;
/// Longest call in front of the line that proves its result.
const PROVEN: usize = 72;

/// Longest line of a result that is shown behind its call.
const PROOF: usize = 100;

/// Longest line quoted of what was written into a document.
const QUOTE: usize = 110;

/// A call ready to print, and what it is worth.
pub struct Line {
    /// Without reference.
    pub text: String,
    pub failed: bool,
    /// The result proves something worth a line (a push, a pull request, a passing check).
    pub proof: bool,
    /// It quotes what was written into a document.
    pub quotes: bool,
    /// What else was written into it, line by line.
    pub written: Vec<String>,
}

/// Calls that are left out whatever the budget (SPEC 1.10 T6): lists, questions, searches of the web and of tools.
pub fn is_noise(step: &Step<'_>) -> bool {
    let name = step.call.name.to_ascii_lowercase();
    matches!(
        step.call.tool,
        Tool::TodoList
            | Tool::TodoRead
            | Tool::Noise
            | Tool::Ask
            | Tool::TaskCreate
            | Tool::TaskUpdate
    ) || matches!(
        name.as_str(),
        "websearch" | "web_search" | "google_web_search" | "exitspecmode"
    )
}

/// Whether the call looks things up in an older transcript: its answer is no part of this one (SPEC 1.11).
pub fn is_recall(step: &Step<'_>) -> bool {
    own::is_recall(step.call)
}

fn command<'a>(step: &'a Step<'_>, args: &Json<'a>) -> Option<String> {
    match &step.call.args {
        Args::Raw(text) => Some(text.to_string()),
        Args::Json(_) => tools::command(args).map(|c| c.into_owned()),
    }
}

/// The line of a call. `short` makes paths short.
pub fn line(step: &Step<'_>, short: &dyn Fn(&str) -> String) -> Line {
    let call = step.call;
    let args = call.args.json();
    let shown_command = match call.tool {
        Tool::Shell => command(step, &args),
        _ => None,
    };
    let target = match &shown_command {
        Some(text) => Some(plain::line(&shell::display(&plain::shown(text)))),
        None => target(step, &args, short),
    };
    let mut text = format!("* {}", plain::line(&call.name));
    if let Some(target) = target.filter(|t| !t.is_empty()) {
        text.push_str(&format!(" \"{target}\""));
    }
    let path = match call.tool {
        Tool::Edit | Tool::Write => tools::path(&args).map(|p| p.into_owned()),
        Tool::Patch => patched(call),
        _ => None,
    };
    let failure = failure(step, shown_command.as_deref());
    let path = path.filter(|_| failure.is_none());
    let mut written = path.map_or(Vec::new(), |p| document::written(&call.args, &p));
    let mut proof = None;
    match &failure {
        Some(why) => text.push_str(&format!(" ✗ {why}")),
        None if !written.is_empty() => {}
        None if call.tool == Tool::Shell => proof = step.outcome.and_then(|o| proven(&o.text)),
        None => {}
    }
    if let Some(proof) = &proof {
        // What came of it tells more than how it was typed.
        if let Some(target) = text.get(2..).filter(|t| t.chars().count() > PROVEN) {
            text = format!("* {}\"", clip(target, PROVEN));
        }
        text.push_str(&format!(" → {proof}"));
    }
    let quotes = !written.is_empty();
    if quotes {
        text.push_str(&format!(": {}", clip(&written.remove(0), QUOTE)));
    }
    Line {
        quotes,
        written,
        text: super::plain::neutral(text.get(2..).unwrap_or_default()).into_owned(),
        failed: failure.is_some(),
        proof: proof.is_some(),
    }
}

/// The file of a patch of one file.
fn patched(call: &crate::transcript::Call<'_>) -> Option<String> {
    let args = call.args.json();
    let text = match &call.args {
        Args::Raw(text) => Some(text.as_ref().into()),
        Args::Json(_) => document::patch(&args),
    }?;
    match crate::patch::files(&text).as_slice() {
        [one] => Some(one.path.clone()),
        _ => None,
    }
}

/// The files of a patch, one behind the other.
fn patched_files(patch: &str, short: &dyn Fn(&str) -> String) -> String {
    let files = crate::patch::files(patch);
    let names: Vec<String> = files.iter().map(|c| short(&c.path)).collect();
    names.join(", ")
}

fn target(step: &Step<'_>, args: &Json<'_>, short: &dyn Fn(&str) -> String) -> Option<String> {
    if let Args::Raw(text) = &step.call.args {
        let files = patched_files(text, short);
        let text = if files.is_empty() {
            plain::line(text.lines().next().unwrap_or_default())
        } else {
            files
        };
        return Some(clip(&text, TARGET).into_owned());
    }
    let of = |keys: &[&str]| {
        keys.iter()
            .filter_map(|k| args.get(k))
            .filter_map(|v| v.str())
            .find(|t| !t.trim().is_empty())
    };
    let path = || tools::path(args).map(|p| short(&p));
    let found = match step.call.tool {
        Tool::Search => of(&["pattern", "query", "regex", "glob"])
            .map(|t| t.into_owned())
            .or_else(path),
        Tool::Agent | Tool::Ask | Tool::Plan => {
            of(&["description", "name", "prompt", "question", "plan"]).map(|t| t.into_owned())
        }
        Tool::Web => of(&["url", "query"]).map(|t| t.into_owned()),
        Tool::Patch => document::patch(args)
            .map(|patch| patched_files(&patch, short))
            .filter(|files| !files.is_empty())
            .or_else(path),
        Tool::Skill => of(&["skill", "name", "command"]).map(|t| t.into_owned()),
        _ => path().or_else(|| {
            of(&["command", "query", "url", "description", "name", "prompt"])
                .or_else(|| args.fields().find_map(|(_, v)| v.str()))
                .map(|t| match of(&["name", "title"]).filter(|n| *n != t) {
                    // What somebody called it finds it again; the body is told by its beginning.
                    Some(name) => format!("{name}: {t}"),
                    None => t.into_owned(),
                })
        }),
    };
    found.map(|t| clip(&plain::line(&t), TARGET).into_owned())
}

/// Why a call failed, short; `None` when it did not.
fn failure(step: &Step<'_>, command: Option<&str>) -> Option<String> {
    let outcome = step.outcome?;
    match outcome.status {
        Status::Rejected => return Some("rejected".to_owned()),
        Status::Cancelled => return Some("cancelled".to_owned()),
        _ => {}
    }
    if let Some(command) = command {
        let flag = match outcome.status {
            Status::Error => Some(true),
            Status::Ok => Some(false),
            _ => None,
        };
        let verdict = shell::outcome(&outcome.text, outcome.exit, flag, &shell::parse(command));
        let shell::Outcome::Failed { line } = verdict else {
            return None;
        };
        let exit = outcome.exit.or_else(|| shell::exit_code(&outcome.text));
        let line = plain::line(&line);
        let cause = clip(&line, FAILURE);
        return Some(match exit.filter(|n| *n != 0) {
            // The line that says why, unless it only repeats the number.
            Some(code) if line.is_empty() || line.to_lowercase().starts_with("exit ") => {
                format!("exit {code}")
            }
            Some(code) => format!("exit {code}: {cause}"),
            None if line.is_empty() => "error".to_owned(),
            None => cause.into_owned(),
        });
    }
    match outcome.status {
        Status::Error => Some("error".to_owned()),
        _ => outcome
            .exit
            .filter(|n| *n != 0)
            .map(|n| format!("exit {n}")),
    }
}

/// The text of a plan that a call submits.
pub fn plan(piece: &Block<'static>) -> Option<String> {
    match piece {
        Block::Call(call) if call.tool == Tool::Plan => {
            let args = call.args.json();
            args.get("plan")?.str().map(|t| t.into_owned())
        }
        _ => None,
    }
}

/// A shape of result lines that prove something nobody can look up in the files: what git moved where, where a request
/// lives, how many checks passed.
struct Proof {
    /// Stands in every such line, so that the pattern is compiled for few results.
    word: &'static str,
    pattern: &'static str,
    compiled: OnceLock<Option<Regex>>,
}

impl Proof {
    const fn new(word: &'static str, pattern: &'static str) -> Proof {
        Proof {
            word,
            pattern,
            compiled: OnceLock::new(),
        }
    }

    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        if !text.contains(self.word) {
            return None;
        }
        let compiled = self.compiled.get_or_init(|| Regex::new(self.pattern).ok());
        Some(compiled.as_ref()?.captures(text)?.get(1)?.as_str())
    }
}

static PROOFS: [Proof; 10] = [
    Proof::new(
        "->",
        r"(?m)^\s*\+?\s*([0-9a-f]{7,12}\.{2,3}[0-9a-f]{7,12}\s+\S+\s+->\s+\S+)",
    ),
    Proof::new(
        "->",
        r"(?m)^\s*\*\s+(\[new (?:branch|tag)\]\s+\S+\s+->\s+\S+)",
    ),
    Proof::new(
        "https://",
        r"(?m)^(https://\S+/(?:pull|merge_requests|issues|releases/tag)/\S+)\s*$",
    ),
    Proof::new(
        "] ",
        r"(?m)^(\[[^\[\]\n]*(?-u:\b)[0-9a-f]{7,12}\] \S[^\n]*)$",
    ),
    Proof::new(
        "passed",
        r"(?m)^(?:test result: )?(ok\. [0-9]+ passed; [0-9]+ failed)",
    ),
    Proof::new("passed", r"(?m)^\s*(Tests:?\s+[0-9]+ passed[^\n]{0,40})$"),
    Proof::new("passed", r"(?m)^=+ ([0-9]+ passed[^\n=]{0,60}) =+$"),
    Proof::new("Switched to", r"(?m)^(Switched to a new branch '[^'\n]+')"),
    Proof::new(
        "Your branch",
        r"(?m)^(Your branch (?:is (?:ahead|behind)|and '[^'\n]+' have diverged)[^\n]*)$",
    ),
    Proof::new(
        "running in background",
        r"(?m)^(Command running in background with ID: [0-9A-Za-z_-]+)",
    ),
];

/// Whether a result may hold a line that proves it.
pub fn may_prove(text: &str) -> bool {
    PROOFS.iter().any(|p| text.contains(p.word))
}

/// Whether the call's line may quote what was written, or the call puts a plan before the person.
pub fn may_quote(call: &crate::transcript::Call<'_>) -> bool {
    let document = || match &call.args {
        Args::Raw(_) => true,
        Args::Json(_) => {
            call.tool == Tool::Patch
                || tools::path(&call.args.json()).is_some_and(|p| tools::is_document(&p))
        }
    };
    match call.tool {
        Tool::Edit | Tool::Write | Tool::Patch => document(),
        Tool::Plan => true,
        _ => false,
    }
}

/// The most characters that the line of a call has.
pub fn longest(call: &crate::transcript::Call<'_>, failed: bool, proof: bool) -> usize {
    let target = match call.tool {
        // Shell lines have their own limit.
        Tool::Shell => 300,
        _ => TARGET,
    };
    let failure = if failed { FAILURE + 20 } else { 0 };
    let quote = if may_quote(call) { QUOTE + 2 } else { 0 };
    let proofs = if proof { 2 * (PROOF + 3) } else { 0 };
    call.name.chars().count() + target + failure + proofs + quote + 12
}

fn proven(text: &str) -> Option<String> {
    let found: Vec<String> = PROOFS
        .iter()
        .filter_map(|p| p.find(text))
        .map(|found| clip(&plain::line(found), PROOF).into_owned())
        .take(2)
        .collect();
    (!found.is_empty()).then(|| found.join(" · "))
}
