//! Where legacy sessions are kept, so that they outlive the process that serves them.
//!
//! A [`Store`] holds records; what is in them is the business of the [`endpoint`](crate::endpoint), which reads them
//! once, when it is made, and from then on writes what changed, many sessions at once. Without a store nothing
//! is encoded, copied or waited for.
//!
//! [`MemoryStore`] is for tests: what was served before and what is served after can be in one process. The store in
//! a file is `hermes_store::FileStore`.

mod loaded;
mod memory;
mod port;

pub use loaded::Loaded;
pub(crate) use loaded::{GRAVE, Kept, Records};
pub use memory::MemoryStore;
pub use port::{Change, FORMAT, Place, Record, Store, StoreError};
