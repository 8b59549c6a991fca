//! What is heard on a stream of notifications, and how it is kept up.

use std::sync::Arc;
use std::time::Duration;

use hermes_types::{Era, SubscriptionFilter};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::open::{Stream, ended, is_granted, open};
use crate::backoff::Backoff;
use crate::cache::Change;
use crate::client::Inner;
use crate::error::{ClientError, Closed};
use crate::event::Event;
use crate::notice::Notice;

/// The pauses before a stream that was lost is asked for again, and how long one has to stay for them to begin anew.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Something that is heard on a stream of notifications.
#[derive(Debug)]
#[non_exhaustive]
pub enum Heard {
    /// The stream is there again after it was lost, or is another one than before. Whatever the server said meanwhile is
    /// gone: everything that the stream is about may have changed. [`Listening::granted`] says what it will carry now.
    Gap,
    /// The stream is lost, and nothing is heard for now. It will be asked for again.
    Lost {
        /// Why.
        reason: Arc<ClientError>,
        /// After which pause; none when that is as soon as the server is there.
        pause: Duration,
    },
    /// What the server says.
    Notice(Notice),
}

/// A stream of chosen notifications that has begun.
///
/// In the modern era it is a request of its own: dropping it ends it, and the server is told. In the legacy era the
/// server sends what it sends, and this picks from it; resources stay subscribed until
/// [`Client::unsubscribe`](crate::Client::unsubscribe).
///
/// A stream that is lost is opened again, after pauses that grow; one that the server refuses, or ends in good order, is
/// not. It counts as a clone of its client, which is not closed as long as it is there.
#[derive(Debug)]
pub struct Listening {
    inner: Arc<Inner>,
    wanted: SubscriptionFilter,
    granted: SubscriptionFilter,
    state: State,
    pauses: Backoff,
    /// When the stream was there last.
    since: Instant,
}

#[derive(Debug)]
enum State {
    There(Stream),
    /// A task that waits and opens it. The set ends it when it is dropped.
    Opening(JoinSet<Result<(SubscriptionFilter, Stream), ClientError>>),
}

/// What comes next from a stream that is there.
enum Next {
    Notice(Notice),
    /// The session was replaced.
    Replaced,
    /// The connection under the session is lost, and is being replaced.
    Gone(Arc<Closed>),
    /// The client is at its end.
    Over,
    /// The request has ended.
    End(Result<(), ClientError>),
}

impl Listening {
    pub(super) fn new(
        inner: Arc<Inner>,
        wanted: SubscriptionFilter,
        granted: SubscriptionFilter,
        stream: Stream,
    ) -> Self {
        let pauses = Backoff::new(FIRST_PAUSE, LONGEST_PAUSE);
        Self { inner, wanted, granted, state: State::There(stream), pauses, since: Instant::now() }
    }

    /// What the server promises to send: perhaps less than was asked for.
    #[must_use]
    pub const fn granted(&self) -> &SubscriptionFilter {
        &self.granted
    }

    /// The next thing that is heard; `None` when the server has ended the stream in good order.
    ///
    /// A stream is opened again only while somebody waits for it here, or has done so since it was lost.
    ///
    /// # Errors
    /// [`ClientError::Rpc`] and other refusals when the server does not want the stream any more,
    /// [`ClientError::Closed`] and [`ClientError::Unavailable`] when the client is at its end. Each is said once.
    ///
    /// # Cancel safety
    /// Nothing is taken that is not returned, and opening it again goes on.
    pub async fn next(&mut self) -> Result<Option<Heard>, ClientError> {
        match &mut self.state {
            State::There(stream) => match stream.next(&self.granted).await {
                Next::Notice(notice) => {
                    self.pauses.reset();
                    Ok(Some(Heard::Notice(notice)))
                }
                Next::Replaced if self.inner.current().peer.revision.era() == Era::Legacy => {
                    Ok(Some(Heard::Gap))
                }
                // What the server speaks now has streams.
                Next::Replaced => {
                    self.open_after(Duration::ZERO);
                    self.opened().await
                }
                Next::Gone(closed) => {
                    let reason = Arc::new(ClientError::Closed(closed));
                    Ok(Some(Heard::Lost { reason, pause: Duration::ZERO }))
                }
                Next::Over => {
                    self.state = State::There(Stream::Ended);
                    self.inner.at_once().map(|_| None)
                }
                Next::End(Ok(())) => {
                    self.state = State::There(Stream::Ended);
                    Ok(None)
                }
                Next::End(Err(error)) => self.lost(error),
            },
            State::Opening(_) => self.opened().await,
        }
    }

