//! `compact man`: manual pages, written from the tree of commands.

use super::{common, help};
use crate::disk;
use anyhow::{Context, Result, bail};
use clap::Command;
use std::path::PathBuf;
use std::process::ExitCode;

/// Print the manual page, or write all of them
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact man | man -l -
  compact man recall | man -l -
  compact man --dir ~/.local/share/man/man1")]
pub struct Args {
    /// The command whose page is wanted [default: the main page]
    pub command: Option<String>,

    /// Write compact.1 and a page for every command into DIR, which is made if need be [default: print one page]
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

/// Prints one page, or writes all.
///
/// # Errors
/// There is no such command, or a page cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let tree = help::tree();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir)
            .with_context(|| format!("{}: cannot be made; check the path", dir.display()))?;
        for (name, page) in pages(&tree)? {
            disk::write_file(&dir.join(name), &page)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = match args.command.as_deref() {
        None => Some(&tree),
        Some(name) => tree.find_subcommand(name),
    };
    match wanted {
        Some(command) => common::print(&page(command)?)?,
        None => bail!("no such command; compact --help lists them"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Every page with its file's name.
///
/// # Errors
/// A page cannot be made.
pub fn pages(tree: &Command) -> Result<Vec<(String, String)>> {
    let commands = tree.get_subcommands().filter(|c| c.get_name() != "help");
    std::iter::once(tree)
        .chain(commands)
        .map(|command| Ok((format!("{}.1", title(command)), page(command)?)))
        .collect()
}

fn title(command: &Command) -> &str {
    command
        .get_display_name()
        .unwrap_or_else(|| command.get_name())
}

fn page(command: &Command) -> Result<String> {
    // A page names its command as one types it, and itself as `man` finds it.
    let command = command.clone().disable_help_subcommand(true);
    let title = title(&command).to_owned();
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .title(title)
        .source(concat!("compact ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}
