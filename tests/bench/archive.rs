//! What `compact replay` does with an archive: its throughput as a ratio to the single-file reader, and what a second
//! worker gives beside what a second core gives.
//!
//! ```text
//! cargo bench --bench archive           # 60 sessions, 60 KB to 4 MB, a third of them compacted
//! cargo bench --bench archive -- 200    # that many sessions
//! ```
//!
//! All rows take turns, several rounds; ratios are medians of the rounds' ratios, so that a busy machine slows both
//! sides. The control is a loop of arithmetic that needs neither memory nor system, on one thread and on two: what
//! the machine had to give in that round.

#[allow(dead_code)]
#[path = "generate.rs"]
mod generate;

use compact::session::Session;
use compact::transcript::{Options, Source};
use generate::Agent;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

const AGENTS: [Agent; 3] = [Agent::Claude, Agent::Pi, Agent::Codex];
const ROUNDS: usize = 7;

fn main() -> ExitCode {
    if std::env::args().any(|a| a == "--test") {
        // `cargo test --benches`: nothing to measure.
        return ExitCode::SUCCESS;
    }
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::from(2)
        }
    }
}

/// The archive, made once a size. Sizes repeat every twelve sessions; a third of the sessions is compacted.
fn archive(sessions: u64) -> anyhow::Result<PathBuf> {
    const KILOBYTES: [u64; 12] = [60, 150, 90, 400, 1200, 60, 250, 4000, 120, 800, 2500, 200];
    let root = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = root.join(format!("archive-{sessions}"));
    if folder.is_dir() {
        return Ok(folder);
    }
    std::fs::create_dir_all(root)?;
    let made = tempfile::tempdir_in(root)?;
    for (number, kilobytes) in (0..sessions).zip(KILOBYTES.iter().cycle()) {
        let agent = AGENTS[(number % 3) as usize];
        let path = made
            .path()
            .join(format!("{}-{number:03}.jsonl", agent.name()));
        let mut file = std::fs::File::create(path)?;
        let compactions = [0, 0, 1, 0, 2, 0][(number / 2 % 6) as usize];
        generate::one_of_many(agent, kilobytes * 1000, number, compactions, &mut file)?;
    }
    std::fs::rename(made.path(), &folder)?;
    Ok(folder)
}

fn files(folder: &Path) -> anyhow::Result<(Vec<PathBuf>, u64)> {
    let mut paths = Vec::new();
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        bytes += entry.metadata()?.len();
        paths.push(entry.path());
    }
    paths.sort();
    Ok((paths, bytes))
}

/// Arithmetic that waits for nothing, on that many threads: twice the threads, twice the work.
fn control(threads: u64) {
    std::thread::scope(|scope| {
        for seed in 0..threads {
            scope.spawn(move || {
                let mut x = black_box(seed | 1);
                for _ in 0..400_000_000u64 {
                    x ^= x << 13;
                    x ^= x >> 7;
                    x ^= x << 17;
                }
                black_box(x)
            });
        }
    });
}

fn replay(folder: &Path, jobs: u32) -> anyhow::Result<()> {
    let status = Command::new(env!("CARGO_BIN_EXE_compact"))
        .args(["replay".as_ref(), folder.as_os_str()])
        .args(["--json", "--jobs", &jobs.to_string()])
        .stdout(Stdio::null())
        .stdin(Stdio::null())
        .status()?;
    anyhow::ensure!(status.success(), "a session fails: {status}");
    Ok(())
}

fn timed(run: impl FnOnce() -> anyhow::Result<()>) -> anyhow::Result<f64> {
    let start = Instant::now();
    run()?;
    Ok(start.elapsed().max(Duration::from_micros(1)).as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

/// Seconds of one round.
struct Round {
    reader: f64,
    one: f64,
    two: f64,
    alone: f64,
    both: f64,
}

fn measure() -> anyhow::Result<()> {
    let sessions = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    let folder = archive(sessions.map_or(Ok(60), |n| n.parse())?)?;
    let (paths, bytes) = files(&folder)?;
    let read = || -> anyhow::Result<()> {
        for path in &paths {
            let session = Session::read(&Source::Path(path.clone()), &Options::default())?;
            anyhow::ensure!(!session.entries.is_empty(), "{}: empty", path.display());
        }
        Ok(())
    };
    let largest = paths
        .iter()
        .filter_map(|p| p.metadata().ok())
        .map(|m| m.len());
    println!(
        "{} sessions, {:.1} MB, the largest {:.1} MB",
        paths.len(),
        bytes as f64 / 1e6,
        largest.max().unwrap_or_default() as f64 / 1e6
    );
    read()?;
    let rounds = (0..ROUNDS)
        .map(|_| {
            Ok(Round {
                reader: timed(read)?,
                one: timed(|| replay(&folder, 1))?,
                alone: timed(|| {
                    control(1);
                    Ok(())
                })?,
                two: timed(|| replay(&folder, 2))?,
                both: timed(|| {
                    control(2);
                    Ok(())
                })?,
            })
        })
        .collect::<anyhow::Result<Vec<Round>>>()?;
    let of = |value: fn(&Round) -> f64| median(rounds.iter().map(value).collect());
    let speed = |seconds: f64| bytes as f64 / 1e6 / seconds;
    let row = |name: &str, seconds: f64, ratio: f64| {
        println!("  {name:<34} {:>8.1} MB/s {ratio:>7.2}", speed(seconds));
    };
    row("reader, one file after another", of(|r| r.reader), 1.0);
    row("replay --jobs 1", of(|r| r.one), of(|r| r.reader / r.one));
    row("replay --jobs 2", of(|r| r.two), of(|r| r.reader / r.two));
    let gain = of(|r| r.one / r.two);
    let given = of(|r| 2.0 * r.alone / r.both);
    println!("  a second worker speeds up          {gain:>21.2}");
    println!("  a second core speeds up (control)  {given:>21.2}");
    let share = of(|r| (r.one / r.two) / (2.0 * r.alone / r.both));
    println!("  share of it that replay gets       {share:>21.2}");
    Ok(())
}
