//! Which options of a check narrow it to a part, and which only change how it looks.

/// Options that take the next word, and the short spelling they are known by.
const VALUED: &[(&str, &str)] = &[
    ("--package", "-p"),
    ("-p", "-p"),
    ("--features", "-F"),
    ("-F", "-F"),
    ("--test", "--test"),
    ("--bin", "--bin"),
    ("--example", "--example"),
    ("--bench", "--bench"),
    ("--target", "--target"),
    ("--exclude", "--exclude"),
    ("--skip", "--skip"),
    ("--manifest-path", "--manifest-path"),
    ("-k", "-k"),
    ("-m", "-m"),
    ("-run", "-run"),
    ("--run", "-run"),
    ("-t", "-t"),
    ("--testNamePattern", "-t"),
    ("--filter", "--filter"),
    ("--project", "--project"),
    ("--tests", "--tests"),
    ("-scheme", "-scheme"),
    ("-destination", "-destination"),
    ("-f", "-f"),
    ("--file", "-f"),
    ("-c", "-c"),
    ("--config", "-c"),
    ("-E", "-E"),
    ("-g", "-t"),
    ("--grep", "-t"),
    ("--repo", "--repo"),
    ("-R", "--repo"),
];

/// Options with a value that only change how it looks or how fast it is.
const VALUED_NOISE: &[&str] = &[
    "-j",
    "--jobs",
    "--color",
    "--message-format",
    "--test-threads",
    "--reporter",
    "--maxfail",
    "--tb",
    "-n",
    "--timeout",
    "-count",
    "-timeout",
    "--profile",
    "--target-dir",
    "--log-level",
    "--loglevel",
    "-D",
    "-W",
    "-A",
    "--max-warnings",
    "--workers",
    "-w",
    "--retries",
    "--format",
    "--output-format",
    "--durations",
];

/// Options that only change how it looks, how fast it is, or that mean "everything".
pub(super) fn noise(arg: &str) -> bool {
    let name = arg.split('=').next().unwrap_or(arg);
    matches!(
        name,
        "-q" | "-v"
            | "-vv"
            | "-vvv"
            | "--quiet"
            | "--verbose"
            | "--nocapture"
            | "--no-capture"
            | "--show-output"
            | "--no-fail-fast"
            | "-x"
            | "-s"
            | "--workspace"
            | "--all"
            | "--all-targets"
            | "--all-features"
            | "--release"
            | "-r"
            | "--locked"
            | "--offline"
            | "--frozen"
            | "--no-color"
            | "--run"
            | "--ci"
            | "--silent"
            | "--passWithNoTests"
            | "--forceExit"
            | "--runInBand"
            | "-i"
            | "--fix"
            | "--noEmit"
            | "--info"
            | "--stacktrace"
            | "--no-daemon"
            | "-B"
            | "-U"
            | "--check"
            | "-race"
            | "-short"
            | "--debug"
            | "--watch"
            | "--watchAll"
            | "--bail"
            | "--coverage"
            | "--pretty"
            | "--write"
            | "-l"
            | "--color"
            | "--colors"
            | "--no-cache"
            | "--no-header"
            | "--no-summary"
            | "-auto-approve"
            | "--no-coverage"
            | "--trace"
            | "--warn"
            | "-b"
            | "--incremental"
            | "--force"
            | "."
            | "./..."
            | "--"
            | "--lib"
            | "--keep-going"
            | "-sS"
            | "-L"
            | "-fsSL"
            | "-sSL"
            | "-fsS"
    ) || VALUED_NOISE.contains(&name)
        || name.starts_with("--cov")
        || (name.starts_with("-j")
            && name
                .get(2..)
                .is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit())))
        || (name.starts_with("-r") && name.len() == 3)
}

/// The arguments that say what a check works on.
pub(super) fn scope(args: &[&str]) -> Vec<String> {
    let mut out = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (name, value) = match arg.split_once('=') {
            Some((name, value)) if name.starts_with('-') => (name, Some(value)),
            _ => (*arg, None),
        };
        if let Some((_, short)) = VALUED.iter().find(|(n, _)| *n == name) {
            match value.or_else(|| rest.clone().next().copied().filter(|v| !v.starts_with('-'))) {
                Some(v) => {
                    if value.is_none() {
                        rest.next();
                    }
                    out.push(format!("{short}={v}"));
                }
                None => {
                    if !noise(name) {
                        out.push(name.to_owned());
                    }
                }
            }
        } else if VALUED_NOISE.contains(&name) {
            if value.is_none() && rest.clone().next().is_some_and(|v| !v.starts_with('-')) {
                rest.next();
            }
        } else if !noise(arg) {
            out.push(arg.trim_end_matches('/').to_owned());
        }
    }
    out
}
