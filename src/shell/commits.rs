//! Calls of git in a shell text: the commits it means to make, and whatever else moves history.
//! Whether a commit was made is for git's own words in the result to say, not for this module.

use super::joint::Joint;
use super::path;
use super::script::{Command, RedirectKind, Script};
use super::words::Word;

/// A `git commit` as it was called.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct CommitCall {
    /// The message as far as the command holds it (several `-m` are paragraphs).
    pub message: Option<String>,
    /// `--amend`: it replaces the commit before.
    pub amend: bool,
    /// Directory git runs in (`""` is where the shell started, `None` unknown).
    pub dir: Option<String>,
    /// `-q`: git prints no bracket line.
    pub quiet: bool,
}

/// What a git call can do to history besides a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryKind {
    /// Makes a commit that takes another one back.
    Revert,
    /// May make a merge commit.
    Merge,
    /// Copies commits.
    CherryPick,
    /// Rewrites commits.
    Rebase,
    /// May merge or rebase.
    Pull,
    /// May drop commits.
    Reset,
    /// Applies mails as commits.
    Am,
}

/// A git call that makes, replaces or drops commits without being `git commit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCall {
    /// What it is.
    pub kind: HistoryKind,
    /// Directory git runs in.
    pub dir: Option<String>,
}

/// A git command with its global options off.
pub(super) struct Git<'a> {
    pub sub: &'a str,
    pub args: &'a [Word],
    pub dir: Option<String>,
}

/// Reads `git [-C DIR] [-c K=V] … SUB ARGS`.
pub(super) fn git(command: &Command) -> Option<Git<'_>> {
    if command.program != "git" {
        return None;
    }
    let mut dir = command.dir.clone();
    let mut i = 0;
    while let Some(word) = command.words.get(i) {
        match word.text.as_str() {
            "-C" => {
                let target = command.words.get(i + 1)?;
                dir = match dir {
                    _ if target.literal && target.text.starts_with(['/', '~']) => {
                        Some(path::join("", &target.text))
                    }
                    Some(dir) if target.literal => Some(path::join(&dir, &target.text)),
                    _ => None,
                };
                i += 2;
            }
            "-c" | "--git-dir" | "--work-tree" | "--namespace" => i += 2,
            text if text.starts_with('-') => i += 1,
            sub => {
                return Some(Git {
                    sub,
                    args: command.words.get(i + 1..).unwrap_or_default(),
                    dir,
                });
            }
        }
    }
    None
}

/// Every `git commit` of the text, in order. A mention of it in a string is none.
pub fn git_commits(script: &Script) -> Vec<CommitCall> {
    let mut out = Vec::new();
    for (n, command) in script.commands.iter().enumerate() {
        let Some(git) = git(command).filter(|g| g.sub == "commit") else {
            continue;
        };
        let before = script.commands.get(..n).unwrap_or_default();
        if let Some(call) = commit(command, &git, before) {
            out.push(call);
        }
    }
    out
}

fn commit(command: &Command, git: &Git, before: &[Command]) -> Option<CommitCall> {
    let mut call = CommitCall {
        dir: git.dir.clone(),
        ..CommitCall::default()
    };
    let mut paragraphs: Vec<String> = Vec::new();
    let mut file: Option<String> = None;
    let mut i = 0;
    while let Some(word) = git.args.get(i) {
        i += 1;
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (long, None),
            };
            let mut argument = || {
                value.clone().or_else(|| {
                    i += 1;
                    git.args.get(i - 1).map(|w| w.text.clone())
                })
            };
            match name {
                "amend" => call.amend = true,
                "quiet" => call.quiet = true,
                "dry-run" | "help" | "short" | "porcelain" => return None,
                "message" => paragraphs.extend(argument().map(|m| written(&m))),
                "file" => file = argument(),
                "author" | "date" | "template" | "reuse-message" | "reedit-message" | "trailer"
                | "cleanup" | "pathspec-from-file" => {
                    argument();
                }
                _ => {}
            }
        } else if let Some(flags) = text.strip_prefix('-') {
            for (at, flag) in flags.char_indices() {
                let rest = flags.get(at + flag.len_utf8()..).unwrap_or("");
                let mut argument = || {
                    if rest.is_empty() {
                        i += 1;
                        git.args.get(i - 1).map(|w| w.text.clone())
                    } else {
                        Some(rest.to_owned())
                    }
                };
                match flag {
                    'q' => call.quiet = true,
                    'm' => {
                        paragraphs.extend(argument().map(|m| written(&m)));
                        break;
                    }
                    'F' => {
                        file = argument();
                        break;
                    }
                    'C' | 'c' | 't' => {
                        argument();
                        break;
                    }
                    'S' | 'u' => break,
                    'h' => return None,
                    _ => {}
                }
            }
        }
    }
    if let Some(file) = file {
        paragraphs.extend(content(&file, command, before));
    }
    let message = paragraphs.join("\n\n");
    let message = message.trim();
    call.message = (!message.is_empty()).then(|| message.to_owned());
    Some(call)
}

