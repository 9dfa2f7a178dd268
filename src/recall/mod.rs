//! `compact recall`: nothing is lost. Searches the raw transcripts, and opens messages by their number.
//!
//! Every search is one streaming pass over each file (`index`); what ranking needs is kept, the texts are not.
//! Numbers are those of [`crate::transcript`], the same in every view of a session. This room never decides what
//! matters; it finds what is there.

mod body;
mod excerpt;
mod files;
mod index;
mod open;
mod query;
mod rank;
mod reference;
mod terms;

pub use body::searched;
pub use query::{Query, Search};
pub use reference::references;

use crate::beside;
use crate::session::Scope;
use crate::transcript::{Ref, Sink, Source, Transcript};
use anyhow::Result;
use std::borrow::Cow;

/// Hits a page (SPEC 1.12).
pub const PER_PAGE: usize = 5;
/// Messages listed without a query.
pub const RECENT: usize = 25;
/// Lines of a file's preview.
pub const PREVIEW: usize = 30;

/// Who a message is from, as `--role` names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// What a person said
    User,
    Assistant,
    /// Results of tools
    Tool,
    /// Commands the person ran past the agent
    Bash,
    /// Injected messages
    Custom,
    /// Opened by number only
    #[value(skip)]
    System,
}

/// How to search and what to show.
#[derive(Debug, Clone, Default)]
pub struct Options {
    pub role: Option<Role>,
    pub scope: Scope,
    /// From 1.
    pub page: usize,
    /// `None`: [`PER_PAGE`], or all of the newest.
    pub per_page: Option<usize>,
    /// Lines around a match.
    pub context: Option<usize>,
    /// Show secrets.
    pub raw: bool,
}

/// What was found (CONTRACT 5).
#[derive(Debug, Default, serde::Serialize)]
pub struct Answer {
    pub query: String,
    /// Hits that can be paged through, equal ones counted once.
    pub total: usize,
    pub page: usize,
    pub pages: usize,
    pub hits: Vec<Hit>,
    /// Further hits beyond the most that are ranked.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: usize,
    /// References that could not be opened, as sentences.
    #[serde(skip)]
    pub missing: Vec<String>,
    /// What reading met in each session, by its name.
    #[serde(skip)]
    pub heads: Vec<(String, Transcript)>,
}

fn is_zero(n: &usize) -> bool {
    *n == 0
}

/// One message.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Hit {
    #[serde(rename = "ref")]
    pub number: Ref,
    /// The session as it was named.
    pub session: String,
    pub role: Role,
    pub text: String,
    pub also: Vec<Ref>,
    pub files: Vec<String>,
    /// The call it is about, in a few words.
    #[serde(skip)]
    pub title: Option<String>,
}

/// Reads one session into a sink: how is the caller's.
pub type Read<'a> = dyn Fn(&Source, &mut dyn Sink) -> Result<Transcript> + Sync + Send + 'a;

/// Answers a query over the sessions, ranked together.
///
/// # Errors
/// A session cannot be read; the first in the order given is named.
pub fn answer(
    text: &str,
    query: &Query,
    sources: &[Source],
    options: &Options,
    read: &Read<'_>,
) -> Result<Answer> {
    let mut answer = match query {
        Query::Open(wanted) => opened(wanted, sources, options, read)?,
        Query::Newest => {
            let sessions = indexed(None, sources, options, read)?;
            let hits = rank::newest(&sessions, options, RECENT);
            let mut answer = paged(&sessions, hits, options, RECENT);
            answer.heads = heads(sessions);
            answer
        }
        Query::Search(search) => {
            let sessions = indexed(Some(search), sources, options, read)?;
            let (hits, omitted) = rank::rank(&sessions, search, options);
            let mut answer = paged(&sessions, hits, options, PER_PAGE);
            answer.omitted = omitted;
            answer.heads = heads(sessions);
            answer
        }
    };
    answer.query = crate::language::nfc(text).trim().to_owned();
    Ok(answer)
}

fn heads(sessions: Vec<rank::Indexed>) -> Vec<(String, Transcript)> {
    sessions.into_iter().map(|s| (s.name, s.head)).collect()
}

fn name(source: &Source) -> String {
    match source {
        Source::Path(path) => path.display().to_string(),
        Source::Stdin => "-".to_owned(),
    }
}

