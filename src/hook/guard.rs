//! Stop: holds the agent back when the context is nearly full, so that it asks for a compaction first
//! (SPEC 4.1). Lets go rather once too often: an agent that cannot stop is worse than a full context.

use super::{Answer, Event, Options, allow, fill, look, memory};
use crate::usage::{Share, share};
use anyhow::Result;
use serde_json::json;

/// Words in a stop's reason that mean the context is full already.
const FULL: &[&str] = &[
    "context_limit",
    "context_window",
    "context_exceeded",
    "context_full",
    "max_context",
    "token_limit",
    "max_tokens",
    "conversation_too_long",
    "input_too_long",
];
/// Reasons that are a person's wish: exactly these, and those that contain the second.
const WISHED: &[&str] = &["aborted", "abort", "cancel", "interrupt"];
const WISHED_INSIDE: &[&str] = &["user_cancel", "user_interrupt", "ctrl_c", "manual_stop"];

/// From here on the reason says critical.
const URGENT: Share = Share::percent(90);

fn context_stop(event: &Event) -> bool {
    let full = |reason: &String| FULL.iter().any(|w| plain(reason).contains(w));
    event.stop_reasons.iter().any(full)
}

fn user_abort(event: &Event) -> bool {
    let wished = |reason: &String| {
        let reason = plain(reason);
        WISHED.contains(&reason.as_str()) || WISHED_INSIDE.iter().any(|w| reason.contains(w))
    };
    event.user_requested || event.stop_reasons.iter().any(wished)
}

fn plain(reason: &str) -> String {
    reason.trim().to_lowercase().replace([' ', '-'], "_")
}

/// Answers a Stop event. The order of checks is the contract's.
///
/// # Errors
/// The transcript or the folder cannot be used; the caller lets go.
pub fn stop(event: &Event, options: &Options) -> Result<Answer> {
    if context_stop(event) || user_abort(event) {
        return Ok(allow());
    }
    let mut held = memory::hold(options.dir.as_deref(), event)?;
    let tail = look(event, held.as_ref().and_then(|h| h.now.seen))?;
    if let Some(held) = &mut held {
        held.note(&tail);
    }
    let mut answer = allow();
    let mut none = memory::Memory::default();
    let known = held.as_mut().map_or(&mut none, |h| &mut h.now);
    if let Some(fill) = fill(&tail, event, options, known)
        && fill.tokens >= options.threshold.reached_at(fill.window)
        && fill.tokens < options.critical.reached_at(fill.window)
    {
        let block = match &mut held {
            Some(held) if held.now.blocks < options.max_blocks => {
                held.now.blocks += 1;
                true
            }
            Some(_) => false,
            None => options.max_blocks > 0 && !event.stop_hook_active,
        };
        if block {
            answer = blocked(fill.tokens, fill.window, options.exit_code);
        }
    }
    if let Some(held) = &mut held {
        held.keep()?;
    }
    Ok(answer)
}

fn blocked(tokens: u64, window: u64, exit_code: bool) -> Answer {
    let percent = share::percent(tokens, window).unwrap_or(100);
    let critical = match tokens >= URGENT.reached_at(window) {
        true => "critical: ",
        false => "",
    };
    let reason = format!(
        "{critical}the context is {percent} % full. Finish in one sentence and ask the person to run /compact \
         before anything else; you cannot run it yourself."
    );
    if exit_code {
        return Answer {
            out: None,
            note: Some(reason),
            status: 2,
        };
    }
    let message =
        format!("{critical}the context is {percent} % full; run /compact before going on.");
    Answer {
        out: Some(json!({"decision": "block", "reason": reason, "systemMessage": message})),
        ..allow()
    }
}

impl memory::Held {
    /// Takes in what the transcript's end says: a new compaction, its length, a prompt that tells the window.
    pub(super) fn note(&mut self, tail: &crate::usage::tail::Tail) {
        if self.now.seen.is_some() && tail.compacted {
            self.restart();
        }
        self.now.seen = Some(tail.length);
        let read = tail.tokens.unwrap_or(0);
        // Smaller prompts tell nothing of the window, and a file that never changes is never written.
        if read > 200_000 && self.now.most <= 200_000 {
            self.now.most = read;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(reason: &str) -> Event {
        Event {
            stop_reasons: vec!["end_turn".to_owned(), reason.to_owned()],
            ..Event::default()
        }
    }

    #[test]
    fn stops_by_the_context_and_by_people_are_told_apart() {
        for reason in ["Context Window exceeded", "max-tokens", "input_too_long"] {
            assert!(context_stop(&event(reason)), "{reason}");
        }
        for reason in ["end_turn", "", "context"] {
            assert!(!context_stop(&event(reason)), "{reason}");
        }
        for reason in ["ctrl-c", "Abort", "user cancelled", "manual stop"] {
            assert!(user_abort(&event(reason)), "{reason}");
        }
        for reason in ["aborting", "end_turn", "cancelled"] {
            assert!(!user_abort(&event(reason)), "{reason}");
        }
    }

    #[test]
    fn the_reason_names_the_share_rounded_down() {
        let answer = blocked(149_999, 200_000, false);
        let reason = answer.out.as_ref().and_then(|o| o.get("reason")?.as_str());
        assert!(reason.is_some_and(|r| r.contains("74 %") && !r.contains("critical")));
        assert!(blocked(181_000, 200_000, false).out.is_some_and(|o| {
            o.get("systemMessage")
                .and_then(|m| m.as_str())
                .is_some_and(|m| m.contains("critical"))
        }));
        let code = blocked(181_000, 200_000, true);
        assert_eq!((code.out, code.status), (None, 2));
    }
}
