//! What the name of a label promises of its value.

/// How much a label promises.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// `key`: rather the key of a map.
    Weak,
    /// `token`, `secret`, `apiKey`.
    Likely,
    /// `password`.
    Sure,
}

/// Last words of names whose value is a password.
const PASSWORDS: &[&str] = &["password", "passwd", "passphrase", "passcode", "pwd"];

/// Last words that name a password only behind another one: `db_pass`.
const SHORT_PASSWORDS: &[&str] = &["pass", "pw"];

/// Last words of names whose value is likely a secret.
const SECRETS: &[&str] = &[
    "token",
    "secret",
    "apikey",
    "credential",
    "credentials",
    "authorization",
    "secretkey",
    "accesskey",
    "authtoken",
    "accesstoken",
    "privatekey",
];

/// Before such a word: a token of another kind, or counted ones (`max_tokens`, `csrf_token`).
const HARMLESS: &[&str] = &[
    "next",
    "prev",
    "per",
    "stop",
    "cancellation",
    "cancel",
    "csrf",
    "page",
    "sync",
    "last",
    "max",
];

/// Before `key`: a secret one.
const SECRET_KEYS: &[&str] = &[
    "api",
    "access",
    "secret",
    "private",
    "auth",
    "encryption",
    "signing",
    "license",
    "master",
    "service",
    "account",
    "app",
    "storage",
    "role",
    "admin",
    "deploy",
    "subscription",
    "client",
    "webhook",
    "jwt",
];

/// Before `KEY` in the name of a constant: the key of a map, a table, a cache.
const PLAIN_KEYS: &[&str] = &[
    "primary",
    "foreign",
    "sort",
    "partition",
    "cache",
    "public",
    "hot",
    "object",
    "map",
    "dict",
    "storage",
    "group",
    "index",
    "unique",
    "query",
    "i18n",
    "locale",
    "registry",
    "host",
    "row",
    "column",
    "session",
    "lock",
];

/// What the last part of the name promises; `None` when it names no secret (`max_tokens`, `keyboard`, `monkey`).
pub fn promise(name: &str) -> Option<Promise> {
    let parts = parts(name);
    let (last, front) = parts.split_last()?;
    let last = last.as_str();
    let before_last = front.last().map_or("", |p| p.as_str());
    if PASSWORDS.contains(&last) || SHORT_PASSWORDS.contains(&last) && !front.is_empty() {
        return Some(Promise::Sure);
    }
    let likely = match last {
        "base" if before_last == "key" => true,
        "key" => {
            SECRET_KEYS.contains(&before_last)
                || !front.is_empty() && is_constant(name) && !PLAIN_KEYS.contains(&before_last)
        }
        _ if SECRETS.contains(&last) => !HARMLESS.contains(&before_last),
        _ => return None,
    };
    Some(match likely {
        true => Promise::Likely,
        false => Promise::Weak,
    })
}

/// Without a small letter: `API_KEY`.
pub fn is_constant(name: &str) -> bool {
    !name.contains(|c: char| c.is_ascii_lowercase())
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
