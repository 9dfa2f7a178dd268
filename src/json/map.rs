//! Where the long values of a record end: noted while the record is validated, so that no look-up behind it has to
//! search for an end again.

/// A long value inside a record.
#[derive(Debug, Clone, Copy)]
pub struct Hop {
    /// Offsets in the text that was validated.
    pub start: u32,
    pub end: u32,
    /// How many of the following hops lie inside this value.
    pub inside: u32,
}

/// Hops of one or more records, in file order. Kept and cleared from record to record to save its memory.
#[derive(Debug, Default)]
pub struct Map(pub(super) Vec<Hop>);

/// Values shorter than this (bytes) are passed as fast as they are looked up.
const LONG: usize = 32;

/// Who is told, while a value is validated, where its parts end.
pub trait Mapping {
    fn string(&mut self, start: usize, end: usize);
    /// An array or object begins; gives its place for [`close`](Mapping::close).
    fn open(&mut self, start: usize) -> u32;
    fn close(&mut self, place: u32, end: usize);
}

/// Nobody wants to know.
impl Mapping for () {
    fn string(&mut self, _: usize, _: usize) {}
    fn open(&mut self, _: usize) -> u32 {
        0
    }
    fn close(&mut self, _: u32, _: usize) {}
}

impl Mapping for Map {
    #[inline]
    fn string(&mut self, start: usize, end: usize) {
        // Offsets fit: texts beyond four gigabytes are not mapped.
        if end - start >= LONG {
            self.0.push(Hop {
                start: start as u32,
                end: end as u32,
                inside: 0,
            });
        }
    }
    #[inline]
    fn open(&mut self, start: usize) -> u32 {
        self.0.push(Hop {
            start: start as u32,
            end: 0,
            inside: 0,
        });
        (self.0.len() - 1) as u32
    }
    #[inline]
    fn close(&mut self, place: u32, end: usize) {
        let inside = self.0.len() - 1 - place as usize;
        let Some(hop) = self.0.get_mut(place as usize) else {
            return;
        };
        hop.end = end as u32;
        hop.inside = inside as u32;
        if inside == 0 && end - (hop.start as usize) < LONG {
            self.0.pop();
        }
    }
}

impl Map {
    pub fn clear(&mut self) {
        self.0.clear();
    }
    /// How many hops are known.
    #[allow(clippy::len_without_is_empty)] // Nobody asks.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Takes back hops beyond the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
}
