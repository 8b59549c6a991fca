//! Notifications: in order, bounded, and by subscription.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientError, Heard, Listening, News};
use hermes_types::SubscriptionFilter;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::{Peer, text};

pub(crate) fn wish() -> SubscriptionFilter {
    SubscriptionFilter {
        tools_list_changed: Some(true),
        prompts_list_changed: Some(true),
        resource_subscriptions: Some(vec!["a://b".to_owned()]),
        ..SubscriptionFilter::default()
    }
}

pub(crate) fn tagged(id: &Value) -> Value {
    json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": id } })
}

pub(crate) fn acknowledgement(id: &Value, granted: Value) -> Value {
    let mut params = tagged(id);
    params["notifications"] = granted;
    params
}

/// What the next notification says.
pub(crate) async fn told(listening: &mut Listening) -> News {
    match listening.next().await {
        Ok(Some(Heard::Notice(notice))) => notice.news(),
        other => panic!("no notification, but {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn b099_notifications_that_nobody_reads_hold_up_no_answer() {
    let (mut peer, client) =
        Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {}, "logging": {} })).await;
    let mut unread = client.notifications();
    let log = json!({ "level": "info", "data": "x" });
    let begun = Instant::now();
    let script = async {
        let call = peer.expect("tools/call").await;
        for _ in 0..10_000 {
            peer.notify("notifications/message", log.clone()).await;
        }
        peer.notify("notifications/tools/list_changed", json!({})).await;
        peer.result(&call, text("first")).await;
        for _ in 0..100 {
            let call = peer.expect("tools/call").await;
            for _ in 0..50 {
                peer.notify("notifications/message", log.clone()).await;
            }
            peer.notify("notifications/tools/list_changed", json!({})).await;
            peer.result(&call, text("more")).await;
        }
    };
    let talk = async {
        for _ in 0..=100 {
            client.call("t", ()).await.expect("a result");
        }
    };
    tokio::join!(talk, script);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(unread.dropped(), 15_000 + 1 - 1024);
    let mut changes = 0;
    while let Some(notice) = unread.try_next() {
        changes += usize::from(notice.news() == News::ToolsChanged);
    }
    assert_eq!(changes, 1, "coalesced, not lost");
}

#[tokio::test(start_paused = true)]
async fn notifications_are_heard_in_order_from_the_first_on() {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (all, logs) = (Arc::clone(&heard), Arc::clone(&heard));
    let builder = Client::builder()
        .on_notification(move |notice| all.lock().expect("not poisoned").push(notice.method.clone()))
        .on_log(move |log| logs.lock().expect("not poisoned").push(log.data.get().to_owned()));
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.notify("notifications/message", json!({ "level": "info", "data": 1 })).await;
        peer.notify("notifications/unheard/of", json!({ "x": 1 })).await;
        peer.notify("notifications/message", json!({ "level": "info", "data": 2 })).await;
        peer.result(&call, text("done")).await;
        peer.silence(10).await;
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    result.expect("a result");
    let expected = ["notifications/message", "1", "notifications/unheard/of", "notifications/message", "2"];
    assert_eq!(*heard.lock().expect("not poisoned"), expected);
}

