//! What is known of particular tools: their kind of work, their subcommands, and which of their
//! options narrow a run and which only change how it looks.

use super::family::Kind;
use super::family_js::script;
use super::family_scope::{noise, scope};
use super::path;
use super::script::Command;

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

/// Programs that only prepare or talk.
pub(super) fn is_preparation(program: &str) -> bool {
    matches!(
        program,
        "cd" | "pushd"
            | "popd"
            | "set"
            | "export"
            | "unset"
            | "echo"
            | "printf"
            | "true"
            | ":"
            | "false"
            | "sleep"
            | "source"
            | "."
            | "test"
            | "["
            | "[["
            | "exit"
            | "wait"
            | "shopt"
            | "umask"
            | "pwd"
            | "date"
            | "trap"
            | "ulimit"
            | "alias"
            | "local"
            | "read"
            | "return"
            | "break"
            | "continue"
            | "declare"
            | "clear"
    )
}

/// Programs that behind a pipe only choose or shape lines.
pub(super) fn is_filter(program: &str) -> bool {
    is_search(program)
        || matches!(
            program,
            "tee"
                | "xargs"
                | "column"
                | "fold"
                | "rev"
                | "paste"
                | "python3"
                | "python"
                | "node"
                | "perl"
        )
}

/// Programs that look and show, and change nothing.
pub(super) fn is_search(program: &str) -> bool {
    cmdlet_looks(program)
        || matches!(
            program,
            "grep"
                | "egrep"
                | "fgrep"
                | "rg"
                | "ag"
                | "ack"
                | "find"
                | "fd"
                | "ls"
                | "tree"
                | "cat"
                | "head"
                | "tail"
                | "sed"
                | "awk"
                | "less"
                | "more"
                | "bat"
                | "nl"
                | "wc"
                | "sort"
                | "uniq"
                | "cut"
                | "tr"
                | "jq"
                | "yq"
                | "diff"
                | "cmp"
                | "stat"
                | "file"
                | "du"
                | "df"
                | "ps"
                | "which"
                | "type"
                | "pgrep"
                | "lsof"
                | "env"
                | "printenv"
                | "zgrep"
                | "tac"
                | "strings"
                | "xxd"
                | "od"
                | "hexdump"
                | "md5sum"
                | "sha256sum"
                | "shasum"
                | "readlink"
                | "realpath"
                | "basename"
                | "dirname"
                | "comm"
                | "id"
                | "whoami"
                | "uname"
                | "hostname"
                | "history"
                | "journalctl"
                | "dmesg"
                | "man"
                | "command"
        )
}

/// Commands of PowerShell that look: `Get-Content`, `Select-String`.
fn cmdlet_looks(program: &str) -> bool {
    let verb = program.split_once('-').map_or("", |(verb, _)| verb);
    [
        "get", "select", "test", "measure", "where", "format", "compare", "resolve", "sort",
        "group", "write", "out",
    ]
    .iter()
    .any(|known| verb.eq_ignore_ascii_case(known))
        && program.chars().next().is_some_and(char::is_uppercase)
}

/// Git subcommands that only look.
pub(super) fn git_looks(sub: &str) -> bool {
    matches!(
        sub,
        "status"
            | "log"
            | "diff"
            | "show"
            | "branch"
            | "remote"
            | "rev-parse"
            | "ls-files"
            | "blame"
            | "grep"
            | "describe"
            | "reflog"
            | "config"
            | "cat-file"
            | "ls-tree"
            | "rev-list"
            | "shortlog"
            | "show-ref"
            | "merge-base"
            | "check-ignore"
            | "ls-remote"
            | "diff-tree"
            | "for-each-ref"
    )
}

/// A success of the first is one of the second, if it is not narrower.
pub(super) fn includes(later: &str, earlier: &str) -> bool {
    matches!(
        (later, earlier),
        ("cargo test" | "cargo build" | "cargo clippy", "cargo check")
            | ("cargo test", "cargo build")
            | ("go test", "go build" | "go vet")
            | ("swift test", "swift build")
            | ("dotnet test", "dotnet build")
            | ("flutter test", "flutter analyze")
            | (
                "js build",
                "tsc" | "js typecheck" | "vite build" | "next build"
            )
            | ("js typecheck", "tsc")
            | ("tsc", "js typecheck")
            | ("js lint", "eslint" | "biome")
            | ("eslint", "js lint")
            | ("ruff check", "flake8")
    )
}

