//! The session of a legacy server.
//!
//! ```text
//!             offer                      begin                       begin (after another offer)
//!  no session ------> offered (by the  ------> begun, number n ------------------------> begun, number n + 1
//!                      answer to initialize)   (initialized was said)
//! ```
//!
//! Requests carry the session that has begun. One that is offered is used for `notifications/initialized` alone, as
//! servers refuse everything else before that.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_types::RawJson;
use reqwest::header::{HeaderName, HeaderValue};
use tokio::sync::watch;

pub(super) const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Which session there is, if any.
#[derive(Debug)]
pub(super) struct Session {
    state: Mutex<State>,
    /// How many sessions have begun.
    number: watch::Sender<u64>,
}

#[derive(Debug, Default)]
struct State {
    id: Option<HeaderValue>,
    offered: Option<HeaderValue>,
    /// The parameters of `initialize`, for the next session.
    opening: Option<RawJson>,
    /// Whether leave was taken.
    is_over: bool,
}

/// The session that a request is sent in.
#[derive(Clone, Debug)]
pub(super) struct Seat {
    pub(super) id: Option<HeaderValue>,
    pub(super) number: u64,
}

impl Session {
    pub(super) fn new() -> Self {
        Self { state: Mutex::default(), number: watch::Sender::new(0) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session that has begun.
    pub(super) fn seat(&self) -> Seat {
        let state = self.lock();
        Seat { id: state.id.clone(), number: *self.number.borrow() }
    }

    /// What `initialize` says, so that it can be said again.
    pub(super) fn remember(&self, opening: RawJson) {
        self.lock().opening = Some(opening);
    }

    pub(super) fn opening(&self) -> Option<RawJson> {
        self.lock().opening.clone()
    }

    /// The server offers a session, or none. Gives the one that nobody is there for any more, which the server has to be
    /// told: this one, if leave was taken; or the last one that was offered, if it never began.
    #[must_use]
    pub(super) fn offer(&self, mut id: Option<HeaderValue>) -> Option<HeaderValue> {
        if let Some(id) = &mut id {
            id.set_sensitive(true);
        }
        let mut state = self.lock();
        if state.is_over { id } else { std::mem::replace(&mut state.offered, id) }
    }

    /// What `notifications/initialized` is said in.
    pub(super) fn offered(&self) -> Seat {
        Seat { id: self.lock().offered.clone(), number: *self.number.borrow() }
    }

    /// The session that was offered begins; whatever is still under way in another one has lost it.
    pub(super) fn begin(&self) -> Seat {
        {
            let mut state = self.lock();
            state.id = state.offered.take();
        }
        self.number.send_modify(|number| *number += 1);
        self.seat()
    }

    /// Waits until this session is replaced; without a session, for ever.
    pub(super) async fn replaced(&self, seat: &Seat) {
        let mut number = self.number.subscribe();
        if seat.id.is_some() && number.wait_for(|number| *number != seat.number).await.is_ok() {
            return;
        }
        std::future::pending::<()>().await;
    }

    /// Takes leave: the sessions that the server has to be told are not needed any more.
    pub(super) fn leave(&self) -> Vec<HeaderValue> {
        let mut state = self.lock();
        state.is_over = true;
        [state.id.take(), state.offered.take()].into_iter().flatten().collect()
    }
}
