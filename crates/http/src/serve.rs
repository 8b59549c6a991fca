//! Listening on an address, and nothing else needed.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hermes_server::{Flaws, Peer, ServerError};
use hermes_telemetry::transport::{self, Connected, Listening, kind};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream, ToSocketAddrs};

use crate::arrival::Arriving;
use crate::body::Body;
use crate::head_timer::HeadTimer;
use crate::http_sse::HttpSse;
use crate::metrics;
use crate::service::{Local, McpService};
use crate::streamable::StreamableHttp;

/// How long a client may take for the head of a request.
const HEAD_STALLED: Duration = Duration::from_secs(30);

/// How much head is read, in bytes. Longer ones are answered with 431.
const HEAD_BYTES: usize = 64 * 1024;

/// How long a client's system may leave what was sent to it unconfirmed before its connection is taken for dead.
#[cfg(target_os = "linux")]
const UNCONFIRMED: Duration = Duration::from_secs(120);

/// How long the last answers may take to be written when the server ends.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// How long accepting pauses when the machine has nothing left to accept with.
const A_MOMENT: Duration = Duration::from_millis(50);

/// Where the sign of life is given.
const HEALTH: &str = "/health";
/// Where the accounts are shown.
const METRICS: &str = "/metrics";

/// Why a server cannot listen.
#[derive(Debug)]
pub struct ServeError {
    address: String,
    source: Cause,
}

/// What is in the way.
#[derive(Debug, thiserror::Error)]
enum Cause {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(
        "{first} and {second} have the same path {path}: give one of them another, with `path` or `http_sse`"
    )]
    Paths { first: &'static str, second: &'static str, path: String },
    #[error(transparent)]
    Flaws(#[from] Flaws),
}

impl ServeError {
    /// Whether another program listens there.
    #[must_use]
    pub fn is_taken(&self) -> bool {
        matches!(&self.source, Cause::Io(error) if error.kind() == io::ErrorKind::AddrInUse)
    }
}

impl std::fmt::Display for ServeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cannot listen on {}", self.address)
    }
}

impl std::error::Error for ServeError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.source)
    }
}

/// For a `main` that returns `hermes::Result`.
impl From<ServeError> for ServerError {
    fn from(error: ServeError) -> Self {
        Self::Listen(Box::new(error))
    }
}

/// A server that has its address, and does not answer yet.
#[derive(Debug)]
#[must_use = "it answers only when `serve` is awaited"]
pub struct Bound {
    listener: TcpListener,
    address: SocketAddr,
    front: Front,
}

/// What stands at which path.
#[derive(Debug)]
struct Front {
    service: McpService,
    path: Arc<str>,
    has_metrics: bool,
    http_sse: Option<(Arc<str>, HttpSse)>,
}

impl StreamableHttp {
    /// Listens on an address and serves until the process ends or the future is dropped; see [`Bound::serve`] for an
    /// orderly end.
    ///
    /// Plain HTTP/1.1, and HTTP/2 for clients that begin with it. TLS belongs to what stands in front.
    ///
    /// # Errors
    /// [`ServeError`]: the address cannot be had.
    ///
    /// # Cancel safety
    /// Dropping the future cuts all connections.
    pub async fn serve(self, address: impl ToSocketAddrs + std::fmt::Debug) -> Result<(), ServeError> {
        self.bind(address).await?.serve(std::future::pending()).await;
        Ok(())
    }

    /// Takes an address; port 0 takes any that is free.
    ///
    /// # Errors
    /// [`ServeError`]: the address cannot be had, two of what is served have one path, or the server has
    /// [flaws](hermes_server::Server::check).
    ///
    /// # Cancel safety
    /// Safe: dropping the future gives the address back.
    pub async fn bind(self, address: impl ToSocketAddrs + std::fmt::Debug) -> Result<Bound, ServeError> {
        let shown = format!("{address:?}");
        let bound = async {
            self.server.check()?;
            self.tell_paths_apart()?;
            let listener = TcpListener::bind(address).await?;
            let address = listener.local_addr()?;
            Ok::<_, Cause>((listener, address))
        };
        let (listener, address) =
            bound.await.map_err(|source| ServeError { address: shown.replace('"', ""), source })?;
        let path = Arc::from(absolute(&self.path));
        let has_metrics = self.has_metrics;
        let older = self.http_sse.as_deref().map(|path| Arc::from(absolute(path)));
        let service = self.service();
        let http_sse = older.map(|path| (path, service.http_sse()));
        Ok(Bound { listener, address, front: Front { service, path, has_metrics, http_sse } })
    }

    /// # Errors
    /// Two of what is served have one path: nobody could reach the second.
    fn tell_paths_apart(&self) -> Result<(), Cause> {
        let all = [
            Some(("the endpoint", absolute(&self.path))),
            self.http_sse.as_deref().map(|path| ("HTTP+SSE", absolute(path))),
            self.has_metrics.then(|| ("what counts", METRICS.to_owned())),
            Some(("the sign of life", HEALTH.to_owned())),
        ];
        let all: Vec<(&'static str, String)> = all.into_iter().flatten().collect();
        for (at, (second, path)) in all.iter().enumerate() {
            if let Some((first, _)) = all.iter().take(at).find(|(_, taken)| taken == path) {
                return Err(Cause::Paths { first, second, path: path.clone() });
            }
        }
        Ok(())
    }
}

/// A path with one slash before it, and none behind it.
fn absolute(path: &str) -> String {
    format!("/{}", path.trim_matches('/'))
}

impl Bound {
    /// The address, with the port that was taken.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients find the endpoint.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.front.path)
    }

