//! Which rows are on the active branch where each row names the one before it: from the last row back.

use crate::transcript::Desk;
use std::collections::HashMap;

/// What a row says of the row before it.
pub enum Before<'a> {
    /// Nothing: it follows the row before it in the file.
    Unsaid,
    /// It is the first of its branch.
    Root,
    Row(&'a str),
}

/// The rows of the main conversation in file order.
#[derive(Default)]
pub struct Chain {
    rows: Vec<(Parent, Option<u32>)>,
    known: HashMap<String, usize>,
}

enum Parent {
    Previous,
    Root,
    Row(String),
}

impl Chain {
    /// Adds a row; `seq` is its entry's place, if it has one. False: the same row again.
    pub fn add(&mut self, id: &str, before: Before<'_>, seq: Option<u32>) {
        if !id.is_empty() {
            self.known.entry(id.to_owned()).or_insert(self.rows.len());
        }
        let parent = match before {
            Before::Unsaid => Parent::Previous,
            Before::Root => Parent::Root,
            Before::Row(id) => Parent::Row(id.to_owned()),
        };
        self.rows.push((parent, seq));
    }

    pub fn has(&self, id: &str) -> bool {
        self.known.contains_key(id)
    }

    /// Tells the desk which entries are active. A missing parent or a cycle: the row before it in the file.
    pub fn settle(&self, desk: &mut Desk<'_>) {
        let mut active = vec![false; self.rows.len()];
        let mut at = self.rows.len().checked_sub(1);
        while let Some(row) = at {
            active[row] = true;
            let earlier = || active[..row].iter().rposition(|seen| !seen);
            at = match &self.rows[row].0 {
                Parent::Root => None,
                Parent::Previous => earlier(),
                Parent::Row(id) => match self.known.get(id) {
                    Some(&parent) if !active[parent] => Some(parent),
                    _ => {
                        desk.session.input.stitched += 1;
                        earlier()
                    }
                },
            };
        }
        for (row, active) in self.rows.iter().zip(active) {
            if let Some(seq) = row.1 {
                desk.set_active(seq, active);
            }
        }
    }
}
