//! One session, from its file to what is to be said of it.

use super::checks::{Check, Failure, Subject};
use super::measure::Measured;
use super::{Curve, Options, Target, measure, pairs, slices};
use crate::merge;
use crate::session::Session;
use crate::state::{State, store};
use crate::transcript::{self, Source};
use crate::{brief, extract};
use anyhow::{Result, bail};
use serde::ser::{Serialize, SerializeMap, Serializer};

/// What a session gave.
#[derive(Debug, Clone, Default)]
pub struct Replayed {
    pub path: String,
    /// Which session of a store.
    pub session: Option<String>,
    pub format: &'static str,
    pub records: u64,
    pub skipped: u64,
    /// Characters said, called and answered in the session, and of its brief.
    pub chars_in: u64,
    pub chars_out: u64,
    /// The same in estimated tokens.
    pub tokens_in: u64,
    pub tokens_out: u64,
    pub compactions: u64,
    pub failures: Vec<Failure>,
    /// How the brief compares with the one kept, where one was asked for.
    pub change: Option<super::Change>,
    pub brief: String,
    pub curve: Curve,
}

impl Replayed {
    /// Whether every check held and the brief is as it was kept.
    pub fn ok(&self) -> bool {
        self.failures.is_empty() && !self.change.as_ref().is_some_and(super::Change::is_one)
    }

    /// The path, and of a store the session in it.
    pub fn name(&self) -> String {
        match &self.session {
            Some(session) => format!("{} --session {session}", self.path),
            None => self.path.clone(),
        }
    }

    /// The share of the tokens that the brief saves; below 0 when it is longer than the session.
    pub fn reduction(&self) -> f64 {
        saved(self.tokens_in, self.tokens_out)
    }

    /// Whether a check held.
    pub fn holds(&self, check: Check) -> bool {
        !self.failures.iter().any(|f| f.check == check)
    }
}

/// `1 - after / before`, to four digits.
pub fn saved(before: u64, after: u64) -> f64 {
    if before == 0 {
        return 0.0;
    }
    let share = 1.0 - after as f64 / before as f64;
    (share * 1e4).round() / 1e4
}

impl Serialize for Replayed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("path", &self.path)?;
        if let Some(session) = &self.session {
            map.serialize_entry("session", session)?;
        }
        map.serialize_entry("format", self.format)?;
        map.serialize_entry("records", &self.records)?;
        map.serialize_entry("skipped", &self.skipped)?;
        map.serialize_entry("chars_in", &self.chars_in)?;
        map.serialize_entry("chars_out", &self.chars_out)?;
        map.serialize_entry("tokens_in", &self.tokens_in)?;
        map.serialize_entry("tokens_out", &self.tokens_out)?;
        map.serialize_entry("reduction", &self.reduction())?;
        map.serialize_entry("compactions", &self.compactions)?;
        let checks: serde_json::Map<String, serde_json::Value> = Check::ALL
            .iter()
            .map(|c| (c.name().to_owned(), self.holds(*c).into()))
            .collect();
        map.serialize_entry("checks", &checks)?;
        map.serialize_entry("ok", &self.ok())?;
        if !self.failures.is_empty() {
            map.serialize_entry("failures", &self.failures)?;
        }
        if let Some(change) = &self.change {
            map.serialize_entry("change", change)?;
        }
        map.end()
    }
}

/// What became of a target.
#[derive(Debug)]
pub enum Answer {
    Session(Box<Replayed>),
    /// Found by walking, and no session.
    NoSession,
    /// It could not be done; one line that names the file.
    Failed(String),
}

/// Replays one target. Files that are no session are an error only when named.
pub fn replay(target: &Target, options: &Options) -> Answer {
    let work = std::panic::AssertUnwindSafe(|| session(target, options));
    match std::panic::catch_unwind(work) {
        Ok(Ok(Some(replayed))) => Answer::Session(Box::new(replayed)),
        Ok(Ok(None)) => Answer::NoSession,
        Ok(Err(error)) => Answer::Failed(format!("{error:#}")),
        // The other sessions of an archive do not suffer from one; the message stands on stderr.
        Err(_) => Answer::Failed(format!(
            "{}: the program broke off in this session; please report it",
            target.path.display()
        )),
    }
}

/// One target on trial: how it is read and shown, the same for each of its briefs.
struct Trial<'t> {
    target: &'t Target,
    options: &'t Options,
    source: Source,
    reading: transcript::Options<'static>,
    look: brief::Options,
}

/// Replays one session; `None` for a file that is none and was not named.
fn session(target: &Target, options: &Options) -> Result<Option<Replayed>> {
    let trial = Trial {
        target,
        options,
        source: Source::Path(target.path.clone()),
        reading: transcript::Options {
            from: options.from,
            session: target.session.clone().or_else(|| options.session.clone()),
            ..transcript::Options::default()
        },
        look: brief::Options::default(),
    };
    let Some(measured) = trial.read()? else {
        return Ok(None);
    };
    let session = measured.session;
    let input = &session.head.input;
    let mut replayed = Replayed {
        path: trial.source.name(),
        session: target.session.clone(),
        format: session.head.family.name(),
        records: input.records,
        skipped: input.skipped,
        chars_in: measured.chars,
        curve: Curve::of(&session),
        ..Replayed::default()
    };
    let mut failures = Vec::new();
    let now = extract::extract(&session, &options.rules);
    let whole = compact(&session, None, now.clone(), &trial.look, &mut failures);
    if let Some((state, text)) = &whole {
        replayed.chars_out = state.output.chars;
        replayed.tokens_in = state.output.source_tokens;
        replayed.tokens_out = state.output.tokens;
        replayed.compactions = state.usage.compactions.total;
        replayed.brief.clone_from(text);
        trial.again(state, text, &mut failures);
        let subject = Subject {
            session: &session,
            whole: &session,
            state,
            brief: text,
            options: &trial.look,
        };
        failures.extend(subject.failures());
        let slices = Slices {
            trial: &trial,
            whole: &session,
            now,
            state,
        };
        slices.run(&mut failures)?;
    }
    let skeleton = &measured.skeleton;
    let pairs = pairs::check(&target.path, &session, skeleton, &trial.reading)?;
    if let Some(what) = pairs {
        failures.push(Failure::new(Check::Pairs, None, what));
    }
    failures.sort_by_key(|f| f.check);
    failures.dedup();
    replayed.failures = failures;
    Ok(Some(replayed))
}

