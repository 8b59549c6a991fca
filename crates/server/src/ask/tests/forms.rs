//! Forms made from types, and the answers that fill them in.

use hermes_types::{ElicitRequestFormParams, ElicitRequestParams, Wire};
use serde_json::{Value, json};

use super::*;
use crate::ask::form::Form;
use crate::ask::{AskError, Elicited, QuestionError};

fn form<T: JsonSchema>(revision: Revision) -> Value {
    let form = Form::of::<T>().expect("a form");
    let params = ElicitRequestParams::Form(ElicitRequestFormParams::new("m", form.schema));
    let (params, _) = params.downgrade(revision).expect("forms");
    let params = serde_json::to_value(Wire(&params, revision)).expect("JSON");
    params["requestedSchema"].clone()
}

fn refused<T: JsonSchema>() -> String {
    match Form::of::<T>() {
        Ok(_) => panic!("not a form"),
        Err(error) => error.to_string(),
    }
}

fn answer<T: JsonSchema + serde::de::DeserializeOwned>(content: &str) -> Result<Elicited<T>, String> {
    let answer = RawJson::parse(format!(r#"{{"action":"accept","content":{content}}}"#)).expect("JSON");
    let form = Form::of::<T>().expect("a form");
    form.read(&answer).map_err(|error: AskError| error.to_string())
}

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

#[derive(JsonSchema)]
#[expect(dead_code, reason = "read for its schema only")]
struct Nested {
    inner: Name,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "read for its schema only")]
struct Texts {
    lines: Vec<String>,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "read for its schema only")]
struct Loose {
    any: Value,
}

#[derive(JsonSchema)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "read for its schema only")]
enum Either {
    Left { n: u8 },
    Right,
}

#[test]
fn what_is_no_form_is_told_with_the_field() {
    assert_eq!(refused::<Nested>(), "the field `inner` cannot stand in a form: an object; forms are flat");
    assert_eq!(
        refused::<Texts>(),
        "the field `lines` cannot stand in a form: a list of something other than choices"
    );
    assert_eq!(refused::<Loose>(), "the field `any` cannot stand in a form: anything");
    assert_eq!(refused::<String>(), "a form is a struct with named fields, not string");
    assert_eq!(refused::<Vec<String>>(), "a form is a struct with named fields, not array");
    assert_eq!(refused::<Either>(), "a form is a struct with named fields, not a choice between types");
    assert_eq!(refused::<BTreeMap<String, u8>>(), "a form is a struct with named fields, not a map");
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

#[test]
fn the_unit_type_asks_for_a_plain_yes_or_no() {
    assert_eq!(form::<()>(Revision::LATEST), json!({ "type": "object", "properties": {} }));
    assert_eq!(answer::<()>("{}"), Ok(Elicited::Accepted(())));
    let consent = RawJson::parse(r#"{"action":"accept"}"#).expect("JSON");
    let read = Form::of::<()>().expect("a form").read::<()>(&consent);
    assert_eq!(read.expect("an answer"), Elicited::Accepted(()));
}

#[tokio::test]
async fn a_page_has_an_absolute_url() {
    let ask = async |ctx: Context| {
        let mut errors = Vec::new();
        for url in [
            "",
            "example.org",
            "/path",
            "http:",
            "1http://example.org",
            "http://exa mple.org",
            "http://example.org/é",
            "http://example.org/%4",
            "http://example.org/%zz",
            "http://example.org/#a#b",
            "http://example.org/<x>",
        ] {
            errors.push((url, ctx.elicit_url("Open", url).await.map(drop).err()));
        }
        errors
    };
    for (url, error) in Desk::default().first(ask).await.finished() {
        let error = error.expect(url);
        assert!(matches!(error, AskError::BadQuestion(QuestionError::NoUrl { .. })), "{url}: {error}");
    }
}

#[tokio::test]
async fn consent_to_open_a_page_is_an_answer_without_contents() {
    let ask = async |ctx: Context| ctx.elicit_url("Open", "https://example.org/x?y=1").await;
    let desk = Desk::default();
    let asks = desk.first(ask).await.asks();
    let params = only(&asks).1.params.as_ref().expect("parameters").get();
    assert_eq!(params, r#"{"mode":"url","message":"Open","url":"https://example.org/x?y=1"}"#);
    let (output, entries) = desk.converse(ask, |_, _| r#"{"action":"accept"}"#.to_owned()).await;
    assert_eq!((output.expect("an answer"), entries), (Elicited::Accepted(()), 2));
}
