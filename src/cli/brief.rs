//! `compact SESSION`: the main job.

use super::common::{self, Judging, Reading};
use super::list::Which;
use super::reading;
use super::state::Carried;
use crate::beside::{self, Later};
use crate::disk;
use crate::lexicon::Rules;
use crate::session::{Scope, Session, is_human_turn};
use crate::state::{State, store};
use crate::transcript::{Block, Ref, Source};
use crate::{brief, extract, json, language};
use anyhow::{Result, bail};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::process::ExitCode;

/// Flags of the main job.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Args {
    /// The session's file, or - for standard input [default: standard input, unless it is a terminal]
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// Take the newest session in the agents' usual places (compact list shows them) [default: off]
    #[arg(long, conflicts_with = "session_file", help_heading = "Finding")]
    pub latest: bool,

    #[command(flatten)]
    pub which: Which,

    /// Print the state as JSON instead of the brief [default: off]
    #[arg(long)]
    pub json: bool,

    /// Write to FILE, whole or not at all [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// What earlier runs know of this session: read if it is there, merged, written back once the brief is out
    /// [default: none]
    #[arg(long, value_name = "FILE", conflicts_with = "sidechain")]
    pub state: Option<PathBuf>,

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
    #[arg(long, value_enum, default_value_t = Scope::Active)]
    pub scope: Scope,

    /// The brief of a side chain: a sub-agent's id, or all [default: the main conversation]
    #[arg(long, value_name = "ID|all")]
    pub sidechain: Option<String>,

    /// Without files only read and without preferences; needs --sidechain [default: off]
    #[arg(long, requires = "sidechain")]
    pub lean: bool,

    /// A fixed number of characters a token [default: estimated by script]
    #[arg(long, value_name = "N", value_parser = common::chars_per_token)]
    pub chars_per_token: Option<f64>,

    #[command(flatten)]
    pub judging: Judging,

    #[command(flatten)]
    pub reading: Reading,
}

/// Reads, extracts, renders, prints, and remembers.
///
/// # Errors
/// The session cannot be read, the state belongs to another one, or something cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    // Whatever the session is, these are needed, and reading does not need them.
    let _ready = Later::start(extract::prepare);
    // A user's rules are looked at first; the built-in ones are got ready meanwhile.
    let own = match args.judging.is_builtin() {
        true => None,
        false => Some(args.judging.rules(args.reading.quiet)?),
    };
    let (source, reading) = args.found()?;
    common::refuse_source(&source, args.output.as_deref())?;
    let carried = Carried::open(args.state.as_deref(), args.output.as_deref())?;
    let plain = args.is_plain();
    let read = reading::read(&source, &reading, plain, carried.as_ref())?;
    let rules = own.unwrap_or_else(Rules::shared);
    if let Some(id) = &args.sidechain {
        let text = children(args, &rules, &mut read.into_session(), id)?;
        return answer(args, &text);
    }
    // The process ends once the brief is out; a long session and its state are not taken apart before.
    let read = ManuallyDrop::new(read);
    let carried = ManuallyDrop::new(carried);
    let session = read.session();
    if args.keep > 0 {
        notice_kept(args, session);
    }
    notice_damaged(args, session);
    let known = read.known();
    let alone = extract::extract(known, &rules);
    let Some(carried) = carried.as_ref() else {
        let (text, state) = render(alone, known.into(), &args.options())?;
        return answer(
            args,
            &if args.json {
                json::pretty(&state)?
            } else {
                text
            },
        );
    };
    let mut state = read.merge(alone.clone(), carried)?;
    let (previous, options) = (carried.previous()?, args.options());
    let (text, body) = beside::both(
        true,
        || brief::render(known, &state, &options),
        || store::body(&state, previous),
    );
    let text = text?;
    state.output = brief::measure(&text, session, &options);
    read.remember(&mut state);
    let saved = carried.text(body?, &state)?;
    answer(args, if args.json { &saved } else { &text })?;
    // Once the brief is out; a reader that closed the pipe chose to stop.
    read.save(&saved, &state, alone, carried)?;
    Ok(ExitCode::SUCCESS)
}

fn answer(args: &Args, text: &str) -> Result<ExitCode> {
    match &args.output {
        Some(path) => disk::write_file(path, text)?,
        None if args.json => common::print(text)?,
        None => common::print(&args.reading.painted(text))?,
    }
    Ok(ExitCode::SUCCESS)
}

fn main_job(session: &Session, rules: &Rules, options: &brief::Options) -> Result<(String, State)> {
    render(extract::extract(session, rules), session.into(), options)
}

fn render(
    mut state: State,
    told: brief::Told<'_>,
    options: &brief::Options,
) -> Result<(String, State)> {
    let text = brief::render_into(told, &mut state, options)?;
    Ok((text, state))
}

