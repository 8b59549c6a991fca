//! The echo, over stdio and over HTTP.

use std::process;

use hermes::prelude::*;
use hermes_testkit::daemon::Daemon;
use hermes_testkit::{failure, structured, text};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const ECHO: &str = env!("CARGO_BIN_EXE_echo");

#[tokio::test]
async fn what_was_registered_at_run_time_is_there() -> Outcome {
    let client = Client::connect(Command::new(ECHO)).await?;
    assert_eq!(text(client.call("echo", json!({ "text": "hello" })).await), "hello");
    let long = client.call("echo", json!({ "text": "x".repeat(151) })).await;
    assert!(failure(long).contains("150"));
    let info = client.read("file:///server/info").await?;
    assert!(info.raw.get().contains(r#""blob":"AGhlcm1lcwA=""#), "{}", info.raw.get());
    let prompt = client.prompt("greeting", &[("name".to_owned(), "Ada".to_owned())].into()).await?;
    assert!(prompt.raw.get().contains("Say hello to Ada"));
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn notes_are_remembered_with_what_they_did_not_say() -> Outcome {
    let client = Client::connect(Command::new(ECHO)).await?;
    let first = json!({ "title": "Buy milk", "author": { "name": "Ada" } });
    assert_eq!(
        structured(client.call("save_note", first).await),
        json!([{ "title": "Buy milk", "author": { "name": "Ada", "email": null }, "tags": [], "priority": "normal" }])
    );
    let bad = json!({ "title": "x", "author": { "name": "Ada", "email": "nowhere" } });
    assert!(failure(client.call("save_note", bad).await).contains("/author/email"));
    let second = json!({ "title": "Rest", "author": { "name": "Bob" }, "tags": ["home"], "priority": "low" });
    assert_eq!(structured(client.call("save_note", second).await)[1]["tags"], json!(["home"]));
    client.close().await;
    Ok(())
}

#[tokio::test]
async fn over_http_old_clients_and_new_ones_get_the_same() -> Outcome {
    let mut command = process::Command::new(ECHO);
    let daemon = Daemon::run(command.env("MCP_TRANSPORT", "http").env("MCP_ADDRESS", "127.0.0.1:0"))?;
    for path in ["/mcp", "/mcp/sse"] {
        let client = Client::connect(daemon.target().with_path(path).to_string()).await?;
        assert_eq!(text(client.call("echo", json!({ "text": path })).await), path);
        client.close().await;
    }
    Ok(())
}
