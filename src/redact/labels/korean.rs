//! Korean labels: a particle or a sign stands between label and value.

use std::ops::Range;

use super::file_like;
use crate::redact::reach;
use crate::redact::values::{is_password_like, is_placeholder};

/// Parts of labels the sieve looks for.
pub const KOREAN: &[&str] = &[
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

/// The value behind a Korean label that ends at `at`: `비밀번호는 …`, `토큰: …`.
pub fn korean_value(text: &str, at: usize) -> Option<Range<usize>> {
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
