//! What each pruning strategy saves over a folder of real sessions, which no repository can hold: characters and
//! estimated tokens by format, beside what is kept, as a Markdown table for the README.
//!
//! ```text
//! cargo bench --profile dev --bench savings -- SESSIONS
//! ```
//!
//! Every strategy alone, then the default and all of them, with the default protections.

use compact::prune::{self, Options, Plan, Strategy};
use compact::session::Session;
use compact::transcript::Source;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Sums over the sessions of a format.
#[derive(Default)]
struct Row {
    sessions: u64,
    bytes: u64,
    tokens: u64,
    /// By strategy: calls, characters, tokens, bytes left.
    saved: BTreeMap<usize, [u64; 4]>,
}

fn main() -> ExitCode {
    let mut folders = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let Some(folder) = folders.next() else {
        // `cargo test --benches` and `cargo bench` without a folder have nothing to measure.
        println!("no folder of sessions named; nothing measured");
        return ExitCode::SUCCESS;
    };
    let mut files: Vec<PathBuf> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.flatten().map(|e| e.path()).collect(),
        Err(error) => {
            eprintln!("{folder}: {error}");
            return ExitCode::from(2);
        }
    };
    files.sort();
    let mut rows: BTreeMap<&'static str, Row> = BTreeMap::new();
    for file in files.iter().filter(|f| f.is_file()) {
        if let Err(error) = measure(file, &mut rows) {
            eprintln!("{}: {error:#}", file.display());
        }
    }
    print(&rows);
    ExitCode::SUCCESS
}

/// The runs of the table.
fn runs() -> Vec<(&'static str, Vec<Strategy>)> {
    let mut runs: Vec<(&'static str, Vec<Strategy>)> =
        Strategy::ALL.iter().map(|s| (s.name(), vec![*s])).collect();
    runs.push(("default", Strategy::DEFAULT.to_vec()));
    runs.push(("all", Strategy::ALL.to_vec()));
    runs
}

fn measure(file: &Path, rows: &mut BTreeMap<&'static str, Row>) -> anyhow::Result<()> {
    let source = Source::Path(file.to_owned());
    let session = Session::read(&source, &Default::default())?;
    let family = session.head.family;
    if prune::writable(family).is_err() {
        return Ok(());
    }
    let row = rows.entry(family.name()).or_default();
    row.sessions += 1;
    row.tokens += session.source_tokens as u64;
    for (at, (_, strategies)) in runs().into_iter().enumerate() {
        let options = Options {
            strategies,
            ..Options::default()
        };
        let plan = Plan::new(&session, &options)?;
        let mut input = std::fs::File::open(file)?;
        let report = prune::write(family, &plan, &options, &mut input, &mut std::io::sink())?;
        if at == 0 {
            row.bytes += report.bytes_in;
        }
        let sums = row.saved.entry(at).or_default();
        sums[0] += report.changed;
        sums[1] += report.items.iter().map(|i| i.saved_chars).sum::<u64>();
        sums[2] += report.tokens_saved;
        sums[3] += report.bytes_out;
    }
    Ok(())
}

fn print(rows: &BTreeMap<&'static str, Row>) {
    println!(
        "| format | strategy | calls | characters saved | tokens saved (est.) | of the session's tokens | file kept |"
    );
    println!("|---|---|---:|---:|---:|---:|---:|");
    for (format, row) in rows {
        for (at, (name, _)) in runs().iter().enumerate() {
            let [calls, chars, tokens, left] = row.saved.get(&at).copied().unwrap_or_default();
            let share = |part: u64, whole: u64| match whole {
                0 => 0.0,
                whole => 100.0 * part as f64 / whole as f64,
            };
            println!(
                "| {format} ({}) | {name} | {calls} | {chars} | {tokens} | {:.1} % | {:.1} % |",
                row.sessions,
                share(tokens, row.tokens),
                share(left, row.bytes)
            );
        }
    }
}