/// The briefs of one side chain or of all, each under its id when there are several.
fn children(args: &Args, rules: &Rules, session: &mut Session, id: &str) -> Result<String> {
    let known: Vec<String> = session.head.lanes.iter().skip(1).cloned().collect();
    let wanted: Vec<&String> = known.iter().filter(|k| id == "all" || *k == id).collect();
    if wanted.is_empty() {
        match known.is_empty() {
            true => bail!("no side chain {id:?}: this file holds none"),
            false => bail!("no side chain {id:?}; this file holds {}", known.join(", ")),
        }
    }
    let several = id == "all";
    let mut options = args.options();
    if several {
        // One ceiling for all of them together, their headings included.
        let share = |max: usize| max / wanted.len();
        let heads = wanted.iter().map(|w| w.chars().count() + 16).max();
        options.max_chars = options
            .max_chars
            .map(|max| share(max).saturating_sub(heads.unwrap_or(0)));
        options.max_tokens = options.max_tokens.map(share);
    }
    let mut texts = Vec::new();
    let mut states = Vec::new();
    for (at, child) in wanted.iter().enumerate() {
        options.open_ended = at + 1 < wanted.len();
        let Some(lane) = session.head.lanes.iter().position(|l| l == *child) else {
            continue;
        };
        session.focus(u16::try_from(lane).unwrap_or(0));
        let (text, mut state) = main_job(session, rules, &options)?;
        state.session.id = Some((*child).clone());
        let head = match several {
            true => format!("# Side chain {}\n\n", language::one_line(child)),
            false => String::new(),
        };
        texts.push(format!("{head}{}\n", text.trim_end()));
        states.push(state);
    }
    match (args.json, states.as_slice()) {
        (true, [one]) if !several => Ok(json::pretty(one)?),
        (true, all) => Ok(json::pretty(&all)?),
        _ => Ok(texts.join("\n")),
    }
}

/// With `--keep`, says when nothing is left for a brief.
fn notice_kept(args: &Args, session: &Session) {
    let turns = session.active().filter(|e| is_human_turn(e)).count();
    if turns <= args.keep && !args.reading.quiet {
        common::notice(&format!(
            "nothing to compact: the session has {turns} human turns and --keep {} leaves all of them to the host",
            args.keep
        ));
    }
}

/// Images whose data cannot be read: their markers give no size (SPEC 6.4).
fn notice_damaged(args: &Args, session: &Session) {
    let found: Vec<Ref> = damaged(session).collect();
    if found.is_empty() || args.reading.quiet {
        return;
    }
    common::notice(&format!(
        "the data of an image is damaged; its marker gives no size: {}",
        common::first_few(&found)
    ));
}

/// Messages with an image whose kind is known and whose data says nothing.
fn damaged(session: &Session) -> impl Iterator<Item = Ref> {
    let unread =
        |b: &Block<'_>| matches!(b, Block::Image(i) if i.mime.is_some() && i.bytes.is_none());
    session
        .active()
        .filter(move |e| e.blocks.iter().any(unread))
        .filter_map(|e| e.number)
}

impl Args {
    /// What to read: the file that was named, or the newest session.
    fn found(&self) -> Result<(Source, Reading)> {
        let mut reading = self.reading.clone();
        if !self.latest {
            if self.which.agent.is_some() || self.which.cwd.is_some() {
                bail!(
                    "--agent and --cwd choose among the sessions of --latest; add it, or name the file alone"
                );
            }
            return Ok((reading.source(self.session_file.as_deref())?, reading));
        }
        let found = self.which.latest()?;
        if found.stored && reading.session.is_none() {
            reading.session.clone_from(&found.id);
        }
        if !reading.quiet {
            common::notice(&language::visible(&format!(
                "newest session: {}",
                found.path
            )));
        }
        Ok((Source::Path(found.path.into()), reading))
    }

    /// Whether the brief shows no more than what is remembered of a long session's past.
    fn is_plain(&self) -> bool {
        self.keep == 0
            && self.scope == Scope::Active
            && self.layout == brief::Layout::Default
            && self.sidechain.is_none()
            && self.max_tokens.is_none()
            && self.max_chars.is_none_or(|most| most <= brief::MOST)
            && self.judging.is_builtin()
    }

    fn options(&self) -> brief::Options {
        brief::Options {
            max_chars: self.max_chars,
            max_tokens: self.max_tokens,
            width: Some(self.width),
            style: self.style,
            layout: self.layout,
            sections: self.sections.clone(),
            keep: self.keep,
            scope: self.scope,
            lean: self.lean,
            open_ended: false,
            chars_per_token: self.chars_per_token,
        }
    }
}