impl Trial<'_> {
    /// The session; `None` for a file that is none and was not named.
    fn read(&self) -> Result<Option<Measured>> {
        let target = self.target;
        let measured = match measure::session(&self.source, &self.reading) {
            Ok(read) => read,
            // A store may hold sessions in which nobody spoke yet.
            Err(error) if (target.named && target.session.is_none()) || is_denied(target) => {
                return Err(error);
            }
            Err(_) => return Ok(None),
        };
        let input = &measured.session.head.input;
        if self.options.strict && input.skipped > 0 {
            let line = input.skipped_lines.first().copied().unwrap_or_default();
            bail!(
                "{}:{line}: a damaged line ({} in all); leave --strict out to skip them",
                self.source.name(),
                input.skipped
            );
        }
        Ok(Some(measured))
    }

    /// Reads a second time: the same bytes, and with its own state nothing new.
    fn again(&self, state: &State, text: &str, failures: &mut Vec<Failure>) {
        let json = |state: &State| serde_json::to_string(state).unwrap_or_default();
        let mut fail = |what: &str| failures.push(Failure::new(Check::Deterministic, None, what));
        let Ok(session) = Session::read(&self.source, &self.reading) else {
            return fail("it cannot be read a second time");
        };
        let mut ignored = Vec::new();
        let now = extract::extract(&session, &self.options.rules);
        match compact(&session, None, now.clone(), &self.look, &mut ignored) {
            Some((other, _)) if json(&other) != json(state) => {
                fail("another state when read again")
            }
            Some((_, other)) if other != text => fail("another brief when read again"),
            Some(_) => {}
            None => return fail("no brief when read again"),
        }
        // The brief is made of session and state; with an equal state it has just been compared.
        match merged(&session, Some(state), now, &mut ignored) {
            Some(mut other) => {
                other.output = state.output;
                if json(&other) != json(state) {
                    fail("another state with its own");
                }
            }
            None => fail("its own state is taken for another session's"),
        }
    }
}

/// A file that cannot be opened is never left out quietly.
fn is_denied(target: &Target) -> bool {
    target.path.is_file() && std::fs::File::open(&target.path).is_err()
}

/// State and brief of a session, given what it says `now` and what was known before; what goes wrong is a failure.
fn compact(
    session: &Session,
    before: Option<&State>,
    now: State,
    look: &brief::Options,
    failures: &mut Vec<Failure>,
) -> Option<(State, String)> {
    let mut state = merged(session, before, now, failures)?;
    match brief::render_into(session, &mut state, look) {
        Ok(text) => Some((state, text)),
        Err(error) => {
            failures.push(Failure::new(Check::Ceiling, None, error.to_string()));
            None
        }
    }
}

/// The state alone.
fn merged(
    session: &Session,
    before: Option<&State>,
    now: State,
    failures: &mut Vec<Failure>,
) -> Option<State> {
    let merged = merge::merge(before, now, session);
    if merged.is_err() {
        let what = "the state of the slice before is taken for another session's";
        failures.push(Failure::new(Check::Slices, None, what));
    }
    merged.ok()
}

/// A session to be compacted slice by slice. Each slice's brief has to keep what the last one keeps.
struct Slices<'s> {
    trial: &'s Trial<'s>,
    whole: &'s Session,
    /// What the whole session says, and the state of one go.
    now: State,
    state: &'s State,
}

impl Slices<'_> {
    fn run(self, failures: &mut Vec<Failure>) -> Result<()> {
        let Trial {
            target,
            options,
            reading,
            look,
            ..
        } = self.trial;
        let mut carried: Option<State> = None;
        for line in slices::cuts(&target.path, self.whole, options.every) {
            let Some(session) = slices::before(&target.path, line, reading)? else {
                continue;
            };
            let now = extract::extract(&session, &options.rules);
            let Some((state, text)) = compact(&session, carried.as_ref(), now, look, failures)
            else {
                return Ok(());
            };
            let subject = Subject {
                session: &session,
                whole: self.whole,
                state: &state,
                brief: &text,
                options: look,
            };
            failures.extend(subject.failures().into_iter().map(|mut failure| {
                failure.what.push_str(&format!(" [before line {line}]"));
                failure
            }));
            // As a host would carry it: written and read again.
            carried = Some(store::parse(&store::text(&state, None)?, "carried state")?.state);
        }
        let Some(carried) = carried else {
            return Ok(());
        };
        let Some(sliced) = merged(self.whole, Some(&carried), self.now, failures) else {
            return Ok(());
        };
        if let Some((what, reference)) = slices::difference(&sliced, self.state) {
            failures.push(Failure {
                check: Check::Slices,
                reference,
                what,
            });
        }
        Ok(())
    }
}
