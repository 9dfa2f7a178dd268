//! What a session gives up as it grows: the older part of a very long one is shortened, so that memory and the work
//! behind reading grow with what a brief can show, not with the file.
//!
//! Budgets are several times what the longest sessions of a working day hold; below them nothing is ever touched.
//! Shortened is only what is old: the newest entries stay as they were kept.

use super::{Session, notable};
use crate::json::{Json, reduce};
use crate::language::byte_ends;
use crate::transcript::{Args, Block, Entry, Voice};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Entries at the end that are never shortened.
const RECENT: usize = 400;
/// Messages of a person at the beginning that never are: among them is the goal.
const EARLY: usize = 8;

/// One kind of text with its budget.
#[derive(Debug)]
struct Budget {
    /// Bytes that may be kept before older ones are shortened.
    most: usize,
    kept: usize,
    /// The next time shortening is worth a pass.
    next: usize,
    /// Bytes left of each older text, and the least that ever is.
    limit: usize,
    least: usize,
    /// Entries shortened to the limit already.
    done: usize,
}

impl Budget {
    const fn new(most: usize, limit: usize, least: usize) -> Budget {
        Budget {
            most,
            kept: 0,
            next: most,
            limit,
            least,
            done: 0,
        }
    }
}

/// Counts what is kept and shortens when it is too much.
#[derive(Debug)]
pub struct Thin {
    /// What was not said by a person.
    said: Budget,
    person: Budget,
    /// Results and arguments.
    deeds: Budget,
}

