//! The fallback of the parser: a shell text split at its separators, without a grammar.

use super::parse::Walk;
use super::scan::scan;
use super::script::{Command, Heredoc, Redirect, RedirectKind};
use super::words::is_name;
use super::words::{Piece, Word, pieces};

impl Walk {
    /// The fallback: separators, words, redirections; compound keywords are skipped over.
    pub(super) fn split(&mut self, text: &str, inner: u8) {
        self.guessed = true;
        let found = scan(text);
        for segment in &found.segments {
            let Some(part) = text.get(segment.span.clone()) else {
                continue;
            };
            let mut command = Command {
                joint: segment.before,
                ..Command::default()
            };
            for here in &found.heredocs {
                if segment.span.contains(&here.opener.start) {
                    command.heredocs.push(Heredoc {
                        body: text.get(here.body.clone()).unwrap_or("").to_owned(),
                        literal: here.literal,
                    });
                }
            }
            let part = part.trim_start_matches(['(', '{', ' ']);
            let mut words = Vec::new();
            let mut redirect: Option<&str> = None;
            for piece in pieces(part) {
                match piece {
                    Piece::Redirect(a, b) => redirect = part.get(a..b),
                    Piece::Word(a, b) => {
                        let Some(raw) = part.get(a..b) else { continue };
                        match redirect.take() {
                            None => {
                                if !(words.is_empty() && keyword(raw)) {
                                    words.push(Word::new(raw));
                                }
                            }
                            Some(op) => plain_redirect(op, raw, &mut command),
                        }
                    }
                }
            }
            while let Some((name, value)) = words.first().and_then(|w: &Word| {
                let (name, value) = w.text.split_once('=')?;
                is_name(name).then(|| (name.to_owned(), value.to_owned()))
            }) {
                command.assignments.push((name, value));
                words.remove(0);
            }
            self.inner = inner;
            self.finish(command, words);
        }
    }
}

fn plain_redirect(op: &str, raw: &str, command: &mut Command) {
    if op.contains("<<") || op.ends_with('&') {
        return;
    }
    let kind = if op.contains(">>") {
        RedirectKind::Append
    } else if op.contains('>') {
        RedirectKind::Write
    } else {
        RedirectKind::Read
    };
    let fd: String = op.chars().take_while(char::is_ascii_digit).collect();
    command.redirects.push(Redirect {
        kind,
        fd: fd.parse().ok(),
        target: Word::new(raw),
    });
}

fn keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "then"
            | "else"
            | "elif"
            | "fi"
            | "do"
            | "done"
            | "while"
            | "until"
            | "!"
            | "{"
            | "}"
            | "("
    )
}
