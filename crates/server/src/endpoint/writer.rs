//! Writing what changed: one task for all sessions, and one transaction for all that changed meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::{Notify, oneshot, watch};

use super::session::SessionLink;
use crate::store::{Change, Store, StoreError};

/// For how long a change may wait that nobody waits for.
const LAG: Duration = Duration::from_millis(100);

/// After how long a commit is tried again.
const AGAIN: Duration = Duration::from_secs(1);

/// What waits to be written.
pub(super) struct Writer {
    store: Arc<dyn Store>,
    queue: Mutex<Queue>,
    /// Something is there, or is wanted at once, or the writer is not needed any more.
    bell: Arc<Notify>,
    is_started: Once,
    is_failing: watch::Sender<bool>,
}

#[derive(Default)]
struct Queue {
    batch: Batch,
    is_urgent: bool,
}

#[derive(Default)]
struct Batch {
    /// Sessions that have changed.
    sessions: Vec<Arc<SessionLink>>,
    /// The last changes of sessions that are over, or that rest.
    last: Vec<(Vec<Change>, Option<Arc<SessionLink>>)>,
    /// Who waits until all of this is written.
    flushing: Vec<oneshot::Sender<()>>,
}

impl Writer {
    pub(super) fn new(store: Arc<dyn Store>) -> Arc<Self> {
        Arc::new(Self {
            store,
            queue: Mutex::default(),
            bell: Arc::default(),
            is_started: Once::new(),
            is_failing: watch::Sender::new(false),
        })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing under the lock runs foreign code, so a poisoned queue is still in order.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the task that writes, once. Needs a runtime.
    pub(super) fn start(self: &Arc<Self>) {
        self.is_started.call_once(|| drop(tokio::spawn(write(Arc::downgrade(self), Arc::clone(&self.bell)))));
    }

    /// Whether nothing can be written now.
    pub(super) fn is_failing(&self) -> bool {
        *self.is_failing.borrow()
    }

    /// Waits until nothing can be written.
    pub(super) async fn failing(&self) {
        // The sender is ours: it is there.
        let _ = self.is_failing.subscribe().wait_for(|is_failing| *is_failing).await;
    }

    /// This session has changed.
    pub(super) fn list(&self, link: Arc<SessionLink>) {
        self.queue().batch.sessions.push(link);
        self.bell.notify_one();
    }

    /// Somebody waits for what is listed.
    pub(super) fn hurry(&self) {
        self.queue().is_urgent = true;
        self.bell.notify_one();
    }

    /// The last changes of a session.
    pub(super) fn conclude(&self, changes: Vec<Change>, link: Option<Arc<SessionLink>>) {
        self.queue().batch.last.push((changes, link));
        self.bell.notify_one();
    }

    /// Waits until everything is written that was listed before.
    pub(super) async fn flush(self: &Arc<Self>) {
        let (done, written) = oneshot::channel();
        self.queue().batch.flushing.push(done);
        self.hurry();
        // Without a writer nothing can be waited for.
        let _ = written.await;
    }

    fn take(&self) -> Batch {
        let mut queue = self.queue();
        queue.is_urgent = false;
        std::mem::take(&mut queue.batch)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.bell.notify_one();
    }
}

impl Batch {
    fn is_empty(&self) -> bool {
        self.sessions.is_empty() && self.last.is_empty() && self.flushing.is_empty()
    }
}

/// Writes as long as the endpoint lives.
async fn write(writer: Weak<Writer>, bell: Arc<Notify>) {
    /// What is to be done, as far as that can be seen from outside.
    fn look(writer: &Weak<Writer>) -> Option<(bool, bool)> {
        let writer = writer.upgrade()?;
        let queue = writer.queue();
        Some((queue.batch.is_empty(), queue.is_urgent))
    }
    // Waiting holds nothing of the endpoint.
    while let Some((is_empty, is_urgent)) = look(&writer) {
        if is_empty {
            bell.notified().await;
            continue;
        }
        if !is_urgent {
            let urgent = async {
                while look(&writer).is_some_and(|(_, is_urgent)| !is_urgent) {
                    bell.notified().await;
                }
            };
            // Then it is written without anybody's waiting for it.
            let _ = tokio::time::timeout(LAG, urgent).await;
        }
        commit(&writer).await;
    }
}

/// Writes all that is there, as often as it takes.
async fn commit(writer: &Weak<Writer>) {
    let Some(batch) = writer.upgrade().map(|writer| writer.take()) else { return };
    let mut work = Work { batch, changes: Vec::new(), versions: Vec::new() };
    let mut is_new = true;
    loop {
        let Some(store) = writer.upgrade().map(|writer| Arc::clone(&writer.store)) else { return };
        let writing = tokio::task::spawn_blocking(move || {
            if is_new {
                work.collect(SessionLink::collect);
            }
            let outcome = work.write(&*store);
            (work, outcome)
        });
        // The runtime ends, and with it everything that could wait.
        let Ok((worked, outcome)) = writing.await else { return };
        (work, is_new) = (worked, false);
        let Some(living) = writer.upgrade() else { return };
        match outcome {
            Ok(()) => {
                if living.is_failing.send_replace(false) {
                    tracing::warn!("the store can be written again");
                }
                return work.finish();
            }
            Err(error) => {
                if !living.is_failing.send_replace(true) {
                    let why = std::error::Error::source(&error).map(ToString::to_string);
                    tracing::error!(%error, why, "new requests are refused until it can be written again");
                }
            }
        }
        drop(living);
        tokio::time::sleep(AGAIN).await;
    }
}

/// One transaction.
struct Work {
    batch: Batch,
    changes: Vec<Change>,
    /// Which version of which session it writes.
    versions: Vec<(Arc<SessionLink>, u64)>,
}

impl Work {
    /// Reads what changed, session by session.
    ///
    /// A session that cannot be read is a fault of ours, and no reason to have anybody wait for ever: it goes on in this
    /// process, and no other will know it. Half of its changes would contradict each other.
    fn collect(&mut self, read: impl Fn(&SessionLink, &mut Vec<Change>) -> Option<u64>) {
        for link in std::mem::take(&mut self.batch.sessions) {
            let before = self.changes.len();
            let reading = catch_unwind(AssertUnwindSafe(|| read(&link, &mut self.changes)));
            let version = reading.unwrap_or_else(|_| {
                self.changes.truncate(before);
                tracing::error!(session = ?link.id(), "reading a session panicked: it is not kept any more");
                link.forgo(&mut self.changes);
                Some(u64::MAX)
            });
            self.versions.extend(version.map(|version| (link, version)));
        }
        for (changes, link) in std::mem::take(&mut self.batch.last) {
            self.changes.extend(changes);
            // Nothing that comes after it is kept, so nothing of it is waited for.
            self.versions.extend(link.map(|link| (link, u64::MAX)));
        }
    }

