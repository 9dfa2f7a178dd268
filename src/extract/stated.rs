//! What was said to be in the way and that nothing later answers (SPEC 1.6, point 3).
//!
//! Most sentences with a blocker's word tell of something that was fixed a call later. So a sentence counts only while
//! no work that succeeded follows it: an edit, a commit, a check that passed.

use super::outcomes::runs::Run;
use super::requests::{self, Verdict};
use super::sentence::{self, Act};
use super::turns::Turn;
use super::{goal, preferences, remarks, said};
use crate::beside;
use crate::language;
use crate::lexicon::{Group, Rules};
use crate::session::{Session, Step};
use crate::shell::Kind as CheckKind;
use crate::state::{Blocker, BlockerKind};
use crate::transcript::{Kind, Voice, tools};

/// Length kept of a statement, in user-perceived characters.
const LENGTH: usize = 300;

/// What is known of turns and calls that were let go of.
#[derive(Clone, Copy, Default)]
pub struct Old<'p> {
    /// What the person said to be in the way, since the last work that succeeded.
    pub stated: &'p [Blocker],
    /// Code was edited.
    pub coded: bool,
}

/// The statements that stand unanswered at the end, with the place of their message, in order.
pub fn stated(
    old: Old<'_>,
    session: &Session,
    turns: &[Turn],
    rules: &Rules,
    runs: &[Run],
) -> Vec<(u32, Blocker)> {
    let (progress, _) = last_progress(old, session, runs);
    // What the agent said before the last but one turn of the person has been talked over since.
    let talked_over = turns.iter().rev().nth(1).map(|t| t.seq);
    let from = progress.max(talked_over).unwrap_or(0);
    let ends = Ends::of(session, turns);
    let mut found = Vec::new();
    let last_words = session
        .active()
        .filter(|e| e.kind == Kind::Assistant && e.texts(Voice::Assistant).next().is_some())
        .last()
        .map(|e| e.seq);
    for entry in session
        .active()
        .filter(|e| e.kind == Kind::Assistant && e.seq > from)
    {
        let Some(reference) = entry.number.filter(|_| ends.counts(entry.seq)) else {
            continue;
        };
        for text in entry.texts(Voice::Assistant) {
            let lines = said::said(text);
            for line in &lines {
                // One a line: what follows the first sentence explains it.
                let stands = |s: &&str| !s.ends_with(['?', '？']) && in_the_way(s, rules);
                if let Some(sentence) = sentences(line).find(stands) {
                    found.push((entry.seq, blocker(sentence, reference, false)));
                }
            }
            // An open question to the person at the very end.
            let person_last = turns.last().is_some_and(|t| t.seq > entry.seq);
            if Some(entry.seq) == last_words
                && !person_last
                && let Some(question) = lines
                    .last()
                    .and_then(|l| sentences(l).filter(|s| waits(s, rules)).last())
            {
                found.push((entry.seq, blocker(question, reference, false)));
            }
        }
    }
    found.extend(said_by_person(old, session, turns, progress, rules));
    found.sort_by_key(|(seq, _)| *seq);
    found
}

/// What is remembered of the person's statements when their turns are let go of, and whether code was edited so far.
pub fn remember(
    old: Old<'_>,
    session: &Session,
    turns: &[Turn],
    rules: &Rules,
    runs: &[Run],
) -> (Vec<Blocker>, bool) {
    let (progress, coded) = last_progress(old, session, runs);
    let all = said_by_person(old, session, turns, progress, rules);
    (all.into_iter().map(|(_, blocker)| blocker).collect(), coded)
}

/// What the person said, in turns that were let go of and in these, and neither work that succeeded nor the person
/// settled since.
fn said_by_person(
    old: Old<'_>,
    session: &Session,
    turns: &[Turn],
    progress: Option<u32>,
    rules: &Rules,
) -> Vec<(u32, Blocker)> {
    // A turn with the place of the next one.
    let nexts = turns.iter().skip(1).map(|t| Some(t.seq)).chain([None]);
    let open: Vec<(&Turn, Option<u32>)> = turns
        .iter()
        .zip(nexts)
        .filter(|(turn, _)| progress.is_none_or(|p| turn.seq > p))
        .collect();
    let found = beside::map(&open, |&(turn, next)| in_turn(session, turn, next, rules));
    let old = old.stated.iter().filter(|_| progress.is_none());
    let mut all: Vec<(u32, Blocker)> = old.map(|b| (0, b.clone())).collect();
    for (new, (turn, _)) in found.into_iter().zip(open) {
        // `이제 됩니다`: answers what was reported last.
        if new.is_empty()
            && let Some(last) = all.last().map(|(_, b)| b.reference)
            && recovers(turn, rules)
        {
            while all.pop_if(|(_, b)| b.reference == last).is_some() {}
        }
        all.extend(new);
    }
    all
}

