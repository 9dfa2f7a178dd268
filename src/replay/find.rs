//! Which sessions there are below the paths named: each file once whatever roots and links lead to it, in the order
//! of their paths.

use crate::transcript::{formats, read::reason};
use anyhow::{Result, bail};
use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};

/// A file (or a folder that is a store) that may be a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub path: PathBuf,
    /// One of the sessions of a store.
    pub session: Option<String>,
    /// Where its brief lies below a folder of briefs.
    pub key: PathBuf,
    /// Named itself, not found by walking: then it has to be a session.
    pub named: bool,
    pub bytes: u64,
}

/// What walking found.
#[derive(Debug, Default)]
pub struct Found {
    pub targets: Vec<Target>,
    /// Folders that could not be read, a sentence each.
    pub unread: Vec<String>,
}

/// Folders that hold other people's files by the thousand and never a session.
const PASSED_OVER: [&str; 2] = [".git", "node_modules"];
/// Where Claude Code keeps a session's sub-agents: `<session>.jsonl` beside `<session>/subagents/`.
const CHILDREN: &str = "subagents";

/// Everything below the roots that could be a session, sorted by path. Of a store every session, unless `chosen`
/// says that one is meant.
///
/// # Errors
/// A root that is missing or cannot be read.
pub fn find(roots: &[PathBuf], chosen: bool) -> Result<Found> {
    for root in roots {
        if let Err(error) = std::fs::metadata(root) {
            bail!("{}: {}", root.display(), reason(&error));
        }
    }
    let mut walk = Walk {
        chosen,
        ..Walk::default()
    };
    // What was named has to be a session, whatever walking thinks of it.
    for root in roots.iter().filter(|r| !r.is_dir() || formats::is_store(r)) {
        let key = root.file_name().map(PathBuf::from).unwrap_or_default();
        walk.file(root, key, true);
    }
    for root in roots.iter().filter(|r| r.is_dir()) {
        walk.folder(root, Path::new(""));
    }
    let mut found = walk.found;
    apart(&mut found.targets);
    found
        .targets
        .sort_by(|a, b| (&a.path, &a.session).cmp(&(&b.path, &b.session)));
    Ok(found)
}

#[derive(Default)]
struct Walk {
    chosen: bool,
    seen: HashSet<Identity>,
    found: Found,
}

/// The same for every way to a file.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    #[cfg(unix)]
    Inode(u64, u64),
    Path(PathBuf),
}

impl Identity {
    fn of(path: &Path, meta: &Metadata) -> Identity {
        #[cfg(unix)]
        {
            use std::os::unix::fs::MetadataExt;
            if meta.ino() != 0 {
                return Identity::Inode(meta.dev(), meta.ino());
            }
        }
        let _ = meta;
        Identity::Path(path.canonicalize().unwrap_or_else(|_| path.to_owned()))
    }
}

impl Walk {
    fn file(&mut self, path: &Path, key: PathBuf, named: bool) {
        let Ok(meta) = std::fs::metadata(path) else {
            // A link to nothing, or gone since.
            return;
        };
        if !self.seen.insert(Identity::of(path, &meta)) {
            return;
        }
        if !named && meta.is_file() && !may_be_session(path) {
            return;
        }
        let bytes = if meta.is_dir() {
            weight(path)
        } else {
            meta.len()
        };
        let target = Target {
            path: plain(path),
            session: None,
            key,
            named,
            bytes,
        };
        let ids = if self.chosen {
            Vec::new()
        } else {
            sessions(path)
        };
        if ids.is_empty() {
            self.found.targets.push(target);
            return;
        }
        let share = bytes / ids.len() as u64;
        self.found.targets.extend(ids.into_iter().map(|id| {
            Target {
                // An id of a store is no path, whatever is in it.
                key: target
                    .key
                    .join(id.replace(['/', '\\'], "_").replace("..", "_")),
                session: Some(id),
                bytes: share,
                ..target.clone()
            }
        }));
    }

