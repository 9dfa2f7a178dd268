use proptest::prelude::*;
use toml::de::DeTable;

use super::*;

/// `{N}` letters and digits, `{hN}` hexadecimal digits, `{uN}` capitals and digits.
fn fill(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        out.push_str(&rest[..open]);
        let body = &rest[open + 1..];
        let close = body.find('}');
        let name = close.map_or("", |c| &body[..c]);
        let (alphabet, digits) = match name.chars().next() {
            Some('h') => ("3f9a0c7be1d25846", &name[1..]),
            Some('u') => ("Q7WX2KPJ5ZRT9VNM", &name[1..]),
            _ => ("aZ3kQ9mXw7RtB2vLpN5yHs8DfJ4cGuE6", name),
        };
        match (digits.parse::<usize>(), close) {
            (Ok(n), Some(close)) => {
                out.extend(alphabet.chars().cycle().take(n));
                rest = &body[close + 1..];
            }
            _ => {
                out.push('{');
                rest = body;
            }
        }
    }
    out + rest
}

fn corpus() -> &'static str {
    include_str!("../../tests/data/secrets.toml")
}

fn cases(kind: &str, mut each: impl FnMut(String, Vec<String>, Vec<String>)) {
    let file = DeTable::parse(corpus()).unwrap();
    let list = file
        .get_ref()
        .get(kind)
        .unwrap()
        .get_ref()
        .as_array()
        .unwrap();
    for case in list.iter() {
        let case = case.get_ref().as_table().unwrap();
        let texts = |key: &str| -> Vec<String> {
            let list = case.get(key).and_then(|v| v.get_ref().as_array());
            list.into_iter()
                .flatten()
                .map(|v| fill(v.get_ref().as_str().unwrap()))
                .collect()
        };
        each(
            fill(case.get("text").unwrap().get_ref().as_str().unwrap()),
            texts("hide"),
            texts("keep"),
        );
    }
}

#[test]
fn secrets_go_and_labels_stay() {
    let mut wrong = Vec::new();
    cases("secret", |text, hide, keep| {
        let clean = redact(&text);
        let bad = hide.iter().any(|h| clean.contains(h.as_str()))
            || keep.iter().any(|k| !clean.contains(k.as_str()));
        if bad || !contains_secret(&text) || redact(&clean) != clean {
            wrong.push(format!("{text}\n  -> {clean}\n  -> {}", redact(&clean)));
        }
    });
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn ordinary_text_stays() {
    let mut wrong = Vec::new();
    cases("clean", |text, _, _| {
        if let Cow::Owned(changed) = redact(&text) {
            wrong.push(format!("{text}\n  -> {changed}"));
        }
    });
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn time_is_linear() {
    for piece in [
        "key=",
        "sk-",
        "-----BEGIN PRIVATE KEY-----",
        "://a:",
        "password ",
        "eyJ.",
        "token: \"",
        "-----END PRIVATE KEY-----\n",
        "비밀번호는 ",
    ] {
        let text = piece.repeat(100_000 / piece.len());
        let start = worked();
        let _ = redact(&text);
        let took = worked().saturating_sub(start);
        // Without optimisation linear is slow too.
        let most = if cfg!(debug_assertions) { 60 } else { 5 };
        assert!(took.as_secs() < most, "{piece}: {took:?}");
    }
}

/// Time that this thread had of a processor, so that other work doesn't count; where the system doesn't tell, no time.
fn worked() -> std::time::Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = told.split_whitespace().next().and_then(|n| n.parse().ok());
    std::time::Duration::from_nanos(nanoseconds.unwrap_or_default())
}

proptest! {
    #[test]
    fn twice_is_once(text in "(?s)((password|NAME_TOKEN|apiKey|key|secret|비밀번호는|--token|Bearer|https://u|ghp_|sk-|eyJ|-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|AKIA|\\[redacted\\])?[ :=\"'@/.\n]{0,2}[a-zA-Z0-9!가-힣&-]{0,24}){0,6}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }

    #[test]
    fn any_text(text in "(?s).{0,80}") {
        let once = redact(&text).into_owned();
        prop_assert_eq!(redact(&once), once.as_str());
    }
}
