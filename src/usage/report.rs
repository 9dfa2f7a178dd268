//! The judgement as one report (CONTRACT 7).

use super::drift::{self, Drift};
use super::health::{self, Health};
use super::policy::{Policy, StaticRule};
use super::readings;
use super::share;
use super::walk::{self, Alarm, STRIKES, Walk};
use super::what_if::WhatIf;
use super::{Now, ahead, compactions, now};
use crate::session::Session;
use serde::Serialize;
use std::fmt;

/// What to do now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    None,
    Warn,
    Prune,
    Compact,
    Critical,
    Blocked,
    Unknown,
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Decision::None => "none",
            Decision::Warn => "warn",
            Decision::Prune => "prune",
            Decision::Compact => "compact",
            Decision::Critical => "critical",
            Decision::Blocked => "blocked",
            Decision::Unknown => "unknown",
        })
    }
}

/// The threshold as configured and as it is. `null` where the window or the floor is not known.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Threshold {
    pub engine: &'static str,
    pub configured: f64,
    pub lower: Option<u64>,
    pub upper: Option<u64>,
    pub floor: Option<u64>,
    pub dynamic: Option<u64>,
    pub tokens: Option<u64>,
    /// Tokens between floor and threshold: how much fits between two compactions.
    pub headroom: Option<u64>,
}

/// Compactions, and whether they helped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Compacted {
    pub total: u64,
    pub auto: u64,
    pub manual: u64,
    pub ineffective: u64,
    pub thrash: bool,
}

/// Everything `compact usage` says, keys in the contract's order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    pub context_tokens: Option<u64>,
    pub window: Option<u64>,
    pub window_from: Option<&'static str>,
    pub share: Option<f64>,
    pub source: Option<&'static str>,
    pub threshold: Threshold,
    pub decision: Decision,
    pub reason: String,
    pub readings: u64,
    pub events: Vec<Alarm>,
    pub compactions: Compacted,
    pub health: Health,
    pub settings: Vec<Drift>,
    pub warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what_if: Option<WhatIf>,
}

/// What is estimated, and how.
#[derive(Clone, Copy, Default)]
pub struct Estimates<'p> {
    pub include_tail: bool,
    pub chars_per_token: Option<f64>,
    /// Where pruning goes first: how many tokens it would free. Asked for only when the threshold is reached.
    pub prunable: Option<&'p dyn Fn() -> u64>,
}

/// Judges a session.
pub fn report(session: &Session, policy: &Policy, estimates: Estimates<'_>) -> Report {
    let events = readings::events(session);
    let walk = walk::walk(session, &events, policy);
    let Now { tokens, source } = now(&events);
    let tokens = match tokens {
        Some(read) if estimates.include_tail => {
            Some(read.saturating_add(ahead::tail(session, &events, estimates.chars_per_token)))
        }
        read => read,
    };
    let (decision, reason) = decide(policy, estimates, &walk, tokens);
    let adaptive = policy.adaptive && walk.readings > 0;
    let bounds = walk.bounds;
    let counted = compactions(&events);
    Report {
        context_tokens: tokens,
        window: walk.window.tokens,
        window_from: walk.window.from,
        share: tokens
            .zip(walk.window.tokens)
            .and_then(|(t, w)| share::shown(t, w)),
        source,
        threshold: Threshold {
            engine: if adaptive { "adaptive" } else { "static" },
            configured: policy.threshold.as_f64(),
            lower: bounds.map(|b| b.lower),
            upper: bounds.filter(|_| adaptive).map(|b| b.upper),
            floor: walk.floor,
            dynamic: bounds.and_then(|b| b.dynamic),
            tokens: bounds.map(|b| b.tokens),
            headroom: bounds
                .zip(walk.floor)
                .map(|(b, floor)| b.tokens.saturating_sub(floor)),
        },
        decision,
        reason,
        readings: walk.readings,
        warnings: warnings(policy, &walk, decision, tokens),
        compactions: Compacted {
            total: counted.total,
            auto: counted.auto,
            manual: counted.manual,
            ineffective: walk.ineffective,
            thrash: walk.thrash,
        },
        events: walk.alarms,
        health: health::health(session),
        settings: drift::drift(session),
        what_if: None,
    }
}

