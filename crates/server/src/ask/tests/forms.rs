//! Forms made from types, and the answers that fill them in.

use hermes_types::{ElicitRequestFormParams, ElicitRequestParams, Wire};
use serde_json::{Value, json};

use super::*;
use crate::ask::form::Form;
use crate::ask::{AskError, Elicited, QuestionError};

#[cfg(feature = "json-schema")]
mod fields;

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
