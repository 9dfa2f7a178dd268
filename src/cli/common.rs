//! What the commands share: flags of every command that reads a session, output that survives a closed pipe,
//! errors as one line.

use crate::disk;
use crate::lexicon::{Rules, RulesFile};
use crate::session::Session;
use crate::transcript::{self, Family, Options, Sink, Source, Transcript};
use anyhow::{Result, bail};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

/// When to do something that suits terminals only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum When {
    /// On a terminal
    #[default]
    Auto,
    Always,
    Never,
}

/// Flags of every command that reads a session.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Reading {
    /// The format: auto, or one of pi, claude-code, codex, opencode, gemini, qwen, copilot, cursor, kimi, droid,
    /// amp, hermes, openhands, swe-agent, mini-swe-agent, openai, anthropic
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = family, help_heading = "Reading")]
    pub from: FromFormat,

    /// Take any skipped line for an error [default: off]
    #[arg(long, help_heading = "Reading")]
    pub strict: bool,

    /// Which session of a store that holds many [default: the newest by last event]
    #[arg(long, value_name = "ID", help_heading = "Reading")]
    pub session: Option<String>,

    /// Silence notices, not errors; counts stay in the JSON [default: off]
    #[arg(short, long, help_heading = "Reading")]
    pub quiet: bool,

    /// Colour of what is printed for people
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Reading"
    )]
    pub color: When,

    /// A progress bar on stderr, when reading takes longer than half a second
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Reading"
    )]
    pub progress: When,
}

/// Flags of every command that judges what was said.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Judging {
    /// Rules of your own beside the built-in ones: JSON {"rules": {GROUP: [REGEX, ...]}} with the groups
    /// agentNotices, goalExclusions, blockerExclusions, taskVerbs, preferencePatterns; repeatable [default: none]
    #[arg(long, value_name = "FILE", help_heading = "Judging")]
    pub rules: Vec<std::path::PathBuf>,

    /// Switch a group of the built-in rules off; comma-separated or repeated [default: none]
    #[arg(
        long,
        value_name = "GROUP",
        value_delimiter = ',',
        help_heading = "Judging"
    )]
    pub disable_builtin: Vec<String>,
}

impl Judging {
    /// Whether it is the built-in rules alone that judge.
    pub fn is_builtin(&self) -> bool {
        self.rules.is_empty() && self.disable_builtin.is_empty()
    }

    /// The rules to judge with. Bad patterns are named on stderr and left out.
    ///
    /// # Errors
    /// A file cannot be read or is no rules file, or a group is unknown.
    pub fn rules(&self, quiet: bool) -> Result<Arc<Rules>> {
        if self.rules.is_empty() && self.disable_builtin.is_empty() {
            return Ok(Rules::shared());
        }
        let mut files = Vec::new();
        for path in &self.rules {
            let name = path.display().to_string();
            let text = std::fs::read_to_string(path)
                .map_err(|e| anyhow::anyhow!("{name}: {}", transcript::read::reason(&e)))?;
            files.push(RulesFile { name, text });
        }
        let (rules, warnings) =
            Rules::with_user(&files, &self.disable_builtin).map_err(|e| anyhow::anyhow!("{e}"))?;
        for warning in warnings.iter().filter(|_| !quiet) {
            notice(&warning.to_string());
        }
        Ok(Arc::new(rules))
    }
}

/// `auto` or a family.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FromFormat(pub Option<Family>);

fn family(text: &str) -> Result<FromFormat, String> {
    if text == "auto" {
        Ok(FromFormat(None))
    } else {
        text.parse().map(|f| FromFormat(Some(f)))
    }
}

impl Reading {
    /// The source named on the command line; nothing on a terminal is a usage error.
    pub fn source(&self, named: Option<&str>) -> Result<Source> {
        match named {
            Some(name) => Ok(Source::from_arg(name)),
            None if std::io::stdin().is_terminal() => {
                bail!(
                    "no session named; give a file, or pipe one in (compact SESSION, or compact < SESSION)"
                )
            }
            None => Ok(Source::Stdin),
        }
    }

    /// Reads and digests the session, with a progress bar if it takes long, and says on stderr what was skipped.
    pub fn session(&self, source: &Source) -> Result<Session> {
        let session = self.with_bar(source, |options| Session::read(source, options))?;
        self.notices(&source.name(), &session.head);
        Ok(session)
    }

    /// Runs `read` with a progress bar if it takes long.
    pub fn with_bar<T>(&self, source: &Source, read: impl FnOnce(&Options<'_>) -> T) -> T {
        let bar = self.bar(source);
        let tell = |bytes: u64| bar.as_ref().map_or((), |b| b.set_position(bytes));
        let options = Options {
            progress: Some(&tell),
            ..self.options()
        };
        let done = read(&options);
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        done
    }

    /// Reads the session into a sink, with a progress bar if it takes long and `bar` allows one. Says nothing of
    /// what was skipped: see [`Reading::notices`].
    ///
    /// # Errors
    /// As [`transcript::read`](crate::transcript::read()).
    pub fn stream(&self, source: &Source, sink: &mut dyn Sink, bar: bool) -> Result<Transcript> {
        let bar = if bar { self.bar(source) } else { None };
        let tell = |bytes: u64| bar.as_ref().map_or((), |b| b.set_position(bytes));
        let options = Options {
            progress: Some(&tell),
            ..self.options()
        };
        let head = transcript::read(source, &options, sink);
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
        head
    }

    /// Whether what is printed for people is coloured.
    pub fn coloured(&self) -> bool {
        match self.color {
            When::Always => true,
            When::Never => false,
            When::Auto => {
                std::io::stdout().is_terminal()
                    && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty())
            }
        }
    }

