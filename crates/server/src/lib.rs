//! Model Context Protocol servers: handlers, their context, and the drivers that move the bytes.
//!
//! What happens when is decided in `hermes_proto`; what is on the wire is described in `hermes_types`. This
//! crate runs the handlers, gives them a [`Context`], and carries their outcomes to whoever asked.

pub mod ask;
mod context;
mod dispatch;
mod driver;
mod error;
mod link;
mod list;
mod output;
mod queue;
mod registry;
mod schema;
mod server;
mod settings;
mod stamp;
mod stdio;
mod ticket;
mod tool;

pub use context::Context;
pub use error::{ServerError, ToolError};
pub use output::{IntoToolResult, Json};
pub use server::Server;
pub use tool::ToolDef;
