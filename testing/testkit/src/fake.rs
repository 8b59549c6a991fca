//! A server that says what a test tells it to.

use std::io;
use std::time::Duration;

use hermes_types::Revision;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};

use crate::recorder::Side;
use crate::tape::{Tape, Tapped};

/// The room between client and server, in bytes each way.
const ROOM: usize = 64 * 1024;

/// A server in the hands of a test: it says what the test tells it to, right or wrong, and shows what it hears.
///
/// The client under test gets the other end of a stream on which messages are lines, as over stdio. Every message that
/// the client sends is judged, read or not: see [`Tape`].
///
/// Both eras are at hand: [`open_legacy`](Self::open_legacy) goes through a handshake,
/// [`open_modern`](Self::open_modern) answers `server/discover`. What a client has to say, and did not, fails the test.
///
/// ```
/// use hermes_client::Client;
/// use hermes_testkit::FakeServer;
/// use serde_json::json;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (mut server, stream) = FakeServer::pair();
/// let (reader, writer) = tokio::io::split(stream);
/// let (client, ()) = tokio::join!(Client::over(reader, writer), server.open_modern(json!({ "tools": {} })));
/// let client = client?;
///
/// let call = async { client.call("add", json!({ "a": 2 })).await };
/// let answer = async {
///     let request = server.expect("tools/call").await;
///     assert_eq!(request["params"]["arguments"], json!({ "a": 2 }));
///     server.error(&request, json!({ "code": -32602, "message": "b is missing" })).await;
/// };
/// let (outcome, ()) = tokio::join!(call, answer);
/// assert_eq!(hermes_testkit::refusal(outcome).message, "b is missing");
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FakeServer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// Judges every message of the client.
    tape: Tape,
}

impl FakeServer {
    /// A server, and the stream for the client.
    ///
    /// # Panics
    /// As [`Recorder::from_env`](crate::Recorder::from_env).
    #[must_use]
    pub fn pair() -> (Self, Tapped<DuplexStream>) {
        let (ours, theirs) = tokio::io::duplex(ROOM);
        let (reader, writer) = split(ours);
        let tape = Tape::new(&[Side::Client]);
        let theirs = tape.tap(Side::Client, theirs);
        (Self { lines: BufReader::new(reader).lines(), writer, tape }, theirs)
    }

    /// Agrees with the client on a revision up to 2025-11-25, as a server of these capabilities. A client that asks
    /// `server/discover` first is told that there is no such method.
    ///
    /// # Panics
    /// The client opens the session in another way.
    pub async fn open_legacy(&mut self, revision: Revision, capabilities: Value) {
        let mut request = self.take().await;
        if request["method"] == "server/discover" {
            self.error(&request, json!({ "code": -32601, "message": "method not found" })).await;
            request = self.take().await;
        }
        assert_eq!(request["method"], "initialize", "{request}");
        let info = json!({ "name": "fake", "version": "1" });
        let agreed = revision.as_str();
        let result = json!({ "protocolVersion": agreed, "capabilities": capabilities, "serverInfo": info });
        self.result(&request, result).await;
        self.expect("notifications/initialized").await;
    }

    /// Answers the client's `server/discover` as a server of these capabilities that speaks 2026-07-28.
    ///
    /// # Panics
    /// The client asks something else.
    pub async fn open_modern(&mut self, capabilities: Value) {
        let result = json!({
            "resultType": "complete",
            "supportedVersions": [Revision::LATEST.as_str()],
            "capabilities": capabilities,
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "1" } },
        });
        self.answer("server/discover", result).await;
    }

    /// The client's next message.
    ///
    /// # Panics
    /// The client says no more, or something that is no JSON.
    ///
    /// # Cancel safety
    /// A message whose end has not come is kept for the next call.
    pub async fn take(&mut self) -> Value {
        let line = self.line().await.expect("the client should say something, and has ended");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("the client said {line:?}: {error}"))
    }

    /// The client's next message, which has to have this method.
    ///
    /// # Panics
    /// As [`take`](Self::take), or it has another.
    ///
    /// # Cancel safety
    /// As [`take`](Self::take).
    pub async fn expect(&mut self, method: &str) -> Value {
        let message = self.take().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// The client's next line as it came; `None` when it says no more.
    ///
    /// # Panics
    /// The line is not UTF-8.
    ///
    /// # Cancel safety
    /// As [`take`](Self::take).
    pub async fn line(&mut self) -> Option<String> {
        self.lines.next_line().await.expect("a pipe in memory breaks only over what is no UTF-8")
    }

    /// Checks that the client says nothing for so long by the clock of tokio, which a test may have paused.
    ///
    /// # Panics
    /// The client says something, or ends.
    pub async fn silence(&mut self, for_this_long: Duration) {
        let said = tokio::time::timeout(for_this_long, self.lines.next_line()).await;
        assert!(said.is_err(), "the client should be silent, and said {said:?}");
    }

    /// Sends bytes as they are: a part of a message, or none at all.
    ///
    /// # Errors
    /// The client has gone.
    pub async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer.write_all(bytes).await
    }

    /// Sends a message.
    ///
    /// # Panics
    /// The client has gone.
    pub async fn send(&mut self, message: &Value) {
        let sent = self.send_bytes(format!("{message}\n").as_bytes()).await;
        sent.expect("the client should be there to hear it");
    }

    /// Answers a request of the client.
    ///
    /// # Panics
    /// The client has gone.
    pub async fn result(&mut self, request: &Value, result: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })).await;
    }

    /// Answers a request of the client with an error: `code`, `message`, perhaps `data`.
    ///
    /// # Panics
    /// The client has gone.
    pub async fn error(&mut self, request: &Value, error: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })).await;
    }

    /// Takes the client's next request, which has to have this method, and answers it. Returns the request.
    ///
    /// # Panics
    /// As [`expect`](Self::expect) and [`result`](Self::result).
    pub async fn answer(&mut self, method: &str, result: Value) -> Value {
        let request = self.expect(method).await;
        self.result(&request, result).await;
        request
    }

    /// Asks the client something, as servers may up to 2025-11-25. The answer is a message like any other.
    ///
    /// # Panics
    /// The client has gone.
    pub async fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id.into(), "method": method, "params": params })).await;
    }

    /// Notifies the client.
    ///
    /// # Panics
    /// The client has gone.
    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params })).await;
    }

    /// What was wrong with the client's messages so far. They also fail the test when the server is dropped.
    #[must_use]
    pub fn faults(&self) -> Vec<String> {
        self.tape.faults()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_of_either_era_is_opened_to() {
        let (mut server, stream) = FakeServer::pair();
        let (reader, mut writer) = split(stream);
        let mut heard = BufReader::new(reader).lines();
        let client = async {
            let mut answers = Vec::new();
            for line in [
                r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}"#,
                r#"{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#,
            ] {
                writer.write_all(format!("{line}\n").as_bytes()).await?;
                answers.push(heard.next_line().await?.unwrap_or_default());
            }
            let initialized = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n";
            writer.write_all(initialized.as_bytes()).await?;
            Ok::<_, io::Error>(answers)
        };
        let (said, ()) = tokio::join!(client, server.open_legacy(Revision::V2025_11_25, json!({})));
        let answers = said.expect("a pipe in memory");
        assert!(answers[0].contains("-32601"), "{answers:?}");
        assert!(answers[1].contains(r#""protocolVersion":"2025-11-25""#), "{answers:?}");
        assert_eq!(server.faults(), [""; 0]);
    }
}
