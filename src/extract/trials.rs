//! What is left in the way at the end, as data in `tests/data/outcomes.toml`: each way to fail beside the ways to get
//! over it.

use crate::lexicon::Rules;
use crate::session::testing::Talk;
use serde_json::json;

#[derive(serde::Deserialize)]
struct Trials {
    case: Vec<Trial>,
}

/// Steps: `? ` a person, `> ` the agent, `$ ` a command that worked, `! ` one that failed (`COMMAND ||| OUTPUT`),
/// `* ` an edit, `w ` a file written, `x ` an edit that failed (`PATH ||| ERROR`).
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Trial {
    of: String,
    steps: Vec<String>,
    /// A piece of each blocker's text, in order.
    left: Vec<String>,
}

fn left(steps: &[String]) -> Vec<String> {
    let mut talk = Talk::in_dir("/w");
    if !steps.iter().any(|s| s.starts_with("? ")) {
        talk = talk.person("고쳐줘");
    }
    for step in steps {
        let (mark, rest) = step.split_at(2);
        let (what, output) = rest.split_once(" ||| ").unwrap_or((rest, ""));
        let edit = json!({"file_path": format!("/w/{what}"), "old_string": "a", "new_string": "b"});
        talk = match mark {
            "? " => talk.person(rest),
            "> " => talk.agent(rest),
            "$ " => talk.run(what, output),
            "! " => talk.run_fails(what, output),
            "* " => talk.edit(&format!("/w/{what}")),
            "w " => talk
                .call(
                    "Write",
                    json!({"file_path": format!("/w/{what}"), "content": "x"}),
                )
                .ok("File created successfully"),
            "x " => talk.call("Edit", edit).fails(output),
            other => panic!("unknown step {other}"),
        };
    }
    let state = super::extract(&talk.session(), Rules::builtin());
    state.blockers.into_iter().map(|b| b.text).collect()
}

#[test]
fn what_is_left_is_told_from_what_is_over() {
    let text = match std::env::var("TRIALS") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("../../tests/data/outcomes.toml").to_owned(),
    };
    let trials: Trials = toml::from_str(&text).unwrap();
    let mut wrong = Vec::new();
    for trial in &trials.case {
        let found = left(&trial.steps);
        let same = found.len() == trial.left.len()
            && found
                .iter()
                .zip(&trial.left)
                .all(|(f, w)| f.contains(w.as_str()));
        if !same {
            wrong.push(format!("{}: {found:?}, not {:?}", trial.of, trial.left));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}: {wrong:#?}",
        wrong.len(),
        trials.case.len()
    );
}
