//! Calls of tools: arguments, results, failures, progress, logs, cancellation, deadlines.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use hermes_server::{Context, IntoToolResult, Json, Server, ToolDef, ToolError};
use hermes_types::{CallToolResult, ContentBlock, Fault, LoggingLevel, RawJson, Revision, Tool};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::client::{Client, bare, modern};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Limit {
    limit: i64,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Steps {
    n: u32,
}

#[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
struct Sum {
    sum: i64,
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("no text: {result}"))
}

fn nothing_to_say(result: Value) -> Value {
    assert!(result.get("isError").is_none(), "{result}");
    result
}

// spec: R280, R281, R283
#[tokio::test(start_paused = true)]
async fn whatever_a_handler_returns_becomes_a_result() {
    let server = Server::new("test", "1")
        .tool("string", |(): (), _: Context| async { "s".to_owned() })
        .tool("number", |(): (), _: Context| async { 21.5 })
        .tool("unit", |(): (), _: Context| async {})
        .tool("none", |(): (), _: Context| async { None::<bool> })
        .tool("blocks", |(): (), _: Context| async { vec![ContentBlock::text("a"), ContentBlock::text("b")] })
        .tool("json", |(): (), _: Context| async { Json(Sum { sum: i64::MAX }) })
        .tool("list", |(): (), _: Context| async { Json(vec![1, 2]) })
        .tool("whole", |(): (), _: Context| async { CallToolResult::error("as it is") })
        .tool("fails", |(): (), _: Context| async {
            let inner: Result<u8, _> = "x".parse::<u8>();
            let n = inner?;
            Ok(n)
        });
    let mut client = Client::connect(&server);
    let mut results = Vec::new();
    for tool in ["string", "number", "unit", "none", "blocks", "json", "list", "whole", "fails"] {
        let result = client.result(json!(tool), "tools/call", modern(json!({ "name": tool }))).await;
        let mut result = bare(result);
        result.as_object_mut().expect("an object").remove("resultType");
        results.push(result);
    }
    let block = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(
        results,
        [
            json!({ "content": [block("s")] }),
            json!({ "content": [block("21.5")] }),
            json!({ "content": [] }),
            json!({ "content": [] }),
            json!({ "content": [block("a"), block("b")] }),
            json!({ "content": [block(r#"{"sum":9223372036854775807}"#)],
                    "structuredContent": { "sum": i64::MAX } }),
            json!({ "content": [block("[1,2]")], "structuredContent": [1, 2] }),
            json!({ "content": [block("as it is")], "isError": true }),
            json!({ "content": [block("invalid digit found in string")], "isError": true }),
        ]
    );
}

// spec: R278
#[tokio::test(start_paused = true)]
async fn older_revisions_get_what_they_have_words_for() {
    let server = Server::new("test", "1")
        .tool("sum", |(): (), _: Context| async { Json(Sum { sum: 3 }) })
        .tool("list", |(): (), _: Context| async { Json(vec![1, 2]) });
    for revision in Revision::LEGACY {
        let mut client = Client::legacy(&server, revision).await;
        let since_06_18 = revision >= Revision::V2025_06_18;
        let tools = client.result(json!(0), "tools/list", json!({})).await;
        assert_eq!(tools["tools"][1].get("outputSchema").is_some(), since_06_18, "{revision}");
        assert!(tools["tools"][0].get("outputSchema").is_none(), "{revision}: its root is no object");
        let sum = client.call(1, "sum", json!({})).await;
        assert_eq!((text(&sum), sum.get("structuredContent").is_some()), (r#"{"sum":3}"#, since_06_18));
        let list = client.call(2, "list", json!({})).await;
        assert_eq!((text(&list), list.get("structuredContent")), ("[1,2]", None), "{revision}");
    }
}

// spec: R052, R274
#[tokio::test(start_paused = true)]
async fn every_schema_that_is_published_is_valid_in_its_dialect() {
    #[derive(serde::Deserialize, serde::Serialize, schemars::JsonSchema)]
    struct Everything {
        text: Option<String>,
        numbers: Vec<(i64, f64)>,
        either: Result<Sum, u8>,
        tree: Option<Box<Self>>,
        map: std::collections::BTreeMap<String, u8>,
        any: Value,
    }
    let draft_7 = r##"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
        "properties":{"a":{"items":[{"$ref":"#/definitions/n"}]}},"definitions":{"n":{"type":"number"}}}"##;
    let server = Server::new("test", "1")
        .tool("nothing", |(): (), _: Context| async {})
        .tool("all", |all: Everything, _: Context| async { Json(all) })
        .tool("list", |_: Echo, _: Context| async { Json(vec![1, 2]) })
        .raw_tool(Tool::new("old", RawJson::parse(draft_7).expect("JSON")), |_: RawJson, _: Context| async {
        });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut seen = 0;
    for params in [json!({}), modern(json!({}))] {
        let listed = client.result(json!(1), "tools/list", params).await;
        for tool in listed["tools"].as_array().expect("tools") {
            assert!(tool["inputSchema"].is_object(), "{tool}");
            for schema in [&tool["inputSchema"], &tool["outputSchema"]].into_iter().filter(|it| !it.is_null())
            {
                assert!(jsonschema::meta::is_valid(schema), "{schema}");
                seen += 1;
            }
        }
    }
    assert_eq!(seen, 4 + 1 + 4 + 2, "the list has no schema that an object is in the legacy era");
}

#[tokio::test(start_paused = true)]
async fn an_error_is_shown_with_its_whole_chain_and_a_refusal_is_a_protocol_error() {
    #[derive(Debug)]
    struct Outer(std::num::ParseIntError);
    impl std::fmt::Display for Outer {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("reading the limit")
        }
    }
    impl std::error::Error for Outer {
        fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
            Some(&self.0)
        }
    }
    let server = Server::new("test", "1")
        .tool("chain", |(): (), _: Context| async {
            "x".parse::<u8>().map_err(Outer)?;
            Ok(())
        })
        .tool("refuse", |(): (), _: Context| async {
            Err::<(), _>(ToolError::refuse(Fault::invalid_params("not today")))
        });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let result = client.call(1, "chain", json!({})).await;
    assert_eq!(
        (text(&result), &result["isError"]),
        ("reading the limit: invalid digit found in string", &json!(true))
    );
    let error = client.error(json!(2), "tools/call", json!({ "name": "refuse" })).await;
    assert_eq!(error, json!({ "code": -32602, "message": "not today" }));
}

#[tokio::test(start_paused = true)]
async fn b031_arguments_of_the_wrong_shape_are_refused_before_the_tool_runs() {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let server = Server::new("test", "1").tool("none", move |(): (), _: Context| {
        counted.fetch_add(1, Ordering::Relaxed);
        async {}
    });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    for arguments in [json!([]), json!("x"), json!(5), json!(true)] {
        let params = json!({ "name": "none", "arguments": arguments });
        assert_eq!(client.error(json!(1), "tools/call", params).await["code"], -32602, "{arguments}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    for params in [json!({ "name": "none" }), json!({ "name": "none", "arguments": null })] {
        nothing_to_say(client.result(json!(2), "tools/call", params).await);
    }
    nothing_to_say(client.call(3, "none", json!({})).await);
    assert_eq!(runs.load(Ordering::Relaxed), 3);
}

// spec: R284
#[tokio::test(start_paused = true)]
async fn b096_arguments_that_do_not_fit_are_a_tool_error_that_names_the_place() {
    let server = Server::new("test", "1").tool("echo", |args: Echo, _: Context| async move { args.text });
    for revision in Revision::LEGACY {
        let mut client = Client::legacy(&server, revision).await;
        for arguments in [json!({}), json!({ "text": 5 }), json!({ "text": null })] {
            let result = client.call(1, "echo", arguments.clone()).await;
            assert_eq!(result["isError"], true, "{revision}: {arguments}");
            assert!(text(&result).contains("text"), "{revision}: {result}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn b095_whole_floats_are_integers() {
    let server = Server::new("test", "1").tool("limit", |args: Limit, _: Context| async move { args.limit });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    for (limit, expected) in [("30", "30"), ("30.0", "30"), ("3e1", "30"), ("-0", "0")] {
        client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"limit","arguments":{{"limit":{limit}}}}}}}"#
            ))
            .await;
        assert_eq!(text(&client.next().await["result"]), expected, "{limit}");
    }
    for limit in ["30.5", "\"30\"", "1e400"] {
        client
            .send(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"limit","arguments":{{"limit":{limit}}}}}}}"#
            ))
            .await;
        let answer = client.next().await;
        assert_eq!(answer["result"]["isError"], true, "{limit}: {answer}");
    }
}

