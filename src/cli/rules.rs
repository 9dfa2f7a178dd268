//! `compact rules SESSION`: which rule of the vocabulary caught which line.

use super::common::{self, Judging, Reading};
use crate::extract::{trace, turns};
use crate::language;
use anyhow::Result;
use std::process::ExitCode;

/// Show which rule of the vocabulary caught or dropped which line
///
/// One line a hit: the message, what the hit does to the line (keep or drop), the group, where the rule stands,
/// the rule, and the line. Use it to see why a request, a preference or a blocker was found or missed, and to try
/// out rules of your own (--rules).
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact rules session.jsonl
  compact rules session.jsonl --json | jq -r '.[] | select(.effect == \"drop\") | .line'")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Print the hits as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub judging: Judging,

    #[command(flatten)]
    pub reading: Reading,
}

/// Prints the hits.
///
/// # Errors
/// The session or a rules file cannot be read, or the output not written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let rules = args.judging.rules(args.reading.quiet)?;
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let found = trace::trace(&session, &turns::turns(&session, &rules), &rules);
    if args.json {
        common::print_json(&found)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = String::new();
    for hit in &found {
        let rule = language::clip(&hit.rule, 40);
        out.push_str(&format!(
            "{:<6} {:<4} {:<22} {:<14} {rule}  |  {}\n",
            hit.reference.to_string(),
            hit.effect,
            hit.group,
            hit.source,
            hit.line
        ));
    }
    common::print(&out)?;
    Ok(ExitCode::SUCCESS)
}
