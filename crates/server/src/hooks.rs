//! Functions of the author that are told what becomes of sessions.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::session_handle::SessionHandle;

type Hook = Arc<dyn Fn(&SessionHandle) + Send + Sync>;

/// What is told when a session opens, is restored and ends.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    opened: Vec<Hook>,
    ended: Vec<Hook>,
    restored: Vec<Hook>,
}

impl Hooks {
    pub(crate) fn on_open(&mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) {
        self.opened.push(Arc::new(told));
    }

    pub(crate) fn on_close(&mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) {
        self.ended.push(Arc::new(told));
    }

    pub(crate) fn on_restore(&mut self, told: impl Fn(&SessionHandle) + Send + Sync + 'static) {
        self.restored.push(Arc::new(told));
    }

    pub(crate) fn opened(&self, session: &SessionHandle) {
        tell(&self.opened, session);
    }

    pub(crate) fn ended(&self, session: &SessionHandle) {
        tell(&self.ended, session);
    }

    pub(crate) fn restored(&self, session: &SessionHandle) {
        tell(&self.restored, session);
    }
}

/// A hook that panics costs no client its answer, and no other hook its turn.
fn tell(hooks: &[Hook], session: &SessionHandle) {
    for hook in hooks {
        if catch_unwind(AssertUnwindSafe(|| hook(session))).is_err() {
            tracing::error!(session = session.number(), "a session hook panicked");
        }
    }
}
