//! WebSockets, with libraries that nobody here wrote at the other end: they are driven raw, or are the server.

use std::path::PathBuf;
use std::time::Duration;

use hermes::{Client, ClientError, EraChoice, Event, Restart};
use serde_json::{Value, json};

use crate::facts::Facts;
use crate::grid::{Cell, Role};
use crate::http::patience::soon;
use crate::http::server::Server;
use crate::process::{Result, demo, peers, run, script};

/// How long the demo server's messages may be in these tests.
const LONGEST: [&str; 2] = ["--max-body", "1000000"];

/// How long a caller in a hurry waits, and a client until it tries again.
const HASTE: Duration = Duration::from_millis(200);

/// The Python that has the library.
fn python() -> PathBuf {
    peers().join("websocket/venv/bin/python")
}

#[tokio::test]
async fn the_node_library_ws_drives_the_demo_server_and_hears_that_it_goes() -> Result {
    let mut server = Server::start("websocket-node", demo(&LONGEST)?).await?;
    let words: [PathBuf; 3] = [
        script("websocket/wire.mjs"),
        server.port().to_string().into(),
        // It tells the server to end.
        server.id().to_string().into(),
    ];
    let ran = run("node", words)?;
    Facts::new([
        ("handshake", json!({ "protocol": "mcp", "extensions": "", "without": "" })),
        (
            "refusals",
            json!({
                "another protocol": "status 400",
                "another origin": "status 403",
                "another version": "status 426",
            }),
        ),
        ("modern", json!({ "binary": false, "supports": "2026-07-28", "sum": 5 })),
        ("legacy", json!({ "revision": "2025-11-25", "notes": [1, 2, 3], "result": "done" })),
        ("ping", json!({ "pong": "are you there?" })),
        ("fragments", json!({ "pong": "meanwhile", "sum": 5 })),
        ("texts", json!({ "pretty": 5, "broken": -32700, "after": 5 })),
        (
            "closing",
            json!({
                "a close": 1000,
                "binary": 1003,
                "too long": 1009,
                "too long in fragments": 1009,
                "no UTF-8": 1007,
                "no frame": 1002,
                "not masked": 1002,
            }),
        ),
        (
            "hangup",
            json!({
                "running": { "started": 1, "done": 0, "cancelled": 0 },
                "gone": { "started": 1, "done": 0, "cancelled": 1 },
            }),
        ),
        ("pressure", json!({ "meanwhile": 5, "bytes": 20_000_000 })),
        ("ending", json!({ "answered": "done", "code": 1001 })),
    ])
    .assert_seen_by("ws, WebSocket", ran)?;
    // The one that does not read is not waited for.
    let ended = server.ended().await?;
    assert!(ended.success(), "{ended}");
    Ok(())
}

#[tokio::test]
async fn the_python_library_websockets_drives_the_demo_server() -> Result {
    let server = Server::start("websocket-python", demo(&LONGEST)?).await?;
    let ran = run(python(), [script("websocket/wire.py"), server.port().to_string().into()])?;
    Facts::new([
        (
            "handshake",
            json!({ "protocol": "mcp", "extensions": null, "another protocol": 400, "another origin": 403 }),
        ),
        ("eras", json!({ "modern": 5, "legacy": "2024-11-05", "text": "héllo \u{1F44B}" })),
        ("ping", json!({ "is_alive": true })),
        ("fragments", json!({ "sum": 5 })),
        (
            "closing",
            json!({
                "a close": 1000,
                "binary": 1003,
                "too long": 1009,
                "too long in fragments": 1009,
                "no UTF-8": 1007,
            }),
        ),
        ("pressure", json!({ "meanwhile": 5, "bytes": 18_000_000, "answers": 20 })),
    ])
    .assert_seen_by("websockets, WebSocket", ran)
}

/// Calls a tool for its text.
async fn text(client: &Client, tool: &str, arguments: Value) -> Result<String> {
    Ok(client.call(tool, arguments).await?.read()?)
}

fn cell(what: &str) -> Cell {
    Cell::begin(Role::Server, "websockets, WebSocket", what)
}

#[tokio::test]
async fn the_client_speaks_to_a_server_on_the_python_library_websockets_and_outlives_it() -> Result {
    let mut server = Server::start("websocket-server", vec![python(), script("websocket/server.py")]).await?;
    let url = server.url("/mcp").replace("http://", "ws://");

    let opening = cell("opening");
    // It knows one era, which is found out.
    let often = Restart::default().longest_pause(HASTE);
    let client = Client::builder().era(EraChoice::Auto).restart(often).connect(&url).await?;
    assert_eq!(client.server_info().map(|info| info.name).as_deref(), Some("websockets"));
    assert_eq!(text(&client, "protocol", json!({})).await?, "mcp");
    opening.pass();

    let tools = cell("tools");
    assert_eq!(client.list_all_tools().await?.values().count(), 9);
    assert_eq!(text(&client, "add", json!({ "a": 2, "b": 3 })).await?, "5");
    tools.pass();

    let pings = cell("ping");
    assert_eq!(text(&client, "ping", json!({})).await?, "a pong");
    pings.pass();

    let fragments = cell("fragments");
    assert_eq!(text(&client, "pieces", json!({ "bytes": 1_000_000 })).await?.len(), 1_000_000);
    fragments.pass();

    for (what, tool, arguments, words) in [
        ("closed with 1013", "close", json!({ "code": 1013 }), "with 1013: come back later"),
        ("a binary message", "garbage", json!({}), "a binary message; the WebSocket was closed with 1003"),
        ("cut", "crash", json!({}), "it was cut off without a word"),
    ] {
        let cell = cell(what);
        let mut events = client.events();
        let hanging = {
            let client = client.clone();
            tokio::spawn(async move { client.call("hang", json!({})).await.map(drop) })
        };
        let error = soon("the end of a call", client.call(tool, arguments).into_future()).await?;
        let error = error.err().ok_or("it was answered")?;
        assert!(error.is_outcome_unknown(), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
        // Whatever else was under way has ended with it.
        let hung = soon("the end of the other call", hanging).await??;
        assert!(hung.is_err(), "{hung:?}");
        assert!(matches!(soon("the loss", events.next()).await?, Some(Event::Lost(_))));
        assert_eq!(client.pending(), 0);
        assert_eq!(text(&client, "add", json!({ "a": 2, "b": 3 })).await?, "5");
        cell.pass();
    }

    let restarted = cell("restarted");
    let mut events = client.events();
    server.kill()?;
    assert!(matches!(soon("the loss", events.next()).await?, Some(Event::Lost(_))));
    let hasty = client.call("add", json!({ "a": 2, "b": 3 })).timeout(HASTE).await;
    assert!(matches!(hasty, Err(ClientError::Unavailable { .. })), "{hasty:?}");
    // Whoever has more time waits until the server is there again.
    let patient = client.call("add", json!({ "a": 2, "b": 3 })).into_future();
    let (added, restarted_now) = tokio::join!(soon("an answer", patient), server.restart());
    restarted_now?;
    let added: String = added??.read()?;
    assert_eq!(added, "5");
    client.close().await;
    restarted.pass();
    Ok(())
}
