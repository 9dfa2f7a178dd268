//! The newest reading of a growing transcript, found from its end: a hook has 200 ms, whatever the file weighs.
//!
//! Records are read backwards, whole, as JSON; text that only looks like a reading (quoted in a result, cut at
//! a block's border) is none. Knows the records of the agents that have hooks: Claude Code, Pi and Codex.
//! Judges nothing and does not follow branches: the newest answer is on the one being continued.

use crate::json::{self, Broken, Json};
use memchr::{memmem, memrchr};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What the end of a transcript says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tail {
    /// Prompt tokens of the newest reading, or what the newest compaction says of itself.
    pub tokens: Option<u64>,
    /// The model of the reading.
    pub model: String,
    /// The window, where the record names it.
    pub window: Option<u64>,
    /// A compaction begins at or after the offset that was asked for.
    pub compacted: bool,
    /// Bytes of the file as it was read.
    pub length: u64,
}

/// What a line must hold to be worth parsing. Inside a string of JSON the quotes are escaped, so a result that
/// quotes a reading does not hold the second.
const BOUNDARY: &[u8] = b"\"compact";
const READING: &[u8] = b"usage\"";

/// Reads from the end until the newest reading or compaction is found. With `since`, goes on to that offset and
/// tells whether a compaction was written after it.
///
/// # Errors
/// The file cannot be read.
pub fn look(path: &Path, since: Option<u64>) -> io::Result<Tail> {
    let mut lines = Backwards::open(path)?;
    let mut tail = Tail {
        length: lines.start,
        ..Tail::default()
    };
    // A file shorter than before is another one; all of it is new.
    let since = since.map(|s| if s > tail.length { 0 } else { s });
    let mut found = false;
    // A Codex count that may be a copy of one before a compaction.
    let mut suspect: Option<Suspect> = None;
    // Codex counts once more after a compaction, without input: that is what the compaction left.
    let mut left: Option<u64> = None;
    // A compaction says nothing of the model; the reading before it does.
    let mut nameless = false;
    while let Some((offset, line)) = lines.next()? {
        let below = since.is_none_or(|s| offset < s);
        if found && suspect.is_none() && !nameless && below {
            break;
        }
        if !(memmem::find(line, BOUNDARY).is_some()
            || (!found || suspect.is_some() || nameless) && memmem::find(line, READING).is_some())
        {
            continue;
        }
        for record in records(line).into_iter().rev() {
            match record {
                Record::Left(tokens) => {
                    left.get_or_insert(tokens);
                }
                Record::Boundary { after } => {
                    let after = after.or(left.take());
                    tail.compacted |= !below;
                    if !found {
                        tail.tokens = after;
                        found = true;
                        nameless = after.is_some();
                    } else if let Some(suspect) = &mut suspect {
                        suspect.boundary.get_or_insert(after);
                    }
                }
                Record::Reading {
                    tokens,
                    model,
                    window,
                    totals,
                } => {
                    if std::mem::take(&mut nameless) {
                        (tail.model, tail.window) = (model, window);
                    } else if let Some(s) = &suspect {
                        if s.totals != totals {
                            suspect = None;
                        } else if let Some(after) = s.boundary {
                            // The same totals on both sides: the count was only printed again.
                            tail.tokens = after;
                            suspect = None;
                        }
                    } else if !found {
                        found = true;
                        suspect = totals.is_some().then_some(Suspect {
                            totals,
                            boundary: None,
                        });
                        (tail.tokens, tail.model, tail.window) = (Some(tokens), model, window);
                    }
                }
            }
        }
    }
    Ok(tail)
}

/// The newest reading of more than `tokens` behind the offset `since`: a longer prompt proves a larger window.
///
/// # Errors
/// The file cannot be read.
pub fn above(path: &Path, tokens: u64, since: u64) -> io::Result<Option<u64>> {
    let mut lines = Backwards::open(path)?;
    let since = if since > lines.start { 0 } else { since };
    while let Some((offset, line)) = lines.next()? {
        if offset < since {
            break;
        }
        if memmem::find(line, READING).is_none() {
            continue;
        }
        let found = records(line).into_iter().find_map(|record| match record {
            Record::Reading { tokens: read, .. } if read > tokens => Some(read),
            _ => None,
        });
        if found.is_some() {
            return Ok(found);
        }
    }
    Ok(None)
}

struct Suspect {
    totals: Option<u64>,
    boundary: Option<Option<u64>>,
}

/// A record that says something of the context.
enum Record {
    Reading {
        tokens: u64,
        model: String,
        window: Option<u64>,
        /// Codex: the running total of the session.
        totals: Option<u64>,
    },
    Boundary {
        after: Option<u64>,
    },
    /// A count of everything, but no input: nothing was asked.
    Left(u64),
}

/// The telling records of one line, in order. What cannot be read is skipped.
fn records(line: &[u8]) -> Vec<Record> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim_start_matches('\u{feff}').trim();
    let mut found = Vec::new();
    match values(text, &mut found) {
        Ok(()) => {}
        Err((at, Broken::Text)) => {
            let mended = json::repair(text.get(at..).unwrap_or_default());
            // What even mending does not make readable is skipped.
            let _ = values(&mended, &mut found);
        }
        Err(_) => {}
    }
    found
}

