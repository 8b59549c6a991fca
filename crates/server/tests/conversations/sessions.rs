//! What differs between the sessions of one server, and who hears of it.

use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_server::{Component, Context, Part, Server, SessionHandle, ToolError};
use hermes_types::{LoggingLevel, Resource, Revision};
use serde_json::{Value, json};

use crate::client::{Client, modern};

/// A tool that says its own name.
fn named(name: &'static str) -> Component {
    Component::tool(name, move |(): (), _: Context| async move { name })
}

fn server() -> Server {
    Server::new("test", "1")
        .with(named("common"))
        .with(named("wipe"))
        .resource(Resource::new("res://a", "a"), |_| async { "A" })
}

/// The names of the tools that a legacy client is shown.
async fn tools(client: &mut Client) -> Vec<String> {
    let result = client.result(json!("tools"), "tools/list", json!({})).await;
    names(&result)
}

fn names(result: &Value) -> Vec<String> {
    let tools = result["tools"].as_array().expect("tools");
    tools.iter().map(|tool| tool["name"].as_str().expect("a name").to_owned()).collect()
}

/// Why a legacy client may not call a tool.
async fn refused(client: &mut Client, tool: &str) -> String {
    let error = client.error(json!("refused"), "tools/call", json!({ "name": tool })).await;
    assert_eq!(error["code"], -32602);
    error["message"].as_str().expect("a message").to_owned()
}

async fn expect_news(client: &mut Client, method: &str) {
    assert_eq!(client.next().await["method"], method);
}

const TOOLS: &str = "notifications/tools/list_changed";

/// Two clients of one server, and the server's handles of their sessions.
async fn two(server: &Server) -> ([Client; 2], [SessionHandle; 2]) {
    let first = Client::legacy(server, Revision::V2025_11_25).await;
    let mut second = Client::legacy(server, Revision::V2025_06_18).await;
    second.expect_silence().await;
    let sessions = server.handle().sessions().try_into().expect("two sessions");
    ([first, second], sessions)
}

