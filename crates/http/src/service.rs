//! From a request over HTTP to its answer.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf as _, Bytes};
use hermes_proto::admit::{self, Accept, Admission, Arrival, Door, Gone, Guest, Policy, Refused, Standing};
use hermes_proto::framing::{Head, IdScan};
use hermes_proto::outbox::ResumeError;
use hermes_server::endpoint::{AtCapacity, Endpoint, EventStream, Reply, SessionRef, Text};
use hermes_server::{Facts, Server};
use hermes_telemetry::transport::{self, kind};
use hermes_types::{Fault, FaultKind, RequestId, Revision};
use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, EXPECT, HeaderName, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use http::{Request, Response, StatusCode};
use tokio::time::{Sleep, sleep};

use crate::body::Body;
use crate::cors;
use crate::events::Events;
use crate::head::{Fields, field};
use crate::http_sse::HttpSse;
use crate::streamable::StreamableHttp;
use crate::websocket::WebSockets;

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// How long a body may stop coming.
const BODY_STALLED: Duration = Duration::from_secs(30);

/// How long a whole body may take.
const BODY_LATE: Duration = Duration::from_secs(5 * 60);

/// How much of a body that is too long is read all the same, so that its client reads the refusal before the
/// connection is reset, and for how long.
const DRAINED: (usize, Duration) = (64 * 1024 * 1024, Duration::from_secs(5));

/// The server's own address on the connection that a request came on, as an extension of the request.
///
/// Without it the strictest reading holds: only the names of this machine, and those that are allowed, are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Local(pub SocketAddr);

/// Whom a client was authenticated as, as an extension of the request.
///
/// Sessions and sealed states belong to the principal that they began with. Nobody else finds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal(pub Arc<str>);

/// What the request that opens a connection says of all calls on it.
pub(crate) fn facts(head: &Arc<Parts>) -> Facts {
    let facts = Facts::new().with_head(Arc::clone(head));
    match head.extensions.get::<Principal>() {
        Some(principal) => facts.with_principal(Arc::clone(&principal.0)),
        None => facts,
    }
}

/// One endpoint as a `tower::Service`: all five revisions, whatever path it is mounted at.
///
/// A cheap clone; all clones are the same endpoint. It is always ready, never fails, and any body will do.
///
/// ```
/// use hermes_http::StreamableHttp;
/// use hermes_server::Server;
/// use tower::ServiceExt as _;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = StreamableHttp::new(Server::new("demo", "0.1.0")).service();
/// let request = http::Request::post("http://localhost/mcp")
///     .header("content-type", "application/json")
///     .body(http_body_util::Full::<bytes::Bytes>::from(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#))?;
/// let response = service.oneshot(request).await?;
/// assert_eq!(response.status(), 400, "a legacy request needs a session");
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct McpService(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    endpoint: Endpoint,
    policy: Arc<Policy>,
    keep_alive: Duration,
    websockets: Option<WebSockets>,
    server: Server,
    /// How many streams of HTTP+SSE may be open.
    max_connections: u32,
}

impl McpService {
    pub(crate) fn new(http: StreamableHttp) -> Self {
        let websockets = WebSockets::of(&http);
        let StreamableHttp { server, options, policy, keep_alive, max_connections, .. } = http;
        let (endpoint, policy) = (Endpoint::new(server.clone(), options), Arc::new(policy));
        Self(Arc::new(Inner { endpoint, policy, keep_alive, websockets, server, max_connections }))
    }

    /// The same server in the transport of 2024-11-05 (HTTP+SSE), to be mounted beside this one, at a path of its own. It
    /// serves whatever path it is mounted at, if the router leaves the path as it is, and ends with this one's endpoint.
    ///
    /// ```
    /// use hermes_http::StreamableHttp;
    /// use hermes_server::Server;
    ///
    /// let service = StreamableHttp::new(Server::new("demo", "0.1.0")).service();
    /// let router: axum::Router =
    ///     axum::Router::new().route_service("/sse", service.http_sse()).route_service("/mcp", service);
    /// # let _ = router;
    /// ```
    #[must_use]
    pub fn http_sse(&self) -> HttpSse {
        let Inner { endpoint, policy, keep_alive, server, max_connections, .. } = &*self.0;
        HttpSse::new(server.clone(), endpoint.clone(), Arc::clone(policy), (*keep_alive, *max_connections))
    }

