//! Secrets that are known by their own looks: tokens with a prefix, private keys, passwords in addresses, headers.

use std::ops::Range;

use super::values::{is_placeholder, is_random};
use super::{before, reach, reach_by, run_end};

/// A kind of token.
pub(super) struct Shape {
    pub(super) prefix: &'static str,
    /// Fewest characters behind the prefix.
    least: usize,
    /// The prefix is ordinary text too: what follows must look random.
    random: bool,
    /// Characters besides letters and digits.
    marks: &'static str,
}

const fn shape(prefix: &'static str, least: usize, marks: &'static str) -> Shape {
    Shape {
        prefix,
        least,
        random: false,
        marks,
    }
}

const fn random(prefix: &'static str, least: usize, marks: &'static str) -> Shape {
    Shape {
        prefix,
        least,
        random: true,
        marks,
    }
}

/// Prefixes are compared to the letter, also where the sieve ignores case.
pub(super) const SHAPES: &[Shape] = &[
    // GitHub, GitLab
    shape("ghp_", 16, ""),
    shape("gho_", 16, ""),
    shape("ghu_", 16, ""),
    shape("ghs_", 16, ""),
    shape("ghr_", 16, ""),
    shape("github_pat_", 16, "_"),
    shape("glpat-", 12, "_-."),
    shape("gldt-", 12, "_-"),
    shape("glrt-", 12, "_-"),
    // OpenAI, Anthropic and others who took the prefix
    shape("sk-proj-", 12, "_-"),
    shape("sk-ant-", 12, "_-"),
    shape("sk-svcacct-", 12, "_-"),
    shape("sk-or-", 12, "_-"),
    random("sk-", 20, "_-"),
    // Stripe
    shape("sk_live_", 10, "_"),
    shape("sk_test_", 10, "_"),
    shape("rk_live_", 10, "_"),
    shape("rk_test_", 10, "_"),
    random("whsec_", 16, "+/="),
    // Slack
    shape("xoxb-", 8, "-"),
    shape("xoxp-", 8, "-"),
    shape("xoxa-", 8, "-"),
    shape("xoxr-", 8, "-"),
    shape("xoxs-", 8, "-"),
    shape("xoxe-", 8, "-."),
    shape("xapp-", 8, "-"),
    shape("hooks.slack.com/services/", 20, "/"),
    shape("discord.com/api/webhooks/", 20, "/_-"),
    // Amazon, Google, Azure
    shape("AKIA", 16, ""),
    shape("ASIA", 16, ""),
    shape("AIza", 30, "_-"),
    shape("ya29.", 16, "_-."),
    shape("GOCSPX-", 16, "_-"),
    shape("AccountKey=", 20, "+/="),
    shape("SharedAccessSignature=", 20, "+/=%&"),
    // Registries and hosts
    random("npm_", 30, ""),
    shape("pypi-AgE", 20, "_-"),
    random("hf_", 24, ""),
    random("SG.", 30, "_-."),
    shape("dop_v1_", 30, ""),
    shape("shpat_", 24, ""),
    random("dckr_pat_", 20, "_-"),
    random("nvapi-", 20, "_-"),
    random("gsk_", 24, ""),
    random("xai-", 24, "_-"),
    random("lin_api_", 20, ""),
    random("ntn_", 24, ""),
    random("AGE-SECRET-KEY-", 20, ""),
    // JSON web tokens; a cut one shows only its head
    shape("eyJ", 17, "_-.="),
];

/// The token whose prefix begins at `at`.
pub(super) fn token(text: &str, at: usize, index: usize) -> Option<Range<usize>> {
    let shape = SHAPES.get(index)?;
    let rest = reach(text, at).strip_prefix(shape.prefix)?;
    let path = shape.prefix.contains('/');
    if !path && before(text, at, 4).ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    let inside = |c: char| c.is_ascii_alphanumeric() || shape.marks.contains(c);
    let body = rest.get(..rest.find(|c| !inside(c)).unwrap_or(rest.len()))?;
    let body = body.trim_end_matches(['.', '-', '/', '&']);
    if body.len() < shape.least {
        return None;
    }
    let start = at + shape.prefix.len();
    let fits = match shape.prefix {
        "eyJ" => is_jwt(body),
        "AKIA" | "ASIA" => {
            body.len() == 16
                && body
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit())
        }
        _ if shape.random => longest_run(body) >= 16 && is_random(body),
        _ => longest_run(body) >= 8,
    };
    if !fits {
        return None;
    }
    let end = run_end(text, start, inside);
    let end = start
        + text
            .get(start..end)?
            .trim_end_matches(['.', '-', '/', '&'])
            .len();
    // An address or a name in front says what was here; a bare token is nothing but itself.
    let keep_prefix = path || shape.prefix.ends_with('=');
    Some(if keep_prefix { start } else { at }..end)
}

/// Header, payload, signature; or the head alone when the text was cut behind it.
fn is_jwt(body: &str) -> bool {
    let mut parts = body.split('.');
    let head = parts.next().unwrap_or_default();
    match parts.next() {
        Some(payload) => head.len() >= 8 && payload.starts_with("eyJ"),
        None => head.len() >= 60,
    }
}

fn longest_run(body: &str) -> usize {
    body.split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::len)
        .max()
        .unwrap_or(0)
}

/// Longest private key that is looked for to its end.
const LONGEST_KEY: usize = 16 << 10;

