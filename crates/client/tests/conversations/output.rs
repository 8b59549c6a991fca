//! Structured results against the schemas that tools declare.

use hermes_client::{Client, ClientError, OutputProblem};
use serde_json::{Value, json};

use crate::peer::Peer;

/// A client that has listed a tool with this output schema.
async fn listed(schema: Value) -> (Peer, Client) {
    let (mut peer, client) =
        Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": { "listChanged": true } })).await;
    let tool = json!({ "name": "t", "inputSchema": { "type": "object" }, "outputSchema": schema });
    let script = async {
        peer.answer("tools/list", json!({ "tools": [tool] })).await;
    };
    let (list, ()) = tokio::join!(client.list_all_tools(), script);
    assert_eq!(list.expect("a list").entries.len(), 1);
    (peer, client)
}

fn sum() -> Value {
    json!({ "type": "object", "properties": { "sum": { "type": "integer" } }, "required": ["sum"] })
}

async fn problem(schema: Value, result: Value) -> Option<OutputProblem> {
    let (mut peer, client) = listed(schema).await;
    let script = async {
        peer.answer("tools/call", result).await;
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    match result {
        Ok(_) => None,
        Err(ClientError::Output { tool, problem }) => {
            assert_eq!(tool, "t");
            Some(problem)
        }
        Err(other) => panic!("{other}"),
    }
}

// spec: R279
#[tokio::test(start_paused = true)]
async fn b094_a_success_has_to_keep_what_its_tool_promised() {
    let fits = json!({ "content": [], "structuredContent": { "sum": 5, "more": true } });
    assert_eq!(problem(sum(), fits).await, None);

    let missing = json!({ "content": [{ "type": "text", "text": "5" }] });
    assert_eq!(problem(sum(), missing).await, Some(OutputProblem::Missing));

    let breaks = json!({ "content": [], "structuredContent": { "sum": "five" } });
    let Some(OutputProblem::Unfit { path, .. }) = problem(sum(), breaks).await else {
        panic!("it does not fit")
    };
    assert_eq!(path, "/sum");
}

// spec: R285
#[tokio::test(start_paused = true)]
async fn b094_an_error_of_the_tool_itself_is_delivered_unchanged() {
    for result in [
        json!({ "content": [{ "type": "text", "text": "no such id" }], "isError": true }),
        json!({ "content": [], "structuredContent": { "error": "x" }, "isError": true }),
    ] {
        assert_eq!(problem(sum(), result).await, None);
    }
}

// spec: R057
#[tokio::test(start_paused = true)]
async fn a_schema_that_cannot_be_used_is_an_error_and_not_a_permission() {
    let remote = json!({ "$ref": "https://example.org/schema.json" });
    let result = json!({ "content": [], "structuredContent": {} });
    let Some(OutputProblem::Schema(reason)) = problem(remote, result).await else { panic!("unusable") };
    assert!(reason.contains("example.org"), "{reason}");
}

#[tokio::test(start_paused = true)]
async fn the_check_ends_with_a_changed_list_or_a_word_of_the_caller() {
    let (mut peer, client) = listed(sum()).await;
    let bad = json!({ "content": [], "structuredContent": {} });
    let script = async {
        peer.answer("tools/call", bad.clone()).await;
        peer.answer("tools/call", bad.clone()).await;
        peer.notify("notifications/tools/list_changed", json!({})).await;
        peer.answer("tools/call", bad.clone()).await;
    };
    let talk = async {
        assert!(client.call("t", ()).await.is_err());
        client.call("t", ()).without_output_check().await.expect("taken as it is");
        client.call("t", ()).await.expect("nothing is promised any more");
    };
    tokio::join!(talk, script);
}
