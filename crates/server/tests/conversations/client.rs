//! A client that sends exactly what a test says.

use hermes_server::{Facts, Server, ServerError};
use hermes_testkit::{Side, Tape};
use hermes_types::Revision;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// What both directions hold before a writer has to wait, in bytes.
const ROOM: usize = 64 * 1024 * 1024;

pub(crate) struct Client {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<Result<(), ServerError>>,
    /// Every message of the server is judged on it.
    _tape: Tape,
}

impl Client {
    /// Connects, and says nothing yet.
    pub(crate) fn connect(server: &Server) -> Self {
        Self::connect_with_room(server, ROOM)
    }

    /// Connects by streams that hold only so many bytes.
    pub(crate) fn connect_with_room(server: &Server, room: usize) -> Self {
        Self::connect_knowing(server, Facts::new(), room)
    }

    /// The same by a transport that knows more of the connection.
    pub(crate) fn connect_knowing(server: &Server, facts: Facts, room: usize) -> Self {
        let (client, remote) = tokio::io::duplex(room);
        let (reader, writer) = tokio::io::split(client);
        let server = server.clone();
        let tape = Tape::new(&[Side::Server]);
        let remote = tape.tap(Side::Server, remote);
        let serving = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(remote);
            server.serve_with(facts, reader, writer).await
        });
        Self { lines: BufReader::new(reader).lines(), writer, serving, _tape: tape }
    }

    /// Connects, and completes the handshake of a legacy revision.
    pub(crate) async fn legacy(server: &Server, revision: Revision) -> Self {
        Self::legacy_with(server, revision, json!({})).await
    }

    /// The same, with capabilities.
    pub(crate) async fn legacy_with(server: &Server, revision: Revision, capabilities: Value) -> Self {
        let mut client = Self::connect(server);
        client.initialize(revision.as_str(), capabilities).await;
        client.notify("notifications/initialized", json!({})).await;
        client
    }

    /// Sends `initialize`; gives the result.
    pub(crate) async fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let params = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "clientInfo": { "name": "test", "version": "1" },
        });
        self.result(json!("init"), "initialize", params).await
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("the server reads");
    }

    /// Sends a line.
    pub(crate) async fn send(&mut self, line: &str) {
        self.send_bytes(line.as_bytes()).await;
        self.send_bytes(b"\n").await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()).await;
    }

    pub(crate) async fn request(&mut self, id: Value, method: &str, params: Value) {
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&line.to_string()).await;
    }

    /// Sends a request and gives its result; it has to be the next message.
    pub(crate) async fn result(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.request(id.clone(), method, params).await;
        let mut message = self.next().await;
        assert_eq!(message["id"], id, "{message}");
        assert!(message.get("result").is_some(), "{message}");
        message["result"].take()
    }

    /// Sends a request and gives its error; it has to be the next message.
    pub(crate) async fn error(&mut self, id: Value, method: &str, params: Value) -> Value {
        self.request(id.clone(), method, params).await;
        let mut message = self.next().await;
        assert_eq!(message["id"], id, "{message}");
        assert!(message.get("error").is_some(), "{message}");
        message["error"].take()
    }

    /// Calls a tool in the legacy era; gives the result.
    pub(crate) async fn call(&mut self, id: i64, tool: &str, arguments: Value) -> Value {
        self.result(json!(id), "tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// The next message as the server wrote it.
    pub(crate) async fn next_line(&mut self) -> String {
        self.lines.next_line().await.expect("reads").expect("the server says something")
    }

    pub(crate) async fn next(&mut self) -> Value {
        let line = self.next_line().await;
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// Nothing was said since the last message: the answer to a request sent now comes next.
    pub(crate) async fn expect_silence(&mut self) {
        let answer = self.result(json!("still there"), "ping", json!({})).await;
        assert_eq!(answer, json!({}));
    }

    /// Ends the input; gives what the server still says and how its serving ended.
    pub(crate) async fn finish(mut self) -> (Vec<Value>, Result<(), ServerError>) {
        self.writer.shutdown().await.expect("closes");
        let mut messages = Vec::new();
        while let Some(line) = self.lines.next_line().await.expect("reads") {
            messages.push(serde_json::from_str(&line).expect("JSON"));
        }
        (messages, self.serving.await.expect("serving does not panic"))
    }

    /// Has the server's serving dropped, as when its task is aborted.
    pub(crate) async fn abort(self) {
        self.serving.abort();
        assert!(self.serving.await.is_err_and(|error| error.is_cancelled()));
    }

    /// Stops reading and writing at once.
    pub(crate) async fn vanish(self) -> Result<(), ServerError> {
        drop((self.lines, self.writer));
        self.serving.await.expect("serving does not panic")
    }
}

/// `params` of a modern request: these members and the `_meta` that every one has.
pub(crate) fn modern(mut params: Value) -> Value {
    let meta = &mut params["_meta"];
    if meta.is_null() {
        *meta = json!({});
    }
    meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    if meta.get("io.modelcontextprotocol/clientCapabilities").is_none() {
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    params
}

/// The same for a client with these capabilities.
pub(crate) fn modern_with(capabilities: &Value, mut params: Value) -> Value {
    params["_meta"] = json!({ "io.modelcontextprotocol/clientCapabilities": capabilities });
    modern(params)
}

/// A result without what every modern result says about its server.
pub(crate) fn bare(mut result: Value) -> Value {
    if let Some(meta) = result["_meta"].as_object_mut() {
        meta.remove("io.modelcontextprotocol/serverInfo").expect("every modern result names its server");
        if meta.is_empty() {
            result.as_object_mut().expect("an object").remove("_meta");
        }
    }
    result
}
