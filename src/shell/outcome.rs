//! Whether a command worked, read from its exit status and what it printed. A pure function of
//! text: what the session knows besides (a refusal by the person, a cancelled call) is not its
//! business.

use std::borrow::Cow;
use std::sync::LazyLock;

use crate::language::byte_ends;
use regex::Regex;

use super::commits::git;
use super::family::git_looks;
use super::family::{Kind, harmless_nonzero, of};
use super::joint::Joint;
use super::outcome_lines::{Says, is_frame, read};
use super::script::{Command, Script};
use crate::language::{clip, one_line};

/// Longest line shown, in characters.
const MAX_LINE: usize = 150;
/// How much is read of a long output: results stand at its end, the first error at its beginning.
const MAX_HEAD: usize = 32 * 1024;
const MAX_TAIL: usize = 64 * 1024;
/// Longest part of a single line that is looked at, in bytes.
const MAX_WIDTH: usize = 600;

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It worked (or said "nothing found", which is an answer).
    Ok,
    /// It failed.
    Failed {
        /// The most telling line of its output, at most 150 characters; else `exit N`; empty if
        /// there is neither.
        line: String,
    },
    /// Nothing says either.
    Unknown,
}

/// Reads how a command ended: by exit status (given, or written in the text), by the error flag of
/// the tool call, and where those cannot know (`| tail`, `; echo done`, no status at all) by the
/// result line of the tool itself.
pub fn outcome(
    text: &str,
    exit: Option<i32>,
    error_flag: Option<bool>,
    script: &Script,
) -> Outcome {
    let (text, boxed) = unboxed(text);
    let text = plain(&text);
    let status = exit.or(boxed).or_else(|| exit_code(&text));
    let bad = match (status, error_flag) {
        (_, Some(true)) => Some(true),
        (Some(code), _) => Some(code != 0),
        (None, flag) => flag,
    };
    match bad {
        Some(true) => {
            // The work is done already, or was never begun: nobody's failure.
            if text.lines().any(|l| l.starts_with("nothing to commit")) {
                return Outcome::Unknown;
            }
            let found = verdict(&text, &|_| true);
            if harmless_nonzero(script) && answered(&text, status, &found, script) {
                return Outcome::Ok;
            }
            let line = match found {
                Verdict::Failed(line) => line,
                _ => last_line(&text).map_or_else(
                    || status.map_or_else(String::new, |n| format!("exit {n}")),
                    str::to_owned,
                ),
            };
            Outcome::Failed { line: shown(&line) }
        }
        Some(false) if !hidden(script) => Outcome::Ok,
        known => {
            let found = if script.commands.is_empty() || looks_only(script) {
                Verdict::None
            } else {
                verdict(&text, &scope(script))
            };
            match (found, echoed_status(&text, script)) {
                (Verdict::Failed(line), _) => Outcome::Failed { line: shown(&line) },
                (_, Some(code)) if code != 0 && !looks_only(script) => Outcome::Failed {
                    line: format!("exit {code}"),
                },
                (Verdict::Passed, _) => Outcome::Ok,
                (Verdict::None, _) if known == Some(false) => Outcome::Ok,
                (Verdict::None, Some(0)) => Outcome::Ok,
                _ => Outcome::Unknown,
            }
        }
    }
}

/// Whether a search or comparison that ended with a non-zero status gave its answer all the same.
fn answered(text: &str, status: Option<i32>, found: &Verdict, script: &Script) -> bool {
    let quiet = matches!(status, None | Some(0 | 1));
    if !matches!(found, Verdict::Failed(_)) {
        return quiet;
    }
    // Lines about failures may be what was looked for; nothing but complaints is a failure.
    looks_only(script)
        && lines(text)
            .filter(|l| !l.trim().is_empty() && status_of(l.trim()).is_none())
            .any(|l| read(l.trim_end()).is_none())
}

