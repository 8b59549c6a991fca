//! Lists: pages, cursors, entries that are none.

use hermes_client::{Client, Warning};
use serde_json::{Value, json};

use crate::peer::Peer;

fn tool(name: &str) -> Value {
    json!({ "name": name, "inputSchema": { "type": "object" } })
}

/// Lists all tools of a server that gives these pages, one after the other.
async fn list_tools(pages: Vec<Value>) -> (Vec<String>, Vec<Warning>, Vec<Value>) {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let mut cursors = Vec::new();
        for page in pages {
            let request = peer.answer("tools/list", page).await;
            cursors.push(request["params"]["cursor"].clone());
        }
        peer.silence(1000).await;
        cursors
    };
    let (list, cursors) = tokio::join!(client.list_all_tools(), script);
    let list = list.expect("a list");
    let names = list.values().map(|tool| tool.name.clone()).collect();
    (names, list.warnings, cursors)
}

// spec: R246, R249, R250, R252
#[tokio::test(start_paused = true)]
async fn the_empty_text_is_a_cursor_and_null_is_the_end() {
    let pages = vec![
        json!({ "tools": [tool("a")], "nextCursor": "" }),
        json!({ "tools": [], "nextCursor": "weiß/=?\u{0}" }),
        json!({ "tools": [tool("b")], "nextCursor": null }),
    ];
    let (names, warnings, cursors) = list_tools(pages).await;
    assert_eq!(names, ["a", "b"]);
    assert_eq!(warnings, []);
    assert_eq!(cursors, [json!(null), json!(""), json!("weiß/=?\u{0}")]);
}

// spec: R251
#[tokio::test(start_paused = true)]
async fn a_list_that_broke_off_begins_anew_in_the_next_session() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        peer.answer("tools/list", json!({ "tools": [tool("a")], "nextCursor": "old" })).await;
        let second = peer.expect("tools/list").await;
        assert_eq!(second["params"]["cursor"], "old");
        drop(peer);
    };
    let (list, ()) = tokio::join!(client.list_all_tools(), script);
    assert!(list.expect_err("the session is over").is_transport());

    let (names, _, cursors) = list_tools(vec![json!({ "tools": [tool("a")] })]).await;
    assert_eq!((names, cursors), (vec!["a".to_owned()], vec![json!(null)]));
}

// spec: R249, R315
#[tokio::test(start_paused = true)]
async fn prompts_are_read_page_by_page() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "prompts": {} })).await;
    let script = async {
        let first =
            peer.answer("prompts/list", json!({ "prompts": [{ "name": "a" }], "nextCursor": "n" })).await;
        assert_eq!(first["params"].get("cursor"), None);
        let second = peer.answer("prompts/list", json!({ "prompts": [{ "name": "b" }] })).await;
        assert_eq!(second["params"]["cursor"], "n");
    };
    let (list, ()) = tokio::join!(client.list_all_prompts(), script);
    let names: Vec<_> = list.expect("a list").values().map(|prompt| prompt.name.clone()).collect();
    assert_eq!(names, ["a", "b"]);
}

#[tokio::test(start_paused = true)]
async fn a_cursor_that_comes_again_ends_the_list_with_what_was_gathered() {
    let pages = vec![
        json!({ "tools": [tool("a")], "nextCursor": "1" }),
        json!({ "tools": [tool("b")], "nextCursor": "2" }),
        json!({ "tools": [tool("c")], "nextCursor": "1" }),
    ];
    let (names, warnings, _) = list_tools(pages).await;
    assert_eq!(names, ["a", "b", "c"]);
    let expected = Warning::RepeatedCursor { method: "tools/list".to_owned(), cursor: "1".to_owned() };
    assert_eq!(warnings, [expected]);
}

#[tokio::test(start_paused = true)]
async fn a_list_without_end_ends_after_a_thousand_pages() {
    let pages =
        (0..1000).map(|page| json!({ "tools": [tool("t")], "nextCursor": page.to_string() })).collect();
    let (names, warnings, cursors) = list_tools(pages).await;
    assert_eq!((names.len(), cursors.len()), (1000, 1000));
    assert_eq!(warnings, [Warning::PageLimit { method: "tools/list".to_owned(), pages: 1000 }]);
}

#[tokio::test(start_paused = true)]
async fn entries_that_are_none_are_skipped_one_by_one() {
    let pages = vec![json!({
        "tools": [tool("a"), { "title": "no name" }, 7, null, tool("b"), { "name": "c", "inputSchema": {}, "new": 1 }],
        "nextCursor": 5,
    })];
    let (names, warnings, _) = list_tools(pages).await;
    assert_eq!(names, ["a", "b", "c"]);
    let skipped: Vec<_> = warnings
        .iter()
        .filter_map(|warning| match warning {
            Warning::SkippedEntry { position, .. } => Some(*position),
            _ => None,
        })
        .collect();
    assert_eq!(skipped, [1, 2, 3]);
    let strange = Warning::StrangeCursor { method: "tools/list".to_owned(), cursor: "5".to_owned() };
    assert_eq!(warnings.last(), Some(&strange));
}

