//! What most programs name: `use hermes::prelude::*;`.

#[cfg(feature = "client")]
pub use hermes_client::{Client, ClientError, child::Command};
#[cfg(feature = "server")]
pub use hermes_server::{Context, Elicited, IntoToolResult, Json, Server, ToolDef, ToolError, ask::AskError};
pub use hermes_types::{Era, RawJson, Revision};
