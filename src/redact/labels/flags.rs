//! Passwords behind an option that is no label by its name.

use std::ops::Range;

use crate::redact::values::is_placeholder;
use crate::redact::{before, reach};

/// `curl -u name:password`, `sshpass -p password`.
pub fn user_flag(text: &str, start: usize, at: usize) -> Option<Range<usize>> {
    let sshpass = text
        .get(start..at)
        .is_some_and(|f| f.starts_with("sshpass"));
    let line = before(text, start, 200);
    let line = line.rsplit('\n').next().unwrap_or_default();
    if !sshpass
        && !["curl", "wget", "http "]
            .iter()
            .any(|tool| line.contains(tool))
    {
        return None;
    }
    let rest = reach(text, at);
    let value_part = rest.trim_start_matches([' ', '"', '\'', '=', '\\']);
    let offset = at + rest.len() - value_part.len();
    let value = value_part.get(
        ..value_part
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'))
            .unwrap_or(value_part.len()),
    )?;
    let from = if sshpass { 0 } else { value.find(':')? + 1 };
    let password = value.get(from..)?;
    (!password.is_empty() && !is_placeholder(password) && !value.contains("://"))
        .then(|| offset + from..offset + value.len())
}
