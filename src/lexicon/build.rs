//! The build script: makes a table of the vocabulary files, so that no run has to read them or to find out which literals
//! a pattern needs.

mod ascii;
mod entries;
mod group;
mod literals;

use entries::{Entry, Means};
use std::collections::hash_map::DefaultHasher;
use std::error::Error;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::path::Path;

const FILES: [&str; 2] = ["en.toml", "ko.toml"];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new("src/lexicon");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut hash = DefaultHasher::new();
    let mut table = String::new();
    for file in FILES {
        let text = std::fs::read_to_string(folder.join(file))?;
        text.hash(&mut hash);
        let entries = entries::read(&text).map_err(|e| format!("{file}: {e}"))?;
        for entry in entries {
            row(&mut table, file, &entry)?;
        }
    }
    let text = format!(
        "/// A number that changes when any of the words do.\npub const FINGERPRINT: u64 = {};\n\nstatic ENTRIES: &[Entry] = &[\n{table}];\n",
        hash.finish()
    );
    let out = std::env::var("OUT_DIR")?;
    std::fs::write(Path::new(&out).join("vocabulary.rs"), text)?;
    Ok(())
}

fn row(table: &mut String, file: &str, entry: &Entry) -> std::fmt::Result {
    let Entry {
        group,
        index,
        line,
        text,
        means,
    } = entry;
    write!(
        table,
        "    Entry {{ file: {file:?}, group: Group::{group:?}, index: {index}, line: {line}, text: {text:?}, means: "
    )?;
    match means {
        Means::Whole => table.push_str("Means::Whole"),
        Means::Word => table.push_str("Means::Word"),
        Means::Pattern {
            find,
            unless,
            unless_anywhere,
        } => {
            let literals = literals::required(&ascii::ascii_borders(find));
            let literals = literals.map(|all| format!("&{all:?}"));
            let literals = literals.map_or("None".to_owned(), |all| format!("Some({all})"));
            write!(
                table,
                "Means::Pattern {{ find: {find:?}, unless: {unless:?}, unless_anywhere: {unless_anywhere:?}, literals: {literals} }}"
            )?;
        }
    }
    table.push_str(" },\n");
    Ok(())
}
