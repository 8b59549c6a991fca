//! Whether a session is still there after one of its streams has broken.
//!
//! ```text
//!   a stream breaks behind an event id --+--> the rest is asked for, after the pause that the server wants
//!                                        |
//!                                        +--> ping, at once --+-- answered: the session is there
//!                                               ^             |
//!                                               |             +-- unknown session: a new one, and whatever was
//!                                               |             |   under way in the old one has expired
//!                                               +-- a pause --+-- nobody is there
//! ```
//!
//! A server that names a long pause means the streams that it ends itself. Should it have been restarted, there is
//! nothing left to ask for, and no call has to wait for that pause to be told so.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use hermes_types::{JsonObject, Method};
use tokio::time::{sleep, timeout};

use super::session::Seat;
use super::talk::Talk;
use crate::backoff::Backoff;
use crate::connection::{Answer, Patience};
use crate::mishap::Mishap;

/// The pauses while nobody is there.
const PAUSES: Backoff = Backoff::new(Duration::from_millis(100), Duration::from_millis(500));

/// How long a server is looked for.
const LOOKING: Duration = Duration::from_secs(10);

/// How long it may take to answer.
const ANSWER: Patience = Patience { timeout: Duration::from_secs(5), extended: None };

impl Talk {
    /// Looks after a session, in the background: once for all streams of it that break together.
    pub(super) fn look_after(self: &Arc<Self>, seat: &Seat) {
        if seat.id.is_none() || self.looking.swap(true, SeqCst) {
            return;
        }
        let (talk, seat) = (Arc::clone(self), seat.clone());
        tokio::spawn(async move {
            let mut finishing = talk.shared.finishing.subscribe();
            tokio::select! {
                // That it takes too long is found out by whoever waits for the rest.
                _ = timeout(LOOKING, talk.ping(&seat)) => {}
                _ = finishing.wait_for(|finishing| *finishing) => {}
            }
            talk.looking.store(false, SeqCst);
        });
    }

    /// Asks for a sign of life, until there is any answer at all.
    async fn ping(&self, seat: &Seat) {
        let mut pauses = PAUSES;
        while self.session.seat().number == seat.number {
            let method = Method::Ping.as_str();
            let Ok(mut in_flight) = self.shared.send(method, None, |_| None::<JsonObject>) else { return };
            match in_flight.answer(ANSWER, &mut None).await {
                Ok(Answer::Failed(Mishap::Unreachable { .. } | Mishap::StreamEnded { .. })) => {
                    sleep(pauses.next(None)).await;
                }
                _ => return,
            }
        }
    }
}
