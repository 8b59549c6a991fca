//! The server at the other end: it shows every request of the client as it comes, and answers as a test tells it to.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::time::Duration;

use hermes_client::{Client, ClientBuilder, ClientError, EraChoice};
use hermes_testkit::{Ear, Side, Tape};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// No test waits longer for anything: it has failed then.
const PATIENCE: Duration = Duration::from_secs(10);

/// The scripted server.
pub(crate) struct Fake {
    pub(crate) url: String,
    asked: mpsc::UnboundedReceiver<Asked>,
    accepting: tokio::task::JoinHandle<()>,
    /// Every message of the client is judged on it.
    _tape: Tape,
}

/// A request of the client that waits for its answer.
pub(crate) struct Asked {
    pub(crate) verb: String,
    pub(crate) path: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Value,
    ear: Ear,
    stream: TcpStream,
}

/// An answer that is a stream of events.
pub(crate) struct Events(TcpStream, Ear);

impl Fake {
    pub(crate) async fn start() -> Self {
        Self::judging(&[Side::Client]).await
    }

    /// A server whose client says what no schema has.
    pub(crate) async fn unjudging() -> Self {
        Self::judging(&[]).await
    }

    async fn judging(sides: &[Side]) -> Self {
        let tape = Tape::new(sides);
        let listener = strange_port().await;
        let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
        let (sender, asked) = mpsc::unbounded_channel();
        let ear = tape.ear();
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (sender, ear) = (sender.clone(), ear.clone());
                tokio::spawn(async move {
                    if let Some(asked) = read(stream, ear).await {
                        // A test that is over looks at nothing more.
                        let _ = sender.send(asked);
                    }
                });
            }
        });
        Self { url, asked, accepting, _tape: tape }
    }

    /// From now on nobody is there.
    pub(crate) async fn gone(&self) {
        self.accepting.abort();
        while !self.accepting.is_finished() {
            tokio::task::yield_now().await;
        }
    }

    /// The client's next request.
    pub(crate) async fn next(&mut self) -> Asked {
        timeout(PATIENCE, self.asked.recv()).await.expect("a request in time").expect("a request")
    }

    /// The client's next request, which has to be a POST of this method.
    pub(crate) async fn expect(&mut self, method: &str) -> Asked {
        let asked = self.next().await;
        assert_eq!((&*asked.verb, asked.method()), ("POST", method), "{}", asked.body);
        asked
    }

    /// The client's next request, which has to be of this kind and without a body.
    pub(crate) async fn expect_verb(&mut self, verb: &str) -> Asked {
        let asked = self.next().await;
        assert_eq!(asked.verb, verb, "{}", asked.body);
        asked
    }

    /// Whether the client has asked for nothing so far.
    pub(crate) fn is_idle(&mut self) -> bool {
        self.asked.try_recv().is_err()
    }

    /// A client that has begun the session `s1` of this revision; its standalone stream is refused.
    pub(crate) async fn legacy(builder: ClientBuilder, revision: &str) -> (Self, Client) {
        let (mut fake, client, get) = Self::attended(builder, revision).await;
        get.status(405).await;
        assert!(fake.is_idle());
        (fake, client)
    }

    /// The same, with the request for the standalone stream.
    pub(crate) async fn attended(builder: ClientBuilder, revision: &str) -> (Self, Client, Asked) {
        let mut fake = Self::start().await;
        let url = fake.url.clone();
        let connecting = builder.era(EraChoice::Legacy).connect(&url);
        let script = async {
            fake.expect("initialize").await.initialized(revision, Some("s1")).await;
            fake.expect("notifications/initialized").await.status(202).await;
            fake.expect_verb("GET").await
        };
        let (client, get) = tokio::join!(connecting, script);
        (fake, client.expect("connected"), get)
    }

    /// A client that has found out that the server is modern.
    pub(crate) async fn modern(builder: ClientBuilder) -> (Self, Client) {
        let mut fake = Self::start().await;
        let url = fake.url.clone();
        let connecting = builder.connect(&url);
        let script = async { fake.expect("server/discover").await.result(discovered()).await };
        let (client, ()) = tokio::join!(connecting, script);
        (fake, client.expect("connected"))
    }

    /// The outcome of connecting to a server that is scripted by `script`.
    pub(crate) async fn connect(&self, builder: ClientBuilder) -> Result<Client, ClientError> {
        builder.connect(&self.url).await
    }
}

