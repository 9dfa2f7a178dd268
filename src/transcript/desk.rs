//! The desk a format works at: it numbers records, names directories, models and lanes once, counts what it
//! did not know, and passes each entry through `clean` to the sink.

use super::{Entry, Family, Memory, Ref, Sink, formats};
use crate::clean;
use foldhash::HashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::Range;

/// Everything about a transcript that is not an entry. Complete when reading has ended.
#[derive(Debug, Default, Clone, Serialize, Deserialize)]
pub struct Transcript {
    pub family: Family,
    pub id: Option<String>,
    pub title: Option<String>,
    /// Where the session was started.
    pub cwd: Option<String>,
    /// The last branch named; `HEAD` and empty ones are none.
    pub branch: Option<String>,
    /// Models in the order they first answered.
    pub models: Vec<String>,
    /// Working directories that entries name by index.
    pub dirs: Vec<String>,
    /// Conversations: 0 is the main one (id empty), the others side chains by their own agent id.
    pub lanes: Vec<String>,
    /// Times as written, of the first and last record.
    pub started: Option<String>,
    pub ended: Option<String>,
    /// The window (tokens) where the transcript itself names one.
    pub window: Option<u64>,
    /// Settings of the main conversation as they changed, and once more after each mark.
    #[serde(skip)]
    pub settings: Vec<Setting>,
    /// The file is a sub-agent's: its prompts are its parent's words.
    pub child: bool,
    /// For each [`Entry::seq`]: whether it is on the active branch of its lane.
    #[serde(skip)]
    pub active: Vec<bool>,
    /// The same by reference number, for numbered entries.
    pub messages: u32,
    pub injected: u32,
    pub input: Input,
    /// A record needed one that was let go of (see [`Sink::fold`]): nothing that was read counts.
    #[serde(skip)]
    pub lost: bool,
}

impl Transcript {
    /// For a part of the entries: with their flags alone, and without settings, which nobody asks a part for.
    pub fn part(&mut self, places: Range<usize>) -> Transcript {
        // Both may be as long as the file.
        let active = std::mem::take(&mut self.active);
        let settings = std::mem::take(&mut self.settings);
        let mut part = self.clone();
        part.active = active.get(places).unwrap_or_default().to_vec();
        (self.active, self.settings) = (active, settings);
        part
    }
}

/// A setting the host recorded, from the entry `seq` on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    pub seq: u32,
    /// `branch`, `permission mode`, `thinking level`.
    pub what: &'static str,
    pub value: String,
}

/// What reading met (CONTRACT 3, `input`).
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Records that were read.
    pub records: u64,
    /// Damaged lines; blank ones are none.
    pub skipped: u64,
    /// Numbers of the damaged lines, from 1; at most [`Input::LISTED`] are listed.
    pub skipped_lines: Vec<u64>,
    /// Records that were mended: half a character, a raw control character.
    pub repaired: u64,
    /// 1 when the last line is cut off: not yet written rather than damaged.
    pub pending: u64,
    /// Records whose parent is missing or part of a cycle.
    pub stitched: u64,
    /// Record types the format does not know, with their counts.
    pub unknown: BTreeMap<String, u64>,
}

impl Input {
    /// How many damaged lines are listed by number.
    pub const LISTED: usize = 1000;
}

/// What settings are called.
const SETTINGS: [&str; 3] = ["branch", "permission mode", "thinking level"];

/// So many names of a list are looked through before the index is asked.
const NEAR: usize = 4;

/// Numbering, interning and passing on.
pub struct Desk<'s> {
    sink: &'s mut dyn Sink,
    pub session: Transcript,
    /// The line being read, from 1.
    pub line: u32,
    /// Settings stated since the last mark.
    stated: Vec<&'static str>,
    /// Where in `session.settings` each setting was stated last.
    latest: Vec<(&'static str, usize)>,
    /// Places of names that were met, where there are too many to look through.
    known: HashMap<(Names, String), u16>,
    /// The first place that the sink still has.
    from: u32,
}

/// Lists of names that entries point into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Names {
    Dirs,
    Models,
    Lanes,
}

/// What the desk gave an entry: its place in the sequence and its reference.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Place {
    pub seq: u32,
    pub number: Option<Ref>,
}

