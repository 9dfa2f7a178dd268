//! The build script: makes one text of the vocabulary files, so that no run has to read TOML or to find out which literals
//! a pattern needs, and the automata that find them. A text, since a table of references would have to be relocated at
//! every start.

mod ascii;
mod entries;
mod group;
mod literals;
mod row;
mod table;

use entries::{Entry, Means};
use group::{Group, is_apart};
use row::Row;
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::hash::{Hash, Hasher};
use std::path::Path;
use table::Table;

const FILES: [&str; 2] = ["en.toml", "ko.toml"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("src/lexicon");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut rows = Vec::new();
    for file in FILES {
        let text = std::fs::read_to_string(folder.join(file))?;
        let entries = entries::read(&text).map_err(|e| format!("{file}: {e}"))?;
        for entry in &entries {
            rows.push(row(file, entry)?);
        }
    }
    let text = row::join(&rows, row::END);
    let mut hash = DefaultHasher::new();
    text.hash(&mut hash);
    println!("cargo::rustc-env=VOCABULARY={:016x}", hash.finish());
    let out = std::env::var("OUT_DIR")?;
    let out = Path::new(&out);
    for (file, apart) in [("literals", false), ("literals-apart", true)] {
        std::fs::write(out.join(file), table(&text, apart)?)?;
    }
    std::fs::write(out.join("vocabulary"), text)?;
    Ok(())
}

/// The literals that the rows of one half of the groups need, as `builtin::table` reads them.
fn table(text: &str, apart: bool) -> Result<Vec<u8>, String> {
    let rows = text.split(row::END).filter_map(Row::read).zip(0..);
    let of_half = |row: &Row<'_>| {
        Group::ALL
            .get(row.group)
            .is_some_and(|g| is_apart(*g) == apart)
    };
    let rows = rows.filter(|(row, _)| of_half(row));
    let needed = rows.flat_map(|(row, id)| needed(&row).map(move |literal| (literal, id)));
    let table = Table::of(needed).ok_or("no automaton of all literals")?;
    let literals = table
        .literals
        .iter()
        .flat_map(|(length, end)| [*length, *end]);
    let counts = [table.literals.len() as u32, table.owners.len() as u32];
    let numbers = counts
        .into_iter()
        .chain(literals)
        .chain(table.owners.iter().copied());
    let mut bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    bytes.extend(table.automaton.serialize());
    Ok(bytes)
}

/// The literals without which a row cannot match.
fn needed<'t>(row: &Row<'t>) -> impl Iterator<Item = &'t str> + use<'t> {
    let literals = match row.kind {
        row::WORD => row.text,
        row::PATTERN => row.literals,
        _ => "",
    };
    literals.split(row::OR)
}

fn row(file: &str, entry: &Entry) -> Result<String, String> {
    let (kind, patterns, literals) = match &entry.means {
        Means::Whole => (row::WHOLE, [const { None }; 3], None),
        Means::Word => (row::WORD, [const { None }; 3], None),
        Means::Pattern {
            find,
            unless,
            unless_anywhere,
        } => (
            row::PATTERN,
            [
                Some(with_needs(find)),
                unless.as_deref().map(with_needs),
                unless_anywhere.as_deref().map(with_needs),
            ],
            literals::required(&ascii::ascii_borders(find)),
        ),
    };
    let literals = row::join(literals.unwrap_or_default(), row::OR);
    let [find, unless, unless_anywhere] = patterns.each_ref().map(|p| p.as_deref().unwrap_or(""));
    let row = Row {
        file,
        group: entry.group as usize,
        index: entry.index,
        line: entry.line,
        text: &entry.text,
        kind,
        find,
        unless,
        unless_anywhere,
        literals: &literals,
    };
    let written = write(&row);
    match Row::read(&written).as_ref() == Some(&row) && !written.contains(row::END) {
        true => Ok(written),
        false => Err(format!("{file}:{}: a control character", entry.line)),
    }
}

/// The pattern and the literals that it needs.
fn with_needs(pattern: &str) -> String {
    let needs = literals::joined(&ascii::ascii_borders(pattern));
    format!("{pattern}{}{needs}", row::NEEDS)
}

fn write(row: &Row<'_>) -> String {
    let [group, index, line] = [row.group, row.index, row.line].map(|n| n.to_string());
    let columns = [
        row.file,
        &group,
        &index,
        &line,
        row.text,
        row.kind,
        row.find,
        row.unless,
        row.unless_anywhere,
        row.literals,
    ];
    row::join(columns, row::COLUMN)
}
