//! Who a clause is about.

use super::predicate::{COPULAS, is_past};
use crate::lexicon::{Group, Rules};

/// Who a clause is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// I, we.
    Speaker,
    /// Others that speak for themselves: a colleague, a team.
    People,
    /// it, that, this: only its past is told.
    Thing,
    /// A meeting, a release.
    Occasion,
    /// Left out, as one does in speech: `ran it last night`.
    Unsaid,
}

/// Who the clause is about, and the words behind it, adverbs left out.
pub fn subject<'w>(
    words: &'w [&str],
    people: bool,
    rules: &Rules,
) -> Option<(Subject, Vec<&'w str>)> {
    let found = pronoun(words, people, rules)
        .or_else(|| ours(words, rules))
        .or_else(|| noun(words, rules))
        .or_else(|| somebody(words, rules));
    if found.is_some() {
        return found;
    }
    let rest = full(words, rules);
    (!rest.is_empty()).then_some((Subject::Unsaid, rest))
}

/// The words without adverbs.
fn full<'w>(words: &'w [&str], rules: &Rules) -> Vec<&'w str> {
    let mut words = words.to_vec();
    words.retain(|w| !rules.is_word(Group::Adverbs, w));
    words
}

/// `I`, `she's`, `they`, `that`: a verb may hang at the pronoun.
fn pronoun<'w>(words: &'w [&str], people: bool, rules: &Rules) -> Option<(Subject, Vec<&'w str>)> {
    let (first, rest) = words.split_first()?;
    let (pronoun, verb) = match first.split_once('\'') {
        Some((pronoun, short)) => (pronoun, Some(written_out(short))),
        None => match *first {
            "im" => ("i", Some("are")),
            "ive" => ("i", Some("have")),
            word => (word, None),
        },
    };
    let rest: Vec<&str> = verb.into_iter().chain(full(rest, rules)).collect();
    let who = match pronoun {
        "i" | "we" => Subject::Speaker,
        "he" | "she" => Subject::People,
        "they" => {
            let speaks = |v: &&str| rules.is_word(Group::TellingVerbs, v);
            match people || rest.first().is_some_and(speaks) {
                true => Subject::People,
                false => Subject::Thing,
            }
        }
        "it" | "that" | "this" if words.len() > 1 => Subject::Thing,
        _ => return None,
    };
    Some((who, rest))
}

/// The verb that `'m`, `'ve` … stand for.
fn written_out(short: &str) -> &'static str {
    match short {
        "m" | "re" => "are",
        "s" => "is",
        "ve" => "have",
        "ll" => "will",
        _ => "would",
    }
}

/// `our lab bought …`: whose it is makes it people's, unless it is a thing that something happened to (appeals).
fn ours<'w>(words: &'w [&str], rules: &Rules) -> Option<(Subject, Vec<&'w str>)> {
    let first = words.first()?;
    if !["my", "our"].contains(first) {
        return None;
    }
    let verb = |w: &&str| is_past(w, rules) && !COPULAS.contains(w);
    let at = words.iter().skip(2).take(2).position(verb)?;
    Some((Subject::People, words.get(at + 2..)?.to_vec()))
}

/// A noun for people or an occasion among the first words, with its verb: `the customer demo went …`.
fn noun<'w>(words: &'w [&str], rules: &Rules) -> Option<(Subject, Vec<&'w str>)> {
    for (at, word) in words.iter().enumerate().take(4) {
        // `my boss told me …`: what follows is what was told.
        if rules.is_word(Group::TellingVerbs, word) || word.contains('\'') {
            return None;
        }
        let who = match () {
            () if rules.is_word(Group::People, word) => Subject::People,
            () if rules.is_word(Group::Occasions, word) => Subject::Occasion,
            () => continue,
        };
        let rest = full(words.get(at + 1..)?, rules);
        // `the team page` only belongs to them.
        let verb = rest.first().is_some_and(|v| {
            is_past(v, rules)
                || COPULAS.contains(v)
                || ["will", "has", "have", "had", "does", "do"].contains(v)
                || v.ends_with('s') && who == Subject::People
        });
        if verb {
            return Some((who, rest));
        }
    }
    None
}

/// Who nobody knows shows by what only people do: `dave said`, `the students loved it`.
fn somebody<'w>(words: &'w [&str], rules: &Rules) -> Option<(Subject, Vec<&'w str>)> {
    let does = |w: &&str| rules.is_word(Group::TellingVerbs, w);
    let at = words.iter().take(4).position(does).filter(|at| *at > 0)?;
    let (who, verb) = words.split_at_checked(at)?;
    let no_name = |w: &&str| {
        is_past(w, rules)
            || NOBODY.contains(w)
            || rules.is_word(Group::TellingThings, w)
            || rules.is_word(Group::CommandVerbs, w)
    };
    let nobody = who.iter().any(no_name);
    (!nobody).then(|| (Subject::People, verb.to_vec()))
}

/// Words before a verb that name nobody.
const NOBODY: &[&str] = &["it", "that", "this", "which", "what", "you", "let", "to"];

/// Whether a `they` behind the words may be people.
pub fn names_people(words: &[&str], rules: &Rules) -> bool {
    words.iter().any(|w| rules.is_word(Group::People, w))
}
