//! One name for one file: paths resolved against the directory of their record, compared without regard to
//! spelling, shown relative to the session's directory or the home (SPEC 0.7, 1.8). No disk is looked at.

use super::Session;

/// Where a session stands.
#[derive(Debug, Clone, Default)]
pub struct Place {
    /// The session's directory, normalised.
    root: Option<String>,
    /// The `/home/NAME` or `/Users/NAME` in front of it.
    home: Option<String>,
}

impl Place {
    /// The working directory of a session.
    pub fn of(session: &Session) -> Place {
        Place::new(session.head.cwd.as_deref())
    }

    /// A working directory as the session names it; `None` where it does not.
    pub fn new(cwd: Option<&str>) -> Place {
        let root = cwd.map(|c| tidy(&slashed(c))).filter(|c| !c.is_empty());
        let home = root.as_deref().and_then(home).map(str::to_owned);
        Place { root, home }
    }

    /// The file's one name: absolute where the directory is known, `/` between parts, NFC, no `.` and `..`.
    pub fn resolve(&self, path: &str, dir: Option<&str>) -> String {
        let path = slashed(path.trim());
        if path.contains("://") {
            return match path.strip_prefix("file://") {
                Some(file) => tidy(file),
                None => path,
            };
        }
        if let Some(rest) = path.strip_prefix("~/") {
            return match &self.home {
                Some(home) => tidy(&format!("{home}/{rest}")),
                None => tidy(&path),
            };
        }
        if is_absolute(&path) {
            return tidy(&path);
        }
        let dir = dir.map(slashed).or_else(|| self.root.clone());
        match dir {
            Some(dir) => tidy(&format!("{dir}/{path}")),
            None => tidy(&path),
        }
    }

    /// The name as it is shown: relative below the session's directory, `~/…` below the home, else absolute.
    pub fn shown(&self, name: &str) -> String {
        let below = |root: &Option<String>| {
            let rest = name.strip_prefix(root.as_deref()?)?;
            if root.as_deref() == Some("/") {
                return None;
            }
            rest.strip_prefix('/').filter(|r| !r.is_empty())
        };
        if let Some(rest) = below(&self.root) {
            return rest.to_owned();
        }
        match below(&self.home) {
            Some(rest) => format!("~/{rest}"),
            None => name.to_owned(),
        }
    }

    /// Whether the file is below the session's directory.
    pub fn inside(&self, name: &str) -> bool {
        match &self.root {
            Some(root) => name
                .strip_prefix(root.as_str())
                .is_some_and(|r| r.starts_with('/')),
            None => !is_absolute(name),
        }
    }
}

/// The home directory a path lies in.
fn home(path: &str) -> Option<&str> {
    let start = ["/home/", "/Users/"]
        .iter()
        .find(|s| path.starts_with(**s))
        .map(|s| s.len())
        .or_else(|| {
            let drive = path.get(1..).is_some_and(|p| p.starts_with(":/Users/"));
            drive.then_some("C:/Users/".len())
        })
        .or_else(|| (path == "/root" || path.starts_with("/root/")).then_some(1))?;
    let rest = path.get(start..)?;
    let end = start + rest.find('/').unwrap_or(rest.len());
    path.get(..end).filter(|h| !h.ends_with('/'))
}

fn slashed(path: &str) -> String {
    let composed = crate::language::nfc(path);
    // A backslash separates only where the path is one of Windows; elsewhere it is an odd character, and both
    // spellings are still one file.
    match composed.contains('\\') {
        true => composed.replace('\\', "/"),
        false => composed.into_owned(),
    }
}

fn is_absolute(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with('/')
        || (bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && bytes[2] == b'/')
}

fn tidy(path: &str) -> String {
    let (drive, rest) = match path.as_bytes() {
        [letter, b':', b'/', ..] if letter.is_ascii_alphabetic() => (
            format!("{}:", letter.to_ascii_uppercase() as char),
            path.get(2..).unwrap_or_default(),
        ),
        _ => (String::new(), path),
    };
    drive + &crate::shell::tidy(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_normalization::UnicodeNormalization;

    #[test]
    fn spellings_of_a_file_are_one_name() {
        let place = Place::new(Some("/home/u/proj"));
        for path in [
            "/home/u/proj/src/a.rs",
            "src/a.rs",
            "./src/a.rs",
            "src/../src/a.rs",
            "~/proj/src/a.rs",
            "src\\a.rs",
        ] {
            assert_eq!(
                place.shown(&place.resolve(path, None)),
                "src/a.rs",
                "{path}"
            );
        }
        assert_eq!(
            place.shown(&place.resolve("../n.md", Some("/home/u/proj"))),
            "~/n.md"
        );
        assert_eq!(
            place.shown(&place.resolve("a.rs", Some("/home/u/proj/src"))),
            "src/a.rs"
        );
        assert_eq!(place.shown("/home/u/project/x"), "~/project/x");
        assert_eq!(place.shown("/tmp/x"), "/tmp/x");
    }

    #[test]
    fn drives_and_composed_names_compare() {
        let place = Place::new(Some("C:\\w"));
        assert_eq!(
            place.resolve("c:\\w\\src\\a.rs", None),
            place.resolve("C:/w/src/a.rs", None)
        );
        assert_eq!(
            place.shown(&place.resolve("C:/w/src/a.rs", None)),
            "src/a.rs"
        );
        let nfd: String = "보고서.md".nfd().collect();
        assert_eq!(
            Place::default().resolve(&nfd, None),
            Place::default().resolve("보고서.md", None)
        );
    }

    #[test]
    fn nothing_is_guessed_without_a_directory() {
        let place = Place::default();
        assert_eq!(place.shown(&place.resolve("src/a.rs", None)), "src/a.rs");
        assert_eq!(place.shown(&place.resolve("~/a", None)), "~/a");
        assert_eq!(
            place.resolve("https://example.org/a", None),
            "https://example.org/a"
        );
        assert_eq!(home("/home/"), None);
    }
}
