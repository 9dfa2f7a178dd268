//! What was written into a document: prose that is edited is itself said, so the call's line quotes its first new line.
//!
//! Only for edits of prose files; what changes in code is told by its path.

use super::plain;
use crate::json::Json;
use crate::language::clip;
use crate::transcript::Args;

/// Longest line quoted.
const QUOTE: usize = 110;
/// Shorter new lines (headings, bullets of one word) are passed over.
const TELLING: usize = 24;

/// The first telling new line of an edit of a document, without list and table marks.
pub fn written(args: &Args<'_>, path: &str) -> Option<String> {
    if !is_document(path) {
        return None;
    }
    let line = match args {
        Args::Raw(patch) => first(
            patch
                .lines()
                .filter_map(|l| l.strip_prefix('+'))
                .filter(|l| !l.starts_with('+')),
            "",
        ),
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
                first(new.lines(), old.as_deref().unwrap_or_default())
            };
            edited(&json).or_else(|| json.get("edits")?.items().find_map(|e| edited(&e)))
        }
    }?;
    Some(clip(&plain::line(&line), QUOTE).into_owned())
}

fn first<'t>(mut lines: impl Iterator<Item = &'t str>, old: &str) -> Option<String> {
    lines
        .find(|line| {
            let line = line.trim();
            line.chars().count() >= TELLING
                && !line.starts_with(['#', '|', '<', '`'])
                && !old.contains(line)
        })
        .map(|line| {
            line.trim()
                .trim_start_matches(['-', '*', ' '])
                .replace("**", "")
        })
}

fn is_document(path: &str) -> bool {
    let Some((_, extension)) = path.rsplit_once('.') else {
        return false;
    };
    matches!(
        extension.to_ascii_lowercase().as_str(),
        "md" | "mdx" | "markdown" | "rst" | "txt" | "adoc"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATCH: &str = "*** Update File: guide.md\n@@\n-old\n+# Title\n+Every release is tagged by the pipeline.\n";

    #[test]
    fn a_document_tells_its_first_new_sentence() {
        assert_eq!(
            written(&Args::Raw(PATCH.into()), "guide.md").as_deref(),
            Some("Every release is tagged by the pipeline.")
        );
    }

    #[test]
    fn code_is_told_by_its_path() {
        assert_eq!(written(&Args::Raw(PATCH.into()), "guide.rs"), None);
        assert_eq!(written(&Args::Raw("+short".into()), "guide.md"), None);
    }
}
