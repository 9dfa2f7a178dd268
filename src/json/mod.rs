//! JSON read in place: a value is a slice of the line it stands in.
//!
//! A transcript line is validated once, from end to end, by [`Json::first`]; after that every look-up hops
//! over what nobody asked for (images, file bodies) without building a value. What the strict scan refuses
//! only because of its text (half a surrogate, a raw control character) is named in [`Broken`], so that
//! [`repair`] can mend the line and count it.
//!
//! This is not a general JSON library: use `serde_json` where a value is kept or written.

mod map;
mod repair;
mod scan;
mod write;

pub use map::Map;
pub use repair::repair;
pub use write::{pretty, quote, reduce};

use map::{Hop, Said};
use std::borrow::Cow;

/// Why a text is not a JSON value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// The text ends before the value does: a line that is still being written, or was cut off.
    Cut,
    /// A string holds a raw control character or half a surrogate pair; [`repair`] mends that.
    Text,
    /// Not JSON at this byte.
    At(usize),
}

/// One valid JSON value inside a longer text, borrowed.
#[derive(Clone, Copy)]
pub struct Json<'a> {
    text: &'a str,
    inside: Hops<'a>,
}

/// Known ends of long values inside a value. None may be known: then they are searched for. Of a long string its own.
#[derive(Clone, Copy)]
struct Hops<'a> {
    hops: &'a [Hop],
    /// What strings with escapes say.
    texts: &'a str,
    /// Where the value's text starts, in the text that was mapped.
    base: u32,
}

impl<'a> Hops<'a> {
    const NONE: Hops<'static> = Hops {
        hops: &[],
        texts: "",
        base: 0,
    };

    /// The value that starts at `at` of the outer value's `text`, with what is known inside it; its hops are
    /// taken off this list. The second part is the position behind it.
    #[inline]
    fn value(&mut self, text: &'a str, at: usize) -> Option<(Json<'a>, usize)> {
        let start = self.base + at as u32;
        let (end, hops) = match self.hops.split_first() {
            Some((hop, rest)) if hop.start == start => {
                let (inside, after) = rest.split_at_checked(hop.inside as usize)?;
                let own = &self.hops[..1];
                self.hops = after;
                let string = text.as_bytes().get(at) == Some(&b'"');
                let end = (hop.end - self.base) as usize;
                (end, if string { own } else { inside })
            }
            _ => (scan::skip_value(text.as_bytes(), at), [].as_slice()),
        };
        let inside = Hops {
            hops,
            texts: self.texts,
            base: start,
        };
        let text = text.get(at..end)?;
        Some((Json { text, inside }, end))
    }
}

impl Default for Json<'_> {
    fn default() -> Self {
        Json::NULL
    }
}

/// What a value is, from its first byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

