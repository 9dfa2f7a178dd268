//! The fuzz targets' bodies as properties: committed seeds and samples, damaged in every way that files get
//! damaged. Two ways to run them for as long as you like:
//!
//! ```text
//! COMPACT_FUZZ_SECONDS=600 cargo test --profile fuzz --test fuzz -- --ignored --nocapture   # each body, one after another
//! COMPACT_FUZZ=reader,merge …                                                               # these only
//! cd tests/fuzz && cargo +nightly fuzz run --fuzz-dir . reader corpus/reader ../../samples   # guided by coverage
//! ```
//!
//! A finding is shrunk and printed; what libFuzzer finds lies in `tests/fuzz/artifacts`.

#[path = "fuzz/bodies.rs"]
mod bodies;

use compact::json::Json;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bits that mean something to one of the readers.
const BITS: &[&str] = &[
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\r\n",
    "null",
    "true",
    "1e999",
    "-0",
    "\\ud83d",
    "\\u0000",
    "\u{1b}[31m",
    "\u{202e}",
    "\u{feff}",
    "가",
    "ㄱ",
    "\u{1100}\u{1161}",
    "🇰🇷",
    "e\u{301}",
    "{\"type\":\"user\"}",
    "\"parentUuid\":\"x\"",
    "\"isSidechain\":true",
    "<system-reminder>",
    "[Image",
    "$(",
    "<<EOF\n",
    "`",
    "'",
    "&&",
    "|",
    "하지 마",
    "커밋해줘",
    "password=",
    "sk-ant-",
    "#1",
    "\u{0}",
    "toolUseResult",
    "compact_boundary",
    "[left out: ",
    "18446744073709551615",
    "2999-12-31T23:59:60Z",
    "\u{0}\u{0}",
];

/// What may stand where a value stood.
const VALUES: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "18446744073709551615",
    "9007199254740993",
    "1e400",
    "\"\"",
    "\"가\"",
    "\"s\"",
    "\"u1\"",
    "[]",
    "{}",
    "[null]",
    "[[]]",
    "[{\"type\":\"text\",\"text\":\"고쳐 주세요\"}]",
    "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\",\"input\":{\"command\":\"git commit -m x\"}}",
    "\"2026-01-01T00:00:00.000Z\"",
    "\"compact_boundary\"",
    "\"\\ud83d\"",
];

/// One way of damaging bytes. Places are shares of the length, or of the number of lines or fields.
#[derive(Debug, Clone)]
enum Damage {
    Set(f64, u8),
    Cut(f64),
    Drop(f64, usize),
    Bit(f64, usize),
    Twice(f64, usize),
    Bytes(f64, Vec<u8>),
    /// Another value for a field.
    Value(f64, usize),
    /// A field's value where another one's was.
    Copy(f64, f64),
    DropLine(f64),
    TwiceLine(f64),
    /// A line goes to another place.
    MoveLine(f64, f64),
    /// A line of another seed.
    LineOf(f64, usize, f64),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = || 0.0..1.0f64;
    prop_oneof![
        4 => (at(), any::<u8>()).prop_map(|(at, b)| Damage::Set(at, b)),
        1 => at().prop_map(Damage::Cut),
        2 => (at(), 1usize..200).prop_map(|(at, n)| Damage::Drop(at, n)),
        5 => (at(), 0..BITS.len()).prop_map(|(at, n)| Damage::Bit(at, n)),
        2 => (at(), 1usize..3000).prop_map(|(at, n)| Damage::Twice(at, n)),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(at, b)| Damage::Bytes(at, b)),
        6 => (at(), 0..VALUES.len()).prop_map(|(at, n)| Damage::Value(at, n)),
        3 => (at(), at()).prop_map(|(at, from)| Damage::Copy(at, from)),
        2 => at().prop_map(Damage::DropLine),
        2 => at().prop_map(Damage::TwiceLine),
        3 => (at(), at()).prop_map(|(at, to)| Damage::MoveLine(at, to)),
        2 => (at(), any::<usize>(), at()).prop_map(|(at, seed, line)| Damage::LineOf(at, seed, line)),
    ]
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

