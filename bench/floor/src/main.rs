//! What the machine can do at all: a bare axum handler that reads the headers of 2026-07-28, decodes a `tools/call` and
//! answers as a server of the protocol would: `bench-floor [--stream | --once | --bytes N | --stdio]`.
//!
//! With `--stream` the answer is one server-sent event. With `--once` a message is decoded in one pass, for one tool
//! that is known beforehand; otherwise step by step, as a server must that has several. With `--bytes` every answer is a
//! result of so many bytes that was written beforehand, as a list would be. With `--stdio` requests come by lines.
//! Otherwise it listens on any free port of this machine, and its first line says where. It is no server of the protocol:
//! sessions, other methods and faulty requests do not concern it.

mod message;
mod streams;

use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use axum::serve::ListenerExt as _;
use axum::{Router, serve};
use http_body::{Frame, SizeHint};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

use crate::streams::Streams;

/// More than any message that is sent here.
const BODY_BYTES: usize = 16 << 20;

/// How a message is read, and how its answer goes out.
#[derive(Clone, Debug)]
enum Form {
    Json,
    /// In one pass.
    Once,
    Events,
    /// It is always this one.
    Written(Bytes),
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let form = match words.next().as_deref() {
        None => Form::Json,
        Some("--once") => Form::Once,
        Some("--stream") => Form::Events,
        Some("--bytes") => Form::Written(message::written(words.next().unwrap_or_default().parse()?)),
        Some("--stdio") => return lines().await,
        Some(other) => {
            let known = "--stream, --once, --bytes and --stdio";
            return Err(format!("{other}: the options are {known}").into());
        }
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // Without it each answer would wait for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
    });
    let routes = Router::new()
        .route("/mcp", post(answer).get(streams::open))
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .with_state((form, Streams::default()));
    Ok(serve(listener, routes).await?)
}

/// Answers lines, those that are there together.
async fn lines() -> Result<(), Box<dyn Error>> {
    let mut reader = BufReader::with_capacity(64 * 1024, tokio::io::stdin());
    let (mut writer, mut line, mut out) = (tokio::io::stdout(), Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).await? > 0 {
        if let Some(text) = message::serve(&line, None, &Form::Json)? {
            out.extend_from_slice(&text);
            out.push(b'\n');
        }
        line.clear();
        if reader.buffer().is_empty() {
            writer.write_all(&out).await?;
            writer.flush().await?;
            out.clear();
        }
    }
    Ok(())
}

async fn answer(
    State((form, streams)): State<(Form, Streams)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    match headers.get("mcp-method").map(HeaderValue::as_bytes) {
        Some(b"subscriptions/listen") => return streams.listen(),
        Some(_) if headers.get("mcp-name").is_some_and(|name| name == "touch") => streams.tell(),
        _ => {}
    }
    match echo(&headers, &body, &form) {
        Ok(Some(text)) => reply(text, &form),
        Ok(None) => empty(StatusCode::ACCEPTED),
        Err(_) => empty(StatusCode::BAD_REQUEST),
    }
}

/// The text of the answer; none to a notification.
fn echo(headers: &HeaderMap, body: &[u8], form: &Form) -> Result<Option<Bytes>, Box<dyn Error>> {
    if headers.contains_key(ORIGIN) || !headers.contains_key(HOST) {
        return Err("not from here".into());
    }
    if let Form::Written(text) = form {
        return Ok(Some(text.clone()));
    }
    Ok(message::serve(body, Some(headers), form)?.map(Bytes::from))
}

fn reply(text: Bytes, form: &Form) -> Response<Body> {
    let (media_type, body) = match form {
        Form::Json | Form::Once | Form::Written(_) => ("application/json", Body::from(text)),
        Form::Events => ("text/event-stream", Body::new(Once(Some(text)))),
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if matches!(form, Form::Events) {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    }
    response
}

fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

/// A body of one piece whose length is not told in advance, as it is with a stream.
struct Once(Option<Bytes>);

impl http_body::Body for Once {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}
