//! How much room the window had left when a result came, as far as the transcript says (SPEC 2.4).

use super::Options;
use crate::session::{Session, Step};
use crate::usage::{Event, events};

/// Prompt and answer tokens over time.
pub struct Room {
    window: Option<u64>,
    /// Place in the session, tokens in use from there on; `None`: unknown.
    used: Vec<(u32, Option<u64>)>,
}

/// The limit of one output in tokens.
pub struct Limit {
    pub tokens: u64,
    /// Usage or window are unknown; only the caps counted.
    pub blind: bool,
}

impl Room {
    pub fn of(session: &Session, options: &Options) -> Room {
        let events = events(session);
        let window = options.windows.of(session, &events).tokens;
        let mut used = Vec::new();
        for event in &events {
            match event {
                Event::Reading(r) => used.push((r.seq, Some(r.tokens.saturating_add(r.output)))),
                Event::Boundary { seq, after, .. } => used.push((*seq, *after)),
                Event::Clear | Event::Model(_) => {}
            }
        }
        Room { window, used }
    }

    /// The limit for the result of a call, from the last reading before that result.
    pub fn limit(&self, step: &Step<'_>, options: &Options) -> Limit {
        let result = step.answered.map_or(step.entry.seq, |e| e.seq);
        let before = self.used.partition_point(|(seq, _)| *seq < result);
        let used = before
            .checked_sub(1)
            .and_then(|at| self.used.get(at))
            .and_then(|(_, used)| *used);
        let mut tokens = options.cap_tokens;
        let left = self.window.zip(used).map(|(w, u)| w.saturating_sub(u));
        if let Some(left) = left {
            let share = (left as f64) * (1.0 - options.headroom.clamp(0.0, 1.0));
            tokens = tokens.min(share.floor() as u64);
        }
        for (name, cap) in &options.tool_caps {
            if name.eq_ignore_ascii_case(&step.call.name) {
                tokens = tokens.min(*cap);
            }
        }
        Limit {
            tokens,
            blind: left.is_none(),
        }
    }
}
