//! What sentences and messages do, as data in `data/speech.toml`: each tricky form beside its counter-example.
//!
//! Every text is also read decomposed, as some keyboards and file systems write Korean: it must mean the same.

use std::collections::BTreeMap;

use compact::extract::requests::{Verdict, verdict};
use compact::extract::sentence::{Act, act};
use compact::extract::turns::{Before, Turn, Via};
use compact::extract::{preferences, said, stated};
use compact::language::nfc;
use compact::lexicon::Rules;
use compact::transcript::Ref;
use serde::Deserialize;
use unicode_normalization::UnicodeNormalization;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Speech {
    /// Act → sentences.
    act: BTreeMap<String, Vec<String>>,
    /// Verdict → messages, by how they came.
    message: BTreeMap<String, Messages>,
    rule: Split,
    in_the_way: Split,
    said: Vec<Said>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Messages {
    /// Typed after a statement of the agent, or at the start.
    typed: Vec<String>,
    /// Typed after a question of the agent.
    answers: Vec<String>,
    /// Typed into a refusal, or as an answer to the agent's question tool.
    asides: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Split {
    yes: Vec<String>,
    no: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Said {
    text: String,
    lines: Vec<String>,
}

fn speech() -> Speech {
    toml::from_str(include_str!("data/speech.toml")).expect("speech.toml")
}

/// The text as it is read: composed, however it was typed.
fn read(text: &str) -> String {
    let decomposed: String = text.nfd().collect();
    nfc(&decomposed).into_owned()
}

#[test]
fn sentences_do_what_they_say() {
    let rules = Rules::builtin();
    let mut wrong = Vec::new();
    for (name, texts) in speech().act {
        for text in texts {
            let found = act(&read(&text), rules);
            let want = match name.as_str() {
                "order" => Act::Order,
                "question" => Act::Question,
                "complaint" => Act::Complaint,
                "report" => Act::Report,
                "acknowledgement" => Act::Acknowledgement,
                "statement" => Act::Statement,
                _ => panic!("unknown act {name}"),
            };
            if found != want {
                wrong.push(format!("{found:?}, not {want:?}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn messages_are_judged_by_what_they_ask_for() {
    let rules = Rules::builtin();
    let mut wrong = Vec::new();
    for (name, messages) in speech().message {
        let want = match name.as_str() {
            "request" => Verdict::Request,
            "small_talk" => Verdict::SmallTalk,
            "report" => Verdict::Report,
            "answer" => Verdict::Answer,
            "rules" => Verdict::Rules,
            "address" => Verdict::Address,
            "command" => Verdict::Command,
            "paste" => Verdict::Paste,
            _ => panic!("unknown verdict {name}"),
        };
        let ways = [
            (messages.typed, Before::Statement, Via::Prompt),
            (messages.answers, Before::Question, Via::Prompt),
            (messages.asides, Before::Statement, Via::Aside),
        ];
        for (texts, before, via) in ways {
            for text in texts {
                let turn = Turn {
                    seq: 1,
                    reference: Ref::Message(1),
                    text: read(&text),
                    via,
                    before,
                    unanswered: false,
                    verdict: std::sync::OnceLock::new(),
                };
                let found = verdict(&turn, rules);
                if found != want {
                    wrong.push(format!(
                        "{found:?}, not {want:?} ({before:?}, {via:?}): {text}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn check(split: &Split, found: impl Fn(&str) -> bool) {
    let of = |texts: &[String], want: bool| -> Vec<String> {
        texts
            .iter()
            .filter(|t| found(&read(t)) != want)
            .map(|t| format!("{want} expected: {t}"))
            .collect()
    };
    let wrong = [of(&split.yes, true), of(&split.no, false)].concat();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn standing_rules_are_told_from_other_words() {
    let rules = Rules::builtin();
    check(&speech().rule, |t| preferences::is_rule(t, rules));
}

#[test]
fn what_is_in_the_way_is_told_from_other_words() {
    let rules = Rules::builtin();
    check(&speech().in_the_way, |t| stated::in_the_way(t, rules));
}

#[test]
fn pasted_lines_are_not_said() {
    let mut wrong = Vec::new();
    for case in speech().said {
        let text = read(&case.text);
        let found = said::said(&text);
        if found != case.lines {
            wrong.push(format!("{:?}, not {:?}", found, case.lines));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
