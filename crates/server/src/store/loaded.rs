//! A store, and what it held when it was loaded.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use hermes_proto::session::SessionId;

use super::{Change, Place, Record, Store, StoreError};
use crate::server::Server;

/// The records of one session, by name.
pub(crate) type Records = BTreeMap<String, Arc<[u8]>>;

/// The records of sessions that have ended: this and the id of one.
pub(crate) const GRAVE: &str = "gone ";

/// The record of the key that seals what clients of the modern era carry.
const STATE_KEY: &str = "state key";

/// A store that was read, for [`Options::store`](crate::endpoint::Options::store).
///
/// A cheap clone. The sessions that it held are given to the first endpoint that is made with it, and to no other.
///
/// ```
/// use hermes_server::Server;
/// use hermes_server::endpoint::{Endpoint, Options};
/// use hermes_server::store::{Loaded, MemoryStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), hermes_server::store::StoreError> {
/// let store = Loaded::load(MemoryStore::default()).await?;
/// let options = Options { store: Some(store), ..Options::default() };
/// let endpoint = Endpoint::new(Server::new("demo", "0.1.0"), options);
/// # let _ = endpoint;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Loaded {
    store: Arc<dyn Store>,
    state_key: [u8; 32],
    kept: Arc<Mutex<Kept>>,
}

/// What a store has kept of the sessions.
#[derive(Default)]
pub(crate) struct Kept {
    /// Those that go on.
    pub(crate) sessions: BTreeMap<SessionId, Records>,
    /// Those that have ended.
    pub(crate) graves: Records,
}

impl Loaded {
    /// Reads a store.
    ///
    /// # Errors
    /// [`StoreError`]: it cannot be read, or is empty and cannot be written.
    ///
    /// # Cancel safety
    /// Dropping the future stops nothing that has begun; nothing is lost.
    pub async fn load(store: impl Store) -> Result<Self, StoreError> {
        let loading = tokio::task::spawn_blocking(move || Self::read(Arc::new(store)));
        loading.await.unwrap_or_else(|panicked| Err(StoreError::Read(panicked.into())))
    }

    fn read(store: Arc<dyn Store>) -> Result<Self, StoreError> {
        let mut kept = Kept::default();
        let mut state_key = None;
        for Record { place, name, value } in store.load()? {
            match place {
                Place::Session(id) => drop(kept.sessions.entry(id).or_default().insert(name, value)),
                Place::Server if name == STATE_KEY => state_key = <[u8; 32]>::try_from(&*value).ok(),
                Place::Server if name.starts_with(GRAVE) => drop(kept.graves.insert(name, value)),
                // Of a later version, which reads it again.
                Place::Server => {}
            }
        }
        let state_key = match state_key {
            Some(key) => key,
            None => make_key(&*store)?,
        };
        Ok(Self { store, state_key, kept: Arc::new(Mutex::new(kept)) })
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// The sessions, once.
    pub(crate) fn take(&self) -> Kept {
        std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The server with the key that the store has, unless its author has chosen one: so clients of the modern era can go
    /// on after a restart. An endpoint does this by itself; whoever serves the same server in other ways beside it
    /// does it before.
    pub fn lend_key(&self, server: Server) -> Server {
        if server.settings.keys.is_chosen { server } else { server.state_key(self.state_key) }
    }
}

/// Makes a key, which is kept before anything is sealed with it.
fn make_key(store: &dyn Store) -> Result<[u8; 32], StoreError> {
    let mut key = [0; 32];
    getrandom::fill(&mut key).map_err(|_| StoreError::NoRandomness)?;
    let record = Record { place: Place::Server, name: STATE_KEY.to_owned(), value: Arc::from(key) };
    store.commit(&[Change::Put(record)])?;
    Ok(key)
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loaded")
    }
}
