//! The one line that stands for a shell command in a transcript: what it did, without the wrapping
//! that agents put around it. The rule is "tool calls" of the brief's transcript.

use super::joint::Joint;
use super::scan::{Here, Scan, scan};
use super::words::{Piece, pieces};
use crate::language::{clip, one_line};
use crate::redact::redact;
use std::borrow::Cow;

/// Longest line, in characters.
const MAX_LINE: usize = 240;
/// Longest preview of a here-document, in characters.
const MAX_PREVIEW: usize = 80;

/// Shows a command on one line of at most 240 characters: `cd X &&`, `set -e`, exports, comments,
/// formatting pipes (`| tail -20`) and `2>&1` are dropped; a here-document is its opener with the
/// beginning of its text, or the opener alone if it writes a file. A text of nothing else but such
/// wrapping is shown as it is.
pub fn display(text: &str) -> String {
    let text = super::head(text);
    let found = scan(text);
    let mut line = String::new();
    for segment in &found.segments {
        let Some(part) = text.get(segment.span.clone()) else {
            continue;
        };
        let alone = found.segments.len() == 1;
        let piped = segment.before == Joint::Pipe;
        if !alone && ((piped && formats(part)) || (!piped && wraps(part, segment.before))) {
            continue;
        }
        let shown = shown(text, segment.span.start, part, &found);
        if shown.is_empty() {
            continue;
        }
        if !line.is_empty() {
            line.push_str(between(&line, segment.before));
        }
        line.push_str(&shown);
        if line.len() > MAX_LINE * 8 {
            break;
        }
    }
    if line.is_empty() {
        line = squeeze(text);
    }
    cut(&line, MAX_LINE)
}

fn between(line: &str, joint: Joint) -> &'static str {
    let opens = line
        .rsplit([' ', ';'])
        .next()
        .is_some_and(|w| matches!(w, "do" | "then" | "else" | "{" | "("));
    match joint {
        Joint::And => " && ",
        Joint::Or => " || ",
        Joint::Pipe => " | ",
        Joint::Background => " & ",
        Joint::Then if opens => " ",
        Joint::Then => "; ",
    }
}

/// One segment: here-documents reduced, redirections of noise dropped, blanks collapsed.
fn shown(text: &str, start: usize, part: &str, found: &Scan) -> String {
    let end = start + part.len();
    let inside = |h: &&Here| h.opener.start >= start && h.opener.end <= end;
    let docs: Vec<&Here> = found.heredocs.iter().filter(inside).collect();
    if let Some(patch) = patch(text, part, &docs) {
        return patch;
    }
    let writes = writes_file(part);
    let mut out = String::new();
    let mut at = start;
    let mut after = String::new();
    for here in docs {
        if here.opener.start < at {
            continue;
        }
        let nested = here.body.start < end;
        let head = text.get(at..here.opener.start).unwrap_or("");
        let preview = preview(text.get(here.body.clone()).unwrap_or(""));
        if nested && head.ends_with("$(cat ") {
            // `"$(cat <<'EOF' … EOF)"` is just a long string.
            out.push_str(head.trim_end_matches("$(cat "));
            out.push_str(&preview);
            at = here.whole.end;
            let rest = text.get(at..end).unwrap_or("").trim_start();
            if let Some(rest) = rest.strip_prefix(')') {
                at = end - rest.len();
            }
            continue;
        }
        out.push_str(head);
        out.push_str(text.get(here.opener.clone()).unwrap_or(""));
        at = here.opener.end;
        if nested {
            out.push_str(text.get(at..here.body.start).unwrap_or(""));
            at = here.whole.end;
        }
        if !writes && !preview.is_empty() {
            after.push(' ');
            after.push_str(&preview);
        }
    }
    out.push_str(text.get(at..end).unwrap_or(""));
    let mut line = squeeze(&without_noise(&out));
    line.push_str(&after);
    line
}