fn values(text: &str, found: &mut Vec<Record>) -> Result<(), (usize, Broken)> {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|r| !r.trim().is_empty()) {
        let (record, used) = Json::first(rest).map_err(|broken| (at, broken))?;
        found.extend(read(record));
        at += used.max(1);
    }
    Ok(())
}

fn read(record: Json<'_>) -> Option<Record> {
    let [kind, side, message, payload] = record.pick(["type", "isSidechain", "message", "payload"]);
    if side.is_some_and(|s| s.bool() == Some(true)) {
        return None;
    }
    match kind?.str()?.as_ref() {
        "assistant" if !record.flag("isApiErrorMessage") => claude(message?),
        "message" => pi(message?),
        "event_msg" => codex(payload?),
        "system" if record.text("subtype")? == "compact_boundary" => Some(Record::Boundary {
            after: record
                .at(&["compactMetadata", "postTokens"])
                .and_then(|t| t.u64())
                .filter(|t| *t > 0),
        }),
        "compaction" | "compacted" => Some(Record::Boundary { after: None }),
        _ => None,
    }
}

fn sum(usage: Json<'_>, keys: [&str; 3]) -> Option<u64> {
    let sum = usage
        .pick(keys)
        .into_iter()
        .flatten()
        .filter_map(|n| n.u64())
        .fold(0, u64::saturating_add);
    (sum > 0).then_some(sum)
}

fn claude(message: Json<'_>) -> Option<Record> {
    let model = message.text("model").unwrap_or_default().into_owned();
    if model == "<synthetic>" {
        return None;
    }
    let keys = [
        "input_tokens",
        "cache_creation_input_tokens",
        "cache_read_input_tokens",
    ];
    Some(Record::Reading {
        tokens: sum(message.get("usage")?, keys)?,
        model,
        window: None,
        totals: None,
    })
}

fn pi(message: Json<'_>) -> Option<Record> {
    let stop = message.text("stopReason").unwrap_or_default();
    if message.text("role")? != "assistant" || matches!(stop.as_ref(), "error" | "aborted") {
        return None;
    }
    Some(Record::Reading {
        tokens: sum(message.get("usage")?, ["input", "cacheRead", "cacheWrite"])?,
        model: message.text("model").unwrap_or_default().into_owned(),
        window: None,
        totals: None,
    })
}

fn codex(payload: Json<'_>) -> Option<Record> {
    if payload.text("type")? != "token_count" {
        return None;
    }
    let info = payload.get("info")?;
    let number = |path: &[&str]| info.at(path).and_then(|n| n.u64());
    let tokens = number(&["last_token_usage", "input_tokens"]).unwrap_or(0);
    if tokens == 0 {
        let all = number(&["last_token_usage", "total_tokens"]);
        return all.filter(|t| *t > 0).map(Record::Left);
    }
    Some(Record::Reading {
        tokens,
        model: String::new(),
        window: number(&["model_context_window"]).filter(|w| *w > 0),
        totals: Some(number(&["total_token_usage", "total_tokens"]).unwrap_or(0)),
    })
}

/// Lines of a file from the last to the first.
struct Backwards {
    file: File,
    /// Offset of the first byte in `buffer`.
    start: u64,
    buffer: Vec<u8>,
    /// What of the buffer has not been given out.
    end: usize,
}

/// Bytes read at a time; more when a line is longer.
const BLOCK: u64 = 64 << 10;

impl Backwards {
    fn open(path: &Path) -> io::Result<Backwards> {
        let mut file = File::open(path)?;
        let start = file.seek(SeekFrom::End(0))?;
        Ok(Backwards {
            file,
            start,
            buffer: Vec::new(),
            end: 0,
        })
    }

    /// The line before, with its offset.
    fn next(&mut self) -> io::Result<Option<(u64, &[u8])>> {
        let mut searched = self.end;
        loop {
            let open = self.buffer.get(..searched).unwrap_or_default();
            if let Some(at) = memrchr(b'\n', open) {
                let line = at + 1..self.end;
                self.end = at;
                let offset = self.start + line.start as u64;
                return Ok(self.buffer.get(line).map(|l| (offset, l)));
            }
            if self.start == 0 {
                let line = 0..std::mem::take(&mut self.end);
                return Ok(match line.is_empty() {
                    true => None,
                    false => self.buffer.get(line).map(|l| (0, l)),
                });
            }
            // Doubling keeps a line of many megabytes linear.
            let size = BLOCK.max(self.end as u64).min(self.start);
            self.start -= size;
            let mut block = vec![0; size as usize];
            self.file.seek(SeekFrom::Start(self.start))?;
            self.file.read_exact(&mut block)?;
            searched = block.len();
            block.extend_from_slice(self.buffer.get(..self.end).unwrap_or_default());
            self.end = block.len();
            self.buffer = block;
        }
    }
}

#[cfg(test)]
mod tests;
