//! Lines: cut anywhere, ended anyhow, and noise between them.

use std::sync::{Arc, Mutex};

use hermes_client::{Client, ClientBuilder, ClientError, Limits, Noise, Violation, Warning};
use serde_json::json;

use crate::peer::{Peer, text};

/// A builder whose warnings are collected.
fn watched() -> (ClientBuilder, Arc<Mutex<Vec<Warning>>>) {
    let warnings = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&warnings);
    let builder =
        Client::builder().on_warning(move |warning| sink.lock().expect("not poisoned").push(warning.clone()));
    (builder, warnings)
}

fn kinds(warnings: &Mutex<Vec<Warning>>) -> Vec<Noise> {
    let warnings = warnings.lock().expect("not poisoned");
    warnings
        .iter()
        .map(|warning| match warning {
            Warning::Noise { kind, .. } => kind.clone(),
            other => panic!("{other}"),
        })
        .collect()
}

// spec: R016
#[tokio::test(start_paused = true)]
async fn b044_a_character_cut_in_two_arrives_whole() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        let line =
            json!({ "jsonrpc": "2.0", "id": call["id"], "result": text("日本🦀é") }).to_string() + "\n";
        for byte in line.as_bytes() {
            peer.send_bytes(&[*byte]).await;
            tokio::task::yield_now().await;
        }
    };
    let (result, ()) = tokio::join!(client.call("echo", json!({})).into_future(), script);
    assert_eq!(result.expect("a result").content[0].as_text(), Some("日本🦀é"));
}

#[tokio::test(start_paused = true)]
async fn b043_a_large_result_is_the_same_in_every_split() {
    let large = "x".repeat(300_000);
    for size in [1, 7, 4096, 1_000_000] {
        let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
        let script = async {
            let call = peer.expect("tools/call").await;
            let line =
                json!({ "jsonrpc": "2.0", "id": call["id"], "result": text(&large) }).to_string() + "\n";
            for chunk in line.as_bytes().chunks(size) {
                peer.send_bytes(chunk).await;
            }
        };
        let (result, ()) = tokio::join!(client.call("big", json!({})).into_future(), script);
        assert_eq!(result.expect("a result").content[0].as_text(), Some(large.as_str()));
    }
}

// spec: R101, R103
#[tokio::test(start_paused = true)]
async fn b059_b060_crlf_blank_lines_and_byte_order_marks_are_put_up_with() {
    let (builder, warnings) = watched();
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.line().await.expect("a call");
        assert!(!call.contains('\r'));
        let id = serde_json::from_str::<serde_json::Value>(&call).expect("JSON")["id"].clone();
        let line = json!({ "jsonrpc": "2.0", "id": id, "result": text("done") });
        peer.send_bytes(format!("\n  \r\n\u{feff}{line}\r\n").as_bytes()).await;
    };
    let (result, ()) = tokio::join!(client.call("t", json!({})).into_future(), script);
    result.expect("a result");
    assert_eq!(kinds(&warnings), []);
}

#[tokio::test(start_paused = true)]
async fn b059_a_last_line_without_its_end_is_read() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        let line = json!({ "jsonrpc": "2.0", "id": call["id"], "result": text("last") }).to_string();
        peer.send_bytes(line.as_bytes()).await;
        drop(peer);
    };
    let (result, ()) = tokio::join!(client.call("t", json!({})).into_future(), script);
    assert_eq!(result.expect("a result").content[0].as_text(), Some("last"));
}

#[tokio::test(start_paused = true)]
async fn noise_is_skipped_and_reported_once_per_kind() {
    let (builder, warnings) = watched();
    let builder = builder.limits(Limits { line_bytes: 1000, depth: 16 });
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        for _ in 0..3 {
            peer.send_line("Server listening on port 3000").await;
            peer.send_line(r#"{"level":"info","msg":"hi"}"#).await;
            peer.send_bytes(b"caf\xe9\n").await;
            peer.send_line(&"[".repeat(20)).await;
            peer.send_line(&"y".repeat(2000)).await;
        }
        peer.result(&call, text("done")).await;
    };
    let (result, ()) = tokio::join!(client.call("t", json!({})).into_future(), script);
    result.expect("a result");
    let kinds = kinds(&warnings);
    assert!(
        matches!(
            kinds.as_slice(),
            [
                Noise::NotJson,
                Noise::Malformed(_),
                Noise::NotUtf8,
                Noise::TooDeep,
                Noise::TooLong { bytes: 2000 }
            ]
        ),
        "{kinds:?}"
    );
    let shown = warnings.lock().expect("not poisoned")[0].to_string();
    assert_eq!(shown, "skipped a line of the server that is not JSON: Server listening on port 3000");
}

