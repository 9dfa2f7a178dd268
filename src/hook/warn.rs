//! PostToolUse: says once a level and compaction cycle that the context fills up; never blocks (SPEC 4.2).

use super::{Answer, Event, Options, allow, context, fill, look, memory};
use crate::usage::share;
use anyhow::Result;

/// Answers a PostToolUse event.
///
/// # Errors
/// The transcript or the folder cannot be used; the caller lets go.
pub fn after_tool(event: &Event, options: &Options) -> Result<Answer> {
    // Without a memory it would warn after every call.
    let Some(mut held) = memory::hold(options.dir.as_deref(), event)? else {
        return Ok(allow());
    };
    let tail = look(event, held.now.seen)?;
    held.note(&tail);
    let mut answer = allow();
    if let Some(fill) = fill(&tail, event, options, &mut held.now) {
        let level = if fill.tokens >= options.critical.reached_at(fill.window) {
            2
        } else {
            u8::from(fill.tokens >= options.threshold.reached_at(fill.window))
        };
        if level > held.now.warned {
            held.now.warned = level;
            let percent = share::percent(fill.tokens, fill.window).unwrap_or(100);
            let text = match level {
                2 => format!(
                    "The context is {percent} % full, which is critical. Write down what must not be lost, finish \
                     the present step and ask the person to run /compact."
                ),
                _ => format!(
                    "The context is {percent} % full. Read no more than you need, and ask the person to run \
                     /compact at the next good place to stop."
                ),
            };
            answer = context("PostToolUse", &text);
        }
    }
    held.keep()?;
    Ok(answer)
}
