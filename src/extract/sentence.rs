//! What one sentence of a person does: ask, report, acknowledge, lay down a rule, or just say.

use crate::language;
use crate::lexicon::{Group, Hit, Rules};
use std::ops::Range;

/// The act of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Act {
    /// An order, a wish, a noun phrase with a task word.
    Order,
    Question,
    /// Says that something is broken or wrong: an order in the clothes of a report.
    Complaint,
    /// Reports finished work.
    Report,
    /// Greets, thanks, goes ahead.
    Acknowledgement,
    Statement,
}

/// What the sentence does. Reports win over task words inside them (`테스트 통과했네요`), orders over reports beside
/// them (`값은 적었음 검토해줘`).
pub fn act(sentence: &str, rules: &Rules) -> Act {
    let sentence = sentence.trim();
    if is_acknowledgement(sentence, rules) {
        return Act::Acknowledgement;
    }
    let mut completed = rules.hits(Group::CompletedForms, sentence);
    // What was not done is no report: `안 바뀌었는데`.
    completed.retain(|h| !negated(sentence, word_start(sentence, h.range.start)));
    completed.extend(rules.hits(Group::OwnIntent, sentence));
    if orders(sentence, &completed, rules) {
        return Act::Order;
    }
    let apart = |range: &Range<usize>| {
        !completed
            .iter()
            .any(|h| range.start < h.range.end && h.range.start < range.end)
    };
    if rules
        .hits(Group::Deontic, sentence)
        .iter()
        .any(|h| apart(&h.range))
    {
        return Act::Order;
    }
    if rules.any(Group::Questions, sentence) {
        return Act::Question;
    }
    let blockers = rules.hits(Group::Blockers, sentence);
    let blocked = blockers.iter().any(|h| !left_undone(sentence, h));
    let faulty = blocked || rules.any(Group::Complaints, sentence);
    if faulty && !rules.any(Group::BlockerExclusions, sentence) {
        return Act::Complaint;
    }
    if completed.iter().any(|h| ends_with(sentence, h, rules)) {
        return turned(sentence, rules)
            .or_else(|| seen(sentence, rules))
            .unwrap_or(Act::Report);
    }
    match blocked {
        true => Act::Complaint,
        false => Act::Statement,
    }
}

/// What the speaker left undone (`I haven't …`) is no complaint.
fn left_undone(sentence: &str, blocker: &Hit) -> bool {
    let own = [
        "I haven",
        "i haven",
        "We haven",
        "we haven",
        "I have not",
        "i have not",
    ];
    let hit = sentence.get(blocker.range.clone()).unwrap_or("");
    own.iter().any(|w| hit.starts_with(w))
}

/// What an English sentence does behind a turn (`it works, but not in CI`): no report, unless that side is one too.
fn turned(sentence: &str, rules: &Rules) -> Option<Act> {
    if is_endless(sentence) {
        return None;
    }
    let folded = language::fold(sentence);
    let (_, rest) = folded
        .split_once(" but ")
        .or_else(|| folded.split_once(" except "))?;
    match act(rest, rules) {
        Act::Report | Act::Acknowledgement => None,
        other => Some(other),
    }
}

/// Behind an English report, what was seen then: `I tested it and the font is tiny`.
fn seen(sentence: &str, rules: &Rules) -> Option<Act> {
    if is_endless(sentence) {
        return None;
    }
    let folded = language::fold(sentence);
    let (_, rest) = folded.split_once(" and ")?;
    let things = ["the ", "it ", "there ", "my ", "some ", "all "];
    if !things.iter().any(|w| rest.starts_with(w)) {
        return None;
    }
    let told = act(rest, rules) == Act::Statement;
    (told && !super::remarks::asks_nothing(rest, false, rules)).then_some(Act::Statement)
}

/// Whether a sentence is longer than anybody tells what happened: read clause by clause it would be read for ever.
pub fn is_endless(sentence: &str) -> bool {
    const LONGEST: usize = 80;
    sentence.split_whitespace().nth(LONGEST).is_some()
}

/// Most words of a message that only acknowledges.
const ALONE: usize = 8;