impl Default for Thin {
    fn default() -> Self {
        Thin {
            said: Budget::new(384 << 10, 4 << 10, 80),
            person: Budget::new(512 << 10, 16 << 10, 160),
            deeds: Budget::new(4 << 20, 2 << 10, 160),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Sort {
    Said,
    Person,
    Deed,
}

fn weight(block: &Block<'_>) -> Option<(Sort, usize)> {
    match block {
        Block::Said {
            voice: Voice::Person | Voice::Parent,
            text,
        } => Some((Sort::Person, text.len())),
        Block::Said { text, .. } => Some((Sort::Said, text.len())),
        Block::Call(call) => Some((Sort::Deed, call.args.as_str().len())),
        Block::Result(outcome) => Some((Sort::Deed, outcome.text.len())),
        Block::Thinking { .. } | Block::Image(_) => None,
    }
}

impl Thin {
    /// Whether nothing was shortened so far.
    pub fn is_idle(&self) -> bool {
        [&self.said, &self.person, &self.deeds]
            .iter()
            .all(|b| b.next == b.most)
    }

    /// Notes what was added.
    pub fn add(&mut self, blocks: &[Block<'_>]) {
        for (sort, bytes) in blocks.iter().filter_map(weight) {
            self.budget(sort).kept += bytes;
        }
    }

    fn budget(&mut self, sort: Sort) -> &mut Budget {
        match sort {
            Sort::Said => &mut self.said,
            Sort::Person => &mut self.person,
            Sort::Deed => &mut self.deeds,
        }
    }

    /// Shortens what is over its budget.
    pub fn relieve(&mut self, session: &mut Session) {
        for sort in [Sort::Said, Sort::Person, Sort::Deed] {
            let budget = self.budget(sort);
            if budget.kept > budget.next {
                shorten(budget, sort, session);
            }
        }
    }
}

/// Shortens entries that a digest is about to let go of: the more went before (bytes of each kind, which are counted on),
/// the less is left of each text. So what is made of the past grows hardly at all with the file.
pub fn shorten_past(entries: &mut [Entry<'static>], gone: &mut Gone) {
    let budgets = Thin::default();
    for block in entries.iter_mut().flat_map(|e| &mut e.blocks) {
        let Some((sort, bytes)) = weight(block) else {
            continue;
        };
        let (budget, gone) = match sort {
            Sort::Said => (&budgets.said, &mut gone.said),
            Sort::Person => (&budgets.person, &mut gone.person),
            Sort::Deed => (&budgets.deeds, &mut gone.deeds),
        };
        *gone += bytes;
        let share = budget.limit.saturating_mul(budget.most) / (*gone).max(1);
        if *gone > budget.most && bytes > share.max(budget.least) {
            cut(block, share.max(budget.least));
        }
    }
}

/// Bytes that were let go of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    said: usize,
    person: usize,
    deeds: usize,
}

fn shorten(budget: &mut Budget, sort: Sort, session: &mut Session) {
    let old = session.entries.len().saturating_sub(RECENT);
    let spared = match sort {
        Sort::Person => early(&session.entries),
        Sort::Said | Sort::Deed => 0,
    };
    loop {
        let from = std::mem::replace(&mut budget.done, old).max(spared);
        for entry in session.entries.get_mut(from..old).unwrap_or_default() {
            for block in &mut entry.blocks {
                if let Some((of, bytes)) = weight(block)
                    && of == sort
                    && bytes > budget.limit
                {
                    cut(block, budget.limit);
                    let left = weight(block).map_or(0, |w| w.1);
                    budget.kept = budget.kept.saturating_sub(bytes.saturating_sub(left));
                }
            }
        }
        if budget.kept <= budget.most / 2 || budget.limit == budget.least {
            break;
        }
        budget.limit = (budget.limit / 2).max(budget.least);
        budget.done = 0;
    }
    budget.next = budget.most.max(budget.kept + budget.most / 4);
}

/// The place behind a person's first messages.
fn early(entries: &[Entry<'static>]) -> usize {
    let person = |e: &Entry<'_>| e.texts(Voice::Person).chain(e.texts(Voice::Parent)).count() > 0;
    let places = entries.iter().zip(1..).filter(|(e, _)| person(e));
    places
        .map(|(_, behind)| behind)
        .take(EARLY)
        .last()
        .unwrap_or(0)
}

fn cut(block: &mut Block<'static>, limit: usize) {
    match block {
        Block::Said { text, .. } => {
            *text = Cow::Owned(sentences(text, limit / 3, limit - limit / 3))
        }
        Block::Call(call) => {
            call.args = match &call.args {
                Args::Raw(text) => Args::Raw(Cow::Owned(ends(text, limit, 0))),
                Args::Json(text) => {
                    let json = Json::parse(text).unwrap_or(Json::NULL);
                    Args::Json(Cow::Owned(reduce(json, limit / 2, 8, 4)))
                }
            }
        }
        Block::Result(outcome) => {
            // Its last lines, and those that name outcomes.
            let mut short = ends(&outcome.text, limit / 8, limit / 2);
            let mut room = limit / 3;
            for line in notable::lines(&outcome.text, 2, 2) {
                if line.len() < room && !short.contains(line) {
                    room -= line.len();
                    short.push('\n');
                    short.push_str(line);
                }
            }
            outcome.text = Cow::Owned(short);
        }
        Block::Thinking { .. } | Block::Image(_) => {}
    }
}

/// As [`ends`] of what was said, cut between sentences where one ends or begins near.
fn sentences(text: &str, head: usize, tail: usize) -> String {
    const NEAR: usize = 160;
    let (head, tail) = (head.min(text.len()), text.len() - tail.min(text.len()));
    let between = |at: &usize| {
        text.split_at_checked(*at).is_some_and(|(before, behind)| {
            let ends = before.ends_with(['.', '!', '?', '。', '？', '！']);
            before.ends_with('\n') || ends && behind.starts_with(char::is_whitespace)
        })
    };
    // Rather less than more; half a sentence only where it has no end.
    let mut shorter = (1..=head).rev();
    let mut longer = head..(head + NEAR).min(text.len());
    let h = shorter.find(between).or_else(|| longer.find(between));
    let mut shorter = tail..text.len();
    let mut longer = (tail.saturating_sub(NEAR)..tail).rev();
    let t = shorter.find(between).or_else(|| longer.find(between));
    match (h.unwrap_or(head), t.unwrap_or(tail)) {
        (h, t) if h < t => ends(text, h, text.len() - t),
        _ => text.to_owned(),
    }
}

/// Head and tail of a text in bytes, cut at characters.
fn ends(text: &str, head: usize, tail: usize) -> String {
    let (head, tail) = byte_ends(text, head, tail);
    let mut out = String::with_capacity(head.len() + tail.len() + 5);
    out.push_str(head);
    out.push_str("\n…\n");
    out.push_str(tail);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Kind;

    fn entry(voice: Voice, text: String) -> Entry<'static> {
        let mut entry = Entry::new(Kind::Assistant);
        entry.say(voice, text);
        entry
    }

    fn grown(count: usize, size: usize) -> (Thin, Session) {
        grown_by(Voice::Assistant, count, size)
    }

    fn grown_by(voice: Voice, count: usize, size: usize) -> (Thin, Session) {
        let (mut thin, mut session) = (Thin::default(), Session::default());
        for n in 0..count {
            let text = format!("앞 {n} {} 뒤 {n}", "x".repeat(size));
            let entry = entry(voice, text);
            thin.add(&entry.blocks);
            session.entries.push(entry);
            thin.relieve(&mut session);
        }
        (thin, session)
    }

    fn text<'e>(entry: &'e Entry<'static>) -> &'e str {
        entry.texts(Voice::Assistant).next().unwrap_or_default()
    }

    #[test]
    fn a_working_day_stays_whole() {
        let (_, session) = grown(500, 500);
        assert!(session.entries.iter().all(|e| text(e).len() > 500));
    }

    #[test]
    fn no_sentence_is_cut_where_its_end_is_near() {
        let text = "앞으로 주석은 한국어로 써 주세요. 표는 그대로 둬 주세요.\n".repeat(20);
        let short = sentences(&text, 40, 80);
        assert_eq!(
            short,
            "앞으로 주석은 한국어로 써 주세요.\n…\n앞으로 주석은 한국어로 써 주세요. 표는 그대로 둬 주세요.\n"
        );
        assert_eq!(sentences("하나. 둘. 셋.", 3, 3), "하나.\n…\n 셋.");
        let endless = "가".repeat(400);
        assert!(sentences(&endless, 40, 80).len() < 130);
    }

    #[test]
    fn what_a_person_said_first_stays_whole() {
        let (_, session) = grown_by(Voice::Person, 4000, 2000);
        let whole = |e: &&Entry<'static>| e.texts(Voice::Person).all(|t| t.len() > 2000);
        let early = session.entries.iter().take_while(whole).count();
        assert_eq!(early, EARLY);
    }

    #[test]
    fn what_is_old_in_a_long_session_is_shortened_and_keeps_its_ends() {
        let (thin, session) = grown(20_000, 2000);
        let kept: usize = session.entries.iter().map(|e| text(e).len()).sum();
        assert_eq!(kept, thin.said.kept);
        assert!(kept < 4 << 20, "{kept}"); // 20,000 least pieces, and the newest
        let first = text(&session.entries[0]);
        assert!(
            first.starts_with("앞 0") && first.ends_with("뒤 0"),
            "{first}"
        );
        assert!(
            session
                .entries
                .iter()
                .rev()
                .take(RECENT)
                .all(|e| text(e).len() > 2000)
        );
    }
}
