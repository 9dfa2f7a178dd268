//! The graph of rows and the walk that finds the active conversation, for every format whose records name
//! their parent (FORMATS 6.4, 7.5; CONTRACT 11 "Reading"). What a row means is the format's business.

use foldhash::{HashMap, HashMapExt};

/// A row's place in the graph. Ids are hashes; 0 is none.
#[derive(Debug, Clone, Copy)]
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

#[derive(Default)]
pub struct Graph {
    rows: Vec<Row>,
    index: HashMap<u64, u32>,
    /// The leaf that the file itself names, where it does; else it is the last leaf row.
    leaf: Option<u32>,
    /// Rows that name a parent.
    linked: u64,
    /// A row that cannot begin a conversation has no parent.
    headless: bool,
}

/// What the walk found.
pub struct Walk {
    /// Messages of the main chain and whether they are active; side chains are not listed.
    pub active: Vec<(u32, bool)>,
    pub stitched: u64,
}

impl Graph {
    pub fn contains(&self, id: u64) -> bool {
        self.index.contains_key(&id)
    }

    pub fn add(&mut self, row: Row) {
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
        self.leaf = self.index.get(&id).copied().or(self.leaf);
    }

    /// Walks from the last row of the main chain to the root.
    pub fn walk(&self) -> Walk {
        let rows = &self.rows;
        let mut on = vec![false; rows.len()];
        let mut stitched = 0;
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
        for i in 0..self.rows.len() {
            let row = self.rows[i];
            if row.side {
                continue;
            }
            let of_message = row.seq.is_some_and(|seq| active.contains_key(&seq));
            let parent_on = || self.index.get(&row.parent).is_some_and(|&p| on[p as usize]);
            let delivered = row.id == 0 && row.bridge && before;
            if of_message || delivered || (row.result && parent_on()) {
                on[i] = true;
            }
            if row.leaf || row.id == 0 {
                before = on[i];
            }
        }
    }
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
