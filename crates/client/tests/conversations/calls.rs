//! Operations: parameters, answers, limits of time, cancellation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_client::{Client, ClientError, Direction, Unsupported, Warning};
use hermes_types::{CompleteRequestParams, Era, LoggingLevel, PromptReference, RawJson};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep, timeout};

use crate::peer::{Peer, text};

/// A legacy session in which everything is declared.
async fn session() -> (Peer, Client) {
    session_with(Client::builder()).await
}

async fn session_with(builder: hermes_client::ClientBuilder) -> (Peer, Client) {
    let all = json!({
        "tools": {}, "resources": { "subscribe": true }, "prompts": {}, "completions": {}, "logging": {},
    });
    Peer::legacy(builder, "2025-11-25", all).await
}

#[tokio::test(start_paused = true)]
async fn every_operation_sends_what_its_method_needs() {
    let (mut peer, client) = session().await;
    let script = async {
        let call = peer.answer("tools/call", text("5")).await;
        assert_eq!(call["params"], json!({ "name": "add", "arguments": { "a": 2, "b": 3 } }));
        let call = peer.answer("tools/call", text("now")).await;
        assert_eq!(call["params"], json!({ "name": "clock" }));
        let read =
            peer.answer("resources/read", json!({ "contents": [{ "uri": "a://b", "text": "x" }] })).await;
        assert_eq!(read["params"], json!({ "uri": "a://b" }));
        let got = peer.answer("prompts/get", json!({ "messages": [] })).await;
        assert_eq!(got["params"], json!({ "name": "greet", "arguments": { "name": "Ada" } }));
        let complete =
            peer.answer("completion/complete", json!({ "completion": { "values": ["python"] } })).await;
        let reference = json!({ "type": "ref/prompt", "name": "review" });
        let argument = json!({ "name": "language", "value": "py" });
        assert_eq!(complete["params"], json!({ "ref": reference, "argument": argument }));
        let ping = peer.answer("ping", json!({})).await;
        assert_eq!(ping.get("params"), None);
        assert_eq!(peer.answer("resources/subscribe", json!({})).await["params"], json!({ "uri": "a://b" }));
        assert_eq!(
            peer.answer("resources/unsubscribe", json!({})).await["params"],
            json!({ "uri": "a://b" })
        );
        assert_eq!(peer.answer("logging/setLevel", json!({})).await["params"], json!({ "level": "warning" }));
        let other = peer.answer("tasks/get", json!({ "x": 1.50 })).await;
        assert_eq!(other["params"], json!({ "taskId": "t", "_meta": { "k": 1 } }));
    };
    let talk = async {
        let sum = client.call("add", json!({ "a": 2, "b": 3 })).await.expect("a sum");
        assert_eq!(sum.read::<u8>().expect("a number"), 5);
        client.call("clock", ()).await.expect("a time");
        let read = client.read("a://b").await.expect("contents");
        assert_eq!(read.contents.len(), 1);
        let arguments = [("name".to_owned(), "Ada".to_owned())].into();
        client.prompt("greet", &arguments).await.expect("messages");
        let params = CompleteRequestParams::new(PromptReference::new("review"), "language", "py");
        let completed = client.complete(&params).await.expect("values");
        assert_eq!(completed.completion.values, ["python"]);
        client.ping().await.expect("a sign of life");
        client.subscribe("a://b").await.expect("subscribed");
        client.unsubscribe("a://b").await.expect("unsubscribed");
        client.set_log_level(LoggingLevel::Warning).await.expect("set");
        let params =
            RawJson::parse(r#"{"taskId":"t","_meta":{"k":1,"progressToken":"mine"}}"#).expect("JSON");
        let raw = client.request_raw("tasks/get", Some(params)).await.expect("a result");
        assert_eq!(raw.get(), r#"{"x":1.5}"#);
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn b024_numbers_keep_their_digits_in_both_directions() {
    let (mut peer, client) = session().await;
    let digits = r#"{"n":9007199254740993,"m":-7108510333361982070,"u":18446744073709551615,"f":30.0}"#;
    let script = async {
        let line = peer.line().await.expect("a call");
        assert!(line.contains(digits), "{line}");
        let id = serde_json::from_str::<Value>(&line).expect("JSON")["id"].clone();
        let result = format!(r#"{{"content":[],"structuredContent":{digits},"unheard":[1.50]}}"#);
        peer.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)).await;
        result
    };
    let arguments = RawJson::parse(digits).expect("JSON");
    let (received, sent) = tokio::join!(client.call("echo", arguments).into_future(), script);
    let received = received.expect("a result");
    assert_eq!(received.structured_content.as_ref().map(RawJson::get), Some(digits));
    assert_eq!(received.raw.get(), sent, "the result object unchanged");
}

#[tokio::test(start_paused = true)]
async fn answers_find_their_calls_in_any_order() {
    let (mut peer, client) = session().await;
    let script = async {
        let mut calls = Vec::new();
        for _ in 0..100 {
            calls.push(peer.expect("tools/call").await);
        }
        for call in calls.iter().rev() {
            peer.result(call, text(call["params"]["name"].as_str().expect("a name"))).await;
        }
    };
    let talk = async {
        let mut tasks = tokio::task::JoinSet::new();
        for number in 0..100 {
            let client = client.clone();
            tasks.spawn(async move {
                let name = format!("tool-{number}");
                let result = client.call(name.clone(), ()).await.expect("a result");
                assert_eq!(result.content[0].as_text(), Some(name.as_str()));
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.expect("no panic");
        }
    };
    tokio::join!(talk, script);
    assert_eq!(client.pending(), 0);
}

// spec: R006, R222, R223
#[tokio::test(start_paused = true)]
async fn b028_stray_responses_are_warnings_and_nothing_more() {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let builder = Client::builder()
        .on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.to_string()));
    let (mut peer, client) = session_with(builder).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.send_line(r#"{"jsonrpc":"2.0","id":999,"result":{}}"#).await;
        peer.send_line(r#"{"jsonrpc":"2.0","id":"zz","error":{"code":-1,"message":"m"}}"#).await;
        peer.send_line(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}"#).await;
        peer.result(&call, text("real")).await;
        peer.result(&call, text("again")).await;
        peer.answer("tools/call", text("next")).await;
    };
    let talk = async {
        let first = client.call("t", ()).await.expect("a result");
        assert_eq!(first.content[0].as_text(), Some("real"));
        let next = client.call("t", ()).await.expect("a result");
        assert_eq!(next.content[0].as_text(), Some("next"));
    };
    tokio::join!(talk, script);
    let expected = [
        "ignored a response to a request that was never sent",
        "ignored a second response to the same request",
    ];
    assert_eq!(*warnings.lock().expect("not poisoned"), expected, "once per kind");
}

// spec: R236, R240
#[tokio::test(start_paused = true)]
async fn b038_progress_comes_in_order_with_total_and_message_and_never_after_the_result() {
    let (mut peer, client) = session().await;
    let script = async {
        let call = peer.expect("tools/call").await;
        let token = call["params"]["_meta"]["progressToken"].clone();
        assert!(token.is_i64(), "{token}");
        let other_type = token.to_string();
        peer.notify("notifications/progress", json!({ "progressToken": other_type, "progress": 9 })).await;
        let progress = json!({ "progressToken": token, "progress": 1, "total": 4, "message": "warming up" });
        peer.notify("notifications/progress", progress).await;
        peer.notify("notifications/progress", json!({ "progressToken": token, "progress": 2.5 })).await;
        peer.result(&call, text("done")).await;
        peer.notify("notifications/progress", json!({ "progressToken": token, "progress": 5 })).await;
        peer.answer("ping", json!({})).await;
    };
    let mut seen = Vec::new();
    let talk = async {
        let call = client.call("t", ());
        let show = |progress: &hermes_client::Progress| {
            seen.push((progress.progress, progress.total, progress.message.clone()));
        };
        call.on_progress(show).await.expect("a result");
        client.ping().await.expect("a sign of life");
    };
    tokio::join!(talk, script);
    assert_eq!(seen, [(1.0, Some(4.0), Some("warming up".to_owned())), (2.5, None, None)]);
}

#[tokio::test(start_paused = true)]
async fn a_default_for_progress_asks_for_it_with_every_operation() {
    let seen = Arc::new(Mutex::new(0.0));
    let sink = Arc::clone(&seen);
    let builder = Client::builder()
        .on_progress(move |progress| *sink.lock().expect("not poisoned") += progress.progress);
    let (mut peer, client) = session_with(builder).await;
    let script = async {
        let read = peer.expect("resources/read").await;
        let token = read["params"]["_meta"]["progressToken"].clone();
        peer.notify("notifications/progress", json!({ "progressToken": token, "progress": 3 })).await;
        peer.result(&read, json!({ "contents": [] })).await;
    };
    let (read, ()) = tokio::join!(client.read("a://b").into_future(), script);
    read.expect("contents");
    assert_eq!(seen.lock().expect("not poisoned").to_string(), "3");
}

// spec: R081, R082
#[tokio::test(start_paused = true)]
async fn b039_a_thousand_timeouts_leave_nothing_and_tell_the_server_each_time() {
    let (mut peer, client) = session().await;
    let script = async {
        let mut called = Vec::new();
        for _ in 0..1000 {
            let call = peer.expect("tools/call").await;
            let cancelled = peer.expect("notifications/cancelled").await;
            assert_eq!(cancelled["params"]["requestId"], call["id"]);
            assert_eq!(cancelled["params"]["reason"], "timeout");
            called.push(call);
        }
        for call in &called {
            peer.result(call, text("late")).await;
        }
        peer.answer("ping", json!({})).await;
    };
    let talk = async {
        for _ in 0..1000 {
            let error =
                client.call("t", ()).timeout(Duration::from_millis(200)).await.expect_err("no answer");
            assert!(error.is_timeout() && error.is_outcome_unknown());
        }
        assert_eq!(client.pending(), 0);
        client.ping().await.expect("a sign of life");
    };
    tokio::join!(talk, script);
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn b034_on_a_byte_stream_a_dropped_call_is_taken_back_by_one_notification() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {} })).await;
    let dropped = timeout(Duration::from_millis(100), client.call("slow", ()).into_future());
    let (dropped, call) = tokio::join!(dropped, peer.expect("tools/call"));
    assert!(dropped.is_err(), "it was not answered");
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    // Nothing more is said about it, and the connection goes on.
    let (next, request) =
        tokio::join!(client.call("quick", ()).into_future(), peer.answer("tools/call", text("on")));
    next.expect("a result");
    assert_ne!(request["id"], call["id"]);
}

// spec: R083, R235
#[tokio::test(start_paused = true)]
async fn b040_progress_extends_the_limit_when_asked_and_never_beyond_the_maximum() {
    async fn outcome(
        era: Era,
        answer_at: Option<u64>,
        maximum: Option<u64>,
    ) -> (Result<(), ClientError>, Duration, bool) {
        let (mut peer, client) = match era {
            Era::Legacy => session().await,
            Era::Modern => Peer::modern(Client::builder(), json!({ "tools": {} })).await,
        };
        let begun = Instant::now();
        let script = async {
            let call = peer.expect("tools/call").await;
            let token = call["params"]["_meta"]["progressToken"].clone();
            let mut cancelled = false;
            for tick in 1..=30_u64 {
                sleep(Duration::from_millis(100)).await;
                if answer_at == Some(tick * 100) {
                    peer.result(&call, text("done")).await;
                    return cancelled;
                }
                peer.notify("notifications/progress", json!({ "progressToken": token, "progress": tick }))
                    .await;
                if timeout(Duration::ZERO, peer.expect("notifications/cancelled")).await.is_ok() {
                    cancelled = true;
                    return cancelled;
                }
            }
            cancelled
        };
        let talk = async {
            let call = client.call("t", ()).timeout(Duration::from_millis(300)).on_progress(|_| {});
            let call = match maximum {
                Some(maximum) => call.extend_on_progress(Duration::from_millis(maximum)),
                None => call,
            };
            let result = call.await.map(|_| ());
            (result, begun.elapsed())
        };
        let ((result, elapsed), cancelled) = tokio::join!(talk, script);
        (result, elapsed, cancelled)
    }

    for era in [Era::Legacy, Era::Modern] {
        let (result, elapsed, cancelled) = outcome(era, Some(1000), Some(1500)).await;
        result.expect("progress kept it alive");
        assert_eq!((elapsed, cancelled), (Duration::from_millis(1000), false));

        let (result, elapsed, cancelled) = outcome(era, None, Some(1500)).await;
        assert_eq!(
            result.expect_err("the maximum holds").to_string(),
            "tools/call was not answered within 1500 ms"
        );
        assert_eq!((elapsed, cancelled), (Duration::from_millis(1500), true));

        let (result, elapsed, cancelled) = outcome(era, Some(1000), None).await;
        assert!(result.expect_err("progress extends nothing").is_timeout());
        assert_eq!((elapsed, cancelled), (Duration::from_millis(300), true));
    }
}

#[tokio::test(start_paused = true)]
async fn a_limit_beyond_all_clocks_is_no_limit() {
    let (mut peer, client) = session().await;
    let script = async {
        let call = peer.expect("tools/call").await;
        sleep(Duration::from_secs(365 * 24 * 3600)).await;
        peer.result(&call, text("done")).await;
    };
    let call = client.call("t", ()).timeout(Duration::MAX).extend_on_progress(Duration::MAX);
    let (result, ()) = tokio::join!(call.into_future(), script);
    result.expect("a result");
}

// spec: R109, R219, R227, R228
#[tokio::test(start_paused = true)]
async fn a_dropped_call_is_cancelled_under_its_own_id() {
    let (mut peer, client) = session().await;
    let dropped = timeout(Duration::from_millis(50), client.call("slow", ()).into_future()).await;
    assert!(dropped.is_err());
    let call = peer.expect("tools/call").await;
    let cancelled = peer.expect("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], call["id"]);
    assert_eq!(cancelled["params"]["reason"], "the caller no longer waits");
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_never_written_is_neither_sent_nor_cancelled() {
    let (mut peer, client) = session().await;
    // More than the stream holds: the server does not read, so the next call waits behind it.
    let large = json!({ "text": "x".repeat(200_000) });
    let talk = async {
        let stuck = client.call("large", large);
        let waiting = async {
            sleep(Duration::from_millis(10)).await;
            let error = client.call("waiting", ()).timeout(Duration::from_millis(50)).await;
            assert!(error.expect_err("no answer").is_timeout());
        };
        let (stuck, ()) = tokio::join!(stuck.into_future(), waiting);
        stuck.expect("a result");
        client.ping().await.expect("a sign of life");
    };
    let script = async {
        sleep(Duration::from_millis(500)).await;
        let call = peer.answer("tools/call", text("done")).await;
        assert_eq!(call["params"]["name"], "large");
        peer.answer("ping", json!({})).await;
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_lost_connection_fails_every_call_at_once_and_later_ones_too() {
    let (mut peer, client) = session().await;
    let script = async {
        peer.expect("tools/call").await;
        peer.expect("resources/read").await;
        drop(peer);
    };
    let begun = Instant::now();
    let (call, read, ()) =
        tokio::join!(client.call("t", ()).into_future(), client.read("a://b").into_future(), script);
    assert!(matches!(call, Err(ClientError::Closed(_))));
    assert!(matches!(read, Err(ClientError::Closed(_))));
    let error = client.ping().await.expect_err("closed");
    assert!(error.is_transport());
    assert_eq!(error.to_string(), "the server closed the connection");
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_eq!(client.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn closing_fails_waiting_calls_and_closes_the_stream_after_what_was_said() {
    let (mut peer, client) = session().await;
    let script = async {
        peer.expect("tools/call").await;
        assert_eq!(peer.line().await, None);
    };
    let close = async {
        sleep(Duration::from_millis(10)).await;
        assert_eq!(client.close().await, None);
    };
    let (call, (), ()) = tokio::join!(client.call("t", ()).into_future(), close, script);
    assert_eq!(call.expect_err("closed").to_string(), "the client was closed");
    assert_eq!(client.close().await, None, "twice is once");
}

#[tokio::test(start_paused = true)]
async fn the_server_s_errors_come_with_code_message_and_data() {
    let (mut peer, client) = session().await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.error(&call, json!({ "code": -32602, "message": "unknown tool", "data": { "tool": "x" } }))
            .await;
    };
    let (call, ()) = tokio::join!(client.call("x", ()).into_future(), script);
    let error = call.expect_err("refused");
    assert_eq!(error.to_string(), "tools/call failed: unknown tool (-32602)");
    let rpc = error.rpc().expect("an error of the server");
    assert_eq!(rpc.data.as_ref().map(RawJson::get), Some(r#"{"tool":"x"}"#));
}

#[tokio::test(start_paused = true)]
async fn a_result_that_does_not_fit_names_the_place() {
    let (mut peer, client) = session().await;
    let script = async {
        peer.answer("prompts/get", json!({ "messages": [{ "role": "user", "content": 7 }] })).await;
        peer.answer("tools/call", json!([])).await;
    };
    let talk = async {
        let error = client.prompt("p", &[].into()).await.expect_err("no prompt");
        let ClientError::Decode { method, path, .. } = &error else { panic!("{error}") };
        assert_eq!((method.as_str(), path.as_str()), ("prompts/get", "messages[0].content"));
        assert!(matches!(client.call("t", ()).await, Err(ClientError::Decode { .. })));
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn b093_one_unknown_word_does_not_spoil_a_result() {
    let (mut peer, client) = session().await;
    let script = async {
        let annotations = json!({ "audience": ["system"], "priority": 7 });
        let result = json!({
            "content": [
                { "type": "text", "text": "a", "annotations": annotations },
                { "type": "hologram", "x": 1 },
            ],
            "isError": false, "new": {},
        });
        peer.answer("tools/call", result).await;
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    let result = result.expect("a result");
    assert_eq!(result.content.len(), 2);
    assert_eq!(result.content[0].as_text(), Some("a"));
    assert!(result.raw.get().contains("hologram"));
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_asked_is_refused_before_anything_is_sent() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-06-18", json!({ "tools": {} })).await;
    let reason = |error| match error {
        ClientError::Unsupported { reason, .. } => reason,
        other => panic!("{other}"),
    };
    let subscribe = client.subscribe("a://b").await.expect_err("not declared");
    assert_eq!(reason(subscribe), Unsupported::Capability("resources.subscribe"));
    let level = client.set_log_level(LoggingLevel::Debug).await.expect_err("not declared");
    assert_eq!(reason(level), Unsupported::Capability("logging"));
    let discover = client.discover().await.expect_err("not in this revision");
    assert_eq!(reason(discover), Unsupported::Revision(hermes_types::Revision::V2025_06_18));
    let roots = client.roots_changed().expect_err("they cannot change");
    assert_eq!(reason(roots), Unsupported::Capability("roots.listChanged"));
    for arguments in [json!([1]), json!("x"), json!(7)] {
        let error = client.call("t", arguments).await.expect_err("no object");
        assert!(matches!(error, ClientError::Arguments { source: None, .. }), "{error}");
    }
    let params = RawJson::parse("[]").expect("JSON");
    let error = client.request_raw("x/y", Some(params)).await.expect_err("no object");
    assert!(matches!(error, ClientError::Arguments { .. }), "{error}");
    peer.silence(100).await;
}

// spec: R036, R037
#[tokio::test(start_paused = true)]
async fn a_modern_request_carries_all_it_needs_and_the_log_level_once_it_is_set() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {}, "logging": {} })).await;
    let script = async {
        let call = peer.answer("tools/call", text("done")).await;
        assert_eq!(call["params"]["_meta"].get("io.modelcontextprotocol/logLevel"), None);
        let call = peer.answer("tools/call", text("done")).await;
        let meta = &call["params"]["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/logLevel"], "error");
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "mcp-hermes-client");
        assert_eq!(meta["traceparent"], "00-1-2-01");
        assert_eq!(meta.get("progressToken"), None);
        peer.answer("server/discover", json!({ "supportedVersions": [], "capabilities": {} })).await;
    };
    let talk = async {
        client.call("t", ()).await.expect("a result");
        client.set_log_level(LoggingLevel::Error).await.expect("set");
        let trace = RawJson::encode("00-1-2-01").expect("JSON");
        client.call("t", ()).meta("traceparent", trace).await.expect("a result");
        client.ping().await.expect("a sign of life");
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn every_message_can_be_seen_on_the_wire() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let builder = Client::builder().on_wire(move |direction, text| {
        let message: Value = serde_json::from_str(text).expect("JSON");
        let what =
            message.get("method").map_or("result", |method| method.as_str().expect("a text")).to_owned();
        sink.lock().expect("not poisoned").push((direction, what));
    });
    let (mut peer, client) = session_with(builder).await;
    let script = async {
        peer.answer("tools/call", text("done")).await;
    };
    let (result, ()) = tokio::join!(client.call("t", ()).into_future(), script);
    result.expect("a result");
    use Direction::{Received, Sent};
    let expected = [
        (Sent, "initialize"),
        (Received, "result"),
        (Sent, "notifications/initialized"),
        (Sent, "tools/call"),
        (Received, "result"),
    ];
    let seen = seen.lock().expect("not poisoned");
    assert_eq!(
        seen.iter().map(|(direction, what)| (*direction, what.as_str())).collect::<Vec<_>>(),
        expected
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_without_end_and_reads_nothing_is_not_read_without_end() {
    let (mut peer, client) = session().await;
    let flood = async {
        for number in 0..200_000 {
            peer.request(json!(number), "ping", json!({})).await;
        }
    };
    let stalled = timeout(Duration::from_secs(10), flood).await;
    assert!(stalled.is_err(), "the client stops reading when its answers are not read");
    assert_eq!(client.pending(), 0);
    drop(client);
}

#[tokio::test(start_paused = true)]
async fn warnings_are_sentences() {
    let warning = Warning::RepeatedCursor { method: "tools/list".to_owned(), cursor: "c".to_owned() };
    assert_eq!(warning.to_string(), "the list ends here: tools/list repeats the cursor \"c\"");
}

#[tokio::test(start_paused = true)]
async fn headers_need_a_carrier_that_has_them() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {} })).await;
    let outcome = client.call("t", ()).header("Authorization", "Bearer s3cret").await;
    let error = outcome.expect_err("no headers here");
    let ClientError::Unsupported { reason, .. } = &error else { panic!("{error:?}") };
    assert_eq!(*reason, Unsupported::Headers);
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    peer.silence(1000).await;
}

// spec: R235
#[tokio::test(start_paused = true)]
async fn the_maximum_is_for_all_rounds_of_a_call_and_the_time_of_the_user_is_not_counted() {
    let builder = Client::builder().on_elicit(|_| async {
        sleep(Duration::from_secs(3600)).await;
        Ok(hermes_types::ElicitResult::decline())
    });
    let (mut peer, client) = Peer::modern(builder, json!({ "tools": {} })).await;
    let question = json!({
        "method": "elicitation/create",
        "params": { "mode": "form", "message": "m", "requestedSchema": { "type": "object", "properties": {} } },
    });
    let asks = json!({ "resultType": "input_required", "inputRequests": { "q": question } });
    let script = async {
        let first = peer.expect("tools/call").await;
        peer.silence(700).await;
        peer.result(&first, asks).await;
        let second = peer.expect("tools/call").await;
        let token = second["params"]["_meta"]["progressToken"].clone();
        for step in 0..4 {
            peer.silence(100).await;
            peer.notify("notifications/progress", json!({ "progressToken": token, "progress": step })).await;
        }
        let cancelled = peer.expect("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], second["id"]);
    };
    let call = client.call("t", ()).timeout(Duration::from_secs(1));
    let call = call.extend_on_progress(Duration::from_millis(1200)).into_future();
    let begun = Instant::now();
    let (outcome, ()) = tokio::join!(call, script);
    let error = outcome.expect_err("too long in all");
    let ClientError::Timeout { after, .. } = error else { panic!("{error:?}") };
    assert_eq!(after, Duration::from_millis(1200));
    assert_eq!(begun.elapsed().as_millis() / 100, 36_000 + 12);
}
