//! Secrets that are known by the label in front of them: `password: …`, `NAME_TOKEN=…`, `"apiKey": "…"`, `비밀번호는 …`.

use std::ops::Range;

use super::values::{is_hash, is_password_like, is_placeholder, is_random};
use super::{before, reach, run_end};

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
pub(super) const KOREAN: &[&str] = &[
    "비밀번호",
    "비번",
    "암호",
    "패스워드",
    "토큰",
    "시크릿",
    "인증키",
    "접속키",
    "API 키",
    "api키",
    "비밀키",
];

/// Longest label.
const LONGEST: usize = 64;

/// How much a label promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    /// `key`: rather the key of a map.
    Weak,
    /// `token`, `secret`, `apiKey`.
    Likely,
    /// `password`.
    Sure,
}

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
    let constant = name.contains('_') && !name.contains(|c: char| c.is_ascii_lowercase());

    // What stands between label and value.
    let rest = reach(text, end);
    let mut at = 0;
    let skip = |at: usize, set: &[char]| {
        rest.get(at..)
            .map_or(at, |r| rest.len() - r.trim_start_matches(set).len())
    };
    at = skip(at, &['\\']);
    at = if rest.get(at..)?.starts_with(['"', '\'', '`', ']', '*']) {
        skip(at, &['"', '\'', '`', ']', '*'])
    } else {
        0
    };
    let blanks = skip(at, &[' ', '\t']);
    let tail = rest.get(blanks..)?;
    let (separator, spaced) = [":=", "=>", "=", ":", "："]
        .iter()
        .find(|s| tail.starts_with(**s) && !tail.starts_with("==") && !tail.starts_with("::"))
        .map(|s| (Some(*s), blanks > at))
        .unwrap_or((None, true));
    let (separator_end, kind) = match separator {
        Some(s) => (
            blanks + s.len(),
            Separator::Sign {
                tight: !spaced && s == "=",
            },
        ),
        None if flag && blanks > at => (blanks, Separator::Flag),
        None => match prose(tail) {
            Some(len) if promise == Promise::Sure || promise == Promise::Likely => {
                (blanks + len, Separator::Prose)
            }
            _ => return None,
        },
    };
    let value_at = skip(separator_end, &[' ', '\t']);
    // `NAME=` alone, then another word.
    if value_at > separator_end && matches!(kind, Separator::Sign { tight: true }) && constant {
        return None;
    }
    let value_at = behind_scheme(rest, value_at);
    secret_at(text, end + value_at, promise, kind, constant, name)
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

/// What the last part of the name promises; `None` when it names no secret (`max_tokens`, `keyboard`, `monkey`).
fn promise(name: &str) -> Option<Promise> {
    let parts = parts(name);
    let last = parts.last()?.as_str();
    let before_last = parts
        .len()
        .checked_sub(2)
        .and_then(|i| parts.get(i))
        .map_or("", |p| p.as_str());
    match last {
        "password" | "passwd" | "passphrase" | "passcode" | "pwd" => Some(Promise::Sure),
        "pass" | "pw" if parts.len() > 1 => Some(Promise::Sure),
        "token" | "secret" | "apikey" | "credential" | "credentials" | "authorization"
        | "secretkey" | "accesskey" | "authtoken" | "accesstoken" | "privatekey" => {
            let counted = matches!(
                before_last,
                "next"
                    | "prev"
                    | "per"
                    | "stop"
                    | "cancellation"
                    | "cancel"
                    | "csrf"
                    | "page"
                    | "sync"
                    | "last"
                    | "max"
            );
            Some(if counted {
                Promise::Weak
            } else {
                Promise::Likely
            })
        }
        "base" if before_last == "key" => Some(Promise::Likely),
        "key" => {
            let secret = matches!(
                before_last,
                "api"
                    | "access"
                    | "secret"
                    | "private"
                    | "auth"
                    | "encryption"
                    | "signing"
                    | "license"
                    | "master"
                    | "service"
                    | "account"
                    | "app"
                    | "storage"
                    | "role"
                    | "admin"
                    | "deploy"
                    | "subscription"
                    | "client"
                    | "webhook"
                    | "jwt"
            );
            let constant = parts.len() > 1
                && !name.contains(|c: char| c.is_ascii_lowercase())
                && !matches!(
                    before_last,
                    "primary"
                        | "foreign"
                        | "sort"
                        | "partition"
                        | "cache"
                        | "public"
                        | "hot"
                        | "object"
                        | "map"
                        | "dict"
                        | "storage"
                        | "group"
                        | "index"
                        | "unique"
                        | "query"
                        | "i18n"
                        | "locale"
                        | "registry"
                        | "host"
                        | "row"
                        | "column"
                        | "session"
                        | "lock"
                );
            Some(if secret || constant {
                Promise::Likely
            } else {
                Promise::Weak
            })
        }
        _ => None,
    }
}

