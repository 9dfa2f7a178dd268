use crate::session::testing::Talk;
use serde_json::json;

fn found(talk: Talk) -> Vec<String> {
    crate::extract::work::Work::of(&talk.session())
        .commits
        .commits()
        .into_iter()
        .map(|c| {
            let branch = c.branch.map(|b| format!(" @{b}")).unwrap_or_default();
            format!("{} {}{branch} {}", c.hash, c.subject, c.reference)
        })
        .collect()
}

fn talk() -> Talk {
    Talk::in_dir("/w").person("커밋해줘")
}

#[test]
fn a_bracket_line_or_a_matching_log_line_proves_a_commit() {
    let made = talk()
        .run(
            "git commit -m 'fix: 폭'",
            "[main 1a2b3c4] fix: 폭\n 1 file changed",
        )
        .run(
            "git commit -qm 'feat: 표' && git log --oneline -1",
            "2b3c4d5 (HEAD -> main) feat: 표",
        )
        .run("git commit -m first", "[main (root-commit) 3c4d5e6] first");
    assert_eq!(
        found(made),
        [
            "1a2b3c4 fix: 폭 @main #1",
            "2b3c4d5 feat: 표 #3",
            "3c4d5e6 first @main #5"
        ]
    );
}

#[test]
fn without_proof_there_is_none() {
    let none = talk()
        .run("git commit -m 'fix: a' >/dev/null", "")
        .run(
            "git commit -qm 'fix: c' && git log --oneline -1",
            "abc1234 fix: b",
        )
        .run("grep -rn 'git commit' docs", "[main bbbbbb1] not a commit")
        .run_fails(
            "git commit -m d",
            "husky - pre-commit hook failed (deadbeef)",
        )
        .call("Bash", json!({"command": "git commit -m e"}));
    assert_eq!(found(none), Vec::<String>::new());
}

#[test]
fn success_inside_a_failed_result_counts() {
    let made = talk().run_fails(
        "git commit -m 'fix: a' && git push",
        "[main 1a2b3c4] fix: a\n 1 file changed\n! [rejected] main -> main (fetch first)",
    );
    assert_eq!(found(made), ["1a2b3c4 fix: a @main #1"]);
}

#[test]
fn an_amend_replaces_and_a_reset_drops() {
    let made = talk()
        .run("git commit -m a", "[main 1111111] a")
        .run("git commit -m b", "[main 2222222] b")
        .run("git commit --amend --no-edit", "[main 3333333] b")
        .run("git commit -m c", "[main 4444444] c")
        .run("git reset --soft HEAD~1", "");
    assert_eq!(found(made), ["1111111 a @main #1", "3333333 b @main #5"]);
}

#[test]
fn an_amend_elsewhere_replaces_nothing_here() {
    let made = talk()
        .run("git -C /other commit -m a", "[main 1111111] a")
        .run("git commit --amend -m b", "[main 2222222] b");
    assert_eq!(found(made), ["1111111 a @main #1", "2222222 b @main #3"]);
}

#[test]
fn several_in_one_command_are_several() {
    let made = talk().run(
        "git commit -m one && git commit -m two",
        "[main aaaaaa3] one\n 1 file changed\n[main aaaaaa4] two",
    );
    assert_eq!(
        found(made),
        ["aaaaaa3 one @main #1", "aaaaaa4 two @main #1"]
    );
}

#[test]
fn colours_hide_no_commit() {
    let made = talk()
        .run(
            "git commit -m 'fix: 폭'",
            "\u{1b}[1m[main 1a2b3c4]\u{1b}[m fix: 폭\n 1 file changed",
        )
        .run(
            "git commit -qm 'feat: 표' && git log --oneline -1",
            "\u{1b}[33m2b3c4d5\u{1b}[m feat: 표",
        );
    assert_eq!(
        found(made),
        ["1a2b3c4 fix: 폭 @main #1", "2b3c4d5 feat: 표 #3"]
    );
}
