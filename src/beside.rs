//! Work on several cores where there is enough of it; the outcome is the same either way, in the same order.

use rayon::prelude::*;

/// Fewer items than this are done before a second thread has woken.
const MANY: usize = 64;

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
        assert_eq!(both(true, || 1, || "b"), both(false, || 1, || "b"));
    }
}
