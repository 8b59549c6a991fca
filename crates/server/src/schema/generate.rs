//! From a Rust type to its JSON Schema.

use hermes_types::RawJson;
use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, Transform as _};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

/// The type of the arguments is no object, so that no call could ever fit it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("arguments are an object with named members; `{name}` is {found}")]
pub(crate) struct NotAnObject {
    pub(crate) name: String,
    pub(crate) found: String,
}

/// The schema of a tool's arguments: draft 2020-12, subschemas inlined, the root `type: object`.
///
/// The unit type stands for "no arguments".
///
/// # Errors
/// [`NotAnObject`]: a string, a number, a list, as the root.
pub(crate) fn input_schema<T: JsonSchema>() -> Result<RawJson, NotAnObject> {
    let mut schema = clean::<T>(SchemaSettings::draft2020_12().for_deserialize());
    let object = schema.ensure_object();
    let allows = |kind: &str, types: &Value| match types {
        Value::Array(types) => types.iter().any(|one| one == kind),
        one => one == kind,
    };
    match object.get("type") {
        Some(types) if types == "null" => *object = no_members(),
        Some(types) if !allows("object", types) => {
            let name = T::schema_name().into_owned();
            return Err(NotAnObject { name, found: types.to_string() });
        }
        Some(_) => {
            object.insert("type".to_owned(), "object".into());
        }
        None => {
            // First, as in all the others.
            let rest = std::mem::take(object);
            object.insert("type".to_owned(), "object".into());
            object.extend(rest);
        }
    }
    Ok(encode(&schema))
}

/// The schema of a structured result: draft 2020-12, subschemas inlined, any root.
pub(crate) fn output_schema<T: JsonSchema>() -> RawJson {
    encode(&clean::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

/// Makes a schema and takes out what says nothing to a reader of another language: the dialect, which is
/// the default of the protocol, the name of the Rust type as a title, the names of Rust's number types.
pub(crate) fn clean<T: JsonSchema>(settings: SchemaSettings) -> Schema {
    let settings = settings.with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    if schema.get("title").is_some_and(|title| *title == *T::schema_name()) {
        schema.remove("title");
    }
    RecursiveTransform(clean_one).transform(&mut schema);
    schema
}

fn clean_one(schema: &mut Schema) {
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
    // The protocol wants an object for each property; the two schemas that are none can be said as objects.
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(|all| all.values_mut()) {
        match property {
            Value::Bool(true) => *property = json!({}),
            Value::Bool(false) => *property = json!({ "not": {} }),
            _ => {}
        }
    }
    let Some(Value::String(format)) = schema.get("format") else { return };
    // The bounds that the name of the type stood for; those of 64 bits and more would only confuse.
    let (least, most) = match format.as_str() {
        "int32" => (Some(i64::from(i32::MIN)), Some(i64::from(i32::MAX))),
        "uint32" => (Some(0), Some(i64::from(u32::MAX))),
        "int8" | "int16" | "int64" | "int128" | "int" | "uint8" | "uint16" | "uint64" | "uint128"
        | "uint" | "float" | "double" => (None, None),
        _ => return,
    };
    schema.remove("format");
    if let Some(object) = schema.as_object_mut() {
        let mut bound = |name: &str, value: Option<i64>| {
            if let Some(value) = value
                && !object.contains_key(name)
            {
                object.insert(name.to_owned(), value.into());
            }
        };
        bound("minimum", least);
        bound("maximum", most);
    }
}

fn no_members() -> Map<String, Value> {
    let mut object = Map::new();
    object.insert("type".to_owned(), "object".into());
    object.insert("properties".to_owned(), json!({}));
    object
}

fn encode(schema: &Schema) -> RawJson {
    // A schema is a JSON value already, so that writing it down cannot fail.
    RawJson::encode(schema).unwrap_or_else(|_| RawJson::empty_object())
}

#[cfg(test)]
#[expect(dead_code, reason = "the types are read for their schemas only")]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn input<T: JsonSchema>() -> String {
        input_schema::<T>().expect("an object").get().to_owned()
    }

    /// Where to look.
    #[derive(JsonSchema)]
    struct Search {
        /// The words.
        query: String,
        /// How many hits.
        #[serde(default)]
        limit: Option<u32>,
        small: u8,
        wide: i64,
        ratio: f32,
        order: Order,
        within: Area,
    }

    #[derive(JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Order {
        Up,
        Down,
    }

    #[derive(JsonSchema)]
    struct Area {
        format: Option<i32>,
    }

    #[test]
    fn a_schema_says_what_a_caller_needs_and_no_more_in_the_order_of_the_fields() {
        let expected = concat!(
            r#"{"description":"Where to look.","type":"object","properties":{"#,
            r#""query":{"description":"The words.","type":"string"},"#,
            r#""limit":{"description":"How many hits.","type":["integer","null"],"minimum":0,"#,
            r#""maximum":4294967295},"#,
            r#""small":{"type":"integer","maximum":255,"minimum":0},"#,
            r#""wide":{"type":"integer"},"#,
            r#""ratio":{"type":"number"},"#,
            r#""order":{"type":"string","enum":["up","down"]},"#,
            r#""within":{"type":"object","properties":{"format":{"type":["integer","null"],"#,
            r#""minimum":-2147483648,"maximum":2147483647}}}},"#,
            r#""required":["query","small","wide","ratio","order","within"]}"#,
        );
        assert_eq!(input::<Search>(), expected);
        assert_eq!(input::<Search>(), input::<Search>());
    }

    #[derive(JsonSchema)]
    struct Empty {}

    #[derive(JsonSchema)]
    #[serde(tag = "kind")]
    enum Either {
        Left { n: i64 },
        Right,
    }

    // spec: R274
    #[test]
    fn the_root_of_an_input_is_an_object_whatever_the_type() {
        let roots = [
            input::<()>(),
            input::<Empty>(),
            input::<Either>(),
            input::<Value>(),
            input::<BTreeMap<String, u64>>(),
            input::<Option<Empty>>(),
            input::<Tree>(),
        ];
        for root in roots {
            let schema: Value = serde_json::from_str(&root).expect("JSON");
            assert_eq!(schema["type"], "object", "{root}");
        }
        assert_eq!(input::<()>(), r#"{"type":"object","properties":{}}"#);
    }

    #[test]
    fn a_root_that_no_call_could_fit_is_told_at_registration() {
        let error = input_schema::<Vec<u8>>().expect_err("a list");
        assert!(error.to_string().ends_with(r#"is "array""#), "{error}");
        assert!(input_schema::<String>().is_err());
        assert!(input_schema::<u8>().is_err());
    }

    #[derive(JsonSchema)]
    struct Tree {
        children: Vec<Self>,
    }

    #[derive(JsonSchema)]
    #[schemars(title = "Named by its author")]
    struct Titled {
        #[schemars(title = "Also named")]
        field: u8,
    }

    #[test]
    fn titles_of_the_author_stay() {
        let schema = input::<Titled>();
        assert!(schema.contains("Named by its author") && schema.contains("Also named"), "{schema}");
    }

    #[test]
    fn an_output_may_have_any_root() {
        assert_eq!(
            output_schema::<Vec<u64>>().get(),
            r#"{"type":"array","items":{"type":"integer","minimum":0}}"#
        );
        assert_eq!(output_schema::<f64>().get(), r#"{"type":"number"}"#);
    }
}
