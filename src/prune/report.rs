//! What was pruned: the report of `--json`, and the notices for people (CONTRACT 6).

use super::copy::Bytes;
use super::forms::Made;
use super::plan::{Claim, Plan};
use super::{Options, Strategy};
use crate::language::tokens;
use crate::transcript::Ref;
use crate::transcript::stub;
use serde::Serialize;
use serde_json::{Map, Value};
use std::fmt::Write;

/// What a run saved.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Report {
    pub bytes_in: u64,
    pub bytes_out: u64,
    /// Estimated.
    pub tokens_saved: u64,
    /// Touched calls.
    pub changed: u64,
    /// Touched calls by strategy, in the order in which the strategies ran.
    pub strategies: Map<String, Value>,
    pub items: Vec<Item>,
    pub warnings: Vec<String>,
    /// How many of the warnings a minimal notice shows.
    #[serde(skip)]
    shown: usize,
}

/// One touched call.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// The call's id; null for the images of a prompt.
    pub id: Option<String>,
    #[serde(rename = "ref")]
    pub reference: Option<Ref>,
    pub tool: Option<String>,
    pub path: Option<String>,
    pub strategy: &'static str,
    pub saved_chars: u64,
}

/// How much is said on stderr.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum Notify {
    Off,
    /// One line
    #[default]
    Minimal,
    /// That line, counts by strategy, and a line a call
    Detailed,
}

/// Calls that a detailed notice lists.
const LISTED: usize = 12;

impl Report {
    pub(super) fn new(
        plan: &Plan,
        options: &Options,
        bytes: Bytes,
        done: &[Option<Made>],
    ) -> Report {
        let mut counts: Vec<(Strategy, u64)> = options.strategies.iter().map(|s| (*s, 0)).collect();
        let mut saved = 0.0;
        let mut items = Vec::new();
        let mut warnings = plan.warnings.clone();
        for (claim, made) in plan.claims.iter().zip(done) {
            let Some(made) = made else { continue };
            saved += made.images;
            if made.damaged > 0 {
                let place = stub::at(claim.reference);
                warnings.push(format!(
                    "images: the data{place} is damaged; the marker gives no size"
                ));
            }
            saved += match options.chars_per_token {
                Some(price) => tokens::fixed(made.text, price),
                None => made.tokens,
            };
            if let Some(count) = counts.iter_mut().find(|(s, _)| *s == claim.strategy) {
                count.1 += 1;
            }
            items.push(item(claim, made.chars as u64));
        }
        Report {
            bytes_in: bytes.read,
            bytes_out: bytes.written,
            tokens_saved: saved.max(0.0).floor() as u64,
            changed: items.len() as u64,
            strategies: counts
                .into_iter()
                .map(|(s, n)| (s.name().to_owned(), Value::from(n)))
                .collect(),
            items,
            shown: warnings.len(),
            warnings: warnings.into_iter().chain(plan.notes.clone()).collect(),
        }
    }

    /// The lines for stderr; empty when nothing was pruned.
    pub fn notices(&self, notify: Notify) -> Vec<String> {
        let mut lines = Vec::new();
        if notify == Notify::Off || self.items.is_empty() {
            return lines;
        }
        let calls = if self.changed == 1 { "call" } else { "calls" };
        lines.push(format!(
            "pruned {} {calls}, about {} tokens",
            self.changed, self.tokens_saved
        ));
        if notify != Notify::Detailed {
            lines.extend(self.warnings.iter().take(self.shown).cloned());
            return lines;
        }
        for (name, count) in &self.strategies {
            if count.as_u64() != Some(0) {
                lines.push(format!("  {name} {count}"));
            }
        }
        for item in self.items.iter().take(LISTED) {
            let mut line = String::from(" ");
            if let Some(reference) = item.reference {
                let _ = write!(line, " {reference}");
            }
            let _ = write!(line, " {}", item.tool.as_deref().unwrap_or("image"));
            if let Some(path) = &item.path {
                let _ = write!(line, " {path}");
            }
            let _ = write!(line, ": {}, {} characters", item.strategy, item.saved_chars);
            lines.push(crate::language::visible(&line).into_owned());
        }
        if self.items.len() > LISTED {
            lines.push(format!("  +{} more", self.items.len() - LISTED));
        }
        lines.extend(self.warnings.iter().cloned());
        lines
    }
}

fn item(claim: &Claim, saved_chars: u64) -> Item {
    Item {
        id: Some(claim.id.clone()).filter(|id| !id.is_empty()),
        reference: claim.reference,
        tool: claim.tool.clone(),
        path: claim.path.clone(),
        strategy: claim.strategy.name(),
        saved_chars,
    }
}
