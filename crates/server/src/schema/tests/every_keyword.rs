//! What only the engine checks: alternatives, references, formats, patterns, other dialects.

use super::*;

#[test]
fn of_tagged_alternatives_the_one_whose_tag_fits_is_explained_and_all_tags_are_named_when_none_does() {
    let schema = json!({ "properties": { "to": { "oneOf": [
        {
            "type": "object",
            "properties": { "kind": { "const": "email" }, "address": { "type": "string" } },
            "required": ["kind", "address"],
        },
        {
            "type": "object",
            "properties": { "kind": { "const": "phone" }, "number": { "type": "string" } },
            "required": ["kind", "number"],
        },
    ] } } });
    assert_eq!(
        complaint(&schema, r#"{"to":{"kind":"email"}}"#),
        r#"`/to`: {"kind":"email"} fits no alternative; closest: `/to/address`: is missing"#
    );
    assert_eq!(
        complaint(&schema, r#"{"to":{"kind":"phone"}}"#),
        r#"`/to`: {"kind":"phone"} fits no alternative; closest: `/to/number`: is missing"#
    );
    assert_eq!(complaint(&schema, r#"{"to":{"kind":"fax"}}"#), r#"`/to/kind`: is none of "email", "phone""#);
}

#[test]
fn of_described_choices_all_are_named_also_where_none_may_be_given() {
    let choices = json!({ "oneOf": [{ "const": "red" }, { "const": "green" }, { "const": "blue" }] });
    let schema = json!({ "properties": {
        "colour": &choices,
        "other": { "anyOf": [&choices, { "type": "null" }] },
    } });
    assert_eq!(
        complaint(&schema, r#"{"colour":"purple"}"#),
        r#"`/colour`: is none of "red", "green", "blue""#
    );
    assert_eq!(
        complaint(&schema, r#"{"other":"purple"}"#),
        r#"`/other`: "purple" fits no alternative; closest: `/other`: is none of "red", "green", "blue""#
    );
}

#[test]
fn of_alternatives_the_closest_one_is_explained() {
    let schema = json!({ "properties": { "area": { "anyOf": [
        { "type": "object", "properties": { "radius": { "type": "integer" } }, "required": ["radius"] },
        { "type": "null" },
    ] } } });
    assert_eq!(
        complaint(&schema, r#"{"area":{"radius":"far"}}"#),
        r#"`/area`: {"radius":"far"} fits no alternative; closest: `/area/radius`: "far" is not of type integer"#
    );
}

// spec: R049, R050
#[test]
fn the_known_dialects_are_followed_and_2020_12_is_the_default() {
    let tuple = |dialect: Option<&str>| {
        let mut schema = json!({ "prefixItems": [{ "type": "integer" }] });
        if let Some(dialect) = dialect {
            schema["$schema"] = dialect.into();
        }
        validator(&schema).check(r#"["x"]"#).is_err()
    };
    assert!(tuple(None));
    assert!(tuple(Some("https://json-schema.org/draft/2020-12/schema")));
    // Draft 7 does not know the keyword.
    assert!(!tuple(Some("http://json-schema.org/draft-07/schema#")));
}

#[test]
fn b092_a_recursive_schema_is_fine() {
    let tree = validator(&json!({
        "type": "object",
        "properties": { "n": { "type": "integer" }, "kids": { "items": { "$ref": "#" } } },
    }));
    assert_eq!(tree.flaw(), None);
    let value = r#"{"n":1.0,"kids":[{"n":2.0,"kids":[{"n":3.0}]}]}"#;
    let text = tree.check(value).expect("fits").expect("another text");
    assert_eq!(text.get(), r#"{"n":1,"kids":[{"n":2,"kids":[{"n":3}]}]}"#);
    assert!(tree.check(r#"{"kids":[{"kids":[{"n":"x"}]}]}"#).is_err());
}

#[test]
fn formats_are_checked_only_when_asked_for() {
    let schema = RawJson::encode(&json!({ "format": "email" })).expect("JSON");
    let value = "\"nobody\"";
    assert!(Validator::new(&schema).check(value).is_ok());
    assert_eq!(
        Validator::with_formats(&schema).check(value).expect_err("no address").to_string(),
        "\"nobody\" is not a \"email\""
    );
}

#[test]
fn integers_are_found_where_a_pattern_of_names_wants_them() {
    let schema = json!({ "patternProperties": { "^i": { "type": "integer" } } });
    let rewritten = validator(&schema).check(r#"{"i":9.0,"x":10.0}"#).expect("fits");
    assert_eq!(rewritten.as_ref().map(RawJson::get), Some(r#"{"i":9,"x":10.0}"#));
}
