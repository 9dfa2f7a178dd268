//! What reading costs, as ratios against a floor taken in the same run: `serde_json` skipping every line.
//!
//! ```text
//! cargo bench --bench speed                # 10 MB
//! cargo bench --bench speed -- 200         # 200 MB; 1000 for the large one
//! cargo bench --bench speed -- 200 claude  # one agent only
//! cargo bench --bench speed -- write 200 pi FILE
//! ```
//!
//! All rows take turns, several rounds; a ratio is the median of the rounds' ratios, so that a busy machine slows
//! both sides. Memory is the highest resident size that the system saw of a process (Linux only).

#[path = "generate.rs"]
mod generate;

use compact::session::Session;
use compact::transcript::{Options, Source};
use compact::{brief, extract, lexicon};
use generate::Agent;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const COMPACT: &str = env!("CARGO_BIN_EXE_compact");
const AGENTS: [Agent; 3] = [Agent::Claude, Agent::Pi, Agent::Codex];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    if std::env::args().any(|a| a == "--test") {
        // `cargo test --benches`: nothing to measure.
        return ExitCode::SUCCESS;
    }
    let done = match args.first().map(String::as_str) {
        Some("write") => write(&args[1..]),
        _ => measure(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

fn agent(name: &str) -> Option<Agent> {
    AGENTS.into_iter().find(|a| a.name() == name)
}

fn write(args: &[String]) -> anyhow::Result<()> {
    let [megabytes, name, path] = args else {
        anyhow::bail!("write MEGABYTES AGENT FILE");
    };
    let agent = agent(name).ok_or_else(|| anyhow::anyhow!("no agent {name}"))?;
    let mut file = std::fs::File::create(path)?;
    generate::session(agent, megabytes.parse::<u64>()? * 1_000_000, &mut file)?;
    Ok(())
}

fn measure(args: &[String]) -> anyhow::Result<()> {
    let megabytes: u64 = args.first().map_or(Ok(10), |a| a.parse())?;
    let only = args.get(1).and_then(|name| agent(name));
    start_up()?;
    for agent in AGENTS.into_iter().filter(|a| only.is_none_or(|o| o == *a)) {
        let path = input(agent, megabytes)?;
        sizes(agent, megabytes, &path)?;
    }
    Ok(())
}

/// The generated file, made once a size.
fn input(agent: Agent, megabytes: u64) -> anyhow::Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    std::fs::create_dir_all(folder)?;
    let path = folder.join(format!("speed-{}-{megabytes}.jsonl", agent.name()));
    if !path.exists() {
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        generate::session(agent, megabytes * 1_000_000, file.as_file_mut())?;
        file.persist(&path)?;
    }
    Ok(path)
}

/// One thing to measure, with its time in each round.
struct Row<'a> {
    name: &'static str,
    run: Box<dyn FnMut() -> anyhow::Result<()> + 'a>,
    times: Vec<Duration>,
}

impl<'a> Row<'a> {
    fn new(name: &'static str, run: impl FnMut() -> anyhow::Result<()> + 'a) -> Row<'a> {
        Row {
            name,
            run: Box::new(run),
            times: Vec::new(),
        }
    }
}

