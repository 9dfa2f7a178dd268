//! The command line: one file a command, with its flags and its report. Knows every room; no room knows it.

pub mod brief;
pub mod checkpoint;
pub mod common;
pub mod context;
pub mod diff;
pub mod hook;
pub mod list;
pub mod loops;
pub mod prune;
pub mod recall;
pub mod restore;
pub mod rules;
pub mod state;
pub mod tools;
pub mod usage;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

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
    max_term_width = 100
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
    Context(context::Args),
    Diff(diff::Args),
    Hook(hook::Args),
    List(list::Args),
    Loops(loops::Args),
    Prune(Box<prune::Args>),
    Recall(recall::Args),
    Restore(restore::Args),
    Rules(rules::Args),
    Tools(tools::Args),
    Usage(usage::Args),
}

/// Parses the arguments, runs one job, and turns its answer into an exit status: 0 done or yes, 1 no, 2 could
/// not be done.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return hook::usage_error(&error),
    };
    let answer = match &cli.command {
        None => brief::run(&cli.main),
        Some(Command::Checkpoint(args)) => checkpoint::run(args),
        Some(Command::Context(args)) => context::run(args),
        Some(Command::Diff(args)) => diff::run(args),
        Some(Command::Hook(args)) => hook::run(args),
        Some(Command::List(args)) => list::run(args),
        Some(Command::Loops(args)) => loops::run(args),
        Some(Command::Prune(args)) => prune::run(args),
        Some(Command::Recall(args)) => recall::run(args),
        Some(Command::Restore(args)) => restore::run(args),
        Some(Command::Rules(args)) => rules::run(args),
        Some(Command::Tools(args)) => tools::run(args),
        Some(Command::Usage(args)) => usage::run(args),
    };
    answer.unwrap_or_else(|error| common::fail(&error))
}
