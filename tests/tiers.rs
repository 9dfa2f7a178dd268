//! The scanner against `serde_json`, its oracle: on every record of the samples and on damaged ones, the same values
//! from the same text, the same texts refused for the same reason, and the same session from a file whose records
//! `serde_json` has written anew.
//!
//! Where the two differ on purpose: nesting deeper than 128 and numbers beyond `f64` are read here and refused there; a
//! line that ends too early is [`Broken::Cut`] here even where its text is faulty before that.

use compact::extract;
use compact::json::{Broken, Json, Kind, repair};
use compact::lexicon::Rules;
use compact::session::{Digest, Session};
use compact::transcript::Options;
use compact::transcript::read::read_bytes;
use proptest::prelude::*;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

fn files() -> Vec<(PathBuf, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = ["samples", "tests/data/formats"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).expect("a folder"))
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.extension().is_some_and(|e| e != "sql"))
        .collect();
    paths.sort();
    let read = |p: PathBuf| std::fs::read(&p).map(|bytes| (p, bytes));
    paths
        .into_iter()
        .map(|p| read(p).expect("a file"))
        .collect()
}

/// Every record of every sample; a document is one.
static RECORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let mut records = Vec::new();
    for (path, bytes) in files() {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if path.extension().is_some_and(|e| e == "jsonl") {
            records.extend(text.lines().map(str::to_owned));
        } else {
            records.push(text);
        }
    }
    records
});

/// Everything that can be asked of the value.
fn same(ours: Json<'_>, theirs: &Value) {
    assert_eq!(&ours.to_value(), theirs);
    match theirs {
        Value::Null => assert_eq!((ours.kind(), ours.is_null()), (Kind::Null, true)),
        Value::Bool(b) => assert_eq!((ours.kind(), ours.bool()), (Kind::Bool, Some(*b))),
        Value::Number(n) => {
            assert_eq!(ours.kind(), Kind::Number);
            // A fraction, and what is too large, are cut.
            if let Some(n) = n.as_u64() {
                assert_eq!(ours.u64(), Some(n));
            }
            if let Some(n) = n.as_i64() {
                assert_eq!(ours.i64(), Some(n));
            }
            assert_eq!(ours.f64(), n.as_f64());
        }
        Value::String(text) => {
            assert_eq!(ours.kind(), Kind::String);
            assert_eq!(ours.str().as_deref(), Some(text.as_str()));
            assert_eq!(ours.chars(), text.chars().count());
        }
        Value::Array(items) => {
            assert_eq!(ours.kind(), Kind::Array);
            assert_eq!(ours.items().count(), items.len());
            ours.items().zip(items).for_each(|(o, t)| same(o, t));
        }
        Value::Object(fields) => {
            assert_eq!(ours.kind(), Kind::Object);
            let mut names: Vec<String> = Vec::new();
            for (key, _) in ours.fields() {
                let name = key.name().into_owned();
                if !names.contains(&name) {
                    names.push(name);
                }
            }
            assert_eq!(names, fields.keys().cloned().collect::<Vec<_>>());
            for (name, value) in fields {
                // The last of duplicates, alone and in one pass with others.
                let [alone] = ours.pick([name]);
                let [_, other] = ours.pick(["\u{0}no such key", name]);
                assert_eq!(alone.map(|v| v.raw()), other.map(|v| v.raw()));
                same(ours.get(name).expect("a field"), value);
            }
        }
    }
    if ours.kind() != Kind::Object {
        assert_eq!(
            (ours.fields().count(), ours.get("type").is_none()),
            (0, true)
        );
    }
    if ours.kind() != Kind::Array {
        assert_eq!(ours.items().count(), 0);
    }
}

