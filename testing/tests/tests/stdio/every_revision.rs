//! What every revision has in common, played in all five: four handshakes and the one that needs none.

use std::time::Duration;

use hermes::types::Revision;
use hermes_testkit::{Conversation, Heard, Peer};
use serde_json::{Value, json};

use crate::{HELLO, META, demo, play};

/// Plays a script once per revision. Its requests end their `params` with `META`, after a comma if there are
/// other members; its results end with `REST`, which is what a modern result says besides its contents.
fn play_in_every_revision(script: &str) {
    for revision in Revision::ALL {
        play(&format!("{}\n! end", spoken_in(revision, script)));
    }
}

/// The script as one revision speaks, with its handshake.
fn spoken_in(revision: Revision, script: &str) -> String {
    if revision.is_modern() {
        return script.replace("META", META).replace("REST", r#","resultType":"complete","_meta":"_""#);
    }
    let script = script.replace(",META", "").replace("META", "").replace("REST", "");
    format!("{}{script}", HELLO.replace("$REVISION", revision.as_str()))
}

// spec: R004, R005, R006
#[test]
fn b021_a_burst_of_one_id_runs_one_call() {
    let again = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"B"},META}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"_"}}
        "#
    .repeat(12);
    play_in_every_revision(&format!(
        "{}{again}{}",
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":60000},META}}
        "#,
        r#"
        > {"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"echo","arguments":{"text":"another id"},META}}
        < {"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"another id"}]REST}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"free again"},META}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"free again"}]REST}}
        "#
    ));
}

// spec: R013, R101
#[test]
fn b027_a_notification_is_never_answered_however_broken_it_is() {
    play_in_every_revision(
        r#"
        > {"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"a":1}}
        > {"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"x"},META}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}
        * 17000000 {"jsonrpc":"2.0","method":"notifications/x-long","params":{"text":"%"}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"},META}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"on"}]REST}}
        "#,
    );
}

// spec: R222
#[test]
fn an_answer_that_nobody_waits_for_is_ignored() {
    play_in_every_revision(
        r#"
        > {"jsonrpc":"2.0","id":999,"result":{}}
        > {"jsonrpc":"2.0","id":"zz","error":{"code":-1,"message":"m"}}
        > {"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}
        > {"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}
        > {"jsonrpc":"2.0","id":5,"error":"broken"}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"},META}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"on"}]REST}}
        "#,
    );
}

#[test]
fn b031_arguments_of_the_wrong_shape_run_no_tool() {
    for arguments in ["[]", "\"x\"", "5", "true"] {
        play_in_every_revision(
            &r#"
            > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":ARGUMENTS,META}}
            < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_"}}
            > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"counters",META}}
            < {"jsonrpc":"2.0","id":2,"result":{"content":"_","...":"_"}}
            "#
            .replace("ARGUMENTS", arguments),
        );
    }
}

// spec: R111, R221, R223, R224, R239
#[test]
fn b036_nothing_of_a_cancelled_call_comes_after_the_next_answer() {
    for revision in Revision::ALL {
        let mut peer = demo();
        let begun = spoken_in(
            revision,
            r#"
            > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"progress","arguments":{"n":1000000,"interval_ms":1},META}}
            < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"...":"_"}}
            < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":2,"...":"_"}}
            > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4,"reason":"enough"}}
            > {"jsonrpc":"2.0","id":"next","method":"tools/call","params":{"name":"echo","arguments":{"text":"on"},SAME}}
            "#,
        );
        let with_token = if revision.is_modern() {
            begun.replacen("\"_meta\":{", "\"_meta\":{\"progressToken\":\"p\",", 1).replace("SAME", META)
        } else {
            begun
                .replace("\"interval_ms\":1}", "\"interval_ms\":1},\"_meta\":{\"progressToken\":\"p\"}")
                .replace(",SAME", "")
        };
        let script = Conversation::parse(&with_token).expect("a script");
        if let Err(failure) = script.play(&mut peer) {
            panic!("{revision}: {failure}");
        }
        // What was written before the cancellation was read may still come; an answer to the call may not.
        loop {
            let message = hear(&mut peer).expect("the next call is answered");
            assert_ne!(message["id"], 4, "{revision}: {message}");
            if message["id"] == "next" {
                break;
            }
        }
        peer.close();
        assert_eq!(hear(&mut peer), None, "{revision}");
    }
}

