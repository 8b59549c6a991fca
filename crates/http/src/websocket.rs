//! WebSockets beside Streamable HTTP, at the same address.
//!
//! ```text
//!   GET, Upgrade: websocket --- guard (Host, Origin) ---> 101 ---> lines ---> Server::serve, as over stdio
//!                                     |
//!                                     +--> 403, 400, 426, 503
//! ```
//!
//! A custom transport in the sense of the specification: the messages of stdio, one in each text frame, both eras.
//! Browsers send their origin with the handshake, and it is held against the same list as for everything else.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use hermes_proto::admit::Refused;
use hermes_server::endpoint::Endpoint;
use hermes_server::{Facts, Server};
use hermes_websocket::tungstenite::WebSocketStream;
use hermes_websocket::tungstenite::tungstenite::handshake::derive_accept_key;
use hermes_websocket::tungstenite::tungstenite::protocol::Role;
use hermes_websocket::{Lines, Manners, SUBPROTOCOL, Watched, lines};
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, ReadBuf, ReadHalf, split};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::body::Body;
use crate::service::{broken, empty, facts, unavailable};
use crate::streamable::StreamableHttp;

/// How long whoever was pinged may take to answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// The version of the WebSocket protocol.
const VERSION: HeaderValue = HeaderValue::from_static("13");

impl StreamableHttp {
    /// Also takes WebSockets, at the same address: `ws://…/mcp`. Each is a conversation of its own, as over stdio; its
    /// end is the end of its session. Messages are as long as bodies may be. A client of which nothing is heard for as
    /// long as [`keep_alive`](Self::keep_alive) says is pinged; without an answer within 30 s it is gone, and so is one
    /// that reads nothing for as long.
    ///
    /// Handlers are given the head of the request that opened it, the address it came from, and its principal.
    ///
    /// ```
    /// use hermes_http::StreamableHttp;
    /// use hermes_server::Server;
    ///
    /// let http = StreamableHttp::new(Server::new("demo", "0.1.0")).websockets();
    /// ```
    pub fn websockets(mut self) -> Self {
        self.has_websockets = true;
        self
    }
}

/// What turns a connection into a WebSocket; `None` when nothing can.
pub(crate) struct Upgrade(Option<OnUpgrade>);

/// The WebSockets of one endpoint.
#[derive(Debug)]
pub(crate) struct WebSockets {
    server: Server,
    manners: Manners,
    /// How many may be open.
    most: u32,
    room: Arc<Semaphore>,
}

impl WebSockets {
    /// `None`: they are not wanted.
    pub(crate) fn of(http: &StreamableHttp) -> Option<Self> {
        let manners = Manners::new(http.policy.body_bytes).ping(http.keep_alive, PATIENCE).of_server();
        let room = Arc::new(Semaphore::new(http.max_connections as usize));
        let most = http.max_connections;
        http.has_websockets.then(|| Self { server: http.server.clone(), manners, most, room })
    }

    /// What a request for a WebSocket is opened with; `None`: it is no such request.
    pub(crate) fn wants(&self, parts: &mut Parts) -> Option<Upgrade> {
        let wants = parts.method == Method::GET && has_token(&parts.headers, &UPGRADE, "websocket");
        wants.then(|| Upgrade(parts.extensions.remove::<OnUpgrade>()))
    }

    /// Answers a request for a WebSocket, from a caller that may ask for one.
    ///
    /// # Errors
    /// The handshake is none.
    pub(crate) fn open(
        &self,
        upgrade: Upgrade,
        parts: &Arc<Parts>,
        endpoint: &Endpoint,
    ) -> Result<Response<Body>, Refused> {
        let refused = broken;
        if !has_token(&parts.headers, &CONNECTION, "upgrade") {
            return Err(refused("a WebSocket needs the header Connection: Upgrade"));
        }
        if parts.headers.get(SEC_WEBSOCKET_VERSION) != Some(&VERSION) {
            let mut response = empty(StatusCode::UPGRADE_REQUIRED);
            response.headers_mut().insert(SEC_WEBSOCKET_VERSION, VERSION);
            return Ok(response);
        }
        let key = parts.headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24);
        let key = key.ok_or_else(|| refused("the header Sec-WebSocket-Key is missing, or is no key"))?;
        let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes()))
            .map_err(|_| refused("the header Sec-WebSocket-Key is no key"))?;
        let offers = parts.headers.contains_key(SEC_WEBSOCKET_PROTOCOL);
        if offers && !has_token(&parts.headers, &SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL) {
            return Err(refused("none of the sub-protocols on offer is served: it is called mcp"));
        }
        let later = |why| Ok(unavailable(&crate::service::refused(why, None), Duration::from_secs(1)));
        if !endpoint.is_open() {
            return later("the server is shutting down");
        }
        let Ok(place) = Arc::clone(&self.room).try_acquire_owned() else {
            return later("as many WebSockets are open as may be");
        };
        let upgrade = upgrade.0.ok_or_else(|| refused("this connection cannot become a WebSocket"))?;
        let facts = facts(parts);
        tokio::spawn(serve((self.server.clone(), facts), self.manners, upgrade, endpoint.clone(), place));
        let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
        if offers {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
        }
        Ok(response)
    }

    /// Waits until none is open any more.
    pub(crate) async fn ended(&self) {
        // The semaphore is never closed.
        drop(self.room.acquire_many(self.most).await);
    }
}

/// Serves one WebSocket, from the moment in which it is one.
async fn serve(
    (server, facts): (Server, Facts),
    manners: Manners,
    upgrade: OnUpgrade,
    endpoint: Endpoint,
    place: OwnedSemaphorePermit,
) {
    let upgraded: Upgraded = match upgrade.await {
        Ok(upgraded) => upgraded,
        Err(error) => return tracing::debug!(%error, "a connection did not become a WebSocket"),
    };
    let stream = Watched::new(TokioIo::new(upgraded));
    let socket = WebSocketStream::from_raw_socket(stream, Role::Server, Some(manners.config()));
    let (lines, running) = lines(socket.await, manners);
    let (reader, writer) = split(lines);
    let ending = Box::pin(async move { endpoint.ending().await });
    let served = async {
        if let Err(error) = server.serve_with(facts, Until { reader, ending, is_over: false }, writer).await {
            tracing::debug!(%error, "a WebSocket broke");
        }
    };
    let (ended, ()) = tokio::join!(running, served);
    tracing::debug!(%ended, "a WebSocket has ended");
    drop(place);
}

/// Reads until the endpoint ends: what was accepted by then is still answered.
struct Until<E> {
    reader: ReadHalf<Lines>,
    ending: E,
    is_over: bool,
}

impl<E: Future<Output = ()> + Unpin> AsyncRead for Until<E> {
    fn poll_read(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        self.is_over = self.is_over || std::pin::Pin::new(&mut self.ending).poll(cx).is_ready();
        if self.is_over {
            return Poll::Ready(Ok(()));
        }
        std::pin::Pin::new(&mut self.reader).poll_read(cx, buffer)
    }
}

/// Whether a list of words has this one in it.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|word| word.trim().eq_ignore_ascii_case(token))
}
