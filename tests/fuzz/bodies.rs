//! What every fuzz target runs, once for `cargo fuzz` and once for `cargo test` (see `tests/fuzz_bodies.rs`).
//! Each body takes any bytes and panics only when a promise is broken.

use compact::brief::{self, Options as Look};
use compact::hook;
use compact::json::{Broken, Json};
use compact::language::{self, clip, clip_chars, columns, head_tail, split_sentences, wrap};
use compact::lexicon::Rules;
use compact::prune::{self, Plan, Strategy};
use compact::session::{Digest, Session};
use compact::transcript::read::read_bytes;
use compact::transcript::{Family, Options, detect};
use compact::{extract, recall, redact, shell};
use std::borrow::Cow;

/// A body: takes any bytes and must not panic.
pub type Body = fn(&[u8]);

/// The bodies by name: a folder of `corpus/` and a file of `fuzz_targets/` each.
pub const BODIES: [(&str, Body); 10] = [
    ("reader", reader),
    ("detect", detection),
    ("json", json),
    ("clip", cuts),
    ("sentence", sentences),
    ("shell", commands),
    ("prune", pruning),
    ("hook", hooks),
    ("redact", secrets),
    ("recall", queries),
];

fn session(bytes: &[u8], from: Option<Family>) -> anyhow::Result<Session> {
    let options = Options {
        from,
        ..Options::default()
    };
    let mut digest = Digest::default();
    let head = read_bytes(bytes, &options, &mut digest)?;
    Ok(digest.finish(head))
}

/// The first byte names the format; the rest is the file.
fn chosen(data: &[u8]) -> (Option<Family>, &[u8]) {
    match data.split_first() {
        Some((first, rest)) => (Family::ALL.get(*first as usize).map(|f| f.0), rest),
        None => (None, data),
    }
}

/// Characters that must never reach a terminal.
fn unprintable(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Any bytes in any format become a session with a brief inside its ceiling, or one sentence.
pub fn reader(data: &[u8]) {
    let (from, bytes) = chosen(data);
    let session = match session(bytes, from) {
        Ok(session) => session,
        Err(error) => return assert!(!format!("{error:#}").is_empty()),
    };
    assert_eq!(session.head.active.len(), session.entries.len());
    let mut state = extract::extract(&session, &Rules::shared());
    let look = Look {
        max_chars: Some(4400),
        ..Look::default()
    };
    if let Ok(text) = brief::render_into(&session, &mut state, &look) {
        assert!(text.chars().count() <= 4400, "too long");
        assert!(!text.chars().any(unprintable), "{text:?}");
        // The same bytes every time.
        let mut again = extract::extract(&session, &Rules::shared());
        let second = brief::render_into(&session, &mut again, &look).unwrap_or_default();
        assert_eq!(text, second);
    }
    assert!(serde_json::to_string(&state).is_ok());
}

/// Detection looks at records and never falls over them.
pub fn detection(data: &[u8]) {
    let _ = detect::unreadable(data);
    let text = String::from_utf8_lossy(data);
    let records: Vec<Json<'_>> = text.lines().filter_map(|l| Json::parse(l).ok()).collect();
    let _ = (
        detect::decide(&records, false),
        detect::decide(&records, true),
    );
}

/// The scanner accepts what `serde_json` accepts and reads the same values.
pub fn json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let ours = Json::parse(text);
    let theirs: Result<serde_json::Value, _> = serde_json::from_str(text);
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => same(ours, &theirs),
        (Err(_), Ok(theirs)) => panic!("refused {theirs}"),
        // Depth and size of numbers are no faults here.
        (Ok(_), Err(error)) => {
            let error = error.to_string();
            assert!(
                error.contains("recursion limit") || error.contains("out of range"),
                "{error}: {text:?}"
            );
        }
        (Err(broken), Err(_)) => {
            if broken == Broken::Text {
                let _ = Json::parse(&compact::json::repair(text));
            }
        }
    }
}

fn same(ours: Json<'_>, theirs: &serde_json::Value) {
    match theirs {
        serde_json::Value::String(text) => assert_eq!(ours.str().as_deref(), Some(text.as_str())),
        serde_json::Value::Array(items) => {
            assert_eq!(ours.items().count(), items.len());
            ours.items().zip(items).for_each(|(o, t)| same(o, t));
        }
        serde_json::Value::Object(fields) => {
            for (key, value) in fields {
                same(ours.get(key).unwrap_or(Json::NULL), value);
            }
        }
        serde_json::Value::Bool(b) => assert_eq!(ours.bool(), Some(*b)),
        serde_json::Value::Null => assert!(ours.is_null()),
        serde_json::Value::Number(n) => {
            if let Some(n) = n.as_u64() {
                assert_eq!(ours.u64(), Some(n));
            }
        }
    }
}

