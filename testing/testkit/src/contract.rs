//! What every store of sessions has to do, whatever it keeps them in.
//!
//! ```
//! use hermes_server::store::MemoryStore;
//! use hermes_testkit::contract;
//!
//! contract::hold(|| {
//!     let store = MemoryStore::default();
//!     move || store.clone()
//! });
//! ```

use std::sync::Arc;

use hermes_proto::session::SessionId;
use hermes_server::store::{Change, Place, Record, Store};

/// Holds a store against everything that the port asks for. `place` makes a new place to keep things in, such as a path,
/// and gives a function that opens the store there; what it opened before has been dropped.
///
/// # Panics
/// When a rule is broken, with its name.
pub fn hold<S: Store, Open: Fn() -> S>(mut place: impl FnMut() -> Open) {
    for (rule, check) in RULES {
        let open = place();
        check(&|changes| {
            let store = open();
            for changes in changes {
                store.commit(changes).unwrap_or_else(|error| panic!("{rule}: {error:?}"));
            }
            load(&store, rule)
        });
    }
    readers_see_whole_commits(&place()());
    writers_lose_nothing(&place()());
    it_is_there_when_it_is_opened_again(&place());
}

/// Opens the store, commits these changes one after the other, and gives all that is there.
type Run<'a> = &'a dyn Fn(&[&[Change]]) -> Vec<Record>;

/// A rule, and what holds a store against it.
type Rule = (&'static str, fn(Run<'_>));

const RULES: [Rule; 8] = [
    ("a new store is empty", |run| assert_eq!(run(&[]), [])),
    ("a later value takes the place of an earlier one", |run| {
        assert_eq!(
            run(&[&[put(A, "x", b"1"), put(A, "x", b"2")], &[put(A, "x", b"3")]]),
            [record(A, "x", b"3")]
        );
    }),
    ("a record goes alone", |run| {
        let left = run(&[&[put(A, "x", b"1"), put(A, "xy", b"2"), put(B, "x", b"3"), remove(A, "x")]]);
        assert_eq!(left, [record(A, "xy", b"2"), record(B, "x", b"3")]);
    }),
    ("a place goes with all that is in it, and with nothing else", |run| {
        let all = [Place::Server, A, B, LEAST, GREATEST];
        let puts: Vec<_> =
            all.iter().flat_map(|place| [put(*place, "x", b"1"), put(*place, "\u{10ffff}", b"2")]).collect();
        for gone in all {
            let left = run(&[&puts, &[Change::Clear(gone)]]);
            assert_eq!(left.len(), 8, "{gone:?}");
            assert!(left.iter().all(|record| record.place != gone), "{gone:?}");
        }
    }),
    ("what is not there can be taken away", |run| {
        assert_eq!(run(&[&[remove(A, "x"), Change::Clear(A), Change::Clear(Place::Server)]]), []);
    }),
    ("changes are made in their order", |run| {
        let left = run(&[&[
            put(A, "x", b"1"),
            Change::Clear(A),
            put(A, "y", b"2"),
            remove(A, "y"),
            put(A, "z", b"3"),
        ]]);
        assert_eq!(left, [record(A, "z", b"3")]);
    }),
    ("the same changes twice are the changes once", |run| {
        let changes: &[Change] = &[put(A, "x", b"1"), remove(A, "y"), Change::Clear(B), put(B, "z", b"2")];
        assert_eq!(run(&[changes, changes]), run(&[changes]));
    }),
    ("values and names are what they are", |run| {
        let large: Vec<u8> = (0..1_u32 << 20).map(|at| at.to_be_bytes()[3]).collect();
        let name = "stream 7 \u{0} \n \u{1f980} \"";
        let left = run(&[&[put(A, "", b""), put(A, name, &large), put(A, "zeros", &[0; 3])]]);
        assert_eq!(left, [record(A, "", b""), record(A, name, &large), record(A, "zeros", &[0; 3])]);
    }),
];

const A: Place = Place::Session(SessionId::from_bytes([0x2a; 16]));
const B: Place = Place::Session(SessionId::from_bytes([0x2b; 16]));
const LEAST: Place = Place::Session(SessionId::from_bytes([0; 16]));
const GREATEST: Place = Place::Session(SessionId::from_bytes([0xff; 16]));

fn it_is_there_when_it_is_opened_again<S: Store>(open: &impl Fn() -> S) {
    let rule = "what was committed is there when the store is opened again";
    for round in 0..3 {
        let store = open();
        assert_eq!(load(&store, rule).len(), round, "{rule}");
        let round = round.to_string();
        store.commit(&[put(Place::Server, &round, round.as_bytes())]).expect(rule);
    }
    let all = load(&open(), rule);
    assert_eq!(all, ["0", "1", "2"].map(|round| record(Place::Server, round, round.as_bytes())), "{rule}");
}

fn readers_see_whole_commits(store: &impl Store) {
    let rule = "a commit is seen as a whole or not at all";
    std::thread::scope(|scope| {
        let writing = scope.spawn(|| {
            for round in 0..20_u8 {
                store.commit(&[put(A, "left", &[round]), put(B, "right", &[round])]).expect(rule);
            }
        });
        loop {
            let is_over = writing.is_finished();
            match load(store, rule).as_slice() {
                [] => {}
                [left, right] => assert_eq!(left.value, right.value, "{rule}"),
                other => panic!("{rule}: {other:?}"),
            }
            if is_over {
                return;
            }
        }
    });
}

fn writers_lose_nothing(store: &impl Store) {
    let rule = "several writers at once lose nothing";
    std::thread::scope(|scope| {
        for writer in 0..4 {
            scope.spawn(move || {
                for round in 0..5 {
                    store.commit(&[put(A, &format!("{writer} {round}"), b"")]).expect(rule);
                }
            });
        }
    });
    assert_eq!(load(store, rule).len(), 20, "{rule}");
}

fn load(store: &impl Store, rule: &str) -> Vec<Record> {
    let mut all = store.load().unwrap_or_else(|error| panic!("{rule}: {error:?}"));
    all.sort_by(|a, b| (a.place, &a.name).cmp(&(b.place, &b.name)));
    all
}

fn record(place: Place, name: &str, value: &[u8]) -> Record {
    Record { place, name: name.to_owned(), value: Arc::from(value) }
}

fn put(place: Place, name: &str, value: &[u8]) -> Change {
    Change::Put(record(place, name, value))
}

fn remove(place: Place, name: &str) -> Change {
    Change::Remove { place, name: name.to_owned() }
}
