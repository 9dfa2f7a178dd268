//! The most that a part of an uncut block can be worth, and the least that it can be long, told from its raw texts.
//!
//! Cutting a text is dear: secrets, sentences, vocabulary. Of a long session a hundred blocks of thousands are printed,
//! and nearly all others can be seen to be worth less by signs that are found at memory speed. Whatever cannot be told
//! cheaply counts in favour of the block; a test holds the bounds against what the parts turn out to be worth.

use super::talk::{ASSISTANT, Block, Talk, USER, summary};
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

/// Signs of a text that weighing looks for, found byte by byte; where in the text they stand is left open.
#[derive(Debug, Clone, Copy, Default)]
pub struct Signs {
    /// Holds what is changed before it is shown, or may be: control characters, unusual scripts.
    pub odd: bool,
    pub digit: bool,
    pub code: bool,
    /// A word that names something exactly may be among the words.
    pub name: bool,
    pub arrow: bool,
    pub link: bool,
    pub question: bool,
    pub ideograph: bool,
    /// Characters of Markdown that a line may lose.
    pub marks: usize,
}

// Classes of bytes.
const ODD: u16 = 1;
const DIGIT: u16 = 1 << 1;
const CODE: u16 = 1 << 2;
const NAME: u16 = 1 << 3;
const ARROW: u16 = 1 << 4;
const QUESTION: u16 = 1 << 5;
const IDEOGRAPH: u16 = 1 << 6;
const MARK: u16 = 1 << 7;
/// Lead bytes whose further bytes decide.
const LEAD: u16 = 1 << 8;
const STOP: u16 = 1 << 9;
const UPPER: u16 = 1 << 10;

static CLASSES: [u16; 256] = classes();

const fn classes() -> [u16; 256] {
    let mut table = [0; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = match b as u8 {
            b'\n' | b'\t' => 0,
            0..=0x1f | 0x7f => ODD,
            b'0'..=b'9' => DIGIT,
            b'A'..=b'Z' => UPPER,
            b'`' => CODE,
            b'/' | b'_' | b'=' => NAME,
            b'.' => STOP,
            b'>' => ARROW,
            b'?' => QUESTION,
            b'*' | b'#' => MARK,
            // Punctuation, Kana and jamo, rare Hangul, wide forms.
            0xe2 | 0xe3 | 0xea | 0xed | 0xef => LEAD,
            0xe4..=0xe9 => IDEOGRAPH,
            // Emoji.
            0xf0 => 0,
            0x20..=0x7e | 0x80..=0xbf | 0xeb | 0xec => 0,
            _ => ODD,
        };
        b += 1;
    }
    table
}

impl Signs {
    pub fn of(text: &str) -> Signs {
        let bytes = text.as_bytes();
        let mut all = 0;
        for byte in bytes {
            all |= CLASSES[*byte as usize];
        }
        let has = |class: u16| all & class != 0;
        let mut signs = Signs {
            odd: has(ODD),
            digit: has(DIGIT),
            code: has(CODE),
            name: has(NAME) || has(DIGIT),
            arrow: has(ARROW) && text.contains("->"),
            link: memchr::memmem::find(bytes, b"http").is_some(),
            question: has(QUESTION),
            ideograph: has(IDEOGRAPH),
            marks: 0,
        };
        if has(STOP) && !signs.name {
            // A full stop at the end of a word names nothing.
            signs.name = memchr::memchr_iter(b'.', bytes)
                .any(|at| bytes.get(at + 1).is_some_and(|b| !b.is_ascii_whitespace()));
        }
        if has(UPPER) && !signs.name {
            let camel = |w: &[u8]| w[0].is_ascii_lowercase() && w[1].is_ascii_uppercase();
            signs.name = bytes.windows(2).any(camel);
        }
        if has(MARK) {
            let bold = memchr::memmem::find_iter(bytes, b"**").count();
            signs.marks = 2 * bold
                + if memchr::memchr(b'#', bytes).is_some() {
                    16
                } else {
                    8
                };
        }
        if has(LEAD) {
            signs.lead(bytes);
        }
        signs
    }

    /// Looks at the characters whose first byte does not tell enough.
    fn lead(&mut self, bytes: &[u8]) {
        for (at, byte) in bytes.iter().enumerate() {
            if CLASSES[*byte as usize] & LEAD == 0 {
                continue;
            }
            let (second, third) = match bytes.get(at + 1..at + 3) {
                Some([second, third]) => (*second, *third),
                _ => (0, 0),
            };
            match (*byte, second, third) {
                // Direction marks and line separators are taken out.
                (0xe2, 0x80, 0x8e | 0x8f | 0xa8..=0xae) | (0xe2, 0x81, _) => self.odd = true,
                (0xe2, 0x86, _) => self.arrow = true,
                (0xe2, ..) => {}
                // Ideographic comma and full stop; jamo typed alone.
                (0xe3, 0x80, 0x81 | 0x82) | (0xe3, 0x84, 0xb0..) | (0xe3, 0x85, _) => {}
                (0xea, 0xb0.., _) | (0xed, ..=0x9d, _) | (0xed, 0x9e, ..=0xa3) => {}
                (0xef, 0xbc, _) => self.question = true,
                _ => self.odd = true,
            }
        }
    }
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
                    let worth = part.value / (cost as f64 + pick::OVERHEAD);
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
