//! `compact hook`: one command for an agent's hooks.

use super::common;
use crate::hook::{self, Answer, Options, config};
use crate::usage::{Share, Windows};
use anyhow::Result;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// One command for an agent's hooks: event JSON on standard input, the host's JSON on standard output
///
/// PreCompact saves a checkpoint and the state; SessionStart after the compaction, else the next
/// UserPromptSubmit, gives the checkpoint back once. Stop holds the agent back when the context is nearly full,
/// so that it asks for /compact. PostToolUse warns once a level.
///
/// Whatever goes wrong, the host is let go on: exit status 0, one JSON object, one line on stderr. A mistake in
/// the flags is exit status 1. Nothing is stored outside --dir, and no settings are edited.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact hook --print-config claude-code --dir ~/.compact
  compact hook --dir ~/.compact --window 200000 < event.json")]
pub struct Args {
    /// Where counts and checkpoints live [default: nothing is stored]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// The model's context window in tokens, for every model or for one [default: as in compact usage]
    #[arg(long, value_name = "N|MODEL=N")]
    pub window: Vec<String>,

    /// Percent of the window from which to act: 75, 75% or 0.75
    #[arg(
        long,
        value_name = "PERCENT",
        default_value = "75",
        allow_negative_numbers = true
    )]
    pub threshold: String,

    /// Percent from which a stop is let through and a warning is critical
    #[arg(
        long,
        value_name = "PERCENT",
        default_value = "95",
        allow_negative_numbers = true
    )]
    pub critical: String,

    /// Most stops held back between two compactions
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub max_blocks: u64,

    /// A block is exit status 2 with the reason on stderr [default: JSON on stdout]
    #[arg(long)]
    pub exit_code: bool,

    /// Whose hooks these are; events and answers are the same
    #[arg(long, value_name = "HOST", default_value = "claude-code")]
    pub host: config::Host,

    /// Print the settings to paste, and do nothing else [default: off]
    #[arg(long, value_name = "HOST", num_args = 0..=1)]
    pub print_config: Option<Option<config::Host>>,
}

/// A mistake in the flags: 2 as everywhere, but 1 for a hook, since hosts take 2 for a block.
pub fn usage_error(error: &clap::Error, words: &[String]) -> ExitCode {
    let status = common::usage_error(error, words);
    let ours = words.first().is_some_and(|word| word == "hook");
    if ours && error.use_stderr() {
        ExitCode::from(1)
    } else {
        status
    }
}

/// The share, or the default with a word about it.
fn share(name: &str, text: &str, default: u64) -> Share {
    match Share::parse(text, true) {
        Ok(share) if share >= Share::percent(1) => share,
        _ => {
            common::notice(&format!(
                "{name} {text} is not within 1 to 100; {default} is used"
            ));
            Share::percent(default)
        }
    }
}

/// Reads the event, answers it.
///
/// # Errors
/// Standard output cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let windows = match Windows::parse(&args.window) {
        Ok(windows) => windows,
        Err(why) => {
            common::notice(&why);
            return Ok(ExitCode::from(1));
        }
    };
    if let Some(host) = args.print_config {
        let host = host.unwrap_or(args.host);
        common::notice(host.place());
        common::print_json(&config::settings(host, &command(args, host)))?;
        return Ok(ExitCode::SUCCESS);
    }
    let options = Options {
        dir: args.dir.clone(),
        windows,
        threshold: share("--threshold", &args.threshold, 75),
        critical: share("--critical", &args.critical, 95),
        max_blocks: args.max_blocks,
        exit_code: args.exit_code,
    };
    // A defect must not stop the agent either; what it says would only confuse the host.
    std::panic::set_hook(Box::new(|_| {}));
    let answered = std::panic::catch_unwind(|| {
        let mut input = Vec::new();
        match std::io::stdin().lock().read_to_end(&mut input) {
            Ok(_) => hook::answer(&String::from_utf8_lossy(&input), &options),
            Err(error) => hook::failed(format!("standard input: {error}")),
        }
    });
    let Answer { out, note, status } =
        answered.unwrap_or_else(|_| hook::failed("an internal error; the hook did nothing"));
    if let Some(note) = note {
        let line = crate::language::one_line(&note).into_owned();
        match status {
            0 => common::notice(&crate::language::visible(&line)),
            // The host hands this text to the model as it stands.
            _ => drop(writeln!(std::io::stderr(), "{line}")),
        }
    }
    if let Some(out) = out {
        common::print(&(serde_json::to_string(&out)? + "\n"))?;
    }
    Ok(ExitCode::from(status))
}

/// The command line that the settings name: these flags, where they aren't the defaults.
fn command(args: &Args, host: config::Host) -> String {
    let mut words = vec!["compact hook".to_owned()];
    let dir = args.dir.as_ref().map(|d| d.display().to_string());
    words.push(format!(
        "--dir {}",
        quoted(dir.as_deref().unwrap_or("~/.compact"))
    ));
    for window in &args.window {
        words.push(format!("--window {}", quoted(window)));
    }
    if args.threshold != "75" {
        words.push(format!("--threshold {}", quoted(&args.threshold)));
    }
    if args.critical != "95" {
        words.push(format!("--critical {}", quoted(&args.critical)));
    }
    if args.max_blocks != 2 {
        words.push(format!("--max-blocks {}", args.max_blocks));
    }
    if args.exit_code {
        words.push("--exit-code".to_owned());
    }
    if host == config::Host::Codex {
        words.push("--host codex".to_owned());
    }
    words.join(" ")
}

/// A word for a shell; a leading `~/` stays outside the quotes.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-=%~+,:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    match word.strip_prefix("~/") {
        Some(rest) => format!("~/'{}'", rest.replace('\'', "'\\''")),
        None => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    fn line(words: &[&str]) -> String {
        let words = [&["compact"], words].concat();
        let args = Line::try_parse_from(words).map(|l| l.args).expect("flags");
        command(&args, args.host)
    }

    #[test]
    fn settings_name_the_flags_that_are_no_defaults() {
        assert_eq!(line(&[]), "compact hook --dir ~/.compact");
        assert_eq!(
            line(&[
                "--dir",
                "/a b",
                "--threshold",
                "70",
                "--max-blocks",
                "1",
                "--exit-code",
                "--host",
                "codex"
            ]),
            "compact hook --dir '/a b' --threshold 70 --max-blocks 1 --exit-code --host codex"
        );
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted("~/my dir"), "~/'my dir'");
    }

    #[test]
    fn a_share_outside_its_range_is_the_default() {
        // A number below zero is one, and no flag.
        assert!(line(&["--threshold", "-4"]).ends_with("--threshold -4"));
        assert_eq!(share("--threshold", "75", 60), Share::percent(75));
        assert_eq!(share("--threshold", "0.8", 60), Share::percent(80));
        for bad in ["0", "101", "high", ""] {
            assert_eq!(share("--threshold", bad, 75), Share::percent(75), "{bad}");
        }
    }
}
