//! How often another threshold would have fired: the growth of the readings replayed (SPEC 3.2, 8).

use super::readings::Event;
use serde::Serialize;

/// The answer to `--what-if N --assume-floor F`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct WhatIf {
    pub threshold: u64,
    pub floor: u64,
    pub compactions: u64,
}

/// Replays the growth: reaching `threshold` counts one compaction, after which the context is `floor`.
pub fn what_if(events: &[Event], threshold: u64, floor: u64) -> WhatIf {
    let mut level: u64 = 0;
    let mut last: u64 = 0;
    let mut compactions = 0;
    for event in events {
        let Event::Reading(reading) = event else {
            continue;
        };
        // A context that shrank was compacted or rewound for real; only what was added counts.
        level = level.saturating_add(reading.tokens.saturating_sub(last));
        last = reading.tokens;
        if level >= threshold {
            compactions += 1;
            level = floor;
        }
    }
    WhatIf {
        threshold,
        floor,
        compactions,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usage::Reading;

    fn readings(tokens: &[u64]) -> Vec<Event> {
        let reading = |tokens: &u64| {
            Event::Reading(Reading {
                seq: 0,
                reference: None,
                time: None,
                tokens: *tokens,
                output: 0,
                model: None,
            })
        };
        tokens.iter().map(reading).collect()
    }

    #[test]
    fn growth_is_replayed_and_shrinking_is_not() {
        let grown = readings(&[100, 200, 300, 400, 500]);
        assert_eq!(what_if(&grown, 300, 100).compactions, 2);
        assert_eq!(what_if(&grown, 1000, 100).compactions, 0);
        // The drop after a real compaction takes nothing away.
        let dropped = readings(&[100, 300, 50, 150]);
        assert_eq!(what_if(&dropped, 400, 100).compactions, 1);
    }
}
