//! How the main job reads its session: from where the run before ended, if the state remembers it; else from the
//! beginning, letting go of what is old as it goes; else, where that misses something, whole.

use super::common::Reading;
use super::state::Carried;
use crate::beside::Later;
use crate::extract::past::Known;
use crate::fold::{self, Folded};
use crate::merge::{go_on, is_ahead};
use crate::session::Session;
use crate::state::cursor::Cursor;
use crate::state::resume::{Packed, Remembered};
use crate::state::{State, store};
use crate::transcript::Source;
use anyhow::Result;
use std::fs::File;
use std::path::Path;

/// A session, and how it was read.
pub struct Read<'r> {
    folded: Folded,
    source: &'r Source,
    reading: &'r Reading,
    resumed: bool,
    /// What the next run can go on from: made while this one goes on.
    packed: Option<Later<Option<Packed>>>,
}

/// Reads the session. `plain`: nothing that is asked for needs more of the past than is remembered. Without a state there
/// is nothing to go on from, and nobody who would: then only what is far too long is not read whole.
///
/// # Errors
/// It cannot be read.
pub fn read<'r>(
    source: &'r Source,
    reading: &'r Reading,
    plain: bool,
    carried: Option<&Carried>,
) -> Result<Read<'r>> {
    let done = |mut folded: Folded, resumed: bool| {
        reading.notices(&source.name(), &folded.session.head);
        Read {
            packed: packed(source, folded.memory.take()),
            folded,
            source,
            reading,
            resumed,
        }
    };
    // A damaged line before the place to go on from is an error all the same, and a store is no file of lines.
    let plain = plain && !reading.strict && reading.session.is_none();
    if let Source::Path(path) = source
        && plain
        && std::fs::metadata(path).is_ok_and(|m| m.is_file())
    {
        let resumed = carried.map(|c| resumed(path, c, source, reading));
        if let Some(folded) = resumed.transpose()?.flatten() {
            return Ok(done(folded, true));
        }
        let limits = carried.map_or_else(fold::Limits::alone, |_| fold::Limits::default());
        let folded = reading.with_bar(source, |options| fold::read(path, options, limits))?;
        if let Some(folded) = folded {
            return Ok(done(folded, false));
        }
    }
    if let Some(carried) = carried {
        carried.store()?;
    }
    let session = reading.with_bar(source, |options| Session::read(source, options))?;
    Ok(done(session.into(), false))
}

/// What the state remembers, and what came since. Whatever goes wrong with that, the file is read from its beginning.
///
/// # Errors
/// The state is no usable one.
fn resumed(
    path: &Path,
    carried: &Carried,
    source: &Source,
    reading: &Reading,
) -> Result<Option<Folded>> {
    let folded = read_on(path, carried, source, reading);
    let Some(previous) = carried.previous()? else {
        return Ok(None);
    };
    let state = &previous.state;
    // What is known from files that no longer show it has to be merged with all of this one.
    let alone = Cursor::read(&state.cursor).is_some_and(|c| c.earlier.is_none());
    let same = |f: &Folded| {
        let head = &f.session.head;
        head.id == state.session.id && reading.from.0.is_none_or(|from| from == head.family)
    };
    Ok(folded.filter(|f| alone && same(f)))
}

fn read_on(path: &Path, carried: &Carried, source: &Source, reading: &Reading) -> Option<Folded> {
    let mut file = File::open(path).ok()?;
    let (packed, memory) = carried.memory()?;
    if !packed.is_of(&mut file).ok()? {
        return None;
    }
    let session = reading.with_bar(source, |options| {
        fold::read_on(&mut file, &source.name(), memory, options)
    });
    session.ok()?
}

/// Begins to pack what the session remembers of its reading.
fn packed(source: &Source, memory: Option<Remembered>) -> Option<Later<Option<Packed>>> {
    let Source::Path(path) = source else {
        return None;
    };
    let (path, memory) = (path.clone(), memory?);
    Some(Later::start(move || {
        Packed::of(&memory, &mut File::open(path).ok()?).ok()?
    }))
}

impl Read<'_> {
    /// What was read.
    pub fn session(&self) -> &Session {
        &self.folded.session
    }

    /// The same, with what is known of the part that was let go of.
    pub fn known(&self) -> Known<'_> {
        self.folded.known()
    }

    /// The same, by value.
    pub fn into_session(self) -> Session {
        self.folded.session
    }

    /// Gives `take` the session with all of its entries.
    ///
    /// # Errors
    /// It cannot be read again, and those of `take`.
    pub fn with_whole<T>(&self, take: impl FnOnce(&Session) -> Result<T>) -> Result<T> {
        match self.folded.past {
            None => take(&self.folded.session),
            Some(_) => take(&Session::read(self.source, &self.reading.options())?),
        }
    }

    /// What is known now, with what was known before.
    ///
    /// # Errors
    /// The state is no usable one, or belongs to another session.
    pub fn merge(&self, now: State, carried: &Carried) -> Result<State> {
        let session = self.known();
        match carried.previous()? {
            Some(previous) if self.resumed => Ok(go_on(&previous.state, now, session)),
            None => carried.follow(None, now, session),
            previous => self.with_whole(|whole| carried.follow(previous, now, whole.into())),
        }
    }

    /// Writes the state. `alone` is what this session says by itself, for the case that another run was faster.
    ///
    /// # Errors
    /// It cannot be written; the old state is as it was.
    pub fn save(&self, text: &str, state: &State, alone: State, carried: &Carried) -> Result<()> {
        carried.store()?.save(text, |newer| {
            if is_ahead(&newer.state, state) {
                return Ok(None);
            }
            let mut merged =
                self.with_whole(|whole| carried.follow(Some(newer), alone, whole.into()))?;
            merged.output = state.output;
            store::text(&merged, Some(newer)).map(Some)
        })
    }

    /// Writes into the state what the next run can go on from.
    pub fn remember(&self, state: &mut State) {
        let Some(packed) = &self.packed else { return };
        let Some(mut cursor) = Cursor::read(&state.cursor).filter(|c| c.earlier.is_none()) else {
            return;
        };
        // Without it the next run reads everything again.
        cursor.memory = packed.get().cloned().flatten();
        state.cursor = cursor.write();
    }
}
