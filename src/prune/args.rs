//! Arguments with their long strings left out. Types, keys and their order stay, and so do names of files and
//! short values; a patch keeps the lines that name its files, a command its first words.

use super::edit::Edits;
use crate::json::{Json, Kind, quote};
use crate::transcript::stub;
use crate::transcript::tools::PATH_KEYS;

/// Strings of a failed call below this many characters say more than their stub would save.
const LONG: usize = 100;
/// Characters kept of a command.
const COMMAND: usize = 60;

/// Keys beside [`PATH_KEYS`] whose values name something.
const NAMES: &[&str] = &[
    "workdir",
    "working_directory",
    "cwd",
    "directory",
    "dir",
    "url",
    "cell_id",
    "session_id",
    "old_path",
    "new_path",
    "source",
    "destination",
];
const COMMANDS: &[&str] = &["command", "cmd", "script", "shell_command", "commandLine"];

/// The value as JSON text with its long strings left out; `None` when nothing is long. `note` says where the
/// current copy is.
pub fn json(value: Json<'_>, note: &str) -> Option<String> {
    let mut edits = Edits::new(value.raw());
    strings(value, "", note, &mut edits);
    edits.done()
}

fn strings<'t>(value: Json<'t>, key: &str, note: &str, edits: &mut Edits<'t>) {
    match value.kind() {
        Kind::String if !PATH_KEYS.contains(&key) && !NAMES.contains(&key) => {
            let text = value.str().unwrap_or_default();
            if let Some(short) = string(&text, key, note) {
                edits.set(value, quote(&short));
            }
        }
        Kind::Object => {
            for (key, value) in value.fields() {
                strings(value, &key.name(), note, edits);
            }
        }
        Kind::Array => {
            for item in value.items() {
                strings(item, key, note, edits);
            }
        }
        _ => {}
    }
}

/// The text that stands for a long string.
fn string(text: &str, key: &str, note: &str) -> Option<String> {
    let chars = text.chars().count();
    if chars <= LONG {
        return None;
    }
    let short = if text.trim_start().starts_with("*** Begin Patch") {
        return patch(text, note);
    } else if COMMANDS.contains(&key) {
        command(text)
    } else {
        stub::string(chars, note)
    };
    (short.chars().count() < chars).then_some(short)
}

/// The first words of a command, then a comment. Still a command that says what was run.
fn command(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut kept = 0;
    for word in line.split_whitespace() {
        let at = word.as_ptr() as usize - line.as_ptr() as usize;
        let end = at + word.len();
        if word.chars().count() > 40 || line[..end].chars().count() > COMMAND {
            break;
        }
        kept = end;
    }
    let head = line.get(..kept).unwrap_or_default().trim_end();
    let left = text.chars().count() - head.chars().count();
    format!("{head} # {}", stub::string(left, ""))
        .trim_start()
        .to_owned()
}

/// Arguments that are no JSON, shortened: a patch keeps its files, other text a stub.
pub fn raw(text: &str, note: &str) -> Option<String> {
    let chars = text.chars().count();
    patch(text, note).or_else(|| {
        let short = stub::string(chars, note);
        (chars > LONG && short.chars().count() < chars).then_some(short)
    })
}

/// The lines of a patch that name its files, each followed by how much was left out; `None` when that is not
/// shorter, or the text is no patch.
pub fn patch(text: &str, note: &str) -> Option<String> {
    let mut out = String::new();
    let (mut chars, mut adds) = (0, false);
    let mut files = 0;
    let close = |out: &mut String, chars: &mut usize, adds: bool| {
        if *chars > 0 {
            let mark = if adds { "+" } else { "@@\n " };
            out.push_str(&format!("{mark}{}\n", stub::string(*chars, note)));
            *chars = 0;
        }
    };
    for line in text.lines() {
        let marker = line.starts_with("*** ") && !line.starts_with("*** End of File");
        if marker {
            close(&mut out, &mut chars, adds);
            adds = line.starts_with("*** Add File");
            files += usize::from(line.contains(" File: "));
            out.push_str(line);
            out.push('\n');
        } else {
            chars += line.chars().count() + 1;
        }
    }
    close(&mut out, &mut chars, adds);
    if !text.ends_with('\n') {
        out.pop();
    }
    (files > 0 && out.chars().count() < text.chars().count()).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_keys_paths_and_short_values_stay() {
        let body = "가".repeat(400);
        let text = format!(
            r#"{{"file_path":"/w/{}.md","content":"{body}","n":1,"edits":[{{"old":"x","new":"{body}"}}]}}"#,
            "d".repeat(120)
        );
        let short = json(Json::parse(&text).unwrap(), "read again at #5").unwrap();
        assert_eq!(
            short,
            format!(
                r#"{{"file_path":"/w/{}.md","content":"[left out: 400 characters; read again at #5]","n":1,"edits":[{{"old":"x","new":"[left out: 400 characters; read again at #5]"}}]}}"#,
                "d".repeat(120)
            )
        );
        assert_eq!(json(Json::parse(&short).unwrap(), ""), None);
        assert_eq!(json(Json::parse(r#"{"command":"ls"}"#).unwrap(), ""), None);
    }

    #[test]
    fn a_command_keeps_its_first_words() {
        let text = format!(r#"{{"command":"cargo test --all {}"}}"#, "x".repeat(300));
        let short = json(Json::parse(&text).unwrap(), "").unwrap();
        assert_eq!(
            short,
            r#"{"command":"cargo test --all # [left out: 301 characters]"}"#
        );
    }

    #[test]
    fn a_patch_keeps_its_files() {
        let text = format!(
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n-{0}\n+{0}\n*** Add File: b.md\n+{0}\n*** End Patch",
            "z".repeat(90)
        );
        let short = patch(&text, "").unwrap();
        assert_eq!(
            short,
            "*** Begin Patch\n*** Update File: src/a.rs\n@@\n [left out: 187 characters]\n*** Add File: b.md\n+[left out: 92 characters]\n*** End Patch"
        );
        assert_eq!(crate::patch::files(&short), crate::patch::files(&text));
        assert_eq!(patch("no patch at all", ""), None);
    }
}