/// The words of a name in any of the usual spellings, lower case, trailing digits apart.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let mut part = String::new();
    let mut lower = false;
    for c in name.chars() {
        let border = !c.is_ascii_alphabetic() || (c.is_ascii_uppercase() && lower);
        if border && !part.is_empty() {
            parts.push(std::mem::take(&mut part));
        }
        lower = c.is_ascii_lowercase();
        if c.is_ascii_alphabetic() {
            part.push(c.to_ascii_lowercase());
        }
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}

/// The value at `at` if it is a secret.
fn secret_at(
    text: &str,
    at: usize,
    promise: Promise,
    kind: Separator,
    constant: bool,
    name: &str,
) -> Option<Range<usize>> {
    let rest = reach(text, at);
    let escaped = rest.strip_prefix('\\').unwrap_or(rest);
    let quote = escaped
        .chars()
        .next()
        .filter(|c| matches!(c, '"' | '\'' | '`'));
    if let Some(quote) = quote {
        let open = rest.len() - escaped.len() + 1;
        let body = rest.get(open..)?;
        let len = body.find([quote, '\n']).unwrap_or(body.len());
        let value = body.get(..len)?.trim_end_matches('\\');
        let closed = body.get(len..).is_some_and(|b| b.starts_with(quote));
        let passphrase = name.to_ascii_lowercase().contains("passphrase");
        let foreign = value.contains(char::is_whitespace) && !passphrase || !value.is_ascii();
        if is_placeholder(value) || foreign || value.eq_ignore_ascii_case(name) {
            return None;
        }
        let secret = match promise {
            Promise::Sure => value.len() >= 3,
            Promise::Likely => {
                (value.len() >= 6 && is_password_like(value))
                    || (value.len() >= 20 && !value.contains(['.', '/', ' ']))
                    || (constant && value.len() >= 8)
            }
            Promise::Weak => value.len() >= 20 && strong(value),
        };
        // Longer than the look: the value ends where its quote does.
        let end = if closed {
            at + open + value.len()
        } else {
            run_end(text, at + open, |c| c != quote && c != '\n')
        };
        return secret.then_some(at + open..end);
    }
    let stop = |c: char| {
        c.is_whitespace() || !c.is_ascii() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '|' | '\\')
    };
    let value = rest.get(..rest.find(stop).unwrap_or(rest.len()))?;
    let value = match value.find('&') {
        Some(cut) if kind == (Separator::Sign { tight: true }) && promise != Promise::Sure => {
            value.get(..cut)?
        }
        _ => value,
    };
    let bare = value.trim_end_matches(['.', ')', ']', '}', ':', '*']);
    if is_placeholder(value)
        || is_placeholder(bare)
        || bare.starts_with(['-', '/', '.', '='])
        || bare.eq_ignore_ascii_case(name)
    {
        return None;
    }
    let after = rest.get(value.len()..).unwrap_or_default();
    let line_end = after.trim_start_matches([' ', '\t', '\r']).is_empty()
        || after
            .trim_start_matches([' ', '\t', '\r'])
            .starts_with('\n');
    let word = bare.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    let title = bare.chars().next().is_some_and(|c| c.is_ascii_uppercase())
        && bare.chars().skip(1).any(|c| c.is_ascii_lowercase());
    let path = bare.contains('/') && !is_random(bare);
    let tight = kind == (Separator::Sign { tight: true });
    let secret = !path
        && match (promise, kind) {
            (Promise::Sure, Separator::Prose) => {
                bare.len() >= 4 && is_password_like(bare) && !file_like(bare)
            }
            (Promise::Sure, _) if constant && tight => bare.len() >= 3,
            (Promise::Sure, Separator::Flag) => bare.len() >= 3 && (!word || line_end),
            (Promise::Sure, _) if is_password_like(bare) => bare.len() >= 4 && !file_like(bare),
            (Promise::Sure, _) => {
                bare.len() >= 4 && line_end && !title && !bare.contains(['.', '_'])
            }
            (Promise::Likely, Separator::Prose) => {
                bare.len() >= 12 && is_password_like(bare) && is_random(bare) && !file_like(bare)
            }
            (Promise::Likely, _) if constant && tight => {
                bare.len() >= 6 && (!word || bare.len() >= 8) && !file_like(bare)
            }
            (Promise::Likely, Separator::Flag) => {
                bare.len() >= 6 && is_password_like(bare) && !file_like(bare)
            }
            (Promise::Likely, _) => {
                (bare.len() >= 12 && is_password_like(bare) && is_random(bare) && !file_like(bare))
                    || (bare.len() >= 32 && !bare.contains(['.', '_']))
            }
            (Promise::Weak, Separator::Sign { .. }) => {
                bare.len() >= 20 && strong(bare) && !file_like(bare)
            }
            (Promise::Weak, _) => false,
        };
    if !secret {
        return None;
    }
    let reached_end = value.len() == rest.len();
    let end = if reached_end {
        run_end(text, at, |c| !stop(c))
    } else {
        at + bare.len()
    };
    Some(at..end)
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

