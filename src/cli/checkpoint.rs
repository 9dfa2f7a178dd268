//! `compact checkpoint SESSION`: what must survive a compaction.

use super::common::{self, Judging, Reading};
use crate::checkpoint::{self, project};
use crate::disk;
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;

/// Why the compaction happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Trigger {
    #[default]
    Manual,
    Auto,
}

/// What must survive a compaction, as JSON
///
/// Holds the whole state, the last todo list with its finished items, and the background jobs. All of it comes
/// from the transcript; --project adds what another tool left below DIR/.omc and DIR/.claude.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact checkpoint session.jsonl -o checkpoint.json
  compact checkpoint session.jsonl --trigger auto --dir ~/checkpoints")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Who asked for the compaction
    #[arg(long, value_name = "TRIGGER", default_value = "manual")]
    pub trigger: Trigger,

    /// What the person told the compaction; kept word for word, never taken for a request [default: none]
    #[arg(long, value_name = "TEXT")]
    pub instructions: Option<String>,

    /// Add what another tool left in this project [default: none]
    #[arg(long, value_name = "DIR")]
    pub project: Option<PathBuf>,

    /// Write DIR/checkpoint-TIME.json [default: standard output]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,

    /// Write to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    #[command(flatten)]
    pub judging: Judging,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the session and writes its checkpoint.
///
/// # Errors
/// The session cannot be read or the file not written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let rules = args.judging.rules(args.reading.quiet)?;
    let source = args.reading.source(args.session_file.as_deref())?;
    common::refuse_source(&source, args.output.as_deref())?;
    let session = args.reading.session(&source)?;
    let found = args.project.as_deref().map(|dir| {
        project::read(
            dir,
            session.head.id.as_deref(),
            session.head.ended.as_deref(),
        )
    });
    let trigger = match args.trigger {
        Trigger::Manual => "manual",
        Trigger::Auto => "auto",
    };
    let instructions = args.instructions.as_deref().unwrap_or_default();
    let made = checkpoint::build(&session, &rules, trigger, instructions, found);
    let text = crate::json::pretty(&made)?;
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("{}: cannot be made; check the folder", dir.display()))?;
        disk::write_file(&dir.join(made.file_name()), &text)?;
    }
    match &args.output {
        Some(path) => disk::write_file(path, &text)?,
        None if args.dir.is_none() => common::print(&text)?,
        None => {}
    }
    Ok(ExitCode::SUCCESS)
}
