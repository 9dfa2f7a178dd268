//! The kind of work that the name of a script, target or goal tells: `test:e2e`, `build-all`.

use super::Kind;

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
