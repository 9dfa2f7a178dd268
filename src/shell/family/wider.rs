//! Which work says more than which other: a success of `cargo test` is one of `cargo check` too.

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
