//! A smaller transcript that the agent can still load: outputs and inputs that say nothing any more give way to a
//! line each (SPEC 2). Records, ids, order and everything that is not planned stay byte for byte; the source is only
//! read.
//!
//! Two passes: [`Plan::new`] decides from the digest of a session, [`write()`] copies the source and makes the changes.

mod args;
mod content;
mod copy;
mod cut;
mod deed;
mod edit;
mod forms;
mod kept;
mod options;
mod plan;
mod protect;
mod report;
mod room;

pub use options::{Options, Strategy, TurnUnit};
pub use plan::{Claim, Plan};
pub use report::{Item, Notify, Report};

use crate::session::Session;
use crate::transcript::Family;
use anyhow::{Result, bail};
use std::io::{Read, Write};

/// Estimated tokens that pruning would take out of what the model still sees, before any summary (SPEC 2.6).
/// 0 when the options name a glob that cannot be read.
pub fn tokens_saved(session: &Session, options: &Options) -> u64 {
    let Ok(plan) = Plan::new(session, options) else {
        return 0;
    };
    let saved: f64 = plan
        .claims
        .iter()
        .filter(|c| c.in_context)
        .map(|c| c.saved_tokens)
        .sum();
    let saved = saved.max(0.0).floor() as u64;
    if saved < options.min_savings {
        0
    } else {
        saved
    }
}

/// Whether sessions of the family can be written back.
///
/// # Errors
/// They cannot; the message names those that can.
pub fn writable(family: Family) -> Result<()> {
    if forms::of(family).is_none() {
        bail!(
            "sessions of {} cannot be written back; prune knows claude-code, pi, codex, openai and anthropic",
            family.name()
        );
    }
    Ok(())
}

/// Copies a session with the plan carried out; the report tells what was really saved.
///
/// # Errors
/// Reading or writing fails, or the family cannot be written back.
pub fn write(
    family: Family,
    plan: &Plan,
    options: &Options,
    input: &mut (dyn Read + Send),
    out: &mut dyn Write,
) -> Result<Report> {
    writable(family)?;
    let Some(form) = forms::of(family) else {
        bail!("no form");
    };
    let mut work = forms::Work::new(&plan.claims);
    let bytes = copy::Copy::new(input, form, &mut work).into(out)?;
    Ok(Report::new(plan, options, bytes, &work.done))
}

/// Gives `take` a reader of the copy that [`write()`] would write, made while it is read.
///
/// # Errors
/// The family cannot be written back.
pub fn read<T>(
    family: Family,
    plan: &Plan,
    input: &mut (dyn Read + Send),
    take: impl FnOnce(&mut (dyn Read + Send)) -> T,
) -> Result<T> {
    writable(family)?;
    let Some(form) = forms::of(family) else {
        bail!("no form");
    };
    let mut work = forms::Work::new(&plan.claims);
    Ok(take(&mut copy::Copy::new(input, form, &mut work)))
}
