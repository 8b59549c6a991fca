//! Opening, both eras on one connection, and what each of them must not see of the other.

use hermes_server::{Context, Server};
use hermes_types::Revision;
use serde_json::json;

use crate::client::{Client, bare, modern, modern_with};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

fn server() -> Server {
    Server::new("test", "1.2.3")
        .title("Test")
        .instructions("Ask the echo.")
        .tool("echo", |args: Echo, _: Context| async move { args.text })
}

// spec: R017, R068, R072, R115, R268, R324
#[tokio::test(start_paused = true)]
async fn b069_every_legacy_revision_is_agreed_on_when_asked_for() {
    for revision in Revision::LEGACY {
        let mut client = Client::connect(&server());
        let result = client.initialize(revision.as_str(), json!({})).await;
        assert_eq!(result["protocolVersion"], revision.as_str());
        assert_eq!(result["capabilities"], json!({ "tools": { "listChanged": true }, "logging": {} }));
        assert_eq!(result["instructions"], "Ask the echo.");
        assert_eq!(
            (&result["serverInfo"]["name"], &result["serverInfo"]["version"]),
            (&json!("test"), &json!("1.2.3"))
        );
        assert_eq!(result["serverInfo"].get("title").is_some(), revision >= Revision::V2025_06_18);
        assert!(result.get("resultType").is_none() && result.get("_meta").is_none(), "{result}");
    }
}

// spec: R069, R070, R079
#[tokio::test(start_paused = true)]
async fn b070_b073_any_other_version_is_answered_with_the_newest_legacy_one() {
    for version in ["1999-01-01", "2027-01-01", "2026-07-28", "latest"] {
        let mut client = Client::connect(&server());
        let result = client.initialize(version, json!({})).await;
        assert_eq!(result["protocolVersion"], "2025-11-25", "{version}");
        client.call(1, "echo", json!({ "text": "x" })).await;
    }
}

#[tokio::test(start_paused = true)]
async fn b069_initialize_without_a_version_is_refused_and_may_be_tried_again() {
    let mut client = Client::connect(&server());
    for params in [json!({}), json!({ "protocolVersion": "" }), json!({ "protocolVersion": 1 })] {
        assert_eq!(client.error(json!(1), "initialize", params).await["code"], -32602);
    }
    client.initialize("2025-06-18", json!({})).await;
}

#[tokio::test(start_paused = true)]
async fn b015_a_request_that_overtakes_the_initialized_notification_is_served() {
    let mut client = Client::connect(&server());
    client.initialize("2025-11-25", json!({})).await;
    let listed = client.result(json!(2), "tools/list", json!({})).await;
    assert_eq!(listed["tools"][0]["name"], "echo");
    client.notify("notifications/initialized", json!({})).await;
    client.result(json!(3), "tools/list", json!({})).await;
}

// spec: R243
#[tokio::test(start_paused = true)]
async fn ping_is_answered_before_and_after_the_handshake() {
    let mut client = Client::connect(&server());
    client.expect_silence().await;
    client.initialize("2024-11-05", json!({})).await;
    client.expect_silence().await;
}

// spec: R018, R019, R042, R088, R116, R253, R255, R256, R533
#[tokio::test(start_paused = true)]
async fn a_modern_server_is_discovered_without_a_handshake() {
    let mut client = Client::connect(&server());
    let result = client.result(json!("d"), "server/discover", modern(json!({}))).await;
    assert_eq!(
        result["_meta"]["io.modelcontextprotocol/serverInfo"],
        json!({ "name": "test", "title": "Test", "version": "1.2.3" })
    );
    assert_eq!(
        bare(result),
        json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": { "listChanged": true }, "logging": {} },
            "instructions": "Ask the echo.",
            "ttlMs": 0,
            "cacheScope": "private",
        })
    );
}

// spec: R019, R031, R032, R039, R078
#[tokio::test(start_paused = true)]
async fn b087_both_eras_are_served_on_one_connection_each_in_its_own_words() {
    let mut client = Client::connect(&server());
    let call = json!({ "name": "echo", "arguments": { "text": "x" } });
    let before = client.result(json!(1), "tools/call", modern(call.clone())).await;
    client.initialize("2025-06-18", json!({})).await;
    let legacy = client.result(json!(2), "tools/call", call.clone()).await;
    let after = client.result(json!(3), "tools/call", modern(call)).await;
    assert_eq!(legacy, json!({ "content": [{ "type": "text", "text": "x" }] }));
    assert_eq!(before, after);
    assert_eq!(
        bare(after),
        json!({ "resultType": "complete", "content": [{ "type": "text", "text": "x" }] })
    );
}

