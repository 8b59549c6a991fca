//! The types that JSON Schema knows.

use std::fmt;

use serde_json::Value;

/// Kinds of values, as bits. A whole number is a number too.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Kinds(u8);

impl Kinds {
    pub(super) const NONE: Self = Self(0);
    pub(super) const ARRAY: Self = Self(1);
    pub(super) const BOOLEAN: Self = Self(2);
    pub(super) const INTEGER: Self = Self(4);
    pub(super) const NULL: Self = Self(8);
    pub(super) const NUMBER: Self = Self(16);
    pub(super) const OBJECT: Self = Self(32);
    pub(super) const STRING: Self = Self(64);

    /// All of them, in the order of their names.
    const NAMES: [(Self, &str); 7] = [
        (Self::ARRAY, "array"),
        (Self::BOOLEAN, "boolean"),
        (Self::INTEGER, "integer"),
        (Self::NULL, "null"),
        (Self::NUMBER, "number"),
        (Self::OBJECT, "object"),
        (Self::STRING, "string"),
    ];

    pub(super) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(super) const fn has_one_of(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// What the keyword `type` asks for: a name, or several different ones.
    pub(super) fn of_rule(rule: &Value) -> Option<Self> {
        match rule {
            Value::String(name) => Self::named(name),
            Value::Array(names) if !names.is_empty() => names.iter().try_fold(Self::NONE, |kinds, name| {
                let kind = Self::named(name.as_str()?)?;
                (!kinds.has_one_of(kind)).then(|| kinds.with(kind))
            }),
            _ => None,
        }
    }

    fn named(wanted: &str) -> Option<Self> {
        Self::NAMES.iter().find_map(|(kind, name)| (*name == wanted).then_some(*kind))
    }

    /// What a value is. A float without a fraction is a whole number too.
    fn of(value: &Value) -> Self {
        match value {
            Value::Array(_) => Self::ARRAY,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Null => Self::NULL,
            Value::Object(_) => Self::OBJECT,
            Value::String(_) => Self::STRING,
            Value::Number(number) if number.is_f64() => {
                let is_whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                if is_whole { Self::NUMBER.with(Self::INTEGER) } else { Self::NUMBER }
            }
            Value::Number(_) => Self::NUMBER.with(Self::INTEGER),
        }
    }

    /// Whether a value is of one of them.
    pub(super) fn hold(self, value: &Value) -> bool {
        self.has_one_of(Self::of(value))
    }
}

/// `integer or null`.
impl fmt::Display for Kinds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names = Self::NAMES.iter().filter(|(kind, _)| self.has_one_of(*kind)).map(|(_, name)| name);
        names.next().map_or(Ok(()), |first| f.write_str(first))?;
        names.try_for_each(|name| write!(f, " or {name}"))
    }
}
