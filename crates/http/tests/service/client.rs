//! A client without a socket: its requests are values, its answers are read frame by frame.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use hermes_http::{Body, McpService, Principal};
use hermes_testkit::{Ear, Side, Tape};
use hermes_types::Revision;
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

/// The revisions of the legacy era that have this transport.
pub(crate) const LEGACY: [Revision; 3] =
    [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

/// The newest of them.
pub(crate) const LATEST: Revision = Revision::V2025_11_25;

/// The modern era.
pub(crate) const MODERN: Revision = Revision::V2026_07_28;

/// What both forms of an answer are asked for with.
pub(crate) const BOTH: &str = "application/json, text/event-stream";

/// One client of a service.
#[derive(Clone)]
pub(crate) struct Client {
    pub(crate) service: McpService,
    pub(crate) revision: Revision,
    pub(crate) session: Option<String>,
    principal: Option<Arc<str>>,
    judge: Judge,
}

/// Hears what is said, and what comes again under the id of its event only once.
#[derive(Clone)]
struct Judge {
    ear: Ear,
    heard: Arc<Mutex<BTreeSet<String>>>,
    _tape: Arc<Tape>,
}

impl Judge {
    fn new() -> Self {
        let tape = Tape::new(&[Side::Server]);
        Self { ear: tape.ear(), heard: Arc::default(), _tape: Arc::new(tape) }
    }

    fn hears(&self, id: Option<&str>, text: &str) {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if id.is_none_or(|id| heard.insert(id.to_owned())) {
            self.ear.hears_line(Side::Server, text.as_bytes());
        }
    }
}

impl Client {
    /// A client that has not greeted anybody.
    pub(crate) fn stranger(service: &McpService, revision: Revision) -> Self {
        Self { service: service.clone(), revision, session: None, principal: None, judge: Judge::new() }
    }

    /// A client that is ready to call: in the legacy era with a session.
    pub(crate) async fn open(service: &McpService, revision: Revision) -> Self {
        let mut client = Self::stranger(service, revision);
        client.greet(json!({})).await;
        client
    }

    /// A client that something in front has authenticated.
    pub(crate) fn known_as(mut self, name: &str) -> Self {
        self.principal = Some(name.into());
        self
    }

    /// Shakes hands, where the revision knows that.
    pub(crate) async fn greet(&mut self, capabilities: Value) {
        if self.revision == MODERN {
            return;
        }
        let answer = self.post(&self.hello("hello", capabilities)).await;
        self.session = answer.header("mcp-session-id").map(str::to_owned);
        let response = answer.response().await;
        assert_eq!(response["result"]["protocolVersion"], self.revision.as_str(), "{response}");
        let told = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(self.post(&told).await.status(), 202);
    }

    /// A handshake.
    pub(crate) fn hello(&self, id: &str, capabilities: Value) -> Value {
        let mut params = json!({
            "protocolVersion": self.revision.as_str(),
            "clientInfo": { "name": "test", "version": "1" },
        });
        params["capabilities"] = capabilities;
        json!({ "jsonrpc": "2.0", "id": id, "method": "initialize", "params": params })
    }

    /// A request.
    pub(crate) fn request(&self, id: impl Into<Value>, method: &str, mut params: Value) -> Value {
        if self.revision == MODERN {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN.as_str());
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] =
                json!({ "elicitation": { "form": {} } });
        }
        json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
    }

    /// A call of a tool, which wants progress.
    pub(crate) fn call(&self, id: i64, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool, "_meta": { "progressToken": id } });
        params["arguments"] = arguments;
        self.request(id, "tools/call", params)
    }

    /// The head of any request.
    pub(crate) fn head(&self, method: Method) -> http::request::Builder {
        let mut head = Request::builder().method(method).uri("/mcp").header("host", "localhost:8000");
        if self.revision >= Revision::V2025_06_18 {
            head = head.header("mcp-protocol-version", self.revision.as_str());
        }
        if let Some(session) = &self.session {
            head = head.header("mcp-session-id", session);
        }
        if let Some(principal) = &self.principal {
            head = head.extension(Principal(Arc::clone(principal)));
        }
        head
    }

    /// A POST of this message.
    pub(crate) fn posted(&self, message: &Value) -> Request<Full<Bytes>> {
        let mut head =
            self.head(Method::POST).header("accept", BOTH).header("content-type", "application/json");
        if self.revision == MODERN {
            head = head.header("mcp-method", message["method"].as_str().expect("a method"));
            if let Some(name) = message["params"]["name"].as_str() {
                head = head.header("mcp-name", name);
            }
        }
        head.body(Full::from(message.to_string())).expect("a request")
    }

    /// Sends a request.
    pub(crate) async fn send<B: http_body::Body>(&self, request: Request<B>) -> Answer {
        let (parts, body) = self.service.answer(request).await.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body,
            unread: String::new(),
            judge: self.judge.clone(),
        }
    }

    /// Posts a message with other headers.
    pub(crate) async fn post_with(&self, message: &Value, changes: &[(&'static str, &str)]) -> Answer {
        self.post_changed(message, |request| {
            for (name, value) in changes {
                request.headers_mut().insert(*name, value.parse().expect("a value"));
            }
        })
        .await
    }

    /// Posts a message with a request that differs from the usual one.
    pub(crate) async fn post_changed(
        &self,
        message: &Value,
        change: impl FnOnce(&mut Request<Full<Bytes>>),
    ) -> Answer {
        self.judge.ear.hears_line(Side::Client, message.to_string().as_bytes());
        let mut request = self.posted(message);
        change(&mut request);
        self.send(request).await
    }

    /// Posts a message.
    pub(crate) async fn post(&self, message: &Value) -> Answer {
        self.post_with(message, &[]).await
    }

    /// Posts a request, and gives its response.
    pub(crate) async fn ask(&self, message: &Value) -> Value {
        self.post(message).await.response().await
    }

    /// Opens the standalone stream, or goes on with a stream.
    pub(crate) async fn get(&self, last_event_id: Option<&str>) -> Answer {
        let mut head = self.head(Method::GET).header("accept", "text/event-stream");
        if let Some(id) = last_event_id {
            head = head.header("last-event-id", id);
        }
        self.send(head.body(Full::<Bytes>::default()).expect("a request")).await
    }

    /// Ends the session.
    pub(crate) async fn delete(&self) -> Answer {
        self.send(self.head(Method::DELETE).body(Full::<Bytes>::default()).expect("a request")).await
    }
}

/// An answer whose head is there.
pub(crate) struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Body,
    unread: String,
    judge: Judge,
}