/// Some agents keep an output as a JSON text with the status beside it.
fn unboxed(text: &str) -> (Cow<'_, str>, Option<i32>) {
    #[derive(serde::Deserialize)]
    struct Boxed {
        output: String,
        metadata: Option<Meta>,
    }
    #[derive(serde::Deserialize)]
    struct Meta {
        exit_code: Option<i32>,
    }
    if !text.trim_start().starts_with("{\"output\"") {
        return (Cow::Borrowed(text), None);
    }
    match serde_json::from_str::<Boxed>(text) {
        Ok(b) => (Cow::Owned(b.output), b.metadata.and_then(|m| m.exit_code)),
        Err(_) => (Cow::Borrowed(text), None),
    }
}

enum Verdict {
    Failed(String),
    Passed,
    None,
}

/// What the lines say together.
fn verdict(text: &str, counts: &dyn Fn(&str) -> bool) -> Verdict {
    let mut best: Option<(u8, String)> = None;
    let mut maybe: Option<(u8, String)> = None;
    let mut passed = false;
    let mut after_maybe = 0usize;
    for line in lines(text) {
        let line = line.trim_end();
        if line.trim().is_empty() {
            continue;
        }
        after_maybe += 1;
        if !counts(line) {
            continue;
        }
        match read(line) {
            // Of equals the first: later errors follow from it. Summaries: the last.
            Some((Says::Failed, weight))
                if best
                    .as_ref()
                    .is_none_or(|(b, _)| weight > *b || weight == 9) =>
            {
                best = Some((weight, line.to_owned()));
            }
            Some((Says::Maybe, weight)) => {
                after_maybe = 0;
                if maybe.as_ref().is_none_or(|(b, _)| weight >= *b) {
                    maybe = Some((weight, line.to_owned()));
                }
            }
            Some((Says::Passed, _)) => {
                passed = true;
                maybe = None;
            }
            Some((Says::Failed, _)) | None => {}
        }
    }
    match (best, maybe) {
        (Some((weight, line)), maybe) => match maybe {
            Some((other, text)) if other > weight => Verdict::Failed(text),
            _ => Verdict::Failed(line),
        },
        // A sign of failure counts where the output ends with it.
        (None, Some((_, line))) if after_maybe <= 12 => Verdict::Failed(line),
        (None, _) if passed => Verdict::Passed,
        _ => Verdict::None,
    }
}

/// Beginning and end of a long text, by lines.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let (head, tail) = if text.len() > MAX_HEAD + MAX_TAIL {
        byte_ends(text, MAX_HEAD, MAX_TAIL)
    } else {
        (text, "")
    };
    head.lines()
        .chain(tail.lines())
        .map(|line| byte_ends(line, MAX_WIDTH, 0).0)
}

/// The text without colours.
fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    static COLOUR: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new("\u{1b}\\[[0-9;?]*[A-Za-z]").ok());
    match COLOUR.as_ref() {
        Some(colour) => colour.replace_all(text, ""),
        None => Cow::Borrowed(text),
    }
}

fn shown(line: &str) -> String {
    let line = line.trim().trim_matches('=').trim();
    clip(&one_line(line), MAX_LINE).into_owned()
}

/// The last line that tells something.
fn last_line(text: &str) -> Option<&str> {
    let telling = |l: &&str| {
        let t = l.trim();
        t.chars().any(char::is_alphanumeric)
            && !is_frame(l)
            && status_of(t).is_none()
            && !matches!(read(t), Some((Says::Passed, _)))
            && !t.starts_with('<')
    };
    text.lines().rev().take(400).find(telling)
}