    fn folder(&mut self, path: &Path, key: &Path) {
        let Ok(meta) = std::fs::metadata(path) else {
            return;
        };
        if formats::is_store(path) {
            return self.file(path, key.to_owned(), false);
        }
        if !self.seen.insert(Identity::of(path, &meta)) {
            return;
        }
        let entries = match std::fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => {
                let what = format!("{}: {}", path.display(), reason(&error));
                self.found.unread.push(what);
                return;
            }
        };
        let mut names: Vec<_> = entries.flatten().map(|e| e.file_name()).collect();
        names.sort();
        let mut links = Vec::new();
        for name in names {
            let inner = path.join(&name);
            let linked = std::fs::symlink_metadata(&inner).is_ok_and(|m| m.is_symlink());
            // What is really here goes before what is only linked from here.
            if linked {
                links.push(name);
            } else {
                self.inner(path, key, &name);
            }
        }
        for name in links {
            self.inner(path, key, &name);
        }
    }

    fn inner(&mut self, folder: &Path, key: &Path, name: &OsStr) {
        let (path, key) = (folder.join(name), key.join(name));
        let Ok(meta) = std::fs::metadata(&path) else {
            return;
        };
        if meta.is_file() {
            self.file(&path, key, false);
        } else if meta.is_dir()
            && !PASSED_OVER.iter().any(|p| name == *p)
            && !(name == CHILDREN && has_session(folder))
        {
            self.folder(&path, &key);
        }
    }
}

/// Whether the folder is that of a session which lies beside it.
fn has_session(folder: &Path) -> bool {
    let mut name = match folder.file_name() {
        Some(name) => name.to_owned(),
        None => return false,
    };
    name.push(".jsonl");
    folder.with_file_name(name).is_file()
}

/// Whether the first byte allows a session: JSON, or a packed or stored one. Everything else is settled by reading.
fn may_be_session(path: &Path) -> bool {
    use std::io::Read;
    let mut start = Vec::new();
    let read = std::fs::File::open(path).and_then(|f| f.take(4096).read_to_end(&mut start));
    if read.is_err() {
        // Reading will say why.
        return true;
    }
    let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
    start.starts_with(b"SQLite format 3\0")
        || start.starts_with(b"\x28\xB5\x2F\xFD")
        || matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
        // A damaged first line must not hide a session that is called one.
        || (!text.is_empty() && path.extension().is_some_and(|e| e == "jsonl"))
}

/// The sessions of a store. None of what is no store, or cannot be read: reading says why.
fn sessions(path: &Path) -> Vec<String> {
    let database = path.join("opencode.db");
    let stored = match formats::is_database(&database) {
        true => formats::stored(&database),
        false => formats::stored(path),
    };
    let mut ids: Vec<String> = match stored {
        Ok(Some(stored)) => stored.into_iter().map(|s| s.id).collect(),
        _ => Vec::new(),
    };
    ids.sort();
    ids.dedup();
    ids
}

/// `./a` is `a`.
fn plain(path: &Path) -> PathBuf {
    let short: PathBuf = path
        .components()
        .filter(|c| *c != Component::CurDir)
        .collect();
    if short.as_os_str().is_empty() {
        path.to_owned()
    } else {
        short
    }
}

/// Bytes of a folder's files.
fn weight(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|e| Some((e.path(), e.metadata().ok()?)))
        .map(|(path, meta)| {
            if meta.is_dir() {
                weight(&path)
            } else {
                meta.len()
            }
        })
        .sum()
}