    /// A brief with its headings bold, where colour is wanted.
    pub fn painted<'t>(&self, text: &'t str) -> std::borrow::Cow<'t, str> {
        if !self.coloured() {
            return text.into();
        }
        let bold = anstyle::Style::new().bold();
        let line = |line: &str| {
            let heading = line.starts_with('#') || (line.starts_with('[') && line.ends_with(']'));
            match heading {
                true => format!("{bold}{line}{bold:#}"),
                false => line.to_owned(),
            }
        };
        let lines: Vec<String> = text.split('\n').map(line).collect();
        lines.join("\n").into()
    }

    /// The reader's options.
    pub fn options(&self) -> Options<'static> {
        Options {
            from: self.from.0,
            strict: self.strict,
            session: self.session.clone(),
            progress: None,
        }
    }

    fn bar(&self, source: &Source) -> Option<indicatif::ProgressBar> {
        let shown = match self.progress {
            When::Always => true,
            When::Never => false,
            When::Auto => std::io::stderr().is_terminal() && !self.quiet,
        };
        let length = match source {
            Source::Path(path) => std::fs::metadata(path).ok()?.len(),
            Source::Stdin => 0,
        };
        // Below some megabytes the half second is never reached.
        if !shown || (length < 64 << 20 && self.progress == When::Auto) {
            return None;
        }
        let bar = indicatif::ProgressBar::new(length);
        let style =
            indicatif::ProgressStyle::with_template("reading {bar:30} {bytes}/{total_bytes}")
                .ok()?;
        bar.set_style(style);
        bar.set_draw_target(indicatif::ProgressDrawTarget::stderr_with_hz(4));
        Some(bar)
    }

    /// Says what reading met, one line each.
    pub fn notices(&self, name: &str, head: &Transcript) {
        if self.quiet {
            return;
        }
        let input = &head.input;
        if input.skipped > 0 {
            let shown: Vec<String> = input
                .skipped_lines
                .iter()
                .take(8)
                .map(u64::to_string)
                .collect();
            let more = if input.skipped > shown.len() as u64 {
                ", …"
            } else {
                ""
            };
            // Rows of a store have no lines.
            notice(&match shown.as_slice() {
                [] => format!("{name}: {} damaged records skipped", input.skipped),
                lines => format!(
                    "{name}: {} damaged lines skipped (line {}{more})",
                    input.skipped,
                    lines.join(", ")
                ),
            });
        }
        if input.pending > 0 {
            notice(&format!(
                "{name}: the last line is not complete yet and was left out"
            ));
        }
    }
}

/// The session is only read: it is no place for what is made of it.
///
/// # Errors
/// The output is the session's file.
pub fn refuse_source(source: &Source, output: Option<&Path>) -> Result<()> {
    match (source, output) {
        (Source::Path(path), Some(out)) if path.exists() && disk::are_one(path, out) => bail!(
            "{}: is the session itself, which is never written; name another file with --output",
            out.display()
        ),
        _ => Ok(()),
    }
}

/// A `--chars-per-token` value.
///
/// # Errors
/// No number, or one that no text could have.
pub fn chars_per_token(text: &str) -> Result<f64, String> {
    text.parse::<f64>()
        .ok()
        .filter(|n| n.is_finite() && *n > 0.0)
        .ok_or_else(|| "write a number above 0, as in 4 or 2.5".to_owned())
}

/// One line on stderr. Nothing sensible is left to do when stderr is gone.
pub fn notice(text: &str) {
    let _ = writeln!(std::io::stderr(), "compact: {text}");
}

/// Prints to stdout; a reader that closed the pipe is content.
///
/// # Errors
/// Any other failure to write.
pub fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(anyhow::anyhow!("standard output: {e}"))
        }
        _ => Ok(()),
    }
}

/// The first eight of a list in one line, and a sign where there are more.
pub fn first_few<T: std::fmt::Display>(list: &[T]) -> String {
    const FEW: usize = 8;
    let shown: Vec<String> = list.iter().take(FEW).map(T::to_string).collect();
    let more = if list.len() > FEW { ", …" } else { "" };
    format!("{}{more}", shown.join(", "))
}

/// Prints one JSON value and a newline.
///
/// # Errors
/// As [`print()`].
pub fn print_json<T: serde::Serialize>(value: &T) -> Result<()> {
    print(&crate::json::pretty(value)?)
}

/// An error as one line on stderr, exit status 2.
pub fn fail(error: &anyhow::Error) -> ExitCode {
    let text = format!("{error:#}").replace('\n', " ");
    let _ = writeln!(
        std::io::stderr(),
        "compact: {}",
        crate::language::visible(&text)
    );
    ExitCode::from(2)
}

/// Help and version on stdout with status 0; a usage error as one line on stderr with status 2.
pub fn usage_error(error: &clap::Error, words: &[String]) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    notice(&crate::language::visible(&super::help::one_line(
        error, words,
    )));
    ExitCode::from(2)
}
