//! `compact` reads the session transcripts of coding agents and writes a brief of what matters, without any model.
//!
//! This page is the way of one session through the house. Each room knows the ones before it and none behind it;
//! only [`cli`] knows them all. One arrow runs back: what a long session lets go of while it is read is made into what
//! the brief will need of it by the rooms behind (`extract::past`, `brief::pool`).
//!
//! ```text
//! bytes ─► transcript ─► clean ─► session ─► extract ─► state ─► brief ─► bytes
//!          what was      who      kept in    what it    merged   what the
//!          said, by      really   memory,    means:     with     reader
//!          whom          spoke    shortened  facts      before   sees
//! ```
//!
//! 1. **[`transcript`]** takes bytes. [`transcript::read()`] looks at the head of the file, [`transcript::detect`] says
//!    whose format it is, and that format (one file in `transcript::formats`) translates each record into an
//!    [`Entry`](transcript::Entry): who, when, which [`Block`](transcript::Block)s. A format never judges. Damaged lines
//!    are counted and passed over; records are parsed lazily by [`json`], so that what nobody needs is never built.
//! 2. **[`clean`]** takes from a person's record what no person said: wrappers, reminders, templates.
//! 3. **[`session`]** keeps what a brief can need, shortened, each call with its result and with the sizes it had.
//! 4. **[`extract`]** finds the facts, one file a section: goal, requests, preferences, blockers, todos, files, commits.
//!    Each carries the [`Ref`](transcript::Ref) of its evidence. Words come from [`lexicon`], sentences and endings from
//!    [`language`], commands are taken apart by `shell`, patches by `patch`.
//! 5. **[`state`]** is the product: the facts as JSON; [`merge`] joins them with what an earlier run knew, and [`fold`] lets
//!    go of what lies behind, so that the next run reads only what is new.
//! 6. **[`brief`]** ranks them, fits them into the ceiling and renders. Secrets are taken out by [`redact`] before
//!    anything is shown or stored.
//!
//! In code, the whole way is four lines:
//!
//! ```
//! use compact::{brief, extract, lexicon::Rules, session::Session, transcript::{Options, Source}};
//!
//! # fn main() -> anyhow::Result<()> {
//! let source = Source::from_arg("samples/claude-korean.jsonl");
//! let session = Session::read(&source, &Options::default())?;
//! let mut state = extract::extract(&session, &Rules::shared());
//! let text = brief::render_into(&session, &mut state, &brief::Options::default())?;
//! assert!(text.starts_with("## Session Goal"));
//! # Ok(())
//! # }
//! ```
//!
//! Beside that way stand rooms that answer other questions of the same session: [`recall`] searches and opens,
//! [`prune`] writes a smaller copy, [`usage`] says how full the context is, [`loops`] finds repeats, [`toolbox`] which
//! tools are needed, [`checkpoint`] and [`hook`] carry things over a compaction, [`replay`] checks archives,
//! [`discover`] finds sessions, [`context`] packs a project's instruction files. [`beside`] is how work is spread over cores.
//!
//! Only [`cli`], [`transcript::read()`], the hook's memory, [`disk`] and [`discover`] touch the outside world. Nothing
//! asks a clock, a locale or the order of a hash table: same input, same bytes.

pub mod beside;
pub mod brief;
pub mod checkpoint;
pub mod clean;
pub mod cli;
pub mod context;
pub mod discover;
pub mod disk;
pub mod extract;
pub mod fold;
pub mod hook;
pub mod json;
pub mod language;
pub mod lexicon;
pub mod loops;
pub mod merge;
pub mod patch;
pub mod prune;
pub mod recall;
pub mod redact;
pub mod replay;
pub mod session;
pub mod shell;
pub mod state;
pub mod toolbox;
pub mod transcript;
pub mod usage;
