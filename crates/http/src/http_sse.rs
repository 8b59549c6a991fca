//! HTTP+SSE, the transport of 2024-11-05, for clients that know no other.
//!
//! ```text
//!   GET  /sse                ---> 200, a stream: `endpoint` (where to POST), then every message of the server
//!   POST /sse?sessionId=...  ---> 202; what comes of it is said on the stream
//!                                 400: it is no JSON
//! ```
//!
//! A stream is a conversation of its own, as over stdio, and its end is the end of everything in it: handlers stop, and
//! nothing is kept for a client that has gone. Such a client sees that its stream is over, and so do its later messages:
//! they are answered with 404, with the request's id. Nothing waits for an answer that cannot come.
//!
//! Source: `basic/transports#http-with-sse`, 2024-11-05.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use hermes_proto::admit::{self, Door, Gone, Guest, Policy, Refused};
use hermes_proto::framing::IdScan;
use hermes_proto::framing::sse::{OutgoingEvent, write_comment};
use hermes_server::Server;
use hermes_server::endpoint::Endpoint;
use hermes_types::{Fault, RawJson, RequestId, Revision};
use http::header::EXPECT;
use http::request::Parts;
use http::{Request, Response, StatusCode};
use tokio::io::{AsyncRead, DuplexStream, ReadBuf};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio::task::AbortHandle;
use tokio::time::{Instant, Sleep, timeout};

use crate::body::Body;
use crate::cors;
use crate::head::field;
use crate::service::{
    Principal, answered, broken, drain, empty, event_stream, facts, guest, read, refused, unavailable,
};

/// What is served at the address of the stream.
const METHODS: &str = "GET, POST";

/// How many messages of one client wait to be read by the server.
const WAITING: usize = 16;

/// How long the server may take to read one more.
const TO_READ: Duration = Duration::from_secs(30);

/// How much of the server's messages waits for the connection, in bytes.
const ROOM: usize = 64 * 1024;

/// How long a session id is, in bytes before they are written as digits.
const ID: usize = 16;

/// An endpoint of the transport of 2024-11-05 as a `tower::Service`, for whatever path it is mounted at; see
/// [`StreamableHttp::http_sse`](crate::StreamableHttp::http_sse).
#[derive(Clone, Debug)]
pub struct HttpSse(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    server: Server,
    endpoint: Endpoint,
    policy: Arc<Policy>,
    keep_alive: Duration,
    seats: Mutex<HashMap<String, Seat>>,
    room: Arc<Semaphore>,
}

/// Where the messages of one client go.
#[derive(Clone, Debug)]
struct Seat {
    principal: Option<Arc<str>>,
    messages: mpsc::Sender<Bytes>,
}

impl HttpSse {
    pub(crate) fn new(
        server: Server,
        endpoint: Endpoint,
        policy: Arc<Policy>,
        (keep_alive, most): (Duration, u32),
    ) -> Self {
        let room = Arc::new(Semaphore::new(most as usize));
        Self(Arc::new(Inner { server, endpoint, policy, keep_alive, seats: Mutex::default(), room }))
    }

    /// Answers one request.
    ///
    /// # Cancel safety
    /// A message is taken as a whole or not at all.
    pub async fn answer<B: http_body::Body>(&self, request: Request<B>) -> Response<Body> {
        let (parts, body) = request.into_parts();
        let parts = Arc::new(parts);
        let guest = match guest(&parts, &self.0.policy) {
            Ok(guest) => guest,
            Err(refused) => return answered(None, Err(refused), &self.0.endpoint),
        };
        let admitted = self.admitted(&guest, &parts, body).await;
        answered(Some(&guest), admitted, &self.0.endpoint)
    }

    async fn admitted<B: http_body::Body>(
        &self,
        guest: &Guest<'_>,
        parts: &Arc<Parts>,
        body: B,
    ) -> Result<Response<Body>, Refused> {
        let look = |name: &str| field(parts, name);
        // There is no Accept to speak of in this transport, and it is not asked for.
        let lenient = |name: &str| match name {
            "accept" => admit::Field::Absent,
            _ => look(name),
        };
        let principal = parts.extensions.get::<Principal>().map(|it| Arc::clone(&it.0));
        let door = admit::door(guest, parts.method.as_str(), &lenient, &self.0.policy);
        let door = match door {
            Err(refused) if refused.status == 413 && !parts.headers.contains_key(EXPECT) => {
                drain(pin!(body)).await;
                return Err(refused);
            }
            // What is served here is less than at the endpoint.
            Err(refused) if refused.status == 405 && refused.allow.is_some() => return Err(not_served()),
            door => door?,
        };
        match door {
            Door::Get => self.open(parts, principal),
            Door::Post { .. } => self.take(parts, principal, body).await,
            Door::Preflight => {
                let mut response = empty(StatusCode::NO_CONTENT);
                cors::preflight(&parts.headers, METHODS, response.headers_mut());
                Ok(response)
            }
            Door::Delete => Err(not_served()),
        }
    }

