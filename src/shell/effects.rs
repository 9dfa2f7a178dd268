//! Which files a shell text creates, changes, moves, deletes or reads, as far as its words leave
//! no doubt. Names with variables or globs are left out, and so are directories, but for those that go away.

use super::commits::git;
use super::joint::Joint;
use super::path;
use super::script::{Command, RedirectKind, Script};
use super::words::Word;
use crate::patch;

/// What is done with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EffectKind {
    /// It gets wholly new content (it may have existed before).
    Create,
    /// It was not there before: a patch says so.
    Add,
    /// Its content is changed or grows.
    Modify,
    /// It goes away.
    Delete,
    /// It goes away with all that lies in it, file or directory.
    Clear,
    /// It was `from` before.
    Move {
        /// The old path.
        from: String,
    },
    /// Its content is shown.
    Read,
    /// Its changes are thrown away (`git restore`).
    Revert,
}

/// One file and what happens to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEffect {
    /// What is done.
    pub kind: EffectKind,
    /// The file, seen from where the shell started.
    pub path: String,
    /// True if it happened when the script as a whole succeeded: no branch, loop or unclear target.
    pub certain: bool,
}

/// The effects of a text on files, in order. The caller decides what counts as success and which
/// paths matter (temporary files are reported like any other).
pub fn effects(script: &Script) -> Vec<FileEffect> {
    let mut out = Vec::new();
    for (n, command) in script.commands.iter().enumerate() {
        let next = script.commands.get(n + 1);
        Reader {
            command,
            dir: command.dir.clone(),
            feeds: next.is_some_and(|c| c.joint == Joint::Pipe),
            out: &mut out,
        }
        .read();
    }
    out
}

struct Reader<'a> {
    command: &'a Command,
    dir: Option<String>,
    /// Its output goes into a pipe.
    feeds: bool,
    out: &'a mut Vec<FileEffect>,
}