/// Whether a person says that what was wrong is so no longer.
fn recovers(turn: &Turn, rules: &Rules) -> bool {
    let text = goal::asked(&turn.text);
    let works = |s: &&str| rules.any(Group::Recoveries, s);
    let (works, others): (Vec<&str>, Vec<&str>) = said::said(&text)
        .into_iter()
        .flat_map(sentences)
        .partition(works);
    !works.is_empty() && !others.iter().any(|s| rules.any(Group::Defects, s))
}

/// What is said to be in the way in one turn; `next` is the place of the turn behind it.
fn in_turn(
    session: &Session,
    turn: &Turn,
    next: Option<u32>,
    rules: &Rules,
) -> Vec<(u32, Blocker)> {
    let text = goal::asked(&turn.text);
    let said: Vec<&str> = said::said(&text).into_iter().flat_map(sentences).collect();
    let troubled = |s: &&str| {
        let own = own_words(s);
        blocks(&own, rules) || complains(&own, rules)
    };
    let troubles: Vec<bool> = said.iter().map(troubled).collect();
    let quiet = !troubles.contains(&true);
    let report = reported(&said, rules).or_else(|| {
        let seen = || observed(session, turn, next, &said, rules);
        quiet.then(seen).flatten()
    });
    let stands = |at: usize, sentence: &str| {
        report == Some(at)
            || troubles.get(at) == Some(&true)
                && !is_question(sentence, rules)
                // `you must not run it without me`
                && !preferences::is_rule(sentence, rules)
                // `오 이제 남아있네`
                && !rules.any(Group::Remarks, sentence)
                && !rules.any(Group::Recoveries, sentence)
    };
    let of_turn = said.iter().enumerate().filter(|(at, s)| stands(*at, s));
    of_turn
        .map(|(_, s)| (turn.seq, blocker(s, turn.reference, true)))
        .collect()
}

/// Sentences of a message that somebody typed at most; longer ones are pasted.
const TYPED: usize = 8;

/// What a person tells right before the order to mend it, although no word of it says that something is wrong.
fn reported(said: &[&str], rules: &Rules) -> Option<usize> {
    if said.len() > TYPED {
        return None;
    }
    let is_state = |s: &str| rules.any(Group::States, s);
    let orders = |s: &&str| !is_state(s) && sentence::act(s, rules) == Act::Order;
    if !said
        .iter()
        .any(|s| orders(s) && rules.any(Group::Repairs, s))
    {
        return None;
    }
    let at = said.iter().position(orders)?.checked_sub(1)?;
    let before = said.get(at)?;
    let says = matches!(
        sentence::act(before, rules),
        Act::Statement | Act::Complaint
    );
    let tells = (says || is_state(before))
        && !rules.any(Group::FirstPerson, before)
        && !is_question(before, rules)
        && language::length(before) >= 8;
    tells.then_some(at)
}

/// What a person tells and the agent answers with a cause: a fault, although no word of the message says so (`the tab
/// jumps to the top`). Without such an answer it may as well be how things are.
fn observed(
    session: &Session,
    turn: &Turn,
    next: Option<u32>,
    said: &[&str],
    rules: &Rules,
) -> Option<usize> {
    if said.len() > TYPED {
        return None;
    }
    let at = said.iter().position(|s| happens(s, rules))?;
    if requests::verdict(turn, rules) != Verdict::Request {
        return None;
    }
    let answer = session
        .active_behind(turn.seq)
        .take_while(|e| next.is_none_or(|n| e.seq < n))
        .filter(|e| e.kind == Kind::Assistant);
    answer
        .flat_map(|e| e.texts(Voice::Assistant).collect::<Vec<_>>())
        .flat_map(said::said)
        .flat_map(sentences)
        .take(ANSWER)
        .any(|s| rules.any(Group::Diagnoses, s))
        .then_some(at)
}

/// Sentences of an answer that may tell the cause.
const ANSWER: usize = 12;

