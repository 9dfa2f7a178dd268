//! Which check a command is, and of what, so that a later run of the same thing can be told from a
//! run of something else: `cargo test -p a | tail -5` and `cargo test -p a` are one, and a later
//! `cargo test` says more than both.

use super::commits::git;
use super::family_tools as tools;
use super::path;
use super::script::{Command, Joint, Script};
use crate::language::{clip, one_line};

/// Longest target, in characters; what is compared is never cut.
const MAX_TARGET: usize = 200;

/// What kind of work a command is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Runs tests.
    Test,
    /// Builds, compiles or bundles.
    Build,
    /// Looks for mistakes without running.
    Lint,
    /// Formats, or checks the format.
    Format,
    /// Checks types only.
    TypeCheck,
    /// Installs packages.
    Install,
    /// Brings something out: deploy, publish, apply.
    Deploy,
    /// Asks a CI service how its checks stand.
    Ci,
    /// A git subcommand.
    Git(String),
    /// Talks to a network address.
    Http,
    /// Runs a program or script of the project.
    Run,
    /// Looks for text or files, or shows them.
    Search,
    /// Anything else.
    Other,
}

/// A check and what it checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Family {
    /// What kind of work it is.
    pub kind: Kind,
    /// One spelling for one check (`cargo test -p a foo`), without filters and options of output.
    pub target: String,
    /// Directory it runs in, as far as the command says (`""` where the shell started).
    pub dir: Option<String>,
    /// The tool, one name for tools that do the same job.
    pub(super) tool: String,
    /// What narrows it to a part, sorted.
    pub(super) scope: Vec<String>,
}

/// The family a script stands for: its last check, else the last program it runs.
pub fn family(script: &Script) -> Option<Family> {
    let mut best: Option<Family> = None;
    for next in families(script) {
        if best
            .as_ref()
            .is_none_or(|b| rank(&next.kind) >= rank(&b.kind))
        {
            best = Some(next);
        }
    }
    best
}

/// The families of all commands of a script, in order; filters and preparation have none.
pub fn families(script: &Script) -> Vec<Family> {
    script
        .commands
        .iter()
        .filter(|c| !c.substituted)
        .filter_map(of)
        .collect()
}

fn rank(kind: &Kind) -> u8 {
    match kind {
        Kind::Search => 0,
        Kind::Other | Kind::Run | Kind::Http => 1,
        Kind::Git(sub) if tools::git_looks(sub) => 0,
        Kind::Git(_) | Kind::Install => 2,
        _ => 3,
    }
}

/// The family of one command.
pub(super) fn of(command: &Command) -> Option<Family> {
    if command.program.is_empty() || tools::is_preparation(&command.program) {
        return None;
    }
    if command.joint == Joint::Pipe && tools::is_filter(&command.program) {
        return None;
    }
    if let Some(git) = git(command) {
        return Some(Family {
            kind: Kind::Git(git.sub.to_owned()),
            target: format!("git {}", git.sub),
            dir: git.dir,
            tool: format!("git {}", git.sub),
            scope: Vec::new(),
        });
    }
    let call = tools::call(command);
    let shown = if call.scope.is_empty() {
        call.tool.clone()
    } else {
        format!("{} {}", call.tool, call.scope.join(" "))
    };
    let shown = clip(&one_line(&shown), MAX_TARGET).into_owned();
    let mut scope = call.scope;
    scope.sort();
    scope.dedup();
    let dir = match (&command.dir, call.dir) {
        (Some(dir), Some(inner)) => Some(path::join(dir, &inner)),
        (dir, None) => dir.clone(),
        (None, Some(_)) => None,
    };
    Some(Family {
        kind: call.kind,
        target: shown,
        dir,
        tool: call.tool,
        scope,
    })
}

/// Whether a later success says that an earlier failure is over: the same check of the same thing,
/// or of more. Shells that keep their directory name it only once, so an unnamed directory matches.
pub fn covers(later: &Family, earlier: &Family) -> bool {
    if !same_place(later.dir.as_deref(), earlier.dir.as_deref()) {
        return false;
    }
    if later.tool != earlier.tool {
        return tools::includes(&later.tool, &earlier.tool) && subset(later, earlier);
    }
    match later.kind {
        // Another way to the same end is a success too (`git push --force`, `npm install --legacy`).
        Kind::Git(_) => true,
        Kind::Install | Kind::Deploy | Kind::Ci => {
            let names = |f: &Family| -> Vec<String> {
                f.scope
                    .iter()
                    .filter(|s| !s.starts_with('-'))
                    .cloned()
                    .collect()
            };
            later.scope.is_empty() || names(later) == names(earlier)
        }
        Kind::Test | Kind::Build | Kind::Lint | Kind::Format | Kind::TypeCheck => {
            subset(later, earlier)
        }
        Kind::Http | Kind::Run | Kind::Search | Kind::Other => later.scope == earlier.scope,
    }
}

