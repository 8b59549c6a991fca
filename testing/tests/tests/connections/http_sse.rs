//! Servers of HTTP+SSE, the transport of 2024-11-05.

use std::sync::Arc;
use std::time::Duration;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::types::{ElicitResult, RawJson};
use hermes::{EraChoice, Event};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::wire::{HANDSHAKE, INITIALIZE, INITIALIZED, Stream, ask, post};
use crate::{Empty, Outcome, Served, server};

#[tokio::test]
async fn a_client_of_this_transport_is_served_with_questions_and_long_texts() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let client = Client::builder()
        .era(EraChoice::Legacy)
        .on_elicit(|_| async { Ok(ElicitResult::accept(RawJson::parse(r#"{"name":"Ada"}"#)?)) })
        .connect(served.sse())
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
    served.end().await
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
    let served = Served::start(StreamableHttp::new(server)).await?;
    let mut stream = Stream::open(&served.address).await?;
    let place = stream.place.clone();
    assert!(place.starts_with("/sse?sessionId="), "{place}");
    assert_eq!(post(&served.address, &place, &[], INITIALIZE).await?.0, 202);
    assert!(stream.event("data: ").await?.contains(r#""protocolVersion":"2024-11-05""#));
    assert_eq!(post(&served.address, &place, &[], INITIALIZED).await?.0, 202);
    let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"stuck"}}"#;
    assert_eq!(post(&served.address, &place, &[], call).await?.0, 202);
    has_begun.notified().await;
    drop(stream);
    timeout(Duration::from_secs(5), has_ended.notified()).await?;
    let (status, body) = post(&served.address, &place, &[], call).await?;
    assert_eq!(status, 404);
    let answer: serde_json::Value = serde_json::from_str(&body)?;
    assert_eq!((&answer["id"], &answer["error"]["data"]["reason"]), (&7.into(), &"unknown".into()));
    Ok(())
}

#[tokio::test]
async fn what_is_no_message_is_answered_on_the_stream_and_what_is_nobodys_is_not_found() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let mut stream = Stream::open(&served.address).await?;
    let place = stream.place.clone();
    assert_eq!(post(&served.address, &place, &[], "{\n  \"no\":\n \"message\"\n}").await?.0, 202);
    assert!(stream.event("data: ").await?.contains("-32600"));
    // To what is no JSON there can be no answer that somebody waits for.
    for broken in ["no JSON", "", " \r\n", r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, "{}\n{}"] {
        let (status, body) = post(&served.address, &place, &[], broken).await?;
        assert!(status == 400 && body.contains("-32700"), "{broken}: {status} {body}");
    }
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    for nobodys in ["/sse", "/sse?sessionId=", "/sse?sessionId=00000000000000000000000000000000"] {
        assert_eq!(post(&served.address, nobodys, &[], ping).await?.0, 404, "{nobodys}");
    }
    // Of the other endpoint it is no session either.
    assert_eq!(post(&served.address, &place.replace("/sse", "/mcp"), &[], ping).await?.0, 400);
    assert_eq!(post(&served.address, &place, &[], &" ".repeat(5_000_000)).await?.0, 413);
    assert_eq!(post(&served.address, &place, &[], ping).await?.0, 202);
    assert_eq!(stream.event("data: ").await?, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    Ok(())
}

#[tokio::test]
async fn methods_that_a_stream_has_not_are_405_and_told_which_it_has() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    for method in ["DELETE /sse", "PUT /sse", "HEAD /sse", "OPTIONS /sse"] {
        let (_, status, head) = ask(&served.address, method, &[]).await?;
        assert_eq!(status, 405, "{method}: {head}");
        assert!(head.contains("allow: get, post\r\n"), "{method}: {head}");
    }
    Ok(())
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_served() -> Outcome {
    let bound = StreamableHttp::new(server()).bind("127.0.0.1:0").await?;
    let address = bound.address().to_string();
    let serving = tokio::spawn(bound.serve(std::future::pending()));
    assert_eq!(ask(&address, "GET /sse", &[]).await?.1, 404);
    // The endpoint takes it for a GET that has no session.
    let [upgrade, connection, key, version] = HANDSHAKE;
    let events = "Accept: text/event-stream";
    assert_eq!(ask(&address, "GET /mcp", &[upgrade, connection, key, version, events]).await?.1, 400);
    serving.abort();
    Ok(())
}

#[tokio::test]
async fn a_client_comes_back_to_a_server_that_was_started_anew() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let address = served.address.clone();
    let client = Client::builder().era(EraChoice::Legacy).connect(served.sse()).await?;
    let mut events = client.events();
    served.end().await?;
    assert!(matches!(events.next().await, Some(Event::Lost(_))));
    let again = Served::at(StreamableHttp::new(server()), &address).await?;
    let echoed: String = client.call("echo", serde_json::json!({ "name": "again" })).await?.read()?;
    assert_eq!(echoed, "again");
    client.close().await;
    again.end().await
}
