//! A server on the Rust SDK rmcp, set up as its documentation shows: `hermes-peer-rmcp-http PORT`.
//!
//! It serves both eras at one address, with sessions in the legacy one.

mod desk;

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::sync::Arc;

use axum::Router;
use axum::serve::ListenerExt as _;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::desk::Desk;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let port: u16 = env::args().nth(1).ok_or("no port")?.parse()?;
    let sessions = Arc::new(LocalSessionManager::default());
    let desk = Desk::new(Arc::clone(&sessions));
    let service =
        StreamableHttpService::new(move || Ok(desk.clone()), sessions, StreamableHttpServerConfig::default());
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    Ok(axum::serve(listener, Router::new().nest_service("/mcp", service)).await?)
}