#[tokio::test(start_paused = true)]
async fn a_server_knows_its_sessions_until_they_end() {
    let server = server();
    let handle = server.handle();
    assert_eq!(handle.sessions(), []);
    let mut modern_client = Client::connect(&server);
    modern_client.result(json!(1), "tools/list", modern(json!({}))).await;
    assert_eq!(handle.sessions(), [], "the modern era has no sessions");
    let ([first, mut second], [one, two]) = two(&server).await;
    assert_ne!(one, two);
    assert_eq!((one.revision(), two.revision()), (Revision::V2025_11_25, Revision::V2025_06_18));
    assert_eq!(one.client_info().map(|info| info.name.as_str()), Some("test"));
    assert!(one.is_open());
    assert!(first.vanish().await.is_ok());
    assert!(!one.is_open());
    assert_eq!(handle.sessions(), [two]);
    // Whoever holds on to it can do no harm.
    assert!(!one.add(named("late")));
    assert!(!one.disable(Part::Tool("common")));
    one.log(LoggingLevel::Error, "nobody hears this");
    assert!(one.data::<AtomicUsize>().is_none());
    second.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn what_is_added_to_a_session_is_there_for_its_client_only() {
    let server = server();
    let ([mut first, mut second], [one, _]) = two(&server).await;
    assert!(one.add(named("own")));
    expect_news(&mut first, TOOLS).await;
    assert_eq!(tools(&mut first).await, ["common", "own", "wipe"]);
    assert_eq!(first.call(1, "own", json!({})).await["content"][0]["text"], "own");
    // The other one is told nothing and sees nothing.
    second.expect_silence().await;
    assert_eq!(tools(&mut second).await, ["common", "wipe"]);
    assert_eq!(refused(&mut second, "own").await, "unknown tool: own");
    // Nor does a modern request on the same connection.
    let listed = first.result(json!(2), "tools/list", modern(json!({}))).await;
    assert_eq!(names(&listed), ["common", "wipe"]);
    assert!(one.remove(Part::Tool("own")));
    expect_news(&mut first, TOOLS).await;
    assert_eq!(refused(&mut first, "own").await, "the tool own was removed; ask for the list again");
    assert!(!one.remove(Part::Tool("own")));
    assert!(!one.remove(Part::Tool("common")), "it is the server's");
    first.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn the_servers_own_name_stays_the_servers_in_every_session() {
    let server = server();
    let ([mut first, mut second], [one, _]) = two(&server).await;
    let impostor = || Component::tool("late", |(): (), _: Context| async { "the session's" });
    assert!(!one.add(named("common")), "taken");
    assert!(one.add(impostor()));
    expect_news(&mut first, TOOLS).await;
    assert!(server.handle().add(named("late")));
    expect_news(&mut first, TOOLS).await;
    expect_news(&mut second, TOOLS).await;
    assert_eq!(tools(&mut first).await, ["common", "late", "wipe"]);
    assert_eq!(first.call(1, "late", json!({})).await["content"][0]["text"], "late");
    assert!(server.handle().remove(Part::Tool("late")));
    expect_news(&mut first, TOOLS).await;
    assert_eq!(first.call(2, "late", json!({})).await["content"][0]["text"], "the session's");
    expect_news(&mut second, TOOLS).await;
    assert_eq!(refused(&mut second, "late").await, "the tool late was removed; ask for the list again");
}

#[tokio::test(start_paused = true)]
async fn a_session_may_have_on_what_its_server_has_off_and_the_other_way_round() {
    let server = server();
    let handle = server.handle();
    let ([mut first, mut second], [one, two]) = two(&server).await;
    assert!(handle.disable(Part::Tool("wipe")));
    assert!(!handle.disable(Part::Tool("wipe")), "nothing new");
    for client in [&mut first, &mut second] {
        expect_news(client, TOOLS).await;
        client.expect_silence().await;
        assert_eq!(tools(client).await, ["common"]);
        assert_eq!(refused(client, "wipe").await, "the tool wipe is disabled");
    }
    assert!(one.enable(Part::Tool("wipe")));
    expect_news(&mut first, TOOLS).await;
    assert_eq!(tools(&mut first).await, ["common", "wipe"]);
    assert_eq!(first.call(1, "wipe", json!({})).await["content"][0]["text"], "wipe");
    second.expect_silence().await;
    assert!(two.disable(Part::Tool("common")));
    expect_news(&mut second, TOOLS).await;
    assert_eq!(tools(&mut second).await, [""; 0]);
    // Whoever sees no difference hears of none.
    assert!(handle.enable(Part::Tool("wipe")));
    expect_news(&mut second, TOOLS).await;
    first.expect_silence().await;
    assert!(handle.remove(Part::Tool("common")));
    expect_news(&mut first, TOOLS).await;
    second.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_listen_stream_hears_of_what_its_client_sees() {
    let server = server();
    let handle = server.handle();
    let mut client = Client::connect(&server);
    let wish = json!({ "notifications": { "toolsListChanged": true } });
    client.request(json!("L"), "subscriptions/listen", modern(wish)).await;
    expect_news(&mut client, "notifications/subscriptions/acknowledged").await;
    handle.disable(Part::Tool("later"));
    handle.add(named("later"));
    client.result(json!(1), "tools/list", modern(json!({}))).await;
    handle.enable(Part::Tool("later"));
    expect_news(&mut client, TOOLS).await;
    let mut legacy = Client::legacy(&server, Revision::V2025_11_25).await;
    legacy.expect_silence().await;
    let [session] = handle.sessions().try_into().expect("one session");
    assert!(session.add(named("own")));
    expect_news(&mut legacy, TOOLS).await;
    client.result(json!(2), "tools/list", modern(json!({}))).await;
}

#[tokio::test(start_paused = true)]
async fn a_page_goes_on_where_it_ended_whatever_a_session_added_meanwhile() {
    let server = server().with(named("zip")).page_size(2.try_into().expect("not zero"));
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let first = client.result(json!(1), "tools/list", json!({})).await;
    assert_eq!(names(&first), ["common", "wipe"]);
    let [session] = server.handle().sessions().try_into().expect("one session");
    session.add(named("able"));
    session.add(named("yes"));
    // Both were told before the client read of one.
    expect_news(&mut client, TOOLS).await;
    server.handle().disable(Part::Tool("wipe"));
    expect_news(&mut client, TOOLS).await;
    let params = json!({ "cursor": first["nextCursor"] });
    let second = client.result(json!(2), "tools/list", params).await;
    assert_eq!(names(&second), ["yes", "zip"]);
    assert!(second.get("nextCursor").is_none());
}

#[tokio::test(start_paused = true)]
async fn resources_and_templates_of_a_session_are_read_and_watched_in_it() {
    let server = server();
    let ([mut first, mut second], [one, two]) = two(&server).await;
    assert!(one.add(Component::resource(Resource::new("res://own", "own"), |_| async { "mine" })));
    expect_news(&mut first, "notifications/resources/list_changed").await;
    let uri = json!({ "uri": "res://own" });
    assert_eq!(first.result(json!(1), "resources/read", uri.clone()).await["contents"][0]["text"], "mine");
    assert_eq!(second.error(json!(1), "resources/read", uri.clone()).await["code"], -32002);
    assert_eq!(second.error(json!(2), "resources/subscribe", uri.clone()).await["code"], -32002);
    first.result(json!(2), "resources/subscribe", uri).await;
    second.result(json!(3), "resources/subscribe", json!({ "uri": "res://a" })).await;
    one.resource_updated("res://own");
    one.resource_updated("res://a");
    two.resource_updated("res://a");
    let news = first.next().await;
    assert_eq!(news["params"]["uri"], "res://own");
    first.expect_silence().await;
    assert_eq!(second.next().await["params"]["uri"], "res://a");
    second.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn a_log_message_of_no_call_goes_to_every_session_that_wants_its_level() {
    let server = server();
    let handle = server.handle();
    let mut early = Client::connect(&server);
    early.initialize("2025-11-25", json!({})).await;
    let ([mut first, mut second], [_, _, two]) = {
        let first = Client::legacy(&server, Revision::V2025_11_25).await;
        let mut second = Client::legacy(&server, Revision::V2024_11_05).await;
        second.expect_silence().await;
        ([first, second], <[SessionHandle; 3]>::try_from(handle.sessions()).expect("three sessions"))
    };
    first.result(json!(1), "logging/setLevel", json!({ "level": "error" })).await;
    handle.log(LoggingLevel::Info, "a note");
    handle.log(LoggingLevel::Error, &json!({ "disk": "full" }));
    two.log(LoggingLevel::Debug, "unwanted");
    let full = json!({ "level": "error", "data": { "disk": "full" } });
    assert_eq!(first.next().await["params"], full);
    first.expect_silence().await;
    assert_eq!(second.next().await["params"], json!({ "level": "info", "data": "a note" }));
    assert_eq!(second.next().await["params"], full);
    second.expect_silence().await;
    // A session whose handshake is not complete is told nothing.
    early.expect_silence().await;
}

#[tokio::test(start_paused = true)]
async fn tools_that_come_later_are_declared_from_the_beginning() {
    let server = Server::new("test", "1").declare_tools().declare_prompts().declare_resources();
    let mut client = Client::connect(&server);
    let capabilities = client.initialize("2025-11-25", json!({})).await["capabilities"].take();
    let changing = json!({ "listChanged": true });
    assert_eq!((&capabilities["tools"], &capabilities["prompts"]), (&changing, &changing));
    assert_eq!(capabilities["resources"]["listChanged"], true);
    client.notify("notifications/initialized", json!({})).await;
    assert_eq!(tools(&mut client).await, [""; 0]);
    server.handle().add(named("later"));
    expect_news(&mut client, TOOLS).await;
    assert_eq!(tools(&mut client).await, ["later"]);
}

#[tokio::test(start_paused = true)]
async fn a_handler_changes_its_own_session() {
    let server = server().tool("log_in", |(): (), ctx: Context| async move {
        let session = ctx.session().ok_or("there are no sessions in this revision")?;
        session.add(named("log_out"));
        session.disable(Part::Tool("log_in"));
        session.data::<AtomicUsize>().ok_or("over")?.fetch_add(1, Ordering::Relaxed);
        Ok::<_, ToolError>("welcome")
    });
    let ([mut first, mut second], [one, two]) = two(&server).await;
    first.request(json!(1), "tools/call", json!({ "name": "log_in" })).await;
    expect_news(&mut first, TOOLS).await;
    let answer = first.next().await;
    assert_eq!(answer["result"]["content"][0]["text"], "welcome", "{answer}");
    assert_eq!(tools(&mut first).await, ["common", "log_out", "wipe"]);
    assert_eq!(tools(&mut second).await, ["common", "log_in", "wipe"]);
    let logins = |session: &SessionHandle| session.data::<AtomicUsize>().map(|it| it.load(Ordering::Relaxed));
    assert_eq!((logins(&one), logins(&two)), (Some(1), Some(0)));
    let refused = second.result(json!(2), "tools/call", modern(json!({ "name": "log_in" }))).await;
    assert_eq!(refused["isError"], true);
}
