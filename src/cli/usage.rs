//! `compact usage SESSION`: how full the context is, and what to do now.

use super::common::{self, Reading};
use crate::usage::{self, Windows};
use anyhow::Result;
use std::process::ExitCode;

/// How full the context is, and what to do now
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The session's file, or - for standard input
    pub session_file: Option<String>,

    /// The model's context window in tokens, for every model or for one
    #[arg(long, value_name = "N|MODEL=N")]
    pub window: Vec<String>,

    /// Print the report as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads the session and reports.
///
/// # Errors
/// Flags that mean nothing, or a session that cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let windows = Windows::parse(&args.window).map_err(anyhow::Error::msg)?;
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let events = usage::events(&session);
    let now = usage::now(&events);
    let window = windows.of(&session, &events);
    let share = now
        .tokens
        .zip(window.tokens)
        .and_then(|(t, w)| usage::share::shown(t, w));
    common::print_json(&serde_json::json!({
        "context_tokens": now.tokens, "window": window.tokens, "window_from": window.from,
        "share": share, "source": now.source, "compactions": usage::compactions(&events),
    }))?;
    Ok(ExitCode::SUCCESS)
}
