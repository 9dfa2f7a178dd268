//! Secrets: finds the values of passwords, keys and tokens and takes them out, labels stay.
//!
//! Nothing that is shown or stored leaves without passing here (CONTRACT 3). One automaton looks for prefixes and labels;
//! text without any is returned as it is. Each find looks at a bounded stretch of text around it, so the time is linear.
//! Code that merely speaks of secrets (`token = next_token()`, `password: string`) stays.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};

mod labels;
mod shapes;
mod values;

/// What stands where a secret stood.
pub const REDACTED: &str = "[redacted]";

/// How far a decision looks. What is decided to be a secret is taken out to its end, however far that is.
const REACH: usize = 512;

/// What a trigger of the automaton starts.
#[derive(Clone, Copy)]
enum Trigger {
    /// Index into [`shapes::SHAPES`].
    Shape(usize),
    PemBegin,
    PemEnd,
    Url,
    Scheme,
    Label,
    KoreanLabel,
    UserFlag,
}

struct Sieve {
    automaton: AhoCorasick,
    triggers: Vec<Trigger>,
}

static SIEVE: LazyLock<Option<Sieve>> = LazyLock::new(|| {
    let mut patterns: Vec<&str> = Vec::new();
    let mut triggers = Vec::new();
    for (index, shape) in shapes::SHAPES.iter().enumerate() {
        patterns.push(shape.prefix);
        triggers.push(Trigger::Shape(index));
    }
    let mut add = |words: &[&'static str], trigger: Trigger| {
        patterns.extend(words);
        triggers.extend(std::iter::repeat_n(trigger, words.len()));
    };
    add(&["-----BEGIN "], Trigger::PemBegin);
    add(&["-----END "], Trigger::PemEnd);
    add(&["://"], Trigger::Url);
    add(&["bearer ", "basic "], Trigger::Scheme);
    add(labels::ENGLISH, Trigger::Label);
    add(labels::KOREAN, Trigger::KoreanLabel);
    add(
        &[" -u ", " --user ", " -u'", " -u\"", "sshpass -p"],
        Trigger::UserFlag,
    );
    let automaton = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .prefilter(false)
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(&patterns)
        .ok()?;
    Some(Sieve {
        automaton,
        triggers,
    })
});

/// Gets ready what every search for secrets needs.
pub fn prepare() {
    LazyLock::force(&SIEVE);
}

/// The text with every secret value replaced by [`REDACTED`]; borrowed when there is none. Doing it twice changes nothing.
pub fn redact(text: &str) -> Cow<'_, str> {
    let Some(mut clean) = replace(text) else {
        return Cow::Borrowed(text);
    };
    // A replacement can uncover another secret beside it; nearly always there is nothing.
    for _ in 0..3 {
        match replace(&clean) {
            Some(again) => clean = again,
            None => break,
        }
    }
    Cow::Owned(clean)
}

fn replace(text: &str) -> Option<String> {
    let mut spans = Vec::new();
    find(text, &mut |span| {
        spans.push(span);
        true
    });
    if spans.is_empty() {
        return None;
    }
    spans.sort_by_key(|span| (span.start, span.end));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for span in spans {
        if span.start >= at {
            out.push_str(text.get(at..span.start).unwrap_or_default());
            out.push_str(REDACTED);
        }
        at = at.max(span.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Some(out)
}

/// Whether the text holds a secret value. A line that does is never promoted to a goal or a rule (SPEC 1.15.8).
pub fn contains_secret(text: &str) -> bool {
    let mut found = false;
    find(text, &mut |_| {
        found = true;
        false
    });
    found
}

/// Calls `found` with the span of each secret until it says stop. Spans may overlap.
fn find(text: &str, found: &mut dyn FnMut(Range<usize>) -> bool) {
    let Some(sieve) = &*SIEVE else { return };
    let mut behind = 0;
    for hit in sieve.automaton.find_overlapping_iter(text) {
        let Some(&trigger) = sieve.triggers.get(hit.pattern().as_usize()) else {
            continue;
        };
        if hit.start() < behind {
            continue;
        }
        let span = match trigger {
            Trigger::Shape(index) => shapes::token(text, hit.start(), index),
            Trigger::PemBegin => shapes::pem(text, hit.start()),
            Trigger::PemEnd => shapes::pem_tail(text, hit.start()),
            Trigger::Url => shapes::url_password(text, hit.end()),
            Trigger::Scheme => shapes::authorization(text, hit.start(), hit.end()),
            Trigger::Label => labels::value(text, hit.range()),
            Trigger::KoreanLabel => labels::korean_value(text, hit.end()),
            Trigger::UserFlag => labels::user_flag(text, hit.start(), hit.end()),
        };
        if let Some(span) = span.filter(|s| s.start < s.end) {
            behind = span.end.max(behind);
            if !found(span) {
                return;
            }
        }
    }
}

/// At most [`REACH`] bytes of the text from `at`, on a character border.
fn reach(text: &str, at: usize) -> &str {
    reach_by(text, at, REACH)
}

fn reach_by(text: &str, at: usize, bytes: usize) -> &str {
    let mut end = at.saturating_add(bytes).min(text.len());
    while end > at && !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(at..end).unwrap_or_default()
}

/// Up to `bytes` bytes of the text before `at`, on a character border.
fn before(text: &str, at: usize, bytes: usize) -> &str {
    let mut start = at.saturating_sub(bytes);
    while start < at && !text.is_char_boundary(start) {
        start += 1;
    }
    text.get(start..at).unwrap_or_default()
}

/// From `at`, the end of the run of characters that `inside` holds for.
fn run_end(text: &str, at: usize, inside: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    rest.find(|c| !inside(c)).map_or(text.len(), |len| at + len)
}

#[cfg(test)]
mod tests;
