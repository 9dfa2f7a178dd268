//! Which messages are hits, in which order: literal ones first, the rest by BM25; equal contents folded into one.

use super::index::{Match, Note};
use super::query::{Mode, Search};
use super::{Options, Role};
use crate::session::Scope;
use crate::transcript::{Ref, Transcript};
use std::collections::BTreeMap;

/// BM25's constants, the share of the best score below which nothing is shown, and the most ranked hits (SPEC 8).
const K1: f64 = 1.2;
const B: f64 = 0.75;
const CUT: f64 = 0.2;
pub const CAP: usize = 50;
/// Equal contents of at least so many characters are one hit.
const FOLD: u32 = 80;

/// A session that was read.
pub struct Indexed {
    pub name: String,
    pub notes: Vec<Note>,
    pub head: Transcript,
}

/// A hit and the equal messages folded into it.
#[derive(Debug, Clone)]
pub struct Ranked<'n> {
    pub session: usize,
    pub note: &'n Note,
    pub number: Ref,
    pub also: Vec<Ref>,
}

#[derive(Clone, Copy)]
struct Candidate<'n> {
    session: usize,
    seq: usize,
    note: &'n Note,
    hit: &'n Match,
    number: Ref,
    score: f64,
    /// Terms it has.
    terms: usize,
}

/// The hits of a search in order, and how many more there are than may be shown.
pub fn rank<'n>(
    sessions: &'n [Indexed],
    search: &Search,
    options: &Options,
) -> (Vec<Ranked<'n>>, usize) {
    let mut candidates = scored(sessions, search, options);
    let literal = candidates.iter().any(|c| c.hit.literal);
    let only_literal =
        search.mode == Mode::Literal || (literal && search.mode == Mode::LiteralElseWords);
    if only_literal {
        candidates.retain(|c| c.hit.literal);
        candidates.sort_by_key(|c| (c.session, c.seq));
        return (fold(candidates), 0);
    }
    candidates.retain(|c| c.hit.literal || c.terms > 0);
    if literal {
        // What was typed is there as typed; messages with only some of its words are not asked for.
        candidates.retain(|c| c.hit.literal || c.terms == search.terms.len());
    }
    if search.terms.len() >= 2 {
        let best = candidates.iter().map(|c| c.score).fold(0.0, f64::max);
        candidates.retain(|c| c.hit.literal || c.score >= CUT * best);
    }
    candidates.sort_by(|a, b| {
        b.hit
            .literal
            .cmp(&a.hit.literal)
            .then(b.score.total_cmp(&a.score))
            .then((a.session, a.seq).cmp(&(b.session, b.seq)))
    });
    let mut hits = fold(candidates);
    let more = hits.len().saturating_sub(CAP);
    hits.truncate(CAP);
    (hits, more)
}

/// Messages that may be shown under these options.
fn eligible<'n>(
    sessions: &'n [Indexed],
    options: &Options,
) -> impl Iterator<Item = (usize, usize, &'n Note, Ref)> {
    let (role, scope) = (options.role, options.scope);
    sessions.iter().enumerate().flat_map(move |(s, session)| {
        session
            .notes
            .iter()
            .enumerate()
            .filter(move |(seq, note)| {
                let own = note.role();
                note.listed
                    && own != Role::System
                    && role.is_none_or(|r| r == own)
                    && (scope == Scope::All
                        || session.head.active.get(*seq).copied().unwrap_or(true))
            })
            .filter_map(move |(seq, note)| Some((s, seq, note, note.number?)))
    })
}

fn scored<'n>(sessions: &'n [Indexed], search: &Search, options: &Options) -> Vec<Candidate<'n>> {
    let mut candidates: Vec<Candidate<'n>> = Vec::new();
    let (mut messages, mut words) = (0u64, 0u64);
    for (session, seq, note, number) in eligible(sessions, options) {
        messages += 1;
        words += u64::from(note.words);
        if let Some(hit) = note.hit.as_deref() {
            candidates.push(Candidate {
                session,
                seq,
                note,
                hit,
                number,
                score: 0.0,
                terms: 0,
            });
        }
    }
    let average = (words as f64 / messages.max(1) as f64).max(1.0);
    for term in 0..search.terms.len() {
        let strong = |c: &Candidate<'_>| f64::from(c.hit.counts.get(term).copied().unwrap_or(0.0));
        let faint = |c: &Candidate<'_>| f64::from(c.hit.faint.get(term).copied().unwrap_or(0));
        // Only when nobody says the word itself do its letters inside other words count.
        let whole = candidates.iter().any(|c| strong(c) > 0.0);
        let count = |c: &Candidate<'_>| if whole { strong(c) } else { faint(c) };
        let known = candidates.iter().filter(|c| count(c) > 0.0).count() as f64;
        let rarity = (1.0 + (messages as f64 - known + 0.5) / (known + 0.5)).ln();
        for c in &mut candidates {
            let count = count(c);
            if count > 0.0 {
                let length = 1.0 - B + B * f64::from(c.note.words) / average;
                c.score += rarity * count * (K1 + 1.0) / (count + K1 * length);
                c.terms += 1;
            }
        }
    }
    candidates
}

/// Folds equal contents of one session into the first in the file, at the place of the best of them.
fn fold(candidates: Vec<Candidate<'_>>) -> Vec<Ranked<'_>> {
    let mut places: BTreeMap<(usize, u32, u64), usize> = BTreeMap::new();
    let mut groups: Vec<Vec<Candidate<'_>>> = Vec::new();
    for c in candidates {
        let key = (c.session, c.note.chars, c.note.hash);
        match places.get(&key).filter(|_| c.note.chars >= FOLD) {
            Some(&at) => {
                if let Some(group) = groups.get_mut(at) {
                    group.push(c);
                }
            }
            None => {
                places.insert(key, groups.len());
                groups.push(vec![c]);
            }
        }
    }
    groups
        .into_iter()
        .filter_map(|mut group| {
            group.sort_by_key(|c| c.seq);
            let (first, rest) = group.split_first()?;
            Some(Ranked {
                session: first.session,
                note: first.note,
                number: first.number,
                also: rest.iter().map(|c| c.number).collect(),
            })
        })
        .collect()
}

/// The newest messages, newest first.
pub fn newest<'n>(sessions: &'n [Indexed], options: &Options, most: usize) -> Vec<Ranked<'n>> {
    let mut all: Vec<_> = eligible(sessions, options).collect();
    // A session without times comes in its own order, behind those with.
    all.sort_by_key(|&(session, seq, note, _)| {
        let time = if sessions.len() > 1 { note.time } else { None };
        (std::cmp::Reverse(time), session, std::cmp::Reverse(seq))
    });
    all.truncate(most);
    all.into_iter()
        .map(|(session, _, note, number)| Ranked {
            session,
            note,
            number,
            also: Vec::new(),
        })
        .collect()
}
