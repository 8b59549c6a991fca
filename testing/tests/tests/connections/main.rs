//! Servers whose sessions last as long as a connection: over HTTP+SSE, the transport of 2024-11-05, and over WebSockets,
//! beside Streamable HTTP. What holds there holds here: who may call, how much, and to whom a session belongs.

mod crossing;
mod delivery;
mod http_sse;
mod limits;
mod memory;
mod principals;
mod websocket;
mod wire;

use std::error::Error;

use hermes::http::StreamableHttp;
use hermes::prelude::*;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Empty {}

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Name {
    /// Yours
    name: String,
}

/// A server that listens, until the sender is dropped.
struct Served {
    address: String,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
}

impl Served {
    /// Serves all that there is over HTTP, at a port of its own.
    async fn start(http: StreamableHttp) -> Outcome<Self> {
        Self::at(http, "127.0.0.1:0").await
    }

    async fn at(http: StreamableHttp, address: &str) -> Outcome<Self> {
        let bound = http.http_sse("/sse").websockets().bind(address.to_owned()).await?;
        let address = bound.address().to_string();
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(bound.serve(async { drop(stopped.await) }));
        Ok(Self { address, stop, serving })
    }

    fn websocket(&self) -> String {
        format!("ws://{}/mcp", self.address)
    }

    fn sse(&self) -> String {
        format!("http://{}/sse", self.address)
    }

    /// Has it end, and waits until it has.
    async fn end(self) -> Outcome {
        drop(self.stop);
        Ok(self.serving.await?)
    }
}

/// A server that asks, answers at length, and knows who calls.
fn server() -> Server {
    Server::new("connected", "1")
        .tool("greet", |_: Empty, ctx: Context| async move {
            match ctx.elicit::<Name>("Who are you?").await? {
                Elicited::Accepted(Name { name }) => Ok(format!("Hello, {name}")),
                _ => Err(ToolError::new("nobody")),
            }
        })
        .tool("big", |_: Empty, _: Context| async { "x".repeat(3_000_000) })
        .tool("echo", |args: Name, _: Context| async move { args.name })
        .tool(
            "whoami",
            |_: Empty, ctx: Context| async move { ctx.principal().unwrap_or("nobody").to_owned() },
        )
}
