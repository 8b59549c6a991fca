//! Clients of the Model Context Protocol: connect to any server, stay in control, always get an answer.
//!
//! A [`Client`] speaks all revisions. It finds out which era a server speaks, runs servers as child processes and
//! ends them with everything they started, answers what they ask through one set of handlers for both eras, and
//! gives every operation exactly one outcome: a result, or a [`ClientError`] that says whose fault it is.
//!
//! A client outlives its connections: a server that has gone is [brought back](Restart), and what was under way
//! fails with the reason. It runs on Unix, because process groups are what ends a server with all that it started.
//!
//! Start with [`Client::connect`], [`Client::builder`] and [`Client::call`].
//!
//! ```
//! use hermes_client::Client;
//! use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let (ours, theirs) = tokio::io::duplex(1024);
//! // A server of the modern era, as small as can be.
//! tokio::spawn(async move {
//!     let (reader, mut writer) = tokio::io::split(theirs);
//!     let mut lines = BufReader::new(reader).lines();
//!     for result in [
//!         r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}}"#,
//!         r#"{"content":[{"type":"text","text":"5"}]}"#,
//!     ] {
//!         let request: serde_json::Value = serde_json::from_str(&lines.next_line().await?.unwrap_or_default())?;
//!         let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{result}}}\n", request["id"]);
//!         writer.write_all(line.as_bytes()).await?;
//!     }
//!     Ok::<(), std::io::Error>(())
//! });
//!
//! let (reader, writer) = tokio::io::split(ours);
//! let client = Client::over(reader, writer).await?;
//! let sum: i64 = client.call("add", serde_json::json!({ "a": 2, "b": 3 })).await?.read()?;
//! assert_eq!(sum, 5);
//! # Ok(())
//! # }
//! ```
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
#![cfg_attr(
    not(feature = "http"),
    expect(dead_code, reason = "both transports share one connection, and parts of it serve HTTP only")
)]

#[cfg(not(unix))]
compile_error!("hermes_client ends its servers through process groups, which only Unix has");

mod backoff;
mod builder;
mod cache;
mod call;
mod callbacks;
pub mod child;
mod client;
mod connection;
mod error;
mod event;
mod foreign;
#[cfg(feature = "http")]
mod headers;
#[cfg(not(feature = "http"))]
#[path = "no_headers.rs"]
mod headers;
mod hooks;
#[cfg(feature = "http")]
mod http;
#[cfg(not(feature = "http"))]
#[path = "no_http.rs"]
mod http;
mod http_answer;
mod http_head;
mod known;
mod lasting;
mod line;
mod list;
mod listen;
mod mirrors;
mod mishap;
mod notice;
mod notify;
mod open;
mod operations;
mod output;
mod received;
mod retry;
mod schema;
pub mod servers;
mod socket;
mod supervise;
mod target;
mod warning;
#[cfg(feature = "websocket")]
mod websocket;
#[cfg(not(feature = "websocket"))]
#[path = "no_websocket.rs"]
mod websocket;

pub use builder::ClientBuilder;
pub use cache::Caching;
pub use call::Operation;
pub use client::Client;
pub use error::{
    ClientError, CloseReason, Closed, HandlerError, HttpAnswer, HttpProblem, OutputProblem, Refusal,
    Unsupported, Violation,
};
pub use event::{Event, Events, Status};
pub use hermes_proto::limits::Limits;
pub use hermes_proto::negotiate::{EraChoice, Failure};
pub use hooks::Direction;
#[cfg(feature = "http")]
pub use http::CertificateProblem;
pub use http_head::HttpHead;
pub use known::KnownServers;
pub use list::{Listing, Page};
pub use listen::{Heard, Listening};
pub use notice::{News, Notice, Notices, Progress};
pub use received::Received;
pub use supervise::Restart;
pub use target::Target;
pub use warning::{Noise, Warning};
