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
//! let client = Client::connect(hermes::in_memory(server)).await?;
//! let sum: i64 = client.call("add", serde_json::json!({ "a": 2, "b": 3 })).await?.read()?;
//! assert_eq!(sum, 5);
//! # Ok(())
//! # }
//! ```
//!
//! # Features
//! All but `settings` and `otel` are on by default, and each only adds.
//!
//! | feature | what it adds |
//! |---|---|
//! | `server`, `client` | serving and talking, over standard input and output and in memory |
//! | `macros` | `#[hermes::server]`, `#[tool]`, `#[prompt]`, `#[resource]` |
//! | `http`, `http-client` | serving and talking over HTTP |
//! | `websocket` | both sides of WebSockets |
//! | `socket` | serving on Unix-domain and TCP sockets |
//! | `store` | keeping sessions over restarts |
//! | `files` | serving directories; telling the media type of bytes |
//! | `json-schema` | checking values against schemas of all keywords |
//! | `tower` | layers of `tower` around handlers |
//! | `settings` | taking limits, origins, keys and the store from a file and the environment |
//! | `otel` | exporting traces and metrics over OTLP |
//!
//! A server over standard input and output alone does with `default-features = false` and `macros`, and stands on 59 crates then. Without
//! `json-schema` it checks types, members, elements, choices and bounds; a tool whose schema says more is a flaw that
//! [`Server::check`] names, and that keeps the server from being served.

#[doc(inline)]
pub use hermes_telemetry as telemetry;
pub use hermes_types as types;

#[cfg(feature = "client")]
pub use hermes_client::*;
#[cfg(feature = "server")]
pub use hermes_server::*;

#[cfg(feature = "http")]
#[doc(inline)]
pub use hermes_http as http;

#[cfg(feature = "socket")]
#[doc(inline)]
pub use hermes_socket as socket;

#[cfg(feature = "store")]
#[doc(inline)]
pub use hermes_store::{FileStore, OpenError};

/// ```
/// use hermes::prelude::*;
///
/// struct Weather;
///
/// /// Forecasts for any city.
/// #[hermes::server]
/// impl Weather {
///     /// Current temperature in °C.
///     #[tool(read_only)]
///     async fn temperature(&self, /** City name */ city: String) -> Result<f64, std::num::ParseFloatError> {
///         if city == "Oslo" { "-3.5".parse() } else { "unknown".parse() }
///     }
///
///     /// What to take along.
///     #[prompt]
///     fn packing_list(&self, city: String, days: u8) -> String {
///         format!("What do I need for {days} days in {city}?")
///     }
///
///     /// The forecast of one city.
///     #[resource("weather://{city}/forecast", mime = "text/plain")]
///     fn forecast(&self, city: String) -> String {
///         format!("{city}: sunny")
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // `Weather.serve().await?` would serve whoever started this program.
/// let client = Client::connect(hermes::in_memory(Weather.into_server())).await?;
/// let degrees: f64 = client.call("temperature", serde_json::json!({ "city": "Oslo" })).await?.read()?;
/// assert_eq!(degrees, -3.5);
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "macros")]
pub use hermes_macros::server;

/// ```
/// # use hermes::prelude::*;
/// struct Files;
///
/// #[hermes::server]
/// impl Files {
///     /// Deletes a file, if it is there.
///     #[tool(title = "Delete", destructive, idempotent, open_world = false)]
///     async fn delete(
///         &self,
///         /// Relative to the folder that is served
///         path: String,
///         /// Says what would be deleted
///         #[serde(default)]
///         dry_run: bool,
///         ctx: Context,
///     ) -> Result<String, ToolError> {
///         ctx.progress(0.0, None, Some("looking"));
///         if dry_run { Ok(format!("{path} would be deleted")) } else { Err(ToolError::new("read-only")) }
///     }
/// }
/// # let server = Files.into_server();
/// ```
///
/// Components of their own, for servers that are put together from parts:
///
/// ```
/// use hermes::prelude::*;
///
/// /// Adds two integers.
/// #[tool(read_only)]
/// fn add(a: i64, b: i64) -> i64 {
///     a + b
/// }
///
/// struct SearchNotes {
///     notes: Vec<String>,
/// }
///
/// /// Finds a note by a word.
/// #[tool(read_only)]
/// impl SearchNotes {
///     async fn find(&self, word: String, log: Log) -> Option<String> {
///         log.info(&format!("looking for {word}"));
///         self.notes.iter().find(|note| note.contains(&word)).cloned()
///     }
/// }
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = Server::new("desk", "1.0.0").with(add).with(SearchNotes { notes: vec!["Buy milk".to_owned()] });
/// let client = Client::builder().connect(hermes::in_memory(server)).await?;
/// let note: String = client.call("search_notes", serde_json::json!({ "word": "milk" })).await?.read()?;
/// assert_eq!(note, "Buy milk");
/// assert_eq!(add().call(2, 3), 5, "and it is called like this in a test of its own");
/// # Ok(())
/// # }
/// ```
#[cfg(feature = "macros")]
pub use hermes_macros::tool;

