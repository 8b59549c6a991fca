//! The standalone stream of a session: what the server says without being asked.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use reqwest::StatusCode;
use tokio::time::sleep;

use super::answer::{Form, Head};
use super::events::Ended;
use super::lost::{Look, look};
use super::session::Seat;
use super::talk::Talk;
use crate::Warning;
use crate::backoff::Backoff;
use crate::headers::Headers;
use crate::mishap::Mishap;

/// The pauses before it is opened again.
const REOPEN: Backoff = Backoff::new(Duration::from_millis(500), Duration::from_secs(30));

/// What is to be done about an attempt.
enum Next {
    /// The stream has been there, and has ended.
    Again(Ended),
    /// It is not there now.
    Later(String),
    /// There is none.
    Never(Option<String>),
    /// The session is no more.
    Heal,
}

impl Talk {
    /// Opens the stream of a session that has begun, in the place of the last one's.
    ///
    /// It is under way when this returns, so that the server gets to know of it before it is asked anything: what it
    /// then has to say beside its answers has a place to go.
    pub(super) async fn attend(self: &Arc<Self>, seat: Seat) {
        self.stand(None);
        let mut attending = Arc::clone(self).attending(seat);
        let begun = poll_fn(|context| Poll::Ready(attending.as_mut().poll(context))).await;
        if begun.is_pending() {
            self.stand(Some(tokio::spawn(attending).abort_handle()));
        }
    }

    /// [`hold`](Self::hold), boxed: a session that it finds lost is replaced by one with a stream of its own.
    fn attending(self: Arc<Self>, seat: Seat) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(self.hold(seat))
    }

    /// Holds the stream, and opens it again whenever it ends. What becomes of it concerns no request.
    ///
    /// Source: `basic/transports#listening-for-messages-from-the-server`, 2025-11-25.
    async fn hold(self: Arc<Self>, seat: Seat) {
        let mut pauses = REOPEN;
        let mut known = Ended::default();
        let (mut was_there, mut is_lost) = (false, false);
        loop {
            let retry = match self.attempt(&seat, &mut known, was_there).await {
                Next::Again(ended) => {
                    (was_there, is_lost) = (true, false);
                    if ended.has_spoken {
                        pauses.reset();
                    }
                    if let Some(source) = &ended.source {
                        tracing::debug!(%source, "the standalone stream broke");
                    }
                    known = ended;
                    known.retry
                }
                Next::Later(reason) => {
                    if !std::mem::replace(&mut is_lost, true) {
                        self.shared.warn(&Warning::PushStreamLost { reason });
                    }
                    known.retry
                }
                // What was there once may be again: this is what stands in its place meanwhile.
                Next::Never(Some(reason)) if was_there => {
                    if !std::mem::replace(&mut is_lost, true) {
                        self.shared.warn(&Warning::PushStreamLost { reason });
                    }
                    known.last_id = None;
                    None
                }
                Next::Never(reason) => {
                    match reason {
                        Some(reason) => self.shared.warn(&Warning::PushStreamLost { reason }),
                        None => self.shared.hears_nothing(),
                    }
                    return;
                }
                // A session that is not known from the start is not replaced by one that will not be known either.
                Next::Heal if was_there => {
                    if self.heal(&seat).await.is_ok() {
                        // The new one has a stream of its own.
                        return;
                    }
                    // Whatever stands in the server's place may say so too, until the server is back.
                    if !std::mem::replace(&mut is_lost, true) {
                        let reason = "the session is lost".to_owned();
                        self.shared.warn(&Warning::PushStreamLost { reason });
                    }
                    known = Ended::default();
                    None
                }
                Next::Heal => return,
            };
            sleep(pauses.next(retry)).await;
        }
    }

    async fn attempt(&self, seat: &Seat, known: &mut Ended, is_again: bool) -> Next {
        let response = match self.get(seat, known.last_id.as_deref(), &Headers::default()).await {
            Ok(response) => response,
            Err(Mishap::Unreachable { source, .. } | Mishap::StreamEnded { source: Some(source), .. }) => {
                return Next::Later(source.to_string());
            }
            Err(mishap) => return Next::Never(Some(mishap.into_error("GET".to_owned()).to_string())),
        };
        let head = Head::of(&response);
        let response = match look(&head, seat, response).await {
            Look::Lost(_) => return Next::Heal,
            Look::Refused(_) => None,
            Look::Other(response) => Some(response),
        };
        match (head.status, response) {
            (StatusCode::OK, Some(response)) if head.form() == Form::Events => {
                // Without an id nobody knows what the server has said since the last stream.
                if is_again && known.last_id.is_none() {
                    self.shared.lasting.gap();
                }
                Next::Again(self.read(response, None, std::mem::take(known)).await)
            }
            (StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND, _) => Next::Never(None),
            (status, _) if status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error() => {
                known.retry = head.retry_after.or(known.retry);
                Next::Later(format!("HTTP {}", status.as_u16()))
            }
            // The rest of the last stream is not to be had; a new one may be.
            (status, _) if status.is_client_error() && known.last_id.take().is_some() => {
                Next::Later(format!("HTTP {}", status.as_u16()))
            }
            (status, _) => Next::Never(Some(format!("HTTP {}, and no stream of events", status.as_u16()))),
        }
    }
}
