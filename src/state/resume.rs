//! What a state remembers of its file's reader, so that the next run reads only what is new: packed into the cursor as
//! one string, with a print of the file's ends to know it again.
//!
//! A memory is taken only whole and only where it fits: by the same program, for a file that still begins as it began
//! and still holds the same bytes in front of where reading ended. Anything else means that the file is read from its
//! beginning; it is never an error.

use crate::json::Json;
use crate::language::unmarked;
use crate::lexicon;
use crate::redact;
use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD as BASE64;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Changes with what is remembered and with what the rules make of it.
const FORM: u32 = 4;
/// Bytes at either end of what was read that must be the same.
const END: u64 = 64 << 10;
/// How hard memories are packed.
#[cfg(feature = "zstd")]
const LEVEL: i32 = 1;

/// What a later run can go on from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remembered {
    /// Bytes of the file that were read.
    pub bytes: u64,
    /// All that is known of them, as text that this program reads back. It may hold secrets.
    pub text: String,
}

/// A memory as it stands in a cursor.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Packed {
    /// The program that wrote it.
    program: String,
    /// Bytes that were read, and a print of their ends.
    bytes: u64,
    ends: String,
    /// `z` (packed) or `j` (as it is), and base64.
    text: String,
}

/// This program, as far as memories go.
fn program() -> String {
    let words = lexicon::FINGERPRINT;
    format!("{}-{FORM}-{words}", env!("CARGO_PKG_VERSION"))
}

impl Packed {
    /// Of what is remembered of the file. `None`: it holds a secret, and is not written down.
    ///
    /// # Errors
    /// The file cannot be read, or is shorter by now.
    pub fn of(memory: &Remembered, file: &mut File) -> io::Result<Option<Packed>> {
        if file.metadata()?.len() < memory.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if redact::contains_secret(&memory.text) {
            return Ok(None);
        }
        Ok(Some(Packed {
            program: program(),
            bytes: memory.bytes,
            ends: ends(file, memory.bytes)?,
            text: pack(memory.text.as_bytes())?,
        }))
    }

    /// What the text of a state holds: found without looking at the rest of it.
    pub fn found_in(state: &str) -> Option<Packed> {
        let state = Json::parse(unmarked(state)).ok()?;
        let memory = state.get("cursor")?.get("memory")?;
        serde_json::from_str(memory.raw()).ok()
    }

    /// The memory, if it is this program's: see [`Remembered::text`].
    pub fn unpacked(&self) -> Option<Vec<u8>> {
        (self.program == program()).then(|| unpack(&self.text))?
    }

    /// Whether it is of this file, which then stands where it ends.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_of(&self, file: &mut File) -> io::Result<bool> {
        if file.metadata()?.len() < self.bytes || ends(file, self.bytes)? != self.ends {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(self.bytes))?;
        Ok(true)
    }
}

fn ends(file: &mut File, bytes: u64) -> io::Result<String> {
    let mut hash = Sha256::new();
    for start in [0, bytes.saturating_sub(END)] {
        file.seek(SeekFrom::Start(start))?;
        let mut end = Vec::with_capacity(END as usize + 1);
        let size = file.take(END.min(bytes - start)).read_to_end(&mut end)?;
        hash.update((size as u64).to_le_bytes());
        hash.update(&end);
    }
    let hash = hash.finalize();
    Ok(hash.iter().take(12).map(|b| format!("{b:02x}")).collect())
}

#[cfg(feature = "zstd")]
fn pack(memory: &[u8]) -> io::Result<String> {
    Ok(format!(
        "z{}",
        BASE64.encode(zstd::bulk::compress(memory, LEVEL)?)
    ))
}

#[cfg(not(feature = "zstd"))]
fn pack(memory: &[u8]) -> io::Result<String> {
    Ok(format!("j{}", BASE64.encode(memory)))
}

fn unpack(text: &str) -> Option<Vec<u8>> {
    let bytes = BASE64.decode(text.get(1..)?).ok()?;
    match text.as_bytes().first()? {
        #[cfg(feature = "zstd")]
        b'z' => zstd::bulk::decompress(&bytes, 256 << 20).ok(),
        b'j' => Some(bytes),
        _ => None,
    }
}
