//! Work on several cores where there is enough of it; the outcome is the same either way, in the same order.
//!
//! Where there is one core, or the system gives no more threads, everything is done by whoever asks for it.

use rayon::prelude::*;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};
use std::thread::{Builder, available_parallelism};

/// Fewer items than this are done before a second thread has woken.
const MANY: usize = 3;

/// Whether there are threads that can help.
pub fn has_help() -> bool {
    static HELP: LazyLock<bool> = LazyLock::new(|| {
        let cores = available_parallelism().map_or(1, usize::from);
        cores > 1 && rayon::ThreadPoolBuilder::new().build_global().is_ok()
    });
    *HELP
}

/// What `f` makes of each item, in order.
pub fn map<T: Sync, R: Send>(items: &[T], f: impl Fn(&T) -> R + Sync + Send) -> Vec<R> {
    match items.len() >= MANY && has_help() {
        true => items.par_iter().map(f).collect(),
        false => items.iter().map(f).collect(),
    }
}

/// Both results; beside each other if there is much to do.
pub fn both<A: Send, B: Send>(
    much: bool,
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    match much && has_help() {
        true => rayon::join(a, b),
        false => (a(), b()),
    }
}

/// What is worked out while others go on, until somebody needs it: on a thread of its own, so that no helper is away when
/// there is something to share.
pub struct Later<T> {
    coming: Mutex<Receiver<T>>,
    done: OnceLock<Option<T>>,
}

impl<T: Send + 'static> Later<T> {
    pub fn start(f: impl FnOnce() -> T + Send + 'static) -> Later<T> {
        let (send, coming) = channel();
        let work = Arc::new(Mutex::new(Some(f)));
        let begin = {
            let work = Arc::clone(&work);
            move || {
                let work = work.lock().ok().and_then(|mut w| w.take());
                // Nobody may wait for it any more.
                if let Some(f) = work {
                    drop(send.send(f()));
                }
            }
        };
        if !has_help() || Builder::new().spawn(begin.clone()).is_err() {
            begin();
        }
        Later {
            coming: Mutex::new(coming),
            done: OnceLock::new(),
        }
    }

    /// What came of it, once it is there, by value.
    pub fn take(self) -> Option<T> {
        self.get();
        self.done.into_inner().flatten()
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
        for size in [2, 10 * MANY] {
            let items: Vec<usize> = (0..size).collect();
            assert!(
                map(&items, |i| i * 2)
                    .into_iter()
                    .eq((0..size).map(|i| i * 2))
            );
        }
        let later = Later::start(|| 3);
        assert_eq!((later.get(), later.get()), (Some(&3), Some(&3)));
        assert_eq!(later.take(), Some(3));
        assert_eq!(both(true, || 1, || "b"), both(false, || 1, || "b"));
    }
}