    /// Waits until no WebSocket is open. A program that listens itself and has told the [endpoint](Self::endpoint) to shut
    /// down waits for this before it ends, as `StreamableHttp::serve` does.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    pub async fn closed_websockets(&self) {
        if let Some(websockets) = &self.0.websockets {
            websockets.ended().await;
        }
    }

    /// The endpoint: its sessions, its accounts, its end.
    #[must_use]
    pub fn endpoint(&self) -> &Endpoint {
        &self.0.endpoint
    }

    /// Answers one request.
    ///
    /// # Cancel safety
    /// Dropping the future says that the connection is gone: a modern request is cancelled, a legacy one goes on.
    pub async fn answer<B>(&self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body,
    {
        let Ok(response) = self.clone().serve(request).await;
        response
    }

    /// The same, for those who keep the future: of the head, which is large, it holds no more than a pointer.
    pub(crate) fn serve<B>(
        self,
        request: Request<B>,
    ) -> impl Future<Output = Result<Response<Body>, Infallible>> + use<B>
    where
        B: http_body::Body,
    {
        let (mut parts, body) = request.into_parts();
        let upgrade = self.0.websockets.as_ref().and_then(|it| it.wants(&mut parts)).map(Box::new);
        let parts = Arc::new(parts);
        async move {
            let fields = Fields::of(&parts);
            let guest = match admit::guard(&|name| fields.get(name), &self.0.policy, arrival(&parts)) {
                Ok(guest) => guest,
                Err(refused) => return Ok(answered(None, Err(refused), &self.0.endpoint)),
            };
            let admitted = match (upgrade, &self.0.websockets) {
                (Some(upgrade), Some(websockets)) => websockets.open(*upgrade, &parts, &self.0.endpoint),
                _ => self.admitted(&guest, &fields, &parts, pin!(body)).await,
            };
            Ok(answered(Some(&guest), admitted, &self.0.endpoint))
        }
    }

    async fn admitted<'a, B: http_body::Body>(
        &self,
        guest: &Guest<'a>,
        fields: &Fields<'a>,
        parts: &'a Arc<Parts>,
        mut body: Pin<&mut B>,
    ) -> Result<Response<Body>, Refused> {
        let Inner { endpoint, policy, .. } = &*self.0;
        let look = |name: &str| fields.get(name);
        let accept = match admit::door(guest, parts.method.as_str(), &look, policy) {
            Ok(Door::Post { accept }) => accept,
            // No POST is to keep room for what these wait for.
            Ok(Door::Delete) => return Box::pin(self.delete(fields, parts)).await,
            Ok(Door::Get) => return self.get(fields, parts),
            Ok(Door::Preflight) => return Ok(preflight(parts, policy)),
            Err(refused) => {
                if refused.status == 413 && !parts.headers.contains_key(EXPECT) {
                    Box::pin(drain(body)).await;
                }
                return Err(refused);
            }
        };
        let body = read(body.as_mut(), policy.body_bytes).await?;
        transport::received(kind::HTTP, body.len());
        if !endpoint.is_open() {
            match IdScan::head_of(&body) {
                Head::Notification | Head::Response(_) => {}
                head => return Ok(ending(head.into_request_id())),
            }
        }
        let principal = principal(parts);
        // It outlives this future only with the call that it brings, which then needs no copy of it.
        let text = Arc::new(admit::utf8(body)?);
        let admission = admit::body(&text, &look, policy, |id| self.standing(id, principal.as_deref()))?;
        Ok(match self.post((admission, &text), accept, principal, (parts, fields)) {
            Posted::Modern(reply, revision) => self.reply(reply.await, || revision),
            Posted::Session(reply, session) => self.reply(reply.await, || session.revision()),
            Posted::Accepted => empty(StatusCode::ACCEPTED),
            Posted::Other(response) => response.await,
        })
    }

    /// Ends a session.
    async fn delete(&self, fields: &Fields<'_>, parts: &Parts) -> Result<Response<Body>, Refused> {
        let Inner { endpoint, policy, .. } = &*self.0;
        let principal = principal(parts);
        let standing = |id: &str| self.standing(id, principal.as_deref());
        let session = admit::delete(&|name: &str| fields.get(name), policy, standing)?;
        // Somebody else's DELETE may have come first.
        if !endpoint.terminate(&session) {
            return Err(gone(Gone::Terminated));
        }
        // It must not be there again after a restart.
        endpoint.kept(&session).await;
        Ok(empty(StatusCode::OK))
    }

    /// Opens a stream of a session, or goes on with one.
    fn get(&self, fields: &Fields<'_>, parts: &Parts) -> Result<Response<Body>, Refused> {
        let Inner { endpoint, policy, .. } = &*self.0;
        let look = |name: &str| fields.get(name);
        let principal = principal(parts);
        let get = admit::get(&look, policy, |id| self.standing(id, principal.as_deref()))?;
        if !endpoint.is_open() && get.last_event_id.is_none() {
            return Ok(ending(None));
        }
        // Whoever resumes takes over what is there already.
        if get.last_event_id.is_none() && endpoint.is_crowded(&get.session) {
            let refused = refused("as many streams of this session are open as may be", None);
            return Ok(unavailable(&refused, Duration::from_secs(1)));
        }
        let stream = self.listen(&get.session, get.last_event_id)?;
        Ok(self.events(stream))
    }

    /// How a session stands, for whoever asks.
    fn standing(&self, id: &str, principal: Option<&str>) -> Standing<SessionRef> {
        match self.0.endpoint.session(id, principal) {
            Ok(session) => Standing::Live { ready: true, revision: session.revision(), session },
            Err(gone) => Standing::Gone(gone),
        }
    }

    fn listen(&self, session: &SessionRef, last_event_id: Option<&str>) -> Result<EventStream, Refused> {
        let Some(cursor) = last_event_id else {
            return self.0.endpoint.listen(session).ok_or_else(|| gone(Gone::Terminated));
        };
        self.0.endpoint.resume(session, cursor).map_err(|error: ResumeError| {
            Refused::of(Fault::invalid_request(error.to_string()), session.revision(), None)
        })
    }

    /// Serves the message of a POST. What it asks for is begun here, so that waiting for the answer holds nothing of it.
    fn post<'s>(
        &'s self,
        (admission, text): (Admission<'s, SessionRef>, &Arc<String>),
        accept: Accept,
        principal: Option<Arc<str>>,
        (parts, fields): (&Arc<Parts>, &Fields<'_>),
    ) -> Posted<'s, impl Future<Output = Reply> + Send + use<>, impl Future<Output = Reply> + Send + use<>>
    {
        let endpoint = self.0.endpoint.carrying(Arc::clone(parts));
        match admission {
            Admission::Modern { request, revision, meta } => {
                let look = |name: &str| fields.get(name);
                Posted::Modern(
                    endpoint.exchange((request, revision, meta), text, accept, principal, &look),
                    revision,
                )
            }
            Admission::Session { session, body } => {
                Posted::Session(endpoint.deliver(&session, body, accept), session)
            }
            Admission::Notification(_) => Posted::Accepted,
            Admission::Handshake { body, .. } => Posted::Other(Box::pin(async move {
                let opened = endpoint.initialize(body, accept, principal).await;
                self.opened(body, opened)
            })),
            Admission::Stateless { revision, body } => {
                let reply = endpoint.alone(body, revision, accept, principal);
                Posted::Other(Box::pin(async move { self.reply(reply.await, || revision) }))
            }
        }
    }

    /// The answer to a handshake, with the id of its session.
    fn opened(&self, body: &str, opened: Result<(Reply, Option<String>), AtCapacity>) -> Response<Body> {
        match opened {
            Ok((reply, session)) => {
                let mut response = self.reply(reply, || Revision::LATEST_LEGACY);
                let session = session.and_then(|id| HeaderValue::try_from(id).ok());
                session.into_iter().for_each(|id| drop(response.headers_mut().insert(SESSION_ID, id)));
                response
            }
            Err(AtCapacity { retry_after, .. }) => {
                let id = IdScan::head_of(body.as_bytes()).into_request_id();
                unavailable(&refused("as many sessions as allowed are in use", id), retry_after)
            }
        }
    }

    /// The answer of HTTP; which revision it is in is asked only for a fault.
    fn reply(&self, reply: Reply, revision: impl FnOnce() -> Revision) -> Response<Body> {
        match reply {
            Reply::Events(stream) => self.events(stream),
            Reply::Json { text, rest, fault } => {
                let status = fault.map_or(200, |fault| fault.http_status(revision()));
                let text = match text {
                    Text::Once(text) => Bytes::from(text),
                    kept => Bytes::from_owner(kept),
                };
                // What many are sent is not copied for each of them.
                let parts = [Some(text), rest.map(Bytes::from_owner)];
                let body = Body::response(parts, self.0.endpoint.clone());
                transport::sent(kind::HTTP, body.size());
                let mut response = json(StatusCode::from_u16(status).unwrap_or(StatusCode::OK), body);
                if fault == Some(FaultKind::Overloaded) {
                    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
                }
                response
            }
            // A request that was cancelled: it is no notification, so it is not "accepted" either.
            Reply::Cancelled => empty(StatusCode::NO_CONTENT),
            _ => empty(StatusCode::ACCEPTED),
        }
    }

    fn events(&self, stream: EventStream) -> Response<Body> {
        event_stream(Body::events(Events::new(stream, self.0.keep_alive)))
    }
}

