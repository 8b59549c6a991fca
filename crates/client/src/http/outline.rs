//! What the headers of a message say of its body.

use std::borrow::Cow;

use hermes_proto::admit::encode_sentinel;
use hermes_types::Method;
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::mirrors::Mirrors;

pub(super) const REVISION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

/// What a message of ours is, as far as its headers say it.
#[derive(Debug)]
pub(super) struct Outline<'a> {
    /// `None` for a response.
    method: Option<Cow<'a, str>>,
    /// The revision in `_meta`, which only modern messages have.
    revision: Option<Cow<'a, str>>,
    /// The one thing that the request is about.
    name: Option<Cow<'a, str>>,
    params: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    method: Option<&'a RawValue>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Option<&'a RawValue>,
    #[serde(borrow)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, rename = "taskId")]
    task: Option<&'a RawValue>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
struct Meta<'a> {
    #[serde(borrow, rename = "io.modelcontextprotocol/protocolVersion")]
    revision: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Outline<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let Message { method, params } = serde_json::from_str(message).unwrap_or_default();
        let Params { name, uri, task, arguments, meta } = members(params);
        let method = text(method);
        let name = match method.as_deref() {
            Some("tools/call" | "prompts/get") => name,
            Some("resources/read") => uri,
            Some(method) if method.starts_with("tasks/") => task,
            _ => None,
        };
        let Meta { revision } = members(meta);
        Self { method, revision: text(revision), name: text(name), params, arguments }
    }

    pub(super) fn is(&self, method: Method) -> bool {
        self.method.as_deref() == Some(method.as_str())
    }

    /// Whether it is this one of the handshake, which the modern era does not have.
    pub(super) fn is_legacy(&self, method: Method) -> bool {
        self.is(method) && !self.is_modern()
    }

    /// The method, for people.
    pub(super) fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("a response")
    }

    pub(super) const fn is_modern(&self) -> bool {
        self.revision.is_some()
    }

    pub(super) const fn params(&self) -> Option<&'a RawValue> {
        self.params
    }

    /// The headers of the POST, without those of a session.
    ///
    /// Source: `basic/transports/streamable-http#request-headers`, 2026-07-28.
    pub(super) fn headers(&self, mirrors: &Mirrors) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let Some(revision) = &self.revision else { return headers };
        let mut set = |name: HeaderName, value: &str| {
            // Whatever cannot stand in a header is encoded by now, or never was there.
            if let Ok(value) = HeaderValue::try_from(value) {
                headers.insert(name, value);
            }
        };
        set(REVISION, revision);
        if let Some(method) = &self.method {
            set(METHOD, method);
        }
        if let Some(name) = &self.name {
            set(NAME, &encode_sentinel(name));
        }
        if let (true, Some(tool)) = (self.is(Method::ToolsCall), &self.name) {
            for (name, value) in mirrors.headers(tool, self.arguments) {
                if let Ok(name) = HeaderName::try_from(name) {
                    set(name, &value);
                }
            }
        }
        headers
    }
}

/// The members of an object; of anything else, none.
fn members<'a, T: Default + Deserialize<'a>>(object: Option<&'a RawValue>) -> T {
    object.and_then(|object| serde_json::from_str(object.get()).ok()).unwrap_or_default()
}

fn text(value: Option<&RawValue>) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(value?.get()).ok().map(|text| text.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(message: &str) -> Vec<(String, String)> {
        let headers = Outline::of(message).headers(&Mirrors::default());
        let own = headers.iter().filter(|(name, _)| name.as_str().starts_with("mcp-"));
        let mut own: Vec<_> =
            own.map(|(name, value)| (name.to_string(), value.to_str().expect("text").to_owned())).collect();
        own.sort();
        own
    }

    // spec: R205, R206, R207, R208
    #[test]
    fn b079_names_are_mirrored_and_encoded_where_no_header_could_carry_them() {
        for (name, header) in [
            ("echo", "echo"),
            ("天気", "=?base64?5aSp5rCX?="),
            ("=?base64?aGk=?=", "=?base64?PT9iYXNlNjQ/YUdrPT89?="),
            (" pad", "=?base64?IHBhZA==?="),
        ] {
            for (method, member) in
                [("tools/call", "name"), ("prompts/get", "name"), ("resources/read", "uri")]
            {
                let message = serde_json::json!({
                    "jsonrpc": "2.0", "id": 1, "method": method,
                    "params": { member: name, "_meta": { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
                });
                assert_eq!(
                    headers(&message.to_string()),
                    [
                        ("mcp-method".to_owned(), method.to_owned()),
                        ("mcp-name".to_owned(), header.to_owned()),
                        ("mcp-protocol-version".to_owned(), "2026-07-28".to_owned()),
                    ]
                );
            }
        }
    }

    #[test]
    fn a_legacy_message_and_an_odd_one_have_no_modern_headers() {
        for message in [
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a"}}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        ] {
            assert_eq!(headers(message), []);
        }
    }
}
