//! Where sentences end.
//!
//! A sentence ends at `. ! ? 。 ！ ？ …` or with its line (CONTRACT 11), also before a missing blank behind a Korean
//! ending, and never inside numbers, versions, paths, addresses, file names, code spans or quotations.

use std::ops::Range;

use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

use super::script::{is_hangul, is_jamo, is_syllable};

/// Syllables that end a sentence: behind them a full stop counts even when the next word follows at once.
const ENDINGS: &str =
    "다요죠까것함음임줘마라자네지니게해됨듯래걸데봐와써둬놔꿔돼군구나냐봄감옴할세오";
/// Of these the ones that are no end of a file's name: Latin letters may follow (`했다.Then`).
const FIRM_ENDINGS: &str = "다요죠까것함음임줘됨";
/// Words that end a sentence in notes.
const ENDING_WORDS: &[&str] = &[
    "금지", "완료", "실행", "필수", "확인", "수정", "유지", "제외", "추가", "삭제", "배포", "사용",
    "부탁", "불가", "가능", "진행", "적용", "생략", "참고", "주의", "작성", "정리",
];
/// Particles behind a mark that is shown, not asked.
const SHOWN: &[&str] = &["로 ", "라고", "라는", "이라고"];
/// Letters before a full stop that is part of the word.
const ABBREVIATIONS: &[&str] = &[
    "e.g", "i.e", "eg", "ie", "vs", "cf", "mr", "mrs", "ms", "dr", "prof", "st", "fig", "approx",
    "resp", "incl", "al", "viz", "ca",
];
/// Abbreviations that also stand at the end: an end only before a capital letter or Hangul.
const CLOSING_ABBREVIATIONS: &[&str] =
    &["etc", "a.m", "p.m", "inc", "ltd", "corp", "jr", "sr", "no"];
const EXTENSIONS: &[&str] = &[
    "rs", "py", "js", "ts", "tsx", "jsx", "go", "md", "txt", "json", "jsonl", "toml", "yaml",
    "yml", "html", "css", "java", "kt", "c", "h", "cpp", "hpp", "cs", "rb", "php", "sh", "sql",
    "xml", "csv", "tsv", "log", "lock", "pdf", "png", "jpg", "jpeg", "gif", "svg", "zip", "gz",
    "tar", "xlsx", "xls", "docx", "doc", "pptx", "ppt", "hwp", "hwpx", "env", "ini", "conf", "cfg",
    "exe", "com", "net", "org", "kr", "io", "dev", "vue", "swift", "ipynb", "mp3", "mp4", "mov",
    "wav", "bak", "tmp", "local", "example",
];

/// The sentences of the text, without the blanks around them. Empty lines give nothing.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    split_sentences(text)
        .into_iter()
        .filter_map(|range| text.get(range))
}

/// [`sentences`] as byte ranges, in order, on cluster borders.
pub fn split_sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for end in sentence_ends(text) {
        push_trimmed(text, start..end, &mut found);
        start = end;
    }
    push_trimmed(text, start..text.len(), &mut found);
    found
}

fn push_trimmed(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let Some(part) = text.get(range.clone()) else {
        return;
    };
    let blank = |g: &str| g.chars().all(char::is_whitespace);
    let Some(first) = part
        .grapheme_indices(true)
        .find(|(_, g)| !blank(g))
        .map(|(at, _)| at)
    else {
        return;
    };
    let last = part
        .grapheme_indices(true)
        .rev()
        .find(|(_, g)| !blank(g))
        .map_or(part.len(), |(at, g)| at + g.len());
    found.push(range.start + first..range.start + last);
}

