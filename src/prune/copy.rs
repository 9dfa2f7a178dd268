//! The copy: the source read a second time, line by line, with the planned changes made. A line without a planned
//! change is passed on as it is, damaged ones too.

use super::forms::{Form, Work};
use crate::json::{self, Broken, Json};
use anyhow::{Context, Result};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read, Write};

/// Bytes read and written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bytes {
    pub read: u64,
    pub written: u64,
}

/// A source with the planned changes made, line by line: read it, or copy all of it with [`Copy::into`].
pub struct Copy<'c, 'p> {
    input: BufReader<&'c mut (dyn Read + Send)>,
    form: Form,
    work: &'c mut Work<'p>,
    bytes: Bytes,
    /// The number of the line that was read last.
    number: u32,
    /// What is ready to be given away, and how much of it was.
    ready: Vec<u8>,
    given: usize,
}

impl<'c, 'p> Copy<'c, 'p> {
    pub fn new(
        input: &'c mut (dyn Read + Send),
        form: Form,
        work: &'c mut Work<'p>,
    ) -> Copy<'c, 'p> {
        Copy {
            input: BufReader::with_capacity(256 << 10, input),
            form,
            work,
            bytes: Bytes::default(),
            number: 0,
            ready: Vec::new(),
            given: 0,
        }
    }

    /// Copies what is left to `out`.
    ///
    /// # Errors
    /// Reading or writing fails.
    pub fn into(mut self, out: &mut dyn Write) -> Result<Bytes> {
        while self.line().context("reading")? {
            out.write_all(&self.ready)?;
        }
        Ok(self.bytes)
    }

    /// Makes the next line ready, or a whole document; `false` at the end.
    fn line(&mut self) -> std::io::Result<bool> {
        self.ready.clear();
        self.given = 0;
        if self.input.read_until(b'\n', &mut self.ready)? == 0 {
            return Ok(false);
        }
        self.number = self.number.saturating_add(1);
        // A document goes on behind its first line.
        if self.number == 1 && begins_document(&self.ready) {
            self.input.read_to_end(&mut self.ready)?;
            if !is_document(&self.ready) {
                let lines = std::mem::take(&mut self.ready);
                for line in lines.split_inclusive(|b| *b == b'\n') {
                    let new = self.changed(line);
                    let new = new.as_ref().map_or(line, |c| c.as_bytes());
                    self.ready.extend_from_slice(new);
                    self.number = self.number.saturating_add(1);
                }
                self.count(lines.len());
                return Ok(true);
            }
        }
        let read = self.ready.len();
        let line = std::mem::take(&mut self.ready);
        self.ready = match self.changed(&line) {
            Some(new) => new.into_bytes(),
            None => line,
        };
        self.count(read);
        Ok(true)
    }

    fn changed(&mut self, line: &[u8]) -> Option<String> {
        if self.work.claims.is_empty() {
            return None;
        }
        changed(line, self.number, self.form, self.work)
    }

    fn count(&mut self, read: usize) {
        self.bytes.read += read as u64;
        self.bytes.written += self.ready.len() as u64;
    }
}

impl Read for Copy<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.given == self.ready.len() {
            if !self.line()? {
                return Ok(0);
            }
        }
        let rest = self.ready.get(self.given..).unwrap_or_default();
        let size = rest.len().min(buffer.len());
        if let (Some(to), Some(from)) = (buffer.get_mut(..size), rest.get(..size)) {
            to.copy_from_slice(from);
        }
        self.given += size;
        Ok(size)
    }
}

/// The line with the changes planned for its records; `None`: as it stands.
fn changed(line: &[u8], number: u32, form: Form, work: &mut Work<'_>) -> Option<String> {
    let text = match simdutf8::basic::from_utf8(line) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(line),
    };
    let (bom, rest) = match text.strip_prefix('\u{feff}') {
        Some(rest) => ("\u{feff}", rest),
        None => ("", text.as_ref()),
    };
    let mut copied = Copied {
        out: bom.to_owned(),
        any: false,
    };
    let mut change = |record: Json<'_>| form(record, number, work);
    if let Err((at, Broken::Text)) = copied.records(rest, &mut change) {
        // Half a character or a raw control character: the reader mends such a line, and so does its copy,
        // once something in it changes.
        let mended = json::repair(rest.get(at..)?);
        if let Err((at, _)) = copied.records(&mended, &mut change) {
            copied.out.push_str(mended.get(at..)?);
        }
    }
    copied.any.then_some(copied.out)
}

/// A line as far as it is copied.
struct Copied {
    out: String,
    /// Something in it changed.
    any: bool,
}

impl Copied {
    /// Copies every readable record of the text, and what follows them unless that is to be mended.
    fn records(
        &mut self,
        text: &str,
        change: &mut dyn FnMut(Json<'_>) -> Option<String>,
    ) -> Result<(), (usize, Broken)> {
        let mut at = 0;
        loop {
            let rest = text.get(at..).unwrap_or_default();
            if rest.trim_ascii().is_empty() {
                self.out.push_str(rest);
                return Ok(());
            }
            let (record, end) = match Json::first(rest) {
                Ok(found) => found,
                Err(Broken::Text) => return Err((at, Broken::Text)),
                Err(_) => {
                    self.out.push_str(rest);
                    return Ok(());
                }
            };
            let start = end - record.raw().len();
            self.out.push_str(rest.get(..start).unwrap_or_default());
            match change(record) {
                Some(new) => {
                    self.any = true;
                    self.out.push_str(&new);
                }
                None => self.out.push_str(record.raw()),
            }
            at += end;
        }
    }
}

fn begins_document(line: &[u8]) -> bool {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}');
    Json::first(text).is_err_and(|e| e == Broken::Cut)
}

fn is_document(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    Json::parse(text.trim_start_matches('\u{feff}')).is_ok()
}
