//! An entry of the vocabulary as a row of the text that the build script makes and the program holds.
//!
//! Also part of the build script.

/// Between rows, between the columns of one, between literals; between a pattern and what it needs, between the sequences of
/// that and between their sets (see [`super::literals::sequences`]). Nobody writes these characters into a pattern.
pub const END: char = '\u{1e}';
pub const COLUMN: char = '\u{1f}';
pub const OR: char = '\u{1d}';
pub const NEEDS: char = '\u{1c}';
pub const SEQUENCE: char = '\u{1b}';
pub const SET: char = '\u{1a}';

/// The parts as one text.
pub fn join<P: AsRef<str>>(parts: impl IntoIterator<Item = P>, by: char) -> String {
    let mut text = String::new();
    for (at, part) in parts.into_iter().enumerate() {
        if at > 0 {
            text.push(by);
        }
        text.push_str(part.as_ref());
    }
    text
}

/// Kinds of entries.
pub const WHOLE: &str = "whole";
pub const WORD: &str = "word";
pub const PATTERN: &str = "pattern";

/// The columns. What an entry does not have is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row<'t> {
    pub file: &'t str,
    /// A place in `Group::ALL`.
    pub group: usize,
    pub index: usize,
    pub line: usize,
    pub text: &'t str,
    pub kind: &'t str,
    /// Each pattern with what it needs.
    pub find: &'t str,
    pub unless: &'t str,
    pub unless_anywhere: &'t str,
    /// Joined by [`OR`].
    pub literals: &'t str,
}

impl<'t> Row<'t> {
    pub fn read(row: &'t str) -> Option<Row<'t>> {
        let mut columns = row.split(COLUMN);
        Some(Row {
            file: columns.next()?,
            group: columns.next()?.parse().ok()?,
            index: columns.next()?.parse().ok()?,
            line: columns.next()?.parse().ok()?,
            text: columns.next()?,
            kind: columns.next()?,
            find: columns.next()?,
            unless: columns.next()?,
            unless_anywhere: columns.next()?,
            literals: columns.next()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_come_in_their_order() {
        let written =
            "ko.toml|3|0|12|지\\s*마|pattern|지\\s*마||말고|지".replace('|', &COLUMN.to_string());
        let row = Row {
            file: "ko.toml",
            group: 3,
            index: 0,
            line: 12,
            text: "지\\s*마",
            kind: PATTERN,
            find: "지\\s*마",
            unless: "",
            unless_anywhere: "말고",
            literals: "지",
        };
        assert_eq!(Row::read(&written), Some(row));
        assert_eq!(Row::read("ko.toml"), None);
    }
}