#[tokio::test(start_paused = true)]
async fn b060_a_message_over_several_lines_is_noise_and_the_next_line_is_read() {
    let (builder, warnings) = watched();
    let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let call = peer.expect("tools/call").await;
        peer.send_line("{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 2,\n  \"result\": {}\n}").await;
        peer.silence(100).await;
        peer.result(&call, text("done")).await;
    };
    let (result, ()) = tokio::join!(client.call("t", json!({})).into_future(), script);
    assert_eq!(result.expect("a result").content[0].as_text(), Some("done"));
    assert_eq!(kinds(&warnings), [Noise::NotJson]);
}

// spec: R007
#[tokio::test(start_paused = true)]
async fn an_answer_that_cannot_be_read_settles_its_call_at_once() {
    let limits = Limits { line_bytes: 1000, depth: 16 };
    let long = format!(r#"{{"jsonrpc":"2.0","result":"{}","id":ID}}"#, "z".repeat(2000));
    let deep = format!(r#"{{"jsonrpc":"2.0","id":ID,"result":{}1{}}}"#, "[".repeat(20), "]".repeat(20));
    let cases = [
        long.as_str(),
        deep.as_str(),
        r#"{"jsonrpc":"2.0","id":ID}"#,
        r#"{"jsonrpc":"2.0","id":ID,"result":{},"error":{"code":1,"message":"m"}}"#,
        r#"{"jsonrpc":"2.0","id":ID,"error":"boom"}"#,
        r#"{"id":ID,"result":{}}"#,
    ];
    for case in cases {
        let builder = Client::builder().limits(limits);
        let (mut peer, client) = Peer::legacy(builder, "2025-11-25", json!({ "tools": {} })).await;
        let script = async {
            let call = peer.expect("tools/call").await;
            peer.send_line(&case.replace("ID", &call["id"].to_string())).await;
            // The connection goes on.
            peer.answer("ping", json!({})).await;
        };
        let talk = async {
            let error = client.call("t", json!({})).await.expect_err("no result");
            assert!(
                matches!(&error, ClientError::Protocol { violation: Violation::Malformed(_), .. }),
                "{error}"
            );
            client.ping().await.expect("a sign of life");
        };
        tokio::join!(talk, script);
    }
}

// spec: R014, R015
#[tokio::test(start_paused = true)]
async fn b032_batches_are_read_in_2025_03_26_and_nowhere_else() {
    for (revision, reads) in [("2025-03-26", true), ("2025-06-18", false), ("2024-11-05", false)] {
        let (builder, warnings) = watched();
        let (mut peer, client) = Peer::legacy(builder, revision, json!({ "tools": {} })).await;
        let script = async {
            let first = peer.expect("tools/call").await;
            let second = peer.expect("tools/call").await;
            let result = |request: &serde_json::Value, name| json!({ "jsonrpc": "2.0", "id": request["id"], "result": text(name) });
            let batch = json!([result(&second, "two"), 7, result(&first, "one")]);
            peer.send_line(&batch.to_string()).await;
            if !reads {
                peer.result(&first, text("one")).await;
                peer.result(&second, text("two")).await;
            }
        };
        let (one, two, ()) = tokio::join!(
            client.call("t", json!({})).into_future(),
            client.call("t", json!({})).into_future(),
            script
        );
        assert_eq!(one.expect("a result").content[0].as_text(), Some("one"), "{revision}");
        assert_eq!(two.expect("a result").content[0].as_text(), Some("two"), "{revision}");
        assert_eq!(kinds(&warnings).len(), 1, "{revision}: the 7, or the batch");
    }
}
