//! The functions of the host that are called from where things happen.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::Warning;
use crate::child::OnStderr;
use crate::http_head::HttpHead;

/// Which way a message goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// To the server.
    Sent,
    /// From the server.
    Received,
}

pub(crate) type OnWire = Arc<dyn Fn(Direction, &str) + Send + Sync>;
pub(crate) type OnHttp = Arc<dyn Fn(Direction, &HttpHead) + Send + Sync>;
pub(crate) type OnWarning = Arc<dyn Fn(&Warning) + Send + Sync>;

/// Called on the tasks that read and write: they must not block.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) on_wire: Option<OnWire>,
    pub(crate) on_http: Option<OnHttp>,
    pub(crate) on_stderr: Option<OnStderr>,
    pub(crate) on_warning: Option<OnWarning>,
}

/// Calls a function of the host. A panic in it is for the host to read of: it must not end a task of ours, for calls
/// wait on those.
pub(crate) fn call(name: &str, function: impl FnOnce()) {
    // Nothing of ours is changed by the function, so nothing is left half done.
    if catch_unwind(AssertUnwindSafe(function)).is_err() {
        tracing::error!(function = name, "a function of the host panicked");
    }
}

impl Hooks {
    pub(crate) fn wire(&self, direction: Direction, text: &str) {
        if let Some(on_wire) = &self.on_wire {
            call("on_wire", || on_wire(direction, text));
        }
    }

    pub(crate) fn http(&self, direction: Direction, head: impl FnOnce() -> HttpHead) {
        if let Some(on_http) = &self.on_http {
            call("on_http", || on_http(direction, &head()));
        }
    }

    pub(crate) fn warn(&self, warning: &Warning) {
        // Without the words of the server, which may hold anything.
        tracing::debug!(warning = warning.word());
        if let Some(on_warning) = &self.on_warning {
            call("on_warning", || on_warning(warning));
        }
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