/// Whether the text is nothing but going ahead, thanks or greetings: a whole entry of the vocabulary, or at most eight
/// words that all acknowledge.
pub fn is_acknowledgement(text: &str, rules: &Rules) -> bool {
    if rules.any(Group::SmallTalk, text) {
        return true;
    }
    // Too many words are counted before any is compared: most texts are longer.
    let says = |w: &&str| w.contains(char::is_alphanumeric);
    if text.split_whitespace().filter(says).nth(ALONE).is_some() {
        return false;
    }
    let folded = language::fold(text);
    // `is it done` and `now?` ask.
    if folded.starts_with("is ") || folded.ends_with('?') {
        return false;
    }
    let words: Vec<&str> = folded
        .split(|c: char| c.is_whitespace() || ",.!?~…;:)(^".contains(c))
        .map(|w| w.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
        .map(without_laughter)
        .filter(|w| !w.is_empty())
        .collect();
    !words.is_empty()
        && words.len() <= ALONE
        && words
            .iter()
            .all(|w| rules.is_word(Group::Acknowledging, once(w)))
}

/// `ㅋㅋ굿`: a word without the laughter written to it.
fn without_laughter(word: &str) -> &str {
    let bare = word.trim_matches(['ㅋ', 'ㅎ', 'ㅠ', 'ㅜ']);
    if bare.is_empty() { word } else { bare }
}

/// `ㄱㅅㄱㅅ`: a word said twice.
fn once(word: &str) -> &str {
    let (first, second) = word.split_at_checked(word.len() / 2).unwrap_or((word, ""));
    if first == second && first.chars().count() > 1 {
        first
    } else {
        word
    }
}

/// A remark that asks for nothing: it starts with an interjection or goes on from something else with *and*, or trails
/// off. Only statements can be remarks.
pub fn is_remark(sentence: &str, rules: &Rules) -> bool {
    // `… I guess?` is no question, `I guess … can you look?` is one.
    let end = sentence.trim_end().len();
    if rules
        .hits(Group::Hedges, sentence)
        .iter()
        .any(|h| h.range.end >= end || !sentence[..end].ends_with('?'))
    {
        return true;
    }
    if act(sentence, rules) != Act::Statement {
        return false;
    }
    let folded = language::fold(sentence);
    let first = folded
        .split(|c: char| c.is_whitespace() || ",!?".contains(c))
        .next()
        .unwrap_or("");
    // `and the docs` adds something, `and the docs are long` goes on.
    let adds = folded.starts_with("and the ")
        && folded.split(' ').count() <= 4
        && !folded.ends_with(['.', '…']);
    first == "and" && !adds && !super::remarks::opens_with_verb(sentence, rules)
        // A cry over a fault is a complaint: `omg, the page is blank`.
        || is_interjection(first, rules) && !rules.any(Group::Defects, sentence)
        || folded.ends_with("...")
        || folded.ends_with('…')
}

/// A Latin text that opens with an acknowledgement and goes on without asking anything: an answer, a remark.
pub fn opens_with_acknowledgement(text: &str, rules: &Rules) -> bool {
    let folded = language::fold(text);
    let first = folded
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .next()
        .unwrap_or("");
    // A turn or a question word later in the text makes more of it than an answer.
    let goes_on = [
        "but", "except", "however", "though", "also", "plus", "another", "next", "how", "what",
        "why", "where", "when", "which", "who",
    ];
    // `ok so the list …`, `ok the list …`: what follows speaks for itself.
    let second = folded
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|w| !w.is_empty())
        .nth(1)
        .unwrap_or("");
    let apart = ["so", "the", "there", "when", "if", "your"];
    language::length(text) <= 90
        && !apart.contains(&second)
        && !folded.chars().any(language::script::is_syllable)
        && rules.is_word(Group::Affirmations, first)
        && !folded
            .split(|c: char| !c.is_alphanumeric())
            .any(|w| goes_on.contains(&w))
        && !folded.contains("one more")
}

/// `argh`, `aaargh`, `w.t.f.`: letters may repeat, full stops don't count.
fn is_interjection(word: &str, rules: &Rules) -> bool {
    let mut plain = String::new();
    for c in word.chars().filter(|c| c.is_alphanumeric()) {
        if !plain.ends_with(c) {
            plain.push(c);
        }
    }
    rules.is_word(Group::Interjections, &plain)
}

