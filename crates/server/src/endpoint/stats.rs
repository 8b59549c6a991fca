//! The accounts of an endpoint: with them an operator can prove that nothing was lost.

use std::sync::atomic::{
    AtomicU64,
    Ordering::{Relaxed, SeqCst},
};

use hermes_proto::outbox::Counters;

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $name:ident;)*) => {
        /// What has happened on an endpoint since it was made, in numbers that only rise, save the last three.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        #[non_exhaustive]
        pub struct Metrics {
            $($(#[doc = $doc])+ pub $name: u64,)*
            /// Sessions that are open now.
            pub sessions: u64,
            /// Requests that were accepted and have no outcome yet: accepted is finished, cancelled and running.
            pub running: u64,
            /// Bytes of messages that wait for the clients of all sessions now.
            pub held_bytes: u64,
        }

        impl Metrics {
            /// Every counter with its name and what it counts; those that tell of now are not among them.
            pub fn counters(&self) -> impl Iterator<Item = (&'static str, &'static str, u64)> {
                [$((stringify!($name), concat!($($doc),+), self.$name)),*].into_iter()
            }
        }

        #[derive(Debug, Default)]
        pub(crate) struct Stats {
            $($name: AtomicU64,)*
        }

        impl Stats {
            pub(super) fn snapshot(&self) -> Metrics {
                // Outcomes first: a request that is accepted meanwhile runs, and none has an outcome alone.
                let outcomes = (self.requests_finished.load(SeqCst), self.requests_cancelled.load(SeqCst));
                let accepted = self.requests_accepted.load(SeqCst);
                Metrics {
                    requests_accepted: accepted,
                    requests_finished: outcomes.0,
                    requests_cancelled: outcomes.1,
                    running: accepted.saturating_sub(outcomes.0 + outcomes.1),
                    ..Metrics { $($name: self.$name.load(Relaxed),)* ..Metrics::default() }
                }
            }
        }
    };
}

counters! {
    /// Requests that were accepted: each ends in exactly one outcome.
    requests_accepted;
    /// Requests that ended with a response.
    requests_finished;
    /// Requests that their client cancelled.
    requests_cancelled;
    /// Requests that were refused before they were accepted.
    requests_refused;
    /// Sessions that were opened.
    sessions_opened;
    /// Sessions that nothing happened in for too long.
    sessions_expired;
    /// Sessions that had to make room before they were used.
    sessions_evicted;
    /// Sessions that their client or the server ended.
    sessions_terminated;
    /// Sessions that were refused because too many are in use.
    sessions_refused;
    /// Sessions that were kept in a store and go on after a restart.
    sessions_restored;
    /// Calls of sessions that were restored, which ran when the server ended before: their outcome is unknown.
    calls_interrupted;
    /// Streams that a connection was attached to.
    streams_attached;
    /// Streams that a client came back to; the connection before it is superseded.
    streams_resumed;
    /// Connections of streams that are gone.
    streams_detached;
    /// Messages that were given to a connection for the first time.
    messages_handed;
    /// Messages that were given to a connection again, because the client resumed from before them.
    messages_replayed;
    /// Messages that a client has shown it has.
    messages_acknowledged;
    /// Responses that were given out to be sent as one JSON text, so that no client comes back for them.
    messages_finished;
    /// Messages of calls that their client cancelled.
    messages_abandoned;
    /// Messages that are equal to one that waits, and were merged with it.
    messages_merged;
    /// Progress and log messages that gave way, unsent, because too many waited.
    notes_dropped;
    /// Progress and log messages that gave way after they were sent, and can no longer be sent again.
    notes_forgotten;
    /// Notifications of changes that gave way because too many waited.
    hints_dropped;
    /// Messages that nobody fetched in time, and that were never sent.
    expired_unsent;
    /// Messages that were sent, and that no client confirmed before their time was over.
    expired_unconfirmed;
    /// Questions to clients that found no room, each told to whoever asked.
    questions_refused;
    /// Questions to clients that were given up, each told to whoever asked.
    questions_failed;
    /// Responses whose connection was gone before it took them, and that cannot be resumed: one JSON text, or a
    /// response of the modern era.
    responses_undelivered;
}

impl Stats {
    pub(super) fn accepted(&self) {
        self.requests_accepted.fetch_add(1, SeqCst);
    }

    pub(super) fn finished(&self) {
        self.requests_finished.fetch_add(1, SeqCst);
    }

    pub(super) fn cancelled(&self) {
        self.requests_cancelled.fetch_add(1, SeqCst);
    }

    pub(super) fn refused(&self) {
        self.requests_refused.fetch_add(1, Relaxed);
    }

    pub(super) fn opened(&self) {
        self.sessions_opened.fetch_add(1, Relaxed);
    }

    pub(super) fn restored(&self, interrupted: u64) {
        self.sessions_restored.fetch_add(1, Relaxed);
        self.calls_interrupted.fetch_add(interrupted, Relaxed);
    }

    pub(super) fn expired(&self) {
        self.sessions_expired.fetch_add(1, Relaxed);
    }

    pub(super) fn evicted(&self) {
        self.sessions_evicted.fetch_add(1, Relaxed);
    }

    pub(super) fn terminated(&self) {
        self.sessions_terminated.fetch_add(1, Relaxed);
    }

    pub(super) fn no_room(&self) {
        self.sessions_refused.fetch_add(1, Relaxed);
    }

    pub(super) fn attached(&self) {
        self.streams_attached.fetch_add(1, Relaxed);
    }

    pub(super) fn resumed(&self) {
        self.streams_attached.fetch_add(1, Relaxed);
        self.streams_resumed.fetch_add(1, Relaxed);
    }

    pub(super) fn detached(&self) {
        self.streams_detached.fetch_add(1, Relaxed);
    }

    pub(super) fn notes_dropped(&self, count: u64) {
        if count > 0 {
            self.notes_dropped.fetch_add(count, Relaxed);
        }
    }

    pub(super) fn undelivered(&self) {
        self.responses_undelivered.fetch_add(1, Relaxed);
    }

    /// Takes in what an outbox has counted.
    pub(super) fn outbox(&self, counters: Counters) {
        for (sum, count) in [
            (&self.messages_handed, counters.handed),
            (&self.messages_replayed, counters.replayed),
            (&self.messages_acknowledged, counters.acknowledged),
            (&self.messages_finished, counters.finished),
            (&self.messages_abandoned, counters.abandoned),
            (&self.notes_dropped, counters.dropped_unsent),
            (&self.notes_forgotten, counters.dropped_unconfirmed),
            (&self.hints_dropped, counters.dropped_hints),
            (&self.questions_refused, counters.refused),
            (&self.messages_merged, counters.coalesced),
            (&self.expired_unsent, counters.expired_unsent),
            (&self.expired_unconfirmed, counters.expired_unconfirmed),
            (&self.questions_failed, counters.failed),
        ] {
            if count > 0 {
                sum.fetch_add(count, Relaxed);
            }
        }
    }
}
