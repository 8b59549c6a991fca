//! Faults that others have met, one conversation each. The names are those of the collection they stand in.

use crate::{META, hello, play, play_in_every_legacy_revision};

fn in_session(script: &str) {
    play(&format!("{}{script}\n! end", hello()));
}

/// A script of the modern era; `META` stands for the metadata of a client that can do nothing special.
fn modern(script: &str) {
    play(&format!("{}\n! end", script.replace("META", META)));
}

#[test]
fn b015_a_request_that_overtakes_the_initialized_notification_is_served() {
    play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":1,"result":"_"}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":2,"result":"_"}
        > {"jsonrpc":"2.0","method":"notifications/initialized"}
        > {"jsonrpc":"2.0","id":3,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":3,"result":"_"}
        ! end
        "#,
    );
}

// spec: R004, R006
#[test]
fn b021_a_duplicate_id_never_crosses_two_calls() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep","arguments":{"ms":200}}}
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"B"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"_"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
        "#,
    );
}

#[test]
fn b023_ids_come_back_with_their_type() {
    for id in
        ["0", "-7", "42", "\"1\"", "\"\"", "\"req-abc\"", "\"日本\"", "\"a\\\"b\"", "18446744073709551615"]
    {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n< {{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{}}}}"
        ));
    }
}

#[test]
fn b024_64_bit_integers_keep_every_digit() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":9007199254740993,"method":"tools/call","params":{"name":"add","arguments":{"a":9007199254740993,"b":-7108510333361982070}}}
        < {"jsonrpc":"2.0","id":9007199254740993,"result":{"content":[{"type":"text","text":"-7099503134107241077"}],"structuredContent":{"sum":-7099503134107241077}}}
        "#,
    );
}

// spec: R002, R003
#[test]
fn b025_an_id_of_any_depth_or_length_is_refused_without_an_echo() {
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    in_session(&format!(
        "> {{\"jsonrpc\":\"2.0\",\"id\":{deep},\"method\":\"ping\"}}\n\
         < {{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32600,\"message\":\"_\"}}}}"
    ));
    for length in [1_000_000, 20_000_000] {
        in_session(&format!(
            "* {length} {{\"jsonrpc\":\"2.0\",\"id\":\"%\",\"method\":\"ping\"}}\n\
             < {{\"jsonrpc\":\"2.0\",\"error\":{{\"code\":-32600,\"message\":\"_\"}}}}\n\
             > {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}"
        ));
    }
}

#[test]
fn b026_a_parse_error_has_no_id_of_an_earlier_request() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":4,"method":"ping"}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        > {"jsonrpc":"2.0","id":
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > {"jsonrpc":"2.0","id":5,"method":"ping"}
        < {"jsonrpc":"2.0","id":5,"result":{}}
        "#,
    );
}

// spec: R013
#[test]
fn b027_notifications_get_no_reply() {
    play_in_every_legacy_revision(
        r#"
        HELLO
        > {"jsonrpc":"2.0","method":"notifications/roots/list_changed"}
        > {"jsonrpc":"2.0","method":"notifications/x-unknown","params":{"a":1}}
        > {"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        ! end
        "#,
    );
}

#[test]
fn b030_any_request_may_carry_meta_and_unknown_members() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{"_meta":{"progressToken":0},"x":1},"y":2}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":"_"}}
        > {"jsonrpc":"2.0","id":3,"method":"ping","params":{"_meta":{}}}
        < {"jsonrpc":"2.0","id":3,"result":{}}
        "#,
    );
}

#[test]
fn b031_arguments_that_are_no_object_reach_no_tool() {
    for arguments in ["[]", "\"x\"", "5"] {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"counters\",\"arguments\":{arguments}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":-32602,\"message\":\"_\"}}}}"
        ));
    }
    for arguments in ["", ",\"arguments\":{}", ",\"arguments\":null"] {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"counters\"{arguments}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":\"_\",\"structuredContent\":\"_\"}}}}"
        ));
    }
}

// spec: R014, R015
#[test]
fn b032_only_2025_03_26_has_batches() {
    let batch = r#"> [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]"#;
    let with = r#"< [{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]"#;
    let without = r#"< {"jsonrpc":"2.0","error":{"code":-32600,"message":"_"}}"#;
    for (revision, answer) in
        [("2024-11-05", without), ("2025-03-26", with), ("2025-06-18", without), ("2025-11-25", without)]
    {
        play(&format!("{}{batch}\n{answer}\n! end", hello().replace("2025-11-25", revision)));
    }
}

// spec: R111, R221, R224
#[test]
fn b036_after_a_cancellation_nothing_more_is_sent() {
    modern(
        r#"
        > {"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"progress","arguments":{"n":100,"interval_ms":60000},"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4,"reason":"enough"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":999}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}
        > {"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"},META}}
        < {"jsonrpc":"2.0","id":5,"result":{"content":[{"type":"text","text":"on"}],"...":"_"}}
        "#,
    );
}

// spec: R237, R238, R239
#[test]
fn b037_progress_has_the_token_of_the_request_and_none_without() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"progress","arguments":{"n":3,"interval_ms":1},"_meta":{"progressToken":"abc"}}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"abc","progress":1,"total":3,"...":"_"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"abc","progress":2,"total":3,"...":"_"}}
        < {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"abc","progress":3,"total":3,"...":"_"}}
        < {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"done"}]}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"progress","arguments":{"n":3,"interval_ms":1}}}
        < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"done"}]}}
        "#,
    );
}