fn decide(
    policy: &Policy,
    estimates: Estimates<'_>,
    walk: &Walk,
    tokens: Option<u64>,
) -> (Decision, String) {
    let Some(tokens) = tokens else {
        let why = if walk.readings == 0 {
            "no response says how many tokens it was sent"
        } else {
            "nothing has been read since the last compaction"
        };
        return (Decision::Unknown, why.to_owned());
    };
    let (Some(window), Some(bounds)) = (walk.window.tokens, walk.bounds) else {
        return (
            Decision::Unknown,
            "the model's window is not known; name it with --window".to_owned(),
        );
    };
    let percent = share::percent(tokens, window).unwrap_or(0);
    let at = format!(
        "{} of {} tokens ({percent} %)",
        grouped(tokens),
        grouped(window)
    );
    let threshold = grouped(bounds.tokens);
    if tokens < bounds.reached {
        return (
            Decision::None,
            format!("{at}, below the threshold of {threshold}"),
        );
    }
    if tokens < policy.min_tokens {
        let min = grouped(policy.min_tokens);
        return (
            Decision::None,
            format!("{at}, less than the minimum of {min}"),
        );
    }
    let at = format!("{at}, threshold {threshold}");
    if walk.strikes >= STRIKES {
        return (
            Decision::Blocked,
            format!("{at}; {STRIKES} compactions in a row did not get below it"),
        );
    }
    if let Some(prunable) = estimates.prunable {
        let saved = prunable();
        let text = format!("{at}; pruning would free {}", grouped(saved));
        return if tokens.saturating_sub(saved) < bounds.reached {
            (Decision::Prune, format!("{text}, which is enough"))
        } else {
            (Decision::Compact, format!("{text}, which is not enough"))
        };
    }
    if policy.adaptive {
        return (Decision::Compact, at);
    }
    if tokens >= policy.critical.reached_at(window) {
        return (
            Decision::Critical,
            format!("{at}, critical from {}", policy.critical),
        );
    }
    (Decision::Warn, at)
}

fn warnings(policy: &Policy, walk: &Walk, decision: Decision, tokens: Option<u64>) -> Vec<String> {
    let mut warnings = Vec::new();
    if policy.adaptive && walk.readings == 0 {
        warnings.push(
            "no readings, so the threshold cannot adapt; the configured one is used".to_owned(),
        );
    }
    if policy.adaptive && policy.ceiling < policy.threshold {
        warnings.push(format!(
            "--ceiling ({}) is below --threshold ({}) and changes nothing",
            policy.ceiling, policy.threshold
        ));
    }
    if let (Some(window), Some(bounds)) = (walk.window.tokens, walk.bounds) {
        let configured = policy.threshold.of(window);
        if policy.static_rule == StaticRule::Hermes && bounds.lower != configured {
            warnings.push(format!(
                "the hermes rule puts the threshold at {} instead of {} tokens",
                grouped(bounds.lower),
                grouped(configured)
            ));
        }
        if tokens.is_some_and(|t| t > window) {
            warnings.push(format!(
                "the context is larger than the window of {} tokens; check --window",
                grouped(window)
            ));
        }
    }
    if decision == Decision::Blocked {
        warnings.push(format!(
            "{STRIKES} compactions in a row left the context at or above the threshold: another one would not help; \
             start a new session, or take something out of what every request carries"
        ));
    }
    if walk.thrash {
        warnings.push("the session compacts every one or two answers".to_owned());
    }
    warnings
}

/// A number with commas between its thousands.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        for (number, want) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (1234567, "1,234,567"),
        ] {
            assert_eq!(grouped(number), want);
        }
    }
}