/// An exit status written in the first or last lines of an output, in the forms that agents use.
pub fn exit_code(text: &str) -> Option<i32> {
    let text = text.trim();
    if text.starts_with('{') {
        static FIELD: LazyLock<Option<Regex>> =
            LazyLock::new(|| Regex::new(r#""exit_?[cC]ode"\s*:\s*(-?[0-9]{1,9})"#).ok());
        let tail = text.len().saturating_sub(400);
        let tail = (tail..=text.len())
            .find_map(|n| text.get(n..))
            .unwrap_or(text);
        return FIELD
            .as_ref()?
            .captures(tail)
            .and_then(|c| c.get(1)?.as_str().parse().ok());
    }
    let head = text.lines().take(5);
    let tail = text.lines().rev().take(4);
    head.chain(tail).find_map(|l| status_of(l.trim()))
}

fn status_of(line: &str) -> Option<i32> {
    if line.len() > 60 || !line.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"^(?:Exit [Cc]ode:? |Process exited with (?:exit )?code:? |Command (?:exited|failed) with (?:exit )?(?:code|status):? ",
            r"|exit status |\[exit(?: code| status)?:? |<returncode>|<exit_code>|\(exit code:? )(-?[0-9]{1,9})(?:[\]).]|</[0-9A-Za-z_]+>)?$"
        ))
        .ok()
    });
    FORM.as_ref()?.captures(line)?.get(1)?.as_str().parse().ok()
}

/// `…; echo "exit: $?"` prints the status that the `echo` itself hides.
fn echoed_status(text: &str, script: &Script) -> Option<i32> {
    let echoes = |c: &Command| {
        matches!(c.program.as_str(), "echo" | "printf")
            && c.args()
                .any(|a| a.contains("$?") || a.contains("PIPESTATUS"))
    };
    if !script.commands.iter().any(echoes) {
        return None;
    }
    static FORM: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(concat!(
            r"(?i)^[^0-9a-z_가-힣]*(?:exit|rc|ret|status|code|done|종료)[0-9a-z_가-힣 ]{0,16}\s*[:=]?\s*",
            r"([0-9]{1,3})[^0-9a-z_가-힣]*$|^([0-9]{1,3})$"
        ))
        .ok()
    });
    let form = FORM.as_ref()?;
    text.trim_end()
        .lines()
        .rev()
        .take(5)
        .filter(|l| l.len() < 60)
        .find_map(|l| {
            let found = form.captures(l.trim())?;
            found.get(1).or_else(|| found.get(2))?.as_str().parse().ok()
        })
}

/// Whether a command only looks at things, so that what it prints is not about itself.
fn looks(command: &Command) -> bool {
    if let Some(git) = git(command) {
        return git_looks(git.sub);
    }
    of(command).is_none_or(|f| f.kind == Kind::Search)
}

fn looks_only(script: &Script) -> bool {
    script.commands.iter().filter(|c| !c.substituted).all(looks)
}

/// Which lines may speak for the script: CI lists and downloads print other people's failures.
fn scope(script: &Script) -> impl Fn(&str) -> bool {
    let foreign = script
        .commands
        .iter()
        .filter(|c| !c.substituted && !looks(c))
        .filter_map(of)
        .all(|f| {
            matches!(f.kind, Kind::Ci | Kind::Http)
                || f.tool == "gh"
                || f.tool.starts_with("gh ")
                || f.tool == "ssh"
        });
    move |line: &str| {
        !foreign
            || line.starts_with("curl: (")
            || line.starts_with("fatal: ")
            || line.contains("command not found")
    }
}

/// Whether the status of the script can be good although something in it failed: a pipe, a `;`, an
/// `||` or an `&` stands behind it.
fn hidden(script: &Script) -> bool {
    let mut decides = true;
    let mut piped = false;
    for command in script.commands.iter().rev().filter(|c| !c.substituted) {
        if (!decides || (piped && !script.pipefail) || command.background) && !looks(command) {
            return true;
        }
        match command.joint {
            Joint::Pipe => piped = true,
            Joint::And => piped = false,
            Joint::Then if script.strict => piped = false,
            Joint::Then | Joint::Or | Joint::Background => {
                piped = false;
                decides = false;
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
