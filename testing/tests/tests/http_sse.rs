//! Servers of HTTP+SSE, the transport of 2024-11-05.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::types::{ElicitResult, RawJson};
use hermes::{EraChoice, Event};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::sync::{Notify, oneshot};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Empty {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    /// Yours
    name: String,
}

/// A server, until the sender is dropped.
struct Served {
    address: String,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

async fn serve(http: StreamableHttp, address: &str) -> Outcome<Served> {
    let bound = http.http_sse("/sse").bind(address.to_owned()).await?;
    let address = bound.address().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(bound.serve(async { drop(stopped.await) }));
    Ok(Served { address, stop, serving })
}

fn server() -> Server {
    Server::new("older", "1")
        .tool("greet", |_: Empty, ctx: Context| async move {
            match ctx.elicit::<Name>("Who are you?").await? {
                Elicited::Accepted(Name { name }) => Ok(format!("Hello, {name}")),
                _ => Err(ToolError::new("nobody")),
            }
        })
        .tool("echo", |args: Name, _: Context| async move { args.name })
}

/// A stream that was opened by hand: its connection, and where it wants messages.
struct Stream {
    lines: BufReader<TcpStream>,
    place: String,
}

impl Stream {
    async fn open(address: &str) -> Outcome<Self> {
        let mut stream = TcpStream::connect(address).await?;
        let request = format!("GET /sse HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut open = Self { lines: BufReader::new(stream), place: String::new() };
        assert_eq!(open.event("event: ").await?, "endpoint");
        open.place = open.event("data: ").await?;
        Ok(open)
    }

    /// The rest of the next line that begins like this.
    async fn event(&mut self, begins: &str) -> Outcome<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).await? == 0 {
                return Err("the stream is over".into());
            }
            if let Some(rest) = line.strip_prefix(begins) {
                return Ok(rest.trim_end().to_owned());
            }
        }
    }
}

/// The status and the body of the answer to a POST.
async fn post(address: &str, place: &str, body: &str) -> Outcome<(u16, String)> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!(
        "POST {place} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let status = answer.split(' ').nth(1).ok_or("no status")?.parse()?;
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned()).unwrap_or_default();
    Ok((status, body))
}

#[tokio::test]
async fn a_client_of_this_transport_is_served_with_questions_and_long_texts() -> Outcome {
    let served = serve(StreamableHttp::new(server()), "127.0.0.1:0").await?;
    let client = Client::builder()
        .era(EraChoice::Legacy)
        .on_elicit(|_| async { Ok(ElicitResult::accept(RawJson::parse(r#"{"name":"Ada"}"#)?)) })
        .connect(format!("http://{}/sse", served.address))
        .await?;
    let greeting: String = client.call("greet", ()).await?.read()?;
    assert_eq!(greeting, "Hello, Ada");
    let long = "line\nbreak \r 🦀 data: x\n\n".repeat(20_000);
    let echoed: String = client.call("echo", serde_json::json!({ "name": long })).await?.read()?;
    assert_eq!(echoed, long);
    let mut calls = JoinSet::new();
    for number in 0..100 {
        let client = client.clone();
        calls.spawn(async move {
            let name = number.to_string();
            let echoed: String = client.call("echo", serde_json::json!({ "name": name })).await?.read()?;
            Ok::<_, ClientError>((name, echoed))
        });
    }
    while let Some(call) = calls.join_next().await {
        let (sent, echoed) = call??;
        assert_eq!(sent, echoed);
    }
    client.close().await;
    drop(served.stop);
    served.serving.await?;
    Ok(())
}

#[tokio::test]
async fn the_end_of_a_stream_is_the_end_of_its_calls_and_later_messages_learn_of_it() -> Outcome {
    /// Tells when it is dropped.
    struct Told(Arc<Notify>);
    impl Drop for Told {
        fn drop(&mut self) {
            self.0.notify_one();
        }
    }
    let (begun, ended) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (has_begun, has_ended) = (Arc::clone(&begun), Arc::clone(&ended));
    let server = server().tool("stuck", move |_: Empty, _: Context| {
        let told = Told(Arc::clone(&ended));
        begun.notify_one();
        async move {
            std::future::pending::<()>().await;
            drop(told);
        }
    });
    let served = serve(StreamableHttp::new(server), "127.0.0.1:0").await?;
    let mut stream = Stream::open(&served.address).await?;
    let place = stream.place.clone();
    assert!(place.starts_with("/sse?sessionId="), "{place}");
    let initialize = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}"#;
    assert_eq!(post(&served.address, &place, initialize).await?.0, 202);
    assert!(stream.event("data: ").await?.contains(r#""protocolVersion":"2024-11-05""#));
    let initialized = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    assert_eq!(post(&served.address, &place, initialized).await?.0, 202);
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stuck"}}"#;
    assert_eq!(post(&served.address, &place, call).await?.0, 202);
    has_begun.notified().await;
    drop(stream);
    timeout(Duration::from_secs(5), has_ended.notified()).await?;
    let (status, body) = post(&served.address, &place, call).await?;
    assert_eq!(status, 404);
    let answer: serde_json::Value = serde_json::from_str(&body)?;
    assert_eq!((&answer["id"], &answer["error"]["data"]["reason"]), (&7.into(), &"unknown".into()));
    Ok(())
}

#[tokio::test]
async fn what_is_no_message_is_answered_on_the_stream_and_what_is_nobodys_is_not_found() -> Outcome {
    let served = serve(StreamableHttp::new(server()), "127.0.0.1:0").await?;
    let mut stream = Stream::open(&served.address).await?;
    let place = stream.place.clone();
    assert_eq!(post(&served.address, &place, "{\n  \"no\":\n \"message\"\n}").await?.0, 202);
    assert!(stream.event("data: ").await?.contains("-32600"));
    // To what is no JSON there can be no answer that somebody waits for.
    for broken in ["no JSON", "", " \r\n", r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, "{}\n{}"] {
        let (status, body) = post(&served.address, &place, broken).await?;
        assert!(status == 400 && body.contains("-32700"), "{broken}: {status} {body}");
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for nobodys in ["/sse", "/sse?sessionId=", "/sse?sessionId=00000000000000000000000000000000"] {
        assert_eq!(post(&served.address, nobodys, ping).await?.0, 404, "{nobodys}");
    }
    // Of the other endpoint it is no session either.
    assert_eq!(post(&served.address, &place.replace("/sse", "/mcp"), ping).await?.0, 400);
    assert_eq!(post(&served.address, &place, &" ".repeat(5_000_000)).await?.0, 413);
    assert_eq!(post(&served.address, &place, ping).await?.0, 202);
    assert_eq!(stream.event("data: ").await?, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    Ok(())
}

#[tokio::test]
async fn a_client_comes_back_to_a_server_that_was_started_anew() -> Outcome {
    let served = serve(StreamableHttp::new(server()), "127.0.0.1:0").await?;
    let url = format!("http://{}/sse", served.address);
    let client = Client::builder().era(EraChoice::Legacy).connect(&url).await?;
    let mut events = client.events();
    drop(served.stop);
    served.serving.await?;
    assert!(matches!(events.next().await, Some(Event::Lost(_))));
    let again = serve(StreamableHttp::new(server()), &served.address).await?;
    let echoed: String = client.call("echo", serde_json::json!({ "name": "again" })).await?.read()?;
    assert_eq!(echoed, "again");
    client.close().await;
    drop(again.stop);
    again.serving.await?;
    Ok(())
}
