//! `compact tools SESSION`: the tools a session used.

use super::common::{self, Reading};
use crate::toolbox::Toolbox;
use anyhow::Result;
use std::process::ExitCode;

/// List the tools used, and which of them need not always be loaded
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact tools session.jsonl
  compact tools session.jsonl --line --eager git_diff")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Print one line of the deferrable tools by group; nothing when there are none [default: off]
    #[arg(long)]
    pub line: bool,

    /// A tool that is always loaded [default: read, write, edit, shell, grep, glob and other core tools]
    #[arg(long, value_name = "NAME")]
    pub eager: Vec<String>,

    /// Print the report as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the session and prints the table, the line or the report.
///
/// # Errors
/// The session cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let toolbox = Toolbox::of(&session, &args.eager);
    if args.json {
        common::print_json(&toolbox)?;
    } else if args.line {
        let line = toolbox.line();
        if !line.is_empty() {
            common::print(&(line + "\n"))?;
        }
    } else {
        common::print(&table(&toolbox))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn table(toolbox: &Toolbox) -> String {
    let width = toolbox
        .tools
        .iter()
        .map(|t| crate::language::columns(&t.name))
        .max()
        .unwrap_or(4)
        .max(4);
    let pad = |name: &str| " ".repeat(width - crate::language::columns(name));
    let mut out = format!(
        "tool{}  calls  errors   chars in  chars out  first   last\n",
        pad("tool")
    );
    for tool in &toolbox.tools {
        let place =
            |r: Option<crate::transcript::Ref>| r.map_or_else(|| "-".to_owned(), |r| r.to_string());
        out.push_str(&format!(
            "{}{}  {:>5}  {:>6}  {:>9}  {:>9}  {:>5}  {:>5}\n",
            tool.name,
            pad(&tool.name),
            tool.calls,
            tool.errors,
            tool.chars_in,
            tool.chars_out,
            place(tool.first_ref),
            place(tool.last_ref)
        ));
    }
    let line = toolbox.line();
    if !line.is_empty() {
        out.push_str(&format!("may be loaded later: {line}\n"));
    }
    out
}
