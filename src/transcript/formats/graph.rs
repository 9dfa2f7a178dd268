//! The graph of rows and the walk that finds the active conversation, for every format whose records name
//! their parent (FORMATS 6.4, 7.5; CONTRACT 11 "Reading"). What a row means is the format's business.
//!
//! A graph can be [cut](Graph::cut) at a row: what came before it is let go of, and one row without a message stands
//! for the row it hung on. What later asks for more of it makes the graph lost.

use crate::json::Json;
use crate::transcript::Desk;
use foldhash::{HashMap, HashMapExt};
use serde::{Deserialize, Serialize};

/// A row's place in the graph. Ids are hashes; 0 is none.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub struct Row {
    pub id: u64,
    pub parent: u64,
    /// The message this row belongs to.
    pub seq: Option<u32>,
    /// May be the end of the conversation (user, assistant, attachment of the main chain).
    pub leaf: bool,
    pub side: bool,
    /// Without a parent of its own, yet no root: a boundary, a delivered prompt.
    pub bridge: bool,
    /// Carries tool results: belongs to the conversation if its parent does.
    pub result: bool,
}

/// A row as numbers: id, parent, place and one more than it (0: none), flags.
type Packed = (u64, u64, u32, u8);

impl From<Row> for Packed {
    fn from(row: Row) -> Packed {
        let flags = [row.leaf, row.side, row.bridge, row.result];
        let flags = flags
            .iter()
            .rev()
            .fold(0, |all, flag| all << 1 | u8::from(*flag));
        (row.id, row.parent, row.seq.map_or(0, |s| s + 1), flags)
    }
}

impl From<Packed> for Row {
    fn from((id, parent, seq, flags): Packed) -> Row {
        Row {
            id,
            parent,
            seq: seq.checked_sub(1),
            leaf: flags & 1 > 0,
            side: flags & 2 > 0,
            bridge: flags & 4 > 0,
            result: flags & 8 > 0,
        }
    }
}

#[derive(Default, Serialize, Deserialize)]
pub struct Graph {
    rows: Vec<Row>,
    #[serde(skip)]
    index: HashMap<u64, u32>,
    /// The leaf that the file itself names, where it does; else it is the last leaf row.
    leaf: Option<u32>,
    /// Rows that name a parent.
    linked: u64,
    /// A row that cannot begin a conversation has no parent.
    headless: bool,
    /// Records with a missing parent among those that were let go of.
    stitched: u64,
    /// The first place that is still known, once the graph was cut.
    from: u32,
    /// A row asked for what was let go of.
    lost: bool,
}

/// Whether a record says nothing of what it follows: it names no parent, or in a way nobody can read. An answer or a
/// result (`reply`, asked for only where it decides) never begins a conversation, whatever it says.
pub fn unnamed(parent: Option<Json<'_>>, reply: impl FnOnce() -> bool) -> bool {
    parent.is_none_or(|p| match p.str() {
        Some(id) => id.is_empty() && reply(),
        None => !p.is_null() || reply(),
    })
}

/// What the walk found.
pub struct Walk {
    /// Messages of the main chain and whether they are active; side chains are not listed.
    pub active: Vec<(u32, bool)>,
    pub stitched: u64,
    /// The chain came to where the graph was cut, if it was.
    pub rooted: bool,
}

impl Graph {
    /// As it was when it was remembered.
    pub fn recalled(mut self) -> Graph {
        self.index = index(&self.rows);
        self
    }

    /// The row of the message at that place, if all that is known of what came before it is the row it hangs on.
    fn joint(&self, seq: u32) -> Option<usize> {
        let at = self.rows.iter().position(|r| r.seq == Some(seq))?;
        let (before, after) = self.rows.split_at_checked(at)?;
        let apart = before.iter().all(|r| r.seq.is_none_or(|s| s < seq))
            && after.iter().all(|r| r.seq.is_none_or(|s| s >= seq));
        let hangs = |row: &Row| {
            let parent = self.index.get(&row.parent);
            row.parent == 0 || parent.is_some_and(|p| *p as usize >= at)
        };
        let first = after.first()?;
        let held = match first.parent {
            // A file without parents: each row follows the one before it.
            0 => first.bridge && before.last().is_some_and(|r| !r.side),
            parent => {
                let parent = *self.index.get(&parent)? as usize;
                !first.bridge && first.id != 0 && parent < at && !self.rows.get(parent)?.side
            }
        };
        let leads = first.leaf && !first.side && self.leaf.is_some_and(|l| l as usize >= at);
        (apart && held && leads && after.iter().skip(1).all(hangs)).then_some(at)
    }

