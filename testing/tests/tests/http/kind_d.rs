//! Faults that others have met, of kind D: cancellation and progress. The names are those of the collection they
//! stand in.

use std::time::Duration;

use hermes_testkit::raw::{Frame, RawError, Session};
use serde_json::{Value, json};

use crate::{LATEST, LEGACY, MODERN, Sleeps, demo, first_id, text, within};

fn cancelled(id: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id, "reason": "t" } })
}

// spec: R221
#[tokio::test]
async fn b033_the_stream_of_a_cancelled_request_ends_without_an_answer() -> Result<(), RawError> {
    let demo = demo();
    for (at, revision) in LEGACY.into_iter().enumerate() {
        let session = Session::open(demo.target(), revision).await?;
        let mut answer = session.post(&session.call(2, "sleep", json!({ "ms": 60_000 }))).await?;
        session.tell(&cancelled(&json!(2))).await?;
        loop {
            match within(Duration::from_secs(5), "the end of the stream", answer.frame()).await? {
                Frame::Comment(_) => {}
                Frame::End => break,
                Frame::Event(event) => assert_eq!(event.message()?, None, "{revision}"),
            }
        }
        let ended = at as u64 + 1;
        Sleeps::until(&session, Sleeps { started: ended, done: 0, cancelled: ended }).await?;
        let free = session.ask(&session.call(2, "echo", json!({ "text": "free again" }))).await?;
        assert_eq!(text(&free), "free again");
    }
    Ok(())
}

// spec: R140
#[tokio::test]
async fn b035_a_disconnect_in_the_legacy_era_cancels_nothing() -> Result<(), RawError> {
    let demo = demo();
    for (at, revision) in LEGACY.into_iter().enumerate() {
        let session = Session::open(demo.target(), revision).await?;
        let get = session.get(None).await?;
        let answer = session.post(&session.call(3, "sleep", json!({ "ms": 300 }))).await?;
        get.reset()?;
        answer.reset()?;
        let ended = at as u64 + 1;
        Sleeps::until(&session, Sleeps { started: ended, done: ended, cancelled: 0 }).await?;
    }
    Ok(())
}

// spec: R223, R224
#[tokio::test]
async fn b036_nothing_is_said_for_a_request_after_its_cancellation() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY {
        let session = Session::open(demo.target(), revision).await?;
        let call = session.call_with_progress(4, "progress", json!({ "n": 1000, "interval_ms": 5 }), "p");
        let mut answer = session.post(&call).await?;
        assert_eq!(
            answer.message().await?.map(|note| note["params"]["progressToken"].clone()),
            Some(json!("p"))
        );
        session.tell(&cancelled(&json!(4))).await?;
        // Notes that were on their way are read; no answer comes, and the stream ends.
        while let Some(message) = answer.message().await? {
            assert_eq!(message["method"], "notifications/progress", "{message}");
        }
        for again in [json!(4), json!(999), json!("4")] {
            session.tell(&cancelled(&again)).await?;
        }
        session.tell(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": {} })).await?;
        session.ask(&session.request(5, "ping", json!({}))).await?;
    }
    Ok(())
}

// spec: R237, R238, R239
#[tokio::test]
async fn b037_progress_is_reported_under_the_token_of_its_request_and_not_unasked() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        let arguments = json!({ "n": 3, "interval_ms": 1 });
        let call = session.call_with_progress(1, "progress", arguments.clone(), "abc");
        let outcome = session.post(&call).await?.outcome().await?;
        let notes: Vec<_> = outcome.before.iter().map(|note| &note["params"]).collect();
        let tokens: Vec<_> = notes.iter().map(|params| &params["progressToken"]).collect();
        let steps: Vec<_> = notes.iter().map(|params| params["progress"].as_f64()).collect();
        assert_eq!((tokens, steps), (vec![&json!("abc"); 3], [1.0, 2.0, 3.0].map(Some).to_vec()));
        let outcome = session.post(&session.call(2, "progress", arguments)).await?.outcome().await?;
        assert_eq!(outcome.before, Vec::<Value>::new());
    }
    Ok(())
}

// spec: R236
#[tokio::test]
async fn b038_the_tokens_0_and_empty_are_tokens() -> Result<(), RawError> {
    let demo = demo();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let session = Session::open(demo.target(), revision).await?;
        for token in [json!(0), json!(7), json!("")] {
            let arguments = json!({ "n": 2, "interval_ms": 1 });
            let call = session.call_with_progress(0, "progress", arguments, token.clone());
            let outcome = session.post(&call).await?.outcome().await?;
            let tokens: Vec<_> = outcome.before.iter().map(|note| &note["params"]["progressToken"]).collect();
            assert_eq!((tokens, &outcome.response["id"]), (vec![&token; 2], &json!(0)), "{revision}");
        }
    }
    Ok(())
}

// spec: R179, R180, R231
#[tokio::test]
async fn b034_in_the_modern_era_a_closed_stream_cancels_its_call_and_no_other() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), MODERN).await?;
    let kept = session.post(&session.call(1, "sleep", json!({ "ms": 60_000 }))).await?;
    for (number, reset) in [(1, true), (2, false)] {
        let answer = session.post(&session.call(1, "sleep", json!({ "ms": 60_000 }))).await?;
        if reset {
            answer.reset()?;
        } else {
            drop(answer);
        }
        Sleeps::until(&session, Sleeps { started: 1 + number, done: 0, cancelled: number }).await?;
    }
    // The first went on all the time.
    drop(kept);
    Sleeps::until(&session, Sleeps { started: 3, done: 0, cancelled: 3 }).await
}

// spec: R221
#[tokio::test]
async fn a_cancelled_call_has_nothing_to_resume() -> Result<(), RawError> {
    let demo = demo();
    let session = Session::open(demo.target(), LATEST).await?;
    let mut answer = session.post(&session.call(2, "sleep", json!({ "ms": 60_000 }))).await?;
    let cursor = first_id(&mut answer).await?;
    drop(answer);
    session.tell(&cancelled(&json!(2))).await?;
    let mut resumed = session.get(Some(&cursor)).await?;
    let body = within(Duration::from_secs(3), "an end", resumed.body()).await?;
    let body = String::from_utf8_lossy(&body).into_owned();
    assert!(!body.contains("\"result\""), "{body}");
    Ok(())
}
