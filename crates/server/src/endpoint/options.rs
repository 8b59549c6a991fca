//! How an endpoint treats its clients.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use hermes_proto::outbox::{Budget, Patience};

use super::SessionListing;
use crate::store::Loaded;

/// How many sessions there may be, how long things are kept, and when an answer becomes a stream.
///
/// ```
/// use hermes_server::endpoint::Options;
/// use std::time::Duration;
///
/// let options = Options { session_idle: Duration::from_secs(60), ..Options::default() };
/// assert_eq!(options.max_sessions, 10_000);
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// Serves legacy clients without sessions: nothing is remembered between two requests, nothing can be
    /// resumed, and handlers cannot ask. Off.
    pub stateless: bool,
    /// How many legacy sessions there may be; 10,000. Beyond that, those that were never used make room.
    pub max_sessions: usize,
    /// How many requests may run at once, over all sessions; 10,000. One session may have as many as
    /// [`Server::max_in_flight`](crate::Server::max_in_flight) says.
    pub max_running: usize,
    /// How many connections of one session may read streams before a further GET is refused; 1,000. Its calls are
    /// bounded by [`Server::max_in_flight`](crate::Server::max_in_flight).
    pub max_streams: usize,
    /// After how long without a call, a connection or a message a session expires; 30 minutes.
    pub session_idle: Duration,
    /// Is told when a session opens and when it ends.
    pub on_session: SessionHook,
    /// How long a stream and a finished response wait for a client that is away; 60 s and 5 minutes.
    pub patience: Patience,
    /// How much waits for the client of one session.
    pub budget: Budget,
    /// How many bytes wait for the clients of all sessions together before progress and log messages give way;
    /// and new requests are refused; 256 MiB. Results always fit.
    pub max_held_bytes: usize,
    /// How many bytes wait for the client of one session before its new requests are refused; 64 MiB. Results
    /// always fit.
    pub max_session_bytes: usize,
    /// Answers every request with a stream of events where the client reads one. Off: what is ready at once is one
    /// JSON text.
    pub always_stream: bool,
    /// How long a modern request may take before its answer becomes a stream; 100 ms.
    pub json_grace: Duration,
    /// Where legacy sessions are kept, so that they go on after a restart. Nowhere.
    pub store: Option<Loaded>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stateless: false,
            max_sessions: 10_000,
            max_running: 10_000,
            max_streams: 1_000,
            on_session: SessionHook::default(),
            session_idle: Duration::from_secs(30 * 60),
            patience: Patience { grace: Duration::from_secs(60), retention: Duration::from_secs(5 * 60) },
            budget: Budget::default(),
            max_held_bytes: 256 * 1024 * 1024,
            max_session_bytes: 64 * 1024 * 1024,
            always_stream: false,
            json_grace: Duration::from_millis(100),
            store: None,
        }
    }
}

/// What happened to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionEvent {
    /// It had to make room for another before it was used.
    Evicted,
    /// Nothing happened in it for too long.
    Expired,
    /// Its handshake was answered.
    Opened,
    /// The server ends, and the session waits in the store for the next one.
    Resting,
    /// It was kept in the store, and goes on after a restart.
    Restored,
    /// Its client ended it, or the server does not go on.
    Terminated,
}

/// A function that is told what happens to sessions. It must not block: a client waits for it.
///
/// ```
/// use hermes_server::endpoint::{SessionEvent, SessionHook};
///
/// let hook = SessionHook::new(|event, session| {
///     if event == SessionEvent::Expired {
///         println!("{} has gone quiet", session.id);
///     }
/// });
/// # let _ = hook;
/// ```
#[derive(Clone, Default)]
pub struct SessionHook(Option<Arc<Told>>);

type Told = dyn Fn(SessionEvent, &SessionListing) + Send + Sync;

impl SessionHook {
    /// Tells this function.
    pub fn new(told: impl Fn(SessionEvent, &SessionListing) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(told)))
    }

    /// Tells it. The session is described only if somebody listens.
    pub(super) fn tell(&self, event: SessionEvent, session: impl FnOnce() -> SessionListing) {
        let Some(told) = &self.0 else { return };
        let session = session();
        // A client waits for its answer behind this, or all sessions for being looked after.
        if catch_unwind(AssertUnwindSafe(|| told(event, &session))).is_err() {
            tracing::error!(?event, "a session hook panicked");
        }
    }
}

impl fmt::Debug for SessionHook {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "SessionHook" } else { "no SessionHook" })
    }
}
