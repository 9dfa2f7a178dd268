//! Compression around a session file: Codex packs old rollouts with zstd (`.jsonl.zst`). Unpacked while read.

use anyhow::Result;
use std::io::{Cursor, Read};

/// How a zstd frame begins.
const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The input as it is, or unpacked if it begins as zstd does.
///
/// # Errors
/// The input cannot be read, or this build cannot unpack.
pub fn unpacked<'r>(input: &'r mut (dyn Read + Send)) -> Result<Box<dyn Read + Send + 'r>> {
    let mut head = Vec::with_capacity(ZSTD.len());
    (&mut *input)
        .take(ZSTD.len() as u64)
        .read_to_end(&mut head)?;
    let packed = head == ZSTD;
    let whole = Cursor::new(head).chain(input);
    if packed {
        unzstd(whole)
    } else {
        Ok(Box::new(whole))
    }
}

#[cfg(feature = "zstd")]
fn unzstd<'r>(input: impl Read + Send + 'r) -> Result<Box<dyn Read + Send + 'r>> {
    Ok(Box::new(Cut(zstd::stream::read::Decoder::new(input)?)))
}

#[cfg(not(feature = "zstd"))]
fn unzstd<'r>(_input: impl Read + Send + 'r) -> Result<Box<dyn Read + Send + 'r>> {
    anyhow::bail!("this is zstd, which this build cannot unpack; unpack it first (zstd -d)")
}

/// A frame that is cut off ends like a file that is still being written.
#[cfg(feature = "zstd")]
struct Cut<R>(R);

#[cfg(feature = "zstd")]
impl<R: Read> Read for Cut<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        match self.0.read(buffer) {
            Err(e) if e.kind() == std::io::ErrorKind::UnexpectedEof => Ok(0),
            other => other,
        }
    }
}

#[cfg(all(test, feature = "zstd"))]
mod tests {
    use super::*;

    fn read(mut bytes: &[u8]) -> std::io::Result<String> {
        let mut out = String::new();
        let input: &mut (dyn Read + Send) = &mut bytes;
        unpacked(input).unwrap().read_to_string(&mut out)?;
        Ok(out)
    }

    #[test]
    fn packed_and_plain_give_the_same_and_a_cut_frame_its_beginning() {
        let text = "{\"a\":\"한글\"}\n".repeat(2000);
        let packed = zstd::encode_all(text.as_bytes(), 3).unwrap();
        assert_eq!(read(&packed).unwrap(), text);
        assert_eq!(read(text.as_bytes()).unwrap(), text);
        assert_eq!(read(b"{}").unwrap(), "{}");
        assert!(text.starts_with(&read(&packed[..packed.len() - 3]).unwrap()));
    }
}
