//! Both eras through one pipe.

use crate::{META, hello, play, play_in_every_legacy_revision};

// spec: R068, R072, R268
#[test]
fn every_legacy_revision_lists_and_calls() {
    play_in_every_legacy_revision(
        r#"
        HELLO
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"result":{"tools":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}}
        < {"jsonrpc":"2.0","id":2,"result":{"resources":"_"}}
        > {"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}
        < {"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":"_"}}
        > {"jsonrpc":"2.0","id":4,"method":"prompts/list"}
        < {"jsonrpc":"2.0","id":4,"result":{"prompts":"_"}}
        > {"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"demo://users/Ada"}}
        < {"jsonrpc":"2.0","id":5,"result":{"contents":[{"uri":"demo://users/Ada","...":"_"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"prompts/get","params":{"name":"greet","arguments":{"name":"Ada"}}}
        < {"jsonrpc":"2.0","id":6,"result":{"messages":"_","...":"_"}}
        > {"jsonrpc":"2.0","id":7,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"review"},"argument":{"name":"language","value":"ru"}}}
        < {"jsonrpc":"2.0","id":7,"result":{"completion":{"values":["ruby","rust"],"...":"_"}}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"audio"}}
        < {"jsonrpc":"2.0","id":8,"result":{"content":"_"}}
        > {"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"link"}}
        < {"jsonrpc":"2.0","id":9,"result":{"content":"_"}}
        > {"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"image"}}
        < {"jsonrpc":"2.0","id":10,"result":{"content":[{"type":"image","...":"_"}]}}
        > {"jsonrpc":"2.0","id":11,"method":"tools/call","params":{"name":"embedded"}}
        < {"jsonrpc":"2.0","id":11,"result":{"content":"_"}}
        ! end
        "#,
    );
}

// spec: R019, R042, R088, R255
#[test]
fn a_modern_client_needs_no_handshake() {
    play(
        &r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover","params":{META}}
        < {"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":"_","instructions":"_","ttlMs":"_","cacheScope":"_","_meta":{"io.modelcontextprotocol/serverInfo":"_"}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{META}}
        < {"jsonrpc":"2.0","id":2,"result":{"resultType":"complete","tools":"_","ttlMs":"_","cacheScope":"_","_meta":"_"}}
        > {"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":3},META}}
        < {"jsonrpc":"2.0","id":3,"result":{"resultType":"complete","content":[{"type":"text","text":"5"}],"structuredContent":{"sum":5},"_meta":"_"}}
        > {"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"demo://logo",META}}
        < {"jsonrpc":"2.0","id":4,"result":{"resultType":"complete","contents":[{"uri":"demo://logo","mimeType":"image/png","blob":"_"}],"ttlMs":"_","cacheScope":"_","_meta":"_"}}
        ! end
        "#
        .replace("META", META),
    );
}

// spec: R031, R032
#[test]
fn both_eras_share_one_pipe_without_knowing_of_each_other() {
    let modern = r#"
        > {"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"name":"echo","arguments":{"text":"modern"},META}}
        < {"jsonrpc":"2.0","id":"m","result":{"resultType":"complete","content":"_","_meta":"_"}}
        "#
    .replace("META", META);
    let legacy = r#"
        > {"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"echo","arguments":{"text":"legacy"}}}
        < {"jsonrpc":"2.0","id":"l","result":{"content":[{"type":"text","text":"legacy"}]}}
        "#;
    play(&format!("{modern}{}{legacy}{modern}{legacy}! end", hello()));
}

// spec: R004
#[test]
fn a_question_is_a_request_in_the_legacy_era() {
    let hello = hello().replace("\"capabilities\":{}", "\"capabilities\":{\"elicitation\":{}}");
    play(&format!(
        "{hello}{}",
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"}}}
        < {"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"Who?","requestedSchema":"_","...":"_"}}
        > {"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"Hello, Ada"}]}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"}}}
        < {"jsonrpc":"2.0","id":2,"method":"elicitation/create","params":"_"}
        > {"jsonrpc":"2.0","id":2,"result":{"action":"decline"}}
        < {"jsonrpc":"2.0","id":6,"result":{"content":[{"type":"text","text":"declined"}]}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask","arguments":{"message":"Who?"}}}
        < {"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":"_"}
        > {"jsonrpc":"2.0","id":3,"result":{"action":"cancel"}}
        < {"jsonrpc":"2.0","id":7,"result":{"content":[{"type":"text","text":"cancelled"}]}}
        ! end
        "#
    ));
}

// spec: R041, R393
#[test]
fn a_capability_that_is_missing_is_said_at_once_in_both_eras() {
    let modern = r#"
        > {"jsonrpc":"2.0","id":"m","method":"tools/call","params":{"name":"TOOL","arguments":ARGUMENTS,META}}
        < {"jsonrpc":"2.0","id":"m","error":{"code":-32021,"message":"_","data":{"requiredCapabilities":{"CAPABILITY":"_"}}}}
        "#
    .replace("META", META);
    let legacy = r#"
        > {"jsonrpc":"2.0","id":"l","method":"tools/call","params":{"name":"TOOL","arguments":ARGUMENTS}}
        < {"jsonrpc":"2.0","id":"l","result":{"content":"_","isError":true}}
        "#;
    for (tool, arguments, capability) in [
        ("ask", "{\"message\":\"Who?\"}", "elicitation"),
        ("sample", "{\"prompt\":\"Say hi\"}", "sampling"),
        ("roots", "{}", "roots"),
    ] {
        let script = format!("{}{modern}{legacy}! end", hello())
            .replace("TOOL", tool)
            .replace("ARGUMENTS", arguments)
            .replace("CAPABILITY", capability);
        play(&script);
    }
}
