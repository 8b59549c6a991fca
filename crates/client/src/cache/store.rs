//! Which results are kept, for how long, and for whom. There is no clock here: `now` is said by the caller.
//!
//! | a result | is |
//! |---|---|
//! | with a positive `ttlMs` | kept until then, for whoever may see it |
//! | with none, 0, a negative or an unreadable one | not kept, and what was kept in its place is dropped |
//! | larger than all the room there is | not kept |
//! | of an older request than the one that is kept | not kept |

use std::collections::BTreeMap;
use std::time::Duration;

use hermes_types::{CacheScope, RawJson};
use serde::Deserialize;
use tokio::time::Instant;

use super::key::{Change, Key};

/// Nothing is kept for longer, whatever the server says: to ask once a day costs nobody anything.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asker {
    /// The client, with the credentials that it was built with.
    Client,
    /// Somebody else, as far as one can know: the request has headers of its own.
    Other,
}

/// What a server says of how long its result is good, and for whom.
///
/// Source: `server/utilities/caching#cacheable-model`, 2026-07-28.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hints {
    pub(super) ttl: Duration,
    pub(super) is_public: bool,
}

impl Hints {
    /// What cannot be read is taken for the stricter of what it could be.
    pub(super) fn of(result: &RawJson) -> Self {
        #[derive(Default, Deserialize)]
        struct Members {
            #[serde(rename = "ttlMs")]
            ttl: Option<RawJson>,
            #[serde(rename = "cacheScope")]
            scope: Option<RawJson>,
        }
        let Members { ttl, scope } = result.decode().unwrap_or_default();
        let ttl = ttl.map(|ttl| millis(&ttl)).unwrap_or_default();
        let scope: Option<CacheScope> = scope.and_then(|scope| scope.decode().ok());
        Self { ttl, is_public: scope == Some(CacheScope::Public) }
    }
}

/// A whole number of milliseconds, however it is written; anything else is none.
fn millis(ttl: &RawJson) -> Duration {
    let millis = ttl.decode::<u64>().ok().or_else(|| {
        let number = ttl.decode::<f64>().ok().filter(|number| *number > 0.0 && number.fract() == 0.0)?;
        // A number beyond all others becomes the largest there is.
        Some(number as u64)
    });
    Duration::from_millis(millis.unwrap_or_default())
}

/// The results that are kept.
#[derive(Debug)]
pub(super) struct Store {
    /// The most there may be of them.
    entries: usize,
    /// The most room that they may take, in bytes of JSON.
    bytes: usize,
    kept: BTreeMap<Key, Entry>,
    /// The room that they take.
    taken: usize,
    /// Counts the uses, so that the least recent one is known.
    uses: u64,
}

#[derive(Debug)]
struct Entry {
    result: RawJson,
    is_public: bool,
    until: Instant,
    /// Which request it answers: later ones have higher numbers.
    number: u64,
    used: u64,
}

impl Store {
    pub(super) const fn new(entries: usize, bytes: usize) -> Self {
        Self { entries, bytes, kept: BTreeMap::new(), taken: 0, uses: 0 }
    }

    /// A result that is still fresh, if there is one that `asker` may see.
    pub(super) fn find(&mut self, key: &Key, asker: Asker, now: Instant) -> Option<RawJson> {
        let entry = self.kept.get_mut(key)?;
        if now >= entry.until {
            self.remove(key);
            return None;
        }
        if asker == Asker::Other && !entry.is_public {
            return None;
        }
        self.uses += 1;
        entry.used = self.uses;
        Some(entry.result.clone())
    }

    /// Takes in the result of the request of this number.
    pub(super) fn keep(&mut self, key: Key, result: RawJson, asker: Asker, number: u64, now: Instant) {
        let Hints { ttl, is_public } = Hints::of(&result);
        if asker == Asker::Other && !is_public || self.kept.get(&key).is_some_and(|old| old.number > number) {
            return;
        }
        self.remove(&key);
        let size = size(&key, &result);
        if ttl.is_zero() || self.entries == 0 || size > self.bytes {
            return;
        }
        self.make_room(size, now);
        self.uses += 1;
        self.taken += size;
        let until = now + ttl.min(LONGEST);
        self.kept.insert(key, Entry { result, is_public, until, number, used: self.uses });
    }

    /// Drops what does not hold any more.
    pub(super) fn forget(&mut self, change: &Change) {
        let concerned: Vec<Key> = self.kept.keys().filter(|key| change.concerns(key)).cloned().collect();
        for key in concerned {
            self.remove(&key);
        }
    }

    /// Makes room for one more of this size: first what is stale goes, then what was used longest ago.
    fn make_room(&mut self, size: usize, now: Instant) {
        while self.kept.len() >= self.entries || self.taken + size > self.bytes {
            let least = self.kept.iter().min_by_key(|(_, entry)| (now < entry.until, entry.used));
            let Some(least) = least.map(|(key, _)| key.clone()) else { return };
            self.remove(&least);
        }
    }

    fn remove(&mut self, key: &Key) {
        if let Some(entry) = self.kept.remove(key) {
            self.taken -= size(key, &entry.result);
        }
    }
}

fn size(key: &Key, result: &RawJson) -> usize {
    key.size() + result.get().len()
}

