//! `compact prune SESSION`: its flags, where the copy goes, and what is said about it.

use super::common::{self, Reading};
use crate::disk;
use crate::prune::{self, Notify, Options, Plan, Report, Strategy, TurnUnit};
use crate::session::{Digest, Session};
use crate::transcript::{Source, formats, read::read_from};
use crate::usage::Windows;
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Write a smaller transcript that the agent can still load
///
/// Outputs and inputs that say nothing any more give way to a line each. Every record keeps its place, every call
/// its result, and what is untouched stays byte for byte. The session itself is only read; the copy goes to
/// standard output or to FILE, unpacked if the session was compressed. Knows claude-code, pi, codex, openai and
/// anthropic.
///
/// Strategies: dedupe (output of a call made again later), supersede (body of a write whose file was read or written
/// whole later), errors (long input of old failed calls), truncate (head and tail of long outputs), outputs (old
/// tool rounds), reads (reads made stale by a later edit), images, repeats (what a loop guard would have answered
/// with one line), all.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact prune session.jsonl -o smaller.jsonl
  compact prune session.jsonl --strategies all --json | jq .tokens_saved
  compact prune session.jsonl --strategies truncate --tool-cap WebFetch=10000 > smaller.jsonl")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Write the copy to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Comma-separated; a call is touched by the first one that claims it
    #[arg(long, value_name = "LIST", default_value = "dedupe,supersede,errors")]
    pub strategies: String,

    /// Which later read makes a written body superfluous: a whole one of the same file, or any
    #[arg(long, value_name = "MODE", default_value = "normal")]
    pub supersede: Supersede,

    /// Turns after which a failed call loses its long input
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=20))]
    pub error_turns: u32,

    /// Tool rounds whose outputs stay whole (outputs)
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub keep_rounds: u32,

    /// Most tokens of one output (truncate)
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub cap_tokens: u64,

    /// Share of the room left in the window that one output may not take (truncate)
    #[arg(long, value_name = "SHARE", default_value_t = 0.5, value_parser = share)]
    pub headroom: f64,

    /// Most tokens of one output of that tool (truncate) [default: none]
    #[arg(long, value_name = "NAME=N", value_parser = tool_cap)]
    pub tool_cap: Vec<(String, u64)>,

    /// Share of a cut output that is its head (truncate) [default: 0.5; failures 0.3]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub head_ratio: Option<f64>,

    /// The model's context window in tokens [default: the transcript's, else by the model's name]
    #[arg(long, value_name = "N|MODEL=N")]
    pub window: Vec<String>,

    /// Newest turns that are never touched; 0 protects none
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(0..=10))]
    pub protect_turns: u32,

    /// What a turn is: a response of the model, or from one human message to the next
    #[arg(long, value_name = "UNIT", default_value = "step")]
    pub turn_unit: Unit,

    /// Never touch calls of this tool (name or glob) [default: todo, task and skill tools]
    #[arg(long, value_name = "GLOB")]
    pub protect_tool: Vec<String>,

    /// Never touch calls about this file [default: none]
    #[arg(long, value_name = "GLOB")]
    pub protect: Vec<String>,

    /// Do not protect todo, task and skill tools by themselves [default: off]
    #[arg(long)]
    pub no_default_protection: bool,

    /// Change nothing unless so many tokens are saved
    #[arg(long, value_name = "TOKENS", default_value_t = 0)]
    pub min_savings: u64,

    /// What is said on stderr
    #[arg(long, value_name = "LEVEL", default_value = "minimal")]
    pub notify: Notify,

    /// Characters a token is taken for [default: estimated from the text]
    #[arg(long, value_name = "N", value_parser = common::chars_per_token)]
    pub chars_per_token: Option<f64>,

    /// Print the report as JSON instead of the copy, which then goes to --output only [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

/// Which later reads count for `supersede`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Supersede {
    Normal,
    Aggressive,
}

/// What a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Unit {
    Step,
    User,
}

fn share(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|s| (0.0..=1.0).contains(s))
        .ok_or_else(|| "a share is a number from 0 to 1".to_owned())
}

fn tool_cap(text: &str) -> Result<(String, u64), String> {
    text.rsplit_once('=')
        .filter(|(name, _)| !name.trim().is_empty())
        .and_then(|(name, n)| Some((name.trim().to_owned(), n.trim().parse().ok()?)))
        .ok_or_else(|| "write the tool's name and tokens, as in WebFetch=10000".to_owned())
}

