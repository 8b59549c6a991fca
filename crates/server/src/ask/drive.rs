//! Running a handler that may have to be entered again.
//!
//! ```text
//!             pending, nothing but answers can help
//!   running ─────────────────────────────────────────▶ resting
//!     ▲  │                                              │  │
//!     │  │ ready            polled once more: something │  │ polled once more: still so
//!     │  ▼                  else can help               │  ▼
//!     │ finished ◀── ready ─────────────────────────────┤ suspended
//!     └─────────────────────────────────────────────────┘
//! ```
//!
//! "Nothing but answers can help" means: at least one question is open and no effect of `once` runs.
//! Whatever else the handler waits for then (a timer, a request of its own) is given up with it, and runs
//! again on the next entry.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use hermes_types::Fault;

use super::book::{Asked, Way};
use super::round::Round;

/// What became of a handler that may ask.
#[derive(Debug)]
pub(crate) enum Outcome<T> {
    /// It ended with this.
    Finished(T),
    /// It waited for answers, and was dropped; the client is to repeat the request with them.
    InputRequired(Round),
    /// It waited for answers, and was dropped, but must not be entered again.
    Refused(Fault),
}

/// Runs a handler until it ends, or until it waits for nothing but answers that this entry cannot give.
///
/// In the legacy era, and for methods that cannot ask, this is the handler itself.
///
/// The suspension is no value that passes through the handler: the handler is dropped from outside while
/// it waits. So no `?`, no `match` and no catch-all in it can take the suspension for an error.
///
/// # Cancel safety
/// Dropping the future drops the handler; questions that spawned tasks still wait for end with
/// [`AskError::Closed`](super::AskError::Closed).
pub(crate) async fn drive<F: Future>(handler: F, asked: &Asked) -> Outcome<F::Output> {
    let mut handler = pin!(handler);
    let _close = CloseOnDrop(asked);
    let mut resting = false;
    poll_fn(|cx| {
        if asked.way == Way::Rounds {
            // Before the poll: a question put by another thread meanwhile must not be missed.
            asked.driven_by(cx.waker());
        }
        if let Poll::Ready(output) = handler.as_mut().poll(cx) {
            return Poll::Ready(Outcome::Finished(output));
        }
        if !asked.is_waiting() {
            resting = false;
            return Poll::Pending;
        }
        if !resting {
            // Once round the scheduler, so that tasks which the handler spawned can put their questions
            // too, and all of them travel in one round.
            resting = true;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        match asked.suspend() {
            Some(Ok(round)) => Poll::Ready(Outcome::InputRequired(round)),
            Some(Err(fault)) => Poll::Ready(Outcome::Refused(fault)),
            None => {
                // An effect began on another thread between the two looks; its end wakes this future.
                resting = false;
                Poll::Pending
            }
        }
    })
    .await
}

struct CloseOnDrop<'a>(&'a Asked);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}
