//! Whatever a client sends: the right error with the request's own id, and the next request works.

use hermes_server::{Context, Server};
use hermes_types::Revision;
use serde_json::{Value, json};

use crate::client::{Client, modern};

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Echo {
    text: String,
}

fn server() -> Server {
    Server::new("test", "1").tool("echo", |args: Echo, _: Context| async move { args.text })
}

/// The answer to a bad line: its id (`None`: none at all) and code. Then the next request has to work.
async fn refusal(client: &mut Client, line: &str) -> (Option<Value>, i64) {
    client.send(line).await;
    let answer = client.next().await;
    let code = answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("{answer}"));
    assert!(answer["error"]["message"].as_str().is_some_and(|message| !message.is_empty()), "{answer}");
    client.expect_silence().await;
    (answer.get("id").cloned(), code)
}

// spec: R001, R003, R006, R009, R010
#[tokio::test(start_paused = true)]
async fn b026_what_is_no_message_is_answered_once_and_the_next_request_works() {
    for revision in Revision::LEGACY {
        let mut client = Client::legacy(&server(), revision).await;
        for (line, id, code) in [
            ("hello", None, -32700),
            ("{", None, -32700),
            (r#"{"jsonrpc":"2.0","id":"#, None, -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping",}"#, None, -32700),
            ("true", None, -32600),
            ("\"ping\"", None, -32600),
            ("{}", None, -32600),
            (r#"{"jsonrpc":"2.0","id":1}"#, Some(json!(1)), -32600),
            (r#"{"jsonrpc":"1.0","id":2,"method":"ping"}"#, Some(json!(2)), -32600),
            (r#"{"jsonrpc":2.0,"id":3,"method":"ping"}"#, Some(json!(3)), -32600),
            (r#"{"id":"x","method":"ping"}"#, Some(json!("x")), -32600),
            (r#"{"jsonrpc":"2.0","id":4,"method":null}"#, Some(json!(4)), -32600),
            (r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}"#, Some(json!(5)), -32602),
            (r#"{"jsonrpc":"2.0","id":6,"method":"ping","params":"x"}"#, Some(json!(6)), -32602),
        ] {
            assert_eq!(refusal(&mut client, line).await, (id, code), "{revision}: {line}");
        }
    }
}

// spec: R002, R003
#[tokio::test(start_paused = true)]
async fn b025_ids_that_are_none_are_refused_without_being_echoed() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
    let long = format!("\"{}\"", "x".repeat(1_000_000));
    for id in ["null", "1.5", "1.0", "1e3", "true", "{\"a\":[]}", "[]", &deep, &long] {
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        assert_eq!(refusal(&mut client, &line).await, (None, -32600));
    }
}

// spec: R002, R006
#[tokio::test(start_paused = true)]
async fn b023_b024_ids_come_back_byte_by_byte() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for id in ["0", "-7", "42", "\"1\"", "\"\"", "\"req-abc\"", "\"日本\"", "\"a\\\"b\"", "9007199254740993"]
    {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)).await;
        assert_eq!(client.next_line().await, format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    }
}

// spec: R004, R005
#[tokio::test(start_paused = true)]
async fn b021_a_duplicate_id_is_refused_and_the_first_call_ends_as_it_should() {
    let release = std::sync::Arc::new(tokio::sync::Notify::new());
    let held = release.clone();
    let server = server().tool("wait", move |(): (), _: Context| {
        let held = held.clone();
        async move {
            held.notified().await;
            "waited"
        }
    });
    for era in [json!({}), modern(json!({}))] {
        let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
        let params = |tool: &str, arguments: Value| {
            let mut params = era.clone();
            params["name"] = json!(tool);
            params["arguments"] = arguments;
            params
        };
        client.request(json!(1), "tools/call", params("wait", json!({}))).await;
        let error = client.error(json!(1), "tools/call", params("echo", json!({ "text": "B" }))).await;
        assert_eq!(error["code"], -32600);
        let other = client.result(json!("1"), "tools/call", params("echo", json!({ "text": "C" }))).await;
        assert_eq!(other["content"][0]["text"], "C", "a string is another id");
        release.notify_one();
        let first = client.next().await;
        assert_eq!((&first["id"], &first["result"]["content"][0]["text"]), (&json!(1), &json!("waited")));
    }
}

// spec: R012, R013
#[tokio::test(start_paused = true)]
async fn b027_notifications_are_never_answered() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for line in [
        r#"{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"a":1}}"#,
        r#"{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"}}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/initialized","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":99,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#,
    ] {
        client.send(line).await;
        client.expect_silence().await;
    }
}

// spec: R325
#[tokio::test(start_paused = true)]
async fn what_is_unknown_or_missing_is_named_in_the_error() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for (method, params, code, word) in [
        ("nope", "{}", -32601, "nope"),
        ("tools/Call", "{}", -32601, "tools/Call"),
        ("server/discover", "{}", -32601, "server/discover"),
        ("resources/list", "{}", -32601, "resources/list"),
        ("prompts/get", r#"{"name":"x"}"#, -32601, "prompts/get"),
        ("completion/complete", "{}", -32601, "completion/complete"),
        ("notifications/initialized", "{}", -32601, "notifications/initialized"),
        ("sampling/createMessage", "{}", -32601, "sampling/createMessage"),
        ("tools/call", "null", -32602, "params"),
        ("tools/call", "{}", -32602, "name"),
        ("tools/call", r#"{"name":5}"#, -32602, "string"),
        ("tools/call", r#"{"name":"nope"}"#, -32602, "nope"),
        ("logging/setLevel", "{}", -32602, "level"),
        ("logging/setLevel", r#"{"level":"loud"}"#, -32602, "loud"),
        ("tools/list", r#"{"cursor":5}"#, -32602, "string"),
    ] {
        client.send(&format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#)).await;
        let answer = client.next().await;
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(code)), "{answer}");
        assert!(answer["error"]["message"].as_str().is_some_and(|text| text.contains(word)), "{answer}");
        client.expect_silence().await;
    }
}

// spec: R011
#[tokio::test(start_paused = true)]
async fn the_message_of_an_error_is_a_short_line_whatever_was_sent() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let long = "two\nlines ".repeat(10_000);
    let mut unserved = modern(json!({}));
    unserved["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(long);
    for (method, params) in [
        (long.as_str(), json!({})),
        ("tools/call", json!({ "name": long })),
        ("tools/call", json!({ "name": "echo", "arguments": long })),
        ("logging/setLevel", json!({ "level": long })),
        ("tools/list", json!({ "cursor": long })),
        ("tools/list", unserved),
    ] {
        let error = client.error(json!(1), method, params).await;
        let message = error["message"].as_str().expect("a text");
        let length = message.chars().count();
        assert!(!message.contains('\n') && length <= 500, "{length}: {message:.300}");
    }
}

// spec: R064
#[tokio::test(start_paused = true)]
async fn b078_a_request_before_initialize_gets_an_error_and_the_handshake_still_works() {
    let mut client = Client::connect(&server());
    for (id, method) in [(json!(2), "tools/list"), (json!("t"), "nope")] {
        let error = client.error(id, method, json!({})).await;
        assert_eq!(error["code"], -32600);
        assert!(error["message"].as_str().is_some_and(|text| text.contains("initialize")), "{error}");
    }
    let error = client.error(json!("d"), "server/discover", json!({})).await;
    assert_eq!(error["code"], -32602);
    client.expect_silence().await;
    assert_eq!(client.initialize("2025-11-25", json!({})).await["protocolVersion"], "2025-11-25");
}

#[tokio::test(start_paused = true)]
async fn a_second_initialize_is_refused_and_the_session_goes_on() {
    let mut client = Client::legacy(&server(), Revision::V2025_06_18).await;
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {} });
    assert_eq!(client.error(json!(2), "initialize", params).await["code"], -32600);
    assert_eq!(client.call(3, "echo", json!({ "text": "on" })).await["content"][0]["text"], "on");
}

// spec: R085
#[tokio::test(start_paused = true)]
async fn b077_a_revision_that_is_not_served_is_named_together_with_those_that_are() {
    let mut client = Client::connect(&server());
    for version in ["2024-11-05", "2025-11-25", "2030-01-01"] {
        let mut params = modern(json!({}));
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(version);
        let error = client.error(json!(1), "tools/list", params).await;
        assert_eq!(error["code"], -32022);
        assert_eq!(error["data"], json!({ "requested": version, "supported": ["2026-07-28"] }));
    }
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_line_of_20_mb_is_refused_with_its_id() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let long = "x".repeat(20_000_000);
    for line in [
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{{"text":"{long}"}}}}"#),
        format!(r#"{{"params":{{"text":"{long}"}},"method":"tools/call","id":7,"jsonrpc":"2.0"}}"#),
    ] {
        assert_eq!(refusal(&mut client, &line).await, (Some(json!(7)), -32600));
    }
    client
        .send(&format!(r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"text":"{long}"}}}}"#))
        .await;
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn two_hundred_levels_of_nesting_are_refused_with_the_id_and_a_hundred_are_not() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(r#"{{"jsonrpc":"2.0","id":"deep","method":"ping","params":{{"a":{open}{close}}}}}"#)
    };
    assert_eq!(refusal(&mut client, &nested(200)).await, (Some(json!("deep")), -32600));
    assert_eq!(refusal(&mut client, &nested(100_000)).await, (Some(json!("deep")), -32600));
    client.send(&nested(100)).await;
    assert_eq!(client.next().await["result"], json!({}));
}

// spec: R101, R118
#[tokio::test(start_paused = true)]
async fn b059_b060_line_ends_blanks_and_byte_order_marks_do_no_harm() {
    let mut client = Client::connect(&server());
    let ping = |id: i64| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
    client.send_bytes(format!("\n  \n\u{feff}{}\n", ping(1)).as_bytes()).await;
    assert_eq!(client.next().await["id"], 1);
    client.send_bytes(format!("{}\r\n\r\n", ping(2)).as_bytes()).await;
    assert_eq!(client.next_line().await, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    client.send_bytes(format!("{}\n{}\r\n", ping(3), ping(4)).as_bytes()).await;
    assert_eq!(client.next().await["id"], 3);
    assert_eq!(client.next().await["id"], 4);
    // The last line may lack its end.
    client.send_bytes(ping(5).as_bytes()).await;
    let (last, ended) = client.finish().await;
    assert_eq!(last, [json!({ "jsonrpc": "2.0", "id": 5, "result": {} })]);
    assert!(ended.is_ok());
}

// spec: R101, R102
#[tokio::test(start_paused = true)]
async fn what_the_server_says_is_one_line_however_many_it_is_about() {
    let server = server().raw_tool(
        hermes_types::Tool::new("raw", hermes_types::RawJson::parse(r#"{"type":"object"}"#).expect("JSON")),
        |_: hermes_types::RawJson, _: Context| async {
            hermes_types::RawJson::parse("{\n  \"a\": [1,\r\n 2]\n}")
                .map(hermes_types::CallToolResult::structured)
                .ok()
        },
    );
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let said = client.call(1, "echo", json!({ "text": "two\nlines\u{2028}\r" })).await;
    assert_eq!(said["content"][0]["text"], "two\nlines\u{2028}\r");
    let said = client.call(2, "raw", json!({})).await;
    assert_eq!(said["structuredContent"], json!({ "a": [1, 2] }));
    client.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_message_spread_over_five_lines_is_no_message_and_spoils_no_other() {
    let mut client = Client::connect(&server());
    client.send("{\n\"jsonrpc\":\"2.0\",\n\"id\":1,\n\"method\":\"ping\"\n}").await;
    let mut codes = Vec::new();
    for _ in 0..5 {
        let answer = client.next().await;
        assert!(answer.get("id").is_none(), "{answer}");
        codes.push(answer["error"]["code"].clone());
    }
    assert_eq!(codes, [-32700; 5]);
    client.expect_silence().await;
}

// spec: R016
#[tokio::test(start_paused = true)]
async fn invalid_utf_8_is_refused_and_characters_cut_by_a_chunk_are_not() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}\n").await;
    let answer = client.next().await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32700)));
    client.send_bytes(b"\xc3\x28\n").await;
    let answer = client.next().await;
    assert_eq!((answer.get("id"), &answer["error"]["code"]), (None, &json!(-32700)));

    let params = json!({ "name": "echo", "arguments": { "text": "日本é" } });
    let line =
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params }).to_string() + "\n";
    for byte in line.as_bytes() {
        client.send_bytes(&[*byte]).await;
        tokio::task::yield_now().await;
    }
    assert_eq!(client.next().await["result"]["content"][0]["text"], "日本é");
}

