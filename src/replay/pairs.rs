//! Whether a pruned copy is still complete: every call with its result, every message with its number.

use crate::prune::{self, Plan, Strategy};
use crate::session::Session;
use crate::transcript::{Block, Entry, Options, Transcript, formats, read::read_from};
use anyhow::{Context, Result};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use std::io::Read;
use std::path::Path;

/// What must be the same in a copy, in file order: records by their ids, calls, results.
#[derive(Debug, Default, PartialEq, Eq)]
struct Skeleton {
    bones: Vec<u64>,
    skipped: u64,
}

impl Skeleton {
    fn read(input: &mut dyn Read, options: &Options<'_>) -> Result<Skeleton> {
        let mut skeleton = Skeleton::default();
        let hasher = FixedState::default();
        let mut sink = |entry: Entry<'_>| {
            let mut bone = |kind: u8, text: &str| {
                skeleton
                    .bones
                    .push(hasher.hash_one((kind, entry.number, text)));
            };
            bone(0, &entry.id);
            for block in &entry.blocks {
                match block {
                    Block::Call(call) => bone(1, &call.id),
                    Block::Result(outcome) => bone(2, &outcome.call),
                    _ => {}
                }
            }
        };
        let head: Transcript = read_from(input, "copy", options, &mut sink)?;
        skeleton.skipped = head.input.skipped;
        Ok(skeleton)
    }
}

/// Prunes with every strategy into memory's narrowest place, a pipe, and reads the copy on the other end. `None`:
/// all is there; else what is not.
///
/// # Errors
/// The source cannot be read again.
pub fn check(path: &Path, session: &Session, options: &Options<'_>) -> Result<Option<String>> {
    let family = session.head.family;
    if prune::writable(family).is_err() || !formats::is_lines(path) {
        return Ok(None);
    }
    let how = prune::Options {
        strategies: Strategy::ALL.to_vec(),
        ..prune::Options::default()
    };
    let plan = Plan::new(session, &how)?;
    let whole = {
        let mut file = std::fs::File::open(path)?;
        Skeleton::read(&mut file, options)?
    };
    let (mut copy, mut out) = std::io::pipe().context("no pipe for the copy")?;
    let (pruned, read) = std::thread::scope(|scope| {
        let writer = scope.spawn(|| -> Result<()> {
            let mut file = std::fs::File::open(path)?;
            let mut source = formats::unpacked(&mut file)?;
            let done = prune::write(family, &plan, &how, &mut source, &mut out).map(drop);
            drop(out);
            done
        });
        let options = Options {
            from: Some(family),
            ..options.clone()
        };
        let read = Skeleton::read(&mut copy, &options);
        drop(copy);
        let pruned = writer
            .join()
            .unwrap_or_else(|_| Err(anyhow::anyhow!("pruning broke off")));
        (pruned, read)
    });
    // A copy that could not be read closes the pipe; its own error says more than that.
    let read = match (pruned, read) {
        (_, Err(error)) => return Ok(Some(format!("the pruned copy cannot be read: {error:#}"))),
        (Err(error), Ok(_)) => return Ok(Some(format!("pruning failed: {error:#}"))),
        (Ok(()), Ok(read)) => read,
    };
    Ok((read != whole).then(|| difference(&whole, &read)))
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
        assert_eq!(check(&path, &session, &Options::default()).unwrap(), None);
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
