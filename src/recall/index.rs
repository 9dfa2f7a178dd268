//! One pass over a session: what ranking needs of each message, and the excerpt of those that match. The texts
//! themselves are not kept.

use super::query::{Mode, Search};
use super::terms::Find;
use super::{Role, body, excerpt, files, shown};
use crate::session::own;
use crate::transcript::{Block, Entry, Kind, Millis, Place, Ref, Sink, Voice};
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher, Hasher};
use std::ops::Range;

/// What is kept of a message. Places in [`Index::notes`] are [`Entry::seq`].
#[derive(Debug, Clone, Default)]
pub struct Note {
    pub number: Option<Ref>,
    kind: Option<Kind>,
    person: bool,
    aside: bool,
    result: bool,
    /// Something of it may be shown as a hit.
    pub listed: bool,
    pub time: Option<Millis>,
    /// Length in words, characters and as a hash of everything searched.
    pub words: u32,
    pub chars: u32,
    pub hash: u64,
    pub hit: Option<Box<Match>>,
}

/// A message that matches.
#[derive(Debug, Clone, Default)]
pub struct Match {
    /// For each term: how often, weighted by how well it fits.
    pub counts: Vec<f32>,
    /// For each term: how often its letters stand inside other words.
    pub faint: Vec<u32>,
    pub literal: bool,
    pub excerpt: String,
    quality: Quality,
    /// The call that the best part belongs to, in a few words.
    pub title: Option<String>,
    pub files: Vec<String>,
}

/// How good a place in the text is to be shown: literal, distinct terms, their weight.
type Quality = (bool, u32, f32);

impl Note {
    pub fn role(&self) -> Role {
        match self.kind {
            Some(Kind::Assistant) => Role::Assistant,
            Some(Kind::Tool) => Role::Tool,
            Some(Kind::System) | None => Role::System,
            Some(Kind::Bash) => Role::Bash,
            Some(Kind::User) if self.person || !(self.aside || self.result) => Role::User,
            Some(Kind::User) if self.result => Role::Tool,
            Some(_) => Role::Custom,
        }
    }

    pub fn meet(&mut self, entry: &Entry<'_>) {
        if self.number.is_none() {
            self.number = entry.number;
            self.kind = Some(entry.kind);
            self.time = entry.time;
        }
        for block in &entry.blocks {
            match block {
                Block::Said {
                    voice: Voice::Person | Voice::Parent,
                    ..
                }
                | Block::Image(_) => self.person = true,
                Block::Said { .. } => self.aside = true,
                Block::Result(_) => self.result = true,
                _ => {}
            }
        }
        // A picture in a result is the tool's.
        if self.result && entry.texts(Voice::Person).next().is_none() {
            self.person &= entry.kind != Kind::User || entry.results().next().is_none();
        }
    }
}

/// The sink.
pub struct Index<'q> {
    /// `None` lists messages without a search.
    search: Option<&'q Search>,
    context: Option<usize>,
    raw: bool,
    pub notes: Vec<Note>,
    calls: HashMap<String, Asked>,
    /// Ids of calls that ran recall itself.
    own: HashSet<String>,
    hasher: foldhash::fast::FixedState,
}

/// What a result has to know of its call.
struct Asked {
    title: String,
    files: Vec<String>,
}

/// Finds beyond this many in one text no longer move its excerpt.
const FINDS: usize = 4096;
/// Width of the place that is shown, in bytes.
const WINDOW: usize = 400;

