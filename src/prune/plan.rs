//! What will be left out, decided before a byte is copied: each strategy in turn claims calls that no other has
//! claimed (SPEC 2.2).

use super::deed::{Deed, deeds};
use super::protect::Protection;
use super::{Options, Strategy, args, cut, kept, room::Room, stub};
use crate::language::tokens::{self, IMAGE_TOKENS};
use crate::loops;
use crate::session::Session;
use crate::transcript::tools::Tool;
use crate::transcript::{Args, Block, Kind, Mark, Ref};
use anyhow::Result;
use foldhash::{HashMap, HashSet};

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

/// How a strategy's answer for a call is estimated.
struct Saving {
    chars: u64,
    tokens: f64,
}

struct Planner<'s, 'o> {
    deeds: Vec<Deed<'s>>,
    options: &'o Options,
    claims: Vec<Option<(Strategy, What, Saving)>>,
    /// Calls whose result another stub points to: not to be left out by what comes later.
    needed: HashSet<usize>,
    /// Newest copies of what `dedupe` and `supersede` left out.
    copies: HashSet<usize>,
    warnings: Vec<String>,
    notes: Vec<String>,
}

impl Plan {
    /// Decides for a session.
    ///
    /// # Errors
    /// A glob of the options that cannot be read.
    pub fn new(session: &Session, options: &Options) -> Result<Plan> {
        let protection = Protection::new(options)?;
        let (deeds, ages) = deeds(session, options, &protection);
        let mut planner = Planner {
            claims: deeds.iter().map(|_| None).collect(),
            deeds,
            options,
            needed: HashSet::default(),
            copies: HashSet::default(),
            warnings: Vec::new(),
            notes: Vec::new(),
        };
        planner.answered(session);
        for strategy in &options.strategies {
            match strategy {
                Strategy::Dedupe => planner.dedupe(),
                Strategy::Supersede => planner.supersede(),
                Strategy::Errors => planner.errors(),
                Strategy::Truncate => planner.truncate(session),
                Strategy::Outputs => planner.outputs(),
                Strategy::Reads => planner.reads(),
                Strategy::Images => planner.images(),
                Strategy::Repeats => planner.repeats(session),
            }
        }
        planner.overlaps();
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
            let step = &deed.step;
            claims.push((
                step.entry.seq,
                Claim {
                    id: step.call.id.to_string(),
                    line: 0,
                    reference: step.entry.number,
                    tool: Some(step.call.name.to_string()),
                    path: deed.path.clone(),
                    strategy,
                    what,
                    saved_chars: saving.chars,
                    saved_tokens: saving.tokens,
                    in_context: in_context(step.entry.seq),
                },
            ));
        }
        if options.strategies.contains(&Strategy::Images) {
            prompts(session, &ages, options.protect_turns, |seq, mut claim| {
                claim.in_context = in_context(seq);
                claims.push((seq, claim));
            });
        }
        claims.sort_by_key(|(seq, _)| *seq);
        Ok(Plan {
            claims: claims.into_iter().map(|(_, c)| c).collect(),
            warnings: planner.warnings,
            notes: planner.notes,
        })
    }
}

/// Images in what people sent.
fn prompts(
    session: &Session,
    ages: &HashMap<u32, u32>,
    protect: u32,
    mut claim: impl FnMut(u32, Claim),
) {
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
            claim(entry.seq, new);
        }
    }
}

/// What an aggressive `supersede` goes by: a read of whatever file, which is no copy of what was written.
const ANY_READ: &str = "files read";

/// The first place behind `at` in an ascending list.
fn after(places: &[usize], at: usize) -> Option<usize> {
    places.get(places.partition_point(|p| *p <= at)).copied()
}

/// Characters a token of this text, within what real text has (SPEC 0.6).
pub fn price_of(chars: usize, tokens: f64) -> f64 {
    (chars as f64 / tokens.max(1.0)).clamp(2.0, 6.0)
}

