//! One pass over the events: the floor, the strikes, the warnings, how often it was compacted. Counters live in
//! this pass only; the transcript is the memory (SPEC 3.1 and 3.2).

use super::policy::Policy;
use super::readings::{Event, Reading, most};
use super::share;
use super::threshold::{self, Bounds};
use super::window::Window;
use crate::session::Session;
use crate::transcript::{Millis, Ref};
use serde::Serialize;

/// How loud an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Warn,
    Critical,
}

/// A reading that called for attention.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Alarm {
    #[serde(rename = "ref")]
    pub reference: Option<Ref>,
    pub level: Level,
    pub tokens: u64,
    pub share: Option<f64>,
}

/// What the pass found.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Walk {
    pub readings: u64,
    pub alarms: Vec<Alarm>,
    /// First reading after the last compaction; dropped when the model changes.
    pub floor: Option<u64>,
    /// Compactions in a row that did not get below the threshold.
    pub strikes: u64,
    pub ineffective: u64,
    pub thrash: bool,
    /// Window and threshold at the end.
    pub window: Window,
    pub bounds: Option<Bounds>,
}

/// How many compactions without effect block the next one.
pub const STRIKES: u64 = 2;

/// Walks over the events of a session.
pub fn walk(session: &Session, events: &[Event], policy: &Policy) -> Walk {
    let most = most(events);
    let mut pass = Pass {
        policy,
        session,
        most,
        found: Walk {
            window: policy.windows.of_model("", session.head.window, most),
            ..Walk::default()
        },
        model: None,
        waiting: false,
        cycle: Cycle::default(),
        since: None,
        gaps: Vec::new(),
    };
    if let Some(first) = events.iter().find_map(|e| match e {
        Event::Reading(r) => r.model,
        Event::Model(m) => Some(*m),
        _ => None,
    }) {
        pass.switch(first);
    } else {
        pass.found.window = policy.windows.of(session, events);
    }
    pass.measure();
    for event in events {
        pass.event(event);
    }
    pass.found.thrash = thrashes(&pass.gaps);
    pass.found
}

/// At most two readings between recent compactions, by the median of the last four gaps.
fn thrashes(gaps: &[u64]) -> bool {
    let mut last: Vec<u64> = gaps.iter().rev().take(4).copied().collect();
    last.sort_unstable();
    let middle = last.len() / 2;
    match last.len() {
        0 | 1 => false,
        n if n % 2 == 1 => last.get(middle).is_some_and(|m| *m <= 2),
        _ => last.iter().skip(middle - 1).take(2).sum::<u64>() <= 4,
    }
}

/// Alarms between two compactions.
#[derive(Default)]
struct Cycle {
    warned: u64,
    critical: u64,
    last: Option<(Level, Option<Millis>)>,
}

struct Pass<'a> {
    policy: &'a Policy,
    session: &'a Session,
    most: u64,
    found: Walk,
    model: Option<u16>,
    /// A compaction happened and no reading has shown yet whether it helped.
    waiting: bool,
    cycle: Cycle,
    /// Readings since the last compaction.
    since: Option<u64>,
    gaps: Vec<u64>,
}

