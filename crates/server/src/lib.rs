//! Model Context Protocol servers: handlers, their context, and the drivers that move the bytes.
//!
//! What happens when is decided in `hermes_proto`; what is on the wire is described in `hermes_types`. This
//! crate runs the handlers, gives them a [`Context`], and carries their outcomes to whoever asked.

mod alike;
pub mod ask;
mod completion;
pub mod component;
pub mod content;
mod context;
#[cfg(feature = "files")]
mod directory;
mod dispatch;
mod driver;
pub mod endpoint;
mod error;
mod extract;
mod facts;
mod flaws;
mod handle;
mod hooks;
mod hub;
mod kept_data;
mod kinds;
mod layer;
mod link;
mod list;
mod news;
mod offer;
mod output;
mod prompt;
mod registry;
mod reply;
mod resource;
mod run;
mod schema;
mod server;
mod session;
mod session_handle;
mod settings;
mod shared;
mod stamp;
mod stdio;
pub mod store;
mod subscribe;
mod template;
mod texts;
mod ticket;
mod tool;
#[cfg(feature = "tower")]
mod tower;
mod view;
mod written;

pub use ask::Elicited;
pub use completion::{Completing, IntoCompletion};
pub use component::{Component, IntoComponent, Part};
pub use context::Context;
pub use error::{IntoToolError, Result, ServerError, ToolError};
pub use extract::{Extension, FromContext, Http, Log, Peer, ProgressBar, SessionData, State};
pub use facts::Facts;
pub use flaws::{Flaw, Flaws, Given};
pub use handle::ServerHandle;
pub use kinds::{Prompt, Resource, Template, Tool, name_of};
pub use layer::{Answer, Invocation, Next};
pub use output::{IntoToolResult, Json};
pub use prompt::IntoPrompt;
pub use reply::{Reply, Unstructured};
pub use resource::{Cached, IntoResource};
pub use server::Server;
pub use session_handle::SessionHandle;
pub use tool::ToolDef;
