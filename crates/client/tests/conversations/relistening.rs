//! Streams of notifications that are lost and come back.

use std::time::Duration;

use hermes_client::{Client, ClientError, EraChoice, Heard, Listening, News, Restart};
use hermes_types::SubscriptionFilter;
use serde_json::json;
use tokio::time::Instant;

use crate::listening::{acknowledgement, tagged, told, wish};
use crate::peer::Peer;
use crate::supervision::Place;

/// Why the stream is lost, and the pause that is told.
async fn lost(listening: &mut Listening) -> (String, Duration) {
    match listening.next().await {
        Ok(Some(Heard::Lost { reason, pause })) => (reason.to_string(), pause),
        other => panic!("not lost, but {other:?}"),
    }
}

async fn gap(listening: &mut Listening) {
    match listening.next().await {
        Ok(Some(Heard::Gap)) => {}
        other => panic!("no gap, but {other:?}"),
    }
}

/// Takes a listen request and grants this.
async fn grant(peer: &mut Peer, granted: serde_json::Value) -> serde_json::Value {
    let listen = peer.expect("subscriptions/listen").await;
    let params = acknowledgement(&listen["id"], granted);
    peer.notify("notifications/subscriptions/acknowledged", params).await;
    listen
}

// spec: R411
#[tokio::test(start_paused = true)]
async fn a_stream_that_goes_with_its_connection_is_asked_for_again_and_the_gap_is_told() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        let first = grant(&mut peer, json!({ "toolsListChanged": true })).await;
        peer.notify("notifications/tools/list_changed", tagged(&first["id"])).await;
        drop(peer);
        let mut peer = place.modern().await;
        let second = grant(&mut peer, json!({ "promptsListChanged": true })).await;
        assert_eq!(second["params"]["notifications"], first["params"]["notifications"]);
        peer.notify("notifications/prompts/list_changed", tagged(&second["id"])).await;
        peer.result(&second, json!({ "resultType": "complete" })).await;
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let mut listening = client.listen(wish()).await.expect("listening");
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        let (reason, pause) = lost(&mut listening).await;
        assert!(reason.contains("closed the connection"), "{reason}");
        assert_eq!(pause, Duration::ZERO);
        gap(&mut listening).await;
        assert_eq!(listening.granted().tools_list_changed, None);
        assert_eq!(listening.granted().prompts_list_changed, Some(true));
        assert_eq!(told(&mut listening).await, News::PromptsChanged);
        assert!(listening.next().await.expect("a regular end").is_none());
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_is_refused_when_it_is_asked_for_again_is_over() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        grant(&mut peer, json!({})).await;
        drop(peer);
        let mut peer = place.modern().await;
        let listen = peer.expect("subscriptions/listen").await;
        peer.error(&listen, json!({ "code": -32601, "message": "not any more" })).await;
        peer.silence(60_000).await;
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let mut listening = client.listen(wish()).await.expect("listening");
        lost(&mut listening).await;
        let refused = listening.next().await.expect_err("refused");
        assert_eq!(refused.rpc().map(|error| error.code), Some(-32601));
        assert!(listening.next().await.expect("said once").is_none());
        client
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn whoever_stops_waiting_for_a_lost_stream_does_not_hold_it_up() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        grant(&mut peer, json!({})).await;
        drop(peer);
        let mut peer = place.modern().await;
        grant(&mut peer, json!({ "toolsListChanged": true })).await;
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let mut listening = client.listen(wish()).await.expect("listening");
        lost(&mut listening).await;
        // Shorter than the pause before the server is back.
        let mut looks = 0;
        while tokio::time::timeout(Duration::from_millis(10), listening.next()).await.is_err() {
            looks += 1;
        }
        assert!(looks > 1, "{looks}");
        assert_eq!(listening.granted().tools_list_changed, Some(true));
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn in_the_legacy_era_the_gap_is_told_once_the_new_server_knows_what_to_tell() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.legacy().await;
        peer.answer("resources/subscribe", json!({})).await;
        peer.notify("notifications/resources/updated", json!({ "uri": "a://b" })).await;
        drop(peer);
        let mut peer = place.legacy().await;
        let subscribing = peer.expect("resources/subscribe").await;
        peer.silence(5000).await;
        peer.result(&subscribing, json!({})).await;
        peer.silence(10).await;
        peer.notify("notifications/resources/updated", json!({ "uri": "a://b" })).await;
        peer
    };
    let talk = async {
        let client = Client::builder().era(EraChoice::Legacy).connect(target).await;
        let client = client.expect("connected");
        let mut listening = client.listen(wish()).await.expect("listening");
        let is_update = |news: News| matches!(news, News::ResourceUpdated(updated) if updated.uri == "a://b");
        assert!(is_update(told(&mut listening).await));
        lost(&mut listening).await;
        let since = Instant::now();
        gap(&mut listening).await;
        assert!(since.elapsed() >= Duration::from_secs(5), "{:?}", since.elapsed());
        assert!(is_update(told(&mut listening).await));
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_comes_back_with_streams_is_asked_for_one() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.next().await;
        let probe = peer.expect("server/discover").await;
        peer.error(&probe, json!({ "code": -32601, "message": "what?" })).await;
        let opening = peer.expect("initialize").await;
        peer.result(&opening, crate::supervision::initialized()).await;
        peer.expect("notifications/initialized").await;
        peer.answer("resources/subscribe", json!({})).await;
        drop(peer);
        let mut peer = place.modern().await;
        let listen = grant(&mut peer, json!({ "toolsListChanged": true })).await;
        peer.notify("notifications/tools/list_changed", tagged(&listen["id"])).await;
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let mut listening = client.listen(wish()).await.expect("listening");
        lost(&mut listening).await;
        gap(&mut listening).await;
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_client_at_its_end_has_no_streams() {
    for restart in [Restart::never(), Restart::default().attempts(2)] {
        for is_modern in [true, false] {
            let (mut place, target) = Place::new();
            let script = async {
                if is_modern {
                    grant(&mut place.modern().await, json!({})).await;
                } else {
                    let mut peer = place.legacy().await;
                    peer.answer("resources/subscribe", json!({})).await;
                }
                place.set_open(false);
            };
            let talk = async {
                let era = if is_modern { EraChoice::Modern } else { EraChoice::Legacy };
                let client = Client::builder().era(era).restart(restart).connect(target).await;
                let mut listening = client.expect("connected").listen(wish()).await.expect("listening");
                if restart != Restart::never() {
                    lost(&mut listening).await;
                }
                let error = listening.next().await.expect_err("gone for good");
                let expected = match &error {
                    ClientError::Closed(_) => restart == Restart::never(),
                    ClientError::Unavailable { .. } => restart != Restart::never(),
                    _ => false,
                };
                assert!(expected, "{error:?}");
                assert!(listening.next().await.expect("said once").is_none());
            };
            tokio::join!(talk, script);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_keeps_its_client_until_that_is_closed() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({})).await;
    let script = async {
        let listen = grant(&mut peer, json!({ "toolsListChanged": true })).await;
        peer.notify("notifications/tools/list_changed", tagged(&listen["id"])).await;
    };
    let talk = async {
        let wish = SubscriptionFilter { tools_list_changed: Some(true), ..SubscriptionFilter::default() };
        let other = client.clone();
        let mut listening = other.listen(wish).await.expect("listening");
        drop(other);
        assert_eq!(told(&mut listening).await, News::ToolsChanged);
        client.close().await;
        assert!(matches!(listening.next().await, Err(ClientError::Closed(_))));
    };
    tokio::join!(talk, script);
}
