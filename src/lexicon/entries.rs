//! The entries of a vocabulary file, as the build script reads them.
//!
//! A table per group: `whole` (messages), `words` (literals), `patterns` (regular expressions, or a table with `find`,
//! `unless`, `unless_anywhere`). `[fragments]` holds pieces that patterns name as `<<piece>>`.

use super::ascii::ascii_words;
use super::group::Group;
use std::collections::BTreeMap;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// One entry as it is written, with what its patterns are made of.
pub struct Entry {
    pub group: Group,
    /// Position among the entries of its group, from 0.
    pub index: usize,
    /// Line in the file, from 1.
    pub line: usize,
    pub text: String,
    pub means: Means,
}

/// What an entry matches.
pub enum Means {
    Whole,
    Word,
    Pattern {
        find: String,
        unless: Option<String>,
        unless_anywhere: Option<String>,
    },
}

/// The entries of a file, in its order.
///
/// # Errors
/// It is no TOML, or holds what no group has; the message names it.
pub fn read(text: &str) -> Result<Vec<Entry>, String> {
    let file = DeTable::parse(text).map_err(|e| e.to_string())?;
    let file = file.get_ref();
    let lines: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let fragments = fragments(file);
    // In the order of the file: tables keep theirs only by position.
    let mut tables: Vec<(usize, Group, &DeTable<'_>)> = Vec::new();
    for (key, value) in file {
        let name = key.get_ref().as_ref();
        let table = value.get_ref().as_table();
        match (Group::from_name(name), table) {
            (Some(group), Some(table)) => tables.push((key.span().start, group, table)),
            _ if name == "fragments" => {}
            _ => return Err(format!("unknown group {name}")),
        }
    }
    tables.sort_by_key(|table| table.0);
    let mut entries = Vec::new();
    for (_, group, table) in tables {
        let known = ["whole", "words", "patterns"];
        if let Some((key, _)) = table
            .iter()
            .find(|(k, _)| !known.contains(&k.get_ref().as_ref()))
        {
            return Err(format!("{}.{}: unknown", group.name(), key.get_ref()));
        }
        let mut index = 0;
        for kind in known {
            let list = table.get(kind).and_then(|v| v.get_ref().as_array());
            for entry in list.into_iter().flatten() {
                let (text, means) = means(kind, entry, &fragments)
                    .ok_or_else(|| format!("{}.{kind}: {:?}", group.name(), entry.get_ref()))?;
                let at = entry.span().start;
                entries.push(Entry {
                    group,
                    index,
                    line: lines.partition_point(|&end| end < at) + 1,
                    text,
                    means,
                });
                index += 1;
            }
        }
    }
    Ok(entries)
}

fn means(
    kind: &str,
    entry: &Spanned<DeValue<'_>>,
    fragments: &BTreeMap<String, String>,
) -> Option<(String, Means)> {
    let value = entry.get_ref();
    let pattern = |text: &str| ascii_words(&expand(text, fragments));
    let means = match (kind, value.as_str()) {
        ("whole", Some(_)) => Means::Whole,
        ("words", Some(_)) => Means::Word,
        ("patterns", Some(find)) => Means::Pattern {
            find: pattern(find),
            unless: None,
            unless_anywhere: None,
        },
        _ => {
            let table = value.as_table()?;
            let part = |key: &str| table.get(key).and_then(|v| v.get_ref().as_str());
            let means = Means::Pattern {
                find: pattern(part("find")?),
                unless: part("unless").map(pattern),
                unless_anywhere: part("unless_anywhere").map(pattern),
            };
            return Some((part("find")?.to_owned(), means));
        }
    };
    Some((value.as_str()?.to_owned(), means))
}

fn fragments(file: &DeTable<'_>) -> BTreeMap<String, String> {
    let table = file.get("fragments").and_then(|v| v.get_ref().as_table());
    table
        .into_iter()
        .flatten()
        .filter_map(|(name, piece)| {
            Some((
                name.get_ref().to_string(),
                piece.get_ref().as_str()?.to_owned(),
            ))
        })
        .collect()
}

/// Fragments may name fragments defined before them in the alphabet or not; three rounds are enough for anyone.
fn expand(pattern: &str, fragments: &BTreeMap<String, String>) -> String {
    let mut expanded = pattern.to_owned();
    for _ in 0..3 {
        if !expanded.contains("<<") {
            break;
        }
        for (name, piece) in fragments {
            expanded = expanded.replace(&format!("<<{name}>>"), &format!("(?:{piece})"));
        }
    }
    expanded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_know_their_lines_and_fragments_their_places() {
        let text = "[fragments]\nnow = \"지금|now\"\n\n[questions]\nwhole = [\"왜\"]\npatterns = [\n    { find = \"<<now>> \\\\w\", unless = \"no\" },\n]\n";
        let entries = read(text).unwrap();
        assert_eq!(entries.len(), 2);
        assert_eq!(
            (entries[0].line, entries[1].line, entries[1].index),
            (5, 7, 1)
        );
        assert_eq!(
            (entries[0].group, &*entries[0].text),
            (Group::Questions, "왜")
        );
        let Means::Pattern {
            find,
            unless,
            unless_anywhere: None,
        } = &entries[1].means
        else {
            panic!("a pattern");
        };
        assert_eq!(find, "(?:지금|now) [0-9A-Za-z_]");
        assert_eq!(unless.as_deref(), Some("no"));
    }

    #[test]
    fn what_no_group_has_is_named() {
        let error = |text: &str| read(text).err().unwrap_or_default();
        assert_eq!(error("[colours]\nwords = []\n"), "unknown group colours");
        assert_eq!(error("[questions]\nword = []\n"), "questions.word: unknown");
        assert!(error("[questions]\nwords = [1]\n").starts_with("questions.words"));
        assert!(!error("[questions").is_empty());
    }
}
