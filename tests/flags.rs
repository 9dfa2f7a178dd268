//! No flag without its line in the manual, none that does not tell what it does and what its default is. The tables in
//! the READMEs are tested in `readme.rs`.

use clap::{ArgAction, Command};
use compact::cli::{help, man};

/// Every flag of a command as it is typed, with its default as `--help` prints it.
fn flags(command: &Command) -> impl Iterator<Item = &clap::Arg> {
    command
        .get_arguments()
        .filter(|arg| !arg.is_positional() && !arg.is_hide_set())
}

fn long(arg: &clap::Arg) -> String {
    format!("--{}", arg.get_long().expect("every flag has a long name"))
}

/// The main job and the commands, by their names.
fn commands(tree: &Command) -> Vec<&Command> {
    let others = tree.get_subcommands().filter(|c| c.get_name() != "help");
    std::iter::once(tree).chain(others).collect()
}

#[test]
fn every_flag_stands_in_its_manual_page() {
    let tree = help::tree();
    let pages = man::pages(&tree).unwrap();
    for command in commands(&tree) {
        let name = command.get_display_name().unwrap_or("compact");
        let file = format!("{name}.1");
        let (_, page) = pages.iter().find(|(n, _)| *n == file).expect(&file);
        let page = page.replace('\\', "");
        for arg in flags(command) {
            assert!(page.contains(&long(arg)), "{file}: {}", long(arg));
        }
    }
}

#[test]
fn every_flag_has_help_and_tells_its_default() {
    let tree = help::tree();
    let mut silent = Vec::new();
    for command in commands(&tree) {
        for arg in flags(command) {
            let of = format!("{} {}", command.get_name(), long(arg));
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(!help.is_empty(), "{of} has no help");
            let automatic = ["help", "version"].contains(&arg.get_id().as_str());
            let told = help.contains("[default:") || !arg.get_default_values().is_empty();
            // A switch that is off, and what must be given, have no default to tell.
            let free = arg.is_required_set()
                || automatic
                || matches!(arg.get_action(), ArgAction::Help | ArgAction::Version);
            if !told && !free {
                silent.push(of);
            }
        }
    }
    assert!(silent.is_empty(), "no default told: {silent:?}");
}

fn compact(dir: &std::path::Path, args: &[&str]) -> (Option<i32>, String, String) {
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(args)
        .current_dir(dir)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout), text(&out.stderr))
}

const SESSION: &str = r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-03-02T09:00:00.000Z","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"timestamp":"2026-03-02T09:00:01.000Z","message":{"role":"user","content":"메뉴를 고쳐줘"}}
"#;

#[test]
fn no_output_goes_over_the_session_it_was_made_of() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("s.jsonl");
    std::fs::write(&file, SESSION).unwrap();
    for command in [&[][..], &["--json"], &["checkpoint"], &["prune"]] {
        for name in ["s.jsonl", "./s.jsonl", file.to_str().unwrap()] {
            let words = [command, &["s.jsonl", "-o", name]].concat();
            let (code, out, error) = compact(folder.path(), &words);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{words:?}: {error}");
            assert!(error.contains("never written"), "{error}");
            assert_eq!(std::fs::read_to_string(&file).unwrap(), SESSION);
        }
    }
    let words = ["s.jsonl", "--state", "new.json", "-o", "./new.json"];
    let (code, _, error) = compact(folder.path(), &words);
    assert!(
        code == Some(2) && error.contains("name two files"),
        "{error}"
    );
}

#[test]
fn damaged_images_are_told_and_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    let told = |data: &str, words: &[&str]| {
        let parts = format!(
            r#"[{{"type":"text","text":"메뉴를 고쳐줘"}},{{"type":"image","mimeType":"image/png","data":"{data}"}}]"#
        );
        let session = SESSION.replace(r#""메뉴를 고쳐줘""#, &parts);
        std::fs::write(folder.path().join("s.jsonl"), session).unwrap();
        let (code, out, error) = compact(folder.path(), &[&["s.jsonl"], words].concat());
        assert!(code == Some(0) && out.contains("image attached: "), "{out}");
        error
    };
    assert!(told("깨진 데이터", &[]).ends_with("its marker gives no size: #0\n"));
    assert_eq!(told("깨진 데이터", &["-q"]), "");
    assert_eq!(
        told("R0lGODlhAgADAIAAAP///wAAACwAAAAAAgADAAACAoRRADs=", &[]),
        ""
    );
}

#[test]
fn the_last_of_a_repeated_flag_counts_and_a_price_is_a_number() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.jsonl"), SESSION).unwrap();
    let words = ["s.jsonl", "--width", "9", "--width", "0", "-q", "-q"];
    let (code, out, error) = compact(folder.path(), &words);
    assert!(
        code == Some(0) && out.contains("- 메뉴를 고쳐줘 (#0)"),
        "{error}"
    );
    for price in ["0", "nan", "inf"] {
        let words = ["s.jsonl", "--chars-per-token", price];
        let (code, out, error) = compact(folder.path(), &words);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
    }
}

#[test]
fn errors_name_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("s.jsonl"), SESSION).unwrap();
    std::fs::write(folder.path().join("t.jsonl"), SESSION).unwrap();
    for (words, told) in [
        (&["s.jsonl", "t.jsonl"][..], "one session at a time"),
        (
            &["s.jsonl", "-o", "no/b.md"],
            "no/b.md: cannot be written: there is no such folder",
        ),
        (
            &["s.jsonl", "--state", "no/s.json"],
            "there is no such folder",
        ),
    ] {
        let (code, out, error) = compact(folder.path(), words);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{error}");
        assert!(
            error.contains(told) && error.lines().count() == 1,
            "{error}"
        );
    }
}

#[test]
fn the_least_ceiling_is_named_to_the_character() {
    let folder = tempfile::tempdir().unwrap();
    let long = "Please fix the sorting on the screen and tidy up all that belongs to the header of it too, one by one.";
    let text = SESSION.replace("메뉴를 고쳐줘", long);
    std::fs::write(folder.path().join("s.jsonl"), text).unwrap();
    for sections in ["transcript", "goal,transcript", "goal"] {
        let at = |n: usize| {
            let n = n.to_string();
            let words = ["s.jsonl", "--sections", sections, "--max-chars", &n];
            compact(folder.path(), &words)
        };
        let (_, _, error) = at(1);
        let least = error.trim().rsplit(' ').next().unwrap().parse().unwrap();
        let (code, out, _) = at(least);
        assert!(
            code == Some(0) && out.chars().count() <= least,
            "{sections} {least}"
        );
        assert_eq!(at(least - 1).0, Some(2), "{sections} {least}");
    }
}
