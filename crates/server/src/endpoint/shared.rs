//! An endpoint: a server and its sessions.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, SystemTime};

use hermes_proto::admit::{Accept, Gone, session_expired};
use hermes_proto::channel::Channel;
use hermes_proto::outbox::{EventId, Outbox, ResumeError};
use hermes_proto::session::{Roster, Session as Machine, SessionId};
use hermes_telemetry::server::{init, session_cleanup, terminate};
use hermes_telemetry::transport::kind;
use hermes_types::{Fault, FaultKind, Implementation, Revision};
use http::request::Parts;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;

use super::graves::Graves;
use super::keeping::Keeping;
use super::reader::EventStream;
use super::session::SessionLink;
use super::sweep::sweep;
use super::writer::Writer;
use super::{Metrics, Options, SessionEvent, Stats};
use crate::link::{Answer, Link};
use crate::server::Server;

/// How long shutting down waits for its store.
const WRITING: Duration = Duration::from_secs(5);

/// A server with its sessions, for transports that carry one message at a time.
///
/// A cheap clone; all clones are the same endpoint. The sessions live as long as one of them.
///
/// ```
/// use hermes_server::Server;
/// use hermes_server::endpoint::{Endpoint, Options};
///
/// let endpoint = Endpoint::new(Server::new("demo", "0.1.0"), Options::default());
/// assert_eq!(endpoint.metrics().sessions, 0);
/// ```
#[derive(Clone)]
pub struct Endpoint {
    pub(super) shared: Arc<Shared>,
    /// The head of the HTTP request that is being served.
    pub(super) head: Option<Arc<Parts>>,
}

/// What all clones share.
pub(crate) struct Shared {
    pub(super) server: Server,
    pub(super) options: Options,
    pub(super) stats: Stats,
    /// When the endpoint has waited long enough for its handlers, once it shuts down.
    pub(super) closing: watch::Sender<Option<Instant>>,
    roster: Mutex<Roster<Arc<SessionLink>>>,
    /// Those that are for one request only, while it runs: nobody finds them, but the end of the server has to.
    lone: Mutex<Vec<Weak<SessionLink>>>,
    /// The next session to look after is another one than before.
    sooner: Arc<Notify>,
    is_swept: std::sync::Once,
    /// Modern requests, and legacy calls in tasks of their own.
    running: AtomicUsize,
    /// None of them runs any more.
    quiet: Notify,
    /// Bytes of messages that wait for the clients of all sessions.
    held: AtomicUsize,
    /// Keeps the sessions, where there is a store.
    pub(super) writer: Option<Arc<Writer>>,
    /// Those of them that have ended.
    pub(super) graves: Graves,
}

/// As many sessions as allowed are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("as many sessions as allowed are in use")]
#[non_exhaustive]
pub struct AtCapacity {
    /// After how long to try again.
    pub retry_after: Duration,
}

/// A legacy session that was found.
#[derive(Clone)]
pub struct SessionRef(pub(super) Arc<SessionLink>);

/// A session, for operators.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionListing {
    /// The first digits of its id: the whole id is a secret of its client.
    pub id: String,
    /// What it speaks.
    pub revision: Revision,
    /// Who its client says it is.
    pub client: Option<Implementation>,
    /// How many calls run.
    pub running: usize,
    /// For how long nothing has happened; `None` while it is in use.
    pub idle: Option<Duration>,
}

impl Endpoint {
    /// An endpoint with the sessions that its [store](Options::store) has kept, or without any.
    ///
    /// With a store, what was running when the server ended before has the outcome `outcome_unknown` from now on, and a
    /// task is started that writes; so a runtime has to be there.
    #[must_use]
    pub fn new(server: Server, options: Options) -> Self {
        if let Err(flaws) = server.check() {
            tracing::error!("{flaws}");
        }
        init(&server.settings.info.name, &server.settings.info.version, kind::HTTP);
        let store = options.store.clone();
        let server = match &store {
            Some(store) => store.lend_key(server),
            None => server,
        };
        let shared = Arc::new(Shared {
            writer: store.as_ref().map(|store| Writer::new(store.store())),
            graves: Graves::default(),
            roster: Mutex::new(Roster::new(options.max_sessions)),
            lone: Mutex::default(),
            server,
            options,
            stats: Stats::default(),
            closing: watch::Sender::new(None),
            sooner: Arc::default(),
            is_swept: std::sync::Once::new(),
            running: AtomicUsize::new(0),
            quiet: Notify::new(),
            held: AtomicUsize::new(0),
        });
        if let (Some(store), Some(writer)) = (&store, &shared.writer) {
            writer.start();
            shared.restore(store.take());
        }
        Self { shared, head: None }
    }

