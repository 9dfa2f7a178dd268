//! Files that are written whole or not at all, whoever writes them. Knows nothing of what is in them.

use anyhow::Result;
use std::io::Write;
use std::path::Path;

/// Writes a file whole or not at all: a temporary file in the same folder, then a rename.
///
/// # Errors
/// The folder cannot be written; the old file is untouched.
pub fn write_file(path: &Path, text: &str) -> Result<()> {
    replace_file(path, text, ".compact-")
}

/// Whether a rename may put a new file there. A device or a pipe (`/dev/null`, `/dev/stdout`) is written into: a rename
/// would take it away from everybody.
fn is_replaceable(path: &Path) -> bool {
    // Memory that looks like a folder is one.
    let system =
        path.starts_with("/proc") || path.starts_with("/dev") && !path.starts_with("/dev/shm");
    !system && std::fs::metadata(path).map_or(true, |m| m.is_file() || m.is_dir())
}

/// [`write_file`] with a name of its own for the temporary file, so that its owner can tell what a killed run left.
///
/// # Errors
/// As [`write_file`].
pub fn replace_file(path: &Path, text: &str, prefix: &str) -> Result<()> {
    let write = &mut |out: &mut dyn Write| {
        out.write_all(text.as_bytes())
            .map_err(|e| unwritable(path, &e))
    };
    make_file(path, prefix, write)
}

/// [`write_file`] for what is made while it is written.
///
/// # Errors
/// As [`write_file`], and those of `make`.
pub fn write_file_with(
    path: &Path,
    make: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    make_file(path, ".compact-", make)
}

fn make_file(
    path: &Path,
    prefix: &str,
    make: &mut dyn FnMut(&mut dyn Write) -> Result<()>,
) -> Result<()> {
    let fail = |e: &dyn std::fmt::Display| unwritable(path, e);
    if !is_replaceable(path) {
        let file = std::fs::OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|e| fail(&barrier(&e)))?;
        let mut out = std::io::BufWriter::new(file);
        make(&mut out)?;
        return out.flush().map_err(|e| fail(&e));
    }
    // A link stays a link: what it leads to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let path = target.as_path();
    let mut file = tempfile::Builder::new()
        .prefix(prefix)
        .tempfile_in(folder_of(path))
        .map_err(|e| fail(&barrier(&e)))?;
    let mut out = std::io::BufWriter::new(file.as_file_mut());
    make(&mut out)?;
    out.flush().map_err(|e| fail(&e))?;
    drop(out);
    file.as_file().sync_all().map_err(|e| fail(&e))?;
    // A temporary file is private; a file people asked for has the usual mode, or the one it had.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(path).map_or(0o644, |m| m.permissions().mode() & 0o7777);
        file.as_file()
            .set_permissions(std::fs::Permissions::from_mode(mode))
            .map_err(|e| fail(&e))?;
    }
    file.persist(path).map_err(|e| fail(&e.error))?;
    Ok(())
}

/// Whether a file could be written: the text goes into a file without a name in the same folder, and is gone.
///
/// # Errors
/// The folder cannot be written, or the disk is full.
pub fn rehearse_file(path: &Path, text: &str) -> Result<()> {
    let mut file =
        tempfile::tempfile_in(folder_of(path)).map_err(|e| unwritable(path, &barrier(&e)))?;
    // Room is set aside when it is written; waiting for the disk is for what stays.
    file.write_all(text.as_bytes())
        .map_err(|e| unwritable(path, &e))
}

/// Whether two names lead to one file, whether or not it exists yet.
pub fn are_one(a: &Path, b: &Path) -> bool {
    let place = |path: &Path| {
        path.canonicalize().ok().or_else(|| {
            let folder = folder_of(path).canonicalize().ok()?;
            Some(folder.join(path.file_name()?))
        })
    };
    place(a).is_some_and(|a| place(b) == Some(a))
}

fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// What keeps a file from being made.
fn barrier(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

fn unwritable(path: &Path, why: &dyn std::fmt::Display) -> anyhow::Error {
    anyhow::anyhow!(
        "{}: cannot be written: {why}; check the folder",
        path.display()
    )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::FileTypeExt;

    #[test]
    fn a_file_is_one_under_all_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        assert!(are_one(&at("file"), &at("./link")));
        assert!(are_one(&at("not yet"), &at("./not yet")));
        assert!(!are_one(&at("file"), &at("not yet")));
        assert!(!are_one(&at("no/folder"), &at("no/folder/either")));
    }

    #[test]
    fn a_pipe_is_written_into_and_a_link_stays_one() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|s| s.success()) {
            println!("skipped: there is no mkfifo here");
            return;
        }
        let read = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read_to_string(pipe).unwrap()
        });
        write_file(&pipe, "요약\n").unwrap();
        assert_eq!(read.join().unwrap(), "요약\n");
        assert!(std::fs::metadata(&pipe).unwrap().file_type().is_fifo());

        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert!(is_replaceable(&file) && !is_replaceable(Path::new("/dev/null")));
    }
}