/// A message given as `"$(cat <<'EOF' … EOF)"` is the text of that document.
fn written(message: &str) -> String {
    let Some(inner) = message
        .strip_prefix("$(")
        .and_then(|m| m.trim_end().strip_suffix(')'))
    else {
        return message.to_owned();
    };
    let found = super::scan::scan(inner);
    match found.heredocs.first() {
        Some(here) => inner.get(here.body.clone()).unwrap_or("").trim().to_owned(),
        None => message.to_owned(),
    }
}

/// The text of `-F FILE`, when the same script says it.
fn content(file: &str, command: &Command, before: &[Command]) -> Option<String> {
    if file == "-" || file == "/dev/stdin" {
        if let Some(here) = command.heredocs.last() {
            return Some(here.body.clone());
        }
        return before
            .last()
            .filter(|_| command.joint == Joint::Pipe)
            .and_then(printed);
    }
    before
        .iter()
        .rev()
        .find(|c| {
            let redirected = c
                .redirects
                .iter()
                .any(|r| r.kind != RedirectKind::Read && r.target.text == file);
            redirected || (c.program == "tee" && c.has(file))
        })
        .and_then(printed)
}

/// What `cat <<EOF`, `echo` or `printf` prints.
fn printed(command: &Command) -> Option<String> {
    if let Some(here) = command.heredocs.last() {
        return Some(here.body.clone());
    }
    let words: Vec<&str> = command
        .args()
        .filter(|a| !matches!(*a, "-e" | "-n" | "%s" | "%s\\n"))
        .collect();
    match command.program.as_str() {
        "echo" => Some(words.join(" ")),
        "printf" => Some(words.join(" ").replace("\\n", "\n")),
        _ => None,
    }
}

/// Everything besides `git commit` that can make, replace or drop commits, in order.
pub fn history_calls(script: &Script) -> Vec<HistoryCall> {
    script
        .commands
        .iter()
        .filter_map(|command| {
            let git = git(command)?;
            let kind = match git.sub {
                "revert" => HistoryKind::Revert,
                "merge" => HistoryKind::Merge,
                "cherry-pick" => HistoryKind::CherryPick,
                "rebase" => HistoryKind::Rebase,
                "pull" => HistoryKind::Pull,
                "reset" => HistoryKind::Reset,
                "am" => HistoryKind::Am,
                _ => return None,
            };
            Some(HistoryCall { kind, dir: git.dir })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        git_commits(&parse(text))
            .into_iter()
            .map(|c| {
                format!(
                    "{}{}{}{}",
                    c.dir
                        .filter(|d| !d.is_empty())
                        .map(|d| format!("@{d} "))
                        .unwrap_or_default(),
                    if c.amend { "amend " } else { "" },
                    if c.quiet { "quiet " } else { "" },
                    c.message.unwrap_or_else(|| "-".to_owned())
                )
            })
            .collect()
    }

    #[test]
    fn all_forms_of_a_commit_are_read() {
        for (text, want) in [
            ("git commit -m 'fix: a'", vec!["fix: a"]),
            ("git commit -am \"fix: 표\"", vec!["fix: 표"]),
            (
                "git commit -qm \"feat: x\" && git log --oneline -1",
                vec!["quiet feat: x"],
            ),
            ("git commit -mshort", vec!["short"]),
            ("git -C /w commit --message=\"fix: b\"", vec!["@/w fix: b"]),
            ("git -C app commit --message 'b'", vec!["@app b"]),
            (
                "cd /w && git -c user.name=x commit -m a -m b",
                vec!["@/w a\n\nb"],
            ),
            ("git commit --amend --no-edit", vec!["amend -"]),
            (
                "git commit -F - <<'EOF'\nfix: 폭\n\n본문\nEOF",
                vec!["fix: 폭\n\n본문"],
            ),
            (
                "git commit -m \"$(cat <<'EOF'\nfix: it's (a\n\nbody\nEOF\n)\"",
                vec!["fix: it's (a\n\nbody"],
            ),
            ("echo 'msg' | git commit -F -", vec!["msg"]),
            (
                "cat > m.txt <<E\nsubject\nE\ngit commit -F m.txt",
                vec!["subject"],
            ),
            ("git commit -F other.txt", vec!["-"]),
            (
                "git add . && git commit -m one && git commit --allow-empty -m two",
                vec!["one", "two"],
            ),
            ("bash -lc \"git commit -m 'in bash'\"", vec!["in bash"]),
            ("git commit --author 'A <a@b>' -sm x", vec!["x"]),
            ("git commit", vec!["-"]),
        ] {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn mentions_and_trials_are_no_commits() {
        for text in [
            "grep -rn 'git commit -m' docs",
            "echo git commit -m x",
            "git commit --dry-run",
            "git log --grep commit",
            "# git commit -m x",
            "git commit-tree x",
            "cat <<EOF\ngit commit -m x\nEOF",
        ] {
            assert!(shown(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn other_calls_move_history_too() {
        let kinds = |text| {
            history_calls(&parse(text))
                .into_iter()
                .map(|h| h.kind)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            kinds("git pull && git reset --hard HEAD~1"),
            [HistoryKind::Pull, HistoryKind::Reset]
        );
        assert_eq!(kinds("git -C x revert abc"), [HistoryKind::Revert]);
        assert!(kinds("git log; echo git merge").is_empty());
    }
}
