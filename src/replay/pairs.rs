//! Whether a pruned copy is still complete: every call with its result, every message with its number.

use crate::prune::{self, Plan, Strategy};
use crate::session::Session;
use crate::transcript::{Block, Entry, Options, Transcript, formats, read::read_from};
use anyhow::Result;
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::io::Read;
use std::path::Path;

/// What must be the same in a copy, in file order: records by their ids, calls, results.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    bones: Vec<u64>,
    pub skipped: u64,
}

impl Skeleton {
    /// Takes the next record.
    pub fn add(&mut self, entry: &Entry<'_>) {
        let hasher = FixedState::default();
        let mut bone = |kind: u8, text: &str| {
            self.bones.push(hasher.hash_one((kind, entry.number, text)));
        };
        bone(0, &entry.id);
        for block in &entry.blocks {
            match block {
                Block::Call(call) => bone(1, &call.id),
                Block::Result(outcome) => bone(2, &outcome.call),
                _ => {}
            }
        }
    }

    fn read(input: &mut (dyn Read + Send), options: &Options<'_>) -> Result<Skeleton> {
        let mut skeleton = Skeleton::default();
        let mut sink = |entry: Entry<'_>| skeleton.add(&entry);
        let head: Transcript = read_from(input, "copy", options, &mut sink)?;
        skeleton.skipped = head.input.skipped;
        Ok(skeleton)
    }
}

/// Prunes with every strategy and reads the copy while it is made. `whole` is what the session's file held. `None`:
/// all is there; else what is not.
///
/// # Errors
/// The source cannot be read again.
pub fn check(
    path: &Path,
    session: &Session,
    whole: &Skeleton,
    options: &Options<'_>,
) -> Result<Option<String>> {
    let family = session.head.family;
    if prune::writable(family).is_err() || !formats::is_lines(path) {
        return Ok(None);
    }
    let how = prune::Options {
        strategies: Strategy::ALL.to_vec(),
        ..prune::Options::default()
    };
    let plan = Plan::new(session, &how)?;
    let mut file = std::fs::File::open(path)?;
    let mut source = formats::unpacked(&mut file)?;
    let options = Options {
        from: Some(family),
        ..options.clone()
    };
    let copy = prune::read(family, &plan, &mut source, |copy| {
        Skeleton::read(copy, &options)
    })?;
    Ok(match copy {
        Err(error) => Some(format!("the pruned copy cannot be read: {error:#}")),
        Ok(copy) if copy != *whole => Some(difference(whole, &copy)),
        Ok(_) => None,
    })
}

fn difference(whole: &Skeleton, copy: &Skeleton) -> String {
    if copy.skipped != whole.skipped {
        return format!(
            "the pruned copy has {} damaged lines, the session {}",
            copy.skipped, whole.skipped
        );
    }
    format!(
        "the pruned copy has {} records, calls and results, the session {}, or in another order",
        copy.bones.len(),
        whole.bones.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::Talk;

    fn skeleton(jsonl: &str) -> Skeleton {
        Skeleton::read(&mut jsonl.as_bytes(), &Options::default()).unwrap()
    }

    #[test]
    fn a_pruned_copy_is_complete() {
        let talk = (0..12).fold(Talk::in_dir("/w").person("로그를 봐줘"), |talk, _| {
            talk.run("cat app.log", &"a line of the log\n".repeat(50))
        });
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("s.jsonl");
        std::fs::write(&path, talk.jsonl()).unwrap();
        let session = talk.session();
        let whole = skeleton(&talk.jsonl());
        let checked = |whole| check(&path, &session, whole, &Options::default()).unwrap();
        assert_eq!(checked(&whole), None);
        let other = Skeleton {
            skipped: 1,
            ..Skeleton::default()
        };
        assert!(checked(&other).unwrap().contains("damaged lines"));
    }

    #[test]
    fn a_missing_result_is_seen() {
        let talk = Talk::in_dir("/w")
            .person("봐줘")
            .run("ls", "a")
            .run("pwd", "/w");
        let jsonl = talk.jsonl();
        let whole = skeleton(&jsonl);
        let lines: Vec<&str> = jsonl.lines().collect();
        let copy = skeleton(&(lines[..lines.len() - 1].join("\n") + "\n"));
        assert_ne!(copy, whole);
        assert!(difference(&whole, &copy).contains("records, calls and results"));
    }
}
