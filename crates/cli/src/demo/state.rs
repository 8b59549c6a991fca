//! What the demo server counts. One for the whole process, whatever the session or era.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use schemars::JsonSchema;
use serde::Serialize;

/// The counters behind the tools `sleep`, `counters` and `touch`.
#[derive(Debug, Default)]
pub(crate) struct State {
    started: AtomicU64,
    done: AtomicU64,
    cancelled: AtomicU64,
    touched: AtomicU64,
}

/// What became of the calls of `sleep`.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Counters {
    /// Calls that began.
    started: u64,
    /// Calls that slept to their end.
    done: u64,
    /// Calls that were dropped or given up before.
    cancelled: u64,
}

impl State {
    pub(crate) fn counters(&self) -> Counters {
        Counters {
            started: self.started.load(Relaxed),
            done: self.done.load(Relaxed),
            cancelled: self.cancelled.load(Relaxed),
        }
    }

    /// Counts a call of `sleep`, which is cancelled unless it says that it is done.
    pub(crate) fn start(self: &Arc<Self>) -> Sleep {
        self.started.fetch_add(1, Relaxed);
        Sleep { state: Arc::clone(self), done: false }
    }

    /// Increments the counter resource; the new value.
    pub(crate) fn touch(&self) -> u64 {
        self.touched.fetch_add(1, Relaxed) + 1
    }

    pub(crate) fn touched(&self) -> u64 {
        self.touched.load(Relaxed)
    }
}

/// A call of `sleep` that is under way.
#[derive(Debug)]
pub(crate) struct Sleep {
    state: Arc<State>,
    done: bool,
}

impl Sleep {
    pub(crate) fn done(mut self) {
        self.done = true;
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        let counter = if self.done { &self.state.done } else { &self.state.cancelled };
        counter.fetch_add(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sleep_counts_once_as_done_or_as_cancelled() {
        let state = Arc::new(State::default());
        let (first, second) = (state.start(), state.start());
        assert_eq!(state.counters(), Counters { started: 2, done: 0, cancelled: 0 });
        first.done();
        drop(second);
        assert_eq!(state.counters(), Counters { started: 2, done: 1, cancelled: 1 });
    }

    #[test]
    fn touching_counts_from_nought() {
        let state = State::default();
        assert_eq!(state.touched(), 0);
        assert_eq!((state.touch(), state.touch()), (1, 2));
        assert_eq!(state.touched(), 2);
    }
}
