//! What lasts longer than a message: a legacy session, and the signal that a call is over.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once, OnceLock, PoisonError};
use std::time::Instant;

use hermes_proto::channel::Change;
use hermes_telemetry::server::{SessionEnd, session_terminated};
use hermes_telemetry::transport;
use hermes_types::{LoggingLevel, ServerCapabilities};
use tokio::sync::Notify;

use crate::component::Part;
use crate::facts::Facts;
use crate::hub::Catalog;
use crate::registry::{Registry, Standing};
use crate::session_handle::SessionHandle;
use crate::settings::Settings;

/// A legacy session, from its handshake to the end of the connection.
pub(crate) struct Session {
    /// What the rest of the program holds of it.
    pub(crate) handle: SessionHandle,
    /// What the server said it can do, once it has.
    declared: OnceLock<Arc<ServerCapabilities>>,
    /// The least severe level that is sent as a log message.
    log_level: Mutex<LoggingLevel>,
    /// What is offered in this session only; most sessions have nothing of their own.
    catalog: OnceLock<Catalog>,
    pub(crate) states: States,
    began: Instant,
    is_touched: AtomicBool,
    ended: Once,
}

impl Session {
    pub(crate) fn new(handle: SessionHandle) -> Self {
        Self {
            handle,
            declared: OnceLock::new(),
            log_level: Mutex::new(LoggingLevel::Info),
            catalog: OnceLock::new(),
            states: States::default(),
            began: Instant::now(),
            is_touched: AtomicBool::new(false),
            ended: Once::new(),
        }
    }

    /// The session is about to end: the author's hooks are told, once. `connection` is what it lived on, if it was one;
    /// `failure` says why it cannot go on, if nobody wanted it to end.
    pub(crate) fn end(&self, settings: &Settings, connection: Option<&Facts>, failure: Option<&'static str>) {
        self.ended.call_once(|| {
            let end = SessionEnd {
                session: &self.handle.label(),
                revision: self.handle.revision(),
                transport: connection.map_or(transport::kind::HTTP, Facts::transport),
                protocol: connection.map_or(Some("http"), Facts::protocol),
                failure,
            };
            session_terminated(&settings.timings, &end, self.began);
            settings.hooks.ended(&self.handle);
        });
    }

    /// The client was told what the server can do. Before that it hears of no change.
    pub(crate) fn declare(&self, declared: ServerCapabilities) {
        if let Some(hub) = self.handle.hub() {
            // The channel accepts one handshake for each session.
            let _ = self.declared.set(hub.declared.one(declared));
        }
    }

    /// Whether the client may hear of such a change.
    pub(crate) fn has_declared(&self, change: &Change) -> bool {
        self.declared.get().is_some_and(|declared| match change {
            Change::Prompts => declared.prompts.is_some(),
            Change::Resource(_) | Change::Resources => declared.resources.is_some(),
            Change::Tools => declared.tools.is_some(),
        })
    }

    /// What is offered in this session only, as it is now.
    pub(crate) fn catalog(&self) -> Option<Arc<Registry>> {
        self.catalog.get().map(Catalog::now)
    }

    /// Changes what is offered in this session only.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut Registry) -> T) -> T {
        self.catalog.get_or_init(Catalog::default).change(change)
    }

    /// How a part stands in this session.
    pub(crate) fn standing(&self, part: Part<'_>) -> Standing {
        self.catalog().map(|registry| registry.standing(part)).unwrap_or_default()
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = level;
        self.is_touched.store(true, Ordering::Release);
    }

    /// The least severe level that is sent as a log message.
    pub(crate) fn log_level(&self) -> LoggingLevel {
        self.log_level.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What the server said it can do, once it has.
    pub(crate) fn declared(&self) -> Option<&ServerCapabilities> {
        self.declared.get().map(|declared| &**declared)
    }

    /// Whether something of this was changed that its client counts on, told once.
    pub(crate) fn take_touched(&self) -> bool {
        self.is_touched.swap(false, Ordering::AcqRel)
    }

    /// Whether the client wants log messages of this level.
    pub(crate) fn wants_log(&self, level: &LoggingLevel) -> bool {
        *level >= *self.log_level.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Values of handlers, one for each type.
#[derive(Default)]
pub(crate) struct States(Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl States {
    /// The value of this type, made when first asked for.
    pub(crate) fn value<T: Default + Send + Sync + 'static>(&self) -> Arc<T> {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        // The key is the value's own type, so the cast never fails; a fresh value is right all the same.
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// The value of the type with this id, if it was made.
    pub(crate) fn find(&self, id: TypeId) -> Option<Arc<dyn Any + Send + Sync>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&id).map(Arc::clone)
    }

    /// Puts a value there that was kept, under the id of its type.
    pub(crate) fn put(&self, id: TypeId, value: Arc<dyn Any + Send + Sync>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(id, value);
    }
}

/// Tells whoever works for a call that it is over.
#[derive(Default)]
pub(crate) struct Stop {
    over: AtomicBool,
    told: Notify,
}

impl Stop {
    /// The call is over.
    pub(crate) fn stop(&self) {
        if !self.over.swap(true, Ordering::SeqCst) {
            self.told.notify_waiters();
        }
    }

    /// Waits until the call is over.
    pub(crate) async fn stopped(&self) {
        // First this: whoever has it hears of what comes after.
        let told = self.told.notified();
        if !self.is_stopped() {
            told.await;
        }
    }

    /// Whether the call is over.
    pub(crate) fn is_stopped(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }
}
