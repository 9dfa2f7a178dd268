//! The command line: one file a command, with its flags and its report. Knows every room; no room knows it.

pub mod brief;
pub mod checkpoint;
pub mod common;
pub mod completions;
pub mod context;
pub mod diff;
pub mod help;
pub mod hook;
pub mod list;
pub mod loops;
pub mod man;
pub mod prune;
pub mod reading;
pub mod recall;
pub mod replay;
pub mod restore;
pub mod rules;
pub mod state;
pub mod tools;
pub mod usage;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;

/// What follows the flags in the long help.
const AFTER: &str = "\
Examples:
  compact session.jsonl                          the brief
  compact session.jsonl --json | jq .goal        the state behind it
  compact session.jsonl --state state.json       merged with what earlier runs knew
  compact --latest --cwd .                       of this project's newest session
  compact recall '#12' session.jsonl             what a reference in the brief stands for

Exit status: 0 done, or the answer is yes; 1 the answer is no (no hit; with --check: over the
threshold, a loop, a failed replay); 2 it could not be done. Errors are one line on stderr. Nothing leaves this
machine.";

/// A deterministic brief of what matters in a coding agent's session
///
/// Reads the transcript that a coding agent left behind (JSON Lines of Claude Code, Pi, Codex and others) and
/// writes a short sectioned brief: goal, requests, standing preferences, what is still in the way, todos, files,
/// commits, what happened. No model, no network; the same bytes every time.
#[derive(Debug, Parser)]
#[command(
    name = "compact",
    version,
    args_conflicts_with_subcommands = true,
    // As elsewhere on a command line, the last one counts: an alias can be overruled.
    args_override_self = true,
    max_term_width = 100,
    after_long_help = AFTER
)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    main: brief::Args,
}

/// The other jobs.
#[derive(Debug, Subcommand)]
enum Command {
    Checkpoint(checkpoint::Args),
    Completions(completions::Args),
    Context(context::Args),
    Diff(diff::Args),
    Hook(hook::Args),
    List(list::Args),
    Loops(loops::Args),
    Man(man::Args),
    Prune(Box<prune::Args>),
    Recall(recall::Args),
    Replay(Box<replay::Args>),
    Restore(restore::Args),
    Rules(rules::Args),
    Tools(tools::Args),
    Usage(usage::Args),
}

/// Parses the arguments, runs one job, and turns its answer into an exit status: 0 done or yes, 1 no, 2 could
/// not be done.
pub fn main() -> ExitCode {
    let words: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let color = help::color(&words);
    // Grouping the commands means to build their tree twice, and only help and errors show it.
    let parsed = Cli::command()
        .color(color)
        .try_get_matches()
        .or_else(|error| match error.kind() {
            ErrorKind::DisplayVersion => Err(error),
            _ => help::for_people(color).try_get_matches(),
        })
        .and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return hook::usage_error(&error, &words),
    };
    let answer = match &cli.command {
        None => brief::run(&cli.main).map_err(suggested),
        Some(Command::Checkpoint(args)) => checkpoint::run(args),
        Some(Command::Completions(args)) => completions::run(args),
        Some(Command::Context(args)) => context::run(args),
        Some(Command::Diff(args)) => diff::run(args),
        Some(Command::Hook(args)) => hook::run(args),
        Some(Command::List(args)) => list::run(args),
        Some(Command::Loops(args)) => loops::run(args),
        Some(Command::Man(args)) => man::run(args),
        Some(Command::Prune(args)) => prune::run(args),
        Some(Command::Recall(args)) => recall::run(args),
        Some(Command::Replay(args)) => replay::run(args),
        Some(Command::Restore(args)) => restore::run(args),
        Some(Command::Rules(args)) => rules::run(args),
        Some(Command::Tools(args)) => tools::run(args),
        Some(Command::Usage(args)) => usage::run(args),
    };
    answer.unwrap_or_else(|error| common::fail(&error))
}

/// A session that is not there may have been meant for a command.
fn suggested(error: anyhow::Error) -> anyhow::Error {
    let word = std::env::args().nth(1).unwrap_or_default();
    match help::meant(&word) {
        Some(name) => anyhow::anyhow!("{error:#}; or did you mean compact {name}?"),
        None => error,
    }
}