/// The same value, or the same refusal.
fn agree(text: &str) {
    let theirs: Result<Value, _> = serde_json::from_str(text);
    match (Json::parse(text), theirs) {
        (Ok(ours), Ok(theirs)) => same(ours, &theirs),
        (Err(broken), Ok(_)) => panic!("only refused here ({broken:?}): {text}"),
        (Ok(_), Err(error)) => {
            let why = error.to_string();
            let known = ["recursion limit", "number out of range"];
            assert!(known.iter().any(|k| why.contains(k)), "{why}: {text}");
        }
        (Err(broken), Err(error)) => {
            let why = error.to_string();
            let faulty = ["control character", "surrogate", "hex escape"]
                .iter()
                .any(|k| why.contains(k));
            let deep = why.contains("recursion limit") || why.contains("number out of range");
            match broken {
                Broken::Cut => assert!(error.is_eof() || faulty || deep, "{why}: {text}"),
                Broken::Text => {
                    assert!(faulty || deep, "{why}: {text}");
                    // Mended, it is a record for both.
                    let mended = repair(text);
                    if let Ok(value) = serde_json::from_str(&mended) {
                        same(Json::parse(&mended).expect("mended"), &value);
                    }
                }
                Broken::At(at) => {
                    assert!(!error.is_eof() || at >= text.len(), "{why} at {at}: {text}");
                }
            }
        }
    }
}

#[test]
fn every_record_of_the_samples() {
    for record in RECORDS.iter() {
        agree(record);
        // A document in lines, as a pretty printer writes it, and without any blank.
        if let Ok(value) = serde_json::from_str::<Value>(record) {
            agree(&serde_json::to_string_pretty(&value).expect("written"));
            agree(&escaped(&value));
        }
    }
    assert!(RECORDS.len() > 300, "{} records", RECORDS.len());
}

/// Every beginning of a record is a cut one, never another value.
#[test]
fn every_beginning_is_cut_off() {
    for record in RECORDS
        .iter()
        .filter(|r| Json::parse(r).is_ok_and(|j| j.is_object()))
    {
        let record = record.trim_end();
        let step = (record.len() / 200).max(1);
        for (at, _) in record.char_indices().step_by(step).skip(1) {
            assert_eq!(
                Json::parse(&record[..at]).err(),
                Some(Broken::Cut),
                "{}",
                &record[..at]
            );
        }
    }
}

/// With every character beyond ASCII as an escape.
fn escaped(value: &Value) -> String {
    let text = serde_json::to_string(value).expect("written");
    let mut out = String::with_capacity(text.len() * 2);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                out.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    out
}

fn session(bytes: &[u8]) -> Option<Session> {
    let mut digest = Digest::default();
    let head = read_bytes(bytes, &Options::default(), &mut digest).ok()?;
    Some(digest.finish(head))
}

/// What a session says, its input's faults aside.
fn told(session: &Session) -> Value {
    let state = extract::extract(session, &Rules::shared());
    let mut value = serde_json::to_value(&state).expect("JSON");
    let numbers: Vec<String> = session
        .entries
        .iter()
        .map(|e| {
            format!(
                "{:?} {:?} {:?} {} {}",
                e.number,
                e.kind,
                e.time,
                e.id,
                e.blocks.len()
            )
        })
        .collect();
    value["entries"] = numbers.into();
    value
}

/// The file with every record that `serde_json` reads as `again` writes it.
fn rewritten(bytes: &[u8], again: fn(&Value) -> String) -> Vec<u8> {
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|b| *b == b'\n') {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => {
                out.extend_from_slice(again(&value).as_bytes());
                out.push(b'\n');
            }
            Err(_) => out.extend_from_slice(line),
        }
    }
    out
}

#[test]
fn the_same_session_from_records_written_anew() {
    for (path, bytes) in files() {
        let Some(before) = session(&bytes) else {
            continue;
        };
        for again in [Value::to_string as fn(&Value) -> String, escaped] {
            let after = session(&rewritten(&bytes, again)).expect("a session");
            assert_eq!(told(&after), told(&before), "{}", path.display());
        }
    }
}

