//! The envelope: what decodes comes back equal, and what does not says why.
//!
//! * A message that decodes, encoded and decoded again, is the same message, to the letter of its contents.
//! * Its id is the one that stands in the text, with its type and all its digits.
//! * What is refused as no JSON is none, and the other way round; a refusal carries the text's id or none.
//! * A batch splits into texts that are its members.

use hermes_types::{
    MalformedReason, Message, OutgoingNotification, OutgoingRequest, OutgoingResponse, split_batch,
};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::json::{Id, Object};

/// Checks one text.
pub fn check(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let is_json = serde_json::from_str::<IgnoredAny>(text).is_ok();
    match Message::decode(text) {
        Ok(message) => decoded(text, &message),
        Err(malformed) => {
            let says_json = !matches!(malformed.reason, MalformedReason::Syntax(_));
            assert_eq!(says_json, is_json, "{malformed}");
            if let Some(id) = malformed.id {
                let object = Object::read(text).expect("an id was read from what is no object");
                assert_eq!(object.id(), Id::Readable(id));
            }
        }
    }
    if let Ok(members) = split_batch(text) {
        let joined: Vec<&str> = members.iter().map(|member| member.get()).collect();
        let again = format!("[{}]", joined.join(","));
        let again = split_batch(&again).expect("a batch of the members of a batch");
        assert_eq!(again.iter().map(|member| member.get()).collect::<Vec<_>>(), joined);
    }
}

fn decoded(text: &str, message: &Message<'_>) {
    let object = Object::read(text).expect("a message is an object");
    assert!(!object.is_doubled(), "a doubled member was taken for one");
    assert_eq!(object.get("jsonrpc"), Some("\"2.0\""));
    let again = encode(message);
    assert!(!again.contains('\0'));
    let again =
        Message::decode(&again).unwrap_or_else(|malformed| panic!("{again} is no message: {malformed}"));
    match (message, &again) {
        (Message::Request(one), Message::Request(two)) => {
            assert_eq!(object.id(), Id::Readable(one.id.clone()));
            assert_eq!((&one.id, &one.method), (&two.id, &two.method));
            assert_eq!(one.params.map(|params| params.get()), two.params.map(|params| params.get()));
            called(&object, &one.method, one.params.map(|params| params.get()));
        }
        (Message::Notification(one), Message::Notification(two)) => {
            assert_eq!(object.id(), Id::Absent);
            assert_eq!(one.method, two.method);
            assert_eq!(one.params.map(|params| params.get()), two.params.map(|params| params.get()));
            called(&object, &one.method, one.params.map(|params| params.get()));
        }
        (Message::Response(one), Message::Response(two)) => {
            match &one.id {
                Some(id) => assert_eq!(object.id(), Id::Readable(id.clone())),
                None => assert!(!matches!(object.id(), Id::Readable(_)), "an id was lost"),
            }
            assert_eq!(one.id, two.id);
            match (&one.outcome, &two.outcome) {
                (Ok(one), Ok(two)) => {
                    assert_eq!(one.get(), two.get());
                    assert_eq!(object.get("result"), Some(one.get()));
                }
                (Err(one), Err(two)) => {
                    assert_eq!(one, two);
                    let error = object.get("error").and_then(Object::read).expect("an error is an object");
                    assert_eq!(
                        error.get("code"),
                        Some(&*one.code.to_string()).map(|code| minus_zero(&error, code))
                    );
                }
                _ => panic!("a result became an error, or an error a result"),
            }
        }
        _ => panic!("{message:?} became {again:?}"),
    }
}

/// `code`, or `-0` where that is how the error writes zero.
fn minus_zero<'a>(error: &Object, code: &'a str) -> &'a str {
    if code == "0" && error.get("code") == Some("-0") { "-0" } else { code }
}

/// A call names the method and has the params that stand in the text.
fn called(object: &Object, method: &str, params: Option<&str>) {
    let named: String = serde_json::from_str(object.get("method").expect("a method")).expect("a string");
    assert_eq!(named, method);
    assert_eq!(object.get("params").filter(|params| *params != "null"), params);
}

fn encode(message: &Message<'_>) -> String {
    fn text(message: impl Serialize) -> String {
        serde_json::to_string(&message).expect("a message can be written")
    }
    match message {
        Message::Request(request) => {
            text(OutgoingRequest { id: &request.id, method: &request.method, params: request.params })
        }
        Message::Notification(notification) => {
            text(OutgoingNotification { method: &notification.method, params: notification.params })
        }
        Message::Response(response) => {
            text(OutgoingResponse { id: response.id.as_ref(), outcome: response.outcome.as_ref() })
        }
    }
}
