//! `compact SESSION`: the main job.

use super::common::{self, Reading};
use crate::{brief, extract};
use anyhow::Result;
use std::path::PathBuf;
use std::process::ExitCode;

/// Flags of the main job.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// The session's file, or - for standard input
    pub session_file: Option<String>,

    /// Print the state as JSON instead of the brief [default: off]
    #[arg(long)]
    pub json: bool,

    /// Write to FILE instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Ceiling in characters, everything included [default: 60 a block of the transcript, within 4400 and 8000]
    #[arg(long, value_name = "N")]
    pub max_chars: Option<usize>,

    /// Ceiling in estimated tokens, everything included [default: none]
    #[arg(long, value_name = "N")]
    pub max_tokens: Option<usize>,

    /// Columns; 0 never wraps
    #[arg(long, value_name = "N", default_value_t = 120)]
    pub width: usize,

    /// Headings as Markdown, or as pi-vcc writes them
    #[arg(long, value_enum, default_value_t = brief::Style::Markdown)]
    pub style: brief::Style,

    /// Sections that come when they have content, or the eight fixed ones
    #[arg(long, value_enum, default_value_t = brief::Layout::Default)]
    pub layout: brief::Layout,

    /// Only these sections, comma-separated [default: all]
    #[arg(long, value_enum, value_name = "LIST", value_delimiter = ',')]
    pub sections: Vec<brief::Section>,

    /// Leave the last N human turns out: the host keeps them verbatim
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub keep: usize,

    /// The active branch, or abandoned ones too
    #[arg(long, value_enum, default_value_t = brief::Scope::Active)]
    pub scope: brief::Scope,

    /// The brief of a side chain: a sub-agent's id, or all [default: the main conversation]
    #[arg(long, value_name = "ID|all")]
    pub sidechain: Option<String>,

    /// Without files only read and without preferences; needs --sidechain [default: off]
    #[arg(long, requires = "sidechain")]
    pub lean: bool,

    /// A fixed number of characters a token [default: estimated by script]
    #[arg(long, value_name = "N")]
    pub chars_per_token: Option<f64>,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads, extracts, renders, prints.
///
/// # Errors
/// The session cannot be read or the output not written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let state = extract::extract(&session, crate::lexicon::Rules::builtin());
    let options = brief::Options {
        max_chars: args.max_chars,
        max_tokens: args.max_tokens,
        width: Some(args.width),
        style: args.style,
        layout: args.layout,
        sections: args.sections.clone(),
        keep: args.keep,
        scope: args.scope,
        lean: args.lean,
        chars_per_token: args.chars_per_token,
    };
    let mut state = state;
    let brief = brief::render_into(&session, &mut state, &options)?;
    let text = if args.json {
        serde_json::to_string_pretty(&state)? + "\n"
    } else {
        brief
    };
    match &args.output {
        Some(path) => common::write_file(path, &text)?,
        None => common::print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}