/// Keys that two targets share (the same name below two roots) become their whole paths.
fn apart(targets: &mut [Target]) {
    let mut times: BTreeMap<PathBuf, u32> = BTreeMap::new();
    for target in targets.iter() {
        *times.entry(target.key.clone()).or_default() += 1;
    }
    for target in targets {
        if target.key.as_os_str().is_empty() || times.get(&target.key).is_some_and(|n| *n > 1) {
            target.key = target
                .path
                .components()
                .filter_map(|c| match c {
                    Component::Normal(name) => Some(name),
                    Component::ParentDir => Some(OsStr::new("up")),
                    _ => None,
                })
                .chain(target.session.as_deref().map(OsStr::new))
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: &Found) -> Vec<String> {
        let name = |t: &Target| t.path.file_name().map(|n| n.to_string_lossy().into_owned());
        found.targets.iter().filter_map(name).collect()
    }

    fn put(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    #[test]
    fn each_file_is_taken_once() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        put(root, "a/one.jsonl", "{}\n");
        put(root, "a/notes.txt", "hello\n");
        put(root, "b/two.jsonl", "{}\n");
        put(root, "node_modules/x/three.jsonl", "{}\n");
        let roots = [
            root.to_owned(),
            root.join("a"),
            root.join("a/../a/one.jsonl"),
            root.join("./b"),
        ];
        let found = find(&roots, false).unwrap();
        assert_eq!(names(&found), ["one.jsonl", "two.jsonl"]);
        assert!(find(&[root.join("missing")], false).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_once() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (root, other) = (dir.path().join("r"), dir.path().join("o"));
        put(&root, "z/one.jsonl", "{}\n");
        put(&other, "two.jsonl", "{}\n");
        symlink(&root, root.join("z/round")).unwrap();
        symlink(root.join("z/one.jsonl"), root.join("a-link.jsonl")).unwrap();
        symlink(&other, root.join("other")).unwrap();
        symlink("nowhere", root.join("broken.jsonl")).unwrap();
        let found = find(std::slice::from_ref(&root), false).unwrap();
        assert_eq!(found.targets.len(), 2, "{found:?}");
        assert!(names(&found).contains(&"two.jsonl".to_owned()));
    }

    #[test]
    fn sub_agents_belong_to_their_session() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "s1.jsonl", "{}\n");
        put(dir.path(), "s1/subagents/agent-a.jsonl", "{}\n");
        put(dir.path(), "gone/subagents/agent-b.jsonl", "{}\n");
        let found = find(&[dir.path().to_owned()], false).unwrap();
        assert_eq!(names(&found), ["agent-b.jsonl", "s1.jsonl"]);
        let named = find(&[dir.path().join("s1/subagents/agent-a.jsonl")], false).unwrap();
        assert_eq!(named.targets.len(), 1);
        assert!(named.targets[0].named);
    }

    #[test]
    fn every_session_of_a_store_is_one() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("storage");
        for id in ["ses_b", "ses_a"] {
            let info = format!(r#"{{"id":"{id}","directory":"/w","time":{{"created":1}}}}"#);
            put(&root, &format!("session/p/{id}.json"), &info);
        }
        put(&root, "message/ses_a/msg_1.json", "{}");
        let found = find(std::slice::from_ref(&root), false).unwrap();
        let ids: Vec<_> = found.targets.iter().map(|t| t.session.as_deref()).collect();
        assert_eq!(ids, [Some("ses_a"), Some("ses_b")]);
        assert_eq!(found.targets[0].path, root);
        assert_ne!(found.targets[0].key, found.targets[1].key);
        assert_eq!(find(&[root], true).unwrap().targets.len(), 1);
    }

    #[test]
    fn the_same_name_below_two_roots_stays_apart() {
        let dir = tempfile::tempdir().unwrap();
        put(dir.path(), "a/x.jsonl", "{}\n");
        put(dir.path(), "b/x.jsonl", "{}\n");
        let found = find(&[dir.path().join("a"), dir.path().join("b")], false).unwrap();
        assert_ne!(found.targets[0].key, found.targets[1].key);
        let found = find(&[dir.path().to_owned()], false).unwrap();
        assert_eq!(found.targets[0].key, Path::new("a/x.jsonl"));
    }
}