impl<'s> Desk<'s> {
    /// At the beginning of a file.
    pub fn new(sink: &'s mut dyn Sink, family: Family) -> Desk<'s> {
        let session = Transcript {
            family,
            lanes: vec![String::new()],
            ..Transcript::default()
        };
        Desk {
            sink,
            session,
            line: 0,
            stated: Vec::new(),
            latest: Vec::new(),
            known: HashMap::default(),
            from: 0,
        }
    }

    /// As it was when that was remembered.
    pub fn recall(sink: &'s mut dyn Sink, memory: &Memory) -> Desk<'s> {
        let mut desk = Desk::new(sink, memory.head.family);
        desk.session = memory.head.clone();
        desk.from = memory.from;
        let active = memory.active.bytes().map(|b| b == b'1');
        desk.session.active = vec![true; memory.from as usize];
        desk.session.active.extend(active);
        let lists = [
            (Names::Dirs, &desk.session.dirs),
            (Names::Models, &desk.session.models),
            (Names::Lanes, &desk.session.lanes),
        ];
        for (names, list) in lists {
            let places = list.iter().cloned().zip(0..=u16::MAX);
            // The main lane has no name.
            let named = places.filter(|(name, _)| !name.is_empty());
            desk.known
                .extend(named.map(|(name, at)| ((names, name), at)));
        }
        for (what, value) in &memory.latest {
            let Some(&what) = SETTINGS.iter().find(|s| *s == what) else {
                continue;
            };
            desk.latest.push((what, desk.session.settings.len()));
            desk.session.settings.push(Setting {
                seq: 0,
                what,
                value: value.clone(),
            });
        }
        let known = SETTINGS
            .iter()
            .filter(|s| memory.stated.iter().any(|m| m == *s));
        desk.stated.extend(known);
        desk
    }

    /// Tells the sink what reading could go on from.
    pub fn rest(&mut self, format: &dyn formats::Format, lines: u64, bytes: u64) {
        let Desk {
            sink,
            session,
            stated,
            latest,
            from,
            ..
        } = self;
        let active = session.active.get(*from as usize..).unwrap_or_default();
        sink.rest(&|| {
            let value = |&(what, at): &(&'static str, usize)| {
                let setting = session.settings.get(at)?;
                Some((what.to_owned(), setting.value.clone()))
            };
            Some(Memory {
                bytes,
                lines,
                from: *from,
                head: session.clone(),
                active: active.iter().map(|a| if *a { '1' } else { '0' }).collect(),
                stated: stated.iter().map(|s| (*s).to_owned()).collect(),
                latest: latest.iter().filter_map(value).collect(),
                format: format.remember()?,
            })
        });
    }

    fn pass(&mut self, mut entry: Entry<'_>, place: Place) -> Place {
        entry.seq = place.seq;
        entry.number = place.number;
        if entry.line == 0 {
            entry.line = self.line;
        }
        clean::entry(&mut entry);
        self.sink.entry(entry);
        place
    }

    fn next(&mut self, number: Option<Ref>) -> Place {
        let seq = self.session.active.len() as u32;
        self.session.active.push(true);
        Place { seq, number }
    }

    /// A message record: the next `#N`. It is active until the format says otherwise.
    pub fn message(&mut self, entry: Entry<'_>) -> Place {
        let number = Ref::Message(self.session.messages);
        self.session.messages += 1;
        let place = self.next(Some(number));
        self.pass(entry, place)
    }

    /// A further row of a message that has its number already.
    pub fn again(&mut self, place: Place, entry: Entry<'_>) {
        self.pass(entry, place);
    }

    /// See [`Sink::withdraw`].
    pub fn withdraw(&mut self, place: Place) {
        self.sink.withdraw(place);
    }

    /// An injected record: the next `#cN`.
    pub fn injected(&mut self, entry: Entry<'_>) -> Place {
        let number = Ref::Injected(self.session.injected);
        self.session.injected += 1;
        let place = self.next(Some(number));
        self.pass(entry, place)
    }

    /// A boundary or another event without a number.
    pub fn mark(&mut self, entry: Entry<'_>) -> Place {
        self.stated.clear();
        let place = self.next(None);
        self.pass(entry, place)
    }

    /// Whether the sink would like to let go of what is old.
    pub fn due(&self) -> bool {
        self.sink.due()
    }

    /// See [`Sink::fold`].
    pub fn fold(&mut self, may: &dyn Fn(u32) -> bool) -> Option<u32> {
        let from = self.sink.fold(&mut self.session, may)?;
        self.from = from;
        Some(from)
    }

    /// The first place that the sink still has.
    pub fn from(&self) -> u32 {
        self.from
    }

    /// See [`Sink::lost`].
    pub fn lost(&self) -> bool {
        self.sink.lost()
    }

    /// Whether the entry is on the active branch.
    pub fn set_active(&mut self, seq: u32, active: bool) {
        if let Some(slot) = self.session.active.get_mut(seq as usize) {
            *slot = active;
        }
    }

    /// Notes a directory, the first one as that of the session; gives its place in the list, `None` for an empty name.
    pub fn dir(&mut self, dir: &str) -> Option<u16> {
        if self.session.cwd.is_none() && !dir.is_empty() {
            self.session.cwd = Some(dir.to_owned());
        }
        self.intern(Names::Dirs, dir)
    }

    /// Notes a model; gives its place in the list, `None` for an empty name.
    pub fn model(&mut self, model: &str) -> Option<u16> {
        self.intern(Names::Models, model)
    }

    /// The number of a conversation beside the main one, which is 0.
    pub fn lane(&mut self, id: &str) -> u16 {
        self.name(Names::Lanes, id).unwrap_or(u16::MAX)
    }

    fn intern(&mut self, names: Names, name: &str) -> Option<u16> {
        if name.is_empty() {
            return None;
        }
        self.name(names, name)
    }

    /// The place of a name in its list, which it enters if it is new; `None` when the list is full.
    fn name(&mut self, names: Names, name: &str) -> Option<u16> {
        let list = match names {
            Names::Dirs => &mut self.session.dirs,
            Names::Models => &mut self.session.models,
            Names::Lanes => &mut self.session.lanes,
        };
        // Sessions name few of them, and the last one is nearly always the one. The first lane is the main one.
        let from = usize::from(names == Names::Lanes);
        let recent = list.len().saturating_sub(NEAR).max(from);
        let place = |i: usize| u16::try_from(i).ok();
        if let Some(i) = (recent..list.len()).rev().find(|&i| list[i] == name) {
            return place(i);
        }
        let key = (names, name.to_owned());
        if let Some(&i) = self.known.get(&key) {
            return Some(i);
        }
        if list.len() >= usize::from(u16::MAX) {
            return None;
        }
        let new = place(list.len())?;
        list.push(name.to_owned());
        self.known.insert(key, new);
        Some(new)
    }

    /// Notes the branch that is checked out now; a detached `HEAD` is none.
    pub fn branch(&mut self, branch: &str) {
        if !branch.is_empty() && branch != "HEAD" && self.session.branch.as_deref() != Some(branch)
        {
            self.session.branch = Some(branch.to_owned());
        }
        if branch != "HEAD" {
            self.setting("branch", branch);
        }
    }

    /// Notes a setting of the main conversation; the same value again is noted once after each mark, so that
    /// the value before a compaction can be compared with the one after.
    pub fn setting(&mut self, what: &'static str, value: &str) {
        if value.is_empty() {
            return;
        }
        let latest = self.latest.iter().position(|(w, _)| *w == what);
        let last = latest.and_then(|l| self.session.settings.get(self.latest.get(l)?.1));
        let stated = self.stated.contains(&what);
        if stated && last.is_some_and(|s| s.value == value) {
            return;
        }
        if !stated {
            self.stated.push(what);
        }
        let place = self.session.settings.len();
        match latest.and_then(|l| self.latest.get_mut(l)) {
            Some(latest) => latest.1 = place,
            None => self.latest.push((what, place)),
        }
        let seq = self.session.active.len() as u32;
        self.session.settings.push(Setting {
            seq,
            what,
            value: value.to_owned(),
        });
    }

    /// Notes a record's time as written.
    pub fn time(&mut self, written: &str) {
        // Cheap, since every record has one: a time begins with its year.
        let year = written.as_bytes().get(..5);
        let is_time =
            year.is_some_and(|y| y.ends_with(b"-") && y[..4].iter().all(u8::is_ascii_digit));
        if !is_time {
            return;
        }
        if self.session.started.is_none() {
            self.session.started = Some(written.to_owned());
        }
        match &mut self.session.ended {
            Some(last) => {
                last.clear();
                last.push_str(written);
            }
            None => self.session.ended = Some(written.to_owned()),
        }
    }

    /// A record of a type the format does not know. At most 1,000 kinds are told apart.
    pub fn unknown(&mut self, kind: &str) {
        let unknown = &mut self.session.input.unknown;
        if let Some(count) = unknown.get_mut(kind) {
            *count += 1;
        } else if unknown.len() < 1000 {
            unknown.insert(kind.chars().take(80).collect(), 1);
        }
    }
}

#[cfg(test)]
mod tests;