impl<'a> Json<'a> {
    /// The `null` value, for absent fields.
    pub const NULL: Json<'static> = Json {
        text: "null",
        inside: Hops::NONE,
    };

    /// Validates the first JSON value of `text` and gives it with the offset just behind it.
    /// White space before it is skipped. Linear time, no recursion, however deep the nesting.
    pub fn first(text: &'a str) -> Result<(Json<'a>, usize), Broken> {
        let bytes = text.as_bytes();
        let start = scan::blank(bytes, 0);
        let end = scan::value(bytes, start, &mut ())?;
        let text = text.get(start..end).ok_or(Broken::At(start))?;
        let inside = Hops::NONE;
        Ok((Json { text, inside }, end))
    }

    /// As [`first`](Json::first) for a text from which much will be asked: `map` is filled with where its values
    /// end, for [`mapped`](Json::mapped). Gives where the value starts and the offset behind it.
    ///
    /// # Errors
    /// As [`first`](Json::first). The map may then hold hops of what was read.
    pub fn map(text: &[u8], map: &mut Map) -> Result<(usize, usize), Broken> {
        let start = scan::blank(text, 0);
        let end = if u32::try_from(text.len()).is_ok() {
            scan::value(text, start, map)?
        } else {
            scan::value(text, start, &mut ())?
        };
        Ok((start, end))
    }

    /// As [`parse`](Json::parse) for a text from which much will be asked; `map` must be empty.
    ///
    /// # Errors
    /// As [`parse`](Json::parse).
    pub fn parse_mapped(text: &'a str, map: &'a mut Map) -> Result<Json<'a>, Broken> {
        let (start, end) = Json::map(text.as_bytes(), map)?;
        let rest = scan::blank(text.as_bytes(), end);
        if rest < text.len() {
            return Err(Broken::At(rest));
        }
        Ok(Json::mapped(text, start, map.told(), 0..map.len()))
    }

    /// The value that [`map`](Json::map) found at `start` of `text`; its hops are the given ones of the map
    /// ([`Map::told`]).
    pub fn mapped(
        text: &'a str,
        start: usize,
        (map, texts): (&'a Map, &'a str),
        hops: std::ops::Range<usize>,
    ) -> Json<'a> {
        let hops = map.hops.get(hops).unwrap_or_default();
        let base = 0;
        let found = Hops { hops, texts, base }.value(text, start);
        found.map_or(Json::NULL, |(value, _)| value)
    }

    /// The whole of `text` as one value; anything but white space behind it is an error.
    pub fn parse(text: &'a str) -> Result<Json<'a>, Broken> {
        let (value, end) = Json::first(text)?;
        let rest = scan::blank(text.as_bytes(), end);
        if rest == text.len() {
            Ok(value)
        } else {
            Err(Broken::At(rest))
        }
    }

    /// The value as it stands in the file.
    pub fn raw(&self) -> &'a str {
        self.text
    }

    pub fn kind(&self) -> Kind {
        match self.text.as_bytes().first() {
            Some(b'"') => Kind::String,
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b't' | b'f') => Kind::Bool,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    pub fn is_null(&self) -> bool {
        self.kind() == Kind::Null
    }
    pub fn is_string(&self) -> bool {
        self.kind() == Kind::String
    }
    pub fn is_object(&self) -> bool {
        self.kind() == Kind::Object
    }
    pub fn is_array(&self) -> bool {
        self.kind() == Kind::Array
    }

    /// The last field of that name (as `serde_json` and JavaScript read duplicate keys), if this is an object.
    pub fn get(&self, key: &str) -> Option<Json<'a>> {
        let [found] = self.pick([key]);
        found
    }

    /// Several fields in one pass; `None` where absent. A field that is `null` is `Some(null)`.
    pub fn pick<const N: usize>(&self, keys: [&str; N]) -> [Option<Json<'a>>; N] {
        let mut found = [None; N];
        for (key, value) in self.fields() {
            if let Some(slot) = keys.iter().position(|k| key.is(k)) {
                found[slot] = Some(value);
            }
        }
        found
    }

    /// A field below fields: `at(&["message", "content"])`.
    pub fn at(&self, path: &[&str]) -> Option<Json<'a>> {
        path.iter().try_fold(*self, |value, key| value.get(key))
    }

    /// The fields in file order; nothing if this is no object.
    pub fn fields(&self) -> Fields<'a> {
        Fields {
            text: self.text,
            at: if self.is_object() { 1 } else { self.text.len() },
            inside: self.inside,
        }
    }

    /// The elements in order; nothing if this is no array.
    pub fn items(&self) -> Items<'a> {
        Items {
            text: self.text,
            at: if self.is_array() { 1 } else { self.text.len() },
            inside: self.inside,
        }
    }

    /// A string's text, unescaped; borrowed when it holds no escape.
    pub fn str(&self) -> Option<Cow<'a, str>> {
        if self.kind() != Kind::String {
            return None;
        }
        Some(match self.told() {
            Some(text) => Cow::Borrowed(text),
            None => scan::unescape(self.body()),
        })
    }

    /// Between the quotes of a string.
    fn body(&self) -> &'a str {
        &self.text[1..self.text.len() - 1]
    }

    /// A string's text, if it was noted when the record was mapped.
    fn told(&self) -> Option<&'a str> {
        match self.inside.hops.first()?.said {
            Said::Itself => Some(self.body()),
            Said::Text { start, end } => self.inside.texts.get(start as usize..end as usize),
        }
    }

    /// Characters of a string, counted without unescaping it; 0 for anything else.
    pub fn chars(&self) -> usize {
        match self.kind() {
            Kind::String => match self.told() {
                Some(text) => text.chars().count(),
                None => scan::chars(self.body()),
            },
            _ => 0,
        }
    }

    /// A string field's text.
    pub fn text(&self, key: &str) -> Option<Cow<'a, str>> {
        self.get(key)?.str()
    }

    pub fn bool(&self) -> Option<bool> {
        match self.text {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// True only for a field that is the literal `true`.
    pub fn flag(&self, key: &str) -> bool {
        self.get(key).and_then(|v| v.bool()) == Some(true)
    }

    /// A number that is a whole one, not negative; fractions are cut.
    pub fn u64(&self) -> Option<u64> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.text.parse().ok().or_else(|| {
            let f: f64 = self.text.parse().ok()?;
            (f.is_finite() && f >= 0.0).then_some(f as u64)
        })
    }

    pub fn i64(&self) -> Option<i64> {
        if self.kind() != Kind::Number {
            return None;
        }
        self.text.parse().ok().or_else(|| {
            self.text
                .parse::<f64>()
                .ok()
                .filter(|f| f.is_finite())
                .map(|f| f as i64)
        })
    }

    pub fn f64(&self) -> Option<f64> {
        (self.kind() == Kind::Number).then(|| self.text.parse().ok())?
    }

    /// As a `serde_json` value; `Null` where that library refuses it (nesting beyond 128, numbers beyond `f64`).
    pub fn to_value(&self) -> serde_json::Value {
        serde_json::from_str(self.text).unwrap_or_default()
    }
}

