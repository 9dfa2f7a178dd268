//! Tags that a host would take for its own are made plain text before anything is given back to it.

use regex::Regex;
use std::borrow::Cow;
use std::sync::LazyLock;

/// Names with a hyphen or an underscore are the hosts' way of naming; the others are those known.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i)<(/?\s*(?:[a-z][a-z0-9]*[-_][a-z0-9_-]*|system|user|assistant|human|instructions|skill|tool|function|invoke|parameter|result)\b[^<>\n]*)>",
    )
    .ok()
});

/// The text with such tags in other brackets.
pub fn defuse(text: &str) -> Cow<'_, str> {
    match TAG.as_ref() {
        Some(tag) => tag.replace_all(text, "‹$1›"),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::defuse;

    #[test]
    fn host_tags_are_defused_and_other_text_stays() {
        assert_eq!(
            defuse("가 <system-reminder>나</system-reminder> <Task_notification id=1>"),
            "가 ‹system-reminder›나‹/system-reminder› ‹Task_notification id=1›"
        );
        assert_eq!(defuse("</system>"), "‹/system›");
        for plain in ["a < b > c", "Vec<u8>", "<div>", "1<2"] {
            assert_eq!(defuse(plain), plain);
        }
    }
}
