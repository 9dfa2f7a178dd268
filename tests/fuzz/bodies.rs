//! What every fuzz target runs, once for `cargo fuzz` and once for `cargo test` (see `tests/fuzz.rs`).
//! Each body takes any bytes and panics only when a promise is broken.

use compact::brief::{self, Options as Look};
use compact::checkpoint::{self, Checkpoint, restore};
use compact::hook;
use compact::json::{Broken, Json};
use compact::language::{self, clip, clip_chars, columns, head_tail, split_sentences, wrap};
use compact::lexicon::Rules;
use compact::merge;
use compact::prune::{self, Plan, Strategy};
use compact::session::{Digest, Session};
use compact::state::{State, store};
use compact::toolbox::Toolbox;
use compact::transcript::read::read_bytes;
use compact::transcript::{Family, Kind, Options, Ref, Voice, detect};
use compact::usage::{self, Estimates, Policy, Share, Windows};
use compact::{extract, loops, recall, redact, shell};
use serde_json::Value;
use std::borrow::Cow;
use std::path::Path;
use unicode_segmentation::UnicodeSegmentation;

/// A body: takes any bytes and must not panic.
pub type Body = fn(&[u8]);

/// The bodies by name: a folder of `corpus/` and a file of `fuzz_targets/` each.
pub const BODIES: [(&str, Body); 14] = [
    ("reader", reader),
    ("detect", detection),
    ("json", json),
    ("clip", cuts),
    ("sentence", sentences),
    ("shell", commands),
    ("rooms", rooms),
    ("prune", pruning),
    ("merge", merging),
    ("state", remembering),
    ("hook", events),
    ("answer", answers),
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

/// A first byte below the number of formats names one; then the rest is the file. Else all of it is.
fn chosen(data: &[u8]) -> (Option<Family>, &[u8]) {
    let named = data
        .split_first()
        .and_then(|(first, rest)| Some((Family::ALL.get(usize::from(*first))?.0, rest)));
    match named {
        Some((family, rest)) => (Some(family), rest),
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
        // A cluster wider than the line stands alone on it; what takes no column (a joiner left over) may too.
        let seen = line.graphemes(true).filter(|g| columns(g) > 0);
        let single = seen.count() <= 1;
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

/// Every other question that can be asked of a session has an answer.
pub fn rooms(data: &[u8]) {
    let (from, bytes) = chosen(data);
    let Ok(session) = session(bytes, from) else {
        return;
    };
    let events = usage::events(&session);
    let windows = Windows::parse(&["2000".to_owned()]).expect("a window");
    let policies = [
        Policy::default(),
        Policy {
            windows,
            min_tokens: 0,
            cooldown: 0,
            adaptive: true,
            ..Policy::default()
        },
    ];
    let prunable = || prune::tokens_saved(&session, &prune::Options::default());
    for policy in policies {
        let estimates = Estimates {
            include_tail: true,
            chars_per_token: None,
            prunable: policy.adaptive.then_some(&prunable),
        };
        let report = usage::report(&session, &policy, estimates);
        assert!(serde_json::to_string(&report).is_ok());
    }
    let _ = usage::what_if::what_if(&events, 1000, 100);
    for finding in loops::find(&session, &loops::Options::default()) {
        assert!(serde_json::to_string(&finding).is_ok());
    }
    let line = Toolbox::of(&session, &["Read".to_owned()]).line();
    assert!(!line.contains('\n'));
    let kept = checkpoint::build(&session, &Rules::shared(), "auto", "짧게", None);
    let text = serde_json::to_string(&kept).expect("a checkpoint can be written");
    let kept = Checkpoint::parse(&text).expect("and read again");
    let restored = restore::restore(&kept, restore::list_after(&session), restore::BUDGET);
    assert!(!restored.text.chars().any(unprintable), "{}", restored.text);
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

/// What a host carries from one compaction to the next: written and read again.
fn carried(state: &State) -> State {
    let text = store::text(state, None).expect("a state can be written");
    store::parse(&text, "state")
        .expect("a state that was written can be read")
        .state
}

fn merged(before: Option<&State>, session: &Session) -> Option<State> {
    let now = extract::extract(session, &Rules::shared());
    merge::merge(before, now, session).ok()
}

/// What no number of compactions changes.
fn facts(state: &State) -> Value {
    let State {
        goal,
        scope_change,
        earlier_requests,
        latest_request,
        preferences,
        todos,
        files,
        commits,
        ..
    } = state;
    serde_json::json!([
        goal,
        scope_change,
        earlier_requests,
        latest_request,
        preferences,
        todos,
        files,
        commits
    ])
}

/// Each message: its number, whose it is, and a person's words in it.
fn messages(session: &Session) -> Vec<(Ref, Kind, Vec<&str>)> {
    let messages = session.entries.iter().filter_map(|e| Some((e, e.number?)));
    messages
        .map(|(e, number)| (number, e.kind, e.texts(Voice::Person).collect()))
        .collect()
}

/// A state carried over a compaction says what one run says, and merging it again changes nothing; so does one
/// from the part of a file that is gone.
pub fn merging(data: &[u8]) {
    let (from, bytes) = chosen(data);
    let (Some(share), Ok(whole)) = (data.last(), session(bytes, from)) else {
        return;
    };
    let family = Some(whole.head.family);
    let at = bytes.len() * usize::from(*share) / 256;
    let at = bytes.get(at..).and_then(|rest| {
        let end = rest.iter().position(|b| *b == b'\n')?;
        Some(at + end + 1)
    });
    let (first, last) = bytes.split_at(at.unwrap_or(bytes.len()));
    let Some(once) = merged(None, &whole) else {
        return;
    };
    let Ok(first) = session(first, family) else {
        return;
    };
    let Some(before) = merged(None, &first).map(|s| carried(&s)) else {
        return;
    };
    if let Some(state) = merged(Some(&before), &whole) {
        // A file that was written anew, message by message, is not the same one grown: what it said before is kept.
        if messages(&whole).starts_with(&messages(&first)) {
            assert_eq!(facts(&state), facts(&once), "slices");
        }
        let again = merged(Some(&carried(&state)), &whole);
        assert_eq!(again.as_ref(), Some(&state), "merged twice");
    }
    // The file was cut short at its beginning, or its end was taken back.
    for later in [session(last, family).ok(), Some(first)] {
        let Some(later) = later else { continue };
        if let Some(state) = merged(Some(&carried(&once)), &later) {
            let again = merged(Some(&carried(&state)), &later);
            assert_eq!(again.as_ref(), Some(&state), "remembered twice");
        }
    }
}

/// Two requests, an edit and a list: what a damaged state is merged with.
const TALK: &str = r#"{"parentUuid":null,"cwd":"/home/sora/shop","sessionId":"s","type":"user","message":{"role":"user","content":"로그인 화면을 고쳐 주세요. 앞으로 테스트도 돌려 주세요."},"uuid":"u1","timestamp":"2026-01-01T00:00:00Z"}
{"parentUuid":"u1","sessionId":"s","type":"assistant","message":{"model":"claude-opus-4-6","id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/home/sora/shop/src/login.ts","old_string":"a","new_string":"b"}}]},"uuid":"u2","timestamp":"2026-01-01T00:00:01Z"}
{"parentUuid":"u2","sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]},"uuid":"u3","timestamp":"2026-01-01T00:00:02Z"}
{"parentUuid":"u3","sessionId":"s","type":"user","message":{"role":"user","content":"그리고 장바구니도 고쳐 주세요."},"uuid":"u4","timestamp":"2026-01-01T00:00:03Z"}
"#;

/// A state file of any content is refused with a sentence, or merged so that merging again changes nothing.
pub fn remembering(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let saved = match store::parse(&text, "state.json") {
        Ok(saved) => saved,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let talk = session(TALK.as_bytes(), None).expect("a session");
    let Some(state) = merged(Some(&saved.state), &talk) else {
        return;
    };
    let text = store::text(&state, Some(&saved)).expect("written");
    let read = store::parse(&text, "state.json").expect("read again");
    let again = merged(Some(&read.state), &talk).expect("its own state");
    let second = store::text(&again, Some(&read)).expect("written");
    let second = store::parse(&second, "state.json").expect("read again");
    assert_eq!(facts(&second.state), facts(&read.state));
    assert!(compact::state::diff::diff(&read, &second).is_empty());
    let mut shown = read.state;
    if let Ok(text) = brief::render_into(&talk, &mut shown, &Look::default()) {
        assert!(!text.chars().any(unprintable), "{text:?}");
    }
}

/// Any event is read or refused; an id that is counted by is a name.
pub fn events(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match hook::Event::parse(&text) {
        Ok(event) => {
            if let Some(id) = &event.session {
                let ok = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'_';
                assert!(id.bytes().all(ok));
            }
        }
        Err(why) => assert!(!why.is_empty()),
    }
}

/// Whatever a host sends, in any order, it gets an answer that lets it go on; a checkpoint is given back once.
///
/// Events, a line each; behind a zero byte the transcript, behind another one what the last hook left.
pub fn answers(data: &[u8]) {
    let mut parts = data.splitn(3, |b| *b == 0);
    let events = String::from_utf8_lossy(parts.next().unwrap_or_default());
    let shared = Path::new("/dev/shm");
    let dir = match shared.is_dir() {
        true => tempfile::tempdir_in(shared),
        false => tempfile::tempdir(),
    }
    .expect("a folder");
    let transcript = dir.path().join("t.jsonl");
    std::fs::write(&transcript, parts.next().unwrap_or(TALK.as_bytes())).expect("written");
    let left = parts.next();
    let mut options = hook::Options {
        dir: Some(dir.path().join("hooks")),
        windows: Windows::parse(&["200000".to_owned()]).expect("a window"),
        threshold: Share::percent(75),
        critical: Share::percent(95),
        max_blocks: 2,
        exit_code: false,
    };
    let mut owed = 0;
    for event in events.lines().take(8) {
        let Some((event, name)) = within(event, &transcript) else {
            // Not even an object: no path of this machine is in it.
            let answer = hook::answer(event, &options);
            assert!(answer.status == 0 && answer.out.is_some());
            continue;
        };
        options.exit_code = !options.exit_code;
        let answer = hook::answer(&event, &options);
        match answer.status {
            0 => assert!(answer.out.as_ref().is_some_and(Value::is_object)),
            2 => assert!(options.exit_code && name == "Stop" && answer.note.is_some()),
            other => panic!("status {other}"),
        }
        if name == "PreCompact" {
            owed += 1;
            if let Some(left) = left {
                spoil(dir.path(), left);
            }
        }
        if matches!(name.as_str(), "SessionStart" | "UserPromptSubmit") {
            let out = answer.out.unwrap_or_default();
            let given = &out["hookSpecificOutput"]["additionalContext"];
            if given.is_string() && left.is_none() {
                assert!(owed > 0, "given twice");
                owed -= 1;
            }
        }
    }
}

/// The event with its transcript inside the folder, and its name; `None`: no object.
fn within(event: &str, transcript: &Path) -> Option<(String, String)> {
    let mut value: Value =
        serde_json::from_str(event.trim_start_matches('\u{feff}').trim()).ok()?;
    let event = value.as_object_mut()?;
    for key in ["transcript_path", "transcriptPath"] {
        if let Some(path) = event.get_mut(key).filter(|p| p.is_string()) {
            *path = transcript.display().to_string().into();
        }
    }
    let name = ["hook_event_name", "hookEventName"]
        .iter()
        .find_map(|k| event.get(*k).filter(|v| !v.is_null()))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    Some((value.to_string(), name))
}

/// Damages what the hook remembers: its counts, or the checkpoint that waits.
fn spoil(dir: &Path, with: &[u8]) {
    let Ok(sessions) = std::fs::read_dir(dir.join("hooks")) else {
        return;
    };
    for folder in sessions.flatten() {
        let memory = folder.path().join("hook.json");
        let checkpoints = hook::checkpoints(&folder.path());
        let (path, with) = match (with.split_first(), checkpoints.last()) {
            (Some((b'c', with)), Some(checkpoint)) => (checkpoint, with),
            _ => (&memory, with),
        };
        std::fs::write(path, with).expect("written");
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
