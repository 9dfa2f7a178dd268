//! The strategies (SPEC 2.2): which calls each of them claims, and with which words.

use super::What;
use super::planner::{Planner, Saving};
use crate::language::tokens::IMAGE_TOKENS;
use crate::loops;
use crate::prune::deed::Deed;
use crate::prune::room::Room;
use crate::prune::{Strategy, cut};
use crate::session::Session;
use crate::transcript::stub;
use crate::transcript::tools::Tool;
use foldhash::HashMap;

/// What an aggressive `supersede` goes by: a read of whatever file, which is no copy of what was written.
const ANY_READ: &str = "files read";

/// The first place behind `at` in an ascending list.
fn after(places: &[usize], at: usize) -> Option<usize> {
    places.get(places.partition_point(|p| *p <= at)).copied()
}

/// Whether a file changed between two places, given the places of its changes.
fn changed_between(changes: Option<&Vec<usize>>, from: usize, to: usize) -> bool {
    changes
        .and_then(|c| after(c, from))
        .is_some_and(|change| change < to)
}

impl Planner<'_, '_> {
    /// Lets a strategy claim what it would leave out.
    pub(super) fn follow(&mut self, strategy: Strategy, session: &Session) {
        match strategy {
            Strategy::Dedupe => self.dedupe(),
            Strategy::Supersede => self.supersede(),
            Strategy::Errors => self.errors(),
            Strategy::Truncate => self.truncate(session),
            Strategy::Outputs => self.outputs(),
            Strategy::Reads => self.reads(),
            Strategy::Images => self.images(),
            Strategy::Repeats => self.repeats(session),
        }
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
            let edited = deed
                .paths
                .iter()
                .any(|p| changed_between(changes.get(p), earlier, at));
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
        let copies = self.copies_by_file();
        let reads = self.reads_with_copy();
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

    /// By file: the places where all of it can be seen again, and how.
    fn copies_by_file(&self) -> HashMap<&str, Vec<(usize, &'static str)>> {
        let mut copies: HashMap<&str, Vec<(usize, &'static str)>> = HashMap::default();
        for (at, deed) in self.deeds.iter().enumerate().filter(|(_, d)| d.has_copy()) {
            let how = match deed.tool {
                Tool::Read if deed.whole_read => "read again",
                Tool::Write => "written again",
                _ => continue,
            };
            for path in &deed.paths {
                copies.entry(path.as_str()).or_default().push((at, how));
            }
        }
        copies
    }

    /// The places of reads, of whatever file, whose result still says what was read.
    fn reads_with_copy(&self) -> Vec<usize> {
        let deeds = self.deeds.iter().enumerate();
        let reads = deeds.filter(|(_, d)| d.tool == Tool::Read && d.has_copy());
        reads.map(|(at, _)| at).collect()
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

    /// Outputs longer than the room that the window had left for them.
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
            let new = cut::estimate(chars, budget, &deed.step.call.name);
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

    /// Images in results.
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
    pub(super) fn answered(&mut self, session: &Session) {
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
    pub(super) fn overlaps(&mut self) {
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
            if !changed_between(changes.get(path), at, newer) {
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
