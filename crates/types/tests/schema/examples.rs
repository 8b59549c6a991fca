//! The official examples: each decodes as the type it is an example of, and comes back equal.

use hermes_types::*;
use serde_json::{Value, json};

use crate::folder;
use crate::messages::params_of;
use crate::subject::Subject;
use crate::subjects::subjects;

const REVISION: Revision = Revision::V2026_07_28;

/// Reads and writes JSON as the type with this name.
fn typed(subjects: &[Subject], name: &str, json: &Value) -> Value {
    let subject = subjects.iter().find(|subject| subject.table.name == name);
    let subject = subject.unwrap_or_else(|| panic!("no type for {name}"));
    (subject.again)(json, REVISION).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Reads and writes parameters as the type that the method names.
fn params(subjects: &[Subject], method: &str, json: &Value) -> Value {
    let method = Method::parse(method).unwrap_or_else(|| panic!("{method}"));
    let types = params_of(method);
    let url = json["mode"] == "url";
    typed(subjects, if url { types.last() } else { types.first() }.expect("a type"), json)
}

/// Reads and writes a message: the envelope, then what the method or the kind of result names.
fn message(subjects: &[Subject], result: &str, json: &Value) -> Value {
    let text = json.to_string();
    match Message::decode(&text).unwrap_or_else(|error| panic!("{error}")) {
        Message::Request(request) => {
            let params = request.params.map(|raw| params(subjects, &request.method, &json!(raw)));
            json!(OutgoingRequest { id: &request.id, method: &request.method, params })
        }
        Message::Notification(note) => {
            let params = note.params.map(|raw| params(subjects, &note.method, &json!(raw)));
            json!(OutgoingNotification { method: &note.method, params })
        }
        Message::Response(Response { id, outcome }) => {
            let outcome = outcome.map(|raw| result_of(subjects, result, &json!(raw)));
            json!(OutgoingResponse { id: id.as_ref(), outcome: outcome.as_ref() })
        }
    }
}

/// Reads and writes a result: the one that was asked for, or the questions of the server.
fn result_of(subjects: &[Subject], name: &str, json: &Value) -> Value {
    let kind: AnyResult = serde_json::from_str(&json.to_string()).expect("a result");
    let name = if kind.result_type == ResultType::InputRequired { "InputRequiredResult" } else { name };
    typed(subjects, name, json)
}

/// Reads and writes an example of a definition.
fn again(subjects: &[Subject], definition: &str, json: &Value) -> Value {
    let each = |read: &dyn Fn(&Value) -> Value| -> Value {
        json.as_object().expect("an object").iter().map(|(key, value)| (key.clone(), read(value))).collect()
    };
    match definition {
        "ElicitRequestURLParams" => typed(subjects, "ElicitRequestUrlParams", json),
        "InputRequests" => each(&|request| embedded(subjects, request)),
        "InputResponses" => each(&|response| {
            let kind = ["action", "roots", "model"].iter().position(|member| response.get(member).is_some());
            let names = ["ElicitResult", "ListRootsResult", "CreateMessageResult"];
            typed(subjects, names[kind.expect("an answer")], response)
        }),
        "CreateMessageRequest" | "ElicitRequest" | "ListRootsRequest" => embedded(subjects, json),
        // Errors that are not in an envelope.
        _ if json.get("code").is_some() => {
            json!(serde_json::from_value::<ErrorObject>(json.clone()).expect("an error"))
        }
        _ if json.get("jsonrpc").is_some() => {
            message(subjects, definition.trim_end_matches("Response"), json)
        }
        _ => typed(subjects, definition, json),
    }
}

/// Reads and writes a question without envelope, and its parameters as the type that its method names.
fn embedded(subjects: &[Subject], json: &Value) -> Value {
    let mut request = typed(subjects, "InputRequest", json);
    if let Some(inner) = json.get("params") {
        let method = json["method"].as_str().expect("a method");
        request["params"] = params(subjects, method, inner);
    }
    request
}

/// An example without the cache hints that a read result has to have. (It passes its schema only because
/// the result might be a question as well.) It comes back with them.
const WITHOUT_HINTS: (&str, &str) = ("ReadResourceResultResponse", "read-resource-result-response.json");

#[test]
fn every_official_example_decodes_and_comes_back_equal() {
    let subjects = subjects();
    let examples = folder::examples(REVISION);
    for (definition, file, json) in &examples {
        let mut expected = json.clone();
        if (definition.as_str(), file.as_str()) == WITHOUT_HINTS {
            expected["result"]["ttlMs"] = json!(0);
            expected["result"]["cacheScope"] = json!("private");
        }
        assert_eq!(again(&subjects, definition, json), expected, "{definition}/{file}");
    }
    assert!(examples.len() > 100 || folder::folder().is_none(), "only {} examples", examples.len());
}

#[test]
fn every_official_example_is_valid() {
    for schema in folder::schemas().iter().filter(|schema| schema.revision == REVISION) {
        for (definition, file, json) in folder::examples(REVISION) {
            assert_eq!(schema.errors(&definition, &json), Vec::<String>::new(), "{definition}/{file}");
            if (definition.as_str(), file.as_str()) == WITHOUT_HINTS {
                assert_eq!(schema.errors("ReadResourceResult", &json["result"]).len(), 2, "{file}");
            }
        }
    }
}

/// The data of the errors that have any comes back as its own type, too.
#[test]
fn the_data_of_the_official_errors_has_types() {
    let subjects = subjects();
    let types = [
        ("UnsupportedProtocolVersionError", "UnsupportedProtocolVersionData"),
        ("MissingRequiredClientCapabilityError", "MissingRequiredClientCapabilityData"),
    ];
    for (definition, file, json) in folder::examples(REVISION) {
        let Some((_, name)) = types.iter().find(|(error, _)| *error == definition) else { continue };
        let data = &json["error"]["data"];
        assert_eq!(typed(&subjects, name, data), *data, "{definition}/{file}");
    }
}
