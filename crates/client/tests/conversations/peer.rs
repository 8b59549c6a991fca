//! The server at the other end: it says what a test tells it to, and shows what it hears.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use hermes_client::{Client, ClientBuilder, ClientError, EraChoice};
use hermes_testkit::{FakeServer, Tapped};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, split};

/// The scripted server, with what only these tests say.
pub(crate) struct Peer(FakeServer);

/// The client's end of the stream.
pub(crate) struct Stream(pub(crate) Tapped<DuplexStream>);

impl Stream {
    pub(crate) async fn connect(self, builder: ClientBuilder) -> Result<Client, ClientError> {
        let (reader, writer) = split(self.0);
        builder.over(reader, writer).await
    }
}

impl Peer {
    pub(crate) fn pair() -> (Self, Stream) {
        let (server, stream) = FakeServer::pair();
        (Self(server), Stream(stream))
    }

    /// A client that has agreed on a legacy revision with a server of these capabilities.
    pub(crate) async fn legacy(
        builder: ClientBuilder,
        revision: &str,
        capabilities: Value,
    ) -> (Self, Client) {
        let (mut peer, stream) = Self::pair();
        let revision = revision.parse().expect("a revision");
        let opened = peer.open_legacy(revision, capabilities);
        let (client, ()) = tokio::join!(stream.connect(builder.era(EraChoice::Legacy)), opened);
        (peer, client.expect("connected"))
    }

    /// A client that has agreed on 2026-07-28 with a server of these capabilities.
    pub(crate) async fn modern(builder: ClientBuilder, capabilities: Value) -> (Self, Client) {
        let (mut peer, stream) = Self::pair();
        let (client, ()) = tokio::join!(stream.connect(builder), peer.open_modern(capabilities));
        (peer, client.expect("connected"))
    }

    /// Checks that the client says nothing until its clock has gone on by this much.
    pub(crate) async fn silence(&mut self, millis: u64) {
        self.0.silence(Duration::from_millis(millis)).await;
    }

    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) {
        self.0.send_bytes(bytes).await.expect("writable");
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes()).await;
    }
}

impl Deref for Peer {
    type Target = FakeServer;

    fn deref(&self) -> &FakeServer {
        &self.0
    }
}

impl DerefMut for Peer {
    fn deref_mut(&mut self) -> &mut FakeServer {
        &mut self.0
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
