//! Types without a table: those that are one of several, and the sets of words.

use std::collections::BTreeSet;

use hermes_types::*;
use serde_json::{Value, json};

use crate::folder::schemas;
use crate::full;

/// A type without a table: its name, the definition whose kinds it has, samples of every kind, and what
/// reads and writes it.
pub(crate) type Kinds = (&'static str, &'static str, fn() -> Vec<Value>, fn(&Value) -> Value);

fn again<T: Encode>(json: &Value) -> Value {
    let value: T = serde_json::from_str(&json.to_string()).expect("decodes");
    serde_json::to_value(Wire(&value, Revision::LATEST)).expect("encodes")
}

pub(crate) const UNIONS: [Kinds; 11] = [
    (
        "ContentBlock",
        "ContentBlock",
        || vec![full::text(), full::image(), full::audio(), full::resource_link(), full::embedded()],
        |json| known::<ContentBlock>(json, |block| !matches!(block, ContentBlock::Unknown(_))),
    ),
    (
        "SamplingMessageContentBlock",
        "SamplingMessageContentBlock",
        || vec![full::text(), full::image(), full::audio(), full::tool_use(), full::tool_result()],
        |json| {
            type Block = SamplingMessageContentBlock;
            known::<Block>(json, |block| !matches!(block, Block::Unknown(_)))
        },
    ),
    (
        "PrimitiveSchemaDefinition",
        "PrimitiveSchemaDefinition",
        || {
            vec![
                full::string_schema(),
                full::number_schema(),
                full::boolean_schema(),
                full::single_select(),
                full::titled_single_select(),
                full::multi_select(),
                full::titled_multi_select(),
                full::legacy_titled(),
            ]
        },
        |json| {
            type Field = PrimitiveSchemaDefinition;
            known::<Field>(json, |field| !matches!(field, Field::Unknown(_)))
        },
    ),
    (
        "ElicitRequestParams",
        "ElicitRequestParams",
        || {
            vec![
                json!({ "mode": "form", "message": "m", "requestedSchema": full::elicit_schema() }),
                json!({ "message": "m", "requestedSchema": full::elicit_schema() }),
                json!({ "mode": "url", "message": "m", "url": "https://a.example/" }),
            ]
        },
        again::<ElicitRequestParams>,
    ),
    ("RequestId", "RequestId", || vec![json!(1), json!("a")], again::<RequestId>),
    ("String", "Cursor", || vec![json!("a")], again::<String>),
    ("ErrorObject", "Error", || vec![json!({ "code": 1, "message": "m", "data": 1 })], again::<ErrorObject>),
    // `null` is JSON, too, although the printed schema forgot it.
    (
        "RawJson",
        "JSONValue",
        || vec![json!(true), json!(1), json!("a"), json!([]), json!({})],
        again::<RawJson>,
    ),
    ("JsonObject", "JSONObject", || vec![full::meta()], again::<JsonObject>),
    ("MetaObject", "MetaObject", || vec![full::meta()], again::<MetaObject>),
    (
        "Message",
        "JSONRPCMessage",
        || {
            vec![
                json!({ "jsonrpc": "2.0", "id": 1, "method": "a", "params": {} }),
                json!({ "jsonrpc": "2.0", "method": "a" }),
                json!({ "jsonrpc": "2.0", "id": 1, "result": { "resultType": "complete" } }),
                json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": 1, "message": "m" } }),
            ]
        },
        |json| {
            let text = json.to_string();
            match Message::decode(&text).expect("a message") {
                Message::Request(Request { id, method, params }) => {
                    json!(OutgoingRequest { id: &id, method: &method, params })
                }
                Message::Notification(Notification { method, params }) => {
                    json!(OutgoingNotification { method: &method, params })
                }
                Message::Response(Response { id, outcome }) => {
                    json!(OutgoingResponse { id: id.as_ref(), outcome: outcome.as_ref() })
                }
            }
        },
    ),
];

/// As [`again`], and the kind is one that the type knows.
fn known<T: Encode>(json: &Value, is_known: fn(&T) -> bool) -> Value {
    assert!(is_known(&serde_json::from_str(&json.to_string()).expect("decodes")), "{json}");
    again::<T>(json)
}

#[test]
fn every_kind_of_a_union_is_valid_and_comes_back_as_it_went_in() {
    for (name, definition, samples, again) in UNIONS {
        for sample in samples() {
            assert_eq!(again(&sample), sample, "{name}");
            for schema in schemas().iter().filter(|schema| schema.revision.is_modern()) {
                assert_eq!(schema.errors(definition, &sample), Vec::<String>::new(), "{name}: {sample}");
            }
        }
    }
}

/// Sets of words: the name, the words that the model knows, where the schemas list them (an open set has no
/// list there).
pub(crate) fn words() -> Vec<(&'static str, Vec<String>, &'static [&'static str])> {
    macro_rules! known {
        ($Name:ident) => {
            $Name::KNOWN.iter().map(|word| word.as_str().to_owned()).collect()
        };
    }
    vec![
        ("ResultType", known!(ResultType), &[]),
        ("StopReason", known!(StopReason), &[]),
        ("Role", known!(Role), &["Role"]),
        ("LoggingLevel", known!(LoggingLevel), &["LoggingLevel"]),
        ("TaskStatus", known!(TaskStatus), &["TaskStatus"]),
        ("CacheScope", known!(CacheScope), &["CacheableResult/properties/cacheScope"]),
        ("Theme", known!(Theme), &["Icon/properties/theme"]),
        ("TaskSupport", known!(TaskSupport), &["ToolExecution/properties/taskSupport"]),
        ("ToolChoiceMode", known!(ToolChoiceMode), &["ToolChoice/properties/mode"]),
        ("StringFormat", known!(StringFormat), &["StringSchema/properties/format"]),
        ("NumberKind", known!(NumberKind), &["NumberSchema/properties/type"]),
        ("ElicitAction", known!(ElicitAction), &["ElicitResult/properties/action"]),
        (
            "IncludeContext",
            known!(IncludeContext),
            &[
                "CreateMessageRequest/properties/params/properties/includeContext",
                "CreateMessageRequestParams/properties/includeContext",
            ],
        ),
    ]
}

#[test]
fn the_words_are_those_of_the_schemas() {
    let schemas = schemas();
    for (name, known, places) in words() {
        let known: BTreeSet<String> = known.into_iter().collect();
        let mut lists = 0;
        for schema in &schemas {
            for part in places.iter().filter_map(|place| schema.find(place)) {
                let listed: BTreeSet<String> =
                    serde_json::from_value(part["enum"].clone()).expect("a list of words");
                assert_eq!(listed, known, "{name} in {}", schema.revision);
                lists += 1;
            }
        }
        assert!(places.is_empty() || schemas.is_empty() || lists > 0, "{name} is nowhere");
    }
}
