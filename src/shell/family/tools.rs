//! Reads one command by what is known of its tool: what kind of work it is and what it works on.

use super::Kind;
use super::builds::build_tool;
use super::call::{Call, checked, plain, split_first};
use super::checks::checker;
use super::deploys::deploy_tool;
use super::goal::kind_of;
use super::js::script;
use super::programs::{is_js_tool, is_search};
use crate::shell::path;
use crate::shell::script::Command;

/// Reads a command by what is known of its tool.
pub(super) fn call(command: &Command) -> Call {
    let mut args: Vec<&str> = command.args().collect();
    let mut program = path::base(&command.program);
    let local = command.program.starts_with("./") || command.program.starts_with("../");
    // Runners stand in front of the tool they run; each turn takes words away.
    while let Some(at) = run_by(program, &args)
        && let Some(tool) = args.get(at)
    {
        program = path::base(tool);
        args.drain(..=at);
    }
    let known = checker(program, &args)
        .or_else(|| build_tool(program, &args))
        .or_else(|| deploy_tool(program, &args))
        .or_else(|| other_tool(program, &args));
    known.unwrap_or_else(|| {
        let kind = if is_search(program) {
            Kind::Search
        } else if local || command.program.contains('/') {
            kind_of(program.split('.').next().unwrap_or(program))
        } else {
            Kind::Other
        };
        let tool = if local {
            command.program.trim_start_matches("./")
        } else {
            program
        };
        plain(kind, tool, &args)
    })
}

/// The place of the tool among the arguments of a program that runs another one: `npx X`, `uv run X`, `python -m X`.
fn run_by(program: &str, args: &[&str]) -> Option<usize> {
    let first = args.first().copied()?;
    let word_from = |from: usize| {
        let mut words = args.iter().skip(from);
        words.position(|a| !a.starts_with('-')).map(|n| n + from)
    };
    match (program, first) {
        ("npx" | "bunx" | "pnpx", _) => word_from(0),
        ("pnpm" | "yarn" | "bun" | "npm", "exec" | "dlx" | "x") => word_from(1),
        ("yarn" | "pnpm", tool) if is_js_tool(tool) => Some(0),
        ("uv" | "poetry" | "pipenv" | "rye" | "pdm" | "hatch", "run") => word_from(1),
        ("bundle" | "mise" | "fvm" | "rtx", "exec") => word_from(1),
        ("mise" | "fvm" | "rtx", "flutter" | "dart") => word_from(0),
        ("python" | "python3", "-m") if args.len() > 1 => Some(1),
        _ => None,
    }
}

/// Reads the command of a package manager, an interpreter or a program that talks to an address.
fn other_tool(program: &str, args: &[&str]) -> Option<Call> {
    let (first, rest) = split_first(args);
    Some(match program {
        "npm" | "pnpm" | "yarn" | "bun" => script(program, args),
        "pip" | "pip3" | "apt" | "apt-get" | "brew" | "gem" | "bundle" | "composer" | "pod"
        | "conda" | "uv" | "poetry" | "apk" | "dnf" => match first {
            "" | "install" | "add" | "sync" | "update" | "upgrade" | "require" | "lock" => {
                checked(Kind::Install, &format!("{program} {first}"), rest)
            }
            "publish" | "build" => checked(kind_of(first), &format!("{program} {first}"), rest),
            _ => plain(Kind::Other, program, args),
        },
        "curl" | "wget" | "http" | "https" | "httpie" | "xh" => {
            let address = args
                .iter()
                .find(|a| a.contains("://") || a.starts_with("localhost") || a.starts_with(':'));
            match address {
                Some(address) => plain(Kind::Http, program, &[address]),
                None => plain(Kind::Http, program, args),
            }
        }
        "python" | "python3" if first.ends_with("manage.py") => {
            let (name, rest) = split_first(rest);
            checked(kind_of(name), format!("manage.py {name}").trim(), rest)
        }
        "python" | "python3" => plain(Kind::Run, "python", args),
        "node" if args.contains(&"--test") => {
            let rest: Vec<&str> = args.iter().copied().filter(|a| *a != "--test").collect();
            checked(Kind::Test, "node --test", &rest)
        }
        // The same as running it by its path.
        "bash" | "sh" | "zsh" if first.ends_with(".sh") => {
            let stem = path::base(first).trim_end_matches(".sh");
            plain(kind_of(stem), first.trim_start_matches("./"), rest)
        }
        "node" | "tsx" | "ts-node" | "ruby" | "php" | "perl" | "bash" | "sh" | "zsh" | "java"
        | "swipl" => plain(Kind::Run, program, args),
        _ => return None,
    })
}