    /// The same endpoint for one HTTP request: the handlers of the calls that it brings know its head.
    #[must_use]
    pub fn carrying(&self, head: Arc<Parts>) -> Self {
        Self { shared: Arc::clone(&self.shared), head: Some(head) }
    }

    /// What it serves.
    pub fn server(&self) -> &Server {
        &self.shared.server
    }

    /// How it was set up.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// The session with this id, if this principal may use it. It is in use from now on.
    ///
    /// # Errors
    /// [`Gone`]: there is none. Somebody else's session is `Unknown`: nobody learns that it exists.
    pub fn session(&self, id: &str, principal: Option<&str>) -> Result<SessionRef, Gone> {
        let id: SessionId = id.parse().map_err(|_| Gone::Unknown)?;
        let link = self.shared.roster().find(id)?;
        if link.belongs_to(principal) { Ok(SessionRef(link)) } else { Err(Gone::Unknown) }
    }

    /// Whether as many connections read streams of this session as may.
    #[must_use]
    pub fn is_crowded(&self, session: &SessionRef) -> bool {
        session.0.connections() >= self.shared.options.max_streams
    }

    /// Opens a stream of what belongs to no call. `None` if the session ends at this very moment.
    #[must_use]
    pub fn listen(&self, session: &SessionRef) -> Option<EventStream> {
        let lease = session.0.attach()?;
        let priming = session.revision() == Revision::V2025_11_25;
        Some(EventStream::of_log(Arc::clone(&session.0), lease, priming))
    }

    /// Goes on with a stream after the event with this id.
    ///
    /// # Errors
    /// [`ResumeError`]: the id is none that this client can go on after.
    pub fn resume(&self, session: &SessionRef, last_event_id: &str) -> Result<EventStream, ResumeError> {
        let cursor: EventId = last_event_id.parse().map_err(|_| ResumeError::Unknown)?;
        let lease = session.0.resume(cursor)?;
        Ok(EventStream::of_log(Arc::clone(&session.0), lease, false))
    }