// spec: R108, R410, R412
#[tokio::test(start_paused = true)]
async fn a_listen_stream_shows_its_own_notifications_after_the_acknowledgement() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {} })).await;
    let mut others = client.notifications();
    let script = async {
        let listen = peer.expect("subscriptions/listen").await;
        let wanted = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["a://b"],
        });
        assert_eq!(listen["params"]["notifications"], wanted);
        assert_eq!(listen["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        let id = &listen["id"];
        peer.notify("notifications/tools/list_changed", tagged(id)).await;
        let granted = json!({ "toolsListChanged": true });
        peer.notify("notifications/subscriptions/acknowledged", acknowledgement(id, granted)).await;
        peer.notify("notifications/tools/list_changed", tagged(id)).await;
        peer.notify("notifications/tools/list_changed", tagged(&json!(id.to_string()))).await;
        peer.notify("notifications/message", json!({ "level": "info", "data": 1 })).await;
        let closing = json!({ "resultType": "complete", "_meta": tagged(id)["_meta"] });
        peer.result(&listen, closing).await;
        peer.notify("notifications/cancelled", json!({ "requestId": id })).await;
        peer.silence(100).await;
    };
    let talk = async {
        let mut listening = client.listen(wish()).await.expect("listening");
        assert_eq!(listening.granted().tools_list_changed, Some(true));
        assert_eq!(listening.granted().prompts_list_changed, None);
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        assert!(listening.next().await.expect("a regular end").is_none());
        assert!(listening.next().await.expect("still ended").is_none());
    };
    tokio::join!(talk, script);
    let other = others.next().await.expect("what belongs to no stream");
    assert!(matches!(other.news(), News::Log(_)));
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_listen_stream_ends_by_cancellation_error_or_loss_and_each_is_told_apart() {
    for end in ["cancelled", "error", "lost"] {
        let (mut peer, client) = Peer::modern(Client::builder(), json!({})).await;
        let script = async {
            let listen = peer.expect("subscriptions/listen").await;
            let params = acknowledgement(&listen["id"], json!({}));
            peer.notify("notifications/subscriptions/acknowledged", params).await;
            match end {
                "cancelled" => {
                    peer.notify("notifications/cancelled", json!({ "requestId": listen["id"] })).await;
                    peer.silence(10).await;
                }
                "error" => peer.error(&listen, json!({ "code": -32603, "message": "tired" })).await,
                _ => drop(peer),
            }
        };
        let talk = async {
            let mut listening = client.listen(wish()).await.expect("listening");
            (listening.next().await, listening.next().await)
        };
        let ((outcome, after), ()) = tokio::join!(talk, script);
        match (end, outcome) {
            ("cancelled", Ok(None))
            | ("error", Err(ClientError::Rpc { .. }))
            | ("lost", Err(ClientError::Closed(_))) => {}
            (_, other) => panic!("{end}: {other:?}"),
        }
        assert!(after.expect("said once").is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_or_unacknowledged_listen_is_an_error_and_a_dropped_one_is_cancelled() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({})).await;
    let script = async {
        let listen = peer.expect("subscriptions/listen").await;
        peer.error(&listen, json!({ "code": -32601, "message": "no" })).await;
        let listen = peer.expect("subscriptions/listen").await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
        let listen = peer.expect("subscriptions/listen").await;
        peer.notify("notifications/subscriptions/acknowledged", acknowledgement(&listen["id"], json!({})))
            .await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
    };
    let talk = async {
        let refused = client.listen(wish()).await.expect_err("refused");
        assert_eq!(refused.rpc().map(|error| error.code), Some(-32601));
        assert!(client.listen(wish()).await.expect_err("no acknowledgement").is_timeout());
        drop(client.listen(wish()).await.expect("listening"));
    };
    tokio::join!(talk, script);
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn in_a_legacy_session_listening_subscribes_and_picks() {
    let capabilities = json!({ "tools": { "listChanged": true }, "resources": { "subscribe": true } });
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", capabilities).await;
    let updated = |uri: &str| json!({ "uri": uri });
    let script = async {
        peer.answer("resources/subscribe", json!({})).await;
        let second = peer.expect("resources/subscribe").await;
        peer.error(&second, json!({ "code": -32002, "message": "no such resource" })).await;
        peer.notify("notifications/message", json!({ "level": "info", "data": 1 })).await;
        peer.notify("notifications/prompts/list_changed", json!({})).await;
        peer.notify("notifications/resources/updated", updated("z://z")).await;
        peer.notify("notifications/resources/updated", updated("a://b/part")).await;
        peer.notify("notifications/tools/list_changed", json!({})).await;
        peer.silence(10).await;
        drop(peer);
    };
    let talk = async {
        let mut wish = wish();
        wish.resource_subscriptions = Some(vec!["a://b".to_owned(), "z://z".to_owned()]);
        let mut listening = client.listen(wish).await.expect("listening");
        let granted = listening.granted().clone();
        assert_eq!(granted.tools_list_changed, Some(true));
        assert_eq!(granted.prompts_list_changed, None, "not declared");
        assert_eq!(granted.resource_subscriptions, Some(vec!["a://b".to_owned()]));
        let first = told(&mut listening).await;
        assert!(matches!(first, News::ResourceUpdated(updated) if updated.uri == "a://b/part"));
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        assert!(matches!(listening.next().await, Err(ClientError::Closed(_))));
    };
    tokio::join!(talk, script);
}