/// ```
/// # use hermes::prelude::*;
/// struct Reviews;
///
/// #[hermes::server]
/// impl Reviews {
///     /// Asks for a review.
///     #[prompt(title = "Review")]
///     fn review(&self, /** The code */ code: String, language: Option<String>) -> String {
///         format!("Review this {}: {code}", language.as_deref().unwrap_or("code"))
///     }
/// }
/// # let server = Reviews.into_server();
/// ```
#[cfg(feature = "macros")]
pub use hermes_macros::prompt;

/// ```
/// use hermes::prelude::*;
/// use hermes::types::Fault;
///
/// struct Users;
///
/// #[hermes::server]
/// impl Users {
///     /// How many there are.
///     #[resource("users://count", mime = "text/plain")]
///     fn count(&self) -> &'static str {
///         "1"
///     }
///
///     /// One user.
///     #[resource("users://{id}", name = "user")]
///     async fn user(&self, id: u64) -> Result<Json<[u64; 1]>, ToolError> {
///         match id {
///             1 => Ok(Json([id])),
///             _ => Err(ToolError::refuse(Fault::resource_not_found(&format!("users://{id}")))),
///         }
///     }
/// }
/// # let server = Users.into_server();
/// ```
#[cfg(feature = "macros")]
pub use hermes_macros::resource;

pub mod guide {
    //! What is worth knowing before writing much.
    //!
    //! | to begin with | to look up | to run it | to come from elsewhere |
    //! |---|---|---|---|
    //! | [a first server](first_server) | [writing servers](authoring) | [deploying] | [from Hermes in Elixir](from_hermes) |
    //! | [a first client](first_client) | [handlers that ask](asking) | [operating] | [from rmcp](from_rmcp) |
    //! | [testing] | [revisions and eras](revisions) | [settings], [security], [telemetry] | |
    //! | | [sessions], [delivery], [resumability], [restarts] | [troubleshooting] | |
    //! | | [transports], [connections], [files of servers](servers) | | |
    //!
    //! # In the repository
    //!
    //! The same pages are in the folder `docs`. Beside them are `ARCHITECTURE.md`, `SECURITY.md`, the examples (`examples`), ten
    //! tasks in three toolkits (`docs/ten-tasks.md`), and Hermes MCP feature by feature (`docs/hermes-parity.md`).

    #[cfg(feature = "server")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/ask.md")]
    pub mod asking {}

    #[cfg(feature = "macros")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/authoring.md")]
    pub mod authoring {}

    #[cfg(feature = "http")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/delivery.md")]
    pub mod delivery {}

    #[cfg(feature = "http")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/operating.md")]
    pub mod operating {}

    #[cfg(feature = "store")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/restarts.md")]
    pub mod restarts {}

    #[cfg(feature = "client")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/servers.md")]
    pub mod servers {}

    #[cfg(all(feature = "macros", feature = "settings"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/settings.md")]
    pub mod settings {}

    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/telemetry.md")]
    pub mod telemetry {}

    #[cfg(all(feature = "client", feature = "macros"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/testing.md")]
    pub mod testing {}

    #[cfg(all(feature = "client", feature = "server"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/transports.md")]
    pub mod transports {}

    #[cfg(feature = "http-client")]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/connections.md")]
    pub mod connections {}

    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/deploying.md")]
    pub mod deploying {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/first-client.md")]
    pub mod first_client {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/first-server.md")]
    pub mod first_server {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/from-hermes.md")]
    pub mod from_hermes {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/from-rmcp.md")]
    pub mod from_rmcp {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/resumability.md")]
    pub mod resumability {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/revisions.md")]
    pub mod revisions {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/security.md")]
    pub mod security {}

    #[cfg(all(feature = "macros", feature = "client", feature = "http"))]
    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/sessions.md")]
    pub mod sessions {}

    #[doc = include_str!("guide/links.md")]
    #[doc = include_str!("guide/troubleshooting.md")]
    pub mod troubleshooting {}
}

#[cfg(all(feature = "client", feature = "server"))]
mod memory;
#[cfg(feature = "settings")]
pub mod settings;

#[cfg(feature = "macros")]
#[doc(hidden)]
pub mod __private {
    //! What the code that [`server`](macro@crate::server) writes names, so that its users need not depend on it.
    pub use {schemars, serde};
}

pub mod prelude {
    //! What most programs name: `use hermes::prelude::*;`.

    #[cfg(feature = "client")]
    pub use hermes_client::{Client, ClientError, child::Command};
    #[cfg(feature = "http")]
    pub use hermes_http::StreamableHttp;
    #[cfg(feature = "macros")]
    pub use hermes_macros::{prompt, resource, tool};
    #[cfg(feature = "server")]
    pub use hermes_server::{
        Cached, Completing, Component, Context, Elicited, Extension, FromContext, Http, IntoToolResult, Json,
        Log, Part, Peer, ProgressBar, Prompt, Reply, Resource, Server, ServerError, ServerHandle,
        SessionData, SessionHandle, State, Template, Tool, ToolDef, ToolError, ask::AskError, content,
    };
    pub use hermes_types::{
        ContentBlock, Era, Fault, LoggingLevel, PromptMessage, RawJson, ResourceContents, Revision,
    };
}

#[cfg(all(feature = "client", feature = "server"))]
pub use memory::in_memory;
