//! What the headers of a message say of its body.

use std::borrow::Cow;

use hermes_proto::admit::encode_sentinel;
use hermes_types::{Method, Walk, text_of};
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

/// What is looked for in a message.
#[derive(Debug, Default)]
struct Found<'a> {
    method: Option<&'a RawValue>,
    params: Option<&'a RawValue>,
    name: Option<&'a RawValue>,
    uri: Option<&'a RawValue>,
    task: Option<&'a RawValue>,
    arguments: Option<&'a RawValue>,
    revision: Option<&'a RawValue>,
}

impl<'a> Found<'a> {
    /// In one walk along the text, if all of that is plain: almost always, as the client wrote it itself.
    fn walk(message: &'a str) -> Option<Self> {
        let (mut found, mut walk) = (Self::default(), Walk::new(message, usize::MAX));
        walk.object(|walk, name| match name {
            "method" => once(&mut found.method, walk.value()?),
            "params" => {
                let params = found.walk_params(walk)?;
                once(&mut found.params, params)
            }
            _ => walk.value().map(drop),
        })?;
        walk.is_over().then_some(found)
    }

    fn walk_params(&mut self, walk: &mut Walk<'a>) -> Option<&'a RawValue> {
        if walk.peek() != Some(b'{') {
            return walk.value();
        }
        let mut has_meta = false;
        walk.object(|walk, name| match name {
            "_meta" if std::mem::replace(&mut has_meta, true) => None,
            "_meta" => self.walk_meta(walk).map(drop),
            "name" => once(&mut self.name, walk.value()?),
            "uri" => once(&mut self.uri, walk.value()?),
            "taskId" => once(&mut self.task, walk.value()?),
            "arguments" => once(&mut self.arguments, walk.value()?),
            _ => walk.value().map(drop),
        })
    }

    fn walk_meta(&mut self, walk: &mut Walk<'a>) -> Option<&'a RawValue> {
        if walk.peek() != Some(b'{') {
            return walk.value();
        }
        walk.object(|walk, name| match name {
            "io.modelcontextprotocol/protocolVersion" => once(&mut self.revision, walk.value()?),
            _ => walk.value().map(drop),
        })
    }

    /// The same by the parser.
    fn parse(message: &'a str) -> Self {
        let Message { method, params } = serde_json::from_str(message).unwrap_or_default();
        let Params { name, uri, task, arguments, meta } = members(params);
        let Meta { revision } = members(meta);
        Self { method, params, name, uri, task, arguments, revision }
    }
}

/// Takes a member that is to stand only once. That it is `null` is as good as its not being there.
fn once<'a>(place: &mut Option<&'a RawValue>, value: &'a RawValue) -> Option<()> {
    if place.is_some() {
        return None;
    }
    *place = Some(value).filter(|value| value.get() != "null");
    Some(())
}

impl<'a> Outline<'a> {
    pub(super) fn of(message: &'a str) -> Self {
        let found = Found::walk(message).unwrap_or_else(|| Found::parse(message));
        let Found { method, params, name, uri, task, arguments, revision } = found;
        let method = method.and_then(text_of);
        let name = match method.as_deref() {
            Some("tools/call" | "prompts/get") => name,
            Some("resources/read") => uri,
            Some(method) if method.starts_with("tasks/") => task,
            _ => None,
        };
        let (revision, name) = (revision.and_then(text_of), name.and_then(text_of));
        Self { method, revision, name, params, arguments }
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

    /// Writes the headers of the POST, without those of a session.
    ///
    /// Source: `basic/transports/streamable-http#request-headers`, 2026-07-28.
    pub(super) fn write_headers(&self, mirrors: &Mirrors, headers: &mut HeaderMap) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        let Some(revision) = &self.revision else { return };
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
    }
}

/// The members of an object; of anything else, none.
fn members<'a, T: Default + Deserialize<'a>>(object: Option<&'a RawValue>) -> T {
    object.and_then(|object| serde_json::from_str(object.get()).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(message: &str) -> Vec<(String, String)> {
        let mut headers = HeaderMap::new();
        Outline::of(message).write_headers(&Mirrors::default(), &mut headers);
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
    fn a_walk_finds_what_the_parser_finds() {
        const REVISION: &str = r#""_meta":{"a":1,"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
        for params in [
            format!(r#"{{"name":"a","arguments":{{"b":[1]}},{REVISION}}}"#),
            format!(r#"{{"uri":"a:\u00e9","taskId":"c",{REVISION}}}"#),
            r#"{"name":null,"arguments":null,"_meta":null}"#.to_owned(),
            r#"{"_meta":[]}"#.to_owned(),
            "[1]".to_owned(),
            "null".to_owned(),
            "{}".to_owned(),
        ] {
            let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            let walked = Found::walk(&message).expect("plain");
            assert_eq!(format!("{walked:?}"), format!("{:?}", Found::parse(&message)), "{message}");
        }
        for odd in ["[]", "{}]", r#"{"method":"a","method":"b"}"#, r#"{"params":{"_meta":{},"_meta":{}}}"#] {
            assert!(Found::walk(odd).is_none(), "{odd}");
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
