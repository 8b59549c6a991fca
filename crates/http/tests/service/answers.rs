//! In which form an answer comes, and when.

use std::time::Duration;

use serde_json::json;
use tokio::time::Instant;

use crate::client::{Client, LATEST, LEGACY, MODERN, text};
use crate::stage::Stage;

const MS: Duration = Duration::from_millis(1);

#[tokio::test(start_paused = true)]
async fn what_is_ready_at_its_first_poll_is_one_json_text() {
    let service = Stage::new().http().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let began = Instant::now();
        let answer = client.post(&client.call(1, "echo", json!({ "text": "x" }))).await;
        assert_eq!((answer.status(), answer.header("content-type")), (200, Some("application/json")));
        assert_eq!((text(&answer.response().await), began.elapsed()), ("x", Duration::ZERO));
    }
}

#[tokio::test(start_paused = true)]
async fn a_modern_call_is_json_for_100_ms_and_a_stream_whose_head_is_out_from_then_on() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, MODERN).await;
    let began = Instant::now();
    let answer = client.post(&client.call(1, "wait", json!({ "ms": 98 }))).await;
    assert!(!answer.is_events() && began.elapsed() < 100 * MS, "{:?}", began.elapsed());
    assert_eq!(text(&answer.response().await), "done");

    let began = Instant::now();
    let mut answer = client.post(&client.call(2, "wait", json!({ "ms": 60_000 }))).await;
    assert!(answer.is_events() && began.elapsed() <= 101 * MS, "{:?}", began.elapsed());
    let first = answer.said().await.expect("a stream that has begun");
    assert_eq!(first.comment.as_deref(), Some(""), "what stands between passes the head on");
    assert!(began.elapsed() <= 101 * MS, "{:?}", began.elapsed());
    assert_eq!(text(&answer.response().await), "done");
}

// spec: R146, R178
#[tokio::test(start_paused = true)]
async fn a_legacy_call_that_waits_has_its_head_out_at_once_and_can_be_resumed_from_it() {
    let service = Stage::new().http().service();
    for revision in LEGACY {
        let client = Client::open(&service, revision).await;
        let began = Instant::now();
        let mut answer = client.post(&client.call(1, "wait", json!({ "ms": 60_000 }))).await;
        for (name, value) in [
            ("content-type", "text/event-stream"),
            ("cache-control", "no-cache"),
            ("x-accel-buffering", "no"),
        ] {
            assert_eq!(answer.header(name), Some(value));
        }
        let first = answer.said().await.expect("a stream that has begun");
        let primed = first.id.is_some() && first.data.as_deref() == Some("");
        assert_eq!(primed, revision == LATEST, "{first:?}");
        assert_eq!(began.elapsed(), Duration::ZERO);
        assert_eq!(text(&answer.response().await), "done");
    }
}

