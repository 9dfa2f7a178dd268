//! What was said and done, by whom: session files of every agent read into one model.
//!
//! [`read`](read::read) finds out which agent wrote the bytes, splits them into records, lets that agent's
//! format translate each record into [`Entry`] values, has `clean` take away what no person said, and hands
//! each entry to a [`Sink`] while the file is still being read. A format only translates: what an entry means
//! is decided elsewhere.

mod batch;
pub mod desk;
pub mod detect;
pub mod formats;
mod image;
pub mod model;
pub mod read;
pub mod tools;

pub use desk::{Desk, Input, Place, Setting, Transcript};
pub use detect::Family;
pub use image::picture;
pub use model::*;
pub use read::{Options, Source, read};

/// Takes entries in file order as they are read.
///
/// Rows of one message arrive as several entries with the same [`Entry::number`]; a sink that keeps messages
/// appends the later rows' blocks to the first one.
pub trait Sink {
    fn entry(&mut self, entry: Entry<'_>);
}

/// Any closure is a sink.
impl<F: FnMut(Entry<'_>)> Sink for F {
    fn entry(&mut self, entry: Entry<'_>) {
        self(entry)
    }
}