impl Reader<'_> {
    fn read(mut self) {
        let command = self.command;
        if !command.partial {
            self.program();
        }
        self.dir.clone_from(&command.dir);
        for redirect in &command.redirects {
            match redirect.kind {
                RedirectKind::Write => self.add(EffectKind::Create, &redirect.target, true),
                RedirectKind::Append => self.add(EffectKind::Modify, &redirect.target, true),
                RedirectKind::Read => {}
            }
        }
    }

    fn program(&mut self) {
        let command = self.command;
        let flag = |short: char, long: &str| {
            command.args().any(|a| {
                a == long || (a.starts_with('-') && !a.starts_with("--") && a.contains(short))
            })
        };
        match command.program.as_str() {
            "rm" | "unlink" | "trash" => {
                let all = flag('r', "--recursive") || flag('R', "-R");
                let plain = !flag('d', "--dir");
                for word in operands(&command.words, &[]) {
                    self.remove(word, all, plain);
                }
            }
            "mv" => self.transfer(&operands(&command.words, &["-S", "-t"]), true),
            "cp" if !flag('r', "--recursive") && !flag('R', "-R") && !flag('a', "--archive") => {
                self.transfer(&operands(&command.words, &["-S", "-t"]), false);
            }
            // A link is a new file under its own name.
            "ln" if !flag('f', "--force") => {
                if let [_, target] = operands(&command.words, &[]).as_slice() {
                    let clear = file_like(&target.text) && !target.text.ends_with('/');
                    self.add(EffectKind::Create, target, clear);
                }
            }
            "touch" => self.all(
                EffectKind::Create,
                &operands(&command.words, &["-d", "-t", "-r"]),
            ),
            "tee" => {
                let kind = if flag('a', "--append") {
                    EffectKind::Modify
                } else {
                    EffectKind::Create
                };
                self.all(kind, &operands(&command.words, &[]));
            }
            "sed" | "gsed" => self.sed(),
            "perl" | "ruby" if in_place(command) => {
                let files = operands(&command.words, &["-e", "-E", "-i"]);
                let files: Vec<&Word> = files.into_iter().filter(|w| file_like(&w.text)).collect();
                self.all(EffectKind::Modify, &files);
            }
            "cat" | "nl" | "less" | "more" | "bat" | "batcat" | "tac" => {
                self.all(
                    EffectKind::Read,
                    &operands(&command.words, &["-r", "--line-range", "-l"]),
                );
            }
            "head" | "tail" => {
                let numbers = ["-n", "-c", "--lines", "--bytes"];
                let files = operands(&command.words, &numbers);
                let files: Vec<&Word> = files
                    .into_iter()
                    .filter(|w| !w.text.starts_with('+'))
                    .collect();
                self.all(EffectKind::Read, &files);
            }
            "apply_patch" | "applypatch" => {
                let texts: Vec<&str> = match command.heredocs.as_slice() {
                    [] => command.args().collect(),
                    docs => docs.iter().map(|d| d.body.as_str()).collect(),
                };
                for text in texts {
                    self.patch(text);
                }
            }
            "git" => self.git(),
            _ => {}
        }
    }

    fn sed(&mut self) {
        let command = self.command;
        let in_place = in_place(command) || command.args().any(|a| a.starts_with("--in-place"));
        let quiet = command
            .args()
            .any(|a| a == "-n" || a == "--quiet" || a == "-ne" || a == "-nE");
        if !in_place && !quiet {
            return;
        }
        let scripted = command
            .args()
            .any(|a| matches!(a, "-e" | "-f" | "-ne" | "-ie" | "--expression" | "--file"));
        let files = operands(
            &command.words,
            &["-e", "-f", "-ne", "--expression", "--file", "-l"],
        );
        let mut files = files.as_slice();
        // BSD: `sed -i '' 's/a/b/' FILE`.
        if in_place && files.first().is_some_and(|w| w.text.is_empty()) {
            files = files.get(1..).unwrap_or_default();
        }
        if !scripted {
            files = files.get(1..).unwrap_or_default();
        }
        let kind = if in_place {
            EffectKind::Modify
        } else {
            EffectKind::Read
        };
        self.all(kind, files);
    }

    fn git(&mut self) {
        let Some(git) = git(self.command) else { return };
        self.dir.clone_from(&git.dir);
        let has = |names: &[&str]| git.args.iter().any(|w| names.contains(&w.text.as_str()));
        match git.sub {
            "rm" if !has(&["--cached", "-n", "--dry-run"]) => {
                let all = has(&["-r", "-rf", "-fr"]);
                for word in operands(git.args, &[]) {
                    self.remove(word, all, true);
                }
            }
            "mv" => self.transfer(&operands(git.args, &[]), true),
            "restore" if !has(&["--staged", "-S"]) || has(&["--worktree", "-W"]) => {
                self.all(EffectKind::Revert, &operands(git.args, &["-s", "--source"]));
            }
            "checkout" => {
                let after = git.args.iter().position(|w| w.text == "--");
                let files = after
                    .and_then(|n| git.args.get(n + 1..))
                    .unwrap_or_default();
                self.all(EffectKind::Revert, &files.iter().collect::<Vec<_>>());
            }
            "apply" if !has(&["--check", "--stat", "--cached"]) => {
                for doc in &self.command.heredocs {
                    self.patch(&doc.body);
                }
            }
            _ => {}
        }
    }

    fn patch(&mut self, text: &str) {
        for file in patch::files(text) {
            let kind = match (file.op, &file.moved_to) {
                (patch::Op::Add, _) => EffectKind::Add,
                (patch::Op::Delete, _) => EffectKind::Delete,
                (patch::Op::Update, None) => EffectKind::Modify,
                (patch::Op::Update, Some(_)) => EffectKind::Move {
                    from: self.seen(&file.path).unwrap_or_else(|| file.path.clone()),
                },
            };
            let path = file.moved_to.as_deref().unwrap_or(&file.path);
            self.push(kind, path, true);
        }
    }

    /// `mv` and `cp`: one file to a name, or files into a directory.
    fn transfer(&mut self, files: &[&Word], moves: bool) {
        let Some((target, sources)) = files.split_last() else {
            return;
        };
        let into = target.text.ends_with('/') || sources.len() > 1 || target.text == ".";
        for source in sources {
            if !source.literal || !target.literal || source.text.ends_with('/') {
                continue;
            }
            let name = path::base(&source.text);
            let to = if into {
                format!("{}/{name}", target.text.trim_end_matches('/'))
            } else {
                target.text.clone()
            };
            let Some(from) = self.seen(&source.text) else {
                continue;
            };
            let kind = if moves {
                EffectKind::Move { from }
            } else {
                EffectKind::Create
            };
            // Without an ending the target may be a directory that is there already.
            // And a source without one may be a directory itself.
            let clear = file_like(name) && (into || file_like(&to) || path::base(&to) == name);
            self.push(kind, &to, clear);
        }
    }

    fn all(&mut self, kind: EffectKind, files: &[&Word]) {
        for word in files {
            self.add(kind.clone(), word, true);
        }
    }

    fn remove(&mut self, word: &Word, all: bool, clear: bool) {
        match all {
            true if word.literal => {
                let name = word.text.trim_end_matches('/');
                self.push(EffectKind::Clear, name, true);
            }
            true => {}
            false => self.add(EffectKind::Delete, word, clear),
        }
    }

    fn add(&mut self, kind: EffectKind, word: &Word, clear: bool) {
        if word.literal {
            self.push(kind, &word.text, clear);
        }
    }

    fn seen(&self, file: &str) -> Option<String> {
        if file.starts_with(['/', '~']) {
            return Some(path::join("", file));
        }
        self.dir.as_deref().map(|dir| path::join(dir, file))
    }

    fn push(&mut self, kind: EffectKind, file: &str, clear: bool) {
        if file.is_empty()
            || file == "-"
            || file == "."
            || file.ends_with('/')
            || file.contains('\n')
        {
            return;
        }
        if kind == EffectKind::Read && self.command.substituted {
            return;
        }
        let Some(path) = self.seen(file) else { return };
        if path.is_empty() || path.starts_with("/dev/") || path.starts_with("/proc/") {
            return;
        }
        // What is read through a filter was not seen as a whole, but it was read.
        let certain = self.command.certain
            && clear
            && !(self.feeds && matches!(kind, EffectKind::Delete | EffectKind::Clear));
        self.out.push(FileEffect {
            kind,
            path,
            certain,
        });
    }
}

/// The words that are no options; `valued` options take the next word with them.
fn operands<'a>(words: &'a [Word], valued: &[&str]) -> Vec<&'a Word> {
    let mut out = Vec::new();
    let mut rest = words.iter();
    let mut options = true;
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if options && text == "--" {
            options = false;
        } else if options && text.len() > 1 && text.starts_with('-') {
            if valued.contains(&text) {
                rest.next();
            }
        } else {
            out.push(word);
        }
    }
    out
}

fn in_place(command: &Command) -> bool {
    command.args().any(|a| {
        a.strip_prefix('-').is_some_and(|f| {
            !f.starts_with('-')
                && f.split('.')
                    .next()
                    .is_some_and(|f| f.ends_with('i') || f.starts_with('i'))
        })
    })
}

/// Whether the last part of a path has an ending (`a.rs`, `.env`).
fn file_like(path: &str) -> bool {
    path::base(path).contains('.') && !path.ends_with('.')
}

#[cfg(test)]
mod tests;
