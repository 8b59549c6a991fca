//! Fields whose types say what only the engine checks: formats, patterns, choices with titles.

use super::*;

/// About you
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Profile {
    /// Your full name
    #[schemars(length(min = 3, max = 50))]
    name: String,
    #[schemars(title = "Mail", extend("format" = "email"))]
    mail: Option<String>,
    #[serde(default = "thirty")]
    age: u8,
    #[schemars(range(min = 0.5))]
    score: f64,
    #[serde(default)]
    verified: bool,
    #[schemars(regex(pattern = "^[a-z]+$"))]
    nick: Option<String>,
}

fn thirty() -> u8 {
    30
}

// spec: R364
#[test]
fn a_struct_becomes_a_flat_form_in_the_order_of_its_fields() {
    let expected = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "description": "Your full name", "minLength": 3, "maxLength": 50 },
            "mail": { "type": "string", "title": "Mail", "format": "email" },
            "age": { "type": "integer", "minimum": 0, "maximum": 255, "default": 30 },
            "score": { "type": "number", "minimum": 0.5 },
            "verified": { "type": "boolean", "default": false },
            "nick": { "type": "string" },
        },
        "required": ["name", "score"],
    });
    assert_eq!(numbers_alike(form::<Profile>(Revision::LATEST)), numbers_alike(expected.clone()));
    let names = |schema: &Value| {
        schema["properties"].as_object().expect("fields").keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(names(&form::<Profile>(Revision::LATEST)), names(&expected));
    // 2025-06-18 has defaults for yes or no only.
    let old = form::<Profile>(Revision::V2025_06_18);
    assert_eq!(
        (&old["properties"]["age"]["default"], &old["properties"]["verified"]["default"]),
        (&Value::Null, &json!(false))
    );
}

/// Choices whose names stand beside them, as older clients know it.
#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Plan {
    #[schemars(extend("enum" = ["s", "l"], "enumNames" = ["Small", "Large"]))]
    size: String,
    #[schemars(extend("enum" = ["s", "l"], "enumNames" = ["Small"]))]
    misfit: String,
}

#[test]
fn names_of_choices_in_the_older_spelling_are_kept() {
    let form = form::<Plan>(Revision::V2025_11_25);
    let size = json!({ "type": "string", "enum": ["s", "l"], "enumNames": ["Small", "Large"] });
    assert_eq!(form["properties"]["size"], size);
    let misfit = json!({ "type": "string", "enum": ["s", "l"] });
    assert_eq!(form["properties"]["misfit"], misfit, "names that do not match are none");
}

/// 30 and 30.0 are the same number, however they are written.
fn numbers_alike(mut value: Value) -> Value {
    match &mut value {
        Value::Number(number) => return json!(number.as_f64()),
        Value::Array(all) => all.iter_mut().for_each(|one| *one = numbers_alike(one.take())),
        Value::Object(all) => all.values_mut().for_each(|one| *one = numbers_alike(one.take())),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
    value
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Plain {
    Red,
    Green,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
enum Titled {
    /// The first
    A,
    #[schemars(title = "The second")]
    B,
    C,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Choices {
    plain: Plain,
    maybe: Option<Plain>,
    titled: Titled,
    many: Vec<Plain>,
    #[schemars(length(min = 1, max = 2))]
    titles: Vec<Titled>,
}

#[test]
fn enums_become_choices_with_titles_where_they_have_some() {
    let titled = json!([
        { "const": "A", "title": "The first" },
        { "const": "B", "title": "The second" },
        { "const": "C", "title": "C" },
    ]);
    let expected = json!({
        "plain": { "type": "string", "enum": ["red", "green"] },
        "maybe": { "type": "string", "enum": ["red", "green"] },
        "titled": { "type": "string", "oneOf": titled },
        "many": { "type": "array", "items": { "type": "string", "enum": ["red", "green"] } },
        "titles": { "type": "array", "minItems": 1, "maxItems": 2, "items": { "anyOf": titled } },
    });
    let form = form::<Choices>(Revision::LATEST);
    assert_eq!(sorted(&form["properties"]), sorted(&expected));
    assert_eq!(form["required"], json!(["plain", "titled", "many", "titles"]));
}

/// Titled choices in the order of their values: the generator groups those without a title.
fn sorted(properties: &Value) -> Value {
    let mut properties = properties.clone();
    for list in ["/titled/oneOf", "/titles/items/anyOf"] {
        if let Some(Value::Array(options)) = properties.pointer_mut(list) {
            options.sort_by_key(|option| option["const"].to_string());
        }
    }
    properties
}

#[derive(Debug, Deserialize, JsonSchema)]
struct OnlyTitled {
    #[serde(rename = "titled")]
    _titled: Titled,
}

#[test]
fn an_older_revision_gets_what_it_can_show() {
    let old = form::<OnlyTitled>(Revision::V2025_06_18);
    let field = &old["properties"]["titled"];
    let (mut values, mut names) = (field["enum"].clone(), field["enumNames"].clone());
    for list in [&mut values, &mut names] {
        list.as_array_mut().expect("a list").sort_by_key(ToString::to_string);
    }
    assert_eq!((values, names), (json!(["A", "B", "C"]), json!(["C", "The first", "The second"])));
    assert_eq!(field.get("oneOf"), None);
    // A list of choices becomes one choice, whose answer is read as a list.
    let many = &form::<Choices>(Revision::V2025_06_18)["properties"]["many"];
    assert_eq!(*many, json!({ "type": "string", "enum": ["red", "green"] }));
    let one = answer::<Choices>(r#"{"plain":"red","titled":"B","many":"green","titles":"A"}"#).expect("fits");
    assert_eq!(one.accepted().expect("accepted").many, vec![Plain::Green]);
}

#[test]
fn answers_are_checked_against_all_that_the_type_says() {
    let good = r#"{"name":"Ada L","age":36.0,"score":1,"verified":true}"#;
    let profile = answer::<Profile>(good).expect("fits").accepted().expect("accepted");
    assert_eq!(
        (profile.name.as_str(), profile.age, profile.verified, profile.mail),
        ("Ada L", 36, true, None)
    );
    let defaults = answer::<Profile>(r#"{"name":"Ada L","score":1.5,"mail":null}"#).expect("fits");
    assert_eq!(defaults.accepted().map(|profile| profile.age), Some(30));
    for (content, path) in [
        (r#"{"name":"Al","score":1}"#, "`/name`"),
        (r#"{"name":"Ada L"}"#, "`/score`"),
        (r#"{"name":"Ada L","score":0.4}"#, "`/score`"),
        (r#"{"name":"Ada L","score":1,"age":30.5}"#, "`/age`"),
        (r#"{"name":"Ada L","score":1,"age":256}"#, "`/age`"),
        (r#"{"name":"Ada L","score":1,"mail":"nobody"}"#, "`/mail`"),
        // Left out of the form, where a pattern has no place, and checked all the same.
        (r#"{"name":"Ada L","score":1,"nick":"ADA"}"#, "`/nick`"),
    ] {
        let error = answer::<Profile>(content).expect_err(content);
        assert!(error.contains(path), "{content}: {error}");
    }
    let choices = r#"{"plain":"red","titled":"B","many":["green","red"],"titles":["A"]}"#;
    let choices = answer::<Choices>(choices).expect("fits").accepted().expect("accepted");
    assert_eq!(
        (choices.plain, choices.many, choices.titles),
        (Plain::Red, vec![Plain::Green, Plain::Red], vec![Titled::A])
    );
    assert!(answer::<Choices>(r#"{"plain":"blue","titled":"B","many":[],"titles":["A"]}"#).is_err());
}
