//! How large the model's context window is, and who says so: the flag, the transcript, the model's name, or
//! nobody. A window nobody names stays unknown; a share of an invented one misleads (SPEC 0.5).

use super::readings::{Event, most};
use crate::session::Session;

/// A window in tokens with the rule that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Window {
    pub tokens: Option<u64>,
    /// `flag`, `transcript`, `model-name` (a `[1m]` in it) or `model-table`; `None` when unknown.
    pub from: Option<&'static str>,
}

/// What `--window` said: for every model, and for some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Windows {
    pub every: Option<u64>,
    /// Names (or parts of names) with their windows, in the order given.
    pub models: Vec<(String, u64)>,
}

/// Model families whose window is published and the same for every way of calling them. The first that the
/// name holds counts. Prompt tokens above it prove that it is another window.
const FAMILIES: &[(&str, u64)] = &[
    ("claude", 200_000),
    ("gemini-1.5-pro", 2_097_152),
    ("gemini-2", 1_048_576),
    ("gemini-3", 1_048_576),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
];

/// The large window that Claude models can be switched to; the transcript does not name it.
const CLAUDE_LARGE: u64 = 1_000_000;

impl Windows {
    /// Reads one `--window` value: `200000` or `MODEL=200000`.
    ///
    /// # Errors
    /// The number is none, or 0.
    pub fn parse(values: &[String]) -> Result<Windows, String> {
        let mut windows = Windows::default();
        for value in values {
            let (name, number) = value
                .rsplit_once('=')
                .map_or((None, value.as_str()), |(name, number)| {
                    (Some(name), number)
                });
            let tokens = number
                .trim()
                .replace(['_', ','], "")
                .parse::<u64>()
                .ok()
                .filter(|n| *n > 0)
                .ok_or_else(|| {
                    format!("--window {value}: write tokens, as in --window 200000 or --window MODEL=200000")
                })?;
            match name.map(str::trim) {
                Some("") => return Err(format!("--window {value}: the model's name is missing")),
                Some(name) => windows.models.push((name.to_lowercase(), tokens)),
                None => windows.every = Some(tokens),
            }
        }
        Ok(windows)
    }

    /// The window of the model that answered last.
    pub fn of(&self, session: &Session, events: &[Event]) -> Window {
        let last = events.iter().rev().find_map(|e| match e {
            Event::Reading(r) => r.model,
            Event::Model(model) => Some(*model),
            _ => None,
        });
        let last = last.or_else(|| session.active().filter_map(|e| e.model).last());
        let name = last
            .and_then(|m| session.head.models.get(m as usize))
            .map_or("", String::as_str);
        self.of_model(name, session.head.window, most(events))
    }

    /// The window of a model, when the transcript names `own` and the longest prompt had `most` tokens.
    pub fn of_model(&self, name: &str, own: Option<u64>, most: u64) -> Window {
        let found = |tokens, from| Window {
            tokens: Some(tokens),
            from: Some(from),
        };
        let lower = name.to_lowercase();
        if let Some(tokens) = self.every {
            return found(tokens, "flag");
        }
        // The longest name says most about the model.
        let named = self
            .models
            .iter()
            .filter(|(n, _)| lower.contains(n.as_str()))
            .max_by_key(|(n, _)| n.len());
        if let Some((_, tokens)) = named {
            return found(*tokens, "flag");
        }
        if let Some(tokens) = own.filter(|t| *t > 0) {
            return found(tokens, "transcript");
        }
        if lower.contains("[1m]") {
            return found(CLAUDE_LARGE, "model-name");
        }
        match FAMILIES.iter().find(|(family, _)| lower.contains(family)) {
            Some(("claude", tokens)) if most > *tokens => found(CLAUDE_LARGE, "model-table"),
            Some((_, tokens)) if most <= *tokens => found(*tokens, "model-table"),
            _ => Window::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(values: &[&str]) -> Windows {
        let values: Vec<String> = values.iter().map(|v| (*v).to_owned()).collect();
        Windows::parse(&values).unwrap_or_default()
    }

    #[test]
    fn the_flag_wins_then_the_transcript_then_the_name() {
        let of = |values: &[&str], name: &str, own, most| {
            let window = parse(values).of_model(name, own, most);
            (window.tokens, window.from)
        };
        assert_eq!(
            of(&["5000"], "claude-x", Some(9), 1),
            (Some(5000), Some("flag"))
        );
        assert_eq!(
            of(&["a=1", "a-b=2"], "x-A-B", None, 1),
            (Some(2), Some("flag"))
        );
        assert_eq!(
            of(&["other=1"], "gpt", Some(272_000), 1),
            (Some(272_000), Some("transcript"))
        );
        assert_eq!(
            of(&[], "claude-x[1m]", None, 1),
            (Some(1_000_000), Some("model-name"))
        );
        assert_eq!(
            of(&[], "claude-x", None, 200_000),
            (Some(200_000), Some("model-table"))
        );
        assert_eq!(
            of(&[], "claude-x", None, 200_001),
            (Some(1_000_000), Some("model-table"))
        );
        assert_eq!(of(&[], "house-model", None, 1), (None, None));
        // A table that the readings contradict is wrong.
        assert_eq!(of(&[], "gpt-4o", None, 128_001), (None, None));
    }

    #[test]
    fn a_window_is_a_number_above_zero() {
        for bad in ["0", "", "x", "=5", "m=", "-1"] {
            assert!(Windows::parse(&[bad.to_owned()]).is_err(), "{bad}");
        }
    }
}
