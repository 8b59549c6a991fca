//! A server over HTTP, as its author or operator sets it up.

use std::time::Duration;

use hermes_proto::admit::{Legacy, Policy};
use hermes_server::Server;
use hermes_server::endpoint::{Options, SessionEvent, SessionHook, SessionListing};
use hermes_server::store::{Loaded, Store, StoreError};

use crate::service::McpService;

/// How an endpoint is served over HTTP: who may call it, how much they may send, how long things are kept.
///
/// The defaults are for a server on this machine: only pages of its own origin and only the names of this machine
/// are answered, sessions for legacy clients, 4 MiB for a body.
///
/// ```
/// use hermes_http::StreamableHttp;
/// use hermes_server::Server;
///
/// let service = StreamableHttp::new(Server::new("demo", "0.1.0"))
///     .allow_origin("https://app.example")
///     .max_sessions(500)
///     .service();
/// let router: axum::Router = axum::Router::new().route_service("/mcp", service);
/// # let _ = router;
/// ```
#[derive(Clone, Debug)]
#[must_use = "nothing is served before `serve` or `service`"]
pub struct StreamableHttp {
    pub(crate) server: Server,
    pub(crate) options: Options,
    pub(crate) policy: Policy,
    pub(crate) keep_alive: Duration,
    pub(crate) path: String,
    pub(crate) has_metrics: bool,
    pub(crate) has_websockets: bool,
    pub(crate) http_sse: Option<String>,
    pub(crate) max_connections: u32,
}

impl StreamableHttp {
    /// Serves this server.
    pub fn new(server: Server) -> Self {
        Self {
            server,
            options: Options::default(),
            policy: Policy::default(),
            keep_alive: Duration::from_secs(15),
            path: "/mcp".to_owned(),
            has_metrics: false,
            has_websockets: false,
            http_sse: None,
            max_connections: 1000,
        }
    }

