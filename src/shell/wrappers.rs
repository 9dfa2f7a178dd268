//! Programs that only run another program: `sudo`, `env`, `timeout`, `bash -c` and the like.

use super::path;
use super::words::Word;
use super::words::is_name;

/// What is left when the wrappers are off.
#[derive(Default)]
pub(super) struct Unwrapped {
    /// Program and arguments.
    pub words: Vec<Word>,
    /// `NAME=value` given to `env`.
    pub assignments: Vec<(String, String)>,
    /// More arguments come from standard input.
    pub partial: bool,
    /// The text of `bash -c` or `eval`, to be read as a script of its own.
    pub script: Option<String>,
    /// That text runs in the same shell, so its `cd` stays.
    pub same_shell: bool,
}

/// Options of a wrapper that take the next word with them.
fn valued(wrapper: &str) -> &'static [&'static str] {
    match wrapper {
        "sudo" | "doas" => &[
            "-u", "-g", "-h", "-p", "-C", "-T", "-U", "--user", "--group",
        ],
        "env" => &["-u", "--unset", "-C", "--chdir"],
        "timeout" | "gtimeout" => &["-k", "-s", "--kill-after", "--signal"],
        "nice" => &["-n", "--adjustment"],
        "ionice" => &["-c", "-n"],
        "xargs" => &[
            "-n",
            "-P",
            "-I",
            "-L",
            "-d",
            "-s",
            "-E",
            "-a",
            "--max-args",
            "--max-procs",
        ],
        "time" | "gtime" => &["-f", "-o", "--format", "--output"],
        "stdbuf" => &["-i", "-o", "-e"],
        "exec" => &["-a"],
        _ => &[],
    }
}

/// Takes wrappers off, one after the other.
pub(super) fn unwrap(mut words: Vec<Word>) -> Unwrapped {
    let mut out = Unwrapped::default();
    // Each turn takes at least one word away.
    while let Some(first) = words.first() {
        let wrapper = path::base(&first.text).to_owned();
        match wrapper.as_str() {
            "sudo" | "doas" | "env" | "timeout" | "gtimeout" | "nice" | "ionice" | "xargs"
            | "time" | "gtime" | "stdbuf" | "exec" | "nohup" | "setsid" | "command" | "builtin"
            | "caffeinate" | "unbuffer" => {
                let skip = options(&words, &wrapper, &mut out);
                if skip >= words.len() {
                    // Nothing is wrapped (`env`, `command -v x`): the wrapper is the program.
                    break;
                }
                out.partial |= wrapper == "xargs";
                words.drain(..skip);
            }
            "bash" | "sh" | "zsh" | "dash" | "ksh" => {
                if let Some(text) = shell_text(&words) {
                    out.script = Some(text);
                    return out;
                }
                break;
            }
            "eval" if words.len() > 1 => {
                let parts: Vec<&str> = words.iter().skip(1).map(|w| w.text.as_str()).collect();
                out.script = Some(parts.join(" "));
                out.same_shell = true;
                return out;
            }
            _ => break,
        }
    }
    out.words = words;
    out
}

/// How many words the wrapper and its own options take.
fn options(words: &[Word], wrapper: &str, out: &mut Unwrapped) -> usize {
    let valued = valued(wrapper);
    let mut i = 1;
    while let Some(word) = words.get(i) {
        let text = word.text.as_str();
        if text == "--" {
            i += 1;
            break;
        }
        if wrapper == "command" && matches!(text, "-v" | "-V") {
            return words.len();
        }
        if text.len() > 1 && text.starts_with('-') {
            i += if valued.contains(&text) { 2 } else { 1 };
            continue;
        }
        match text.split_once('=') {
            Some((name, value)) if matches!(wrapper, "env" | "sudo") && is_name(name) => {
                out.assignments.push((name.to_owned(), value.to_owned()));
                i += 1;
            }
            _ => break,
        }
    }
    if matches!(wrapper, "timeout" | "gtimeout") {
        i += 1;
    }
    i
}

/// The text of `bash -lc TEXT`.
fn shell_text(words: &[Word]) -> Option<String> {
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if !text.starts_with('-') && !text.starts_with('+') {
            return None;
        }
        if text == "-o" || text == "-O" {
            rest.next();
            continue;
        }
        if !text.starts_with("--") && text.ends_with('c') {
            return rest.next().map(|w| w.text.clone());
        }
    }
    None
}