// spec: R236
#[test]
fn b038_zero_and_empty_tokens_are_tokens() {
    for token in ["0", "7", "\"\""] {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"tools/call\",\"params\":{{\"name\":\"progress\",\"arguments\":{{\"n\":1}},\"_meta\":{{\"progressToken\":{token}}}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{{\"progressToken\":{token},\"progress\":1,\"...\":\"_\"}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":\"_\"}}"
        ));
    }
}

#[test]
fn b059_carriage_returns_and_a_missing_last_line_end_are_fine() {
    let line = |id: u8| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}");
    let hex = |text: &str| text.bytes().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ");
    in_session(&format!(
        "x {}\n< {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}\nx {} 0a\n< {{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{{}}}}",
        hex(&format!("{}\r\n", line(1))),
        hex(&line(2)),
    ));
}

#[test]
fn b060_blank_lines_marks_and_printed_json_are_survived() {
    in_session(
        r#"
        x 0a 20 20 0a ef bb bf
        > {"jsonrpc":"2.0","id":1,"method":"ping"}
        < {"jsonrpc":"2.0","id":1,"result":{}}
        > {
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > "id": 9
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > }
        < {"jsonrpc":"2.0","error":{"code":-32700,"message":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"ping"}
        < {"jsonrpc":"2.0","id":2,"result":{}}
        "#,
    );
}

// spec: R068, R069, R070
#[test]
fn b069_a_supported_version_is_echoed_and_a_missing_one_is_invalid() {
    play_in_every_legacy_revision("HELLO\n! end");
    play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"2025-11-25","...":"_"}}
        ! end
        "#,
    );
}

// spec: R069, R070, R079
#[test]
fn b070_an_unsupported_version_is_negotiated_and_not_refused() {
    for version in ["1999-01-01", "2027-01-01", "latest", "2025-06-18 "] {
        play(
            &r#"
            > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"VERSION","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
            < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","...":"_"}}
            > {"jsonrpc":"2.0","method":"notifications/initialized"}
            > {"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"on"}}}
            < {"jsonrpc":"2.0","id":2,"result":{"content":[{"type":"text","text":"on"}]}}
            ! end
            "#
            .replace("VERSION", version),
        );
    }
}

#[test]
fn b073_an_initialize_that_names_the_modern_version_gets_the_newest_legacy_one() {
    play(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2026-07-28","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
        < {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","...":"_"}}
        ! end
        "#,
    );
}

// spec: R085
#[test]
fn b077_a_refused_version_is_not_offered_again() {
    modern(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2024-11-05","io.modelcontextprotocol/clientCapabilities":{}}}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"_","data":{"requested":"2024-11-05","supported":["2026-07-28"]}}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{META}}
        < {"jsonrpc":"2.0","id":2,"result":{"tools":"_","...":"_"}}
        "#,
    );
}

// spec: R064
#[test]
fn b078_a_probe_before_initialize_is_answered_and_every_handshake_still_works() {
    play_in_every_legacy_revision(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"server/discover"}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_"}}
        > {"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
        < {"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"_"}}
        > {"jsonrpc":"2.0","id":3,"method":"no/such"}
        < {"jsonrpc":"2.0","id":3,"error":{"code":-32600,"message":"_"}}
        > {"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}
        > {"jsonrpc":"2.0","id":4,"method":"ping"}
        < {"jsonrpc":"2.0","id":4,"result":{}}
        HELLO
        > {"jsonrpc":"2.0","id":5,"method":"tools/list"}
        < {"jsonrpc":"2.0","id":5,"result":{"tools":"_"}}
        ! end
        "#,
    );
}

// spec: R031, R038, R039
#[test]
fn b080_required_metadata_is_required_and_nothing_is_taken_from_earlier_requests() {
    for meta in [
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":true}"#,
        r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x"}}"#,
    ] {
        modern(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{{META}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"_\"}}\n\
             > {{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\",\"params\":{{\"_meta\":{meta}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{{\"code\":-32602,\"message\":\"_\"}}}}"
        ));
    }
}

#[test]
fn b088_old_mechanisms_are_unknown_in_the_modern_era() {
    for method in ["ping", "logging/setLevel", "resources/subscribe", "initialize"] {
        modern(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"{method}\",\"params\":{{META}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{{\"code\":-32601,\"message\":\"_\"}}}}"
        ));
    }
}

// spec: R296, R297, R299, R300
#[test]
fn b089_a_missing_resource_has_the_code_of_its_era() {
    in_session(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"res://none"}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"_","data":{"uri":"res://none"}}}
        "#,
    );
    modern(
        r#"
        > {"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"res://none",META}}
        < {"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"_","data":{"uri":"res://none"}}}
        "#,
    );
}

#[test]
fn b095_whole_floats_are_integers() {
    for number in ["30", "30.0", "3e1"] {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"add\",\"arguments\":{{\"a\":{number},\"b\":-0}}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"30\"}}],\"structuredContent\":{{\"sum\":30}}}}}}"
        ));
    }
    for number in ["30.5", "\"30\"", "1e400"] {
        in_session(&format!(
            "> {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"add\",\"arguments\":{{\"a\":{number},\"b\":0}}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":\"_\",\"isError\":true}}}}"
        ));
    }
}

// spec: R284
#[test]
fn b096_wrong_arguments_are_for_the_model_to_read() {
    for arguments in ["{}", "{\"text\":5}", "{\"text\":null}"] {
        play_in_every_legacy_revision(&format!(
            "HELLO\n\
             > {{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{\"name\":\"echo\",\"arguments\":{arguments}}}}}\n\
             < {{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"content\":[{{\"type\":\"text\",\"text\":\"_\"}}],\"isError\":true}}}}\n! end"
        ));
    }
}
