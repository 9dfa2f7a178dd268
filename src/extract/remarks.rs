//! Sentences that ask for nothing: praise, pauses, guesses, permissions, cries of anger, and answers to the agent.
//!
//! A person's statement counts as a request unless it shows that it is none (`requests`), since most of them tell what
//! is wrong or how it has to be. This is where it shows: in the mood of its end, in its opening, in words that only
//! judge, or in what the agent asked before.

use super::narration;
use super::sentence::{self, Act};
use crate::language;
use crate::lexicon::{Group, Rules};

/// Whether the sentence asks for something in its form: a question that wants an answer, a complaint, an order.
pub fn asks(sentence: &str, rules: &Rules) -> bool {
    match sentence::act(sentence, rules) {
        Act::Question => !is_rant(sentence, rules),
        Act::Complaint => true,
        Act::Order => {
            rules.any(Group::Deontic, sentence)
                || sentence::commands(sentence, rules)
                || opens_with_verb(sentence, rules)
                || rules.any(Group::Questions, sentence) && !is_rant(sentence, rules)
        }
        Act::Statement => {
            opens_with_verb(sentence, rules)
                || objects(sentence)
                || rules.any(Group::BareOrders, sentence)
        }
        Act::Report | Act::Acknowledgement => false,
    }
}

/// Whether the sentence is known to ask for nothing. Only where something was said before (`follows`) a clause can go
/// ahead with it (`you got cut off, continue`), and a guess be about it.
pub fn asks_nothing(sentence: &str, follows: bool, rules: &Rules) -> bool {
    let goes_on = |s: &str| follows && rules.any(Group::GoAheads, s);
    let act = sentence::act(sentence, rules);
    if matches!(act, Act::Acknowledgement | Act::Report)
        || rules.any(Group::Remarks, sentence)
        || rules.any(Group::Recoveries, sentence)
        || rules.any(Group::Rants, sentence)
        || goes_on(sentence)
    {
        return true;
    }
    // `응 잘 찍힘`, `nice 이제 부드럽다`: what follows the yes speaks for itself.
    if let Some(rest) = behind_yes(sentence, rules)
        && !rules.any(Group::Defects, rest)
        // The yes is the cry that makes praise of a quality.
        && (asks_nothing(rest, false, rules)
            || rules.any(Group::Appraisals, &format!("오 {rest}")) && !asks(rest, rules))
    {
        return true;
    }
    // A task word in what is told (`I shared your summary`) asks for no work.
    if act != Act::Question && narration::tells(sentence, rules) {
        return true;
    }
    match act {
        _ if follows && is_guess(sentence, rules) => return true,
        Act::Question => return is_rant(sentence, rules),
        Act::Complaint => return false,
        _ => {}
    }
    let mut clauses = sentence
        .split([',', ';', '—', '–'])
        .map(str::trim)
        .filter(|c| c.chars().any(char::is_alphanumeric))
        .peekable();
    clauses.peek().is_some()
        && clauses.all(|c| {
            sentence::is_acknowledgement(c, rules)
                || rules.any(Group::Remarks, c)
                || goes_on(c)
                || sentence::act(c, rules) == Act::Report
                || is_reaction(c, rules) && !rules.any(Group::Defects, c) && !asks(c, rules)
        })
}

/// What stands behind a yes or a praise that opens the sentence.
fn behind_yes<'s>(sentence: &'s str, rules: &Rules) -> Option<&'s str> {
    let (first, rest) = sentence.trim().split_once(char::is_whitespace)?;
    let word = language::fold(first.trim_matches(|c: char| !c.is_alphanumeric()));
    let yes = rules.is_word(Group::Affirmations, &word)
        || rules.is_word(Group::Acknowledging, &word)
            && word.chars().any(language::script::is_hangul);
    yes.then_some(rest.trim())
}

/// Whether the sentences answer the agent's question and order nothing besides: short, no fault named, no turn
/// against what was said (`but …`), nothing added (`also …`), no material handed over (a path, a link, code).
///
/// In a script the vocabulary does not know nothing is taken for an answer.
pub fn answers(sentences: &[&str], rules: &Rules) -> bool {
    const LONGEST: usize = 120;
    let length: usize = sentences.iter().map(|s| language::length(s)).sum();
    if length > LONGEST || sentences.len() > 3 {
        return false;
    }
    if sentences.iter().any(|s| s.chars().any(is_unread)) {
        return false;
    }
    let agrees = sentences.first().is_some_and(|s| yes_or_no(s, rules));
    sentences.iter().all(|s| {
        asks_nothing(s, true, rules)
            || rules.any(Group::OwnFacts, s)
                && !rules.any(Group::Deontic, s)
                && !opens_with_verb(s, rules)
            || !asks(s, rules)
                && !rules.any(Group::Defects, s)
                && !rules.any(Group::Additions, s)
                && (agrees || !holds_material(s))
    })
}

