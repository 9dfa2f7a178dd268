//! What a session says about the size of its context, in order: readings, compactions, changes of model
//! (SPEC 0.5).

use crate::session::Session;
use crate::transcript::{Kind, Mark, Millis, Ref};
use serde::{Deserialize, Serialize};

/// One response that said how long its prompt was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Place in [`Session::entries`].
    pub seq: u32,
    /// The message; `None` where the format counts tokens in a record without a number.
    pub reference: Option<Ref>,
    pub time: Option<Millis>,
    /// Prompt tokens, without the answer.
    pub tokens: u64,
    /// Tokens of the answer.
    pub output: u64,
    /// Index into [`Transcript::models`](crate::transcript::Transcript).
    pub model: Option<u16>,
}

/// Something that changes what is known of the context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    Reading(Reading),
    /// A compaction; `after` is its own number, where it gives one.
    Boundary {
        seq: u32,
        auto: Option<bool>,
        after: Option<u64>,
    },
    /// The context starts anew, without a summary.
    Clear,
    /// Another model was chosen, before it answered.
    Model(u16),
}

/// What is remembered of the events when their entries are let go of: those that say how full the context is and how
/// large its window.
pub fn remember(old: &[Event], session: &Session) -> Vec<Event> {
    let all = events_behind(old, session);
    let most = most(&all);
    let most = all
        .iter()
        .position(|e| matches!(e, Event::Reading(r) if r.tokens == most));
    let last = all.iter().rposition(|e| matches!(e, Event::Reading(_)));
    let kept = |(at, event): (usize, Event)| {
        let telling = !matches!(event, Event::Reading(_)) || Some(at) == most || Some(at) == last;
        telling.then_some(event)
    };
    all.into_iter().enumerate().filter_map(kept).collect()
}

/// The events of the active main conversation. Readings without prompt tokens are none.
pub fn events(session: &Session) -> Vec<Event> {
    events_behind(&[], session)
}

/// The same, behind what is known of entries that were let go of.
pub fn events_behind(old: &[Event], session: &Session) -> Vec<Event> {
    let mut events = old.to_vec();
    for entry in session.active() {
        match &entry.mark {
            Some(Mark::Compaction(c)) => events.push(Event::Boundary {
                seq: entry.seq,
                auto: c.auto,
                after: c.tokens_after.filter(|t| *t > 0),
            }),
            Some(Mark::Clear) => events.push(Event::Clear),
            Some(Mark::Model) => events.extend(entry.model.map(Event::Model)),
            _ => {}
        }
        let Some(usage) = entry.usage.filter(|u| u.prompt > 0) else {
            continue;
        };
        // A count in a record of its own belongs to the answer before it, and so does its reference.
        let reference = entry.number.or_else(|| {
            session.entries[..entry.seq as usize]
                .iter()
                .rev()
                .find(|e| e.kind == Kind::Assistant && e.lane == entry.lane)
                .and_then(|e| e.number)
        });
        events.push(Event::Reading(Reading {
            seq: entry.seq,
            reference,
            time: entry.time,
            tokens: usage.prompt,
            output: usage.output,
            model: entry.model,
        }));
    }
    events
}

/// The longest prompt that was read.
pub fn most(events: &[Event]) -> u64 {
    events
        .iter()
        .map(|e| match e {
            Event::Reading(r) => r.tokens,
            _ => 0,
        })
        .max()
        .unwrap_or(0)
}