fn subset(later: &Family, earlier: &Family) -> bool {
    later.scope.iter().all(|s| {
        earlier.scope.contains(s)
            || earlier.scope.iter().any(|e| tools::goes_through(&later.tool, s, e))
            // A folder or file holds its parts (`tests/` and `tests/a.py::test_x`).
            || earlier.scope.iter().any(|e| {
                e.strip_prefix(s.trim_end_matches('/'))
                    .is_some_and(|rest| rest.starts_with('/') || rest.starts_with("::") || rest.starts_with(':'))
            })
    })
}

/// Whether a check of another tool looks at no less than an earlier one; of the same tool, [`covers`] says it.
pub fn as_wide(later: &Family, earlier: &Family) -> bool {
    later.tool != earlier.tool
        && same_place(later.dir.as_deref(), earlier.dir.as_deref())
        && later
            .scope
            .iter()
            .all(|s| s.starts_with('-') || earlier.scope.contains(s))
}

/// Whether a command of this kind only looks at things.
pub fn looks(kind: &Kind) -> bool {
    match kind {
        Kind::Search => true,
        Kind::Git(sub) => tools::git_looks(sub),
        _ => false,
    }
}

fn same_place(later: Option<&str>, earlier: Option<&str>) -> bool {
    match (later, earlier) {
        (None, _) | (_, None) => true,
        (Some(a), Some(b)) => {
            let shell_kept =
                |x: &str, y: &str| x.is_empty() && (y.is_empty() || y.starts_with(['/', '~']));
            a == b || shell_kept(a, b) || shell_kept(b, a)
        }
    }
}

/// Whether a non-zero exit of the script only means "nothing found" or "not the same": the command
/// that decides its status is a search or a comparison.
pub fn harmless_nonzero(script: &Script) -> bool {
    let mut asked = false;
    let mut piped = false;
    // From the end: the last pipeline decides, and what stands before it with `&&`.
    for command in script
        .commands
        .iter()
        .rev()
        .filter(|c| !c.substituted && !c.program.is_empty())
    {
        let decides = !piped || script.pipefail;
        if decides && asks(command) {
            asked = true;
        } else if decides && !never_fails(command) {
            return false;
        }
        match command.joint {
            Joint::Pipe => piped = true,
            Joint::And => piped = false,
            Joint::Then | Joint::Or | Joint::Background => break,
        }
    }
    asked
}

/// A command whose non-zero status is an answer.
fn asks(command: &Command) -> bool {
    match command.program.as_str() {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "diff" | "cmp" | "comm" | "test"
        | "[" | "[[" | "pgrep" | "pkill" | "which" | "type" | "command" | "lsof" | "pidof"
        | "false" | "zgrep" | "colordiff" | "fuser" => true,
        "git" => git(command).is_some_and(|g| {
            let has = |name: &str| g.args.iter().any(|w| w.text == name);
            match g.sub {
                "diff" | "diff-index" | "diff-files" => {
                    has("--exit-code") || has("--quiet") || has("--no-index") || has("--check")
                }
                "grep" | "check-ignore" | "merge-base" => true,
                "show-ref" | "rev-parse" => has("--verify") || has("--quiet") || has("-q"),
                "config" => true,
                "ls-files" => has("--error-unmatch"),
                _ => false,
            }
        }),
        _ => false,
    }
}

