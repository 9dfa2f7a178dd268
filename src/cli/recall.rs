//! `compact recall QUERY SESSION...`: its flags and what it prints.

use super::common::{self, Reading, notice};
use crate::language::{one_line, visible};
use crate::recall::{self, Answer, Hit, Options, Query, Role};
use crate::session::Scope;
use crate::transcript::Source;
use anstyle::{AnsiColor, Style};
use anyhow::{Result, bail};
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;

/// Search sessions, or open messages by number
///
/// A query made only of references opens those messages whole: '#12', '(#12)', m12, '#c3', c3, or several. Quote
/// the # for the shell. '#12:src/a.rs' opens what the message has of one file (its first 30 lines), '#12:src/a.rs:full'
/// all of it up to 50 KB, '#12:src/a.rs:40:20' 20 lines from line 40.
///
/// Anything else is searched as text: first as typed, then by its words, best first. Case, Unicode form and Korean
/// particles do not matter (알림 finds 알림을). "Quoted" text is found as typed only. Messages with equal contents are
/// one hit; at most 50 ranked hits are given. An empty query lists the 25 newest messages.
#[derive(Debug, Clone, clap::Args)]
#[command(after_long_help = "\
Examples:
  compact recall '캐시 만료' session.jsonl
  compact recall '#12 #c3' session.jsonl
  compact recall --regex 'panicked at .*rs' *.jsonl --role tool --json | jq -r '.hits[].ref'

Exit status: 0 found, 1 nothing found or no such number, 2 it could not be done.")]
pub struct Args {
    /// References, words, or '' for the newest messages
    pub query: String,

    /// Session files, or - for standard input; all are ranked together [default: standard input]
    #[arg(value_name = "SESSION")]
    pub sessions: Vec<String>,

    /// Only messages of this kind [default: all]
    #[arg(long, value_name = "ROLE")]
    pub role: Option<Role>,

    /// The active branch, or abandoned ones too
    #[arg(long, value_enum, default_value_t = Scope::Active)]
    pub scope: Scope,

    /// Which page of the hits
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = positive)]
    pub page: usize,

    /// Hits a page [default: 5; 25 without a query]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub per_page: Option<usize>,

    /// Take the query for a regular expression (any case; (?-i) minds it; ^ and $ are lines) [default: off]
    #[arg(long)]
    pub regex: bool,

    /// Show passwords, keys and tokens that stand in the transcript [default: off]
    #[arg(long)]
    pub raw: bool,

    /// Lines around a match [default: 2; short messages whole]
    #[arg(long, value_name = "N")]
    pub context: Option<usize>,

    /// Print the hits as JSON [default: off]
    #[arg(long)]
    pub json: bool,

    #[command(flatten)]
    pub reading: Reading,
}

fn positive(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) | Err(_) => Err("a number from 1 is wanted".to_owned()),
        Ok(n) => Ok(n),
    }
}

/// Searches or opens, and prints.
///
/// # Errors
/// A pattern that does not compile, or a session that cannot be read.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (text, sessions) = split(&args.query, &args.sessions);
    let query = Query::parse(&text, args.regex)?;
    let sources = match sessions {
        [] => vec![args.reading.source(None)?],
        named => named.iter().map(|s| Source::from_arg(s)).collect(),
    };
    if sources.iter().filter(|s| **s == Source::Stdin).count() > 1 {
        bail!("standard input was named twice; name it once");
    }
    let options = Options {
        role: args.role,
        scope: args.scope,
        page: args.page,
        per_page: args.per_page,
        context: args.context,
        raw: args.raw,
    };
    let alone = sources.len() == 1;
    let answer = recall::answer(&text, &query, &sources, &options, &|source, sink| {
        args.reading.stream(source, sink, alone)
    })?;
    for (name, head) in &answer.heads {
        args.reading.notices(name, head);
    }
    if args.json {
        common::print_json(&answer)?;
    } else if !answer.hits.is_empty() {
        let page = Page {
            answer: &answer,
            query: &query,
            named: !alone,
            colour: args.reading.coloured(),
        };
        common::print(&page.text())?;
    }
    for missing in &answer.missing {
        notice(&one_line(missing));
    }
    if answer.hits.is_empty() && answer.missing.is_empty() {
        notice(&nothing(&answer));
    }
    let found = !answer.hits.is_empty() && answer.missing.is_empty();
    Ok(ExitCode::from(u8::from(!found)))
}

/// References may come as several words: those behind the first that are no files belong to the query.
fn split<'a>(query: &str, rest: &'a [String]) -> (String, &'a [String]) {
    let mut text = query.to_owned();
    let mut rest = rest;
    while let [first, others @ ..] = rest
        && recall::references(&text).is_some()
        && recall::references(first).is_some()
        && !Path::new(first).exists()
    {
        text = format!("{text} {first}");
        rest = others;
    }
    (text, rest)
}

