//! The files a session read, made, changed, moved and removed: one entry a file, oldest touch first (SPEC 1.8).

use super::touches::{Touch, summary};
use super::work::Work;
use crate::session::Session;
use crate::session::place::Place;
use crate::state::File;
use crate::transcript::Ref;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The files of the active conversation, in the order they were last touched, behind what is known of those before.
pub fn files(known: Ledger, session: &Session, work: &mut Work) -> Vec<File> {
    remember(known, session, work).list(&Place::of(session))
}

/// What is remembered of the files when the calls that touched them are let go of, behind what is known.
pub fn remember(mut ledger: Ledger, session: &Session, work: &mut Work) -> Ledger {
    let place = Place::of(session);
    let done = std::mem::take(&mut work.done);
    let committed = work.commits.places();
    let lane = session.main_lane();
    for (step, done) in session.all_steps().zip(done) {
        let Some(reference) = step.entry.number else {
            continue;
        };
        if step.entry.lane != lane {
            // What a sub-agent read is its own; what it changed is changed.
            for touch in done.touches {
                if !matches!(touch, Touch::Read(_)) {
                    ledger.take(touch, reference);
                }
            }
            continue;
        }
        if !session.is_active(step.entry) {
            continue;
        }
        for touch in done.touches {
            ledger.take(touch, reference);
        }
        let index = done.staged;
        let files = index.files.into_iter().map(|name| (name, reference));
        ledger.staged.extend(files);
        ledger.folders.extend(index.folders);
        if committed.binary_search(&step.entry.seq).is_ok() {
            let text = step.outcome.map_or("", |o| o.text.as_ref());
            let dir = index.dir.as_deref().or(session.dir_of(step.entry));
            ledger.commit(summary(text), reference, &|p| place.resolve(p, dir));
        }
    }
    ledger
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Line {
    name: String,
    read: u64,
    modified: u64,
    /// Modifications that a commit has made safe from a later reset.
    safe: u64,
    created: bool,
    deleted: bool,
    from: Option<String>,
    changed: Option<(u64, Ref)>,
    looked: (u64, Ref),
}

/// What was done to each file so far.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    lines: Vec<Line>,
    /// The line that a name means now; a file that was moved away has none.
    at: BTreeMap<String, usize>,
    clock: u64,
    /// Put into git's index by name since the last commit.
    staged: Vec<(String, Ref)>,
    folders: Vec<String>,
}

impl Ledger {
    fn take(&mut self, touch: Touch, reference: Ref) {
        self.clock += 1;
        let stamp = (self.clock, reference);
        match touch {
            Touch::Read(name) => {
                let line = self.line(name, stamp);
                line.read += 1;
                line.looked = stamp;
            }
            Touch::Created(name) => {
                let line = self.line(name, stamp);
                let known = (line.read > 0 || line.modified > 0) && !line.deleted;
                if known {
                    line.modified += 1;
                } else {
                    line.created = true;
                }
                line.deleted = false;
                line.changed = Some(stamp);
            }
            Touch::Written(name) | Touch::Modified(name) if name.is_empty() => {}
            Touch::Written(name) | Touch::Modified(name) => {
                let line = self.line(name, stamp);
                line.modified += 1;
                line.deleted = false;
                line.changed = Some(stamp);
            }
            Touch::Deleted(name) => self.delete(name, stamp),
            Touch::Cleared(name) => {
                // What a folder held beside the session's own files is not known.
                let below = format!("{name}/");
                let inside = |n: &&String| **n == name || n.starts_with(&below);
                let gone: Vec<String> = self.at.keys().filter(inside).cloned().collect();
                gone.into_iter().for_each(|n| self.delete(n, stamp));
            }
            Touch::Moved { from, to } => self.rename(&from, to, stamp),
            Touch::Reverted(name) => {
                // A folder stands for what lies in it.
                let below = format!("{name}/");
                for line in &mut self.lines {
                    if line.name == name || line.name.starts_with(&below) {
                        line.modified = line.safe;
                        line.deleted = false;
                    }
                }
            }
        }
    }

    fn line(&mut self, name: String, stamp: (u64, Ref)) -> &mut Line {
        let next = self.lines.len();
        let at = *self.at.entry(name.clone()).or_insert(next);
        if at == next {
            self.lines.push(Line {
                name,
                read: 0,
                modified: 0,
                safe: 0,
                created: false,
                deleted: false,
                from: None,
                changed: None,
                looked: stamp,
            });
        }
        &mut self.lines[at]
    }

    fn delete(&mut self, name: String, stamp: (u64, Ref)) {
        let line = self.line(name, stamp);
        // What was made here and removed again stays as removed: others may have seen it.
        line.deleted = true;
        line.created = false;
        line.changed = Some(stamp);
    }

