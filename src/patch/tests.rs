use super::*;
use proptest::prelude::*;

fn shown(files: &[PatchFile]) -> Vec<String> {
    files
        .iter()
        .map(|f| {
            let to = f
                .moved_to
                .as_deref()
                .map(|t| format!(" > {t}"))
                .unwrap_or_default();
            format!("{:?} {}{to}", f.op, f.path)
        })
        .collect()
}

#[test]
fn a_patch_names_its_files() {
    let text = "*** Begin Patch\r\n*** Add File: docs/새글.md\r\n+hello\r\n+*** Delete File: not/this\r\n\
        +*** End Patch\r\n*** Update File: src/a.rs\r\n*** Move to: src/b.rs\r\n@@ fn x\r\n-a\r\n+b\r\n\
        *** Delete File: old file.txt\r\n*** End Patch\r\n*** Add File: after/the/end\r\n";
    let want = [
        "Add docs/새글.md",
        "Update src/a.rs > src/b.rs",
        "Delete old file.txt",
    ];
    assert_eq!(shown(&files(text)), want);
}

#[test]
fn a_cut_patch_still_names_what_it_has() {
    for (text, want) in [
        (
            "*** Begin Patch\n*** Update File: a.rs\n@@\n-x",
            vec!["Update a.rs"],
        ),
        ("*** Update File: a.rs\n-x\n+y", vec!["Update a.rs"]),
        (
            "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\nEOF",
            vec!["Add a"],
        ),
        ("*** Begin Patch\n*** Add File:\n+x", vec![]),
        ("we write *** Add File: x somewhere", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(shown(&files(text)), want, "{text}");
    }
}

#[test]
fn a_unified_diff_names_its_files() {
    for (text, want) in [
        (
            "--- a/src/x.rs\n+++ b/src/x.rs\n@@ -1 +1 @@\n-a\n+b\n",
            vec!["Update src/x.rs"],
        ),
        (
            "--- /dev/null\n+++ b/new.md\t2026-01-01\n@@ -0,0 +1,2 @@\n+--- a/no\n+++ b/no\n",
            vec!["Add new.md"],
        ),
        (
            "--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n",
            vec!["Delete old.md"],
        ),
        (
            "diff --git a/a b.md b/a b.md\nnew file mode 100644\nindex 0..1\ndiff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
            vec!["Add a b.md", "Update x > y"],
        ),
        (
            "diff --git a/p b/p\ndeleted file mode 100644\n--- a/p\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\ndiff --git a/q b/q\n--- a/q\n+++ b/q\n@@ -1 +1 @@\n-1\n+2\n",
            vec!["Delete p", "Update q"],
        ),
        ("a list\n--- a rule\nand +++ more", vec![]),
        ("+++ b/x\n", vec![]),
    ] {
        assert_eq!(shown(&files(text)), want, "{text}");
    }
}

#[test]
fn the_list_of_a_success_is_read() {
    let text = "Exit code: 0\nSuccess. Updated the following files:\nA docs/새 글.md\nM src/a.rs\nD b\n\nM no";
    assert_eq!(
        shown(&updated(text)),
        ["Add docs/새 글.md", "Update src/a.rs", "Delete b"]
    );
    assert!(updated("Updated the following files:\nA x").is_empty());
}

proptest! {
    #[test]
    fn no_text_stops_it(text in "(\\*\\*\\* |Add File: |[+@ -]{0,4}|diff --git |a/x|@@ -1,9 +2 @@|/dev/null|\\r?\\n|\\PC{0,6}){0,30}") {
        let _ = (files(&text), updated(&text));
    }
}
