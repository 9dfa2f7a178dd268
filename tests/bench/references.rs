//! Checks over a folder of real sessions, which no repository can hold:
//!
//! - every reference printed in a session's brief opens, and what it opens has the words of the line it stands on;
//! - every known fact (`key_facts[].text` in `LABELS/NAME.label.json`) is on the first page of a search for its
//!   three rarest words.
//!
//! ```text
//! cargo bench --profile dev --bench references -- SESSIONS [LABELS]
//! ```
//!
//! Prints one line a miss and the totals; exit status 1 below 100 % of the references or 95 % of the facts.

use compact::language::{clip, fold, one_line};
use compact::recall::{self, Answer, Options, Query};
use compact::session::{Scope, Session};
use compact::transcript::{self, Entry, Ref, Source};
use compact::{brief, extract};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut folders = std::env::args().skip(1).filter(|a| !a.starts_with("--"));
    let Some(sessions) = folders.next() else {
        // `cargo test --benches` and `cargo bench` without a folder have nothing to check.
        println!("no folder of sessions named; nothing checked");
        return ExitCode::SUCCESS;
    };
    let labels = folders.next().map(PathBuf::from);
    let mut files: Vec<PathBuf> = match std::fs::read_dir(&sessions) {
        Ok(entries) => entries.flatten().map(|e| e.path()).collect(),
        Err(error) => {
            eprintln!("{sessions}: {error}");
            return ExitCode::from(2);
        }
    };
    files.sort();
    let mut totals = Totals::default();
    for file in files.iter().filter(|f| f.is_file()) {
        if let Err(error) = check(file, labels.as_deref(), &mut totals) {
            println!("{}: {error:#}", file.display());
            totals.unread += 1;
        }
    }
    totals.print();
    ExitCode::from(u8::from(!totals.holds()))
}

#[derive(Default)]
struct Totals {
    sessions: usize,
    unread: usize,
    references: usize,
    opened: usize,
    lines: usize,
    speaking: usize,
    facts: usize,
    found: usize,
    /// Facts that stand in no message as they are written.
    unplaced: usize,
}

impl Totals {
    fn print(&self) {
        println!(
            "{} sessions ({} not read); references opened {}/{}, of lines with words their own {}/{}; facts on the first page {}/{} ({} more stand in no message)",
            self.sessions,
            self.unread,
            self.opened,
            self.references,
            self.speaking,
            self.lines,
            self.found,
            self.facts,
            self.unplaced
        );
    }

    fn holds(&self) -> bool {
        self.opened == self.references && self.found * 100 >= self.facts * 95
    }
}

fn check(file: &Path, labels: Option<&Path>, totals: &mut Totals) -> anyhow::Result<()> {
    let source = Source::Path(file.to_owned());
    let session = Session::read(&source, &transcript::Options::default())?;
    totals.sessions += 1;
    let state = extract::extract(&session, compact::lexicon::Rules::builtin());
    let options = brief::Options {
        width: Some(0),
        ..brief::Options::default()
    };
    let text = brief::render(&session, &state, &options)?;
    references(&source, &text, totals)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let label = labels.map(|l| l.join(format!("{name}.label.json")));
    if let Some(label) = label.filter(|l| l.is_file()) {
        facts(&source, &std::fs::read_to_string(label)?, totals)?;
    }
    Ok(())
}

fn ask(source: &Source, text: &str, options: &Options) -> anyhow::Result<Answer> {
    let query = Query::parse(text, false)?;
    let sources = std::slice::from_ref(source);
    recall::answer(text, &query, sources, options, &|source, sink| {
        transcript::read(source, &transcript::Options::default(), sink)
    })
}

/// The references in parentheses: `(#12)`, `(#12, #14) x2`. A bare `#283228` is somebody's colour.
fn printed(line: &str) -> Vec<Ref> {
    line.split('(')
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .filter_map(|(group, _)| {
            group
                .split(", ")
                .map(|word| word.parse().ok().filter(|_| word.starts_with('#')))
                .collect::<Option<Vec<Ref>>>()
        })
        .flatten()
        .collect()
}