    /// Waits until the store, if there is one, has what happened to this session up to now: that it was
    /// [terminated](Self::terminate), for one.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub async fn kept(&self, session: &SessionRef) {
        session.0.kept().await;
    }

    /// Ends a session: its calls are answered with `session_expired`, its streams end. Whether it was there.
    pub fn terminate(&self, session: &SessionRef) -> bool {
        let ended = session.0.id().is_some_and(|id| self.shared.end(id, Gone::Terminated).is_some());
        if ended {
            self.shared.stats.terminated();
            self.shared.options.on_session.tell(SessionEvent::Terminated, || session.0.listing());
        }
        ended
    }

    /// The sessions that are open.
    #[must_use]
    pub fn sessions(&self) -> Vec<SessionListing> {
        let sessions: Vec<_> = self.shared.roster().iter().map(|(_, link)| Arc::clone(link)).collect();
        sessions.iter().map(|link| link.listing()).collect()
    }

    /// Counts a request that its transport refused before it came here.
    pub fn count_refused(&self) {
        self.shared.stats.refused();
    }

    /// Counts a response in one JSON text whose connection never asked for it.
    pub fn count_undelivered(&self) {
        self.shared.stats.undelivered();
    }

    /// What has happened so far.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let links: Vec<_> = self.shared.roster().iter().map(|(_, link)| Arc::clone(link)).collect();
        for link in &links {
            self.shared.stats.outbox(link.take_counters());
        }
        Metrics {
            sessions: links.len() as u64,
            held_bytes: self.shared.held.load(Ordering::Relaxed) as u64,
            ..self.shared.stats.snapshot()
        }
    }

    /// Whether the endpoint takes new requests: until [`Endpoint::shut_down`].
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.shared.closing.borrow().is_none()
    }

    /// Whether the endpoint can serve whoever comes: it is open, and its [store](super::Options::store), if it has one, can be
    /// written. Requests that need no session are served in any case.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.is_open() && !self.shared.is_store_failing()
    }

    /// Waits until the endpoint takes no new requests any more: until [`Endpoint::shut_down`] has begun.
    ///
    /// # Cancel safety
    /// Waiting changes nothing.
    pub async fn ending(&self) {
        // The sender is ours: it is there.
        let _ = self.shared.closing.subscribe().wait_for(Option::is_some).await;
    }

    /// Lets what runs come to its end within the server's grace time, then refuses the rest and ends every
    /// stream with its outcome. With a [store](Options::store) the sessions do not end: they wait there.
    ///
    /// # Cancel safety
    /// Once polled, the shutdown has begun and cannot be taken back.
    pub async fn shut_down(&self) {
        let now = Instant::now();
        let grace = self.shared.server.settings.shutdown_grace;
        // A grace time beyond all clocks is as good as a day.
        let until = now.checked_add(grace).unwrap_or(now + Duration::from_secs(86_400));
        self.shared.closing.send_replace(Some(until));
        let quiet = async {
            loop {
                let quiet = self.shared.quiet.notified();
                if self.shared.running.load(Ordering::SeqCst) == 0 {
                    return;
                }
                quiet.await;
            }
        };
        if tokio::time::timeout_at(until, quiet).await.is_err() {
            tracing::warn!("the grace time is over: handlers are stopped");
        }
        let ids: Vec<_> = self.shared.roster().iter().map(|(id, _)| id).collect();
        let fault = Fault::new(FaultKind::ServerError, "the server is shutting down");
        let lone = std::mem::take(&mut *self.shared.lone.lock().unwrap_or_else(PoisonError::into_inner));
        lone.iter().filter_map(Weak::upgrade).for_each(|link| link.close(&fault, None));
        let mut resting = Vec::new();
        for id in ids {
            let link = self.shared.roster().remove(id, Gone::Terminated);
            if let Some(link) = link {
                let event = if link.rest(&fault) { SessionEvent::Resting } else { SessionEvent::Terminated };
                self.shared.options.on_session.tell(event, || link.listing());
                resting.push(link);
            }
        }
        if let Some(writer) = &self.shared.writer
            && tokio::time::timeout(WRITING, writer.flush()).await.is_err()
        {
            tracing::error!("the last changes could not be written to the store");
            // Nobody has to wait for it any more.
            resting.iter().for_each(|link| link.stored(u64::MAX));
        }
        terminate(&self.shared.server.settings.info.name, "the endpoint was shut down");
    }
}

impl SessionRef {
    /// What the session speaks.
    #[must_use]
    pub fn revision(&self) -> Revision {
        self.0.revision()
    }
}

