//! Bringing a server back.
//!
//! ```text
//!             lost                    the pause is over
//!   Ready ------------> Reopening --------------------------> (opening)
//!     ^                   ^   |                                 |   |
//!     |                   |   | closed by the host              |   |
//!     |                   |   +-----------> Ended               |   |
//!     |                   +-------------------------------------+   |
//!     |                     failed: a longer pause;                 |
//!     |                     failed too often: GaveUp                |
//!     +-------------------------------------------------------------+
//!                  agreed; told what the last one knew
//! ```
//!
//! Over Streamable HTTP nothing is lost with a connection: every exchange has its own, and sessions heal by themselves. What is
//! watched there is whether the server still speaks what it spoke; see [`Inner::renew`].

use std::sync::{Arc, Weak};
use std::time::Duration;

use hermes_types::{Era, code};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::backoff::Backoff;
use crate::client::{Inner, State};
use crate::connection::Shared;
use crate::error::{ClientError, CloseReason, Closed};
use crate::event::Event;
use crate::line::Line;
use crate::open;

/// How often a server is asked anew what it speaks, at most, because of answers that may mean something else.
const RENEWAL: Duration = Duration::from_secs(30);

/// Whether, and how, a server is brought back after its connection is lost: a child that has exited is started again, a
/// stream is opened again.
///
/// Calls that were under way fail at once, with the reason; those that come meanwhile wait, as long as their own limit
/// allows. A client over Streamable HTTP needs none of this: it has a connection for every exchange.
///
/// ```
/// use std::time::Duration;
/// use hermes_client::{Client, Restart};
///
/// let patient = Client::builder().restart(Restart::default().attempts(100).longest_pause(Duration::from_secs(60)));
/// let once = Client::builder().restart(Restart::never());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Restart {
    attempts: u32,
    first: Duration,
    longest: Duration,
    steady: Duration,
}

impl Default for Restart {
    /// Ten attempts in a row, after pauses that double from 100 ms to 30 s.
    fn default() -> Self {
        Self {
            attempts: 10,
            first: Duration::from_millis(100),
            longest: Duration::from_secs(30),
            steady: Duration::from_secs(10),
        }
    }
}

impl Restart {
    /// A server that has gone stays gone: every later call fails with the reason.
    pub const fn never() -> Self {
        let none = Duration::ZERO;
        Self { attempts: 0, first: none, longest: none, steady: none }
    }

    /// How many attempts in a row may fail before it is given up. A server that [stays](Self::steady) ends the row.
    pub const fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = attempts;
        self
    }

    /// The pause before the first attempt. It doubles with every one that fails.
    pub const fn first_pause(mut self, pause: Duration) -> Self {
        self.first = pause;
        self
    }

    /// The longest pause. Chance adds up to an eighth of it.
    pub const fn longest_pause(mut self, pause: Duration) -> Self {
        self.longest = pause;
        self
    }

    /// For how long a server has to stay to count as brought back; 10 s without it. One that is lost sooner goes on with
    /// the row of attempts that it was brought back in.
    pub const fn steady(mut self, time: Duration) -> Self {
        self.steady = time;
        self
    }

    pub(crate) const fn is_never(&self) -> bool {
        self.attempts == 0
    }
}

/// Watches over a connection until it is lost, and sees to another one. Ends with the client.
pub(crate) async fn supervise(
    client: Weak<Inner>,
    mut lost: watch::Receiver<Option<Arc<Closed>>>,
    mut failed: u32,
) {
    let born = Instant::now();
    let closed = match lost.wait_for(Option::is_some).await {
        Ok(closed) => closed.clone(),
        // Its owner has gone without a word: so has the client.
        Err(_) => return,
    };
    let (Some(closed), Some(inner)) = (closed, client.upgrade()) else { return };
    if matches!(closed.reason, CloseReason::Local) {
        return;
    }
    let policy = inner.config.restart;
    if !inner.is_supervised() {
        return inner.end(State::Ended(inner.current(), closed));
    }
    let (config, way, lasting) =
        (Arc::clone(&inner.config), Arc::clone(&inner.way), Arc::clone(&inner.lasting));
    let mut state = inner.watch();
    lasting.tell(Event::Lost(Arc::clone(&closed)));
    if born.elapsed() >= policy.steady {
        failed = 0;
    }
    let mut reason = Arc::new(ClientError::Closed(closed));
    let mut pauses = Backoff::new(policy.first, policy.longest);
    (0..failed).for_each(|_| {
        let _ = pauses.next(None);
    });
    let last = inner.current();
    drop(inner);
    let ended = async move {
        // An error says that the client is gone.
        let _ = state.wait_for(State::is_over).await;
    };
    tokio::pin!(ended);
    loop {
        let Some(inner) = client.upgrade() else { return };
        if failed >= policy.attempts || is_hopeless(&reason) {
            return inner.end(State::GaveUp(last, reason));
        }
        failed += 1;
        let after = pauses.next(None);
        lasting.tell(Event::Retrying { attempt: failed, after, reason: Arc::clone(&reason) });
        inner.reopening(Arc::clone(&last), failed, Arc::clone(&reason));
        drop(inner);
        let attempt = async {
            sleep(after).await;
            let line = open::open(&config, &*way, &lasting).await?;
            line.shared().restore().await;
            Ok(line)
        };
        let opened = tokio::select! {
            biased;
            () = &mut ended => return,
            opened = attempt => opened,
        };
        match opened {
            Ok(line) => {
                let Some(inner) = client.upgrade() else { return };
                let revision = line.peer.revision;
                inner.install(line, failed);
                lasting.gap();
                return lasting.tell(Event::Reopened(revision));
            }
            Err(error) => reason = Arc::new(error),
        }
    }
}

