//! What servers spoke when they were last met.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

/// How many servers are remembered.
const CAPACITY: usize = 1024;

/// Which era, and over which transport, servers spoke when they were last met, by address or command, so that a server that is known is not asked
/// again what it speaks.
///
/// All clients of a process share [one](Self::of_process) unless they are given [another](Self::new); a clone is the
/// same one. It holds no secrets: neither credentials, nor queries, nor variables. What does not fit any more is
/// forgotten, and the server is asked anew.
///
/// Source: `basic/versioning#backward-compatibility`, 2026-07-28.
#[derive(Clone, Debug, Default)]
pub struct KnownServers(Arc<Mutex<BTreeMap<String, Spoken>>>);

/// What a server spoke. A modern one is not remembered as such: the probe is what one says to it first anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spoken {
    /// The legacy era, over what the modern era would be spoken over.
    Legacy,
    /// The legacy era, over the older transport of HTTP.
    Events,
}

impl KnownServers {
    /// One that knows nobody.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The one that is used by default.
    #[must_use]
    pub fn of_process() -> Self {
        static OF_PROCESS: LazyLock<KnownServers> = LazyLock::new(KnownServers::new);
        OF_PROCESS.clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Spoken>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn recall(&self, server: &str) -> Option<Spoken> {
        self.lock().get(server).copied()
    }

    pub(crate) fn remember(&self, server: &str, spoken: Option<Spoken>) {
        let mut known = self.lock();
        match spoken {
            None => {
                known.remove(server);
            }
            Some(spoken) => {
                if known.len() >= CAPACITY && !known.contains_key(server) {
                    // Any will do: forgetting costs one probe.
                    known.pop_first();
                }
                known.insert(server.to_owned(), spoken);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_is_bounded_and_can_be_forgotten() {
        let known = KnownServers::new();
        for number in 0..2000 {
            known.remember(&format!("server {number:04}"), Some(Spoken::Legacy));
        }
        assert_eq!(known.lock().len(), CAPACITY);
        let same = known.clone();
        assert_eq!(same.recall("server 1999"), Some(Spoken::Legacy));
        same.remember("server 1999", None);
        assert_eq!(known.recall("server 1999"), None);
    }
}
