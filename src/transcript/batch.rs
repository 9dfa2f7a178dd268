//! Stretches of a file that hold whole lines, with the record of each line checked and mapped.
//!
//! This is the part of reading that needs to know nothing of what came before. In a long file a second thread does it
//! ahead of the format; what the format is given is the same either way, in the same order.

use crate::beside;
use crate::json::{Json, Map};
use anyhow::{Context, Result};
use std::io::{ErrorKind, Read};
use std::ops::Range;
use std::sync::mpsc::{channel, sync_channel};
use std::thread::Builder;

/// Bytes read at once: few enough to stay in the processor's own memory until they have been looked at.
const STRETCH: usize = 512 << 10;
/// A buffer that grew beyond this for one long line is given back.
const ROOM: usize = 1 << 20;
/// So many stretches are worked off before a second thread is worth its start.
const ALONE: usize = 2;
/// Stretches that may wait for the format.
const AHEAD: usize = 1;

/// Whole lines, and what is known of them.
#[derive(Default)]
pub struct Batch {
    /// Filled up to `used`. The rest is kept as it is, so that no byte is cleared only to be written again.
    bytes: Vec<u8>,
    used: usize,
    lines: Vec<Line>,
    map: Map,
    /// Number of the first line, and how many there are.
    first: u64,
    count: u64,
    /// Bytes of the file up to the end of this batch.
    pub read: u64,
}

/// Small, since a file may be made of lines of two bytes.
struct Line {
    start: usize,
    /// Without the line's end.
    end: usize,
    /// Counted from the first line of the batch.
    number: u32,
    /// Where the one object of a sound line starts in it, and which hops are its own.
    record: u32,
    hops: Range<u32>,
}

impl Line {
    /// `record` of a line that is not sound, is empty or holds several records.
    const NONE: u32 = u32::MAX;
}

/// A line as it is handed out.
pub struct Given<'b> {
    pub bytes: &'b [u8],
    /// From 1.
    pub number: u64,
    /// It has its `\n`.
    pub ended: bool,
    /// Bytes of the file up to this line's end, with it.
    pub until: u64,
    /// The line's record, if it is sound and holds just one object.
    pub record: Option<Json<'b>>,
}

impl Batch {
    fn used(&self) -> &[u8] {
        self.bytes.get(..self.used).unwrap_or_default()
    }

    /// The lines in order, without the blank ones.
    pub fn lines(&self) -> impl Iterator<Item = Given<'_>> {
        let used = self.used();
        let before = self.read - used.len() as u64;
        let told = self.map.told();
        let all = simdutf8::basic::from_utf8(used).ok();
        self.lines.iter().map(move |line| {
            let bytes = used.get(line.start..line.end).unwrap_or_default();
            let text = match all {
                _ if line.record == Line::NONE => None,
                Some(all) => all.get(line.start..line.end),
                None => simdutf8::basic::from_utf8(bytes).ok(),
            };
            let hops = line.hops.start as usize..line.hops.end as usize;
            Given {
                bytes,
                number: self.first + u64::from(line.number),
                ended: line.end < used.len(),
                until: before + line.end as u64 + 1,
                record: text.map(|text| Json::mapped(text, line.record as usize, told, hops)),
            }
        })
    }

    /// Room for another stretch, or for an eighth more where a line is long.
    fn make_room(&mut self) {
        let size = self.used + STRETCH.max(self.used / 8);
        if self.bytes.len() < size {
            self.bytes.resize(size, 0);
        }
    }

    /// Finds and maps the lines of `bytes`.
    fn look(&mut self) {
        let used = self.bytes.get(..self.used).unwrap_or_default();
        let mut start = 0;
        while let Some(rest) = used.get(start..).filter(|rest| !rest.is_empty()) {
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = rest.get(..length).unwrap_or_default();
            let end = start + length;
            if !line.trim_ascii().is_empty() {
                let (record, hops) = record(line, &mut self.map).unwrap_or((Line::NONE, 0..0));
                self.lines.push(Line {
                    start,
                    end,
                    number: self.count as u32,
                    record,
                    hops,
                });
            }
            self.count += 1;
            start = end + 1;
        }
    }
}