impl Planner<'_, '_> {
    /// Tokens of an output or input.
    fn price(&self, chars: usize, tokens: f32) -> f64 {
        match self.options.chars_per_token {
            Some(price) => tokens::fixed(chars, price),
            None => f64::from(tokens),
        }
    }

    /// Tokens of the characters that go, at the price of the text they stood in.
    fn saved(&self, gone: usize, chars: usize, tokens: f32) -> f64 {
        let price = self.options.chars_per_token;
        tokens::fixed(
            gone,
            price.unwrap_or_else(|| price_of(chars, f64::from(tokens))),
        )
    }

    fn free(&self, at: usize) -> bool {
        let locked = self.deeds.get(at).is_none_or(|d| d.locked);
        !locked && self.claims.get(at).is_some_and(Option::is_none) && !self.needed.contains(&at)
    }

    fn put(&mut self, at: usize, strategy: Strategy, what: What, saving: Saving) {
        if let Some(slot) = self.claims.get_mut(at) {
            *slot = Some((strategy, what, saving));
        }
    }

    /// Claims the output of a call for a stub, if the stub is shorter.
    fn output(&mut self, at: usize, strategy: Strategy, stub: String) -> bool {
        if !self.free(at) {
            return false;
        }
        let Some(deed) = self.deeds.get(at) else {
            return false;
        };
        let Some(lines) = kept::lines(deed) else {
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
    fn input(&mut self, at: usize, strategy: Strategy, note: String, mirrors: bool) -> bool {
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

    fn stub(&self, at: usize, reason: &str) -> String {
        self.deeds.get(at).map_or(String::new(), |d| {
            let chars = d.step.row.result_chars as usize;
            stub::output(&d.step.call.name, d.path.as_deref(), chars, reason)
        })
    }

    fn place(&self, at: usize) -> String {
        stub::at(self.deeds.get(at).and_then(|d| d.step.entry.number))
    }

    /// Places of successful changes by file.
    fn changes(&self) -> HashMap<String, Vec<usize>> {
        let mut changes: HashMap<String, Vec<usize>> = HashMap::default();
        for (at, deed) in self.deeds.iter().enumerate() {
            for path in &deed.changed {
                changes.entry(path.clone()).or_default().push(at);
            }
        }
        changes
    }

    /// The same call again, with no edit of its file in between: the newest success stays.
    fn dedupe(&mut self) {
        let changes = self.changes();
        let mut last: HashMap<u64, usize> = HashMap::default();
        for at in 0..self.deeds.len() {
            let Some(deed) = self.deeds.get(at).filter(|d| d.has_copy()) else {
                continue;
            };
            let Some(earlier) = last.insert(deed.key, at) else {
                continue;
            };
            // Whatever was asked about a file, an edit of it made the earlier answer another one.
            let edited = deed.paths.iter().any(|p| {
                changes
                    .get(p)
                    .and_then(|c| after(c, earlier))
                    .is_some_and(|c| c < at)
            });
            if !edited {
                let stub = self.stub(earlier, &format!("same call again{}", self.place(at)));
                if self.output(earlier, Strategy::Dedupe, stub) {
                    self.copies.insert(at);
                    self.copies.remove(&earlier);
                }
            }
        }
    }

    /// The body of a write whose file was read or written whole later.
    fn supersede(&mut self) {
        // Later copies by file, and reads of anything.
        let mut copies: HashMap<&str, Vec<(usize, &'static str)>> = HashMap::default();
        let mut reads: Vec<usize> = Vec::new();
        for (at, deed) in self.deeds.iter().enumerate() {
            if !deed.has_copy() {
                continue;
            }
            let how = match deed.tool {
                Tool::Read if deed.whole_read => "read again",
                Tool::Write => "written again",
                _ => "",
            };
            if deed.tool == Tool::Read {
                reads.push(at);
            }
            if !how.is_empty() {
                for path in &deed.paths {
                    copies.entry(path.as_str()).or_default().push((at, how));
                }
            }
        }
        let mut found: Vec<(usize, Option<usize>, String)> = Vec::new();
        for (at, deed) in self.deeds.iter().enumerate() {
            let writes = matches!(deed.tool, Tool::Write | Tool::Edit | Tool::Patch);
            if !writes || !deed.ok || deed.paths.is_empty() || !self.free(at) {
                continue;
            }
            let later = |path: &String| {
                let list = copies.get(path.as_str())?;
                list.get(list.partition_point(|(c, _)| *c <= at)).copied()
            };
            // Of several files the one that came last counts.
            let all: Option<Vec<(usize, &str)>> = deed.paths.iter().map(later).collect();
            let by = all.and_then(|all| all.into_iter().max());
            let by = by.or_else(|| {
                let read = after(&reads, at).filter(|_| self.options.aggressive);
                read.map(|r| (r, ANY_READ))
            });
            if let Some((by, how)) = by {
                let copy = (how != ANY_READ).then_some(by);
                found.push((at, copy, format!("{how}{}", self.place(by))));
            }
        }
        for (at, copy, note) in found {
            if self.input(at, Strategy::Supersede, note, true) {
                self.copies.extend(copy);
            }
        }
        if self.options.aggressive {
            self.warnings.push(
                "supersede aggressive: written text goes at the next read of any file; its only copy may be the one on disk"
                    .to_owned(),
            );
        }
    }

    /// Long arguments of failed calls.
    fn errors(&mut self) {
        for at in 0..self.deeds.len() {
            let old = |d: &Deed<'_>| d.failed && d.age >= self.options.error_turns;
            if self.deeds.get(at).is_some_and(old) {
                self.input(at, Strategy::Errors, String::new(), false);
            }
        }
    }

    fn truncate(&mut self, session: &Session) {
        let room = Room::of(session, self.options);
        let mut blind = false;
        for at in 0..self.deeds.len() {
            let Some(deed) = self.deeds.get(at).filter(|_| self.free(at)) else {
                continue;
            };
            let row = deed.step.row;
            let (chars, tokens) = (row.result_chars as usize, row.result_tokens);
            if chars == 0 {
                continue;
            }
            let limit = room.limit(&deed.step, self.options);
            blind |= limit.blind;
            if deed.commits || self.price(chars, tokens) <= limit.tokens as f64 {
                continue;
            }
            let price = self
                .options
                .chars_per_token
                .unwrap_or(chars as f64 / f64::from(tokens.max(1.0)));
            let budget = ((limit.tokens as f64) * price).floor() as usize;
            let head_ratio = match self.options.head_ratio {
                Some(ratio) => ratio,
                None if deed.failed => 0.3,
                None => 0.5,
            };
            let new = if budget < 82 {
                let line = cut::cut(
                    &"x".repeat(chars.min(400)),
                    budget,
                    0.5,
                    &deed.step.call.name,
                );
                line.map_or(chars, |l| l.chars().count())
            } else {
                budget
            };
            if new >= chars {
                continue;
            }
            let saving = Saving {
                chars: (chars - new) as u64,
                tokens: self.saved(chars - new, chars, tokens),
            };
            let what = What::Cut {
                tokens: limit.tokens,
                chars: self.options.chars_per_token.map(|_| budget),
                head_ratio,
            };
            self.put(at, Strategy::Truncate, what, saving);
        }
        if blind {
            self.warnings.push(format!(
                "truncate: usage unknown for some or all outputs; for them only the cap of {} tokens counted",
                self.options.cap_tokens
            ));
        }
    }

    /// Outputs of old tool rounds.
    fn outputs(&mut self) {
        for at in 0..self.deeds.len() {
            let old = |d: &Deed<'_>| {
                d.round >= self.options.keep_rounds
                    && !matches!(d.tool, Tool::Skill | Tool::Agent)
                    && d.step.outcome.is_some()
            };
            if self.deeds.get(at).is_some_and(old) {
                let stub = self.stub(at, "");
                self.output(at, Strategy::Outputs, stub);
            }
        }
    }

    /// Reads that a later edit of the file made stale.
    fn reads(&mut self) {
        let changes = self.changes();
        for at in 0..self.deeds.len() {
            let Some(deed) = self
                .deeds
                .get(at)
                .filter(|d| d.ok && d.tool == Tool::Read && !d.paths.is_empty())
            else {
                continue;
            };
            let edit = deed
                .paths
                .iter()
                .filter_map(|p| after(changes.get(p)?, at))
                .min();
            if let Some(edit) = edit {
                let stub = self.stub(at, &format!("changed{}", self.place(edit)));
                self.output(at, Strategy::Reads, stub);
            }
        }
    }

    fn images(&mut self) {
        for at in 0..self.deeds.len() {
            let Some(images) = self
                .deeds
                .get(at)
                .and_then(|d| d.step.outcome)
                .map(|o| o.images as usize)
                .filter(|n| *n > 0)
            else {
                continue;
            };
            if self.free(at) {
                let saving = Saving {
                    chars: 0,
                    tokens: (images * IMAGE_TOKENS) as f64,
                };
                self.put(at, Strategy::Images, What::Images, saving);
            }
        }
    }

    /// What the lines of an earlier prune point to must stay.
    fn answered(&mut self, session: &Session) {
        let repeat = |d: &Deed<'_>| d.step.outcome.is_some_and(|o| stub::is_repeat(&o.text));
        if self.deeds.iter().any(repeat) {
            let repeats = loops::repeats(session, &loops::Options::default(), |_| false);
            self.needed.extend(repeats.needed);
        }
    }

    /// What a loop guard would have answered with one line.
    fn repeats(&mut self, session: &Session) {
        let gone = |at: usize| self.claims.get(at).is_some_and(Option::is_some);
        let repeats = loops::repeats(session, &loops::Options::default(), gone);
        for found in repeats.found {
            if found.action != loops::Action::Stub || self.copies.contains(&found.at) {
                continue;
            }
            if let Some(stub) = found.stub
                && self.output(found.at, Strategy::Repeats, stub)
            {
                self.needed.insert(found.first);
            }
        }
    }

    /// Reads that lie inside a newer one of the same unchanged file: no strategy takes them, but they are told.
    fn overlaps(&mut self) {
        let changes = self.changes();
        let lines = |d: &Deed<'_>| {
            let shown = u64::from(d.step.row.result_lines);
            loops::read_lines(&d.step.call.args.json(), shown).0
        };
        let mut inside = Vec::new();
        for (at, deed) in self.deeds.iter().enumerate() {
            let part = deed.tool == Tool::Read && deed.has_copy() && !deed.whole_read;
            let Some(path) = deed.paths.first().filter(|_| part) else {
                continue;
            };
            if self.claims.get(at).is_none_or(Option::is_some) {
                continue;
            }
            let (first, last) = lines(deed);
            let holds = |d: &Deed<'_>| {
                let (from, to) = lines(d);
                d.whole_read || (from <= first && to >= last && first < last)
            };
            let newer = self.deeds.iter().enumerate().skip(at + 1).find(|(_, d)| {
                d.tool == Tool::Read && d.has_copy() && d.paths.first() == Some(path) && holds(d)
            });
            let Some((newer, _)) = newer else { continue };
            let edited = changes
                .get(path)
                .and_then(|c| after(c, at))
                .is_some_and(|c| c < newer);
            if !edited {
                inside.push(self.place(at).trim_start_matches(" at ").to_owned());
            }
        }
        if !inside.is_empty() {
            let more = inside.len().saturating_sub(8);
            let mut list = inside.into_iter().take(8).collect::<Vec<_>>().join(", ");
            if more > 0 {
                list.push_str(&format!(", +{more} more"));
            }
            self.notes.push(format!(
                "kept although a newer read holds their lines: {list}"
            ));
        }
    }
}
