//! What a list says of a session, read from the ends of its file: the beginning says who wrote it and where, the
//! end when it ended. Small files are read whole.

use crate::transcript::{Entry, Options, Source, Transcript, Voice, read, read::read_from};
use anyhow::Result;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Files up to this size are read whole; of others this much from the beginning and from the end.
const WHOLE: u64 = 512 << 10;
const HEAD: usize = 128 << 10;
const TAIL: usize = 256 << 10;

/// What was found, and the first words a person said, for sessions without a title.
pub fn peek(path: &Path) -> Result<(Transcript, Option<String>)> {
    let mut first = None;
    let mut sink = |entry: Entry<'_>| {
        if first.is_none() && entry.lane == 0 {
            first = entry.texts(Voice::Person).next().map(str::to_owned);
        }
    };
    let options = Options::default();
    let head = match ends(path) {
        Some(bytes) => read_from(
            &mut bytes.as_slice(),
            &path.display().to_string(),
            &options,
            &mut sink,
        ),
        None => read(&Source::Path(path.to_owned()), &options, &mut sink),
    }?;
    Ok((head, first))
}

/// The first and the last lines of a long file of lines; `None` where only the whole will do.
fn ends(path: &Path) -> Option<Vec<u8>> {
    let mut file = std::fs::File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    if length <= WHOLE || path.extension()? != "jsonl" {
        return None;
    }
    let mut bytes = vec![0; HEAD];
    file.read_exact(&mut bytes).ok()?;
    let line = bytes.iter().rposition(|&b| b == b'\n')?;
    bytes.truncate(line + 1);
    file.seek(SeekFrom::Start(length - TAIL as u64)).ok()?;
    let mut tail = Vec::with_capacity(TAIL);
    file.take(TAIL as u64).read_to_end(&mut tail).ok()?;
    let line = tail.iter().position(|&b| b == b'\n')?;
    // A last line longer than what was read says nothing: then the whole file is read.
    let rest = tail.get(line + 1..).filter(|rest| !rest.is_empty())?;
    bytes.extend_from_slice(rest);
    Some(bytes)
}