    /// Begins a conversation, and says where the client's messages go.
    fn open(&self, parts: &Arc<Parts>, principal: Option<Arc<str>>) -> Result<Response<Body>, Refused> {
        let later = |why| Ok(unavailable(&refused(why, None), Duration::from_secs(1)));
        if !self.0.endpoint.is_open() {
            return later("the server is shutting down");
        }
        let Ok(place) = Arc::clone(&self.0.room).try_acquire_owned() else {
            return later("as many streams are open as may be");
        };
        let Some(id) = random_id() else { return later("the machine gives no random numbers") };
        let (messages, taken) = mpsc::channel(WAITING);
        let (reader, writer) = tokio::io::duplex(ROOM);
        let endpoint = self.0.endpoint.clone();
        let ending: Pin<Box<dyn Future<Output = ()> + Send>> =
            Box::pin(async move { endpoint.ending().await });
        let messages_in = Messages { taken, unread: Bytes::new(), ending, is_over: false };
        let (server, facts) = (self.0.server.clone(), facts(parts));
        let serving = tokio::spawn(async move {
            if let Err(error) = server.serve_with(facts, messages_in, writer).await {
                tracing::debug!(%error, "a stream of HTTP+SSE broke");
            }
        });
        self.0.seats().insert(id.clone(), Seat { principal, messages });
        let mut first = String::new();
        let place_to_post = format!("{}?sessionId={id}", parts.uri.path());
        let event = OutgoingEvent { name: Some("endpoint"), ..OutgoingEvent::new(&place_to_post) };
        // A path has no line breaks.
        let _ = event.write(&mut first);
        let serving = serving.abort_handle();
        let standing = Standing { inner: Arc::clone(&self.0), id, serving, _place: place };
        let stream = OlderEvents {
            first: Some(first),
            reader,
            line: Vec::new(),
            silence: Box::pin(tokio::time::sleep(self.0.keep_alive)),
            standing,
        };
        Ok(event_stream(Body::older(stream)))
    }

    /// Takes a message of a client.
    async fn take<B: http_body::Body>(
        &self,
        parts: &Parts,
        principal: Option<Arc<str>>,
        body: B,
    ) -> Result<Response<Body>, Refused> {
        let body = read(pin!(body), self.0.policy.body_bytes).await?;
        let id = |body: &[u8]| IdScan::head_of(body).into_request_id();
        let gone = |id: Option<RequestId>| {
            Refused::of(admit::session_expired(Gone::Unknown), Revision::V2024_11_05, id)
        };
        let query = parts.uri.query().unwrap_or_default();
        let named = query.split('&').find_map(|pair| pair.strip_prefix("sessionId="));
        let seat = named.and_then(|named| self.0.seats().get(named).cloned());
        // Somebody else's is none.
        let seat = seat.filter(|seat| seat.principal == principal).ok_or_else(|| gone(id(&body)))?;
        let line = as_line(&body)?;
        match timeout(TO_READ, seat.messages.reserve()).await {
            Ok(Ok(place)) => place.send(line),
            Ok(Err(_)) => return Err(gone(id(&body))),
            Err(_) => {
                let busy = refused("the server does not get to read more of this client", id(&body));
                return Ok(unavailable(&busy, Duration::from_secs(1)));
            }
        }
        Ok(empty(StatusCode::ACCEPTED))
    }
}

