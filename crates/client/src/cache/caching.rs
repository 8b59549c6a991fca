//! How much is kept.

/// Whether results are kept that the server says may be, and how many.
///
/// ```
/// use hermes_client::{Caching, Client};
///
/// let builder = Client::builder().cache(Caching::Within { entries: 100, bytes: 1024 * 1024 });
/// let builder = Client::builder().cache(Caching::Off);
/// ```
///
/// Source: `server/utilities/caching`, 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Caching {
    /// Nothing is kept: every request is sent.
    Off,
    /// Results are kept for as long as the server says, within these bounds. What was used longest ago makes room.
    Within {
        /// How many results at most.
        entries: usize,
        /// How much room they take at most, in bytes of JSON.
        bytes: usize,
    },
}

impl Default for Caching {
    /// 1,024 results of 16 MiB in all.
    fn default() -> Self {
        Self::Within { entries: 1024, bytes: 16 * 1024 * 1024 }
    }
}