fn references(source: &Source, brief: &str, totals: &mut Totals) -> anyhow::Result<()> {
    // The closing line names an example, not a message.
    let lines: Vec<(&str, Vec<Ref>)> = brief
        .lines()
        .filter(|l| !l.contains("compact recall"))
        .map(|l| (l, printed(l)))
        .filter(|(_, refs)| !refs.is_empty())
        .collect();
    let mut all: Vec<Ref> = lines.iter().flat_map(|(_, r)| r.clone()).collect();
    all.sort();
    all.dedup();
    if all.is_empty() {
        return Ok(());
    }
    let query = all.iter().map(Ref::to_string).collect::<Vec<_>>().join(" ");
    let answer = ask(source, &query, &Options::default())?;
    let opened: BTreeMap<Ref, String> = answer
        .hits
        .iter()
        .map(|h| (h.number, fold(&h.text)))
        .collect();
    totals.references += all.len();
    totals.opened += opened.len();
    for missing in &answer.missing {
        println!("{}: {missing}", source.name());
    }
    for (line, refs) in lines {
        let words: Vec<String> = words(line)
            .into_iter()
            .filter(|w| w.chars().count() > 2)
            .collect();
        if words.is_empty() {
            continue;
        }
        totals.lines += 1;
        let there = |w: &String| {
            refs.iter()
                .any(|r| opened.get(r).is_some_and(|t| t.contains(w.as_str())))
        };
        let known = words.iter().filter(|w| there(w)).count();
        if known * 2 >= words.len() {
            totals.speaking += 1;
        } else {
            println!(
                "{}: other words: {}",
                source.name(),
                clip(&one_line(line), 160)
            );
        }
    }
    Ok(())
}

fn words(text: &str) -> Vec<String> {
    fold(text)
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty() && !w.bytes().all(|b| b.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}

fn facts(source: &Source, label: &str, totals: &mut Totals) -> anyhow::Result<()> {
    let label: serde_json::Value = serde_json::from_str(label)?;
    let mut messages: BTreeMap<Ref, String> = BTreeMap::new();
    let mut keep = |entry: Entry<'_>| {
        let Some(number) = entry.number else { return };
        let message = messages.entry(number).or_default();
        for text in entry.blocks.iter().filter_map(recall::searched) {
            message.push_str(&text);
            message.push('\n');
        }
    };
    transcript::read(source, &transcript::Options::default(), &mut keep)?;
    let plain: Vec<(Ref, String, String)> = messages
        .iter()
        .map(|(r, t)| (*r, fold(t), compact::language::squash(t)))
        .collect();
    let facts = label["key_facts"].as_array().cloned().unwrap_or_default();
    for fact in facts.iter().filter_map(|f| f["text"].as_str()) {
        let whole = compact::language::squash(fact);
        let homes: Vec<Ref> = plain
            .iter()
            .filter(|(_, _, t)| t.contains(&whole))
            .map(|(r, _, _)| *r)
            .collect();
        if homes.is_empty() {
            totals.unplaced += 1;
            continue;
        }
        totals.facts += 1;
        let query = rarest(fact, &plain);
        let options = Options {
            scope: Scope::All,
            ..Options::default()
        };
        let answer = ask(source, &query, &options)?;
        let found = answer
            .hits
            .iter()
            .any(|h| homes.contains(&h.number) || h.also.iter().any(|a| homes.contains(a)));
        if found {
            totals.found += 1;
        } else {
            println!(
                "{}: not on the first page of {}: {query:?} for {homes:?}",
                source.name(),
                answer.total
            );
        }
    }
    Ok(())
}

/// The three words that stand in the fewest messages, in the order of the text.
fn rarest(fact: &str, messages: &[(Ref, String, String)]) -> String {
    let mut all: Vec<(usize, usize, String)> = Vec::new();
    for word in fact.split_whitespace() {
        let word = fold(word.trim_matches(|c: char| !c.is_alphanumeric()));
        if word.is_empty() || all.iter().any(|(_, _, w)| *w == word) {
            continue;
        }
        let count = messages
            .iter()
            .filter(|(_, t, _)| t.contains(&word))
            .count();
        all.push((count, all.len(), word));
    }
    all.sort_by_key(|(count, _, word)| (*count, std::cmp::Reverse(word.len())));
    all.truncate(3);
    all.sort_by_key(|(_, place, _)| *place);
    all.into_iter()
        .map(|(_, _, w)| w)
        .collect::<Vec<_>>()
        .join(" ")
}
