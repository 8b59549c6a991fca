//! What the machine can do at all: a bare axum handler that reads the headers of 2026-07-28, decodes a `tools/call` and
//! answers as a server of the protocol would: `bench-floor [--stream | --bytes N | --stdio]`.
//!
//! With `--stream` the answer is one server-sent event. With `--bytes` every answer is a result of so many bytes that was
//! written beforehand, as a list would be. With `--stdio` requests come by lines. Otherwise it listens on any free port of
//! this machine, and its first line says where. It is no server of the protocol: sessions, other methods and faulty
//! requests do not concern it.

use std::borrow::Cow;
use std::convert::Infallible;
use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, ORIGIN};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::post;
use axum::serve::ListenerExt as _;
use axum::{Router, serve};
use http_body::{Frame, SizeHint};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

#[derive(Deserialize)]
struct Request<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Call<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Echo<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: &'a RawValue,
    result: Outcome<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    result_type: &'static str,
    content: [Content<'a>; 1],
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}

/// What `initialize` is answered with, so that the generator begins as with a server that has sessions.
const HELLO: &str = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"floor","version":"0.0.0"}}"#;

/// How an answer goes out.
#[derive(Clone)]
enum Form {
    Json,
    Events,
    /// It is always this one.
    Written(Bytes),
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut words = env::args().skip(1);
    let form = match words.next().as_deref() {
        None => Form::Json,
        Some("--stream") => Form::Events,
        Some("--bytes") => written(words.next().unwrap_or_default().parse()?),
        Some("--stdio") => return lines().await,
        Some(other) => return Err(format!("{other}: the options are --stream, --bytes and --stdio").into()),
    };
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // Without it each answer would wait for the acknowledgement of the one before.
        let _ = stream.set_nodelay(true);
    });
    Ok(serve(listener, Router::new().route("/mcp", post(answer)).with_state(form)).await?)
}

/// A result of so many bytes.
fn written(bytes: usize) -> Form {
    let (start, end) = (r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[],"x":""#, r#""}}"#);
    let filling = "x".repeat(bytes.saturating_sub(start.len() + end.len()));
    Form::Written(format!("{start}{filling}{end}").into())
}

/// Answers lines, those that are there together.
async fn lines() -> Result<(), Box<dyn Error>> {
    let mut reader = BufReader::with_capacity(64 * 1024, tokio::io::stdin());
    let (mut writer, mut line, mut out) = (tokio::io::stdout(), Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line).await? > 0 {
        if let Some(text) = serve_message(&line, None, &Form::Json)? {
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

async fn answer(State(form): State<Form>, headers: HeaderMap, body: Bytes) -> Response<Body> {
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
    Ok(serve_message(body, Some(headers), form)?.map(Bytes::from))
}

fn serve_message(
    body: &[u8],
    headers: Option<&HeaderMap>,
    form: &Form,
) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    let header = |name: &str| headers?.get(name).and_then(|value| value.to_str().ok());
    let request: Request<'_> = serde_json::from_slice(body)?;
    let Some(id) = request.id else { return Ok(None) };
    if request.method == "initialize" {
        return Ok(Some(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{HELLO}}}"#).into_bytes()));
    }
    let call: Call<'_> = serde_json::from_str(request.params.map_or("null", RawValue::get))?;
    if header("mcp-protocol-version") == Some("2026-07-28")
        && (header("mcp-method") != Some(&request.method) || header("mcp-name") != Some(&call.name))
    {
        return Err("headers and body differ".into());
    }
    let Echo { text } = serde_json::from_str(call.arguments.map_or("null", RawValue::get))?;
    let mut out = Vec::with_capacity(body.len());
    if matches!(form, Form::Events) {
        out.extend_from_slice(b"event: message\ndata: ");
    }
    let result = Outcome { result_type: "complete", content: [Content { r#type: "text", text: &text }] };
    serde_json::to_writer(&mut out, &Answer { jsonrpc: "2.0", id, result })?;
    if matches!(form, Form::Events) {
        out.extend_from_slice(b"\n\n");
    }
    Ok(Some(out))
}

fn reply(text: Bytes, form: &Form) -> Response<Body> {
    let (media_type, body) = match form {
        Form::Json | Form::Written(_) => ("application/json", Body::from(text)),
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
