//! Connections that end early: a dropped body is all that the service sees of it.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{Client, LATEST, LEGACY, MODERN, text};
use crate::stage::Stage;

const NOTES: u64 = 4;

fn steps(client: &Client, id: i64) -> Value {
    client.call(id, "steps", json!({ "n": NOTES, "ms": 20 }))
}

/// What a call of `steps` says, in order: its notes by number, and its response as the last.
fn numbers(messages: &[Value]) -> Vec<u64> {
    let number = |message: &Value| match message["params"]["progress"].as_f64() {
        Some(step) => step as u64,
        None => {
            assert_eq!(text(message), "done");
            NOTES + 1
        }
    };
    messages.iter().map(number).collect()
}

// spec: R140, R145
#[tokio::test(start_paused = true)]
async fn a_legacy_call_whose_body_is_dropped_at_any_frame_goes_on_and_is_resumed_without_loss_or_repetition()
{
    for revision in LEGACY {
        let stage = Stage::new();
        let service = stage.http().service();
        let client = Client::open(&service, revision).await;
        let mut whole = client.post(&steps(&client, 0)).await;
        let mut frames = 0;
        while whole.frame().await.is_some() {
            frames += 1;
        }
        assert!(frames > NOTES as usize, "each note has a frame of its own: {frames}");
        for cut in 0..frames {
            let call = cut as i64 + 1;
            let mut answer = client.post(&steps(&client, call)).await;
            let (mut read, mut last) = (Vec::new(), None);
            for _ in 0..cut {
                let said = answer.said().await.expect("the stream goes on");
                last = said.id.clone().or(last);
                read.extend(said.message());
            }
            drop(answer);
            if let Some(last) = last {
                let rest = client.get(Some(&last)).await;
                read.extend(rest.messages().await);
                assert_eq!(numbers(&read), [1, 2, 3, 4, 5], "{revision}, cut after {cut} of {frames}");
            }
            tokio::time::advance(Duration::from_secs(1)).await;
            tokio::task::yield_now().await;
        }
        let all = frames as u64 + 1;
        assert_eq!(stage.deeds.counts(), (all, all, 0), "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_result_that_nobody_fetched_is_kept_as_long_as_was_set_and_then_counted() {
    let stage = Stage::new();
    let service = stage.http().retention(Duration::from_secs(90)).service();
    let client = Client::open(&service, LATEST).await;
    let mut cursors = Vec::new();
    for id in [1, 2] {
        let mut answer = client.post(&client.call(id, "wait", json!({ "ms": 1000 }))).await;
        cursors.extend(answer.said().await.expect("a priming event").id);
    }
    tokio::time::sleep(Duration::from_secs(80)).await;
    let rest = client.get(Some(&cursors[0])).await.messages().await;
    assert_eq!((rest.len(), text(&rest[0])), (1, "done"));
    tokio::time::sleep(Duration::from_secs(20)).await;
    let refused = client.get(Some(&cursors[1])).await.refusal(400).await;
    assert_eq!(refused["id"], Value::Null);
    assert_eq!(service.endpoint().metrics().expired_unsent, 1);
}

// spec: R179, R180, R231
#[tokio::test(start_paused = true)]
async fn a_modern_call_whose_body_is_dropped_at_any_frame_is_cancelled_there() {
    let stage = Stage::new();
    let service = stage.http().service();
    let client = Client::open(&service, MODERN).await;
    let mut whole = client.post(&steps(&client, 0)).await;
    let mut frames = 0;
    while whole.frame().await.is_some() {
        frames += 1;
    }
    assert!(frames > NOTES as usize, "each note has a frame of its own: {frames}");
    for cut in 0..frames {
        let mut answer = client.post(&steps(&client, cut as i64 + 1)).await;
        for _ in 0..cut {
            answer.frame().await.expect("the stream goes on");
        }
        drop(answer);
        let ended = cut as u64 + 1;
        assert_eq!(stage.deeds.counts(), (ended + 1, 1, ended), "cut after {cut} of {frames}");
        let metrics = service.endpoint().metrics();
        assert_eq!((metrics.requests_finished, metrics.requests_cancelled, metrics.running), (1, ended, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_is_cancelled_also_before_its_head_is_out() {
    let stage = Stage::new();
    let service = stage.http().service();
    let client = Client::open(&service, MODERN).await;
    let call = client.call(1, "gate", json!({}));
    let gone = tokio::time::timeout(Duration::from_millis(50), client.post(&call)).await;
    assert!(gone.is_err(), "it was waited for");
    assert_eq!(stage.deeds.counts(), (1, 0, 1));
    assert_eq!(service.endpoint().metrics().requests_cancelled, 1);
}

// spec: R147, R148
#[tokio::test(start_paused = true)]
async fn a_server_that_lets_go_says_when_to_come_back_and_keeps_the_rest() {
    let stage = Stage::new();
    let service = stage.http().service();
    let client = Client::open(&service, LATEST).await;
    let mut answer = client.post(&client.call(1, "leave", json!({ "ms": 60_000 }))).await;
    let priming = answer.said().await.expect("a priming event");
    let cursor = priming.id.expect("an id went out before anything else");
    let last = answer.said().await.expect("a word before the end");
    assert_eq!((last.retry, last.data.as_deref().unwrap_or_default(), last.id), (Some(1500), "", None));
    assert_eq!(answer.said().await, None, "then the stream ends");
    drop(answer);
    let rest = client.get(Some(&cursor)).await.messages().await;
    assert_eq!((rest.len(), text(&rest[0])), (1, "done true"));
}

// spec: R138
#[tokio::test(start_paused = true)]
async fn revisions_without_polling_and_the_modern_era_keep_the_connection() {
    let service = Stage::new().http().service();
    for revision in LEGACY.into_iter().filter(|it| *it != LATEST).chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let mut answer = client.post(&client.call(1, "leave", json!({ "ms": 1_000 }))).await;
        let mut response = None;
        while let Some(said) = answer.said().await {
            assert_eq!(said.retry, None, "{revision}");
            response = said.message().or(response);
        }
        assert_eq!(text(&response.expect("a response")), "done false", "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_response_that_its_connection_never_takes_is_not_taken_for_delivered() {
    let service = Stage::new().http().service();
    for (revision, undelivered) in [(LATEST, 1), (MODERN, 2)] {
        let client = Client::open(&service, revision).await;
        let before = service.endpoint().metrics().responses_undelivered;
        client.ask(&client.call(1, "echo", json!({ "text": "taken" }))).await;
        assert_eq!(service.endpoint().metrics().responses_undelivered, before, "{revision}");
        drop(client.post(&client.call(2, "echo", json!({ "text": "left" }))).await);
        assert_eq!(service.endpoint().metrics().responses_undelivered, undelivered, "{revision}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_cancelled_and_can_only_be_answered_in_one_text_is_never_202() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, LATEST).await;
    let call = client.call(1, "gate", json!({}));
    let cancel = json!({
        "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 },
    });
    let waiting = client.post_with(&call, &[("accept", "application/json")]);
    let (answer, told) = tokio::join!(waiting, client.post(&cancel));
    assert_eq!((answer.status(), told.status()), (204, 202));
    assert_eq!(answer.text().await, "");
}