    fn write(&self, store: &dyn Store) -> Result<(), StoreError> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let writing = catch_unwind(AssertUnwindSafe(|| store.commit(&self.changes)));
        writing.unwrap_or_else(|_| Err(StoreError::Write("the store panicked".into())))
    }

    /// It is written: tells whoever waits.
    fn finish(self) {
        for (link, version) in self.versions {
            link.stored(version);
        }
        for flushing in self.batch.flushing {
            let _ = flushing.send(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Server;
    use crate::endpoint::{Endpoint, Options};
    use crate::store::{Loaded, MemoryStore, Place};
    use hermes_proto::admit::Accept;
    use std::collections::BTreeSet;
    use std::error::Error;

    const HELLO: &str = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;

    #[tokio::test(start_paused = true)]
    async fn a_session_that_cannot_be_read_has_nobody_wait_and_the_others_are_kept()
    -> Result<(), Box<dyn Error>> {
        let memory = MemoryStore::default();
        let options = Options { store: Some(Loaded::load(memory.clone()).await?), ..Options::default() };
        let endpoint = Endpoint::new(Server::new("demo", "0.1.0"), options);
        let mut links = Vec::new();
        for _ in 0..2 {
            let accept = Accept { json: true, events: true };
            let (_, id) = endpoint.initialize(HELLO, accept, None).await?;
            let found = endpoint.session(&id.unwrap_or_default(), None);
            links.push(found.map_err(|gone| gone.as_str())?.0);
        }
        let [broken, sound] = links.as_slice() else { return Err("two sessions".into()) };
        // Something changed in both.
        links.iter().for_each(|link| link.go_on());
        let batch = Batch { sessions: links.clone(), ..Batch::default() };
        let mut work = Work { batch, changes: Vec::new(), versions: Vec::new() };

        work.collect(|link, changes| {
            let version = link.collect(changes);
            assert!(link.id() != broken.id(), "a fault of ours");
            version
        });

        work.write(&memory)?;
        work.finish();
        for link in &links {
            tokio::time::timeout(LAG, link.kept()).await?;
        }
        let places = memory.load()?.into_iter().map(|record| record.place);
        let sessions: BTreeSet<_> = places.filter(|place| matches!(place, Place::Session(_))).collect();
        assert_eq!(sessions, sound.id().map(Place::Session).into_iter().collect());
        Ok(())
    }
}
