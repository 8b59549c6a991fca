//! What a client keeps while its connections come and go.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hermes_types::{JsonObject, LoggingLevel, Method, Ordered, RawJson};
use tokio::sync::{broadcast, watch};

use crate::cache::{Cache, Caching};
use crate::event::{CAPACITY, Event, Events};
use crate::notice::{Inbox, Notice};

/// Whoever listens to a client listens to all its connections, and every new one is told what the last one knew.
#[derive(Debug)]
pub(crate) struct Lasting {
    state: Mutex<State>,
    events: broadcast::Sender<Event>,
    /// How often something that the server said by itself may have been missed.
    gaps: watch::Sender<u64>,
    /// What the server has said, for as long as it said that it may be kept.
    pub(crate) cache: Cache,
}

#[derive(Debug, Default)]
struct State {
    inboxes: Vec<Weak<Inbox>>,
    is_over: bool,
    /// The level for the log messages of modern requests.
    log_level: Option<LoggingLevel>,
    /// What a legacy server has to be told again: by what it is about, the method and its parameters.
    kept: BTreeMap<String, (Method, RawJson)>,
}

impl Lasting {
    pub(crate) fn new(caching: Caching) -> Self {
        Self {
            state: Mutex::default(),
            events: broadcast::Sender::new(CAPACITY),
            gaps: watch::Sender::new(0),
            cache: Cache::new(caching),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new queue for the notifications from now on.
    pub(crate) fn listen(&self) -> Arc<Inbox> {
        let inbox = Arc::new(Inbox::default());
        let mut state = self.lock();
        if state.is_over {
            inbox.close();
        }
        state.inboxes.retain(|inbox| inbox.strong_count() > 0);
        state.inboxes.push(Arc::downgrade(&inbox));
        inbox
    }

    /// Gives a notification to everyone who listens.
    pub(crate) fn spread(&self, notice: &Notice) {
        let inboxes: Vec<_> = self.lock().inboxes.iter().filter_map(Weak::upgrade).collect();
        for inbox in inboxes {
            inbox.push(notice.clone());
        }
    }

    /// Nothing will come any more.
    pub(crate) fn end(&self) {
        let inboxes = {
            let mut state = self.lock();
            state.is_over = true;
            std::mem::take(&mut state.inboxes)
        };
        inboxes.iter().filter_map(Weak::upgrade).for_each(|inbox| inbox.close());
    }

    /// Tells everyone who wants to know.
    pub(crate) fn tell(&self, event: Event) {
        event.told();
        // Nobody need be there.
        let _ = self.events.send(event);
    }

    /// What the server said by itself may have been missed: from now on it is heard again.
    pub(crate) fn gap(&self) {
        self.gaps.send_modify(|gaps| *gaps += 1);
    }

    /// Changes with every [`gap`](Self::gap) from now on.
    pub(crate) fn gaps(&self) -> watch::Receiver<u64> {
        self.gaps.subscribe()
    }

    /// The events from now on.
    pub(crate) fn events(&self) -> Events {
        let receiver = self.events.subscribe();
        Events { receiver, is_over: self.lock().is_over }
    }

    pub(crate) fn log_level(&self) -> Option<LoggingLevel> {
        self.lock().log_level.clone()
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        self.lock().log_level = Some(level);
    }

    /// Takes note of what a legacy server was told, if it does not outlive the session or the process.
    pub(crate) fn keep(&self, method: &str, params: &Ordered<RawJson>) {
        let text = |member: &str| params.get(member)?.decode::<String>().ok();
        let only = |member: &str| {
            let only = JsonObject::from_iter([(member.to_owned(), params.get(member)?.clone())]);
            RawJson::encode(&only).ok()
        };
        match Method::parse(method) {
            Some(method @ Method::LoggingSetLevel) => {
                if let Some(level) = only("level") {
                    self.lock().kept.insert(String::new(), (method, level));
                }
            }
            Some(method @ Method::ResourcesSubscribe) => {
                if let (Some(uri), Some(params)) = (text("uri"), only("uri")) {
                    self.lock().kept.insert(uri, (method, params));
                }
            }
            Some(Method::ResourcesUnsubscribe) => {
                if let Some(uri) = text("uri") {
                    self.lock().kept.remove(&uri);
                }
            }
            _ => {}
        }
    }

    /// What a new session or process has to be told.
    pub(crate) fn kept(&self) -> Vec<(Method, RawJson)> {
        self.lock().kept.values().cloned().collect()
    }
}

impl Drop for Lasting {
    fn drop(&mut self) {
        self.end();
    }
}
