//! What a message is: judged with what stood before it, step by step, the surest first.

use super::{JUDGED, Verdict};
use crate::extract::sentence::{self, Act};
use crate::extract::turns::{Before, Turn, Via};
use crate::extract::{goal, preferences, remarks, said};
use crate::language;
use crate::lexicon::{Group, Rules};
use std::cell::OnceCell;

/// Sentences of a message that are judged.
const SENTENCES: usize = 200;

/// A sentence whose act is found when it is first asked for: nearly always the first sentences decide.
struct Judged<'t> {
    text: &'t str,
    rules: &'t Rules,
    act: OnceCell<Act>,
}

impl<'t> Judged<'t> {
    fn new(text: &'t str, rules: &'t Rules) -> Judged<'t> {
        Judged {
            text,
            rules,
            act: OnceCell::new(),
        }
    }

    fn act(&self) -> Act {
        *self
            .act
            .get_or_init(|| sentence::act(self.text, self.rules))
    }
}

/// A message as it is judged.
struct Message<'t> {
    turn: &'t Turn,
    text: &'t str,
    /// Its lines that were said.
    lines: Vec<&'t str>,
    /// How many of its lines were not.
    pasted: usize,
    /// The sentences of the lines.
    sentences: Vec<&'t str>,
    /// The first of them, with their acts.
    judged: Vec<Judged<'t>>,
    rules: &'t Rules,
}

/// Judges a message with what stood before it.
pub fn judge(turn: &Turn, rules: &Rules) -> Verdict {
    let asked = goal::asked(&turn.text);
    let text = asked.trim();
    if rules.any(Group::AgentNotices, text) {
        return Verdict::Paste;
    }
    let told = said::lines(&asked);
    let lines = said::spoken(&told);
    let sentences: Vec<&str> = lines
        .iter()
        .flat_map(|l| language::sentences(l))
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .collect();
    let unsaid = |l: &&said::Line| !l.said && !l.text.trim().is_empty();
    let message = Message {
        turn,
        text,
        pasted: told.iter().filter(unsaid).count(),
        judged: sentences
            .iter()
            .take(SENTENCES)
            .map(|text| Judged::new(text, rules))
            .collect(),
        lines,
        sentences,
        rules,
    };
    let verdict = message.as_a_whole();
    let verdict = verdict.or_else(|| match turn.via {
        Via::Aside => Some(message.as_aside()),
        Via::Prompt => message.asks_nothing(),
    });
    verdict.unwrap_or_else(|| message.as_statement())
}

