//! The `--state` of the main job: what was known goes in before the brief is made, what is known now is written
//! once the brief is out.

use crate::beside::Later;
use crate::disk::are_one;
use crate::extract::past::Known;
use crate::fold::{Limits, Recalled};
use crate::merge::{Stranger, merge};
use crate::state::State;
use crate::state::resume::Packed;
use crate::state::store::{self, Saved, Store, Unread};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::cell::{Cell, OnceCell};
use std::path::Path;

/// What a run goes on from, with the print by which its file is known again.
type Memory = (Packed, Recalled);

/// A state on its way from one run to the next.
pub struct Carried {
    name: String,
    /// Looked through while the session is read.
    coming: Cell<Option<Later<Result<Store>>>>,
    store: OnceCell<Store>,
    /// What the run before remembered of its file.
    memory: Cell<Option<Later<Option<Memory>>>>,
}

impl Carried {
    /// Opens the file, if one is named.
    ///
    /// # Errors
    /// It cannot be read, or is the file the brief goes to.
    pub fn open(file: Option<&Path>, output: Option<&Path>) -> Result<Option<Carried>> {
        let Some(file) = file else { return Ok(None) };
        let name = file.display().to_string();
        if output.is_some_and(|o| o == file || are_one(o, file)) {
            bail!("{name}: named for the state and for the output; name two files");
        }
        let unread = Unread::of(file)?;
        let recalled = |packed: Packed| {
            let memory = packed.unpacked()?;
            Some((packed, Recalled::of(&memory, Limits::default())?))
        };
        let packed = unread.text().and_then(Packed::found_in);
        let memory = packed.map(|p| Later::start(move || recalled(p)));
        Ok(Some(Carried {
            name,
            coming: Cell::new(Some(Later::start(|| unread.read()))),
            store: OnceCell::new(),
            memory: Cell::new(memory),
        }))
    }

    /// The state's file, once it is looked through.
    ///
    /// # Errors
    /// It holds no usable state.
    pub fn store(&self) -> Result<&Store> {
        if let Some(store) = self.coming.take().and_then(Later::take) {
            let _ = self.store.set(store?);
        }
        let name = &self.name;
        self.store
            .get()
            .with_context(|| format!("{name}: the state could not be looked through"))
    }

    /// What the run before remembered of its file; it can be taken once.
    pub fn memory(&self) -> Option<Memory> {
        self.memory.take()?.take()?
    }

    /// What the file held.
    ///
    /// # Errors
    /// It was no usable state.
    pub fn previous(&self) -> Result<Option<&Saved>> {
        Ok(self.store()?.previous())
    }

    /// What is known now, with what was known before.
    ///
    /// # Errors
    /// The state belongs to another session.
    pub fn follow(
        &self,
        previous: Option<&Saved>,
        now: State,
        session: Known<'_>,
    ) -> Result<State> {
        let id = now.session.id.clone();
        match merge(previous.map(|p| &p.state), now, session) {
            Ok(state) => Ok(state),
            Err(Stranger { id: theirs }) => bail!(
                "{}: the state of another session ({}, this one is {}); name another file",
                self.name,
                theirs.as_deref().unwrap_or("without an id"),
                id.as_deref().unwrap_or("without an id")
            ),
        }
    }

    /// The state, whose body is made, as text, certain to find room on the disk.
    ///
    /// # Errors
    /// It cannot be written where it belongs.
    pub fn text(&self, body: Value, state: &State) -> Result<String> {
        let text = store::finished(body, state)?;
        self.store()?.rehearse(&text)?;
        Ok(text)
    }
}
