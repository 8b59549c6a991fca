//! One legacy session over HTTP: the session's machine under a lock, and whoever waits for it.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hermes_proto::channel::{Call, CallId, Notified, Posted, Verdict, refusal};
use hermes_proto::outbox::{Delivery, Encoded, EventId, Lease, Next, ResumeError, StreamId};
use hermes_proto::session::{Session as Machine, SessionId, Told};
use hermes_telemetry::transport;
use hermes_types::{Fault, RequestId, Revision};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::keeping::Keeping;
use super::{SessionListing, Shared, Stats};
use crate::ask::AskError;
use crate::link::{Answer, Link as _};
use crate::session::{Session, Stop};
use crate::settings::Settings;

mod kept;
mod way;

pub(super) use kept::Taken;

/// A verdict; whoever asked the client something waits for its answer.
type Waiting<'a> = Verdict<'a, oneshot::Sender<Answer>>;

/// One legacy session.
pub(crate) struct SessionLink {
    /// The session does not keep its server alive; its calls do.
    shared: Weak<Shared>,
    settings: Arc<Settings>,
    closing: watch::Receiver<Option<Instant>>,
    /// Without one the session is that of a single POST: nobody can come back to it.
    id: Option<SessionId>,
    principal: Option<Arc<str>>,
    facts: OnceLock<Session>,
    /// After how long a client is to come back when its stream is closed early.
    retry: Mutex<Duration>,
    /// Attached connections, those of resumed streams too.
    connections: AtomicUsize,
    /// How it is kept; not at all without a store.
    keeping: Option<Box<Keeping>>,
    state: Mutex<State>,
}

struct State {
    machine: Machine<oneshot::Sender<Answer>>,
    /// In the order of their calls, few as they are.
    calls: Vec<(CallId, Arc<Stop>)>,
    readers: Vec<(Lease, Waker)>,
    /// When the roster will look after this session.
    watched: Option<Instant>,
    /// How many bytes of this session the endpoint knows of.
    accounted: usize,
}