fn share(of: usize, at: f64) -> usize {
    ((of as f64 * at) as usize).min(of)
}

/// Where the value of a field stands: the field at a share of all.
fn field(bytes: &[u8], at: f64) -> Option<std::ops::Range<usize>> {
    let colons: Vec<usize> = memchr::memmem::find_iter(bytes, b"\":").collect();
    let start = colons.get(share(colons.len(), at))? + 2;
    let line = bytes.get(start..)?;
    let line = line.split(|b| *b == b'\n').next()?;
    let valid = match std::str::from_utf8(line) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&line[..error.valid_up_to()]).ok()?,
    };
    let (_, length) = Json::first(valid).ok()?;
    Some(start..start + length)
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage, seeds: &[Vec<u8>]) {
    let place = |at: f64| share(bytes.len(), at);
    match damage {
        Damage::Set(at, byte) => {
            let at = place(*at);
            if let Some(slot) = bytes.get_mut(at) {
                *slot = *byte;
            }
        }
        Damage::Cut(at) => bytes.truncate(place(*at)),
        Damage::Drop(at, n) => {
            let at = place(*at);
            bytes.drain(at..(at + n).min(bytes.len()));
        }
        Damage::Bit(at, n) => {
            let at = place(*at);
            bytes.splice(at..at, BITS[*n].bytes());
        }
        Damage::Twice(at, n) => {
            let at = place(*at);
            let part = bytes[at..(at + n).min(bytes.len())].to_vec();
            bytes.splice(at..at, part);
        }
        Damage::Bytes(at, part) => {
            let at = place(*at);
            bytes.splice(at..at, part.iter().copied());
        }
        Damage::Value(at, n) => {
            if let Some(old) = field(bytes, *at) {
                bytes.splice(old, VALUES[*n].bytes());
            }
        }
        Damage::Copy(at, from) => {
            if let (Some(old), Some(new)) = (field(bytes, *at), field(bytes, *from)) {
                let new = bytes[new].to_vec();
                bytes.splice(old, new);
            }
        }
        Damage::DropLine(_) | Damage::TwiceLine(_) | Damage::MoveLine(..) | Damage::LineOf(..) => {
            let mut all = lines(bytes);
            let place = |at: f64| share(all.len(), at);
            match damage {
                Damage::DropLine(at) if !all.is_empty() => {
                    all.remove(place(*at));
                }
                Damage::TwiceLine(at) if !all.is_empty() => {
                    let at = place(*at);
                    all.insert(at, all[at].clone());
                }
                Damage::MoveLine(at, to) if !all.is_empty() => {
                    let to = place(*to);
                    let line = all.remove(place(*at));
                    all.insert(to, line);
                }
                Damage::LineOf(at, seed, line) if !seeds.is_empty() => {
                    let other = lines(&seeds[seed % seeds.len()]);
                    if let Some(line) = other.get(share(other.len(), *line)) {
                        all.insert(place(*at), line.clone());
                    }
                }
                _ => {}
            }
            *bytes = all.concat();
        }
    }
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .map(|entries| {
            entries
                .flatten()
                .map(|e| e.path())
                .filter(|p| p.is_file())
                .collect()
        })
        .unwrap_or_default();
    paths.sort();
    paths.iter().filter_map(|p| std::fs::read(p).ok()).collect()
}

/// Bodies that read whole sessions.
const HEAVY: [&str; 4] = ["reader", "rooms", "prune", "merge"];

/// The committed seeds of a body; readers of files also take the samples, cut to a size that runs fast.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = files(&root.join("tests/fuzz/corpus").join(name));
    if HEAVY.contains(&name) || name == "detect" {
        for folder in ["samples", "tests/data/formats"] {
            for mut file in files(&root.join(folder)) {
                file.truncate(60_000);
                seeds.push(file);
            }
        }
    }
    assert!(!seeds.is_empty(), "no seeds for {name}");
    seeds
}