    /// Lets pages of this origin call the server, spelt as browsers do: `https://app.example`. May be called
    /// for several.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.policy.origins.push(origin.into());
        self
    }

    /// Names the server is reached by, with or without a port. Needed when it is reached from elsewhere, as
    /// through a proxy that passes the name on; from then on only the names given are answered, and this
    /// machine's own when it listens on those. May be called for several.
    ///
    /// The check keeps pages that make their own name point here from calling the server (DNS rebinding).
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.policy.hosts.push(host.into());
        self
    }

    /// Serves legacy clients without sessions: nothing is remembered between two requests, nothing can be
    /// resumed, and handlers cannot ask anything of such clients.
    pub fn stateless(mut self) -> Self {
        self.options.stateless = true;
        self.policy.legacy = Legacy::Stateless;
        self
    }

    /// Serves 2026-07-28 only; others are told which revision there is.
    pub fn modern_only(mut self) -> Self {
        self.policy.legacy = Legacy::Off;
        self
    }

    /// Sets how many legacy sessions there may be; 10,000 without it. Beyond that, sessions that were never
    /// used make room, and when there are none a new client is told to come back later.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.options.max_sessions = sessions;
        self
    }

    /// Sets how many requests may run at once, over all clients; 10,000 without it. One more is refused with 503.
    pub fn max_running(mut self, requests: usize) -> Self {
        self.options.max_running = requests;
        self
    }

    /// Sets how many connections of one session may read streams at once; 1,000 without it. One more GET is refused
    /// with 503.
    pub fn max_streams(mut self, connections: usize) -> Self {
        self.options.max_streams = connections;
        self
    }

    /// Sets how many WebSockets may be open at once, and how many streams of HTTP+SSE; 1,000 of each without it. One
    /// more is refused with 503.
    ///
    /// ```
    /// use hermes_http::StreamableHttp;
    /// use hermes_server::Server;
    ///
    /// let http = StreamableHttp::new(Server::new("demo", "0.1.0")).websockets().http_sse("/sse").max_connections(50);
    /// ```
    pub fn max_connections(mut self, connections: u32) -> Self {
        self.max_connections = connections;
        self
    }

    /// Has a function told when a session opens and when it ends; it must not block. May be called once.
    pub fn on_session(
        mut self,
        told: impl Fn(SessionEvent, &SessionListing) + Send + Sync + 'static,
    ) -> Self {
        self.options.on_session = SessionHook::new(told);
        self
    }

    /// Sets after how long without a call, a connection or a message a session expires; 30 minutes without it.
    pub fn session_idle(mut self, idle: Duration) -> Self {
        self.options.session_idle = idle;
        self
    }

    /// Sets how long a finished response waits for a legacy client that lost its connection; 5 minutes without it.
    pub fn retention(mut self, retention: Duration) -> Self {
        self.options.patience.retention = retention;
        self
    }

    /// Sets how long a stream waits for a legacy client that lost its connection before questions on it are
    /// failed and notifications are told again elsewhere; 60 s without it.
    pub fn stream_grace(mut self, grace: Duration) -> Self {
        self.options.patience.grace = grace;
        self
    }

    /// Sets the longest body that is read, in bytes; 4 MiB without it. Longer ones are answered with 413.
    pub fn max_body_bytes(mut self, bytes: usize) -> Self {
        self.policy.body_bytes = bytes;
        self
    }

    /// Sets how often a stream on which nothing happens gives a sign of life, and after how long without a word the other
    /// side of a WebSocket is pinged; 15 s without it. It has to be shorter than the read timeout of whatever stands in
    /// front.
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }

    /// Answers every request with a stream of events where the client reads one. Without it, what is ready at once
    /// is one JSON text, which is cheaper, but cannot be resumed.
    pub fn always_stream(mut self) -> Self {
        self.options.always_stream = true;
        self
    }

    /// Keeps legacy sessions in this store, and goes on with those that it has kept: a restart is a cut connection for
    /// their clients, and no more. What modern clients carry between two rounds is read after a restart too.
    ///
    /// ```
    /// use hermes_http::StreamableHttp;
    /// use hermes_server::{Server, store::MemoryStore};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), hermes_server::store::StoreError> {
    /// // A store in memory is for tests; the one in a file is `hermes_store::FileStore`.
    /// let http = StreamableHttp::new(Server::new("demo", "0.1.0")).store(MemoryStore::default()).await?;
    /// # let _ = http;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`StoreError`]: the store cannot be read, or is empty and cannot be written.
    ///
    /// # Cancel safety
    /// Dropping the future stops nothing that has begun; nothing is lost.
    pub async fn store(self, store: impl Store) -> Result<Self, StoreError> {
        let store = Loaded::load(store).await?;
        Ok(Self {
            server: store.lend_key(self.server),
            options: Options { store: Some(store), ..self.options },
            ..self
        })
    }

    /// Sets the path that is served, by [`serve`](Self::serve) only; `/mcp` without it. It is served with and
    /// without a slash at its end.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// Also serves clients that know nothing newer than 2024-11-05 (HTTP+SSE), at this path, such as `/sse`; by
    /// [`serve`](Self::serve) only. See [`McpService::http_sse`] for routers of one's own.
    ///
    /// Each stream is a conversation of its own, which ends with it: nothing is kept for a client that has gone.
    pub fn http_sse(mut self, path: impl Into<String>) -> Self {
        self.http_sse = Some(path.into());
        self
    }

    /// Also serves `/metrics`, by [`serve`](Self::serve) only, to whoever asks: counters, and no names.
    pub fn metrics(mut self) -> Self {
        self.has_metrics = true;
        self
    }

    /// The service, to be mounted in a router or called directly.
    ///
    /// It serves whatever path it is mounted at. Insert a [`Local`](crate::Local) with the address of the connection
    /// into the extensions of the request when it listens elsewhere than on this machine's own addresses, and a
    /// [`Principal`](crate::Principal) when something in front has authenticated the client.
    ///
    /// With a [store](Self::store) it starts a task, so a runtime has to be there.
    ///
    /// Have the sockets send small answers at once, as [`serve`](Self::serve) does; `axum::serve` by itself does not, and
    /// then an answer in events takes 40 ms:
    ///
    /// ```
    /// use axum::serve::ListenerExt as _;
    /// use hermes_http::StreamableHttp;
    /// use hermes_server::Server;
    ///
    /// # async fn served() -> std::io::Result<()> {
    /// let service = StreamableHttp::new(Server::new("demo", "0.1.0")).service();
    /// let router = axum::Router::new().route_service("/mcp", service);
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?.tap_io(|stream| {
    ///     let _ = stream.set_nodelay(true);
    /// });
    /// axum::serve(listener, router).await
    /// # }
    /// ```
    #[must_use]
    pub fn service(self) -> McpService {
        McpService::new(self)
    }
}