fn nothing(answer: &Answer) -> String {
    if answer.total > 0 {
        format!(
            "page {} is beyond the last; there {} for {} hits",
            answer.page,
            counted(answer.pages, "is 1 page", "are {} pages"),
            answer.total
        )
    } else if answer.query.is_empty() {
        "no messages".to_owned()
    } else {
        format!(
            "no hit for {}; try fewer words, or --scope all for abandoned branches",
            one_line(&answer.query)
        )
    }
}

fn counted(n: usize, one: &str, many: &str) -> String {
    if n == 1 {
        one.to_owned()
    } else {
        many.replace("{}", &n.to_string())
    }
}

const NUMBER: Style = AnsiColor::Yellow.on_default().bold();
const MATCH: Style = AnsiColor::Red.on_default().bold();
const ASIDE: Style = Style::new().dimmed();

/// A page for people.
struct Page<'a> {
    answer: &'a Answer,
    query: &'a Query,
    /// Several sessions: each hit says which.
    named: bool,
    colour: bool,
}

impl Page<'_> {
    fn text(&self) -> String {
        let answer = self.answer;
        let mut out = String::new();
        let opened = matches!(self.query, Query::Open(_));
        if !opened {
            let what = match self.query {
                Query::Newest => {
                    counted(answer.total, "The newest message", "The {} newest messages")
                }
                _ => counted(answer.total, "1 hit", "{} hits"),
            };
            let _ = write!(out, "{what}");
            if answer.pages > 1 {
                let _ = write!(out, ", page {} of {}", answer.page, answer.pages);
            }
            out.push_str("\n\n");
        }
        for (i, hit) in answer.hits.iter().enumerate() {
            if i > 0 {
                out.push('\n');
            }
            self.hit(hit, opened, &mut out);
        }
        let mut notes = Vec::new();
        if answer.page < answer.pages {
            notes.push(format!("--page {} shows more.", answer.page + 1));
        }
        if answer.omitted > 0 {
            notes.push(format!(
                "{} weaker hits are left out; more words narrow the search.",
                answer.omitted
            ));
        }
        if !notes.is_empty() {
            out.push('\n');
            self.styled(ASIDE, &notes.join(" "), &mut out);
            out.push('\n');
        }
        out
    }

    fn hit(&self, hit: &Hit, opened: bool, out: &mut String) {
        self.styled(NUMBER, &hit.number.to_string(), out);
        let role = format!("{:?}", hit.role).to_lowercase();
        let _ = write!(out, " {role}");
        if let Some(title) = &hit.title {
            let _ = write!(out, " · {}", one_line(title));
        }
        if self.named {
            let _ = write!(out, " · {}", one_line(&hit.session));
        }
        if !hit.also.is_empty() {
            let also: Vec<String> = hit.also.iter().take(20).map(ToString::to_string).collect();
            let more = match hit.also.len().saturating_sub(also.len()) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let _ = write!(out, " (also {}{more})", also.join(", "));
        }
        out.push('\n');
        let text = visible(&hit.text);
        if opened {
            out.push_str(text.trim_end_matches('\n'));
            out.push('\n');
            return;
        }
        for line in text.lines() {
            out.push_str("  ");
            self.marked(line, out);
            out.push('\n');
        }
        // A file that the excerpt shows needs no mention.
        let files: Vec<&str> = hit
            .files
            .iter()
            .map(String::as_str)
            .filter(|f| !text.contains(f))
            .collect();
        if !files.is_empty() {
            self.styled(
                ASIDE,
                &format!("  files: {}", one_line(&files.join(", "))),
                out,
            );
            out.push('\n');
        }
    }

    fn styled(&self, style: Style, text: &str, out: &mut String) {
        if self.colour {
            let _ = write!(out, "{style}{text}{style:#}");
        } else {
            out.push_str(text);
        }
    }

    fn marked(&self, line: &str, out: &mut String) {
        if !self.colour {
            out.push_str(line);
            return;
        }
        let mut at = 0;
        for range in self.query.marks(line) {
            let (Some(before), Some(found)) = (line.get(at..range.start), line.get(range.clone()))
            else {
                continue;
            };
            out.push_str(before);
            self.styled(MATCH, found, out);
            at = range.end;
        }
        out.push_str(line.get(at..).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_behind_the_first_join_it() {
        let rest: Vec<String> = ["#3", "c1", "s.jsonl"].map(str::to_owned).into();
        let (text, sessions) = split("#1", &rest);
        assert_eq!((text.as_str(), sessions), ("#1 #3 c1", &rest[2..]));
        let (text, sessions) = split("cache", &rest);
        assert_eq!((text.as_str(), sessions.len()), ("cache", 3));
    }
}
