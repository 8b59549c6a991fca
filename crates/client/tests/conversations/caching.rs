//! Results that are kept: for how long, for what, and what ends it.

use std::time::Duration;

use hermes_client::{Caching, Client, ClientBuilder};
use hermes_types::{ElicitResult, RawJson, SubscriptionFilter};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::peer::Peer;

const SECOND: Duration = Duration::from_secs(1);

async fn modern(builder: ClientBuilder) -> (Peer, Client) {
    let tools = json!({ "listChanged": true });
    Peer::modern(builder, json!({ "tools": tools, "resources": {}, "prompts": {} })).await
}

/// A page of tools that may be kept for a minute.
fn tools(name: &str) -> Value {
    page(name, &json!(60_000))
}

fn page(name: &str, ttl: &Value) -> Value {
    json!({
        "resultType": "complete",
        "tools": [{ "name": name, "inputSchema": { "type": "object" } }],
        "ttlMs": ttl,
        "cacheScope": "private",
    })
}

fn contents(text: &str) -> Value {
    json!({
        "resultType": "complete",
        "contents": [{ "uri": "a://b", "text": text }],
        "ttlMs": 60_000,
        "cacheScope": "public",
    })
}

/// The name of the one tool that the client lists.
async fn listed(client: &Client) -> String {
    let list = client.list_all_tools().await.expect("a list");
    let names: Vec<&str> = list.values().map(|tool| &*tool.name).collect();
    names.join(" ")
}

// spec: R263, R264
#[tokio::test(start_paused = true)]
async fn b090_a_result_is_kept_for_its_time_and_asked_for_again_when_it_is_needed_later() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        peer.answer("tools/list", tools("a")).await;
        // The time is no reason to ask.
        peer.silence(61_000).await;
        peer.answer("tools/list", tools("b")).await;
        peer.silence(1000).await;
    };
    let talk = async {
        assert_eq!(listed(&client).await, "a");
        tokio::time::sleep(59 * SECOND).await;
        assert_eq!(listed(&client).await, "a");
        tokio::time::sleep(5 * SECOND).await;
        assert_eq!(listed(&client).await, "b");
    };
    tokio::join!(talk, script);
}

// spec: R262
#[tokio::test(start_paused = true)]
async fn b090_without_a_positive_time_every_request_is_sent() {
    for ttl in [json!(-5), json!(0), json!(null), json!("60000")] {
        let (mut peer, client) = modern(Client::builder()).await;
        let script = async {
            for name in ["a", "b"] {
                peer.answer("tools/list", page(name, &ttl)).await;
            }
        };
        let talk = async {
            assert_eq!(listed(&client).await, "a", "{ttl}");
            assert_eq!(listed(&client).await, "b", "{ttl}");
        };
        tokio::join!(talk, script);
    }
}

// spec: R259
#[tokio::test(start_paused = true)]
async fn b090_each_page_and_each_resource_is_kept_by_itself() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        let mut first = page("a", &json!(1000));
        first["nextCursor"] = json!("2");
        peer.answer("tools/list", first.clone()).await;
        peer.answer("tools/list", tools("b")).await;
        peer.answer("resources/read", contents("c")).await;
        peer.answer("resources/read", contents("d")).await;
        let again = peer.answer("tools/list", first).await;
        assert_eq!(again["params"].get("cursor"), None, "only the first page is stale");
        peer.silence(1000).await;
    };
    let talk = async {
        assert_eq!(listed(&client).await, "a b");
        for _ in 0..2 {
            for (uri, text) in [("a://b", "c"), ("a://d", "d")] {
                let read = client.read(uri).await.expect("contents");
                assert!(read.raw.get().contains(&format!("\"text\":\"{text}\"")), "{}", read.raw.get());
            }
        }
        advance(2 * SECOND).await;
        assert_eq!(listed(&client).await, "a b");
    };
    tokio::join!(talk, script);
}

