//! The server of Hermes that is measured: `bench-hermes [--stdio] [--stream] [--tools N] [--sessions N]
//! [--idle SECONDS]`.
//!
//! It listens on any free port of this machine, and its first line says where; with `--stdio` it reads lines instead.

mod tools;

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use hermes::http::StreamableHttp;

use crate::tools::server;

/// So many sessions that the idle ones of a measurement stay, and what is opened beside them.
const SESSIONS: usize = 101_000;

/// So many requests at once: each open listen stream is one.
const RUNNING: usize = 20_000;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut idle = None;
    let (mut tools, mut sessions, mut streams, mut stdio) = (0, SESSIONS, false, false);
    let mut words = env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || words.next().unwrap_or_default().parse::<usize>();
        match word.as_str() {
            "--stdio" => stdio = true,
            "--stream" => streams = true,
            "--tools" => tools = number()?,
            "--sessions" => sessions = number()?,
            "--idle" => idle = Some(Duration::from_secs(number()?.try_into()?)),
            other => {
                let known = "--stdio, --stream, --tools, --sessions and --idle";
                return Err(format!("{other}: the options are {known}").into());
            }
        }
    }
    if stdio {
        return Ok(server(tools).serve_stdio().await?);
    }
    let mut http = StreamableHttp::new(server(tools)).max_sessions(sessions).max_running(RUNNING);
    if let Some(idle) = idle {
        http = http.session_idle(idle).retention(idle);
    }
    if streams {
        http = http.always_stream();
    }
    let bound = http.bind((Ipv4Addr::LOCALHOST, 0)).await?;
    println!("{}", bound.url());
    bound.serve(std::future::pending()).await;
    Ok(())
}
