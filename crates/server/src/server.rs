//! The server, as its author sees it.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hermes_types::{CacheScope, Icon, Implementation};

use crate::ask::Seal;
use crate::handle::ServerHandle;
use crate::hub::Hub;
use crate::session_handle::SessionHandle;
use crate::settings::{Settings, StateKeys};

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
    pub(crate) hub: Arc<Hub>,
}

impl Server {
    /// A server that offers nothing yet, with the name and version it goes by.
    ///
    /// # Panics
    /// When the operating system has no randomness to make a key of.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        let settings = Settings::new(Implementation::new(name, version));
        let seal = Arc::new(settings.keys.seal());
        Self { settings: Arc::new(settings), seal, hub: Arc::default() }
    }

    pub(crate) fn settings(&mut self) -> &mut Settings {
        Arc::make_mut(&mut self.settings).changing()
    }

    /// A way to change what the server offers while it runs, and to say that something changed.
    #[must_use]
    pub fn handle(&self) -> ServerHandle {
        ServerHandle::new(Arc::clone(&self.hub))
    }

    /// How long the requests of this server took, and how they ended, by method and by tool; all clones count together.
    ///
    /// ```
    /// let server = hermes_server::Server::new("demo", "0.1.0");
    /// assert!(server.timings().readings().is_empty(), "nothing was asked yet");
    /// ```
    #[must_use]
    pub fn timings(&self) -> &hermes_telemetry::timings::Timings {
        &self.settings.timings
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

    /// Gives all handlers a value: a pool of connections, a client of another service, the configuration. They ask
    /// for it by its type, as [`State<T>`](crate::State) or by [`Context::state`](crate::Context::state); of two
    /// values of one type the later counts.
    ///
    /// ```
    /// use hermes_server::{Context, Server, ToolError};
    ///
    /// struct Motto(String);
    ///
    /// let server = Server::new("demo", "0.1.0")
    ///     .state(Motto("Festina lente".to_owned()))
    ///     .tool("motto", |(): (), ctx: Context| async move { Ok::<_, ToolError>(ctx.state::<Motto>()?.0.clone()) });
    /// ```
    pub fn state<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.settings().shared.put(value);
        self
    }

    /// Is told of every session when its handshake is accepted, before the client hears what the server offers: what
    /// is [added](SessionHandle::add) to the session now is there when the client asks first. All hooks are
    /// called, in the order in which they were added. They must not block: a client waits for its answer.
    ///
    /// Clients of the modern era have no sessions, nor have those that a server without sessions serves.
    ///
    /// ```
    /// use hermes_server::{Part, Server};
    ///
    /// let server = Server::new("demo", "0.1.0").tool("beta", |(): (), _| async {}).on_session_open(|session| {
    ///     if session.client_info().is_none_or(|client| client.name != "our-own-client") {
    ///         session.disable(Part::Tool("beta"));
    ///     }
    /// });
    /// ```
    pub fn on_session_open(mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) -> Self {
        self.settings().hooks.on_open(told);
        self
    }

    /// Is told of every session when it ends, whoever ended it, while its [data](SessionHandle::data) are still
    /// there. It is called once for each session, and must not block.
    ///
    /// ```
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// use hermes_server::Server;
    ///
    /// #[derive(Default)]
    /// struct Calls(AtomicU64);
    ///
    /// let server = Server::new("demo", "0.1.0").on_session_close(|session| {
    ///     let calls = session.data::<Calls>().map_or(0, |calls| calls.0.load(Ordering::Relaxed));
    ///     println!("session {} made {calls} calls", session.number());
    /// });
    /// ```
    pub fn on_session_close(mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) -> Self {
        self.settings().hooks.on_close(told);
        self
    }

    /// Is told of every session that a [store](crate::store) has kept, after a restart, while nobody can use it yet. Its
    /// [data](SessionHandle::data) are there, if they are [kept](Self::keep_session_data). What was
    /// [added](SessionHandle::add) or switched in the session was code, and is gone: do it again here. Must not block.
    ///
    /// ```
    /// use hermes_server::{Part, Server, SessionHandle};
    ///
    /// fn only_for_ours(session: &SessionHandle) {
    ///     if session.client_info().is_none_or(|client| client.name != "our-own-client") {
    ///         session.disable(Part::Tool("beta"));
    ///     }
    /// }
    ///
    /// let server = Server::new("demo", "0.1.0")
    ///     .tool("beta", |(): (), _| async {})
    ///     .on_session_open(only_for_ours)
    ///     .on_session_restore(only_for_ours);
    /// ```
    pub fn on_session_restore(mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) -> Self {
        self.settings().hooks.on_restore(told);
        self
    }

    /// Keeps the [data](SessionHandle::data) of type `T` with their session, where there is a
    /// [store](crate::store): after a restart they are what they were when the last answer was given. Without a store it
    /// does nothing.
    ///
    /// They are kept as JSON under this name, which has to stay the same over the versions of a server; so has what
    /// `T` can read. What it cannot read begins anew, and is told in the log.
    ///
    /// ```
    /// use std::sync::Mutex;
    /// use hermes_server::{Context, Server};
    ///
    /// #[derive(Default, serde::Serialize, serde::Deserialize)]
    /// struct Cart {
    ///     items: Mutex<Vec<String>>,
    /// }
    ///
    /// #[derive(serde::Deserialize, schemars::JsonSchema)]
    /// struct Item {
    ///     item: String,
    /// }
    ///
    /// async fn add(Item { item }: Item, ctx: Context) -> usize {
    ///     let cart = ctx.session_data::<Cart>();
    ///     let mut items = cart.items.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    ///     items.push(item);
    ///     items.len()
    /// }
    ///
    /// let server = Server::new("shop", "0.1.0").keep_session_data::<Cart>("cart").tool("add_to_cart", add);
    /// ```
    pub fn keep_session_data<T>(mut self, name: impl Into<String>) -> Self
    where
        T: Default + serde::Serialize + serde::de::DeserializeOwned + Send + Sync + 'static,
    {
        self.settings().kept.add::<T>(name.into());
        self
    }

    /// Sets the key that seals what clients carry between two entries of a handler (modern era).
    ///
    /// Without it the key is random, and a client can only go on with the process it began with, or, with a
    /// [store](crate::store), with the next one. Servers that share the work need the same key.
    pub fn state_key(self, key: [u8; 32]) -> Self {
        self.sealed(|keys| {
            keys.current = key;
            keys.is_chosen = true;
        })
    }

    /// Also accepts what was sealed with an older key, so that a key can be changed while clients are under
    /// way. May be called for several.
    pub fn previous_state_key(self, key: [u8; 32]) -> Self {
        self.sealed(|keys| keys.previous.push(key))
    }

    /// Sets how long a client may take from the first question of a call to its last answer (modern era); an
    /// hour without it.
    pub fn state_life(self, life: Duration) -> Self {
        self.sealed(|keys| keys.life = life)
    }

    fn sealed(mut self, change: impl FnOnce(&mut StateKeys)) -> Self {
        let settings = self.settings();
        change(&mut settings.keys);
        self.seal = Arc::new(settings.keys.seal());
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