/// The bytes behind which a sentence ends, ascending; the end of a text that has no stop is not among them.
pub fn sentence_ends(text: &str) -> impl Iterator<Item = usize> {
    let mut line_start = 0;
    let mut pending: std::vec::IntoIter<usize> = Vec::new().into_iter();
    std::iter::from_fn(move || {
        loop {
            if let Some(end) = pending.next() {
                return Some(end);
            }
            let rest = text.get(line_start..).filter(|r| !r.is_empty())?;
            let (len, broken) = match rest.find(['\n', '\u{2028}', '\u{2029}', '\u{85}']) {
                Some(at) => {
                    let width = rest
                        .get(at..)
                        .and_then(|r| r.chars().next())
                        .map_or(1, char::len_utf8);
                    (at + width, true)
                }
                None => (rest.len(), false),
            };
            let line = rest.get(..len).unwrap_or_default();
            let mut ends = line_ends(line);
            for end in &mut ends {
                *end += line_start;
            }
            line_start += len;
            if broken && ends.last() != Some(&line_start) {
                ends.push(line_start);
            }
            pending = ends.into_iter();
        }
    })
}

fn line_ends(line: &str) -> Vec<usize> {
    let mut ends: Vec<usize> = Vec::new();
    if !line.contains(['.', '!', '?', '。', '！', '？', '…']) {
        return ends;
    }
    let quoted = protected(line);
    let mut quoted = quoted.iter().peekable();
    let mut behind = 0;
    for (at, stop) in line.char_indices() {
        if !matches!(stop, '.' | '!' | '?' | '。' | '！' | '？' | '…') || at < behind {
            continue;
        }
        while quoted.peek().is_some_and(|span| span.end <= at) {
            quoted.next();
        }
        if quoted.peek().is_some_and(|span| span.contains(&at)) {
            continue;
        }
        let end = absorb(line, at);
        behind = end;
        if ends_here(line, at, end) && is_border(line, end) {
            ends.push(end);
        }
    }
    ends
}

/// Code spans and quotations that close on the same line: what stands in them is mentioned, not said.
fn protected(line: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    if !line.contains(['`', '"', '“', '「', '『', '‘']) {
        return spans;
    }
    let mut at = 0;
    // Marks known not to close any more: looked for once, not once for each opener.
    let mut unclosed = String::new();
    while let Some((open, c)) = line
        .get(at..)
        .and_then(|rest| {
            rest.char_indices()
                .find(|(_, c)| matches!(c, '`' | '"' | '“' | '「' | '『' | '‘'))
        })
        .map(|(offset, c)| (at + offset, c))
    {
        at = open + c.len_utf8();
        let close = match c {
            '“' => '”',
            '「' => '」',
            '『' => '』',
            '‘' => '’',
            other => other,
        };
        if unclosed.contains(close) {
            continue;
        }
        match line.get(at..).and_then(|rest| rest.find(close)) {
            Some(len) => {
                at += len + close.len_utf8();
                spans.push(open..at);
            }
            None => unclosed.push(close),
        }
    }
    spans
}

/// Further stops, closing marks, emoji and laughter that belong to the stop at `at`.
fn absorb(line: &str, at: usize) -> usize {
    let rest = line.get(at..).unwrap_or_default();
    let mut end = at;
    for cluster in rest.graphemes(true) {
        let c = cluster.chars().next().unwrap_or(' ');
        let belongs = end == at
            || matches!(
                c,
                '.' | '!'
                    | '?'
                    | '。'
                    | '！'
                    | '？'
                    | '…'
                    | ')'
                    | ']'
                    | '}'
                    | '”'
                    | '’'
                    | '」'
                    | '』'
                    | '》'
                    | '〉'
                    | '"'
                    | '\''
                    | '~'
                    | '^'
            )
            || matches!(c, 'ㅋ' | 'ㅎ' | 'ㅠ' | 'ㅜ')
            || is_emoji(c);
        if !belongs {
            break;
        }
        end += cluster.len();
    }
    end
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1f000}'..='\u{1faff}' | '\u{2600}'..='\u{27bf}' | '\u{2b00}'..='\u{2bff}' | '\u{203c}' | '\u{2049}')
}

