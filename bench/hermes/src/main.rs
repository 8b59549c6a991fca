//! The server of Hermes that is measured: `bench-hermes [--stdio] [--stream] [--tools N] [--sessions N]
//! [--idle SECONDS]`.
//!
//! It listens on any free port of this machine, and its first line says where; with `--stdio` it reads lines instead.

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use hermes::http::StreamableHttp;
use hermes::{Context, Server, ToolDef};
use schemars::JsonSchema;
use serde::Deserialize;

/// So many sessions that the idle ones of a measurement stay.
const SESSIONS: usize = 100_000;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    /// The text to send back
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first number
    a: f64,
    /// The second number
    b: f64,
}

#[derive(Deserialize, JsonSchema)]
struct Chatter {
    /// How many notes
    notes: u32,
    /// How long each of them is
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

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
    let mut http = StreamableHttp::new(server(tools)).max_sessions(sessions);
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

/// The four tools, and others up to the number wanted.
fn server(tools: usize) -> Server {
    let mut server = Server::new("bench", "0.0.0")
        .tool(ToolDef::new("echo").description("Sends a text back"), |it: Echo, _| async move { it.text })
        .tool(ToolDef::new("add").description("Adds two numbers"), |it: Add, _| async move { it.a + it.b })
        .tool(ToolDef::new("chatter").description("Reports progress at length"), chatter)
        .tool(ToolDef::new("tasks").description("Counts the runtime's tasks"), |Nothing {}, _| async {
            tokio::runtime::Handle::current().metrics().num_alive_tasks()
        });
    for number in 4..tools {
        let def = ToolDef::new(format!("tool_{number:04}")).description("One of many, and never called");
        server = server.tool(def, |it: Echo, _| async move { it.text });
    }
    server
}

async fn chatter(Chatter { notes, bytes }: Chatter, ctx: Context) -> &'static str {
    let text = "x".repeat(bytes);
    for note in 1..=notes {
        ctx.progress(f64::from(note), None, Some(&text));
        // One note is one turn, so that others have theirs.
        tokio::task::yield_now().await;
    }
    "done"
}