impl std::fmt::Debug for Json<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text)
    }
}

/// A field's name as it stands in the file, between its quotes.
#[derive(Clone, Copy, Debug)]
pub struct Key<'a>(&'a str);

impl<'a> Key<'a> {
    /// Whether this key is `name`, escapes counted.
    pub fn is(&self, name: &str) -> bool {
        self.0 == name || (self.0.contains('\\') && scan::unescape(self.0) == name)
    }
    pub fn name(&self) -> Cow<'a, str> {
        scan::unescape(self.0)
    }
}

/// Iterator over the fields of an object.
pub struct Fields<'a> {
    text: &'a str,
    at: usize,
    inside: Hops<'a>,
}

impl<'a> Iterator for Fields<'a> {
    type Item = (Key<'a>, Json<'a>);
    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let start = scan::separator(bytes, self.at);
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let end = scan::skip_string(bytes, start);
        let key = Key(self.text.get(start + 1..end - 1)?);
        let value = scan::blank(bytes, scan::blank(bytes, end) + 1);
        let (value, end) = self.inside.value(self.text, value)?;
        self.at = end;
        Some((key, value))
    }
}

/// Iterator over the elements of an array.
pub struct Items<'a> {
    text: &'a str,
    at: usize,
    inside: Hops<'a>,
}

