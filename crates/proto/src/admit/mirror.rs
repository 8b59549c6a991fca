//! Arguments that are mirrored in headers: `x-mcp-header` and `Mcp-Param-*`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use hermes_types::{Fault, FaultKind};
use serde_json::Value;
use serde_json::value::RawValue;

use super::accept::is_token;
use super::field::Field;
use super::number::are_equal;
use super::sentinel::{decode_sentinel, encode_sentinel};

const ANNOTATION: &str = "x-mcp-header";

/// An argument of a tool that is mirrored in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mirror {
    name: String,
    lookup: String,
    path: Vec<String>,
}

/// Why the annotations of a tool's input schema are illegal. Clients leave such a tool out; servers should not
/// offer it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadMirror {
    /// The name is no token of HTTP: it is empty, or has characters that a header's name may not have.
    Name(String),
    /// The annotation stands where no single argument is meant: not at a chain of `properties`.
    Place,
    /// The annotated argument is neither a string nor an integer nor a boolean. Holds the header's name.
    Type(String),
    /// Two arguments share this name, in upper or lower case.
    Twice(String),
}

impl fmt::Display for BadMirror {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(f, "{ANNOTATION} {name:?} is no name for a header"),
            Self::Place => write!(f, "{ANNOTATION} stands where it names no single argument"),
            Self::Type(name) => {
                write!(f, "{ANNOTATION} {name:?} is for an argument that is no string, integer or boolean")
            }
            Self::Twice(name) => write!(f, "{ANNOTATION} {name:?} stands twice"),
        }
    }
}

impl std::error::Error for BadMirror {}

impl Mirror {
    /// The arguments that a tool's input schema wants mirrored, in the order of the schema.
    ///
    /// ```
    /// use hermes_proto::admit::Mirror;
    /// use serde_json::json;
    ///
    /// let schema = json!({"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}});
    /// let mirrors = Mirror::declared(&schema)?;
    /// assert_eq!(mirrors[0].header(), "Mcp-Param-Region");
    /// assert_eq!(mirrors[0].path(), ["region"]);
    /// # Ok::<(), hermes_proto::admit::BadMirror>(())
    /// ```
    ///
    /// # Errors
    /// [`BadMirror`]: an annotation is illegal, and with it the whole tool.
    ///
    /// Source: `basic/transports/streamable-http#schema-extension`, 2026-07-28.
    pub fn declared(schema: &Value) -> Result<Vec<Self>, BadMirror> {
        let mut search = Search::default();
        search.schema(schema, &mut Vec::new())?;
        Ok(search.found)
    }

    /// The whole name of the header, such as `Mcp-Param-Region`.
    #[must_use]
    pub fn header(&self) -> String {
        format!("Mcp-Param-{}", self.name)
    }

    /// The names that lead from the arguments to the value.
    #[must_use]
    pub fn path(&self) -> &[String] {
        &self.path
    }

    /// The header's value for these arguments; `None` where there is nothing to mirror.
    ///
    /// ```
    /// use hermes_proto::admit::Mirror;
    /// use serde_json::{json, value::to_raw_value};
    ///
    /// let schema = json!({"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}});
    /// let arguments = to_raw_value(&json!({"n": 42}))?;
    /// let mirrors = Mirror::declared(&schema)?;
    /// assert_eq!(mirrors[0].value(Some(&arguments)).as_deref(), Some("42"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn value(&self, arguments: Option<&RawValue>) -> Option<String> {
        match Mirrored::at(arguments, &self.path) {
            Mirrored::Text(text) => Some(encode_sentinel(&text).into_owned()),
            Mirrored::Scalar(text) => Some(text.to_owned()),
            Mirrored::Nothing | Mirrored::Other => None,
        }
    }

    fn check(&self, arguments: Option<&RawValue>, found: Field<'_>) -> Result<(), Fault> {
        let fault = |what: fmt::Arguments<'_>| {
            Fault::new(FaultKind::HeaderMismatch, format!("the header Mcp-Param-{} {what}", self.name))
        };
        let argument = Mirrored::at(arguments, &self.path);
        let value = match (found, &argument) {
            // An array or an object is no argument of this tool: whoever reads the arguments says so.
            (Field::Absent, Mirrored::Nothing | Mirrored::Other) => return Ok(()),
            (Field::Absent, Mirrored::Text(_) | Mirrored::Scalar(_)) => {
                return Err(fault(format_args!("is missing, but the argument is there")));
            }
            (Field::Many(_), _) => return Err(fault(format_args!("stands twice"))),
            (Field::One(value), _) => value,
        };
        let value = decode_sentinel(value).map_err(|bad| fault(format_args!("cannot be read: {bad}")))?;
        let is_equal = match argument {
            Mirrored::Text(text) => text == value,
            Mirrored::Scalar(text) => text == value || are_equal(text, &value),
            Mirrored::Nothing | Mirrored::Other => false,
        };
        if is_equal { Ok(()) } else { Err(fault(format_args!("differs from the argument"))) }
    }
}

