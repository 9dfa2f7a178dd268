//! What was said and done, by whom: session files of every agent read into one model.
//!
//! [`read`](read::read) finds out which agent wrote the bytes, splits them into records, lets that agent's
//! format translate each record into [`Entry`] values, has `clean` take away what no person said, and hands
//! each entry to a [`Sink`] while the file is still being read. A format only translates: what an entry means
//! is decided elsewhere.

mod batch;
pub mod desk;
pub mod detect;
mod family;
pub mod formats;
mod head;
mod image;
pub mod memory;
pub mod model;
pub mod read;
pub mod stub;
mod tool;
pub mod tools;

pub use desk::{Desk, Input, Place, Setting, Transcript};
pub use family::Family;
pub use image::{is_damaged, picture};
pub use memory::Memory;
pub use model::*;
pub use read::{Options, Source, read};

/// Takes entries in file order as they are read.
///
/// Rows of one message arrive as several entries with the same [`Entry::number`]; a sink that keeps messages
/// appends the later rows' blocks to the first one.
pub trait Sink {
    /// The next entry, or a further row of an earlier one.
    fn entry(&mut self, entry: Entry<'_>);

    /// What that entry said and showed was taken out of the conversation and is not to be printed any more; what
    /// stands in its place follows as further rows.
    fn withdraw(&mut self, _place: Place) {}

    /// Whether so much has come that the sink would like to let go of what is old (see `fold`).
    fn due(&self) -> bool {
        false
    }

    /// Lets go of what came before a place that `may` allows; gives the first place that is still there.
    fn fold(&mut self, _head: &mut Transcript, _may: &dyn Fn(u32) -> bool) -> Option<u32> {
        None
    }

    /// Whether an entry needed one that was let go of: the file has to be read anew by a sink that keeps all.
    fn lost(&self) -> bool {
        false
    }

    /// What reading could go on from is told at the end of the last whole line.
    fn rest(&mut self, _reader: &dyn Fn() -> Option<Memory>) {}
}

/// Any closure is a sink.
impl<F: FnMut(Entry<'_>)> Sink for F {
    fn entry(&mut self, entry: Entry<'_>) {
        self(entry)
    }
}
