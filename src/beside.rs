//! Work on several cores where there is enough of it; the outcome is the same either way, in the same order.

use rayon::prelude::*;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, OnceLock};

/// Fewer items than this are done before a second thread has woken.
const MANY: usize = 3;

/// What `f` makes of each item, in order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match items.len() < MANY {
        true => items.iter().map(f).collect(),
        false => items.par_iter().map(f).collect(),
    }
}

/// Both results; beside each other if there is much to do.
pub fn both<A: Send, B: Send>(
    much: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    match much {
        true => rayon::join(a, b),
        false => (a(), b()),
    }
}

/// What is worked out while others go on, until somebody needs it.
pub struct Later<T> {
    coming: Mutex<Receiver<T>>,
    done: OnceLock<Option<T>>,
}

impl<T: Send + 'static> Later<T> {
    /// Begins the work on a thread of its own.
    pub fn start(f: impl FnOnce() -> T + Send + 'static) -> Later<T> {
        let (send, coming) = channel();
        // Nobody may wait for it any more.
        rayon::spawn(move || drop(send.send(f())));
        Later {
            coming: Mutex::new(coming),
            done: OnceLock::new(),
        }
    }

    /// What came of it, once it is there.
    pub fn get(&self) -> Option<&T> {
        let come = || self.coming.lock().ok()?.recv().ok();
        self.done.get_or_init(come).as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_kept() {
        for size in [3, 10 * MANY] {
            let items: Vec<usize> = (0..size).collect();
            assert!(
                map(&items, |i| i * 2)
                    .into_iter()
                    .eq((0..size).map(|i| i * 2))
            );
        }
        let later = Later::start(|| 3);
        assert_eq!((later.get(), later.get()), (Some(&3), Some(&3)));
        assert_eq!(both(true, || 1, || "b"), both(false, || 1, || "b"));
    }
}
