//! From bytes to records: lines split at `\n` and nothing else, damage repaired, skipped or left pending, and
//! counted (CONTRACT 11 "Reading"). One streaming pass; a line's memory is given back before the next one.

use super::Family;
use super::batch::{Batches, Given};
use super::detect::{self, Found};
use super::head::{Head, Lines, records};
use super::{Desk, Memory, Sink, Transcript, formats};
use crate::json::{self, Broken, Json};
use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;

/// Where a session comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Path(PathBuf),
    Stdin,
}

impl Source {
    /// From a command line's word: `-` is standard input.
    pub fn from_arg(arg: &str) -> Source {
        if arg == "-" {
            Source::Stdin
        } else {
            Source::Path(arg.into())
        }
    }
    /// The name that messages use.
    pub fn name(&self) -> String {
        match self {
            Source::Path(path) => path.display().to_string(),
            Source::Stdin => "standard input".to_owned(),
        }
    }
}

/// How to read.
#[derive(Default, Clone)]
pub struct Options<'a> {
    /// The format, where the caller knows it; otherwise it is found out.
    pub from: Option<Family>,
    /// Any skipped line is an error.
    pub strict: bool,
    /// Which session of a store that holds many; default the newest by last event.
    pub session: Option<String>,
    /// Told the bytes read so far, every few megabytes.
    pub progress: Option<&'a dyn Fn(u64)>,
}

/// Buffer between the file and the lines.
const BUFFER: usize = 256 * 1024;

/// Reads one session into `sink` and gives what is known of it as a whole.
///
/// # Errors
/// The file cannot be read, is no session of a known format, or (with `strict`) has a damaged line. Messages
/// start with the source's name and say what to do.
pub fn read(source: &Source, options: &Options<'_>, sink: &mut dyn Sink) -> Result<Transcript> {
    let name = source.name();
    match source {
        Source::Stdin => read_from(&mut std::io::stdin(), &name, options, sink),
        Source::Path(path) => {
            let meta =
                std::fs::metadata(path).map_err(|e| anyhow::anyhow!("{name}: {}", reason(&e)))?;
            if meta.is_dir() {
                return match formats::folder(path, options, sink)? {
                    Some(transcript) => spoken(transcript, &name),
                    None => bail!("{name}: is a directory; name a session file inside it"),
                };
            }
            // A pipe must not be opened twice: what the first look takes is gone.
            if meta.is_file()
                && let Some(transcript) = formats::store(path, options, sink)?
            {
                return spoken(transcript, &name);
            }
            let mut file =
                std::fs::File::open(path).map_err(|e| anyhow::anyhow!("{name}: {}", reason(&e)))?;
            read_from(&mut file, &name, options, sink)
        }
    }
}

/// An I/O error as a sentence without the operating system's number.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file; check the path".to_owned(),
        std::io::ErrorKind::PermissionDenied => {
            "permission denied; check who may read it".to_owned()
        }
        _ => error.to_string(),
    }
}

