//! Several sessions at once, answers in the order of the sessions.

use anyhow::Result;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// Is told which worker is at which item: `Some(item)` when it begins, `None` when it is done.
pub type Watch<'w> = &'w (dyn Fn(usize, Option<usize>) + Sync);

/// In which order `jobs` workers should begin items of those weights: one after another, but the few that would keep
/// one worker busy while the others have nothing left to do go first.
pub fn order(weights: &[u64], jobs: usize) -> Vec<usize> {
    let all = weights.iter().map(|w| u128::from(*w)).sum::<u128>();
    let heavy = |at: &usize| {
        let weight = weights.get(*at).copied().unwrap_or_default();
        jobs > 1 && u128::from(weight) * jobs as u128 * 8 > all
    };
    let (mut first, rest): (Vec<usize>, Vec<usize>) = (0..weights.len()).partition(heavy);
    first.sort_by_key(|at| std::cmp::Reverse(weights.get(*at).copied()));
    first.extend(rest);
    first
}

/// Does `one` for the items of `order` (each of `0..order.len()`, in any order) with `jobs` workers and gives each answer to `take`, first item first, as soon
/// as all before it are there. `take` ends everything by answering `false`; items behind are not begun any more.
///
/// # Errors
/// Those of `take`, and no thread to be had.
pub fn each<T: Send>(
    order: &[usize],
    jobs: usize,
    watch: Watch<'_>,
    one: impl Fn(usize) -> T + Sync,
    mut take: impl FnMut(usize, T) -> Result<bool> + Send,
) -> Result<()> {
    let jobs = jobs.clamp(1, order.len().max(1));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(jobs).build()?;
    let next = AtomicUsize::new(0);
    let stop = AtomicBool::new(false);
    let (done, answers) = mpsc::channel();
    let (next, stop, one) = (&next, &stop, &one);
    pool.in_place_scope(|scope| {
        for worker in 0..jobs {
            let done = done.clone();
            scope.spawn(move |_| {
                while !stop.load(Ordering::Relaxed) {
                    let Some(&item) = order.get(next.fetch_add(1, Ordering::Relaxed)) else {
                        break;
                    };
                    watch(worker, Some(item));
                    let answer = one(item);
                    watch(worker, None);
                    if done.send((item, answer)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(done);
        let mut waiting = BTreeMap::new();
        let mut at = 0;
        let mut ended = Ok(());
        // A stopped run still empties the channel, so that no worker waits.
        for (item, answer) in answers {
            if stop.load(Ordering::Relaxed) {
                continue;
            }
            waiting.insert(item, answer);
            while let Some(answer) = waiting.remove(&at) {
                match take(at, answer) {
                    Ok(true) => at += 1,
                    Ok(false) => stop.store(true, Ordering::Relaxed),
                    Err(error) => {
                        ended = Err(error);
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                if stop.load(Ordering::Relaxed) {
                    break;
                }
            }
        }
        ended
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squares(count: usize, jobs: usize, until: usize) -> Vec<usize> {
        let mut seen = Vec::new();
        let slow = |n: usize| {
            std::thread::sleep(std::time::Duration::from_millis((n as u64 % 3) * 2));
            n * n
        };
        let weights: Vec<u64> = (0..count).map(|n| (n as u64 % 7).pow(4)).collect();
        each(
            &order(&weights, jobs),
            jobs,
            &|_, _| (),
            slow,
            |at, square| {
                assert_eq!(at * at, square);
                seen.push(square);
                Ok(at < until)
            },
        )
        .unwrap();
        seen
    }

    #[test]
    fn answers_come_in_order() {
        let want: Vec<usize> = (0..20).map(|n| n * n).collect();
        for jobs in [1, 2, 7, 40] {
            assert_eq!(squares(20, jobs, 99), want);
        }
        assert!(squares(0, 4, 99).is_empty());
    }

    #[test]
    fn what_would_be_waited_for_begins_first() {
        let weights = [1, 1, 30, 1, 1, 60, 1, 1];
        assert_eq!(order(&weights, 2), [5, 2, 0, 1, 3, 4, 6, 7]);
        // One worker waits for nobody; equals need no order.
        assert_eq!(order(&weights, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(order(&[3; 40], 4), (0..40).collect::<Vec<_>>());
        assert!(order(&[], 2).is_empty());
    }

    #[test]
    fn a_stop_ends_at_the_same_item_for_any_number_of_workers() {
        for jobs in [1, 3] {
            assert_eq!(squares(50, jobs, 4), [0, 1, 4, 9, 16]);
        }
    }

    #[test]
    fn an_error_of_the_reader_ends_it() {
        let answer = each(
            &order(&[1; 9], 2),
            2,
            &|_, _| (),
            |n| n,
            |_, _| anyhow::bail!("full"),
        );
        assert!(answer.is_err());
    }
}