impl<'q> Index<'q> {
    pub fn new(search: Option<&'q Search>, context: Option<usize>, raw: bool) -> Index<'q> {
        Index {
            search,
            context,
            raw,
            notes: Vec::new(),
            calls: HashMap::new(),
            own: HashSet::new(),
            hasher: foldhash::fast::FixedState::with_seed(0),
        }
    }

    fn block(&mut self, note: &mut Note, block: &Block<'_>, own_entry: bool) {
        match block {
            Block::Call(call) if own::is_recall(call) => {
                self.own.insert(call.id.to_string());
                return;
            }
            Block::Call(call) => {
                let asked = Asked {
                    title: body::title(call, self.raw),
                    files: files::of_call(call),
                };
                self.calls.insert(call.id.to_string(), asked);
            }
            Block::Result(outcome)
                if (outcome.call.is_empty() && own_entry)
                    || (!outcome.call.is_empty() && self.own.contains(outcome.call.as_ref())) =>
            {
                return;
            }
            _ => {}
        }
        let Some(text) = body::searched(block) else {
            note.listed |= matches!(block, Block::Image(_));
            return;
        };
        note.listed = true;
        let mut hasher = self.hasher.build_hasher();
        hasher.write_u64(note.hash);
        hasher.write(text.trim().as_bytes());
        note.hash = hasher.finish();
        let chars = text.trim().chars().count();
        note.chars = note
            .chars
            .saturating_add(u32::try_from(chars).unwrap_or(u32::MAX));
        note.words = note.words.saturating_add(words(&text));
        match self.search {
            Some(search) => self.look(search, note, block, &text),
            None if note.hit.is_none() => {
                let text = shown(&text, self.raw);
                let mut hit = Match {
                    excerpt: excerpt::head(&text),
                    ..Match::default()
                };
                self.describe(&mut hit, block, &text);
                note.hit = Some(Box::new(hit));
            }
            None => {}
        }
    }

    fn look(&self, search: &Search, note: &mut Note, block: &Block<'_>, text: &str) {
        let seen = Seen::of(search, text);
        if !seen.any() || (search.mode == Mode::Literal && seen.literal.is_none()) {
            return;
        }
        let hit = note.hit.get_or_insert_with(|| {
            Box::new(Match {
                counts: vec![0.0; search.terms.len()],
                faint: vec![0; search.terms.len()],
                ..Match::default()
            })
        });
        for find in &seen.finds {
            if let Some(count) = hit.counts.get_mut(find.term) {
                *count += find.weight;
            }
            if let Some(count) = hit.faint.get_mut(find.term) {
                *count += 1;
            }
        }
        hit.literal |= seen.literal.is_some();
        let (place, quality) = seen.place();
        if hit.excerpt.is_empty() || quality > hit.quality {
            hit.quality = quality;
            let safe = shown(text, self.raw);
            hit.excerpt = match &safe {
                std::borrow::Cow::Borrowed(text) => excerpt::around(text, &place, self.context),
                std::borrow::Cow::Owned(text) => {
                    let place = Seen::of(search, text).place().0;
                    excerpt::around(text, &place, self.context)
                }
            };
            self.describe(hit, block, &safe);
        } else {
            let title = hit.title.take();
            self.describe(hit, block, &shown(text, self.raw));
            hit.title = title;
        }
    }

    /// Files and title of a part that matches.
    fn describe(&self, hit: &mut Match, block: &Block<'_>, text: &str) {
        match block {
            Block::Said { .. } => {
                files::named(text, &mut hit.files);
                hit.title = None;
            }
            Block::Call(call) => {
                if let Some(asked) = self.calls.get(call.id.as_ref()) {
                    hit.title = Some(asked.title.clone());
                    asked
                        .files
                        .iter()
                        .for_each(|f| files::add(&mut hit.files, f));
                }
            }
            Block::Result(outcome) => {
                let asked = self.calls.get(outcome.call.as_ref());
                hit.title = asked.map(|a| a.title.clone());
                for file in asked.iter().flat_map(|a| &a.files) {
                    files::add(&mut hit.files, file);
                }
                for change in &outcome.side.changes {
                    files::add(&mut hit.files, &change.path);
                }
            }
            _ => {}
        }
    }
}

impl Sink for Index<'_> {
    fn withdraw(&mut self, place: Place) {
        let note = self.notes.get_mut(place.seq as usize);
        if let Some(note) = note.filter(|_| !self.raw) {
            (note.words, note.chars, note.hash, note.hit) = (0, 0, 0, None);
        }
    }

    fn entry(&mut self, entry: Entry<'_>) {
        let seq = entry.seq as usize;
        if entry.number.is_none() {
            return;
        }
        if self.notes.len() <= seq {
            self.notes.resize_with(seq + 1, Note::default);
        }
        let Some(slot) = self.notes.get_mut(seq) else {
            return;
        };
        let mut note = std::mem::take(slot);
        note.meet(&entry);
        let own_entry = entry.calls().any(own::is_recall);
        if entry.kind != Kind::System {
            for block in &entry.blocks {
                self.block(&mut note, block, own_entry);
            }
        }
        if let Some(slot) = self.notes.get_mut(seq) {
            *slot = note;
        }
    }
}

/// What stands where in one text.
struct Seen {
    finds: Vec<Find>,
    literal: Option<Range<usize>>,
}

impl Seen {
    fn of(search: &Search, text: &str) -> Seen {
        // An empty match is no match; the first one that is not empty is enough.
        let literal = search
            .literal
            .as_ref()
            .and_then(|r| r.find_iter(text).take(1000).find(|m| !m.is_empty()))
            .map(|m| m.range());
        let mut finds = Vec::new();
        search.terms.finds(text, |find| {
            if finds.len() < FINDS {
                finds.push(find);
            }
        });
        Seen { finds, literal }
    }

    fn any(&self) -> bool {
        self.literal.is_some() || !self.finds.is_empty()
    }

    /// The best place and how good it is: the literal match, else where most different words stand together.
    fn place(&self) -> (Range<usize>, Quality) {
        if let Some(range) = &self.literal {
            return (range.clone(), (true, 0, 0.0));
        }
        let mut best = (0..0, (false, 0, -1.0));
        let mut first = 0;
        // Terms are few (see `terms`), so a set of them is a bit mask; windows are narrow, so it is made anew.
        for (last, find) in self.finds.iter().enumerate() {
            while self
                .finds
                .get(first)
                .is_some_and(|f| f.range.start + WINDOW < find.range.end)
            {
                first += 1;
            }
            let window = self
                .finds
                .get(first.max(last.saturating_sub(64))..=last)
                .unwrap_or_default();
            let (mut strong, mut weight) = (0u32, 0.0f32);
            for f in window {
                if f.weight > 0.0 {
                    strong |= 1 << (f.term % 32);
                    weight = weight.max(f.weight);
                }
            }
            let quality = (false, strong.count_ones(), weight);
            if quality > best.1 {
                let start = window.first().map_or(find.range.start, |f| f.range.start);
                best = (start..find.range.end, quality);
            }
        }
        best
    }
}

/// Words by blanks: exact enough to compare lengths, and fast.
fn words(text: &str) -> u32 {
    let mut blank = true;
    let mut count = 0u32;
    for b in text.bytes() {
        let now = b.is_ascii_whitespace();
        count += u32::from(blank && !now);
        blank = now;
    }
    count
}
