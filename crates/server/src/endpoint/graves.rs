//! Which sessions have ended: with a store, their clients are told the same after a restart as before it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hermes_proto::admit::Gone;
use hermes_proto::session::SessionId;
use serde::{Deserialize, Serialize};

use crate::store::{Change, GRAVE, Place, Record, Records};

/// How many ended sessions a store remembers: as many as a server does.
const KEPT: usize = 10_000;
/// For how long it does.
const AGE: Duration = Duration::from_secs(24 * 3600);

/// The ended sessions that the store has, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Graves(Mutex<VecDeque<(Moment, SessionId)>>);

/// Milliseconds since the epoch.
type Moment = u64;

/// What is written of a session that has ended, under its id.
#[derive(Debug, Serialize, Deserialize)]
struct Epitaph {
    /// How: the word that its client is told.
    why: String,
    /// When.
    at: Moment,
}

impl Graves {
    /// A session has ended: what the store has to write and to forget for it.
    pub(super) fn bury(&self, id: SessionId, why: Gone, now: SystemTime) -> Vec<Change> {
        let at = moment(now);
        let epitaph = Epitaph { why: why.as_str().to_owned(), at };
        // A word and a number always encode.
        let value: Arc<[u8]> = serde_json::to_vec(&epitaph).unwrap_or_default().into();
        let mut graves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        graves.push_back((at, id));
        let mut changes = vec![Change::Put(Record { place: Place::Server, name: name(id), value })];
        changes.extend(forget(&mut graves, at));
        changes
    }

    /// What a store has kept: who ended how, the oldest first, and what the store has to forget.
    pub(super) fn open(&self, records: Records, now: SystemTime) -> (Vec<(SessionId, Gone)>, Vec<Change>) {
        let (mut found, mut changes) = (Vec::new(), Vec::new());
        for (name, value) in records {
            let id = name.strip_prefix(GRAVE).and_then(|id| id.parse::<SessionId>().ok());
            let epitaph = serde_json::from_slice::<Epitaph>(&value).ok();
            let read = epitaph.and_then(|Epitaph { why, at }| Some((at, id?, read(&why)?)));
            match read {
                Some(read) => found.push(read),
                // Nobody can be told by it.
                None => changes.push(Change::Remove { place: Place::Server, name }),
            }
        }
        found.sort_unstable_by_key(|(at, id, _)| (*at, *id));
        let mut graves = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *graves = found.iter().map(|(at, id, _)| (*at, *id)).collect();
        let before = graves.len();
        changes.extend(forget(&mut graves, moment(now)));
        let kept = found.split_off(before - graves.len());
        (kept.into_iter().map(|(_, id, why)| (id, why)).collect(), changes)
    }
}

/// Takes out what is too old, or too much.
fn forget(graves: &mut VecDeque<(Moment, SessionId)>, now: Moment) -> Vec<Change> {
    let age = u64::try_from(AGE.as_millis()).unwrap_or(u64::MAX);
    let mut changes = Vec::new();
    while let Some((at, id)) = graves.front().copied()
        && (graves.len() > KEPT || now.saturating_sub(at) > age)
    {
        graves.pop_front();
        changes.push(Change::Remove { place: Place::Server, name: name(id) });
    }
    changes
}

fn name(id: SessionId) -> String {
    format!("{GRAVE}{id}")
}

fn read(why: &str) -> Option<Gone> {
    [Gone::Expired, Gone::Terminated].into_iter().find(|gone| gone.as_str() == why)
}

fn moment(time: SystemTime) -> Moment {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MemoryStore, Store as _};

    fn id(number: usize) -> SessionId {
        SessionId::from_bytes((number as u128).to_be_bytes())
    }

    /// What a store holds of the graves.
    fn records(store: &MemoryStore) -> Records {
        let records = store.load().expect("memory can be read");
        records.into_iter().map(|record| (record.name, record.value)).collect()
    }

    #[test]
    fn who_ended_how_is_read_again_the_oldest_first() {
        let (store, graves) = (MemoryStore::default(), Graves::default());
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        store.commit(&graves.bury(id(2), Gone::Terminated, now)).expect("written");
        store.commit(&graves.bury(id(1), Gone::Expired, now + Duration::from_secs(1))).expect("written");
        let (found, changes) = Graves::default().open(records(&store), now);
        assert_eq!(found, [(id(2), Gone::Terminated), (id(1), Gone::Expired)]);
        assert_eq!(changes, []);
    }

    #[test]
    fn what_is_too_old_is_forgotten_by_the_next_end_and_by_the_next_start() {
        let (store, graves) = (MemoryStore::default(), Graves::default());
        let now = UNIX_EPOCH + Duration::from_secs(1_000_000);
        store.commit(&graves.bury(id(1), Gone::Terminated, now)).expect("written");
        let later = now + AGE + Duration::from_secs(1);
        let (found, changes) = Graves::default().open(records(&store), later);
        assert_eq!((found.len(), changes.len()), (0, 1));
        store.commit(&graves.bury(id(2), Gone::Terminated, later)).expect("written");
        assert_eq!(records(&store).into_keys().collect::<Vec<_>>(), [name(id(2))]);
    }

    #[test]
    fn no_more_than_so_many_are_remembered_and_the_oldest_go_first() {
        let (store, graves) = (MemoryStore::default(), Graves::default());
        for number in 0..KEPT + 3 {
            store.commit(&graves.bury(id(number), Gone::Expired, UNIX_EPOCH)).expect("written");
        }
        let kept = records(&store);
        assert_eq!(kept.len(), KEPT);
        let (found, _) = Graves::default().open(kept, UNIX_EPOCH);
        assert_eq!(found.first(), Some(&(id(3), Gone::Expired)));
    }

    #[test]
    fn what_cannot_be_read_is_thrown_away() {
        let broken = ["gone ", "gone xyz", &name(id(1))].map(|name| (name.to_owned(), Arc::from(*b"{}")));
        let (found, changes) = Graves::default().open(broken.into_iter().collect(), UNIX_EPOCH);
        assert_eq!((found, changes.len()), (Vec::new(), 3));
    }
}
