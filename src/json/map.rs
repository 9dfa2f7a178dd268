//! Where the long values of a record end, and what its long strings say: noted while the record is validated, so that no
//! look-up behind it has to search for an end or an escape again.

/// A long value inside a record.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    /// Offsets in the text that was validated.
    pub start: u32,
    pub end: u32,
    /// How many of the following hops lie inside this value.
    pub inside: u32,
    pub said: Said,
}

/// What a string says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// Its own bytes: it holds no escape. Also of what is no string.
    Itself,
    /// So much of the map's texts.
    Text { start: u32, end: u32 },
}

/// Hops of one or more records, in file order. Kept and cleared from record to record to save its memory.
#[derive(Debug, Default)]
pub struct Map {
    pub(super) hops: Vec<Hop>,
    /// What strings with escapes say, one behind the other.
    texts: Vec<u8>,
}

/// Values shorter than this (bytes) are passed as fast as they are looked up.
const LONG: usize = 32;

/// Who is told, while a value is validated, where its parts end and what they say.
pub trait Mapping {
    /// A string begins. Gives where its text will be, for [`string`](Mapping::string).
    fn begin(&self) -> usize;
    /// What a string with escapes says, piece by piece.
    fn piece(&mut self, bytes: &[u8]);
    fn escape(&mut self, c: char);
    /// It has ended. `text` is where it began, if it held an escape.
    fn string(&mut self, start: usize, end: usize, text: Option<usize>);
    /// An array or object begins; gives its place for [`close`](Mapping::close).
    fn open(&mut self, start: usize) -> u32;
    fn close(&mut self, place: u32, end: usize);
}

/// Nobody wants to know.
impl Mapping for () {
    fn begin(&self) -> usize {
        0
    }
    fn piece(&mut self, _: &[u8]) {}
    fn escape(&mut self, _: char) {}
    fn string(&mut self, _: usize, _: usize, _: Option<usize>) {}
    fn open(&mut self, _: usize) -> u32 {
        0
    }
    fn close(&mut self, _: u32, _: usize) {}
}

impl Mapping for Map {
    #[inline]
    fn begin(&self) -> usize {
        self.texts.len()
    }
    #[inline]
    fn piece(&mut self, bytes: &[u8]) {
        self.texts.extend_from_slice(bytes);
    }
    #[inline]
    fn escape(&mut self, c: char) {
        match u8::try_from(c) {
            Ok(byte) if byte.is_ascii() => self.texts.push(byte),
            _ => self
                .texts
                .extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    #[inline]
    fn string(&mut self, start: usize, end: usize, text: Option<usize>) {
        if end - start < LONG {
            self.texts.truncate(text.unwrap_or(self.texts.len()));
            return;
        }
        // Offsets fit: texts beyond four gigabytes are not mapped, and no text is longer than its string.
        let said = match text {
            None => Said::Itself,
            Some(start) => Said::Text {
                start: start as u32,
                end: self.texts.len() as u32,
            },
        };
        self.hops.push(Hop {
            start: start as u32,
            end: end as u32,
            inside: 0,
            said,
        });
    }
    #[inline]
    fn open(&mut self, start: usize) -> u32 {
        self.hops.push(Hop {
            start: start as u32,
            end: 0,
            inside: 0,
            said: Said::Itself,
        });
        (self.hops.len() - 1) as u32
    }
    #[inline]
    fn close(&mut self, place: u32, end: usize) {
        let inside = self.hops.len() - 1 - place as usize;
        let Some(hop) = self.hops.get_mut(place as usize) else {
            return;
        };
        hop.end = end as u32;
        hop.inside = inside as u32;
        if inside == 0 && end - (hop.start as usize) < LONG {
            self.hops.pop();
        }
    }
}

impl Map {
    pub fn clear(&mut self) {
        self.hops.clear();
        self.texts.clear();
    }
    /// Gives back memory for texts beyond so many bytes.
    pub fn shrink(&mut self, most: usize) {
        self.texts.truncate(most);
        self.texts.shrink_to(most);
    }
    /// How many hops are known.
    #[allow(clippy::len_without_is_empty)] // Nobody asks.
    pub fn len(&self) -> usize {
        self.hops.len()
    }
    /// Takes back hops beyond the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.hops.truncate(len);
    }
    /// The map with what strings with escapes say, for [`Json::mapped`](super::Json::mapped). Nothing where any of it is no UTF-8: then they are unescaped when they are asked
    /// for.
    pub fn told(&self) -> (&Map, &str) {
        let texts = simdutf8::basic::from_utf8(&self.texts);
        (self, texts.unwrap_or_default())
    }
}
