//! Secrets that are known by the label in front of them: `password: …`, `NAME_TOKEN=…`, `"apiKey": "…"`, `비밀번호는 …`.

use std::ops::Range;

mod flags;
mod korean;
mod promise;

pub(super) use flags::user_flag;
pub(super) use korean::{KOREAN, korean_value};

use super::values::{is_hash, is_password_like, is_placeholder, is_random};
use super::{before, reach, run_end};
use promise::{Promise, is_constant, promise};

/// Parts of labels the sieve looks for.
pub(super) const ENGLISH: &[&str] = &[
    "passw",
    "passphrase",
    "pwd",
    "secret",
    "token",
    "key",
    "credential",
    "authorization",
    "_pass",
    "db_pw",
    "_pw=",
];
/// Longest label.
const LONGEST: usize = 64;

/// The value behind the label that has the trigger in it.
pub(super) fn value(text: &str, hit: Range<usize>) -> Option<Range<usize>> {
    let in_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let left = before(text, hit.start, LONGEST);
    let left = left.len() - left.trim_end_matches(in_name).len();
    let start = hit.start - left;
    let right = super::reach_by(text, hit.start, LONGEST);
    let end = hit.start + right.find(|c: char| !in_name(c)).unwrap_or(right.len());
    let label = text.get(start..end)?;
    let flag = label.starts_with("--");
    let name = label.trim_start_matches('-');
    let promise = promise(name)?;
    let constant = name.contains('_') && is_constant(name);
    let rest = reach(text, end);
    let (separator, behind) = separator(rest, flag)?;
    if separator == Separator::Prose && promise == Promise::Weak {
        return None;
    }
    let value_at = skip(rest, behind, &[' ', '\t']);
    // `NAME=` alone, then another word.
    if value_at > behind && separator == TIGHT && constant {
        return None;
    }
    let label = Label {
        name,
        promise,
        constant,
        separator,
    };
    label.secret(text, end + behind_scheme(rest, value_at))
}

/// The place behind all of these characters from `at` on.
fn skip(text: &str, at: usize, set: &[char]) -> usize {
    text.get(at..)
        .map_or(at, |rest| text.len() - rest.trim_start_matches(set).len())
}

