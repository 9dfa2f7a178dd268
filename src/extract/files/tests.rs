use super::{Ledger, Work, files};
use crate::session::testing::Talk;
use serde_json::json;

fn shown(talk: &Talk) -> Vec<String> {
    let session = talk.session();
    files(Ledger::default(), &session, &mut Work::of(&session))
        .into_iter()
        .map(|f| {
            let mut out = format!("{} r{} m{}", f.path, f.read, f.modified);
            for (flag, word) in [(f.created, " created"), (f.deleted, " deleted")] {
                out.push_str(if flag { word } else { "" });
            }
            if let Some(from) = f.renamed_from {
                out.push_str(&format!(" from {from}"));
            }
            format!("{out} {}", f.reference)
        })
        .collect()
}

fn talk() -> Talk {
    Talk::in_dir("/home/u/proj").person("정리해줘")
}

#[test]
fn spellings_of_a_file_are_one_entry() {
    let talk = talk()
        .call("Read", json!({"file_path": "/home/u/proj/b.rs"}))
        .ok("x")
        .edit("b.rs")
        .cd("/home/u/proj/src")
        .edit("../b.rs")
        .call(
            "Write",
            json!({"file_path": "/home/u/n.md", "content": "n"}),
        )
        .ok("File created successfully at: /home/u/n.md");
    assert_eq!(shown(&talk), ["b.rs r1 m2 #5", "~/n.md r0 m0 created #7"]);
}

#[test]
fn failed_refused_and_pending_calls_change_nothing() {
    let talk = talk()
        .call(
            "Edit",
            json!({"file_path": "a.rs", "old_string": "a", "new_string": "b"}),
        )
        .fails("String to replace not found")
        .call("Write", json!({"file_path": "b.rs", "content": "x"}))
        .fails("The user doesn't want to proceed with this tool use.")
        .run_fails("sed -i s/a/b/ c.rs", "Exit code 1\nsed: c.rs: No such file")
        .call("Write", json!({"file_path": "d.rs", "content": "x"}));
    assert!(shown(&talk).is_empty());
}

#[test]
fn shells_and_patches_change_files_too() {
    let patch = "*** Begin Patch\n*** Update File: c.ts\n@@\n-x\n+y\n*** Add File: d.ts\n+z\n*** Update File: e.ts\n*** Move to: f.ts\n@@\n-x\n+y\n*** End Patch";
    let talk = talk()
        .run("sed -i s/a/b/ a.ts && rm b.ts", "")
        .call("apply_patch", json!({"input": patch}))
        .ok("ok")
        .run("mv g.ts h.ts; echo log > /tmp/out.log", "");
    assert_eq!(
        shown(&talk),
        [
            "a.ts r0 m1 #1",
            "b.ts r0 m0 deleted #1",
            "c.ts r0 m1 #3",
            "d.ts r0 m0 created #3",
            "f.ts r0 m1 from e.ts #3",
            "h.ts r0 m1 from g.ts #5",
        ]
    );
}

#[test]
fn a_folder_goes_away_with_its_files() {
    let talk = talk()
        .edit("gen/a.rs")
        .edit("gen/sub/b.rs")
        .edit("genes/c.rs")
        .run("rm -rf gen/ never/seen", "")
        .edit("gen/a.rs");
    assert_eq!(
        shown(&talk),
        [
            "genes/c.rs r0 m1 #5",
            "gen/sub/b.rs r0 m1 deleted #7",
            "gen/a.rs r0 m2 #9"
        ]
    );
}

#[test]
fn a_reset_drops_what_no_commit_has_kept() {
    let talk = talk()
        .edit("a.rs")
        .run("git checkout -- a.rs", "")
        .edit("b.rs")
        .run("git commit -am b", "[main 1a2b3c4] b\n 1 file changed")
        .edit("b.rs")
        .run("git checkout -- b.rs", "");
    assert_eq!(shown(&talk), ["b.rs r0 m1 #9"]);
}

#[test]
fn a_commit_proves_what_was_added_by_name() {
    let talk = talk().run(
        "git add src/new.rs src/old.rs && git commit -m x",
        "[main 1a2b3c4] x\n 3 files changed\n create mode 100644 src/new.rs\n create mode 100644 stray.txt",
    );
    assert_eq!(
        shown(&talk),
        ["src/new.rs r0 m0 created #1", "src/old.rs r0 m1 #1"]
    );
    let unproven = Talk::in_dir("/w").person("x").run("git add src/new.rs", "");
    assert!(shown(&unproven).is_empty());
}

#[test]
fn a_patch_in_a_shell_tells_which_files_are_new() {
    let patch =
        "*** Begin Patch\n*** Add File: f.ts\n+x\n*** Update File: g.ts\n@@\n-x\n+y\n*** End Patch";
    let talk = talk()
        .run(
            &format!("cd sub && apply_patch <<'EOF'\n{patch}\nEOF"),
            "ok",
        )
        .run("cat a.ts > copy.ts", "");
    assert_eq!(
        shown(&talk),
        [
            "sub/f.ts r0 m0 created #1",
            "sub/g.ts r0 m1 #1",
            "a.ts r1 m0 #3",
            "copy.ts r0 m1 #3"
        ]
    );
}

#[test]
fn a_format_without_error_flags_may_say_so_in_words() {
    let call = |id: &str, tool: &str, args: &str| {
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"{tool}","arguments":{}}}}}]}}"#,
            json!(args)
        )
    };
    let answer = |id: &str, text: &str| {
        json!({"role": "tool", "tool_call_id": id, "content": text}).to_string()
    };
    let lines = [
        json!({"role": "user", "content": "설정을 고쳐줘"}).to_string(),
        call(
            "c1",
            "edit_file",
            r#"{"path":"a.rs","old_string":"a","new_string":"b"}"#,
        ),
        answer("c1", "Error: old_string was not found in a.rs"),
        call("c2", "write_file", r#"{"path":"b.rs","content":"b"}"#),
        answer("c2", "Wrote 1 line"),
        call("c3", "read_file", r#"{"path":"c.rs"}"#),
        answer("c3", "Error: no such file: c.rs"),
    ];
    let session = crate::session::testing::session(&lines.join("\n"));
    let files = files(Ledger::default(), &session, &mut Work::of(&session));
    let names: Vec<&str> = files.iter().map(|f| f.path.as_str()).collect();
    assert_eq!(names, ["b.rs"]);
}
