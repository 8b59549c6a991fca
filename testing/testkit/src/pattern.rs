//! Comparing a message with what was expected.

use serde_json::Value;

/// Says where a value differs from a pattern, as a path, or `None` if it fits.
///
/// In the pattern, the string `"_"` fits every value, and an object with the member `"...": "_"` may have more
/// members than it lists. Everything else has to be equal; the order of members does not matter.
///
/// ```
/// use hermes_testkit::mismatch;
/// use serde_json::json;
///
/// assert_eq!(mismatch(&json!({ "id": 1, "...": "_" }), &json!({ "id": 1, "x": [] })), None);
/// assert_eq!(mismatch(&json!({ "a": [1] }), &json!({ "a": [2] })).as_deref(), Some("/a/0"));
/// ```
#[must_use]
pub fn mismatch(pattern: &Value, value: &Value) -> Option<String> {
    match (pattern, value) {
        (Value::String(any), _) if any == "_" => None,
        (Value::Object(pattern), Value::Object(value)) => {
            let open = pattern.contains_key("...");
            let listed =
                pattern.iter().filter(|(key, _)| *key != "...").find_map(|(key, pattern)| {
                    match value.get(key) {
                        Some(value) => mismatch(pattern, value).map(|path| format!("/{key}{path}")),
                        None => Some(format!("/{key} is missing")),
                    }
                });
            let unlisted = || value.keys().find(|key| !open && !pattern.contains_key(*key));
            listed.or_else(|| unlisted().map(|key| format!("/{key} is too much")))
        }
        (Value::Array(pattern), Value::Array(value)) if pattern.len() == value.len() => {
            pattern.iter().zip(value).enumerate().find_map(|(at, (pattern, value))| {
                mismatch(pattern, value).map(|path| format!("/{at}{path}"))
            })
        }
        (pattern, value) if pattern == value => None,
        _ => Some(String::new()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_underscore_fits_everything_and_dots_allow_more() {
        assert_eq!(mismatch(&json!("_"), &json!({ "a": 1 })), None);
        assert_eq!(mismatch(&json!({ "a": "_", "...": "_" }), &json!({ "b": 2, "a": null })), None);
    }

    #[test]
    fn what_differs_is_named_by_its_path() {
        let path = |pattern, value| mismatch(&pattern, &value).unwrap_or_default();
        assert_eq!(path(json!({ "a": { "b": 1 } }), json!({ "a": { "b": 1.5 } })), "/a/b");
        assert_eq!(path(json!({ "a": 1 }), json!({ "a": 1, "b": 2 })), "/b is too much");
        assert_eq!(path(json!({ "a": 1 }), json!({})), "/a is missing");
        assert_eq!(path(json!({ "a": [1] }), json!({ "a": [1, 2] })), "/a");
        assert_eq!(path(json!({ "id": 1 }), json!({ "id": "1" })), "/id");
    }
}
