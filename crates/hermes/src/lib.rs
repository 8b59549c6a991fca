//! Hermes: Model Context Protocol servers and clients, of all revisions, written once.
//!
//! > Every request that Hermes accepts ends in exactly one outcome, and whoever waits for it learns it.
//!
//! Write a server with [`Server`], talk to one with [`Client`]. Both speak every published revision; handlers
//! and callers do not see which one is in force. The [`guide`] explains what is worth knowing beforehand.
//!
//! This crate only gathers: the parts live in `hermes_server`, `hermes_client` and `hermes_types`.
//!
//! ```
//! use hermes::prelude::*;
//!
//! #[derive(serde::Deserialize, schemars::JsonSchema)]
//! struct Add {
//!     /// The first summand.
//!     a: i64,
//!     /// The second.
//!     b: i64,
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new("sums", "1.0.0")
//!     .tool(ToolDef::new("add").description("Adds two integers"), |args: Add, _: Context| async move {
//!         args.a.checked_add(args.b).ok_or_else(|| ToolError::new("the sum is too large"))
//!     });
//!
//! // `server.serve_stdio().await?` would serve whoever started this program. Here both ends are in one.
//! let client = hermes::connect_in_memory(Client::builder(), server).await?;
//! let sum: i64 = client.call("add", serde_json::json!({ "a": 2, "b": 3 })).await?.read()?;
//! assert_eq!(sum, 5);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//! `server` and `client`, both on by default. Each only adds.

pub use hermes_types as types;

#[cfg(feature = "client")]
pub use hermes_client::*;
#[cfg(feature = "server")]
pub use hermes_server::*;

pub mod guide {
    //! What is worth knowing before writing much.

    #[cfg(feature = "server")]
    #[doc = include_str!("../../../docs/ask.md")]
    pub mod asking {}
}

#[cfg(all(feature = "client", feature = "server"))]
mod memory;

pub mod prelude {
    //! What most programs name: `use hermes::prelude::*;`.

    #[cfg(feature = "client")]
    pub use hermes_client::{Client, ClientError, child::Command};
    #[cfg(feature = "server")]
    pub use hermes_server::{
        Context, Elicited, IntoToolResult, Json, Server, ToolDef, ToolError, ask::AskError,
    };
    pub use hermes_types::{Era, RawJson, Revision};
}

#[cfg(all(feature = "client", feature = "server"))]
pub use memory::connect_in_memory;
