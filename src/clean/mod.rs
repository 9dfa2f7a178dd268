//! What a person did *not* say is taken away here: wrappers of the host, reminders, command echoes,
//! notifications, skill manuals. Every format's entries pass through on their way to a sink, so nothing behind
//! this room has to know a wrapper. What a person *meant* is judged elsewhere.

mod wrappers;

pub use wrappers::{Speech, speech};

use crate::prune::stub;
use crate::transcript::{Block, Entry, Voice};
use std::borrow::Cow;

/// Splits the person's words of an entry from what the host put around them. A block that holds both becomes two.
pub fn entry(entry: &mut Entry<'_>) {
    images(entry);
    let touched = |b: &Block<'_>| matches!(b, Block::Said { voice: Voice::Person | Voice::Parent, text } if wrappers::suspicious(text));
    if entry.blocks.iter().any(touched) {
        let blocks = std::mem::take(&mut entry.blocks);
        for block in blocks {
            match block {
                Block::Said {
                    voice: voice @ (Voice::Person | Voice::Parent),
                    text,
                } if wrappers::suspicious(&text) => {
                    let Speech {
                        said,
                        aside,
                        summary,
                    } = speech(&text);
                    if let Some(aside) = aside {
                        entry.say(
                            if summary {
                                Voice::Summary
                            } else {
                                Voice::Harness
                            },
                            aside,
                        );
                    }
                    if let Some(said) = said {
                        entry.say(voice, said);
                    }
                }
                other => entry.blocks.push(other),
            }
        }
    }
    for block in &mut entry.blocks {
        if let Block::Said { text, .. } = block
            && let Cow::Owned(composed) = crate::language::nfc(text)
        {
            *text = Cow::Owned(composed);
        }
    }
}
/// Lines that `compact prune` put in the place of a person's images are images, not words.
fn images(entry: &mut Entry<'_>) {
    let marked = |b: &Block<'_>| matches!(b, Block::Said { voice: Voice::Person | Voice::Parent, text } if stub::has_image(text));
    if !entry.blocks.iter().any(marked) {
        return;
    }
    for block in std::mem::take(&mut entry.blocks) {
        match block {
            Block::Said { voice, text } if text.lines().any(stub::is_image) => {
                let (marks, words): (Vec<&str>, Vec<&str>) =
                    text.lines().partition(|l| stub::is_image(l));
                entry.say(voice, words.join("\n"));
                let image = || Block::Image(Box::new(crate::transcript::Image::default()));
                entry.blocks.extend(marks.iter().map(|_| image()));
            }
            block => entry.blocks.push(block),
        }
    }
}