/// Whether the sentence tells what a thing does: no order, wish, guess or plan, nothing about the person, and not what
/// something is (`it is Safari 17`).
fn happens(sentence: &str, rules: &Rules) -> bool {
    // `I printed it and the photo comes out dark`: what was done leads to what was seen.
    let seen = [" and ", " but "]
        .iter()
        .filter_map(|w| sentence.split_once(w))
        .find(|(done, _)| rules.any(Group::FirstPerson, done));
    let sentence = seen.map_or(sentence, |(_, seen)| seen);
    let groups = [
        Group::FirstPerson,
        Group::OwnIntent,
        Group::OwnFacts,
        Group::Identities,
        Group::Remarks,
        Group::Deontic,
        Group::Appraisals,
        Group::BareOrders,
    ];
    // A task word that no clause opens with may be a noun: `after every publish`.
    let tells = match sentence::act(sentence, rules) {
        Act::Statement => true,
        Act::Order => !sentence::commands(sentence, rules),
        _ => false,
    };
    tells
        && language::length(sentence) >= 8
        && !is_question(sentence, rules)
        && !groups.iter().any(|g| rules.any(*g, sentence))
        && !sentence::is_remark(sentence, rules)
        && !remarks::is_guess(sentence, rules)
        && !remarks::opens_with_verb(sentence, rules)
}

/// Which of the agent's words count: those that close a turn (nothing is done and said
/// behind them), and when it was stopped at work, all of the last turn.
struct Ends {
    closing: Vec<u32>,
    stopped_in: Option<u32>,
}

impl Ends {
    fn of(session: &Session, turns: &[Turn]) -> Ends {
        let mut closing: Vec<u32> = Vec::new();
        let turn = |seq: u32| turns.partition_point(|t| t.seq <= seq);
        let (mut at_work, mut worked) = (false, false);
        for entry in session.active().filter(|e| e.kind == Kind::Assistant) {
            let speaks = entry.texts(Voice::Assistant).next().is_some();
            if speaks && worked {
                // Said before more was done in the same turn: overtaken by what is said now.
                while closing.last().is_some_and(|c| turn(*c) == turn(entry.seq)) {
                    closing.pop();
                }
            }
            at_work = entry.calls().next().is_some();
            worked = at_work || (worked && !speaks);
            if speaks {
                closing.push(entry.seq);
            }
        }
        Ends {
            closing,
            stopped_in: turns.last().map(|t| t.seq).filter(|_| at_work),
        }
    }

    fn counts(&self, seq: u32) -> bool {
        self.stopped_in.is_some_and(|turn| seq > turn) || self.closing.binary_search(&seq).is_ok()
    }
}

/// Whether the sentence asks; a guess in brackets behind it makes no question of a report.
fn is_question(sentence: &str, rules: &Rules) -> bool {
    let bare = match (sentence.rfind('('), sentence.rfind(')')) {
        (Some(open), Some(close)) if open < close => sentence[..open].trim_end(),
        _ => sentence,
    };
    bare.ends_with(['?', '？']) || rules.any(Group::Questions, bare)
}

fn sentences(line: &str) -> std::vec::IntoIter<&str> {
    let peeled = goal::peel(line).trim_start_matches('#').trim_start();
    let all: Vec<&str> = language::sentences(peeled)
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .collect();
    all.into_iter()
}

fn blocker(sentence: &str, reference: crate::transcript::Ref, person: bool) -> Blocker {
    let text = crate::redact::redact(sentence);
    Blocker {
        text: language::clip(&text, LENGTH).into_owned(),
        reference,
        kind: BlockerKind::Stated,
        person,
    }
}

/// Whether the sentence says that something doesn't work. Words inside addresses, code, names and quotes are not its own.
pub fn in_the_way(sentence: &str, rules: &Rules) -> bool {
    blocks(&own_words(sentence), rules)
}

/// Whether [own words](own_words) say that something doesn't work.
fn blocks(own: &str, rules: &Rules) -> bool {
    rules.any(Group::StrongBlockers, own)
        || rules.any(Group::Blockers, own) && !rules.any(Group::BlockerExclusions, own)
}

/// Whether a person's [own words](own_words) say so of what an agent might just describe: `it still opens twice`.
fn complains(own: &str, rules: &Rules) -> bool {
    rules.any(Group::Complaints, own) && !rules.any(Group::BlockerExclusions, own)
}

/// The sentence without code spans, addresses, names with a bracket (`Blocker(Pro)`) and quoted words.
fn own_words(sentence: &str) -> String {
    let mut out = String::with_capacity(sentence.len());
    let mut code = false;
    for word in sentence.split_inclusive(char::is_whitespace) {
        let ticks = word.matches('`').count();
        let bracketed = word.find('(').is_some_and(|at| {
            at > 0
                && word[..at]
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '_')
        });
        if code || ticks > 0 || word.contains("://") || bracketed {
            // Blanked, not removed: the words around it must not grow together.
            out.push(' ');
            if let Some(at) = word.rfind('`').filter(|_| ticks % 2 == 0 || code) {
                out.push_str(&word[at + 1..]);
            }
        } else {
            out.push_str(word);
        }
        if ticks % 2 == 1 {
            code = !code;
        }
    }
    super::preferences::unquoted(&out)
}

