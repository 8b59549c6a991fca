//! What stands around handlers, and what is told of sessions.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hermes_server::{
    Answer, Component, Context, Invocation, Next, Part, Server, SessionData, SessionHandle, ToolError,
};
use hermes_types::{Fault, Method, Prompt, Resource, Revision};
use serde_json::json;
use tokio::sync::Notify;
use tower::limit::GlobalConcurrencyLimitLayer;

use crate::client::{Client, modern};

type Notes = Arc<Mutex<Vec<String>>>;

fn note(notes: &Notes, text: String) {
    notes.lock().expect("nobody panics").push(text);
}

fn taken(notes: &Notes) -> Vec<String> {
    std::mem::take(&mut notes.lock().expect("nobody panics"))
}

/// A server whose calls are noted, before and after.
fn noted(notes: &Notes) -> Server {
    let notes = Arc::clone(notes);
    Server::new("test", "1")
        .tool("echo", |text: std::collections::BTreeMap<String, String>, _: Context| async move {
            text.into_values().collect::<Vec<_>>().join(" ")
        })
        .tool("fail", |(): (), _: Context| async { Err::<(), _>(ToolError::new("as asked")) })
        .resource(Resource::new("res://a", "a"), |_| async { "A" })
        .prompt(Prompt::new("p"), |args: std::collections::BTreeMap<String, String>, _| async move {
            format!("{args:?}")
        })
        .around(move |invocation: Invocation, next: Next| {
            let notes = Arc::clone(&notes);
            async move {
                let what = format!("{} {}", invocation.method().as_str(), invocation.name().unwrap_or("-"));
                note(&notes, what);
                let outcome = next.run(invocation).await;
                note(&notes, outcome.as_ref().map_or_else(ToString::to_string, |_| "ok".to_owned()));
                outcome
            }
        })
}

