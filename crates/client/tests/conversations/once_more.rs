//! Requests that go with their connection, and those of them that the next one carries.

use std::time::Duration;

use hermes_client::{Client, ClientError};
use hermes_types::RawJson;
use serde_json::json;
use tokio::time::Instant;

use crate::peer::text;
use crate::supervision::Place;

fn contents() -> serde_json::Value {
    json!({ "resultType": "complete", "contents": [], "ttlMs": 0, "cacheScope": "private" })
}

// spec: R216
#[tokio::test(start_paused = true)]
async fn a_read_that_goes_with_its_server_is_answered_by_the_next_one() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        let first = peer.expect("resources/read").await;
        drop(peer);
        let mut peer = place.modern().await;
        let second = peer.answer("resources/read", contents()).await;
        assert_eq!(second["params"]["uri"], first["params"]["uri"]);
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        client.read("a://b").await.expect("contents");
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_goes_with_its_server_is_told_unless_its_caller_says_otherwise() {
    for again in [false, true] {
        let (mut place, target) = Place::new();
        let script = async {
            let mut peer = place.legacy().await;
            peer.expect("tools/call").await;
            drop(peer);
            let mut peer = place.legacy().await;
            match again {
                true => drop(peer.answer("tools/call", text("here")).await),
                false => peer.silence(60_000).await,
            }
            peer
        };
        let talk = async {
            let client = Client::builder().era(hermes_client::EraChoice::Legacy).connect(target).await;
            let client = client.expect("connected");
            let call = client.call("t", ());
            let outcome = if again { call.retry_if_lost() } else { call }.await;
            match outcome {
                Ok(_) => assert!(again),
                Err(ClientError::Closed(_)) => assert!(!again),
                Err(other) => panic!("{other:?}"),
            }
            client
        };
        let (_client, _peer) = tokio::join!(talk, script);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_sent_once_more_has_the_time_that_is_left() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        peer.expect("resources/read").await;
        peer.silence(300).await;
        drop(peer);
        let mut peer = place.modern().await;
        let second = peer.expect("resources/read").await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], second["id"]);
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let begun = Instant::now();
        let error = client.read("a://b").timeout(Duration::from_secs(1)).await.expect_err("no answer");
        let ClientError::Timeout { after, .. } = error else { panic!("{error:?}") };
        assert_eq!(after, Duration::from_secs(1));
        // The clock of a timer is as fine as a millisecond.
        assert!(begun.elapsed() <= Duration::from_millis(1005), "{:?}", begun.elapsed());
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn an_unknown_method_is_repeated_only_when_its_caller_says_so() {
    let (mut place, target) = Place::new();
    let script = async {
        let mut peer = place.modern().await;
        peer.expect("example/count").await;
        drop(peer);
        let mut peer = place.modern().await;
        peer.expect("example/count").await;
        drop(peer);
        let mut peer = place.modern().await;
        peer.answer("example/count", json!({ "resultType": "complete", "n": 1 })).await;
        peer
    };
    let talk = async {
        let client = Client::builder().connect(target).await.expect("connected");
        let count = || client.request_raw("example/count", Some(RawJson::empty_object()));
        let error = count().await.expect_err("lost");
        assert!(matches!(error, ClientError::Closed(_)), "{error:?}");
        let counted = count().retry_if_lost().await.expect("a result");
        assert!(counted.get().contains("\"n\":1"), "{}", counted.get());
        client
    };
    let (_client, _peer) = tokio::join!(talk, script);
}