impl Asked {
    pub(crate) fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or("no method")
    }

    /// The value of a header; it must not stand twice.
    #[track_caller]
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        let value = values.next().map(|(_, value)| &**value);
        assert!(values.next().is_none(), "{name} stands twice");
        value
    }

    /// Answers with anything at all.
    pub(crate) async fn raw(mut self, bytes: &[u8]) {
        // A client that has hung up has nothing to hear.
        let _ = self.stream.write_all(bytes).await;
        let _ = self.stream.shutdown().await;
    }

    /// Answers with a status, headers and a body.
    pub(crate) async fn answer(self, status: u16, headers: &[(&str, &str)], body: &str) {
        let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!(
            "HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        self.raw(head.as_bytes()).await;
    }

    pub(crate) async fn status(self, status: u16) {
        self.answer(status, &[], "").await;
    }

    pub(crate) async fn json(self, status: u16, body: &Value) {
        self.ear.hears_line(Side::Server, body.to_string().as_bytes());
        self.answer(status, &[("Content-Type", "application/json")], &body.to_string()).await;
    }

    /// Answers with a result.
    pub(crate) async fn result(self, result: Value) {
        let message = response(&self.body, &result);
        self.json(200, &message).await;
    }

    /// Answers with an error, under a status.
    pub(crate) async fn error(self, status: u16, error: Value) {
        let message = json!({ "jsonrpc": "2.0", "id": self.body["id"], "error": error });
        self.json(status, &message).await;
    }

    /// Answers `initialize`.
    pub(crate) async fn initialized(self, revision: &str, session: Option<&str>) {
        let result = json!({
            "protocolVersion": revision,
            "capabilities": { "tools": { "listChanged": true }, "resources": { "subscribe": true } },
            "serverInfo": { "name": "fake", "version": "1" },
        });
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(session.map(|session| ("Mcp-Session-Id", session)));
        self.result_under(&headers, &result).await;
    }

    /// Answers with a result under these headers.
    pub(crate) async fn result_under(self, headers: &[(&str, &str)], result: &Value) {
        let body = response(&self.body, result).to_string();
        self.ear.hears_line(Side::Server, body.as_bytes());
        self.answer(200, headers, &body).await;
    }

    /// Answers with a stream of events.
    pub(crate) async fn events(mut self) -> Events {
        let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\n\r\n";
        self.stream.write_all(head.as_bytes()).await.expect("the client listens");
        Events(self.stream, self.ear)
    }

    /// Begins an answer with these bytes; what follows is up to the test.
    pub(crate) async fn open(mut self, bytes: &[u8]) -> Events {
        self.stream.write_all(bytes).await.expect("the client listens");
        Events(self.stream, self.ear)
    }

    /// Answers nothing, and waits until the client has hung up.
    pub(crate) async fn hung_up(self) {
        Events(self.stream, self.ear).hung_up().await;
    }

    /// Answers with this head; the rest follows.
    pub(crate) async fn head(mut self, head: &str) -> Events {
        self.stream.write_all(head.as_bytes()).await.expect("the client listens");
        Events(self.stream, self.ear)
    }

    /// Ends the connection by a reset.
    pub(crate) fn reset(self) {
        reset(self.stream);
    }

    /// Begins an answer, and ends it before there is one.
    pub(crate) async fn cut(self) -> Value {
        let body = self.body.clone();
        drop(self.events().await);
        body
    }
}

impl Events {
    /// Sends a part of the stream as it is.
    pub(crate) async fn raw(&mut self, text: &str) {
        self.bytes(text.as_bytes()).await;
    }

    /// Takes note of a message that is sent as parts of the stream.
    pub(crate) fn said(&self, message: &Value) {
        self.1.hears_line(Side::Server, message.to_string().as_bytes());
    }

    /// Sends bytes of the stream.
    pub(crate) async fn bytes(&mut self, bytes: &[u8]) {
        self.0.write_all(bytes).await.expect("the client listens");
    }

    /// Sends a message as an event.
    pub(crate) async fn message(&mut self, message: &Value) {
        self.1.hears_line(Side::Server, message.to_string().as_bytes());
        self.raw(&format!("event: message\ndata: {message}\n\n")).await;
    }

    /// Sends the result of a request as an event.
    pub(crate) async fn result(&mut self, request: &Value, result: &Value) {
        self.message(&response(request, result)).await;
    }

    /// Waits until the client has hung up.
    pub(crate) async fn hung_up(mut self) {
        let mut byte = [0];
        let read = timeout(PATIENCE, self.0.read(&mut byte)).await.expect("the client hangs up");
        assert!(matches!(read, Ok(0) | Err(_)), "the client says more");
    }

    /// Sends a byte now and then, until the client has hung up.
    pub(crate) async fn drip(mut self) {
        const NOW_AND_THEN: Duration = Duration::from_millis(20);
        let mut byte = [0];
        let dripping = async {
            while timeout(NOW_AND_THEN, self.0.read(&mut byte)).await.is_err() {
                // It may hang up right now.
                let _ = self.0.write_all(b" ").await;
            }
        };
        timeout(PATIENCE, dripping).await.expect("the client hangs up");
    }

    pub(crate) fn reset(self) {
        reset(self.0);
    }
}

/// A port that no server of this process has had: clients remember what servers spoke by their addresses.
async fn strange_port() -> TcpListener {
    static KNOWN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    loop {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        if KNOWN.lock().expect("not poisoned").insert(port) {
            return listener;
        }
    }
}

/// Ends a connection by a reset: what was sent is lost as well.
#[expect(deprecated, reason = "of no time at all it blocks nobody")]
fn reset(stream: TcpStream) {
    stream.set_linger(Some(Duration::ZERO)).expect("a socket");
    drop(stream);
}

/// A response to this request.
pub(crate) fn response(request: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": request["id"], "result": result })
}

/// A result of `server/discover`.
pub(crate) fn discovered() -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": { "tools": { "listChanged": true } },
        "ttlMs": 0,
        "cacheScope": "private",
    })
}

/// A result of `tools/call` with one text.
pub(crate) fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

async fn read(mut stream: TcpStream, ear: Ear) -> Option<Asked> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).expect("a head of text");
    let mut lines = head.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (verb, path) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.map_or(0, |(_, value)| value.parse().expect("a length"));
    while bytes.len() < head_end + 4 + length {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    }
    let body = &bytes[head_end + 4..];
    let body = if body.is_empty() {
        Value::Null
    } else {
        ear.hears_line(Side::Client, body);
        serde_json::from_slice(body).expect("a body of JSON")
    };
    Some(Asked { verb, path, headers, body, ear, stream })
}
