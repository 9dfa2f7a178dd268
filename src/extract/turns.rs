//! A person's turns, each with what stood before it: the same words are an order after silence and an answer
//! after a question.

use super::said;
use crate::lexicon::{Group, Rules};
use crate::session::Session;
use crate::transcript::{Block, Entry, Kind, Ref, Voice};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// How the words reached the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// Typed as a prompt, or queued.
    Prompt,
    /// Typed into the refusal of a call, or as the free answer to a question of the agent's tool.
    Aside,
}

/// What the agent's last words before the turn were.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Before {
    #[default]
    Nothing,
    Statement,
    /// A question or an offer to the person.
    Question,
}

/// What a message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Request,
    /// A greeting, thanks, a go-ahead.
    SmallTalk,
    /// Reports of finished work only.
    Report,
    /// The answer to a question, or a remark in a refusal, that orders nothing.
    Answer,
    /// Standing rules only.
    Rules,
    /// A lone link or path.
    Address,
    /// A command of the host (`/model`).
    Command,
    /// Nothing of it was said: pasted material, an automated notice.
    Paste,
}

/// A message of a person.
#[derive(Debug, Clone)]
pub struct Turn {
    pub seq: u32,
    pub reference: Ref,
    /// The person's words, secrets replaced.
    pub text: String,
    pub via: Via,
    pub before: Before,
    /// Nothing was answered between this turn and the next one of the person.
    pub unanswered: bool,
    /// What the message is, once somebody has asked (see [`requests::verdict`](super::requests::verdict)).
    pub verdict: OnceLock<Verdict>,
}

/// The turns of the active conversation that hold words, in order. In a sub-agent's file the parent's prompt is the
/// first turn.
pub fn turns(session: &Session, rules: &Rules) -> Vec<Turn> {
    told(Before::Nothing, session, rules).0
}

/// The turns, and what the agent's last words of all were; `past` is what they were before.
pub fn told(past: Before, session: &Session, rules: &Rules) -> (Vec<Turn>, Before) {
    let mut turns: Vec<Turn> = Vec::new();
    // What the agent said last; judged only when a person speaks after it.
    let mut last_words: Option<&str> = None;
    let before = |last_words: Option<&str>| match last_words {
        None => past,
        Some(words) if asks(words, rules) => Before::Question,
        Some(_) => Before::Statement,
    };
    let voice = if session.head.child {
        Voice::Parent
    } else {
        Voice::Person
    };
    for entry in session.active() {
        if entry.kind == Kind::Assistant {
            last_words = closing(entry).or(last_words);
            if let Some(turn) = turns.last_mut() {
                turn.unanswered = false;
            }
            continue;
        }
        let Some(reference) = entry.number else {
            continue;
        };
        let words: Vec<&str> = entry.texts(voice).collect();
        if words.is_empty() || entry.kind == Kind::Bash {
            continue;
        }
        let aside = entry.blocks.iter().any(|b| matches!(b, Block::Result(_)));
        let text = crate::redact::redact(&words.join("\n")).trim().to_owned();
        turns.push(Turn {
            seq: entry.seq,
            reference,
            text,
            via: if aside { Via::Aside } else { Via::Prompt },
            before: before(last_words),
            unanswered: true,
            verdict: OnceLock::new(),
        });
    }
    let before = before(last_words);
    (turns, before)
}

/// The last paragraph an assistant said in this entry.
fn closing<'e>(entry: &'e Entry<'_>) -> Option<&'e str> {
    let text = entry.texts(Voice::Assistant).last()?;
    let last = text.trim_end().rsplit("\n\n").next()?;
    Some(last.trim())
}

/// Whether the agent's closing words ask or offer something, or want something of the person.
fn asks(text: &str, rules: &Rules) -> bool {
    let last = said::said(text).last().copied().unwrap_or_default();
    let tail = crate::language::sentences(last).last().unwrap_or("").trim();
    tail.ends_with('?')
        || tail.ends_with('？')
        || rules.any(Group::Questions, tail)
        || rules.any(Group::Wants, tail)
}
