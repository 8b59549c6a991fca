//! Requests that are lost, and those of them that are sent once more.

use std::time::Duration;

use hermes_client::{Client, ClientBuilder, ClientError};
use hermes_types::ElicitResult;
use serde_json::{Value, json};

use crate::fake::{Fake, text};

/// A list of one tool that says this of itself.
fn listed(annotations: &Value) -> Value {
    json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "tools": [{ "name": "t", "inputSchema": { "type": "object" }, "annotations": annotations }],
    })
}

fn done(said: &str) -> Value {
    let mut result = text(said);
    result["resultType"] = json!("complete");
    result
}

/// Takes the client's next request, and loses it after it was accepted.
async fn lose(fake: &mut Fake, method: &str) -> Value {
    fake.expect(method).await.cut().await
}

// spec: R216
#[tokio::test]
async fn a_read_that_is_lost_is_sent_once_more_under_a_new_id() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        let first = lose(&mut fake, "resources/read").await;
        let second = fake.expect("resources/read").await;
        assert_ne!(second.body["id"], first["id"]);
        assert_eq!(second.body["params"], first["params"]);
        second.result(json!({ "resultType": "complete", "contents": [] })).await;
    };
    let (outcome, ()) = tokio::join!(client.read("a://b").into_future(), script);
    outcome.expect("contents");
    assert_eq!(client.pending(), 0);
}

// spec: R216
#[tokio::test]
async fn a_second_loss_is_told() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async {
        for _ in 0..2 {
            lose(&mut fake, "resources/read").await;
        }
    };
    let (outcome, ()) = tokio::join!(client.read("a://b").into_future(), script);
    let error = outcome.expect_err("lost twice");
    assert!(matches!(error, ClientError::StreamEnded { .. }), "{error:?}");
    assert!(fake.is_idle());
}

// spec: R216, R277
#[tokio::test]
async fn a_call_that_is_lost_is_told_unless_its_caller_or_a_trusted_tool_says_that_it_does_no_harm() {
    let says = |annotations: Value| Some(annotations);
    let trusting = || Client::builder().trust_annotations();
    let cases: [(ClientBuilder, Option<Value>, bool, bool); 7] = [
        (Client::builder(), None, false, false),
        (Client::builder(), says(json!({ "readOnlyHint": true, "idempotentHint": true })), false, false),
        (Client::builder(), None, true, true),
        (trusting(), None, false, false),
        (trusting(), says(json!({ "destructiveHint": false })), false, false),
        (trusting(), says(json!({ "readOnlyHint": true })), false, true),
        (trusting(), says(json!({ "idempotentHint": true })), false, true),
    ];
    for (builder, annotations, asked_for, again) in cases {
        let told = format!("{annotations:?} {asked_for}");
        let (mut fake, client) = Fake::modern(builder).await;
        if let Some(annotations) = annotations {
            let script = async { fake.expect("tools/list").await.result(listed(&annotations)).await };
            let (list, ()) = tokio::join!(client.list_all_tools(), script);
            list.expect("a list");
        }
        let script = async {
            lose(&mut fake, "tools/call").await;
            if again {
                fake.expect("tools/call").await.result(done("here")).await;
            }
        };
        let call = client.call("t", ());
        let call = if asked_for { call.retry_if_lost() } else { call };
        let (outcome, ()) = tokio::join!(call.into_future(), script);
        assert_eq!(outcome.is_ok(), again, "{told}: {outcome:?}");
        assert!(fake.is_idle(), "{told}");
    }
}

// spec: R404
#[tokio::test]
async fn a_request_that_carries_answers_is_not_sent_once_more_whatever_its_caller_says() {
    let builder = Client::builder().on_elicit(|_| async { Ok(ElicitResult::decline()) });
    let (mut fake, client) = Fake::modern(builder).await;
    let question = json!({
        "method": "elicitation/create",
        "params": { "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": {} } },
    });
    let script = async {
        let asks = json!({ "resultType": "input_required", "inputRequests": { "q": question } });
        fake.expect("tools/call").await.result(asks).await;
        lose(&mut fake, "tools/call").await;
    };
    let (outcome, ()) = tokio::join!(client.call("t", ()).retry_if_lost().into_future(), script);
    let error = outcome.expect_err("lost");
    assert!(matches!(error, ClientError::StreamEnded { .. }), "{error:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn what_never_left_is_tried_once_more_and_then_told() {
    let (fake, client) = Fake::modern(Client::builder()).await;
    fake.gone().await;
    let error = client.call("t", ()).await.expect_err("nobody is there");
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error:?}");
}

#[tokio::test]
async fn when_no_time_is_left_a_loss_is_told() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let script = async { lose(&mut fake, "resources/read").await };
    let read = client.read("a://b").timeout(Duration::from_millis(200)).into_future();
    let (outcome, _) = tokio::join!(read, script);
    let error = outcome.expect_err("lost");
    assert!(matches!(error, ClientError::StreamEnded { .. }), "{error:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_read_that_goes_with_its_session_is_sent_once_more_in_the_next_one() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        let accepted = fake.expect("resources/read").await.events().await;
        fake.expect("tools/call").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-11-25", Some("s2")).await;
        fake.expect("notifications/initialized").await.status(202).await;
        let mut read = 0;
        for _ in 0..3 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"));
            match (asked.verb.as_str(), asked.method()) {
                ("GET", _) => asked.status(405).await,
                (_, "resources/read") => {
                    read += 1;
                    asked.result(json!({ "contents": [] })).await;
                }
                _ => asked.result(text("here")).await,
            }
        }
        assert_eq!(read, 1);
        accepted.hung_up().await;
    };
    let (read, call, ()) =
        tokio::join!(client.read("a://b").into_future(), client.call("t", ()).into_future(), script);
    read.expect("contents");
    call.expect("a result");
    assert!(fake.is_idle());
}
