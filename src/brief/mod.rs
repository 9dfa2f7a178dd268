//! The brief: one view of the state and the session, fitted into a budget (CONTRACT 4).
//!
//! `sections` writes what the state knows, `talk` is the conversation as blocks and parts (`cutter` makes them), `weigh` says what a
//! part is worth, `fit` chooses what is printed within the ceiling. Nothing here decides what a session *means*;
//! that is the extractors' work.

mod blocks;
mod bounds;
mod calls;
mod cutter;
mod document;
mod eight;
mod fit;
mod lines;
mod paths;
mod pick;
mod plain;
mod pool;
mod sections;
mod signs;
mod talk;
mod weigh;

pub use pool::Pool;

use crate::language::tokens;
use crate::session::{Scope, Session};
use crate::state::{OutputInfo, State};
use anyhow::{Result, bail};
use std::cell::LazyCell;
use std::ops::Deref;
use talk::Talk;

/// Headings as `## Session Goal` or as pi-vcc writes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Style {
    #[default]
    Markdown,
    PiVcc,
}

/// Sections that come when they have content, or the eight fixed ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Layout {
    #[default]
    Default,
    Eight,
}

/// The sections of the default layout, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub enum Section {
    Goal,
    Earlier,
    Scope,
    Latest,
    Preferences,
    Outstanding,
    Todos,
    Files,
    Commits,
    Transcript,
}

impl Section {
    fn heading(self) -> &'static str {
        match self {
            Section::Goal => "Session Goal",
            Section::Earlier => "Earlier Requests",
            Section::Scope => "Scope Change",
            Section::Latest => "Latest Request",
            Section::Preferences => "User Preferences",
            Section::Outstanding => "Outstanding Context",
            Section::Todos => "Todos",
            Section::Files => "Files And Changes",
            Section::Commits => "Commits",
            Section::Transcript => "Transcript",
        }
    }
}

/// How a brief is to look.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Ceiling in characters, everything included; `None`: by the size of the session.
    pub max_chars: Option<usize>,
    /// Ceiling in estimated tokens, everything included.
    pub max_tokens: Option<usize>,
    /// Columns; `None`: 120, 0: never wrap.
    pub width: Option<usize>,
    pub style: Style,
    pub layout: Layout,
    /// Only these; empty: all of them.
    pub sections: Vec<Section>,
    /// The last so many human turns stay out: the host keeps them word for word.
    pub keep: usize,
    pub scope: Scope,
    /// Leave out files that were only read and the preferences.
    pub lean: bool,
    /// One of several briefs in a row: the closing line stands behind the last.
    pub open_ended: bool,
    /// A fixed price for tokens instead of the estimate by script.
    pub chars_per_token: Option<f64>,
}

/// The default width (SPEC 8).
const WIDTH: usize = 120;

impl Options {
    fn columns(&self) -> usize {
        self.width.unwrap_or(WIDTH)
    }

    fn wants(&self, section: Section) -> bool {
        (self.sections.is_empty() || self.sections.contains(&section))
            && !(self.lean && section == Section::Preferences)
    }

    /// Estimated tokens of a text, as reported.
    pub fn tokens(&self, text: &str) -> usize {
        tokens::whole(match self.chars_per_token {
            Some(price) => tokens::fixed(text.chars().count(), price),
            None => tokens::estimate(text),
        })
    }
}

/// A session, and what may be shown of the part of it that was let go of.
#[derive(Clone, Copy)]
pub struct Told<'s> {
    pub session: &'s Session,
    pub pool: Option<&'s Pool>,
}

/// All of it is there.
impl<'s> From<&'s Session> for Told<'s> {
    fn from(session: &'s Session) -> Told<'s> {
        Told {
            session,
            pool: None,
        }
    }
}

impl<'s> Told<'s> {
    fn talk(self, state: &State, options: &Options) -> Talk<'s> {
        let spoken = self.pool.is_some_and(|p| p.spoken);
        let mut talk = Talk::of(self.session, spoken, state, options);
        if let Some(pool) = self.pool {
            pool.open(&mut talk);
        }
        talk
    }
}

