//! How an endpoint treats its clients.

use std::time::Duration;

use hermes_proto::outbox::{Budget, Patience};

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
    /// After how long without a call, a connection or a message a session expires; 30 minutes.
    pub session_idle: Duration,
    /// How long a stream and a finished response wait for a client that is away; 60 s and 5 minutes.
    pub patience: Patience,
    /// How much waits for the client of one session.
    pub budget: Budget,
    /// Answers every request with a stream of events where the client reads one. Off: what is ready at once is one
    /// JSON text.
    pub always_stream: bool,
    /// How long a modern request may take before its answer becomes a stream; 100 ms.
    pub json_grace: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            stateless: false,
            max_sessions: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            patience: Patience { grace: Duration::from_secs(60), retention: Duration::from_secs(5 * 60) },
            budget: Budget::default(),
            always_stream: false,
            json_grace: Duration::from_millis(100),
        }
    }
}
