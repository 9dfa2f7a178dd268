//! Reading a session and measuring it on the way: a digest keeps less than it was given.

use super::pairs::Skeleton;
use crate::session::{Digest, Session};
use crate::transcript::{
    Block, Entry, Options, Place, Sink, Source, Transcript, read, read::read_from,
};
use anyhow::Result;
use std::io::Read;

/// A session, and of its file what the session doesn't keep.
pub struct Measured {
    pub session: Session,
    /// Characters of everything said, called and answered.
    pub chars: u64,
    pub skeleton: Skeleton,
}

#[derive(Default)]
struct Measuring {
    digest: Digest,
    chars: u64,
    skeleton: Skeleton,
}

impl Sink for Measuring {
    fn withdraw(&mut self, place: Place) {
        self.digest.withdraw(place);
    }

    fn entry(&mut self, entry: Entry<'_>) {
        let chars = |block: &Block<'_>| match block {
            Block::Said { text, .. } => text.chars().count(),
            Block::Call(call) => call.args.as_str().chars().count(),
            Block::Result(outcome) => outcome.text.chars().count(),
            Block::Thinking { .. } | Block::Image(_) => 0,
        };
        self.chars += entry.blocks.iter().map(chars).sum::<usize>() as u64;
        self.skeleton.add(&entry);
        self.digest.entry(entry);
    }
}

impl Measuring {
    fn finish(mut self, head: Transcript) -> Measured {
        self.skeleton.skipped = head.input.skipped;
        Measured {
            session: self.digest.finish(head),
            chars: self.chars,
            skeleton: self.skeleton,
        }
    }
}

/// The session, measured.
///
/// # Errors
/// As [`read()`].
pub fn session(source: &Source, options: &Options<'_>) -> Result<Measured> {
    let mut sink = Measuring::default();
    let head = read(source, options, &mut sink)?;
    Ok(sink.finish(head))
}

/// The session that a reader gives.
///
/// # Errors
/// As [`read_from`].
pub fn session_from(input: &mut (dyn Read + Send), options: &Options<'_>) -> Result<Session> {
    let mut digest = Digest::default();
    let head = read_from(input, "slice", options, &mut digest)?;
    Ok(digest.finish(head))
}
