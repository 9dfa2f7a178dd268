//! `compact diff OLD NEW`: what changed between two states.

use super::common;
use crate::language::{clip, one_line, visible};
use crate::state::diff::{Diff, diff};
use crate::state::store;
use anyhow::{Result, bail};
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Show what changed between two states
///
/// Both are files that `compact SESSION --state FILE` wrote (or `--json` printed). Exit status 0 if they say the
/// same, 1 if they differ. Example: compact diff before.json after.json
#[derive(Debug, Clone, clap::Args)]
pub struct Args {
    /// The older state
    pub old: PathBuf,

    /// The newer state
    pub new: PathBuf,

    /// Print {"added", "removed", "changed"} as JSON, each a list by key [default: off]
    #[arg(long)]
    pub json: bool,
}

/// Reads both, compares, prints.
///
/// # Errors
/// One of them cannot be read or is no state.
pub fn run(args: &Args) -> Result<ExitCode> {
    let (old, new) = (read(&args.old)?, read(&args.new)?);
    let diff = diff(&old, &new);
    if args.json {
        common::print_json(&diff)?;
    } else {
        common::print(&text(&diff))?;
    }
    Ok(ExitCode::from(u8::from(!diff.is_empty())))
}

fn read(path: &Path) -> Result<store::Saved> {
    let store = store::Store::open(path)?;
    match store.previous() {
        Some(saved) => Ok(saved.clone()),
        None => bail!("{}: no such file; check the path", path.display()),
    }
}

/// One line an item, below its key: `+` added, `-` removed, `~` changed.
fn text(diff: &Diff) -> String {
    let mut out = String::new();
    for key in diff.keys() {
        let _ = writeln!(out, "{}", visible(key));
        let items = |map: &serde_json::Map<String, Value>| match map.get(key) {
            Some(Value::Array(items)) => items.clone(),
            _ => Vec::new(),
        };
        for item in items(&diff.removed) {
            let _ = writeln!(out, "  - {}", shown(&item));
        }
        for item in items(&diff.added) {
            let _ = writeln!(out, "  + {}", shown(&item));
        }
        for item in items(&diff.changed) {
            let _ = writeln!(out, "  ~ {}", change(&item));
        }
    }
    out
}

/// What an item is, then what else is said of it.
fn shown(item: &Value) -> String {
    let Some(map) = item.as_object() else {
        return plain(item);
    };
    let what = ["text", "path", "hash"]
        .iter()
        .find(|k| map.contains_key(**k));
    let mut out = what.map_or_else(String::new, |k| plain(&item[*k]));
    let more: Vec<String> = map
        .iter()
        .filter(|(k, v)| {
            Some(k.as_str()) != what.copied()
                && *k != "ref"
                && !matches!(v, Value::Null | Value::Bool(false))
        })
        .map(|(k, v)| format!("{}: {}", visible(k), plain(v)))
        .collect();
    if !more.is_empty() {
        let _ = match out.is_empty() {
            true => write!(out, "{}", more.join(", ")),
            false => write!(out, " [{}]", more.join(", ")),
        };
    }
    if let Some(reference) = map.get("ref") {
        let _ = write!(out, " ({})", plain(reference));
    }
    out
}

fn change(item: &Value) -> String {
    let (old, new) = (&item["old"], &item["new"]);
    if let Some(key) = item["key"].as_str() {
        return format!("{}: {} -> {}", visible(key), plain(old), plain(new));
    }
    let what = ["path", "hash", "text"]
        .iter()
        .find(|k| old.get(k).is_some() && old.get(k) == new.get(k));
    let (Some(what), Some(a), Some(b)) = (what, old.as_object(), new.as_object()) else {
        return format!("{} -> {}", shown(old), shown(new));
    };
    let mut keys: Vec<&String> = a.keys().collect();
    keys.extend(b.keys().filter(|k| !a.contains_key(*k)));
    let parts: Vec<String> = keys
        .into_iter()
        .filter(|k| a.get(*k) != b.get(*k))
        .map(|k| format!("{} {} -> {}", visible(k), plain(&old[k]), plain(&new[k])))
        .collect();
    format!("{}: {}", plain(&old[*what]), parts.join(", "))
}

/// A value on one line, cut where it is long.
fn plain(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    };
    clip(&visible(&one_line(&text)), 160).into_owned()
}