    /// Waits until it is there again.
    async fn opened(&mut self) -> Result<Option<Heard>, ClientError> {
        let State::Opening(opening) = &mut self.state else { return Ok(None) };
        match opening.join_next().await {
            Some(Ok(Ok((granted, stream)))) => {
                self.granted = granted;
                self.state = State::There(stream);
                self.since = Instant::now();
                self.inner.lasting.cache.forget(&Change::Everything);
                Ok(Some(Heard::Gap))
            }
            // That the server is slow to say yes is no refusal.
            Some(Ok(Err(error @ ClientError::Timeout { .. }))) => Ok(Some(self.again(error))),
            Some(Ok(Err(error))) => self.lost(error),
            // The task does not panic, and is ended only with this.
            Some(Err(_)) | None => {
                self.state = State::There(Stream::Ended);
                Ok(None)
            }
        }
    }

    /// It is lost: for good, or until it is opened again.
    fn lost(&mut self, error: ClientError) -> Result<Option<Heard>, ClientError> {
        if !self.can_be_had_again(&error) {
            self.state = State::There(Stream::Ended);
            return Err(error);
        }
        Ok(Some(self.again(error)))
    }

    fn again(&mut self, error: ClientError) -> Heard {
        // One that was there for a while is not one of a row.
        if matches!(self.state, State::There(_)) && self.since.elapsed() >= LONGEST_PAUSE {
            self.pauses.reset();
        }
        let pause = match &error {
            // Whoever brings the server back has pauses of its own.
            ClientError::Closed(_) => Duration::ZERO,
            ClientError::Http(answer) => self.pauses.next(answer.retry_after),
            _ => self.pauses.next(None),
        };
        self.open_after(pause);
        Heard::Lost { reason: Arc::new(error), pause }
    }

    fn open_after(&mut self, pause: Duration) {
        let (inner, wanted) = (Arc::clone(&self.inner), self.wanted.clone());
        let mut opening = JoinSet::new();
        opening.spawn(async move {
            sleep(pause).await;
            open(&inner, wanted, Duration::MAX).await
        });
        self.state = State::Opening(opening);
    }

    /// Whether a stream that ended like this may be had again. What was refused will be refused again.
    fn can_be_had_again(&self, error: &ClientError) -> bool {
        match error {
            ClientError::StreamEnded { .. }
            | ClientError::Unreachable { .. }
            | ClientError::SessionExpired { .. } => true,
            ClientError::Http(answer) => matches!(answer.status, 429 | 500..),
            ClientError::Closed(_) => self.inner.at_once().is_ok(),
            _ => false,
        }
    }
}

impl Stream {
    /// # Cancel safety
    /// Nothing is taken that is not returned.
    async fn next(&mut self, granted: &SubscriptionFilter) -> Next {
        match self {
            Self::Ended => Next::End(Ok(())),
            Self::Request { in_flight, inbox, .. } => match inbox.next().await {
                Some(notice) => Next::Notice(notice),
                None => Next::End(ended(in_flight.end().await)),
            },
            Self::Session { inbox, events, gaps } => loop {
                tokio::select! {
                    biased;
                    notice = inbox.next() => match notice {
                        Some(notice) if is_granted(granted, &notice) => return Next::Notice(notice),
                        Some(_) => {}
                        None => return Next::Over,
                    },
                    Some(event) = events.next() => {
                        if let Event::Lost(closed) = event {
                            return Next::Gone(closed);
                        }
                    }
                    Ok(()) = gaps.changed() => return Next::Replaced,
                }
            },
        }
    }
}
