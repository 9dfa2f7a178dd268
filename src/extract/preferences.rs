//! Standing rules the person gave: one a sentence, the newest last, taken-back ones marked (SPEC 1.5).

mod kept;

pub use kept::Kept;

use super::turns::Turn;
use super::{goal, remarks, said, sentence};
use crate::language;
use crate::lexicon::{Group, Rules};
use crate::state::Preference;
use std::borrow::Cow;

/// Length of a rule in user-perceived characters.
const LENGTH: std::ops::RangeInclusive<usize> = 5..=200;

/// The rules of all turns, behind those of earlier ones, if there were any.
pub fn preferences(old: Option<&Kept>, turns: &[Turn], rules: &Rules) -> Vec<Preference> {
    remember(old.cloned(), turns, rules).into()
}

/// The same, to go on with.
pub fn remember(old: Option<Kept>, turns: &[Turn], rules: &Rules) -> Kept {
    let first = usize::from(old.is_some());
    let mut kept = old.unwrap_or_default();
    for (i, turn) in (first..).zip(turns) {
        let text = goal::asked(&turn.text);
        if rules.any(Group::AgentNotices, text.trim()) {
            continue;
        }
        // A document as the first prompt is the person's instruction; later ones are material.
        let lines = if i == 0 {
            said::said(&text)
        } else {
            said::own(&text)
        };
        let mut before = "";
        for line in lines {
            for sentence in language::sentences(line) {
                let this = goal::peel(sentence.trim());
                let last = std::mem::replace(&mut before, this);
                if rules.any(Group::Retractions, this) {
                    kept.retract(this, turn.reference, rules);
                }
                let sentence = match is_rule(this, rules) {
                    true => this,
                    // `… 해줘. 우리 팀 규칙이야`: the sentence before it is the rule.
                    false if lasts(last, this, rules) => last,
                    false => continue,
                };
                kept.add(Preference {
                    text: sentence.to_owned(),
                    reference: turn.reference,
                    superseded_by: None,
                });
            }
        }
    }
    kept
}

/// Whether a sentence is a standing rule.
pub fn is_rule(sentence: &str, rules: &Rules) -> bool {
    if !LENGTH.contains(&language::length(sentence)) || sentence.contains("[redacted") {
        return false;
    }
    let own = unquoted(&without_phrases(sentence));
    // A tag makes no question of a rule.
    let own = match rules.first(Group::Tags, &own) {
        Some(tag) => own.get(..tag.range.start).unwrap_or_default().to_owned(),
        None => own,
    };
    if beside_an_order(&own, rules) {
        return false;
    }
    if !rules.any(Group::Preferences, &own)
        || rules.any(Group::PreferenceExclusions, &own)
        || rules.any(Group::OneOff, &own)
    {
        return false;
    }
    !rules.any(Group::Questions, &own) || asks_for_standing(&own, rules)
}

/// Whether the second sentence makes a rule of the order in the first: `that's our convention`.
fn lasts(order: &str, sentence: &str, rules: &Rules) -> bool {
    LENGTH.contains(&language::length(order))
        && !order.contains("[redacted")
        && rules.any(Group::Conventions, sentence)
        && !rules.any(Group::OneOff, order)
        && !rules.any(Group::Questions, order)
        && (sentence::act(order, rules) == sentence::Act::Order
            || remarks::opens_with_verb(order, rules)
            // `No unwrap in the library. Ever.`
            || language::fold(order).starts_with("no "))
}

/// An English prohibition behind an order of the same sentence (`make it smaller, don't touch the header, …`), or joined
/// to one, narrows it and does not outlive it. What stands behind one that opens the sentence is the other way to go
/// (`don't guess, read the code`).
fn beside_an_order(sentence: &str, rules: &Rules) -> bool {
    if sentence.chars().any(language::script::is_syllable) || rules.any(Group::Standing, sentence) {
        return false;
    }
    let clauses: Vec<&str> = sentence
        .split([',', ';'])
        .map(str::trim)
        .filter(|c| !c.is_empty())
        .collect();
    // A rule that takes more than one clause (`when in doubt, ask`) has none beside it.
    let lays_down = |c: &&str| rules.any(Group::Preferences, c);
    let Some(at) = clauses.iter().position(lays_down) else {
        return false;
    };
    let joined = |c: &str| c.starts_with("and ") || c.starts_with("then ");
    clauses
        .iter()
        .filter(|c| at > 0 || joined(c))
        .any(|c| !lays_down(c) && sentence::commands(c, rules))
}

/// A question that politely asks for a standing rule: 앞으로 … 줄 수 있어?
fn asks_for_standing(sentence: &str, rules: &Rules) -> bool {
    rules.any(Group::Standing, sentence) && rules.any(Group::Polite, sentence)
}