/// A patch is told by the files it is about.
fn patch(text: &str, part: &str, docs: &[&Here]) -> Option<String> {
    let program = part.split_whitespace().next()?;
    if !matches!(program, "apply_patch" | "applypatch") {
        return None;
    }
    let bodies = docs.iter().filter_map(|here| text.get(here.body.clone()));
    let names: Vec<String> = std::iter::once(part)
        .chain(bodies)
        .flat_map(crate::patch::files)
        .map(|file| file.path)
        .collect();
    (!names.is_empty()).then(|| format!("{program} {}", names.join(", ")))
}

fn preview(body: &str) -> String {
    let head: String = body.chars().take(MAX_PREVIEW * 8).collect();
    cut(&squeeze(&head), MAX_PREVIEW)
}

/// All white space to single blanks, and continued lines joined.
fn squeeze(text: &str) -> String {
    let joined = text.replace("\\\n", " ").replace("\\\r\n", " ");
    one_line(&joined).into_owned()
}

/// Drops `2>&1`, `>/dev/null` and the like.
fn without_noise(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let (mut kept, mut open) = (0, None);
    for piece in pieces(part) {
        match (piece, open.take()) {
            (Piece::Redirect(a, b), _) => open = Some((a, b)),
            (Piece::Word(_, b), Some((a, op_end))) => {
                let op = part.get(a..op_end).unwrap_or("");
                let target = part.get(op_end..b).unwrap_or("").trim();
                let noise = target == "/dev/null" && op.contains('>')
                    || op.ends_with(">&") && matches!(target, "1" | "2");
                if noise {
                    out.push_str(part.get(kept..a).unwrap_or(""));
                    kept = b;
                }
            }
            _ => {}
        }
    }
    out.push_str(part.get(kept..).unwrap_or(""));
    out
}

fn words(part: &str) -> Vec<&str> {
    pieces(part)
        .into_iter()
        .filter_map(|p| match p {
            Piece::Word(a, b) => part.get(a..b),
            Piece::Redirect(..) => None,
        })
        .collect()
}

/// A filter that only trims what is printed.
fn formats(part: &str) -> bool {
    if writes_file(part) {
        return false;
    }
    let words = words(part);
    let rest = words.get(1..).unwrap_or_default();
    let numbers = rest
        .iter()
        .all(|w| w.starts_with(['-', '+']) || w.chars().all(|c| c.is_ascii_digit()));
    match words.first().copied() {
        Some("head" | "tail") => numbers,
        Some("cat" | "less" | "more") => rest.iter().all(|w| w.starts_with('-')),
        Some("sed") => {
            rest.len() == 2
                && rest.first() == Some(&"-n")
                && rest.get(1).is_some_and(|s| {
                    s.trim_matches(['\'', '"'])
                        .chars()
                        .all(|c| c.is_ascii_digit() || matches!(c, ',' | 'p' | '$'))
                })
        }
        _ => false,
    }
}

/// `cd`, `set`, exports and other preparation that says nothing about what was done.
fn wraps(part: &str, before: Joint) -> bool {
    if part.contains("$(") || part.contains('`') {
        return false;
    }
    let words = words(part);
    let rest = words.get(1..).unwrap_or_default();
    match words.first().copied() {
        Some("cd") => rest.len() <= 1,
        Some("set") => rest.first().is_some_and(|w| w.starts_with(['-', '+'])),
        Some("export" | "unset" | "shopt" | "umask") => true,
        Some("true" | ":") => before == Joint::Or && rest.is_empty(),
        // A plain `NAME=value`.
        Some(first) => {
            words.iter().all(|w| {
                w.split_once('=')
                    .is_some_and(|(name, _)| super::words::is_name(name))
            }) && !first.is_empty()
        }
        None => false,
    }
}

/// Whether it writes a file that matters: then the text of a here-document is the file's.
fn writes_file(part: &str) -> bool {
    let pieces = pieces(part);
    let first = pieces.iter().find_map(|p| match p {
        Piece::Word(a, b) => part.get(*a..*b),
        Piece::Redirect(..) => None,
    });
    if matches!(first, Some("tee" | "apply_patch" | "patch")) {
        return true;
    }
    pieces.windows(2).any(|pair| match pair {
        [Piece::Redirect(a, b), Piece::Word(c, d)] => {
            let op = part.get(*a..*b).unwrap_or("");
            op.contains('>') && !op.ends_with('&') && part.get(*c..*d) != Some("/dev/null")
        }
        _ => false,
    })
}

