//! Each kind of bad input gets the right error with the request's id; the next request works.

use crate::{hello, play, play_in_every_legacy_revision};

/// Plays bad input in a session, and then a request that has to work.
fn survives(script: &str) {
    let alive = r#"
        > {"jsonrpc":"2.0","id":"alive","method":"ping"}
        < {"jsonrpc":"2.0","id":"alive","result":{}}
        ! end
    "#;
    play_in_every_legacy_revision(&format!("HELLO\n{script}\n{alive}"));
}

#[test]
fn what_is_not_json_is_a_parse_error_without_an_id() {
    survives(
        r#"
        > hello
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > {"jsonrpc":"2.0","id":
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        "#,
    );
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    survives(
        r#"
        > {"jsonrpc":"2.0","id":5}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"_"}}
        > {}
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"_"}}
        > 5
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"_"}}
        > "ping"
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"_"}}
        > {"jsonrpc":"2.0","id":6,"method":7}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"_"}}
        "#,
    );
}

// spec: R001
#[test]
fn a_wrong_jsonrpc_is_an_invalid_request() {
    survives(
        r#"
        > {"jsonrpc":"1.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"_"}}
        > {"id":6,"method":"ping"}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32600,"message":"_"}}
        > {"jsonrpc":2.0,"id":7,"method":"ping"}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"_"}}
        "#,
    );
}

// spec: R002, R003
#[test]
fn an_id_that_is_none_is_not_echoed() {
    for id in ["null", "1.5", "true", "{\"a\":[]}", "[]"] {
        survives(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n\
             < {{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32600,\"message\":\"_\"}}}}"
        ));
    }
    survives(
        r#"
        * 1000000 {"jsonrpc":"2.0","id":"%","method":"ping"}
        < {"jsonrpc":"2.0","error":{"code":-32600,"message":"_"}}
        "#,
    );
}

#[test]
fn a_duplicate_id_is_refused_and_the_first_call_is_answered() {
    survives(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":200}}}
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"_"}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"done"}]}}
        "#,
    );
}

#[test]
fn an_unknown_method_is_not_found() {
    survives(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/Call","params":{}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32601,"message":"_"}}
        > {"jsonrpc":"2.0","id":"x","method":"server/discover"}
        < {"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"_"}}
        > {"jsonrpc":"2.0","id":6,"method":"notifications/initialized"}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32601,"message":"_"}}
        "#,
    );
}

#[test]
fn missing_and_wrong_params_are_invalid() {
    survives(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"tools/call"}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":6,"method":"tools/call","params":["echo"]}
        < {"jsonrpc":"2.0","id":6,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":5}}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"nope"}}
        < {"jsonrpc":"2.0","id":8,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":9,"method":"prompts/get","params":{"name":"nope"}}
        < {"jsonrpc":"2.0","id":9,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":10,"method":"logging/setLevel","params":{"level":"loud"}}
        < {"jsonrpc":"2.0","id":10,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":11,"method":"tools/list","params":{"cursor":"made up"}}
        < {"jsonrpc":"2.0","id":11,"error":{"code":-32602,"message":"_"}}
        "#,
    );
}

#[test]
fn a_request_before_initialize_is_refused_and_the_handshake_still_works() {
    play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        > {"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":3,"result":{"protocolVersion":"2025-11-25","...":"_"}}
        ! end
        "#,
    );
}

#[test]
fn a_second_initialize_is_refused_and_the_session_goes_on() {
    survives(
        r#"
        > {"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":5,"error":{"code":-32600,"message":"_"}}
        "#,
    );
}

#[test]
fn a_line_of_20_mb_is_refused_with_its_id() {
    survives(
        r#"
        * 20000000 {"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo","arguments":{"text":"%","id":1}},"id":7}
        < {"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"_"}}
        "#,
    );
}

#[test]
fn a_message_of_200_levels_is_refused_with_its_id() {
    for levels in [200, 100_000] {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        survives(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\
             \"arguments\":{{\"text\":{open}{close}}}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{{\"code\":-32600,\"message\":\"_\"}}}}"
        ));
    }
}

#[test]
fn bytes_that_are_not_utf8_are_refused_with_the_id_of_their_line() {
    let line = b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"x\":\"\xFF\"}}\n";
    let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
    survives(&format!(
        "x {}\n< {{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{{\"code\":-32700,\"message\":\"_\"}}}}",
        hex.join(" ")
    ));
}

#[test]
fn half_a_character_at_the_end_of_a_write_is_no_fault() {
    let line = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\"text\":\"日本🦀é\"}}}\n";
    // One byte per write: every character is cut everywhere.
    let steps: Vec<String> = line.bytes().map(|byte| format!("x {byte:02x}")).collect();
    survives(&format!(
        "{}\n< {{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"日本🦀é\"}}]}}}}",
        steps.join("\n")
    ));
}

#[test]
fn a_version_that_nobody_knows_is_answered_with_the_newest_legacy_one() {
    for version in ["1999-01-01", "2030-01-01", "2026-07-28"] {
        play(&hello_with(version, "2025-11-25"));
    }
}

fn hello_with(asked: &str, answered: &str) -> String {
    hello()
        .replace(
            "\"protocolVersion\":\"2025-11-25\",\"capabilities\"",
            &format!("\"protocolVersion\":\"{asked}\",\"capabilities\""),
        )
        .replace(
            "\"protocolVersion\":\"2025-11-25\",\"...\"",
            &format!("\"protocolVersion\":\"{answered}\",\"...\""),
        )
}