/// Preparation and filters that are not to blame for a status.
fn never_fails(command: &Command) -> bool {
    matches!(
        command.program.as_str(),
        "echo" | "printf" | "true" | ":" | "sleep" | "export" | "set" | "cd" | "pwd" | "date"
    )
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn of_text(text: &str) -> Option<Family> {
        family(&parse(text))
    }

    fn target(text: &str) -> String {
        of_text(text).map_or_else(|| "-".to_owned(), |f| format!("{:?}: {}", f.kind, f.target))
    }

    #[test]
    fn checks_are_known_by_kind_and_target() {
        for (text, want) in [
            (
                "cargo test -p a foo 2>&1 | tail -5",
                "Test: cargo test -p=a foo",
            ),
            (
                "cd /w && cargo test --package=a foo -- --nocapture",
                "Test: cargo test -p=a foo",
            ),
            ("cargo build --release", "Build: cargo build"),
            (
                "cargo clippy --all-targets -- -D warnings",
                "Lint: cargo clippy",
            ),
            (
                "cargo fmt && cargo +nightly check",
                "TypeCheck: cargo check",
            ),
            ("npm test", "Test: js test"),
            (
                "pnpm run test -- src/a.test.ts",
                "Test: js test src/a.test.ts",
            ),
            (
                "npx vitest run src/a.test.ts",
                "Test: js test src/a.test.ts",
            ),
            ("yarn build", "Build: js build"),
            ("bun run lint", "Lint: js lint"),
            ("npm run test:e2e", "Test: js test:e2e"),
            ("npm i", "Install: js install"),
            ("pnpm --version", "Run: js help"),
            ("npm run check", "Lint: js check"),
            ("mise run test:ci", "Test: mise test:ci"),
            ("npx tsc --noEmit", "TypeCheck: tsc"),
            ("npx eslint src", "Lint: eslint src"),
            (
                "python -m pytest tests/test_a.py -x -q",
                "Test: pytest tests/test_a.py",
            ),
            ("uv run pytest -k login", "Test: pytest -k=login"),
            ("go test ./...", "Test: go test"),
            (
                "go test ./pkg/a -run TestX",
                "Test: go test ./pkg/a -run=TestX",
            ),
            ("go vet ./...", "Lint: go vet"),
            ("make -C sub check", "Test: make check"),
            ("make", "Build: make"),
            ("./gradlew :app:test --info", "Test: gradle :app:test"),
            ("mvn -q -B package", "Build: mvn package"),
            ("dotnet test", "Test: dotnet test"),
            (
                "bundle exec rspec spec/a_spec.rb",
                "Test: rspec spec/a_spec.rb",
            ),
            ("ruff check .", "Lint: ruff check"),
            ("mypy src", "TypeCheck: mypy src"),
            ("docker build -t x .", "Build: docker build"),
            ("terraform apply -auto-approve", "Deploy: terraform apply"),
            ("gh pr checks 12", "Ci: gh pr checks 12"),
            (
                "curl -s https://a.test/x | jq .",
                "Http: curl https://a.test/x",
            ),
            ("git push -u origin main", "Git(\"push\"): git push"),
            ("grep -rn x src | head", "Search: grep -rn x src"),
            ("flutter test", "Test: flutter test"),
            (
                "xcodebuild test -scheme A",
                "Test: xcodebuild test -scheme=A",
            ),
            ("python3 tools/make.py", "Run: python tools/make.py"),
            (
                "himail --account work send",
                "Other: himail --account work send",
            ),
            ("cd /w", "-"),
            ("echo cargo test", "-"),
        ] {
            assert_eq!(target(text), want, "{text}");
        }
    }

    #[test]
    fn a_broader_success_covers_and_a_narrower_does_not() {
        for (later, earlier, want) in [
            ("cargo test", "cargo test -p a foo | tail", true),
            ("cargo test -p a foo", "cargo test", false),
            ("cargo test --workspace", "cargo test foo", true),
            ("cargo build", "cargo check", true),
            ("cargo check", "cargo build", false),
            ("npm test", "npx vitest run a.test.ts", true),
            ("npm run build", "npm test", false),
            ("npm run test:unit", "npm test", false),
            ("pytest tests", "pytest tests/test_a.py::test_x", true),
            ("pytest tests/test_b.py", "pytest tests/test_a.py", false),
            ("git push --force-with-lease", "git push", true),
            ("git pull", "git push", false),
            (
                "himail send --account work",
                "himail --account work send",
                true,
            ),
            ("himail list", "himail --account work send", false),
            ("./run.sh", "./run.sh a", false),
            ("cd b && cargo test", "cd a && cargo test", false),
            ("cd /w && cargo test", "cargo test", true),
            ("cd sub && npm test", "npm test", false),
            ("make test", "make build", false),
            ("curl https://a.test/y", "curl https://a.test/x", false),
            ("cargo test --features x", "cargo test", false),
        ] {
            let (Some(a), Some(b)) = (of_text(later), of_text(earlier)) else {
                panic!("{later} / {earlier}");
            };
            assert_eq!(covers(&a, &b), want, "{later} / {earlier}");
        }
    }

    #[test]
    fn only_searches_and_comparisons_end_harmlessly() {
        for (text, want) in [
            ("grep x a", true),
            ("cd /w && rg -n x src", true),
            ("ls | grep x", true),
            ("cat a | grep x | head", false),
            ("diff a b", true),
            ("test -f x && echo yes", true),
            ("[ -f x ]", true),
            ("which node", true),
            ("git diff --exit-code", true),
            ("git diff", false),
            ("cargo test", false),
            ("grep x a; cargo test", false),
            ("cargo test; grep x a", true),
            ("cargo test && grep x a", false),
            ("grep -q x a && cargo test", false),
            ("cargo test | grep FAILED", true),
            ("echo a", false),
            ("", false),
        ] {
            assert_eq!(harmless_nonzero(&parse(text)), want, "{text}");
        }
    }
}
