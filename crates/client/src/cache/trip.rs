//! Who asks the server, and who waits for whom.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use hermes_types::{Method, RawJson};
use tokio::sync::watch;
use tokio::time::Instant;

use super::caching::Caching;
use super::key::{Change, Key};
use super::store::{Asker, Hints, Store};

/// What is kept, and what is on its way.
#[derive(Debug)]
pub(crate) struct Cache {
    state: Mutex<State>,
    is_on: bool,
}

#[derive(Debug)]
struct State {
    store: Store,
    /// How many requests have been begun.
    begun: u64,
    /// Those on their way whose results may be kept: no change has overtaken them.
    under_way: BTreeMap<u64, Key>,
    /// The one of them, for each key, that others may wait for.
    leading: BTreeMap<Key, Leading>,
    /// The methods whose last result could not be kept: it makes no sense to wait for somebody else's.
    passing: BTreeSet<Method>,
}

#[derive(Debug)]
struct Leading {
    number: u64,
    ending: watch::Receiver<Option<Ending>>,
}

/// How a request ended that others wait for.
#[derive(Clone, Debug)]
enum Ending {
    /// With a result that may be shared.
    Shared(RawJson),
    /// With one that may not, or with an error, which is only its own asker's.
    Own,
}

/// What a request wants of the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// A kept result, or somebody else's.
    Any,
    /// Its own, as somebody else's was not to be had.
    Own,
    /// The server's word of now.
    Fresh,
}

/// What a request is to do.
#[derive(Debug)]
pub(crate) enum Turn<'a> {
    /// Take this result.
    Kept(RawJson),
    /// Wait for somebody who asks the same.
    Wait(Waiting),
    /// Ask the server.
    Go(Trip<'a>),
}

impl Cache {
    pub(crate) const fn new(caching: Caching) -> Self {
        let (entries, bytes, is_on) = match caching {
            Caching::Off => (0, 0, false),
            Caching::Within { entries, bytes } => (entries, bytes, true),
        };
        let state = State {
            store: Store::new(entries, bytes),
            begun: 0,
            under_way: BTreeMap::new(),
            leading: BTreeMap::new(),
            passing: BTreeSet::new(),
        };
        Self { state: Mutex::new(state), is_on }
    }

    /// Whether anything is ever kept.
    pub(crate) const fn is_on(&self) -> bool {
        self.is_on
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what a request is to do.
    pub(crate) fn ask(&self, key: &Key, asker: Asker, wish: Wish, now: Instant) -> Turn<'_> {
        let mut state = self.lock();
        if wish != Wish::Fresh
            && let Some(result) = state.store.find(key, asker, now)
        {
            return Turn::Kept(result);
        }
        let is_shared = asker == Asker::Client && !state.passing.contains(&key.method());
        if let (true, Wish::Any, Some(leading)) = (is_shared, wish, state.leading.get(key)) {
            return Turn::Wait(Waiting(leading.ending.clone()));
        }
        state.begun += 1;
        let number = state.begun;
        state.under_way.insert(number, key.clone());
        let (sender, ending) = watch::channel(None);
        // Whoever wants the word of now is the better one to wait for.
        if is_shared && (wish == Wish::Fresh || !state.leading.contains_key(key)) {
            state.leading.insert(key.clone(), Leading { number, ending });
        }
        Turn::Go(Trip { cache: self, key: key.clone(), asker, number, ending: sender })
    }

    /// Takes in a result that nobody asked for by [`ask`](Self::ask).
    pub(crate) fn keep(&self, key: Key, result: RawJson, now: Instant) {
        let mut state = self.lock();
        state.begun += 1;
        let number = state.begun;
        state.store.keep(key, result, Asker::Client, number, now);
    }

    /// Something has changed: what it concerns is dropped, and what is on its way is not kept.
    pub(crate) fn forget(&self, change: &Change) {
        let mut state = self.lock();
        state.store.forget(change);
        state.under_way.retain(|_, key| !change.concerns(key));
        state.leading.retain(|key, _| !change.concerns(key));
    }
}

/// A request that is sent. Dropped before its end, it leaves its place to one of those who wait for it.
#[derive(Debug)]
pub(crate) struct Trip<'a> {
    cache: &'a Cache,
    key: Key,
    asker: Asker,
    number: u64,
    ending: watch::Sender<Option<Ending>>,
}

impl Trip<'_> {
    /// It has brought a result, which is kept if it may be.
    pub(crate) fn bring(self, result: &RawJson, now: Instant) {
        let is_shared = !Hints::of(result).ttl.is_zero();
        {
            let mut state = self.cache.lock();
            if state.under_way.contains_key(&self.number) {
                state.store.keep(self.key.clone(), result.clone(), self.asker, self.number, now);
            }
            if is_shared {
                state.passing.remove(&self.key.method());
            } else {
                state.passing.insert(self.key.method());
            }
        }
        self.end(if is_shared { Ending::Shared(result.clone()) } else { Ending::Own });
    }

    /// It has brought nothing that concerns anybody else.
    pub(crate) fn bring_nothing(self) {
        self.end(Ending::Own);
    }

    fn end(self, ending: Ending) {
        self.ending.send_replace(Some(ending));
    }
}

impl Drop for Trip<'_> {
    fn drop(&mut self) {
        let mut state = self.cache.lock();
        state.under_way.remove(&self.number);
        if state.leading.get(&self.key).is_some_and(|leading| leading.number == self.number) {
            state.leading.remove(&self.key);
        }
    }
}

