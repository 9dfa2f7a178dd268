//! `compact list`: the sessions in the agents' usual places; and `--latest`, which takes the newest of them.

use super::common;
use crate::discover::{self, Found, Wanted, places};
use crate::language::{clip, columns, one_line, visible};
use crate::redact;
use crate::transcript::{Family, Millis};
use anyhow::{Result, bail};
use std::path::PathBuf;
use std::process::ExitCode;

/// List the sessions in the agents' usual places, newest first
///
/// Looks where Claude Code, Pi, Codex, OpenCode, Gemini CLI, Qwen Code, Copilot CLI, Cursor, Kimi, droid, Amp and
/// Hermes keep their sessions. These variables move the places, as they do for the agents: CLAUDE_CONFIG_DIR,
/// PI_CODING_AGENT_DIR, PI_CODING_AGENT_SESSION_DIR, CODEX_HOME, COPILOT_HOME, KIMI_SHARE_DIR, KIMI_CODE_HOME,
/// HERMES_HOME, XDG_DATA_HOME, XDG_CONFIG_HOME.
///
/// A session belongs to the directory that its file names, whatever its folder is called, and is as new as its last
/// event, not as its file. Sub-agents' own files are left out. One line a session: last event (UTC), format,
/// directory, title or first words, path; where a store holds many, --session ID follows the path.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact list --cwd . -n 5
  compact list --agent codex --json | jq -r '.[].path'
  compact \"$(compact list --cwd . -n 1 --json | jq -r '.[0].path')\"    the same as: compact --latest --cwd .

Exit status: 0 sessions were found, 1 none, 2 it could not be done.")]
pub struct Args {
    /// Which sessions
    #[command(flatten)]
    pub which: Which,

    /// At most N sessions [default: all]
    #[arg(short = 'n', long = "number", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub number: Option<u32>,

    /// Print the list as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    /// Silence notices, not errors [default: off]
    #[arg(short, long)]
    pub quiet: bool,
}

/// Flags that narrow a search for sessions.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Which {
    /// Only sessions of this agent, as in --from [default: every agent]
    #[arg(long, value_name = "NAME", value_parser = agent, help_heading = "Finding")]
    pub agent: Option<Family>,

    /// Only sessions that were started in this directory [default: everywhere]
    #[arg(long, value_name = "DIR", help_heading = "Finding")]
    pub cwd: Option<PathBuf>,
}

fn agent(text: &str) -> Result<Family, String> {
    let known = places::agents();
    let names: Vec<&str> = known.iter().map(|f| f.name()).collect();
    let family = text.parse().ok().filter(|family| known.contains(family));
    family.ok_or_else(|| format!("sessions are looked for of {}", names.join(", ")))
}

impl Which {
    /// What is wanted, newest first.
    pub fn find(&self) -> Vec<Found> {
        let look_up = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let wanted = Wanted {
            agent: self.agent,
            cwd: self.cwd.clone(),
        };
        discover::sessions(&places::Env::new(&look_up), &wanted)
    }

    /// The newest session.
    ///
    /// # Errors
    /// There is none.
    pub fn latest(&self) -> Result<Found> {
        match self.find().into_iter().next() {
            Some(found) => Ok(found),
            None => bail!("{}; name the file instead", self.nothing()),
        }
    }

    fn nothing(&self) -> String {
        let of = self.agent.map(|a| format!(" of {}", a.name()));
        let at = self
            .cwd
            .as_ref()
            .map(|dir| format!(" started in {}", dir.display()));
        format!(
            "no session{}{} in the agents' usual places",
            of.unwrap_or_default(),
            at.unwrap_or_default()
        )
    }
}

/// Lists what is there.
///
/// # Errors
/// The output cannot be written.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut found = args.which.find();
    if let Some(number) = args.number {
        found.truncate(number as usize);
    }
    for session in &mut found {
        let hide = |text: &mut Option<String>| {
            if let Some(text) = text {
                *text = redact::redact(text).into_owned();
            }
        };
        hide(&mut session.title);
        hide(&mut session.first);
    }
    if args.json {
        common::print_json(&found)?;
    } else {
        common::print(&table(&found))?;
    }
    if found.is_empty() && !args.quiet {
        common::notice(&visible(&one_line(&args.which.nothing())));
    }
    Ok(ExitCode::from(u8::from(found.is_empty())))
}

/// One line a session, the path last so that it can be long.
fn table(found: &[Found]) -> String {
    let rows: Vec<[String; 4]> = found
        .iter()
        .map(|session| {
            let title = session.title.as_deref().or(session.first.as_deref());
            [
                moment(session.ended.as_deref()),
                session.format.to_owned(),
                shown(session.cwd.as_deref(), 40),
                shown(title, 40),
            ]
        })
        .collect();
    let mut widths = [0; 4];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = columns(cell).max(*width);
        }
    }
    let mut out = String::new();
    for (session, row) in found.iter().zip(&rows) {
        for (width, cell) in widths.iter().zip(row) {
            out.push_str(cell);
            out.push_str(&" ".repeat(width.saturating_sub(columns(cell)) + 2));
        }
        out.push_str(&visible(&one_line(&session.path)));
        if let Some(id) = session.id.as_ref().filter(|_| session.stored) {
            out.push_str(&format!(" --session {}", visible(&one_line(id))));
        }
        out.push('\n');
    }
    out
}

/// A cell of at most so many characters.
fn shown(text: Option<&str>, max: usize) -> String {
    let line = one_line(text.unwrap_or("-")).into_owned();
    clip(&visible(&line), max).into_owned()
}

/// Date and minute in UTC; time zones are the reader's business.
fn moment(written: Option<&str>) -> String {
    let time = written.and_then(Millis::parse).map(Millis::rfc3339);
    let minute = time.as_deref().and_then(|t| t.get(..16));
    minute.map_or_else(|| "-".to_owned(), |t| t.replace('T', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_to_the_minute_in_utc() {
        assert_eq!(
            moment(Some("2026-01-01T09:30:15+09:00")),
            "2026-01-01 00:30"
        );
        assert_eq!(moment(None), "-");
    }

    #[test]
    fn only_agents_with_a_place_are_looked_for() {
        assert_eq!(agent("codex"), Ok(Family::Codex));
        assert!(agent("openai").is_err() && agent("kodex").is_err());
    }
}