impl Message<'_> {
    /// Whether one of the sentences does one of these.
    fn has(&self, wanted: &[Act]) -> bool {
        self.judged.iter().any(|s| wanted.contains(&s.act()))
    }

    /// Something was said before.
    fn follows(&self) -> bool {
        self.turn.before != Before::Nothing
    }

    /// What shows before a sentence is looked at: material, a command, thanks, an address, rules.
    fn as_a_whole(&self) -> Option<Verdict> {
        let (text, rules) = (self.text, self.rules);
        let address = |l: &&str| goal::is_address(l, rules);
        if self.lines.is_empty() {
            return Some(Verdict::Paste);
        }
        if text.starts_with('/') && !text.contains(char::is_whitespace) && !text[1..].contains('/')
        {
            return Some(Verdict::Command);
        }
        if sentence::is_acknowledgement(text, rules) {
            return Some(Verdict::SmallTalk);
        }
        if self.lines.iter().all(&address) {
            return Some(Verdict::Address);
        }
        // Words that only lead into what was pasted (`the log:`) belong to it, unless they say what is wrong with it.
        let leads = |l: &&str| {
            l.ends_with([':', '：']) && !remarks::asks(l, rules) && !rules.any(Group::Defects, l)
        };
        if self.pasted > 0 && self.lines.iter().all(|l| address(l) || leads(l)) {
            return Some(Verdict::Paste);
        }
        if self.sentences.iter().all(|s| rules.any(Group::Remarks, s)) {
            return Some(Verdict::Answer);
        }
        preferences::only_rules(&self.sentences, rules).then_some(Verdict::Rules)
    }

    /// What was typed into a refusal or an answer: a request only in the form of one.
    fn as_aside(&self) -> Verdict {
        let rules = self.rules;
        let asks = self.judged.iter().any(|s| {
            let any = |group: Group| rules.any(group, s.text);
            let by_act = match s.act() {
                Act::Question => remarks::asks(s.text, rules),
                Act::Order => any(Group::Deontic),
                Act::Statement => {
                    any(Group::BareOrders) || any(Group::Defects) && !any(Group::OwnFacts)
                }
                _ => false,
            };
            by_act || sentence::commands(s.text, rules) || remarks::opens_with_verb(s.text, rules)
        });
        if asks || unread(self.text) {
            Verdict::Request
        } else {
            Verdict::Answer
        }
    }

    /// Whether every sentence shows that it asks for nothing, or all of them answer a question.
    fn asks_nothing(&self) -> Option<Verdict> {
        let rules = self.rules;
        let follows = self.follows();
        let remark = |s: &str| sentence::is_remark(s, rules) || remarks::is_guess(s, rules);
        let hedged = follows
            && self.sentences.first().is_some_and(|s| remark(s))
            && self
                .judged
                .iter()
                .all(|s| s.act() == Act::Statement || remark(s.text));
        if hedged {
            return Some(Verdict::Answer);
        }
        if self
            .sentences
            .iter()
            .all(|s| remarks::asks_nothing(s, follows, rules))
        {
            let on = |s: &str| follows && rules.any(Group::GoAheads, s);
            let only = |act: Act| {
                self.judged
                    .iter()
                    .all(|s| s.act() == act || s.act() == Act::Acknowledgement || on(s.text))
            };
            return Some(if only(Act::Acknowledgement) {
                Verdict::SmallTalk
            } else if only(Act::Report) {
                Verdict::Report
            } else {
                Verdict::Answer
            });
        }
        let answers =
            self.turn.before == Before::Question && remarks::answers(&self.sentences, rules);
        answers.then_some(Verdict::Answer)
    }

    /// Something asks. A statement does, too, unless it is a slip, agrees, or belongs to what is pasted.
    fn as_statement(&self) -> Verdict {
        let rules = self.rules;
        if self.has(&[Act::Order, Act::Question, Act::Complaint]) {
            return Verdict::Request;
        }
        if !self.has(&[Act::Statement]) {
            return if self.has(&[Act::Report]) {
                Verdict::Report
            } else {
                Verdict::SmallTalk
            };
        }
        let length = language::length(self.text);
        let answered =
            self.turn.before == Before::Question && length <= JUDGED && self.has(&[Act::Report]);
        if length <= 2 || answered || self.agrees() {
            return Verdict::Answer;
        }
        let token =
            !self.text.contains(char::is_whitespace) && self.text.is_ascii() && self.follows();
        // Words that ask nothing beside a screen, or are one bare token, belong to it.
        let faults = || self.lines.iter().any(|l| rules.any(Group::Defects, l));
        if (self.pasted > 2 * self.lines.len() || token) && !faults() {
            return Verdict::Paste;
        }
        Verdict::Request
    }

    /// Opens with a yes and asks for nothing. Behind thanks that stand alone the rest speaks for itself.
    fn agrees(&self) -> bool {
        let thanks = self.judged.len() > 1
            && self
                .judged
                .first()
                .is_some_and(|s| s.act() == Act::Acknowledgement);
        !thanks
            && sentence::opens_with_acknowledgement(&self.lines.join(" "), self.rules)
            && !self.sentences.iter().any(|s| remarks::asks(s, self.rules))
    }
}

/// In a script whose words the vocabulary does not have, what was said cannot be judged; it is kept.
fn unread(text: &str) -> bool {
    text.chars().filter(|c| remarks::is_unread(*c)).count() >= 3
        && !text.chars().any(language::script::is_hangul)
}