    /// Whether the graph can be cut in front of the message at that place.
    pub fn can_cut(&self, seq: u32) -> bool {
        self.joint(seq).is_some()
    }

    /// The first place that is still known.
    pub fn from(&self) -> u32 {
        self.from
    }

    /// Lets go of every row in front of the message at that place; `stitched` is what the last walk found.
    pub fn cut(&mut self, seq: u32, stitched: u64) {
        let Some(at) = self.joint(seq) else { return };
        self.stitched = stitched;
        let rest = self.rows.split_off(at);
        let root = Row {
            id: rest.first().map_or(0, |r| r.parent),
            parent: 0,
            seq: None,
            leaf: false,
            side: false,
            bridge: false,
            result: false,
        };
        self.rows = vec![root];
        self.rows.extend(rest);
        self.index = index(&self.rows);
        self.leaf = self.leaf.map(|l| l - at as u32 + 1);
        self.from = seq;
    }

    /// Whether a new row hangs on nothing that is known although something was let go of.
    fn reaches_back(&self, row: &Row) -> bool {
        let parent = row.parent != 0 && !self.index.contains_key(&row.parent);
        self.from > 0 && (parent || row.seq.is_some_and(|s| s < self.from))
    }

    pub fn contains(&self, id: u64) -> bool {
        self.index.contains_key(&id)
    }

    pub fn add(&mut self, row: Row) {
        self.lost |= self.reaches_back(&row);
        if row.id != 0 {
            self.index.insert(row.id, self.rows.len() as u32);
        }
        if row.leaf && !row.side {
            self.leaf = Some(self.rows.len() as u32);
        }
        self.linked += u64::from(row.parent != 0 && !row.side);
        self.rows.push(row);
    }

    /// An answer without a parent was read. If no row at all names one, the file is linear.
    pub fn unlinked_answer(&mut self) {
        self.headless = true;
    }

    /// The file says that this row is the end of the conversation; a later leaf row is a newer end.
    pub fn point(&mut self, id: u64) {
        self.lost |= self.from > 0 && !self.index.contains_key(&id);
        self.leaf = self.index.get(&id).copied().or(self.leaf);
    }

    /// Tells the desk the active branch as it stands.
    pub fn settle(&self, desk: &mut Desk<'_>) {
        let walk = self.walk();
        desk.session.input.stitched = walk.stitched;
        desk.session.lost |= self.lost || !walk.rooted;
        for (seq, active) in walk.active {
            desk.set_active(seq, active);
        }
    }

    /// Walks from the last row of the main chain to the root.
    pub fn walk(&self) -> Walk {
        let rows = &self.rows;
        let mut on = vec![false; rows.len()];
        let mut stitched = self.stitched;
        let linear = self.headless && self.linked == 0;
        let mut at = self.leaf.map(|i| i as usize);
        while let Some(i) = at {
            if std::mem::replace(&mut on[i], true) {
                // A cycle: what is left is taken in file order.
                stitched += 1;
                for (j, row) in rows.iter().enumerate().take(i) {
                    on[j] |= !row.side;
                }
                break;
            }
            let row = &rows[i];
            at = if row.parent == 0 {
                if row.bridge || linear {
                    self.before(i)
                } else {
                    None
                }
            } else {
                match self.index.get(&row.parent) {
                    Some(&p) if rows[p as usize].side && !row.side => self.before(p as usize),
                    Some(&p) => Some(p as usize),
                    None => {
                        stitched += 1;
                        self.before(i)
                    }
                }
            };
        }
        self.siblings(&mut on);
        let rooted = self.from == 0 || on.first() == Some(&true);
        let active = rows
            .iter()
            .zip(&on)
            .filter(|(r, _)| !r.side)
            .filter_map(|(r, &on)| Some((r.seq?, on)));
        // A message is active if any of its rows is.
        let mut by_seq: Vec<(u32, bool)> = active.collect();
        by_seq.sort_unstable();
        by_seq.dedup_by(|later, kept| {
            let same = later.0 == kept.0;
            if same {
                kept.1 |= later.1;
            }
            same
        });
        Walk {
            active: by_seq,
            stitched,
            rooted,
        }
    }

