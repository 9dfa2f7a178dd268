//! `compact usage SESSION`: how full the context is, and what to do now.

use super::common::{self, Reading};
use crate::language::{one_line, visible};
use crate::prune;
use crate::usage::report::grouped;
use crate::usage::share::{self, WHOLE};
use crate::usage::what_if::what_if;
use crate::usage::{self, Decision, Estimates, Policy, Report, Share, StaticRule, Windows};
use anyhow::{Result, anyhow};
use std::fmt::Write;
use std::process::ExitCode;

/// How full the context is, and what to do now
///
/// The number of tokens is the prompt of the last response, as the transcript gives it; after a compaction it
/// is the compaction's own number, or unknown until the next response. The window is taken from --window, the
/// transcript, a [1m] in the model's name, or the model's family (Claude: 200000, or 1000000 once a prompt was
/// longer); else it is unknown, and so is the share.
///
/// Decisions: none, warn, prune, compact, critical, blocked (two compactions in a row did not help), unknown.
// The help has a model's [1m] in it, which is no link.
#[allow(rustdoc::broken_intra_doc_links)]
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Example:
  compact usage session.jsonl --window 200000
  compact usage session.jsonl --threshold 75% --prune-first --check --json")]
pub struct Args {
    /// The session's file, or - for standard input
    #[arg(value_name = "SESSION")]
    pub session_file: Option<String>,

    /// The model's context window in tokens, for every model or for one whose name holds MODEL [default: see above]
    #[arg(long, value_name = "N|MODEL=N")]
    pub window: Vec<String>,

    /// Share of the window from which to act, 0.5 to 0.95, or in percent: 80%
    #[arg(long, value_name = "SHARE", default_value = "0.80", value_parser = share_of)]
    pub threshold: Share,

    /// Share from which a warning is critical
    #[arg(long, value_name = "SHARE", default_value = "0.95", value_parser = share_of)]
    pub critical: Share,

    /// No alarm below so many tokens
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    pub min_tokens: u64,

    /// Time of the transcript in which a warning silences the next: 60s, 500ms, 2m
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    pub cooldown: i64,

    /// Most warnings between two compactions
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub max_warnings: u64,

    /// Raise the threshold when compactions land too close below it [default: off]
    #[arg(long)]
    pub adaptive: bool,

    /// With --adaptive: how many times the floor the threshold should be
    #[arg(long, value_name = "X", default_value = "2.0", value_parser = gap)]
    pub gap: u64,

    /// With --adaptive: the share of the window that the threshold never passes
    #[arg(long, value_name = "SHARE", default_value = "0.85", value_parser = share_of)]
    pub ceiling: Share,

    /// Room kept for the answer, in tokens; the threshold is a share of the rest [default: 0]
    #[arg(long, value_name = "N")]
    pub max_output: Option<u64>,

    /// The threshold is never above so many tokens [default: no cap]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub cap: Option<u64>,

    /// How the share becomes a number of tokens
    #[arg(long, value_name = "RULE", default_value = "plain")]
    pub static_rule: StaticRule,

    /// At the threshold, first ask whether pruning would be enough [default: off]
    #[arg(long)]
    pub prune_first: bool,

    /// How often would a threshold of N tokens have compacted? [default: not asked]
    #[arg(long, value_name = "N", requires = "assume_floor", value_parser = clap::value_parser!(u64).range(1..))]
    pub what_if: Option<u64>,

    /// With --what-if: the tokens that a compaction leaves [default: none, --what-if needs it]
    #[arg(long, value_name = "F", requires = "what_if")]
    pub assume_floor: Option<u64>,

    /// Add an estimate of everything after the last response [default: off]
    #[arg(long)]
    pub include_tail: bool,

    /// Characters a token, for estimates [default: by script, calibrated on the session]
    #[arg(long, value_name = "N", value_parser = common::chars_per_token)]
    pub chars_per_token: Option<f64>,

    /// Exit with 1 unless the decision is none or unknown [default: off]
    #[arg(long)]
    pub check: bool,

    /// Print the report as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

fn share_of(text: &str) -> Result<Share, String> {
    Share::parse(text, false)
}

fn gap(text: &str) -> Result<u64, String> {
    share::millionths(text)
        .filter(|g| (WHOLE..=100 * WHOLE).contains(g))
        .ok_or_else(|| "write a factor from 1 to 100, as in 2.0".to_owned())
}

/// Milliseconds of `60s`, `500ms`, `2m`, `1h`; a bare number is seconds.
fn duration(text: &str) -> Result<i64, String> {
    let text = text.trim();
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 1,
        "" | "s" => 1000,
        "m" | "min" => 60_000,
        "h" => 3_600_000,
        _ => 0,
    };
    number
        .parse::<i64>()
        .ok()
        .filter(|_| factor > 0)
        .and_then(|n| n.checked_mul(factor))
        .ok_or_else(|| "write a time as in 60s, 500ms or 2m".to_owned())
}

