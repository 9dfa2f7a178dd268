//! Build tools: their subcommand or goal says which kind of work a run of them is.

use super::Kind;
use super::call::{Call, checked, directory, plain, split_first, subcommand};
use super::goal::kind_of;
use super::scope::noise;

/// Reads the command of a build tool, a compiler or a bundler.
pub(super) fn build_tool(program: &str, args: &[&str]) -> Option<Call> {
    let (first, rest) = split_first(args);
    Some(match program {
        "cargo" => cargo(args),
        "go" => match first {
            "test" => checked(Kind::Test, "go test", rest),
            "build" => checked(Kind::Build, "go build", rest),
            "vet" => checked(Kind::Lint, "go vet", rest),
            "fmt" => checked(Kind::Format, "go fmt", rest),
            "mod" | "get" | "install" => checked(Kind::Install, &format!("go {first}"), rest),
            _ => plain(Kind::Run, "go", args),
        },
        "mise" | "rtx" | "moon" if matches!(first, "run" | "r") => {
            let (task, rest) = split_first(rest);
            checked(kind_of(task), format!("mise {task}").trim(), rest)
        }
        "make" | "gmake" | "just" | "task" | "rake" | "ninja" | "mage" => make(program, args),
        "gradle" | "gradlew" | "mvn" | "mvnw" | "bazel" | "bazelisk" | "sbt" | "lein" | "mix" => {
            goals(program, args)
        }
        "cmake" => checked(Kind::Build, program, args),
        "gcc" | "clang" | "g++" | "clang++" | "javac" | "kotlinc" | "swiftc" | "rustc" | "cc" => {
            plain(Kind::Build, program, args)
        }
        "vite" | "next" if first != "build" => return None,
        "vite" | "next" | "webpack" | "rollup" | "esbuild" | "tsup" => {
            let rest = if first == "build" { rest } else { args };
            checked(Kind::Build, &format!("{program} build"), rest)
        }
        "turbo" | "nx" => {
            let rest = match first {
                "run" | "run-many" => rest,
                _ => args,
            };
            let kind = rest.first().map_or(Kind::Run, |task| kind_of(task));
            checked(kind, program, rest)
        }
        "dotnet" | "flutter" | "dart" | "swift" | "deno" | "zig" | "forge" | "anchor" => {
            let kind = match first {
                "analyze" | "lint" => Kind::Lint,
                "restore" | "pub" => Kind::Install,
                "check" => Kind::TypeCheck,
                name => kind_of(name),
            };
            match kind {
                Kind::Run => plain(Kind::Run, program, args),
                kind => checked(kind, &format!("{program} {first}"), rest),
            }
        }
        "xcodebuild" => xcodebuild(args),
        "artisan" | "rails" | "eas" => checked(kind_of(first), &format!("{program} {first}"), rest),
        _ => return None,
    })
}

fn cargo(args: &[&str]) -> Call {
    let args = match args {
        // `cargo +nightly test`: the toolchain does not matter.
        [toolchain, rest @ ..] if toolchain.starts_with('+') => rest,
        _ => args,
    };
    let (sub, rest) = subcommand(args, &["-Z", "--config", "-C"]);
    let (kind, name) = match sub {
        "test" | "t" => (Kind::Test, "test"),
        // Its own subcommand, `run`, says nothing more.
        "nextest" => return checked(Kind::Test, "cargo test", split_first(rest).1),
        "build" | "b" => (Kind::Build, "build"),
        "check" | "c" => (Kind::TypeCheck, "check"),
        "clippy" => (Kind::Lint, "clippy"),
        "deny" | "audit" | "machete" => (Kind::Lint, sub),
        "fmt" => (Kind::Format, "fmt"),
        "doc" => (Kind::Build, "doc"),
        "install" | "add" | "update" | "fetch" => (Kind::Install, sub),
        "publish" => (Kind::Deploy, sub),
        "run" | "r" => return plain(Kind::Run, "cargo run", rest),
        _ => return plain(Kind::Run, "cargo", args),
    };
    checked(kind, &format!("cargo {name}"), rest)
}

/// `make -C sub test`: the first word that is no option or variable is the goal.
fn make(program: &str, args: &[&str]) -> Call {
    let (dir, args) = directory(args, &["-C", "--directory"]);
    let args: Vec<&str> = args.into_iter().filter(|a| !noise(a)).collect();
    let name = if program == "gmake" { "make" } else { program };
    let goal = args
        .iter()
        .find(|a| !a.starts_with('-') && !a.contains('='))
        .copied();
    let rest: Vec<&str> = args.iter().copied().filter(|a| Some(*a) != goal).collect();
    Call {
        dir,
        ..plain(
            goal.map_or(Kind::Build, kind_of),
            [name, goal.unwrap_or("")].join(" ").trim(),
            &rest,
        )
    }
}

/// `gradle :app:test`, `mvn -q package`: the last goal tells the kind, all of them are the scope.
fn goals(program: &str, args: &[&str]) -> Call {
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
    let last = args.iter().rfind(|a| !a.starts_with('-'));
    let kind = last.map_or(Kind::Build, |goal| {
        kind_of(goal.rsplit(':').next().unwrap_or(goal))
    });
    checked(kind, name, &args)
}

fn xcodebuild(args: &[&str]) -> Call {
    let goal = args
        .iter()
        .rfind(|a| matches!(**a, "test" | "build" | "archive" | "build-for-testing"))
        .copied()
        .unwrap_or("build");
    let kind = match goal {
        "test" => Kind::Test,
        _ => Kind::Build,
    };
    let rest: Vec<&str> = args
        .iter()
        .copied()
        .filter(|a| *a != goal && *a != "clean")
        .collect();
    checked(kind, &format!("xcodebuild {goal}"), &rest)
}
