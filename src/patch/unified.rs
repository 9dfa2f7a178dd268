//! Unified diffs, plain or from git.

use super::{Op, PatchFile};

#[derive(Default)]
struct Found {
    git: Option<(String, String)>,
    old: Option<String>,
    new: Option<String>,
    added: bool,
    deleted: bool,
    from: Option<String>,
    to: Option<String>,
}

/// The files, in order. Hunk lines are counted off, so that text that looks like a header is text.
pub(super) fn files(text: &str) -> Vec<PatchFile> {
    let mut out = Vec::new();
    let mut found = Found::default();
    let (mut minus, mut plus) = (0u64, 0u64);
    for line in text.lines() {
        if minus > 0 || plus > 0 {
            match line.as_bytes().first() {
                Some(b'-') => minus = minus.saturating_sub(1),
                Some(b'+') => plus = plus.saturating_sub(1),
                Some(b' ') | None => {
                    minus = minus.saturating_sub(1);
                    plus = plus.saturating_sub(1);
                }
                Some(b'\\') => {}
                _ => (minus, plus) = (0, 0),
            }
            if minus > 0 || plus > 0 || matches!(line.as_bytes().first(), Some(b'-' | b'+' | b' '))
            {
                continue;
            }
        }
        if let Some(rest) = line.strip_prefix("diff --git ") {
            flush(&mut found, &mut out);
            found.git = git_paths(rest);
        } else if line.starts_with("new file mode") {
            found.added = true;
        } else if line.starts_with("deleted file mode") {
            found.deleted = true;
        } else if let Some(path) = line.strip_prefix("rename from ") {
            found.from = Some(clean(path));
        } else if let Some(path) = line.strip_prefix("rename to ") {
            found.to = Some(clean(path));
        } else if let Some(path) = line.strip_prefix("--- ") {
            if found.old.is_some() {
                flush(&mut found, &mut out);
            }
            found.old = Some(side(path));
        } else if let Some(path) = line.strip_prefix("+++ ") {
            if found.old.is_some() {
                found.new = Some(side(path));
            }
        } else if let Some((a, b)) = hunk(line) {
            (minus, plus) = (a, b);
        }
    }
    flush(&mut found, &mut out);
    out
}

fn flush(found: &mut Found, out: &mut Vec<PatchFile>) {
    let f = std::mem::take(found);
    let push = |op, path: String, moved_to| PatchFile { op, path, moved_to };
    if let (Some(from), Some(to)) = (&f.from, &f.to) {
        out.push(push(Op::Update, from.clone(), Some(to.clone())));
        return;
    }
    let file = match (f.old.as_deref(), f.new.as_deref(), f.git) {
        (Some("/dev/null"), Some(new), _) if new != "/dev/null" => push(Op::Add, strip(new), None),
        (Some(old), Some("/dev/null"), _) if old != "/dev/null" => {
            push(Op::Delete, strip(old), None)
        }
        (Some(_), Some("/dev/null"), _) => return,
        (Some(_), Some(new), _) => push(Op::Update, strip(new), None),
        (_, _, Some((_, new))) if f.added => push(Op::Add, new, None),
        (_, _, Some((old, _))) if f.deleted => push(Op::Delete, old, None),
        (_, _, Some((_, new))) => push(Op::Update, new, None),
        _ => return,
    };
    if !file.path.is_empty() {
        out.push(file);
    }
}

/// The path of a `---` or `+++` line without its time stamp.
fn side(path: &str) -> String {
    clean(path.split('\t').next().unwrap_or(path))
}

fn clean(path: &str) -> String {
    path.trim().trim_matches('"').to_owned()
}

fn strip(path: &str) -> String {
    path.strip_prefix("a/")
        .or_else(|| path.strip_prefix("b/"))
        .unwrap_or(path)
        .to_owned()
}

/// `a/x b/x`: with blanks in names the two halves are equal, which says where to cut.
fn git_paths(rest: &str) -> Option<(String, String)> {
    let rest = rest.trim();
    let middle = rest.len() / 2;
    let (old, new) = match (rest.get(..middle), rest.get(middle + 1..)) {
        (Some(old), Some(new)) if strip(old) == strip(new) => (old, new),
        _ => rest
            .split_once(" b/")
            .map(|(a, _)| (a, rest.get(a.len() + 1..).unwrap_or("")))?,
    };
    Some((strip(&clean(old)), strip(&clean(new))))
}

/// Lines of both sides in `@@ -1,3 +1,4 @@`.
fn hunk(line: &str) -> Option<(u64, u64)> {
    let mut parts = line.strip_prefix("@@ -")?.split(' ');
    let count = |part: &str| -> Option<u64> {
        match part.split_once(',') {
            Some((_, n)) => n.parse().ok(),
            None => part.parse::<u64>().ok().map(|_| 1),
        }
    };
    let minus = count(parts.next()?)?;
    let plus = count(parts.next()?.strip_prefix('+')?)?;
    Some((minus, plus))
}
