//! Lists, resources, prompts and completions.

use std::num::NonZeroUsize;
use std::time::Duration;

use hermes_server::{Completing, Component, Context, Json, Server, ToolDef, ToolError};
use hermes_types::{
    BlobResourceContents, CacheScope, ContentBlock, Prompt, PromptArgument, PromptMessage,
    ReadResourceResult, Resource, ResourceTemplate, Revision, TextResourceContents,
};
use serde_json::{Value, json};

use crate::client::{Client, bare, modern};

#[derive(serde::Deserialize)]
struct User {
    name: String,
}

#[derive(serde::Deserialize)]
struct Numbered {
    id: u32,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Packing {
    /// Where to
    city: String,
    /// How long
    days: Option<u8>,
}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Review {
    code: String,
    language: String,
}

fn server() -> Server {
    let languages = ["python", "ruby", "rust"];
    Server::new("test", "1")
        .resource(Resource::new("demo://greeting", "greeting").with_mime_type("text/plain"), |_| async {
            "Hello"
        })
        .resource(Resource::new("demo://logo", "logo").with_mime_type("image/png"), |_| async {
            vec![1_u8, 2, 3]
        })
        .resource(Resource::new("demo://data", "data"), |_| async { Json(vec![1, 2]) })
        .resource(Resource::new("demo://broken", "broken"), |_| async {
            Err::<String, _>(ToolError::new("the disk is full"))
        })
        .template(ResourceTemplate::new("demo://users/{name}", "user"), |user: User, _| async move {
            format!("{} is a user", user.name)
        })
        .template(ResourceTemplate::new("demo://items/{id}", "item"), |item: Numbered, _| async move {
            format!("item {}", item.id)
        })
        .prompt(Prompt::new("packing").with_description("What to pack"), |args: Packing, _| async move {
            format!("Pack for {} days in {}", args.days.unwrap_or(1), args.city)
        })
        .prompt(
            Prompt::new("review").with_arguments(vec![
                PromptArgument::new("code").with_required(true),
                PromptArgument::new("language").with_required(true),
            ]),
            |args: Review, _| async move {
                vec![
                    PromptMessage::user(args.code),
                    PromptMessage::assistant(ContentBlock::text(args.language)),
                ]
            },
        )
        .prompt(Prompt::new("plain"), |(): (), _| async { "Just this" })
        .complete_prompt("review", "language", move |typed: Completing, _: Context| async move {
            languages.into_iter().filter(|it| it.starts_with(&typed.value)).collect::<Vec<_>>()
        })
        .complete_template("demo://users/{name}", "name", |typed: Completing, _: Context| async move {
            let all = if typed.arguments.contains_key("team") { 5 } else { 250 };
            (0..all).map(|n| format!("{}{n}", typed.value)).collect::<Vec<_>>()
        })
}

// spec: R292, R306, R318
#[tokio::test(start_paused = true)]
async fn resources_prompts_and_completions_are_declared_and_listed() {
    let mut client = Client::connect(&server());
    let capabilities = client.initialize("2025-11-25", json!({})).await["capabilities"].take();
    assert_eq!(
        capabilities,
        json!({
            "resources": { "subscribe": true, "listChanged": true },
            "prompts": { "listChanged": true },
            "completions": {},
            "logging": {},
        })
    );
    let resources = client.result(json!(1), "resources/list", json!({})).await;
    assert_eq!(
        resources["resources"][2],
        json!({ "uri": "demo://greeting", "name": "greeting", "mimeType": "text/plain" })
    );
    let templates = client.result(json!(2), "resources/templates/list", json!({})).await;
    assert_eq!(
        templates["resourceTemplates"][1],
        json!({ "uriTemplate": "demo://users/{name}", "name": "user" })
    );
    let prompts = client.result(json!(3), "prompts/list", json!({})).await;
    assert_eq!(
        prompts["prompts"][0],
        json!({
            "name": "packing",
            "description": "What to pack",
            "arguments": [
                { "name": "city", "description": "Where to", "required": true },
                { "name": "days", "description": "How long", "required": false },
            ],
        })
    );
    assert_eq!(prompts["prompts"][1], json!({ "name": "plain" }));
}

// spec: R255, R298, R301
#[tokio::test(start_paused = true)]
async fn resources_are_read_as_text_bytes_or_json() {
    let server = server().cache(Duration::from_secs(60), CacheScope::Public);
    let mut client = Client::connect(&server);
    let mut read = Vec::new();
    for uri in ["demo://greeting", "demo://logo", "demo://data", "demo://users/ada%20l", "demo://items/7"] {
        let result = client.result(json!(uri), "resources/read", modern(json!({ "uri": uri }))).await;
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(60_000), &json!("public")));
        read.push(result["contents"][0].clone());
    }
    assert_eq!(
        read,
        [
            json!({ "uri": "demo://greeting", "mimeType": "text/plain", "text": "Hello" }),
            json!({ "uri": "demo://logo", "mimeType": "image/png", "blob": "AQID" }),
            json!({ "uri": "demo://data", "mimeType": "application/json", "text": "[1,2]" }),
            json!({ "uri": "demo://users/ada%20l", "text": "ada l is a user" }),
            json!({ "uri": "demo://items/7", "text": "item 7" }),
        ]
    );
    let error = client.error(json!(1), "resources/read", modern(json!({ "uri": "demo://broken" }))).await;
    assert_eq!(error, json!({ "code": -32603, "message": "the disk is full" }));
}