/// The next message, judged; `None` at the end of the output.
fn hear(peer: &mut Peer) -> Option<Value> {
    match peer.hear(Duration::from_secs(30)) {
        Heard::Line(line) => Some(serde_json::from_slice(&line).expect("JSON")),
        Heard::End => None,
        Heard::Nothing => panic!("neither a message nor the end"),
    }
}

// spec: R019, R042, R255, R256
#[test]
fn b087_every_modern_result_says_its_type_and_no_legacy_one_does() {
    let script = r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{META}}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":"_"CACHED}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{META}}
        < {"jsonrpc":"2.0","id":2,"result":{"resources":"_"CACHED}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/templates/list","params":{META}}
        < {"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":"_"CACHED}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list","params":{META}}
        < {"jsonrpc":"2.0","id":4,"result":{"prompts":"_"CACHED}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"demo://greeting",META}}
        < {"jsonrpc":"2.0","id":5,"result":{"contents":"_"CACHED}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ada"},META}}
        < {"jsonrpc":"2.0","id":6,"result":{"messages":"_"REST}}
        > {"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/resource","uri":"demo://users/{name}"},"argument":{"name":"name","value":"a"},META}}
        < {"jsonrpc":"2.0","id":7,"result":{"completion":{"values":["ada","alan"],"...":"_"}REST}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"fail","arguments":{"message":"no"},META}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"no"}],"isError":true REST}}
        "#;
    for revision in Revision::ALL {
        let cached = if revision.is_modern() { r#","ttlMs":"_","cacheScope":"_"REST"# } else { "" };
        let spoken = spoken_in(revision, &script.replace("CACHED", cached));
        play(&format!("{spoken}\n! end"));
    }
}

// spec: R039
#[test]
fn every_tool_answers_in_words_that_its_revision_has() {
    play_in_every_revision(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},META}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"5"}],"...":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":1},META}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]REST}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"big","arguments":{"bytes":3},META}}
        < {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"xxx"}]REST}}
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"image",META}}
        < {"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"image","mimeType":"image/png","data":"_"}]REST}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"audio",META}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":["_"]REST}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"embedded",META}}
        < {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"resource","resource":"_"}]REST}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"link",META}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":["_"]REST}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"touch",META}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":[{"type":"text","text":"1"}]REST}}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"panic",META}}
        < {"jsonrpc":"2.0","id":9,"error":{"code":-32603,"message":"the handler panicked"}}
        "#,
    );
}

// spec: R078
#[test]
fn b097_what_is_declared_answers_and_nothing_else_does() {
    let rest = r#"
        > {"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"error"}}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"log","arguments":{"level":"info","message":"m"}}}
        < {"jsonrpc":"2.0","id":2,"result":"_"}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"log","arguments":{"level":"error","message":"m"}}}
        < {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"error","data":"m","...":"_"}}
        < {"jsonrpc":"2.0","id":3,"result":"_"}
        > {"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"demo://counter"}}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"touch"}}
        <~ {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter"}}
        <~ {"jsonrpc":"2.0","id":5,"result":"_"}
        > {"jsonrpc":"2.0","id":6,"method":"resources/unsubscribe","params":{"uri":"demo://counter"}}
        < {"jsonrpc":"2.0","id":6,"result":{}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"touch"}}
        < {"jsonrpc":"2.0","id":7,"result":"_"}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"toggle"}}
        <~ {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{}}
        <~ {"jsonrpc":"2.0","id":8,"result":"_"}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"extra"}}
        < {"jsonrpc":"2.0","id":9,"result":"_"}
        > {"jsonrpc":"2.0","id":10,"method":"tasks/list"}
        < {"jsonrpc":"2.0","id":10,"error":{"code":-32601,"message":"_"}}
        > {"jsonrpc":"2.0","id":11,"method":"roots/list"}
        < {"jsonrpc":"2.0","id":11,"error":{"code":-32601,"message":"_"}}
        ! end
        "#;
    let declared = r#""tools":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"prompts":{"listChanged":true},"logging":{}"#;
    for revision in Revision::LEGACY {
        // 2024-11-05 has the method and no capability for it.
        let completions = if revision == Revision::V2024_11_05 { "" } else { r#","completions":{}"# };
        let hello = HELLO.replace("$REVISION", revision.as_str()).replace(
            r#""...":"_""#,
            &format!(r#""capabilities":{{{declared}{completions}}},"serverInfo":"_","instructions":"_""#),
        );
        play(&format!("{hello}{rest}"));
    }
}

// spec: R044, R111, R273, R405
#[test]
fn b097_a_listen_stream_carries_what_was_asked_for_and_its_id() {
    play(
        &r#"
        > {"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://counter"]},META}}
        < {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["demo://counter"]},"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"toggle",META}}
        <~ {"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
        <~ {"jsonrpc":"2.0","id":1,"result":"_"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"touch",META}}
        <~ {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"demo://counter","_meta":{"io.modelcontextprotocol/subscriptionId":"L"}}}
        <~ {"jsonrpc":"2.0","id":2,"result":"_"}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"L"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"toggle",META}}
        < {"jsonrpc":"2.0","id":3,"result":"_"}
        ! end
        "#
        .replace("META", META),
    );
}

