//! The accounts: every request that was accepted is in exactly one of them.

use hermes_server::endpoint::Metrics;
use serde_json::json;

use crate::client::{Client, LATEST, LEGACY, MODERN};
use crate::stage::Stage;

#[track_caller]
fn balanced(metrics: &Metrics) {
    let outcomes = metrics.requests_finished + metrics.requests_cancelled + metrics.running;
    assert_eq!(metrics.requests_accepted, outcomes, "{metrics:#?}");
}

#[tokio::test(start_paused = true)]
async fn at_every_moment_what_was_accepted_is_finished_cancelled_or_running() {
    let stage = Stage::new();
    let service = stage.http().service();
    let metrics = || service.endpoint().metrics();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        balanced(&metrics());
        let calls = [
            client.call(1, "echo", json!({ "text": "x" })),
            client.call(2, "panic", json!({})),
            client.call(3, "nobody", json!({})),
            client.call(4, "echo", json!({})),
            client.request(5, "prompts/get", json!({ "name": "nobody" })),
            client.request(6, "tools/list", json!({})),
        ];
        for call in &calls {
            client.ask(call).await;
            balanced(&metrics());
        }
        let before = metrics();
        let open = client.post(&client.call(7, "gate", json!({}))).await;
        let gone = client.post(&client.call(8, "gate", json!({}))).await;
        let running = metrics();
        assert_eq!(running.running, 2, "{revision}");
        balanced(&running);
        drop(gone);
        if revision != MODERN {
            let taken_back = json!({ "requestId": 8 });
            client
                .post(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": taken_back }))
                .await;
        }
        assert_eq!((metrics().running, metrics().requests_cancelled), (1, before.requests_cancelled + 1));
        balanced(&metrics());
        stage.deeds.open();
        open.response().await;
        assert_eq!(metrics().running, 0, "{revision}");
        balanced(&metrics());
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_waits_to_be_written_is_finished_and_does_not_run() {
    let stage = Stage::new();
    let service = stage.http().service();
    let client = Client::open(&service, MODERN).await;
    let mut answer = client.post(&client.call(1, "wait", json!({ "ms": 500 }))).await;
    answer.message().await.expect("a response");
    let metrics = service.endpoint().metrics();
    assert_eq!((metrics.requests_finished, metrics.running), (1, 0), "its connection is still open");
    balanced(&metrics);
}

#[tokio::test(start_paused = true)]
async fn a_session_that_ends_in_a_call_finishes_it_in_the_accounts() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, LATEST).await;
    let answer = client.post(&client.call(1, "gate", json!({}))).await;
    client.delete().await;
    answer.response().await;
    let metrics = service.endpoint().metrics();
    assert_eq!((metrics.running, metrics.requests_cancelled), (0, 0));
    assert_eq!((metrics.streams_attached, metrics.streams_detached), (2, 2));
    balanced(&metrics);
}

#[tokio::test(start_paused = true)]
async fn what_was_handed_to_a_connection_and_what_was_handed_again_are_told_apart() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, LATEST).await;
    let before = service.endpoint().metrics().messages_handed;
    let mut answer = client.post(&client.call(1, "steps", json!({ "n": 2, "ms": 1 }))).await;
    let cursor = answer.said().await.expect("a priming event").id.expect("an id");
    assert_eq!(answer.messages().await.len(), 3);
    assert_eq!(client.get(Some(&cursor)).await.messages().await.len(), 3);
    let metrics = service.endpoint().metrics();
    let handed = metrics.messages_handed - before;
    assert_eq!((handed, metrics.messages_replayed, metrics.streams_resumed), (3, 3, 1));
}
