//! What a store has to do.

use std::error::Error;
use std::sync::Arc;

use hermes_proto::session::SessionId;

/// Which records this version of Hermes writes. A store that was written with a greater number cannot be read.
pub const FORMAT: u32 = 1;

/// Whom a record belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// All sessions.
    Server,
    /// One session.
    Session(SessionId),
}

/// One value that is kept. Its [place](Place) and its name are its key.
///
/// Its `Debug` shows how long the value is: records hold people's data, and keys.
#[derive(Clone, PartialEq, Eq)]
pub struct Record {
    /// Whom it belongs to.
    pub place: Place,
    /// What it is, among the records of its place.
    pub name: String,
    /// The value.
    pub value: Arc<[u8]>,
}

/// One change of what is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// All records of this place are gone.
    Clear(Place),
    /// This record is there, in the place of one with the same key.
    Put(Record),
    /// The record with this key is not there.
    Remove {
        /// Whom it belongs to.
        place: Place,
        /// Its name.
        name: String,
    },
}

/// Keeps records, so that they are there after the process has ended, in whichever way.
///
/// One process has a store at a time: whoever opens it a second time is refused, or is refused at its first commit.
/// Its functions may block; they are called where that harms nobody. Every implementation has to pass
/// `hermes_testkit::contract`.
///
/// ```
/// use std::sync::Arc;
/// use hermes_server::store::{Change, MemoryStore, Place, Record, Store};
///
/// let store = MemoryStore::default();
/// let greeting = Record { place: Place::Server, name: "greeting".to_owned(), value: Arc::from(*b"hello") };
/// store.commit(&[Change::Put(greeting.clone())])?;
/// assert_eq!(store.load()?, [greeting]);
/// # Ok::<(), hermes_server::store::StoreError>(())
/// ```
pub trait Store: Send + Sync + 'static {
    /// Everything that is kept, in any order.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be read.
    fn load(&self) -> Result<Vec<Record>, StoreError>;

    /// Does all of these changes in their order, or none of them. When it returns they are kept.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be written. Nothing has changed, or it is not known whether; the same changes are
    /// tried again then, which has to be harmless.
    fn commit(&self, changes: &[Change]) -> Result<(), StoreError>;
}

/// A store cannot be used. Nobody's request is at fault: whoever runs the server has to look after it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// Reading failed.
    #[error("the store cannot be read")]
    Read(#[source] Box<dyn Error + Send + Sync>),
    /// Writing failed: the disk may be full, or the store taken over by another process.
    #[error("the store cannot be written")]
    Write(#[source] Box<dyn Error + Send + Sync>),
    /// The operating system gives no random bytes, of which the keys are made that the store keeps.
    #[error("the operating system gives no random bytes to make a key of")]
    NoRandomness,
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record")
            .field("place", &self.place)
            .field("name", &self.name)
            .field("bytes", &self.value.len())
            .finish()
    }
}
