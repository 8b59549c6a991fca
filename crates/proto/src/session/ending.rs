//! What ends, by time or for good, and whom that concerns.

use std::time::Instant;

use hermes_types::{RequestId, Revision};

use super::machine::{Session, asked};
use crate::channel::CallId;
use crate::outbox::{Delivery, Expired, StreamId};

/// What is to be told after time has passed, or at the end.
#[derive(Debug)]
#[must_use]
pub struct Told<C> {
    /// Whoever asked the client something that will not be answered, and whether the client can have it.
    pub callers: Vec<(C, Delivery)>,
    /// Responses that nobody fetched.
    pub responses: Vec<(StreamId, Delivery)>,
}

/// A reader is gone.
#[derive(Debug)]
#[must_use]
pub struct Left<C> {
    /// The stream whose reader may go on instead.
    pub wake: Option<StreamId>,
    /// Whom to tell of responses that were read to the end and have to make room.
    pub told: Told<C>,
}

impl<C> Told<C> {
    pub(super) const fn nothing() -> Self {
        Self { callers: Vec::new(), responses: Vec::new() }
    }
}

impl<C> Session<C> {
    /// Ends the session. `refusal` makes the response of each call that still runs, from its id; then the
    /// readers read what is left and end. Gives the calls that were stopped, and whom to tell.
    pub fn close(
        &mut self,
        refusal: impl Fn(&RequestId, Revision) -> Vec<u8>,
        now: Instant,
    ) -> (Vec<CallId>, Told<C>) {
        if std::mem::replace(&mut self.closing, true) {
            return (Vec::new(), Told::nothing());
        }
        let revision = self.revision();
        let running: Vec<_> =
            self.channel.running().calls().map(|(call, is)| (call, is.request_id.clone())).collect();
        for (call, id) in &running {
            let _ = self.settle(*call, refusal(id, revision), now);
        }
        let callers = self.channel.give_up_all().into_iter().map(|caller| (caller, Delivery::Unknown));
        let told = Told { callers: callers.collect(), responses: Vec::new() };
        (running.into_iter().map(|(call, _)| call).collect(), told)
    }

    /// The last reader of a closed session is gone: what nobody read is given up. Says whom to tell.
    pub fn forget(&mut self) -> Told<C> {
        let expired = self.outbox.close_all();
        self.told(expired)
    }

    /// Does what is due at `now` to streams without a reader. A taker may have something to read afterwards.
    pub fn expire(&mut self, now: Instant) -> Told<C> {
        let expired = self.outbox.expire(now);
        self.told(expired)
    }

    pub(super) fn told(&mut self, expired: Vec<Expired>) -> Told<C> {
        let mut told = Told::nothing();
        for expired in expired {
            match expired {
                Expired::Request { call, delivery } => {
                    let caller = asked(call).and_then(|id| self.channel.give_up(&id));
                    told.callers.extend(caller.map(|caller| (caller, delivery)));
                }
                Expired::Response { stream, delivery } => told.responses.push((stream, delivery)),
            }
        }
        told
    }
}
