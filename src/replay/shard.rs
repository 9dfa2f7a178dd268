//! The part of an archive's sessions that one of several machines takes.

use super::find::Target;

/// One of several equal parts, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    pub index: usize,
    pub of: usize,
}

impl std::str::FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Shard, String> {
        text.split_once('/')
            .and_then(|(i, n)| Some((i.trim().parse().ok()?, n.trim().parse().ok()?)))
            .filter(|(index, of)| (1..=*of).contains(index))
            .map(|(index, of)| Shard { index, of })
            .ok_or_else(|| "write which part of how many, as in 1/4".to_owned())
    }
}

impl Shard {
    /// The targets of this part. Big ones are dealt first, each to the lightest part, so that the parts weigh about
    /// the same; the same targets give the same parts everywhere.
    pub fn take(self, targets: Vec<Target>) -> Vec<Target> {
        let mut order: Vec<usize> = (0..targets.len()).collect();
        order.sort_by_key(|at| {
            let bytes = targets.get(*at).map_or(0, |t| t.bytes);
            (std::cmp::Reverse(bytes), *at)
        });
        // By part: its bytes, then its files.
        let mut parts = vec![(0u64, 0u64); self.of];
        let mut mine = vec![false; targets.len()];
        for at in order {
            let bytes = targets.get(at).map_or(0, |t| t.bytes);
            let Some((lightest, part)) = parts.iter_mut().enumerate().min_by_key(|(_, p)| **p)
            else {
                break;
            };
            *part = (part.0 + bytes, part.1 + 1);
            if let Some(mark) = mine.get_mut(at) {
                *mark = lightest + 1 == self.index;
            }
        }
        let mut mine = mine.into_iter();
        targets
            .into_iter()
            .filter(|_| mine.next() == Some(true))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn shards_make_up_the_whole() {
        let target = |n: u64| Target {
            path: format!("{n:02}").into(),
            session: None,
            key: PathBuf::new(),
            named: false,
            bytes: n * n,
        };
        let all: Vec<Target> = (0..23).map(target).collect();
        let parts: Vec<Vec<Target>> = (1..=4)
            .map(|index| Shard { index, of: 4 }.take(all.clone()))
            .collect();
        let weights: Vec<u64> = parts
            .iter()
            .map(|p| p.iter().map(|t| t.bytes).sum())
            .collect();
        let (least, most) = (weights.iter().min().unwrap(), weights.iter().max().unwrap());
        assert!(most - least < 22 * 22 / 2, "{weights:?}");
        let mut joined = parts.concat();
        joined.sort_by(|a, b| a.path.cmp(&b.path));
        assert_eq!(joined, all);
        assert_eq!("2/3".parse(), Ok(Shard { index: 2, of: 3 }));
        for bad in ["0/3", "4/3", "1", "a/b", "1/0", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
    }
}