/// A message that was posted, and whatever gives its answer.
enum Posted<'s, M, L> {
    /// A notification that belongs to no session.
    Accepted,
    Modern(M, Revision),
    Session(L, SessionRef),
    /// What comes seldom: it is large, and no other is to have room for it.
    Other(Pin<Box<dyn Future<Output = Response<Body>> + Send + 's>>),
}

/// Who asks, if they may: decided before anything else, on every transport.
///
/// # Errors
/// They may not.
pub(crate) fn guest<'a>(parts: &'a Parts, policy: &Policy) -> Result<Guest<'a>, Refused> {
    admit::guard(&|name: &str| field(parts, name), policy, arrival(parts))
}

/// Whom the client was authenticated as.
fn principal(parts: &Parts) -> Option<Arc<str>> {
    parts.extensions.get::<Principal>().map(|it| Arc::clone(&it.0))
}

/// While a server ends, what helps running calls to their end is served: answers, cancellations, resumes. Nothing else.
fn ending(id: Option<RequestId>) -> Response<Body> {
    unavailable(&refused("the server is shutting down", id), Duration::from_secs(5))
}

fn arrival(parts: &Parts) -> Arrival {
    Arrival { local: parts.extensions.get::<Local>().map(|local| local.0) }
}

/// What is answered in the end: a refusal counts, and a page of an allowed origin may read either.
pub(crate) fn answered(
    guest: Option<&Guest<'_>>,
    admitted: Result<Response<Body>, Refused>,
    endpoint: &Endpoint,
) -> Response<Body> {
    let mut response = admitted.unwrap_or_else(|refused| {
        endpoint.count_refused();
        refuse(&refused)
    });
    cors::allow(guest.and_then(Guest::origin), response.headers_mut());
    response
}

