//! Tools by family: `Read` = `read` = `read_file`, whatever the agent calls it (SPEC 0.7, FORMATS 5).

use super::model::Call;
pub use super::tool::{Tool, family};
use crate::json::Json;
use std::borrow::Cow;

/// Whether the result of a call says itself that it failed, where nothing else does: of what reads or changes files
/// and lists. A shell's output is judged by what was run.
pub fn says_failed(call: &Call<'_>, text: &str) -> bool {
    let text = text.trim();
    let starts = |words: &[&str]| words.iter().any(|w| text.starts_with(w));
    if !starts(&[
        "Error:",
        "error:",
        "ERROR:",
        "{\"error\":",
        "<error>",
        "<tool_use_error>",
    ]) {
        return false;
    }
    match family_of_call(call.tool, &call.args.json()) {
        Tool::Write | Tool::Edit | Tool::Patch | Tool::Delete => true,
        Tool::TodoList | Tool::TaskCreate | Tool::TaskUpdate => true,
        // A file may tell of errors; what could not be read is told in a line.
        Tool::Read => !text.contains('\n'),
        _ => false,
    }
}

/// The family of a call whose tool the names do not know, or whose arguments say more than its name: a tool with a
/// command is a shell, one with a path and old and new text an editor, and an editor told to `view` reads.
pub fn family_of_call(tool: Tool, args: &Json<'_>) -> Tool {
    match tool {
        Tool::Edit => match args.text("command").as_deref() {
            Some("view") => Tool::Read,
            Some("create") => Tool::Write,
            Some("undo_edit") => Tool::Other,
            _ => Tool::Edit,
        },
        Tool::Other if replaces(args) => Tool::Edit,
        Tool::Patch if replaces(args) && args.get("patch").is_none_or(|p| p.is_null()) => {
            Tool::Edit
        }
        Tool::Other if path(args).is_some() => Tool::Other,
        Tool::Other if args.get("command").or_else(|| args.get("cmd")).is_some() => Tool::Shell,
        known => known,
    }
}

/// Whether a call names a file and gives an old and a new text, or a list of such pairs.
fn replaces(args: &Json<'_>) -> bool {
    let has = |keys: &[&str]| keys.iter().any(|k| args.get(k).is_some());
    let old = [
        "oldText",
        "old_text",
        "old_string",
        "oldString",
        "old_str",
        "oldStr",
    ];
    let new = [
        "newText",
        "new_text",
        "new_string",
        "newString",
        "new_str",
        "newStr",
    ];
    path(args).is_some() && (has(&["edits", "replacements"]) || (has(&old) && has(&new)))
}

/// The arguments that name a file, in the order in which they count (SPEC 0.7).
pub const PATH_KEYS: [&str; 9] = [
    "file_path",
    "path",
    "filePath",
    "notebook_path",
    "absolute_path",
    "filename",
    "target_file",
    "relative_path",
    "relative_workspace_path",
];

/// The file a call names, by the keys the agents use, in the order of SPEC 0.7.
pub fn path<'a>(args: &Json<'a>) -> Option<Cow<'a, str>> {
    let found = args.pick(PATH_KEYS);
    found
        .into_iter()
        .flatten()
        .filter_map(|v| v.str())
        .find(|p| !p.trim().is_empty())
}

/// Whether a file of this name holds prose: what is written into it is meant to be read.
pub fn is_document(path: &str) -> bool {
    let Some((_, extension)) = path.rsplit_once('.') else {
        return false;
    };
    ["md", "mdx", "markdown", "rst", "txt", "adoc"]
        .iter()
        .any(|known| extension.eq_ignore_ascii_case(known))
}

/// The command line of a shell call: a string, or the words of an argument vector (`["bash","-lc","…"]`
/// gives the script itself).
pub fn command<'a>(args: &Json<'a>) -> Option<Cow<'a, str>> {
    let value = args
        .pick(["command", "cmd", "script", "shell_command", "commandLine"])
        .into_iter()
        .flatten()
        .next()?;
    if let Some(text) = value.str() {
        return Some(text);
    }
    let words: Vec<Cow<'a, str>> = value.items().filter_map(|w| w.str()).collect();
    match words.as_slice() {
        [] => None,
        [shell, flag, script]
            if flag.starts_with('-') && flag.ends_with('c') && is_shell(shell) =>
        {
            Some(script.clone())
        }
        words => Some(Cow::Owned(
            words
                .iter()
                .map(|w| quoted(w))
                .collect::<Vec<_>>()
                .join(" "),
        )),
    }
}

fn is_shell(program: &str) -> bool {
    matches!(
        program.rsplit('/').next(),
        Some("bash" | "sh" | "zsh" | "dash")
    )
}

fn quoted(word: &str) -> Cow<'_, str> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./=:,@%+".contains(&b) || b >= 0x80;
    if !word.is_empty() && word.bytes().all(plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fold_by_family() {
        for name in ["Read", "read", "read_file", "view"] {
            assert_eq!(family(name), Tool::Read, "{name}");
        }
        assert_eq!(family("mcp__db__query"), Tool::Other);
    }

    #[test]
    fn a_result_without_a_status_may_tell_of_its_failure() {
        let call = |tool, args: &str| Call {
            id: "a".into(),
            name: "x".into(),
            tool,
            args: crate::transcript::Args::Json(args.to_owned().into()),
        };
        let edit = call(Tool::Edit, r#"{"path":"a.rs"}"#);
        assert!(says_failed(&edit, "Error: no match found\nin a.rs"));
        assert!(!says_failed(
            &edit,
            "Replaced 1 time: error: is now warning:"
        ));
        let read = call(Tool::Read, r#"{"path":"a.log"}"#);
        assert!(says_failed(&read, "Error: no such file"));
        assert!(!says_failed(&read, "error: disk full\nerror: again"));
        let shell = call(Tool::Shell, r#"{"command":"cat a"}"#);
        assert!(!says_failed(&shell, "error: a"));
    }

    #[test]
    fn arguments_tell_what_an_unknown_tool_does() {
        for (tool, args, want) in [
            (
                Tool::Other,
                r#"{"path":"a","oldText":"x","newText":"y"}"#,
                Tool::Edit,
            ),
            (Tool::Other, r#"{"path":"a","query":"x"}"#, Tool::Other),
            (Tool::Other, r#"{"command":"ls"}"#, Tool::Shell),
            (
                Tool::Patch,
                r#"{"mode":"replace","path":"a","old_string":"x","new_string":"y"}"#,
                Tool::Edit,
            ),
            (
                Tool::Patch,
                r#"{"mode":"patch","patch":"*** Begin Patch"}"#,
                Tool::Patch,
            ),
            (Tool::Edit, r#"{"command":"view","path":"a"}"#, Tool::Read),
            (
                Tool::Edit,
                r#"{"path":"a","old_str":"x","new_str":"y"}"#,
                Tool::Edit,
            ),
        ] {
            let json = Json::parse(args).unwrap();
            assert_eq!(family_of_call(tool, &json), want, "{args}");
        }
    }

    #[test]
    fn commands_come_from_strings_and_vectors() {
        let one = Json::parse(r#"{"command":["bash","-lc","cargo test"]}"#).unwrap();
        assert_eq!(command(&one).unwrap(), "cargo test");
        let two = Json::parse(r#"{"command":["git","commit","-m","two words"]}"#).unwrap();
        assert_eq!(command(&two).unwrap(), "git commit -m 'two words'");
        let three = Json::parse(r#"{"cmd":"ls"}"#).unwrap();
        assert_eq!(command(&three).unwrap(), "ls");
    }
}
