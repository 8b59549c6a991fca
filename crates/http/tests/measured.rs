//! What is exported of sessions that have ended. Only one way out counts in a process, so this is a program of its own.

use std::io;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hermes_http::{McpService, StreamableHttp};
use hermes_server::Server;
use hermes_telemetry::carried::Carried;
use hermes_telemetry::export::{Export, Measured};
use hermes_telemetry::names::SERVER_SESSION_DURATION;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _, ReadBuf};

const HANDSHAKE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
"#;
const IDLE: Duration = Duration::from_secs(60);

/// An ended session: its revision, why it failed, what carried it and what was spoken over that.
type End = (Option<&'static str>, Option<String>, Option<&'static str>, Option<&'static str>);

static ENDS: Mutex<Vec<End>> = Mutex::new(Vec::new());

fn measured(measured: &Measured<'_>) {
    if measured.name == SERVER_SESSION_DURATION {
        let error = measured.error.map(str::to_owned);
        let end = (measured.revision, error, measured.transport, measured.protocol);
        ENDS.lock().unwrap_or_else(PoisonError::into_inner).push(end);
    }
}

/// The sessions that have ended since this was asked last.
fn ended() -> Vec<End> {
    std::mem::take(&mut *ENDS.lock().unwrap_or_else(PoisonError::into_inner))
}

fn end(failure: Option<&str>, transport: &'static str, protocol: Option<&'static str>) -> Vec<End> {
    vec![(Some("2025-06-18"), failure.map(str::to_owned), Some(transport), protocol)]
}

/// Opens a session; its id.
async fn open(service: &McpService) -> String {
    let request = Request::post("http://localhost/mcp")
        .header("Host", "localhost")
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream")
        .body(Full::new(Bytes::from_static(HANDSHAKE)))
        .expect("a request");
    let answer = service.answer(request).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let session = answer.headers()["mcp-session-id"].to_str().expect("a word").to_owned();
    // To its end, or it is in use.
    answer.into_body().collect().await.expect("a body");
    session
}

/// A handshake, and then nothing that can be read.
struct Broken(&'static [u8]);

impl AsyncRead for Broken {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        read: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.0.is_empty() {
            return Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()));
        }
        read.put_slice(std::mem::take(&mut self.0));
        Poll::Ready(Ok(()))
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_nobody_wanted_to_end_says_why_it_has_and_every_one_what_carried_it() {
    assert!(Export { adopt: |_, _| (), carry: |_| Carried::default(), measured }.install());
    let server = || Server::new("test", "1");
    let service = StreamableHttp::new(server()).session_idle(IDLE).max_sessions(1).service();

    let session = open(&service).await;
    let request = Request::delete("http://localhost/mcp").header("Host", "localhost");
    let request = request.header("Mcp-Session-Id", session).body(Full::new(Bytes::new()));
    assert!(service.answer(request.expect("a request")).await.status().is_success());
    assert_eq!(ended(), end(None, "tcp", Some("http")), "its client has ended it");

    open(&service).await;
    open(&service).await;
    assert_eq!(ended(), end(Some("evicted"), "tcp", Some("http")));

    tokio::time::sleep(2 * IDLE).await;
    assert_eq!(ended(), end(Some("expired"), "tcp", Some("http")));

    server().serve(HANDSHAKE, tokio::io::sink()).await.expect("it is served");
    assert_eq!(ended(), end(None, "pipe", None), "the end of the input is no failure");

    server().serve(Broken(HANDSHAKE), tokio::io::sink()).await.expect_err("it cannot be read");
    assert_eq!(ended(), end(Some("read"), "pipe", None));

    let (mut client, connection) = tokio::io::duplex(4096);
    let (reader, writer) = tokio::io::split(connection);
    let serving = tokio::spawn(async move { server().serve(reader, writer).await });
    client.write_all(HANDSHAKE).await.expect("it reads");
    client.read_u8().await.expect("an answer");
    serving.abort();
    serving.await.expect_err("it was stopped");
    assert_eq!(ended(), end(Some("aborted"), "pipe", None));
}