/// Whether the sentences lay down rules and ask for nothing besides (R6).
pub fn only_rules(sentences: &[&str], rules: &Rules) -> bool {
    let mut found = false;
    for (i, s) in sentences.iter().enumerate() {
        let made_one = || {
            sentences
                .get(i + 1)
                .is_some_and(|next| lasts(s, next, rules))
        };
        if (is_rule(s, rules) || made_one()) && !orders_beside(s, rules) {
            found = true;
        } else if found
            && (rules.any(Group::Standing, s) || is_limit(s))
            && sentence::act(s, rules) == sentence::Act::Statement
        {
            // `… 하지 마세요. 무조건 스테이징에서`: more of the rule.
        } else if found && rules.any(Group::Conventions, s) {
            // `… No exceptions.`
        } else if !is_tag(s, rules)
            && !explains(s, rules)
            && sentence::act(s, rules) != sentence::Act::Acknowledgement
        {
            return false;
        }
    }
    found
}

/// Only says why, of oneself or of what something is: nothing is asked for, no fault found.
fn explains(sentence: &str, rules: &Rules) -> bool {
    let says = [Group::Reasons, Group::FirstPerson, Group::Identities];
    says.iter().any(|g| rules.any(*g, sentence))
        && sentence::act(sentence, rules) == sentence::Act::Statement
        && !rules.any(Group::Defects, sentence)
        && !remarks::asks(sentence, rules)
}

/// What the rule before it leaves: `BigDecimal만`.
fn is_limit(sentence: &str) -> bool {
    let bare = sentence.trim_end_matches(['.', '!', '~', ' ']);
    bare.ends_with('만') && bare.split_whitespace().count() <= 3
}

/// Nothing but a tag behind a rule: `알겠지?`, `ok?`.
fn is_tag(sentence: &str, rules: &Rules) -> bool {
    rules
        .first(Group::Tags, sentence)
        .is_some_and(|tag| tag.range.start == 0)
}

/// A prohibition with an order behind it: `테스트는 건드리지 말고 문서만 추가해줘`.
fn orders_beside(sentence: &str, rules: &Rules) -> bool {
    if done_first(sentence, rules) || done_now(sentence, rules) {
        return true;
    }
    if rules.any(Group::Standing, sentence) {
        return false;
    }
    // Dictated: `I don't want them to see it so put a password on it`.
    let then = language::fold(sentence);
    if let Some((_, rest)) = then.split_once(" so ")
        && !rules.any(Group::Preferences, rest)
        && remarks::opens_with_verb(rest, rules)
    {
        return true;
    }
    let Some(at) = ["말고", "마시고", "말아주시고", "않고"]
        .iter()
        .filter_map(|w| sentence.find(w).map(|i| i + w.len()))
        .max()
    else {
        return false;
    };
    // `넘파이 말고는 … 깔지 마`: what follows is the rule itself.
    sentence.get(at..).is_some_and(|rest| {
        sentence::act(rest, rules) == sentence::Act::Order && !rules.any(Group::Preferences, rest)
    })
}

/// An order that is joined to the rule as something to be done first: `커밋해주시고 메시지는 항상 한글로 써주세요`.
fn done_first(sentence: &str, rules: &Rules) -> bool {
    let joints = rules.hits(Group::OrderJoints, sentence);
    let mut halves = joints
        .iter()
        .filter_map(|joint| sentence.split_at_checked(joint.range.end));
    halves.any(|(order, rule)| {
        // `해 주시고요, `
        let rule = rule.strip_prefix('요').unwrap_or(rule);
        rule.starts_with(|c: char| c.is_whitespace() || c == ',')
            && !rules.any(Group::Standing, order)
            && !rules.any(Group::Preferences, order)
            && rules.any(Group::Preferences, rule)
            // What is made to be so (`보이게 하고`) is ordered whatever stands before it.
            && (order.ends_with("게 하고") || sentence::act(order, rules) == sentence::Act::Order)
    })
}

/// An order for now behind the rule, in one breath: `앞으로 … 쓰지 말고 지금 이것도 고치고`.
fn done_now(sentence: &str, rules: &Rules) -> bool {
    let nows = rules.hits(Group::Nows, sentence);
    let mut halves = nows
        .iter()
        .filter_map(|now| sentence.split_at_checked(now.range.start));
    halves.any(|(rule, order)| {
        rules.any(Group::Preferences, rule)
            && !rules.any(Group::Standing, order)
            && !rules.any(Group::Preferences, order)
            && sentence::act(order, rules) == sentence::Act::Order
    })
}

