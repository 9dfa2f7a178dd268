//! Help, colour and what is said when something was mistyped.

use std::process::{Command, Output};

fn run(words: &[&str], no_color: bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_compact"));
    command.args(words).current_dir(env!("CARGO_MANIFEST_DIR"));
    match no_color {
        true => command.env("NO_COLOR", "1"),
        false => command.env_remove("NO_COLOR"),
    };
    command.output().unwrap()
}

fn error(words: &[&str]) -> String {
    let out = run(words, false);
    assert_eq!(
        (out.status.code(), out.stdout.len()),
        (Some(2), 0),
        "{words:?}"
    );
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(text.lines().count(), 1, "{text}");
    text
}

#[test]
fn a_mistyped_command_is_suggested_and_a_file_is_a_file() {
    assert!(error(&["recal"]).contains("compact recall?"));
    assert!(error(&["recal", "캐시", "s.jsonl"]).contains("compact recall?"));
    assert!(error(&["help", "prun"]).contains("compact prune?"));
    assert!(!error(&["somefile"]).contains("did you mean"));
    assert!(error(&["s.jsonl", "--jsn"]).contains("'--json'"));
    assert!(error(&["usage", "--treshold", "0.7", "s.jsonl"]).contains("'--threshold'"));
    assert!(error(&["list", "--agent", "clod"]).contains("claude-code"));
}

#[test]
fn help_comes_in_two_lengths_with_groups_and_examples() {
    let text = |words: &[&str]| String::from_utf8(run(words, true).stdout).unwrap();
    let (short, long) = (text(&["-h"]), text(&["--help"]));
    assert!(short.len() < long.len() && !short.contains("Examples:"));
    for part in [
        "compact [OPTIONS] [SESSION]",
        "Look into a session:",
        "Examples:",
        "Exit status:",
    ] {
        assert!(long.contains(part), "{part}");
    }
    let tree = compact::cli::help::tree();
    for command in tree.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = command.get_name();
        let (short, long) = (text(&[name, "-h"]), text(&[name, "--help"]));
        assert!(long.contains("Example"), "{name} has no example");
        assert!(short.contains(&format!("compact {name}")), "{name}");
        assert!(!long.contains("SESSION_FILE"), "{name}");
    }
}

#[test]
fn colour_is_for_terminals_unless_it_is_asked_for() {
    let sample = "samples/claude-korean.jsonl";
    let escapes = |words: &[&str], no_color| {
        let out = run(words, no_color);
        assert_eq!(out.status.code(), Some(0));
        out.stdout.contains(&0x1b)
    };
    assert!(!escapes(&[sample], false));
    assert!(escapes(&[sample, "--color", "always"], true));
    assert!(!escapes(&[sample, "--color", "never"], false));
    assert!(!escapes(&[sample, "--json", "--color", "always"], false));
    assert!(escapes(&["--help", "--color=always"], true));
    assert!(!escapes(&["--help"], false));
}

#[test]
fn every_shell_gets_its_script() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let out = run(&["completions", shell], false);
        let text = String::from_utf8(out.stdout).unwrap();
        assert!(
            text.contains("recall") && text.contains("max-chars"),
            "{shell}"
        );
    }
    assert_eq!(run(&["man", "nothing"], false).status.code(), Some(2));
    let page = String::from_utf8(run(&["man", "recall"], false).stdout).unwrap();
    assert!(page.contains(".TH compact-recall 1"));
}
