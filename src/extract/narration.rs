//! Sentences that tell: what people did, felt, heard and are going to do. They ask for nothing.
//!
//! A person's statement counts as a request unless it shows that it is none. What tells shows it by its grammar, not by
//! its words: in English by who stands before which form of the verb (`my boss liked it`, `ran it last night`), in
//! Korean by the ending of the last predicate (`민지가 한대`). How a thing behaves (`the menu closes`) is no telling: it is
//! as likely what is wrong with it. Nor is what was seen or wished (`I noticed …`, `she asked for …`).

mod predicate;
mod subject;

use super::{remarks, sentence};
use crate::language;
use crate::lexicon::{Group, Rules};
use predicate::{has_past, is_past, others, speaker, stays, takes_place, thing, unsaid};
use subject::{Subject, names_people, subject};

/// What a clause does for its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// People did something, or an occasion took place.
    Tells,
    /// An aside, a reason, praise: says nothing against telling.
    Passes,
    /// How a thing was: told only if what somebody did about it follows (`the disk was full, cleared it`).
    Past,
    /// May ask for something.
    Open,
}

/// Whether the sentence tells and asks for nothing.
pub fn tells(sentence: &str, rules: &Rules) -> bool {
    if sentence.chars().any(language::script::is_syllable) {
        return in_korean(sentence, rules);
    }
    if sentence::is_endless(sentence) {
        return false;
    }
    let text = language::fold(sentence).replace('’', "'");
    if appeals(sentence, &text, rules) {
        return false;
    }
    let (mut people, mut told, mut waits) = (false, false, false);
    for words in clauses(&text, rules) {
        match clause(&words, &mut people, rules) {
            Clause::Tells => (told, waits) = (true, false),
            Clause::Passes => {}
            Clause::Past => waits = true,
            // `merged it, moving on`: goes along with what was told.
            Clause::Open if told && (is_beside(&words, rules) || stays(&words.words)) => {}
            Clause::Open => return false,
        }
    }
    told && !waits
}

/// A clause that goes on with the one before it: `…, waiting for the others`, `… and rebooted`.
fn is_beside(clause: &Words, rules: &Rules) -> bool {
    clause.words.first().is_some_and(|w| {
        (w.len() > 4 && w.ends_with("ing") || is_past(w, rules))
            && !rules.is_word(Group::AskingVerbs, w)
            && !rules.is_word(Group::CommandVerbs, w)
    })
}

/// Whether something in the sentence asks, wishes or finds fault, whatever else it tells.
fn appeals(sentence: &str, text: &str, rules: &Rules) -> bool {
    // `I can't believe it` denies nothing.
    let mut literal = text.to_owned();
    for hit in rules.hits(Group::Idioms, text).iter().rev() {
        if literal.is_char_boundary(hit.range.start) && literal.is_char_boundary(hit.range.end) {
            literal.replace_range(hit.range.clone(), " ");
        }
    }
    let groups = [
        Group::Appeals,
        Group::Deontic,
        Group::Defects,
        Group::Questions,
        Group::Blockers,
        Group::Complaints,
    ];
    groups.iter().any(|g| rules.any(*g, &literal)) || remarks::opens_with_verb(sentence, rules)
}

/// Whether a Korean sentence tells: by its last predicate.
fn in_korean(sentence: &str, rules: &Rules) -> bool {
    let faulty =
        rules.any(Group::Blockers, sentence) && !rules.any(Group::BlockerExclusions, sentence);
    let asks = [Group::Appeals, Group::Deontic, Group::Questions]
        .iter()
        .any(|g| rules.any(*g, sentence));
    !faulty && !asks && (rules.any(Group::Narration, sentence) || is_hearsay(sentence))
}

/// Whether the last predicate says what others say: `민지가 한대`, `다 끝났대요`. A verb's past before 대 ends in ㅆ.
fn is_hearsay(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !language::script::is_syllable(c));
    let end = end.strip_suffix('요').unwrap_or(end);
    let Some(stem) = end.strip_suffix('대') else {
        return false;
    };
    let word = end.rsplit(char::is_whitespace).next().unwrap_or("");
    let last = stem.chars().next_back();
    let past = last.and_then(language::script::batchim) == Some('ㅆ');
    // In the present only what people do: `된대`, `뜬대` tell what a thing does.
    let done = last.is_some_and(|c| "한간쓴준본산짠낸든는".contains(c));
    (past || done) && !NOUNS_IN_DAE.iter().any(|n| word.ends_with(n))
}

