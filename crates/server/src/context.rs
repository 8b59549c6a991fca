//! What a handler knows about the call it serves, and how it speaks to the client meanwhile.

use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use hermes_proto::channel::CallId;
use hermes_proto::opening::ModernMeta;
use hermes_types::{
    ClientCapabilities, Encode, Implementation, LoggingLevel, Method, ProgressNotificationParams,
    ProgressToken, RawJson, RequestId, Revision,
};
use http::request::Parts;
use serde::Serialize;
use tokio::time::Instant;

use crate::ask::{AskError, Asked};
use crate::error::ToolError;
use crate::extract::{FromContext, Peer};
use crate::handle::ServerHandle;
use crate::hub::Hub;
use crate::link::{self, Link};
use crate::news::{log_message, notification};
use crate::session::{States, Stop};
use crate::session_handle::SessionHandle;
use crate::settings::Settings;
use crate::view::View;

/// The call that a handler serves: who asks, under which revision, and a way to speak to them.
///
/// A cheap clone; it may be handed to spawned tasks. Once the call has its outcome, or was cancelled, what
/// is sent through it goes nowhere.
///
/// ```
/// use hermes_server::{Context, ToolError};
///
/// async fn count(n: u32, ctx: Context) -> Result<String, ToolError> {
///     for i in 1..=n {
///         ctx.progress(f64::from(i), Some(f64::from(n)), None);
///     }
///     Ok("done".to_owned())
/// }
/// ```
#[derive(Clone)]
pub struct Context(Arc<CallState>);

/// Everything about one running call.
pub(crate) struct CallState {
    pub(crate) call: CallId,
    pub(crate) request_id: RequestId,
    pub(crate) revision: Revision,
    /// `params._meta` as it came.
    pub(crate) meta: Option<RawJson>,
    pub(crate) progress_token: Option<ProgressToken>,
    /// The progress that was reported last.
    pub(crate) progress: Mutex<Option<f64>>,
    /// What a modern request says about its client; a legacy one has that of its session.
    pub(crate) modern: Option<Box<ModernMeta>>,
    /// The values of a modern call; a legacy one has those of its session.
    pub(crate) states: States,
    /// What this call has asked and been answered; the `ask` module owns it.
    pub(crate) asked: Asked,
    /// Tells when the call is over.
    pub(crate) stop: Arc<Stop>,
    /// The way out: notifications and, in the legacy era, requests to the client.
    pub(crate) link: Arc<dyn Link>,
    pub(crate) hub: Arc<Hub>,
    /// The head of the HTTP request that carried the call.
    pub(crate) head: Option<Arc<Parts>>,
}

impl Context {
    pub(crate) fn new(state: CallState) -> Self {
        Self(Arc::new(state))
    }