/// Compares the headers of a modern `tools/call` with its arguments.
///
/// | argument | header | outcome |
/// |---|---|---|
/// | absent or `null` | absent | goes on |
/// | absent or `null` | there | `header_mismatch` |
/// | there | absent, twice, unreadable or different | `header_mismatch` |
/// | there | the same: text as text, numbers by value | goes on |
/// | an array or an object | absent | goes on; the tool's own check of its arguments refuses it |
///
/// Headers that the tool did not declare are not looked at.
///
/// ```
/// use hermes_proto::admit::{Field, Mirror, mirrored};
/// use serde_json::{json, value::to_raw_value};
///
/// let schema = json!({"properties": {"n": {"type": "integer", "x-mcp-header": "N"}}});
/// let mirrors = Mirror::declared(&schema)?;
/// let arguments = to_raw_value(&json!({"n": 42}))?;
/// assert!(mirrored(&mirrors, Some(&arguments), &|_| Field::One(b"42.0")).is_ok());
/// assert!(mirrored(&mirrors, Some(&arguments), &|_| Field::One(b"43")).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Fault`] of the kind `header_mismatch`: the request is not to be run.
///
/// Source: `basic/transports/streamable-http#server-behavior-for-custom-headers`, 2026-07-28.
pub fn mirrored<'h>(
    declared: &[Mirror],
    arguments: Option<&RawValue>,
    field: &dyn Fn(&str) -> Field<'h>,
) -> Result<(), Fault> {
    declared.iter().try_for_each(|mirror| mirror.check(arguments, field(&mirror.lookup).trimmed()))
}

/// What stands at a path in the arguments.
enum Mirrored<'a> {
    /// Nothing, or `null`.
    Nothing,
    /// An array or an object.
    Other,
    /// A number or a boolean, as it is spelt.
    Scalar(&'a str),
    Text(Cow<'a, str>),
}

impl<'a> Mirrored<'a> {
    fn at(arguments: Option<&'a RawValue>, path: &[String]) -> Self {
        let mut value = arguments;
        for step in path {
            value = value.and_then(|object| member(object, step));
        }
        let Some(value) = value.map(RawValue::get).filter(|value| *value != "null") else {
            return Self::Nothing;
        };
        match value.as_bytes().first() {
            Some(b'"') => {
                serde_json::from_str::<Text<'a>>(value).map_or(Self::Other, |text| Self::Text(text.0))
            }
            Some(b'{' | b'[') | None => Self::Other,
            Some(_) => Self::Scalar(value),
        }
    }
}

fn member<'a>(object: &'a RawValue, name: &str) -> Option<&'a RawValue> {
    let mut members: BTreeMap<Key<'a>, &'a RawValue> = serde_json::from_str(object.get()).ok()?;
    members.remove(name)
}

#[derive(serde::Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A member's name, borrowed unless it holds escapes.
#[derive(PartialEq, Eq, PartialOrd, Ord, serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

impl std::borrow::Borrow<str> for Key<'_> {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The way through a schema.
#[derive(Default)]
struct Search {
    found: Vec<Mirror>,
    names: BTreeSet<String>,
}

impl Search {
    /// A schema that `properties` alone lead to.
    fn schema<'s>(&mut self, schema: &'s Value, path: &mut Vec<&'s str>) -> Result<(), BadMirror> {
        let Some(members) = schema.as_object() else { return Ok(()) };
        if let Some(annotation) = members.get(ANNOTATION) {
            self.annotation(annotation, schema, path)?;
        }
        for (keyword, value) in members {
            if keyword == "properties" {
                for (name, property) in value.as_object().into_iter().flatten() {
                    path.push(name);
                    self.schema(property, path)?;
                    path.pop();
                }
            } else {
                refuse_under(keyword, value)?;
            }
        }
        Ok(())
    }

    fn annotation(&mut self, annotation: &Value, schema: &Value, path: &[&str]) -> Result<(), BadMirror> {
        let Some(name) = annotation.as_str() else { return Err(BadMirror::Name(annotation.to_string())) };
        if !is_token(name.as_bytes()) {
            return Err(BadMirror::Name(name.to_owned()));
        }
        if path.is_empty() {
            return Err(BadMirror::Place);
        }
        if !is_primitive(schema) {
            return Err(BadMirror::Type(name.to_owned()));
        }
        let lower = name.to_ascii_lowercase();
        let lookup = format!("mcp-param-{lower}");
        if !self.names.insert(lower) {
            return Err(BadMirror::Twice(name.to_owned()));
        }
        let path = path.iter().map(|step| (*step).to_owned()).collect();
        self.found.push(Mirror { name: name.to_owned(), lookup, path });
        Ok(())
    }
}

/// `string`, `integer` or `boolean`; `null` may stand beside it, as `null` is never mirrored.
fn is_primitive(schema: &Value) -> bool {
    let is_one = |name: &str| matches!(name, "string" | "integer" | "boolean");
    match schema.get("type") {
        Some(Value::String(name)) => is_one(name),
        Some(Value::Array(names)) => {
            let mut others = names.iter().filter(|name| name.as_str() != Some("null"));
            others.next().and_then(Value::as_str).is_some_and(is_one) && others.next().is_none()
        }
        _ => false,
    }
}

/// Refuses annotations below a keyword that leads to no single argument.
fn refuse_under(keyword: &str, value: &Value) -> Result<(), BadMirror> {
    match keyword {
        // Data, in which nothing is an annotation.
        "const" | "default" | "enum" | "examples" | ANNOTATION => Ok(()),
        // Schemas by name: a name is no keyword.
        "$defs" | "definitions" | "dependentSchemas" | "patternProperties" | "properties" => {
            value.as_object().into_iter().flatten().try_for_each(|(_, schema)| refuse_in(schema))
        }
        _ => refuse_in(value),
    }
}

/// Refuses annotations in a schema, or in the schemas of an array.
fn refuse_in(value: &Value) -> Result<(), BadMirror> {
    match value {
        Value::Object(members) if members.contains_key(ANNOTATION) => Err(BadMirror::Place),
        Value::Object(members) => {
            members.iter().try_for_each(|(keyword, value)| refuse_under(keyword, value))
        }
        Value::Array(values) => values.iter().try_for_each(refuse_in),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(()),
    }
}
