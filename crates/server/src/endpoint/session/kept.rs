//! A session and its store: what has to be kept before it is told, and what is kept.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use hermes_proto::outbox::{Lease, Next};
use hermes_types::Fault;

use super::SessionLink;
use crate::endpoint::client::client;
use crate::endpoint::keeping::{Keeping, name};
use crate::session::Session;
use crate::store::Change;

/// How many events a reader takes before the first of them is kept.
const AHEAD: usize = 64;

/// What a reader has taken that may not be told yet. There is none without a store.
pub(in super::super) struct Taken {
    /// Which version of the session has the stream.
    since: u64,
    /// Each with the version of the session that has to be kept first.
    events: VecDeque<(Next, u64)>,
}

/// Whether something can come after this.
const fn is_followed(next: &Next) -> bool {
    match next {
        Next::Event(_) | Next::Gap(_) => true,
        Next::Ended | Next::HangUp | Next::Idle | Next::Stale => false,
    }
}

impl SessionLink {
    /// Something of the session changed, whose lock is held.
    pub(super) fn changed(&self) {
        if let Some(keeping) = &self.keeping {
            keeping.changed();
        }
    }

    /// As [`changed`](Self::changed), and an answer will tell the client of it.
    pub(super) fn promised(&self) {
        if let Some(keeping) = &self.keeping {
            keeping.promised();
        }
    }

    /// What a reader has to write next, once it is kept.
    pub(super) fn poll_kept(
        &self,
        lease: &Lease,
        taken: &mut Taken,
        keeping: &Keeping,
        cx: &Context<'_>,
    ) -> Poll<Next> {
        self.take(lease, &mut taken.events, keeping, cx);
        let Some((_, version)) = taken.events.front() else { return Poll::Pending };
        ready!(keeping.poll_stored(*version, cx));
        taken.events.pop_front().map_or(Poll::Pending, |(next, _)| Poll::Ready(next))
    }

    /// Takes what is due, each with the version of the session that has to be kept first.
    fn take(&self, lease: &Lease, taken: &mut VecDeque<(Next, u64)>, keeping: &Keeping, cx: &Context<'_>) {
        let mut state = self.state();
        while taken.len() < AHEAD && taken.back().is_none_or(|(next, _)| is_followed(next)) {
            let queued = state.machine.queued();
            let next = state.machine.next(lease);
            if next == Next::Idle {
                return state.wait(lease, cx);
            }
            if state.machine.queued() != queued {
                // It has got its number only now.
                keeping.changed();
            }
            taken.push_back((next, keeping.version()));
        }
    }

    /// Waits until the store has the session as it is now, if there is a store.
    pub(in super::super) async fn kept(&self) {
        if let Some(keeping) = &self.keeping {
            let version = keeping.version();
            poll_fn(|cx| keeping.poll_stored(version, cx)).await;
        }
    }

    /// Whether what happens in this session is to be kept in a store.
    pub(in super::super) const fn is_kept(&self) -> bool {
        self.keeping.is_some()
    }

    /// Waits until the store has what an answer tells the client of, if there is a store.
    pub(in super::super) async fn kept_promises(&self) {
        let Some(keeping) = &self.keeping else { return };
        let facts = self.facts.get();
        let has_data =
            || facts.is_some_and(|facts| self.settings.kept.ids().any(|id| facts.states.find(id).is_some()));
        if facts.is_some_and(Session::take_touched) || has_data() {
            keeping.promised();
        }
        poll_fn(|cx| keeping.poll_promised(cx)).await;
    }

    /// For a reader that comes now.
    pub(in super::super) fn taken(&self) -> Option<Box<Taken>> {
        let keeping = self.keeping.as_ref()?;
        Some(Box::new(Taken { since: keeping.version(), events: VecDeque::new() }))
    }

    /// Waits until the store has the stream of a reader: whoever knows its id can come back to it.
    pub(in super::super) fn poll_opened(&self, taken: Option<&Taken>, cx: &Context<'_>) -> Poll<()> {
        match (&self.keeping, taken) {
            (Some(keeping), Some(taken)) => keeping.poll_stored(taken.since, cx),
            (None, _) | (_, None) => Poll::Ready(()),
        }
    }

    /// The store has this version.
    pub(in super::super) fn stored(&self, version: u64) {
        if let Some(keeping) = &self.keeping {
            keeping.stored(version);
        }
    }

    /// What changed since this was asked last, and which version that is.
    pub(in super::super) fn collect(&self, changes: &mut Vec<Change>) -> Option<u64> {
        let keeping = self.keeping.as_ref()?;
        let version = {
            let state = self.state();
            keeping.collect(&state.machine, changes)?
        };
        keeping.compare(&self.records(keeping), changes);
        Some(version)
    }

    /// What changed here cannot be read: from now on nothing of the session is kept.
    pub(in super::super) fn forgo(&self, changes: &mut Vec<Change>) {
        if let Some(keeping) = &self.keeping {
            keeping.forgo(changes);
        }
    }

    /// The records that are no part of the machine. Data of handlers are read after it: an answer that is in it
    /// tells of them.
    fn records(&self, keeping: &Keeping) -> Vec<(String, Option<Vec<u8>>)> {
        let Some(facts) = self.facts.get() else { return Vec::new() };
        let data = self.settings.kept.save(|id| facts.states.find(id));
        let data = data.into_iter().map(|(name, text)| (format!("{}{name}", name::DATA), text));
        let client = (!keeping.has(name::CLIENT)).then(|| client(facts, self.principal.as_deref()));
        let client = client.map(|client| (name::CLIENT.to_owned(), client));
        let level = (name::LEVEL.to_owned(), Some(facts.log_level().as_str().as_bytes().to_vec()));
        data.chain(client).chain([level]).collect()
    }

    /// The server ends, and the session goes on with the next one: its calls are answered with this fault, its streams
    /// end. Without a store, or for a single POST, it ends; whether it rests.
    pub(in super::super) fn rest(&self, fault: &Fault) -> bool {
        let Some(keeping) = &self.keeping else {
            self.close(fault, None);
            return false;
        };
        let mut changes = Vec::new();
        self.stop_all(fault, |machine| {
            keeping.collect(machine, &mut changes);
            keeping.finish();
        });
        keeping.compare(&self.records(keeping), &mut changes);
        keeping.conclude(changes);
        self.forget_unread();
        true
    }

    /// A session that is restored has its place: it is accounted for, kept as it is now, and looked after in time.
    pub(in super::super) fn go_on(&self) {
        self.work(|_, _| ((), None));
    }
}