/// An answer whose body is a stream of events.
pub(crate) fn event_stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    for (name, value) in [
        (CONTENT_TYPE, "text/event-stream"),
        // A proxy that keeps events, or gathers them, holds results back.
        (CACHE_CONTROL, "no-cache"),
        (BUFFERING, "no"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

impl<B> tower_service::Service<Request<B>> for McpService
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
        Box::pin(self.clone().serve(request))
    }
}

/// Reads a body up to its limit, in the time that it may take.
pub(crate) async fn read<B: http_body::Body>(
    mut body: Pin<&mut B>,
    limit: usize,
) -> Result<Vec<u8>, Refused> {
    let said = body.size_hint().exact().map_or(0, |size| usize::try_from(size).unwrap_or(limit).min(limit));
    let mut gathered = Vec::new();
    let mut late = Patience::new(BODY_LATE);
    loop {
        let (mut stalled, mut asked) = (Patience::new(BODY_STALLED), false);
        let frame = poll_fn(|cx| {
            let late_by = |message| Poll::Ready(Err(Refused { status: 408, ..broken(message) }));
            match body.as_mut().poll_frame(cx) {
                Poll::Ready(frame) => Poll::Ready(Ok(frame)),
                // Most bodies have come with their heads, and are handed over when they are asked for: no timer yet.
                Poll::Pending if !std::mem::replace(&mut asked, true) => {
                    cx.waker().wake_by_ref();
                    Poll::Pending
                }
                Poll::Pending if late.is_over(cx) => late_by("the body took too long to come"),
                Poll::Pending if stalled.is_over(cx) => late_by("the body stopped coming"),
                Poll::Pending => Poll::Pending,
            }
        });
        let frame = match frame.await? {
            None => break,
            Some(Err(_)) => return Err(broken("the body broke off")),
            Some(Ok(frame)) => frame,
        };
        let Ok(mut data) = frame.into_data() else { continue };
        if gathered.len() + data.remaining() > limit {
            Box::pin(drain(body)).await;
            return Err(Refused::too_large(limit));
        }
        // Most bodies come in one piece. What a longer one says of its length saves it from being copied each time that it
        // has outgrown its place; the first piece is believed nothing but itself.
        let room = if gathered.is_empty() { data.remaining() } else { said.saturating_sub(gathered.len()) };
        gathered.reserve_exact(room);
        while data.has_remaining() {
            let chunk = data.chunk();
            gathered.extend_from_slice(chunk);
            let read = chunk.len();
            data.advance(read);
        }
    }
    Ok(gathered)
}