/// Reads a session from any reader; `name` is for messages.
pub fn read_from(
    input: &mut (dyn Read + Send),
    name: &str,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Transcript> {
    let mut input = BufReader::with_capacity(
        BUFFER,
        formats::unpacked(input).with_context(|| name.to_owned())?,
    );
    let start = input.fill_buf().with_context(|| name.to_owned())?;
    if let Some(what) = detect::unreadable(start) {
        bail!("{name}: {what}");
    }
    let mut mark = 0;
    if start.starts_with(b"\xEF\xBB\xBF") {
        input.consume(3);
        mark = 3;
    }
    let mut lines = Lines {
        input,
        number: 0,
        bytes: mark,
    };
    let head = Head::read(&mut lines, name)?;
    let texts = head.texts();
    let records = records(&texts);
    let family = match options.from {
        Some(family) => Found::Family(family),
        None => detect::decide(&records, head.whole),
    };
    let family = match family {
        Found::Family(family) => family,
        Found::NoSession(what) => bail!("{name}: {what}"),
        Found::Nothing if head.lines.is_empty() => {
            bail!("{name}: nothing in it; an agent writes its first line with the first prompt")
        }
        Found::Nothing => {
            bail!(
                "{name}: no session format recognised; name it with --from, or check that this is a session file"
            )
        }
    };
    drop(texts);
    let mut format = formats::new(family);
    let mut reading = Reading {
        desk: Desk::new(sink, family),
        format: format.as_mut(),
        name,
        strict: options.strict,
        rested: false,
    };
    // Whole lines that lie behind, and their bytes.
    let mut behind = (0, mark);
    for line in head.lines {
        if line.ended {
            behind = (line.number, line.until);
        } else {
            reading.rest(behind.0, behind.1);
        }
        // A document is no lines.
        reading.rested |= line.bytes.contains(&b'\n');
        reading.line(&line.bytes, line.number, line.ended)?;
        reading.settle();
    }
    let (number, bytes) = (lines.number, lines.bytes);
    let batches = Batches::after(lines.rest(), name, number, bytes);
    go_on(reading, batches, behind, options)
}

/// Reads what `memory` was kept of from where it ends.
///
/// # Errors
/// As [`read()`].
pub fn read_on(
    input: &mut (dyn Read + Send),
    name: &str,
    memory: &Memory,
    options: &Options<'_>,
    sink: &mut dyn Sink,
) -> Result<Transcript> {
    let Some(mut format) = formats::recall(memory.head.family, &memory.format) else {
        bail!("{name}: nothing to go on from");
    };
    let reading = Reading {
        desk: Desk::recall(sink, memory),
        format: format.as_mut(),
        name,
        strict: options.strict,
        rested: false,
    };
    let batches = Batches::after(input, name, memory.lines, memory.bytes);
    go_on(reading, batches, (memory.lines, memory.bytes), options)
}

/// Reads to the end; so many whole lines of so many bytes lie behind.
fn go_on<R: Read + Send>(
    mut reading: Reading<'_, '_>,
    batches: Batches<'_, R>,
    (mut lines, mut bytes): (u64, u64),
    options: &Options<'_>,
) -> Result<Transcript> {
    let name = reading.name;
    let ended = batches.each(|batch| {
        for line in batch.lines() {
            match line.ended {
                true => (lines, bytes) = (line.number, line.until),
                false => reading.rest(lines, bytes),
            }
            reading.given(line)?;
            if reading.settle() {
                bail!("{name}: what was let go of is needed");
            }
        }
        if let Some(progress) = options.progress {
            progress(batch.read);
        }
        Ok(())
    });
    if reading.desk.session.lost {
        return Ok(reading.desk.session);
    }
    ended?;
    reading.rest(lines, bytes);
    let Reading {
        mut desk, format, ..
    } = reading;
    format
        .end(options, &mut desk)
        .with_context(|| name.to_owned())?;
    desk.session.lost |= desk.lost();
    spoken(desk.session, name)
}

/// A session with nothing in it is none.
fn spoken(session: Transcript, name: &str) -> Result<Transcript> {
    if session.messages == 0 && session.injected == 0 {
        bail!(
            "{name}: no message in it, only notes of the host; name a session that was talked in"
        );
    }
    Ok(session)
}

/// Hands lines to the format and counts what they were.
struct Reading<'r, 's> {
    desk: Desk<'s>,
    format: &'r mut dyn formats::Format,
    name: &'r str,
    strict: bool,
    /// The end of the whole lines was told.
    rested: bool,
}

impl Reading<'_, '_> {
    /// A line of a batch; a sound one has been looked at before.
    fn given(&mut self, line: Given<'_>) -> Result<()> {
        let Some(record) = line.record else {
            return self.line(line.bytes, line.number, line.ended);
        };
        self.desk.line = u32::try_from(line.number).unwrap_or(u32::MAX);
        self.desk.session.input.records += 1;
        self.format.record(record, &mut self.desk);
        Ok(())
    }

    /// Lets go of what is old; whether something was missed that had been let go of.
    fn settle(&mut self) -> bool {
        if self.desk.due() {
            self.format.settle(&mut self.desk);
        }
        self.desk.session.lost |= self.desk.lost();
        self.desk.session.lost
    }

    /// Whole lines end here; only the first time counts.
    fn rest(&mut self, lines: u64, bytes: u64) {
        if !std::mem::replace(&mut self.rested, true) {
            let Reading { desk, format, .. } = self;
            desk.rest(&**format, lines, bytes);
        }
    }

    fn line(&mut self, bytes: &[u8], number: u64, ended: bool) -> Result<()> {
        self.desk.line = u32::try_from(number).unwrap_or(u32::MAX);
        let (text, mut mended) = match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => (Cow::Borrowed(text), false),
            Err(_) => (String::from_utf8_lossy(bytes), true),
        };
        let mut outcome = self.records(&text);
        if let Err((at, Broken::Text)) = outcome {
            mended = true;
            outcome = self.records(&json::repair(&text[at..]));
        }
        let input = &mut self.desk.session.input;
        match outcome {
            Ok(()) => input.repaired += u64::from(mended),
            Err((_, Broken::Cut)) if !ended => input.pending += 1,
            Err(_) => {
                input.skipped += 1;
                if input.skipped_lines.len() < super::Input::LISTED {
                    input.skipped_lines.push(number);
                }
                if self.strict {
                    bail!(
                        "{}:{number}: not a complete JSON record; mend or remove the line, or run without --strict",
                        self.name
                    );
                }
            }
        }
        Ok(())
    }

    /// Every record of the text; where and why it stopped being readable.
    fn records(&mut self, text: &str) -> Result<(), (usize, Broken)> {
        let mut at = 0;
        while !text[at..].trim_ascii().is_empty() {
            let (record, end) = Json::first(&text[at..]).map_err(|broken| (at, broken))?;
            // A record is an object; only a whole document may be an array.
            let document = record.is_array() && self.desk.session.input.records == 0;
            if !record.is_object() && !document {
                return Err((at, Broken::At(at)));
            }
            self.desk.session.input.records += 1;
            self.format.record(record, &mut self.desk);
            at += end;
        }
        Ok(())
    }
}

/// Reads a session from memory: what tests and fuzz targets call.
pub fn read_bytes(bytes: &[u8], options: &Options<'_>, sink: &mut dyn Sink) -> Result<Transcript> {
    read_from(&mut &bytes[..], "input", options, sink)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Transcript> {
        read_bytes(
            text.as_bytes(),
            &Options::default(),
            &mut |_: super::super::Entry<'_>| {},
        )
    }

    const USER: &str = r#"{"role":"user","content":"고쳐줘"}"#;

    #[test]
    fn lines_that_hold_no_record_are_skipped() {
        let read = read(&format!("{USER}\n42\n\"text\"\n\n{USER}\n")).unwrap();
        assert_eq!(read.input.skipped_lines, [2, 3]);
        assert_eq!(read.messages, 2);
    }

    #[test]
    fn a_file_in_which_nobody_spoke_is_named() {
        let text = r#"{"type":"session","id":"s","cwd":"/w"}"#;
        let error = read(&format!("{text}\n")).unwrap_err().to_string();
        assert!(error.starts_with("input: no message in it"), "{error}");
        assert!(read(&format!("{USER}\n")).is_ok());
    }
}
