//! Servers that are started anew while they answer.

use hermes_client::{Client, ClientError};
use serde_json::json;
use tokio::sync::Notify;

use crate::fake::{Asked, Events, Fake, text};

/// An answer begins with an event that has an id and names a pause. It has been read, as progress was heard of.
async fn begin(asked: Asked, retry: u32, heard: &Notify) -> Events {
    let token = &asked.body["params"]["_meta"]["progressToken"];
    let progress = json!({ "jsonrpc": "2.0", "method": "notifications/progress",
        "params": { "progressToken": token, "progress": 1 } });
    let mut events = asked.events().await;
    events.raw(&format!("id: 1\nretry: {retry}\ndata: {progress}\n\n")).await;
    heard.notified().await;
    events
}

#[tokio::test]
async fn a_call_whose_server_was_restarted_does_not_wait_for_the_pause_that_the_server_wanted() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let heard = Notify::new();
    let script = async {
        begin(fake.expect("tools/call").await, 60_000, &heard).await.reset();
        fake.expect("ping").await.status(404).await;
        fake.renew("s2").await;
        for _ in 0..2 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s2"));
            match &*asked.verb {
                "GET" => asked.status(405).await,
                _ => asked.result(json!({})).await,
            }
        }
    };
    let call = client.call("t", ()).on_progress(|_| heard.notify_one()).into_future();
    let (outcome, ()) = tokio::join!(call, script);
    assert!(matches!(outcome, Err(ClientError::SessionExpired { .. })), "{outcome:?}");
    assert!(fake.is_idle());
}

#[tokio::test]
async fn calls_that_break_together_have_one_look_at_the_session() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let heard = Notify::new();
    let script = async {
        let mut broken = Vec::new();
        for _ in 0..3 {
            broken.push(begin(fake.expect("tools/call").await, 60_000, &heard).await);
        }
        broken.into_iter().for_each(Events::reset);
        fake.expect("ping").await.status(404).await;
        fake.renew("s2").await;
        for _ in 0..2 {
            let asked = fake.next().await;
            match &*asked.verb {
                "GET" => asked.status(405).await,
                _ => asked.result(json!({})).await,
            }
        }
    };
    let call = || client.call("t", ()).on_progress(|_| heard.notify_one()).into_future();
    let (a, b, c, ()) = tokio::join!(call(), call(), call(), script);
    for outcome in [a, b, c] {
        assert!(matches!(outcome, Err(ClientError::SessionExpired { .. })), "{outcome:?}");
    }
    assert!(fake.is_idle());
}

#[tokio::test]
async fn a_session_that_is_still_there_is_left_alone() {
    let (mut fake, client) = Fake::legacy(Client::builder(), "2025-11-25").await;
    let heard = Notify::new();
    let script = async {
        let asked = fake.expect("tools/call").await;
        let request = asked.body.clone();
        begin(asked, 100, &heard).await.reset();
        for _ in 0..2 {
            let asked = fake.next().await;
            assert_eq!(asked.header("mcp-session-id"), Some("s1"));
            if asked.verb == "GET" {
                assert_eq!(asked.header("last-event-id"), Some("1"));
                asked.events().await.result(&request, &text("done")).await;
            } else {
                assert_eq!(asked.method(), "ping");
                asked.result(json!({})).await;
            }
        }
    };
    let call = client.call("t", ()).on_progress(|_| heard.notify_one()).into_future();
    let (outcome, ()) = tokio::join!(call, script);
    outcome.expect("the rest");
    assert!(fake.is_idle());
}
