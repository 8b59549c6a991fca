//! What was accepted has one outcome, and whoever waits for it learns it: also where a conversation is bound to its
//! connection, and nothing can be resumed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use hermes::{EraChoice, Event, Restart};
use hermes_testkit::refusal;
use hermes_testkit::relay::Relay;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::wire::{INITIALIZE, INITIALIZED, Stream, post};
use crate::{Empty, Outcome, Served, server};

const PATIENCE: Duration = Duration::from_secs(10);

/// Which way a client goes.
#[derive(Clone, Copy, Debug)]
enum Way {
    HttpSse,
    WebSocket,
}

const WAYS: [Way; 2] = [Way::HttpSse, Way::WebSocket];

impl Way {
    fn url(self, address: &str) -> String {
        match self {
            Self::HttpSse => format!("http://{address}/sse"),
            Self::WebSocket => format!("ws://{address}/mcp"),
        }
    }

    async fn client(self, address: &str) -> Outcome<Client> {
        Ok(Client::builder().era(EraChoice::Legacy).connect(self.url(address)).await?)
    }
}

/// A tool that says when it has begun, and ends when it is told to.
#[derive(Clone, Default)]
struct Slow {
    begun: Arc<Notify>,
    go_on: Arc<Notify>,
    runs: Arc<AtomicUsize>,
}

impl Slow {
    fn server(&self) -> Server {
        let slow = self.clone();
        server()
            .tool("slow", move |_: Empty, _: Context| {
                let slow = slow.clone();
                async move {
                    slow.runs.fetch_add(1, Ordering::Relaxed);
                    slow.begun.notify_one();
                    slow.go_on.notified().await;
                    "done"
                }
            })
            .tool("panic", |_: Empty, _: Context| async { panics() })
    }
}

fn panics() -> String {
    panic!("as it is told to")
}

#[tokio::test]
async fn a_server_that_stops_answers_what_it_has_accepted_over_either() -> Outcome {
    for way in WAYS {
        let slow = Slow::default();
        let served = Served::start(StreamableHttp::new(slow.server())).await?;
        let client = way.client(&served.address).await?;
        let (result, ()) = tokio::join!(async { client.call("slow", ()).await }, async {
            slow.begun.notified().await;
            drop(served.stop);
            slow.go_on.notify_one();
        });
        let done: String = result?.read()?;
        assert_eq!(done, "done", "{way:?}");
        client.close().await;
        served.serving.await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_outlasts_the_grace_of_a_server_that_stops_is_answered_with_an_error() -> Outcome {
    for way in WAYS {
        let slow = Slow::default();
        let server = slow.server().shutdown_grace(Duration::from_millis(50));
        let served = Served::start(StreamableHttp::new(server)).await?;
        let client = way.client(&served.address).await?;
        let (result, ()) = tokio::join!(async { client.call("slow", ()).await }, async {
            slow.begun.notified().await;
            drop(served.stop);
        });
        assert_eq!(refusal(result).message, "the server is shutting down", "{way:?}");
        client.close().await;
        served.serving.await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_panic_is_the_end_of_its_own_call_and_of_nothing_else() -> Outcome {
    let slow = Slow::default();
    let served = Served::start(StreamableHttp::new(slow.server())).await?;
    for way in WAYS {
        let client = way.client(&served.address).await?;
        let (waiting, panicked) = tokio::join!(async { client.call("slow", ()).await }, async {
            slow.begun.notified().await;
            let panicked = client.call("panic", ()).await;
            slow.go_on.notify_one();
            panicked
        });
        assert_eq!(refusal(panicked).code, -32603, "{way:?}");
        let done: String = waiting?.read()?;
        assert_eq!(done, "done", "{way:?}");
        client.close().await;
    }
    served.end().await
}

#[tokio::test]
async fn a_call_whose_connection_is_cut_ran_once_is_told_and_is_not_sent_again() -> Outcome {
    for way in WAYS {
        let slow = Slow::default();
        let served = Served::start(StreamableHttp::new(slow.server())).await?;
        let relay = Relay::start(served.address.parse()?).await?;
        let client = Client::builder()
            .era(EraChoice::Legacy)
            .restart(Restart::default().longest_pause(Duration::from_millis(50)))
            .connect(way.url(&relay.address().to_string()))
            .await?;
        let mut events = client.events();
        let (result, ()) =
            tokio::join!(async { timeout(PATIENCE, client.call("slow", ()).into_future()).await }, async {
                slow.begun.notified().await;
                relay.clear();
            });
        let error = result?.err().ok_or("it was answered")?;
        assert!(error.is_outcome_unknown(), "{way:?}: {error:?}");
        assert!(matches!(timeout(PATIENCE, events.next()).await?, Some(Event::Lost(_))), "{way:?}");
        // The client is connected anew; the call is nobody's any more.
        let echoed: String = client.call("echo", json!({ "name": "again" })).await?.read()?;
        assert_eq!(echoed, "again", "{way:?}");
        assert_eq!(slow.runs.load(Ordering::Relaxed), 1, "{way:?}");
        client.close().await;
        served.end().await?;
    }
    Ok(())
}

#[tokio::test]
async fn answers_with_the_same_ids_go_to_whoever_asked() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    for way in WAYS {
        let mut calls = JoinSet::new();
        for guest in 0..8 {
            let client = way.client(&served.address).await?;
            calls.spawn(async move {
                for number in 0..25 {
                    // Every client counts its requests alike.
                    let said = format!("{guest} {number}");
                    let echoed: String = client.call("echo", json!({ "name": said })).await?.read()?;
                    assert_eq!(echoed, said);
                }
                client.close().await;
                Ok::<_, ClientError>(())
            });
        }
        while let Some(called) = calls.join_next().await {
            called??;
        }
    }
    served.end().await
}

#[tokio::test]
async fn a_client_that_does_not_read_is_in_nobodys_way_and_misses_nothing() -> Outcome {
    let served = Served::start(StreamableHttp::new(server())).await?;
    let mut deaf = Stream::open(&served.address).await?;
    let place = deaf.place.clone();
    for message in [INITIALIZE, INITIALIZED] {
        assert_eq!(post(&served.address, &place, &[], message).await?.0, 202);
    }
    for id in 1..=8 {
        let call = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "big" } });
        assert_eq!(post(&served.address, &place, &[], &call.to_string()).await?.0, 202);
    }
    let other = Way::HttpSse.client(&served.address).await?;
    let echoed: String = other.call("echo", json!({ "name": "meanwhile" })).await?.read()?;
    assert_eq!(echoed, "meanwhile");
    other.close().await;
    assert!(deaf.event("data: ").await?.contains("protocolVersion"));
    let mut ids = Vec::new();
    for _ in 0..8 {
        let answer: serde_json::Value = serde_json::from_str(&deaf.event("data: ").await?)?;
        assert_eq!(answer["result"]["content"][0]["text"].as_str().map(str::len), Some(3_000_000));
        ids.extend(answer["id"].as_i64());
    }
    ids.sort_unstable();
    assert_eq!(ids, [1, 2, 3, 4, 5, 6, 7, 8]);
    served.end().await
}
