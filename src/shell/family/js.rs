//! Scripts of a package: npm, pnpm, yarn and bun run the same ones under different words.

use super::Kind;
use super::call::{Call, directory};
use super::goal::kind_of;
use super::scope::scope;

/// `npm run X`, `pnpm X`, `yarn X`, `bun X`: which of them it is does not matter, the script does.
pub(super) fn script(program: &str, args: &[&str]) -> Call {
    let (dir, args) = directory(args, &["--prefix", "-C", "--dir", "--cwd"]);
    let mut filter: Vec<String> = Vec::new();
    let mut words: Vec<&str> = Vec::new();
    let mut rest = args.iter().copied();
    while let Some(arg) = rest.next() {
        let npm_space = program == "npm" && arg == "-w";
        match arg {
            "--filter" | "-F" | "--workspace" => {
                filter.extend(rest.next().map(|v| format!("--filter={v}")));
            }
            "workspace" if words.is_empty() && program == "yarn" => {
                filter.extend(rest.next().map(|v| format!("--filter={v}")));
            }
            _ if npm_space => filter.extend(rest.next().map(|v| format!("--filter={v}"))),
            _ if arg.starts_with("--filter=") || arg.starts_with("--workspace=") => {
                filter.extend(arg.split_once('=').map(|(_, v)| format!("--filter={v}")));
            }
            _ if words.is_empty() && arg.starts_with('-') => {}
            "run" | "run-script" if words.is_empty() => {}
            _ => words.push(arg),
        }
    }
    let name = match words.first().copied() {
        None if args.contains(&"run") => "run",
        None if args.iter().any(|a| matches!(*a, "-v" | "-h")) => "help",
        None if args.iter().any(|a| matches!(*a, "--version" | "--help")) => "help",
        None | Some("i" | "ci" | "add" | "install") => "install",
        Some("t" | "tst") => "test",
        Some(name) => name,
    };
    let kind = match name {
        "install" => Kind::Install,
        "check" => Kind::Lint,
        name => kind_of(name),
    };
    let rest = words.get(1..).unwrap_or_default();
    let narrow = matches!(kind, Kind::Run | Kind::Other);
    let mut scope = if narrow {
        rest.iter().map(|a| (*a).to_owned()).collect()
    } else {
        scope(rest)
    };
    scope.extend(filter);
    let name = match kind {
        Kind::TypeCheck => "typecheck",
        _ => name,
    };
    Call {
        kind,
        tool: format!("js {name}"),
        scope,
        dir,
    }
}
