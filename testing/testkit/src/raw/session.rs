//! A client of one revision, which says only what a test has it say.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_types::Revision;
use serde_json::{Value, json};

use crate::raw::answer::{Answer, Outcome};
use crate::raw::connection::Connection;
use crate::raw::error::RawError;
use crate::raw::judge::Judge;
use crate::raw::target::Target;

/// Where a modern request says its revision.
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

/// Where a modern request says what its client can do.
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// A header that is to be another than usual: with a value, or left out. Several of one name are several lines.
pub type Change<'a> = (&'a str, Option<&'a str>);

/// A client that speaks one revision to a server, every request on a connection of its own unless told otherwise.
///
/// In the legacy era it has a session; in the modern one every request stands for itself. Each message that the
/// server sends to it is held against the official schema, see [`Recorder`](crate::Recorder).
#[derive(Clone, Debug)]
pub struct Session {
    target: Target,
    revision: Revision,
    id: Option<String>,
    capabilities: Value,
    headers: Vec<(String, String)>,
    judge: Arc<Mutex<Judge>>,
}

impl Session {
    /// A client that can do nothing special. In the legacy era the handshake is made.
    ///
    /// # Errors
    /// The server refuses the handshake, or answers with another revision.
    pub async fn open(target: &Target, revision: Revision) -> Result<Self, RawError> {
        Self::open_with(target, revision, json!({})).await
    }

