//! Reports of a whole run, as files: JSON for programs, JUnit for a CI, a page for people. None has a clock in it.

mod html;
mod junit;
mod page;

use super::{Replayed, run};
use anyhow::{Result, bail};
use serde::Serialize;
use std::path::Path;

pub use html::page;
pub use junit::junit;

/// What a report's file name asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Json,
    Junit,
    Html,
}

impl Form {
    /// By the file's ending.
    ///
    /// # Errors
    /// Another one.
    pub fn of(path: &Path) -> Result<Form> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
        Ok(match ending.to_ascii_lowercase().as_str() {
            "json" => Form::Json,
            "xml" => Form::Junit,
            "html" | "htm" => Form::Html,
            _ => bail!(
                "{}: no report has this ending; use .json, .xml (JUnit) or .html",
                path.display()
            ),
        })
    }

    /// The report's text.
    ///
    /// # Errors
    /// It cannot be written in this form.
    pub fn text(self, sessions: &[Replayed]) -> Result<String> {
        match self {
            Form::Json => json(sessions),
            Form::Junit => junit(sessions),
            Form::Html => Ok(page(sessions)),
        }
    }
}

/// Sums over all sessions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Totals {
    pub sessions: u64,
    pub ok: u64,
    pub failed: u64,
    pub records: u64,
    pub skipped: u64,
    pub chars_in: u64,
    pub chars_out: u64,
    pub tokens_in: u64,
    pub tokens_out: u64,
    /// Share of the tokens that the briefs save.
    pub reduction: f64,
    pub compactions: u64,
}

impl Totals {
    /// The sums over all sessions.
    pub fn of(sessions: &[Replayed]) -> Totals {
        let mut totals = Totals::default();
        for session in sessions {
            totals.add(session);
        }
        totals
    }

    /// Adds one session.
    pub fn add(&mut self, session: &Replayed) {
        self.sessions += 1;
        self.ok += u64::from(session.ok());
        self.failed += u64::from(!session.ok());
        self.records += session.records;
        self.skipped += session.skipped;
        self.chars_in += session.chars_in;
        self.chars_out += session.chars_out;
        self.tokens_in += session.tokens_in;
        self.tokens_out += session.tokens_out;
        self.compactions += session.compactions;
        self.reduction = run::saved(self.tokens_in, self.tokens_out);
    }
}

#[derive(Serialize)]
struct Whole<'s> {
    schema: &'static str,
    version: u64,
    totals: Totals,
    sessions: &'s [Replayed],
}

fn json(sessions: &[Replayed]) -> Result<String> {
    let whole = Whole {
        schema: "compact/replay",
        version: 1,
        totals: Totals::of(sessions),
        sessions,
    };
    Ok(serde_json::to_string_pretty(&whole)? + "\n")
}

/// `1,234,567`.
pub fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `98.2 %`.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::replay::{Change, Check, Curve, Failure};
    use crate::transcript::Ref;

    /// Two sessions, one of them failed in every way that a report shows.
    pub fn sessions() -> Vec<Replayed> {
        let good = Replayed {
            path: "arch/a/night.jsonl".into(),
            format: "claude-code",
            records: 120,
            chars_in: 250_000,
            chars_out: 5200,
            tokens_in: 80_000,
            tokens_out: 1700,
            compactions: 2,
            curve: Curve {
                points: vec![(0, 12_000), (1, 90_000), (2, 15_000), (3, 61_000)],
                compactions: vec![2],
                answers: 4,
            },
            ..Replayed::default()
        };
        let bad = Replayed {
            path: "arch/b/<script>알림</script>.jsonl".into(),
            format: "pi",
            records: 9,
            skipped: 1,
            tokens_in: 900,
            tokens_out: 950,
            failures: vec![
                Failure::new(
                    Check::Slices,
                    Some(Ref::Message(33)),
                    "files: only in slices: a.rs",
                ),
                Failure::new(Check::Clean, None, "a secret value"),
            ],
            change: Some(Change::Changed {
                diff: "-- old & <b>\n+- new\n".into(),
            }),
            ..Replayed::default()
        };
        vec![good, bad]
    }

    #[test]
    fn the_ending_chooses() {
        assert_eq!(Form::of(Path::new("a/r.XML")).unwrap(), Form::Junit);
        assert_eq!(Form::of(Path::new("r.html")).unwrap(), Form::Html);
        assert!(Form::of(Path::new("r.txt")).is_err());
        assert!(Form::of(Path::new("json")).is_err());
    }

    #[test]
    fn json_has_totals_and_sessions() {
        let text = Form::Json.text(&sessions()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["totals"]["failed"], 1);
        assert_eq!(value["totals"]["tokens_in"], 80_900);
        assert_eq!(value["sessions"][0]["reduction"], 0.9788);
        assert_eq!(value["sessions"][0]["checks"]["slices"], true);
        assert_eq!(value["sessions"][1]["checks"]["slices"], false);
        assert_eq!(value["sessions"][1]["failures"][0]["ref"], "#33");
        assert_eq!(value["sessions"][1]["change"]["brief"], "changed");
        assert_eq!(value["sessions"][1]["ok"], false);
    }

    #[test]
    fn numbers_for_people() {
        assert_eq!(number(0), "0");
        assert_eq!(number(999), "999");
        assert_eq!(number(1_234_567), "1,234,567");
        assert_eq!(percent(0.9788), "97.9 %");
    }
}
