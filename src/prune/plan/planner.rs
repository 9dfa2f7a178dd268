//! The board on which strategies put their claims: what a call is worth, whether it is free, what its stub says.

use super::What;
use crate::language::tokens::{self, IMAGE_TOKENS};
use crate::prune::deed::Deed;
use crate::prune::{Options, Strategy, args, kept};
use crate::transcript::Args;
use crate::transcript::stub;
use foldhash::{HashMap, HashSet};

/// How a strategy's answer for a call is estimated.
pub(super) struct Saving {
    pub chars: u64,
    pub tokens: f64,
}

/// The calls of a session and what has been claimed of them so far; places are places in `deeds`.
pub(super) struct Planner<'s, 'o> {
    pub deeds: Vec<Deed<'s>>,
    pub options: &'o Options,
    pub claims: Vec<Option<(Strategy, What, Saving)>>,
    /// Calls whose result another stub points to: not to be left out by what comes later.
    pub needed: HashSet<usize>,
    /// Newest copies of what `dedupe` and `supersede` left out.
    pub copies: HashSet<usize>,
    pub warnings: Vec<String>,
    pub notes: Vec<String>,
}

/// Characters a token of this text, within what real text has (SPEC 0.6).
pub fn price_of(chars: usize, tokens: f64) -> f64 {
    (chars as f64 / tokens.max(1.0)).clamp(2.0, 6.0)
}

impl<'s, 'o> Planner<'s, 'o> {
    /// With nothing claimed yet.
    pub fn new(deeds: Vec<Deed<'s>>, options: &'o Options) -> Planner<'s, 'o> {
        Planner {
            claims: deeds.iter().map(|_| None).collect(),
            deeds,
            options,
            needed: HashSet::default(),
            copies: HashSet::default(),
            warnings: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Tokens of an output or input.
    pub fn price(&self, chars: usize, tokens: f32) -> f64 {
        match self.options.chars_per_token {
            Some(price) => tokens::fixed(chars, price),
            None => f64::from(tokens),
        }
    }

    /// Tokens of the characters that go, at the price of the text they stood in.
    pub fn saved(&self, gone: usize, chars: usize, tokens: f32) -> f64 {
        let price = self.options.chars_per_token;
        tokens::fixed(
            gone,
            price.unwrap_or_else(|| price_of(chars, f64::from(tokens))),
        )
    }

    /// Whether a strategy may still claim the call.
    pub fn free(&self, at: usize) -> bool {
        let locked = self.deeds.get(at).is_none_or(|d| d.locked);
        !locked && self.claims.get(at).is_some_and(Option::is_none) && !self.needed.contains(&at)
    }

    /// Notes a claim, whatever stood there.
    pub fn put(&mut self, at: usize, strategy: Strategy, what: What, saving: Saving) {
        if let Some(slot) = self.claims.get_mut(at) {
            *slot = Some((strategy, what, saving));
        }
    }

    /// Claims the output of a call for a stub, if the stub with the lines that must stay is shorter.
    pub fn output(&mut self, at: usize, strategy: Strategy, stub: String) -> bool {
        if !self.free(at) {
            return false;
        }
        let Some((deed, lines)) = self.deeds.get(at).and_then(|d| Some((d, kept::lines(d)?)))
        else {
            return false;
        };
        let mut stub = stub;
        for line in lines {
            stub.push('\n');
            stub.push_str(&line);
        }
        let row = deed.step.row;
        let (old, new) = (row.result_chars as usize, stub.chars().count());
        if new >= old {
            return false;
        }
        let images = deed.step.outcome.map_or(0, |o| o.images as usize) * IMAGE_TOKENS;
        let tokens = self.saved(old - new, old, row.result_tokens);
        let saving = Saving {
            chars: (old - new) as u64,
            tokens: tokens + images as f64,
        };
        self.put(at, strategy, What::Output { stub }, saving);
        true
    }

    /// Claims the long strings of a call's input.
    pub fn input(&mut self, at: usize, strategy: Strategy, note: String, mirrors: bool) -> bool {
        if !self.free(at) {
            return false;
        }
        // A commit is proven by its command and its result together, even when a later part of it failed.
        let Some(deed) = self.deeds.get(at).filter(|d| !d.commits) else {
            return false;
        };
        let row = deed.step.row;
        // The digest has shortened the arguments already; what is long in it was long in the file.
        let shortened = match &deed.step.call.args {
            Args::Json(_) => args::json(deed.step.call.args.json(), &note),
            Args::Raw(text) => args::patch(text, &note).or_else(|| {
                (row.args_chars as usize > text.chars().count()).then(|| text.to_string())
            }),
        };
        let Some(text) = shortened else {
            return false;
        };
        let (old, new) = (row.args_chars as usize, text.chars().count());
        if new >= old {
            return false;
        }
        let saving = Saving {
            chars: (old - new) as u64,
            tokens: self.saved(old - new, old, row.args_tokens),
        };
        self.put(at, strategy, What::Input { note, mirrors }, saving);
        true
    }

    /// The line in the place of the call's output.
    pub fn stub(&self, at: usize, reason: &str) -> String {
        self.deeds.get(at).map_or(String::new(), |d| {
            let chars = d.step.row.result_chars as usize;
            stub::output(&d.step.call.name, d.path.as_deref(), chars, reason)
        })
    }

    /// ` at #12`, or nothing where the call has no number.
    pub fn place(&self, at: usize) -> String {
        stub::at(self.deeds.get(at).and_then(|d| d.step.entry.number))
    }

    /// Places of successful changes by file.
    pub fn changes(&self) -> HashMap<String, Vec<usize>> {
        let mut changes: HashMap<String, Vec<usize>> = HashMap::default();
        for (at, deed) in self.deeds.iter().enumerate() {
            for path in &deed.changed {
                changes.entry(path.clone()).or_default().push(at);
            }
        }
        changes
    }
}