// spec: R296, R297, R299, R300
#[tokio::test(start_paused = true)]
async fn b089_a_missing_resource_has_the_code_of_the_era() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    for uri in ["demo://none", "demo://items/x", "demo://users/", ""] {
        let error = client.error(json!(1), "resources/read", json!({ "uri": uri })).await;
        assert_eq!((&error["code"], &error["data"]), (&json!(-32002), &json!({ "uri": uri })));
        let error = client.error(json!(2), "resources/read", modern(json!({ "uri": uri }))).await;
        assert_eq!((&error["code"], &error["data"]), (&json!(-32602), &json!({ "uri": uri })));
    }
    assert_eq!(client.error(json!(3), "resources/read", json!({})).await["code"], -32602);
}

// spec: R310, R311
#[tokio::test(start_paused = true)]
async fn prompts_are_filled_in_and_missing_or_wrong_arguments_are_named() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let filled = client
        .result(
            json!(1),
            "prompts/get",
            json!({ "name": "packing", "arguments": { "city": "Oslo", "days": "3" } }),
        )
        .await;
    assert_eq!(
        filled,
        json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Pack for 3 days in Oslo" } }] })
    );
    let review = json!({ "name": "review", "arguments": { "code": "x", "language": "rust" } });
    let filled = client.result(json!(2), "prompts/get", review).await;
    assert_eq!(
        (&filled["messages"][1]["role"], &filled["messages"][1]["content"]["text"]),
        (&json!("assistant"), &json!("rust"))
    );
    client.result(json!(3), "prompts/get", json!({ "name": "plain" })).await;
    for (params, word) in [
        (json!({ "name": "nope" }), "nope"),
        (json!({ "name": "packing" }), "city"),
        (json!({ "name": "packing", "arguments": { "city": "Oslo", "days": "many" } }), "days"),
        (json!({ "name": "packing", "arguments": { "city": 5 } }), "string"),
        (json!({ "name": "review", "arguments": { "code": "x" } }), "language"),
        (json!({}), "name"),
    ] {
        let error = client.error(json!(4), "prompts/get", params).await;
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().is_some_and(|text| text.contains(word)), "{error}");
    }
}

// spec: R312, R313, R314
#[tokio::test(start_paused = true)]
async fn pictures_sounds_and_resources_in_prompts_have_their_type_and_content() {
    let text = TextResourceContents::new("demo://greeting", "Hello").with_mime_type("text/plain");
    let blob = BlobResourceContents::new("demo://logo", "AQID").with_mime_type("image/png");
    let contents = [
        ContentBlock::image("iVBORw==", "image/png"),
        ContentBlock::audio("UklGRg==", "audio/wav"),
        ContentBlock::resource(text),
        ContentBlock::resource(blob),
    ];
    let server = Server::new("test", "1").prompt(Prompt::new("all"), move |(): (), _| {
        let messages = contents.clone().map(PromptMessage::user).to_vec();
        async move { messages }
    });
    let expected = json!([
        { "type": "image", "data": "iVBORw==", "mimeType": "image/png" },
        { "type": "audio", "data": "UklGRg==", "mimeType": "audio/wav" },
        { "type": "resource",
          "resource": { "uri": "demo://greeting", "mimeType": "text/plain", "text": "Hello" } },
        { "type": "resource", "resource": { "uri": "demo://logo", "mimeType": "image/png", "blob": "AQID" } },
    ]);
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    for params in [json!({ "name": "all" }), modern(json!({ "name": "all" }))] {
        let filled = client.result(json!(1), "prompts/get", params).await;
        let messages = filled["messages"].as_array().expect("messages");
        let contents: Vec<&Value> = messages.iter().map(|message| &message["content"]).collect();
        assert_eq!(json!(contents), expected);
    }
}