/// Whether a goal of a build tool runs another one on its way.
pub(super) fn goes_through(tool: &str, later: &str, earlier: &str) -> bool {
    const PHASES: &[&str] = &[
        "validate",
        "compile",
        "test-compile",
        "test",
        "package",
        "integration-test",
        "verify",
        "install",
        "deploy",
    ];
    let last = |goal: &str| goal.rsplit(':').next().unwrap_or(goal).to_owned();
    match tool {
        "mvn" => {
            let phase = |goal: &str| PHASES.iter().position(|p| *p == goal);
            matches!((phase(later), phase(earlier)), (Some(l), Some(e)) if l >= e)
        }
        "gradle" => {
            let (later, earlier) = (last(later), last(earlier));
            (later == "build" && matches!(earlier.as_str(), "test" | "check" | "assemble" | "jar"))
                || (later == "check" && earlier == "test")
                || (matches!(later.as_str(), "build" | "test" | "check" | "assemble")
                    && earlier.starts_with("compile"))
        }
        _ => false,
    }
}

/// The kind of work that the name of a script or target tells.
pub(super) fn kind_of(name: &str) -> Kind {
    let lower = name.to_ascii_lowercase();
    let any = |words: &[&str]| {
        words
            .iter()
            .any(|w| lower.split(|c: char| !c.is_alphanumeric()).any(|p| p == *w))
    };
    if any(&["typecheck", "tsc", "types"])
        || lower.contains("type-check")
        || lower.contains("check-types")
    {
        Kind::TypeCheck
    } else if any(&[
        "test",
        "tests",
        "e2e",
        "spec",
        "unit",
        "integration",
        "vitest",
        "jest",
        "connectedandroidtest",
        "testdebugunittest",
    ]) || lower == "check"
        || lower == "verify"
        || lower == "t"
        || lower.ends_with("test")
    {
        Kind::Test
    } else if any(&["lint", "eslint", "clippy", "check", "vet", "lintdebug"]) {
        Kind::Lint
    } else if any(&["format", "fmt", "prettier"]) {
        Kind::Format
    } else if any(&[
        "deploy",
        "publish",
        "release",
        "ship",
        "migrate",
        "migration",
        "migrations",
    ]) {
        Kind::Deploy
    } else if any(&["install", "ci", "add", "bootstrap", "setup"]) {
        Kind::Install
    } else if any(&[
        "build", "compile", "bundle", "package", "dist", "all", "assemble",
    ]) || ["assemble", "bundle", "compile"]
        .iter()
        .any(|w| lower.starts_with(w))
    {
        Kind::Build
    } else {
        Kind::Run
    }
}