impl Inner {
    fn seats(&self) -> MutexGuard<'_, HashMap<String, Seat>> {
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<B> tower_service::Service<Request<B>> for HttpSse
where
    B: http_body::Body + Send + 'static,
    B::Data: Send,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

/// The method is none of this transport.
fn not_served() -> Refused {
    Refused { allow: Some(METHODS), status: 405, ..broken("this address serves GET and POST") }
}

/// A message as one line: between the tokens of JSON a line break is a space.
///
/// # Errors
/// It is no JSON. Whoever sent it is told at once: on the stream it would be an error that belongs to no request.
fn as_line(body: &[u8]) -> Result<Bytes, Refused> {
    let broken = |fault| Refused::of(fault, Revision::V2024_11_05, None);
    let text = std::str::from_utf8(body).map_err(|_| broken(Fault::parse_error("the body is not UTF-8")))?;
    let line = text.replace(['\n', '\r'], " ");
    let message = RawJson::parse(line);
    let message =
        message.map_err(|error| broken(Fault::parse_error(format!("the body is no JSON: {error}"))))?;
    Ok(Bytes::from(format!("{}\n", message.get())))
}

/// An id that nobody guesses.
fn random_id() -> Option<String> {
    let mut bytes = [0; ID];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The messages of a client, as the server reads them, until the endpoint ends.
struct Messages {
    taken: mpsc::Receiver<Bytes>,
    unread: Bytes,
    ending: Pin<Box<dyn Future<Output = ()> + Send>>,
    is_over: bool,
}

impl AsyncRead for Messages {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.unread.is_empty() && !self.is_over {
            self.is_over = self.ending.as_mut().poll(cx).is_ready();
            if !self.is_over {
                match ready!(self.taken.poll_recv(cx)) {
                    Some(message) => self.unread = message,
                    None => self.is_over = true,
                }
            }
        }
        let most = self.unread.len().min(buffer.remaining());
        buffer.put_slice(self.unread.get(..most).unwrap_or_default());
        self.unread.advance(most);
        Poll::Ready(Ok(()))
    }
}

/// A client that is there. Dropping it takes its place away.
#[derive(Debug)]
struct Standing {
    inner: Arc<Inner>,
    id: String,
    serving: AbortHandle,
    _place: OwnedSemaphorePermit,
}

impl Drop for Standing {
    fn drop(&mut self) {
        self.inner.seats().remove(&self.id);
        // Nobody can be answered any more.
        self.serving.abort();
    }
}

/// What the server says, as events, with signs of life.
#[derive(Debug)]
pub(crate) struct OlderEvents {
    first: Option<String>,
    reader: DuplexStream,
    /// The beginning of a line whose end was not read yet.
    line: Vec<u8>,
    silence: Pin<Box<Sleep>>,
    standing: Standing,
}

impl OlderEvents {
    /// What is to be written next; `None` at the end.
    pub(crate) fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let keep_alive = self.standing.inner.keep_alive;
        let mut out = self.first.take().unwrap_or_default();
        let mut chunk = [0; 16 * 1024];
        let is_over = loop {
            if !out.is_empty() {
                break false;
            }
            let mut buffer = ReadBuf::new(&mut chunk);
            match Pin::new(&mut self.reader).poll_read(cx, &mut buffer) {
                Poll::Pending => break false,
                Poll::Ready(Err(_)) => break true,
                Poll::Ready(Ok(())) if buffer.filled().is_empty() => break true,
                Poll::Ready(Ok(())) => self.events(buffer.filled(), &mut out),
            }
        };
        if !out.is_empty() {
            self.silence.as_mut().reset(Instant::now() + keep_alive);
            return Poll::Ready(Some(Bytes::from(out)));
        }
        if is_over {
            return Poll::Ready(None);
        }
        ready!(self.silence.as_mut().poll(cx));
        self.silence.as_mut().reset(Instant::now() + keep_alive);
        // Polled once more, so that the timer is armed again.
        let _ = self.silence.as_mut().poll(cx);
        write_comment(&mut out, "keep-alive");
        Poll::Ready(Some(Bytes::from(out)))
    }

    /// Makes events of the lines that are complete.
    fn events(&mut self, read: &[u8], out: &mut String) {
        let mut pieces = read.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            self.line.extend_from_slice(piece);
            if pieces.peek().is_none() {
                return;
            }
            let line = std::mem::take(&mut self.line);
            // The server writes JSON texts, and those are UTF-8.
            let data = std::str::from_utf8(&line).unwrap_or_default();
            let event = OutgoingEvent { name: Some("message"), ..OutgoingEvent::new(data) };
            // A line has no line breaks.
            let _ = event.write(out);
        }
    }
}
