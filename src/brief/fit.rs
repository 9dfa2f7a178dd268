//! Choosing what is printed: the most worth for the characters there are, first message and requests always.

use super::sections::{self, Room};
use super::talk::{Block, Part, Talk};
use super::{Options, Section, Style, closing, weigh};
use crate::language::{head_tail, squash, wrap};
use crate::state::State;

/// Blocks shown at most, and how many at the end are preferred (SPEC 8).
const BLOCKS: usize = 80;
const LAST: usize = 16;
/// A gap inside a block waits for the next one until it is that long.
const GAP: usize = 20;
/// Whole blocks left out wait for the next gap when they are fewer messages than this.
const SMALL_GAP: usize = 1;

/// The brief within `ceiling` characters; `None` when even the least does not fit.
pub fn brief(state: &State, options: &Options, talk: &Talk, ceiling: usize) -> Option<String> {
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
pub fn least(state: &State, options: &Options, talk: &Talk) -> String {
    let rooms = sections::rooms(0);
    let room = rooms.last().copied().unwrap_or(Room {
        request: 0,
        goals: 1,
        earlier: 0,
        preferences: 0,
        outstanding: 0,
        todos: 0,
        files: 0,
        commits: 0,
    });
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

type Chosen = Vec<Vec<bool>>;

fn musts(talk: &Talk) -> Chosen {
    talk.blocks
        .iter()
        .map(|b| b.parts.iter().map(|p| p.must).collect())
        .collect()
}

fn cost(part: &Part) -> usize {
    part.text.chars().count() + 1
}

/// Chooses by worth for a character, prints, and takes back what turned out too much.
fn fill(
    frame: &Frame,
    options: &Options,
    talk: &Talk,
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
    let order: Vec<(usize, usize)> = talk
        .blocks
        .iter()
        .enumerate()
        .flat_map(|(b, block)| (0..block.parts.len()).map(move |p| (b, p)))
        .collect();
    let known = squash(&first);
    let worth = |&(b, p): &(usize, usize)| -> f64 {
        let Some(part) = part(talk, b, p) else {
            return 0.0;
        };
        let text = squash(&part.text);
        let again = text.chars().count() > WORD && known.contains(&text);
        let factor = if again { weigh::AGAIN } else { 1.0 };
        factor * part.value / (cost(part) as f64 + OVERHEAD)
    };
    let worths: Vec<f64> = order.iter().map(worth).collect();
    let mut ranked: Vec<((usize, usize), f64)> = order.into_iter().zip(worths).collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    // What is said about gaps is known only afterwards, so the room is narrowed down between what surely fits and what
    // does not.
    let (mut fits, mut over, mut room_left) = (used, ceiling + ceiling / 4, ceiling);
    let mut best = first;
    for attempt in 0..TRIES {
        let chosen = pick(talk, &musts, &ranked, used, room_left);
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

/// The best parts that cost at most `ceiling` together with the `used` characters of what always stays.
fn pick(
    talk: &Talk,
    musts: &Chosen,
    ranked: &[((usize, usize), f64)],
    mut used: usize,
    ceiling: usize,
) -> Chosen {
    let mut chosen = musts.clone();
    let mut printed = vec![false; talk.messages.len()];
    let mut open: Vec<bool> = chosen.iter().map(|b| b.contains(&true)).collect();
    let mut opened = open.iter().filter(|o| **o).count();
    for &((b, p), _) in ranked {
        let Some(part) = part(talk, b, p) else {
            continue;
        };
        if part.must {
            continue;
        }
        let fresh = !open.get(b).copied().unwrap_or(false);
        let late = b + LAST >= talk.blocks.len();
        if fresh && !late && opened >= BLOCKS - LAST {
            continue;
        }
        let header = talk.blocks.get(b).map_or(0, |b| b.head.chars().count() + 2);
        let reference: usize = part
            .messages
            .iter()
            .filter(|m| part.line.is_none() || !printed.get(**m as usize).copied().unwrap_or(true))
            .count()
            .min(4)
            * 8;
        let follows = b == 0 || open.get(b - 1).copied().unwrap_or(true);
        let more = cost(part)
            + reference
            + match (fresh, follows) {
                (false, _) => 0,
                (true, true) => header,
                (true, false) => header + GAP_LINE,
            };
        if used + more > ceiling {
            continue;
        }
        used += more;
        set(&mut chosen, b, p, true);
        if let Some(o) = open.get_mut(b) {
            opened += usize::from(!std::mem::replace(o, true));
        }
        for m in &part.messages {
            if let Some(flag) = printed.get_mut(*m as usize) {
                *flag = true;
            }
        }
    }
    chosen
}

/// About what a line about a gap takes.
const GAP_LINE: usize = 24;
/// How often the choice is tried with more or less room, and how little room left over is good enough.
const TRIES: usize = 9;
const ENOUGH: usize = 40;
/// Characters a part costs besides its text: reference, header, line break.
const OVERHEAD: f64 = 10.0;
/// Shorter texts stand somewhere by chance.
const WORD: usize = 8;

fn part(talk: &Talk, block: usize, part: usize) -> Option<&Part> {
    talk.blocks.get(block)?.parts.get(part)
}

fn set(chosen: &mut Chosen, block: usize, part: usize, to: bool) {
    if let Some(flag) = chosen.get_mut(block).and_then(|b| b.get_mut(part)) {
        *flag = to;
    }
}

/// The chosen parts in order, with gaps counted in messages. Ends with a line break unless empty.
fn transcript(talk: &Talk, chosen: &Chosen, options: &Options, room: usize) -> String {
    let mut out = String::new();
    let mut gap = 0;
    let mut counts: Vec<Vec<u32>> = vec![Vec::new(); talk.blocks.len()];
    for (i, message) in talk.messages.iter().enumerate() {
        if let Some(list) = counts.get_mut(message.block as usize) {
            list.push(i as u32);
        }
    }
    let mut whole = false;
    for (b, block) in talk.blocks.iter().enumerate() {
        let none = Vec::new();
        let flags = chosen.get(b).unwrap_or(&none);
        let parts: Vec<&Part> = block
            .parts
            .iter()
            .zip(flags)
            .filter(|(_, f)| **f)
            .map(|(p, _)| p)
            .collect();
        let members = counts.get(b).map_or(0, Vec::len);
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
        out.push_str(&body(talk, block, &parts, options, room));
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
fn body(talk: &Talk, _block: &Block, parts: &[&Part], options: &Options, room: usize) -> String {
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
        let known = talk.messages.get(message as usize);
        if known.is_some_and(|m| m.pieces > count) {
            text.push_str(" …");
        }
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
fn call(talk: &Talk, part: &Part) -> String {
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
mod tests {
    use super::super::talk::Message;
    use super::*;

    /// Blocks of one message each; the first one is a must.
    fn talk(texts: &[(&str, f64)]) -> Talk {
        let block = |(i, (text, value)): (usize, &(&str, f64))| Block {
            head: if i % 2 == 0 { "[user]" } else { "[assistant]" }.to_owned(),
            parts: vec![Part {
                messages: vec![i as u32],
                text: (*text).to_owned(),
                line: Some(0),
                value: *value,
                must: i == 0,
            }],
        };
        let message = |i: usize| Message {
            reference: None,
            block: i as u32,
            pieces: 1,
        };
        Talk {
            blocks: texts.iter().enumerate().map(block).collect(),
            messages: (0..texts.len()).map(message).collect(),
        }
    }

    fn ranked(talk: &Talk, order: &[usize]) -> Vec<((usize, usize), f64)> {
        order
            .iter()
            .filter(|b| **b < talk.blocks.len())
            .map(|b| ((*b, 0), 1.0))
            .collect()
    }

    #[test]
    fn what_is_ranked_first_takes_the_room() {
        let talk = talk(&[
            ("표를 만들어줘", 1.0),
            ("길이가 같은 답", 1.0),
            ("길이가 같은 말", 1.0),
        ]);
        let chosen = pick(&talk, &musts(&talk), &ranked(&talk, &[2, 1]), 10, 70);
        assert_eq!(chosen, [[true], [false], [true]]);
        let none = pick(&talk, &musts(&talk), &ranked(&talk, &[2, 1]), 10, 12);
        assert_eq!(none, [[true], [false], [false]]);
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
