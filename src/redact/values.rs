//! Whether a value behind a label is a secret, or code, an example, a type, a word.

use super::REDACTED;

/// Words that stand where a secret would stand and are none.
const WORDS: &[&str] = &[
    "string",
    "str",
    "text",
    "required",
    "optional",
    "none",
    "null",
    "nil",
    "undefined",
    "true",
    "false",
    "bool",
    "boolean",
    "number",
    "int",
    "integer",
    "any",
    "unknown",
    "object",
    "field",
    "input",
    "hidden",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "key",
    "value",
    "example",
    "sample",
    "dummy",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "masked",
    "removed",
    "empty",
    "missing",
    "invalid",
    "expired",
    "wrong",
    "incorrect",
    "correct",
    "valid",
    "todo",
    "tbd",
    "foo",
    "bar",
    "baz",
    "foobar",
    "hash",
    "hashed",
    "bcrypt",
    "argon2",
    "argon2id",
    "scrypt",
    "pbkdf2",
    "md5",
    "sha1",
    "sha256",
    "sha512",
    "sha-256",
    "hs256",
    "rs256",
    "es256",
    "aes256",
    "aes-256",
    "base64",
    "utf8",
    "utf-8",
    "oauth2",
    "oauth",
    "jwt",
    "plaintext",
    "plain",
    "encrypted",
    "must",
    "should",
    "the",
    "your",
    "flag",
    "option",
    "argument",
    "file",
    "stdin",
    "prompt",
    "const",
    "let",
    "var",
    "and",
    "with",
    "from",
    "that",
    "this",
    "when",
    "here",
    "reset",
    "login",
    "charfield",
    "varchar",
    "column",
    "default",
    "secretstr",
    "yes",
    "not",
    "set",
    "unset",
    "same",
    "new",
    "old",
    "forgot",
    "confirm",
    "x",
    "user",
    "username",
    "email",
    "name",
    "type",
    "label",
    "bearer",
    "basic",
    "auto",
    "enter",
    "env",
    "vault",
    "test",
];

/// Whether the value stands for a secret rather than being one: a variable, a call, a mask, a word from a schema.
pub(super) fn is_placeholder(value: &str) -> bool {
    let value = value.trim();
    if value.is_empty() || value.contains(REDACTED) || REDACTED.starts_with(value) {
        return true;
    }
    if value.starts_with(['$', '{', '<', '[', '(', '%', '&', '|', '\u{2026}'])
        || value.contains(['(', '{', '}', '<', '>'])
    {
        return true;
    }
    let lower = value.to_ascii_lowercase();
    if WORDS.contains(&lower.trim_end_matches(['.', ',', ';', ')', '!', '?', '\\'])) {
        return true;
    }
    // Masks: ****, xxxx, ......, ••••
    let first = lower.chars().next().unwrap_or(' ');
    if lower.chars().all(|c| c == first)
        && matches!(first, '*' | 'x' | '.' | '-' | '_' | '•' | '0' | '#')
    {
        return true;
    }
    if value.contains("***")
        || value.contains("...")
        || value.contains('…')
        || value.contains("xxxx")
        || value.contains("XXXX")
    {
        return true;
    }
    if [
        "your",
        "my-",
        "my_",
        "example",
        "insert",
        "replace",
        "enter-",
        "dummy",
        "fake-",
        "placeholder",
    ]
    .iter()
    .any(|p| lower.starts_with(p))
        || ["_here", "-here", "-placeholder", "_placeholder"]
            .iter()
            .any(|p| lower.ends_with(p))
    {
        return true;
    }
    is_reference(value)
}

/// `process.env.X`, `config.password`, `self.token`, `user->pw`, `Type::new`, `os.environ[...]`.
fn is_reference(value: &str) -> bool {
    if value.contains("->") || value.contains("::") {
        return true;
    }
    let root = value.split(['.', '[']).next().unwrap_or_default();
    if root.len() == value.len() || root.is_empty() {
        return false;
    }
    let known = matches!(
        root,
        "process"
            | "os"
            | "env"
            | "config"
            | "self"
            | "this"
            | "settings"
            | "ctx"
            | "req"
            | "request"
            | "res"
            | "opts"
            | "options"
            | "args"
            | "secrets"
            | "vars"
            | "props"
            | "params"
            | "state"
            | "data"
            | "user"
            | "form"
            | "std"
            | "import"
            | "var"
            | "local"
    );
    let name = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphabetic() || matches!(c, '_' | ']' | '"' | '\''))
    };
    known
        || (value.len() < 60
            && value
                .trim_end_matches([';', ',', '?', '!'])
                .split(['.', '['])
                .all(name))
}

/// Letters and digits mixed as nobody writes them: long, and of at least two classes, with digits or changing case.
pub(super) fn is_random(value: &str) -> bool {
    let digits = value.chars().filter(char::is_ascii_digit).count();
    let upper = value.chars().filter(char::is_ascii_uppercase).count();
    let lower = value.chars().filter(char::is_ascii_lowercase).count();
    let longest = value
        .split(|c: char| !c.is_ascii_alphanumeric())
        .map(str::len)
        .max()
        .unwrap_or(0);
    (digits > 0 && upper + lower > 0 && longest >= 8)
        || (upper > 1 && lower > 1 && longest >= 16 && !is_words(value))
        || longest >= 32
}

/// camelCase or PascalCase of readable words.
fn is_words(value: &str) -> bool {
    let humps = value.chars().filter(char::is_ascii_uppercase).count();
    value
        .chars()
        .all(|c| c.is_ascii_alphabetic() || c == '_' || c == '-')
        && humps * 4 <= value.len() + 2
}

/// A hash or an id: hexadecimal, perhaps with dashes. No secret unless its label says so.
pub(super) fn is_hash(value: &str) -> bool {
    value.chars().all(|c| c.is_ascii_hexdigit() || c == '-')
}

/// Letters and digits together, or a letter with a mark no name has: what a short password has and a word has not.
pub(super) fn is_password_like(value: &str) -> bool {
    let letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let digit = value.contains(|c: char| c.is_ascii_digit());
    let mark = value.contains(['!', '@', '#', '$', '%', '^', '*', '+', '?', '~']);
    if letter {
        digit || mark
    } else {
        digit && value.len() >= 4
    }
}
