//! The first lines of a file, read one by one until they tell its format; the rest is read in batches.

use crate::json::{self, Broken, Json};
use anyhow::{Context, Result};
use std::borrow::Cow;
use std::io::{BufRead, BufReader, Read};

/// How much of the file detection may look at.
const HEAD_BYTES: usize = 4 << 20;
const HEAD_RECORDS: usize = 200;

/// Lines by `\n` only.
pub struct Lines<R> {
    pub input: BufReader<R>,
    /// Lines and bytes read so far.
    pub number: u64,
    pub bytes: u64,
}

impl<R: Read> Lines<R> {
    /// The next line without its end in `buffer`; whether it had one. `None` at the end of the file.
    fn next(&mut self, buffer: &mut Vec<u8>) -> std::io::Result<Option<bool>> {
        let read = self.input.read_until(b'\n', buffer)?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        self.bytes += read as u64;
        let ended = buffer.last() == Some(&b'\n');
        if ended {
            buffer.pop();
        }
        Ok(Some(ended))
    }

    /// What has not been handed out.
    pub fn rest(self) -> impl Read + use<R> {
        let buffered = std::io::Cursor::new(self.input.buffer().to_vec());
        buffered.chain(self.input.into_inner())
    }
}

/// One of the first lines.
pub struct HeadLine {
    pub bytes: Vec<u8>,
    pub number: u64,
    /// It had an end.
    pub ended: bool,
    /// Bytes of the file up to this line's end, with it.
    pub until: u64,
}

/// The first lines, kept until the format is known.
pub struct Head {
    pub lines: Vec<HeadLine>,
    /// The first value is the whole file (a document, not lines).
    pub whole: bool,
}

impl Head {
    /// Reads them; `name` is for messages.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read<R: Read>(lines: &mut Lines<R>, name: &str) -> Result<Head> {
        let mut head = Head {
            lines: Vec::new(),
            whole: false,
        };
        let (mut bytes, mut filled) = (0, 0);
        // Output of an exporting command may stand in front of its document.
        let mut noise = true;
        while bytes < HEAD_BYTES && filled < HEAD_RECORDS {
            let mut buffer = Vec::new();
            let Some(ended) = lines.next(&mut buffer).with_context(|| name.to_owned())? else {
                break;
            };
            if buffer.trim_ascii().is_empty() {
                continue;
            }
            bytes += buffer.len();
            head.lines.push(HeadLine {
                bytes: buffer,
                number: lines.number,
                ended,
                until: lines.bytes,
            });
            filled += 1;
            if noise && head.document_starts() {
                // A value that goes on behind its first line: the file may be one document. Read it all and see.
                let mut rest = head.lines.pop().map(|l| l.bytes).unwrap_or_default();
                if ended {
                    rest.push(b'\n');
                }
                let mut until = lines.bytes - rest.len() as u64;
                lines
                    .input
                    .read_to_end(&mut rest)
                    .with_context(|| name.to_owned())?;
                let number = lines.number;
                if is_document(&rest) {
                    head.lines.push(HeadLine {
                        until: until + rest.len() as u64,
                        bytes: rest,
                        number,
                        ended: true,
                    });
                    head.whole = true;
                    return Ok(head);
                }
                let cut = rest.last() != Some(&b'\n');
                let mut pieces: Vec<&[u8]> = rest.split(|&b| b == b'\n').collect();
                if !cut {
                    pieces.pop();
                }
                let last = pieces.len();
                for (i, piece) in pieces.into_iter().enumerate() {
                    until += piece.len() as u64 + 1;
                    head.lines.push(HeadLine {
                        until,
                        bytes: piece.to_vec(),
                        number: number + i as u64,
                        ended: i + 1 < last || !cut,
                    });
                }
                return Ok(head);
            }
            noise &= head.lines.last().is_some_and(|l| {
                !matches!(l.bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
            });
        }
        head.whole = filled == 1;
        Ok(head)
    }

    /// The first line with content is the beginning of a value but not all of it.
    fn document_starts(&self) -> bool {
        let Some(line) = self.lines.last() else {
            return false;
        };
        let start = line.bytes.trim_ascii_start();
        line.ended
            && matches!(start.first(), Some(b'{' | b'['))
            && std::str::from_utf8(start)
                .is_ok_and(|text| Json::parse(text).is_err_and(|e| e == Broken::Cut))
    }

    /// The lines as text, mended where that is all they need: damage does not hide who wrote them.
    pub fn texts(&self) -> Vec<Cow<'_, str>> {
        self.lines
            .iter()
            .map(|line| {
                let text: Cow<'_, str> = match simdutf8::basic::from_utf8(&line.bytes) {
                    Ok(text) => Cow::Borrowed(text),
                    Err(_) => String::from_utf8_lossy(&line.bytes),
                };
                match Json::first(&text) {
                    Err(Broken::Text) => Cow::Owned(json::repair(&text)),
                    _ => text,
                }
            })
            .collect()
    }
}

/// The records of the first lines, as far as they can be read.
pub fn records<'t>(texts: &'t [Cow<'_, str>]) -> Vec<Json<'t>> {
    let mut records = Vec::new();
    for text in texts {
        let mut rest: &str = text;
        while let Ok((record, end)) = Json::first(rest) {
            records.push(record);
            rest = &rest[end..];
        }
    }
    records
}

fn is_document(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    match Json::parse(&text) {
        Ok(_) => true,
        Err(Broken::Text) => Json::parse(&json::repair(&text)).is_ok(),
        Err(_) => false,
    }
}