impl Pass<'_> {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Boundary { .. } => {
                self.waiting = true;
                self.cycle = Cycle::default();
                self.gaps.extend(self.since.replace(0));
            }
            Event::Clear => {
                self.forget();
                self.cycle = Cycle::default();
            }
            Event::Model(model) => self.switch(*model),
            Event::Reading(reading) => self.reading(reading),
        }
    }

    /// Everything learned about the old context is void.
    fn forget(&mut self) {
        self.found.floor = None;
        self.found.strikes = 0;
        self.waiting = false;
        self.measure();
    }

    fn switch(&mut self, model: u16) {
        if self.model == Some(model) {
            return;
        }
        self.model = Some(model);
        let name = self.session.head.models.get(model as usize);
        self.found.window = self.policy.windows.of_model(
            name.map_or("", String::as_str),
            self.session.head.window,
            self.most,
        );
        self.forget();
    }

    fn measure(&mut self) {
        let window = self.found.window.tokens;
        self.found.bounds = window.map(|w| threshold::bounds(self.policy, w, self.found.floor));
    }

    fn reading(&mut self, reading: &Reading) {
        self.found.readings += 1;
        if let Some(since) = &mut self.since {
            *since += 1;
        }
        if let Some(model) = reading.model {
            self.switch(model);
        }
        let first = std::mem::take(&mut self.waiting);
        if first {
            self.found.floor = Some(reading.tokens);
            self.measure();
        }
        let Some(bounds) = self.found.bounds else {
            return;
        };
        if reading.tokens < bounds.reached {
            self.found.strikes = 0;
            return;
        }
        if first {
            self.found.strikes += 1;
            self.found.ineffective += 1;
        }
        self.alarm(reading);
    }

    fn alarm(&mut self, reading: &Reading) {
        let Some(window) = self.found.window.tokens else {
            return;
        };
        if reading.tokens < self.policy.min_tokens {
            return;
        }
        let level = if reading.tokens >= self.policy.critical.reached_at(window) {
            Level::Critical
        } else {
            Level::Warn
        };
        if self.cooling(level, reading.time) {
            return;
        }
        // The first critical one of a cycle is never swallowed by the warnings before it.
        let spent = self.cycle.warned + self.cycle.critical >= self.policy.max_warnings;
        if spent && !(level == Level::Critical && self.cycle.critical == 0) {
            return;
        }
        match level {
            Level::Warn => self.cycle.warned += 1,
            Level::Critical => self.cycle.critical += 1,
        }
        self.cycle.last = Some((level, reading.time));
        self.found.alarms.push(Alarm {
            reference: reading.reference,
            level,
            tokens: reading.tokens,
            share: share::shown(reading.tokens, window),
        });
    }

    /// Whether the last alarm silences this one. A critical one breaks the cooldown of a warning.
    fn cooling(&self, level: Level, time: Option<Millis>) -> bool {
        match self.cycle.last {
            Some((Level::Warn, _)) if level == Level::Critical => false,
            Some((_, Some(last))) => {
                time.is_some_and(|now| now.0.saturating_sub(last.0) < self.policy.cooldown)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_compactions_thrash_and_calm_ones_do_not() {
        assert!(!thrashes(&[]));
        assert!(!thrashes(&[1]));
        assert!(thrashes(&[1, 2]));
        assert!(thrashes(&[2, 2, 2]));
        assert!(!thrashes(&[1, 9]));
        assert!(!thrashes(&[2, 9, 9]));
        // Only the last four count.
        assert!(thrashes(&[50, 50, 50, 2, 2, 2, 9]));
    }

    /// Events of one model with a window of 200,000 tokens: the threshold is at 160,000, critical at 190,000.
    fn pass(events: &[Event]) -> Walk {
        let policy = Policy {
            windows: crate::usage::Windows {
                every: Some(200_000),
                models: Vec::new(),
            },
            ..Policy::default()
        };
        walk(&Session::default(), events, &policy)
    }

    fn reading(seconds: i64, tokens: u64) -> Event {
        Event::Reading(Reading {
            seq: seconds as u32,
            reference: None,
            time: Some(Millis(seconds * 1000)),
            tokens,
            output: 0,
            model: Some(0),
        })
    }

    const BOUNDARY: Event = Event::Boundary {
        seq: 0,
        auto: Some(true),
        after: None,
    };

    fn levels(events: &[Event]) -> Vec<Level> {
        pass(events).alarms.iter().map(|a| a.level).collect()
    }

    #[test]
    fn a_warning_silences_the_next_but_not_a_critical_one() {
        use Level::{Critical, Warn};
        let warm = [reading(0, 165_000), reading(59, 166_000)];
        assert_eq!(levels(&warm), [Warn]);
        assert_eq!(
            levels(&[reading(0, 165_000), reading(60, 166_000)]),
            [Warn, Warn]
        );
        // The critical one breaks the cooldown of the warning; its own holds for both.
        let rising = [
            reading(0, 165_000),
            reading(10, 191_000),
            reading(20, 192_000),
            reading(30, 170_000),
        ];
        assert_eq!(levels(&rising), [Warn, Critical]);
    }

    #[test]
    fn a_missing_time_is_no_cooldown() {
        let mut events = [reading(0, 165_000), reading(1, 165_000)];
        for event in &mut events {
            if let Event::Reading(r) = event {
                r.time = None;
            }
        }
        assert_eq!(levels(&events).len(), 2);
    }

    #[test]
    fn warnings_are_few_in_a_cycle_and_start_again_after_a_compaction() {
        let mut events: Vec<Event> = (0..6).map(|n| reading(n * 100, 165_000)).collect();
        assert_eq!(levels(&events).len(), 3);
        // The first critical one is heard all the same.
        events.push(reading(700, 195_000));
        events.push(reading(900, 196_000));
        assert_eq!(levels(&events).len(), 4);
        events.push(BOUNDARY);
        events.push(reading(901, 165_000));
        assert_eq!(levels(&events).len(), 5);
    }

    #[test]
    fn two_compactions_without_effect_are_two_strikes() {
        let mut events = vec![
            reading(0, 170_000),
            BOUNDARY,
            reading(100, 165_000),
            BOUNDARY,
            reading(200, 166_000),
        ];
        let found = pass(&events);
        assert_eq!(
            (found.strikes, found.ineffective, found.floor),
            (2, 2, Some(166_000))
        );
        events.push(reading(300, 100_000));
        let found = pass(&events);
        assert_eq!((found.strikes, found.ineffective), (0, 2));
    }

    #[test]
    fn another_model_starts_from_nothing() {
        let mut other = reading(200, 165_000);
        if let Event::Reading(r) = &mut other {
            r.model = Some(1);
        }
        let found = pass(&[reading(0, 170_000), BOUNDARY, reading(100, 165_000), other]);
        assert_eq!((found.floor, found.strikes), (None, 0));
        let same = pass(&[
            reading(0, 170_000),
            BOUNDARY,
            reading(100, 165_000),
            Event::Model(0),
        ]);
        assert_eq!((same.floor, same.strikes), (Some(165_000), 1));
    }
}