/// Whether the report is what the sentence says in the end: a Korean predicate stands last (`설치했는데 안 켜져` reports
/// nothing), an English one anywhere. An ending (`잘 되네요`) and thanks may follow.
fn ends_with(sentence: &str, hit: &Hit, rules: &Rules) -> bool {
    // A pattern may have taken the blank behind the ending along.
    let caught = sentence.get(hit.range.clone()).unwrap_or("").trim_end();
    let rest = sentence.get(hit.range.start + caught.len()..).unwrap_or("");
    let (ending, words) = rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len()));
    let short = ending
        .chars()
        .filter(|c| language::script::is_syllable(*c))
        .count()
        <= 2;
    short && (!words.chars().any(language::script::is_syllable) || is_acknowledgement(words, rules))
}

/// Whether an order has the form of one: an English verb that opens a clause, a Korean ending. A task word alone
/// (`the checks are …`) is not enough where a remark is as likely as an order.
pub fn commands(sentence: &str, rules: &Rules) -> bool {
    if act(sentence, rules) != Act::Order {
        return false;
    }
    let latin = sentence.chars().filter(|c| c.is_ascii_alphabetic()).count();
    if sentence.chars().any(language::script::is_syllable) || latin < 3 {
        return true;
    }
    let folded = language::fold(sentence);
    rules
        .hits(Group::TaskVerbs, &folded)
        .iter()
        .any(|hit| is_verb(&folded, hit.range.start))
}

/// Whether the English word at `at` stands where the verb of an order does: it opens a clause, or follows a word that
/// does so.
fn is_verb(folded: &str, at: usize) -> bool {
    let before = folded.get(..at).unwrap_or("").trim_end();
    let last = before
        .rsplit(|c: char| c.is_whitespace())
        .next()
        .unwrap_or("");
    let opens = before.is_empty() || before.ends_with([',', ';', ':', '-', '.', '!']);
    opens || OPENERS.contains(&last.trim_matches(|c: char| !c.is_alphanumeric() && c != '\''))
}

/// Words that an English order may follow.
const OPENERS: &[&str] = &[
    "please", "pls", "let's", "lets", "you", "we", "and", "then", "just", "also", "now", "to",
    "ok", "okay", "yes", "yeah", "no", "so", "should", "must", "instead", "first", "again", "only",
];

/// Whether a task word stands outside the reports of the sentence.
fn orders(sentence: &str, completed: &[Hit], rules: &Rules) -> bool {
    // What is quoted is mentioned: `we ran 'make test'` orders nothing.
    let own = super::preferences::unquoted(sentence);
    if own.len() < sentence.len() && !rules.any(Group::TaskVerbs, &own) {
        return false;
    }
    // `테스트 통과했네요`: behind a task word the predicate reports, so only the form of an order makes one.
    let reports = sentence.chars().any(language::script::is_syllable)
        && completed.iter().any(|h| ends_with(sentence, h, rules));
    // A noun that belongs to the report (`확인 완료했습니다`) is no form of an order.
    let belongs = |form: &Hit| {
        let next = sentence.get(form.range.end..).unwrap_or("");
        let at = sentence.len() - next.trim_start().len();
        completed
            .iter()
            .any(|h| form.range.start <= h.range.start && h.range.start <= at)
    };
    if reports && rules.hits(Group::OrderForms, sentence).iter().all(belongs) {
        return false;
    }
    // `I pushed a fix`: beside a report a task word orders only as a verb.
    let hangul = sentence.chars().any(language::script::is_syllable);
    // `올려서 돌려봤는데 …`: done first, and told.
    let before_report = |at: usize| hangul && !completed.is_empty() && leads_on(sentence, at);
    let folded = (!hangul && !completed.is_empty()).then(|| sentence.to_ascii_lowercase());
    let reported: Vec<Range<usize>> = completed
        .iter()
        .map(|h| word_start(sentence, h.range.start)..h.range.end)
        .collect();
    rules.hits(Group::TaskVerbs, sentence).iter().any(|hit| {
        !reported
            .iter()
            .any(|r| hit.range.start < r.end && r.start < hit.range.end)
            && !negated(sentence, hit.range.start)
            && !is_subject(sentence, hit.range.end)
            && !is_passive(sentence, &hit.range, rules)
            && !judges(sentence, hit.range.start, rules)
            && !before_report(hit.range.end)
            && !finds(sentence, hit.range.end, rules)
            && folded
                .as_deref()
                .is_none_or(|f| is_verb(f, hit.range.start))
    })
}

