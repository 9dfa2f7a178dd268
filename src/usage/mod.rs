//! How full the context is, and what to do now (SPEC 3). Numbers come from the transcript alone: no counter
//! lives anywhere else, so a process that starts anew for every event knows as much as one that ran all along.
//!
//! A decision is data. Nothing here compacts, prunes or warns anybody.

pub mod ahead;
pub mod drift;
pub mod health;
pub mod policy;
pub mod readings;
pub mod report;
pub mod share;
pub mod tail;
pub mod threshold;
pub mod walk;
pub mod what_if;
pub mod window;

pub use policy::{Policy, StaticRule};
pub use readings::{Event, Reading, events};
pub use report::{Decision, Estimates, Report, report};
pub use share::Share;
pub use window::{Window, Windows};

use crate::session::Session;
use crate::state::{Compactions, UsageInfo};

/// How full the context is, and where the number came from (CONTRACT 11, "usage").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// Prompt tokens; `None` right after a compaction that does not say, or without any reading.
    pub tokens: Option<u64>,
    /// `reading` or `boundary`.
    pub source: Option<&'static str>,
}

/// The present state of the context: the newest reading, unless something later made it stale.
pub fn now(events: &[Event]) -> Now {
    let mut now = Now::default();
    for event in events {
        match event {
            Event::Reading(reading) => {
                now = Now {
                    tokens: Some(reading.tokens),
                    source: Some("reading"),
                };
            }
            Event::Boundary { after, .. } => {
                now = Now {
                    tokens: *after,
                    source: after.map(|_| "boundary"),
                };
            }
            Event::Clear => now = Now::default(),
            Event::Model(_) => {}
        }
    }
    now
}

/// Compactions by who asked for them.
pub fn compactions(events: &[Event]) -> Compactions {
    let mut found = Compactions::default();
    for event in events {
        if let Event::Boundary { auto, .. } = event {
            found.total += 1;
            found.auto += u64::from(*auto == Some(true));
            found.manual += u64::from(*auto == Some(false));
        }
    }
    found
}

/// The `usage` of a state: what the transcript says without any flag.
///
/// `old` is what is known of entries that were let go of.
pub fn info(old: &[Event], session: &Session) -> UsageInfo {
    let events = readings::events_behind(old, session);
    let now = now(&events);
    UsageInfo {
        context_tokens: now.tokens,
        window: Windows::default().of(session, &events).tokens,
        source: now.source.map(str::to_owned),
        compactions: compactions(&events),
    }
}
