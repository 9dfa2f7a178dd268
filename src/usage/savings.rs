//! What pruning would free, for the decision between pruning and compacting (SPEC 2.6).

use crate::language::tokens;
use crate::session::Session;
use crate::transcript::tools::Tool;
use crate::transcript::{Kind, Status};
use foldhash::HashMap;

/// The newest calls are never touched.
const PROTECTED_STEPS: usize = 3;

/// Tokens that the repeated calls of a session hold: of equal calls the newest success stays.
pub fn tokens_saved(session: &Session, chars_per_token: Option<f64>) -> u64 {
    let answers = session.active().filter(|e| e.kind == Kind::Assistant);
    let turns: Vec<u32> = answers.map(|e| e.seq).collect();
    let protected = turns
        .len()
        .checked_sub(PROTECTED_STEPS)
        .and_then(|i| turns.get(i))
        .copied()
        .unwrap_or(0);
    let done = |status| matches!(status, Status::Ok | Status::Unknown);
    let mut newest: HashMap<u64, u32> = HashMap::default();
    for step in session.steps() {
        if step.outcome.is_some_and(|o| done(o.status)) {
            newest.insert(step.row.args_hash, step.entry.seq);
        }
    }
    let mut saved = 0.0;
    for step in session.steps() {
        let kept = newest.get(&step.row.args_hash).copied().unwrap_or(0);
        let touchable = !matches!(
            step.call.tool,
            Tool::TodoList | Tool::Write | Tool::Edit | Tool::Patch
        );
        let Some(outcome) = step.outcome else {
            continue;
        };
        if step.entry.seq < kept && step.entry.seq < protected && touchable && done(outcome.status)
        {
            let chars = f64::from(step.row.result_chars);
            saved += match chars_per_token {
                Some(price) => tokens::fixed(chars as usize, price),
                None => {
                    let kept = outcome.text.chars().count().max(1) as f64;
                    tokens::sampled(&outcome.text) * chars / kept
                }
            };
        }
    }
    saved as u64
}
