//! Every command that the READMEs show is run, in a folder with the samples and a home with one session.
//!
//! In a `console` block a line starting with `$ ` is a command for bash; `# exit N` at its end says with which status it
//! ends, else 0. The lines below it are what it prints; a line `...` stands for any lines. Other blocks are only shown.
//!
//! `UPDATE_README=1 cargo test --test readme` writes the generated parts (brief, flags, formats) into both files.

use clap::Command as Clap;
use compact::cli::help;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// A command and what it should print.
struct Shown {
    line: usize,
    command: String,
    status: i32,
    output: Vec<String>,
}

fn commands(text: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut inside = false;
    for (at, line) in text.lines().enumerate() {
        // Blocks in lists are indented.
        let bare = line.trim_start();
        if let Some(info) = bare.strip_prefix("```") {
            inside = info == "console";
        } else if let Some(command) = bare.strip_prefix("$ ").filter(|_| inside) {
            let (command, status) = match command.rsplit_once("  # exit ") {
                Some((command, status)) => (command, status.parse().unwrap()),
                None => (command, 0),
            };
            found.push(Shown {
                line: at + 1,
                command: command.to_owned(),
                status,
                output: Vec::new(),
            });
        } else if let Some(shown) = found.last_mut().filter(|_| inside) {
            shown.output.push(line.to_owned());
        }
    }
    found
}

/// A home, the samples, and a way to find the built binary.
fn sandbox() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = home.path();
    std::fs::create_dir_all(at.join("samples")).unwrap();
    for entry in std::fs::read_dir(root().join("samples")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, at.join("samples").join(path.file_name().unwrap())).unwrap();
    }
    let projects = at.join(".claude/projects/-home-minji-shop");
    std::fs::create_dir_all(&projects).unwrap();
    let sample = root().join("samples/claude-korean.jsonl");
    std::fs::copy(sample, projects.join("s.jsonl")).unwrap();
    home
}

fn has(program: &str) -> bool {
    let which = format!("command -v {program}");
    let found = Command::new("bash").args(["-c", &which]).output();
    found.is_ok_and(|out| out.status.success())
}

/// Whether the lines are in the text in this order, `...` between them standing for anything.
fn prints(text: &str, lines: &[String]) -> Result<(), String> {
    let mut rest = text.lines();
    let mut loose = false;
    for line in lines.iter().filter(|l| !l.trim().is_empty()) {
        if line.trim() == "..." {
            loose = true;
            continue;
        }
        let is = |l: &str| l == line || (loose && l.starts_with(line.as_str()));
        let found = match loose {
            true => rest.any(is),
            false => rest.find(|l| !l.trim().is_empty()).is_some_and(is),
        };
        if !found {
            return Err(line.clone());
        }
        loose = false;
    }
    Ok(())
}

