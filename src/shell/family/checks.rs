//! Tools that do one thing only, whatever their arguments: test runners, linters, formatters, type checkers.

use super::Kind;
use super::call::{Call, checked};

/// A tool of one kind.
struct Checker {
    /// The programs that are this tool.
    programs: &'static [&'static str],
    kind: Kind,
    /// The one name for tools that do the same job; `None`: each has its own.
    name: Option<&'static str>,
    /// Subcommands that add nothing to the name.
    verbs: &'static [&'static str],
}

const CHECKERS: &[Checker] = &[
    Checker {
        programs: &["vitest", "jest", "mocha", "ava"],
        kind: Kind::Test,
        name: Some("js test"),
        verbs: &["run"],
    },
    Checker {
        programs: &["playwright", "cypress"],
        kind: Kind::Test,
        name: None,
        verbs: &["test", "run"],
    },
    Checker {
        programs: &["pytest", "py.test"],
        kind: Kind::Test,
        name: Some("pytest"),
        verbs: &[],
    },
    Checker {
        programs: &[
            "unittest", "tox", "nox", "rspec", "phpunit", "pest", "ctest", "bats", "busted",
        ],
        kind: Kind::Test,
        name: None,
        verbs: &[],
    },
    Checker {
        programs: &["tsc", "vue-tsc", "tsgo"],
        kind: Kind::TypeCheck,
        name: Some("tsc"),
        verbs: &[],
    },
    Checker {
        programs: &["mypy", "pyright", "basedpyright", "ty"],
        kind: Kind::TypeCheck,
        name: None,
        verbs: &[],
    },
    Checker {
        programs: &[
            "eslint",
            "oxlint",
            "stylelint",
            "shellcheck",
            "flake8",
            "pylint",
            "golangci-lint",
            "ktlint",
            "rubocop",
            "swiftlint",
            "hadolint",
            "actionlint",
            "credo",
            "detekt",
        ],
        kind: Kind::Lint,
        name: None,
        verbs: &["run"],
    },
    Checker {
        programs: &["biome"],
        kind: Kind::Lint,
        name: None,
        verbs: &["check", "lint", "ci"],
    },
    Checker {
        programs: &["pre-commit"],
        kind: Kind::Lint,
        name: None,
        verbs: &[],
    },
    Checker {
        programs: &[
            "prettier",
            "black",
            "gofmt",
            "rustfmt",
            "isort",
            "clang-format",
            "shfmt",
        ],
        kind: Kind::Format,
        name: None,
        verbs: &[],
    },
];

/// Reads the command of a tool that does one thing only.
pub(super) fn checker(program: &str, args: &[&str]) -> Option<Call> {
    if program == "ruff" {
        return Some(ruff(args));
    }
    let tool = CHECKERS.iter().find(|c| c.programs.contains(&program))?;
    let rest = match args {
        [verb, rest @ ..] if tool.verbs.contains(verb) => rest,
        _ => args,
    };
    Some(checked(
        tool.kind.clone(),
        tool.name.unwrap_or(program),
        rest,
    ))
}

/// A linter that formats too.
fn ruff(args: &[&str]) -> Call {
    match args {
        ["format", rest @ ..] => checked(Kind::Format, "ruff format", rest),
        ["check", rest @ ..] => checked(Kind::Lint, "ruff check", rest),
        _ => checked(Kind::Lint, "ruff check", args),
    }
}