#[tokio::test(start_paused = true)]
async fn a_silent_stream_gives_a_sign_of_life_at_every_interval() {
    for interval in [Duration::from_secs(15), Duration::from_secs(1)] {
        let service = Stage::new().http().keep_alive(interval).service();
        for revision in LEGACY.into_iter().chain([MODERN]) {
            let client = Client::open(&service, revision).await;
            let mut streams = vec![client.post(&client.call(1, "wait", json!({ "ms": 600_000 }))).await];
            if revision != MODERN {
                streams.push(client.get(None).await);
            }
            for mut stream in streams {
                stream.said().await.expect("a stream that has begun");
                let mut before = Instant::now();
                for _ in 0..4 {
                    let said = stream.said().await.expect("the stream goes on");
                    assert_eq!(said.comment.as_deref(), Some("keep-alive"), "{said:?}");
                    let waited = before.elapsed();
                    assert!(waited.abs_diff(interval) <= 2 * MS, "{revision}: {waited:?}");
                    before = Instant::now();
                }
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_silent_for_ten_minutes_completes() {
    let service = Stage::new().http().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let began = Instant::now();
        let response = client.ask(&client.call(1, "wait", json!({ "ms": 600_000 }))).await;
        assert_eq!(text(&response), "done");
        assert!(began.elapsed() >= Duration::from_secs(600), "{:?}", began.elapsed());
    }
}

#[tokio::test(start_paused = true)]
async fn a_client_that_takes_json_only_gets_json_however_long_it_takes() {
    let service = Stage::new().http().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let call = client.call(1, "steps", json!({ "n": 3, "ms": 5_000 }));
        let answer = client.post_with(&call, &[("accept", "application/json")]).await;
        assert!(!answer.is_events());
        assert_eq!(text(&answer.response().await), "done");
    }
}

#[tokio::test(start_paused = true)]
async fn always_stream_gives_events_also_for_what_is_ready_to_those_who_read_them() {
    let service = Stage::new().http().always_stream().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let mut answer = client.post(&client.call(1, "echo", json!({ "text": "x" }))).await;
        let mut last = answer.said().await.expect("an event");
        while last.message().is_none() {
            last = answer.said().await.expect("an event");
        }
        assert_eq!(text(&last.message().expect("a response")), "x");
        assert_eq!(last.id.is_some(), revision != MODERN, "{last:?}");
        assert_eq!(answer.said().await, None, "the stream ends behind it");
        let call = client.call(2, "echo", json!({ "text": "x" }));
        let answer = client.post_with(&call, &[("accept", "application/json")]).await;
        assert_eq!((answer.is_events(), text(&answer.response().await)), (false, "x"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_leaves_every_other_call_alone() {
    let stage = Stage::new();
    let service = stage.http().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let client = Client::open(&service, revision).await;
        let beside = client.post(&client.call(1, "wait", json!({ "ms": 300 }))).await;
        let failed = client.ask(&client.call(2, "panic", json!({}))).await;
        assert_eq!((&failed["id"], &failed["error"]["code"]), (&json!(2), &json!(-32603)));
        assert_eq!(text(&beside.response().await), "done");
        assert_eq!(text(&client.ask(&client.call(3, "echo", json!({ "text": "x" }))).await), "x");
    }
    assert_eq!(service.endpoint().metrics().running, 0);
}

// spec: R175, R177, R181
#[tokio::test(start_paused = true)]
async fn a_modern_stream_has_what_belongs_to_its_request_ends_with_its_response_and_says_no_more_when_it_is_closed()
 {
    let service = Stage::new().http().service();
    let client = Client::open(&service, MODERN).await;
    let steps = json!({ "n": 3, "ms": 50 });
    let listen = json!({ "notifications": { "toolsListChanged": true } });
    let mut listening = client.post(&client.request(9, "subscriptions/listen", listen)).await;
    listening.message().await.expect("an acknowledgement");
    let mut closed = client.post(&client.call(1, "steps", steps.clone())).await;
    let first = closed.message().await.expect("a note");
    assert_eq!(first["params"]["progressToken"], 1, "{first}");
    let (two, three) = (
        client.post(&client.call(2, "steps", steps.clone())).await,
        client.post(&client.call(3, "steps", steps)).await,
    );
    drop(closed);
    let (two, three) = tokio::join!(two.messages(), three.messages());
    for (id, messages) in [(2, two), (3, three)] {
        let (response, notes) = messages.split_last().expect("a response");
        assert_eq!((&response["id"], notes.len()), (&json!(id), 3));
        assert!(notes.iter().all(|note| note["params"]["progressToken"] == id), "{notes:?}");
    }
    let silent = tokio::time::timeout(Duration::from_secs(10), listening.message()).await;
    assert!(silent.is_err(), "what was said for calls went elsewhere: {silent:?}");
}

// spec: R176
#[tokio::test(start_paused = true)]
async fn a_modern_stream_has_no_request_not_even_for_a_handler_that_asks() {
    let service = Stage::new().http().always_stream().service();
    let client = Client::open(&service, MODERN).await;
    let answer = client.post(&client.call(1, "ask", json!({}))).await;
    assert!(answer.is_events());
    let messages = answer.messages().await;
    let [response] = messages.as_slice() else { panic!("the response alone: {messages:?}") };
    assert_eq!((&response["id"], &response["result"]["resultType"]), (&json!(1), &json!("input_required")));
}