// spec: R014, R015
#[tokio::test(start_paused = true)]
async fn b032_a_batch_is_answered_as_one_array_in_2025_03_26_and_refused_elsewhere() {
    let batch = r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"b"}}},{"jsonrpc":"2.0","method":"notifications/x"},5]"#;
    let mut client = Client::legacy(&server(), Revision::V2025_03_26).await;
    client.send(batch).await;
    let answers = client.next().await;
    let ids: Vec<_> =
        answers.as_array().expect("an array").iter().map(|answer| answer["id"].clone()).collect();
    assert_eq!(ids, [Value::Null, json!(1), json!(2)], "{answers}");
    client.expect_silence().await;
    for revision in [Revision::V2024_11_05, Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut client = Client::legacy(&server(), revision).await;
        assert_eq!(refusal(&mut client, batch).await, (None, -32600), "{revision}");
    }
    let mut client = Client::connect(&server());
    assert_eq!(refusal(&mut client, batch).await, (None, -32600));
}

// spec: R038
#[tokio::test(start_paused = true)]
async fn b080_a_modern_request_without_its_metadata_is_refused_even_after_a_good_one() {
    let mut client = Client::connect(&server());
    client.result(json!(1), "tools/list", modern(json!({}))).await;
    for meta in [
        json!([]),
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28" }),
        json!({ "io.modelcontextprotocol/clientCapabilities": {} }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": true }),
        json!({ "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": { "name": "n" } }),
    ] {
        let error = client.error(json!(2), "tools/list", json!({ "_meta": meta })).await;
        assert_eq!(error["code"], -32602, "{meta}");
    }
    // R031: without any metadata there is no session to fall back on either.
    assert_eq!(client.error(json!(3), "tools/list", json!({})).await["code"], -32600);
}
