//! Cuts the entries of a block into its parts: a person's message, an assistant's text and calls, notices, images.

mod answer;
mod ends;

use super::blocks::{Block, Cut, Part, USER, closing, head, summary};
use super::lines::{clipped, image, pieces, stops};
use super::paths::{home, short_path};
use super::{calls, plain, weigh};
use crate::language::{clip, head_tail_words};
use crate::session::Session;
use crate::state::State;
use crate::transcript::{Block as Piece, Entry, Image, Kind, Ref, Voice};

/// Words of a person's message (SPEC 1.10 T1).
const PERSON_WORDS: usize = 256;
/// Words of an injected message behind its first line, from its head and from its tail (SPEC 1.10 T4).
const NOTICE_WORDS: (usize, usize) = (25, 40);
/// Characters of its first line.
const NOTICE_LINE: usize = 200;

/// What is known of the conversation as a whole when one of its blocks is cut.
pub struct Cutter<'s> {
    pub session: &'s Session,
    home: Option<String>,
    /// The message that closes a turn: its text is the answer.
    closing: Vec<bool>,
    /// The last of them.
    last: Option<usize>,
    pub latest: Option<Ref>,
    /// The first message of a person.
    first: Option<usize>,
    pub newest_summary: Option<usize>,
}

/// Cuts the entries of one block one after the other.
struct Knife<'c, 's> {
    of: &'c Cutter<'s>,
    /// Ordinal of the block's first message.
    first: u32,
    cut: Cut,
}

impl<'s> Cutter<'s> {
    /// For these entries, nothing cut yet.
    pub fn new(
        session: &'s Session,
        spoken: bool,
        state: &State,
        entries: &[&'s Entry<'static>],
    ) -> Cutter<'s> {
        let closing = closing(entries);
        let person = |e: &&Entry<'static>| head(e).is_some_and(|h| h == USER);
        Cutter {
            session,
            home: session.head.cwd.as_deref().and_then(home),
            last: closing.iter().rposition(|c| *c),
            closing,
            latest: state
                .latest_request
                .as_ref()
                .map(|r| r.reference)
                .or_else(|| state.goal.first().map(|g| g.reference)),
            first: match spoken {
                true => None,
                false => entries.iter().position(person),
            },
            newest_summary: entries.iter().rposition(|e| summary(e).is_some()),
        }
    }

    /// Whether the message at this place closes a turn, and whether it is the last that does.
    pub fn closes(&self, at: usize) -> (bool, bool) {
        let closing = self.closing.get(at).copied().unwrap_or(false);
        (closing, self.last == Some(at))
    }

    /// For entries behind which others follow, although they are not here.
    pub fn goes_on(mut self) -> Cutter<'s> {
        self.last = None;
        self
    }

    /// The parts of a block.
    pub fn cut(&self, entries: &[&'s Entry<'static>], block: &Block) -> Cut {
        let mut knife = Knife {
            of: self,
            first: block.first,
            cut: Cut::default(),
        };
        let range = block.entries.clone();
        let own = entries.get(range.clone()).unwrap_or_default();
        for (entry, at) in own.iter().zip(range) {
            if head(entry).is_some() {
                knife.entry(entry, at);
            }
        }
        knife.cut
    }
}

impl Knife<'_, '_> {
    /// Cuts one entry that is a message; `at` is its place among the entries.
    fn entry(&mut self, entry: &Entry<'static>, at: usize) {
        self.cut.pieces.push(0);
        let message = self.first + self.cut.pieces.len() as u32 - 1;
        if let Some(text) = summary(entry) {
            // What another compaction wrote: context. Only the newest is shown, older ones are in it.
            if self.of.newest_summary == Some(at) {
                self.notice(message, text, false, 4.0);
            }
            return;
        }
        match entry.kind {
            Kind::User | Kind::Tool => self.person(entry, message, at),
            Kind::Assistant => self.assistant(entry, message, at),
            Kind::Bash => self.bash(entry, message),
            Kind::Custom => self.custom(entry, message, at),
            Kind::System | Kind::Mark => {}
        }
    }

    fn push(&mut self, message: u32, text: String, line: Option<u32>, value: f64, must: bool) {
        let text = plain::neutral(&text).replace("**", "");
        if text.trim().is_empty() {
            return;
        }
        if line.is_some()
            && let Some(pieces) = self.cut.pieces.last_mut()
        {
            *pieces += 1;
        }
        self.cut.parts.push(Part {
            messages: vec![message],
            text,
            line,
            value,
            must,
        });
    }

    fn person(&mut self, entry: &Entry<'static>, message: u32, at: usize) {
        let first = self.of.first == Some(at);
        let latest = entry.number.is_some() && entry.number == self.of.latest;
        self.images(entry, message, true);
        let text = entry
            .texts(Voice::Person)
            .chain(entry.texts(Voice::Parent))
            .collect::<Vec<_>>()
            .join("\n");
        let text = plain::shown(&text);
        let text = head_tail_words(&text, PERSON_WORDS / 2, PERSON_WORDS / 2, stops, |n| {
            format!("… {n} words …")
        });
        let lines: Vec<&str> = text.lines().collect();
        // The first message stays: a short one whole, a long one with both its ends.
        let (head, tail) = match first {
            true => ends::ends(&lines),
            false => (0, lines.len()),
        };
        if head > 0 {
            self.stays(message, lines.get(..head).unwrap_or_default(), 0);
        }
        let middle = lines.get(head..tail).unwrap_or_default();
        let all: Vec<(usize, &str)> = (head..)
            .zip(middle)
            .flat_map(|(i, line)| pieces(line).into_iter().map(move |p| (i, p)))
            .collect();
        for (at, (line, piece)) in all.iter().enumerate() {
            let spot = weigh::Spot {
                at,
                of: all.len(),
                latest,
            };
            let value = weigh::person(piece, spot);
            self.push(
                message,
                (*piece).to_owned(),
                Some(*line as u32),
                value,
                false,
            );
        }
        if tail < lines.len() {
            self.stays(message, lines.get(tail..).unwrap_or_default(), tail);
        }
    }