// spec: R263
#[tokio::test(start_paused = true)]
async fn b090_a_change_that_is_told_ends_what_is_kept() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        let listen = peer.expect("subscriptions/listen").await;
        let tag = json!({ "io.modelcontextprotocol/subscriptionId": listen["id"] });
        let granted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["a://b"] });
        let acknowledged = json!({ "notifications": granted, "_meta": tag });
        peer.notify("notifications/subscriptions/acknowledged", acknowledged).await;
        peer.answer("tools/list", tools("a")).await;
        peer.answer("resources/read", contents("a")).await;
        peer.notify("notifications/tools/list_changed", json!({ "_meta": tag })).await;
        peer.notify("notifications/resources/updated", json!({ "uri": "a://b", "_meta": tag })).await;
        peer.answer("tools/list", tools("b")).await;
        peer.answer("resources/read", contents("b")).await;
        peer.silence(1000).await;
    };
    let talk = async {
        let wish = SubscriptionFilter {
            tools_list_changed: Some(true),
            resource_subscriptions: Some(vec!["a://b".to_owned()]),
            ..SubscriptionFilter::default()
        };
        let mut listening = client.listen(wish).await.expect("listening");
        assert_eq!(listed(&client).await, "a");
        client.read("a://b").await.expect("contents");
        for _ in 0..2 {
            listening.next().await.expect("no error").expect("a notice");
        }
        assert_eq!(listed(&client).await, "b");
        assert!(client.read("a://b").await.expect("contents").raw.get().contains("\"b\""));
        tokio::time::sleep(2 * SECOND).await;
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn equal_requests_at_one_time_are_one_and_a_dropped_one_leaves_its_place_to_another() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        let first = peer.expect("tools/list").await;
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], first["id"]);
        peer.answer("tools/list", tools("a")).await;
        peer.silence(1000).await;
    };
    let talk = async {
        let mut leader = Box::pin(client.list_tools(None).into_future());
        assert!(futures_pending(&mut leader).await, "nobody has answered");
        let followers = async { tokio::join!(listed(&client), listed(&client), listed(&client)) };
        let dropped = async {
            tokio::time::sleep(SECOND).await;
            drop(leader);
        };
        let (names, ()) = tokio::join!(followers, dropped);
        assert_eq!(names, ("a".to_owned(), "a".to_owned(), "a".to_owned()));
    };
    tokio::join!(talk, script);
    assert_eq!(client.pending(), 0);
}

/// Whether a future that is polled once has no outcome yet.
async fn futures_pending<F: Future + Unpin>(future: &mut F) -> bool {
    tokio::select! {
        biased;
        _ = future => false,
        () = std::future::ready(()) => true,
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_waits_for_another_s_result_waits_no_longer_than_its_own_limit() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        let request = peer.expect("tools/list").await;
        peer.silence(5000).await;
        peer.result(&request, tools("a")).await;
    };
    let talk = async {
        let patient = client.list_tools(None).into_future();
        let hasty = client.list_tools(None).timeout(SECOND).into_future();
        let (patient, hasty) = tokio::join!(patient, hasty);
        assert_eq!(patient.expect("a page").entries.len(), 1);
        assert!(hasty.expect_err("too late").is_timeout());
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn an_error_or_a_result_that_may_not_be_kept_is_only_for_the_one_who_asked() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        let request = peer.expect("tools/list").await;
        peer.error(&request, json!({ "code": -32603, "message": "broken" })).await;
        peer.answer("tools/list", page("b", &json!(0))).await;
    };
    let talk = async {
        let ask = || client.list_tools(None).into_future();
        let (first, second) = tokio::join!(ask(), ask());
        assert_eq!(first.expect_err("broken").rpc().map(|error| error.code), Some(-32603));
        assert_eq!(second.expect("a page").entries[0].name, "b");
    };
    tokio::join!(talk, script);
}

