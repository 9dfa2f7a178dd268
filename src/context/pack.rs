//! Fitting the files into one text: duplicates once, each file to its cap, then the deepest first.

use std::collections::BTreeMap;

use super::cut::{self, Body};
use super::find::Source;
use super::{Caps, File};

/// The text, what became of each file, and a word when even the names didn't fit.
pub(super) struct Packed {
    pub files: Vec<File>,
    pub text: String,
    pub notice: Option<String>,
}

/// A file on its way into the text.
struct Block<'a> {
    source: &'a Source,
    chars: u64,
    header: String,
    body: Body,
    duplicate_of: Option<&'a str>,
    /// False when not even the header fits.
    shown: bool,
}

impl Block<'_> {
    /// Characters of the block in the text; a blank line parts it from the one before.
    fn len(&self, first: bool) -> u64 {
        if self.shown {
            cut::count(&self.header) + self.body.len + u64::from(!first)
        } else {
            0
        }
    }
}

/// Packs files, given shallow before deep, into at most `caps.total` characters.
pub(super) fn pack(files: &[Source], caps: Caps) -> Packed {
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    let mut blocks: Vec<Block> = Vec::with_capacity(files.len());
    for source in files {
        let chars = cut::count(&source.text);
        // A line break more or less at the end is no other content.
        let original = *seen.entry(source.text.trim_end()).or_insert(&source.path);
        let duplicate_of = (original != source.path).then_some(original);
        let (header, body) = match duplicate_of {
            Some(original) => {
                let header = format!(
                    "Instructions from {}: the same as {original}\n",
                    source.path
                );
                (
                    header,
                    Body {
                        text: String::new(),
                        len: 0,
                        kept: 0,
                    },
                )
            }
            None if chars > caps.file => (
                header(source),
                cut::to_share(&source.text, chars, &source.path, caps.file),
            ),
            None => (header(source), cut::whole(&source.text, chars)),
        };
        blocks.push(Block {
            source,
            chars,
            header,
            body,
            duplicate_of,
            shown: true,
        });
    }
    let hidden = fit(&mut blocks, caps.total);
    let notice = (hidden > 0).then(|| {
        format!("{hidden} instruction files are not even named in the text: --total-max {} is too small", caps.total)
    });
    Packed {
        files: blocks.iter().map(report).collect(),
        text: text(&blocks),
        notice,
    }
}

fn header(source: &Source) -> String {
    format!("Instructions from {}:\n\n", source.path)
}

/// Cuts from the deepest file up until all blocks fit; how many are not even named.
fn fit(blocks: &mut [Block], total: u64) -> usize {
    let mut len: u64 = blocks
        .iter()
        .enumerate()
        .map(|(at, block)| block.len(at == 0))
        .sum();
    for at in (0..blocks.len()).rev() {
        let Some(block) = blocks.get_mut(at) else {
            continue;
        };
        if len <= total {
            return 0;
        }
        if block.duplicate_of.is_some() || block.body.kept == 0 {
            continue;
        }
        let before = block.len(at == 0);
        let share = block.body.len.saturating_sub(len - total);
        block.body = cut::to_share(&block.source.text, block.chars, &block.source.path, share);
        len = len - before + block.len(at == 0);
    }
    // A ceiling is a ceiling: when the names alone are too much, the deepest go first here too.
    let mut hidden = 0;
    for at in (0..blocks.len()).rev() {
        let Some(block) = blocks.get_mut(at) else {
            continue;
        };
        if len <= total {
            break;
        }
        len -= block.len(at == 0);
        block.shown = false;
        block.body = Body {
            text: String::new(),
            len: 0,
            kept: 0,
        };
        hidden += 1;
    }
    hidden
}

fn text(blocks: &[Block]) -> String {
    let mut text = String::new();
    for block in blocks.iter().filter(|block| block.shown) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&block.header);
        text.push_str(&block.body.text);
    }
    text
}

fn report(block: &Block) -> File {
    File {
        path: block.source.path.clone(),
        chars: block.chars,
        kept: block.body.kept,
        truncated: block.duplicate_of.is_none() && block.body.kept < block.chars,
        duplicate_of: block.duplicate_of.map(str::to_owned),
    }
}
