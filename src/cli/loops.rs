//! `compact loops SESSION`: repeated calls and loops.

use super::common::{self, Reading};
use crate::loops::{self, Action, Allow, Finding};
use anyhow::Result;
use serde_json::json;
use std::process::ExitCode;

/// Find repeated calls and loops
///
/// Says what a guard would have answered: stub (the same read or result again, one line would do), warn and block
/// (the same call in a row, or repeats beyond the stubs), loop (the same call over and over within a turn).
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact loops session.jsonl
  compact loops session.jsonl --allow WebFetch --allow 'gh run (view|watch)' --check && echo no loop")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Calls that the search for a loop looks back on
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    pub last: u32,

    /// Occurrences among them that make a loop
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    pub repeats: u32,

    /// Stubs before a block
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub stubs: u32,

    /// A tool, or a pattern over tool names and command lines, that may repeat [default: none]
    #[arg(long, value_name = "NAME|REGEX")]
    pub allow: Vec<String>,

    /// Exit 1 when anything was found that a guard would warn about or stop [default: off]
    #[arg(long)]
    pub check: bool,

    /// Print the findings as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the session and prints the findings.
///
/// # Errors
/// A pattern that is none, or a session that cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let options = loops::Options {
        last: args.last as usize,
        repeats: args.repeats,
        stubs: args.stubs,
        allow: Allow::new(&args.allow)?,
    };
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let findings = loops::find(&session, &options);
    let saved: u64 = findings.iter().map(|f| f.saved_chars).sum();
    let seen = loops::seen_before(&session);
    if args.json {
        common::print_json(
            &json!({"findings": findings, "saved_chars": saved, "seen_before": seen}),
        )?;
    } else {
        if !seen.is_empty() && !args.reading.quiet {
            common::notice(&format!(
                "all lines of these reads were read before, at other offsets: {}",
                common::first_few(&seen)
            ));
        }
        common::print(&text(&findings, saved))?;
    }
    let bad = findings.iter().any(|f| f.action != Action::Stub);
    Ok(ExitCode::from(u8::from(args.check && bad)))
}

fn text(findings: &[Finding], saved: u64) -> String {
    if findings.is_empty() {
        return "no repeated calls\n".to_owned();
    }
    let mut out = String::new();
    for found in findings {
        let name =
            |r: Option<crate::transcript::Ref>| r.map_or_else(|| "-".to_owned(), |r| r.to_string());
        let action = match found.action {
            Action::Stub => "stub",
            Action::Warn => "warn",
            Action::Block => "block",
            Action::Loop => "loop",
        };
        let tool = crate::language::visible(&found.tool);
        out.push_str(&format!(
            "{:<6} {action:<5} {tool}, {} times since {}\n",
            name(found.reference),
            found.count,
            name(found.first_ref)
        ));
    }
    out.push_str(&format!(
        "{saved} characters could have been one line each\n"
    ));
    out
}
