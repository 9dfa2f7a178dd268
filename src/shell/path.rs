//! Paths as words of a command. Text only; no disk is looked at.

/// `path` seen from `dir`; absolute and home paths stay. `.` and `..` are resolved where possible.
pub(super) fn join(dir: &str, path: &str) -> String {
    if dir.is_empty() || path.starts_with('/') || path.starts_with('~') {
        return tidy(path);
    }
    tidy(&format!("{dir}/{path}"))
}

/// The path without `.`, `..` and doubled slashes, where that can be told.
pub fn tidy(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            ".." if path.starts_with('/') => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    if path.starts_with('/') {
        format!("/{joined}")
    } else {
        joined
    }
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn paths_are_seen_from_the_directory() {
        for (dir, path, want) in [
            ("", "a.rs", "a.rs"),
            ("", "./a.rs", "a.rs"),
            ("/w", "a.rs", "/w/a.rs"),
            ("/w/x", "../a.rs", "/w/a.rs"),
            ("app", "/abs/a", "/abs/a"),
            ("app", "~/a", "~/a"),
            ("", "../a", "../a"),
            ("a", "../../b", "../b"),
            ("/", "../b", "/b"),
        ] {
            assert_eq!(join(dir, path), want, "{dir} {path}");
        }
    }
}
