//! The rules so far: each text once, where it was said last, and which of them were taken back.

use crate::language;
use crate::lexicon::{Group, Rules};
use crate::state::Preference;
use crate::transcript::Ref;
use foldhash::HashMap;
use serde::{Deserialize, Serialize, Serializer};
use std::sync::OnceLock;

/// Rules that one sentence may take back: the newest ones. More than anybody gives; a file made of rules stays cheap.
const RETRACTABLE: usize = 1000;

/// Rules, oldest first. Adding one costs the same however many there are.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(from = "Vec<Preference>")]
pub struct Kept {
    /// `None`: said again later.
    rules: Vec<Option<Rule>>,
    gone: usize,
    by_text: HashMap<String, usize>,
}

/// A rule with the words that say what it is about, once somebody has asked.
#[derive(Debug, Clone)]
struct Rule {
    rule: Preference,
    words: OnceLock<Vec<String>>,
}

impl Rule {
    fn words(&self, rules: &Rules) -> &[String] {
        let words = || content_words(&self.rule.text, rules);
        self.words.get_or_init(words)
    }
}

impl Kept {
    /// Adds a rule, in place of one of the same words.
    pub fn add(&mut self, rule: Preference) {
        let at = self.rules.len();
        let before = self.by_text.insert(language::fold(&rule.text), at);
        if let Some(before) = before.and_then(|at| self.rules.get_mut(at)) {
            *before = None;
            self.gone += 1;
        }
        self.rules.push(Some(Rule {
            rule,
            words: OnceLock::new(),
        }));
        if self.gone > self.rules.len() / 2 {
            *self = Vec::from(std::mem::take(self)).into();
        }
    }

    /// Marks the rule that a sentence of this message takes back: the one that shares most words with it.
    pub fn retract(&mut self, sentence: &str, reference: Ref, rules: &Rules) {
        let words = content_words(sentence, rules);
        let overlap = |k: &Rule| k.words(rules).iter().filter(|w| words.contains(w)).count();
        let standing = self.rules.iter_mut().rev().flatten();
        let best = standing
            .filter(|k| k.rule.superseded_by.is_none())
            .take(RETRACTABLE)
            // Of equals the newest.
            .fold(None, |best: Option<(usize, &mut Rule)>, rule| {
                let shared = overlap(rule);
                match best {
                    Some((most, _)) if most >= shared => best,
                    _ => Some((shared, rule)),
                }
            });
        if let Some((shared, Rule { rule, .. })) = best
            && shared > 0
            && rule.reference != reference
        {
            rule.superseded_by = Some(reference);
        }
    }
}

impl From<Vec<Preference>> for Kept {
    fn from(rules: Vec<Preference>) -> Kept {
        let mut kept = Kept::default();
        rules.into_iter().for_each(|rule| kept.add(rule));
        kept
    }
}

impl From<Kept> for Vec<Preference> {
    fn from(kept: Kept) -> Vec<Preference> {
        kept.rules.into_iter().flatten().map(|k| k.rule).collect()
    }
}

impl Serialize for Kept {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_seq(self.rules.iter().flatten().map(|k| &k.rule))
    }
}

/// What is done: 푸시 of 푸시하지, 푸시해도, 푸시해줘.
fn before_do(word: &str) -> &str {
    let at = word.rfind(['하', '해']).unwrap_or(word.len());
    let done = word.get(..at).unwrap_or(word);
    match done.chars().count() {
        0 | 1 => word,
        _ => done,
    }
}

/// Words that say what a rule is about: without particles, stop words and the words that make it a rule.
fn content_words(text: &str, rules: &Rules) -> Vec<String> {
    let folded = language::fold(text);
    folded
        .split(|c: char| c.is_whitespace() || ",.!?~…:;()\"'`".contains(c))
        .map(|w| before_do(language::stem(w)).to_owned())
        .filter(|w| w.chars().count() >= 2 && !rules.is_word(Group::RulingWords, w))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str, message: u32) -> Preference {
        Preference {
            text: text.to_owned(),
            reference: Ref::Message(message),
            superseded_by: None,
        }
    }

    #[test]
    fn a_rule_said_again_stands_once_and_last_however_often() {
        let mut kept = Kept::default();
        for n in 0..1000 {
            kept.add(rule("탭 말고 공백", 2 * n));
            kept.add(rule("커밋은 작게", 2 * n + 1));
        }
        assert!(kept.rules.len() <= 6, "{}", kept.rules.len());
        let text = serde_json::to_string(&kept).unwrap();
        let back: Vec<Preference> = serde_json::from_str::<Kept>(&text).unwrap().into();
        assert_eq!(
            back,
            [rule("탭 말고 공백", 1998), rule("커밋은 작게", 1999)]
        );
        assert_eq!(Vec::from(kept), back);
    }
}
