use super::blockers;
use crate::extract::work::Work;
use crate::session::testing::Talk;
use crate::state::BlockerKind;
use serde_json::json;

fn shown(talk: &Talk) -> Vec<String> {
    let session = talk.session();
    blockers(&session, false, &Work::of(&session))
        .into_iter()
        .map(|b| {
            let kind = match b.kind {
                BlockerKind::FailedCommand => "command",
                BlockerKind::FailedEdit => "edit",
                BlockerKind::InFlight => "flight",
                BlockerKind::Stated => "stated",
            };
            format!("{kind} {} {}", b.reference, b.text)
        })
        .collect()
}

fn talk() -> Talk {
    Talk::in_dir("/w").person("고쳐줘")
}

const FAILED: &str = "test a ... FAILED\ntest result: FAILED. 3 passed; 2 failed; 0 ignored";

#[test]
fn a_failed_check_stands_until_it_passes() {
    let failed = talk().run_fails("cargo test", FAILED);
    assert_eq!(shown(&failed).len(), 1);
    assert!(shown(&failed)[0].starts_with("command #1 cargo test: test result: FAILED"));
    let passed = failed.run("cargo test", "test result: ok. 5 passed; 0 failed");
    assert!(shown(&passed).is_empty());
    let oks: Vec<Option<bool>> = Work::of(&passed.session())
        .runs
        .iter()
        .map(|r| r.ok)
        .collect();
    assert_eq!(oks, [Some(false), Some(true)]);
}

#[test]
fn failure_behind_a_filter_is_seen() {
    assert_eq!(
        shown(&talk().run("cargo test 2>&1 | tail -3", FAILED)).len(),
        1
    );
}

#[test]
fn another_script_does_not_speak_for_this_one() {
    let talk = talk()
        .run_fails(
            "npm run test:e2e",
            "Exit code 1\nError: web server was not able to start",
        )
        .run("npm test", "Tests  12 passed (12)");
    assert_eq!(shown(&talk).len(), 1);
}

#[test]
fn probes_searches_refusals_and_old_failures_are_none() {
    let talk = talk()
        .run_fails(
            "ls nowhere",
            "Exit code 2\nls: nowhere: No such file or directory",
        )
        .run_fails("grep -rn missing src", "Exit code 1")
        .run_fails("npm install left", "Exit code 1\nnpm ERR! code E404")
        .call("Bash", json!({"command": "git push"}))
        .fails("The user doesn't want to proceed with this tool use.")
        .person("하나 더")
        .person("그리고")
        .person("끝으로");
    assert!(shown(&talk).is_empty(), "{:?}", shown(&talk));
}

#[test]
fn a_failed_edit_stands_until_the_file_is_changed() {
    let edit = json!({"file_path": "/w/a.rs", "old_string": "a", "new_string": "b"});
    let failed = talk()
        .call("Edit", edit)
        .fails("<tool_use_error>String to replace not found in file.</tool_use_error>");
    assert_eq!(
        shown(&failed),
        ["edit #1 a.rs: String to replace not found in file."]
    );
    assert!(shown(&failed.edit("a.rs")).is_empty());
}

#[test]
fn what_has_not_ended_is_in_flight() {
    let silent = talk()
        .call("Bash", json!({"command": "ls"}))
        .call("Bash", json!({"command": "snap create"}));
    assert!(
        shown(&silent).is_empty(),
        "a format without results knows nothing"
    );
    let pending = talk()
        .run("ls", "a")
        .call("Bash", json!({"command": "snap create"}));
    assert_eq!(shown(&pending), ["flight #3 snap create"]);
    let given_up = pending.person("그만두고 다른 걸 해줘");
    assert!(shown(&given_up).is_empty());
}

#[test]
fn a_job_is_in_flight_until_it_is_heard_of() {
    let job = |command: &str| {
        talk()
            .run("ls", "a")
            .call(
                "Bash",
                json!({"command": command, "run_in_background": true}),
            )
            .result(
                "Command running in background with ID: b1",
                false,
                Some(json!({"backgroundTaskId": "b1"})),
            )
    };
    assert_eq!(shown(&job("./export.sh")), ["flight #3 ./export.sh"]);
    assert!(shown(&job("npm run dev")).is_empty());
    let read = job("./export.sh")
        .call("BashOutput", json!({"bash_id": "b1"}))
        .ok("<status>completed</status>\n<exit_code>0</exit_code>");
    assert!(shown(&read).is_empty());
}