impl fmt::Debug for SessionRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionRef").field(&self.0.id()).finish()
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("server", &self.shared.server).finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn roster(&self) -> MutexGuard<'_, Roster<Arc<SessionLink>>> {
        // Nothing under the lock runs foreign code, so a poisoned roster is still in order.
        self.roster.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn machine(&self, channel: Channel<oneshot::Sender<Answer>>) -> Machine<oneshot::Sender<Answer>> {
        let outbox = Outbox::new(self.options.patience, self.options.budget);
        Machine::new(channel, outbox, Instant::now().into_std())
    }

    /// The session of a single POST, to which nobody can come back.
    pub(super) fn lone_session(
        self: &Arc<Self>,
        principal: Option<Arc<str>>,
        channel: Channel<oneshot::Sender<Answer>>,
    ) -> Arc<SessionLink> {
        let link = Arc::new(SessionLink::new(self, None, principal, self.machine(channel), None));
        let mut lone = self.lone.lock().unwrap_or_else(PoisonError::into_inner);
        // Only when the list is full: sweeping costs as much as there are.
        if lone.len() == lone.capacity() {
            lone.retain(|link| link.strong_count() > 0);
        }
        lone.push(Arc::downgrade(&link));
        drop(lone);
        link
    }

    pub(super) fn open_session(
        self: &Arc<Self>,
        principal: Option<Arc<str>>,
        channel: Channel<oneshot::Sender<Answer>>,
    ) -> Result<Arc<SessionLink>, AtCapacity> {
        let mut random = [0; 16];
        // Without randomness ids could be guessed: then there are no sessions.
        if getrandom::fill(&mut random).is_err() {
            tracing::error!("the operating system gives no random bytes: no session can be opened");
            return Err(AtCapacity { retry_after: Duration::from_secs(60) });
        }
        let id = SessionId::from_bytes(random);
        let machine = self.machine(channel);
        let link = Arc::new_cyclic(|link| {
            let writer = self.writer.as_ref().map(Arc::clone);
            let keeping = writer.map(|writer| Box::new(Keeping::new(writer, link.clone(), id)));
            SessionLink::new(self, Some(id), principal, machine, keeping)
        });
        let now = Instant::now();
        let admitted = self.roster().admit(id, Arc::clone(&link), now.into_std());
        let Ok(admitted) = admitted else {
            self.stats.no_room();
            return Err(AtCapacity { retry_after: self.options.session_idle.min(Duration::from_secs(30)) });
        };
        if let Some((_, evicted)) = admitted.evicted {
            self.stats.evicted();
            session_cleanup(&evicted.session_label().unwrap_or_default(), "evicted");
            self.bury(evicted.id(), Gone::Expired);
            evicted.close(&session_expired(Gone::Expired), Some("evicted"));
            self.options.on_session.tell(SessionEvent::Evicted, || evicted.listing());
        }
        self.stats.opened();
        let joined: Arc<dyn Link> = Arc::clone(&link) as _;
        self.server.hub.join(&joined);
        if let Some(due) = now.checked_add(self.options.session_idle) {
            self.watch(id, due);
        }
        Ok(link)
    }

    /// Takes a session out and closes it.
    pub(super) fn end(&self, id: SessionId, why: Gone) -> Option<Arc<SessionLink>> {
        let link = self.roster().remove(id, why)?;
        self.bury(Some(id), why);
        let failure = matches!(why, Gone::Expired).then(|| why.as_str());
        link.close(&session_expired(why), failure);
        session_cleanup(&link.session_label().unwrap_or_default(), why.as_str());
        Some(link)
    }

    /// Has the store remember that a session has ended: before its records go, so that no process knows neither.
    fn bury(&self, id: Option<SessionId>, why: Gone) {
        if let (Some(writer), Some(id)) = (&self.writer, id) {
            writer.conclude(self.graves.bury(id, why, SystemTime::now()), None);
        }
    }

    /// Sees to it that a session is looked after at this time.
    pub(super) fn watch(self: &Arc<Self>, id: SessionId, at: Instant) {
        let sooner = self.roster().watch(id, at.into_std());
        self.is_swept.call_once(|| drop(tokio::spawn(sweep(Arc::downgrade(self), Arc::clone(&self.sooner)))));
        if sooner {
            self.sooner.notify_one();
        }
    }

    /// In which of the forms that a client takes it is answered.
    pub(super) fn forms(&self, accept: Accept) -> Accept {
        Accept { json: accept.json && !(self.options.always_stream && accept.events), ..accept }
    }

    /// A session holds so many bytes now, and held so many before. Gives by how many bytes all together hold too
    /// much.
    pub(super) fn hold(&self, before: usize, now: usize) -> usize {
        let held = if now >= before {
            self.held.fetch_add(now - before, Ordering::Relaxed) + (now - before)
        } else {
            self.held.fetch_sub(before - now, Ordering::Relaxed) - (before - now)
        };
        held.saturating_sub(self.options.max_held_bytes)
    }

    /// Whether as many requests run, or as much waits for clients that do not fetch it, as may. Refusing what is new
    /// loses nothing.
    pub(super) fn is_full(&self) -> bool {
        self.running.load(Ordering::Relaxed) >= self.options.max_running
            || self.held.load(Ordering::Relaxed) > self.options.max_held_bytes
    }

    /// Whether what sessions do cannot be kept now, although there is a store.
    pub(super) fn is_store_failing(&self) -> bool {
        self.writer.as_ref().is_some_and(|writer| writer.is_failing())
    }

    /// Waits until that is so; for ever without a store.
    pub(super) async fn store_failing(&self) {
        match &self.writer {
            Some(writer) => writer.failing().await,
            None => std::future::pending().await,
        }
    }

    /// What became of a session that has ended.
    pub(super) fn fate(&self, link: &SessionLink) -> Gone {
        let found = link.id().map_or(Err(Gone::Terminated), |id| self.roster().find(id));
        found.err().unwrap_or(Gone::Terminated)
    }

    /// Something runs that shutting down waits for.
    pub(super) fn entered(&self) {
        self.running.fetch_add(1, Ordering::SeqCst);
    }

    /// It has ended.
    pub(super) fn left(&self) {
        if self.running.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.quiet.notify_waiters();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // The task that looks after the sessions ends.
        self.sooner.notify_one();
    }
}
