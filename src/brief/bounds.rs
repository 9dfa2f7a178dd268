//! The most that a part of an uncut block can be worth, and the least that it can be long, told from its raw texts.
//!
//! Cutting a text is dear: secrets, sentences, vocabulary. Of a long session a hundred blocks of thousands are printed,
//! and nearly all others can be seen to be worth less by signs that are found at memory speed. Whatever cannot be told
//! cheaply counts in favour of the block; a test holds the bounds against what the parts turn out to be worth.

use super::blocks::{ASSISTANT, Block, USER, summary};
use super::signs::Signs;
use super::talk::Talk;
use super::{calls, weigh};
use crate::language::script::is_alphanumeric;
use crate::transcript::{Block as Piece, Entry, Kind, Outcome, Status, Voice, tools::Tool};
use std::sync::OnceLock;

/// A whole line or sentence is hardly longer.
pub const LONG: usize = 160;

/// A promise about some of a block's parts.
pub struct Bound {
    /// None is worth more for a character.
    pub worth: f64,
    of: Of,
    least: OnceLock<usize>,
}

/// Which parts a promise is about.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Text,
    Calls,
}

impl Bound {
    /// None is shorter, in characters.
    pub fn least(&self, talk: &Talk<'_>, block: usize) -> usize {
        *self.least.get_or_init(|| {
            let told = |b: &&Block| b.head == USER || b.head == ASSISTANT;
            let Some(block) = talk.blocks.get(block).filter(told) else {
                return 1;
            };
            let entries = talk.entries(block).iter();
            entries.map(|e| least(e, self.of)).min().unwrap_or(0)
        })
    }
}

/// The bounds of a block: of its texts, of its calls.
pub fn of(talk: &Talk<'_>, at: usize) -> [Bound; 2] {
    let Some(block) = talk.blocks.get(at) else {
        return [bound(0.0, Of::Text), bound(0.0, Of::Calls)];
    };
    let (mut text, mut calls) = (0f64, 0f64);
    let place = block.entries.clone();
    for (entry, place) in talk.entries(block).iter().zip(place) {
        let (t, c) = match &*block.head {
            USER => (person(entry), 0.0),
            ASSISTANT => assistant(talk, entry, place),
            // Few and short: they are simply cut.
            _ => (f64::INFINITY, 0.0),
        };
        text = text.max(t);
        calls = calls.max(c);
    }
    let standing = weigh::most(&block.head, block.index, talk.total);
    [
        bound(text * standing, Of::Text),
        bound(calls * standing, Of::Calls),
    ]
}

fn bound(worth: f64, of: Of) -> Bound {
    Bound {
        worth,
        of,
        least: OnceLock::new(),
    }
}

fn person(entry: &Entry<'_>) -> f64 {
    let texts = || entry.texts(Voice::Person).chain(entry.texts(Voice::Parent));
    let alone = texts().nth(1).is_none();
    let most = |piece: &Piece<'_>| match piece {
        Piece::Said {
            voice: Voice::Person | Voice::Parent,
            text,
        } => {
            let signs = Signs::of(text);
            let lines = if alone { sure_lines(text, &signs) } else { 1 };
            weigh::most_person(&signs, lines)
        }
        Piece::Image(_) => f64::INFINITY,
        _ => 0.0,
    };
    entry.blocks.iter().map(most).fold(0.0, f64::max)
}

/// Lines that a person's message keeps for sure when it is clipped to its first and last words.
fn sure_lines(text: &str, signs: &Signs) -> usize {
    // Where every ideograph is a word, a line may be left out sooner.
    if signs.ideograph {
        return 1;
    }
    let mut words = 0;
    let mut lines = 0;
    for line in text.lines() {
        let here = line.split_whitespace().count();
        lines += usize::from(here > 0);
        words += here;
        if words >= 128 {
            break;
        }
    }
    lines.max(1)
}

fn assistant(talk: &Talk<'_>, entry: &Entry<'static>, place: usize) -> (f64, f64) {
    let (closing, last) = talk.closes(place);
    let (mut text, mut calls) = (0f64, 0f64);
    for piece in &entry.blocks {
        match piece {
            Piece::Said {
                voice: Voice::Assistant,
                text: said,
            } => text = text.max(weigh::most_prose(&Signs::of(said), closing, last)),
            // Its line is made of names and sizes.
            Piece::Image(_) => text = f64::INFINITY,
            Piece::Call(call) if calls::may_quote(call) => {
                let signs = Signs::of(call.args.as_str());
                // A sign may hide behind an escape.
                let told = call.tool != Tool::Plan && !call.args.as_str().contains("\\u");
                let most = if told {
                    weigh::most_written(&signs)
                } else {
                    f64::INFINITY
                };
                text = text.max(most);
            }
            _ => {}
        }
    }
    for step in talk.steps(entry) {
        let shell = step.call.tool == Tool::Shell;
        let sound = |o: &Outcome<'_>| {
            matches!(o.status, Status::Ok | Status::Unknown) && o.exit.unwrap_or(0) == 0
        };
        let failed = step.outcome.is_some_and(|o| shell || !sound(o));
        let proof = shell && step.outcome.is_some_and(|o| calls::may_prove(&o.text));
        let length = calls::longest(step.call, failed, proof);
        calls = calls.max(weigh::most_call(step.call.tool, failed, proof, length));
    }
    (text, calls)
}

