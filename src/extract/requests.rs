//! What the person asked for: the goal's message, changes of plan, requests in between, the latest one.
//!
//! A message is a request unless something shows that it is none: an acknowledgement, a report of finished work, an
//! answer, a rule, a bare address, pasted material. Length is no test (SPEC 1.4 R2).

mod judge;

pub use super::turns::Verdict;
use super::turns::{Before, Turn};
use super::{goal, said, sentence};
use crate::beside;
use crate::language;
use crate::lexicon::{Group, Rules};
use crate::state::Item;
use crate::transcript::Ref;
use sentence::Act;
use serde::{Deserialize, Serialize};

/// How much of a later message decides what it is, in user-perceived characters (SPEC 1.4 R1).
const JUDGED: usize = 200;
/// What a message is. It is judged once for all who ask.
pub fn verdict(turn: &Turn, rules: &Rules) -> Verdict {
    *turn.verdict.get_or_init(|| judge::judge(turn, rules))
}

/// Whether the turn orders, asks or complains, rather than just saying something.
fn asks(turn: &Turn, rules: &Rules) -> bool {
    said::said(&turn.text)
        .iter()
        .flat_map(|l| language::sentences(l))
        .any(|s| {
            matches!(
                sentence::act(s, rules),
                Act::Order | Act::Question | Act::Complaint
            )
        })
}

/// Whether the words are about something said before: they open with a pronoun.
fn points_back(text: &str) -> bool {
    let folded = language::fold(&language::clip(text.trim(), JUDGED));
    let english = folded
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .next()
        .unwrap_or("");
    ["it", "it's", "that", "that's", "they", "those"].contains(&english)
        || ["그건", "그거", "그게", "그것", "그런"]
            .iter()
            .any(|w| folded.starts_with(w))
}

/// The request sections of a state.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Requests {
    pub goal: Vec<Item>,
    pub scope_change: Vec<Item>,
    pub earlier: Vec<Item>,
    pub latest: Option<Item>,
}

/// Lines of a change of plan, and of a request between goal and latest (SPEC 1.4 R1).
const SCOPE_LINES: usize = 3;
const EARLIER_LINES: usize = 2;

/// A request of a turn that was let go of: what the sections take from it, and no more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    #[serde(rename = "ref")]
    reference: Ref,
    /// Of the last one only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    last: Option<Box<Last>>,
    /// Of the first that sets one only.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    goal: Vec<Item>,
    /// Lines of a change of plan; empty where it is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    change: Vec<String>,
    lines: String,
}

/// What is still needed of a request while no other follows: it may be sent again, or be the latest one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Last {
    unanswered: bool,
    /// The message squashed, and whole.
    key: String,
    whole: String,
}

/// A request, from a turn that is there or one that was let go of.
#[derive(Clone, Copy)]
enum Request<'t> {
    New(&'t Turn),
    Old(&'t Asked),
}

impl Request<'_> {
    fn reference(self) -> Ref {
        match self {
            Request::New(turn) => turn.reference,
            Request::Old(asked) => asked.reference,
        }
    }

    fn unanswered(self) -> bool {
        match self {
            Request::New(turn) => turn.unanswered,
            Request::Old(asked) => asked.last.as_ref().is_some_and(|l| l.unanswered),
        }
    }

    fn key(self) -> String {
        match self {
            Request::New(turn) => language::squash(&turn.text),
            Request::Old(asked) => asked
                .last
                .as_ref()
                .map_or_else(String::new, |l| l.key.clone()),
        }
    }

    fn goal(self, rules: &Rules) -> Vec<Item> {
        match self {
            // A bare statement that answers the agent's question, or points back at something, sets no goal.
            Request::New(t)
                if (t.before == Before::Question || points_back(&t.text)) && !asks(t, rules) =>
            {
                Vec::new()
            }
            Request::New(turn) => goal::lines(turn, rules),
            Request::Old(asked) => asked.goal.clone(),
        }
    }

    /// Whether it changes the plan.
    fn changes(self, rules: &Rules) -> bool {
        match self {
            Request::New(turn) => {
                let head = language::clip(turn.text.trim(), JUDGED);
                said::said(&head)
                    .iter()
                    .any(|l| rules.any(Group::ChangeOfPlan, l))
            }
            Request::Old(asked) => !asked.change.is_empty(),
        }
    }

    fn change(self, rules: &Rules) -> Vec<String> {
        match self {
            Request::New(turn) => order_lines(turn, SCOPE_LINES, rules),
            Request::Old(asked) => asked.change.clone(),
        }
    }

    fn lines(self, rules: &Rules) -> String {
        match self {
            Request::New(turn) => order_lines(turn, EARLIER_LINES, rules).join("\n"),
            Request::Old(asked) => asked.lines.clone(),
        }
    }

    /// The whole message, wrappers gone.
    fn whole(self) -> Item {
        match self {
            Request::New(turn) => {
                Item::new(goal::asked(&turn.text).trim().to_owned(), turn.reference)
            }
            Request::Old(asked) => {
                let whole = asked.last.as_ref().map(|l| l.whole.clone());
                Item::new(whole.unwrap_or_default(), asked.reference)
            }
        }
    }
}

