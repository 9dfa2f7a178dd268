//! Opening messages by their number: whole, or one file of them.

use super::index::Note;
use super::reference::{Lines, Part, Reference};
use super::{Role, body, files, shown};
use crate::language::visible;
use crate::transcript::{Block, Call, Entry, Kind, Outcome, Place, Ref, Sink};
use std::collections::{BTreeMap, HashMap};

/// Most of one file that is printed, in bytes.
const MOST: usize = 50 * 1024;

/// A message, opened.
#[derive(Debug, Default)]
pub struct Message {
    note: Note,
    parts: Vec<String>,
    pub files: Vec<String>,
    /// What belongs to each file of its calls.
    shares: Vec<Share>,
    /// The calls it made, in few words, and where their results stand.
    pub title: Option<String>,
}

/// A text of a message that belongs to a file.
#[derive(Debug)]
struct Share {
    /// The message in which the text stands.
    of: Ref,
    files: Vec<String>,
    text: String,
}

/// The sink that keeps the messages asked for.
pub struct Open<'q> {
    wanted: &'q [Reference],
    raw: bool,
    pub found: BTreeMap<Ref, Message>,
    /// For each call: the message it stands in, its files and a title.
    calls: HashMap<String, Asked>,
}

struct Asked {
    number: Ref,
    files: Vec<String>,
    title: String,
}

impl<'q> Open<'q> {
    pub fn new(wanted: &'q [Reference], raw: bool) -> Open<'q> {
        Open {
            wanted,
            raw,
            found: BTreeMap::new(),
            calls: HashMap::new(),
        }
    }

    fn is_wanted(&self, number: Ref) -> bool {
        self.wanted.iter().any(|w| w.number == number)
    }

    fn call(&mut self, number: Ref, call: &Call<'_>) {
        let asked = Asked {
            number,
            files: files::of_call(call),
            title: body::title(call, self.raw),
        };
        if let Some(message) = self.found.get_mut(&number) {
            for file in &asked.files {
                files::add(&mut message.files, file);
            }
            message.shares.push(Share {
                of: number,
                files: asked.files.clone(),
                text: contents(call),
            });
        }
        if !call.id.is_empty() {
            self.calls.insert(call.id.to_string(), asked);
        }
    }

    /// A result belongs to the file its call names, in its own message and in the one that made the call.
    fn result(&mut self, number: Ref, outcome: &Outcome<'_>) {
        let Some(asked) = self.calls.get(outcome.call.as_ref()) else {
            return;
        };
        let places = [Some(number), Some(asked.number).filter(|&n| n != number)];
        for at in places.into_iter().flatten() {
            let Some(message) = self.found.get_mut(&at) else {
                continue;
            };
            message.shares.push(Share {
                of: number,
                files: asked.files.clone(),
                text: outcome.text.to_string(),
            });
            if at == number {
                for file in &asked.files {
                    files::add(&mut message.files, file);
                }
                message.title.get_or_insert_with(|| asked.title.clone());
            }
        }
    }
}

impl Sink for Open<'_> {
    fn withdraw(&mut self, place: Place) {
        if self.raw {
            return;
        }
        for message in self.found.values_mut() {
            message.shares.retain(|s| Some(s.of) != place.number);
        }
        let message = place.number.and_then(|n| self.found.get_mut(&n));
        if let Some(message) = message {
            message.parts.clear();
            message.files.clear();
        }
    }

    fn entry(&mut self, entry: Entry<'_>) {
        let Some(number) = entry.number else {
            return;
        };
        let wanted = self.is_wanted(number);
        if wanted {
            let message = self.found.entry(number).or_default();
            message.note.meet(&entry);
        }
        for block in &entry.blocks {
            match block {
                Block::Call(call) => self.call(number, call),
                Block::Result(outcome) => self.result(number, outcome),
                _ => {}
            }
            if !wanted {
                continue;
            }
            // Formats that pass on the images of a result need no count of them.
            let text = match block {
                Block::Result(outcome)
                    if outcome.images > 0
                        && entry.blocks.iter().any(|b| matches!(b, Block::Image(_))) =>
                {
                    body::opened(&Block::Result(Box::new(Outcome {
                        images: 0,
                        ..outcome.as_ref().clone()
                    })))
                }
                block => body::opened(block),
            };
            let Some(message) = self.found.get_mut(&number) else {
                continue;
            };
            if let Some(text) = text {
                let text = shown(&text, self.raw);
                if matches!(block, Block::Said { .. }) && entry.kind != Kind::System {
                    files::named(&text, &mut message.files);
                }
                message.parts.push(text.into_owned());
            }
        }
    }
}

impl Message {
    pub fn role(&self) -> Role {
        self.note.role()
    }

    /// Everything it says.
    pub fn text(&self) -> String {
        self.parts.join("\n\n")
    }

    /// One file of it.
    ///
    /// # Errors
    /// What to ask for instead, when the message has nothing of that file.
    pub fn part(&self, part: &Part, raw: bool) -> Result<String, String> {
        let mut texts: Vec<&str> = Vec::new();
        for share in &self.shares {
            if share.files.iter().any(|f| files::is_named(f, &part.path))
                && !share.text.trim().is_empty()
            {
                texts.push(&share.text);
            }
        }
        if texts.is_empty() {
            let mut known: Vec<&str> = Vec::new();
            for file in self.shares.iter().flat_map(|s| &s.files) {
                if !known.contains(&file.as_str()) {
                    known.push(file);
                }
            }
            return Err(if known.is_empty() {
                "it touches no file".to_owned()
            } else {
                format!("its files are {}", known.join(", "))
            });
        }
        let text = texts.join("\n\n");
        let text = crate::language::nfc(&text);
        let text = visible(&text);
        Ok(lines(&shown(&text, raw), part))
    }
}

/// The lines asked for, and how many are left.
fn lines(text: &str, part: &Part) -> String {
    let all: Vec<&str> = text.lines().collect();
    let (from, count) = match part.lines {
        Lines::Preview => (0, super::PREVIEW),
        Lines::All => (0, usize::MAX),
        Lines::From(line, count) => (line.saturating_sub(1), count.unwrap_or(usize::MAX)),
    };
    let mut out = String::new();
    let mut shown = 0;
    for line in all.iter().skip(from).take(count) {
        if out.len() + line.len() + 1 > MOST {
            break;
        }
        if shown > 0 {
            out.push('\n');
        }
        out.push_str(line);
        shown += 1;
    }
    if shown == 0 && from < all.len() {
        // One line longer than everything allowed: its beginning.
        let line = all.get(from).copied().unwrap_or_default();
        out.push_str(&crate::language::clip_chars(line, MOST / 4));
        shown = 1;
    }
    let end = from.min(all.len()) + shown;
    if end < all.len() {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!(
            "… {} of {} lines left; go on with :{}:{}",
            all.len() - end,
            all.len(),
            part.path,
            end + 1
        ));
    }
    out
}

/// What a call says about its file: every argument but the path itself.
fn contents(call: &Call<'_>) -> String {
    let json = call.args.json();
    if !json.is_object() {
        return call.args.as_str().to_owned();
    }
    let path = crate::transcript::tools::path(&json);
    let mut texts = Vec::new();
    for (_, value) in json.fields() {
        match value.str() {
            Some(text) if Some(&text) == path.as_ref() || text.is_empty() => {}
            Some(text) => texts.push(text.into_owned()),
            None if value.is_array() || value.is_object() => texts.push(value.raw().to_owned()),
            None => {}
        }
    }
    texts.join("\n")
}