// spec: R077, R078
#[test]
fn a_question_is_asked_only_in_revisions_that_have_it() {
    for revision in Revision::LEGACY {
        let hello = HELLO.replace("$REVISION", revision.as_str()).replace(
            "\"capabilities\":{}",
            "\"capabilities\":{\"elicitation\":{},\"sampling\":{},\"roots\":{}}",
        );
        let ask = if revision >= Revision::V2025_06_18 {
            r#"
            > {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"}}}
            < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":"_"}
            > {"jsonrpc":"2.0","id":"1","result":{"action":"accept","content":{"name":"not this id"}}}
            > {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}
            < {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"Hello, Ada"}]}}
            > {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"too late"}}}
            "#
        } else {
            r#"
            > {"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"}}}
            < {"jsonrpc":"2.0","id":"a","result":{"content":"_","isError":true}}
            > {"jsonrpc":"2.0","id":"r","method":"tools/call","params":{"name":"roots"}}
            < {"jsonrpc":"2.0","id":1,"method":"roots/list","...":"_"}
            > {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"no"}}
            < {"jsonrpc":"2.0","id":"r","result":{"content":"_","isError":true}}
            "#
        };
        let sample = r#"
            > {"jsonrpc":"2.0","id":"s","method":"tools/call","params":{"name":"sample","arguments":{"prompt":"Hi"}}}
            < {"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"Hi"}}],"maxTokens":"_"}}
            > {"jsonrpc":"2.0","id":2,"result":{"role":"assistant","content":{"type":"text","text":"Hello"},"model":"m"}}
            < {"jsonrpc":"2.0","id":"s","result":{"content":[{"type":"text","text":"Hello"}]}}
            ! end
            "#;
        play(&format!("{hello}{ask}{sample}"));
    }
}

// spec: R391, R392, R394, R395, R399
#[test]
fn a_question_is_a_result_in_the_modern_era_and_its_state_counts_for_one_call_only() {
    let mut peer = demo();
    let mut call = |id: u32, message: &str, more: Value| {
        let mut params = json!({
            "name": "ask",
            "arguments": { "message": message },
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
            },
        });
        params.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params });
        let line = format!("{request}\n");
        peer.send(line.as_bytes()).expect("the server reads");
        let answer = hear(&mut peer).expect("an answer");
        assert_eq!(answer["id"], id, "{answer}");
        answer
    };
    let asked = call(1, "Who?", json!({}))["result"].take();
    assert_eq!(asked["resultType"], "input_required");
    let questions = asked["inputRequests"].as_object().expect("questions");
    let (key, question) = questions.iter().next().expect("one question");
    assert_eq!((questions.len(), &question["method"]), (1, &json!("elicitation/create")));
    let answer = json!({ "action": "accept", "content": { "name": "Ada" } });
    let retry = json!({ "requestState": asked["requestState"], "inputResponses": { key.as_str(): answer, "more": 1 } });

    assert_eq!(call(2, "Who?", retry.clone())["result"]["content"][0]["text"], "Hello, Ada");
    assert_eq!(call(3, "Another question?", retry.clone())["error"]["code"], -32602, "of another call");
    let mut forged = retry;
    forged["requestState"] = json!("AAAA");
    assert_eq!(call(4, "Who?", forged)["error"]["code"], -32602, "made up");
}
