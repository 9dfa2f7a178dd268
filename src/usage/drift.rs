//! Settings that changed over the last compaction: the last value before against the first after (SPEC 3.3).

use crate::session::Session;
use crate::transcript::{Entry, Mark};
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
        let after = named.clone().find(|s| s.seq > boundary);
        let before = named.rfind(|s| s.seq <= boundary);
        compare(
            what,
            before.map(|s| s.value.as_str()),
            after.map(|s| s.value.as_str()),
        );
    }
    found
}
