//! Choosing what is printed: the most worth for the characters there are, first message and requests always.

use super::blocks::Part;
use super::pick::{Chosen, Ranking, musts, pick};
use super::sections::{self, Room};
use super::talk::Talk;
use super::{Options, Section, Style, closing};
use crate::language::{head_tail, wrap};
use crate::state::State;

/// A gap inside a block waits for the next one until it is that long.
const GAP: usize = 20;
/// Whole blocks left out wait for the next gap when they are fewer messages than this.
const SMALL_GAP: usize = 1;

/// The brief within `ceiling` characters; `None` when even the least does not fit.
pub fn brief(state: &State, options: &Options, talk: &Talk<'_>, ceiling: usize) -> Option<String> {
    let rooms = sections::rooms(ceiling);
    for (level, room) in rooms.iter().enumerate() {
        let last = level + 1 == rooms.len();
        let frame = Frame::new(state, options, room);
        let bare = frame.with("").chars().count();
        // The sections leave room to the conversation as long as they can.
        if bare > ceiling || (!last && bare * 10 > ceiling * 7) {
            continue;
        }
        if let Some(text) = fill(&frame, options, talk, room, ceiling) {
            return Some(text);
        }
    }
    None
}

/// The smallest brief there is of the session.
pub fn least(state: &State, options: &Options, talk: &Talk<'_>) -> String {
    let [.., room] = sections::rooms(0);
    let frame = Frame::new(state, options, &room);
    let chosen = musts(talk);
    frame.with(&transcript(talk, &chosen, options, room.request))
}

/// Everything of a brief but the transcript.
struct Frame {
    before: String,
    heading: String,
    after: String,
}

impl Frame {
    fn new(state: &State, options: &Options, room: &Room) -> Frame {
        let mut before = String::new();
        for (section, body) in sections::bodies(state, options, room) {
            before.push_str(&heading(section.heading(), options.style));
            before.push_str(&body);
            before.push_str("\n\n");
        }
        let heading = match options.style {
            Style::Markdown => heading(Section::Transcript.heading(), options.style),
            Style::PiVcc => "---\n\n".to_owned(),
        };
        Frame {
            before,
            heading: if options.wants(Section::Transcript) {
                heading
            } else {
                String::new()
            },
            after: wrap(&closing(state, options), options.columns(), 2) + "\n",
        }
    }

    fn with(&self, transcript: &str) -> String {
        if transcript.is_empty() || self.heading.is_empty() {
            return format!("{}{}", self.before, self.after);
        }
        format!(
            "{}{}{transcript}\n{}",
            self.before, self.heading, self.after
        )
    }
}

/// A heading line in the style.
pub fn heading(name: &str, style: Style) -> String {
    match style {
        Style::Markdown => format!("## {name}\n"),
        Style::PiVcc => format!("[{name}]\n"),
    }
}

/// Chooses by worth for a character, prints, and takes back what turned out too much.
fn fill(
    frame: &Frame,
    options: &Options,
    talk: &Talk<'_>,
    room: &Room,
    ceiling: usize,
) -> Option<String> {
    let musts = musts(talk);
    let first = frame.with(&transcript(talk, &musts, options, room.request));
    let used = first.chars().count();
    if used > ceiling {
        return None;
    }
    if !options.wants(Section::Transcript) {
        return Some(first);
    }
    let ranking = Ranking::new(talk, &first);
    // What is said about gaps is known only afterwards, so the room is narrowed down between what surely fits and what
    // does not.
    let (mut fits, mut over, mut room_left) = (used, ceiling + ceiling / 4, ceiling);
    let mut best = first;
    for attempt in 0..TRIES {
        let chosen = pick(&ranking, &musts, used, room_left);
        let text = frame.with(&transcript(talk, &chosen, options, room.request));
        let length = text.chars().count();
        let middle = |low: usize, high: usize| low + high.saturating_sub(low) / 2;
        if length > ceiling {
            over = room_left;
            let guess = room_left.saturating_sub(length - ceiling);
            room_left = match attempt < TRIES / 2 && guess > fits {
                true => guess,
                false => middle(fits, over),
            };
            continue;
        }
        if length > best.chars().count() {
            best = text;
        }
        if ceiling - length < ENOUGH || over.saturating_sub(room_left) < 2 {
            break;
        }
        fits = room_left;
        room_left = middle(fits, over);
    }
    Some(best)
}