impl<'a> Iterator for Items<'a> {
    type Item = Json<'a>;
    fn next(&mut self) -> Option<Json<'a>> {
        let bytes = self.text.as_bytes();
        let start = scan::separator(bytes, self.at);
        if start >= bytes.len() || bytes[start] == b']' {
            return None;
        }
        let (value, end) = self.inside.value(self.text, start)?;
        self.at = end;
        Some(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agrees(text: &str) {
        let ours = Json::parse(text);
        let theirs: Result<serde_json::Value, _> = serde_json::from_str(text);
        assert_eq!(ours.is_ok(), theirs.is_ok(), "{text}");
        if let (Ok(ours), Ok(theirs)) = (ours, theirs) {
            assert_eq!(ours.to_value(), theirs);
            if let Some(s) = theirs.as_str() {
                assert_eq!(ours.str().as_deref(), Some(s));
            }
            if let Some(map) = theirs.as_object() {
                for (k, v) in map {
                    assert_eq!(&ours.get(k).unwrap().to_value(), v);
                }
            }
        }
    }

    #[test]
    fn accepts_and_refuses_what_serde_json_does() {
        for text in [
            r#"{"a":1,"b":[true,null,{"c":"x\n\"y\\"}],"d":-1.5e3}"#,
            r#"  [ 1 , 2 ] "#,
            r#""한글 \ud83d\ude00 \u0041""#,
            "{}",
            "[]",
            r#"{"a":1,}"#,
            r#"{"a" 1}"#,
            r#"{"a":01}"#,
            r#"{"a":1.}"#,
            r#"[1 2]"#,
            r#"{"a":tru}"#,
            r#""\x""#,
            r#""\u12g4""#,
            r#"{"a":"cut"#,
            r#"[1,2"#,
            "nul",
            "",
            "-",
            r#"{1:2}"#,
            r#"]"#,
            r#"{"a":1]"#,
            r#""\ud83d""#,
            "\"\u{1}\"",
            r#"{"k\u0065y":1}"#,
        ] {
            agrees(text);
        }
    }

    #[test]
    fn names_what_is_wrong() {
        assert_eq!(Json::parse(r#"{"a":"x"#).unwrap_err(), Broken::Cut);
        assert_eq!(Json::parse(r#"{"a":"\ud83d"}"#).unwrap_err(), Broken::Text);
        assert_eq!(Json::parse("{\"a\":\"\u{2}\"}").unwrap_err(), Broken::Text);
        assert_eq!(Json::parse(r#"{"a":1}}"#).unwrap_err(), Broken::At(7));
        assert_eq!(Json::parse(r#"{"a":1"#).unwrap_err(), Broken::Cut);
    }

    #[test]
    fn the_last_of_duplicate_keys_counts() {
        assert_eq!(
            Json::parse(r#"{"a":1,"a":2}"#)
                .unwrap()
                .get("a")
                .unwrap()
                .u64(),
            Some(2)
        );
    }

    #[test]
    fn several_values_follow_each_other() {
        let text = r#"{"a":1}{"a":2} junk"#;
        let (one, end) = Json::first(text).unwrap();
        let (two, end2) = Json::first(&text[end..]).unwrap();
        assert_eq!((one.raw(), two.raw()), (r#"{"a":1}"#, r#"{"a":2}"#));
        assert!(Json::first(&text[end + end2..]).is_err());
    }

    #[test]
    fn characters_are_counted_as_they_would_be_read() {
        for text in [
            r#""""#,
            r#""한글 \ud83d\ude00 \u0041\n\"b\\""#,
            r#""plain""#,
            r#""\\\\""#,
        ] {
            let json = Json::parse(text).unwrap();
            assert_eq!(json.chars(), json.str().unwrap().chars().count(), "{text}");
        }
    }

    #[test]
    fn a_mapped_text_says_the_same() {
        let long = "가나다라마바사아자차카타파하 and more";
        let text = format!(
            r#"{{"plain":"{long}","escaped":"{long}\n\"\u00e9\ud83d\ude00\\{long}","short":"\t","in":["\/{long}",{{"k":"{long}\u0001"}}]}}"#
        );
        let mut map = Map::default();
        let mapped = Json::parse_mapped(&text, &mut map).unwrap();
        let plain = Json::parse(&text).unwrap();
        let mut seen = 0;
        let mut pairs = vec![(mapped, plain)];
        while let Some((mapped, plain)) = pairs.pop() {
            assert_eq!((mapped.raw(), mapped.chars()), (plain.raw(), plain.chars()));
            assert_eq!(mapped.str(), plain.str());
            seen += usize::from(mapped.is_string() && mapped.told().is_some());
            pairs.extend(mapped.items().zip(plain.items()));
            let values = mapped.fields().zip(plain.fields());
            pairs.extend(values.map(|((_, m), (_, p))| (m, p)));
        }
        assert_eq!(seen, 4);
    }

    #[test]
    fn depth_is_no_danger() {
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Json::parse(&deep).is_ok());
        assert_eq!(Json::parse(&deep[..100_000]).unwrap_err(), Broken::Cut);
    }

    proptest::proptest! {
        #[test]
        fn never_panics_and_agrees(text in r#"[\{\}\[\]",:0-9a-z\\ \-\.eu한]{0,40}"#) {
            if !text.contains("e") || !text.chars().any(|c| c.is_ascii_digit()) { agrees(&text); }
            let _ = Json::first(&text);
        }
        #[test]
        fn mutated_records_agree(at in 0usize..90, byte in 0u8..128) {
            let mut line = br#"{"type":"user","n":[1,2.5,{"x":null}],"message":{"role":"user","content":"a\n\"b\\\u00e9"}}"#.to_vec();
            let at = at % line.len();
            line[at] = byte;
            if let Ok(text) = std::str::from_utf8(&line) { agrees(text); }
        }
    }
}
