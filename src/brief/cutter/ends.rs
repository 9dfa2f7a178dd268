//! The ends of a long first message, which stay whatever the ceiling.

use crate::brief::lines::stops;
use crate::language::clip::bare;
use crate::language::words::pieces;

/// Words at each end of the first message that stay; what is between is weighed like any message.
const FIRST_WORDS: usize = 40;

/// How many lines at the beginning of a message always stay, and where those at its end begin.
pub fn ends(lines: &[&str]) -> (usize, usize) {
    let counts: Vec<usize> = lines.iter().map(|l| significant(l)).collect();
    let all: usize = counts.iter().sum();
    if all <= 2 * FIRST_WORDS {
        return (lines.len(), lines.len());
    }
    let reach = |counts: &mut dyn Iterator<Item = &usize>| {
        let mut room = FIRST_WORDS;
        1 + counts
            .take_while(|c| {
                room = room.saturating_sub(**c);
                room > 0
            })
            .count()
    };
    let head = reach(&mut counts.iter()).min(lines.len());
    let tail = lines.len() - reach(&mut counts.iter().rev()).min(lines.len());
    match head < tail {
        true => (head, tail),
        false => (lines.len(), lines.len()),
    }
}

/// How many words of a text count.
pub fn significant(text: &str) -> usize {
    pieces(text)
        .map(|p| bare(p.text))
        .filter(|word| !word.is_empty() && !stops(word))
        .count()
}