/// The requests among the turns, behind remembered ones, which are the first of all if `first`.
fn requested<'t>(
    old: &'t [Asked],
    turns: &'t [Turn],
    rules: &Rules,
    first: bool,
) -> Vec<Request<'t>> {
    let verdicts = beside::map(turns, |t| verdict(t, rules));
    let new = turns
        .iter()
        .zip(verdicts)
        .filter(|(_, v)| *v == Verdict::Request);
    let mut asked: Vec<Request<'t>> = old.iter().map(Request::Old).collect();
    asked.extend(new.map(|(t, _)| Request::New(t)));
    // A prompt sent again after an interruption: the last copy counts.
    let mut i = old.len().saturating_sub(1);
    while i + 1 < asked.len() {
        let (this, next) = (asked[i], asked[i + 1]);
        let goal = first && i == 0;
        if this.unanswered() && !goal && next.key().starts_with(&this.key()) {
            asked.remove(i);
        } else {
            i += 1;
        }
    }
    asked
}

/// What is remembered of the requests when their turns are let go of.
pub fn remember(mut old: Vec<Asked>, turns: &[Turn], rules: &Rules) -> Vec<Asked> {
    // Of the older ones only the last can still change.
    let last = old.split_off(old.len().saturating_sub(1));
    let asked = requested(&last, turns, rules, old.is_empty());
    let told = beside::map(&asked, |request| {
        let change = match request.changes(rules) {
            true => request.change(rules),
            false => Vec::new(),
        };
        (change, request.lines(rules))
    });
    let count = asked.len();
    let mut has_goal = old.iter().any(|a| !a.goal.is_empty());
    let one = |(i, (request, (change, lines))): (usize, (Request<'_>, _))| {
        let last = i + 1 == count;
        let goal = match has_goal {
            true => Vec::new(),
            false => request.goal(rules),
        };
        has_goal |= !goal.is_empty();
        Asked {
            reference: request.reference(),
            last: last.then(|| {
                Box::new(Last {
                    unanswered: request.unanswered(),
                    key: request.key(),
                    whole: request.whole().text,
                })
            }),
            goal,
            change,
            lines,
        }
    };
    old.extend(asked.into_iter().zip(told).enumerate().map(one));
    old
}

/// Sorts the turns, behind the remembered requests, into the request sections. Rebuilt on every run (SPEC 1.3 G6).
pub fn requests(old: &[Asked], turns: &[Turn], rules: &Rules) -> Requests {
    let asked = requested(old, turns, rules, true);
    let mut out = Requests::default();
    let goal_at = asked.iter().position(|t| {
        out.goal = t.goal(rules);
        !out.goal.is_empty()
    });
    let Some(goal_at) = goal_at else {
        out.latest = asked.last().map(|t| t.whole());
        return out;
    };
    let later = &asked[goal_at + 1..];
    out.latest = Some(later.last().unwrap_or(&asked[goal_at]).whole());
    let changes = beside::map(later, |turn| turn.changes(rules));
    let pivot = changes.into_iter().rposition(|changes| changes);
    if let Some(turn) = pivot.and_then(|i| later.get(i)) {
        out.scope_change = turn
            .change(rules)
            .into_iter()
            .map(|l| Item::new(l, turn.reference()))
            .collect();
    }
    let before_latest = later.len().saturating_sub(1);
    let earlier = beside::map(&later[..before_latest], |turn| {
        Item::new(turn.lines(rules), turn.reference())
    });
    let earlier = earlier.into_iter().enumerate();
    out.earlier = earlier
        .filter(|(i, _)| Some(*i) != pivot)
        .map(|(_, item)| item)
        .collect();
    out
}

/// The lines that order something: both ends of a long paste count, its middle does not. Without any, the first lines.
fn order_lines(turn: &Turn, most: usize, rules: &Rules) -> Vec<String> {
    let text = goal::asked(&turn.text);
    let lines = said::said(&text);
    if lines.len() <= most {
        return lines.into_iter().map(str::to_owned).collect();
    }
    let edge = 6;
    let near_end = |i: usize| i < edge || i + edge >= lines.len();
    let acts = |l: &str| {
        language::sentences(l).any(|s| {
            matches!(
                sentence::act(s, rules),
                Act::Order | Act::Question | Act::Complaint
            )
        })
    };
    // The first ones, and the last line if the order stands at the end of a paste. What stands between is not asked.
    let mut picked: Vec<usize> = (0..lines.len())
        .filter(|&i| near_end(i) && acts(lines[i]))
        .take(most)
        .collect();
    let end = lines.len() - 1;
    if picked.is_empty() {
        picked = (0..most).collect();
    } else if picked.len() == most
        && lines.len() > 2 * edge
        && picked[most - 1] < end
        && acts(lines[end])
    {
        picked[most - 1] = end;
    }
    picked
        .into_iter()
        .filter_map(|i| lines.get(i))
        .map(|l| language::clip(l, 200).into_owned())
        .collect()
}