impl SessionLink {
    pub(super) fn new(
        shared: &Arc<Shared>,
        id: Option<SessionId>,
        principal: Option<Arc<str>>,
        machine: Machine<oneshot::Sender<Answer>>,
        keeping: Option<Box<Keeping>>,
    ) -> Self {
        Self {
            shared: Arc::downgrade(shared),
            settings: Arc::clone(&shared.server.settings),
            closing: shared.closing.subscribe(),
            id,
            principal,
            facts: OnceLock::new(),
            retry: Mutex::new(Duration::from_secs(1)),
            connections: AtomicUsize::new(0),
            keeping,
            state: Mutex::new(State {
                machine,
                calls: Vec::new(),
                readers: Vec::new(),
                watched: None,
                accounted: 0,
            }),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock runs foreign code, so a poisoned state is still in order.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the session: wakes the readers that it names, and sees to it that the session is looked after
    /// in time.
    fn work<T>(&self, work: impl FnOnce(&mut State, std::time::Instant) -> (T, Option<StreamId>)) -> T {
        let (result, wakers, due) = {
            let mut state = self.state();
            let (result, stream) = work(&mut state, Instant::now().into_std());
            let wakers = stream.map(|stream| state.take_wakers(stream)).unwrap_or_default();
            let deadline = state.machine.deadline().map(Instant::from_std);
            let due = deadline.filter(|due| state.watched.is_none_or(|watched| *due < watched));
            state.watched = due.or(state.watched);
            self.account(&mut state);
            self.changed();
            (result, wakers, due)
        };
        wakers.into_iter().for_each(Waker::wake);
        if let (Some(due), Some(id), Some(shared)) = (due, self.id, self.shared.upgrade()) {
            shared.watch(id, due);
        }
        result
    }

    /// Tells the endpoint how much is held here. When all sessions together hold more than they may, this one
    /// gives up progress and log messages; whoever says the most meets that most often.
    fn account(&self, state: &mut State) {
        let held = state.machine.bytes_held();
        if held == state.accounted {
            return;
        }
        if let Some(shared) = self.shared.upgrade() {
            let excess = shared.hold(state.accounted, held);
            state.accounted = held;
            if excess > 0 && state.machine.shed(excess) > 0 {
                let held = state.machine.bytes_held();
                shared.hold(state.accounted, held);
                state.accounted = held;
            }
        }
    }

    pub(super) const fn id(&self) -> Option<SessionId> {
        self.id
    }

    pub(super) fn revision(&self) -> Revision {
        self.state().machine.revision()
    }

    /// Takes in the body of a POST: what is to be done, and the lease of the stream that answers its calls. `None`
    /// if the session has ended meanwhile.
    ///
    /// From here on every call can be stopped, whoever is faster: its handler or its cancellation.
    pub(super) fn receive<'a>(
        &self,
        body: Posted<'a>,
        events: bool,
    ) -> Option<(Vec<Waiting<'a>>, Option<Lease>)> {
        let (verdicts, lease) = self.work(|state, now| {
            if state.machine.is_closing() {
                return (None, None);
            }
            let (verdicts, lease) = state.machine.receive(body, events, now);
            for verdict in &verdicts {
                if let Verdict::Run(Call { call, .. }) | Verdict::Handshake { call, .. } = verdict {
                    state.calls.push((*call, Arc::default()));
                    self.stats(Stats::accepted);
                }
                if let Verdict::Notify(Notified::Initialized) = verdict {
                    self.promised();
                }
            }
            (Some((verdicts, lease)), None)
        })?;
        if lease.is_some() {
            self.attached(Stats::attached);
        }
        for verdict in &verdicts {
            if let Verdict::Cancel { call, .. } = verdict {
                self.stop(*call);
            }
        }
        Some((verdicts, lease))
    }

    /// How many bytes of messages wait for this client.
    pub(super) fn bytes_held(&self) -> usize {
        self.state().machine.bytes_held()
    }

    /// A call is over without an outcome: its handler stops, its stream ends.
    fn stop(&self, call: CallId) {
        let (stop, wakers) = {
            let mut state = self.state();
            // Its stream has ended; it is not known any more which one it was, so all look.
            (state.take_call(call), std::mem::take(&mut state.readers))
        };
        wakers.into_iter().for_each(|(_, waker)| waker.wake());
        if let Some(stop) = stop {
            stop.stop();
            self.stats(Stats::cancelled);
        }
    }

    fn stats(&self, count: impl FnOnce(&Stats)) {
        if let Some(shared) = self.shared.upgrade() {
            count(&shared.stats);
        }
    }

    /// How many connections read streams of this session.
    pub(super) fn connections(&self) -> usize {
        self.connections.load(Relaxed)
    }

    fn attached(&self, count: impl FnOnce(&Stats)) {
        self.connections.fetch_add(1, Relaxed);
        self.stats(count);
    }

    /// Opens a standalone stream. `None` once the session is closing.
    pub(super) fn attach(&self) -> Option<Lease> {
        let lease = self.work(|state, now| (state.machine.attach(now), None))?;
        self.attached(Stats::attached);
        transport::stream(self.session_label().as_deref(), "attached");
        Some(lease)
    }

    /// Goes on with a stream.
    pub(super) fn resume(&self, cursor: EventId) -> Result<Lease, ResumeError> {
        // The reader that had the stream before finds its lease stale.
        let resumed = self.work(|state, now| {
            let resumed = state.machine.resume(cursor, now);
            let stream = resumed.as_ref().ok().map(Lease::stream);
            (resumed, stream)
        })?;
        self.attached(Stats::resumed);
        transport::stream(self.session_label().as_deref(), "resumed");
        Ok(resumed)
    }

    /// After how long a client is to come back.
    pub(super) fn retry(&self) -> Duration {
        *self.retry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the reader with this lease has to write next; it is woken when there is more.
    ///
    /// With a store, what it takes waits in `taken` until it is kept: what was read and then forgotten could not be
    /// asked for again.
    pub(super) fn poll_next(&self, lease: &Lease, taken: Option<&mut Taken>, cx: &Context<'_>) -> Poll<Next> {
        if let (Some(keeping), Some(taken)) = (&self.keeping, taken) {
            return self.poll_kept(lease, taken, keeping, cx);
        }
        let mut state = self.state();
        match state.machine.next(lease) {
            Next::Idle => {
                state.wait(lease, cx);
                Poll::Pending
            }
            next => Poll::Ready(next),
        }
    }

    /// Waits until something was said on the stream, or it is known that nothing will be.
    pub(super) fn poll_said(&self, lease: &Lease, cx: &Context<'_>) -> Poll<()> {
        let mut state = self.state();
        if state.machine.is_silent(lease) && !state.machine.is_over(lease) {
            state.wait(lease, cx);
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// Whoever reads the stream is to look.
    pub(super) fn wake(&self, stream: StreamId) {
        let wakers = self.state().take_wakers(stream);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits for the response.
    pub(super) fn poll_answered(&self, lease: &Lease, cx: &Context<'_>) -> Poll<Option<Encoded>> {
        let mut state = self.state();
        if let Some(response) = state.machine.take_response(lease) {
            self.changed();
            return Poll::Ready(Some(response));
        }
        if state.machine.is_over(lease) {
            return Poll::Ready(None);
        }
        state.wait(lease, cx);
        Poll::Pending
    }

    /// Takes the response out if nothing was said before it.
    pub(super) fn take_only_response(&self, lease: &Lease) -> Option<Encoded> {
        let mut state = self.state();
        if !state.machine.has_only_response(lease) {
            return None;
        }
        self.changed();
        state.machine.take_response(lease)
    }

    /// A reader is gone.
    pub(super) fn detach(self: &Arc<Self>, lease: &Lease) {
        let (over, told) = self.work(|state, now| {
            state.readers.retain(|(other, _)| other != lease);
            if state.readers.is_empty() {
                state.readers = Vec::new();
            }
            let left = state.machine.detach(lease, now);
            ((state.machine.is_closing() && !state.machine.has_readers(), left.told), left.wake)
        });
        self.tell_callers(told);
        self.connections.fetch_sub(1, Relaxed);
        self.stats(Stats::detached);
        if over {
            self.forget();
        }
    }

    /// Ends the session: its calls are answered with this fault, its streams end, its callers learn it. `failure` says why, if
    /// nobody wanted it to end.
    pub(super) fn close(&self, fault: &Fault, failure: Option<&'static str>) {
        // While its data are still to be had.
        if let Some(session) = self.facts.get().filter(|_| self.is_lasting()) {
            session.end(&self.settings, None, failure);
        }
        self.stop_all(fault, |_| ());
        if let Some(keeping) = &self.keeping {
            keeping.end();
        }
        self.forget_unread();
    }

    /// Nobody reads this session, which is over.
    fn forget_unread(&self) {
        if !self.state().machine.has_readers() {
            self.forget();
        }
    }

    /// Answers all calls with this fault, and lets the readers read to the end.
    fn stop_all(&self, fault: &Fault, last: impl FnOnce(&Machine<oneshot::Sender<Answer>>)) {
        let (told, stops, wakers) = {
            let mut state = self.state();
            let refuse = |id: &RequestId, revision| refusal(Some(id), revision, fault);
            let (stopped, told) = state.machine.close(refuse, Instant::now().into_std());
            last(&state.machine);
            let stops: Vec<_> = stopped.iter().filter_map(|call| state.take_call(*call)).collect();
            let readers = std::mem::take(&mut state.readers);
            (told, stops, readers)
        };
        wakers.into_iter().for_each(|(_, waker)| waker.wake());
        for stop in stops {
            stop.stop();
            self.stats(Stats::finished);
        }
        // Dropping what a caller left tells them.
        drop(told);
    }

    /// Nobody reads this closed session any more.
    fn forget(&self) {
        let told = {
            let mut state = self.state();
            let told = state.machine.forget();
            self.stats(|stats| stats.outbox(state.machine.take_counters()));
            told
        };
        self.tell_callers(told);
    }

    /// Does what is due, and says when to look again; `None` when the session has been idle for so long.
    pub(super) fn look_after(&self, idle: Duration) -> Option<Instant> {
        let (told, next) = self.work(|state, now| {
            let told = state.machine.expire(now);
            let next = match state.machine.idle_since() {
                Some(since) => since.checked_add(idle).filter(|due| *due > now),
                None => now.checked_add(idle),
            };
            let next = next.map(|next| state.machine.deadline().map_or(next, |due| due.min(next)));
            let next = next.map(Instant::from_std);
            state.watched = next;
            let taker = state.machine.taker();
            ((told, next), taker)
        });
        self.tell_callers(told);
        next
    }

    fn tell_callers(&self, told: Told<oneshot::Sender<Answer>>) {
        for (caller, delivery) in told.callers {
            let why = match delivery {
                Delivery::NotSent => AskError::Unreachable,
                Delivery::Unknown => AskError::OutcomeUnknown,
            };
            // Whoever asked may be gone.
            let _ = caller.send(Err(why));
        }
        for (stream, delivery) in told.responses {
            tracing::debug!(%stream, ?delivery, "nobody fetched a response");
        }
    }

    /// How the outbox fared since this was asked last.
    pub(super) fn take_counters(&self) -> hermes_proto::outbox::Counters {
        self.state().machine.take_counters()
    }

    /// Whether a client may use this session.
    pub(super) fn belongs_to(&self, principal: Option<&str>) -> bool {
        self.principal.as_deref() == principal
    }

    /// The resources that the session wants to hear of.
    pub(super) fn subscribed(&self) -> Vec<String> {
        self.state().machine.channel().subscribed().map(str::to_owned).collect()
    }

    /// The session, for operators.
    pub(super) fn listing(&self) -> SessionListing {
        let now = Instant::now();
        let (revision, running, idle) = {
            let state = self.state();
            let machine = &state.machine;
            (
                machine.revision(),
                machine.channel().running().len(),
                machine.idle_since().map(Instant::from_std),
            )
        };
        SessionListing {
            id: self.session_label().unwrap_or_default(),
            revision,
            client: self.facts.get().and_then(|facts| facts.handle.client_info().cloned()),
            running,
            idle: idle.map(|since| now.saturating_duration_since(since)),
        }
    }
}

impl Drop for SessionLink {
    fn drop(&mut self) {
        // Of a session that was closed nothing is left by now; that of a single POST ends here.
        self.forget();
        let accounted = self.state().accounted;
        if let Some(shared) = self.shared.upgrade() {
            shared.hold(accounted, 0);
        }
    }
}

impl State {
    /// What stops a call, which is over. An idle session holds no memory for its calls.
    fn take_call(&mut self, call: CallId) -> Option<Arc<Stop>> {
        let index = self.calls.binary_search_by_key(&call, |(one, _)| *one).ok()?;
        let (_, stop) = self.calls.remove(index);
        if self.calls.is_empty() {
            self.calls = Vec::new();
        }
        Some(stop)
    }

    fn wait(&mut self, lease: &Lease, cx: &Context<'_>) {
        match self.readers.iter_mut().find(|(reader, _)| reader == lease) {
            Some((_, waker)) => waker.clone_from(cx.waker()),
            None => self.readers.push((lease.clone(), cx.waker().clone())),
        }
    }

    /// All readers of a stream: also those whose lease is stale, who have to learn it.
    fn take_wakers(&mut self, stream: StreamId) -> Vec<Waker> {
        self.readers.extract_if(.., |(lease, _)| lease.stream() == stream).map(|(_, waker)| waker).collect()
    }
}
