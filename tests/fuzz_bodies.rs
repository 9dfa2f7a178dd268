//! The fuzz targets' bodies as properties: committed seeds and samples, damaged in every way that files get
//! damaged. `PROPTEST_CASES=100000 cargo test --release --test fuzz_bodies` runs them for minutes.

#[path = "fuzz/bodies.rs"]
mod bodies;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::Path;

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
];

/// One way of damaging bytes. Places are shares of the length.
#[derive(Debug, Clone)]
enum Damage {
    Set(f64, u8),
    Cut(f64),
    Drop(f64, usize),
    Bit(f64, usize),
    Twice(f64, usize),
    Bytes(f64, Vec<u8>),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = 0.0..1.0f64;
    prop_oneof![
        4 => (at.clone(), any::<u8>()).prop_map(|(at, b)| Damage::Set(at, b)),
        1 => at.clone().prop_map(Damage::Cut),
        2 => (at.clone(), 1usize..200).prop_map(|(at, n)| Damage::Drop(at, n)),
        6 => (at.clone(), 0..BITS.len()).prop_map(|(at, n)| Damage::Bit(at, n)),
        2 => (at.clone(), 1usize..3000).prop_map(|(at, n)| Damage::Twice(at, n)),
        1 => (at, prop::collection::vec(any::<u8>(), 1..40)).prop_map(|(at, b)| Damage::Bytes(at, b)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    let place = |at: f64| ((bytes.len() as f64 * at) as usize).min(bytes.len());
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

/// The committed seeds of a body; readers of files also take the samples, cut to a size that runs fast.
fn seeds(name: &str) -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = files(&root.join("tests/fuzz/corpus").join(name));
    let chooses = matches!(name, "reader" | "prune");
    if chooses || name == "detect" {
        for folder in ["samples", "tests/data/formats"] {
            for mut file in files(&root.join(folder)) {
                file.truncate(60_000);
                if chooses {
                    file.insert(0, u8::MAX);
                }
                seeds.push(file);
            }
        }
    }
    assert!(!seeds.is_empty(), "no seeds for {name}");
    seeds
}

/// Runs a body over its seeds, then over damaged ones.
fn run(name: &str) {
    let body = bodies::BODIES
        .iter()
        .find(|b| b.0 == name)
        .expect("a body of that name")
        .1;
    let seeds = seeds(name);
    seeds.iter().for_each(|seed| body(seed));
    let heavy = matches!(name, "reader" | "prune");
    let mut config = Config::default();
    if heavy && std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = 96;
    }
    config.failure_persistence = None;
    let cases = (
        0..seeds.len(),
        prop::collection::vec(damage(), 0..8),
        any::<u8>(),
        0..seeds.len(),
    );
    let done = TestRunner::new(config).run(&cases, |(seed, damages, first, other)| {
        let mut bytes = seeds[seed].clone();
        // One file's end behind another's beginning, now and then.
        if first % 16 == 0 {
            bytes.truncate(bytes.len() / 2);
            let other = &seeds[other];
            bytes.extend_from_slice(&other[other.len() / 2..]);
        }
        damages.iter().for_each(|d| apply(&mut bytes, d));
        if heavy && first % 4 == 1 && !bytes.is_empty() {
            bytes[0] = first / 8;
        }
        body(&bytes);
        Ok(())
    });
    if let Err(error) = done {
        panic!("{name}: {error}");
    }
}

macro_rules! bodies {
    ($($test:ident: $name:literal),+ $(,)?) => {
        $(#[test] fn $test() { run($name); })+
    };
}

bodies! {
    any_bytes_are_a_session_or_a_sentence: "reader",
    detection_never_falls: "detect",
    the_scanner_agrees_with_serde_json: "json",
    cuts_keep_their_limits: "clip",
    sentences_lose_nothing: "sentence",
    no_command_stops_the_shell_reader: "shell",
    a_pruned_copy_is_the_same_session: "prune",
    any_event_has_an_answer: "hook",
    redacting_twice_changes_nothing: "redact",
    any_query_is_searched_or_refused: "recall",
}
