//! A run that goes on from a memory ends where a run over the whole file ends: the same state, the same brief, the same
//! memory, byte for byte, wherever the runs before it ended. And letting go of the past changes nothing that is said.

#[path = "resume/invented.rs"]
mod invented;

use compact::extract::past::Known;
use compact::fold::{self, Folded};
use compact::session::Session;
use compact::state::cursor::Cursor;
use compact::transcript::{Options, Source};
use compact::{brief, extract, lexicon};
use invented::{Agent, steps, written};
use proptest::prelude::*;
use std::path::Path;

/// Small enough that a short session lets go of something several times.
fn limits(parts: usize) -> fold::Limits {
    fold::Limits {
        begin: 12,
        most: 12,
        keep: 5,
        turns: 2,
        parts: (parts, parts / 2),
        bytes: 0,
        memory: 64 << 20,
    }
}

/// What a run says.
fn said(known: Known<'_>) -> (String, String) {
    let mut state = extract::extract(known, &lexicon::Rules::shared());
    let options = brief::Options::default();
    let text = brief::render_into(known, &mut state, &options).expect("a brief");
    state.cursor = Cursor::of(&known, known.past.map(|p| &p.prints)).write();
    (text, serde_json::to_string_pretty(&state).expect("a state"))
}

fn read(folder: &Path, bytes: &[u8], parts: usize) -> Option<Folded> {
    let path = folder.join("s.jsonl");
    std::fs::write(&path, bytes).expect("written");
    fold::read(&path, &Options::default(), limits(parts)).expect("readable")
}

/// Goes on from what `session` remembers to the end of `bytes`; `None`: the whole has to be read.
fn go_on(session: &Folded, bytes: &[u8], parts: usize) -> Option<Folded> {
    let memory = session.memory.as_ref()?;
    let mut rest = &bytes[memory.bytes as usize..];
    let recalled = fold::Recalled::of(memory.text.as_bytes(), limits(parts)).expect("a memory");
    let read = fold::read_on(&mut rest, "s", recalled, &Options::default());
    read.expect("readable")
}

fn same(
    agent: Agent,
    lines: &[String],
    pairs: &[(usize, usize)],
) -> Result<(usize, usize), TestCaseError> {
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = (lines.join("\n") + "\n").into_bytes();
    let ends: Vec<usize> = bytes
        .iter()
        .zip(1..)
        .filter(|(b, _)| **b == b'\n')
        .map(|(_, at)| at)
        .collect();
    let parts = 16;
    let whole = read(folder.path(), &bytes, parts);
    let want = whole.as_ref().map(|w| said(w.known()));
    let (mut fast, mut all) = (0, 0);
    let mut check = |first: usize, second: Option<usize>| -> Result<(), TestCaseError> {
        let Some(mut session) = read(folder.path(), &bytes[..first], parts) else {
            return Ok(());
        };
        all += 1;
        for end in second.into_iter().chain([bytes.len()]) {
            match go_on(&session, &bytes[..end], parts) {
                Some(next) => session = next,
                None => return Ok(()),
            }
        }
        fast += 1;
        let name = format!("{agent:?} at {first} {second:?}");
        let whole = whole.as_ref();
        prop_assert!(whole.is_some(), "{name}: the whole is not read this way");
        prop_assert_eq!(Some(said(session.known())), want.clone(), "{}", &name);
        prop_assert!(
            session.memory == whole.and_then(|w| w.memory.clone()),
            "{name}: the memory differs"
        );
        Ok(())
    };
    // Behind lines, in the middle of some, and twice in a row.
    let from = 1 + pairs.len() % 3;
    for (n, &end) in ends.iter().enumerate().skip(from).step_by(3) {
        check(end - if n % 4 == 0 { 3 } else { 0 }, None)?;
    }
    for &(a, b) in pairs {
        let (a, b) = (a % ends.len(), b % ends.len());
        if 0 < a.min(b) && a != b {
            check(ends[a.min(b)], Some(ends[a.max(b)] - 1))?;
        }
    }
    Ok((fast, all))
}

/// Whether what is said of the whole is what is said of the session with all of its entries.
fn nothing_lost(lines: &[String]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir().expect("a folder");
    let text = lines.join("\n") + "\n";
    if let Some(folded) = read(folder.path(), text.as_bytes(), 1 << 20) {
        let source = Source::Path(folder.path().join("s.jsonl"));
        let all = Session::read(&source, &Options::default()).expect("readable");
        prop_assert_eq!(said(folded.known()), said((&all).into()));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn going_on_is_reading_the_whole(steps in steps(), pairs in prop::collection::vec((0..200usize, 0..200usize), 3..6)) {
        for agent in [Agent::Claude, Agent::Pi, Agent::Codex] {
            same(agent, &written(agent, &steps), &pairs)?;
        }
    }

    #[test]
    fn letting_go_says_the_same(steps in steps()) {
        for agent in [Agent::Claude, Agent::Pi, Agent::Codex] {
            nothing_lost(&written(agent, &steps))?;
        }
    }
}