/// Whether a subject's particle closes the word at `at`: `커밋이 안 돼`, `테스트가 느려` say something of the noun.
fn is_subject(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or("");
    rest.strip_prefix(['이', '가'])
        .is_some_and(|r| r.starts_with(char::is_whitespace))
}

/// Whether the work that ends at `at` was done and showed something: `실행해 보니 …`, `올렸더니 …`.
fn finds(text: &str, at: usize, rules: &Rules) -> bool {
    rules.any(Group::Findings, text.get(at..).unwrap_or(""))
}

/// Whether the English word at `at` is what something is judged by: `easier to read`.
fn judges(text: &str, at: usize, rules: &Rules) -> bool {
    let before = text.get(..at).unwrap_or("").trim_end();
    let judging = |rest: &str| {
        let word = rest.trim_end().rsplit(char::is_whitespace).next();
        word.is_some_and(|w| rules.is_word(Group::Measures, &w.to_ascii_lowercase()))
    };
    before.strip_suffix(" to").is_some_and(judging)
}

/// Whether a connective closes the word at `at`: `올려서`.
fn leads_on(text: &str, at: usize) -> bool {
    let rest = text.get(at..).unwrap_or("");
    rest.strip_prefix('서')
        .is_some_and(|r| r.starts_with(char::is_whitespace))
}

/// Whether the task word in `range` only tells what happens to something (`글자가 지워져요`, `값이 삭제돼요`) or which
/// thing is meant (`수정된 것`). What is to become so (`지워지게`, `삭제되도록`) is asked for.
fn is_passive(text: &str, range: &Range<usize>, rules: &Rules) -> bool {
    let word = text.get(range.clone()).unwrap_or("");
    let last = word.chars().next_back().map_or(0, char::len_utf8);
    // From the last syllable of the word on: the voice may be in it.
    rules.any(Group::Passives, text.get(range.end - last..).unwrap_or(""))
}

/// Whether what begins at `at` is said not to happen: `못 읽어`, `안 찾아`.
fn negated(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or("").trim_end();
    ["못", "안"].iter().any(|w| {
        before.strip_suffix(w).is_some_and(|rest| {
            !rest
                .chars()
                .next_back()
                .is_some_and(language::script::is_syllable)
        })
    })
}

/// The start of the word that `at` stands in.
fn word_start(text: &str, at: usize) -> usize {
    text.get(..at)
        .and_then(|before| before.rfind(char::is_whitespace).map(|i| i + 1))
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_told_apart() {
        let rules = Rules::builtin();
        for (text, want) in [
            ("로그 봐봐", Act::Order),
            ("빌드 돌려봐", Act::Order),
            ("add some tests!", Act::Order),
            ("값은 적었음 검토해줘", Act::Order),
            ("테스트 통과했네요", Act::Report),
            ("수정했어요", Act::Report),
            ("로그인했어", Act::Report),
            ("I pushed it", Act::Report),
            ("왜 느려?", Act::Question),
            ("yes please, do it", Act::Acknowledgement),
            ("nice nice nice", Act::Acknowledgement),
            ("좋아 그렇게 해", Act::Acknowledgement),
            ("헤더가 깨졌어", Act::Complaint),
            ("I tested it and the font is tiny", Act::Statement),
            ("I tested it and it works", Act::Report),
            ("the panel wont reload", Act::Complaint),
            ("ok, I hope I haven't spoiled it", Act::Report),
            ("it doesn't cost anything", Act::Statement),
        ] {
            assert_eq!(act(text, rules), want, "{text}");
        }
    }
}