// spec: R319, R320
#[tokio::test(start_paused = true)]
async fn arguments_are_completed_and_at_most_a_hundred_values_are_sent() {
    let mut client = Client::legacy(&server(), Revision::V2025_11_25).await;
    let ask = |reference: Value, argument: &str, value: &str| json!({ "ref": reference, "argument": { "name": argument, "value": value } });
    let review = json!({ "type": "ref/prompt", "name": "review" });
    let user = json!({ "type": "ref/resource", "uri": "demo://users/{name}" });
    let found = client.result(json!(1), "completion/complete", ask(review.clone(), "language", "ru")).await;
    assert_eq!(found["completion"], json!({ "values": ["ruby", "rust"], "total": 2, "hasMore": false }));
    let none = client.result(json!(2), "completion/complete", ask(review.clone(), "code", "x")).await;
    assert_eq!(none["completion"]["values"], json!([]), "an argument that nobody completes");
    let many = client.result(json!(3), "completion/complete", ask(user.clone(), "name", "u")).await;
    assert_eq!(many["completion"]["values"].as_array().map(Vec::len), Some(100));
    assert_eq!((&many["completion"]["total"], &many["completion"]["hasMore"]), (&json!(250), &json!(true)));
    let mut with_context = ask(user, "name", "u");
    with_context["context"] = json!({ "arguments": { "team": "a" } });
    let few = client.result(json!(4), "completion/complete", with_context).await;
    assert_eq!(few["completion"]["total"], 5);
    for params in [
        ask(json!({ "type": "ref/prompt", "name": "nope" }), "x", ""),
        ask(review, "nope", ""),
        ask(json!({ "type": "ref/resource", "uri": "demo://none" }), "x", ""),
        ask(json!({ "type": "ref/other" }), "x", ""),
        json!({ "ref": { "type": "ref/prompt", "name": "review" } }),
    ] {
        assert_eq!(client.error(json!(5), "completion/complete", params).await["code"], -32602);
    }
}

fn numbered(names: impl IntoIterator<Item = u32>) -> Server {
    names.into_iter().fold(Server::new("test", "1"), |server, n| {
        server.tool(ToolDef::new(format!("t{n}")), |(): (), _: Context| async {})
    })
}

/// The names on the page after this cursor, and the next cursor.
async fn page(client: &mut Client, cursor: Option<Value>) -> (Vec<String>, Option<Value>) {
    let mut params = json!({});
    if let Some(cursor) = cursor {
        params["cursor"] = cursor;
    }
    let result = bare(client.result(json!("page"), "tools/list", modern(params)).await);
    let names = result["tools"].as_array().expect("tools");
    let names = names.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect();
    (names, result.get("nextCursor").cloned())
}

// spec: R247
#[tokio::test(start_paused = true)]
async fn lists_come_in_pages_that_stay_right_when_entries_come_and_go() {
    let server = numbered(1..=5).page_size(NonZeroUsize::new(2).expect("not zero"));
    let mut client = Client::connect(&server);
    let (first, cursor) = page(&mut client, None).await;
    assert_eq!(first, ["t1", "t2"]);
    assert!(server.handle().remove_tool("t2"));
    assert!(server.handle().remove_tool("t3"));
    server.handle().add_tool("t6", |(): (), _: Context| async {});
    let (second, cursor) = page(&mut client, cursor).await;
    assert_eq!(second, ["t4", "t5"]);
    let (third, cursor) = page(&mut client, cursor).await;
    assert_eq!((third, cursor), (vec!["t6".to_owned()], None));
}

// spec: R248
#[tokio::test(start_paused = true)]
async fn a_cursor_that_was_never_given_is_refused() {
    let server = numbered(1..=3)
        .page_size(NonZeroUsize::new(1).expect("not zero"))
        .prompt(Prompt::new("p1"), |(): (), _| async { "p" });
    let mut client = Client::connect(&server);
    let (_, cursor) = page(&mut client, None).await;
    let cursor = cursor.expect("a next page");
    let of_tools = cursor.as_str().expect("a text");
    for (method, cursor) in [
        ("tools/list", ""),
        ("tools/list", "nonsense"),
        ("tools/list", "dDk5"),
        ("tools/list", &format!("{of_tools}=")),
        ("prompts/list", of_tools),
    ] {
        let error = client.error(json!(1), method, modern(json!({ "cursor": cursor }))).await;
        assert_eq!(error["code"], -32602, "{cursor}");
    }
    page(&mut client, Some(Value::Null)).await;
    // Without pages there are no cursors either.
    let mut client = Client::connect(&numbered(1..=3));
    assert_eq!(client.error(json!(1), "tools/list", modern(json!({ "cursor": "x" }))).await["code"], -32602);
    assert_eq!(page(&mut client, None).await, (vec!["t1".into(), "t2".into(), "t3".into()], None));
}