/// Runs all rows in turns; the first one is the floor.
fn rounds(rows: &mut [Row<'_>], rounds: usize) -> anyhow::Result<()> {
    for _ in 0..rounds {
        for row in rows.iter_mut() {
            let start = Instant::now();
            (row.run)()?;
            row.times.push(start.elapsed());
        }
    }
    Ok(())
}

/// Ratio of a row to the floor: the median over the rounds.
fn ratio(row: &Row<'_>, floor: &Row<'_>) -> f64 {
    let mut ratios: Vec<f64> = row
        .times
        .iter()
        .zip(&floor.times)
        .map(|(a, b)| a.as_secs_f64() / b.as_secs_f64())
        .collect();
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

fn report(rows: &[Row<'_>]) {
    for row in rows {
        let best = row.times.iter().min().copied().unwrap_or_default();
        println!(
            "  {:<28} {:>9.1} ms  {:>6.2}",
            row.name,
            best.as_secs_f64() * 1e3,
            ratio(row, &rows[0])
        );
    }
}

/// What no reader that looks at every line with `serde_json` can beat.
fn floor(path: &Path) -> anyhow::Result<()> {
    let mut input = BufReader::with_capacity(256 << 10, std::fs::File::open(path)?);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        serde_json::from_slice::<serde::de::IgnoredAny>(&line)?;
        line.clear();
    }
    Ok(())
}

fn library(path: &Path) -> anyhow::Result<()> {
    let session = Session::read(&Source::Path(path.to_owned()), &Options::default())?;
    let mut state = extract::extract(&session, &lexicon::Rules::shared());
    let text = brief::render_into(&session, &mut state, &brief::Options::default())?;
    anyhow::ensure!(!text.is_empty(), "an empty brief");
    Ok(())
}

fn command(args: &[&std::ffi::OsStr]) -> Command {
    let mut command = Command::new(COMPACT);
    command
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .stdin(Stdio::null());
    command
}

fn process(args: &[&std::ffi::OsStr]) -> anyhow::Result<()> {
    let status = command(args).status()?;
    anyhow::ensure!(
        status.code().is_some_and(|c| c < 2),
        "{args:?} ended with {status}"
    );
    Ok(())
}

fn sizes(agent: Agent, megabytes: u64, path: &Path) -> anyhow::Result<()> {
    println!("{} {megabytes} MB", agent.name());
    let file = path.as_os_str();
    let folder = tempfile::tempdir()?;
    let pruned = folder.path().join("pruned.jsonl");
    // A run with a state over all but the last hundredth, which the next run then goes on from.
    let state = folder.path().join("state.json");
    let grown = folder.path().join("grown.jsonl");
    let with_state = [grown.as_os_str(), "--state".as_ref(), state.as_os_str()];
    let bytes = std::fs::metadata(path)?.len();
    let first = || {
        let _ = std::fs::remove_file(&state);
        std::fs::File::options()
            .write(true)
            .open(&grown)?
            .set_len(bytes / 100 * 99)?;
        process(&with_state)
    };
    let second = || {
        let mut from = std::fs::File::open(path)?;
        let mut to = std::fs::File::options().append(true).open(&grown)?;
        std::io::Seek::seek(&mut from, std::io::SeekFrom::Start(to.metadata()?.len()))?;
        std::io::copy(&mut from, &mut to)?;
        process(&with_state)
    };
    std::fs::copy(path, &grown)?;
    let mut rows = vec![
        Row::new("floor: serde_json skips", || floor(path)),
        Row::new("brief, library", || library(path)),
        Row::new("brief, process", || process(&[file])),
        Row::new("usage", || process(&["usage".as_ref(), file])),
        Row::new("recall", || {
            process(&["recall".as_ref(), "쿠키 수명".as_ref(), file])
        }),
        Row::new("prune", || {
            process(&[
                "prune".as_ref(),
                file,
                "--output".as_ref(),
                pruned.as_os_str(),
            ])
        }),
    ];
    rows.push(Row::new("brief, first run with state", first));
    rows.push(Row::new("brief, after 1 % more", second));
    rows.retain_mut(|row| match (row.run)() {
        Ok(()) => true,
        Err(error) => {
            println!("  {}: {error}", row.name);
            false
        }
    });
    rounds(&mut rows, if megabytes >= 1000 { 3 } else { 7 })?;
    report(&rows);
    if let [.., first, second] = rows.as_slice()
        && second.name.contains("1 %")
    {
        let share = 100.0 * ratio(second, first);
        println!("  second run of the first      {share:>9.1} %");
    }
    drop(rows);
    if let Some(peak) = peak(&[file])? {
        println!("  peak memory of the brief     {peak:>9.1} MB");
    }
    Ok(())
}

/// The highest resident size of the process in MB, looked up until it ends.
fn peak(args: &[&std::ffi::OsStr]) -> anyhow::Result<Option<f64>> {
    let mut child = command(args).spawn()?;
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = None;
    while child.try_wait()?.is_none() {
        let kilobytes = std::fs::read_to_string(&status).ok().and_then(|text| {
            let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse::<f64>().ok()
        });
        peak = kilobytes.map(|k| k / 1024.0).or(peak);
        std::thread::sleep(Duration::from_micros(500));
    }
    Ok(peak)
}

/// Starting against `/bin/true`.
fn start_up() -> anyhow::Result<()> {
    const EVENT: &str = r#"{"session_id":"s-1","transcript_path":"/nowhere/s.jsonl","cwd":"/tmp","hook_event_name":"Stop","stop_hook_active":false}"#;
    println!("start-up");
    let hook = || {
        let mut child = Command::new(COMPACT)
            .arg("hook")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(EVENT.as_bytes())?;
        }
        child.wait()?;
        Ok(())
    };
    let mut rows = vec![
        Row::new("floor: /bin/true", || {
            Command::new("/bin/true").status()?;
            Ok(())
        }),
        Row::new("--version", || process(&["--version".as_ref()])),
        Row::new("hook, a small event", hook),
    ];
    rounds(&mut rows, 60)?;
    report(&rows);
    Ok(())
}