/// One thing that was said on a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) comment: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    pub(crate) data: Option<String>,
}

impl Said {
    /// The message, if it is one.
    pub(crate) fn message(&self) -> Option<Value> {
        let data = self.data.as_deref().filter(|data| !data.is_empty())?;
        Some(serde_json::from_str(data).expect("JSON"))
    }
}

impl Answer {
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        assert!(self.headers.get_all(name).iter().count() < 2, "{name} stands twice");
        self.headers.get(name).map(|value| value.to_str().expect("a text"))
    }

    pub(crate) fn is_events(&self) -> bool {
        self.header("content-type") == Some("text/event-stream")
    }

    /// The next piece as it is written.
    pub(crate) async fn frame(&mut self) -> Option<String> {
        let frame = self.body.frame().await?.expect("bodies do not fail");
        let data = frame.into_data().expect("no trailers");
        Some(String::from_utf8(data.into()).expect("UTF-8"))
    }

    /// Everything that is left.
    pub(crate) async fn text(mut self) -> String {
        let mut text = std::mem::take(&mut self.unread);
        while let Some(frame) = self.frame().await {
            text.push_str(&frame);
        }
        text
    }

    /// The next thing that is said on a stream; `None` at its end.
    pub(crate) async fn said(&mut self) -> Option<Said> {
        assert!(self.is_events(), "{} {:?}", self.status, self.headers);
        loop {
            if let Some((block, rest)) = self.unread.split_once("\n\n") {
                let (said, rest) = (read(block), rest.to_owned());
                self.unread = rest;
                if let Some(data) = said.data.as_deref().filter(|data| !data.is_empty()) {
                    self.judge.hears(said.id.as_deref(), data);
                }
                return Some(said);
            }
            let frame = self.frame().await?;
            self.unread.push_str(&frame);
        }
    }

    /// The next message of a stream.
    pub(crate) async fn message(&mut self) -> Option<Value> {
        while let Some(said) = self.said().await {
            if let Some(message) = said.message() {
                return Some(message);
            }
        }
        None
    }

    /// The messages that are left, to the end of the stream.
    pub(crate) async fn messages(mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        while let Some(message) = self.message().await {
            messages.push(message);
        }
        messages
    }

    /// The response, in either form.
    pub(crate) async fn response(self) -> Value {
        if self.is_events() {
            return self.messages().await.pop().expect("a response");
        }
        let judge = self.judge.clone();
        let text = self.text().await;
        judge.hears(None, &text);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// What a request was refused with, which is no message of its revision's schema.
    pub(crate) async fn refusal(self, status: u16) -> Value {
        assert_eq!(self.status(), status);
        let text = self.text().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }
}

fn read(block: &str) -> Said {
    let mut said = Said::default();
    for line in block.lines() {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match name {
            "" => said.comment = Some(value),
            "id" => said.id = Some(value),
            "retry" => said.retry = Some(value.parse().expect("a number")),
            "data" => said.data = Some(value),
            other => panic!("a field named {other} in {block:?}"),
        }
    }
    said
}

/// The text of a tool's result.
#[track_caller]
pub(crate) fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {response}"))
}
