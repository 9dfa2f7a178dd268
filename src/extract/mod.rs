//! What a session means: one file for each section of the brief. Each extractor reads the session and gives
//! items with the message that proves them; none looks at a format's name.

use crate::session::Session;
use crate::state::{Compactions, InputInfo, SessionInfo, State, Turns, UsageInfo};
use crate::transcript::{Kind, Mark, Voice};

/// Everything the sections need, as a state of this session alone.
pub fn extract(session: &Session) -> State {
    let head = &session.head;
    State {
        session: SessionInfo {
            id: head.id.clone(),
            format: head.family.name().to_owned(),
            title: head.title.clone(),
            cwd: head.cwd.clone(),
            branch: head.branch.clone(),
            language: None,
            models: head.models.clone(),
            started: head.started.clone(),
            ended: head.ended.clone(),
        },
        usage: usage(session),
        turns: turns(session),
        input: InputInfo {
            records: head.input.records,
            skipped: head.input.skipped,
            skipped_lines: head.input.skipped_lines.clone(),
            repaired: head.input.repaired,
            pending: head.input.pending,
            stitched: head.input.stitched,
            unknown: head.input.unknown.clone(),
        },
        ..State::default()
    }
}

fn turns(session: &Session) -> Turns {
    let mut turns = Turns::default();
    for entry in session.active() {
        turns.human += u64::from(crate::session::is_human_turn(entry));
        let spoke = entry.kind == Kind::Assistant && entry.texts(Voice::Harness).next().is_none();
        turns.assistant += u64::from(spoke && !entry.blocks.is_empty());
        turns.tool_calls += entry.calls().count() as u64;
    }
    turns
}

fn usage(session: &Session) -> UsageInfo {
    let mut info = UsageInfo {
        window: session.head.window,
        ..UsageInfo::default()
    };
    let mut compactions = Compactions::default();
    for entry in session.active() {
        if let Some(Mark::Compaction(c)) = &entry.mark {
            compactions.total += 1;
            compactions.auto += u64::from(c.auto == Some(true));
            compactions.manual += u64::from(c.auto == Some(false));
            info.context_tokens = c.tokens_after;
            info.source = c.tokens_after.map(|_| "boundary".to_owned());
        }
        if let Some(usage) = entry.usage.filter(|u| u.prompt > 0) {
            info.context_tokens = Some(usage.prompt);
            info.source = Some("reading".to_owned());
        }
    }
    info.compactions = compactions;
    info
}
