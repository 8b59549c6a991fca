//! A server that does not speak what it spoke.

use hermes_client::{Client, ClientBuilder, Event, KnownServers};
use serde_json::{Value, json};

use crate::fake::{Fake, discovered, text};

const LEGACY: &str = "2025-11-25";

/// A client that remembers nobody but whom it meets here.
fn builder(known: &KnownServers) -> ClientBuilder {
    Client::builder().known_servers(known.clone())
}

/// A legacy server begins a session.
async fn begin(fake: &mut Fake, revision: &str, session: &str) {
    fake.expect("initialize").await.initialized(revision, Some(session)).await;
    fake.expect("notifications/initialized").await.status(202).await;
    fake.expect_verb("GET").await.status(405).await;
}

async fn probed_and_begun(fake: &mut Fake) {
    fake.expect("server/discover").await.error(400, json!({ "code": -32000, "message": "no session" })).await;
    begin(fake, LEGACY, "s1").await;
}

/// An error that only a modern server sends.
fn unsupported() -> Value {
    json!({ "code": -32022, "message": "m", "data": { "supported": ["2026-07-28"], "requested": LEGACY } })
}

#[tokio::test]
async fn a_server_that_is_known_is_not_probed_again() {
    let (mut fake, known) = (Fake::start().await, KnownServers::new());
    let url = fake.url.clone();
    let (first, ()) = tokio::join!(builder(&known).connect(&url), probed_and_begun(&mut fake));
    let first = first.expect("connected");
    // Neither is the other way of naming it a way to forget.
    let again = format!("{url}?token=1");
    let (second, ()) = tokio::join!(builder(&known).connect(&again), begin(&mut fake, LEGACY, "s2"));
    assert_eq!(second.expect("connected").revision(), first.revision());
    // Whoever does not share the memory asks.
    let other = KnownServers::new();
    let (third, ()) = tokio::join!(builder(&other).connect(&url), async {
        loop {
            let asked = fake.next().await;
            if asked.method() == "server/discover" {
                break asked.result(discovered()).await;
            }
            // The second client takes leave meanwhile.
            assert_eq!(asked.verb, "DELETE");
            asked.status(204).await;
        }
    });
    assert!(third.expect("connected").revision().is_modern());
}

#[tokio::test]
async fn a_known_server_that_has_become_modern_costs_one_more_request() {
    let (mut fake, known) = (Fake::start().await, KnownServers::new());
    let url = fake.url.clone();
    let (first, ()) = tokio::join!(builder(&known).connect(&url), probed_and_begun(&mut fake));
    let _first = first.expect("connected");
    let (second, ()) = tokio::join!(builder(&known).connect(&url), async {
        fake.expect("initialize").await.error(400, unsupported()).await;
        fake.expect("server/discover").await.result(discovered()).await;
    });
    assert!(second.expect("connected").revision().is_modern());
    let (third, ()) = tokio::join!(builder(&known).connect(&url), async {
        fake.expect("server/discover").await.result(discovered()).await;
    });
    assert!(third.expect("connected").revision().is_modern());
}

#[tokio::test]
async fn a_modern_server_that_has_become_a_legacy_one_carries_the_call_out() {
    let (mut fake, client) = Fake::modern(builder(&KnownServers::new())).await;
    let mut events = client.events();
    let (result, ()) = tokio::join!(async { client.call("add", json!({})).await }, async {
        let refused = json!({ "code": -32000, "message": "Bad Request: no valid session ID provided" });
        fake.expect("tools/call").await.error(400, refused).await;
        probed_and_begun(&mut fake).await;
        let call = fake.expect("tools/call").await;
        assert_eq!(call.header("mcp-session-id"), Some("s1"));
        call.result(text("5")).await;
    });
    assert_eq!(result.expect("a result").raw.get(), text("5").to_string());
    assert_eq!(client.revision().as_str(), LEGACY);
    assert!(matches!(events.next().await, Some(Event::Reopened(revision)) if revision.as_str() == LEGACY));
}

#[tokio::test]
async fn a_legacy_server_that_has_become_a_modern_one_carries_the_call_out() {
    for (status, code) in [(400, -32022)] {
        let (mut fake, client) = Fake::legacy(builder(&KnownServers::new()), LEGACY).await;
        let (result, ()) = tokio::join!(async { client.call("add", json!({})).await }, async {
            let refused = json!({ "code": code, "message": "m", "data": { "supported": ["2026-07-28"] } });
            fake.expect("tools/call").await.error(status, refused).await;
            // This client speaks the legacy era alone, and says so.
            fake.expect("initialize").await.error(400, unsupported()).await;
        });
        assert_eq!(result.expect_err("refused").rpc().map(|error| error.code), Some(code));
    }
    let (mut fake, known) = (Fake::start().await, KnownServers::new());
    let url = fake.url.clone();
    let (client, ()) = tokio::join!(builder(&known).connect(&url), probed_and_begun(&mut fake));
    let client = client.expect("connected");
    let (result, ()) = tokio::join!(async { client.call("add", json!({})).await }, async {
        fake.expect("tools/call").await.error(400, unsupported()).await;
        fake.expect("server/discover").await.result(discovered()).await;
        loop {
            let asked = fake.next().await;
            // The lost session is taken leave of meanwhile.
            match asked.verb.as_str() {
                "DELETE" => asked.status(404).await,
                _ => break asked.result(text("5")).await,
            }
        }
    });
    assert_eq!(result.expect("a result").raw.get(), text("5").to_string());
    assert!(client.revision().is_modern());
}

#[tokio::test]
async fn a_server_that_comes_back_with_another_revision_carries_the_refused_call_out() {
    let (mut fake, known) = (Fake::start().await, KnownServers::new());
    let url = fake.url.clone();
    let (client, ()) = tokio::join!(builder(&known).connect(&url), probed_and_begun(&mut fake));
    let client = client.expect("connected");
    let (result, ()) = tokio::join!(async { client.call("add", json!({})).await }, async {
        fake.expect("tools/call").await.status(404).await;
        fake.expect("initialize").await.initialized("2025-06-18", Some("s2")).await;
        fake.expect("server/discover").await.status(400).await;
        fake.expect("initialize").await.initialized("2025-06-18", Some("s3")).await;
        fake.expect("notifications/initialized").await.status(202).await;
        loop {
            let asked = fake.next().await;
            match asked.verb.as_str() {
                "GET" => asked.status(405).await,
                "DELETE" => asked.status(204).await,
                _ => {
                    assert_eq!(asked.header("mcp-session-id"), Some("s3"));
                    assert_eq!(asked.header("mcp-protocol-version"), Some("2025-06-18"));
                    break asked.result(text("5")).await;
                }
            }
        }
    });
    assert_eq!(result.expect("a result").raw.get(), text("5").to_string());
    assert_eq!(client.revision().as_str(), "2025-06-18");
}

#[tokio::test]
async fn an_error_that_only_looks_like_the_other_era_is_the_outcome() {
    let (mut fake, client) = Fake::modern(builder(&KnownServers::new())).await;
    let busy = json!({ "code": -32000, "message": "busy" });
    for is_first in [true, false] {
        let (refused, ()) = tokio::join!(async { client.call("add", json!({})).await }, async {
            fake.expect("tools/call").await.error(400, busy.clone()).await;
            if is_first {
                fake.expect("server/discover").await.result(discovered()).await;
            }
        });
        assert_eq!(refused.expect_err("refused").rpc().map(|error| error.code), Some(-32000));
        assert!(fake.is_idle());
    }
}