    /// Lines that are printed whatever the ceiling, clipped as one.
    fn stays(&mut self, message: u32, lines: &[&str], number: usize) {
        let lines: Vec<_> = lines.iter().map(|l| plain::neutral(l)).collect();
        self.push(message, lines.join("\n"), Some(number as u32), 1000.0, true);
    }

    fn call(&mut self, entry: &Entry<'static>, block: usize, message: u32) {
        let session = self.of.session;
        let Some(step) = session.step_at(entry, block) else {
            return;
        };
        if calls::is_noise(&step) || calls::is_recall(&step) {
            return;
        }
        let home = self.of.home.as_deref();
        let short = |path: &str| {
            let inner = short_path(path, session.head.cwd.as_deref(), None);
            if inner == path {
                short_path(path, session.dir_of(entry), home)
            } else {
                inner
            }
        };
        let line = calls::line(&step, &short);
        // Neighbours that are equal fold; noise between them does not count.
        let parts = &mut self.cut.parts;
        if let Some(part) = parts.last_mut()
            && part.line.is_none()
            && part.text == line.text
        {
            part.messages.push(message);
            return;
        }
        let value = weigh::call(&step, &line);
        parts.push(Part {
            messages: vec![message],
            text: line.text,
            line: None,
            value,
            must: false,
        });
        // Further lines of a document stand behind the call as quotes: not said, yet what was worked out.
        for (i, quote) in line.written.iter().flat_map(|l| pieces(l)).enumerate() {
            let value = weigh::written(quote);
            parts.push(Part {
                messages: vec![message],
                text: plain::neutral(&format!("> {quote}")).into_owned(),
                line: Some(10_000 + i as u32),
                value,
                must: false,
            });
        }
    }

    fn bash(&mut self, entry: &Entry<'static>, message: u32) {
        for (i, piece) in entry.blocks.iter().enumerate() {
            match piece {
                Piece::Call(_) => self.call(entry, i, message),
                Piece::Said { text, .. } => {
                    let text = plain::line(text);
                    let text = clip(&text, NOTICE_LINE).into_owned();
                    self.push(message, text, Some(i as u32), 6.0, false);
                }
                _ => {}
            }
        }
    }

    fn custom(&mut self, entry: &Entry<'static>, message: u32, at: usize) {
        if entry.texts(Voice::Person).next().is_some() {
            self.person(entry, message, at);
            return;
        }
        let hidden = entry.custom.as_ref().is_some_and(|c| c.hidden);
        let text = entry
            .blocks
            .iter()
            .filter_map(|b| match b {
                Piece::Said { text, .. } => Some(text.as_ref()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n");
        self.notice(message, &text, hidden, 5.0);
    }

    /// First line that says something whole, the rest head and tail (SPEC 1.10 T4).
    fn notice(&mut self, message: u32, text: &str, first_only: bool, value: f64) {
        let text = plain::shown(text);
        // A tag alone says nothing of what it holds.
        let mut lines = text.trim().lines().skip_while(|l| is_tag(l));
        let first = plain::line(lines.next().unwrap_or_default());
        self.push(
            message,
            clip(&first, NOTICE_LINE).into_owned(),
            Some(0),
            value,
            false,
        );
        // A summary of summaries says the same many times.
        let mut seen = std::collections::BTreeSet::new();
        let rest = lines
            .filter(|l| seen.insert(l.trim()))
            .collect::<Vec<_>>()
            .join("\n");
        if first_only || rest.trim().is_empty() {
            return;
        }
        let (head, tail) = NOTICE_WORDS;
        let rest = clipped(&rest, head, tail);
        for (i, line) in rest
            .lines()
            .enumerate()
            .filter(|(_, l)| !l.trim().is_empty())
        {
            let value = weigh::prose(line, false, false, false) * 0.5;
            self.push(message, line.to_owned(), Some(i as u32 + 1), value, false);
        }
    }

    /// One line for the images of an entry (SPEC 6.4).
    fn images(&mut self, entry: &Entry<'static>, message: u32, person: bool) {
        let images: Vec<&Image<'static>> = entry
            .blocks
            .iter()
            .filter_map(|b| match b {
                Piece::Image(image) => Some(image.as_ref()),
                _ => None,
            })
            .collect();
        let text = match images.as_slice() {
            [] => return,
            [one] => image(one),
            many if many.iter().all(|i| i.name.is_none()) => {
                format!("{} image(s) attached", many.len())
            }
            many => many.iter().map(|i| image(i)).collect::<Vec<_>>().join(", "),
        };
        let value = if person { 8.0 } else { 2.0 };
        self.push(message, format!("[{text}]"), Some(0), value, false);
    }
}

/// Whether a line is nothing but a tag: `<system-reminder>`.
fn is_tag(line: &str) -> bool {
    let inside = line
        .trim()
        .strip_prefix('<')
        .and_then(|l| l.strip_suffix('>'));
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | ':' | '.');
    inside.is_some_and(|l| !l.is_empty() && l.trim_start_matches('/').chars().all(name))
}

#[cfg(test)]
mod tests;
