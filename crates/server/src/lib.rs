//! Model Context Protocol servers: handlers, their context, and the drivers that move the bytes.
//!
//! What happens when is decided in `hermes_proto`; what is on the wire is described in `hermes_types`. This
//! crate runs the handlers, gives them a [`Context`], and carries their outcomes to whoever asked.

pub mod ask;
mod context;
mod error;
mod link;
mod schema;

pub use context::Context;
pub use error::ToolError;