/// The ceiling of a session in characters when none is asked for (CONTRACT 4), and the brief for a ceiling of
/// `tight` characters; both from one look at the conversation.
pub fn ceilings(
    session: &Session,
    state: &State,
    options: &Options,
    tight: usize,
) -> (usize, Result<String>) {
    let talk = LazyCell::new(|| Told::from(session).talk(state, options));
    let text = within(session, state, options, &talk, tight);
    (ceiling_of(&talk), text)
}

/// The ceiling that no session's own is above.
pub const MOST: usize = 8000;

fn ceiling_of(talk: &Talk<'_>) -> usize {
    (60 * talk.size(MOST / 60 + 1)).clamp(4400, MOST)
}

/// The brief's text.
///
/// # Errors
/// The ceiling is too small for what always stays; the message names the least that would do.
pub fn render<'s>(told: impl Into<Told<'s>>, state: &State, options: &Options) -> Result<String> {
    let told = told.into();
    let session = told.session;
    let state = &*talk::before_kept(session, state, options.keep);
    // The eight sections need no conversation.
    let talk = LazyCell::new(|| told.talk(state, options));
    let ceiling = options.max_chars.unwrap_or_else(|| ceiling_of(&talk));
    let Some(limit) = options.max_tokens else {
        return within(session, state, options, &talk, ceiling);
    };
    // Tokens are not additive over cuts, so the ceiling in characters is lowered until the text is cheap enough.
    let mut chars = ceiling.min(limit.saturating_mul(8));
    loop {
        let text = match within(session, state, options, &talk, chars) {
            Ok(text) => text,
            Err(_) => {
                let least = least(session, state, options, &talk);
                bail!(
                    "--max-tokens {limit} is too small for this session; it needs at least {}",
                    options.tokens(&least)
                )
            }
        };
        let tokens = options.tokens(&text);
        if tokens <= limit {
            return Ok(text);
        }
        let length = text.chars().count();
        let next = (length * limit / tokens.max(1)).min(length.saturating_sub(1));
        chars = next.min(chars.saturating_sub(1));
    }
}

fn within<'s>(
    session: &Session,
    state: &State,
    options: &Options,
    talk: &impl Deref<Target = Talk<'s>>,
    ceiling: usize,
) -> Result<String> {
    let text = match options.layout {
        Layout::Default => fit::brief(state, options, talk, ceiling),
        Layout::Eight => eight::brief(session, state, options, ceiling),
    };
    match text {
        Some(text) => Ok(text),
        None => {
            let mut least = least(session, state, options, talk).chars().count();
            // Clipped to its own size it may be a few characters shorter still.
            while options.layout == Layout::Default
                && least > ceiling + 1
                && fit::brief(state, options, talk, least - 1).is_some()
            {
                least -= 1;
            }
            bail!("--max-chars {ceiling} is too small for this session; it needs at least {least}")
        }
    }
}

fn least<'s>(
    session: &Session,
    state: &State,
    options: &Options,
    talk: &impl Deref<Target = Talk<'s>>,
) -> String {
    match options.layout {
        Layout::Default => fit::least(state, options, talk),
        Layout::Eight => eight::least(session, state, options),
    }
}

/// The brief, and its size written into the state.
///
/// # Errors
/// As [`render`].
pub fn render_into<'s>(
    told: impl Into<Told<'s>>,
    state: &mut State,
    options: &Options,
) -> Result<String> {
    let told = told.into();
    let text = render(told, state, options)?;
    state.output = measure(&text, told.session, options);
    Ok(text)
}

/// The size of a brief, and of what it was made of.
pub fn measure(text: &str, session: &Session, options: &Options) -> OutputInfo {
    OutputInfo {
        chars: text.chars().count() as u64,
        tokens: options.tokens(text) as u64,
        source_tokens: tokens::whole(session.source_tokens) as u64,
    }
}

/// The last line: how to see the rest, and the person's language.
fn closing(state: &State, options: &Options) -> String {
    if options.open_ended {
        return String::new();
    }
    let mut line =
        "`compact recall '#N' SESSION` opens a message; with WORDS in place of '#N' it searches."
            .to_owned();
    let language = match state.session.language.as_deref() {
        Some("ko") => Some("Korean"),
        Some("ja") => Some("Japanese"),
        Some("zh") => Some("Chinese"),
        _ => None,
    };
    if let Some(language) = language {
        line.push_str(&format!(" The user writes {language}."));
    }
    line
}
