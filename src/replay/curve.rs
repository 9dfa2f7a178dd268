//! How full the context was, answer by answer, and where it was compacted: what a report draws.

use crate::session::Session;
use crate::transcript::Mark;

/// Prompt tokens over the answers of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Curve {
    /// Of each answer: its place (0 is the first) and its prompt tokens.
    pub points: Vec<(u32, u64)>,
    /// Before which answer the context was compacted.
    pub compactions: Vec<u32>,
    /// Answers in all.
    pub answers: u32,
}

/// Most points that are kept; a screen has no more.
const MOST: usize = 400;

impl Curve {
    /// The readings of a session's active conversation.
    pub fn of(session: &Session) -> Curve {
        let mut curve = Curve::default();
        for entry in session.active() {
            if let Some(usage) = entry.usage {
                curve.points.push((curve.answers, usage.prompt));
                curve.answers += 1;
            }
            if matches!(entry.mark, Some(Mark::Compaction(_))) {
                curve.compactions.push(curve.answers);
            }
        }
        curve.compactions.dedup();
        curve.points = thin(curve.points);
        curve
    }
}

/// Of neighbouring points the lowest and the highest stay, so that no fall and no peak is lost.
fn thin(points: Vec<(u32, u64)>) -> Vec<(u32, u64)> {
    if points.len() <= MOST {
        return points;
    }
    let mut kept = Vec::with_capacity(MOST + 2);
    for bucket in points.chunks(points.len().div_ceil(MOST / 2)) {
        let low = bucket.iter().min_by_key(|p| (p.1, p.0));
        let high = bucket.iter().max_by_key(|p| (p.1, p.0));
        let mut both: Vec<_> = low.into_iter().chain(high).copied().collect();
        both.sort();
        both.dedup();
        kept.extend(both);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_keeps_peaks() {
        let points: Vec<(u32, u64)> = (0..5000)
            .map(|n| (n, if n == 2501 { 9999 } else { u64::from(n) }))
            .collect();
        let kept = thin(points);
        assert!(kept.len() <= MOST);
        assert!(kept.contains(&(2501, 9999)));
        assert!(kept.is_sorted());
        assert_eq!(thin(vec![(0, 1)]), [(0, 1)]);
    }
}
