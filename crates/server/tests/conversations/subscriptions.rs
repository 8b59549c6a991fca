//! Who hears of changes: legacy sessions and modern listen streams.

use hermes_server::{Context, Server};
use hermes_types::{Prompt, Resource, Revision};
use serde_json::{Value, json};

use crate::client::{Client, modern};

fn server() -> Server {
    Server::new("test", "1")
        .tool("one", |(): (), _: Context| async {})
        .tool("toggle", |(): (), ctx: Context| async move {
            if !ctx.server().remove_tool("extra") {
                ctx.server().add_tool("extra", |(): (), _: Context| async { "extra" });
            }
        })
        .resource(Resource::new("res://a", "a"), |_| async { "A" })
        .resource(Resource::new("res://b", "b"), |_| async { "B" })
}

async fn listen(client: &mut Client, id: Value, notifications: Value) -> Value {
    client.request(id, "subscriptions/listen", modern(json!({ "notifications": notifications }))).await;
    client.next().await
}

fn subscription(message: &Value) -> &Value {
    &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
}

// spec: R272, R295, R309
#[tokio::test(start_paused = true)]
async fn a_legacy_session_hears_when_a_list_changes() {
    let server = server().prompt(Prompt::new("p"), |(): (), _| async { "p" });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.expect_silence().await;
    let handle = server.handle();
    handle.add_tool("two", |(): (), _: Context| async {});
    assert_eq!(
        client.next().await,
        json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {} })
    );
    assert!(handle.remove_resource("res://b"));
    assert_eq!(client.next().await["method"], "notifications/resources/list_changed");
    assert!(handle.remove_prompt("p"));
    assert_eq!(client.next().await["method"], "notifications/prompts/list_changed");
    assert!(!handle.remove_prompt("p"));
    client.expect_silence().await;
    // What was declared once still answers.
    assert_eq!(client.result(json!(1), "prompts/list", json!({})).await, json!({ "prompts": [] }));
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_changes_the_list_is_followed_by_the_news() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    client.request(json!(1), "tools/call", json!({ "name": "toggle" })).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    assert_eq!(client.next().await["id"], 1);
    assert_eq!(client.call(2, "extra", json!({})).await["content"][0]["text"], "extra");
}

// spec: R078
#[tokio::test(start_paused = true)]
async fn a_session_hears_nothing_of_what_was_not_declared_to_it() {
    let server = server();
    let mut early = Client::legacy(&server, Revision::V2025_11_25).await;
    early.expect_silence().await;
    server.handle().add_prompt(Prompt::new("p"), |(): (), _| async { "p" });
    early.expect_silence().await;
    let mut late = Client::legacy(&server, Revision::V2025_11_25).await;
    late.expect_silence().await;
    assert!(server.handle().remove_prompt("p"));
    assert_eq!(late.next().await["method"], "notifications/prompts/list_changed");
    early.expect_silence().await;
}