// spec: R260
#[tokio::test(start_paused = true)]
async fn b090_a_result_that_took_answers_is_not_kept() {
    let builder = Client::builder().on_elicit(|_| async { Ok(ElicitResult::decline()) });
    let (mut peer, client) = modern(builder).await;
    let question = json!({
        "method": "elicitation/create",
        "params": { "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": {} } },
    });
    let script = async {
        let asks = json!({ "resultType": "input_required", "inputRequests": { "q": question } });
        peer.answer("resources/read", asks).await;
        peer.answer("resources/read", contents("a")).await;
        peer.answer("resources/read", contents("b")).await;
        peer.silence(1000).await;
    };
    let talk = async {
        for text in ["\"a\"", "\"b\"", "\"b\""] {
            assert!(client.read("a://b").await.expect("contents").raw.get().contains(text), "{text}");
        }
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn what_is_wanted_fresh_is_asked_for_and_so_is_a_sign_of_life() {
    let (mut peer, client) = modern(Client::builder()).await;
    let discovered = json!({
        "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {},
        "ttlMs": 60_000, "cacheScope": "public",
    });
    let script = async {
        peer.answer("tools/list", tools("a")).await;
        peer.answer("tools/list", tools("b")).await;
        peer.answer("server/discover", discovered.clone()).await;
        peer.answer("server/discover", discovered).await;
        peer.silence(1000).await;
    };
    let talk = async {
        assert_eq!(listed(&client).await, "a");
        assert_eq!(client.list_tools(None).fresh().await.expect("a page").entries[0].name, "b");
        assert_eq!(listed(&client).await, "b");
        client.ping().await.expect("alive");
        client.ping().await.expect("alive");
        client.discover().await.expect("kept");
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn what_opened_the_connection_is_kept_as_well() {
    let (mut peer, stream) = Peer::pair();
    let script = async {
        let mut discovered = crate::peer::discovered(&json!({}));
        discovered["ttlMs"] = json!(60_000);
        peer.answer("server/discover", discovered).await;
        peer.silence(1000).await;
    };
    let talk = async {
        let client = stream.connect(Client::builder()).await.expect("connected");
        assert_eq!(client.discover().await.expect("kept").raw.get(), client.opening().get());
        tokio::time::sleep(2 * SECOND).await;
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_request_with_metadata_of_its_own_is_always_sent() {
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        for name in ["a", "b", "c"] {
            peer.answer("tools/list", tools(name)).await;
        }
    };
    let talk = async {
        assert_eq!(listed(&client).await, "a");
        let own = || client.list_tools(None).meta("example.org/tenant", RawJson::null()).into_future();
        assert_eq!(own().await.expect("a page").entries[0].name, "b");
        assert_eq!(own().await.expect("a page").entries[0].name, "c");
        assert_eq!(listed(&client).await, "a", "and what is kept is not touched");
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn calls_are_never_kept_and_nothing_is_in_the_legacy_era_or_when_it_is_switched_off() {
    let called = json!({ "resultType": "complete", "content": [], "ttlMs": 60_000, "cacheScope": "public" });
    let twice = async |mut peer: Peer, client: Client| {
        let script = async {
            for _ in 0..2 {
                peer.answer("tools/call", called.clone()).await;
                peer.answer("tools/list", tools("a")).await;
            }
        };
        let talk = async {
            for _ in 0..2 {
                client.call("t", ()).await.expect("a result");
                listed(&client).await;
            }
        };
        tokio::join!(talk, script);
    };
    let (peer, client) = modern(Client::builder().cache(Caching::Off)).await;
    twice(peer, client).await;
    let (peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    twice(peer, client).await;
    let (mut peer, client) = modern(Client::builder()).await;
    let script = async {
        for _ in 0..2 {
            peer.answer("tools/call", called.clone()).await;
        }
    };
    let talk = async {
        for _ in 0..2 {
            client.call("t", ()).await.expect("a result");
        }
    };
    tokio::join!(talk, script);
}

// spec: R266, R267
#[tokio::test(start_paused = true)]
async fn a_cursor_that_is_refused_drops_all_pages_and_the_list_begins_anew_once() {
    let (mut peer, client) = modern(Client::builder()).await;
    let first = |cursor: &str| {
        let mut page = tools("a");
        page["nextCursor"] = json!(cursor);
        page
    };
    let refusal = || json!({ "code": -32602, "message": "no such cursor" });
    let script = async {
        peer.answer("tools/list", first("old")).await;
        let second = peer.expect("tools/list").await;
        peer.error(&second, refusal()).await;
        let again = peer.answer("tools/list", first("new")).await;
        assert_eq!(again["params"].get("cursor"), None);
        let second = peer.answer("tools/list", page("b", &json!(0))).await;
        assert_eq!(second["params"]["cursor"], "new");

        let second = peer.expect("tools/list").await;
        assert_eq!(second["params"]["cursor"], "new", "the first page is kept");
        peer.error(&second, refusal()).await;
        peer.answer("tools/list", first("newer")).await;
        let second = peer.expect("tools/list").await;
        peer.error(&second, refusal()).await;
        peer.silence(1000).await;
    };
    let talk = async {
        assert_eq!(listed(&client).await, "a b");
        let error = client.list_all_tools().await.expect_err("refused again");
        assert_eq!(error.rpc().map(|error| error.code), Some(-32602));
    };
    tokio::join!(talk, script);
}
