//! Paths as short as they can be said.

use super::plain;
use crate::language::nfc;

/// `/home/NAME` or `/Users/NAME` in front of the working directory.
pub fn home(cwd: &str) -> Option<String> {
    let mut parts = cwd.split('/');
    let (first, place, name) = (parts.next()?, parts.next()?, parts.next()?);
    (first.is_empty() && matches!(place, "home" | "Users") && !name.is_empty())
        .then(|| format!("/{place}/{name}"))
}

/// A path as short as it can be said: relative to the working directory, else to the home.
pub fn short_path(path: &str, cwd: Option<&str>, home: Option<&str>) -> String {
    let path = &*nfc(path);
    let inside = |base: &str| {
        let base = nfc(base);
        let rest = path.strip_prefix(base.trim_end_matches('/'))?;
        rest.strip_prefix('/').map(str::to_owned)
    };
    let path_text = cwd
        .filter(|c| c.len() > 1)
        .and_then(inside)
        .or_else(|| home.and_then(inside).map(|rest| format!("~/{rest}")))
        .unwrap_or_else(|| path.to_owned());
    plain::line(path_text.strip_prefix("./").unwrap_or(&path_text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_short() {
        let (cwd, home) = (Some("/home/u/w"), Some("/home/u"));
        assert_eq!(short_path("/home/u/w/src/a.rs", cwd, home), "src/a.rs");
        assert_eq!(short_path("/home/u/n.md", cwd, home), "~/n.md");
        let decomposed = "/home/u/\u{1103}\u{1169}\u{11A8}/a.rs";
        assert_eq!(short_path(decomposed, Some("/home/u/독"), home), "a.rs");
        assert_eq!(short_path("/home/user/n.md", cwd, home), "/home/user/n.md");
    }
}
