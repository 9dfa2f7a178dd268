//! `compact context DIR`: its flags and what it prints.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::context::{self, Options};

/// Pack the project's instruction files (AGENTS.md, CLAUDE.md, …) into a budget
///
/// Looks in DIR and the folders below it (4 deep, 40 files; hidden folders, node_modules and links
/// to folders are left out). Per folder one file counts, the first of: .snowpea/instructions.md,
/// AGENTS.override.md, AGENTS.md, agents.md, CLAUDE.md, .claude/CLAUDE.md, .cursorrules. The same
/// content is given once.
///
/// A file over its cap keeps 70 % of it from the head and 20 % from the tail. When the whole is too
/// long, the deepest files are cut first, the root last; a file cut to nothing is still named.
/// Caps are characters, markers included. They follow the model's window at four characters a
/// token: 6 % of it a file, 10 % in all.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact context ~/shop --window 200000
  compact context . --json | jq -r '.files[] | select(.truncated) | .path'")]
pub struct Args {
    /// The project's folder
    pub dir: PathBuf,

    /// The model's context window in tokens; the caps follow it [default: unknown]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub window: Option<u64>,

    /// Most characters of one file [default: 6 % of the window, 20000 to 500000, or 8000 when the
    /// window is 32000 or less; 20000 without --window]
    #[arg(long, value_name = "N")]
    pub file_max: Option<u64>,

    /// Most characters in all [default: 10 % of the window, 12000 to 120000; 12000 without
    /// --window]
    #[arg(long, value_name = "N")]
    pub total_max: Option<u64>,

    /// Give nothing: the one switch that turns all instruction files off [default: off]
    #[arg(long)]
    pub ignore: bool,

    /// Print the report as JSON instead of the text [default: off]
    #[arg(long)]
    pub json: bool,
}

/// Prints the packed text or the report; notices go to stderr, one a line.
///
/// # Errors
///
/// When DIR cannot be listed or stdout cannot be written. A reader that closed the pipe is no error.
pub fn run(args: &Args) -> Result<ExitCode> {
    let options = Options {
        window: args.window,
        file_max: args.file_max,
        total_max: args.total_max,
        ignore: args.ignore,
    };
    let report = context::gather(&args.dir, &options)?;
    for notice in &report.notices {
        // Nothing sensible is left to do when stderr is gone.
        let _ = writeln!(io::stderr(), "compact: {notice}");
    }
    let text = if args.json {
        serde_json::to_string(&report)? + "\n"
    } else {
        report.text
    };
    match io::stdout()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
    {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot write to stdout")
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(clap::Parser)]
    struct Alone {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn flags_are_those_of_the_contract() {
        let line = [
            "context",
            "proj",
            "--window",
            "8000",
            "--file-max",
            "10",
            "--total-max",
            "20",
            "--ignore",
            "--json",
        ];
        let args = Alone::try_parse_from(line).unwrap().args;
        assert_eq!(
            (args.window, args.file_max, args.total_max),
            (Some(8_000), Some(10), Some(20))
        );
        assert!(args.ignore && args.json);
        assert_eq!(run(&args).unwrap(), ExitCode::SUCCESS);
        assert!(Alone::try_parse_from(["context"]).is_err());
        assert!(Alone::try_parse_from(["context", ".", "--window", "0"]).is_err());
    }

    #[test]
    fn a_missing_folder_is_named() {
        let args = Alone::try_parse_from(["context", "no such folder"])
            .unwrap()
            .args;
        assert!(
            run(&args)
                .unwrap_err()
                .to_string()
                .contains("no such folder")
        );
    }
}
