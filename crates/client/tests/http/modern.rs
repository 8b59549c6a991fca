//! What is special to the modern era over HTTP.

use hermes_client::Client;
use serde_json::{Value, json};

use crate::fake::{Fake, text};

// spec: R219
#[tokio::test]
async fn b034_a_modern_call_is_taken_back_by_closing_its_stream_and_by_no_message() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let (begun, has_begun) = tokio::sync::oneshot::channel::<()>();
    let script = async {
        let events = fake.expect("tools/call").await.events().await;
        begun.send(()).expect("the call waits");
        events.hung_up().await;
    };
    let call = async {
        tokio::select! {
            outcome = client.call("t", ()).into_future() => panic!("{outcome:?}"),
            _ = has_begun => {}
        }
    };
    tokio::join!(call, script);
    assert_eq!(client.pending(), 0);
    assert!(fake.is_idle());
}

/// A list with one tool whose arguments go into headers.
fn listed(name: &str) -> Value {
    let annotated = |kind: &str, header: &str| json!({ "type": kind, "x-mcp-header": header });
    let schema = json!({
        "type": "object",
        "properties": {
            "region": annotated("string", "Region"),
            "n": annotated("integer", "N"),
            "b": annotated("boolean", "B"),
            "deep": { "type": "object", "properties": { "o": { "type": "object", "properties": { "p": annotated("string", "P") } } } },
        },
    });
    let bad = json!({ "type": "object", "properties": { "x": annotated("number", "X") } });
    json!({
        "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
        "tools": [{ "name": name, "inputSchema": schema }, { "name": "bad", "inputSchema": bad }],
    })
}

// spec: R209, R210, R211, R212, R213, R214, R217, R218
#[tokio::test]
async fn b081_arguments_are_mirrored_in_headers_however_the_call_is_made() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let all = json!({ "region": "us-west1", "n": 42, "b": true, "deep": { "o": { "p": "é" } } });

    // Nothing is known of the tool yet.
    let script = async {
        let call = fake.expect("tools/call").await;
        assert_eq!(call.header("mcp-param-region"), None);
        call.result(text("")).await;
    };
    tokio::join!(async { client.call("t", &all).await.expect("a result") }, script);

    let script = async { fake.expect("tools/list").await.result(listed("t")).await };
    let (listing, ()) = tokio::join!(client.list_all_tools(), script);
    let listing = listing.expect("a list");
    assert_eq!(listing.values().map(|tool| &*tool.name).collect::<Vec<_>>(), ["t"]);
    let [warning] = &listing.warnings[..] else { panic!("{listing:?}") };
    assert!(warning.to_string().contains("`bad`"), "{warning}");

    for (arguments, expected) in [
        (all.clone(), [Some("us-west1"), Some("42"), Some("true"), Some("=?base64?w6k=?=")]),
        (json!({ "region": null, "n": -1 }), [None, Some("-1"), None, None]),
        (json!({ "region": "", "deep": {} }), [Some(""), None, None, None]),
        (json!({}), [None; 4]),
    ] {
        let mirrored = |call: &crate::fake::Asked| {
            let names = ["mcp-param-region", "mcp-param-n", "mcp-param-b", "mcp-param-p"];
            assert_eq!(names.map(|name| call.header(name)), expected, "{arguments}");
        };
        let script = async {
            for _ in 0..2 {
                let call = fake.expect("tools/call").await;
                mirrored(&call);
                call.result(text("")).await;
            }
        };
        let calls = async {
            client.call("t", &arguments).await.expect("a result");
            let params = json!({ "name": "t", "arguments": arguments }).to_string();
            let params = hermes_types::RawJson::parse(&params).expect("JSON");
            client.request_raw("tools/call", Some(params)).await.expect("a result");
        };
        tokio::join!(calls, script);
    }
}

// spec: R215
#[tokio::test]
async fn b081_headers_that_do_not_fit_are_made_anew_from_a_fresh_list_once() {
    let (mut fake, client) = Fake::modern(Client::builder()).await;
    let mismatch = || json!({ "code": -32020, "message": "the header Mcp-Param-Region is missing" });
    let script = async {
        fake.expect("tools/call").await.error(400, mismatch()).await;
        fake.expect("tools/list").await.result(listed("t")).await;
        let again = fake.expect("tools/call").await;
        assert_eq!(again.header("mcp-param-region"), Some("eu"));
        again.result(text("right")).await;
    };
    let call = || client.call("t", json!({ "region": "eu" })).into_future();
    let (outcome, ()) = tokio::join!(call(), script);
    outcome.expect("a result");

    let script = async {
        fake.expect("tools/call").await.error(400, mismatch()).await;
        fake.expect("tools/list").await.result(listed("t")).await;
        fake.expect("tools/call").await.error(400, mismatch()).await;
    };
    let (outcome, ()) = tokio::join!(call(), script);
    assert_eq!(outcome.expect_err("refused").rpc().map(|error| error.code), Some(-32020));
    assert!(fake.is_idle());
}
