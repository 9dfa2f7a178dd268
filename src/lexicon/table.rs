//! The literals of many rules in one automaton, and which rule needs which.
//!
//! Also part of the build script: making it takes longer than searching a short session with it.

use daachorse::DoubleArrayAhoCorasick;
use std::collections::BTreeMap;

/// See the module. Literals are in lower case as far as ASCII goes.
pub struct Table {
    /// Its values are places among the literals.
    pub automaton: DoubleArrayAhoCorasick<u32>,
    /// Of each literal its length in bytes, and where its rules end among the owners; they begin where those before end.
    pub literals: Vec<(u32, u32)>,
    /// Rules, by their places among all.
    pub owners: Vec<u32>,
}

impl Table {
    /// Of literals and the rules that need them; `None` when there are none, or too many.
    pub fn of<'t>(needed: impl Iterator<Item = (&'t str, u32)>) -> Option<Table> {
        let mut rules: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (literal, rule) in needed.filter(|(literal, _)| !literal.is_empty()) {
            let literal = literal.to_ascii_lowercase();
            rules.entry(literal).or_default().push(rule);
        }
        let (mut literals, mut owners) = (Vec::new(), Vec::new());
        for (literal, rules) in &rules {
            owners.extend(rules);
            literals.push((literal.len() as u32, owners.len() as u32));
        }
        let automaton = DoubleArrayAhoCorasick::new(rules.keys()).ok()?;
        Some(Table {
            automaton,
            literals,
            owners,
        })
    }
}