/// The body of a private key whose `-----BEGIN` is at `at`, to its end mark, or as far as it looks like one.
pub(super) fn pem(text: &str, at: usize) -> Option<Range<usize>> {
    let head = reach_by(text, at, 80);
    let title_end = head.get(11..)?.find("-----")? + 11;
    if !head.get(..title_end)?.contains("PRIVATE KEY") {
        return None;
    }
    let start = at + title_end + 5;
    let near = reach_by(text, start, LONGEST_KEY);
    let next = near.find("-----BEGIN ").unwrap_or(near.len());
    if let Some(end) = near.get(..next).and_then(|n| n.find("-----END ")) {
        let body = near.get(..end)?;
        let lead = body.len() - body.trim_start_matches(is_break).len();
        let inner = body.get(lead..)?.trim_end_matches(is_break);
        return (!inner.trim().starts_with(super::REDACTED))
            .then(|| start + lead..start + lead + inner.len());
    }
    // Cut off: take what can be key material.
    let mut end = 0;
    let mut at_word = 0;
    for word in near.split_inclusive(|c: char| c.is_whitespace()) {
        let bare = word.trim();
        let material = bare
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "+/=\\…".contains(c));
        let plain = bare.len() < 16
            && bare.chars().all(|c| c.is_ascii_alphabetic())
            && bare.chars().skip(1).all(|c| c.is_ascii_lowercase());
        let header = bare.ends_with(':')
            || matches!(bare, "4,ENCRYPTED")
            || bare.starts_with("AES-")
            || bare.starts_with("DES-");
        if !(bare.is_empty() || (material && !plain) || header) {
            break;
        }
        at_word += word.len();
        if !bare.is_empty() {
            end = at_word - (word.len() - word.trim_end().len());
        }
    }
    let body = near.get(..end)?;
    let lead = body.len() - body.trim_start_matches(is_break).len();
    (lead < end).then_some(start + lead..start + end)
}

/// Line breaks, also as JSON writes them, are left standing around the replacement.
fn is_break(c: char) -> bool {
    c.is_whitespace()
}

/// Key material in front of an end mark whose beginning was cut off.
pub(super) fn pem_tail(text: &str, at: usize) -> Option<Range<usize>> {
    if !reach_by(text, at, 60).contains("PRIVATE KEY-----") {
        return None;
    }
    let near = before(text, at, LONGEST_KEY.min(REACH_BACK));
    let body = near.trim_end();
    let mut start = body.len();
    for line in body.rsplit('\n') {
        let bare = line.trim();
        if bare.is_empty()
            || !bare
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "+/=\\…".contains(c))
        {
            break;
        }
        start = start.saturating_sub(line.len() + usize::from(start < body.len()));
    }
    let inner = body.get(start..)?;
    let lead = inner.len() - inner.trim_start().len();
    let offset = at - near.len();
    (inner.trim().len() >= 8).then_some(offset + start + lead..offset + body.len())
}

/// Key material is looked for so far back.
const REACH_BACK: usize = 4 << 10;

/// The password in the address whose `://` ends at `at`.
pub(super) fn url_password(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = reach(text, at);
    let stop = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '/' | '?' | '#' | '"' | '\'' | '`' | '<' | '>' | '\\' | '|'
            )
    };
    let authority = rest.get(..rest.find(stop).unwrap_or(rest.len()))?;
    let user = authority.get(..authority.rfind('@')?)?;
    if let Some(colon) = user.find(':') {
        let password = user.get(colon + 1..)?;
        return (!password.is_empty() && !is_placeholder(password))
            .then(|| at + colon + 1..at + user.len());
    }
    // A token as the user's name.
    (user.len() >= 20 && is_random(user) && !is_placeholder(user)).then(|| at..at + user.len())
}

/// The token behind `Bearer ` or `Basic `.
pub(super) fn authorization(text: &str, start: usize, at: usize) -> Option<Range<usize>> {
    if before(text, start, 4).ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let inside = |c: char| c.is_ascii_alphanumeric() || "._~+/=-:".contains(c);
    let rest = reach(text, at);
    let value = rest.get(..rest.find(|c| !inside(c)).unwrap_or(rest.len()))?;
    let value = value.trim_end_matches(['.', ':']);
    let digit = value.contains(|c: char| c.is_ascii_digit());
    let mixed = value.chars().skip(1).any(|c| c.is_ascii_uppercase())
        && value.contains(|c: char| c.is_ascii_lowercase());
    let label = before(text, start, 24).to_ascii_lowercase();
    let header = label.contains("authorization");
    let basic = text
        .get(start..at)
        .is_some_and(|s| s.to_ascii_lowercase().starts_with("basic"));
    let secret = if basic {
        value.len() >= 6
            && (header || value.ends_with('='))
            && (digit || mixed || value.ends_with('='))
    } else {
        (value.len() >= 12 && (digit || mixed))
            || value.len() >= 24
            || (header && value.len() >= 8 && value != "token")
    };
    if !secret || is_placeholder(value) || is_file_like(value) {
        return None;
    }
    let end = run_end(text, at, inside);
    let end = at + text.get(at..end)?.trim_end_matches(['.', ':']).len();
    Some(at..end)
}

fn is_file_like(value: &str) -> bool {
    value.contains("://") || (value.contains('/') && value.contains('.') && !value.contains('='))
}
