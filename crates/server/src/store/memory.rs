//! A store that lasts as long as its process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{Change, Place, Record, Store, StoreError};

type Kept = BTreeMap<(Place, String), Arc<[u8]>>;

/// Keeps records in memory. Clones share them, so one can be given to an endpoint, and another to the next: a restart
/// without a process.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<Mutex<Kept>>);

impl Store for MemoryStore {
    fn load(&self) -> Result<Vec<Record>, StoreError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let records = kept.iter().map(|((place, name), value)| Record {
            place: *place,
            name: name.clone(),
            value: Arc::clone(value),
        });
        Ok(records.collect())
    }

    fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for change in changes {
            match change {
                Change::Clear(place) => kept.retain(|(of, _), _| of != place),
                Change::Put(Record { place, name, value }) => {
                    kept.insert((*place, name.clone()), Arc::clone(value));
                }
                Change::Remove { place, name } => {
                    kept.remove(&(*place, name.clone()));
                }
            }
        }
        Ok(())
    }
}
