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
