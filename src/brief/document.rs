//! What was written into a document: prose that is written is itself said, so the call's line quotes its first new
//! line, and the others stand behind it for what they are worth.
//!
//! Only for prose files; what changes in code is told by its path.

use super::plain;
use crate::json::Json;
use crate::transcript::{Args, tools};
use std::borrow::Cow;

/// Shorter new lines (headings, bullets of one word) are passed over.
const TELLING: usize = 24;

/// The telling new lines of a document that a call writes or edits, without list marks; of other files none.
pub fn written(args: &Args<'_>, path: &str) -> Vec<String> {
    if !tools::is_document(path) {
        return Vec::new();
    }
    match args {
        Args::Raw(patch) => added(patch),
        Args::Json(_) => {
            let json = args.json();
            let of = |json: &Json<'_>, keys: &[&str]| {
                keys.iter()
                    .filter_map(|k| json.get(k))
                    .find_map(|v| v.str().map(|t| t.into_owned()))
            };
            let edited = |json: &Json<'_>| {
                let new = of(json, &["new_string", "newText", "new_str", "newString"])?;
                let old = of(json, &["old_string", "oldText", "old_str", "oldString"]);
                Some(telling(new.lines(), old.as_deref().unwrap_or_default()))
            };
            edited(&json)
                .or_else(|| {
                    let edits = json.get("edits")?;
                    Some(edits.items().filter_map(|e| edited(&e)).flatten().collect())
                })
                .or_else(|| {
                    let whole = of(&json, &["content", "contents", "file_text", "text"])?;
                    Some(telling(whole.lines(), ""))
                })
                .or_else(|| Some(added(&patch(&json)?)))
                .unwrap_or_default()
        }
    }
}

/// The text of a patch that stands among other arguments.
pub fn patch<'a>(args: &Json<'a>) -> Option<Cow<'a, str>> {
    let keys = ["patchText", "patch", "input", "diff"];
    keys.iter().find_map(|key| args.get(key)?.str())
}

fn added(patch: &str) -> Vec<String> {
    let lines = patch.lines().filter_map(|l| l.strip_prefix('+'));
    telling(lines.filter(|l| !l.starts_with('+')), "")
}

fn telling<'t>(lines: impl Iterator<Item = &'t str>, old: &str) -> Vec<String> {
    lines
        .filter(|line| {
            let line = line.trim();
            line.chars().count() >= TELLING
                && !line.starts_with(['#', '|', '<', '`'])
                && !old.contains(line)
        })
        .map(|line| {
            let bare = line.trim().trim_start_matches(['-', '*', ' ']);
            plain::line(&bare.replace("**", ""))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Update File: guide.md\n@@\n-old\n+# Title\n+Every release is tagged by the pipeline.\n";

    #[test]
    fn a_document_tells_its_new_sentences() {
        assert_eq!(
            written(&Args::Raw(PATCH.into()), "guide.md"),
            ["Every release is tagged by the pipeline."]
        );
    }

    #[test]
    fn edits_tell_what_is_new_and_new_documents_what_is_in_them() {
        let edit = r#"{"file_path":"a.md","edits":[{"old_string":"- Kept line of the guide, as it was.","new_string":"- Kept line of the guide, as it was.\n- **Retries** stop after the third attempt."}]}"#;
        assert_eq!(
            written(&Args::Json(edit.into()), "a.md"),
            ["Retries stop after the third attempt."]
        );
        let new = r##"{"file_path":"a.md","content":"# Title of it\n\n배포는 매주 화요일 오전에만 하고, 되돌리기는 십 분 안에 끝낸다.\n"}"##;
        assert_eq!(
            written(&Args::Json(new.into()), "a.md"),
            ["배포는 매주 화요일 오전에만 하고, 되돌리기는 십 분 안에 끝낸다."]
        );
        let patch = r#"{"patchText":"*** Begin Patch\n*** Update File: a.md\n-old\n+Every release is tagged by hand.\n*** End Patch"}"#;
        assert_eq!(
            written(&Args::Json(patch.into()), "a.md"),
            ["Every release is tagged by hand."]
        );
    }

    #[test]
    fn code_is_told_by_its_path() {
        assert!(written(&Args::Raw(PATCH.into()), "guide.rs").is_empty());
        assert!(written(&Args::Raw("+short".into()), "guide.md").is_empty());
    }
}