/// Half a secret is no longer known for one: it goes before the cut.
fn cut(line: &str, most: usize) -> String {
    match clip(line, most) {
        Cow::Borrowed(line) => line.to_owned(),
        Cow::Owned(_) => clip(&redact(line), most).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::display;

    #[test]
    fn wrapping_is_dropped_and_the_rest_stays() {
        for (text, want) in [
            ("cd /w/app && ./build --release", "./build --release"),
            (
                "set -e; cd /w/app && ./build --release",
                "./build --release",
            ),
            (
                "set -euo pipefail\nexport A=1 B=2\ncargo test -p a 2>&1 | tail -20",
                "cargo test -p a",
            ),
            (
                "cargo test 2>&1 | tail -n 5; cargo fmt",
                "cargo test; cargo fmt",
            ),
            ("cat a.rs | head -50", "cat a.rs"),
            ("cd x", "cd x"),
            ("cd a && cd b", "cd a && cd b"),
            ("ls 2>/dev/null || true", "ls"),
            ("a && b || c", "a && b || c"),
            ("a; b\nc", "a; b; c"),
            ("# why\nls # what", "ls # what"),
            (
                "echo $((8<<20)); ./verify --all",
                "echo $((8<<20)); ./verify --all",
            ),
            (
                "for f in a b\ndo\n  echo $f\ndone",
                "for f in a b; do echo $f; done",
            ),
            ("ls \\\n  -la", "ls -la"),
            ("echo 'a  && b' | wc -l", "echo 'a && b' | wc -l"),
            ("git log | tail -3 > out", "git log | tail -3 > out"),
            ("tail -20 log.txt", "tail -20 log.txt"),
            ("ps | tail -20 log.txt", "ps | tail -20 log.txt"),
            ("A=1 cargo test", "A=1 cargo test"),
            ("A=1; cargo test", "cargo test"),
            ("A=$(date); cargo test", "A=$(date); cargo test"),
            ("", ""),
        ] {
            assert_eq!(display(text), want, "{text}");
        }
    }

    #[test]
    fn a_here_document_is_its_opener_and_a_glimpse() {
        for (text, want) in [
            (
                "python3 - <<'PY'\nimport csv; print(open('매출.csv'))\nPY",
                "python3 - <<'PY' import csv; print(open('매출.csv'))",
            ),
            (
                "cat > a.md <<'EOF'\nsecret text\nEOF\ngit add -A",
                "cat > a.md <<'EOF'; git add -A",
            ),
            ("tee a.md <<EOF\ntext\nEOF", "tee a.md <<EOF"),
            (
                "git commit -m \"$(cat <<'EOF'\nfix: it's\n\nbody\nEOF\n)\" && git push",
                "git commit -m \"fix: it's body\" && git push",
            ),
            (
                "cd app && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: n.rs\n+x\n*** Delete File: q.rs\n*** End Patch\nEOF",
                "apply_patch n.rs, q.rs",
            ),
            (
                "apply_patch '*** Begin Patch\n*** Update File: a b.rs\n@@\n-x\n+y\n*** End Patch'",
                "apply_patch a b.rs",
            ),
            (
                "apply_patch <<'EOF'\n*** Begin Patch\nEOF",
                "apply_patch <<'EOF'",
            ),
            (
                "python3 - <<'PY' 2>&1 | tail -5\nprint(1)\nPY",
                "python3 - <<'PY' print(1)",
            ),
        ] {
            assert_eq!(display(text), want, "{text}");
        }
        let long = format!("python3 - <<E\n{}\nE", "가나다 ".repeat(100));
        assert!(display(&long).chars().count() <= 96);
    }

    #[test]
    fn the_line_is_at_most_240_characters() {
        assert_eq!(display(&"가".repeat(500)).chars().count(), 240);
        assert_eq!(display(&"a".repeat(240)), "a".repeat(240));
    }
}