    fn rename(&mut self, from: &str, to: String, stamp: (u64, Ref)) {
        let old = self.at.remove(from);
        let before = old.and_then(|at| self.lines.get_mut(at)).map(|line| {
            let before = line.clone();
            line.modified = 0;
            line.read = 0;
            line.created = false;
            line.changed = None;
            before
        });
        let line = self.line(to, stamp);
        line.changed = Some(stamp);
        line.deleted = false;
        match before {
            Some(old) => {
                line.read += old.read;
                line.modified += old.modified.max(u64::from(!old.created));
                line.safe += old.safe;
                line.created |= old.created;
                // A file of the session's own has no earlier name to look for.
                line.from = match old.created {
                    true => None,
                    false => old.from.or(Some(old.name)),
                };
            }
            None => {
                line.modified += 1;
                line.from = Some(from.to_owned());
            }
        }
        if line.from.as_deref() == Some(line.name.as_str()) {
            line.from = None;
        }
    }

    /// A commit proves that what was staged by name had changed, and which files came and went.
    fn commit(&mut self, said: Vec<Touch>, reference: Ref, resolve: &dyn Fn(&str) -> String) {
        self.clock += 1;
        let stamp = (self.clock, reference);
        // `git add -A` takes in what others left there: the session's own are files it named, and new ones
        // beside those it changed.
        for touch in said {
            match touch {
                Touch::Created(path) => {
                    let beside = || Some(resolve(&path)).filter(|name| self.works_beside(name));
                    let Some(name) = self.known(&path, resolve).or_else(beside) else {
                        continue;
                    };
                    let line = self.line(name, stamp);
                    line.created = true;
                    line.deleted = false;
                    line.changed = line.changed.or(Some(stamp));
                }
                Touch::Deleted(path) => {
                    let beside = || Some(resolve(&path)).filter(|name| self.works_beside(name));
                    let Some(name) = self.known(&path, resolve).or_else(beside) else {
                        continue;
                    };
                    if !self.lines.iter().any(|l| l.name == name && l.deleted) {
                        self.delete(name, stamp);
                    }
                }
                Touch::Moved { from, to } => {
                    let (old, new) = (self.known(&from, resolve), self.known(&to, resolve));
                    if old.is_none() && new.is_none() {
                        continue;
                    }
                    let to = new.unwrap_or_else(|| resolve(&to));
                    if !self
                        .lines
                        .iter()
                        .any(|l| l.name == to && l.changed.is_some())
                    {
                        let from = old.unwrap_or_else(|| resolve(&from));
                        self.rename(&from, to, stamp);
                    }
                }
                _ => {}
            }
        }
        self.folders.clear();
        for (name, reference) in std::mem::take(&mut self.staged) {
            let stamp = (stamp.0, reference);
            let line = self.line(name, stamp);
            if line.changed.is_none() {
                line.modified += 1;
                line.changed = Some(stamp);
            }
        }
        for line in &mut self.lines {
            line.safe = line.modified.max(u64::from(line.created));
        }
    }

    /// Whether the session named the file's folder to git, or changed another file of it.
    fn works_beside(&self, name: &str) -> bool {
        let inside = |f: &String| {
            name.strip_prefix(f.as_str())
                .is_some_and(|r| r.starts_with('/'))
        };
        if self.folders.iter().any(inside) {
            return true;
        }
        let folder = |path: &str| path.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let here = folder(name);
        here.is_some()
            && self
                .lines
                .iter()
                .any(|l| l.changed.is_some() && folder(&l.name) == here)
    }

    /// The file that a repository's path means: below the directory of the call, or one the session has named
    /// below a folder that this directory lies in.
    fn known(&self, path: &str, resolve: &dyn Fn(&str) -> String) -> Option<String> {
        let below = resolve(path);
        if self.at.contains_key(&below) || self.staged.iter().any(|(name, _)| *name == below) {
            return Some(below);
        }
        let tail = format!("/{path}");
        let named = self.lines.iter().map(|l| &l.name);
        let found = named
            .chain(self.staged.iter().map(|(name, _)| name))
            .find(|name| {
                name.strip_suffix(&tail)
                    .is_some_and(|root| below.starts_with(&format!("{root}/")))
            });
        found.cloned()
    }

    fn list(self, place: &Place) -> Vec<File> {
        let mut kept: Vec<(u64, File)> = self
            .lines
            .into_iter()
            .filter_map(|line| {
                let changed = line.modified > 0 || line.created || line.deleted;
                if !changed && line.read == 0 {
                    return None;
                }
                let (clock, reference) = line.changed.filter(|_| changed).unwrap_or(line.looked);
                let file = File {
                    path: place.shown(&line.name),
                    read: line.read,
                    modified: line.modified,
                    created: line.created,
                    deleted: line.deleted,
                    renamed_from: line.from.map(|f| place.shown(&f)),
                    reference,
                };
                Some((clock, file))
            })
            .collect();
        kept.sort_by_key(|(clock, _)| *clock);
        kept.into_iter().map(|(_, file)| file).collect()
    }
}

#[cfg(test)]
mod tests;