#[tokio::test(start_paused = true)]
async fn b024_integers_beyond_2_to_the_53_pass_unchanged() {
    let schema = RawJson::parse(r#"{"type":"object"}"#).expect("JSON");
    let server = Server::new("test", "1")
        .raw_tool(Tool::new("raw", schema), |args: RawJson, _: Context| async move {
            CallToolResult::structured(args)
        });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let numbers = r#"{"n":9007199254740993,"m":-7108510333361982070,"u":18446744073709551615,"f":30.0}"#;
    client
        .send(&format!(
            r#"{{"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{{"name":"raw","arguments":{numbers}}}}}"#
        ))
        .await;
    let line = client.next_line().await;
    assert!(line.contains(r#""id":9007199254740993"#), "{line}");
    assert!(line.contains(&format!(r#""structuredContent":{numbers}"#)), "{line}");
}

// spec: R054, R057
#[tokio::test(start_paused = true)]
async fn a_tool_with_a_remote_reference_refuses_its_calls_and_the_others_work() {
    let schema =
        RawJson::parse(r#"{"type":"object","properties":{"a":{"$ref":"https://example.org/a.json"}}}"#);
    let server = Server::new("test", "1")
        .raw_tool(Tool::new("bad", schema.expect("JSON")), |_: RawJson, _: Context| async { "ran" })
        .tool("echo", |args: Echo, _: Context| async move { args.text });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let result = client.call(1, "bad", json!({ "a": 1 })).await;
    assert_eq!(result["isError"], true);
    assert!(text(&result).contains("https://example.org/a.json"), "{result}");
    assert_eq!(text(&client.call(2, "echo", json!({ "text": "fine" })).await), "fine");
}

// spec: R278
#[tokio::test(start_paused = true)]
async fn a_result_that_breaks_the_output_schema_is_a_failure_that_says_so() {
    let schema = |text: &str| RawJson::parse(text).expect("JSON");
    let tool = |name: &str| {
        Tool::new(name, schema(r#"{"type":"object"}"#))
            .with_output_schema(schema(r#"{"type":"object","required":["sum"]}"#))
    };
    let server = Server::new("test", "1")
        .raw_tool(tool("wrong"), |_: RawJson, _: Context| async {
            RawJson::parse("{}").map(CallToolResult::structured).into_result()
        })
        .raw_tool(tool("missing"), |_: RawJson, _: Context| async { "text only" })
        .raw_tool(tool("failed"), |_: RawJson, _: Context| async { CallToolResult::error("because") });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let wrong = client.call(1, "wrong", json!({})).await;
    assert_eq!(wrong["isError"], true);
    assert!(text(&wrong).contains("output schema") && text(&wrong).contains("sum"), "{wrong}");
    let missing = client.call(2, "missing", json!({})).await;
    assert!(text(&missing).contains("structured content"), "{missing}");
    assert_eq!(text(&client.call(3, "failed", json!({})).await), "because", "errors need no structure");
}

trait IntoResult {
    fn into_result(self) -> Result<CallToolResult, ToolError>;
}

impl<R: IntoToolResult, E: std::error::Error + Send + Sync + 'static> IntoResult for Result<R, E> {
    fn into_result(self) -> Result<CallToolResult, ToolError> {
        self?.into_tool_result()
    }
}

#[tokio::test(start_paused = true)]
async fn a_panic_is_an_internal_error_on_its_own_request_and_touches_nothing_else() {
    let go = Arc::new(Notify::new());
    let waiting = Arc::clone(&go);
    let server = Server::new("test", "1")
        .tool("at_once", |(): (), _: Context| -> std::future::Ready<()> { panic!("at once") })
        .tool("later", |(): (), _: Context| async {
            tokio::time::sleep(Duration::from_secs(1)).await;
            "later".parse::<u8>().expect("no number")
        })
        .tool("wait", move |(): (), _: Context| {
            let waiting = Arc::clone(&waiting);
            async move { waiting.notified().await }
        });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.request(json!("w"), "tools/call", json!({ "name": "wait" })).await;
    for tool in ["at_once", "later"] {
        let error = client.error(json!(tool), "tools/call", json!({ "name": tool })).await;
        assert_eq!(error, json!({ "code": -32603, "message": "the handler panicked" }));
    }
    go.notify_one();
    assert_eq!(client.next().await["id"], "w");
}

#[tokio::test(start_paused = true)]
async fn a_deadline_answers_with_an_error_and_drops_the_handler() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&dropped);
    let forever = move |(): (), _: Context| {
        let guard = OnDrop(Arc::clone(&counted));
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    };
    let server = Server::new("test", "1")
        .deadline(Duration::from_secs(60))
        .tool("slow", forever.clone())
        .tool(ToolDef::new("slower").deadline(Duration::from_secs(600)), forever);
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let begun = tokio::time::Instant::now();
    client.request(json!(1), "tools/call", json!({ "name": "slower" })).await;
    client.request(json!(2), "tools/call", json!({ "name": "slow" })).await;
    for (id, seconds) in [(2, 60), (1, 600)] {
        let message = client.next().await;
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(id), &json!(-32603)), "{message}");
        assert!(message["error"]["message"].as_str().is_some_and(|text| text.contains("deadline")));
        assert_eq!(begun.elapsed().as_secs(), seconds);
    }
    assert_eq!(dropped.load(Ordering::Relaxed), 2);
}

struct OnDrop(Arc<AtomicUsize>);

impl Drop for OnDrop {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

fn reporter(stop_after: Arc<Notify>) -> Server {
    Server::new("test", "1").tool("progress", move |args: Steps, ctx: Context| {
        let go_on = Arc::clone(&stop_after);
        async move {
            for step in 1..=args.n {
                ctx.progress(f64::from(step), Some(f64::from(args.n)), Some("working"));
                ctx.log(LoggingLevel::Warning, &step);
                if step == 2 && args.n > 2 {
                    go_on.notified().await;
                }
            }
            "done"
        }
    })
}

// spec: R110, R111, R221, R223, R224, R232
#[tokio::test(start_paused = true)]
async fn b036_nothing_is_sent_for_a_cancelled_call() {
    let go_on = Arc::new(Notify::new());
    let server = reporter(Arc::clone(&go_on));
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let params = json!({ "name": "progress", "arguments": { "n": 100 }, "_meta": { "progressToken": "p" } });
    client.request(json!(4), "tools/call", modern(params)).await;
    for step in 1..=2 {
        let note = client.next().await;
        assert_eq!(
            (&note["params"]["progressToken"], &note["params"]["progress"]),
            (&json!("p"), &json!(step))
        );
    }
    for params in
        [json!({ "requestId": 4 }), json!({ "requestId": 4 }), json!({ "requestId": 999 }), json!({})]
    {
        client.notify("notifications/cancelled", params).await;
        client.expect_silence().await;
    }
    go_on.notify_one();
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_handler_is_dropped_and_its_tasks_hear_of_it() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let heard = Arc::new(Notify::new());
    let (counted, hearing) = (Arc::clone(&dropped), Arc::clone(&heard));
    let server = Server::new("test", "1").tool("wait", move |(): (), ctx: Context| {
        let guard = OnDrop(Arc::clone(&counted));
        let hearing = Arc::clone(&hearing);
        tokio::spawn(async move {
            ctx.cancelled().await;
            assert!(ctx.is_cancelled());
            hearing.notify_one();
        });
        async move {
            let _guard = guard;
            std::future::pending::<()>().await;
        }
    });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.request(json!(1), "tools/call", json!({ "name": "wait" })).await;
    client.expect_silence().await;
    client.notify("notifications/cancelled", json!({ "requestId": 1, "reason": "no need" })).await;
    heard.notified().await;
    client.expect_silence().await;
    assert_eq!(dropped.load(Ordering::Relaxed), 1);
    let again = client.result(json!(1), "ping", json!({})).await;
    assert_eq!(again, json!({}), "the id is free again");
}

// spec: R236, R237, R238, R239
#[tokio::test(start_paused = true)]
async fn b037_b038_progress_carries_the_token_that_came_and_is_not_sent_without_one() {
    let server = reporter(Arc::new(Notify::new()));
    let mut client = Client::legacy(&server, Revision::V2025_06_18).await;
    client.result(json!(0), "logging/setLevel", json!({ "level": "emergency" })).await;
    for token in [json!("abc"), json!(0), json!(7), json!("")] {
        let params =
            json!({ "name": "progress", "arguments": { "n": 2 }, "_meta": { "progressToken": token } });
        client.request(json!(1), "tools/call", params).await;
        for step in 1..=2 {
            let note = client.next().await;
            assert_eq!(note["method"], "notifications/progress");
            assert_eq!(
                note["params"],
                json!({ "progressToken": token, "progress": step, "total": 2, "message": "working" })
            );
        }
        assert_eq!(client.next().await["id"], 1);
    }
    assert_eq!(text(&client.call(2, "progress", json!({ "n": 2 })).await), "done");
    let mut oldest = Client::legacy(&server, Revision::V2024_11_05).await;
    oldest.result(json!(0), "logging/setLevel", json!({ "level": "emergency" })).await;
    let params = json!({ "name": "progress", "arguments": { "n": 1 }, "_meta": { "progressToken": 1 } });
    oldest.request(json!(1), "tools/call", params).await;
    assert_eq!(oldest.next().await["params"], json!({ "progressToken": 1, "progress": 1, "total": 1 }));
}

// spec: R237
#[tokio::test(start_paused = true)]
async fn progress_that_does_not_grow_is_not_sent() {
    let server = Server::new("test", "1").tool("steps", |(): (), ctx: Context| async move {
        assert!(ctx.wants_progress());
        for done in [1.0, 1.0, 0.5, f64::NAN, f64::INFINITY, 2.5, 2.0] {
            ctx.progress(done, None, None);
        }
    });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.request(json!(1), "tools/call", json!({ "name": "steps", "_meta": { "progressToken": 1 } })).await;
    assert_eq!(client.next().await["params"]["progress"], 1);
    assert_eq!(client.next().await["params"]["progress"], 2.5);
    assert_eq!(client.next().await["id"], 1);
}

fn logger() -> Server {
    Server::new("test", "1").tool("log", |(): (), ctx: Context| async move {
        for level in LoggingLevel::KNOWN {
            ctx.log_from("part", level.clone(), &json!({ "is": level.as_str() }));
        }
        // The call is over for the client, and so is what it says.
        tokio::spawn(async move {
            ctx.cancelled().await;
            ctx.log(LoggingLevel::Emergency, "too late");
            ctx.progress(1.0, None, None);
        });
    })
}

async fn levels(client: &mut Client, params: Value) -> Vec<String> {
    client.request(json!(1), "tools/call", params).await;
    let mut levels = Vec::new();
    loop {
        let message = client.next().await;
        if message["id"] == 1 {
            client.result(json!(2), "tools/call", modern(json!({ "name": "nothing" }))).await;
            return levels;
        }
        assert_eq!(
            (&message["method"], &message["params"]["logger"]),
            (&json!("notifications/message"), &json!("part"))
        );
        assert_eq!(message["params"]["data"]["is"], message["params"]["level"]);
        levels.push(message["params"]["level"].as_str().expect("a level").to_owned());
    }
}

// spec: R326
#[tokio::test(start_paused = true)]
async fn the_sessions_level_decides_about_logs_in_the_legacy_era() {
    let server = logger().tool("nothing", |(): (), _: Context| async {});
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let params = json!({ "name": "log" });
    assert_eq!(levels(&mut client, params.clone()).await.len(), 7, "from info on, at first");
    client.result(json!(0), "logging/setLevel", json!({ "level": "debug" })).await;
    assert_eq!(levels(&mut client, params.clone()).await.len(), 8);
    client.result(json!(0), "logging/setLevel", json!({ "level": "alert" })).await;
    assert_eq!(levels(&mut client, params.clone()).await, ["alert", "emergency"]);
    let mut other = Client::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(levels(&mut other, params).await.len(), 7, "another session has its own level");
}

// spec: R327, R328
#[tokio::test(start_paused = true)]
async fn the_requests_own_level_decides_about_logs_in_the_modern_era() {
    let server = logger().tool("nothing", |(): (), _: Context| async {});
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.result(json!(0), "logging/setLevel", json!({ "level": "debug" })).await;
    assert_eq!(levels(&mut client, modern(json!({ "name": "log" }))).await, Vec::<String>::new());
    let params = json!({ "name": "log", "_meta": { "io.modelcontextprotocol/logLevel": "critical" } });
    assert_eq!(levels(&mut client, modern(params)).await, ["critical", "alert", "emergency"]);
    let params = json!({ "name": "log", "_meta": { "io.modelcontextprotocol/logLevel": "loud" } });
    assert_eq!(client.error(json!(3), "tools/call", modern(params)).await["code"], -32602);
}

// spec: R324
#[tokio::test(start_paused = true)]
async fn without_logging_nothing_is_logged() {
    let server = logger().without_logging().tool("nothing", |(): (), _: Context| async {});
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(levels(&mut client, json!({ "name": "log" })).await, Vec::<String>::new());
}

// spec: R330
#[tokio::test(start_paused = true)]
async fn the_only_log_messages_are_those_of_handlers() {
    let server = Server::new("test", "1")
        .deadline(Duration::from_secs(1))
        .tool("fails", |args: Echo, _: Context| async move { Err::<(), _>(ToolError::new(args.text)) })
        .tool("panics", |args: Echo, _: Context| async move {
            if !args.text.is_empty() {
                panic!("{}", args.text)
            }
        })
        .tool("waits", |_: Echo, _: Context| std::future::pending::<()>());
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.result(json!(0), "logging/setLevel", json!({ "level": "debug" })).await;
    for (tool, arguments) in [
        ("fails", json!({ "text": "secret" })),
        ("panics", json!({ "text": "secret" })),
        ("waits", json!({ "text": "secret" })),
        ("fails", json!({ "secret": 5 })),
        ("secret", json!({})),
    ] {
        let meta = json!({ "io.modelcontextprotocol/logLevel": "debug" });
        let params = json!({ "name": tool, "arguments": arguments, "_meta": meta });
        for params in [params.clone(), modern(params)] {
            client.request(json!(tool), "tools/call", params).await;
            assert_eq!(client.next().await["id"], tool, "nothing comes before the answer");
            client.expect_silence().await;
        }
    }
}

#[derive(Default)]
struct Visits(AtomicUsize);

// spec: R031, R035
#[tokio::test(start_paused = true)]
async fn data_belong_to_the_legacy_session_and_to_no_modern_request() {
    let server = Server::new("test", "1").tool("visit", |(): (), ctx: Context| async move {
        let (visits, same) = (ctx.session_data::<Visits>(), ctx.session_data::<Visits>());
        assert!(Arc::ptr_eq(&visits, &same));
        visits.0.fetch_add(1, Ordering::Relaxed) + 1
    });
    let mut first = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut second = Client::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(text(&first.call(1, "visit", json!({})).await), "1");
    assert_eq!(text(&first.call(2, "visit", json!({})).await), "2");
    assert_eq!(text(&second.call(1, "visit", json!({})).await), "1");
    for id in [3, 4] {
        let result = first.result(json!(id), "tools/call", modern(json!({ "name": "visit" }))).await;
        assert_eq!(text(&result), "1");
    }
    assert_eq!(text(&first.call(5, "visit", json!({})).await), "3");
}

#[tokio::test(start_paused = true)]
async fn a_handler_knows_who_asks_and_how() {
    let server = Server::new("test", "1").tool("who", |(): (), ctx: Context| async move {
        let info = ctx.client_info().map(|info| info.name.clone()).unwrap_or_default();
        let roots = ctx.client_capabilities().roots.is_some();
        let trace = ctx.meta().map(|meta| meta.get().contains("traceparent")).unwrap_or_default();
        format!("{} {} {info} {roots} {trace}", ctx.revision(), ctx.request_id())
    });
    let mut client = Client::legacy_with(&server, Revision::V2025_06_18, json!({ "roots": {} })).await;
    let params = json!({ "name": "who", "_meta": { "traceparent": "00-1-2-01" } });
    let result = client.result(json!("a"), "tools/call", params).await;
    assert_eq!(text(&result), "2025-06-18 \"a\" test true true");
    let params = json!({ "name": "who", "_meta": { "io.modelcontextprotocol/clientInfo": { "name": "m", "version": "1" } } });
    let result = client.result(json!(7), "tools/call", modern(params)).await;
    assert_eq!(text(&result), "2026-07-28 7 m false false");
}

#[tokio::test(start_paused = true)]
async fn calls_run_side_by_side_up_to_the_limit_and_the_next_is_told_to_wait() {
    let go = Arc::new(Notify::new());
    let waiting = Arc::clone(&go);
    let server = Server::new("test", "1").max_in_flight(3).tool("wait", move |(): (), _: Context| {
        let waiting = Arc::clone(&waiting);
        async move { waiting.notified().await }
    });
    let mut client = Client::connect(&server);
    for id in 0..3 {
        client.request(json!(id), "tools/call", modern(json!({ "name": "wait" }))).await;
    }
    let error = client.error(json!(3), "tools/call", modern(json!({ "name": "wait" }))).await;
    assert_eq!(error, json!({ "code": -32603, "message": "too many requests in flight" }));
    go.notify_waiters();
    for id in 0..3 {
        assert_eq!(client.next().await["id"], id);
    }
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_burst_of_short_calls_is_no_overload() {
    let server = Server::new("test", "1")
        .max_in_flight(2)
        .tool("echo", |args: Echo, _: Context| async move { args.text });
    let mut client = Client::connect(&server);
    let mut burst = String::new();
    for id in 0..500 {
        let params = modern(json!({ "name": "echo", "arguments": { "text": "x" } }));
        let line = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        burst.push_str(&format!("{line}\n"));
    }
    client.send_bytes(burst.as_bytes()).await;
    for id in 0..500 {
        let message = client.next().await;
        assert_eq!((&message["id"], text(&message["result"])), (&json!(id), "x"));
    }
}

// spec: R240
#[tokio::test(start_paused = true)]
async fn a_client_that_does_not_read_loses_notes_and_no_response() {
    let server = Server::new("test", "1").tool("flood", |(): (), ctx: Context| async move {
        for step in 1..=5_000 {
            ctx.progress(f64::from(step), None, None);
        }
        "x".repeat(20_000)
    });
    let mut client = Client::connect_with_room(&server, 1024);
    client
        .request(json!(1), "tools/call", modern(json!({ "name": "flood", "_meta": { "progressToken": 1 } })))
        .await;
    let (mut notes, mut last) = (0, 0);
    loop {
        let message = client.next().await;
        if message["id"] == 1 {
            assert_eq!(text(&message["result"]).len(), 20_000);
            break;
        }
        let progress = message["params"]["progress"].as_i64().expect("a number");
        assert!(progress > last, "order");
        (notes, last) = (notes + 1, progress);
    }
    assert_eq!(last, 5_000, "the newest are kept");
    assert!((1_024..4_000).contains(&notes), "{notes} notes");
}