/// A question, an offer or a wish that waits for the person. What comes next (`want me to commit it?`) is no decision that
/// the work waits for, no more than the courtesy that ends an answer.
fn waits(sentence: &str, rules: &Rules) -> bool {
    let asks = sentence.ends_with('?') || sentence.ends_with('？');
    asks && rules.any(Group::Offers, sentence)
        || rules.any(Group::Wants, sentence)
        || rules.any(Group::Inquiries, sentence)
}

/// The last work that succeeded: an edit, a commit, a check that passed. And whether code was edited so far.
fn last_progress(old: Old<'_>, session: &Session, runs: &[Run]) -> (Option<u32>, bool) {
    let (code, prose) = last_edits(session);
    // Where there is code, writing about it mends nothing.
    let coded = code.is_some() || old.coded;
    let edits = if coded { code } else { prose }.into_iter();
    let proofs = runs
        .iter()
        .filter(|r| r.ok == Some(true) && r.families.iter().any(|f| counts(&f.kind)))
        .map(|r| r.seq);
    (edits.chain(proofs).max(), coded)
}

/// Where code was last edited, and text for people.
fn last_edits(session: &Session) -> (Option<u32>, Option<u32>) {
    let (mut code, mut prose) = (None, None);
    for step in session.steps().filter(Step::has_edited) {
        let path = tools::path(&step.call.args.json()).unwrap_or_default();
        // A plan is not the work.
        if path.contains("/plans/") {
            continue;
        }
        let last = match is_prose(&path) {
            true => &mut prose,
            false => &mut code,
        };
        *last = step.answered.map(|e| e.seq).or(*last);
    }
    (code, prose)
}

/// Whether a file holds text for people.
fn is_prose(path: &str) -> bool {
    let ext = path.rsplit_once('.').map_or("", |(_, ext)| ext);
    ["md", "mdx", "txt", "rst", "adoc"]
        .iter()
        .any(|e| ext.eq_ignore_ascii_case(e))
}

/// Checks and deliveries are work; looking around is none.
fn counts(kind: &CheckKind) -> bool {
    use CheckKind as K;
    match kind {
        K::Test | K::Build | K::Lint | K::TypeCheck | K::Deploy => true,
        K::Git(sub) => matches!(sub.as_str(), "commit" | "push" | "merge"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_blockers_and_their_look_alikes() {
        let rules = Rules::builtin();
        for (text, want) in [
            ("빌드가 안 됩니다.", true),
            ("운영 서버 접속 권한이 없어 배포가 막혀 있습니다.", true),
            ("build가 failed였고 test는 blocked입니다.", true),
            ("검색은 여전히 빠르고 안정적입니다.", false),
            ("실패 0건, 전체 240건 통과했습니다.", false),
            ("See https://example.com/pilot-failure/ for more.", false),
            ("Status is `BLOCKED(level=-1)` in the table above.", false),
            ("Ad Blocker(Pro) was installed.", false),
            ("실패 안내는 한 줄로 줄여서 반영했습니다.", false),
        ] {
            assert_eq!(in_the_way(text, rules), want, "{text}");
        }
    }

    #[test]
    fn who_says_that_it_works_now_takes_the_last_report_back() {
        let told = |said: &[&str]| {
            let talk = crate::session::testing::Talk::in_dir("/w").person("메뉴를 옮겨줘");
            let talk = said.iter().fold(talk, |talk, text| {
                talk.person(text).agent("설정을 바꿨습니다.")
            });
            let session = talk.session();
            let rules = Rules::builtin();
            let turns = super::super::turns::turns(&session, rules);
            let found = stated(Old::default(), &session, &turns, rules, &[]);
            found.into_iter().map(|(_, b)| b.text).collect::<Vec<_>>()
        };
        assert_eq!(told(&["창이 안 열려요", "이제 잘 열려요"]), [""; 0]);
        assert_eq!(
            told(&["the window does not open", "yay it works now!"]),
            [""; 0]
        );
        // Thanks prove nothing, and what still fails is no recovery.
        assert_eq!(told(&["창이 안 열려요", "고마워요"]), ["창이 안 열려요"]);
        assert_eq!(
            told(&["창이 안 열려요", "이제 열려요. 그런데 소리가 안 나요."]),
            ["창이 안 열려요", "그런데 소리가 안 나요."]
        );
        assert_eq!(
            told(&["소리가 안 나요", "창이 안 열려요", "이제 잘 열려요"]),
            ["소리가 안 나요"]
        );
    }
}
