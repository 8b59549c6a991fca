//! What handlers ask for by its type.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hermes_server::{
    Context, Extension, Facts, FromContext, Http, Log, Peer, ProgressBar, Server, ServerHandle, SessionData,
    SessionHandle, State, ToolError,
};
use hermes_types::Revision;
use serde_json::{Value, json};

use crate::client::{Client, modern};

struct Motto(&'static str);

#[derive(Default)]
struct Visits(AtomicU32);

/// Made from the call by a type of the author's own.
struct Revised(Revision);

impl FromContext for Revised {
    async fn from_context(ctx: &Context) -> Result<Self, ToolError> {
        Ok(Self(ctx.revision()))
    }
}

/// A tool that needs nothing but `E` to succeed.
fn wants<E: FromContext + Send>(server: Server, name: &str) -> Server {
    server.tool(name, |(): (), ctx: Context| async move { ctx.extract::<E>().await.map(drop) })
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().expect("a text")
}

#[tokio::test(start_paused = true)]
async fn state_is_shared_by_all_calls_and_session_data_by_those_of_a_session() {
    let server = Server::new("test", "1").state(Motto("later")).state(Motto("festina lente")).tool(
        "visit",
        |(): (), ctx: Context| async move {
            let (motto, visits): (State<Motto>, SessionData<Visits>) =
                (ctx.extract().await?, ctx.extract().await?);
            Ok::<_, ToolError>(format!("{} {}", motto.0.0, visits.0.0.fetch_add(1, Ordering::Relaxed)))
        },
    );
    let mut first = Client::legacy(&server, Revision::V2025_11_25).await;
    let mut second = Client::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(text(&first.call(1, "visit", json!({})).await), "festina lente 0");
    assert_eq!(text(&first.call(2, "visit", json!({})).await), "festina lente 1");
    assert_eq!(text(&second.call(1, "visit", json!({})).await), "festina lente 0");
    let call = modern(json!({ "name": "visit" }));
    assert_eq!(text(&second.result(json!(2), "tools/call", call).await), "festina lente 0");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_to_be_had_fails_the_call_and_says_what() {
    let server = Server::new("test", "1");
    let server = wants::<Http>(server, "http");
    let server = wants::<Peer>(server, "peer");
    let server = wants::<SessionHandle>(server, "session");
    let server = wants::<State<Motto>>(server, "state");
    let server = wants::<Extension<u8>>(server, "extension");
    let mut client = Client::connect(&server);
    for (tool, message) in [
        ("http", "the call did not come over HTTP"),
        ("peer", "nobody knows the address that the call came from"),
        ("session", "the client is served without a session"),
    ] {
        let result = client.result(json!(tool), "tools/call", modern(json!({ "name": tool }))).await;
        assert_eq!((&result["isError"], text(&result)), (&json!(true), message));
    }
    for (tool, word) in [("state", "Motto"), ("extension", "u8")] {
        let error = client.error(json!(tool), "tools/call", modern(json!({ "name": tool }))).await;
        assert_eq!(error["code"], -32603, "the server's own mistake");
        assert!(error["message"].as_str().is_some_and(|text| text.contains(word)), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn whoever_can_do_without_takes_an_option() {
    let server = Server::new("test", "1").tool("all", |(): (), ctx: Context| async move {
        let (http, motto): (Option<Http>, Option<State<Motto>>) =
            (ctx.extract().await?, ctx.extract().await?);
        let session: Option<SessionHandle> = ctx.extract().await?;
        let (Revised(revision), again): (Revised, Context) = (ctx.extract().await?, ctx.extract().await?);
        assert_eq!(revision, again.revision());
        let server: ServerHandle = ctx.extract().await?;
        Ok::<_, ToolError>(format!(
            "{} {} {} {}",
            http.is_some(),
            motto.is_some(),
            session.is_some(),
            server.sessions().len()
        ))
    });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    assert_eq!(text(&client.call(1, "all", json!({})).await), "false false true 1");
    let call = modern(json!({ "name": "all" }));
    assert_eq!(text(&client.result(json!(2), "tools/call", call).await), "false false false 1");
}

#[tokio::test(start_paused = true)]
async fn progress_and_log_speak_of_their_own_call() {
    let server = Server::new("test", "1").tool("count", |(): (), ctx: Context| async move {
        let (progress, log): (ProgressBar, Log) = (ctx.extract().await?, ctx.extract().await?);
        let (wanted, log) = (progress.is_wanted(), log.named("counter"));
        let progress = progress.of(2);
        progress.report(1);
        progress.tell(2_u32, "the last");
        log.debug("unwanted");
        log.warning(&[1, 2]);
        Ok::<_, ToolError>(wanted)
    });
    let mut client = Client::legacy(&server, Revision::V2025_11_25).await;
    let params = json!({ "name": "count", "_meta": { "progressToken": "p" } });
    client.request(json!(1), "tools/call", params).await;
    let mut said = Vec::new();
    for _ in 0..3 {
        said.push(client.next().await["params"].take());
    }
    assert_eq!(
        said,
        [
            json!({ "progressToken": "p", "progress": 1, "total": 2 }),
            json!({ "progressToken": "p", "progress": 2, "total": 2, "message": "the last" }),
            json!({ "level": "warning", "logger": "counter", "data": [1, 2] }),
        ]
    );
    assert_eq!(text(&client.next().await["result"]), "true");
    // Without a token nobody hears of progress.
    client.request(json!(2), "tools/call", json!({ "name": "count" })).await;
    assert_eq!(client.next().await["params"]["logger"], "counter");
    assert_eq!(text(&client.next().await["result"]), "false");
}

#[tokio::test(start_paused = true)]
async fn what_a_transport_knows_of_a_connection_reaches_every_call_on_it() {
    let server = Server::new("test", "1").tool("who", |(): (), ctx: Context| async move {
        let (Peer(peer), head): (Peer, Option<Http>) = (ctx.extract().await?, ctx.extract().await?);
        let Extension(tenant): Extension<u8> = ctx.extract().await?;
        let query = head.as_ref().and_then(|head| head.uri.query()).unwrap_or("none");
        Ok::<_, ToolError>(format!("{peer} {query} {tenant} {}", ctx.principal().unwrap_or("nobody")))
    });
    let connect = |principal: &str| {
        let head = http::Request::get("/mcp?a=1").extension(7_u8).body(()).expect("a request").into_parts().0;
        let peer = SocketAddr::from((Ipv4Addr::LOCALHOST, 4711));
        let facts = Facts::new().with_head(Arc::new(head)).with_peer(peer).with_principal(principal);
        Client::connect_knowing(&server, facts, 1 << 20)
    };
    let (mut ada, mut bob) = (connect("ada"), connect("bob"));
    for id in [1, 2] {
        let call = || modern(json!({ "name": "who" }));
        let said = ada.result(json!(id), "tools/call", call()).await;
        assert_eq!(text(&said), "127.0.0.1:4711 a=1 7 ada");
        let said = bob.result(json!(id), "tools/call", call()).await;
        assert_eq!(text(&said), "127.0.0.1:4711 a=1 7 bob");
    }
}