/// Nouns that look like it.
const NOUNS_IN_DAE: &[&str] = &["반대", "현대", "군대", "연대", "관대", "안대", "전대"];

/// A clause: its words, and whether it only adds a reason or a remark to the one before (`because …`, `which …`).
struct Words<'t> {
    words: Vec<&'t str>,
    adds: bool,
}

/// The clauses of a folded sentence.
fn clauses<'t>(text: &'t str, rules: &Rules) -> Vec<Words<'t>> {
    let mut all: Vec<Words> = Vec::new();
    let mut now = Words {
        words: Vec::new(),
        adds: false,
    };
    let mut pieces = text.split_whitespace().peekable();
    while let Some(piece) = pieces.next() {
        let word = bare(piece);
        // `so much` joins nothing.
        let follows = |w: &&str| {
            let next = bare(w).split('\'').next().unwrap_or("");
            BEHIND_SO.contains(&next) || rules.is_word(Group::CommandVerbs, next)
        };
        let joins = JOINTS.contains(&word) || word == "so" && pieces.peek().is_some_and(follows);
        let adds = ADDING.contains(&word);
        if joins || adds {
            all.push(std::mem::replace(
                &mut now,
                Words {
                    words: Vec::new(),
                    adds,
                },
            ));
        } else if !word.is_empty() {
            now.words.push(word);
        }
        if piece.ends_with([',', ';', ':', '.', '!', ')', '—', '–']) || word.is_empty() {
            all.push(std::mem::replace(
                &mut now,
                Words {
                    words: Vec::new(),
                    adds: false,
                },
            ));
        }
    }
    all.push(now);
    all.retain(|c| !c.words.is_empty());
    all
}

/// A word without the marks around it.
fn bare(piece: &str) -> &str {
    piece.trim_matches(|c: char| !c.is_alphanumeric() && c != '\'')
}

/// Words that join a clause which stands for itself.
const JOINTS: &[&str] = &["and", "but", "then", "or", "yet"];
/// What a clause begins with behind a `so` that joins it.
const BEHIND_SO: &[&str] = &[
    "i", "we", "he", "she", "they", "it", "that", "this", "the", "you", "no", "my", "our", "there",
    "all",
];
/// Words that join one which only adds to the clause before.
const ADDING: &[&str] = &[
    "because", "cause", "cuz", "since", "which", "who", "though", "although",
];

/// What a clause does; `people` says whether the one before was about people, for a `they` that goes on with them.
fn clause(clause: &Words, people: &mut bool, rules: &Rules) -> Clause {
    let words = without_leads(&clause.words, rules);
    let thanked = matches!(
        clause.words.as_slice(),
        [
            "sorry" | "thanks" | "apologies" | "cheers",
            "for" | "about",
            ..
        ] | ["thank", "you", "for", ..]
    );
    if clause.adds || words.is_empty() || thanked {
        return Clause::Passes;
    }
    let theirs = std::mem::replace(people, names_people(words, rules));
    if rules.any(Group::Remarks, &clause.words.join(" ")) {
        return Clause::Tells;
    }
    if passes(words, rules) {
        return Clause::Passes;
    }
    // `turns out the labels were swapped`: found out, and told.
    if let ["turns" | "turned", "out", found @ ..] | ["it" | "that", "turned", "out", found @ ..] =
        words
        && has_past(found, rules)
    {
        return Clause::Tells;
    }
    let Some((subject, predicate)) = subject(words, theirs, rules) else {
        return Clause::Open;
    };
    *people |= subject == Subject::People;
    let tells = match subject {
        Subject::Unsaid => unsaid(&predicate, rules),
        Subject::Speaker => speaker(&predicate, rules),
        Subject::People => others(&predicate, rules),
        Subject::Thing => thing(&predicate, words, rules),
        Subject::Occasion => takes_place(&predicate, rules),
    };
    if tells {
        return Clause::Tells;
    }
    if subject == Subject::Unsaid {
        return of_a_thing(words, rules);
    }
    Clause::Open
}

