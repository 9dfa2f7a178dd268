//! Whether what is said of a subject tells: the verbs and their forms.

use super::{Clause, Words, clause};
use crate::lexicon::{Group, Rules};

/// Forms of *be*.
pub const COPULAS: &[&str] = &["is", "are", "was", "were"];

/// What I or we did, have, feel, are at, are going to do.
pub fn speaker(predicate: &[&str], rules: &Rules) -> bool {
    let asks = |w: &str| rules.is_word(Group::AskingVerbs, w);
    match predicate {
        ["will" | "gonna", ..] | ["going", "to", ..] => true,
        ["would", "have", done, ..] | ["would", done @ "been", ..] => !asks(done),
        ["have" | "had" | "has", "to", ..] => false,
        ["have" | "had" | "has", next, ..] => !asks(next),
        _ if stays(predicate) || gets_around(predicate) => true,
        ["am" | "are" | "was" | "were", "not" | "never", ..] => false,
        ["am" | "are" | "was" | "were", next, ..] => !asks(next),
        [verb, thought @ ..] if rules.is_word(Group::ThinkingVerbs, verb) => {
            is_told(thought, rules)
        }
        // `I like how …`, but not which of two: `I like the old one`.
        [
            "like" | "love" | "liked" | "loved",
            "how" | "what" | "your" | "it" | "this" | "working",
            ..,
        ]
        | ["like" | "love" | "liked" | "loved", "the", "way", ..] => true,
        // `I can't believe it`, `I didn't sleep`
        [no, ..] if no.ends_with("n't") || *no == "cannot" => {
            rules.any(Group::Idioms, &format!("i {}", predicate.join(" ")))
        }
        [verb, ..] => {
            !asks(verb) && (is_past(verb, rules) || rules.is_word(Group::StativeVerbs, verb))
        }
        [] => false,
    }
}

/// What others did, do, think; not what they want or found.
pub fn others(predicate: &[&str], rules: &Rules) -> bool {
    let asks =
        |w: &&str| rules.is_word(Group::AskingVerbs, w) && !rules.is_word(Group::TellingVerbs, w);
    match predicate {
        ["has" | "have" | "had", "to", ..] => false,
        [
            "is" | "are" | "was" | "were" | "has" | "have" | "had" | "will" | "would",
            next,
            ..,
        ] => !asks(next),
        [verb, thought @ ..] if rules.is_word(Group::ThinkingVerbs, verb) => {
            is_told(thought, rules)
        }
        [verb, ..] => !asks(verb),
        [] => false,
    }
}

/// `ran it last night`: a past form that no order can have, with something behind it that shows it to be a verb.
pub fn unsaid(predicate: &[&str], rules: &Rules) -> bool {
    let asks = |w: &str| rules.is_word(Group::AskingVerbs, w);
    match predicate {
        ["gonna", ..] | ["going", "to", ..] | ["been", ..] => true,
        _ if stays(predicate) || gets_around(predicate) => true,
        [verb, _, ..] if rules.is_word(Group::StativeVerbs, verb) => {
            !rules.is_word(Group::CommandVerbs, verb)
        }
        [verb, next, ..] => {
            let shows =
                rules.is_word(Group::ObjectLeads, next) || rules.is_word(Group::CourseVerbs, verb);
            is_past(verb, rules)
                && !asks(verb)
                && !rules.is_word(Group::CommandVerbs, verb)
                && shows
        }
        _ => false,
    }
}

/// What is thought or said is told if the thought is (`dave said it went well`); else it may be passed on to be done
/// (`the designer says the shade is #36f`).
fn is_told(thought: &[&str], rules: &Rules) -> bool {
    let thought = match thought {
        ["me" | "us" | "him" | "her" | "them", "that", rest @ ..]
        | ["me" | "us" | "him" | "her" | "them" | "that", rest @ ..] => rest,
        _ => thought,
    };
    let judged = thought.iter().any(|w| rules.is_word(Group::Appraisals, w));
    let words = Words {
        words: thought.to_vec(),
        adds: false,
    };
    thought.is_empty() || judged || clause(&words, &mut false, rules) != Clause::Open
}

/// `got home`, `got off the phone`, where other things one gets are faults as likely as not.
fn gets_around(predicate: &[&str]) -> bool {
    let places = [
        "off", "back", "home", "out", "up", "through", "married", "promoted", "hired",
    ];
    matches!(predicate, ["got", place, ..] if places.contains(place))
}

/// A decision to change nothing: `decided to leave it`.
pub fn stays(predicate: &[&str]) -> bool {
    matches!(
        predicate,
        [
            "decided" | "chose" | "agreed",
            "to",
            "leave" | "keep" | "stay" | "wait" | "stick",
            ..
        ]
    )
}

/// Whether the word is a verb's past: regular, or one of the irregular ones.
pub fn is_past(word: &str, rules: &Rules) -> bool {
    rules.is_word(Group::PastForms, word)
        || word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed")
}

/// What took its course, what they did with it, and what it means to the speaker.
pub fn thing(predicate: &[&str], words: &[&str], rules: &Rules) -> bool {
    let Some(verb) = predicate.first() else {
        return false;
    };
    let acts = words.first() == Some(&"they")
        && is_past(verb, rules)
        && predicate
            .get(1)
            .is_some_and(|w| rules.is_word(Group::ObjectLeads, w));
    let to_me = matches!(words, [.., "to" | "for", "me" | "us"]);
    acts || to_me || ["was", "were"].contains(verb) || rules.is_word(Group::CourseVerbs, verb)
}

/// Whether a verb's past stands near the beginning.
pub fn has_past(words: &[&str], rules: &Rules) -> bool {
    words
        .iter()
        .take(6)
        .any(|w| is_past(w, rules) || ["was", "were"].contains(w))
}

/// Whether the occasion was, is, will be.
pub fn takes_place(predicate: &[&str], rules: &Rules) -> bool {
    predicate.first().is_some_and(|v| {
        is_past(v, rules) || COPULAS.contains(v) || ["will", "starts", "begins"].contains(v)
    })
}
