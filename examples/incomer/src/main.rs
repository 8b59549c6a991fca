//! An application with one client: it has every line of its input upcased by a server over HTTP.
//!
//! Try it: `target/debug/upcase` in one terminal, and `echo hello | target/debug/incomer` in another.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it is a program for people")]

use anyhow::Context as _;
use hermes::Event;
use hermes::prelude::*;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader, stdin};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let url = std::env::args().nth(1).unwrap_or_else(|| "http://127.0.0.1:4000/mcp".to_owned());
    let client = Client::builder()
        .name("incomer", env!("CARGO_PKG_VERSION"))
        .on_warning(|warning| eprintln!("incomer: {warning}"))
        .connect(url.as_str())
        .await
        .with_context(|| format!("no server at {url}"))?;
    let server = client.server_info().map_or_else(|| url.clone(), |server| server.name);
    eprintln!("incomer: {server} speaks {}", client.revision());

    // A server that goes away is waited for. Nothing here depends on it: calls settle by themselves.
    let mut events = client.events();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            match event {
                Event::Lost(why) => eprintln!("incomer: {why}"),
                Event::Reopened(_) => eprintln!("incomer: the server is there again"),
                _ => {}
            }
        }
    });

    let mut lines = BufReader::new(stdin()).lines();
    while let Some(line) = lines.next_line().await? {
        let answer = client.call("upcase", json!({ "text": line })).await;
        // Reading the result makes an error of a tool that failed.
        match answer.and_then(|answer| answer.read::<String>()) {
            Ok(text) => println!("{text}"),
            // Whether it may be asked again is known.
            Err(error) if error.is_outcome_unknown() => eprintln!("incomer: {error}; it may have been done"),
            Err(error) => eprintln!("incomer: {error}"),
        }
    }
    client.close().await;
    Ok(())
}
