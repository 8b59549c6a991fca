//! What a client warns of, beyond the single warning.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use hermes::{Direction, HttpHead, Warning};

/// What was warned of, and is over or not worth saying again.
///
/// The client says when the server's own messages do not arrive any more, in the legacy era; that they do again is seen in the
/// answer to the request that asks for them.
#[derive(Debug, Default)]
pub(crate) struct Warned {
    /// Whether the server's own messages do not arrive.
    is_lost: AtomicBool,
    /// The number of the exchange that asked for them last, from 1.
    asked: AtomicU64,
    /// The kinds of noise that were told.
    noises: Mutex<BTreeSet<String>>,
}

impl Warned {
    /// The client warns of something. Says whether that is news: a server that is started for a second attempt makes the same
    /// noise again.
    pub(crate) fn is_news(&self, warning: &Warning) -> bool {
        match warning {
            Warning::PushStreamLost { .. } => self.is_lost.store(true, Relaxed),
            Warning::Noise { kind, .. } => {
                let mut noises = self.noises.lock().unwrap_or_else(PoisonError::into_inner);
                return noises.insert(kind.to_string());
            }
            _ => {}
        }
        true
    }

    /// A head goes by. Says whether the stream that was lost is there again with it.
    pub(crate) fn is_back(&self, direction: Direction, head: &HttpHead) -> bool {
        let is_get = head.line().starts_with("GET ");
        match direction {
            Direction::Sent if is_get => self.asked.store(head.exchange(), Relaxed),
            Direction::Received
                if head.exchange() == self.asked.load(Relaxed) && head.line().contains(" 200") =>
            {
                return self.is_lost.swap(false, Relaxed);
            }
            Direction::Sent | Direction::Received => {}
        }
        false
    }
}
