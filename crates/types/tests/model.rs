//! What the model takes, keeps and refuses.

use hermes_types::*;

fn decode<T: Encode>(text: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(text)
}

fn text<T: Encode>(value: &T, revision: Revision) -> String {
    serde_json::to_string(&Wire(value, revision)).expect("encodes")
}

#[test]
fn b080_a_broken_meta_is_refused_and_a_missing_identity_is_not() {
    let params = |meta: &str| decode::<RequestParams>(&format!("{{\"_meta\":{meta}}}"));
    assert!(params("[]").is_err());
    assert!(params(r#"{"io.modelcontextprotocol/clientCapabilities":true}"#).is_err());
    assert!(params(r#"{"io.modelcontextprotocol/clientInfo":{"name":"n"}}"#).is_err());
    let meta = params(r#"{"io.modelcontextprotocol/clientCapabilities":{}}"#).expect("fits").meta;
    let meta = meta.expect("is there");
    assert_eq!((meta.client_info, meta.client_capabilities), (None, Some(Box::default())));
}

#[test]
fn b086_questions_decode_with_and_without_meta() {
    let result: InputRequiredResult = decode(
        r#"{"resultType":"input_required","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},
            "inputRequests":{"a":{"method":"elicitation/create","params":{"message":"m","n":9007199254740993}},
                             "b":{"method":"hologram/create"}},"requestState":"s"}"#,
    )
    .expect("fits");
    let requests = result.input_requests.expect("questions");
    assert_eq!(
        requests["a"].params.as_ref().map(RawJson::get),
        Some(r#"{"message":"m","n":9007199254740993}"#)
    );
    assert_eq!(requests["b"].method, "hologram/create");
    assert_eq!(result.request_state.as_deref(), Some("s"));
}

// spec: R020
#[test]
fn b087_a_missing_result_type_is_complete_and_an_unknown_one_is_seen() {
    let kind = |text: &str| decode::<AnyResult>(text).map(|result| result.result_type);
    assert_eq!(kind("{}").expect("fits"), ResultType::Complete);
    assert_eq!(kind(r#"{"resultType":"complete"}"#).expect("fits"), ResultType::Complete);
    assert_eq!(kind(r#"{"resultType":"partial"}"#).expect("fits"), ResultType::Other("partial".to_owned()));
    assert!(kind(r#"{"resultType":5}"#).is_err());
}

// spec: R019
#[test]
fn b087_modern_results_say_their_type_and_legacy_ones_do_not() {
    for revision in Revision::ALL {
        for text in [
            text(&EmptyResult::new(), revision),
            text(&CallToolResult::text("a"), revision),
            text(&ListToolsResult::new(Vec::new()), revision),
            text(&GetPromptResult::new(Vec::new()), revision),
            text(&CompleteResult::new(Vec::new()), revision),
        ] {
            assert_eq!(text.contains("\"resultType\":\"complete\""), revision.is_modern(), "{text}");
        }
    }
}

#[test]
fn b090_a_cache_hint_that_makes_no_sense_counts_as_none() {
    let ttl =
        |hint: &str| decode::<ListToolsResult>(&format!("{{\"tools\":[]{hint}}}")).map(|page| page.ttl_ms);
    for (hint, expected) in [
        ("", 0),
        (r#","ttlMs":null"#, 0),
        (r#","ttlMs":-5"#, 0),
        (r#","ttlMs":0"#, 0),
        (r#","ttlMs":1500.5"#, 1500),
        (r#","ttlMs":1e18"#, 1_000_000_000_000_000_000),
        (r#","ttlMs":1e400"#, u64::MAX),
        (r#","ttlMs":"soon""#, 0),
    ] {
        assert_eq!(ttl(hint).expect(hint), expected, "{hint}");
    }
    let page: ListToolsResult = decode(r#"{"tools":[]}"#).expect("fits");
    assert_eq!(page.cache_scope, CacheScope::Private);
}

#[test]
fn b091_schemas_pass_through_word_for_word() {
    let schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"F":{"enum":["fit","raw"]}},"properties":{"f":{"$ref":"#/$defs/F"},"n":{"maximum":18446744073709551615,"multipleOf":1.50}},"additionalProperties":false,"x-vendor":{"a":1}}"##;
    let tool: Tool = decode(&format!(r#"{{"name":"t","inputSchema":{schema}}}"#)).expect("fits");
    assert_eq!(tool.input_schema.get(), schema);
    for revision in Revision::ALL {
        assert_eq!(text(&tool, revision), format!(r#"{{"name":"t","inputSchema":{schema}}}"#));
    }
}

#[test]
fn b093_one_unknown_word_spoils_nothing() {
    let sent = r#"{"content":[{"type":"text","text":"a","annotations":{"audience":["system"],"priority":7}},{"type":"hologram","x":1}],"isError":false,"new":{}}"#;
    let result: CallToolResult = decode(sent).expect("fits");
    assert_eq!(result.content[0].as_text(), Some("a"));
    assert!(
        matches!(&result.content[1], ContentBlock::Unknown(raw) if raw.get() == r#"{"type":"hologram","x":1}"#)
    );
    assert!(!result.is_error());
    assert_eq!(text(&result, Revision::V2025_11_25), sent);

    let page: ListToolsResult = decode(
        r#"{"tools":[{"name":"t","inputSchema":{},"icons":[{"src":"a","theme":"sepia"}],
            "execution":{"taskSupport":"perhaps"},"later":[1]}]}"#,
    )
    .expect("fits");
    assert_eq!(page.tools[0].extra["later"].get(), "[1]");
}

#[test]
fn b095_whole_numbers_may_be_written_as_floats() {
    let size = |number: &str| {
        decode::<Resource>(&format!(r#"{{"name":"r","uri":"a:b","size":{number}}}"#))
            .map(|resource| resource.size)
    };
    for (number, expected) in
        [("30", 30), ("30.0", 30), ("3e1", 30), ("-0", 0), ("18446744073709551615", u64::MAX)]
    {
        assert_eq!(size(number).expect(number), Some(expected), "{number}");
    }
    for number in ["30.5", "-1", "\"30\"", "1e20", "1e400"] {
        assert!(size(number).is_err(), "{number}");
    }
}

#[test]
fn whole_floats_are_written_as_whole_numbers_and_nothing_else_as_null() {
    let progress = |done: f64| ProgressNotificationParams::new(1.into(), done);
    let written = |done| serde_json::to_string(&Wire(&progress(done), Revision::LATEST));
    for (done, expected) in [
        (5.0, "5"),
        (-0.0, "0"),
        (0.25, "0.25"),
        (9_007_199_254_740_992.0, "9007199254740992"),
        (1e300, "1e+300"),
    ] {
        let expected = format!(r#"{{"progressToken":1,"progress":{expected}}}"#);
        assert_eq!(written(done).expect("a number"), expected);
    }
    assert!(written(f64::NAN).is_err());
    assert!(written(f64::INFINITY).is_err());
}

#[test]
fn floats_come_back_to_the_last_digit() {
    for number in ["0.30000000000000004", "5e-324", "1.7976931348623157e+308", "0.1", "122.416294033786585"] {
        let params: ProgressNotificationParams =
            decode(&format!(r#"{{"progressToken":1,"progress":{number}}}"#)).expect(number);
        assert_eq!(params.progress, number.parse::<f64>().expect(number), "{number}");
    }
    for bad in ["1e400", "\"5\"", "true", "[1]", "null"] {
        let text = format!(r#"{{"progressToken":1,"progress":{bad}}}"#);
        assert!(decode::<ProgressNotificationParams>(&text).is_err(), "{bad}");
    }
}

// spec: R325, R329
#[test]
fn an_unknown_log_level_is_readable_and_refusable() {
    let params: SetLevelRequestParams = decode(r#"{"level":"loud"}"#).expect("fits");
    assert!(!params.level.is_known());
    assert_eq!(params.level.severity(), None);
    assert_eq!(LoggingLevel::parse("loud"), None);
    assert_eq!(LoggingLevel::parse("error"), Some(LoggingLevel::Error));
    assert_eq!(LoggingLevel::KNOWN.len(), 8);
    assert!(LoggingLevel::KNOWN.is_sorted());
    assert_eq!(params.level.partial_cmp(&LoggingLevel::Debug), None);
}

// spec: R320
#[test]
fn a_completion_has_at_most_a_hundred_values() {
    let result = CompleteResult::new((0..101).map(|n| n.to_string()).collect());
    assert_eq!(result.completion.values.len(), MAX_COMPLETION_VALUES);
    assert_eq!((result.completion.total, result.completion.has_more), (Some(101), Some(true)));
}

// spec: R319
#[test]
fn a_reference_of_an_unknown_kind_is_refused_by_name() {
    let error = decode::<CompleteRequestParams>(
        r#"{"ref":{"type":"ref/tool","name":"t"},"argument":{"name":"a","value":""}}"#,
    )
    .expect_err("no such kind");
    assert!(error.to_string().starts_with("unknown variant `ref/tool`"), "{error}");
}

// spec: R363
#[test]
fn a_question_without_mode_is_a_form() {
    let form: ElicitRequestParams =
        decode(r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#).expect("fits");
    assert!(matches!(form, ElicitRequestParams::Form(_)));
    let error = decode::<ElicitRequestParams>(r#"{"mode":"voice","message":"m"}"#).expect_err("no such mode");
    assert!(error.to_string().starts_with("unknown variant `voice`"), "{error}");
}

// spec: R360
#[test]
fn an_empty_elicitation_capability_means_forms() {
    let modes = |text: &str| {
        let capability: ElicitationCapability = decode(text).expect(text);
        (capability.allows_form(), capability.allows_url())
    };
    assert_eq!(modes("{}"), (true, false));
    assert_eq!(modes(r#"{"form":{}}"#), (true, false));
    assert_eq!(modes(r#"{"url":{}}"#), (false, true));
    assert_eq!(modes(r#"{"form":{},"url":{}}"#), (true, true));
}

#[test]
fn the_fields_of_a_form_keep_their_order() {
    let sent = r#"{"type":"object","properties":{"z":{"type":"boolean"},"a":{"type":"boolean"},"m":{"type":"hologram"}}}"#;
    let schema: ElicitSchema = decode(sent).expect("fits");
    assert_eq!(schema.properties.iter().map(|(name, _)| name).collect::<Vec<_>>(), ["z", "a", "m"]);
    assert_eq!(text(&schema, Revision::LATEST), sent);
}

// spec: R045
#[test]
fn keys_of_meta_have_a_grammar() {
    for good in ["a", "a-b_c.d", "", "com.example/a", "com.example/", "io.a-b.c9/x", "0"] {
        assert!(Meta::is_key(good), "{good}");
    }
    for bad in ["-a", "a_", "a b", "1com/a", "com.-x/a", "com../a", "/a", "a/b/c", "é"] {
        assert!(!Meta::is_key(bad), "{bad}");
    }
    for reserved in ["io.modelcontextprotocol/a", "dev.mcp/", "com.mcp.tools/a", "progressToken", "baggage"] {
        assert!(Meta::is_reserved_key(reserved), "{reserved}");
    }
    for free in ["com.example.mcp/a", "a", "modelcontextprotocol/a"] {
        assert!(!Meta::is_reserved_key(free), "{free}");
    }
}

// spec: R061
#[test]
fn icons_are_only_looked_for_where_it_is_safe() {
    for good in ["https://a.example/i.png", "data:image/png;base64,AA=="] {
        assert!(Icon::new(good).is_permitted(), "{good}");
    }
    for bad in ["http://a.example/", "javascript:0", "file:///i.png", "ftp://a/", "ws://a/", "i.png", ""] {
        assert!(!Icon::new(bad).is_permitted(), "{bad}");
    }
}

// spec: R048
#[test]
fn the_trace_passes_through_untouched() {
    let sent = r#"{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01","tracestate":"a=1, b=2","baggage":"k=v;p"}"#;
    let meta: Meta = decode(sent).expect("fits");
    for revision in Revision::ALL {
        assert_eq!(text(&meta, revision), sent);
    }
}

#[test]
fn what_has_neither_text_nor_blob_stays_as_it_came() {
    let contents: Vec<ResourceContents> =
        decode(r#"[{"uri":"a:","text":"t"},{"uri":"a:","blob":"AA=="},{"uri":"a:","stream":1}]"#)
            .expect("fits");
    assert!(matches!(
        &contents[..],
        [ResourceContents::Text(_), ResourceContents::Blob(_), ResourceContents::Unknown(raw)]
            if raw.get() == r#"{"uri":"a:","stream":1}"#
    ));
}

#[test]
fn a_known_kind_with_a_member_missing_says_which() {
    let error = decode::<ContentBlock>(r#"{"type":"image","data":"AA=="}"#).expect_err("no media type");
    assert!(error.to_string().starts_with("missing field `mimeType`"), "{error}");
    assert!(decode::<ContentBlock>("[]").is_err());
    assert!(decode::<ContentBlock>(r#"{"type":"text","type":"image","text":"a"}"#).is_err());
}

#[test]
fn structured_null_is_a_value_and_no_absence() {
    let result: CallToolResult = decode(r#"{"content":[],"structuredContent":null}"#).expect("fits");
    assert_eq!(result.structured_content, Some(RawJson::null()));
    let result: CallToolResult = decode("{}").expect("fits");
    assert_eq!(result.structured_content, None);
}

#[test]
fn a_form_is_filled_in_with_the_defaults_of_every_kind_of_field() {
    let form: ElicitSchema = decode(
        r#"{"type":"object","properties":{
            "name":{"type":"string","default":"Ada"},
            "age":{"type":"integer","default":30},
            "score":{"type":"number","default":95.5},
            "sure":{"type":"boolean","default":false},
            "one":{"type":"string","enum":["a","b"],"default":"a"},
            "titled":{"type":"string","oneOf":[{"const":"c","title":"C"}],"default":"c"},
            "some":{"type":"array","items":{"type":"string","enum":["d","e"]},"default":["d"]},
            "titles":{"type":"array","items":{"anyOf":[{"const":"f","title":"F"}]},"default":["f"]},
            "older":{"type":"string","enum":["g"],"enumNames":["G"],"default":"g"},
            "newer":{"type":"hologram","default":{"x":1}},
            "empty":{"type":"string"},"no":{"type":"hologram"}}}"#,
    )
    .expect("fits");
    let filled = RawJson::encode(&form.defaults()).expect("encodes");
    assert_eq!(
        filled.get(),
        concat!(
            r#"{"age":30,"name":"Ada","newer":{"x":1},"older":"g","one":"a","score":95.5,"some":["d"],"#,
            r#""sure":false,"titled":"c","titles":["f"]}"#
        )
    );
}

// spec: R355, R356
#[test]
fn hints_for_a_model_are_tried_in_order_and_go_before_the_priorities() {
    let wanted: ModelPreferences = decode(
        r#"{"hints":[{"name":"sonnet"},{"note":"no name"},{"name":""},{"name":"mini"},{"name":"a"}],"costPriority":1}"#,
    )
    .expect("fits");
    let models = ["large-a", "b-mini", "a-mini"];
    assert_eq!(wanted.hinted(models), Some("b-mini"), "whatever the least is that a model costs");
    assert_eq!(wanted.hinted(["large-a", "sonnet-2"]), Some("sonnet-2"));
    assert_eq!(wanted.hinted(["SONNET", "tiny"]), None, "a hint is not guessed at");
    assert_eq!(ModelPreferences::default().hinted(models), None);
}