#[tokio::test(start_paused = true)]
async fn a_layer_sees_each_request_with_its_name_and_what_came_of_it() {
    let notes = Notes::default();
    let mut client = Client::legacy(&noted(&notes), Revision::V2025_11_25).await;
    assert_eq!(client.call(1, "echo", json!({ "t": "hi" })).await["content"][0]["text"], "hi");
    assert_eq!(taken(&notes), ["tools/call echo", "ok"]);
    assert_eq!(client.call(2, "fail", json!({})).await["isError"], true);
    assert_eq!(taken(&notes), ["tools/call fail", "as asked"]);
    client.result(json!(3), "resources/read", json!({ "uri": "res://a" })).await;
    client.result(json!(4), "prompts/get", json!({ "name": "p" })).await;
    client.result(json!(5), "tools/list", modern(json!({}))).await;
    assert_eq!(taken(&notes), ["resources/read res://a", "ok", "prompts/get p", "ok", "tools/list -", "ok"]);
    // What is refused before it reaches a handler reaches no layer either, nor does what has no handler.
    client.error(json!(6), "tools/call", json!({ "name": "nope" })).await;
    client.expect_silence().await;
    assert_eq!(taken(&notes), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn the_layer_that_was_added_last_comes_first_and_may_refuse() {
    let notes = Notes::default();
    let server = noted(&notes).around(|invocation: Invocation, next: Next| async move {
        match (invocation.method(), invocation.name()) {
            (Method::ToolsCall, Some("fail")) => Err(ToolError::new("not you")),
            (Method::ResourcesRead, Some(uri)) => Err(ToolError::refuse(Fault::resource_not_found(uri))),
            _ => next.run(invocation).await,
        }
    });
    let mut client = Client::connect(&server);
    let result = client.result(json!(1), "tools/call", modern(json!({ "name": "fail" }))).await;
    assert_eq!((&result["isError"], &result["content"][0]["text"]), (&json!(true), &json!("not you")));
    let error = client.error(json!(2), "resources/read", modern(json!({ "uri": "res://a" }))).await;
    assert_eq!((&error["code"], &error["data"]), (&json!(-32602), &json!({ "uri": "res://a" })));
    assert_eq!(taken(&notes), [""; 0], "the inner layer was not reached");
}

#[tokio::test(start_paused = true)]
async fn a_layer_may_change_what_is_answered() {
    let server = noted(&Notes::default()).around(|invocation: Invocation, next: Next| async move {
        let is_admin = invocation.context().principal().is_some();
        let mut answer = next.run(invocation).await?;
        if let Answer::Tools(list) = &mut answer {
            list.tools.retain(|tool| is_admin || tool.name != "fail");
        }
        Ok(answer)
    });
    let mut client = Client::connect(&server);
    let listed = client.result(json!(1), "tools/list", modern(json!({}))).await;
    assert_eq!(listed["tools"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["tools"][0]["name"], "echo");
}

#[tokio::test(start_paused = true)]
async fn the_layers_of_tower_fit() {
    let (gate, started) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (waits, starts) = (Arc::clone(&gate), Arc::clone(&started));
    let server = Server::new("test", "1")
        .tool("wait", move |(): (), _: Context| {
            let (waits, starts) = (Arc::clone(&waits), Arc::clone(&starts));
            async move {
                starts.notify_one();
                waits.notified().await;
            }
        })
        .layer(GlobalConcurrencyLimitLayer::new(1));
    let mut clients = [Client::connect(&server), Client::connect(&server)];
    for client in &mut clients {
        client.request(json!(1), "tools/call", modern(json!({ "name": "wait" }))).await;
    }
    started.notified().await;
    // The second has its turn when the first is done, on another connection.
    assert!(tokio::time::timeout(Duration::from_secs(60), started.notified()).await.is_err());
    gate.notify_one();
    started.notified().await;
    gate.notify_one();
    for client in &mut clients {
        assert_eq!(client.next().await["id"], 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_layer_that_panics_costs_only_its_call() {
    let server = noted(&Notes::default()).around(|invocation: Invocation, next: Next| {
        assert_ne!(invocation.name(), Some("fail"), "as asked");
        next.run(invocation)
    });
    let mut client = Client::connect(&server);
    let error = client.error(json!(1), "tools/call", modern(json!({ "name": "fail" }))).await;
    assert_eq!(error["code"], -32603);
    client.result(json!(2), "tools/call", modern(json!({ "name": "echo" }))).await;
}

#[tokio::test(start_paused = true)]
async fn hooks_are_told_when_a_session_opens_and_once_when_it_ends() {
    let notes = Notes::default();
    let (opened, closed) = (Arc::clone(&notes), Arc::clone(&notes));
    let server = Server::new("test", "1")
        .tool("remember", |(): (), ctx: Context| async move {
            let said: SessionData<Mutex<String>> = ctx.extract().await?;
            "kept".clone_into(&mut *said.lock().map_err(|_| "broken")?);
            Ok::<_, ToolError>(())
        })
        .tool("beta", |(): (), _: Context| async {})
        .on_session_open(|_| panic!("a hook that panics costs nobody anything"))
        .on_session_open(move |session: &SessionHandle| {
            let client = session.client_info().map(|info| info.name.clone()).unwrap_or_default();
            note(&opened, format!("opened by {client} under {}", session.revision()));
            session.disable(Part::Tool("beta"));
            session.add(Component::tool("search_words", |(): (), _: Context| async { "own" }));
        })
        .on_session_close(move |session: &SessionHandle| {
            let kept = session.data::<Mutex<String>>().map(|it| it.lock().expect("nobody panics").clone());
            note(&closed, format!("closed with {kept:?}"));
        });
    let mut client = Client::connect(&server);
    client.result(json!(0), "tools/list", modern(json!({}))).await;
    assert_eq!(taken(&notes), [""; 0], "a modern request opens no session");
    client.initialize("2025-06-18", json!({})).await;
    assert_eq!(taken(&notes), ["opened by test under 2025-06-18"]);
    // What the hook changed is no news: the client has not asked yet.
    client.notify("notifications/initialized", json!({})).await;
    client.expect_silence().await;
    let listed = client.result(json!(1), "tools/list", json!({})).await;
    let names: Vec<_> = listed["tools"].as_array().expect("tools").iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["remember", "search_words"]);
    client.call(2, "remember", json!({})).await;
    let (_, ended) = client.finish().await;
    assert!(ended.is_ok());
    assert_eq!(taken(&notes), [r#"closed with Some("kept")"#]);
    assert_eq!(server.handle().sessions(), []);
}

#[tokio::test(start_paused = true)]
async fn a_session_whose_serving_is_dropped_has_ended_too() {
    let notes = Notes::default();
    let closed = Arc::clone(&notes);
    let server = Server::new("test", "1").on_session_close(move |_| note(&closed, "closed".to_owned()));
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    client.expect_silence().await;
    let [session] = server.handle().sessions().try_into().expect("one session");
    client.abort().await;
    assert!(!session.is_open());
    assert_eq!(taken(&notes), ["closed"]);
}
