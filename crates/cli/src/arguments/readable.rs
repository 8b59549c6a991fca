//! JSON that no machine reads, although its grammar allows it.

use serde_json::Value;
use serde_json::value::RawValue;

use super::object::Object;

/// Finds what cannot be read in the members: numbers beyond all machine types, halves of characters. Says where it
/// is, and what it is.
pub(super) fn unreadable(object: &Object) -> Option<String> {
    object.members().find_map(|(name, value)| within(value, &format!("/{name}")))
}

fn within(raw: &RawValue, path: &str) -> Option<String> {
    let text = raw.get();
    if serde_json::from_str::<Value>(text).is_ok() {
        return None;
    }
    let inside = match text.as_bytes().first() {
        Some(b'[') => serde_json::from_str::<Vec<Box<RawValue>>>(text).ok().and_then(|items| {
            items.iter().enumerate().find_map(|(at, item)| within(item, &format!("{path}/{at}")))
        }),
        Some(b'{') => serde_json::from_str::<Object>(text).ok().and_then(|object| {
            object.members().find_map(|(name, value)| within(value, &format!("{path}/{name}")))
        }),
        Some(b'"') => Some(format!("{path}: the text {text} has half a character in it (a lone surrogate)")),
        _ => Some(format!("{path}: the number {text} is too large")),
    };
    // What is left are names of members.
    inside.or_else(|| Some(format!("{path}: a name in it has half a character in it (a lone surrogate)")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Option<String> {
        unreadable(&serde_json::from_str(text).expect(text))
    }

    #[test]
    fn what_cannot_be_read_is_told_with_its_place() {
        assert_eq!(told(r#"{"a":1,"b":[1e300,{"c":18446744073709551616}]}"#), None);
        assert_eq!(told(r#"{"a":1e400}"#).as_deref(), Some("/a: the number 1e400 is too large"));
        assert_eq!(
            told(r#"{"a":{"b":[1,-1e999]}}"#).as_deref(),
            Some("/a/b/1: the number -1e999 is too large")
        );
        let half = told(r#"{"a":["\ud800"]}"#).expect("half a character");
        assert_eq!(half, r#"/a/0: the text "\ud800" has half a character in it (a lone surrogate)"#);
        let name = told(r#"{"a":{"\ud800":1}}"#).expect("half a character");
        assert!(name.starts_with("/a: a name in it"), "{name}");
    }
}
