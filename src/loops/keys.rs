//! A map that forgets its oldest key when it is full.

use foldhash::HashMap;
use std::collections::VecDeque;

/// At most this many calls are remembered (SPEC 5).
const MOST: usize = 2048;

/// Calls by key, the oldest forgotten first.
pub struct Keys<T> {
    values: HashMap<u64, T>,
    order: VecDeque<u64>,
}

impl<T> Default for Keys<T> {
    fn default() -> Self {
        Keys {
            values: HashMap::default(),
            order: VecDeque::new(),
        }
    }
}

impl<T> Keys<T> {
    pub fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        self.values.get_mut(&key)
    }

    pub fn insert(&mut self, key: u64, value: T) {
        if self.values.insert(key, value).is_some() {
            return;
        }
        self.order.push_back(key);
        while self.values.len() > MOST {
            let Some(oldest) = self.order.pop_front() else {
                break;
            };
            self.values.remove(&oldest);
        }
    }

    pub fn remove(&mut self, key: u64) {
        if self.values.remove(&key).is_some() {
            self.order.retain(|k| *k != key);
        }
    }

    pub fn clear(&mut self) {
        self.values.clear();
        self.order.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_key_goes_first() {
        let mut keys = Keys::default();
        for key in 0..=MOST as u64 {
            keys.insert(key, key);
        }
        assert!(keys.get_mut(0).is_none());
        assert!(keys.get_mut(1).is_some());
        keys.remove(1);
        keys.insert(1, 7);
        assert_eq!(keys.get_mut(1), Some(&mut 7));
    }
}
