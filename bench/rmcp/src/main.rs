//! Servers of the Rust SDK rmcp, set up as its documentation shows: `bench-rmcp [--json] [--kept] [--tools N] [--demo]
//! [--stdio]`.
//!
//! Legacy clients have sessions, as is the default; with `--json` there are none, and answers are JSON. `--kept` has the
//! table of tools built once instead of anew for each call. `--demo` serves the tools of `hermes demo` that a torture
//! needs instead of those that are measured.
//!
//! With `--stdio` it reads lines. Otherwise it listens on any free port of this machine, and its first line says where.

mod demo;
mod measured;

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;

use axum::Router;
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ServerHandler, ServiceExt as _};
use tokio::net::TcpListener;

use crate::demo::Demo;
use crate::measured::{Kept, Plain};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut json, mut kept, mut demo, mut stdio, mut tools) = (false, false, false, false, 0);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--json" => json = true,
            "--kept" => kept = true,
            "--demo" => demo = true,
            "--stdio" => stdio = true,
            "--tools" => tools = words.next().unwrap_or_default().parse()?,
            other => {
                return Err(
                    format!("{other}: the options are --json, --kept, --tools, --demo and --stdio").into()
                );
            }
        }
    }
    if demo {
        return serve(Demo::default(), json).await;
    }
    if stdio {
        return if kept { lines(Kept::new(tools)?).await } else { lines(Plain).await };
    }
    if kept { serve(Kept::new(tools)?, json).await } else { serve(Plain, json).await }
}

async fn lines<S: ServerHandler>(handler: S) -> Result<(), Box<dyn Error>> {
    handler.serve(rmcp::transport::stdio()).await?.waiting().await?;
    Ok(())
}

async fn serve<S: ServerHandler + Clone>(handler: S, json: bool) -> Result<(), Box<dyn Error>> {
    let mut config = StreamableHttpServerConfig::default();
    if json {
        config = config.with_legacy_session_mode(false).with_json_response(true);
    }
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(move || Ok(handler.clone()), sessions, config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("http://{}/mcp", listener.local_addr()?);
    // Its examples leave this out, and then each answer takes 44 ms. Nobody would call that a comparison.
    let listener = listener.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, Router::new().nest_service("/mcp", service)).await?)
}
