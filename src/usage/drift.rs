//! Settings that changed over the last compaction: the last value before against the first after (SPEC 3.3).

use crate::session::Session;
use crate::transcript::{Entry, Kind, Mark};
use serde::Serialize;

/// One setting that is not what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Drift {
    /// `model`, `cwd`, `branch`, `permission mode`, `thinking level`.
    pub what: String,
    pub before: String,
    pub after: String,
}

/// The differences only; a setting that either side does not name is no difference.
pub fn drift(session: &Session) -> Vec<Drift> {
    let is_boundary = |e: &&Entry<'_>| matches!(e.mark, Some(Mark::Compaction(_)));
    let Some(boundary) = session.active().filter(is_boundary).last().map(|e| e.seq) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut compare = |what: &str, before: Option<&str>, after: Option<&str>| {
        if let (Some(before), Some(after)) = (before, after)
            && before != after
        {
            found.push(Drift {
                what: what.to_owned(),
                before: before.to_owned(),
                after: after.to_owned(),
            });
        }
    };
    let sides = |value: &dyn Fn(&Entry<'static>) -> Option<u16>, names: &[String]| {
        let name = |i: Option<u16>| i.and_then(|i| names.get(i as usize)).cloned();
        let before = session.active().filter(|e| e.seq < boundary);
        let after = session.active().filter(|e| e.seq > boundary);
        let last = before.filter_map(value).last();
        (name(last), name(after.filter_map(value).next()))
    };
    let (before, after) = sides(&|e| e.model, &session.head.models);
    compare("model", before.as_deref(), after.as_deref());
    let (before, after) = sides(&|e| e.dir, &session.head.dirs);
    compare("cwd", before.as_deref(), after.as_deref());
    // Where a setting is written down only when it changes, a later change is no drift over the compaction.
    let answer = session
        .active()
        .find(|e| e.seq > boundary && e.kind == Kind::Assistant)
        .map_or(u32::MAX, |e| e.seq);
    for what in ["branch", "permission mode", "thinking level"] {
        let active = |seq: u32| {
            session
                .head
                .active
                .get(seq as usize)
                .copied()
                .unwrap_or(true)
        };
        let mut named = session
            .head
            .settings
            .iter()
            .filter(|s| s.what == what && active(s.seq));
        let after = named.clone().find(|s| s.seq > boundary && s.seq <= answer);
        let before = named.rfind(|s| s.seq <= boundary);
        compare(
            what,
            before.map(|s| s.value.as_str()),
            after.map(|s| s.value.as_str()),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::drift;
    use crate::session::testing::session;

    fn pi(records: &[&str]) -> Vec<(String, String)> {
        let mut lines = vec![
            r#"{"type":"session","version":3,"id":"s","timestamp":"2026-01-05T09:00:00Z","cwd":"/w"}"#.to_owned(),
        ];
        for (n, record) in records.iter().enumerate() {
            let parent = match n {
                0 => "null".to_owned(),
                n => format!("\"e{}\"", n - 1),
            };
            lines.push(format!(
                r#"{{"id":"e{n}","parentId":{parent},"timestamp":"2026-01-05T09:00:0{n}Z",{record}}}"#
            ));
        }
        let found = drift(&session(&lines.join("\n")));
        found.into_iter().map(|d| (d.what, d.after)).collect()
    }

    const HIGH: &str = r#""type":"thinking_level_change","thinkingLevel":"high""#;
    const LOW: &str = r#""type":"thinking_level_change","thinkingLevel":"low""#;
    const BOUNDARY: &str =
        r#""type":"compaction","summary":"s","firstKeptEntryId":"e1","tokensBefore":9"#;
    const ANSWER: &str = r#""type":"message","message":{"role":"assistant","content":[{"type":"text","text":"네"}],"model":"m"}"#;

    #[test]
    fn a_setting_that_changed_with_the_compaction_is_drift() {
        let drifted = [("thinking level".to_owned(), "low".to_owned())];
        assert_eq!(pi(&[HIGH, ANSWER, BOUNDARY, LOW, ANSWER]), drifted);
        assert_eq!(pi(&[HIGH, ANSWER, BOUNDARY, HIGH, ANSWER]), []);
        // The person changed it later.
        assert_eq!(pi(&[HIGH, ANSWER, BOUNDARY, ANSWER, LOW]), []);
    }
}
