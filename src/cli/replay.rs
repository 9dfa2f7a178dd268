//! `compact replay PATH...`: its flags, what it prints, and its reports.

use super::common::{self, Judging, Reading, When, notice};
use crate::disk;
use crate::language::{clip, visible};
use crate::replay::report::{Form, Totals, number, percent};
use crate::replay::{self, Answer, Briefs, Change, Replayed, Shard, Target};
use anstyle::{AnsiColor, Style};
use anyhow::{Result, bail};
use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compact every archived session below the paths again, and check what was promised
///
/// Each session is compacted at its own compactions with a carried state, and once in one go. Checked: deterministic
/// (the same bytes twice), slices (the same facts as in one go), references (each one opens), requests (first and
/// latest are there), ceiling, closing_line (one, the last), clean (no base64, no secret), pairs (a pruned copy has
/// every call and result). A session that fails names the check and the reference.
///
/// Folders are walked, links followed once, each file taken once; files that are no session are passed over unless
/// named; a sub-agent's file in SESSION/subagents/ belongs to its session; .git and node_modules are not entered. Of
/// a store every session is replayed, or the one that --session names.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact replay archive/
  compact replay archive/ --json | jq -r 'select(.ok | not) | .path'
  compact replay archive/ --write briefs/          # keep the briefs
  compact replay archive/ --check briefs/          # after an update: what changed in them?

On several machines of a CI, each takes its part; together the parts are the whole:
  compact replay archive/ --shard \"$INDEX/$TOTAL\" --report \"replay-$INDEX.xml\"
On one machine, by other tools:
  seq 4 | xargs -P 4 -I {} sh -c 'compact replay archive/ --shard {}/4 --json > part-{}.jsonl'
  find archive -name '*.jsonl' | parallel -k compact replay --json {}

Exit status: 0 all checks hold, 1 some do not (or a brief changed), 2 it could not be done.")]
pub struct Args {
    /// Session files, and folders of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// Slices of N human turns [default: at the session's own compactions]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub every: Option<u32>,

    /// Slices end where the session was compacted [default: on]
    #[arg(long, conflicts_with = "every")]
    pub at_compactions: bool,

