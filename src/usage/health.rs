//! Whether the agent still answers after a compaction (SPEC 3.3). Reported, never acted on.

use crate::session::Session;
use crate::transcript::{Block, Entry, Kind, Mark, Voice};
use serde::Serialize;

/// How many responses after a compaction are watched, and how many silent ones in a row are too many.
const WATCHED: usize = 5;
const SILENT: u64 = 3;

/// The answers after the last compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Health {
    pub watched: u64,
    /// The longest run of silent answers among the watched ones.
    pub silent_streak: u64,
    pub degraded: bool,
}

/// Neither words nor a call: thinking alone shows the person nothing.
fn silent(entry: &Entry<'_>) -> bool {
    entry.calls().next().is_none() && entry.texts(Voice::Assistant).all(|t| t.trim().is_empty())
}

/// An answer of the model itself, not one the host put in its place.
fn answered(entry: &Entry<'_>) -> bool {
    let placed = entry.model.is_none() && entry.usage.is_none() && entry.blocks.is_empty();
    entry.kind == Kind::Assistant
        && !placed
        && !entry.blocks.iter().any(|b| {
            matches!(
                b,
                Block::Said {
                    voice: Voice::Harness | Voice::Summary,
                    ..
                }
            )
        })
}

/// Watches the first answers after the last compaction of the active conversation.
pub fn health(session: &Session) -> Health {
    let is_boundary = |e: &&Entry<'_>| matches!(e.mark, Some(Mark::Compaction(_)));
    let Some(last) = session.active().filter(is_boundary).last() else {
        return Health::default();
    };
    let mut health = Health::default();
    let mut streak = 0;
    let after = session.active().filter(|e| e.seq > last.seq);
    for entry in after.filter(|e| answered(e)).take(WATCHED) {
        health.watched += 1;
        streak = if silent(entry) { streak + 1 } else { 0 };
        health.silent_streak = health.silent_streak.max(streak);
    }
    health.degraded = health.silent_streak >= SILENT;
    health
}
