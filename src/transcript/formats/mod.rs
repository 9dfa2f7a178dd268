//! One file a format. A format translates records into entries and, at the end, says which of them are on the
//! active branch; it never judges what a text means.

mod claude;

use super::{Desk, Family, Options, Sink, Transcript};
use crate::json::Json;
use anyhow::Result;
use std::io::Read;
use std::path::Path;

/// A reader of one agent's records.
pub trait Format {
    /// One record (or, for whole documents, the document).
    fn record(&mut self, record: Json<'_>, desk: &mut Desk<'_>);
    /// The file has ended: settle the active branch, the title, the id.
    fn finish(&mut self, desk: &mut Desk<'_>);
}

/// The reader for a family.
///
/// # Errors
/// The family has no reader in this build.
pub fn new(family: Family) -> Result<Box<dyn Format>> {
    Ok(match family {
        Family::ClaudeCode => Box::new(claude::Claude::default()),
        other => anyhow::bail!("the {} format cannot be read yet", other.name()),
    })
}

/// A folder that is itself a session store. `None`: it is not.
pub fn folder(
    _path: &Path,
    _options: &Options<'_>,
    _sink: &mut dyn Sink,
) -> Result<Option<Transcript>> {
    Ok(None)
}

/// A file that is a database of sessions. `None`: it is not.
pub fn store(
    _path: &Path,
    _options: &Options<'_>,
    _sink: &mut dyn Sink,
) -> Result<Option<Transcript>> {
    Ok(None)
}

/// The input with its compression taken off, if it has one.
pub fn unpacked<'r>(input: &'r mut dyn Read) -> Result<Box<dyn Read + 'r>> {
    Ok(Box::new(input))
}