    /// The service: its endpoint has the sessions and the accounts.
    #[must_use]
    pub const fn service(&self) -> &McpService {
        &self.front.service
    }

    /// Serves until `end` is ready; then takes no new connections, lets what runs come to its end within the
    /// server's grace time, refuses the rest, and ends every stream with its outcome.
    ///
    /// # Cancel safety
    /// Dropping the future cuts all connections.
    pub async fn serve(self, end: impl Future<Output = ()>) {
        let Self { listener, address, front } = self;
        // One for all connections.
        let front = Arc::new(front);
        let listening = Listening::begin(kind::HTTP, Some(address));
        let mut end = std::pin::pin!(end);
        let connections = GracefulShutdown::new();
        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder.http1().header_read_timeout(HEAD_STALLED).max_buf_size(HEAD_BYTES);
        let http2 = &mut builder.http2();
        http2.timer(TokioTimer::new()).max_header_list_size(HEAD_BYTES as u32);
        http2.keep_alive_interval(HEAD_STALLED).keep_alive_timeout(HEAD_STALLED);
        loop {
            let (stream, remote) = tokio::select! {
                biased;
                () = &mut end => break,
                accepted = listener.accept() => match accepted {
                    Ok(accepted) => accepted,
                    Err(error) => {
                        transport::failed(kind::HTTP, "not_accepted");
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(A_MOMENT).await;
                        continue;
                    }
                },
            };
            let front = Arc::clone(&front);
            let local = Local(readied(&stream, address));
            // What tells the versions of HTTP apart has no time limit of its own.
            let (stream, has_arrived) = Arriving::new(stream, HEAD_STALLED);
            let service = service_fn(move |mut request: Request<Incoming>| {
                has_arrived.store(true, Ordering::Relaxed);
                request.extensions_mut().insert(local);
                request.extensions_mut().insert(Peer(remote));
                front.answer(request)
            });
            let mut builder = builder.clone();
            builder.http1().timer(HeadTimer::default());
            let connection =
                builder.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned();
            let connection = connections.watch(connection);
            tokio::spawn(async move {
                let _connected = Connected::begin(kind::HTTP);
                if let Err(error) = connection.await {
                    transport::failed(kind::HTTP, "ended_early");
                    tracing::debug!(%error, "a connection ended early");
                }
            });
        }
        drop((listener, listening));
        front.service.endpoint().shut_down().await;
        let closed = async { tokio::join!(connections.shutdown(), front.service.closed_websockets()) };
        if tokio::time::timeout(LAST_WORDS, closed).await.is_err() {
            tracing::warn!("some clients do not read: their last messages are lost");
        }
    }
}

/// Readies a connection. Gives the server's own address on it, which tells how it was reached.
fn readied(stream: &TcpStream, listening: SocketAddr) -> SocketAddr {
    // Small answers must leave at once.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "small answers may be late");
    }
    // The signs of life on a silent stream find out that its client is gone; without a bound the system goes on
    // trying to deliver them for a quarter of an hour.
    #[cfg(target_os = "linux")]
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_user_timeout(Some(UNCONFIRMED)) {
        tracing::debug!(%error, "dead connections are found out late");
    }
    stream.local_addr().unwrap_or(listening)
}

/// An answer on its way. A connection keeps room for it as long as it lives, and most live long and are silent.
type Answering = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

impl Front {
    fn answer(&self, request: Request<Incoming>) -> Answering {
        let path = request.uri().path();
        if path == &*self.path || path.strip_suffix('/') == Some(&*self.path) {
            return Box::pin(self.service.clone().serve(request));
        }
        match &self.http_sse {
            Some((older, http_sse)) if path == &**older => {
                let http_sse = http_sse.clone();
                Box::pin(async move { Ok(http_sse.answer(request).await) })
            }
            _ => Box::pin(ready(Ok(self.beside(request.method(), path)))),
        }
    }

    /// What is said at all other paths.
    fn beside(&self, method: &Method, path: &str) -> Response<Body> {
        let is_read = matches!(*method, Method::GET | Method::HEAD);
        let endpoint = self.service.endpoint();
        match path {
            HEALTH if is_read => text(StatusCode::OK, "text/plain", "ok\n".to_owned()),
            "/ready" if is_read && endpoint.is_ready() => {
                text(StatusCode::OK, "text/plain", "ready\n".to_owned())
            }
            "/ready" if is_read => {
                let why =
                    if endpoint.is_open() { "the store cannot be written\n" } else { "shutting down\n" };
                text(StatusCode::SERVICE_UNAVAILABLE, "text/plain", why.to_owned())
            }
            METRICS if is_read && self.has_metrics => {
                let text_of_all = metrics::text(&endpoint.metrics(), endpoint.server().timings());
                text(StatusCode::OK, metrics::MEDIA_TYPE, text_of_all)
            }
            _ => {
                let hint = format!("nothing is served here; the endpoint is {}\n", self.path);
                text(StatusCode::NOT_FOUND, "text/plain", hint)
            }
        }
    }
}

fn text(status: StatusCode, media_type: &'static str, text: String) -> Response<Body> {
    let mut response = Response::new(Body::text(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