/// The shortest part of an entry, in characters.
fn least(entry: &Entry<'static>, of: Of) -> usize {
    if summary(entry).is_some() {
        return 1;
    }
    let voice = |v: Voice| match entry.kind {
        Kind::Assistant => v == Voice::Assistant,
        _ => matches!(v, Voice::Person | Voice::Parent),
    };
    let person = entry.kind != Kind::Assistant;
    // Several texts of a person are clipped as one.
    if person
        && entry
            .texts(Voice::Person)
            .chain(entry.texts(Voice::Parent))
            .nth(1)
            .is_some()
    {
        return 1;
    }
    let pieces = entry.blocks.iter();
    let found = pieces.filter_map(|piece| match (piece, of) {
        (Piece::Said { voice: v, text }, Of::Text) if voice(*v) => Some(shortest(text, person)),
        (Piece::Image(_), Of::Text) => Some(1),
        (Piece::Call(call), Of::Text) if calls::may_quote(call) => Some(1),
        (Piece::Call(call), Of::Calls) => {
            let plain = call
                .name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'_');
            Some(if plain { call.name.len() } else { 1 })
        }
        _ => None,
    });
    found.min().unwrap_or(usize::MAX / 2)
}

/// Characters of a secret that was taken out: the least that is left of a long word.
const TAKEN_OUT: usize = 10;

/// The shortest line or sentence of a text, in characters, or fewer.
fn shortest(text: &str, person: bool) -> usize {
    let signs = Signs::of(text);
    // A long message of a person is clipped somewhere inside a line.
    if signs.odd || person && (signs.ideograph || text.split_whitespace().nth(255).is_some()) {
        return 1;
    }
    let mut least = usize::MAX / 2;
    let lines = text.lines().filter(|l| !l.trim().is_empty());
    for (n, line) in lines.enumerate() {
        if line.trim_start().starts_with(['[', '-']) {
            return 1;
        }
        // A longer line falls into its sentences.
        let stops: &[char] = match line.chars().count() <= LONG {
            true => &[],
            false => &['.', '!', '?', '。', '！', '？', '…'],
        };
        for (k, piece) in line.split(stops).enumerate() {
            // Self-talk in front of a text is cut off.
            let gone = if n < 2 && k < 2 && !person { 2 } else { 0 };
            least = least.min(surely_left(piece, gone));
        }
    }
    least
}

/// Characters of a line that are left when secrets, marks of Markdown and so many words in front are gone.
fn surely_left(piece: &str, gone: usize) -> usize {
    if piece.trim().is_empty() {
        return usize::MAX / 2;
    }
    // With self-talk its punctuation goes, also what is written to the next word: `Hmm, …가`.
    let stays = |c: &char| match gone > 0 {
        true => is_alphanumeric(*c),
        false => !matches!(c, '*' | '#'),
    };
    let size = |w: &str| w.chars().filter(stays).count();
    let left: usize = piece
        .split_whitespace()
        .filter(|w| w.contains(is_alphanumeric))
        .skip(gone)
        .map(|w| size(w).min(TAKEN_OUT) + 1)
        .sum();
    // What is quoted may be a secret of several words.
    let quoted = piece.contains(['"', '\'', '`', '“']) || piece.contains("-----");
    let left = left.saturating_sub(1);
    if quoted { left.min(TAKEN_OUT) } else { left }
}

#[cfg(test)]
mod tests {
    use super::super::{Options, pick};
    use super::*;
    use crate::session::testing::Talk as Invented;
    use crate::session::{Scope, Session};
    use proptest::prelude::*;

    /// Holds every part of a session against what was promised of its block.
    fn check(session: &Session) {
        let rules = crate::lexicon::Rules::builtin();
        let state = crate::extract::extract(session, rules);
        for scope in [Scope::Active, Scope::All] {
            let options = Options {
                scope,
                ..Options::default()
            };
            let talk = Talk::of(session, false, &state, &options);
            for b in 0..talk.blocks.len() {
                let bounds = of(&talk, b);
                for part in talk.parts(b).iter().filter(|p| !p.must) {
                    let bound = &bounds[usize::from(part.line.is_none())];
                    let cost = pick::cost(part);
                    let worth = part.value / (cost as f64 + weigh::OVERHEAD);
                    // What is not bounded at all is cut before anything else.
                    if bounds[0].worth.is_finite() {
                        assert!(
                            worth <= bound.worth,
                            "{worth} {}: {}",
                            bound.worth,
                            part.text
                        );
                        assert!(bound.least(&talk, b) < cost, "{}", part.text);
                    }
                }
            }
        }
    }

    #[test]
    fn samples_keep_what_is_promised() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/samples");
        let mut seen = 0;
        for file in std::fs::read_dir(folder).unwrap() {
            let source = crate::transcript::Source::Path(file.unwrap().path());
            if let Ok(session) = Session::read(&source, &crate::transcript::Options::default()) {
                check(&session);
                seen += 1;
            }
        }
        assert!(seen > 5);
    }

    #[test]
    fn what_goes_with_self_talk_is_not_promised() {
        let talk = Invented::in_dir("/w")
            .person("고쳐줘")
            .agent("Hmm, Hmm, …가\npassword: \\wwwwwwwww Hmm, ");
        check(&talk.session());
    }

    proptest! {
        #[test]
        fn odd_texts_keep_what_is_promised(
            texts in proptest::collection::vec("(?s)(\\\\*\\\\*|# |[-] |Hmm, |음 |[a-z]{1,9}[ .?!\\n]|[가-힣]{1,4}[ .\\n]|[0-9A-Z`>/\\\\[\\\\]]|->|→|https?://x|password: \\\\w{9,30} |[“…？。漢\u{301}\u{200b}\r]|.){0,60}", 1..6),
        ) {
            let mut talk = Invented::in_dir("/w").person("고쳐줘");
            for (n, text) in texts.iter().enumerate() {
                talk = match n % 3 {
                    0 => talk.agent(text),
                    1 => talk.person(text),
                    _ => talk.run(text, text),
                };
            }
            check(&talk.session());
        }
    }
}