impl Args {
    fn policy(&self) -> Result<Policy> {
        let policy = Policy {
            windows: Windows::parse(&self.window).map_err(anyhow::Error::msg)?,
            threshold: self.threshold,
            critical: self.critical,
            min_tokens: self.min_tokens,
            cooldown: self.cooldown,
            max_warnings: self.max_warnings,
            adaptive: self.adaptive,
            gap: self.gap,
            ceiling: self.ceiling,
            max_output: self.max_output,
            cap: self.cap,
            static_rule: self.static_rule,
        };
        policy.check().map_err(anyhow::Error::msg)?;
        if let (Some(threshold), Some(floor)) = (self.what_if, self.assume_floor)
            && floor >= threshold
        {
            return Err(anyhow!(
                "--assume-floor {floor} is not below --what-if {threshold}; every answer would compact"
            ));
        }
        Ok(policy)
    }
}

/// Reads the session and reports; with --check the exit status is the answer.
///
/// # Errors
/// Flags that mean nothing, or a session that cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let policy = args.policy()?;
    let source = args.reading.source(args.session_file.as_deref())?;
    let session = args.reading.session(&source)?;
    let prunable = || {
        let options = prune::Options {
            chars_per_token: args.chars_per_token,
            ..prune::Options::default()
        };
        prune::tokens_saved(&session, &options)
    };
    let estimates = Estimates {
        include_tail: args.include_tail,
        chars_per_token: args.chars_per_token,
        prunable: args.prune_first.then_some(&prunable),
    };
    let mut report = usage::report(&session, &policy, estimates);
    if let (Some(threshold), Some(floor)) = (args.what_if, args.assume_floor) {
        report.what_if = Some(what_if(&usage::events(&session), threshold, floor));
    }
    if args.json {
        common::print_json(&report)?;
    } else {
        common::print(&text(&report)?)?;
        if !args.reading.quiet {
            report.warnings.iter().for_each(|w| common::notice(w));
        }
    }
    let calm = matches!(report.decision, Decision::None | Decision::Unknown);
    Ok(ExitCode::from(u8::from(args.check && !calm)))
}

/// The report in a few lines for people.
fn text(report: &Report) -> Result<String> {
    let mut out = String::new();
    let line = |text: &str| visible(&one_line(text)).into_owned();
    let number = |n: Option<u64>| n.map_or("unknown".to_owned(), grouped);
    write!(out, "context     {}", number(report.context_tokens))?;
    match (report.context_tokens, report.window) {
        (Some(tokens), Some(window)) => {
            let percent = share::percent(tokens, window).unwrap_or(0);
            writeln!(out, " of {} tokens ({percent} %)", grouped(window))?;
        }
        (None, Some(window)) => writeln!(out, " of {} tokens", grouped(window))?,
        _ => writeln!(out, " tokens, window unknown")?,
    }
    let threshold = &report.threshold;
    if let Some(tokens) = threshold.tokens {
        write!(out, "threshold   {} tokens", grouped(tokens))?;
        write!(
            out,
            " ({}, configured {})",
            threshold.engine, threshold.configured
        )?;
        if let Some(floor) = threshold.floor {
            write!(out, ", floor {}", grouped(floor))?;
        }
        out.push('\n');
    }
    let done = &report.compactions;
    if done.total > 0 {
        write!(
            out,
            "compactions {} ({} automatic, {} by hand",
            done.total, done.auto, done.manual
        )?;
        if done.ineffective > 0 {
            write!(out, ", {} without effect", done.ineffective)?;
        }
        writeln!(out, "{})", if done.thrash { ", thrashing" } else { "" })?;
    }
    if report.health.degraded {
        let streak = report.health.silent_streak;
        writeln!(
            out,
            "health      {streak} silent answers in a row after the compaction"
        )?;
    }
    for drift in &report.settings {
        writeln!(
            out,
            "changed     {}: {} → {}",
            drift.what,
            line(&drift.before),
            line(&drift.after)
        )?;
    }
    if let Some(asked) = &report.what_if {
        let (at, floor) = (grouped(asked.threshold), grouped(asked.floor));
        writeln!(
            out,
            "what if     at {at} tokens (floor {floor}): {} compactions",
            asked.compactions
        )?;
    }
    writeln!(out, "decision    {}: {}", report.decision, report.reason)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_factors_are_read() {
        assert_eq!(duration("60s"), Ok(60_000));
        assert_eq!(duration("0s"), Ok(0));
        assert_eq!(duration("500ms"), Ok(500));
        assert_eq!(duration("2m"), Ok(120_000));
        assert_eq!(duration("60"), Ok(60_000));
        for bad in ["", "s", "1d", "-1s", "99999999999999999h"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
        assert_eq!(gap("2.0"), Ok(2_000_000));
        assert!(gap("0.5").is_err());
    }
}