/// Reads the sessions at once; the result has their order.
fn each<T: Send>(
    sources: &[Source],
    one: impl Fn(&Source) -> Result<T> + Sync + Send,
) -> Result<Vec<T>> {
    beside::map(sources, one).into_iter().collect()
}

fn indexed(
    search: Option<&Search>,
    sources: &[Source],
    options: &Options,
    read: &Read<'_>,
) -> Result<Vec<rank::Indexed>> {
    each(sources, |source| {
        let mut index = index::Index::new(search, options.context, options.raw);
        let head = read(source, &mut index)?;
        Ok(rank::Indexed {
            name: name(source),
            notes: index.notes,
            head,
        })
    })
}

fn paged(
    sessions: &[rank::Indexed],
    hits: Vec<rank::Ranked<'_>>,
    options: &Options,
    per_page: usize,
) -> Answer {
    let per_page = options.per_page.unwrap_or(per_page).max(1);
    let page = options.page.max(1);
    let total = hits.len();
    let hits = hits
        .into_iter()
        .skip((page - 1).saturating_mul(per_page))
        .take(per_page)
        .map(|r| {
            let hit = r.note.hit.as_deref();
            Hit {
                number: r.number,
                session: sessions
                    .get(r.session)
                    .map(|s| s.name.clone())
                    .unwrap_or_default(),
                role: r.note.role(),
                text: hit.map(|h| h.excerpt.clone()).unwrap_or_default(),
                also: r.also,
                files: hit.map(|h| h.files.clone()).unwrap_or_default(),
                title: hit.and_then(|h| h.title.clone()),
            }
        })
        .collect();
    Answer {
        total,
        page,
        pages: total.div_ceil(per_page),
        hits,
        ..Answer::default()
    }
}

fn opened(
    wanted: &[reference::Reference],
    sources: &[Source],
    options: &Options,
    read: &Read<'_>,
) -> Result<Answer> {
    let sessions = each(sources, |source| {
        let mut open = open::Open::new(wanted, options.raw);
        let head = read(source, &mut open)?;
        Ok((name(source), open.found, head))
    })?;
    let mut answer = Answer::default();
    for reference in wanted {
        let number = reference.number;
        let mut found = false;
        for (name, messages, _) in &sessions {
            let Some(message) = messages.get(&number) else {
                continue;
            };
            let text = match &reference.part {
                None => message.text(),
                Some(part) => match message.part(part, options.raw) {
                    Ok(text) => text,
                    Err(instead) => {
                        let what = format!("{number} says nothing of {}; {instead}", part.path);
                        if sessions.len() == 1 {
                            answer.missing.push(what);
                            found = true;
                        }
                        continue;
                    }
                },
            };
            found = true;
            answer.hits.push(Hit {
                number,
                session: name.clone(),
                role: message.role(),
                text,
                also: Vec::new(),
                files: message.files.clone(),
                title: message.title.clone(),
            });
        }
        if !found {
            let counts = |(name, _, head): &(String, _, Transcript)| {
                let last = match number {
                    Ref::Message(_) => head.messages.checked_sub(1).map(Ref::Message),
                    Ref::Injected(_) => head.injected.checked_sub(1).map(Ref::Injected),
                };
                match last {
                    Some(last) => format!("{name} ends at {last}"),
                    None => format!("{name} has none of its kind"),
                }
            };
            let ends: Vec<String> = sessions.iter().map(counts).collect();
            answer
                .missing
                .push(format!("no {number}; {}", ends.join(", ")));
        }
    }
    answer.total = answer.hits.len();
    answer.page = 1;
    answer.pages = usize::from(!answer.hits.is_empty());
    answer.heads = sessions.into_iter().map(|(n, _, head)| (n, head)).collect();
    Ok(answer)
}

/// The text as it may be shown: without secrets unless they are asked for.
fn shown(text: &str, raw: bool) -> Cow<'_, str> {
    if raw {
        Cow::Borrowed(text)
    } else {
        match crate::clean::without_images(text) {
            Cow::Borrowed(text) => crate::redact::redact(text),
            Cow::Owned(text) => Cow::Owned(crate::redact::redact(&text).into_owned()),
        }
    }
}

impl Query {
    /// Where a text of a hit is to be marked.
    pub fn marks(&self, text: &str) -> Vec<std::ops::Range<usize>> {
        match self {
            Query::Search(search) => search.marks(text),
            Query::Open(_) | Query::Newest => Vec::new(),
        }
    }
}