#[tokio::test(start_paused = true)]
async fn b091_a_schema_is_handed_on_word_for_word() {
    let schema = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"F":{"type":"string","enum":["fit","raw"]}},"properties":{"f":{"$ref":"#/$defs/F"}},"additionalProperties":false,"x-vendor":{"a":1.50}}"##;
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        let request = peer.expect("tools/list").await;
        let tools = format!(r#"[{{"name":"t","inputSchema":{schema},"outputSchema":{schema}}}]"#);
        let id = &request["id"];
        peer.send_line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"tools":{tools}}}}}"#)).await;
    };
    let (listed, ()) = tokio::join!(client.list_all_tools(), script);
    let listed = listed.expect("a list");
    let [tool] = listed.entries.as_slice() else { panic!("one tool: {listed:?}") };
    assert_eq!(tool.input_schema.get(), schema);
    assert_eq!(tool.output_schema.as_ref().map(hermes_types::RawJson::get), Some(schema));
    assert!(tool.raw.get().contains(schema), "{}", tool.raw.get());
}

#[tokio::test(start_paused = true)]
async fn tools_without_a_name_or_with_a_schema_that_is_no_object_are_skipped_and_say_why() {
    let flawed = |name: &str, schema: Value| json!({ "name": name, "inputSchema": schema });
    let tools = json!([
        tool("a"),
        flawed("b", json!([])),
        flawed("", json!({ "type": "object" })),
        flawed("c", json!("object")),
        { "name": 7, "inputSchema": {} },
        tool("d"),
    ]);
    let (names, warnings, _) = list_tools(vec![json!({ "tools": tools })]).await;
    assert_eq!(names, ["a", "d"]);
    let told: Vec<String> = warnings.iter().map(Warning::to_string).collect();
    assert_eq!(
        told,
        [
            "skipped the malformed entry 1 of tools/list: its `inputSchema` is no object",
            "skipped the malformed entry 2 of tools/list: its `name` is empty",
            "skipped the malformed entry 3 of tools/list: its `inputSchema` is no object",
            "skipped the malformed entry 4 of tools/list: it is the number 7, and has to be a string",
        ]
    );
}

// spec: R077, R078, R316
#[tokio::test(start_paused = true)]
async fn b097_what_is_not_declared_is_not_asked_for_and_is_empty() {
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", json!({ "tools": {} })).await;
    let script = async {
        peer.answer("tools/list", json!({ "tools": [tool("a")] })).await;
        peer.silence(1000).await;
    };
    let talk = async {
        assert_eq!(client.list_all_prompts().await.expect("a list").entries.len(), 0);
        assert_eq!(client.list_all_resources().await.expect("a list").entries.len(), 0);
        assert_eq!(client.list_all_resource_templates().await.expect("a list").entries.len(), 0);
        assert_eq!(client.list_all_tools().await.expect("a list").entries.len(), 1);
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn b097_a_declared_method_that_is_missing_is_an_empty_list_with_a_warning() {
    let capabilities = json!({ "resources": {}, "prompts": {} });
    let (mut peer, client) = Peer::legacy(Client::builder(), "2025-11-25", capabilities).await;
    let script = async {
        peer.answer("resources/list", json!({ "resources": [{ "uri": "a://b", "name": "b", "x": 1 }] }))
            .await;
        for method in ["resources/templates/list", "prompts/list"] {
            let request = peer.expect(method).await;
            peer.error(&request, json!({ "code": -32601, "message": "what?" })).await;
        }
        let request = peer.expect("prompts/list").await;
        peer.error(&request, json!({ "code": -32603, "message": "broken" })).await;
    };
    let talk = async {
        let resources = client.list_all_resources().await.expect("a list");
        assert_eq!(resources.entries[0].raw.get(), r#"{"uri":"a://b","name":"b","x":1}"#);
        let templates = client.list_all_resource_templates().await.expect("a list");
        let missing = Warning::MethodMissing { method: "resources/templates/list".to_owned() };
        assert_eq!((templates.entries.len(), templates.warnings), (0, vec![missing]));
        assert_eq!(client.list_all_prompts().await.expect("a list").warnings.len(), 1);
        let error = client.list_all_prompts().await.expect_err("another error is one");
        assert_eq!(error.rpc().map(|error| error.code), Some(-32603));
    };
    tokio::join!(talk, script);
}

#[tokio::test(start_paused = true)]
async fn a_page_is_asked_for_by_its_cursor() {
    let (mut peer, client) = Peer::modern(Client::builder(), json!({ "tools": {} })).await;
    let script = async {
        let page = json!({ "resultType": "complete", "tools": [], "nextCursor": "n", "ttlMs": 0, "cacheScope": "private" });
        let request = peer.answer("tools/list", page).await;
        assert_eq!(request["params"]["cursor"], "c");
        peer.answer("tools/list", json!({ "resources": [] })).await;
    };
    let talk = async {
        let page = client.list_tools(Some("c")).await.expect("a page");
        assert_eq!(page.next_cursor.as_deref(), Some("n"));
        let error = client.list_tools(None).await.expect_err("no tools in it");
        assert!(error.to_string().contains("`tools`"), "{error}");
    };
    tokio::join!(talk, script);
}
