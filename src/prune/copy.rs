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

/// Copies from `input` to `out`.
///
/// # Errors
/// Reading or writing fails.
pub fn copy(
    input: &mut dyn Read,
    out: &mut dyn Write,
    form: Form,
    work: &mut Work<'_>,
) -> Result<Bytes> {
    let mut input = BufReader::with_capacity(256 << 10, input);
    let mut bytes = Bytes::default();
    let mut line = Vec::new();
    let mut number = 0u32;
    let mut first = true;
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line).context("reading")? == 0 {
            break;
        }
        number = number.saturating_add(1);
        // A document goes on behind its first line.
        if std::mem::take(&mut first) && begins_document(&line) {
            input.read_to_end(&mut line).context("reading")?;
            if !is_document(&line) {
                for part in line.split_inclusive(|b| *b == b'\n') {
                    write(part, number, out, form, work, &mut bytes)?;
                    number = number.saturating_add(1);
                }
                break;
            }
        }
        write(&line, number, out, form, work, &mut bytes)?;
    }
    Ok(bytes)
}

fn write(
    line: &[u8],
    number: u32,
    out: &mut dyn Write,
    form: Form,
    work: &mut Work<'_>,
    bytes: &mut Bytes,
) -> Result<()> {
    let changed = if work.claims.is_empty() {
        None
    } else {
        changed(line, number, form, work)
    };
    let new = changed.as_ref().map_or(line, |c| c.as_bytes());
    bytes.read += line.len() as u64;
    bytes.written += new.len() as u64;
    out.write_all(new)?;
    Ok(())
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
    let mut out = bom.to_owned();
    let mut any = false;
    if let Err((at, Broken::Text)) = records(rest, number, form, work, &mut out, &mut any) {
        // Half a character or a raw control character: the reader mends such a line, and so does its copy,
        // once something in it changes.
        let mended = json::repair(rest.get(at..)?);
        let broken = records(&mended, number, form, work, &mut out, &mut any);
        if let Err((at, _)) = broken {
            out.push_str(mended.get(at..)?);
        }
    }
    any.then_some(out)
}

/// Copies every readable record of the text, and what follows them unless that is to be mended.
fn records(
    text: &str,
    number: u32,
    form: Form,
    work: &mut Work<'_>,
    out: &mut String,
    any: &mut bool,
) -> Result<(), (usize, Broken)> {
    let mut at = 0;
    loop {
        let rest = text.get(at..).unwrap_or_default();
        if rest.trim_ascii().is_empty() {
            out.push_str(rest);
            return Ok(());
        }
        let (record, end) = match Json::first(rest) {
            Ok(found) => found,
            Err(Broken::Text) => return Err((at, Broken::Text)),
            Err(_) => {
                out.push_str(rest);
                return Ok(());
            }
        };
        let start = end - record.raw().len();
        out.push_str(rest.get(..start).unwrap_or_default());
        match form(record, number, work) {
            Some(new) => {
                *any = true;
                out.push_str(&new);
            }
            None => out.push_str(record.raw()),
        }
        at += end;
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