/// The sentence with its quoted spans blanked: what is quoted is mentioned.
pub fn unquoted(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut close: Option<char> = None;
    let chars: Vec<char> = sentence.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        match close {
            Some(end) if c == end => close = None,
            Some(_) => {}
            None => {
                let end = match c {
                    '"' => Some('"'),
                    '“' => Some('”'),
                    '‘' => Some('’'),
                    '「' => Some('」'),
                    '『' => Some('』'),
                    '\'' if i == 0 || chars[i - 1].is_whitespace() => Some('\''),
                    _ => None,
                };
                match end.filter(|e| chars[i + 1..].contains(e)) {
                    Some(end) => close = Some(end),
                    None => out.push(c),
                }
            }
        }
    }
    out
}

/// The sentence with the phrases in its code spans blanked: they are mentioned too. A bare name there (`main`) belongs to
/// what is said.
fn without_phrases(sentence: &str) -> Cow<'_, str> {
    let phrase = |i: usize, part: &str| i % 2 == 1 && part.trim().contains(char::is_whitespace);
    let parts: Vec<&str> = sentence.split('`').collect();
    // An odd number of marks closes nothing.
    if parts.len().is_multiple_of(2) || !parts.iter().enumerate().any(|(i, p)| phrase(i, p)) {
        return Cow::Borrowed(sentence);
    }
    let spared = |(i, part): (usize, &&str)| match phrase(i, part) {
        true => String::new(),
        false => (*part).to_owned(),
    };
    let kept: Vec<String> = parts.iter().enumerate().map(spared).collect();
    Cow::Owned(kept.join("`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;

    fn kept(text: &str) -> Vec<String> {
        let rules = Rules::builtin();
        let session = Talk::in_dir("/w")
            .person("목록을 고쳐줘")
            .agent("고쳤습니다.")
            .person(text)
            .session();
        let turns = super::super::turns::turns(&session, rules);
        let found = preferences(None, &turns, rules);
        found.into_iter().map(|p| p.text).collect()
    }

    #[test]
    fn a_phrase_in_a_code_span_is_mentioned() {
        assert_eq!(kept("`never push to main` 문구를 찾아줘"), [""; 0]);
        assert_eq!(kept("`항상 표로 보고해줘`라는 주석을 지워줘"), [""; 0]);
        for rule in [
            "`main`에는 절대 푸시하지 마",
            "항상 `cargo test --all`을 돌려줘",
            "Always run `cargo fmt --check` before a commit",
            "앞으로 따옴표 ` 는 쓰지 마",
        ] {
            assert_eq!(kept(rule), [rule]);
        }
    }

    #[test]
    fn leave_given_takes_a_prohibition_back() {
        let standing = |rule: &str, later: &str| {
            let session = Talk::in_dir("/w")
                .person("목록을 고쳐줘")
                .person(rule)
                .person(later)
                .session();
            let turns = super::super::turns::turns(&session, Rules::builtin());
            let found = preferences(None, &turns, Rules::builtin());
            found
                .iter()
                .any(|p| p.text == rule && p.superseded_by.is_none())
        };
        assert!(!standing("절대 푸시하지 마", "이제 푸시해도 돼"));
        assert!(!standing("Never push to main", "You may push to main now"));
        assert!(!standing(
            "앞으로는 영어로 답해줘",
            "이제 영어 말고 한국어로 답해줘"
        ));
        // Of something else.
        assert!(standing("절대 푸시하지 마", "이제 커밋해도 돼"));
    }

    #[test]
    fn a_convention_makes_a_rule_of_the_order_before_it() {
        assert_eq!(
            kept("함수는 30줄 안 넘게 해줘. 이건 우리팀 컨벤션임"),
            ["함수는 30줄 안 넘게 해줘."]
        );
        assert_eq!(
            kept("Name the flags in kebab case. That's our convention."),
            ["Name the flags in kebab case."]
        );
        // Nothing is ordered, or just this once.
        assert_eq!(kept("함수가 깁니다. 이건 우리팀 컨벤션임"), [""; 0]);
        assert_eq!(
            kept("이번에만 30줄 안 넘게 해줘. 이건 우리팀 컨벤션임"),
            [""; 0]
        );
    }

    #[test]
    fn an_order_before_a_rule_of_the_same_sentence_asks() {
        let only = |text| only_rules(&[text], Rules::builtin());
        for text in [
            "캐시 적용해 주시고요, 설정은 팀 공용이라 고치기 전에 저한테 먼저 물어봐 주세요.",
            "날짜는 연월일로 보이게 하고 원본 파일은 절대 지우지 마",
        ] {
            assert!(!only(text), "{text}");
        }
        assert!(only(
            "설정은 팀 공용이라 고치기 전에 저한테 먼저 물어봐 주세요."
        ));
        assert!(only("원본 파일은 절대 지우지 마"));
    }
}
