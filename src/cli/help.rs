//! The tree of commands as people see it: grouped, with suggestions for what was mistyped, and errors of one line.

use super::Cli;
use crate::language::{keyboard::other_layout, wrap};
use clap::{ColorChoice, Command, CommandFactory};
use std::fmt::Write;
use std::path::Path;

/// The commands by what one wants; every command stands in one group (tested).
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Look into a session",
        &["recall", "usage", "loops", "tools", "rules"],
    ),
    (
        "Carry it over a compaction",
        &["checkpoint", "restore", "hook", "prune", "diff"],
    ),
    ("Find and check many", &["list", "replay"]),
    ("Around it", &["context", "completions", "man", "help"]),
];

/// The whole tree, as man pages and completions want it.
pub fn tree() -> Command {
    let mut tree = Cli::command();
    tree.build();
    tree
}

/// The tree for parsing and for `--help`: the commands in groups, in the colour that was asked for.
pub fn for_people(color: ColorChoice) -> Command {
    let tree = tree();
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n       compact COMMAND ...\n\n{}{{all-args}}{{after-help}}",
        groups(&tree)
    );
    let mut command = Cli::command().color(color).help_template(template);
    let names: Vec<String> = tree
        .get_subcommands()
        .map(|c| c.get_name().to_owned())
        .filter(|name| name != "help")
        .collect();
    // Shown in their groups instead.
    for name in names {
        command = command.mut_subcommand(name, |c| c.hide(true));
    }
    command.subcommand_help_heading("Commands")
}

fn groups(tree: &Command) -> String {
    let mut out = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(out, "{heading}:");
        for command in names.iter().filter_map(|name| tree.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let line = format!("  {:<12} {about}", command.get_name());
            let _ = writeln!(out, "{}", wrap(&line, 98, 15));
        }
        out.push('\n');
    }
    out
}

/// The colour of help and errors: what `--color` says, else clap's own judgement (a terminal, NO_COLOR).
pub fn color(words: &[String]) -> ColorChoice {
    let after = words.iter().position(|w| w == "--color").map(|at| at + 1);
    let value = words
        .iter()
        .find_map(|w| w.strip_prefix("--color="))
        .or_else(|| after.and_then(|at| words.get(at)).map(String::as_str));
    match value {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// The command that a word was probably meant for: close to its name, or typed in the Korean layout. A file of that
/// name, or anything that looks like a path, is what it says.
pub fn meant(word: &str) -> Option<String> {
    let tree = tree();
    let known = tree.find_subcommand(word).is_some();
    let plain =
        !known && !word.is_empty() && !word.starts_with('-') && !word.contains(['.', '/', '\\']);
    if !plain || Path::new(word).exists() {
        return None;
    }
    let names: Vec<&str> = tree.get_subcommands().map(Command::get_name).collect();
    let spelled = [Some(word.to_lowercase()), other_layout(word)];
    spelled.into_iter().flatten().find_map(|word| {
        let near = |name: &&str| strsim::damerau_levenshtein(&word, name);
        let best = names.iter().copied().min_by_key(near)?;
        let allowed = if best.len() < 5 { 1 } else { 2 };
        (near(&best) <= allowed).then(|| best.to_owned())
    })
}

/// A usage error as one line: what is wrong, what was probably meant, where help is.
pub fn one_line(error: &clap::Error, words: &[String]) -> String {
    let text = error.render().to_string();
    let parts: Vec<String> = text
        .trim()
        .split("\n\n")
        .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
        .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more information"))
        .map(|part| part.trim_start_matches("error: ").to_owned())
        .collect();
    let mut line = parts.join("; ");
    // What follows a session is taken for a command's name, and people give two files.
    let second = line.strip_prefix("the subcommand '").and_then(|rest| {
        let (word, rest) = rest.split_once("' cannot be used with ")?;
        (rest.contains("[SESSION]") && tree().find_subcommand(word).is_none()).then_some(word)
    });
    if let Some(word) = second {
        line = format!("one session at a time, and '{word}' is a second one");
    }
    // `compact help recal` asks about its second word.
    let at = usize::from(words.first().is_some_and(|word| word == "help"));
    let first = words.get(at).map(String::as_str).unwrap_or_default();
    match meant(first) {
        Some(name) => {
            let _ = write!(
                line,
                "; no file is named {first}, did you mean compact {name}?"
            );
        }
        None => {
            let known = tree().find_subcommand(first).is_some();
            let of = if known {
                format!("{first} ")
            } else {
                String::new()
            };
            let _ = write!(line, "; compact {of}--help lists the flags");
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let tree = tree();
        for command in tree.get_subcommands() {
            let name = command.get_name();
            let groups = GROUPS.iter().filter(|(_, names)| names.contains(&name));
            assert_eq!(groups.count(), 1, "{name}");
        }
    }

    #[test]
    fn a_mistyped_command_is_told_from_a_file() {
        for (word, want) in [
            ("recal", Some("recall")),
            ("Prune", Some("prune")),
            ("chekpoint", Some("checkpoint")),
            ("ㅔ겨ㅜㄷ", Some("prune")),
            ("recall", None),
            ("somefile", None),
            ("recal.jsonl", None),
            ("./recal", None),
            ("-", None),
            ("src", None),
        ] {
            assert_eq!(meant(word).as_deref(), want, "{word}");
        }
    }

    #[test]
    fn a_usage_error_is_one_line() {
        let of = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|w| (*w).to_owned()).collect();
            let all = ["compact"]
                .into_iter()
                .chain(words.iter().map(String::as_str));
            let error = Cli::command()
                .try_get_matches_from(all)
                .expect_err("an error");
            one_line(&error, &words)
        };
        let line = of(&["s.jsonl", "--jsno"]);
        assert!(
            line.contains("'--jsno'") && line.contains("'--json'"),
            "{line}"
        );
        let line = of(&["recal", "캐시", "s.jsonl"]);
        assert!(
            line.contains("compact recall?") && !line.contains('\n'),
            "{line}"
        );
        let line = of(&["recall"]);
        assert!(
            line.contains("<QUERY>") && line.contains("compact recall --help"),
            "{line}"
        );
    }
}
