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

#[cfg(test)]
mod tests {
    use super::health;
    use crate::session::testing::session;

    /// A Pi session after a compaction; each answer is its content blocks.
    fn after_compaction(answers: &[&str]) -> (u64, u64, bool) {
        let mut lines = vec![
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}"#.to_owned(),
            r#"{"type":"compaction","id":"a","parentId":null,"timestamp":"2026-01-05T09:00:00Z","summary":"s","firstKeptEntryId":"a","tokensBefore":9}"#.to_owned(),
        ];
        for (n, blocks) in answers.iter().enumerate() {
            let parent = match n {
                0 => "a".to_owned(),
                n => format!("e{}", n - 1),
            };
            lines.push(format!(
                r#"{{"type":"message","id":"e{n}","parentId":"{parent}","timestamp":"2026-01-05T09:00:01Z","message":{{"role":"assistant","model":"m","content":[{blocks}]}}}}"#
            ));
        }
        let found = health(&session(&lines.join("\n")));
        (found.watched, found.silent_streak, found.degraded)
    }

    const WORDS: &str = r#"{"type":"text","text":"네"}"#;
    const THINKS: &str = r#"{"type":"thinking","thinking":"음"}"#;
    const CALLS: &str = r#"{"type":"toolCall","id":"t","name":"read","arguments":{"path":"a"}}"#;

    #[test]
    fn three_silent_answers_in_a_row_are_too_many() {
        assert_eq!(
            after_compaction(&[THINKS, THINKS, THINKS, WORDS]),
            (4, 3, true)
        );
        assert_eq!(
            after_compaction(&[THINKS, THINKS, WORDS, THINKS]),
            (4, 2, false)
        );
        assert_eq!(after_compaction(&[CALLS, THINKS, CALLS]), (3, 1, false));
        // Only the first five are watched.
        let late = [WORDS, WORDS, WORDS, WORDS, WORDS, THINKS, THINKS, THINKS];
        assert_eq!(after_compaction(&late), (5, 0, false));
    }
}