    /// The revision this call is served under.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision
    }

    /// The id of the request.
    #[must_use]
    pub fn request_id(&self) -> &RequestId {
        &self.0.request_id
    }

    /// The request's `_meta` object as it came, trace context included.
    #[must_use]
    pub fn meta(&self) -> Option<&RawJson> {
        self.0.meta.as_ref()
    }

    /// What the client can do.
    #[must_use]
    pub fn client_capabilities(&self) -> &ClientCapabilities {
        /// What a client can do that has not said so: nothing.
        static NOTHING: LazyLock<ClientCapabilities> = LazyLock::new(ClientCapabilities::default);
        match (&self.0.modern, self.0.link.session()) {
            (Some(modern), _) => &modern.client_capabilities,
            (None, Some(session)) => session.handle.client_capabilities(),
            (None, None) => &NOTHING,
        }
    }

    /// Who the client says it is: for display and logs, never for a decision.
    #[must_use]
    pub fn client_info(&self) -> Option<&Implementation> {
        match &self.0.modern {
            Some(modern) => modern.client_info.as_ref(),
            None => self.0.link.session()?.handle.client_info(),
        }
    }

    /// Whom the client was authenticated as, if something in front of the server did that. On a byte stream it is whom
    /// [`Facts`](crate::Facts) name, and nobody without them.
    #[must_use]
    pub fn principal(&self) -> Option<&str> {
        self.0.link.principal()
    }

    /// The head of the HTTP request that carried the call, if one did: headers, the URI with its query, and the
    /// extensions that layers in front of the server have left.
    ///
    /// A legacy call is carried by one request of its session, its answer perhaps by another. Over a WebSocket, and over
    /// HTTP+SSE, it is the request that opened the connection.
    #[must_use]
    pub fn http(&self) -> Option<&Parts> {
        self.head().map(|head| &**head)
    }

    /// What the client sees now, after a look into where resources come from.
    pub(crate) async fn fresh_view(&self) -> View {
        for look in self.0.hub.sources() {
            look(Arc::clone(&self.0.hub)).await;
        }
        self.0.hub.view(&*self.0.link, self.0.revision.is_modern())
    }

    pub(crate) fn head(&self) -> Option<&Arc<Parts>> {
        self.0.head.as_ref().or_else(|| self.0.link.facts()?.head.as_ref())
    }

    /// The address that the call came from, where that is known; behind a proxy it is the proxy's.
    #[must_use]
    pub fn peer(&self) -> Option<SocketAddr> {
        let of_connection = self.0.link.facts().and_then(|facts| facts.peer);
        of_connection.or_else(|| Some(self.http()?.extensions.get::<Peer>()?.0))
    }

    /// Makes what a handler can ask for by its type: [`FromContext`] has the list.
    ///
    /// ```
    /// use hermes_server::{Context, Log, ToolError};
    ///
    /// async fn handler((): (), ctx: Context) -> Result<(), ToolError> {
    ///     let log: Log = ctx.extract().await?;
    ///     log.info("here we are");
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    /// It is not to be had for this call.
    ///
    /// # Cancel safety
    /// As safe as the type's own [`FromContext::from_context`].
    pub async fn extract<E: FromContext>(&self) -> Result<E, ToolError> {
        E::from_context(self).await
    }

    /// The value of type `T` that the server was given with [`Server::state`](crate::Server::state).
    ///
    /// # Errors
    /// It was given none. The client is told of an internal error.
    pub fn state<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, ToolError> {
        self.settings().shared.value()
    }

    pub(crate) fn settings(&self) -> &Settings {
        self.0.link.settings()
    }

    /// Whether the client wants to hear of progress.
    #[must_use]
    pub fn wants_progress(&self) -> bool {
        self.0.progress_token.is_some()
    }

    /// Reports progress: how much is done, of how much, and what is being done.
    ///
    /// Nothing is sent unless the client asked for it, nor when `done` has not grown since the last report.
    /// Never waits: when the client does not read, the oldest reports are dropped.
    ///
    /// Source: `basic/patterns/progress`, 2026-07-28 (`basic/utilities/progress` before).
    pub fn progress(&self, done: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.0.progress_token else { return };
        let mut last = self.0.progress.lock().unwrap_or_else(PoisonError::into_inner);
        // Also refuses what is not a number.
        if !done.is_finite() || last.is_some_and(|last| done <= last) {
            return;
        }
        *last = Some(done);
        hermes_telemetry::server::progress(done, total);
        let mut params = ProgressNotificationParams::new(token.clone(), done);
        params.total = total.filter(|total| total.is_finite());
        params.message = message.map(str::to_owned);
        // Still under the lock, so that reports of several tasks leave in order.
        self.notify(Method::Progress, &params);
    }

    /// Sends a log message, if the client wants to hear of this level; `data` is any JSON, often a text.
    ///
    /// In the legacy era the session's level decides (`logging/setLevel`; `info` at first), in the modern
    /// one this request's own: without one nothing is sent. Never waits, as [`progress`](Self::progress).
    ///
    /// Never log secrets: the client may show everything to anybody.
    ///
    /// Source: `server/utilities/logging`, 2026-07-28.
    pub fn log<T: Serialize + ?Sized>(&self, level: LoggingLevel, data: &T) {
        self.log_as(level, None, data);
    }

    /// Like [`log`](Self::log), with the name of the part of the server that speaks.
    pub fn log_from<T: Serialize + ?Sized>(&self, logger: &str, level: LoggingLevel, data: &T) {
        self.log_as(level, Some(logger), data);
    }

    pub(crate) fn log_as<T: Serialize + ?Sized>(&self, level: LoggingLevel, logger: Option<&str>, data: &T) {
        if !self.wants_log(&level) {
            return;
        }
        if let Some(text) = log_message(self.0.revision, level, logger, data) {
            self.0.link.note(self.0.call, text);
        }
    }

    /// Whether a log message of this level would be sent.
    #[must_use]
    pub fn wants_log(&self, level: &LoggingLevel) -> bool {
        if !self.0.link.settings().logging {
            return false;
        }
        match &self.0.modern {
            Some(modern) => modern.log_level.as_ref().is_some_and(|least| level >= least),
            None => self.0.link.session().is_some_and(|session| session.wants_log(level)),
        }
    }

    /// Waits until the call is over: cancelled by the client, answered, or given up with the connection.
    ///
    /// A handler need not watch this: it is dropped when its call is cancelled. Tasks that it has spawned
    /// are not, and can.
    ///
    /// # Cancel safety
    /// Safe: dropping the future changes nothing.
    pub async fn cancelled(&self) {
        self.0.stop.stopped().await;
    }

    /// Whether the call is over.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.stop.is_stopped()
    }

    /// Waits until the server begins to shut down; gives how long this call may still take.
    ///
    /// # Cancel safety
    /// Safe: dropping the future changes nothing.
    pub async fn closing(&self) -> Duration {
        let mut closing = self.0.link.closing();
        match closing.wait_for(Option::is_some).await.map(|until| *until) {
            Ok(Some(until)) => until.saturating_duration_since(Instant::now()),
            // The other end lives as long as the link.
            Ok(None) | Err(_) => std::future::pending().await,
        }
    }

    /// The value of type `T` that belongs to the client's session, made by `Default` when first asked for.
    ///
    /// In the modern era there are no sessions: every call begins with a value of its own, and nothing is
    /// left of it afterwards. What has to last there is named by an argument of the call, or kept by
    /// [`principal`](Self::principal).
    #[must_use]
    pub fn session_data<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let session = self.0.link.session().filter(|_| self.0.modern.is_none());
        session.map_or(&self.0.states, |session| &session.states).value()
    }

    /// The session that the call belongs to. There is none in the modern era, nor where a client is served without
    /// sessions.
    #[must_use]
    pub fn session(&self) -> Option<SessionHandle> {
        let session =
            self.0.link.session().filter(|_| self.0.modern.is_none() && self.0.link.is_lasting())?;
        Some(session.handle.clone())
    }

    /// Lets go of the connection that this call is answered on; the client comes back for the rest after `retry`.
    ///
    /// For calls that take so long that holding a connection open for them is a waste. Whether there was a
    /// connection to let go of: only clients of 2025-11-25 over HTTP know how to come back. Nothing is lost: what
    /// is said meanwhile, and the result, wait for the client.
    ///
    /// Source: `basic/transports#sending-messages-to-the-server`, 2025-11-25.
    pub fn hang_up(&self, retry: Duration) -> bool {
        self.0.link.hang_up(self.0.call, retry)
    }

    /// A way to change what the server offers, and to say that something changed.
    #[must_use]
    pub fn server(&self) -> ServerHandle {
        ServerHandle::new(Arc::clone(&self.0.hub))
    }

    /// What this call has asked so far.
    pub(crate) fn asked(&self) -> &Asked {
        &self.0.asked
    }

    /// Sends a request to the client and waits for its answer (legacy era only).
    ///
    /// The caller has checked the capability. The request belongs to this call: when the call ends first,
    /// the client is told that it is cancelled.
    ///
    /// # Errors
    /// The client refused, went away, or did not answer in time.
    pub(crate) async fn request_from_client(
        &self,
        method: Method,
        params: Option<&RawJson>,
        patience: Option<Duration>,
    ) -> Result<RawJson, AskError> {
        link::request(&*self.0.link, self.0.call, method, params, patience).await
    }

    fn notify<P: Encode>(&self, method: Method, params: &P) {
        if let Some(text) = notification(self.0.revision, method, params) {
            self.0.link.note(self.0.call, text);
        }
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("request_id", &self.0.request_id)
            .field("revision", &self.0.revision)
            .finish_non_exhaustive()
    }
}
