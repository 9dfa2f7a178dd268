//! Which rule of the vocabulary caught or dropped which line: what `compact rules` shows.

use super::turns::Turn;
use super::{goal, said};
use crate::language;
use crate::lexicon::{Group, Rules};
use crate::session::Session;
use crate::transcript::{Kind, Ref, Voice};
use serde::Serialize;

/// One hit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Caught {
    #[serde(rename = "ref")]
    pub reference: Ref,
    /// The line, shortened, secrets replaced.
    pub line: String,
    pub group: &'static str,
    /// The word or pattern as it is written.
    pub rule: String,
    /// Where the rule stands: `ko.toml:12`, or a user's file.
    pub source: String,
    /// `keep`: the rule makes the line count; `drop`: it takes it out.
    pub effect: &'static str,
}

/// Groups that are asked about a person's lines, with what a hit does to the line.
const PERSON: &[(Group, &str)] = &[
    (Group::AgentNotices, "drop"),
    (Group::SmallTalk, "drop"),
    (Group::CompletedForms, "drop"),
    (Group::GoalExclusions, "drop"),
    (Group::TemplateSignals, "drop"),
    (Group::TaskVerbs, "keep"),
    (Group::ChangeOfPlan, "keep"),
    (Group::Preferences, "keep"),
    (Group::PreferenceExclusions, "drop"),
    (Group::OneOff, "drop"),
    (Group::Retractions, "drop"),
    (Group::Blockers, "keep"),
    (Group::BlockerExclusions, "drop"),
];
const ASSISTANT: &[(Group, &str)] = &[
    (Group::Blockers, "keep"),
    (Group::BlockerExclusions, "drop"),
];

/// Every hit in the order of the session.
pub fn trace(session: &Session, turns: &[Turn], rules: &Rules) -> Vec<Caught> {
    let mut found = Vec::new();
    for turn in turns {
        let text = goal::asked(&turn.text);
        for line in said::said(&text) {
            hits(turn.seq, turn.reference, line, PERSON, rules, &mut found);
        }
    }
    for entry in session.active().filter(|e| e.kind == Kind::Assistant) {
        let Some(reference) = entry.number else {
            continue;
        };
        for line in entry.texts(Voice::Assistant).flat_map(said::said) {
            hits(entry.seq, reference, line, ASSISTANT, rules, &mut found);
        }
    }
    found.sort_by_key(|(seq, _)| *seq);
    found.into_iter().map(|(_, caught)| caught).collect()
}

fn hits(
    seq: u32,
    reference: Ref,
    line: &str,
    groups: &[(Group, &'static str)],
    rules: &Rules,
    found: &mut Vec<(u32, Caught)>,
) {
    for &(group, effect) in groups {
        let mut seen = Vec::new();
        for hit in rules.hits(group, line) {
            let Some(rule) = rules.rule(hit.rule).filter(|_| !seen.contains(&hit.rule)) else {
                continue;
            };
            seen.push(hit.rule);
            let source = match rule.line() {
                Some(line) => format!("{}:{line}", rule.source()),
                None => rule.source().to_owned(),
            };
            let shown = crate::redact::redact(line);
            let shown = language::one_line(&language::clip(&shown, 200)).into_owned();
            found.push((
                seq,
                Caught {
                    reference,
                    line: shown,
                    group: group.name(),
                    rule: rule.text().to_owned(),
                    source,
                    effect,
                },
            ));
        }
    }
}