#[cfg(test)]
mod tests {
    use hermes_types::Ordered;

    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).expect("JSON")
    }

    fn read(uri: &str) -> Key {
        let mut params = Ordered::new();
        params.insert("uri", RawJson::encode(uri).expect("JSON"));
        Key::of("resources/read", &params).expect("a key")
    }

    fn result(ttl: &str, scope: &str) -> RawJson {
        raw(&format!(r#"{{"ttlMs":{ttl},"cacheScope":"{scope}"}}"#))
    }

    fn store() -> Store {
        Store::new(100, 100_000)
    }

    // spec: R262, R263
    #[test]
    fn a_result_is_fresh_for_its_time_and_not_a_moment_longer() {
        let (mut store, now) = (store(), Instant::now());
        let key = read("a://b");
        store.keep(key.clone(), result("1000", "private"), Asker::Client, 1, now);
        assert!(store.find(&key, Asker::Client, now).is_some());
        assert!(store.find(&key, Asker::Client, now + 999 * MS).is_some());
        assert_eq!(store.find(&key, Asker::Client, now + 1000 * MS), None);
        assert_eq!((store.kept.len(), store.taken), (0, 0), "what is stale is not kept");
    }

    // spec: R262
    #[test]
    fn without_a_positive_time_nothing_is_kept_and_what_was_is_gone() {
        let now = Instant::now();
        for ttl in ["0", "-5", "-5.0", "1.5", "1e400", "\"9\"", "null", "[]"] {
            let mut store = store();
            store.keep(read("a"), result("1000", "public"), Asker::Client, 1, now);
            store.keep(read("a"), result(ttl, "public"), Asker::Client, 2, now);
            assert_eq!(store.find(&read("a"), Asker::Client, now), None, "{ttl}");
        }
        let mut store = store();
        store.keep(read("a"), raw("{}"), Asker::Client, 1, now);
        store.keep(read("b"), raw("[]"), Asker::Client, 2, now);
        assert!(store.kept.is_empty());
    }

    // spec: R263
    #[test]
    fn b090_a_time_is_read_however_it_is_written_and_never_exceeds_a_day() {
        let now = Instant::now();
        for (ttl, kept) in [
            ("1000.0", 1000 * MS),
            ("1e3", 1000 * MS),
            ("1e18", LONGEST),
            ("1e300", LONGEST),
            ("18446744073709551615", LONGEST),
        ] {
            let mut store = store();
            store.keep(read("a"), result(ttl, "public"), Asker::Client, 1, now);
            assert!(store.find(&read("a"), Asker::Client, now + kept - MS).is_some(), "{ttl}");
            assert_eq!(store.find(&read("a"), Asker::Client, now + kept), None, "{ttl}");
        }
    }

    // spec: R261
    #[test]
    fn what_is_private_is_for_the_client_alone_and_what_is_public_for_all() {
        let now = Instant::now();
        for (scope, seen) in [("private", false), ("public", true), ("unheard of", false)] {
            let mut store = store();
            store.keep(read("a"), result("1000", scope), Asker::Client, 1, now);
            assert_eq!(store.find(&read("a"), Asker::Other, now).is_some(), seen, "{scope}");
            assert!(store.find(&read("a"), Asker::Client, now).is_some(), "{scope}");

            store.keep(read("b"), result("1000", scope), Asker::Other, 2, now);
            assert_eq!(store.find(&read("b"), Asker::Client, now).is_some(), seen, "{scope}");
        }
    }

    #[test]
    fn an_older_request_does_not_replace_the_result_of_a_newer_one() {
        let (mut store, now) = (store(), Instant::now());
        let newer = result("1001", "public");
        store.keep(read("a"), newer.clone(), Asker::Client, 2, now);
        store.keep(read("a"), result("1000", "public"), Asker::Client, 1, now);
        assert_eq!(store.find(&read("a"), Asker::Client, now), Some(newer));
    }

    #[test]
    fn the_least_recently_used_makes_room_and_the_stale_before_it() {
        let now = Instant::now();
        let one = size(&read("0"), &result("1000", "public"));
        for mut store in [Store::new(3, 100_000), Store::new(100, 3 * one)] {
            for (number, uri) in ["0", "1", "2"].into_iter().enumerate() {
                store.keep(read(uri), result("1000", "public"), Asker::Client, number as u64, now);
            }
            assert!(store.find(&read("0"), Asker::Client, now).is_some());
            store.keep(read("3"), result("9000", "public"), Asker::Client, 3, now);
            let is_there = |store: &Store, uri: &str| store.kept.contains_key(&read(uri));
            assert_eq!(["0", "1", "2", "3"].map(|uri| is_there(&store, uri)), [true, false, true, true]);

            store.find(&read("2"), Asker::Client, now);
            store.find(&read("0"), Asker::Client, now);
            let later = now + 2000 * MS;
            store.keep(read("4"), result("9000", "public"), Asker::Client, 4, later);
            assert!(is_there(&store, "3"), "it was used longest ago, and is still good");
            assert!(store.taken <= 3 * one);
        }
    }

    #[test]
    fn what_is_larger_than_all_the_room_is_not_kept_and_drives_nothing_out() {
        let now = Instant::now();
        let mut store = Store::new(10, 200);
        store.keep(read("a"), result("1000", "public"), Asker::Client, 1, now);
        let large = raw(&format!(r#"{{"ttlMs":1000,"text":"{}"}}"#, "x".repeat(200)));
        store.keep(read("b"), large, Asker::Client, 2, now);
        assert_eq!(store.kept.keys().collect::<Vec<_>>(), [&read("a")]);
    }

    #[test]
    fn a_change_drops_what_it_concerns_and_gives_its_room_back() {
        let (mut store, now) = (store(), Instant::now());
        store.keep(read("a"), result("1000", "public"), Asker::Client, 1, now);
        store.keep(read("b"), result("1000", "public"), Asker::Client, 2, now);
        let both = store.taken;
        store.forget(&Change::Resource("a".to_owned()));
        assert_eq!(store.kept.keys().collect::<Vec<_>>(), [&read("b")]);
        assert_eq!(store.taken, both / 2);
    }
}
