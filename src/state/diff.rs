//! What changed between two states, key by key: items by what they are (path, hash, text), not by their place.
//! How far a state has read (`cursor`) is no difference.

use super::store::{Saved, object};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The answer of `compact diff --json`: lists of items by key, keys in the order of the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Diff {
    pub added: Map<String, Value>,
    pub removed: Map<String, Value>,
    /// Pairs `{"old", "new"}`; of an object also the key below, as `{"key", "old", "new"}`.
    pub changed: Map<String, Value>,
}

impl Diff {
    /// Whether the states say the same.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.changed.is_empty()
    }

    /// Every key with a difference, in the order of the state.
    pub fn keys(&self) -> Vec<&str> {
        let mut keys: Vec<&str> = Vec::new();
        for key in super::store::KEYS
            .iter()
            .copied()
            .chain(self.removed.keys().map(String::as_str))
            .chain(self.added.keys().map(String::as_str))
            .chain(self.changed.keys().map(String::as_str))
        {
            let differs = [&self.added, &self.removed, &self.changed]
                .iter()
                .any(|m| m.contains_key(key));
            if differs && !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }
}

/// From one state to another.
pub fn diff(old: &Saved, new: &Saved) -> Diff {
    let (old, new) = (object(old), object(new));
    let mut diff = Diff::default();
    let mut keys: Vec<&String> = old.keys().collect();
    keys.extend(new.keys().filter(|k| !old.contains_key(*k)));
    for key in keys.into_iter().filter(|k| *k != "cursor") {
        let a = old.get(key).unwrap_or(&Value::Null);
        let b = new.get(key).unwrap_or(&Value::Null);
        value(&mut diff, key, a, b);
    }
    diff
}

fn push(map: &mut Map<String, Value>, key: &str, item: Value) {
    let list = map.entry(key).or_insert_with(|| Value::Array(Vec::new()));
    if let Value::Array(list) = list {
        list.push(item);
    }
}

fn value(diff: &mut Diff, key: &str, old: &Value, new: &Value) {
    match (old, new) {
        (a, b) if a == b => {}
        (Value::Null, b) => push(&mut diff.added, key, b.clone()),
        (a, Value::Null) => push(&mut diff.removed, key, a.clone()),
        (Value::Array(a), Value::Array(b)) => list(diff, key, a, b),
        // One thing of the kind: the request is another one, or the same seen again.
        (Value::Object(a), Value::Object(b)) if !a.contains_key("text") => {
            let mut below: Vec<&String> = a.keys().collect();
            below.extend(b.keys().filter(|k| !a.contains_key(*k)));
            for k in below {
                let (x, y) = (
                    a.get(k).unwrap_or(&Value::Null),
                    b.get(k).unwrap_or(&Value::Null),
                );
                if x != y {
                    push(
                        &mut diff.changed,
                        key,
                        json!({"key": k, "old": x, "new": y}),
                    );
                }
            }
        }
        (a, b) => push(&mut diff.changed, key, json!({"old": a, "new": b})),
    }
}

/// What an item is, whatever else is said of it.
fn identity(item: &Value) -> &Value {
    ["path", "hash", "text"]
        .iter()
        .find_map(|k| item.get(k))
        .unwrap_or(item)
}

fn list(diff: &mut Diff, key: &str, old: &[Value], new: &[Value]) {
    let mut used = vec![false; new.len()];
    for a in old {
        // The very same item first: a text may stand there twice.
        let found = new
            .iter()
            .enumerate()
            .position(|(i, b)| !used[i] && a == b)
            .or_else(|| {
                new.iter()
                    .enumerate()
                    .position(|(i, b)| !used[i] && identity(a) == identity(b) && !old.contains(b))
            });
        match found.and_then(|i| Some((used.get_mut(i)?, new.get(i)?))) {
            Some((used, b)) => {
                *used = true;
                if a != b {
                    push(&mut diff.changed, key, json!({"old": a, "new": b}));
                }
            }
            None => push(&mut diff.removed, key, a.clone()),
        }
    }
    for (b, used) in new.iter().zip(used) {
        if !used {
            push(&mut diff.added, key, b.clone());
        }
    }
    let nothing = [&diff.added, &diff.removed, &diff.changed]
        .iter()
        .all(|m| !m.contains_key(key));
    if nothing {
        // The same items in another order.
        push(&mut diff.changed, key, json!({"old": old, "new": new}));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(old: Value, new: Value) -> Value {
        let mut diff = Diff::default();
        value(&mut diff, "k", &old, &new);
        json!([
            diff.added.get("k"),
            diff.removed.get("k"),
            diff.changed.get("k")
        ])
    }

    #[test]
    fn items_are_known_by_what_they_are() {
        let item = |text: &str, status: &str| json!({"text": text, "status": status});
        let (a, b, c) = (item("a", "open"), item("a", "done"), item("c", "open"));
        assert_eq!(
            of(json!([a, c]), json!([b, c])),
            json!([null, null, [{"old": a, "new": b}]])
        );
        assert_eq!(of(json!([a]), json!([a, c])), json!([[c], null, null]));
        assert_eq!(of(json!([c, a]), json!([a])), json!([null, [c], null]));
        // The same said twice is two; another order is a change.
        assert_eq!(of(json!([a]), json!([a, a])), json!([[a], null, null]));
        assert_eq!(
            of(json!([a, c]), json!([c, a])),
            json!([null, null, [{"old": [a, c], "new": [c, a]}]])
        );
        assert_eq!(of(json!([a, c]), json!([a, c])), json!([null, null, null]));
    }

    #[test]
    fn objects_differ_by_key_and_nothing_is_no_value() {
        assert_eq!(
            of(
                json!({"human": 1, "assistant": 2}),
                json!({"human": 3, "assistant": 2})
            ),
            json!([null, null, [{"key": "human", "old": 1, "new": 3}]])
        );
        let request = json!({"text": "고쳐줘", "ref": "#0"});
        assert_eq!(
            of(Value::Null, request.clone()),
            json!([[request], null, null])
        );
    }
}