// spec: R075
#[tokio::test(start_paused = true)]
async fn news_wait_until_the_handshake_is_complete() {
    let server = server();
    let mut client = Client::connect(&server);
    client.initialize("2025-11-25", json!({})).await;
    for name in ["two", "three"] {
        server.handle().add_tool(name, |(): (), _: Context| async {});
    }
    client.expect_silence().await;
    client.notify("notifications/initialized", json!({})).await;
    assert_eq!(client.next().await["method"], "notifications/tools/list_changed");
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn b101_updates_go_to_subscribers_only_and_end_with_the_subscription() {
    let server = server();
    let handle = server.handle();
    let mut first = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut second = Client::legacy(&server, Revision::V2024_11_05).await;
    for (client, uri) in [(&mut first, "res://a"), (&mut second, "res://a")] {
        assert_eq!(client.result(json!(1), "resources/subscribe", json!({ "uri": uri })).await, json!({}));
    }
    first.result(json!(2), "resources/subscribe", json!({ "uri": "res://a" })).await;
    first.result(json!(3), "resources/subscribe", json!({ "uri": "res://b" })).await;
    handle.resource_updated("res://a");
    for client in [&mut first, &mut second] {
        let news = client.next().await;
        assert_eq!(
            (&news["method"], &news["params"]),
            (&json!("notifications/resources/updated"), &json!({ "uri": "res://a" }))
        );
        client.expect_silence().await;
    }
    first.result(json!(4), "resources/unsubscribe", json!({ "uri": "res://a" })).await;
    first.result(json!(5), "resources/unsubscribe", json!({ "uri": "res://never" })).await;
    handle.resource_updated("res://a");
    first.expect_silence().await;
    assert_eq!(second.next().await["params"]["uri"], "res://a");
    assert!(first.vanish().await.is_ok());
    handle.resource_updated("res://b");
    second.expect_silence().await;
    let error = second.error(json!(6), "resources/subscribe", json!({ "uri": "res://none" })).await;
    assert_eq!(error["code"], -32002);
    assert_eq!(second.error(json!(7), "resources/subscribe", json!({})).await["code"], -32602);
}

// spec: R044, R273, R405, R406, R407, R408
#[tokio::test(start_paused = true)]
async fn b083_a_listen_stream_carries_what_was_asked_for_with_its_own_id() {
    let server = server();
    let handle = server.handle();
    let mut client = Client::connect(&server);
    let wish = json!({ "toolsListChanged": false, "resourceSubscriptions": ["res://a", "res://none"] });
    let first = listen(&mut client, json!("L1"), wish).await;
    assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(subscription(&first), "L1");
    assert_eq!(first["params"]["notifications"], json!({ "resourceSubscriptions": ["res://a"] }));
    let second = listen(&mut client, json!(2), json!({ "toolsListChanged": true })).await;
    assert_eq!(subscription(&second), &json!(2), "the id keeps its type");
    assert_eq!(second["params"]["notifications"], json!({ "toolsListChanged": true }));

    handle.resource_updated("res://a");
    handle.resource_updated("res://b");
    handle.add_tool("two", |(): (), _: Context| async {});
    let (updated, changed) = (client.next().await, client.next().await);
    assert_eq!(
        (&updated["method"], &updated["params"]["uri"]),
        (&json!("notifications/resources/updated"), &json!("res://a"))
    );
    assert_eq!(subscription(&updated), "L1");
    assert_eq!(changed["method"], "notifications/tools/list_changed");
    assert_eq!(subscription(&changed), &json!(2));
    client.expect_silence().await;
}

// spec: R273, R295, R309, R408
#[tokio::test(start_paused = true)]
async fn each_list_is_told_of_on_the_stream_that_asked_for_it_and_on_no_other() {
    let server = server().prompt(Prompt::new("p"), |(): (), _| async { "p" });
    let handle = server.handle();
    let mut client = Client::connect(&server);
    for wish in ["toolsListChanged", "promptsListChanged", "resourcesListChanged"] {
        let granted = listen(&mut client, json!(wish), json!({ wish: true })).await;
        assert_eq!(granted["params"]["notifications"], json!({ wish: true }));
    }
    handle.add_tool("two", |(): (), _: Context| async {});
    handle.add_prompt(Prompt::new("q"), |(): (), _| async { "q" });
    handle.add_resource(Resource::new("res://c", "c"), |_| async { "C" });
    for (method, wish) in [
        ("notifications/tools/list_changed", "toolsListChanged"),
        ("notifications/prompts/list_changed", "promptsListChanged"),
        ("notifications/resources/list_changed", "resourcesListChanged"),
    ] {
        let news = client.next().await;
        assert_eq!((&news["method"], subscription(&news)), (&json!(method), &json!(wish)));
    }
    client.result(json!(1), "tools/list", modern(json!({}))).await;
}

// spec: R229, R407, R409
#[tokio::test(start_paused = true)]
async fn a_listen_stream_without_anything_to_tell_of_ends_at_once() {
    let mut client = Client::connect(&server());
    let acknowledged = listen(&mut client, json!("L"), json!({ "promptsListChanged": true })).await;
    assert_eq!(acknowledged["params"]["notifications"], json!({}));
    let result = client.next().await;
    assert_eq!((&result["id"], &result["result"]["resultType"]), (&json!("L"), &json!("complete")));
    assert_eq!(result["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "L");
    let over = client.next().await;
    assert_eq!(
        (&over["method"], &over["params"]),
        (&json!("notifications/cancelled"), &json!({ "requestId": "L" }))
    );
    client.expect_silence().await;
    let error = client.error(json!(1), "subscriptions/listen", modern(json!({}))).await;
    assert_eq!(error["code"], -32602, "the filter is required");
}

// spec: R229, R230, R409
#[tokio::test(start_paused = true)]
async fn b084_a_cancelled_listen_stream_is_silent_and_the_others_end_in_good_order() {
    let server = server();
    let mut client = Client::connect(&server);
    for id in ["kept", "cancelled"] {
        listen(&mut client, json!(id), json!({ "toolsListChanged": true })).await;
    }
    client.notify("notifications/cancelled", json!({ "requestId": "cancelled" })).await;
    client.expect_silence().await;
    server.handle().add_tool("two", |(): (), _: Context| async {});
    assert_eq!(subscription(&client.next().await), "kept");
    client.expect_silence().await;
    let (last, ended) = client.finish().await;
    assert!(ended.is_ok());
    assert_eq!(last.len(), 2, "{last:?}");
    assert_eq!((&last[0]["id"], &last[0]["result"]["resultType"]), (&json!("kept"), &json!("complete")));
    assert_eq!(last[0]["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "kept");
    assert_eq!(last[1]["params"], json!({ "requestId": "kept" }));
}

#[tokio::test(start_paused = true)]
async fn changes_that_were_not_read_of_yet_are_told_once() {
    let server = server();
    let mut client = Client::connect_with_room(&server, 64);
    client.initialize("2025-11-25", json!({})).await;
    client.notify("notifications/initialized", json!({})).await;
    client.result(json!(1), "resources/subscribe", json!({ "uri": "res://a" })).await;
    client.expect_silence().await;
    for _ in 0..100 {
        server.handle().resource_updated("res://a");
    }
    client.request(json!(2), "ping", json!({})).await;
    let mut told = 0;
    while client.next().await["id"] != 2 {
        told += 1;
    }
    assert_eq!(told, 1);
}