/// How long something may be waited for, counted from when waiting begins.
struct Patience {
    most: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Patience {
    const fn new(most: Duration) -> Self {
        Self { most, timer: None }
    }

    /// Whether it is over; whoever asks is woken when it is.
    fn is_over(&mut self, cx: &mut Context<'_>) -> bool {
        let most = self.most;
        self.timer.get_or_insert_with(|| Box::pin(sleep(most))).as_mut().poll(cx).is_ready()
    }
}

/// Reads on what nobody wants, within bounds: a client that is still sending does not see an answer whose
/// connection is closed under it.
pub(crate) async fn drain<B: http_body::Body>(mut body: Pin<&mut B>) {
    let (most, patience) = DRAINED;
    let reading = async {
        let mut read = 0;
        while read < most {
            match poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
                Some(Ok(frame)) => read += frame.into_data().map_or(0, |data| data.remaining()),
                Some(Err(_)) | None => return,
            }
        }
    };
    // What is left then is cut off.
    let _ = tokio::time::timeout(patience, reading).await;
}

pub(crate) fn broken(message: &'static str) -> Refused {
    Refused::of(Fault::invalid_request(message), Revision::LATEST_LEGACY, None)
}

fn gone(why: Gone) -> Refused {
    Refused::of(admit::session_expired(why), Revision::LATEST_LEGACY, None)
}

pub(crate) fn refused(message: &'static str, id: Option<RequestId>) -> Refused {
    Refused::of(Fault::new(FaultKind::Overloaded, message), Revision::LATEST_LEGACY, id)
}

pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn json(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

pub(crate) fn refuse(refused: &Refused) -> Response<Body> {
    // Its words may repeat what a header said.
    tracing::debug!(status = refused.status, fault = refused.fault.kind().as_str(), "refused");
    let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut response = json(status, Body::text(refused.body()));
    if let Some(allow) = refused.allow {
        response.headers_mut().insert(ALLOW, HeaderValue::from_static(allow));
    }
    response
}

/// Refuses for now, and says when to try again.
pub(crate) fn unavailable(refused: &Refused, retry_after: Duration) -> Response<Body> {
    let mut response = refuse(refused);
    response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(retry_after.as_secs().max(1)));
    response
}

fn preflight(parts: &Parts, policy: &Policy) -> Response<Body> {
    let mut response = empty(StatusCode::NO_CONTENT);
    cors::preflight(&parts.headers, policy.allow(), response.headers_mut());
    response
}