fn body(name: &str) -> bodies::Body {
    let found = bodies::BODIES.iter().find(|b| b.0 == name);
    found.expect("a body of that name").1
}

/// Runs a body over damaged seeds; gives how often.
fn damaged(name: &str, seeds: &[Vec<u8>], cases: u32) -> u64 {
    let body = body(name);
    let heavy = HEAVY.contains(&name);
    let config = Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    };
    let strategy = (
        0..seeds.len(),
        prop::collection::vec(damage(), 0..8),
        any::<u8>(),
        0..seeds.len(),
    );
    let executed = Cell::new(0);
    let done = TestRunner::new(config).run(&strategy, |(seed, damages, first, other)| {
        let mut bytes = seeds[seed].clone();
        // One file's end behind another's beginning, now and then.
        if first % 16 == 0 {
            bytes.truncate(bytes.len() / 2);
            let other = &seeds[other];
            bytes.extend_from_slice(&other[other.len() / 2..]);
        }
        damages.iter().for_each(|d| apply(&mut bytes, d, seeds));
        // Read as a format that it may not be.
        if heavy && first % 4 == 1 {
            bytes.insert(0, first / 8);
        }
        // Where a session is cut, for the body that carries a state.
        if name == "merge" {
            bytes.push(first);
        }
        executed.set(executed.get() + 1);
        body(&bytes);
        Ok(())
    });
    if let Err(error) = done {
        panic!("{name}: {error}");
    }
    executed.get()
}

/// Runs a body over its seeds, then over damaged ones.
fn run(name: &str) {
    let seeds = seeds(name);
    seeds.iter().for_each(|seed| body(name)(seed));
    let cases = match std::env::var_os("PROPTEST_CASES") {
        None if HEAVY.contains(&name) => 96,
        _ => Config::default().cases,
    };
    damaged(name, &seeds, cases);
}

/// Every body for `COMPACT_FUZZ_SECONDS` (600), or those that `COMPACT_FUZZ` names.
#[test]
#[ignore = "runs for as long as it is told"]
fn for_a_long_time() {
    let seconds = std::env::var("COMPACT_FUZZ_SECONDS").ok();
    let seconds = seconds.map_or(600, |s| {
        s.parse().expect("COMPACT_FUZZ_SECONDS is a number")
    });
    let only = std::env::var("COMPACT_FUZZ").unwrap_or_default();
    for (name, _) in bodies::BODIES {
        if !only.is_empty() && !only.split(',').any(|o| o == name) {
            continue;
        }
        let seeds = seeds(name);
        let start = Instant::now();
        let mut executed = 0;
        while start.elapsed() < Duration::from_secs(seconds) {
            executed += damaged(name, &seeds, 500);
        }
        eprintln!(
            "{name}: {executed} executions in {:.0?}, no finding",
            start.elapsed()
        );
    }
}

macro_rules! bodies {
    ($($test:ident: $name:literal),+ $(,)?) => {
        $(#[test] fn $test() { run($name); })+

        #[test]
        fn every_body_is_run() {
            let names: Vec<&str> = bodies::BODIES.iter().map(|b| b.0).collect();
            assert_eq!(names, [$($name),+]);
        }
    };
}

bodies! {
    any_bytes_are_a_session_or_a_sentence: "reader",
    detection_never_falls: "detect",
    the_scanner_agrees_with_serde_json: "json",
    cuts_keep_their_limits: "clip",
    sentences_lose_nothing: "sentence",
    no_command_stops_the_shell_reader: "shell",
    every_question_has_an_answer: "rooms",
    a_pruned_copy_is_the_same_session: "prune",
    a_carried_state_says_what_one_run_says: "merge",
    any_state_is_merged_or_refused: "state",
    any_event_is_read_or_refused: "hook",
    any_event_has_an_answer: "answer",
    redacting_twice_changes_nothing: "redact",
    any_query_is_searched_or_refused: "recall",
}
