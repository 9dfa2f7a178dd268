//! Briefs kept in a folder, to see what a change of the program (or of a session) changed in them.

use super::{Replayed, Target};
use anyhow::{Context, Result};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// A folder of briefs: `<key of the session>.md`.
#[derive(Debug, Clone)]
pub struct Briefs(pub PathBuf);

/// How a brief compares with the one kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "brief", rename_all = "lowercase")]
pub enum Change {
    Same,
    /// None was kept.
    New,
    Changed {
        diff: String,
    },
}

impl Change {
    /// Whether the brief differs from the one that was kept.
    pub fn is_one(&self) -> bool {
        *self != Change::Same
    }

    /// A line of the report.
    pub fn line(&self) -> &'static str {
        match self {
            Change::Same => "brief: as kept",
            Change::New => "brief: none was kept",
            Change::Changed { .. } => "brief: changed",
        }
    }
}

impl Briefs {
    fn path(&self, target: &Target) -> PathBuf {
        let mut name = target.key.file_name().unwrap_or_default().to_owned();
        name.push(".md");
        self.0.join(target.key.with_file_name(name))
    }

    /// The difference to the brief kept.
    ///
    /// # Errors
    /// It is there and cannot be read.
    pub fn compare(&self, target: &Target, replayed: &Replayed) -> Result<Change> {
        let path = self.path(target);
        let old = match std::fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Change::New),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let old = String::from_utf8_lossy(&old);
        if old == replayed.brief {
            return Ok(Change::Same);
        }
        let diff = similar::TextDiff::from_lines(old.as_ref(), &replayed.brief);
        let diff = diff
            .unified_diff()
            .context_radius(2)
            .header("kept", "now")
            .to_string();
        Ok(Change::Changed { diff })
    }

    /// Keeps the brief; `write` writes a file whole or not at all.
    ///
    /// # Errors
    /// The folder cannot be made or the file not written.
    pub fn keep(
        &self,
        target: &Target,
        replayed: &Replayed,
        write: impl Fn(&Path, &str) -> Result<()>,
    ) -> Result<()> {
        let path = self.path(target);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("{}: cannot be made", folder.display()))?;
        }
        write(&path, &replayed.brief)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_shows_its_lines() {
        let dir = tempfile::tempdir().unwrap();
        let briefs = Briefs(dir.path().to_owned());
        let target = Target {
            path: "arch/a/x.jsonl".into(),
            session: None,
            key: "a/x.jsonl".into(),
            named: false,
            bytes: 0,
        };
        let mut replayed = Replayed {
            brief: "## Session Goal\n- 로그인 고쳐줘 (#0)\n".into(),
            ..Replayed::default()
        };
        assert_eq!(briefs.compare(&target, &replayed).unwrap(), Change::New);
        let write = |path: &Path, text: &str| Ok(std::fs::write(path, text)?);
        briefs.keep(&target, &replayed, write).unwrap();
        assert!(dir.path().join("a/x.jsonl.md").is_file());
        assert_eq!(briefs.compare(&target, &replayed).unwrap(), Change::Same);
        replayed.brief = replayed.brief.replace("고쳐줘", "고쳐 줘");
        let Change::Changed { diff } = briefs.compare(&target, &replayed).unwrap() else {
            panic!("a change");
        };
        assert!(
            diff.contains("-- 로그인 고쳐줘 (#0)\n+- 로그인 고쳐 줘 (#0)\n"),
            "{diff}"
        );
    }
}
