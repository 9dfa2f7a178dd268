//! Columns of a terminal, and folding lines to them.
//!
//! Not for lengths inside rules: those are clusters ([`super::length`]).

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::nfc;

/// Columns the text takes on one line: East Asian wide characters two, combining marks none, decomposed text as composed.
///
/// Terminals disagree about emoji sequences; this is the larger of the answers, so a line never turns out wider.
pub fn columns(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    nfc(text).graphemes(true).map(cluster_columns).sum()
}

fn cluster_columns(cluster: &str) -> usize {
    if cluster.len() == 1 {
        return 1;
    }
    let apart: usize = cluster.chars().map(char_columns).sum();
    apart.max(cluster.width())
}

fn char_columns(c: char) -> usize {
    match c {
        // Fillers and conjoining vowels and finals are only narrow inside a syllable, which NFC has composed.
        '\u{115f}' | '\u{3164}' => 2,
        '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' => 1,
        _ => c.width().unwrap_or(1),
    }
}

/// The text (NFC) with every line folded to at most `columns`; 0 folds nothing.
///
/// Lines break at blanks, inside a word only when the word is wider than a whole line, never inside a cluster. Lines
/// that continue another start with `hanging_indent` blanks (less when the line is too narrow for that). A single cluster
/// wider than the line stands alone on its line.
pub fn wrap(text: &str, columns: usize, hanging_indent: usize) -> String {
    let text = nfc(text);
    if columns == 0 {
        return text.into_owned();
    }
    let indent = hanging_indent.min(columns / 2);
    let mut out = String::with_capacity(text.len() + text.len() / columns.max(8));
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        // No character takes more columns than bytes, a tab excepted.
        if line.len() <= columns && !line.contains('\t') {
            out.push_str(line);
        } else {
            wrap_line(line, columns, indent, &mut out);
        }
    }
    out
}

fn wrap_line(line: &str, columns: usize, indent: usize, out: &mut String) {
    // Column of the cursor, and whether the line is still empty but for its indent. (What was written may take no
    // column: a joiner left over.)
    let mut at = 0;
    let mut empty = true;
    // Blanks not yet written: they vanish when the line breaks here.
    let mut blanks = "";
    for (blank, run) in runs(line) {
        if blank {
            blanks = run;
            continue;
        }
        let gap = run_columns(blanks, at);
        let wide = run_columns(run, at + gap);
        if at + gap + wide <= columns {
            out.push_str(blanks);
            out.push_str(run);
            at += gap + wide;
            (empty, blanks) = (false, "");
            continue;
        }
        let fits_alone = indent + wide <= columns;
        if !empty && (fits_alone || at + gap >= columns) {
            at = new_line(out, indent, columns, run);
            empty = true;
        } else if at + gap < columns {
            out.push_str(blanks);
            at += gap;
            empty &= gap == 0;
        }
        blanks = "";
        for (start, cluster) in run.grapheme_indices(true) {
            let wide = cluster_columns(cluster);
            if at + wide > columns && !empty {
                at = new_line(out, indent, columns, run.get(start..).unwrap_or_default());
            }
            out.push_str(cluster);
            at += wide;
            empty = false;
        }
    }
}

/// Begins a line for `rest`, indented as far as the first cluster that is seen leaves room; gives the indent.
fn new_line(out: &mut String, indent: usize, columns: usize, rest: &str) -> usize {
    let mut clusters = rest.graphemes(true).map(cluster_columns);
    let first = clusters.find(|wide| *wide > 0).unwrap_or_default();
    let indent = indent.min(columns.saturating_sub(first));
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
    indent
}

/// Runs of blanks and of everything else; a blank that carries a combining mark is no blank.
fn runs(line: &str) -> impl Iterator<Item = (bool, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let first = rest.graphemes(true).next()?;
        let blank = is_blank(first);
        let end = rest
            .grapheme_indices(true)
            .find(|(_, g)| is_blank(g) != blank)
            .map_or(rest.len(), |(at, _)| at);
        let (run, tail) = rest.split_at_checked(end).unwrap_or((rest, ""));
        rest = tail;
        Some((blank, run))
    })
}

fn is_blank(cluster: &str) -> bool {
    matches!(cluster, " " | "\t" | "\u{3000}" | "\r")
}

fn run_columns(run: &str, from: usize) -> usize {
    let mut at = from;
    for cluster in run.graphemes(true) {
        at += if cluster == "\t" {
            8 - at % 8
        } else {
            cluster_columns(cluster)
        };
    }
    at - from
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn korean_takes_two_columns() {
        assert_eq!(columns("한글abc"), 7);
        assert_eq!(columns("\u{1112}\u{1161}\u{11ab}"), 2);
        assert_eq!(columns("e\u{301}"), 1);
        assert_eq!(columns("“ㅋㅋ”"), 6);
        assert_eq!(columns(""), 0);
    }

    #[test]
    fn lines_break_at_blanks() {
        assert_eq!(wrap("가나 다라 마바", 9, 0), "가나 다라\n마바");
        assert_eq!(wrap("- one two three", 9, 2), "- one two\n  three");
        assert_eq!(wrap("그대로", 0, 0), "그대로");
        assert_eq!(wrap("가나다라마바", 5, 0), "가나\n다라\n마바");
        assert_eq!(wrap("a\n\nb", 5, 0), "a\n\nb");
    }

    #[test]
    fn decomposed_text_breaks_the_same() {
        use unicode_normalization::UnicodeNormalization;
        let text = "긴 문장을 예순 칸으로 접을 때 “따옴표”와 「괄호」가 섞여도";
        let apart: String = text.nfd().collect();
        assert_eq!(wrap(text, 20, 2), wrap(&apart, 20, 2));
    }

    #[test]
    fn a_family_stays_together() {
        let wrapped = wrap("가족 👨‍👩‍👧‍👦👨‍👩‍👧‍👦 🇰🇷🇰🇷", 9, 0);
        assert!(wrapped.lines().all(|l| columns(l) <= 9), "{wrapped}");
        assert_eq!(wrapped.matches("👨‍👩‍👧‍👦").count(), 2);
    }

    proptest! {
        #[test]
        fn no_line_is_too_wide(text in "(?s)[ -~가-힣\n👍🏽ㅋ漢\u{301}\u{1112}\u{1161}\u{11ab}]{0,80}", width in 16usize..50, indent in 0usize..9) {
            let wrapped = wrap(&text, width, indent);
            for line in wrapped.split('\n') {
                prop_assert!(columns(line) <= width, "{:?}", line);
            }
            let bare = |t: &str| nfc(t).chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(bare(&wrapped), bare(&text));
        }

        #[test]
        fn orphans_are_counted(text in "[ a가👩👍🏽🇰🇷\u{200d}\u{fe0f}\u{fe0e}\u{20e3}\u{301}\u{1160}\u{11ab}\u{115f}\t]{0,30}", width in 2usize..20, indent in 0usize..9) {
            let wrapped = wrap(&text, width, indent);
            for line in wrapped.split('\n') {
                let seen = line.graphemes(true).filter(|g| columns(g) > 0).count();
                prop_assert!(line.contains('\t') || columns(line) <= width || seen <= 1, "{} {:?}", columns(line), line);
            }
        }

        #[test]
        fn any_text_wraps(text in "(?s).{0,60}", width in 1usize..20, indent in 0usize..30) {
            let _ = wrap(&text, width, indent);
        }
    }
}
