//! Reads one command by what is known of its tool: what kind of work it is and what it works on.

use super::Kind;
use super::builds::build_tool;
use super::checks::checker;
use super::deploys::deploy_tool;
use super::goal::kind_of;
use super::js::script;
use super::programs::{is_js_tool, is_search};
use super::scope::scope;
use crate::shell::path;
use crate::shell::script::Command;

/// A command read with the knowledge of its tool.
pub(super) struct Call {
    pub kind: Kind,
    /// One name for tools that do the same job.
    pub tool: String,
    /// Arguments that say what it works on, in order.
    pub scope: Vec<String>,
    /// A directory given as an option (`make -C`, `npm --prefix`).
    pub dir: Option<String>,
}

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

/// A call whose arguments all count as they are written.
pub(super) fn plain(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: args.iter().map(|a| (*a).to_owned()).collect(),
        dir: None,
    }
}

/// A call whose arguments count only where they narrow it to a part.
pub(super) fn checked(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: scope(args),
        dir: None,
    }
}

/// The first argument (`""` without any) and those behind it.
pub(super) fn split_first<'a, 'b>(args: &'b [&'a str]) -> (&'a str, &'b [&'a str]) {
    args.split_first().map_or(("", &[]), |(a, rest)| (*a, rest))
}

/// The subcommand behind the global options, of which `valued` take the next word, and what follows it.
pub(super) fn subcommand<'a, 'b>(args: &'b [&'a str], valued: &[&str]) -> (&'a str, &'b [&'a str]) {
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        if !arg.starts_with('-') {
            return (arg, args.get(i + 1..).unwrap_or_default());
        }
        i += if valued.contains(arg) { 2 } else { 1 };
    }
    ("", &[])
}
/// Takes an option with its value (`-C DIR`, `--prefix=DIR`) out of the arguments; `names` are its spellings.
pub(super) fn directory<'a>(args: &[&'a str], names: &[&str]) -> (Option<String>, Vec<&'a str>) {
    let (mut dir, mut out) = (None, Vec::new());
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        if names.contains(arg) {
            dir = rest.next().map(|d| (*d).to_owned());
        } else if let Some((name, value)) = arg.split_once('=')
            && names.contains(&name)
        {
            dir = Some(value.to_owned());
        } else {
            out.push(*arg);
        }
    }
    (dir, out)
}
