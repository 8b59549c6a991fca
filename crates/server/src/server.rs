//! The server, as its author sees it.

use std::fmt;
use std::future::Future;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hermes_types::{CacheScope, Icon, Implementation, RawJson};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::ask::Seal;
use crate::context::Context;
use crate::output::IntoToolResult;
use crate::registry::Offer;
use crate::settings::Settings;
use crate::tool::{ToolDef, ToolEntry};

/// A Model Context Protocol server: what it offers, and how it behaves.
///
/// Build it, then serve it as often as there are connections. Clones are cheap and share what they offer;
/// settings made on one clone do not reach the others.
///
/// ```
/// use hermes_server::{Context, Server, ToolError};
///
/// #[derive(serde::Deserialize, schemars::JsonSchema)]
/// struct Echo {
///     /// What to say
///     text: String,
/// }
///
/// let server = Server::new("demo", "0.1.0").tool("echo", |args: Echo, _: Context| async move { args.text });
/// ```
#[derive(Clone)]
#[must_use = "a server does nothing until it serves"]
pub struct Server {
    pub(crate) settings: Arc<Settings>,
    pub(crate) seal: Arc<Seal>,
    pub(crate) offer: Arc<Offer>,
}

impl Server {
    /// A server that offers nothing yet, with the name and version it goes by.
    ///
    /// # Panics
    /// When the operating system has no randomness to make a key of.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        #[expect(clippy::expect_used, reason = "without randomness nothing is safe; no peer can cause it")]
        let seal = Seal::random().expect("the operating system gives random bytes");
        Self {
            settings: Arc::new(Settings::new(Implementation::new(name, version))),
            seal: Arc::new(seal),
            offer: Arc::default(),
        }
    }

    fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings)
    }

    /// Says how to use the server, for the model.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.settings().instructions = Some(instructions.into());
        self
    }

    /// Sets the name to show.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.settings().info.title = Some(title.into());
        self
    }

    /// Says what the server is, in a sentence.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.settings().info.description = Some(description.into());
        self
    }

    /// Sets the server's page.
    pub fn website(mut self, url: impl Into<String>) -> Self {
        self.settings().info.website_url = Some(url.into());
        self
    }

    /// Sets the server's icons.
    pub fn icons(mut self, icons: Vec<Icon>) -> Self {
        self.settings().info.icons = Some(icons);
        self
    }

    /// Offers a tool.
    ///
    /// The handler takes the arguments, read into a type of its own, and the [`Context`]. The schemas are
    /// made from the types, once. Arguments that do not fit are answered with what is wrong and where, and
    /// the handler does not run. A tool with the same name is replaced.
    ///
    /// ```
    /// use hermes_server::{Context, Json, Server, ToolDef, ToolError};
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Add { a: i64, b: i64 }
    ///
    /// #[derive(serde::Serialize, schemars::JsonSchema)]
    /// struct Sum { sum: i64 }
    ///
    /// let server = Server::new("demo", "0.1.0").tool(
    ///     ToolDef::new("add").description("Adds two integers"),
    ///     |args: Add, _: Context| async move {
    ///         let sum = args.a.checked_add(args.b).ok_or("the sum is too large")?;
    ///         Ok(Json(Sum { sum }))
    ///     },
    /// );
    /// ```
    ///
    /// # Panics
    /// When the type of the arguments is no struct or map.
    pub fn tool<T, F, Fut, R>(self, def: impl Into<ToolDef>, handler: F) -> Self
    where
        T: DeserializeOwned + JsonSchema + Send + 'static,
        F: Fn(T, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.add_tool(ToolEntry::typed(def.into(), handler));
        self
    }

    /// Offers a tool that brings its own JSON Schemas, such as one from another server. The handler gets the
    /// arguments as their text, checked against the schema.
    ///
    /// A schema that cannot be used (an unresolved or remote `$ref`) has every call refused with the reason.
    pub fn raw_tool<F, Fut, R>(self, def: impl Into<ToolDef>, handler: F) -> Self
    where
        F: Fn(RawJson, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = R> + Send + 'static,
        R: IntoToolResult + 'static,
    {
        self.add_tool(ToolEntry::raw(def.into(), handler));
        self
    }

    fn add_tool(&self, entry: ToolEntry) {
        let name = entry.tool.name.clone();
        if self.offer.change(|registry| registry.tools.insert(name.clone(), entry)) {
            tracing::warn!(tool = name, "a tool was replaced by another with the same name");
        }
    }

    /// Keeps log messages of handlers from clients, and declares no logging.
    pub fn without_logging(mut self) -> Self {
        self.settings().logging = false;
        self
    }

    /// Cuts lists into pages of so many entries.
    pub fn page_size(mut self, entries: NonZeroUsize) -> Self {
        self.settings().page_size = Some(entries);
        self
    }

    /// Says how long clients may keep lists and resources, and who may be given a kept copy (modern era).
    /// Without it nothing is kept.
    pub fn cache(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.settings().cache = (ttl, scope);
        self
    }

    /// Sets the longest line that is read, in bytes; 16 MiB without it.
    pub fn max_line_bytes(mut self, bytes: usize) -> Self {
        self.settings().limits.line_bytes = bytes;
        self
    }

    /// Sets how many calls may be in flight on one connection; 1,024 without it.
    pub fn max_in_flight(mut self, calls: usize) -> Self {
        self.settings().in_flight = calls;
        self
    }

    /// Sets how long one call may take before it is stopped and answered with an error; an hour without it.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.settings().deadline = deadline;
        self
    }

    /// Sets how long handlers may go on after the client has closed the connection; 5 s without it.
    pub fn shutdown_grace(mut self, grace: Duration) -> Self {
        self.settings().shutdown_grace = grace;
        self
    }

    /// Sets the key that seals what clients carry between two entries of a handler (modern era).
    ///
    /// Without it the key is random, and a client can only go on with the process it began with. Servers
    /// that share the work need the same key.
    pub fn state_key(mut self, key: [u8; 32]) -> Self {
        self.seal = Arc::new(Seal::new(key));
        self
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("name", &self.settings.info.name)
            .field("version", &self.settings.info.version)
            .finish_non_exhaustive()
    }
}
