//! Streams of notifications over HTTP that are lost and come back.

use std::time::Duration;

use hermes_client::{Client, ClientError, Heard, Listening, News};
use hermes_types::SubscriptionFilter;
use serde_json::{Value, json};

use crate::fake::{Asked, Events, Fake};

fn wish() -> SubscriptionFilter {
    SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() }
}

fn tagged(request: &Value) -> Value {
    json!({ "io.modelcontextprotocol/subscriptionId": request["id"] })
}

/// Grants a stream, and tells of one change on it.
async fn grant(asked: Asked) -> Events {
    let tag = tagged(&asked.body);
    let mut events = asked.events().await;
    events
        .message(&json!({
            "jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
            "params": { "notifications": { "toolsListChanged": true }, "_meta": tag },
        }))
        .await;
    events
        .message(&json!({
            "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": { "_meta": tag },
        }))
        .await;
    events
}

async fn told(listening: &mut Listening) -> News {
    match listening.next().await {
        Ok(Some(Heard::Notice(notice))) => notice.news(),
        other => panic!("no notification, but {other:?}"),
    }
}

async fn lost(listening: &mut Listening) -> Duration {
    match listening.next().await {
        Ok(Some(Heard::Lost { reason, pause })) => {
            assert!(!matches!(&*reason, ClientError::Rpc { .. }), "{reason}");
            pause
        }
        other => panic!("not lost, but {other:?}"),
    }
}

async fn gap(listening: &mut Listening) {
    match listening.next().await {
        Ok(Some(Heard::Gap)) => {}
        other => panic!("no gap, but {other:?}"),
    }
}

#[tokio::test]
async fn a_listen_stream_brings_what_it_has_acknowledged_and_ends_in_good_order() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        let asked = fake.expect("subscriptions/listen").await;
        let request = asked.body.clone();
        let mut events = grant(asked).await;
        let closing = json!({ "resultType": "complete", "_meta": tagged(&request) });
        events.result(&request, &closing).await;
    };
    let listen = async {
        let mut listening = client.listen(wish()).await.expect("listening");
        assert_eq!(listening.granted().tools_list_changed, Some(true));
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        assert!(listening.next().await.expect("in good order").is_none());
    };
    tokio::join!(script, listen);
}

#[tokio::test]
async fn a_stream_that_is_cut_is_asked_for_again_after_growing_pauses_until_it_is_refused() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        drop(grant(fake.expect("subscriptions/listen").await).await);
        fake.expect("subscriptions/listen").await.status(502).await;
        drop(grant(fake.expect("subscriptions/listen").await).await);
        let last = fake.expect("subscriptions/listen").await;
        last.error(200, json!({ "code": -32601, "message": "not any more" })).await;
    };
    let listen = async {
        let mut listening = client.listen(wish()).await.expect("listening");
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        let first = lost(&mut listening).await;
        let second = lost(&mut listening).await;
        assert!(
            first >= Duration::from_millis(500) && second >= Duration::from_secs(1),
            "{first:?} {second:?}"
        );
        gap(&mut listening).await;
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        let third = lost(&mut listening).await;
        assert!(third < Duration::from_secs(1), "it has spoken: {third:?}");
        let refused = listening.next().await.expect_err("refused");
        assert_eq!(refused.rpc().map(|error| error.code), Some(-32601));
    };
    tokio::join!(script, listen);
    assert!(fake.is_idle());
}

#[tokio::test]
async fn in_a_session_that_is_replaced_the_gap_is_told_after_the_subscriptions_are() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let (replaced, is_replaced) = tokio::sync::oneshot::channel::<()>();
    let script = async {
        fake.expect("resources/subscribe").await.result(json!({})).await;
        fake.expect("tools/call").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-11-25", Some("s2")).await;
        fake.expect("notifications/initialized").await.status(202).await;
        let mut subscribing = None;
        for _ in 0..3 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"));
            match (asked.verb.as_str(), asked.method()) {
                ("GET", _) => asked.status(405).await,
                (_, "resources/subscribe") => subscribing = Some(asked),
                _ => asked.result(crate::fake::text("here")).await,
            }
        }
        is_replaced.await.expect("the call has its result");
        subscribing.expect("subscribed again").result(json!({})).await;
    };
    let listen = async {
        let uris = Some(vec!["a://b".to_owned()]);
        let wish = SubscriptionFilter { resource_subscriptions: uris, ..SubscriptionFilter::default() };
        let mut listening = client.listen(wish).await.expect("listening");
        client.call("t", ()).await.expect("a result");
        {
            let mut next = std::pin::pin!(listening.next());
            tokio::select! {
                biased;
                heard = &mut next => panic!("{heard:?}"),
                () = std::future::ready(()) => {}
            }
        }
        replaced.send(()).expect("the server waits");
        gap(&mut listening).await;
    };
    tokio::join!(script, listen);
}

#[tokio::test]
async fn a_stream_outlives_the_connection_that_it_began_on_and_ends_with_its_client() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        let asked = fake.expect("subscriptions/listen").await;
        let tag = tagged(&asked.body);
        let mut events = grant(asked).await;
        // The server may not be any more what it was: it is asked.
        fake.expect("tools/call").await.status(400).await;
        fake.expect("server/discover").await.result(crate::fake::discovered()).await;
        events
            .message(&json!({
                "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": { "_meta": tag },
            }))
            .await;
        events.hung_up().await;
    };
    let listen = async {
        let mut listening = client.listen(wish()).await.expect("listening");
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        client.call("t", ()).await.expect_err("refused");
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        client.close().await;
        let error = listening.next().await.expect_err("closed");
        assert!(matches!(error, ClientError::Closed(_)), "{error:?}");
        assert!(listening.next().await.expect("said once").is_none());
    };
    tokio::join!(script, listen);
    assert!(fake.is_idle());
}

#[tokio::test]
async fn closing_settles_what_is_under_way_on_an_older_connection() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let (renewed, is_renewed) = tokio::sync::oneshot::channel::<()>();
    let script = async {
        let slow = fake.expect("tools/call").await.events().await;
        fake.expect("prompts/get").await.status(400).await;
        fake.expect("server/discover").await.result(crate::fake::discovered()).await;
        slow.hung_up().await;
    };
    let arguments = std::collections::BTreeMap::new();
    let prompt = async {
        client.prompt("p", &arguments).await.expect_err("refused");
        renewed.send(()).expect("somebody waits");
    };
    let close = async {
        is_renewed.await.expect("it is asked anew");
        client.close().await;
    };
    let (slow, (), (), ()) = tokio::join!(client.call("t", ()).into_future(), prompt, close, script);
    assert!(matches!(slow, Err(ClientError::Closed(_))), "{slow:?}");
}