// spec: R043
#[tokio::test(start_paused = true)]
async fn what_a_client_calls_itself_changes_nothing() {
    let mut heard = Vec::new();
    for name in ["test", "mcp-hermes-client", "claude-code", ""] {
        let mut client = Client::connect(&server());
        let info = json!({ "name": name, "version": "9" });
        let hello = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info });
        let call = json!({ "name": "echo", "arguments": { "text": "x" } });
        let mut modern_call = modern(call.clone());
        modern_call["_meta"]["io.modelcontextprotocol/clientInfo"] = info;
        heard.push([
            client.result(json!(1), "initialize", hello).await,
            client.result(json!(2), "tools/list", json!({})).await,
            client.result(json!(3), "tools/call", call).await,
            client.result(json!(4), "tools/call", modern_call).await,
        ]);
    }
    assert!(heard.iter().all(|answers| *answers == heard[0]), "{heard:?}");
}

// spec: R047
#[tokio::test(start_paused = true)]
async fn what_stands_under_reserved_keys_without_a_meaning_is_passed_over() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for key in ["serverInfo", "subscriptionId", "related-task", "anything"] {
        for value in [json!(null), json!(5), json!("x"), json!([{}]), json!({ "name": 1 })] {
            let mut params = json!({ "name": "echo", "arguments": { "text": "x" }, "_meta": {} });
            params["_meta"][format!("io.modelcontextprotocol/{key}")] = value;
            for params in [params.clone(), modern(params)] {
                let result = client.result(json!(1), "tools/call", params).await;
                assert_eq!(result["content"][0]["text"], "x", "{key}");
            }
        }
    }
}

// spec: R533
#[tokio::test(start_paused = true)]
async fn extensions_that_a_client_declares_switch_nothing_on() {
    let declared =
        json!({ "extensions": { "io.modelcontextprotocol/tasks": {}, "com.example/x": { "a": 1 } } });
    let call = json!({ "name": "echo", "arguments": { "text": "x" } });
    let mut client = Client::connect(&server());
    for capabilities in [json!({}), declared] {
        let discovered =
            client.result(json!(1), "server/discover", modern_with(&capabilities, json!({}))).await;
        assert_eq!(discovered["capabilities"], json!({ "tools": { "listChanged": true }, "logging": {} }));
        let called = client.result(json!(2), "tools/call", modern_with(&capabilities, call.clone())).await;
        assert_eq!((&called["resultType"], &called["content"][0]["text"]), (&json!("complete"), &json!("x")));
    }
}

#[tokio::test(start_paused = true)]
async fn b088_the_old_mechanisms_are_unknown_methods_in_the_modern_era() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for method in [
        "ping",
        "logging/setLevel",
        "resources/subscribe",
        "resources/unsubscribe",
        "initialize",
        "tasks/list",
    ] {
        let params = modern(json!({ "level": "info", "uri": "a:b", "protocolVersion": "2025-11-25" }));
        assert_eq!(client.error(json!(method), method, params).await["code"], -32601, "{method}");
    }
    client.expect_silence().await;
}

// spec: R078
#[tokio::test(start_paused = true)]
async fn b097_only_what_is_served_is_declared_and_what_is_declared_answers() {
    let empty = Server::new("empty", "0").without_logging();
    let mut client = Client::connect(&empty);
    assert_eq!(client.initialize("2025-11-25", json!({})).await["capabilities"], json!({}));
    for method in [
        "tools/list",
        "tools/call",
        "resources/list",
        "prompts/list",
        "completion/complete",
        "logging/setLevel",
    ] {
        assert_eq!(
            client.error(json!(1), method, json!({ "level": "info" })).await["code"],
            -32601,
            "{method}"
        );
    }
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn b030_members_that_nobody_asked_for_are_ignored() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    client.result(json!(1), "tools/list", json!({ "_meta": { "progressToken": 0 }, "x": 1 })).await;
    client.result(json!(2), "ping", json!({ "_meta": {} })).await;
    client.send(r#"{"jsonrpc":"2.0","id":3,"method":"ping","extra":{"a":[1]}}"#).await;
    assert_eq!(client.next().await["result"], json!({}));
}