/// Waits for somebody else's result.
#[derive(Debug)]
pub(crate) struct Waiting(watch::Receiver<Option<Ending>>);

impl Waiting {
    /// Their result; or else what to wish for now.
    ///
    /// # Errors
    /// There is none to be had.
    ///
    /// # Cancel safety
    /// Nothing is taken from anybody.
    pub(crate) async fn result(mut self) -> Result<RawJson, Wish> {
        match self.0.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(Ending::Shared(result))) => Ok(result.clone()),
            Ok(_) => Err(Wish::Own),
            // They do not ask any more.
            Err(_) => Err(Wish::Any),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hermes_types::Ordered;

    use super::*;

    fn key() -> Key {
        Key::of("tools/list", &Ordered::new()).expect("a key")
    }

    fn result(ttl: u64) -> RawJson {
        RawJson::parse(format!(r#"{{"tools":[],"ttlMs":{ttl},"cacheScope":"public"}}"#)).expect("JSON")
    }

    fn go<'a>(cache: &'a Cache, wish: Wish, now: Instant) -> Trip<'a> {
        match cache.ask(&key(), Asker::Client, wish, now) {
            Turn::Go(trip) => trip,
            other => panic!("{other:?}"),
        }
    }

    fn wait(cache: &Cache, now: Instant) -> Waiting {
        match cache.ask(&key(), Asker::Client, Wish::Any, now) {
            Turn::Wait(waiting) => waiting,
            other => panic!("{other:?}"),
        }
    }

    fn kept(cache: &Cache, now: Instant) -> Option<RawJson> {
        match cache.ask(&key(), Asker::Client, Wish::Any, now) {
            Turn::Kept(result) => Some(result),
            Turn::Wait(_) | Turn::Go(_) => None,
        }
    }

    #[tokio::test]
    async fn equal_requests_at_one_time_are_one_and_all_get_its_result() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        let waiting = [wait(&cache, now), wait(&cache, now)];
        trip.bring(&result(1000), now);
        for waiting in waiting {
            assert_eq!(waiting.result().await, Ok(result(1000)));
        }
        assert_eq!(kept(&cache, now), Some(result(1000)));
        assert_eq!(kept(&cache, now + Duration::from_secs(1)), None);
        assert!(cache.lock().under_way.is_empty() && cache.lock().leading.is_empty());
    }

    #[tokio::test]
    async fn when_the_one_who_asks_is_dropped_one_of_the_others_asks() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        let (first, second) = (wait(&cache, now), wait(&cache, now));
        drop(trip);
        assert_eq!(first.result().await, Err(Wish::Any));
        let trip = go(&cache, Wish::Any, now);
        assert_eq!(second.result().await, Err(Wish::Any));
        let second = wait(&cache, now);
        trip.bring(&result(1000), now);
        assert_eq!(second.result().await, Ok(result(1000)));
    }

    #[tokio::test]
    async fn what_may_not_be_kept_is_shared_with_nobody_and_nobody_waits_for_the_next() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        let waiting = wait(&cache, now);
        trip.bring(&result(0), now);
        assert_eq!(waiting.result().await, Err(Wish::Own));

        let one = go(&cache, Wish::Any, now);
        let other = go(&cache, Wish::Any, now);
        one.bring(&result(1000), now);
        other.bring_nothing();
        assert_eq!(kept(&cache, now), Some(result(1000)), "now it may");
        cache.forget(&Change::Everything);
        let _trip = go(&cache, Wish::Any, now);
        wait(&cache, now);
    }

    #[tokio::test]
    async fn an_error_is_its_own_asker_s_and_the_others_ask_for_themselves() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        let waiting = [wait(&cache, now), wait(&cache, now)];
        trip.bring_nothing();
        for waiting in waiting {
            let wish = waiting.result().await.expect_err("nothing to share");
            go(&cache, wish, now).bring_nothing();
        }
    }

    #[tokio::test]
    async fn what_a_change_overtakes_is_for_those_who_waited_and_is_not_kept() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        let waiting = wait(&cache, now);
        cache.forget(&Change::Lists(&[Method::ToolsList]));
        let newer = go(&cache, Wish::Any, now);
        trip.bring(&result(1000), now);
        assert_eq!(waiting.result().await, Ok(result(1000)));
        let waiting = wait(&cache, now);
        newer.bring(&result(2000), now);
        assert_eq!(waiting.result().await, Ok(result(2000)));
        assert_eq!(kept(&cache, now), Some(result(2000)));
    }

    #[tokio::test]
    async fn the_word_of_now_is_asked_for_and_replaces_what_is_kept() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        go(&cache, Wish::Any, now).bring(&result(1000), now);
        let older = go(&cache, Wish::Fresh, now);
        go(&cache, Wish::Fresh, now).bring(&result(2000), now);
        older.bring(&result(1500), now);
        assert_eq!(kept(&cache, now), Some(result(2000)), "an older request does not undo a newer one");
    }

    // spec: R261
    #[tokio::test]
    async fn somebody_else_neither_waits_for_the_client_nor_is_waited_for() {
        let (cache, now) = (Cache::new(Caching::default()), Instant::now());
        let trip = go(&cache, Wish::Any, now);
        assert!(matches!(cache.ask(&key(), Asker::Other, Wish::Any, now), Turn::Go(_)));
        drop(trip);
        let other = cache.ask(&key(), Asker::Other, Wish::Any, now);
        assert!(matches!(other, Turn::Go(_)));
        go(&cache, Wish::Any, now).bring_nothing();
    }
}
