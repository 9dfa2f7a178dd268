//! `compact restore`: gives a checkpoint back, within a budget.

use super::common::{self, Reading};
use crate::checkpoint::{Checkpoint, restore};
use crate::hook;
use anyhow::{Context, Result, anyhow, bail};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Give a checkpoint back as text, within a budget
///
/// With SESSION, the transcript after the compaction, only the open todos that vanished come back: finished
/// ones never do, and none that the list still has.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact restore --checkpoint checkpoint.json --budget 3000
  compact restore --dir ~/checkpoints session.jsonl --json")]
pub struct Args {
    /// The transcript after the compaction, or - for standard input [default: none]
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// The checkpoint [default: the newest in --dir]
    #[arg(long, value_name = "FILE", required_unless_present = "dir")]
    pub checkpoint: Option<PathBuf>,

    /// The folder of checkpoints: the newest of the session, else the newest of all [default: none]
    #[arg(long, value_name = "DIR", conflicts_with = "checkpoint")]
    pub dir: Option<PathBuf>,

    /// Most characters of the text
    #[arg(long, value_name = "N", default_value_t = restore::BUDGET)]
    pub budget: usize,

    /// Print text, lists and what was left out as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the checkpoint and prints it.
///
/// # Errors
/// No checkpoint, or a session that cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let session = match args.session_file.as_deref() {
        Some(name) => {
            let source = args.reading.source(Some(name))?;
            Some(args.reading.session(&source)?)
        }
        None => None,
    };
    let id = session.as_ref().and_then(|s| s.head.id.as_deref());
    let checkpoint = match (&args.checkpoint, &args.dir) {
        (Some(file), _) => read(file)?,
        (None, Some(dir)) => newest(dir, id)?,
        (None, None) => bail!("no checkpoint named; use --checkpoint FILE or --dir DIR"),
    };
    let after = session.as_ref().and_then(restore::list_after);
    let restored = restore::restore(&checkpoint, after, args.budget);
    if args.json {
        common::print_json(&restored)?;
    } else {
        common::print(&(restored.text + "\n"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn read(path: &Path) -> Result<Checkpoint> {
    let text = std::fs::read_to_string(path).map_err(|e| {
        anyhow!(
            "{}: {}",
            path.display(),
            crate::transcript::read::reason(&e)
        )
    })?;
    Checkpoint::parse(&text).map_err(|e| anyhow!("{}: {e}", path.display()))
}

/// The newest checkpoint of the session in the folder or in a hook's folders below it, else the newest of all.
fn newest(dir: &Path, session: Option<&str>) -> Result<Checkpoint> {
    let list = std::fs::read_dir(dir)
        .with_context(|| format!("{}: cannot be listed; name a folder", dir.display()))?;
    let mut folders: Vec<PathBuf> = list
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        .collect();
    folders.sort();
    folders.insert(0, dir.to_owned());
    let mut found: Vec<Checkpoint> = folders
        .iter()
        .flat_map(|folder| hook::checkpoints(folder))
        .filter_map(|path| read(&path).ok())
        .collect();
    let time = |c: &Checkpoint| {
        c.created_at
            .as_deref()
            .and_then(crate::transcript::Millis::parse)
    };
    found.sort_by_key(time);
    let mine = found
        .iter()
        .rposition(|c| session.is_some() && c.session.id.as_deref() == session);
    let at = mine.or(found.len().checked_sub(1));
    at.map(|at| found.swap_remove(at)).ok_or_else(|| {
        anyhow!(
            "{}: no checkpoint in it; write one with compact checkpoint",
            dir.display()
        )
    })
}