/// Whether the clause is thanks, praise, or says that nothing is the matter: `money isn't the issue`, `all tests pass`.
fn passes(words: &[&str], rules: &Rules) -> bool {
    let text = words.join(" ");
    let own = ["i", "we"].contains(&words.first().copied().unwrap_or_default());
    let fine = [Group::Idioms, Group::CompletedForms];
    !own && fine.iter().any(|g| rules.any(*g, &text))
        || sentence::is_acknowledgement(&text, rules)
        || remarks::is_reaction(&text, rules)
}

/// What a clause about some thing does for its sentence: praise (`the loss went down nicely`), or how it was.
fn of_a_thing(words: &[&str], rules: &Rules) -> Clause {
    let first = words.first().copied().unwrap_or_default();
    let named = rules.is_word(Group::ObjectLeads, first) || words.len() < 5;
    let was = |w: &&str| ["was", "were"].contains(w);
    if has_past(words, rules) && words.iter().any(|w| rules.is_word(Group::Appraisals, w)) {
        Clause::Passes
    } else if named && words.iter().skip(1).take(3).any(was) {
        Clause::Past
    } else {
        Clause::Open
    }
}

/// The words behind interjections, adverbs and times that a spoken sentence opens with.
fn without_leads<'w, 't>(words: &'w [&'t str], rules: &Rules) -> &'w [&'t str] {
    let mut rest = words;
    while let Some(first) = rest.first() {
        let time =
            TIMES.contains(first) && rest.get(1).is_some_and(|w| rules.is_word(Group::Times, w));
        rest = match rest {
            [_, _, behind @ ..] if time => behind,
            [_, behind @ ..]
                if rules.is_word(Group::SpeechLeads, first)
                    || rules.is_word(Group::Times, first) =>
            {
                behind
            }
            _ => break,
        };
    }
    rest
}

/// Words before a time of day or week: `last night`.
const TIMES: &[&str] = &["last", "this", "on", "next", "in", "by", "at"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endless_sentence_is_not_read() {
        let text = "I think ".repeat(100_000) + "it went well";
        assert!(!tells(&text, Rules::builtin()));
        assert!(tells("I think I think it went well", Rules::builtin()));
    }

    #[test]
    fn what_people_did_is_told_and_what_things_do_is_not() {
        let rules = Rules::builtin();
        for (text, want) in [
            // The speaker.
            ("I cleaned my desk last night", true),
            ("so yeah, we talked to the landlord about it", true),
            ("I would have used a stack here", true),
            ("I would use a stack here", false),
            ("I'm waiting for my flight", true),
            ("I'm seeing two cursors", false),
            ("I noticed the rows swap places", false),
            ("I asked for a green one", false),
            ("I think we're safe there", true),
            ("I think the sidebar sits on the left", false),
            ("I can't believe it worked", true),
            ("I can't open it", false),
            ("I didn't sleep much", true),
            ("sorry for the silence, I was in meetings", true),
            ("You saved me a lot of work there", true),
            ("I just realised we store the birthday twice", false),
            ("저는 오늘 처음 접해 봐요", true),
            ("저는 화면이 두 개로 나와요", false),
            // Others.
            ("My boss liked it", true),
            ("My boss wants it bigger", false),
            ("anna showed it to the whole team", false),
            ("anna said the colours are fine", true),
            ("our school bought new laptops", true),
            ("the customers love it, they're telling their friends", true),
            // Nobody named.
            ("ran it twice last night", true),
            ("rounded corners on the cards", false),
            ("disk was full, cleared some space", true),
            ("the logo was green", false),
            ("merged it, moving on after lunch", true),
            // Things.
            ("the demo went well", true),
            ("the menu closes", false),
            ("I scrolled down and the menu closes", false),
            ("I scrolled down and the menu disappeared", false),
            ("it took a while", true),
            ("it takes the first row", false),
            ("turns out the labels were swapped", true),
            ("We had a long chat and decided to leave it", true),
            ("We had a long chat and decided the label goes", false),
            // Korean.
            ("결재는 부장님이 한대", true),
            ("나는 그 안에 반대", false),
            ("글자를 키워 달래요", false),
            ("총무팀이 이번 주에 행사를 진행합니다", true),
            ("창이 닫힙니다", false),
            ("하루를 꼬박 날렸네", true),
        ] {
            assert_eq!(tells(text, rules), want, "{text}");
        }
    }
}