    /// Only part I of N, as in 2/4; the parts weigh about the same [default: everything]
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Sessions read at once; the output is the same for any number [default: one a core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,

    /// Keep each brief as DIR/PATH-BELOW-THE-ROOT.md [default: none kept]
    #[arg(long, value_name = "DIR")]
    pub write: Option<PathBuf>,

    /// Compare each brief with the one kept in DIR, and show what changed [default: not compared]
    #[arg(long, value_name = "DIR")]
    pub check: Option<PathBuf>,

    /// Write a report when all is done: .json, .xml (JUnit) or .html (one page); repeatable [default: none]
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,

    /// Stop at the first session that fails [default: off]
    #[arg(long)]
    pub fail_fast: bool,

    /// Print one JSON line a session, without totals [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub judging: Judging,

    #[command(flatten)]
    pub reading: Reading,
}

/// Finds, replays, prints in the order of the paths, and writes the reports.
///
/// # Errors
/// A path that is missing, a flag that means nothing, a report that cannot be written, a reader that fails.
pub fn run(args: &Args) -> Result<ExitCode> {
    let forms: Vec<Form> = args
        .report
        .iter()
        .map(|path| Form::of(path))
        .collect::<Result<_>>()?;
    if let Some(folder) = args.check.as_ref().filter(|f| !f.is_dir()) {
        bail!(
            "{}: no such folder; write the briefs first with --write",
            folder.display()
        );
    }
    let options = replay::Options {
        rules: args.judging.rules(args.reading.quiet)?,
        from: args.reading.from.0,
        strict: args.reading.strict,
        session: args.reading.session.clone(),
        every: args.every.map(|n| n as usize),
    };
    let mut found = replay::find(&args.paths, args.reading.session.is_some())?;
    for folder in &found.unread {
        notice(folder);
    }
    let mut run = Run {
        args,
        sessions: Vec::new(),
        totals: Totals::default(),
        undone: !found.unread.is_empty(),
    };
    if let Some(shard) = args.shard {
        found.targets = shard.take(found.targets);
    }
    let targets = found.targets;
    let jobs = match args.jobs {
        Some(jobs) => jobs as usize,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let bars = Bars::new(args, &targets, jobs);
    let name = |at: usize| targets.get(at).map(|t| t.path.display().to_string());
    let one = |at: usize| match targets.get(at) {
        Some(target) => finish(args, target, replay::replay(target, &options)),
        None => Answer::NoSession,
    };
    let weights: Vec<u64> = targets.iter().map(|t| t.bytes).collect();
    replay::each(
        &replay::order(&weights, jobs),
        jobs,
        &|worker, item| bars.at(worker, item.and_then(name)),
        one,
        |_, answer| {
            bars.step();
            bars.aside(|| run.take(answer))
        },
    )?;
    bars.clear();
    run.end(&forms)
}

/// Compares with the brief kept, and keeps the new one.
fn finish(args: &Args, target: &Target, answer: Answer) -> Answer {
    let Answer::Session(mut replayed) = answer else {
        return answer;
    };
    let mut done = || -> Result<()> {
        if let Some(folder) = &args.check {
            replayed.change = Some(Briefs(folder.clone()).compare(target, &replayed)?);
        }
        if let Some(folder) = &args.write {
            Briefs(folder.clone()).keep(target, &replayed, disk::write_file)?;
        }
        Ok(())
    };
    match done() {
        Ok(()) => Answer::Session(replayed),
        Err(error) => Answer::Failed(format!("{error:#}")),
    }
}

/// What a run has seen so far.
struct Run<'a> {
    args: &'a Args,
    /// Kept for the reports only.
    sessions: Vec<Replayed>,
    totals: Totals,
    /// Something could not be done.
    undone: bool,
}

impl Run<'_> {
    /// Takes the next answer; `false` ends the run.
    fn take(&mut self, answer: Answer) -> Result<bool> {
        match answer {
            Answer::NoSession => Ok(true),
            Answer::Failed(what) => {
                let what = what.replace('\n', " ");
                notice(&visible(&what));
                self.undone = true;
                Ok(!self.args.fail_fast)
            }
            Answer::Session(mut replayed) => {
                let text = if self.args.json {
                    serde_json::to_string(&replayed)? + "\n"
                } else {
                    self.lines(&replayed)
                };
                common::print(&text)?;
                self.totals.add(&replayed);
                let ok = replayed.ok();
                if !self.args.report.is_empty() {
                    replayed.brief = String::new();
                    self.sessions.push(*replayed);
                }
                Ok(ok || !self.args.fail_fast)
            }
        }
    }

