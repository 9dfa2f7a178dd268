//! The conversation as blocks (`[user]`, `[assistant]`, …) of parts: lines and sentences of text, calls.
//!
//! A part is the smallest thing that is printed or left out. Which ones are printed is `fit`'s choice.

use super::{Options, Scope, calls, plain, weigh};
use crate::language::{clip, head_tail_words, sentences};
use crate::lexicon::{Group, Rules};
use crate::session::Session;
use crate::state::State;
use crate::transcript::tools::Tool;
use crate::transcript::{Block as Piece, Entry, Image, Kind, Mark, Ref, Voice};

/// Words of a person's message, of an assistant's (head, tail), of an injected one (SPEC 1.10 T1, T4).
const PERSON_WORDS: usize = 256;
const ASSISTANT_WORDS: (usize, usize) = (80, 120);
const CLOSING_WORDS: (usize, usize) = (120, 120);
const NOTICE_WORDS: (usize, usize) = (25, 40);
const NOTICE_LINE: usize = 200;
/// A line longer than this is taken apart into sentences.
const LONG_LINE: usize = 160;

/// One `[user]`, `[assistant]`, … group.
pub struct Block {
    pub head: String,
    pub parts: Vec<Part>,
}

/// A piece of a message.
pub struct Part {
    /// Ordinals (in [`Talk::messages`]) of the messages it stands for: one, or several for folded calls.
    pub messages: Vec<u32>,
    pub text: String,
    /// For text: which line of the message it is from. Calls have none.
    pub line: Option<u32>,
    pub value: f64,
    /// Stays whatever the ceiling.
    pub must: bool,
}

/// The conversation, cut up.
pub struct Talk {
    pub blocks: Vec<Block>,
    /// Every message that counts, in order, with the block it belongs to; injected and empty ones are none.
    pub messages: Vec<Message>,
}

/// A message that is either printed or counted as omitted.
pub struct Message {
    pub reference: Option<Ref>,
    pub block: u32,
    /// How many parts were made of its text: fewer printed ones mean a cut.
    pub pieces: u32,
}

struct Builder<'s> {
    session: &'s Session,
    talk: Talk,
    home: Option<String>,
    /// The message that closes a turn: its text is the answer.
    closing: Vec<bool>,
    latest: Option<Ref>,
    first_seen: bool,
}

impl Talk {
    /// Blocks before neighbours are joined: each message's text, each call. What the default ceiling grows with.
    pub fn size(&self) -> usize {
        let calls = self.blocks.iter().flat_map(|b| &b.parts);
        let calls = calls.filter(|p| p.line.is_none()).map(|p| p.messages.len());
        self.messages.iter().filter(|m| m.pieces > 0).count() + calls.sum::<usize>()
    }

    /// Cuts the conversation up.
    pub fn of(session: &Session, state: &State, options: &Options) -> Talk {
        let lane = session.main_lane();
        let entries: Vec<&Entry<'static>> = match options.scope {
            Scope::Active => session.active().collect(),
            Scope::All => session.lane(lane).collect(),
        };
        let entries = kept(&entries, options.keep);
        let newest_summary = entries.iter().rposition(|e| summary(e).is_some());
        let mut builder = Builder {
            session,
            talk: Talk {
                blocks: Vec::new(),
                messages: Vec::new(),
            },
            home: session.head.cwd.as_deref().and_then(home),
            closing: closing(entries),
            latest: state
                .latest_request
                .as_ref()
                .map(|r| r.reference)
                .or_else(|| state.goal.first().map(|g| g.reference)),
            first_seen: false,
        };
        for (at, entry) in entries.iter().enumerate() {
            if let Some(text) = summary(entry) {
                builder.summary(entry, text, Some(at) == newest_summary);
            } else {
                builder.entry(entry, at);
            }
        }
        weigh::place(&mut builder.talk);
        builder.talk
    }
}

/// Without the last `keep` human turns.
fn kept<'a>(entries: &'a [&'a Entry<'static>], keep: usize) -> &'a [&'a Entry<'static>] {
    if keep == 0 {
        return entries;
    }
    let turns: Vec<usize> = entries
        .iter()
        .enumerate()
        .filter(|(_, e)| crate::session::is_human_turn(e))
        .map(|(i, _)| i)
        .collect();
    let cut = turns.len().checked_sub(keep).and_then(|i| turns.get(i));
    // Fewer turns than are kept: everything stays with the host.
    entries.get(..cut.copied().unwrap_or(0)).unwrap_or_default()
}

/// The summary a compaction or a branch left, if the entry is one.
fn summary<'e>(entry: &'e Entry<'static>) -> Option<&'e str> {
    match &entry.mark {
        Some(Mark::Compaction(c)) => c.summary.as_deref(),
        Some(Mark::Branch { summary }) => Some(summary),
        _ => entry.texts(Voice::Summary).next(),
    }
}

