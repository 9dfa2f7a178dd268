//! What will be left out, decided before a byte is copied: each strategy in turn claims calls that no other has
//! claimed (SPEC 2.2).

mod planner;
mod strategies;

use super::deed::deeds;
use super::protect::Protection;
use super::{Options, Strategy};
use crate::language::tokens::IMAGE_TOKENS;
use crate::session::Session;
use crate::transcript::{Block, Kind, Mark, Ref};
use anyhow::Result;
use foldhash::HashMap;
use planner::Planner;
pub use planner::price_of;

/// What happens to a call.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// The output gives way to this text; eight `#` stand for the hash of the old one.
    Output { stub: String },
    /// Head and tail of the output stay, at most `chars` characters (or so many tokens of it).
    Cut {
        tokens: u64,
        chars: Option<usize>,
        head_ratio: f64,
    },
    /// Long strings of the input give way; `note` says where the current copy is, `mirrors` whether copies in
    /// the result's record go too.
    Input { note: String, mirrors: bool },
    /// Images give way to a line each.
    Images,
}

/// One call (or one record with images) and what happens to it.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The call's id; empty for the images of a prompt.
    pub id: String,
    /// Line of a prompt whose images go, else 0.
    pub line: u32,
    pub reference: Option<Ref>,
    pub tool: Option<String>,
    pub path: Option<String>,
    pub strategy: Strategy,
    pub what: What,
    /// Estimates, until the copy is made.
    pub saved_chars: u64,
    pub saved_tokens: f64,
    /// Behind the last compaction, so that the model still sees it.
    pub in_context: bool,
}

/// The claims in file order.
#[derive(Debug, Default)]
pub struct Plan {
    pub claims: Vec<Claim>,
    pub warnings: Vec<String>,
    /// What is worth knowing, but no warning.
    pub notes: Vec<String>,
}

impl Plan {
    /// Decides for a session.
    ///
    /// # Errors
    /// A glob of the options that cannot be read.
    pub fn new(session: &Session, options: &Options) -> Result<Plan> {
        let protection = Protection::new(options)?;
        let (deeds, ages) = deeds(session, options, &protection);
        let mut planner = Planner::new(deeds, options);
        planner.answered(session);
        for strategy in &options.strategies {
            planner.follow(*strategy, session);
        }
        planner.overlaps();
        if session.orphans > 0 {
            let results = if session.orphans == 1 {
                "result"
            } else {
                "results"
            };
            planner.notes.push(format!(
                "{} {results} without a call, copied as is",
                session.orphans
            ));
        }
        let boundary = session
            .active()
            .filter(|e| matches!(e.mark, Some(Mark::Compaction(_) | Mark::Clear)))
            .map(|e| e.seq)
            .last();
        let in_context = |seq: u32| boundary.is_none_or(|b| seq > b);
        let mut claims: Vec<(u32, Claim)> = Vec::new();
        for (deed, claim) in planner.deeds.iter().zip(planner.claims) {
            let Some((strategy, what, saving)) = claim else {
                continue;
            };
            let (entry, call) = (deed.step.entry, deed.step.call);
            let new = Claim {
                id: call.id.to_string(),
                line: 0,
                reference: entry.number,
                tool: Some(call.name.to_string()),
                path: deed.path.clone(),
                strategy,
                what,
                saved_chars: saving.chars,
                saved_tokens: saving.tokens,
                in_context: in_context(entry.seq),
            };
            claims.push((entry.seq, new));
        }
        if options.strategies.contains(&Strategy::Images) {
            for (seq, mut claim) in prompts(session, &ages, options.protect_turns) {
                claim.in_context = in_context(seq);
                claims.push((seq, claim));
            }
        }
        claims.sort_by_key(|(seq, _)| *seq);
        Ok(Plan {
            claims: claims.into_iter().map(|(_, c)| c).collect(),
            warnings: planner.warnings,
            notes: planner.notes,
        })
    }
}

/// Images in what people sent at least `protect` turns ago, with the place of each prompt.
fn prompts(session: &Session, ages: &HashMap<u32, u32>, protect: u32) -> Vec<(u32, Claim)> {
    let mut claims = Vec::new();
    let mut lines: HashMap<u32, u32> = HashMap::default();
    for entry in &session.entries {
        *lines.entry(entry.line).or_default() += 1;
    }
    for entry in session.active().filter(|e| e.kind == Kind::User) {
        let images = entry
            .blocks
            .iter()
            .filter(|b| matches!(b, Block::Image(_)))
            .count();
        let shown: usize = entry.results().map(|r| r.images as usize).sum();
        // A line that holds several messages is a document; its images cannot be told apart.
        let alone = lines.get(&entry.line) == Some(&1);
        let old = ages.get(&entry.seq).is_some_and(|age| *age >= protect);
        if images > shown && alone && old {
            let tokens = (images - shown) * IMAGE_TOKENS;
            let new = Claim {
                id: String::new(),
                line: entry.line,
                reference: entry.number,
                tool: None,
                path: None,
                strategy: Strategy::Images,
                what: What::Images,
                saved_chars: 0,
                saved_tokens: tokens as f64,
                in_context: true,
            };
            claims.push((entry.seq, new));
        }
    }
    claims
}