    /// A client with these capabilities. In the legacy era the handshake is made.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn open_with(
        target: &Target,
        revision: Revision,
        capabilities: Value,
    ) -> Result<Self, RawError> {
        let mut session = Self::stranger(target, revision);
        session.capabilities = capabilities;
        if revision.is_modern() {
            return Ok(session);
        }
        session.greet().await?;
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(session)
    }

    /// A client that has not said anything yet, and has no session.
    #[must_use]
    pub fn stranger(target: &Target, revision: Revision) -> Self {
        Self {
            target: target.clone(),
            revision,
            id: None,
            capabilities: json!({}),
            headers: Vec::new(),
            judge: Arc::new(Mutex::new(Judge::new())),
        }
    }

    /// Makes the first half of the handshake, after which the session exists.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub async fn greet(&mut self) -> Result<Value, RawError> {
        let hello = json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
            "protocolVersion": self.revision.as_str(),
            "capabilities": self.capabilities,
            "clientInfo": { "name": "test", "version": "0" },
        } });
        let mut answer = self.post(&hello).await?;
        let id = answer.head.header("mcp-session-id").map(str::to_owned);
        let Outcome { response, .. } = answer.outcome().await?;
        if response["result"]["protocolVersion"] != self.revision.as_str() {
            return Err(RawError::broken("the revision that was asked for", response.to_string().as_bytes()));
        }
        self.id = Some(
            id.ok_or_else(|| RawError::broken("a session id", format!("{:?}", answer.head).as_bytes()))?,
        );
        Ok(response)
    }

    /// The same client with another session id, or none.
    #[must_use]
    pub fn with_id(&self, id: Option<&str>) -> Self {
        Self { id: id.map(str::to_owned), ..self.clone() }
    }

    /// The same client, with its session id, at another server.
    #[must_use]
    pub fn at(&self, target: &Target) -> Self {
        Self { target: target.clone(), ..self.clone() }
    }

    /// The same client, which sends one more header with everything.
    #[must_use]
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        let mut same = self.clone();
        same.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        same.headers.push((name.to_owned(), value.to_owned()));
        same
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The revision that it speaks.
    #[must_use]
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Where the server is.
    #[must_use]
    pub const fn target(&self) -> &Target {
        &self.target
    }

    /// A request with these params, to which the modern era's metadata are added.
    #[must_use]
    pub fn request(&self, id: impl Into<Value>, method: &str, mut params: Value) -> Value {
        if self.revision.is_modern() {
            params["_meta"][VERSION] = json!(self.revision.as_str());
            params["_meta"][CAPABILITIES] = self.capabilities.clone();
        }
        json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })
    }

    /// A request that calls a tool.
    #[must_use]
    pub fn call(&self, id: impl Into<Value>, tool: &str, arguments: Value) -> Value {
        let mut params = json!({ "name": tool });
        params["arguments"] = arguments;
        self.request(id, "tools/call", params)
    }

    /// A request that calls a tool and wants to hear of its progress.
    #[must_use]
    pub fn call_with_progress(
        &self,
        id: impl Into<Value>,
        tool: &str,
        arguments: Value,
        token: impl Into<Value>,
    ) -> Value {
        let mut params = json!({ "name": tool, "_meta": { "progressToken": token.into() } });
        params["arguments"] = arguments;
        self.request(id, "tools/call", params)
    }

    /// The bytes of a POST with a message.
    #[must_use]
    pub fn post_bytes(&self, message: &Value, changes: &[Change<'_>]) -> Vec<u8> {
        self.post_text(message, &message.to_string(), changes)
    }

    /// The bytes of a POST whose headers are those of the message, and whose body may be any text.
    #[must_use]
    pub fn post_text(&self, message: &Value, body: &str, changes: &[Change<'_>]) -> Vec<u8> {
        let length = body.len().to_string();
        let mut headers = vec![
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ];
        let beginning = message["method"] == "initialize" && !self.revision.is_modern();
        if !beginning {
            headers.extend(self.version_header());
        }
        if self.revision.is_modern() {
            headers.extend(message["method"].as_str().map(|method| ("Mcp-Method", method)));
            let params = &message["params"];
            let name = params["name"].as_str().or_else(|| params["uri"].as_str());
            let named =
                ["tools/call", "resources/read", "prompts/get"].iter().any(|it| message["method"] == *it);
            headers.extend(name.filter(|_| named).map(|name| ("Mcp-Name", name)));
        }
        self.bytes("POST", &headers, changes, body)
    }

    /// The bytes of a GET, which resumes the stream of an event id.
    #[must_use]
    pub fn get_bytes(&self, last_event_id: Option<&str>, changes: &[Change<'_>]) -> Vec<u8> {
        let mut headers = vec![("Accept", "text/event-stream")];
        headers.extend(self.version_header());
        headers.extend(last_event_id.map(|id| ("Last-Event-ID", id)));
        self.bytes("GET", &headers, changes, "")
    }

    /// The bytes of a DELETE.
    #[must_use]
    pub fn delete_bytes(&self, changes: &[Change<'_>]) -> Vec<u8> {
        let headers: Vec<_> = self.version_header().into_iter().collect();
        self.bytes("DELETE", &headers, changes, "")
    }

    /// The header came with 2025-06-18.
    fn version_header(&self) -> Option<(&'static str, &'static str)> {
        (self.revision >= Revision::V2025_06_18).then_some(("MCP-Protocol-Version", self.revision.as_str()))
    }

    fn bytes(&self, method: &str, headers: &[(&str, &str)], changes: &[Change<'_>], body: &str) -> Vec<u8> {
        let mut all = vec![("Host", self.target.host.as_str())];
        all.extend_from_slice(headers);
        all.extend(self.id.as_deref().map(|id| ("Mcp-Session-Id", id)));
        all.extend(self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        all.retain(|(name, _)| !changes.iter().any(|(changed, _)| changed.eq_ignore_ascii_case(name)));
        all.extend(changes.iter().filter_map(|(name, value)| Some((*name, (*value)?))));
        let mut text = format!("{method} {} HTTP/1.1\r\n", self.target.path);
        for (name, value) in all {
            // Writing into a text does not fail.
            let _ = write!(text, "{name}: {value}\r\n");
        }
        text.push_str("\r\n");
        text.push_str(body);
        text.into_bytes()
    }

    /// Posts a message on a connection of its own and reads the head of the answer.
    ///
    /// # Errors
    /// The server cannot be reached, or does not answer.
    pub async fn post(&self, message: &Value) -> Result<Answer, RawError> {
        self.post_with(message, &[]).await
    }

    /// Posts a message with other headers.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn post_with(&self, message: &Value, changes: &[Change<'_>]) -> Result<Answer, RawError> {
        self.post_on(Connection::open(self.target.address).await?, message, changes).await
    }

    /// Posts a message on a connection.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn post_on(
        &self,
        mut connection: Connection,
        message: &Value,
        changes: &[Change<'_>],
    ) -> Result<Answer, RawError> {
        self.note(message);
        connection.send(&self.post_bytes(message, changes)).await?;
        self.answer_on(connection).await
    }

    /// Opens a stream, or resumes the one of an event id.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn get(&self, last_event_id: Option<&str>) -> Result<Answer, RawError> {
        self.get_on(Connection::open(self.target.address).await?, last_event_id).await
    }

    /// Opens or resumes a stream on a connection.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn get_on(
        &self,
        mut connection: Connection,
        last_event_id: Option<&str>,
    ) -> Result<Answer, RawError> {
        connection.send(&self.get_bytes(last_event_id, &[])).await?;
        self.answer_on(connection).await
    }

    /// Ends the session.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn delete(&self) -> Result<Answer, RawError> {
        self.exchange(&self.delete_bytes(&[])).await
    }

    /// Sends bytes on a connection of their own and reads the head of the answer.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn exchange(&self, bytes: &[u8]) -> Result<Answer, RawError> {
        let mut connection = Connection::open(self.target.address).await?;
        connection.send(bytes).await?;
        self.answer_on(connection).await
    }

    /// Reads the head of the answer to what was sent on a connection. Its messages are judged as this client's.
    ///
    /// # Errors
    /// As for [`post`](Self::post).
    pub async fn answer_on(&self, connection: Connection) -> Result<Answer, RawError> {
        Answer::judged_by(connection, Some(Arc::clone(&self.judge))).await
    }

    /// Notes that a message is sent by other ways than [`post`](Self::post), so that its answer answers something.
    pub fn note(&self, message: &Value) {
        self.judge.lock().unwrap_or_else(PoisonError::into_inner).sent(message);
    }

    /// Posts a request and gives its response, whatever else was said before.
    ///
    /// # Errors
    /// There is no response, or more than one; and as for [`post`](Self::post).
    pub async fn ask(&self, request: &Value) -> Result<Value, RawError> {
        let Outcome { response, .. } = self.post(request).await?.outcome().await?;
        if response["id"] != request["id"] {
            return Err(RawError::broken("the response to the request", response.to_string().as_bytes()));
        }
        Ok(response)
    }

    /// Posts a notification or a response, which has to be accepted without a word.
    ///
    /// # Errors
    /// The answer is not 202 with an empty body; and as for [`post`](Self::post).
    pub async fn tell(&self, message: &Value) -> Result<(), RawError> {
        let mut answer = self.post(message).await?;
        let body = answer.body().await?;
        if answer.status() == 202 && body.is_empty() && answer.head.media_type().is_none() {
            return Ok(());
        }
        let got = format!("{:?} {}", answer.head, String::from_utf8_lossy(&body));
        Err(RawError::broken("202 without a body", got.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(session: &Session, message: &Value, changes: &[Change<'_>]) -> String {
        String::from_utf8(session.post_bytes(message, changes)).expect("a text")
    }

    #[test]
    fn each_revision_has_its_headers() {
        let target = Target::parse("http://127.0.0.1:9/mcp").expect("a target");
        let session = Session::stranger(&target, Revision::V2025_03_26).with_id(Some("s"));
        let sent = text(&session, &session.call(1, "echo", json!({})), &[]);
        assert!(sent.starts_with("POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:9\r\n"), "{sent}");
        assert!(sent.contains("Mcp-Session-Id: s\r\n") && !sent.contains("MCP-Protocol-Version"), "{sent}");
        let session = Session::stranger(&target, Revision::V2025_11_25);
        let sent = text(&session, &session.call(1, "echo", json!({})), &[]);
        assert!(
            sent.contains("MCP-Protocol-Version: 2025-11-25\r\n") && !sent.contains("Mcp-Method"),
            "{sent}"
        );
        let sent = text(&session, &session.request(1, "initialize", json!({})), &[]);
        assert!(!sent.contains("MCP-Protocol-Version"), "{sent}");
        let session = Session::stranger(&target, Revision::V2026_07_28);
        let sent = text(&session, &session.call(1, "echo", json!({})), &[]);
        assert!(sent.contains("Mcp-Method: tools/call\r\nMcp-Name: echo\r\n"), "{sent}");
        assert!(sent.contains(&format!("\"{VERSION}\":\"2026-07-28\"")), "{sent}");
    }

    #[test]
    fn a_header_can_be_changed_and_left_out() {
        let target = Target::parse("http://127.0.0.1:9/mcp").expect("a target");
        let session = Session::stranger(&target, Revision::V2025_11_25);
        let ping = session.request(1, "ping", json!({}));
        let sent = text(&session, &ping, &[("accept", None), ("Host", Some("a")), ("Host", Some("b"))]);
        assert!(!sent.contains("Accept:") && sent.contains("Host: a\r\nHost: b\r\n"), "{sent}");
    }
}