/// Whether another attempt would only do harm.
const fn is_hopeless(reason: &ClientError) -> bool {
    matches!(
        reason,
        ClientError::Unauthorized { .. } | ClientError::Redirect { .. } | ClientError::Address { .. }
    )
}

impl Inner {
    /// Asks a server anew what it speaks, after an answer that says that it is not what it was. All who find that at the
    /// same time share one attempt. `None`: it is what it was, or cannot be asked.
    ///
    /// # Cancel safety
    /// Another one who waits asks in its place.
    pub(crate) async fn renew(self: &Arc<Self>, unfit: &Arc<Line>) -> Option<Arc<Line>> {
        let mut renewed = self.renewed.lock().await;
        let current = self.current();
        if !Arc::ptr_eq(&current, unfit) {
            return Some(current);
        }
        if renewed.is_some_and(|renewed: Instant| renewed.elapsed() < RENEWAL) {
            return None;
        }
        *renewed = Some(Instant::now());
        if let Some(key) = self.way.key() {
            self.config.known.remember(&key, None);
        }
        let line = open::open(&self.config, &*self.way, &self.lasting).await.ok()?;
        let has_changed = line.peer.revision != unfit.peer.revision;
        line.shared().restore().await;
        let revision = line.peer.revision;
        let line = self.install(line, 0);
        self.lasting.gap();
        self.lasting.tell(Event::Reopened(revision));
        has_changed.then_some(line)
    }
}

impl Line {
    /// Whether this error may mean that the server does not speak any more what it spoke when it was asked. It has not
    /// carried the request out then.
    pub(crate) fn may_be_unfit(&self, error: &ClientError) -> bool {
        if !self.shared().carrier().is_exchanges() {
            return false;
        }
        match (self.peer.revision.era(), error) {
            (Era::Modern, ClientError::Http(answer)) => matches!(answer.status, 400 | 405 | 406),
            // What servers of the legacy era answer to a request outside of a session.
            (Era::Modern, ClientError::Rpc { error, .. }) => {
                matches!(error.code, code::UNSUPPORTED_REVISION | code::INVALID_REQUEST | -32000)
            }
            (Era::Legacy, ClientError::Rpc { error, .. }) => matches!(
                error.code,
                code::UNSUPPORTED_REVISION | code::HEADER_MISMATCH | code::MISSING_CLIENT_CAPABILITY
            ),
            (Era::Legacy, ClientError::Http(answer)) => answer.status == 405,
            _ => false,
        }
    }
}

impl Shared {
    /// Tells a legacy server what the last session, or process, was told.
    pub(crate) async fn restore(self: &Arc<Self>) {
        use crate::Warning;
        if self.revision().is_none_or(|revision| revision.is_modern()) {
            return;
        }
        for (method, params) in self.lasting.kept() {
            let Ok(mut in_flight) = self.send(method.as_str(), None, |_| Some(params)) else { return };
            let reason = match in_flight.answer(open::RESTORING, &mut None).await {
                Ok(answer) => answer.into_result(method.as_str()).err().map(|error| error.to_string()),
                Err(_) => Some("it was not answered in time".to_owned()),
            };
            if let Some(reason) = reason {
                self.warn(&Warning::NotDelivered { method: method.as_str().to_owned(), reason });
            }
        }
    }
}
