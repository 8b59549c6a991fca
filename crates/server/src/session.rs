//! What lasts longer than a message: a legacy session, and the signal that a call is over.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_proto::channel::Change;
use hermes_proto::opening::Handshake;
use hermes_types::{LoggingLevel, ServerCapabilities};
use tokio::sync::watch;

/// A legacy session, from its handshake to the end of the connection.
pub(crate) struct Session {
    pub(crate) client: Handshake,
    /// What the server said it can do.
    declared: ServerCapabilities,
    /// The least severe level that is sent as a log message.
    log_level: Mutex<LoggingLevel>,
    pub(crate) states: States,
}

impl Session {
    pub(crate) fn new(client: Handshake, declared: ServerCapabilities) -> Self {
        Self { client, declared, log_level: Mutex::new(LoggingLevel::Info), states: States::default() }
    }

    /// Whether the client may hear of such a change.
    pub(crate) const fn has_declared(&self, change: &Change) -> bool {
        match change {
            Change::Prompts => self.declared.prompts.is_some(),
            Change::Resource(_) | Change::Resources => self.declared.resources.is_some(),
            Change::Tools => self.declared.tools.is_some(),
        }
    }

    pub(crate) fn set_log_level(&self, level: LoggingLevel) {
        *self.log_level.lock().unwrap_or_else(PoisonError::into_inner) = level;
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
}

/// Tells whoever works for a call that it is over.
#[derive(Default)]
pub(crate) struct Stop {
    over: watch::Sender<bool>,
}

impl Stop {
    /// The call is over.
    pub(crate) fn stop(&self) {
        self.over.send_replace(true);
    }

    /// Waits until the call is over.
    pub(crate) async fn stopped(&self) {
        // The sender lives as long as `self`, so this ends with the value and never with an error.
        let _ = self.over.subscribe().wait_for(|over| *over).await;
    }

    /// Whether the call is over.
    pub(crate) fn is_stopped(&self) -> bool {
        *self.over.borrow()
    }
}
