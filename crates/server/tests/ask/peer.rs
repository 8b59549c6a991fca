//! A client that speaks raw lines, in either era, and answers questions as the test says.

use hermes_server::Server;
use hermes_testkit::{Side, Tape};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;

/// What a client can be asked, all of it.
pub(crate) fn able() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// The client's end of one connection.
pub(crate) struct Peer {
    era: Era,
    capabilities: Value,
    next: i64,
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    serving: JoinHandle<()>,
    /// Every message of the server is judged on it.
    _tape: Tape,
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Peer {
    /// Connects, and in the legacy era shakes hands.
    pub(crate) async fn connect(server: &Server, era: Era, capabilities: Value) -> Self {
        Self::connect_as(server, era, "2025-11-25", capabilities).await
    }

    /// Connects with a handshake of this revision.
    pub(crate) async fn legacy(server: &Server, revision: &str, capabilities: Value) -> Self {
        Self::connect_as(server, Era::Legacy, revision, capabilities).await
    }

    async fn connect_as(server: &Server, era: Era, revision: &str, capabilities: Value) -> Self {
        let (client, served) = tokio::io::duplex(1 << 20);
        let tape = Tape::new(&[Side::Server]);
        let (reader, writer) = tokio::io::split(tape.tap(Side::Server, served));
        let server = server.clone();
        let serving =
            tokio::spawn(async move { server.serve(reader, writer).await.expect("the pipe holds") });
        let (reader, writer) = tokio::io::split(client);
        let lines = BufReader::new(reader).lines();
        let mut peer = Self { era, capabilities, next: 0, lines, writer, serving, _tape: tape };
        if era == Era::Legacy {
            let capabilities = peer.capabilities.clone();
            let params = json!({
                "protocolVersion": revision,
                "capabilities": capabilities,
                "clientInfo": { "name": "peer", "version": "1" },
            });
            peer.send(&json!({ "jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params }))
                .await;
            peer.receive().await;
            peer.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        }
        peer
    }

    async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    async fn send_line(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.expect("the pipe holds");
    }

    pub(crate) async fn receive(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("the pipe holds").expect("a line");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request with these parameters as they are spelt; gives its id.
    pub(crate) async fn request(&mut self, method: &str, params: &str) -> Value {
        self.next += 1;
        let id = self.next;
        let mut params = params.to_owned();
        if self.era == Era::Modern {
            let meta = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": self.capabilities,
            });
            let comma = if params.trim() == "{}" { "" } else { "," };
            params.replace_range(..1, &format!("{{\"_meta\":{meta}{comma}"));
        }
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#);
        self.send_line(&line).await;
        json!(id)
    }

    /// Sends a request and gives the response.
    pub(crate) async fn ask(&mut self, method: &str, params: impl ToString) -> Value {
        let id = self.request(method, &params.to_string()).await;
        let response = self.receive().await;
        assert_eq!(response["id"], id, "{response}");
        response
    }

    /// Calls a tool to its end, answering its questions. Gives the response, and the messages of all
    /// questions, round by round; in the legacy era every question is a round.
    pub(crate) async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> (Value, Vec<Vec<String>>) {
        self.converse("tools/call", json!({ "name": tool, "arguments": arguments }), answer).await
    }

    /// [`call`](Self::call) for any method.
    pub(crate) async fn converse(
        &mut self,
        method: &str,
        params: Value,
        answer: impl Fn(&str, &Value) -> Value,
    ) -> (Value, Vec<Vec<String>>) {
        let mut rounds = Vec::new();
        let mut id = self.request(method, &params.to_string()).await;
        loop {
            let message = self.receive().await;
            if let Some(asked) = message["method"].as_str() {
                assert_eq!(self.era, Era::Legacy, "no requests in the modern era: {message}");
                rounds.push(vec![text_of(&message["params"])]);
                let mut response = json!({ "jsonrpc": "2.0", "id": message["id"] });
                match answer(asked, &message["params"]) {
                    // Stands for an error, which only the legacy era can send.
                    Value::String(error) => response["error"] = json!({ "code": -1, "message": error }),
                    result => response["result"] = result,
                }
                self.send(&response).await;
                continue;
            }
            assert_eq!(message["id"], id, "{message}");
            if message["result"]["resultType"] != "input_required" {
                return (message, rounds);
            }
            assert_eq!(self.era, Era::Modern, "no rounds in the legacy era: {message}");
            let requests = message["result"]["inputRequests"].as_object().expect("questions");
            rounds.push(requests.values().map(|request| text_of(&request["params"])).collect());
            let mut retry = params.clone();
            retry["inputResponses"] = requests
                .iter()
                .map(|(key, request)| {
                    (key.clone(), answer(request["method"].as_str().expect("a method"), &request["params"]))
                })
                .collect::<serde_json::Map<_, _>>()
                .into();
            retry["requestState"] = message["result"]["requestState"].clone();
            id = self.request(method, &retry.to_string()).await;
        }
    }
}

fn text_of(params: &Value) -> String {
    params["message"].as_str().unwrap_or_default().to_owned()
}

/// An answer that fills in the name.
pub(crate) fn named(name: &str) -> Value {
    json!({ "action": "accept", "content": { "name": name } })
}

/// The text of a tool's result.
pub(crate) fn text(response: &Value) -> &str {
    response["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("a text: {response}"))
}