/// The value behind a Korean label that ends at `at`: `비밀번호는 …`, `토큰: …`.
pub(super) fn korean_value(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = reach(text, at);
    let mut tail = rest;
    for particle in ["은", "는", "이", "가", "을", "를"] {
        if let Some(t) = tail.strip_prefix(particle) {
            tail = t;
            break;
        }
    }
    let particle = tail.len() < rest.len();
    let unspaced = tail.trim_start_matches([' ', '\t', '*', '"', '\'', '`']);
    let (tail, sign) = match unspaced.strip_prefix([':', '=', '：']) {
        Some(t) => (t, true),
        None => (tail, false),
    };
    if !sign && !particle && !tail.starts_with(' ') {
        return None;
    }
    let value_part = tail.trim_start_matches([' ', '\t', '"', '\'', '`', '*']);
    let start = at + rest.len() - value_part.len();
    let stop = |c: char| {
        c.is_whitespace() || !c.is_ascii() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '\\')
    };
    let value = value_part.get(..value_part.find(stop).unwrap_or(value_part.len()))?;
    let bare = value.trim_end_matches(['.', ')', ']', '}', ':']);
    if is_placeholder(value)
        || is_placeholder(bare)
        || bare.contains('/')
        || file_like(bare)
        || bare.len() < 4
        || bare.starts_with(['-', '.', '/'])
    {
        return None;
    }
    let after = value_part.get(value.len()..).unwrap_or_default();
    let line_end =
        after.trim().is_empty() || after.trim_start_matches([' ', '\r']).starts_with('\n');
    // `비밀번호 1234자`: a length, not a value.
    let counted = bare.chars().all(|c| c.is_ascii_digit())
        && after.starts_with(['자', '글', '회', '번', '개', '일', '분', '초']);
    let secret = if sign {
        is_password_like(bare) || (line_end && bare.chars().all(|c| c.is_ascii_alphanumeric()))
    } else {
        is_password_like(bare)
    };
    (secret && !counted).then(|| start..start + bare.len())
}

/// `curl -u name:password`, `sshpass -p password`.
pub(super) fn user_flag(text: &str, start: usize, at: usize) -> Option<Range<usize>> {
    let sshpass = text
        .get(start..at)
        .is_some_and(|f| f.starts_with("sshpass"));
    let line = before(text, start, 200);
    let line = line.rsplit('\n').next().unwrap_or_default();
    if !sshpass
        && !["curl", "wget", "http "]
            .iter()
            .any(|tool| line.contains(tool))
    {
        return None;
    }
    let rest = reach(text, at);
    let value_part = rest.trim_start_matches([' ', '"', '\'', '=', '\\']);
    let offset = at + rest.len() - value_part.len();
    let value = value_part.get(
        ..value_part
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\'))
            .unwrap_or(value_part.len()),
    )?;
    let from = if sshpass { 0 } else { value.find(':')? + 1 };
    let password = value.get(from..)?;
    (!password.is_empty() && !is_placeholder(password) && !value.contains("://"))
        .then(|| offset + from..offset + value.len())
}
