//! Reads whose lines were all read before, at other offsets: no key of a guard catches these (SPEC 5).

use crate::extract::touches::changed;
use crate::json::Json;
use crate::session::Session;
use crate::session::place::Place;
use crate::transcript::tools::{self, Tool};
use crate::transcript::{Mark, Ref, Status};
use foldhash::HashMap;

/// Lines of a file, from the first to behind the last.
type Lines = (u64, u64);

/// The partial reads of lines that earlier reads of the unchanged file have shown already, in file order. The
/// same range again is a repeat and none of these.
pub fn before(session: &Session) -> Vec<Ref> {
    let place = Place::of(session);
    let mut shown: HashMap<String, Vec<Lines>> = HashMap::default();
    let mut found = Vec::new();
    let mut boundaries = session
        .active()
        .filter(|e| matches!(e.mark, Some(Mark::Compaction(_) | Mark::Clear)))
        .map(|e| e.seq)
        .peekable();
    for step in session.steps() {
        while boundaries.next_if(|b| *b < step.entry.seq).is_some() {
            shown.clear();
        }
        for path in changed(session, &place, &step) {
            shown.remove(&path);
        }
        let args = step.call.args.json();
        let ok = step
            .outcome
            .is_some_and(|o| matches!(o.status, Status::Ok | Status::Unknown));
        if tools::family_of_call(step.call.tool, &args) != Tool::Read || !ok || step.row.pruned {
            continue;
        }
        let Some(path) = tools::path(&args) else {
            continue;
        };
        let path = place.resolve(&path, session.dir_of(step.entry));
        let (lines, part) = range(&args, u64::from(step.row.result_lines));
        let earlier = shown.entry(path).or_default();
        if part && !earlier.contains(&lines) && covered(lines, earlier) {
            found.extend(step.entry.number);
        }
        earlier.push(lines);
    }
    found
}

/// The lines that a read showed of so many, from the first to behind the last, and whether it asked for a part.
pub fn range(args: &Json<'_>, shown: u64) -> (Lines, bool) {
    let [offset, limit] = args
        .pick(["offset", "limit"])
        .map(|v| v.and_then(|v| v.u64()));
    let first = offset.unwrap_or(1).max(1);
    let lines = limit.map_or(shown, |l| l.min(shown.max(1)));
    (
        (first, first.saturating_add(lines)),
        offset.is_some() || limit.is_some(),
    )
}

/// Whether the ranges together hold every one of the lines.
fn covered((from, to): Lines, ranges: &[Lines]) -> bool {
    let mut ranges = ranges.to_vec();
    ranges.sort_unstable();
    let mut next = from;
    for (first, last) in ranges {
        if first <= next && last > next {
            next = last;
        }
    }
    from < to && next >= to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;
    use serde_json::json;

    fn read(talk: Talk, offset: u64, limit: u64) -> Talk {
        let args = json!({"file_path": "/w/a.rs", "offset": offset, "limit": limit});
        let text: String = (0..limit).map(|n| format!("line {n}\n")).collect();
        talk.call("Read", args).ok(&text)
    }

    #[test]
    fn shifted_ranges_over_known_lines_are_told() {
        let talk = read(
            read(Talk::in_dir("/w").person("a.rs를 봐줘"), 1, 50),
            51,
            50,
        );
        let talk = read(talk, 20, 60);
        assert_eq!(before(&talk.session()), [Ref::Message(5)]);
    }

    #[test]
    fn new_lines_and_changed_files_are_not() {
        let talk = read(
            read(Talk::in_dir("/w").person("a.rs를 봐줘"), 1, 50),
            40,
            50,
        );
        assert!(before(&talk.session()).is_empty());
        let talk = read(Talk::in_dir("/w").person("a.rs를 고쳐줘"), 1, 50).edit("/w/a.rs");
        assert!(before(&read(talk, 10, 20).session()).is_empty());
    }
}
