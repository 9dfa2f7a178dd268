//! The values a shell command is turned into. No parsing here.

use super::joint::Joint;
use super::words::Word;

/// The simple commands of one shell text, in the order they are written.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Every simple command, also those inside pipes, bodies, subshells and `bash -c`.
    pub commands: Vec<Command>,
    /// False when the grammar was not understood and a plain split was used instead.
    pub exact: bool,
    /// True when `set -o pipefail` is in force, so a filter does not hide a failure.
    pub pipefail: bool,
    /// True when `set -e` is in force, so that nothing after a failure runs.
    pub strict: bool,
}

/// One simple command with its wrappers (`sudo`, `env`, `timeout`, …) taken off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Command {
    /// File name of the program (`/usr/bin/git` is `git`, `./build` stays `./build`).
    pub program: String,
    /// Its arguments.
    pub words: Vec<Word>,
    /// `NAME=value` in front of it (values unquoted).
    pub assignments: Vec<(String, String)>,
    /// Redirections to and from files.
    pub redirects: Vec<Redirect>,
    /// Here-documents and here-strings fed to it.
    pub heredocs: Vec<Heredoc>,
    /// How it hangs on the command before.
    pub joint: Joint,
    /// Directory it runs in, as far as `cd` says: `""` is where the shell started, `None` unknown.
    pub dir: Option<String>,
    /// It runs only if something before succeeded or failed (`&&`, `||`, `if`, loops, functions).
    pub conditional: bool,
    /// False where it may not run at all although everything went well: after `||`, in branches,
    /// loops and functions.
    pub certain: bool,
    /// More arguments come from somewhere else (`xargs`, `find -exec`).
    pub partial: bool,
    /// It stands inside `$( )`, so its output is not shown.
    pub substituted: bool,
    /// It was started with `&`: its exit status is not the script's.
    pub background: bool,
}

impl Command {
    /// The arguments without quotes.
    pub fn args(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.words.iter().map(|w| w.text.as_str())
    }

    /// The `n`th argument without quotes, or `""`.
    pub fn arg(&self, n: usize) -> &str {
        self.words.get(n).map_or("", |w| w.text.as_str())
    }

    /// Whether one of the arguments is exactly `word`.
    pub fn has(&self, word: &str) -> bool {
        self.args().any(|a| a == word)
    }
}

/// What a redirection does with its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
}

/// A redirection to or from a file (never to another descriptor).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// What is done with the file.
    pub kind: RedirectKind,
    /// Descriptor, when written (`2>`).
    pub fd: Option<i32>,
    /// The file.
    pub target: Word,
}

/// Text fed to a command from inside the script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heredoc {
    /// The lines between opener and end mark.
    pub body: String,
    /// Nothing in it is expanded (the end mark was quoted).
    pub literal: bool,
}
