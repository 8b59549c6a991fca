//! How a connection ends: every call has its outcome, and nothing waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_server::{Context, Server, ServerError};
use hermes_testkit::{Side, Tape};
use hermes_types::Revision;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::Instant;

use crate::client::{Client, modern};

struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

/// `sleep` takes three seconds, `forever` for ever, `listens` until the server shuts down.
fn server() -> (Server, Arc<AtomicUsize>) {
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dropped);
    let server = Server::new("test", "1")
        .tool("sleep", |(): (), _: Context| async {
            tokio::time::sleep(Duration::from_secs(3)).await;
            "slept"
        })
        .tool("forever", move |(): (), _: Context| {
            let guard = OnDrop(Arc::clone(&counted));
            async move {
                let _guard = guard;
                std::future::pending::<()>().await;
            }
        })
        .tool("listens", |(): (), ctx: Context| async move {
            let left = ctx.closing().await;
            format!("{} s left", left.as_secs())
        });
    (server, dropped)
}

#[tokio::test(start_paused = true)]
async fn b055_the_end_of_the_input_ends_an_idle_server_at_once() {
    let (server, _) = server();
    let begun = Instant::now();
    let (said, ended) = Client::connect(&server).finish().await;
    assert!(said.is_empty() && ended.is_ok());
    let (said, ended) = Client::legacy(&server, Revision::V2025_11_25).await.finish().await;
    assert!(said.is_empty() && ended.is_ok());
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

// spec: R113
#[tokio::test(start_paused = true)]
async fn handlers_get_the_grace_time_and_the_rest_is_answered_with_an_error() {
    let (server, dropped) = server();
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    for tool in ["sleep", "forever", "listens"] {
        client.request(json!(tool), "tools/call", json!({ "name": tool })).await;
    }
    client.request(json!("modern"), "tools/call", modern(json!({ "name": "forever" }))).await;
    let begun = Instant::now();
    let (said, ended) = client.finish().await;
    assert!(ended.is_ok());
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    let ids: Vec<_> = said.iter().map(|message| message["id"].clone()).collect();
    assert_eq!(ids, [json!("listens"), json!("sleep"), json!("forever"), json!("modern")]);
    assert_eq!(said[0]["result"]["content"][0]["text"], "5 s left");
    assert_eq!(said[1]["result"]["content"][0]["text"], "slept");
    let shut_down = |code: i64| json!({ "code": code, "message": "the server is shutting down" });
    assert_eq!((&said[2]["error"], &said[3]["error"]), (&shut_down(-32000), &shut_down(-32603)));
    assert_eq!(dropped.load(Ordering::Relaxed), 2);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_not_complete_leaves_with_errors_for_the_rest() {
    let (server, _) = server();
    let mut client = Client::legacy(&server, Revision::V2025_03_26).await;
    client
        .send(concat!(
            r#"[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever"}},"#,
            r#"{"jsonrpc":"2.0","id":2,"method":"ping"}]"#
        ))
        .await;
    let (said, ended) = client.finish().await;
    assert!(ended.is_ok());
    let [answers] = said.as_slice() else { panic!("one array: {said:?}") };
    assert_eq!((&answers[0]["id"], &answers[0]["result"]), (&json!(2), &json!({})));
    assert_eq!((&answers[1]["id"], &answers[1]["error"]["code"]), (&json!(1), &json!(-32000)));
}

#[tokio::test(start_paused = true)]
async fn the_grace_time_can_be_set() {
    let (server, _) = server();
    let mut client = Client::connect(&server.shutdown_grace(Duration::from_secs(60)));
    client.request(json!(1), "tools/call", modern(json!({ "name": "forever" }))).await;
    let begun = Instant::now();
    let (said, _) = client.finish().await;
    assert_eq!((said.len(), begun.elapsed().as_secs()), (1, 60));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_cannot_be_answered_any_more_fails_at_once() {
    let server = Server::new("test", "1")
        .tool("roots", |(): (), ctx: Context| async move { Ok(ctx.roots().await?.len()) });
    let mut client = Client::legacy_with(&server, Revision::V2025_11_25, json!({ "roots": {} })).await;
    client.request(json!(1), "tools/call", json!({ "name": "roots" })).await;
    assert_eq!(client.next().await["method"], "roots/list");
    let begun = Instant::now();
    let (said, ended) = client.finish().await;
    assert!(ended.is_ok());
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!((&said[0]["id"], &said[0]["result"]["isError"]), (&json!(1), &json!(true)));
}

#[tokio::test(start_paused = true)]
async fn a_broken_output_ends_the_server_and_its_handlers() {
    let (server, dropped) = server();
    let begun = Arc::new(tokio::sync::Notify::new());
    let (begins, counted) = (Arc::clone(&begun), Arc::clone(&dropped));
    let server = server.tool("begins", move |(): (), _: Context| {
        let guard = OnDrop(Arc::clone(&counted));
        begins.notify_one();
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    });
    let (input, mut lines) = tokio::io::duplex(1024);
    let (remote, local) = tokio::io::duplex(64);
    drop(local);
    let serving = tokio::spawn({
        let server = server.clone();
        async move { server.serve(input, remote).await }
    });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern(json!({ "name": "begins" })) });
    lines.write_all(format!("{call}\n").as_bytes()).await.expect("reads");
    begun.notified().await;
    lines.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n").await.expect("reads");
    // The input is still open; only the answer to the ping cannot be written.
    assert!(matches!(serving.await, Ok(Err(ServerError::Write(_)))));
    tokio::task::yield_now().await;
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}

#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_its_last_messages_is_not_waited_for() {
    let (server, _) = server();
    let server = server.tool("long", |(): (), _: Context| async { "x".repeat(100_000) });
    let (client, remote) = tokio::io::duplex(1024);
    let tape = Tape::new(&[Side::Server]);
    let remote = tape.tap(Side::Server, remote);
    let serving = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(remote);
        server.serve(reader, writer).await
    });
    let (_unread, mut writer) = tokio::io::split(client);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern(json!({ "name": "long" })) });
    writer.write_all(format!("{call}\n").as_bytes()).await.expect("reads");
    writer.shutdown().await.expect("closes");
    let begun = Instant::now();
    assert!(serving.await.expect("does not panic").is_ok());
    assert_eq!(begun.elapsed(), Duration::from_secs(2));
}

#[tokio::test(start_paused = true)]
async fn dropping_the_serving_drops_the_handlers() {
    let (server, dropped) = server();
    let (mut client, remote) = tokio::io::duplex(4096);
    let tape = Tape::new(&[Side::Server]);
    let remote = tape.tap(Side::Server, remote);
    let serving = tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(remote);
        server.serve(reader, writer).await
    });
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": modern(json!({ "name": "forever" })) });
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    client.write_all(format!("{call}\n{ping}\n").as_bytes()).await.expect("reads");
    let mut answer = [0; 1];
    client.read_exact(&mut answer).await.expect("the ping is answered");
    serving.abort();
    assert!(serving.await.is_err_and(|error| error.is_cancelled()));
    tokio::task::yield_now().await;
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
}