/// Reads a command by what is known of its tool.
pub(super) fn call(command: &Command) -> Call {
    let mut args: Vec<&str> = command.args().collect();
    let mut program = path::base(&command.program);
    let local = command.program.starts_with("./") || command.program.starts_with("../");
    // Runners stand in front of the tool they run; each turn takes words away.
    loop {
        let skip = match (program, args.first().copied()) {
            ("npx" | "bunx" | "pnpx", Some(_)) => args.iter().position(|a| !a.starts_with('-')),
            ("pnpm" | "yarn" | "bun" | "npm", Some("exec" | "dlx" | "x")) => args
                .iter()
                .skip(1)
                .position(|a| !a.starts_with('-'))
                .map(|n| n + 1),
            ("yarn", Some(tool)) if is_js_tool(tool) => Some(0),
            ("pnpm", Some(tool)) if is_js_tool(tool) => Some(0),
            ("uv" | "poetry" | "pipenv" | "rye" | "pdm" | "hatch", Some("run")) => args
                .iter()
                .skip(1)
                .position(|a| !a.starts_with('-'))
                .map(|n| n + 1),
            ("bundle", Some("exec"))
            | ("mise" | "fvm" | "rtx", Some("exec" | "flutter" | "dart")) => {
                let from = usize::from(args.first() == Some(&"exec"));
                args.iter()
                    .skip(from)
                    .position(|a| !a.starts_with('-'))
                    .map(|n| n + from)
            }
            ("python" | "python3", Some("-m")) if args.len() > 1 => Some(1),
            _ => None,
        };
        let Some(tool) = skip.and_then(|n| args.get(n).copied()) else {
            break;
        };
        program = path::base(tool);
        args.drain(..=skip.unwrap_or(0));
    }
    known(program, &args, local).unwrap_or_else(|| {
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

fn is_js_tool(name: &str) -> bool {
    matches!(
        name,
        "vitest"
            | "jest"
            | "mocha"
            | "ava"
            | "tsc"
            | "vue-tsc"
            | "eslint"
            | "biome"
            | "prettier"
            | "playwright"
            | "cypress"
            | "vite"
            | "next"
            | "webpack"
            | "rollup"
            | "esbuild"
            | "turbo"
            | "nx"
            | "oxlint"
            | "tsup"
            | "wrangler"
            | "tsx"
            | "prisma"
    )
}

/// A tool whose arguments all count as they are written.
fn plain(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: args.iter().map(|a| (*a).to_owned()).collect(),
        dir: None,
    }
}

fn checked(kind: Kind, tool: &str, args: &[&str]) -> Call {
    Call {
        kind,
        tool: tool.to_owned(),
        scope: scope(args),
        dir: None,
    }
}

fn known(program: &str, args: &[&str], local: bool) -> Option<Call> {
    let first = args.first().copied().unwrap_or("");
    let rest = args.get(1..).unwrap_or_default();
    Some(match program {
        "cargo" => {
            let args = if first.starts_with('+') { rest } else { args };
            let (sub, rest) = subcommand(args, &["-Z", "--config", "-C"]);
            let (kind, name) = match sub {
                "test" | "t" => (Kind::Test, "test"),
                "nextest" => (Kind::Test, "test"),
                "build" | "b" => (Kind::Build, "build"),
                "check" | "c" => (Kind::TypeCheck, "check"),
                "clippy" => (Kind::Lint, "clippy"),
                "deny" | "audit" | "machete" => (Kind::Lint, sub),
                "fmt" => (Kind::Format, "fmt"),
                "doc" => (Kind::Build, "doc"),
                "install" | "add" | "update" | "fetch" => (Kind::Install, sub),
                "publish" => (Kind::Deploy, sub),
                "run" | "r" => return Some(plain(Kind::Run, "cargo run", rest)),
                _ => return Some(plain(Kind::Run, "cargo", args)),
            };
            let rest = if sub == "nextest" {
                rest.get(1..).unwrap_or_default()
            } else {
                rest
            };
            checked(kind, &format!("cargo {name}"), rest)
        }
        "npm" | "pnpm" | "yarn" | "bun" => return Some(script(program, args)),
        "vitest" | "jest" | "mocha" | "ava" => {
            let rest = if first == "run" { rest } else { args };
            checked(Kind::Test, "js test", rest)
        }
        "playwright" | "cypress" => checked(
            Kind::Test,
            program,
            if matches!(first, "test" | "run") {
                rest
            } else {
                args
            },
        ),
        "tsc" | "vue-tsc" | "tsgo" => checked(Kind::TypeCheck, "tsc", args),
        "eslint" | "oxlint" | "stylelint" | "shellcheck" | "flake8" | "pylint"
        | "golangci-lint" | "ktlint" | "rubocop" | "swiftlint" | "hadolint" | "actionlint"
        | "credo" | "detekt" => checked(
            Kind::Lint,
            program,
            if first == "run" { rest } else { args },
        ),
        "biome" => checked(
            Kind::Lint,
            program,
            if matches!(first, "check" | "lint" | "ci") {
                rest
            } else {
                args
            },
        ),
        "prettier" | "black" | "gofmt" | "rustfmt" | "isort" | "clang-format" | "shfmt" => {
            checked(Kind::Format, program, args)
        }
        "ruff" => match first {
            "format" => checked(Kind::Format, "ruff format", rest),
            "check" => checked(Kind::Lint, "ruff check", rest),
            _ => checked(Kind::Lint, "ruff check", args),
        },
        "mypy" | "pyright" | "basedpyright" | "ty" => checked(Kind::TypeCheck, program, args),
        "pytest" | "py.test" => checked(Kind::Test, "pytest", args),
        "unittest" | "tox" | "nox" | "rspec" | "phpunit" | "pest" | "ctest" | "bats" | "busted" => {
            checked(Kind::Test, program, args)
        }
        "artisan" => checked(kind_of(first), &format!("artisan {first}"), rest),
        "go" => match first {
            "test" => checked(Kind::Test, "go test", rest),
            "build" => checked(Kind::Build, "go build", rest),
            "vet" => checked(Kind::Lint, "go vet", rest),
            "fmt" => checked(Kind::Format, "go fmt", rest),
            "mod" | "get" | "install" => checked(Kind::Install, &format!("go {first}"), rest),
            _ => plain(Kind::Run, "go", args),
        },
        "mise" | "rtx" | "moon" if matches!(first, "run" | "r") => {
            let name = rest.first().copied().unwrap_or("");
            checked(
                kind_of(name),
                format!("mise {name}").trim(),
                rest.get(1..).unwrap_or_default(),
            )
        }
        "make" | "gmake" | "just" | "task" | "rake" | "ninja" | "mage" => {
            let (dir, args) = directory(args, &["-C", "--directory"]);
            let args: Vec<&str> = args.into_iter().filter(|a| !noise(a)).collect();
            let name = if program == "gmake" { "make" } else { program };
            let goal = args
                .iter()
                .find(|a| !a.starts_with('-') && !a.contains('='))
                .copied();
            Call {
                kind: goal.map_or(Kind::Build, kind_of),
                dir,
                ..plain(
                    Kind::Build,
                    [name, goal.unwrap_or("")].join(" ").trim(),
                    &args
                        .iter()
                        .copied()
                        .filter(|a| Some(*a) != goal)
                        .collect::<Vec<_>>(),
                )
            }
        }
        "gradle" | "gradlew" | "mvn" | "mvnw" | "bazel" | "bazelisk" | "sbt" | "lein" | "mix" => {
            let name = match program {
                "gradlew" => "gradle",
                "mvnw" => "mvn",
                "bazelisk" => "bazel",
                name => name,
            };
            let args: Vec<&str> = args
                .iter()
                .copied()
                .filter(|a| !noise(a) && *a != "clean")
                .collect();
            let goals = args.iter().filter(|a| !a.starts_with('-')).copied();
            let kind = goals
                .map(|a| kind_of(a.rsplit(':').next().unwrap_or(a)))
                .next_back()
                .unwrap_or(Kind::Build);
            checked(kind, name, &args)
        }
        "cmake" => checked(Kind::Build, program, args),
        "gcc" | "clang" | "g++" | "clang++" | "javac" | "kotlinc" | "swiftc" | "rustc" | "cc" => {
            plain(Kind::Build, program, args)
        }
        "vite" | "next" | "webpack" | "rollup" | "esbuild" | "tsup"
            if first == "build" || program != "next" && program != "vite" =>
        {
            checked(
                Kind::Build,
                &format!("{program} build"),
                if first == "build" { rest } else { args },
            )
        }
        "turbo" | "nx" => {
            let rest = if matches!(first, "run" | "run-many") {
                rest
            } else {
                args
            };
            checked(
                rest.first().map_or(Kind::Run, |n| kind_of(n)),
                program,
                rest,
            )
        }
        "dotnet" | "flutter" | "dart" | "swift" | "deno" | "zig" | "forge" | "anchor" => {
            let kind = match first {
                "analyze" | "lint" => Kind::Lint,
                "restore" | "pub" => Kind::Install,
                "check" => Kind::TypeCheck,
                name => kind_of(name),
            };
            if kind == Kind::Run {
                return Some(plain(Kind::Run, program, args));
            }
            checked(kind, &format!("{program} {first}"), rest)
        }
        "xcodebuild" => {
            let goal = args
                .iter()
                .rev()
                .find(|a| matches!(**a, "test" | "build" | "archive" | "build-for-testing"))
                .copied()
                .unwrap_or("build");
            let kind = if goal == "test" {
                Kind::Test
            } else {
                Kind::Build
            };
            let rest: Vec<&str> = args
                .iter()
                .copied()
                .filter(|a| *a != goal && *a != "clean")
                .collect();
            checked(kind, &format!("xcodebuild {goal}"), &rest)
        }
        "docker" | "podman" | "docker-compose" => {
            let (tool, rest) = match (program, first) {
                ("docker-compose", _) => ("docker compose", args),
                (_, "compose") => ("docker compose", rest),
                _ => ("docker", args),
            };
            let (sub, rest) =
                subcommand(rest, &["-f", "--file", "-p", "--project-name", "--profile"]);
            let tool = format!("{tool} {sub}");
            match sub {
                "build" | "buildx" => {
                    // What it is called does not matter.
                    let (_, rest) = directory(rest, &["-t", "--tag"]);
                    checked(Kind::Build, &tool, &rest)
                }
                "push" | "up" | "deploy" => plain(Kind::Deploy, &tool, rest),
                "pull" => plain(Kind::Install, &tool, rest),
                "ps" | "logs" | "images" | "inspect" => plain(Kind::Search, &tool, rest),
                _ => plain(Kind::Run, &tool, rest),
            }
        }
        "terraform" | "tofu" | "pulumi" | "cdk" | "sls" | "serverless" => match first {
            "validate" => checked(Kind::Lint, "terraform validate", rest),
            "fmt" => checked(Kind::Format, "terraform fmt", rest),
            "show" | "output" | "state" | "providers" | "graph" | "version" => {
                plain(Kind::Search, program, args)
            }
            _ => checked(Kind::Deploy, &format!("{program} {first}"), rest),
        },
        "kubectl" | "helm" => match first {
            "get" | "describe" | "logs" | "top" | "explain" | "version" | "config" | "auth"
            | "diff" | "list" | "status" | "search" | "history" => {
                plain(Kind::Search, program, args)
            }
            "exec" | "port-forward" | "attach" | "proxy" => plain(Kind::Run, program, args),
            _ => plain(Kind::Deploy, &format!("{program} {first}"), rest),
        },
        "vercel" | "netlify" | "fly" | "flyctl" | "wrangler" | "firebase" | "eb" | "heroku"
        | "railway" => {
            let kind = if program == "vercel" && (first.is_empty() || first.starts_with('-')) {
                Kind::Deploy
            } else {
                kind_of(first)
            };
            plain(kind, program, args)
        }
        "gh" | "glab" => {
            let verb = rest.first().copied().unwrap_or_default();
            let kind = match (first, verb) {
                ("pr" | "mr", "checks") | ("run" | "ci", _) => Kind::Ci,
                // What the words are does not matter: another try says the same in others.
                ("pr" | "mr" | "release" | "issue" | "repo", "create" | "merge") => {
                    return Some(plain(
                        Kind::Deploy,
                        &format!("{program} {first} {verb}"),
                        &[],
                    ));
                }
                // The same by its address.
                ("api", _) if rest.iter().chain([&verb]).any(|a| a.ends_with("/merge")) => {
                    return Some(plain(Kind::Deploy, &format!("{program} pr merge"), &[]));
                }
                _ => Kind::Other,
            };
            plain(kind, program, args)
        }
        "aws" | "gcloud" | "az" | "gsutil" => {
            let words: Vec<&str> = args
                .iter()
                .copied()
                .filter(|a| !a.starts_with('-'))
                .collect();
            let looks = |word: &&str| {
                let verb = word.split('-').next().unwrap_or(word);
                matches!(
                    verb,
                    "ls" | "list" | "describe" | "get" | "show" | "head" | "tail" | "wait" | "logs"
                )
            };
            match words.iter().take(4).any(looks) {
                true => plain(Kind::Search, program, args),
                false => plain(Kind::Deploy, program, words.get(..3).unwrap_or(&words)),
            }
        }
        "prisma" | "supabase" | "drizzle-kit" | "diesel" | "sqlx" | "alembic" | "flyway"
        | "knex" | "typeorm" | "sequelize" | "sequelize-cli" | "dbmate" | "goose" | "liquibase" => {
            database(program, args)
        }
        "ansible-playbook" | "rsync" | "scp" | "twine" | "goreleaser" | "fastlane" => {
            plain(Kind::Deploy, program, args)
        }
        "rails" | "eas" => checked(kind_of(first), &format!("{program} {first}"), rest),
        "curl" | "wget" | "http" | "https" | "httpie" | "xh" => {
            let address = args
                .iter()
                .find(|a| a.contains("://") || a.starts_with("localhost") || a.starts_with(':'));
            match address {
                Some(address) => plain(Kind::Http, program, &[address]),
                None => plain(Kind::Http, program, args),
            }
        }
        "pip" | "pip3" | "apt" | "apt-get" | "brew" | "gem" | "bundle" | "composer" | "pod"
        | "conda" | "uv" | "poetry" | "apk" | "dnf" => {
            if matches!(
                first,
                "install" | "add" | "sync" | "update" | "upgrade" | "require" | "lock"
            ) || first.is_empty()
            {
                checked(Kind::Install, &format!("{program} {first}"), rest)
            } else if first == "publish" || first == "build" {
                checked(kind_of(first), &format!("{program} {first}"), rest)
            } else {
                plain(Kind::Other, program, args)
            }
        }
        "python" | "python3" if first.ends_with("manage.py") => {
            let name = rest.first().copied().unwrap_or("");
            let rest = rest.get(1..).unwrap_or_default();
            checked(kind_of(name), format!("manage.py {name}").trim(), rest)
        }
        "python" | "python3" => plain(Kind::Run, "python", args),
        "node" if args.contains(&"--test") => checked(
            Kind::Test,
            "node --test",
            &args
                .iter()
                .copied()
                .filter(|a| *a != "--test")
                .collect::<Vec<_>>(),
        ),
        // The same as running it by its path.
        "bash" | "sh" | "zsh" if first.ends_with(".sh") => {
            let stem = path::base(first).trim_end_matches(".sh");
            plain(kind_of(stem), first.trim_start_matches("./"), rest)
        }
        "node" | "tsx" | "ts-node" | "ruby" | "php" | "perl" | "bash" | "sh" | "zsh" | "java"
        | "swipl" => plain(Kind::Run, program, args),
        "pre-commit" => checked(Kind::Lint, program, args),
        _ if local => return None,
        _ => return None,
    })
}

/// Tools that bring a database to another version, and what they do besides.
fn database(program: &str, args: &[&str]) -> Call {
    let changes = |word: &&str| {
        let verb = word.rsplit(':').next().unwrap_or(word);
        matches!(
            verb,
            "push"
                | "upgrade"
                | "downgrade"
                | "up"
                | "update"
                | "latest"
                | "reset"
                | "deploy"
                | "apply"
        ) || word
            .split([':', '-'])
            .any(|w| matches!(w, "migrate" | "migration"))
    };
    let words: Vec<&str> = args
        .iter()
        .copied()
        .filter(|a| !a.starts_with('-'))
        .collect();
    match words.iter().take(3).any(changes) {
        true => plain(Kind::Deploy, program, &words),
        false => plain(Kind::Run, program, args),
    }
}

/// Global options off; subcommand and the rest.
fn subcommand<'a, 'b>(args: &'b [&'a str], valued: &[&str]) -> (&'a str, &'b [&'a str]) {
    let mut i = 0;
    while let Some(arg) = args.get(i) {
        if !arg.starts_with('-') {
            return (arg, args.get(i + 1..).unwrap_or_default());
        }
        i += if valued.contains(arg) { 2 } else { 1 };
    }
    ("", &[])
}

/// Takes `-C DIR` out of the arguments.
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