/// How often the choice is tried with more or less room, and how little room left over is good enough.
const TRIES: usize = 9;
const ENOUGH: usize = 40;
/// The chosen parts in order, with gaps counted in messages. Ends with a line break unless empty.
fn transcript(talk: &Talk<'_>, chosen: &Chosen, options: &Options, room: usize) -> String {
    let mut out = String::new();
    let mut gap = 0;
    let mut whole = false;
    for (b, block) in talk.blocks.iter().enumerate() {
        let members = block.members as usize;
        let flags = chosen.get(b).map_or(&[][..], Vec::as_slice);
        // Of most blocks nothing is printed, and they need not be cut to know it.
        let parts: Vec<&Part> = match flags.contains(&true) {
            true => talk.parts(b).iter().zip(flags).collect::<Vec<_>>(),
            false => Vec::new(),
        }
        .into_iter()
        .filter(|(_, f)| **f)
        .map(|(p, _)| p)
        .collect();
        if parts.is_empty() {
            gap += members;
            whole |= members > 0;
            continue;
        }
        if (whole && gap >= SMALL_GAP) || gap >= GAP {
            out.push_str(&omitted(gap));
            gap = 0;
        }
        whole = false;
        out.push_str(&block.head);
        out.push('\n');
        out.push_str(&body(talk, &parts, options, room));
        out.push('\n');
        let mut printed: Vec<u32> = parts
            .iter()
            .flat_map(|p| p.messages.iter().copied())
            .collect();
        printed.sort_unstable();
        printed.dedup();
        gap += members - printed.len().min(members);
    }
    if gap > 0 {
        out.push_str(&omitted(gap));
    }
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

fn omitted(count: usize) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("… {count} message{s} omitted …\n\n")
}

/// The lines of one block.
fn body(talk: &Talk<'_>, parts: &[&Part], options: &Options, room: usize) -> String {
    let columns = options.columns();
    let mut out = String::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        let message = part.messages.first().copied().unwrap_or(0);
        if part.line.is_none() {
            out.push_str(&wrap(&call(talk, part), columns, 2));
            out.push('\n');
            at += 1;
            continue;
        }
        let mut text = String::new();
        let mut line = None;
        let mut count = 0;
        let own = |p: &&&Part| p.must && p.messages.first() == Some(&message);
        let musts = parts.iter().filter(own).count().max(1);
        while let Some(next) = parts
            .get(at)
            .filter(|p| p.line.is_some() && p.messages.first() == Some(&message))
        {
            if !text.is_empty() {
                text.push(if line == next.line { ' ' } else { '\n' });
            }
            line = next.line;
            let clipped = if next.must {
                head_tail(&next.text, (room / musts).max(1), "\n…\n")
            } else {
                next.text.as_str().into()
            };
            text.push_str(&clipped);
            count += 1;
            at += 1;
        }
        if talk.pieces(message) > count {
            text.push_str(" …");
        }
        let known = talk.messages.get(message as usize);
        if let Some(reference) = known.and_then(|m| m.reference) {
            text.push_str(&format!(" ({reference})"));
        }
        for line in text.lines() {
            out.push_str(&wrap(line, columns, 2));
            out.push('\n');
        }
    }
    out
}

/// A call with its references: `(#12)`, `(#12, #14) x2`, of many the ends.
fn call(talk: &Talk<'_>, part: &Part) -> String {
    let refs: Vec<String> = part
        .messages
        .iter()
        .filter_map(|m| talk.messages.get(*m as usize)?.reference)
        .map(|r| r.to_string())
        .collect();
    let times = part.messages.len();
    let list = match refs.as_slice() {
        [] => String::new(),
        [a, b, c, .., z] if refs.len() > 8 => format!(" ({a}, {b}, {c}, … {z})"),
        all => format!(" ({})", all.join(", ")),
    };
    let times = if times > 1 {
        format!(" x{times}")
    } else {
        String::new()
    };
    format!("* {}{list}{times}", part.text)
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// Blocks of one message each; the first one is a must.
    pub fn talk(texts: &[(&str, f64)]) -> Talk<'static> {
        let part = |(i, (text, value)): (usize, &(&str, f64))| Part {
            messages: vec![i as u32],
            text: (*text).to_owned(),
            line: Some(0),
            value: *value,
            must: i == 0,
        };
        Talk::cut_up(texts.iter().enumerate().map(part).collect())
    }

    #[test]
    fn gaps_count_what_is_left_out() {
        let talk = talk(&[("a", 1.0), ("b", 1.0), ("c", 1.0), ("d", 1.0)]);
        let text = transcript(&talk, &musts(&talk), &Options::default(), 100);
        assert!(text.contains("… 3 messages omitted …"), "{text}");
        let all = vec![vec![true]; 4];
        assert!(!transcript(&talk, &all, &Options::default(), 100).contains("omitted"));
    }
}
