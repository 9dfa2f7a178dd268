//! From a configured share to the number of tokens that counts (SPEC 3.2).

use super::policy::{Policy, StaticRule};
use super::share::{Share, WHOLE};

/// The threshold for one window and one floor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// The static threshold.
    pub lower: u64,
    /// The ceiling.
    pub upper: u64,
    /// What the floor asks for.
    pub dynamic: Option<u64>,
    /// The threshold as reported.
    pub tokens: u64,
    /// The fewest tokens that are not below it; a share that is no whole number is not rounded in anybody's favour.
    pub reached: u64,
}

/// The window less the room kept for the answer; the window if nothing would be left.
fn effective(policy: &Policy, window: u64) -> u64 {
    match window.saturating_sub(policy.max_output.unwrap_or(0)) {
        0 => window,
        rest => rest,
    }
}

/// The static threshold: tokens as reported, and the fewest that reach it.
fn lower(policy: &Policy, window: u64) -> (u64, u64) {
    let effective = effective(policy, window);
    if policy.static_rule == StaticRule::Plain {
        return (
            policy.threshold.of(effective),
            policy.threshold.reached_at(effective),
        );
    }
    let share = if window < 512_000 {
        policy.threshold.max(Share::percent(75))
    } else {
        policy.threshold
    };
    let mut tokens = share.of(effective).max(64_000);
    if tokens >= effective {
        tokens = Share::percent(85)
            .of(effective)
            .min(effective.saturating_sub(1))
            .max(1);
    }
    (tokens, tokens)
}

/// The threshold of a window after a compaction that landed at `floor`. Without --adaptive, or without a floor,
/// the static one.
pub fn bounds(policy: &Policy, window: u64, floor: Option<u64>) -> Bounds {
    let (lower, reached) = lower(policy, window);
    let below_answer = effective(policy, window).saturating_sub(1);
    let upper = lower.max(policy.ceiling.of(window).min(below_answer));
    let dynamic = floor.filter(|_| policy.adaptive).map(|floor| {
        (u128::from(floor) * u128::from(policy.gap)).div_ceil(u128::from(WHOLE)) as u64
    });
    let tokens = dynamic.map_or(lower, |d| d.clamp(lower, upper));
    let reached = if tokens == lower { reached } else { tokens };
    let (tokens, reached) = match policy.cap {
        Some(cap) if cap < tokens => (cap, cap),
        _ => (tokens, reached),
    };
    Bounds {
        lower,
        upper,
        dynamic,
        tokens,
        reached,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The worked table of SPEC 3.2: window, share, reserve, floor → lower, dynamic, upper, threshold.
    #[test]
    fn the_worked_table_holds() {
        let mib = 1_048_576;
        type Row = (
            u64,
            u64,
            Option<u64>,
            Option<u64>,
            u64,
            Option<u64>,
            u64,
            u64,
        );
        let plain: &[Row] = &[
            (mib, 75, None, None, 786_432, None, 891_289, 786_432),
            (
                mib,
                75,
                None,
                Some(256_857),
                786_432,
                Some(513_714),
                891_289,
                786_432,
            ),
            (
                mib,
                75,
                None,
                Some(400_000),
                786_432,
                Some(800_000),
                891_289,
                800_000,
            ),
            (
                mib,
                75,
                None,
                Some(445_644),
                786_432,
                Some(891_288),
                891_289,
                891_288,
            ),
            (
                mib,
                75,
                None,
                Some(445_645),
                786_432,
                Some(891_290),
                891_289,
                891_289,
            ),
            (
                mib,
                30,
                None,
                Some(256_857),
                314_572,
                Some(513_714),
                891_289,
                513_714,
            ),
            (
                mib,
                75,
                Some(262_144),
                Some(500_000),
                589_824,
                Some(1_000_000),
                786_431,
                786_431,
            ),
            (
                mib,
                90,
                None,
                Some(500_000),
                943_718,
                Some(1_000_000),
                943_718,
                943_718,
            ),
        ];
        let hermes: &[Row] = &[
            (272_000, 50, None, None, 204_000, None, 231_200, 204_000),
            (200_000, 50, None, None, 150_000, None, 170_000, 150_000),
            (128_000, 50, None, None, 96_000, None, 108_800, 96_000),
            (64_000, 50, None, None, 54_400, None, 54_400, 54_400),
        ];
        for (rule, rows) in [(StaticRule::Plain, plain), (StaticRule::Hermes, hermes)] {
            for &(window, share, max_output, floor, lower, dynamic, upper, tokens) in rows {
                let policy = Policy {
                    threshold: Share::percent(share),
                    max_output,
                    adaptive: true,
                    static_rule: rule,
                    ..Policy::default()
                };
                let found = bounds(&policy, window, floor);
                assert_eq!(
                    (found.lower, found.dynamic, found.upper, found.tokens),
                    (lower, dynamic, upper, tokens),
                    "{rule:?} {window} {share} {floor:?}"
                );
            }
        }
    }

    #[test]
    fn a_cap_lowers_and_never_raises() {
        let policy = |cap| Policy {
            cap: Some(cap),
            ..Policy::default()
        };
        assert_eq!(bounds(&policy(100_000), 200_000, None).tokens, 100_000);
        assert_eq!(bounds(&policy(190_000), 200_000, None).tokens, 160_000);
    }

    #[test]
    fn a_reserve_larger_than_the_window_is_none() {
        let policy = Policy {
            max_output: Some(300_000),
            ..Policy::default()
        };
        assert_eq!(bounds(&policy, 200_000, None).tokens, 160_000);
    }
}
