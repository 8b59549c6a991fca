//! Rules for both sides of a conversation, kept by the client.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use hermes_client::{Client, ClientBuilder, Direction, HandlerError};
use hermes_types::ElicitResult;
use serde_json::{Value, json};
use tokio::task::yield_now;

use crate::peer::{Peer, text};

/// What the client says, message by message.
fn overheard(builder: ClientBuilder) -> (ClientBuilder, Arc<Mutex<Vec<Value>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&said);
    let builder = builder.on_wire(move |direction, text| {
        if direction == Direction::Sent {
            sink.lock().expect("not poisoned").push(serde_json::from_str(text).expect("JSON"));
        }
    });
    (builder, said)
}

// spec: R001, R002, R003, R004, R012
#[tokio::test(start_paused = true)]
async fn requests_have_ids_that_are_used_once_and_notifications_have_none() {
    let (builder, said) = overheard(Client::builder().on_roots(|| async { Ok(Vec::new()) }));
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {}, "logging": {} })).await;
    let script = async {
        for _ in 0..50 {
            peer.answer("tools/call", text("here")).await;
        }
        peer.request(json!(1), "roots/list", json!({})).await;
        assert_eq!(peer.take().await["id"], 1, "an id of the server's, which is none of the client's");
        peer.expect("notifications/roots/list_changed").await;
        peer.expect("tools/call").await;
        peer.expect("notifications/cancelled").await;
    };
    let talk = async {
        for _ in 0..50 {
            client.call("t", ()).await.expect("a result");
        }
        while said.lock().expect("not poisoned").iter().all(|message| message.get("result").is_none()) {
            yield_now().await;
        }
        client.roots_changed().expect("sent");
        client.call("t", ()).timeout(std::time::Duration::from_secs(1)).await.expect_err("no answer");
    };
    tokio::join!(talk, script);

    let mut ids = BTreeSet::new();
    let mut notifications = 0;
    for message in said.lock().expect("not poisoned").iter() {
        assert_eq!(message["jsonrpc"], "2.0", "{message}");
        let Some(method) = message.get("method") else { continue };
        if method.as_str().expect("a name").starts_with("notifications/") {
            assert_eq!(message.get("id"), None, "{message}");
            notifications += 1;
        } else {
            assert!(message["id"].is_string() || message["id"].is_i64(), "{message}");
            assert!(ids.insert(message["id"].to_string()), "twice: {message}");
        }
    }
    assert_eq!((ids.len(), notifications), (52, 3), "with the handshake");
}

// spec: R006, R008, R009, R010, R025, R028
#[tokio::test(start_paused = true)]
async fn answers_are_a_result_or_an_error_with_a_code_of_json_rpc_under_the_id_of_the_question() {
    let builder = Client::builder().on_elicit(|form| async move {
        match form.message.as_str() {
            "decline" => Ok(ElicitResult::decline()),
            "panic" => panic!("as this test wants it"),
            _ => Err(HandlerError::from("the screen is broken")),
        }
    });
    let (mut peer, _client) = Peer::legacy(builder, "2025-11-25", json!({})).await;
    let form = |message: &str| {
        let schema = json!({ "type": "object", "properties": {} });
        json!({ "message": message, "requestedSchema": schema })
    };
    let questions = [
        ("ping", json!({}), true),
        ("elicitation/create", form("decline"), true),
        ("elicitation/create", form("fail"), false),
        ("elicitation/create", form("panic"), false),
        ("elicitation/create", json!({ "message": 5 }), false),
        ("sampling/createMessage", json!({ "messages": [], "maxTokens": 1 }), false),
        ("com.example/never/heard/of", json!({}), false),
    ];
    for (number, (method, params, is_fine)) in questions.into_iter().enumerate() {
        let id = json!(format!("q-{number}"));
        peer.request(id.clone(), method, params).await;
        let answer = peer.take().await;
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id));
        assert_eq!((answer.get("result").is_some(), answer.get("error").is_some()), (is_fine, !is_fine));
        if let Some(error) = answer.get("error") {
            let code = error["code"].as_i64().expect("a whole number");
            assert!(!(-32099..=-32000).contains(&code), "{error}");
            assert!(!error["message"].as_str().expect("a text").is_empty());
        }
    }
}

// spec: R013
#[tokio::test(start_paused = true)]
async fn no_notification_is_answered_whatever_is_in_it() {
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let (mut peer, client) = Peer::legacy(Client::builder(), revision, json!({})).await;
        for (method, params) in [
            ("notifications/message", json!({ "level": "loud", "data": null })),
            ("notifications/progress", json!({ "progressToken": "nobody's", "progress": 1 })),
            ("notifications/cancelled", json!({ "requestId": 77 })),
            ("notifications/tools/list_changed", json!([])),
            ("notifications/never/heard/of", json!({ "x": 1 })),
            ("tools/call", json!({ "name": "no id, so no request" })),
        ] {
            peer.notify(method, params).await;
        }
        peer.silence(60_000).await;
        drop(client);
    }
}

// spec: R017, R115
#[tokio::test(start_paused = true)]
async fn a_client_that_is_told_nothing_keeps_the_legacy_lifecycle_on_any_stream() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-06-18", json!({})).await;
    peer.request(json!("p"), "ping", json!({})).await;
    assert_eq!(peer.take().await["result"], json!({}));
    let (pong, _) = tokio::join!(client.ping().into_future(), peer.answer("ping", json!({})));
    pong.expect("a sign of life");
    client.close().await;
    assert_eq!(peer.line().await, None, "it leaves by closing the stream");
}

// spec: R018, R116
#[tokio::test(start_paused = true)]
async fn a_client_that_is_told_nothing_says_with_each_modern_request_all_that_it_needs_on_any_stream() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {} })).await;
    let script = async {
        let result = json!({ "resultType": "complete", "tools": [], "ttlMs": 0, "cacheScope": "private" });
        let list = peer.answer("tools/list", result).await;
        let mut result = text("here");
        result["resultType"] = json!("complete");
        let call = peer.answer("tools/call", result).await;
        for request in [list, call] {
            let meta = &request["params"]["_meta"];
            assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
            assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], json!({}));
            assert!(meta["io.modelcontextprotocol/clientInfo"]["name"].is_string(), "{meta}");
        }
    };
    let talk = async {
        client.list_all_tools().await.expect("a list");
        client.call("t", ()).await.expect("a result");
    };
    tokio::join!(talk, script);
}