/// A record, and how it is damaged: bytes set, parts dropped, doubled, moved.
fn damaged() -> impl Strategy<Value = String> {
    let damage = (0.0..1.0f64, 0.0..1.0f64, 1usize..60, any::<u8>(), 0u8..5);
    (0..RECORDS.len(), prop::collection::vec(damage, 1..4)).prop_map(|(record, damages)| {
        let mut bytes = RECORDS[record].clone().into_bytes();
        for (at, from, length, byte, how) in damages {
            let place = |at: f64| ((bytes.len() as f64 * at) as usize).min(bytes.len());
            let (at, from) = (place(at), place(from));
            let end = (from + length).min(bytes.len());
            let part = bytes[from..end].to_vec();
            match how {
                0 => bytes.truncate(at),
                1 => drop(bytes.splice(from..end, [])),
                2 => drop(bytes.splice(at..at, part)),
                3 => drop(
                    bytes.splice(
                        at..at,
                        b"\"\\{}[]:,01-e.u\n\t d8"[usize::from(byte) % 19..]
                            .iter()
                            .take(1)
                            .copied(),
                    ),
                ),
                _ => {
                    if let Some(slot) = bytes.get_mut(at) {
                        *slot = byte;
                    }
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// The text of a string with halves of characters, by the tier below: `serde_json` into raw bytes, which lets half a
/// pair through as three bytes of its own.
fn lossy(literal: &str) -> Option<String> {
    struct Raw(Vec<u8>);
    impl<'de> serde::Deserialize<'de> for Raw {
        fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Raw, D::Error> {
            struct Take;
            impl serde::de::Visitor<'_> for Take {
                type Value = Raw;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("a string")
                }
                fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Raw, E> {
                    Ok(Raw(bytes.to_vec()))
                }
                fn visit_str<E>(self, text: &str) -> Result<Raw, E> {
                    Ok(Raw(text.as_bytes().to_vec()))
                }
            }
            deserializer.deserialize_bytes(Take)
        }
    }
    let Raw(bytes) = serde_json::from_str(literal).ok()?;
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes.as_slice();
    while let Some((&first, tail)) = rest.split_first() {
        if first == 0xED && tail.first().is_some_and(|b| *b >= 0xA0) {
            out.extend_from_slice("\u{FFFD}".as_bytes());
            rest = rest.get(3..).unwrap_or_default();
        } else {
            out.push(first);
            rest = tail;
        }
    }
    String::from_utf8(out).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_records_agree(text in damaged()) {
        agree(&text);
    }

    #[test]
    fn halves_of_characters_are_mended_alike(parts in prop::collection::vec(prop::sample::select(vec![
        "\\ud83d", "\\ude00", "\\uD83D\\uDE00", "\u{1}", "\u{1f}", "a", "한", "😀", "\\n", "\\\\", "\\\"", "\\u0041", "\\u00e9",
        "\\/", " ", "\\\\ud83d",
    ]), 0..12)) {
        let literal = format!("\"{}\"", parts.concat());
        let mended = repair(&literal);
        let ours = Json::parse(&mended).map(|j| j.str().map(|s| s.into_owned()));
        prop_assert_eq!(ours.ok().flatten(), lossy(&literal));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// A damaged line inside a file: the same session as from the file that `serde_json` wrote.
    #[test]
    fn a_damaged_file_is_the_same_session(file in 0usize..1000, place in 0.0..1.0f64, text in damaged()) {
        let files = files();
        let (_, bytes) = &files[file % files.len()];
        let at = (bytes.len() as f64 * place) as usize;
        let at = bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |p| p + 1);
        let mut file = bytes[..at].to_vec();
        file.extend_from_slice(text.replace('\n', " ").as_bytes());
        file.push(b'\n');
        file.extend_from_slice(&bytes[at..]);
        if let Some(before) = session(&file) {
            let after = session(&rewritten(&file, Value::to_string));
            prop_assert_eq!(after.as_ref().map(told), Some(told(&before)));
        }
    }
}
