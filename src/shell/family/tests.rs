use super::*;
use crate::shell::parse;

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