fn run_all(readme: &str) {
    let home = sandbox();
    let binary = PathBuf::from(env!("CARGO_BIN_EXE_compact"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let jq = has("jq");
    let shown = commands(&read(readme));
    assert!(shown.len() > 10, "{readme} shows too few commands");
    for Shown {
        line,
        command,
        status,
        output,
    } in shown
    {
        // Building and testing is what this is a part of; what `cargo run` runs is run.
        let command = match command.split_once(" -- ") {
            Some((cargo, rest)) if cargo.starts_with("cargo run") => format!("compact {rest}"),
            _ if command.starts_with("cargo ") => continue,
            _ => command,
        };
        if command.contains("jq ") && !jq {
            continue;
        }
        let out = Command::new("bash")
            .args(["-o", "pipefail", "-c", &command])
            .env_clear()
            .env("PATH", &path)
            .env("HOME", home.path())
            .env("LANG", "C.UTF-8")
            .current_dir(home.path())
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&out.stdout);
        let error = String::from_utf8_lossy(&out.stderr);
        assert_eq!(
            out.status.code(),
            Some(status),
            "{readme}:{line}: {command}\n{printed}{error}"
        );
        if let Err(missing) = prints(&printed, &output) {
            panic!("{readme}:{line}: {command}\nprints no line\n{missing}\nbut\n{printed}");
        }
    }
}

#[test]
fn commands_of_the_english_readme_run() {
    run_all("README.md");
}

#[test]
fn commands_of_the_korean_readme_run() {
    run_all("README.ko.md");
}

#[test]
fn both_readmes_show_the_same_commands() {
    let list = |name: &str| -> Vec<String> {
        let shown = commands(&read(name));
        shown.into_iter().map(|s| s.command).collect()
    };
    let mut english = list("README.md");
    // Each shows a brief in its own language.
    for command in &mut english {
        if command == "compact samples/claude-compaction-rewind.jsonl" {
            *command = "compact samples/claude-korean.jsonl".to_owned();
        }
    }
    assert_eq!(english, list("README.ko.md"));
}

/// The table of all flags, a row a command; those of every command that reads a session stand in the last row.
fn flags() -> String {
    let tree = help::tree();
    let others = tree.get_subcommands().filter(|c| c.get_name() != "help");
    let mut rows = vec!["| | |".to_owned(), "|---|---|".to_owned()];
    let row = |title: &str, command: &Clap, reading: bool| {
        let flags: Vec<String> = command
            .get_arguments()
            .filter(|a| !a.is_positional() && !["help", "version"].contains(&a.get_id().as_str()))
            .filter(|a| (a.get_help_heading() == Some("Reading")) == reading)
            .map(|arg| {
                let short = arg
                    .get_short()
                    .map(|c| format!("-{c}, "))
                    .unwrap_or_default();
                let takes = arg.get_action().takes_values();
                let value = arg.get_value_names().filter(|_| takes);
                let value = value
                    .map(|v| format!(" {}", v.join(" ")))
                    .unwrap_or_default();
                let long = arg.get_long().unwrap_or_default();
                format!("`{short}--{long}{value}`").replace('|', "\\|")
            })
            .collect();
        format!("| {title} | {} |", flags.join(", "))
    };
    rows.push(row("`compact SESSION`", &tree, false));
    for command in others {
        let title = format!("`compact {}`", command.get_name());
        rows.push(row(&title, command, false));
    }
    rows.push(row("…`SESSION`", &tree, true));
    rows.join("\n")
}

/// The table in the documentation of the formats.
fn formats() -> String {
    let source = read("src/transcript/formats/mod.rs");
    let rows = source.lines().filter_map(|l| l.strip_prefix("//! |"));
    rows.map(|row| format!("|{row}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// A sample's brief as a block: up to the second turn, and the closing line.
fn brief(sample: &str) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_compact"))
        .arg(sample)
        .current_dir(root())
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let turns = lines.iter().enumerate().filter(|(_, l)| **l == "[user]");
    let second = turns.map(|(at, _)| at).nth(1).unwrap();
    let shown = lines[..second].join("\n");
    let last = lines.last().unwrap();
    format!(
        "```console\n$ compact {sample}\n{}\n...\n{last}\n```",
        shown.trim_end()
    )
}

#[test]
fn generated_parts_are_up_to_date() {
    let update = std::env::var_os("UPDATE_README").is_some();
    let english = [
        ("brief", brief("samples/claude-compaction-rewind.jsonl")),
        ("formats", formats()),
        ("flags", flags()),
    ];
    let korean = [
        ("brief", brief("samples/claude-korean.jsonl")),
        ("flags", flags()),
    ];
    for (readme, parts) in [("README.md", &english[..]), ("README.ko.md", &korean[..])] {
        let mut text = read(readme);
        for (name, new) in parts {
            let (start, end) = (format!("<!-- {name} -->\n"), format!("\n<!-- /{name} -->"));
            let (before, rest) = text.split_once(&start).expect(name);
            let (old, after) = rest.split_once(&end).expect(name);
            if update {
                text = format!("{before}{start}{new}{end}{after}");
            } else {
                let differs = new.lines().zip(old.lines()).find(|(n, o)| n != o);
                assert!(
                    old == new,
                    "{readme}, {name}: UPDATE_README=1 cargo test --test readme writes it anew; {differs:?}"
                );
            }
        }
        if update {
            std::fs::write(root().join(readme), text).unwrap();
        }
    }
}

/// The Korean table is written by hand; it has the same agents.
#[test]
fn the_korean_table_of_formats_has_every_format() {
    let agents = |table: &str| -> Vec<String> {
        let rows = table.lines().filter(|l| l.starts_with('|')).skip(2);
        rows.filter_map(|row| Some(row.split('|').nth(1)?.trim().to_owned()))
            .collect()
    };
    let korean = read("README.ko.md");
    let (_, table) = korean.split_once("<!-- formats -->\n").unwrap();
    let table = table.split("<!--").next().unwrap_or_default();
    assert_eq!(agents(table), agents(&formats()));
}
