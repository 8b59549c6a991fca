//! A page in a browser calls tools, from an origin that may and from one that may not.
//!
//! `HERMES_BROWSER` names the browser; `cargo xtask browser` installs it.

use std::env;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;

use serde_json::json;

use crate::facts::Facts;
use crate::http::server::Server;
use crate::process::{Ran, Result, demo, folder, run, script};

/// A port that nobody else is given before it is used: the system hands them out in turn.
fn port() -> Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// What the page at one port of this machine writes that calls the server at another.
fn page(port: u16, server: &Server, name: &str) -> Result<Ran> {
    let browser =
        env::var_os("HERMES_BROWSER").ok_or("HERMES_BROWSER is not set: run `cargo xtask browser`")?;
    let words: [PathBuf; 5] = [
        script("browser/browser.mjs"),
        browser.into(),
        port.to_string().into(),
        server.port().to_string().into(),
        folder(name)?,
    ];
    run("node", words)
}

#[tokio::test]
async fn a_page_of_an_allowed_origin_calls_a_tool_over_http_and_over_a_websocket_in_both_eras() -> Result {
    let port = port()?;
    let server =
        Server::start("browser", demo(&["--allow-origin", &format!("http://127.0.0.1:{port}")])?).await?;
    let ran = page(port, &server, "browser-allowed")?;
    Facts::new([
        ("modern_http", json!({ "status": 200, "sum": 5 })),
        (
            "legacy_http",
            json!({ "has_session": true, "revision": "2025-11-25", "sum": 5, "ended": true, "gone": 404 }),
        ),
        ("modern_websocket", json!({ "protocol": "mcp", "extensions": "", "sum": 5 })),
        ("legacy_websocket", json!({ "revision": "2025-11-25", "sum": 5, "closed": [1000, true] })),
    ])
    .assert_seen_by("Chromium", ran)
}

#[tokio::test]
async fn a_page_of_another_origin_calls_nothing() -> Result {
    let (allowed, other) = (port()?, port()?);
    assert_ne!(allowed, other);
    let options = ["--allow-origin", &format!("http://127.0.0.1:{allowed}")];
    let server = Server::start("browser-other", demo(&options)?).await?;
    let ran = page(other, &server, "browser-refused")?;
    let failed = "TypeError: Failed to fetch";
    // The browser tells a page no more of a handshake that failed.
    let closed = "Error: closed with 1006";
    Facts::new([
        ("modern_http", json!(failed)),
        ("legacy_http", json!(failed)),
        ("modern_websocket", json!(closed)),
        ("legacy_websocket", json!(closed)),
    ])
    .assert_refused("Chromium, another origin", ran)
}