/// A letter of a script whose words the vocabulary does not have.
pub fn is_unread(c: char) -> bool {
    c.is_alphabetic() && c as u32 > 0x2FF && !language::script::is_hangul(c)
}

/// A guess at how things are (`must be the proxy`, `그런가 봐`) that names no fault. What `you` may have done is no guess
/// but a reproach, and of questions only `…, I guess?` is one.
pub fn is_guess(sentence: &str, rules: &Rules) -> bool {
    let end = sentence.trim_end().len();
    let asks = sentence.trim_end().ends_with('?');
    rules
        .hits(Group::Guesses, sentence)
        .iter()
        .any(|h| !asks || h.range.end >= end)
        && !rules.any(Group::Defects, sentence)
        && words(&language::fold(sentence)).next() != Some("you")
        && !opens_with_verb(sentence, rules)
}

/// A question about the agent's conduct that wants no answer: it is shouted, trails off, or curses.
fn is_rant(sentence: &str, rules: &Rules) -> bool {
    let loud = ["??", "?!", "!?", "!!", "...", "…"];
    rules.any(Group::Rants, sentence)
        || rules.any(Group::Conduct, sentence)
            && (loud.iter().any(|m| sentence.contains(m)) || rules.any(Group::Curses, sentence))
}

/// Praise and other judgements: words that judge among words without meaning of their own, a Korean predicate of
/// praise at the end.
pub fn is_reaction(clause: &str, rules: &Rules) -> bool {
    if rules.any(Group::Appraisals, clause) {
        return true;
    }
    let folded = language::fold(clause);
    let mut judges = false;
    let mut count = 0;
    for word in words(&folded) {
        let judging =
            rules.is_word(Group::Appraisals, word) || rules.is_word(Group::Affirmations, word);
        if !judging && !rules.is_word(Group::Fillers, word) {
            return false;
        }
        judges |= judging;
        count += 1;
    }
    judges && count <= 10
}

/// Whether a clause of the sentence opens with a verb in its base form: `wrap it in a transaction`, `ok, and then kill
/// the server`.
pub fn opens_with_verb(sentence: &str, rules: &Rules) -> bool {
    let folded = language::fold(sentence);
    folded
        .split([',', ';', '.', ':', '!', '—', '–', '('])
        .flat_map(|c| c.split(" - "))
        .flat_map(|c| c.split(" and "))
        .flat_map(|c| c.split(" then "))
        .any(|clause| {
            let mut rest = words(clause).skip_while(|w| LEADS.contains(w));
            let Some(verb) = rest.next() else {
                return false;
            };
            let next = rest.next();
            // A noun of the same form: `test is red`, `plan was fine`.
            let noun =
                next.is_some_and(|w| ["is", "was", "are", "were", "has", "had"].contains(&w));
            // `have a look`, but not `have two files`; `do the same`, but not `do you`.
            let object = |of: &[&str]| next.is_some_and(|w| of.contains(&w));
            verb == "have" && object(&["a"])
                || verb == "do" && object(DONE)
                || !noun && rules.is_word(Group::CommandVerbs, verb)
        })
}

/// What an order to do something goes on with; behind another word `do` asks or stresses.
const DONE: &[&str] = &[
    "the", "these", "those", "all", "both", "another", "a", "same",
];

/// Words before the verb of an order.
const LEADS: &[&str] = &[
    "please", "pls", "plz", "kindly", "just", "also", "now", "then", "and", "so", "or", "ok",
    "okay", "yes", "yeah", "yep", "yup", "no", "nope", "nah", "hey", "well", "hmm", "right",
    "first", "next", "again", "maybe", "perhaps", "actually", "instead", "dude", "man", "bro",
    "mate", "sure", "thanks", "let's", "lets", "oh", "ah", "alright", "finally", "sorry", "go",
];

/// Turns against what was said: an objection wants to be met.
fn objects(sentence: &str) -> bool {
    let folded = language::fold(sentence);
    let first = words(&folded).next().unwrap_or("");
    ["but", "however", "although", "except", "unless"].contains(&first)
        || ["근데", "그런데", "하지만", "다만"].contains(&first)
}

/// Opens with a yes or a no.
fn yes_or_no(sentence: &str, rules: &Rules) -> bool {
    let folded = language::fold(sentence);
    let first = words(&folded).next().unwrap_or("");
    rules.is_word(Group::Affirmations, first)
        || [
            "no",
            "nope",
            "nah",
            "네",
            "넵",
            "예",
            "응",
            "어",
            "아니",
            "아니요",
            "아뇨",
            "아니오",
        ]
        .contains(&first)
}

/// A path, a link, a colour, code: what the agent is given to work with.
fn holds_material(sentence: &str) -> bool {
    sentence.contains(['/', '`', '=', '<', '{', '\\', '@'])
        || sentence.contains("->")
        || sentence
            .split_whitespace()
            .any(|w| w.starts_with('#') && w.len() > 3)
}

fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|c: char| c.is_whitespace() || ",.!?~…;:()\"".contains(c))
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .filter(|w| !w.is_empty())
}