impl Args {
    fn options(&self) -> Result<Options> {
        Ok(Options {
            strategies: Strategy::list(&self.strategies)
                .map_err(|e| anyhow::anyhow!("--strategies: {e}"))?,
            aggressive: self.supersede == Supersede::Aggressive,
            error_turns: self.error_turns,
            keep_rounds: self.keep_rounds,
            cap_tokens: self.cap_tokens,
            headroom: self.headroom,
            tool_caps: self.tool_cap.clone(),
            head_ratio: self.head_ratio,
            windows: Windows::parse(&self.window).map_err(anyhow::Error::msg)?,
            protect_turns: self.protect_turns,
            turn_unit: match self.turn_unit {
                Unit::Step => TurnUnit::Step,
                Unit::User => TurnUnit::User,
            },
            protect_tools: self.protect_tool.clone(),
            protect_paths: self.protect.clone(),
            default_protection: !self.no_default_protection,
            min_savings: self.min_savings,
            chars_per_token: self.chars_per_token,
        })
    }
}

/// Where both passes read from: standard input is kept in memory.
enum Input<'a> {
    File(&'a Path),
    Bytes(Vec<u8>),
}

impl Input<'_> {
    /// Runs `job` on a reader of the source, unpacked if it was compressed.
    fn with<T>(&self, job: impl FnOnce(&mut (dyn Read + Send)) -> Result<T>) -> Result<T> {
        match self {
            Input::File(path) => {
                let mut file = std::fs::File::open(path)?;
                job(&mut formats::unpacked(&mut file)?)
            }
            Input::Bytes(bytes) => job(&mut formats::unpacked(&mut bytes.as_slice())?),
        }
    }
}

/// Reads, plans, copies, reports.
///
/// # Errors
/// Flags that mean nothing, a session that cannot be read or written back, an output that cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let options = args.options()?;
    let source = args.reading.source(args.session_file.as_deref())?;
    common::refuse_source(&source, args.output.as_deref())?;
    let (session, input) = open(&source, args)?;
    let name = source.name();
    if !is_lines(&input) {
        bail!("{name}: a store of sessions is not written back; export the session first");
    }
    prune::writable(session.head.family).with_context(|| name.clone())?;
    let mut plan = Plan::new(&session, &options)?;
    let family = session.head.family;
    drop(session);
    let pass = |plan: &Plan, out: &mut dyn Write| -> Result<Report> {
        input
            .with(|source| prune::write(family, plan, &options, source, out))
            .with_context(|| name.clone())
    };
    if options.min_savings > 0 {
        // Only a copy tells what is really saved.
        let tried = pass(&plan, &mut std::io::sink())?;
        if tried.tokens_saved < options.min_savings {
            plan.claims.clear();
        }
    }
    let copied = copy(args, &|out| pass(&plan, out));
    let report = match copied {
        // The reader has what it wanted.
        Err(error) if args.output.is_none() && is_closed(&error) => return Ok(ExitCode::SUCCESS),
        copied => copied?,
    };
    if !args.reading.quiet {
        for line in report.notices(args.notify) {
            common::notice(&line);
        }
    }
    if args.json {
        common::print_json(&report)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads the session, and what can be read again for the copy.
fn open<'s>(source: &'s Source, args: &Args) -> Result<(Session, Input<'s>)> {
    if let Source::Path(path) = source {
        return Ok((args.reading.session(source)?, Input::File(path)));
    }
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes)?;
    let (name, options) = (source.name(), args.reading.options());
    let mut digest = Digest::default();
    let head = read_from(&mut bytes.as_slice(), &name, &options, &mut digest)?;
    args.reading.notices(&name, &head);
    Ok((digest.finish(head), Input::Bytes(bytes)))
}

/// Writes the copy where it is wanted: to a file, to standard output, or with --json alone nowhere.
fn copy(args: &Args, pass: &dyn Fn(&mut dyn Write) -> Result<Report>) -> Result<Report> {
    match &args.output {
        Some(path) => {
            let mut report = Report::default();
            disk::write_file_with(path, &mut |out| {
                report = pass(out)?;
                Ok(())
            })?;
            Ok(report)
        }
        None if args.json => pass(&mut std::io::sink()),
        None => {
            let mut out = std::io::BufWriter::new(std::io::stdout().lock());
            let report = pass(&mut out)?;
            out.flush()?;
            Ok(report)
        }
    }
}

/// A database or a folder has no lines to copy.
fn is_lines(input: &Input<'_>) -> bool {
    let Input::File(path) = input else {
        return true;
    };
    let mut start = [0u8; 16];
    let database = std::fs::File::open(path)
        .and_then(|mut f| f.read(&mut start))
        .is_ok_and(|n| {
            start
                .get(..n)
                .is_some_and(|s| s.starts_with(b"SQLite format 3"))
        });
    path.is_file() && !database
}

fn is_closed(error: &anyhow::Error) -> bool {
    error.chain().any(|e| {
        e.downcast_ref::<std::io::Error>()
            .is_some_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
