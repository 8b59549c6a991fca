//! Servers without sessions, servers of one era, and arguments that stand in headers.

use hermes_http::StreamableHttp;
use hermes_types::{RawJson, Tool};
use serde_json::{Value, json};

use crate::client::{Client, LEGACY, MODERN, text};
use crate::stage::Stage;

#[tokio::test(start_paused = true)]
async fn without_sessions_every_legacy_request_stands_alone() {
    let service = Stage::new().http().stateless().service();
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let mut client = Client::open(&service, revision).await;
        assert_eq!(client.session, None);
        client.session = Some("of another life".to_owned());
        assert_eq!(text(&client.ask(&client.call(1, "echo", json!({ "text": "x" }))).await), "x");
        let mut answer = client.post(&client.call(2, "wait", json!({ "ms": 1_000 }))).await;
        let mut response = None;
        while let Some(said) = answer.said().await {
            assert_eq!(said.id, None, "nothing could be resumed: {said:?}");
            response = said.message().or(response);
        }
        assert_eq!(text(&response.expect("a response")), "done");
        for answer in [client.get(None).await, client.get(Some("1-1")).await, client.delete().await] {
            assert_eq!(answer.header("allow"), Some("POST"));
            answer.refusal(405).await;
        }
    }
    let metrics = service.endpoint().metrics();
    assert_eq!((metrics.sessions_opened, metrics.running), (0, 0));
}

#[tokio::test(start_paused = true)]
async fn without_sessions_a_legacy_client_cannot_be_asked_and_the_call_says_so_at_once() {
    let service = Stage::new().http().stateless().service();
    let client = Client::open(&service, LEGACY[2]).await;
    let response = client.ask(&client.call(1, "ask", json!({}))).await;
    assert_eq!(response["result"]["isError"], true, "{response}");
    let client = Client::open(&service, MODERN).await;
    let response = client.ask(&client.call(1, "ask", json!({}))).await;
    assert_eq!(response["result"]["resultType"], "input_required", "{response}");
}

// spec: R194, R195
#[tokio::test(start_paused = true)]
async fn a_server_of_the_modern_era_alone_tells_others_what_there_is() {
    let service = Stage::new().http().modern_only().service();
    let mut client = Client::open(&service, MODERN).await;
    client.session = Some("of another life".to_owned());
    let answer = client.post(&client.call(1, "echo", json!({ "text": "x" }))).await;
    assert_eq!(answer.header("mcp-session-id"), None);
    assert_eq!(text(&answer.response().await), "x");
    for answer in [client.get(None).await, client.get(Some("1-1")).await, client.delete().await] {
        assert_eq!(answer.header("allow"), Some("POST"));
        answer.refusal(405).await;
    }
    for revision in LEGACY {
        let client = Client::stranger(&service, revision);
        let error = client.post(&client.hello("h", json!({}))).await.refusal(400).await;
        assert!(error.to_string().contains(MODERN.as_str()), "{error}");
    }
    assert_eq!(service.endpoint().metrics().sessions_opened, 0);
}

// spec: R191, R192
#[tokio::test(start_paused = true)]
async fn an_argument_that_is_mirrored_has_to_agree_with_its_header() {
    let service = Stage::new().http().service();
    let client = Client::open(&service, MODERN).await;
    let call = client.call(1, "placed", json!({ "region": "eu" }));
    for name in ["mcp-param-region", "Mcp-Param-Region"] {
        let answer = client.post_with(&call, &[(name, "eu")]).await;
        assert_eq!(text(&answer.response().await), r#"{"region":"eu"}"#);
    }
    for answer in [client.post(&call).await, client.post_with(&call, &[("mcp-param-region", "us")]).await] {
        let error = answer.refusal(400).await;
        assert_eq!((&error["id"], &error["error"]["code"]), (&json!(1), &json!(-32020)));
    }
    let without: Value = client.call(2, "placed", json!({}));
    assert_eq!(text(&client.ask(&without).await), "{}");
    // The legacy era knows no such headers.
    let client = Client::open(&service, LEGACY[2]).await;
    assert_eq!(
        text(&client.ask(&client.call(1, "placed", json!({ "region": "eu" }))).await),
        r#"{"region":"eu"}"#
    );
}

// spec: R289, R290, R291
#[tokio::test(start_paused = true)]
async fn a_tool_whose_marks_for_headers_are_wrong_is_offered_without_them() {
    let mark = |kind: &str, name: &str| json!({ "type": kind, "x-mcp-header": name });
    for properties in [
        json!({ "a": mark("string", "") }),
        json!({ "a": mark("string", "no token") }),
        json!({ "a": mark("string", "Same"), "b": mark("string", "sAME") }),
        json!({ "a": mark("number", "A") }),
        json!({ "a": { "type": "array", "items": mark("string", "A") } }),
    ] {
        let schema = json!({ "type": "object", "properties": properties });
        let tool = Tool::new("marked", RawJson::encode(&schema).expect("JSON"));
        let server = Stage::new()
            .server
            .raw_tool(tool, |arguments: RawJson, _| async move { arguments.get().to_owned() });
        let service = StreamableHttp::new(server).service();
        let client = Client::open(&service, MODERN).await;
        let listed = client.ask(&client.request(1, "tools/list", json!({}))).await;
        let tools = listed["result"]["tools"].as_array().expect("tools");
        let tool = tools.iter().find(|tool| tool["name"] == "marked").expect("it is offered");
        assert!(!tool.to_string().contains("x-mcp-header"), "{tool}");
        let kind = tool["inputSchema"]["properties"]["a"]["type"].as_str();
        assert_eq!(kind, properties["a"]["type"].as_str(), "the rest stays");
        assert_eq!(text(&client.ask(&client.call(2, "marked", json!({}))).await), "{}");
    }
}
