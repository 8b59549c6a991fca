//! Arguments on the wire: what is accepted, what is refused, and how.

use hermes_server::{Context, Server};
use hermes_types::{CallToolResult, RawJson, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::peer::{ERAS, Peer, text};

#[derive(Deserialize, JsonSchema)]
struct Limit {
    limit: i64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Echo {
    text: String,
}

fn raw(name: &str, schema: &Value) -> Tool {
    Tool::new(name, RawJson::encode(schema).expect("JSON"))
}

async fn echo_raw(arguments: RawJson, _: Context) -> String {
    arguments.get().to_owned()
}

fn server() -> Server {
    let reference = |to: &str| json!({ "type": "object", "properties": { "a": { "$ref": to } } });
    Server::new("schemas", "1")
        .tool("limit", |args: Limit, _: Context| async move { args.limit.to_string() })
        .tool("echo", |args: Echo, _: Context| async move { args.text })
        .raw_tool(raw("dangling", &reference("#/$defs/None")), echo_raw)
        .raw_tool(raw("remote", &reference("http://127.0.0.1:9/s.json")), echo_raw)
        .raw_tool(raw("file", &reference("file:///etc/hosts")), echo_raw)
        .raw_tool(raw("recursive", &reference("#")), echo_raw)
        .raw_tool(raw("any", &json!({ "type": "object" })), echo_raw)
}

async fn call(peer: &mut Peer, tool: &str, arguments: &str) -> Value {
    peer.ask("tools/call", format!(r#"{{"name":"{tool}","arguments":{arguments}}}"#)).await
}

fn refusal(response: &Value) -> &str {
    assert_eq!(response["result"]["isError"], true, "{response}");
    text(response)
}

#[tokio::test]
async fn b095_whole_number_floats_reach_integer_fields() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        for (number, value) in [("30", "30"), ("30.0", "30"), ("3e1", "30"), ("-0", "0")] {
            let response = call(&mut peer, "limit", &format!("{{\"limit\":{number}}}")).await;
            assert_eq!(text(&response), value, "{number}");
        }
        for wrong in ["30.5", "\"30\"", "null", "[30]"] {
            let response = call(&mut peer, "limit", &format!("{{\"limit\":{wrong}}}")).await;
            assert!(refusal(&response).contains("`/limit`: "), "{response}");
        }
    }
}

#[tokio::test]
async fn b095_a_number_beyond_all_floats_is_an_error_and_the_next_call_works() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        let response = call(&mut peer, "limit", r#"{"limit":1e400}"#).await;
        assert!(refusal(&response).starts_with("`/limit`: it has a number that is too large"), "{response}");
        assert_eq!(text(&call(&mut peer, "limit", r#"{"limit":1}"#).await), "1");
    }
}

// spec: R050
#[tokio::test]
async fn b096_wrong_arguments_are_told_to_the_model() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        for (arguments, path) in [
            ("{}", "`/text`"),
            (r#"{"text":5}"#, "`/text`"),
            (r#"{"text":null}"#, "`/text`"),
            (r#"{"text":"a","extra":1}"#, "`/extra`"),
        ] {
            let response = call(&mut peer, "echo", arguments).await;
            assert!(refusal(&response).contains(path), "{response}");
        }
        let response = call(&mut peer, "echo", "3").await;
        assert_eq!(response["error"]["code"], -32602, "{response}");
    }
}

// spec: R054, R057
#[tokio::test]
async fn b092_a_schema_that_cannot_be_used_refuses_its_own_calls_only() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        let listed = peer.ask("tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"].as_array().map(Vec::len), Some(7));
        for tool in ["dangling", "remote", "file"] {
            let response = call(&mut peer, tool, r#"{"a":1}"#).await;
            assert!(refusal(&response).contains("the schema cannot be used"), "{tool}: {response}");
        }
        assert_eq!(text(&call(&mut peer, "recursive", r#"{"a":{"a":{}}}"#).await), r#"{"a":{"a":{}}}"#);
        assert_eq!(text(&call(&mut peer, "echo", r#"{"text":"t"}"#).await), "t");
    }
}

// spec: R058
#[tokio::test]
async fn b092_a_schema_of_any_depth_refuses_its_own_calls_only() {
    let nested = format!("{}false{}", "{\"anyOf\":[".repeat(2000), "]}".repeat(2000));
    let schema = RawJson::parse(format!(r#"{{"type":"object","not":{nested}}}"#)).expect("JSON");
    let server = server().raw_tool(Tool::new("deep", schema), echo_raw);
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, json!({})).await;
        let response = call(&mut peer, "deep", "{}").await;
        assert!(refusal(&response).contains("the schema cannot be used"), "{response}");
        assert_eq!(text(&call(&mut peer, "echo", r#"{"text":"t"}"#).await), "t");
    }
}

#[tokio::test]
async fn raw_arguments_keep_every_digit() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        let arguments = r#"{"a":9007199254740993.0,"b":18446744073709551616,"c":1.50,"d":"\u00e9"}"#;
        assert_eq!(text(&call(&mut peer, "any", arguments).await), arguments);
    }
}

#[tokio::test]
async fn b091_a_schema_is_listed_word_for_word_and_its_references_hold() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "F": { "type": "string", "enum": ["fit", "raw"] } },
        "properties": { "f": { "$ref": "#/$defs/F" } },
        "additionalProperties": false,
        "x-vendor": { "a": 1 },
    });
    let server = Server::new("schemas", "1").raw_tool(raw("t", &schema), echo_raw);
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, json!({})).await;
        let listed = peer.ask("tools/list", json!({})).await;
        assert_eq!(listed["result"]["tools"][0]["inputSchema"], schema, "{listed}");
        assert_eq!(text(&call(&mut peer, "t", r#"{"f":"fit"}"#).await), r#"{"f":"fit"}"#);
        let refused = call(&mut peer, "t", r#"{"f":"zzz"}"#).await;
        assert!(refusal(&refused).contains("/f"), "{refused}");
    }
}

#[tokio::test]
async fn b094_a_broken_promise_is_an_error_and_an_error_of_the_tool_stays_as_it_is() {
    let promising = |name: &str| {
        let mut tool = raw(name, &json!({ "type": "object" }));
        let schema =
            json!({ "type": "object", "properties": { "n": { "type": "integer" } }, "required": ["n"] });
        tool.output_schema = Some(RawJson::encode(&schema).expect("JSON"));
        tool
    };
    let json = |value: Value| RawJson::encode(&value).expect("JSON");
    let fails = move |_: RawJson, _: Context| async { CallToolResult::error("no such id") };
    let fails_structured = move |_: RawJson, _: Context| async move {
        CallToolResult::error("no such id").with_structured_content(json(json!({ "error": "x" })))
    };
    let forgets = move |_: RawJson, _: Context| async { CallToolResult::text("done") };
    let breaks =
        move |_: RawJson, _: Context| async move { CallToolResult::structured(json(json!({ "n": "x" }))) };
    let server = Server::new("promises", "1")
        .raw_tool(promising("fails"), fails)
        .raw_tool(promising("fails-structured"), fails_structured)
        .raw_tool(promising("forgets"), forgets)
        .raw_tool(promising("breaks"), breaks);
    for era in ERAS {
        let mut peer = Peer::connect(&server, era, json!({})).await;
        assert_eq!(refusal(&call(&mut peer, "fails", "{}").await), "no such id");
        let failed = call(&mut peer, "fails-structured", "{}").await;
        assert_eq!(refusal(&failed), "no such id");
        assert_eq!(failed["result"]["structuredContent"], json!({ "error": "x" }));
        let forgot = call(&mut peer, "forgets", "{}").await;
        assert_eq!(refusal(&forgot), "the tool promises structured content and gave none");
        let broke = call(&mut peer, "breaks", "{}").await;
        assert!(refusal(&broke).starts_with("the result does not fit the output schema: `/n`"), "{broke}");
    }
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_refused_in_the_words_of_json() {
    for era in ERAS {
        let mut peer = Peer::connect(&server(), era, json!({})).await;
        for (tool, arguments, words) in [
            ("echo", r#"{"text":"\ud800"}"#, "`/text`: it has half a character in it"),
            ("echo", r#"{"text":"a","text":"b"}"#, "the member `text` is there twice"),
            ("limit", r#"{"limit":1e400}"#, "`/limit`: it has a number that is too large to be read"),
        ] {
            let response = call(&mut peer, tool, arguments).await;
            assert!(refusal(&response).contains(words), "{response}");
        }
        let response = peer.ask("tools/call", r#"{"name":7}"#.to_owned()).await;
        assert_eq!(
            response["error"]["message"], "params: `/name`: it is the number 7, and has to be a string",
            "{response}"
        );
    }
}
