//! `compact completions SHELL`.

use super::{common, help};
use anyhow::Result;
use std::process::ExitCode;

/// Print a completion script for a shell
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact completions bash > ~/.local/share/bash-completion/completions/compact
  compact completions zsh > ~/.zfunc/_compact      with fpath+=~/.zfunc before compinit
  compact completions fish > ~/.config/fish/completions/compact.fish
  compact completions powershell >> $PROFILE")]
pub struct Args {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Prints the script.
///
/// # Errors
/// The output cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut help::tree(), "compact", &mut script);
    common::print(&String::from_utf8_lossy(&script))?;
    Ok(ExitCode::SUCCESS)
}