/// Maps the record of a line that holds one object and nothing else; gives where it starts and its hops.
fn record(line: &[u8], map: &mut Map) -> Option<(u32, Range<u32>)> {
    let known = map.len();
    match Json::map(line, map) {
        Ok((start, end))
            if line.get(start) == Some(&b'{') && line[end..].trim_ascii().is_empty() =>
        {
            Some((start as u32, known as u32..map.len() as u32))
        }
        _ => {
            map.truncate(known);
            None
        }
    }
}

/// Reads the rest of a file batch by batch.
pub struct Batches<'n, R> {
    input: R,
    /// What messages call the file.
    name: &'n str,
    /// The beginning of a line whose end has not been read.
    open: Vec<u8>,
    /// Number of the next line, from 1.
    number: u64,
    read: u64,
}

impl<'n, R: Read + Send> Batches<'n, R> {
    /// `number` and `read` are those of the lines before.
    pub fn after(input: R, name: &'n str, number: u64, read: u64) -> Batches<'n, R> {
        Batches {
            input,
            name,
            open: Vec::new(),
            number: number + 1,
            read,
        }
    }

    /// Hands every batch to `take`, in order.
    ///
    /// # Errors
    /// The input cannot be read, or `take` refuses a batch.
    pub fn each(mut self, mut take: impl FnMut(&Batch) -> Result<()>) -> Result<()> {
        let mut batch = Batch::default();
        for _ in 0..ALONE {
            if !self.fill(&mut batch)? {
                return Ok(());
            }
            take(&batch)?;
        }
        if !beside::has_help() {
            return self.alone(batch, take);
        }
        std::thread::scope(|scope| {
            let (give, given) = sync_channel::<Self>(1);
            let (fill, filled) = sync_channel(AHEAD);
            let (used, reuse) = channel();
            let ahead = move || {
                let Ok(mut batches) = given.recv() else {
                    return;
                };
                loop {
                    let mut batch = reuse.try_recv().unwrap_or_default();
                    let more = batches.fill(&mut batch);
                    let last = !matches!(more, Ok(true));
                    // Nobody listens any more where the session was refused.
                    if fill.send(more.map(|more| more.then_some(batch))).is_err() || last {
                        return;
                    }
                }
            };
            if Builder::new().spawn_scoped(scope, ahead).is_err() {
                // The system gives no more threads.
                return self.alone(batch, take);
            }
            let _ = give.send(self);
            while let Ok(batch) = filled.recv() {
                let Some(batch) = batch? else { break };
                take(&batch)?;
                // The other thread may have read its last.
                let _ = used.send(batch);
            }
            Ok(())
        })
    }

    fn alone(mut self, mut batch: Batch, mut take: impl FnMut(&Batch) -> Result<()>) -> Result<()> {
        while self.fill(&mut batch)? {
            take(&batch)?;
        }
        Ok(())
    }

    /// The next whole lines, or the last one as far as it goes. False at the end of the file.
    fn fill(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.lines.clear();
        batch.count = 0;
        batch.map.clear();
        if batch.bytes.len() > ROOM {
            batch.bytes = Vec::new();
            batch.map.shrink(ROOM);
        }
        batch.used = self.open.len();
        batch.make_room();
        if let Some(start) = batch.bytes.get_mut(..self.open.len()) {
            start.copy_from_slice(&self.open);
        }
        self.open.clear();
        // The end of the last whole line.
        let mut whole = None;
        loop {
            let free = batch.bytes.get_mut(batch.used..).unwrap_or_default();
            let read = match self.input.read(free) {
                Err(e) if e.kind() == ErrorKind::Interrupted => continue,
                read => read.with_context(|| self.name.to_owned())?,
            };
            let before = batch.used;
            batch.used += read;
            let new = batch.bytes.get(before..batch.used).unwrap_or_default();
            whole = memchr::memrchr(b'\n', new)
                .map(|at| before + at + 1)
                .or(whole);
            if read == 0 {
                break;
            }
            if batch.used == batch.bytes.len() {
                match whole {
                    Some(_) => break,
                    None => batch.make_room(),
                }
            }
        }
        if batch.used == batch.bytes.len()
            && let Some(whole) = whole
        {
            let open = batch.bytes.get(whole..batch.used).unwrap_or_default();
            self.open.extend_from_slice(open);
            batch.used = whole;
        }
        self.read += batch.used as u64;
        batch.read = self.read;
        batch.first = self.number;
        batch.look();
        self.number += batch.count;
        Ok(batch.used > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every line with its number, whether it ended, and its record as it stands.
    fn lines(text: &[u8]) -> Vec<(u64, Vec<u8>, bool, Option<String>)> {
        let mut found = Vec::new();
        Batches::after(text, "lines", 4, 0)
            .each(|batch| {
                found.extend(batch.lines().map(|l| {
                    let record = l.record.map(|r| r.raw().to_owned());
                    (l.number, l.bytes.to_vec(), l.ended, record)
                }));
                Ok(())
            })
            .unwrap();
        found
    }

    #[test]
    fn sound_lines_come_with_their_record_and_the_others_without() {
        let text = b"{\"a\":1}\n\n {\"b\":[1,{\"c\":\"x\"}]} \r\n[1]\n{}{}\n{\"cut\":\n{\"d\":\"\xff\"}\n{\"e\":2}";
        let found = lines(text);
        let records: Vec<Option<&str>> = found.iter().map(|l| l.3.as_deref()).collect();
        assert_eq!(
            records,
            [
                Some("{\"a\":1}"),
                Some("{\"b\":[1,{\"c\":\"x\"}]}"),
                None,
                None,
                None,
                None,
                Some("{\"e\":2}")
            ]
        );
        assert_eq!((found[0].0, found[1].0), (5, 7));
        assert!(found[..6].iter().all(|l| l.2) && !found[6].2);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), []);
    }

    #[test]
    fn long_files_and_long_lines_are_given_whole_and_in_order() {
        let long = format!("{{\"long\":\"{}\"}}", "x".repeat(3 * STRETCH));
        let mut text = String::new();
        for n in 0..60_000 {
            text += &format!("{{\"n\":{n},\"text\":\"{}\"}}\n", "가".repeat(n % 90));
            if n % 20_000 == 7 {
                text += &long;
                text.push('\n');
            }
        }
        let found = lines(text.as_bytes());
        let want: Vec<&str> = text.lines().collect();
        assert_eq!(found.len(), want.len());
        for (i, (line, want)) in found.iter().zip(want).enumerate() {
            assert_eq!(line.0, i as u64 + 5);
            assert_eq!(line.1, want.as_bytes());
            assert_eq!(line.3.as_deref(), Some(want));
        }
    }

    #[test]
    fn a_refusal_and_a_broken_file_end_the_reading() {
        struct Broken(u64);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
                if self.0 == 0 {
                    return Err(std::io::Error::other("torn"));
                }
                self.0 -= 1;
                buffer.fill(b'x');
                buffer.iter_mut().step_by(4096).for_each(|b| *b = b'\n');
                Ok(buffer.len())
            }
        }
        let torn = Batches::after(Broken(4000), "f", 0, 0).each(|_| Ok(()));
        assert_eq!(format!("{:#}", torn.unwrap_err()), "f: torn");
        let mut left = ALONE + 3;
        let lines = Broken(4000);
        let refused = Batches::after(lines, "f", 0, 0).each(|_| {
            left -= 1;
            if left == 0 {
                Err(anyhow::anyhow!("no"))
            } else {
                Ok(())
            }
        });
        assert_eq!(refused.unwrap_err().to_string(), "no");
    }
}