    fn lines(&self, replayed: &Replayed) -> String {
        let (word, style) = match replayed.ok() {
            true => ("ok    ", AnsiColor::Green.on_default()),
            false => ("FAILED", AnsiColor::Red.on_default().bold()),
        };
        let mut line = format!(
            "{} {}  {}  {} records  {} → {} tokens ({})",
            self.styled(style, word),
            visible(&replayed.name()),
            replayed.format,
            number(replayed.records),
            number(replayed.tokens_in),
            number(replayed.tokens_out),
            change_of(replayed.reduction()),
        );
        if replayed.compactions > 0 {
            let many = if replayed.compactions == 1 { "" } else { "s" };
            line.push_str(&format!("  {} compaction{many}", replayed.compactions));
        }
        if replayed.skipped > 0 {
            line.push_str(&format!("  {} skipped", number(replayed.skipped)));
        }
        let mut failed: Vec<String> = replayed.failures.iter().map(|f| f.line()).collect();
        if let Some(change) = replayed.change.as_ref().filter(|c| c.is_one()) {
            failed.push(change.line().to_owned());
        }
        if !failed.is_empty() {
            let more = failed.len().saturating_sub(SHOWN);
            failed.truncate(SHOWN);
            let failed = visible(&failed.join("; ")).into_owned();
            line.push_str(&format!("  {}", clip(&failed, 400)));
            if more > 0 {
                line.push_str(&format!("; {more} more"));
            }
        }
        line.push('\n');
        if let Some(Change::Changed { diff }) = &replayed.change {
            for changed in diff.lines() {
                let style = match changed.as_bytes().first() {
                    Some(b'+') => AnsiColor::Green.on_default(),
                    Some(b'-') => AnsiColor::Red.on_default(),
                    _ => Style::new().dimmed(),
                };
                line.push_str(&format!("  {}\n", self.styled(style, &visible(changed))));
            }
        }
        line
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.args.reading.coloured() {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Totals, reports, exit status.
    fn end(self, forms: &[Form]) -> Result<ExitCode> {
        let totals = &self.totals;
        let whole = self.args.shard.is_none_or(|s| s.of == 1);
        if totals.sessions == 0 && whole && !self.undone {
            let paths: Vec<String> = self
                .args
                .paths
                .iter()
                .map(|p| p.display().to_string())
                .collect();
            bail!(
                "{}: no session in it; name a folder of session files",
                paths.join(", ")
            );
        }
        // Nothing to sum up: stderr has said why.
        if !self.args.json && (totals.sessions > 0 || !self.undone) {
            common::print(&totals_line(totals))?;
        }
        for (path, form) in self.args.report.iter().zip(forms) {
            disk::write_file(path, &form.text(&self.sessions)?)?;
        }
        Ok(if self.undone {
            ExitCode::from(2)
        } else {
            ExitCode::from(u8::from(totals.failed > 0))
        })
    }
}

/// Failures of a session that its line names.
const SHOWN: usize = 3;

fn totals_line(totals: &Totals) -> String {
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    format!(
        "{} session{}: {} ok, {} failed; {} → {} tokens ({}), {} → {} characters; {} compaction{}, {} damaged line{} skipped\n",
        number(totals.sessions),
        plural(totals.sessions),
        number(totals.ok),
        number(totals.failed),
        number(totals.tokens_in),
        number(totals.tokens_out),
        change_of(totals.reduction),
        number(totals.chars_in),
        number(totals.chars_out),
        number(totals.compactions),
        plural(totals.compactions),
        number(totals.skipped),
        plural(totals.skipped),
    )
}

/// `98.2 % less`.
fn change_of(reduction: f64) -> String {
    if reduction < 0.0 {
        format!("{} more", percent(-reduction))
    } else {
        format!("{} less", percent(reduction))
    }
}

/// A bar for the whole and, with several workers, a line for each, on a terminal's stderr only.
struct Bars {
    all: Option<(MultiProgress, ProgressBar, Vec<ProgressBar>)>,
}

impl Bars {
    fn new(args: &Args, targets: &[Target], jobs: usize) -> Bars {
        let shown = match args.reading.progress {
            When::Never => false,
            // Drawn on a terminal only, whatever is asked for.
            When::Always => true,
            When::Auto => std::io::stderr().is_terminal() && !args.reading.quiet,
        };
        if !shown || targets.is_empty() {
            return Bars { all: None };
        }
        let multi = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(8));
        let style = |template: &str| {
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
        };
        let total = multi.add(ProgressBar::new(targets.len() as u64));
        total.set_style(style("replay {bar:30} {pos}/{len} files"));
        let lines = match jobs.min(targets.len()) {
            0 | 1 => Vec::new(),
            jobs => (0..jobs)
                .map(|_| {
                    let line = multi.add(ProgressBar::new_spinner());
                    line.set_style(style("  {wide_msg}"));
                    line
                })
                .collect(),
        };
        total.tick();
        Bars {
            all: Some((multi, total, lines)),
        }
    }

    fn at(&self, worker: usize, name: Option<String>) {
        if let Some((_, _, lines)) = &self.all
            && let Some(line) = lines.get(worker)
        {
            line.set_message(name.map(|n| visible(&n).into_owned()).unwrap_or_default());
        }
    }

    fn step(&self) {
        if let Some((_, total, _)) = &self.all {
            total.inc(1);
        }
    }

    /// Prints without the bars in between.
    fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.all {
            Some((multi, ..)) => multi.suspend(print),
            None => print(),
        }
    }

    fn clear(&self) {
        if let Some((multi, total, lines)) = &self.all {
            lines.iter().for_each(ProgressBar::finish_and_clear);
            total.finish_and_clear();
            let _ = multi.clear();
        }
    }
}