fn text_and_size(data: &[u8]) -> (Cow<'_, str>, usize) {
    match data.split_first() {
        Some((size, rest)) => (String::from_utf8_lossy(rest), usize::from(*size)),
        None => (Cow::Borrowed(""), 0),
    }
}

/// Cuts and folds keep their limits.
pub fn cuts(data: &[u8]) {
    let (text, size) = text_and_size(data);
    assert!(language::length(&clip(&text, size)) <= size);
    assert!(clip_chars(&text, size).chars().count() <= size);
    assert!(head_tail(&text, size, " … ").chars().count() <= size);
    let shown = language::visible(&text);
    assert!(!shown.chars().any(unprintable), "{shown:?}");
    let line = language::one_line(&text);
    assert!(!line.contains('\n'));
    let width = size.max(2);
    for line in wrap(&shown, width, 2).lines() {
        // A joiner left over at the beginning of a line makes a new cluster with the blanks before it.
        let single = language::length(line.trim_start()) <= 1 || line.contains('\u{200d}');
        assert!(
            single || line.contains('\t') || columns(line) <= width,
            "{} > {width}: {line:?}",
            columns(line)
        );
    }
    assert_eq!(
        language::fold(&language::fold(&text)),
        language::fold(&text)
    );
}

/// Sentences stand in order, apart, and leave nothing but blanks out.
pub fn sentences(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut at = 0;
    for range in split_sentences(&text) {
        assert!(range.start >= at && range.end > range.start, "{range:?}");
        let between = text.get(at..range.start).expect("cut inside a character");
        assert!(between.trim().is_empty(), "lost {between:?}");
        at = range.end;
    }
    assert!(
        text.get(at..)
            .expect("cut inside a character")
            .trim()
            .is_empty()
    );
}

/// No command stops the shell's reader, and its line keeps its limit.
pub fn commands(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let script = shell::parse(&text);
    let _ = (
        shell::effects(&script),
        shell::families(&script),
        shell::git_commits(&script),
    );
    let _ = (
        shell::history_calls(&script),
        shell::outcome(&text, None, None, &script),
    );
    let line = shell::display(&text);
    assert!(
        language::length(&line) <= 240 && !line.contains('\n'),
        "{line:?}"
    );
}

/// A pruned copy is still a session with the same records and calls, and pruning it again changes nothing.
pub fn pruning(data: &[u8]) {
    let (from, bytes) = chosen(data);
    let Ok(before) = session(bytes, from) else {
        return;
    };
    let options = prune::Options {
        strategies: Strategy::ALL.to_vec(),
        protect_turns: 0,
        ..prune::Options::default()
    };
    let family = before.head.family;
    if prune::writable(family).is_err() {
        return;
    }
    let Ok(plan) = Plan::new(&before, &options) else {
        return;
    };
    let mut out = Vec::new();
    let copied = prune::write(family, &plan, &options, &mut &bytes[..], &mut out);
    assert!(copied.is_ok(), "{:?}", copied.err());
    let after = match session(&out, Some(family)) {
        Ok(after) => after,
        Err(error) => panic!("the copy cannot be read: {error:#}"),
    };
    assert_eq!(after.head.input.records, before.head.input.records);
    assert_eq!(after.head.input.skipped, before.head.input.skipped);
    assert_eq!(after.head.messages, before.head.messages);
    assert_eq!(after.calls.len(), before.calls.len());
    assert_eq!(after.head.active, before.head.active);
}

/// Whatever a host sends, it gets an answer that lets it go on.
pub fn hooks(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(event) = hook::Event::parse(&text) else {
        return;
    };
    if let Some(id) = &event.session {
        assert!(
            id.bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
        );
    }
}

/// What was made unreadable stays so.
pub fn secrets(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let clean = redact::redact(&text);
    assert_eq!(redact::redact(&clean), clean);
}

/// Words and patterns of any kind are a query or an error, and marks lie on characters.
pub fn queries(data: &[u8]) {
    let (text, pattern) = text_and_size(data);
    let (query, body) = text.split_once('\n').unwrap_or((&text, ""));
    if let Ok(recall::Query::Search(search)) = recall::Query::parse(query, pattern % 2 == 1) {
        for mark in search.marks(body) {
            assert!(body.get(mark).is_some());
        }
    }
}
