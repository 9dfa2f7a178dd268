//! Replacing values inside a line: what is not replaced stays byte for byte.

use crate::json::Json;
use std::ops::Range;

/// Replacements in one text, collected and then made at once.
pub struct Edits<'t> {
    text: &'t str,
    list: Vec<(Range<usize>, String)>,
}

impl<'t> Edits<'t> {
    pub fn new(text: &'t str) -> Edits<'t> {
        Edits {
            text,
            list: Vec::new(),
        }
    }

    /// Puts `new` (the text of a JSON value) where `value`, a part of the text, stands; whether it is shorter.
    /// A replacement that is not shorter is not made.
    pub fn set(&mut self, value: Json<'t>, new: String) -> bool {
        new.len() < value.raw().len() && self.force(value, new)
    }

    /// [`set`](Edits::set), longer or not: for a part of what is shorter as a whole.
    pub fn force(&mut self, value: Json<'t>, new: String) -> bool {
        let raw = value.raw();
        // The value is a slice of the text, so the distance of their addresses is its offset.
        let start = (raw.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize);
        let range = start..start.wrapping_add(raw.len());
        if self.text.get(range.clone()) != Some(raw) {
            return false;
        }
        self.list.push((range, new));
        true
    }

    /// The text with every replacement made; `None` when there is none. Of replacements inside each other the
    /// outer one counts.
    pub fn done(mut self) -> Option<String> {
        if self.list.is_empty() {
            return None;
        }
        self.list
            .sort_by(|a, b| (a.0.start, b.0.end).cmp(&(b.0.start, a.0.end)));
        let mut out = String::with_capacity(self.text.len());
        let mut at = 0;
        for (range, new) in &self.list {
            let Some(before) = self.text.get(at..range.start) else {
                continue;
            };
            out.push_str(before);
            out.push_str(new);
            at = range.end;
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_value_changes() {
        let text = r#"{ "a" : "long long long" , "b":[1,{"c":"also long"}] }"#;
        let json = Json::parse(text).unwrap();
        let mut edits = Edits::new(text);
        let inner = json
            .get("b")
            .unwrap()
            .items()
            .nth(1)
            .unwrap()
            .get("c")
            .unwrap();
        assert!(edits.set(inner, r#""x""#.to_owned()));
        assert!(edits.set(json.get("a").unwrap(), r#""y""#.to_owned()));
        assert!(!edits.set(
            json.get("a").unwrap(),
            "\"much longer than before\"".to_owned()
        ));
        assert!(!edits.set(Json::parse("\"elsewhere\"").unwrap(), "1".to_owned()));
        assert_eq!(
            edits.done().unwrap(),
            r#"{ "a" : "y" , "b":[1,{"c":"x"}] }"#
        );
        assert_eq!(Edits::new(text).done(), None);
    }
}