    /// The nearest earlier row of the main chain.
    fn before(&self, i: usize) -> Option<usize> {
        self.rows[..i].iter().rposition(|r| !r.side)
    }

    /// Adds the other rows of active messages, results that hang on them, and prompts delivered in between.
    fn siblings(&self, on: &mut [bool]) {
        let mut active: HashMap<u32, ()> = HashMap::new();
        for (row, &on) in self.rows.iter().zip(on.iter()) {
            if let (true, Some(seq)) = (on, row.seq) {
                active.insert(seq, ());
            }
        }
        let mut before = false;
        // On the path, or hanging on it with nothing in between but reports of a call's progress, which are no messages.
        let mut hangs = on.to_vec();
        for i in 0..self.rows.len() {
            let row = self.rows[i];
            if row.side {
                continue;
            }
            let of_message = row.seq.is_some_and(|seq| active.contains_key(&seq));
            let parent = self.index.get(&row.parent);
            let parent_hangs = parent.is_some_and(|&at| hangs[at as usize]);
            let delivered = row.id == 0 && row.bridge && before;
            if of_message || delivered || (row.result && parent_hangs) {
                on[i] = true;
            }
            hangs[i] = on[i] || (row.seq.is_none() && parent_hangs);
            if row.leaf || row.id == 0 {
                before = on[i];
            }
        }
    }
}

fn index(rows: &[Row]) -> HashMap<u64, u32> {
    let places = rows.iter().zip(0..).filter(|(r, _)| r.id != 0);
    places.map(|(row, at)| (row.id, at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: u64, parent: u64) -> Row {
        Row {
            id,
            parent,
            seq: Some(id as u32),
            leaf: true,
            side: false,
            bridge: false,
            result: false,
        }
    }

    fn active(rows: &[Row]) -> Vec<u32> {
        let mut graph = Graph::default();
        rows.iter().for_each(|r| graph.add(*r));
        graph
            .walk()
            .active
            .into_iter()
            .filter(|a| a.1)
            .map(|a| a.0)
            .collect()
    }

    #[test]
    fn the_last_row_decides_the_branch() {
        assert_eq!(
            active(&[row(1, 0), row(2, 1), row(3, 1), row(4, 3)]),
            [1, 3, 4]
        );
        assert_eq!(active(&[row(1, 0), row(2, 0)]), [2]);
    }

    #[test]
    fn a_missing_parent_follows_the_row_before_and_a_cycle_the_file() {
        assert_eq!(active(&[row(1, 0), row(2, 99), row(3, 2)]), [1, 2, 3]);
        assert_eq!(active(&[row(1, 2), row(2, 1), row(3, 3)]), [1, 2, 3]);
    }

    #[test]
    fn a_file_that_names_no_parent_is_linear_once_an_answer_proves_it() {
        let mut graph = Graph::default();
        [row(1, 0), row(2, 0), row(3, 0)]
            .iter()
            .for_each(|r| graph.add(*r));
        assert_eq!(graph.walk().active.iter().filter(|a| a.1).count(), 1);
        graph.unlinked_answer();
        assert_eq!(graph.walk().active.iter().filter(|a| a.1).count(), 3);
        graph.add(row(4, 3));
        assert_eq!(graph.walk().active.iter().filter(|a| a.1).count(), 2);
    }

    #[test]
    fn parallel_results_hang_on_their_calls() {
        let result = |id, parent| Row {
            result: true,
            ..row(id, parent)
        };
        let call = |id, parent| Row {
            seq: Some(100),
            ..row(id, parent)
        };
        assert_eq!(
            active(&[
                row(1, 0),
                call(2, 1),
                call(3, 2),
                result(4, 2),
                result(5, 3),
                row(6, 5)
            ]),
            [1, 4, 5, 6, 100]
        );
    }
}
