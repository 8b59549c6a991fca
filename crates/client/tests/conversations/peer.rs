//! The server at the other end: it says what a test tells it to, and shows what it hears.

use hermes_client::{Client, ClientBuilder, ClientError, EraChoice};
use hermes_testkit::{Side, Tape, Tapped};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};

/// The scripted server.
pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    /// Every message of the client is judged on it.
    _tape: Tape,
}

/// The client's end of the stream.
pub(crate) struct Stream(Tapped<DuplexStream>);

impl Stream {
    pub(crate) async fn connect(self, builder: ClientBuilder) -> Result<Client, ClientError> {
        let (reader, writer) = split(self.0);
        builder.over(reader, writer).await
    }
}

impl Peer {
    pub(crate) fn pair() -> (Self, Stream) {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (reader, writer) = split(ours);
        let tape = Tape::new(&[Side::Client]);
        let theirs = Stream(tape.tap(Side::Client, theirs));
        (Self { lines: BufReader::new(reader).lines(), writer, _tape: tape }, theirs)
    }

    /// The far end of a stream that the client has opened by itself.
    pub(crate) fn over(stream: DuplexStream) -> Self {
        let tape = Tape::new(&[Side::Client]);
        let (reader, writer) = split(stream);
        Self { lines: BufReader::new(reader).lines(), writer, _tape: tape }
    }

    /// A client that has agreed on a legacy revision with a server of these capabilities.
    pub(crate) async fn legacy(
        builder: ClientBuilder,
        revision: &str,
        capabilities: Value,
    ) -> (Self, Client) {
        let (mut peer, stream) = Self::pair();
        let opened = async {
            let request = peer.expect("initialize").await;
            let info = json!({ "name": "fake", "version": "1" });
            let result =
                json!({ "protocolVersion": revision, "capabilities": capabilities, "serverInfo": info });
            peer.result(&request, result).await;
            peer.expect("notifications/initialized").await;
        };
        let (client, ()) = tokio::join!(stream.connect(builder.era(EraChoice::Legacy)), opened);
        (peer, client.expect("connected"))
    }

    /// A client that has agreed on 2026-07-28 with a server of these capabilities.
    pub(crate) async fn modern(builder: ClientBuilder, capabilities: Value) -> (Self, Client) {
        let (mut peer, stream) = Self::pair();
        let opened = async {
            let request = peer.expect("server/discover").await;
            peer.result(&request, discovered(&capabilities)).await;
        };
        let (client, ()) = tokio::join!(stream.connect(builder), opened);
        (peer, client.expect("connected"))
    }

    /// The client's next message.
    pub(crate) async fn take(&mut self) -> Value {
        let line = self.lines.next_line().await.expect("readable").expect("a message");
        serde_json::from_str(&line).expect("JSON")
    }

    /// The client's next line as it came; `None` at the end.
    pub(crate) async fn line(&mut self) -> Option<String> {
        self.lines.next_line().await.expect("readable")
    }

    /// The client's next message, which has to have this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.take().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Checks that the client says nothing until its clock has gone on by this much.
    pub(crate) async fn silence(&mut self, millis: u64) {
        let wait = std::time::Duration::from_millis(millis);
        let said = tokio::time::timeout(wait, self.lines.next_line()).await;
        assert!(said.is_err(), "{said:?}");
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.writer.write_all(bytes).await.expect("writable");
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }

    pub(crate) async fn result(&mut self, request: &Value, result: Value) {
        self.send_line(&json!({ "jsonrpc": "2.0", "id": request["id"], "result": result }).to_string()).await;
    }

    pub(crate) async fn error(&mut self, request: &Value, error: Value) {
        self.send_line(&json!({ "jsonrpc": "2.0", "id": request["id"], "error": error }).to_string()).await;
    }

    pub(crate) async fn request(&mut self, id: Value, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        self.send_line(&message.to_string()).await;
    }

    /// Takes the client's next request, which has to have this method, and answers it.
    pub(crate) async fn answer(&mut self, method: &str, result: Value) -> Value {
        let request = self.expect(method).await;
        self.result(&request, result).await;
        request
    }
}

/// A result of `server/discover`.
pub(crate) fn discovered(capabilities: &Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": capabilities,
        "ttlMs": 0,
        "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fake", "version": "1" } },
    })
}

/// A result of `tools/call` with one text.
pub(crate) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}