/// What stands between a label and its value, and where it ends; `rest` begins behind the label, which is that of
/// an option or is not.
fn separator(rest: &str, flag: bool) -> Option<(Separator, usize)> {
    // The end of a label in quotes, brackets or bold type.
    let closing = &['"', '\'', '`', ']', '*'];
    let escaped = skip(rest, 0, &['\\']);
    let at = match rest.get(escaped..)?.starts_with(closing) {
        true => skip(rest, escaped, closing),
        false => 0,
    };
    let blanks = skip(rest, at, &[' ', '\t']);
    let tail = rest.get(blanks..)?;
    let sign = [":=", "=>", "=", ":", "："]
        .iter()
        .find(|s| tail.starts_with(**s) && !tail.starts_with("==") && !tail.starts_with("::"));
    Some(match sign {
        Some(sign) => {
            let tight = blanks == at && *sign == "=";
            (Separator::Sign { tight }, blanks + sign.len())
        }
        None if flag && blanks > at => (Separator::Flag, blanks),
        None => (Separator::Prose, blanks + prose(tail)?),
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Separator {
    /// `:` or `=`; tight means `=` directly behind the label.
    Sign { tight: bool },
    /// A blank behind `--password`.
    Flag,
    /// `is`, `는`.
    Prose,
}

const TIGHT: Separator = Separator::Sign { tight: true };

/// `Authorization: Bearer …`, `Authorization: token …`.
fn behind_scheme(rest: &str, at: usize) -> usize {
    let tail = rest.get(at..).unwrap_or_default();
    for scheme in ["bearer ", "basic ", "token "] {
        if tail
            .get(..scheme.len())
            .is_some_and(|t| t.eq_ignore_ascii_case(scheme))
        {
            return at + scheme.len();
        }
    }
    at
}

/// Length of `is `, `was ` … at the start.
fn prose(tail: &str) -> Option<usize> {
    [
        "is ", "was ", "will be ", "은 ", "는 ", "이 ", "가 ", "을 ", "를 ",
    ]
    .iter()
    .find(|word| tail.starts_with(**word))
    .map(|word| word.len())
}

/// A label and what it has behind it.
struct Label<'t> {
    name: &'t str,
    promise: Promise,
    /// Its name is that of a constant of several words: `DB_PASSWORD`.
    constant: bool,
    separator: Separator,
}

impl Label<'_> {
    /// The value at `at` if it is a secret.
    fn secret(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let rest = reach(text, at);
        let escaped = rest.strip_prefix('\\').unwrap_or(rest);
        let quote = escaped.chars().next();
        match quote.filter(|c| matches!(c, '"' | '\'' | '`')) {
            Some(quote) => self.quoted(text, at, rest.len() - escaped.len() + 1, quote),
            None => self.bare(text, at),
        }
    }

    /// The value behind an opening quote, which ends `open` bytes behind `at`.
    fn quoted(&self, text: &str, at: usize, open: usize, quote: char) -> Option<Range<usize>> {
        let body = reach(text, at).get(open..)?;
        let start = at + open;
        let len = body.find([quote, '\n']).unwrap_or(body.len());
        let value = body.get(..len)?.trim_end_matches('\\');
        let closed = body.get(len..).is_some_and(|b| b.starts_with(quote));
        let passphrase = self.name.to_ascii_lowercase().contains("passphrase");
        let foreign = value.contains(char::is_whitespace) && !passphrase || !value.is_ascii();
        if is_placeholder(value) || foreign || value.eq_ignore_ascii_case(self.name) {
            return None;
        }
        let secret = match self.promise {
            Promise::Sure => value.len() >= 3,
            Promise::Likely => {
                (value.len() >= 6 && is_password_like(value))
                    || (value.len() >= 20 && !value.contains(['.', '/', ' ']))
                    || (self.constant && value.len() >= 8)
            }
            Promise::Weak => value.len() >= 20 && strong(value),
        };
        // Longer than the look: the value ends where its quote does.
        let end = match closed {
            true => start + value.len(),
            false => run_end(text, start, |c| c != quote && c != '\n'),
        };
        secret.then_some(start..end)
    }

    /// The value without quotes.
    fn bare(&self, text: &str, at: usize) -> Option<Range<usize>> {
        let rest = reach(text, at);
        let stop = |c: char| {
            c.is_whitespace()
                || !c.is_ascii()
                || matches!(c, '"' | '\'' | '`' | ',' | ';' | '|' | '\\')
        };
        let value = rest.get(..rest.find(stop).unwrap_or(rest.len()))?;
        // In an address the next parameter begins.
        let value = match value.find('&') {
            Some(cut) if self.separator == TIGHT && self.promise != Promise::Sure => {
                value.get(..cut)?
            }
            _ => value,
        };
        let bare = value.trim_end_matches(['.', ')', ']', '}', ':', '*']);
        if is_placeholder(value)
            || is_placeholder(bare)
            || bare.starts_with(['-', '/', '.', '='])
            || bare.eq_ignore_ascii_case(self.name)
        {
            return None;
        }
        let after = rest.get(value.len()..).unwrap_or_default();
        let after = after.trim_start_matches([' ', '\t', '\r']);
        let line_end = after.is_empty() || after.starts_with('\n');
        let path = bare.contains('/') && !is_random(bare);
        if path || !self.tells_secret(bare, line_end) {
            return None;
        }
        let end = match value.len() == rest.len() {
            true => run_end(text, at, |c| !stop(c)),
            false => at + bare.len(),
        };
        Some(at..end)
    }

    /// Whether a value without quotes is a secret behind this label; the less the label promises, the more the
    /// value has to look like one. `line_end`: nothing else stands on the line.
    fn tells_secret(&self, bare: &str, line_end: bool) -> bool {
        let len = bare.len();
        let word = bare.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
        let title = bare.starts_with(|c: char| c.is_ascii_uppercase())
            && bare.chars().skip(1).any(|c| c.is_ascii_lowercase());
        let constant = self.constant && self.separator == TIGHT;
        match (self.promise, self.separator) {
            (Promise::Sure, Separator::Prose) => {
                len >= 4 && is_password_like(bare) && !file_like(bare)
            }
            (Promise::Sure, _) if constant => len >= 3,
            (Promise::Sure, Separator::Flag) => len >= 3 && (!word || line_end),
            (Promise::Sure, _) if is_password_like(bare) => len >= 4 && !file_like(bare),
            (Promise::Sure, _) => len >= 4 && line_end && !title && !bare.contains(['.', '_']),
            (Promise::Likely, Separator::Prose) => {
                len >= 12 && is_password_like(bare) && is_random(bare) && !file_like(bare)
            }
            (Promise::Likely, _) if constant => len >= 6 && (!word || len >= 8) && !file_like(bare),
            (Promise::Likely, Separator::Flag) => {
                len >= 6 && is_password_like(bare) && !file_like(bare)
            }
            (Promise::Likely, _) => {
                (len >= 12 && is_password_like(bare) && is_random(bare) && !file_like(bare))
                    || (len >= 32 && !bare.contains(['.', '_']))
            }
            (Promise::Weak, Separator::Sign { .. }) => {
                len >= 20 && strong(bare) && !file_like(bare)
            }
            (Promise::Weak, _) => false,
        }
    }
}

/// Small and capital letters and digits, and no hash: random even behind a label that promises little.
fn strong(value: &str) -> bool {
    let class = |f: fn(&char) -> bool| value.chars().filter(f).count() >= 2;
    class(char::is_ascii_digit)
        && class(char::is_ascii_uppercase)
        && class(char::is_ascii_lowercase)
        && !is_hash(value)
        && is_random(value)
        && !value.contains(['/', '.', ' '])
}

/// `auth.rs`, `a/b.ts`, `user_password_v2`.
fn file_like(value: &str) -> bool {
    let name = value
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':'));
    let extension = value.rsplit('.').next().unwrap_or_default();
    let has_extension = value.contains('.')
        && (1..=5).contains(&extension.len())
        && extension.chars().all(|c| c.is_ascii_lowercase());
    let snake = value.contains('_')
        && value.split('_').all(|p| {
            !p.is_empty()
                && p.len() < 12
                && p.chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
        && value.chars().filter(char::is_ascii_digit).count() < 3;
    name && (has_extension || snake)
}
