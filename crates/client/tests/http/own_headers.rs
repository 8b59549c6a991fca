//! Headers of one request alone.

use hermes_client::{Client, ClientError};
use serde_json::{Value, json};

use crate::fake::{Fake, text};

fn listed(name: &str, scope: &str) -> Value {
    json!({
        "resultType": "complete", "ttlMs": 60_000, "cacheScope": scope,
        "tools": [{ "name": name, "inputSchema": { "type": "object" } }],
    })
}

#[tokio::test]
async fn a_request_may_carry_headers_of_its_own_and_replaces_nothing_that_the_protocol_sends() {
    let builder = Client::builder().header("Authorization", "Bearer all").header("X-All", "1");
    let (mut fake, client) = Fake::modern(builder).await;
    let script = async {
        let own = fake.expect("tools/call").await;
        assert_eq!(own.header("authorization"), Some("Bearer one"));
        assert_eq!(own.header("x-all"), Some("1"));
        assert_eq!(own.header("x-one"), Some("2"));
        assert_eq!(own.header("mcp-method"), Some("tools/call"));
        assert_eq!(own.header("accept"), Some("application/json, text/event-stream"));
        own.result(text("")).await;
        let next = fake.expect("tools/call").await;
        assert_eq!(next.header("authorization"), Some("Bearer all"));
        assert_eq!(next.header("x-one"), None);
        next.result(text("")).await;
    };
    let calls = async {
        let own = client.call("t", ()).header("Authorization", "Bearer one").header("X-One", "2");
        own.header("Mcp-Method", "tools/list").header("Accept", "text/html").await.expect("a result");
        client.call("t", ()).await.expect("a result");
    };
    tokio::join!(calls, script);
}

#[tokio::test]
async fn the_rest_of_a_stream_is_asked_for_with_the_headers_of_its_request() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        let mut events = asked.events().await;
        events.raw("id: 7\nretry: 1\ndata:\n\n").await;
        drop(events);
        let rest = fake.expect_verb("GET").await;
        assert_eq!(rest.header("authorization"), Some("Bearer one"));
        assert_eq!(rest.header("last-event-id"), Some("7"));
        rest.events().await.result(&request, &text("here")).await;
    };
    let call = client.call("t", ()).header("Authorization", "Bearer one").into_future();
    let (outcome, ()) = tokio::join!(call, script);
    outcome.expect("a result");
}

#[tokio::test]
async fn what_is_no_header_is_told_and_nothing_is_sent() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    for (name, value) in [("a b", "secret"), ("X-Key", "secret\r\nX: y"), ("Content-Length", "7")] {
        let error = client.call("t", ()).header(name, value).await.expect_err(name);
        assert!(matches!(error, ClientError::Address { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
    assert!(fake.is_idle());
}

// spec: R261
#[tokio::test]
async fn b090_a_private_result_is_not_shown_to_other_credentials_and_a_public_one_is() {
    for (scope, is_shared) in [("private", false), ("public", true)] {
        let (mut fake, client) = Fake::modern(Client::builder().header("Authorization", "Bearer a")).await;
        let script = async {
            fake.expect("tools/list").await.result(listed("a's", scope)).await;
            if !is_shared {
                for _ in 0..2 {
                    let other = fake.expect("tools/list").await;
                    assert_eq!(other.header("authorization"), Some("Bearer b"));
                    other.result(listed("b's", scope)).await;
                }
            }
        };
        let lists = async {
            let name = async |authorization: Option<&str>| {
                let list = client.list_tools(None);
                let list = match authorization {
                    Some(value) => list.header("Authorization", value),
                    None => list,
                };
                list.await.expect("a page").entries[0].name.clone()
            };
            assert_eq!(name(None).await, "a's");
            let expected = if is_shared { "a's" } else { "b's" };
            assert_eq!(name(Some("Bearer b")).await, expected);
            assert_eq!(name(Some("Bearer b")).await, expected, "nor is what it was told kept");
            assert_eq!(name(None).await, "a's");
        };
        tokio::join!(lists, script);
        assert!(fake.is_idle());
    }
}
