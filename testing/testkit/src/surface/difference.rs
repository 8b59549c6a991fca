//! What is different between two surfaces.

use std::fmt;

use serde_json::Value;

/// One place at which two surfaces differ. Shown as `+`, `-` or `~`, the path, and the values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The path to the place: the names of members and the numbers of elements.
    pub path: Vec<String>,
    /// What stood there; `None` if it is new.
    pub old: Option<Value>,
    /// What stands there now; `None` if it is gone.
    pub new: Option<Value>,
}

impl Difference {
    pub(super) fn between(old: &Value, new: &Value) -> Vec<Self> {
        let mut found = Vec::new();
        compare(&mut Vec::new(), Some(old), Some(new), &mut found);
        found
    }
}

fn compare(path: &mut Vec<String>, old: Option<&Value>, new: Option<&Value>, found: &mut Vec<Difference>) {
    let mut deeper = |name: String, old: Option<&Value>, new: Option<&Value>| {
        path.push(name);
        compare(path, old, new, found);
        path.pop();
    };
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for (name, value) in old {
                deeper(name.clone(), Some(value), new.get(name));
            }
            for (name, value) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
                deeper(name.clone(), None, Some(value));
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) => {
            for at in 0..old.len().max(new.len()) {
                deeper(at.to_string(), old.get(at), new.get(at));
            }
        }
        (old, new) if old == new => {}
        (old, new) => {
            found.push(Difference { path: path.clone(), old: old.cloned(), new: new.cloned() });
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.join(" / ");
        match (&self.old, &self.new) {
            (Some(old), Some(new)) => write!(f, "~ {path}: {old} is now {new}"),
            (Some(old), None) => write!(f, "- {path}: {old}"),
            (None, Some(new)) => write!(f, "+ {path}: {new}"),
            (None, None) => write!(f, "  {path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(old: &Value, new: &Value) -> Vec<String> {
        Difference::between(old, new).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_difference_names_the_deepest_place() {
        let old = json!({ "tools": { "add": { "description": "Adds", "args": [1, 2] }, "gone": {} } });
        let new = json!({ "tools": { "add": { "args": [1, 3, 4], "description": "Sums" }, "new": {} } });
        assert_eq!(
            shown(&old, &new),
            [
                r#"~ tools / add / description: "Adds" is now "Sums""#,
                "~ tools / add / args / 1: 2 is now 3",
                "+ tools / add / args / 2: 4",
                "- tools / gone: {}",
                "+ tools / new: {}",
            ]
        );
    }

    #[test]
    fn the_order_of_members_is_no_difference() {
        assert_eq!(shown(&json!({ "a": 1, "b": 2 }), &json!({ "b": 2, "a": 1 })), [""; 0]);
    }
}
