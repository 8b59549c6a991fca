//! A session as plain values, and what the end of its process means for it.

use std::time::Instant;

use hermes_types::{RequestId, Revision};
use serde::{Deserialize, Serialize};

use super::machine::{Post, Session};
use crate::channel::{Channel, KeptChannel};
use crate::clocks::Clocks;
use crate::few::Few;
use crate::limits::Limits;
use crate::outbox::{Budget, Find, KeptOutbox, KeptStream, Number, Outbox, Patience, StreamId, Unreadable};

/// All of a session but its streams and the texts of its messages, as it is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptSession {
    channel: KeptChannel,
    outbox: KeptOutbox,
    /// Which call answers on which stream, and whether its client reads events there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    posts: Vec<(u64, u64, bool)>,
    /// When something happened last, in milliseconds since 1970.
    active: u64,
    /// Whether a connection read its streams.
    #[serde(default)]
    has_readers: bool,
}

/// How a session that is restored goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// What is refused unread.
    pub limits: Limits,
    /// How many calls may be in flight.
    pub in_flight: usize,
    /// How long its outbox waits.
    pub patience: Patience,
    /// How much its outbox holds.
    pub budget: Budget,
}

impl<C> Session<C> {
    /// The session as plain values: what it is at this moment, apart from who waits for it in this process. Each text
    /// is kept under the number that `number` gives it. `None` before its handshake.
    ///
    /// ```
    /// use hermes_proto::channel::Channel;
    /// use hermes_proto::clocks::Clocks;
    /// use hermes_proto::limits::Limits;
    /// use hermes_proto::outbox::{Budget, Outbox, Patience};
    /// use hermes_proto::session::{Session, Terms};
    /// use hermes_types::Revision;
    /// use std::time::{Duration, Instant, SystemTime};
    ///
    /// let patience = Patience { grace: Duration::from_secs(60), retention: Duration::from_secs(300) };
    /// let terms = Terms { limits: Limits::SERVER, in_flight: 16, patience, budget: Budget::default() };
    /// # let now = Instant::now();
    /// let channel = Channel::<()>::resumed(terms.limits, terms.in_flight, Revision::V2025_11_25);
    /// let mut session = Session::new(channel, Outbox::new(terms.patience, terms.budget), now);
    /// let _ = session.subscribe("file:///notes".to_owned());
    ///
    /// let clocks = Clocks::new(now, SystemTime::now());
    /// let (kept, streams) = session.keep(&clocks, &mut |_| 0).expect("the handshake was done elsewhere");
    /// let restored = Session::<()>::restore(kept, &streams, terms, &clocks, &|_| None, |_, _| Vec::new())?;
    /// assert!(restored.channel().subscribed().eq(["file:///notes"]));
    /// # Ok::<(), hermes_proto::outbox::Unreadable>(())
    /// ```
    #[must_use]
    pub fn keep(&self, clocks: &Clocks, number: Number<'_>) -> Option<(KeptSession, Vec<KeptStream>)> {
        let channel = self.channel.keep()?;
        let (outbox, streams) = self.outbox.keep(clocks, number);
        let posts = self.posts.iter().map(|(call, post)| (call.number(), post.stream.number(), post.events));
        let kept = KeptSession {
            channel,
            outbox,
            posts: posts.collect(),
            active: clocks.write(self.active),
            has_readers: self.has_readers(),
        };
        Some((kept, streams))
    }

    /// The session that was [kept](Self::keep), in a process after its own: nobody reads its streams, nobody waits for
    /// its client, and every call that ran has an outcome on its stream, which `outcome` makes from its id. It is what
    /// the session was, once [interrupted](Self::interrupt).
    ///
    /// # Errors
    /// [`Unreadable`]: no session was ever like that.
    pub fn restore(
        kept: KeptSession,
        streams: &[KeptStream],
        terms: Terms,
        clocks: &Clocks,
        find: Find<'_>,
        outcome: impl Fn(&RequestId, Revision) -> Vec<u8>,
    ) -> Result<Self, Unreadable> {
        let running = kept.channel.running.iter().map(|call| call.call());
        let mut posts = Few::new();
        for (call, (number, stream, events)) in running.zip(kept.posts) {
            if call.number() != number {
                return Err(Unreadable::new("a call answers nowhere"));
            }
            posts.add(call, Post { stream: StreamId::nth(stream), events });
        }
        let mut session = Self {
            channel: Channel::restore(kept.channel, terms.limits, terms.in_flight)?,
            outbox: Outbox::restore(&kept.outbox, streams, (terms.patience, terms.budget), clocks, find)?,
            posts,
            readers: usize::from(kept.has_readers),
            active: clocks.read(kept.active).min(clocks.now()),
            closing: false,
        };
        session.interrupt(outcome, clocks.now());
        Ok(session)
    }

    /// The process of the session has ended: all connections and callers are gone, and every call that ran has the
    /// outcome that `outcome` makes from its id. Nothing is run again.
    pub fn interrupt(&mut self, outcome: impl Fn(&RequestId, Revision) -> Vec<u8>, now: Instant) {
        if std::mem::take(&mut self.readers) > 0 {
            self.active = now;
        }
        drop(self.channel.give_up_all());
        self.outbox.interrupt(now);
        let revision = self.revision();
        let running: Vec<_> =
            self.channel.running().calls().map(|(call, is)| (call, is.request_id.clone())).collect();
        for (call, id) in running {
            let _ = self.settle(call, outcome(&id, revision), now);
        }
    }

    /// How many messages wait for a standalone stream.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.outbox.queued()
    }
}

#[cfg(test)]
mod tests;
