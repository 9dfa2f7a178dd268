//! The files a text names: words that look like a path or a file name, without the particle behind them.

use crate::language::josa;
use crate::transcript::{Args, Call, tools};

/// How many files a hit lists.
pub const MOST: usize = 8;
/// How much of a text is looked at.
const LOOK: usize = 64 * 1024;

/// Endings of file names that need no folder to be taken for a file: `self.name` is none.
const ENDINGS: &[&str] = &[
    "c", "cc", "cfg", "conf", "cpp", "cs", "css", "csv", "dart", "env", "ex", "exs", "gif", "go",
    "gradle", "graphql", "h", "hpp", "hs", "html", "hwp", "ini", "ipynb", "java", "jpeg", "jpg",
    "js", "json", "jsonl", "jsx", "kt", "lock", "log", "lua", "md", "mdx", "mjs", "mod", "pdf",
    "php", "png", "proto", "ps1", "py", "rb", "rs", "scss", "sh", "sql", "svelte", "svg", "swift",
    "tf", "toml", "ts", "tsx", "txt", "vue", "webp", "xlsx", "xml", "yaml", "yml", "zig", "zip",
    "zsh",
];
/// Lines of a patch that name a file.
const PATCHED: &[&str] = &[
    "*** Add File: ",
    "*** Update File: ",
    "*** Delete File: ",
    "*** Move to: ",
];

/// The files a call's arguments name: the path, or every file of a patch.
pub fn of_call(call: &Call<'_>) -> Vec<String> {
    let mut files = Vec::new();
    let json = call.args.json();
    if let Some(path) = tools::path(&json) {
        add(&mut files, &path);
    }
    let patch = match &call.args {
        Args::Raw(text) => Some(std::borrow::Cow::Borrowed(text.as_ref())),
        Args::Json(_) if call.tool == tools::Tool::Patch => json
            .pick(["input", "patch"])
            .into_iter()
            .flatten()
            .find_map(|v| v.str()),
        Args::Json(_) => None,
    };
    for line in patch.as_deref().unwrap_or_default().lines() {
        if let Some(path) = PATCHED.iter().find_map(|p| line.strip_prefix(p)) {
            add(&mut files, path);
        }
    }
    if call.tool == tools::Tool::Shell
        && let Some(command) = tools::command(&json)
    {
        named(&command, &mut files);
    }
    files
}

/// Whether `path` is the file that `wanted` names: the same, or the end of it by whole components.
pub fn is_named(path: &str, wanted: &str) -> bool {
    let plain = |text: &str| {
        let text = crate::language::nfc(text).replace('\\', "/");
        text.strip_prefix("./").unwrap_or(&text).to_owned()
    };
    let (path, wanted) = (plain(path), plain(wanted));
    path == wanted
        || path
            .strip_suffix(wanted.as_str())
            .is_some_and(|head| head.ends_with('/'))
}

/// Adds a path unless it is there already or the list is full.
pub fn add(files: &mut Vec<String>, path: &str) {
    let path = crate::language::nfc(path);
    let path = &*crate::redact::redact(path.trim());
    if !path.is_empty() && files.len() < MOST && !files.iter().any(|f| f == path) {
        files.push(path.to_owned());
    }
}

/// Adds the files that the text names, in order.
pub fn named(text: &str, files: &mut Vec<String>) {
    let mut end = text.len().min(LOOK);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or(text);
    let text = crate::language::nfc(text);
    for word in text.split(|c: char| c.is_whitespace() || "\"'`<>()[]{}|,;*=“”‘’「」".contains(c))
    {
        if files.len() >= MOST {
            return;
        }
        if let Some(path) = path(word) {
            add(files, path);
        }
    }
}

/// The path in this word, if it is one.
fn path(word: &str) -> Option<&str> {
    if !word.contains('.') || word.contains("://") || word.starts_with("www.") {
        return None;
    }
    let word = word.trim_end_matches(['.', ':', '!', '?', '…']);
    // A place in a file (`a.rs:12`) is that file.
    let word = match word.split_once(':') {
        Some((file, place)) if place.starts_with(|c: char| c.is_ascii_digit()) => file,
        _ => word,
    };
    let word = josa::stem(word);
    let name = word.rsplit(['/', '\\']).next()?;
    let (stem, extension) = name.rsplit_once('.')?;
    let extension_fits = (1..=8).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && extension.starts_with(|c: char| c.is_ascii_alphabetic());
    let stem_fits = stem.chars().any(char::is_alphanumeric)
        && !stem.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && (word.contains('/')
            || ENDINGS
                .binary_search(&extension.to_ascii_lowercase().as_str())
                .is_ok());
    let plain = |c: char| c.is_alphanumeric() || "/\\._-~+@#:".contains(c);
    (extension_fits && stem_fits && word.chars().all(plain)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_without_particles() {
        let mut files = Vec::new();
        named(
            "src/main.rs를 열고 lib/utils.py에서 빼서 `core/parse.ts`로. docs/보고서.md도 (see a.rs:12).",
            &mut files,
        );
        assert_eq!(
            files,
            [
                "src/main.rs",
                "lib/utils.py",
                "core/parse.ts",
                "docs/보고서.md",
                "a.rs"
            ]
        );
    }

    #[test]
    fn endings_are_sorted() {
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn a_file_is_named_by_its_end() {
        assert!(is_named("/w/src/a.rs", "src/a.rs") && is_named("./a.rs", "a.rs"));
        assert!(is_named(r"C:\w\a.rs", "w/a.rs"));
        assert!(!is_named("/w/src/ba.rs", "a.rs"));
    }

    #[test]
    fn calls_name_their_files() {
        let call = |name: &'static str, args| Call {
            id: "t".into(),
            name: name.into(),
            tool: tools::family(name),
            args,
        };
        let patch =
            "*** Begin Patch\n*** Update File: src/a.rs\n+x\n*** Add File: b.rs\n*** End Patch";
        assert_eq!(
            of_call(&call("apply_patch", Args::Raw(patch.into()))),
            ["src/a.rs", "b.rs"]
        );
        let shell = Args::Json(r#"{"command":"cat notes.md | wc"}"#.into());
        assert_eq!(of_call(&call("Bash", shell)), ["notes.md"]);
    }

    #[test]
    fn what_only_has_a_dot_is_no_file() {
        let mut files = Vec::new();
        named(
            "v1.2.3 e.g. 812.4 ms https://a.example/x.html www.a.example self.name 끝났습니다. 3.5배",
            &mut files,
        );
        assert!(files.is_empty(), "{files:?}");
    }
}
