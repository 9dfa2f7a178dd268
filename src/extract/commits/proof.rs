//! Git's own words for a commit: the bracket line that `git commit` prints, or a line of `git log` that has
//! the subject the command gave (SPEC 1.9, C1).

use crate::language::one_line;
use crate::shell::CommitCall;

/// Characters of a subject that must agree.
const COMPARED: usize = 60;

/// A commit as git confirmed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proof {
    /// Which call of the command made it.
    pub call: usize,
    pub hash: String,
    pub subject: String,
    pub branch: Option<String>,
}

/// The commits that a result confirms for these calls, in order. `last` is the subject of the commit before,
/// which an amend without a message keeps; with `many` the calls may have run more than once.
pub fn proofs(calls: &[CommitCall], text: &str, last: Option<&str>, many: bool) -> Vec<Proof> {
    let brackets: Vec<Proof> = text.lines().filter_map(bracket).collect();
    let mut out: Vec<Proof> = Vec::new();
    let mut free: Vec<usize> = (0..calls.len()).collect();
    let exact = brackets.len() == calls.len();
    for line in brackets {
        // The call with that subject; else the next one that no line has confirmed.
        let named = free.iter().position(|c| {
            calls
                .get(*c)
                .and_then(subject_of)
                .is_some_and(|s| same(&s, &line.subject))
        });
        let next = if exact { free.first().map(|_| 0) } else { None };
        match named.or(next).or_else(|| free.first().map(|_| 0)) {
            Some(at) => {
                let call = free.remove(at);
                out.push(Proof { call, ..line });
            }
            None if many => out.push(Proof {
                call: calls.len().saturating_sub(1),
                ..line
            }),
            None => {}
        }
    }
    for call in free {
        let Some(given) = calls.get(call) else {
            continue;
        };
        let kept = last.filter(|_| given.amend).map(str::to_owned);
        let Some(subject) = subject_of(given).or(kept) else {
            continue;
        };
        let seen = logged(text).find(|(hash, s)| {
            same(&subject, s) && out.iter().all(|p| !p.hash.starts_with(hash.as_str()))
        });
        if let Some((hash, subject)) = seen {
            out.push(Proof {
                call,
                hash,
                subject,
                branch: None,
            });
        }
    }
    out.sort_by_key(|p| p.call);
    out
}

/// Whether git's whole answer to a commit stands in the text: the bracket line and the count of files below it.
/// A script of the project may have committed.
pub fn confirmed(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|l| bracket(l).is_none()).skip(1);
    lines.by_ref().take(3).any(|line| {
        let line = line.trim_start();
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.starts_with(" file") && rest.contains(" changed")
    })
}

/// `[main 1a2b3c4] subject`, `[main (root-commit) 1a2b3c4] subject`, `[detached HEAD 1a2b3c4] subject`.
fn bracket(line: &str) -> Option<Proof> {
    let inner = line.trim().strip_prefix('[')?;
    let (head, subject) = inner.split_once("] ")?;
    let (branch, hash) = head.rsplit_once(' ')?;
    if !is_hash(hash) {
        return None;
    }
    let branch = branch.trim_end_matches("(root-commit)").trim();
    let named = !branch.is_empty() && branch != "detached HEAD" && !branch.contains(' ');
    if !named && branch != "detached HEAD" {
        return None;
    }
    Some(Proof {
        call: 0,
        hash: hash.to_owned(),
        subject: one_line(subject).into_owned(),
        branch: named.then(|| branch.to_owned()),
    })
}

/// Lines of a log: `hash subject`, `* hash (HEAD -> main) subject`, and the long form over several lines.
fn logged(text: &str) -> impl Iterator<Item = (String, String)> {
    let mut long: Option<String> = None;
    text.lines().filter_map(move |line| {
        let line = line.trim().trim_start_matches(['*', '|', '/', '\\', ' ']);
        if let Some(hash) = line.strip_prefix("commit ") {
            let hash = hash.split(' ').next().unwrap_or_default();
            long = is_hash(hash).then(|| hash.to_owned());
            return None;
        }
        if let Some((hash, rest)) = line.split_once(' ')
            && is_hash(hash)
        {
            let rest = match rest.strip_prefix('(').and_then(|r| r.split_once(") ")) {
                Some((_, subject)) => subject,
                None => rest,
            };
            return Some((hash.to_owned(), one_line(rest).into_owned()));
        }
        let header = [
            "Author:",
            "Date:",
            "Merge:",
            "Commit:",
            "AuthorDate:",
            "CommitDate:",
        ];
        if line.is_empty() || header.iter().any(|h| line.starts_with(h)) {
            return None;
        }
        long.take().map(|hash| (hash, one_line(line).into_owned()))
    })
}

fn is_hash(text: &str) -> bool {
    (7..=40).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn subject_of(call: &CommitCall) -> Option<String> {
    let line = call
        .message
        .as_deref()?
        .lines()
        .find(|l| !l.trim().is_empty())?;
    Some(one_line(line).into_owned())
}

fn same(a: &str, b: &str) -> bool {
    let head = |s: &str| -> String {
        use unicode_normalization::UnicodeNormalization;
        s.trim().nfc().take(COMPARED).collect()
    };
    head(a) == head(b)
}