// spec: R255, R257
#[tokio::test(start_paused = true)]
async fn a_resource_that_says_how_long_it_may_be_kept_is_believed() {
    let read = |ttl_ms, scope: CacheScope| {
        let mut result = ReadResourceResult::new(vec![TextResourceContents::new("res://a", "A").into()]);
        (result.ttl_ms, result.cache_scope) = (ttl_ms, scope);
        result
    };
    let server = Server::new("kept", "1")
        .cache(Duration::from_secs(60), CacheScope::Public)
        .resource(Resource::new("res://never", "never"), move |_| async move { read(0, CacheScope::Private) })
        .resource(Resource::new("res://long", "long"), move |_| async move {
            Ok::<_, ToolError>(read(7, CacheScope::Private))
        })
        .template(ResourceTemplate::new("user://{name}", "user"), move |_: User, _| async move {
            read(0, CacheScope::Public)
        })
        .resource(Resource::new("res://silent", "silent"), |_| async { Ok::<_, ToolError>("A") });
    let mut client = Client::connect(&server);
    for (uri, ttl, scope) in [
        ("res://never", 0, "private"),
        ("res://long", 7, "private"),
        ("user://ada", 0, "public"),
        ("res://silent", 60_000, "public"),
    ] {
        let result = client.result(json!(uri), "resources/read", modern(json!({ "uri": uri }))).await;
        assert_eq!((&result["ttlMs"], &result["cacheScope"]), (&json!(ttl), &json!(scope)), "{uri}");
    }
}

// spec: R255, R256, R257
#[tokio::test(start_paused = true)]
async fn all_pages_of_a_list_are_for_the_same_audience() {
    let one = NonZeroUsize::new(1).expect("not zero");
    for (scope, said) in [(CacheScope::Public, "public"), (CacheScope::Private, "private")] {
        let server = numbered(1..=3).page_size(one).cache(Duration::from_secs(5), scope);
        let mut client = Client::connect(&server);
        let (mut cursor, mut pages) = (json!(null), 0);
        loop {
            let page = client.result(json!(pages), "tools/list", modern(json!({ "cursor": cursor }))).await;
            assert_eq!((&page["ttlMs"], &page["cacheScope"]), (&json!(5_000), &json!(said)));
            pages += 1;
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!(pages, 3);
    }
}

// spec: R269, R270, R271, R274, R293, R294, R307, R308
#[tokio::test(start_paused = true)]
async fn lists_are_the_same_on_every_connection_and_after_every_call() {
    let server = numbered(1..=3)
        .resource(Resource::new("res://a", "a"), |_| async { "A" })
        .prompt(Prompt::new("p"), |(): (), _| async { "p" });
    let mut lists = Vec::new();
    for _ in 0..2 {
        let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
        for _ in 0..2 {
            let mut list = Vec::new();
            for method in ["tools/list", "resources/list", "prompts/list"] {
                list.push(client.result(json!(method), method, modern(json!({}))).await);
            }
            lists.push(list);
            client.call(1, "t1", json!({})).await;
        }
    }
    assert!(lists.iter().all(|list| *list == lists[0]), "{lists:?}");
    assert_eq!(lists[0][0]["tools"][0]["inputSchema"]["type"], "object");
}

#[tokio::test(start_paused = true)]
async fn the_first_to_have_a_name_keeps_it_until_it_is_replaced() {
    let second = |text: &'static str| Component::tool("t2", move |(): (), _: Context| async move { text });
    let server = numbered(1..=3).with(second("never"));
    let mut client = Client::connect(&server);
    let mut said = Vec::new();
    for _ in 0..2 {
        assert_eq!(page(&mut client, None).await.0, ["t1", "t2", "t3"]);
        let result = client.result(json!(1), "tools/call", modern(json!({ "name": "t2" }))).await;
        said.push(result["content"].clone());
        assert!(!server.handle().add(second("nor this")));
        assert!(server.handle().replace(second("this")));
    }
    assert_eq!(said, [json!([]), json!([{ "type": "text", "text": "this" }])]);
    assert!(
        !server.handle().replace(Component::tool("t4", |(): (), _: Context| async {})),
        "nothing was there"
    );
}

#[tokio::test(start_paused = true)]
async fn lists_are_sorted_by_name_whenever_their_entries_came() {
    let server = numbered([3, 1]);
    server.handle().add_tool("t2", |(): (), _: Context| async {});
    let mut client = Client::connect(&server);
    assert_eq!(page(&mut client, None).await.0, ["t1", "t2", "t3"]);
}

#[tokio::test(start_paused = true)]
async fn of_two_templates_that_fit_the_first_to_be_added_is_read() {
    let server = Server::new("test", "1")
        .template(ResourceTemplate::new("res://{name}", "late in the alphabet"), |user: User, _| async move {
            format!("first: {}", user.name)
        })
        .template(ResourceTemplate::new("res://a{name}", "early"), |user: User, _| async move {
            format!("second: {}", user.name)
        });
    let mut client = Client::connect(&server);
    let read = client.result(json!(1), "resources/read", modern(json!({ "uri": "res://ab" }))).await;
    assert_eq!(read["contents"][0]["text"], "first: ab");
}