/// For each entry: whether its text is the last an assistant says before a person speaks again.
fn closing(entries: &[&Entry<'static>]) -> Vec<bool> {
    let mut flags = vec![false; entries.len()];
    let mut open = true;
    for (i, entry) in entries.iter().enumerate().rev() {
        if crate::session::is_human_turn(entry) {
            open = true;
        } else if entry.kind == Kind::Assistant
            && open
            && entry.texts(Voice::Assistant).next().is_some()
        {
            if let Some(flag) = flags.get_mut(i) {
                *flag = true;
            }
            open = false;
        }
    }
    flags
}

/// `/home/NAME` or `/Users/NAME` in front of the working directory.
pub fn home(cwd: &str) -> Option<String> {
    let mut parts = cwd.split('/');
    let (first, place, name) = (parts.next()?, parts.next()?, parts.next()?);
    (first.is_empty() && matches!(place, "home" | "Users") && !name.is_empty())
        .then(|| format!("/{place}/{name}"))
}

/// A path as short as it can be said: relative to the working directory, else to the home.
pub fn short_path(path: &str, cwd: Option<&str>, home: Option<&str>) -> String {
    let inside = |base: &str| {
        let rest = path.strip_prefix(base.trim_end_matches('/'))?;
        rest.strip_prefix('/').map(str::to_owned)
    };
    let path_text = cwd
        .filter(|c| c.len() > 1)
        .and_then(inside)
        .or_else(|| home.and_then(inside).map(|rest| format!("~/{rest}")))
        .unwrap_or_else(|| path.to_owned());
    plain::line(path_text.strip_prefix("./").unwrap_or(&path_text))
}

impl Builder<'_> {
    fn entry(&mut self, entry: &Entry<'static>, at: usize) {
        match entry.kind {
            Kind::User | Kind::Tool => self.person(entry),
            Kind::Assistant => self.assistant(entry, at),
            Kind::Bash => self.bash(entry),
            Kind::Custom => self.custom(entry),
            Kind::System | Kind::Mark => {}
        }
    }

    /// The block for what comes next, a new one unless it goes on.
    fn block(&mut self, head: &str) -> u32 {
        let goes_on = head != "[user]"
            && self
                .talk
                .blocks
                .last()
                .is_some_and(|block| block.head == head);
        if !goes_on {
            self.talk.blocks.push(Block {
                head: head.to_owned(),
                parts: Vec::new(),
            });
        }
        (self.talk.blocks.len() - 1) as u32
    }

    fn message(&mut self, entry: &Entry<'static>, head: &str) -> u32 {
        let block = self.block(head);
        self.talk.messages.push(Message {
            reference: entry.number,
            block,
            pieces: 0,
        });
        (self.talk.messages.len() - 1) as u32
    }

    fn push(&mut self, message: u32, text: String, line: Option<u32>, value: f64, must: bool) {
        let text = plain::neutral(&text).replace("**", "");
        if text.trim().is_empty() {
            return;
        }
        if line.is_some()
            && let Some(m) = self.talk.messages.get_mut(message as usize)
        {
            m.pieces += 1;
        }
        if let Some(block) = self.talk.blocks.last_mut() {
            block.parts.push(Part {
                messages: vec![message],
                text,
                line,
                value,
                must,
            });
        }
    }

    fn person(&mut self, entry: &Entry<'static>) {
        if !crate::session::is_human_turn(entry) && entry.texts(Voice::Parent).next().is_none() {
            return;
        }
        let message = self.message(entry, "[user]");
        let first = !std::mem::replace(&mut self.first_seen, true);
        let latest = entry.number.is_some() && entry.number == self.latest;
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
        if first {
            // The first message is one part: it stays, and is clipped as one.
            let text = text
                .lines()
                .map(|l| plain::neutral(l))
                .collect::<Vec<_>>()
                .join("\n");
            self.push(message, text, Some(0), 1000.0, true);
            return;
        }
        let lines = text.lines().enumerate();
        let all: Vec<(usize, &str)> = lines
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
    }

    fn assistant(&mut self, entry: &Entry<'static>, at: usize) {
        let closing = self.closing.get(at).copied().unwrap_or(false);
        let last = closing && self.closing.iter().rposition(|c| *c) == Some(at);
        let (head, tail) = if closing {
            CLOSING_WORDS
        } else {
            ASSISTANT_WORDS
        };
        let mut message = None;
        let mut base = 0;
        for (i, piece) in entry.blocks.iter().enumerate() {
            match piece {
                Piece::Said {
                    voice: Voice::Assistant,
                    text,
                } => {
                    let text = plain::shown(text);
                    let text = without_self_talk(&text);
                    let id = *message.get_or_insert_with(|| self.message(entry, "[assistant]"));
                    base = self.prose(id, text, (closing, last), base);
                }
                Piece::Image(_) => {
                    message.get_or_insert_with(|| self.message(entry, "[assistant]"));
                }
                Piece::Call(_) => {
                    let id = *message.get_or_insert_with(|| self.message(entry, "[assistant]"));
                    self.call(entry, i, id);
                    // A plan is put before the person: it is said, not done.
                    if let Some(plan) = plan(piece) {
                        base = self.prose(id, &plain::shown(&plan), (true, false), base);
                    }
                }
                _ => {}
            }
        }
        if let Some(id) = message {
            self.shorten(id, head + tail);
            self.images(entry, id, false);
        }
    }

    /// Keeps the lines of a message that are worth most, at most so many words of it (SPEC 1.10 T1).
    fn shorten(&mut self, message: u32, words: usize) {
        let Some(block) = self.talk.blocks.last_mut() else {
            return;
        };
        let count = |part: &Part| {
            crate::language::words::pieces(&part.text)
                .filter(|p| !stops(&crate::language::clip::bare(p.text)))
                .count()
        };
        // Its own parts stand at the end of the block, which may be as long as the session.
        let others = block
            .parts
            .iter()
            .rposition(|p| p.messages.first().is_none_or(|m| *m < message));
        let from = others.map_or(0, |at| at + 1);
        let mut own: Vec<(usize, usize, f64)> = block
            .parts
            .iter()
            .enumerate()
            .skip(from)
            .filter(|(_, p)| p.line.is_some() && p.messages.first() == Some(&message))
            .map(|(i, p)| (i, count(p), p.value / (p.text.chars().count() as f64 + 6.0)))
            .collect();
        if own.iter().map(|o| o.1).sum::<usize>() <= words {
            return;
        }
        own.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        let mut room = words;
        let mut out = std::collections::BTreeSet::new();
        for (at, size, _) in own {
            match room.checked_sub(size) {
                Some(rest) => room = rest,
                None => {
                    out.insert(at);
                }
            }
        }
        let rest = block.parts.split_off(from);
        let kept = rest
            .into_iter()
            .enumerate()
            .filter(|(i, _)| !out.contains(&(from + i)))
            .map(|(_, part)| part);
        block.parts.extend(kept);
    }

    /// Lines of an assistant's text as parts; gives the number of the next line.
    fn prose(&mut self, message: u32, text: &str, (closing, last): (bool, bool), base: u32) -> u32 {
        let mut fenced = false;
        let mut number = base;
        for line in text.lines() {
            number += 1;
            if line.trim_start().starts_with("```") {
                fenced = !fenced;
                continue;
            }
            if is_ruler(line) {
                continue;
            }
            for piece in pieces(line) {
                let value = weigh::prose(piece, closing, last, fenced);
                self.push(message, piece.to_owned(), Some(number), value, false);
            }
        }
        number
    }

    fn call(&mut self, entry: &Entry<'static>, block: usize, message: u32) {
        let Some(step) = self.session.step_at(entry, block) else {
            return;
        };
        if calls::is_noise(&step) || calls::is_recall(&step) {
            return;
        }
        let cwd = self.session.dir_of(entry).map(str::to_owned);
        let home = self.home.clone();
        let root = self.session.head.cwd.clone();
        let short = move |path: &str| {
            let inner = short_path(path, root.as_deref(), None);
            if inner == path {
                short_path(path, cwd.as_deref(), home.as_deref())
            } else {
                inner
            }
        };
        let line = calls::line(&step, &short);
        // Neighbours that are equal fold; noise between them does not count.
        if let Some(part) = self.talk.blocks.last_mut().and_then(|b| b.parts.last_mut())
            && part.line.is_none()
            && part.text == line.text
        {
            part.messages.push(message);
            return;
        }
        let value = weigh::call(&step, &line);
        if let Some(block) = self.talk.blocks.last_mut() {
            block.parts.push(Part {
                messages: vec![message],
                text: line.text,
                line: None,
                value,
                must: false,
            });
        }
    }

    fn bash(&mut self, entry: &Entry<'static>) {
        let message = self.message(entry, "[bash]");
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

    fn custom(&mut self, entry: &Entry<'static>) {
        if entry.texts(Voice::Person).next().is_some() {
            self.person(entry);
            return;
        }
        let (name, hidden) = entry
            .custom
            .as_ref()
            .map_or(("notice", false), |c| (c.name.as_ref(), c.hidden));
        let text = entry
            .blocks
            .iter()
            .filter_map(|b| match b {
                Piece::Said { text, .. } => Some(text.as_ref()),
                _ => None,
            })
            .collect::<Vec<_>>()
            .join("\n");
        if text.trim().is_empty() {
            return;
        }
        let head = format!("[custom:{}]", plain::line(name).replace(['[', ']'], ""));
        let message = self.message(entry, &head);
        self.notice(message, &text, hidden, 5.0);
    }

    /// First line whole, the rest head and tail (SPEC 1.10 T4).
    fn notice(&mut self, message: u32, text: &str, first_only: bool, value: f64) {
        let text = plain::shown(text);
        let mut lines = text.trim().lines();
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

    /// What another compaction wrote: context. Only the newest is shown, older ones are in it.
    fn summary(&mut self, entry: &Entry<'static>, text: &str, newest: bool) {
        let message = self.message(entry, "[custom:summary]");
        if newest {
            self.notice(message, text, false, 4.0);
        }
    }

    /// One line for the images of an entry (SPEC 6.4).
    fn images(&mut self, entry: &Entry<'static>, message: u32, person: bool) {
        let images: Vec<&Image<'static>> = entry
            .blocks
            .iter()
            .filter_map(|b| match b {
                Piece::Image(image) => Some(image),
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

/// `image attached: NAME WxH MIME (K KB)`.
fn image(image: &Image<'_>) -> String {
    let mut parts = Vec::new();
    if let Some(name) = &image.name {
        parts.push(plain::line(name));
    }
    if let Some((w, h)) = image.size {
        parts.push(format!("{w}x{h}"));
    }
    if let Some(mime) = &image.mime {
        parts.push(plain::line(mime));
    }
    if let Some(bytes) = image.bytes {
        parts.push(format!("({} KB)", bytes.div_ceil(1024).max(1)));
    }
    if parts.is_empty() {
        "image attached".to_owned()
    } else {
        format!("image attached: {}", parts.join(" "))
    }
}

/// The text of a plan that a call submits.
fn plan(piece: &Piece<'static>) -> Option<String> {
    match piece {
        Piece::Call(call) if call.tool == Tool::Plan => {
            let args = call.args.json();
            args.get("plan")?.str().map(|t| t.into_owned())
        }
        _ => None,
    }
}

fn stops(word: &str) -> bool {
    Rules::builtin().is_word(Group::StopWords, word)
}

fn clipped(text: &str, head: usize, tail: usize) -> String {
    head_tail_words(text, head, tail, stops, |n| format!("… {n} words …"))
}

/// Rules and table rulers: `---`, `|---|:--|`.
fn is_ruler(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || (line.len() >= 3
            && line
                .chars()
                .all(|c| matches!(c, '-' | '|' | ':' | ' ' | '=' | '─' | '*')))
}

/// A line, or its sentences when it is long.
fn pieces(line: &str) -> Vec<&str> {
    if line.trim().is_empty() {
        return Vec::new();
    }
    if line.chars().count() <= LONG_LINE {
        return vec![line.trim_end()];
    }
    sentences(line).collect()
}

/// Without "음, " and "Hmm, " in front, at most twice (SPEC 1.10 T2).
fn without_self_talk(text: &str) -> &str {
    let mut text = text.trim_start();
    for _ in 0..2 {
        let end = text
            .find(|c: char| !c.is_alphanumeric())
            .unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        let korean = word.chars().any(crate::language::script::is_hangul);
        let stop = rest.starts_with([',', '.', '!', '?', '…', '—', ':', '~', ';'])
            || (korean && rest.starts_with(' '));
        if word.is_empty() || !stop || !is_self_talk(word) || rest.trim().chars().count() < 2 {
            break;
        }
        text = rest.trim_start_matches(|c: char| {
            c.is_whitespace() || matches!(c, ',' | '.' | '!' | '?' | '…' | '—' | ':' | '~' | ';')
        });
    }
    text
}

fn is_self_talk(word: &str) -> bool {
    // A Korean word stands anywhere for the vocabulary (`어제` holds `어`): only the whole word counts here.
    Rules::builtin()
        .hits(Group::SelfTalk, word)
        .iter()
        .any(|hit| hit.range == (0..word.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn self_talk_goes_only_before_a_stop() {
        for (text, want) in [
            ("음, 잠깐 캐시가 원인입니다.", "캐시가 원인입니다."),
            ("Hmm, wait. The cache is stale.", "The cache is stale."),
            ("so-called fix landed", "so-called fix landed"),
            ("Wait for the CI to finish", "Wait for the CI to finish"),
            ("어제 배포가 원인입니다.", "어제 배포가 원인입니다."),
        ] {
            assert_eq!(without_self_talk(text), want, "{text}");
        }
    }

    #[test]
    fn paths_are_short() {
        let (cwd, home) = (Some("/home/u/w"), Some("/home/u"));
        assert_eq!(short_path("/home/u/w/src/a.rs", cwd, home), "src/a.rs");
        assert_eq!(short_path("/home/u/n.md", cwd, home), "~/n.md");
        assert_eq!(short_path("/home/user/n.md", cwd, home), "/home/user/n.md");
    }
}