/// Whether the stop at `at`, whose marks reach to `end`, ends a sentence.
fn ends_here(line: &str, at: usize, end: usize) -> bool {
    let before = line.get(..at).unwrap_or_default();
    let marks = line.get(at..end).unwrap_or_default();
    let after = line.get(end..).unwrap_or_default();
    let Some(previous) = before.chars().next_back() else {
        // A line that begins with a stop: `...` or `?` alone, but not `.env` or `./run`.
        return after.is_empty()
            || (after.starts_with(char::is_whitespace) && !marks.starts_with('.'));
    };
    let stop = marks.chars().next().unwrap_or('.');
    if matches!(stop, '。' | '！' | '？' | '…') {
        return true;
    }
    let next = after.chars().next();
    let token = last_token(before);
    let open = next.is_none_or(char::is_whitespace);
    // Emoji or laughter between the stop and the next word do what a blank does.
    let parted = marks.chars().any(|c| is_emoji(c) || is_jamo(c));
    if !open && !parted && (token.contains("://") || (token.contains(['/', '\\']) && stop == '.')) {
        return false;
    }
    if stop != '.' {
        if open || parted {
            return true;
        }
        // `???로 나와`, `왜?라고 떠`: what is shown goes on with a particle.
        let goes_on = SHOWN.iter().any(|p| after.starts_with(p));
        return !goes_on && (is_hangul(previous) || next.is_some_and(is_hangul));
    }
    let dots = marks.chars().take_while(|&c| c == '.').count();
    if previous.is_whitespace() {
        // `git add . && x`, `.env`; but `끝 ...` trails off.
        return dots > 1 && open && next.is_some();
    }
    if dots > 1 {
        return open || parted || (is_hangul(previous) && next.is_some_and(is_hangul));
    }
    if open || parted {
        return next.is_none() || !(is_list_marker(before) || is_abbreviation(token, after));
    }
    if !is_syllable(previous) {
        return false;
    }
    let word: String = before
        .chars()
        .rev()
        .take(2)
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let ending = ENDINGS.contains(previous) || ENDING_WORDS.contains(&word.as_str());
    match next {
        Some(c) if is_hangul(c) => ending,
        Some(c) if c.is_ascii_alphanumeric() => {
            let name: String = after
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            FIRM_ENDINGS.contains(previous)
                && !EXTENSIONS.contains(&name.to_ascii_lowercase().as_str())
        }
        Some(_) => ending,
        None => true,
    }
}

/// What stands between the last blank and the stop; of text without blanks only its end, or a minified file would be
/// read again for each of its stops.
fn last_token(before: &str) -> &str {
    let mut from = before.len().saturating_sub(600);
    while !before.is_char_boundary(from) {
        from += 1;
    }
    let near = before.get(from..).unwrap_or_default();
    near.rsplit(char::is_whitespace).next().unwrap_or_default()
}

/// `1.`, `가.` or `- 2.` at the start of a line.
fn is_list_marker(before: &str) -> bool {
    let marker = before.trim_start_matches(|c: char| {
        c.is_whitespace() || matches!(c, '-' | '*' | '>' | '#' | '•')
    });
    (marker.len() <= 3 && !marker.is_empty() && marker.chars().all(|c| c.is_ascii_digit()))
        || matches!(
            marker,
            "가" | "나"
                | "다"
                | "라"
                | "마"
                | "바"
                | "사"
                | "a"
                | "b"
                | "c"
                | "d"
                | "A"
                | "B"
                | "C"
                | "D"
                | "i"
                | "ii"
                | "iii"
        )
}

fn is_abbreviation(token: &str, after: &str) -> bool {
    let word = token.trim_start_matches(|c: char| !c.is_alphanumeric());
    if !word.is_ascii() || word.is_empty() {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    if ABBREVIATIONS.contains(&lower.as_str()) {
        return true;
    }
    if CLOSING_ABBREVIATIONS.contains(&lower.as_str()) {
        let next = after.trim_start().chars().next();
        // `no.` is an abbreviation only before a number.
        return if lower == "no" {
            next.is_some_and(|c| c.is_ascii_digit())
        } else {
            next.is_some_and(|c| c.is_lowercase() && !is_hangul(c))
        };
    }
    // An initial: `J. Kim`.
    word.len() == 1
        && word.starts_with(|c: char| c.is_ascii_uppercase() && c != 'I')
        && after
            .trim_start()
            .starts_with(|c: char| c.is_ascii_uppercase())
}

fn is_border(line: &str, at: usize) -> bool {
    GraphemeCursor::new(at, line.len(), true)
        .is_boundary(line, 0)
        .unwrap_or(false)
}

#[cfg(test)]
mod tests;
