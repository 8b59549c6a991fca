//! The store in a file: what every store does, and what only a file can suffer.

use std::error::Error as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use hermes_server::store::{Change, FORMAT, Place, Record, Store};
use hermes_store::{FileStore, OpenError};
use hermes_testkit::{contract, dice::Dice};

/// A folder of one test, which goes with it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("hermes-store-{}-{next}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn put(name: &str, value: &[u8]) -> Change {
    Change::Put(Record { place: Place::Server, name: name.to_owned(), value: value.into() })
}

fn open(path: &Path) -> FileStore {
    FileStore::open(path).unwrap_or_else(|error| panic!("{error}: {:?}", error.source()))
}

fn refused(path: &Path) -> OpenError {
    FileStore::open(path).expect_err("it is no store")
}

#[test]
fn a_file_holds_the_contract() {
    let folder = Folder::new();
    let mut next = 0;
    contract::hold(|| {
        next += 1;
        let path = folder.file(&next.to_string());
        move || open(&path)
    });
}

#[test]
fn a_second_server_on_one_file_is_refused_by_its_name() {
    let folder = Folder::new();
    let path = folder.file("sessions");
    let first = open(&path);
    let error = refused(&path);
    assert!(matches!(error, OpenError::InUse { .. }), "{error:?}");
    assert!(error.to_string().contains("sessions is in use by another server"), "{error}");
    drop(first);
    assert_eq!(open(&path).load().expect("readable").len(), 0);
}

#[test]
fn what_is_no_store_is_named_and_left_as_it_is() {
    let folder = Folder::new();
    for (name, contents) in [
        ("text", b"My shopping list: milk".to_vec()),
        ("zeros", vec![0; 8192]),
        ("long", (0..100_000_u32).flat_map(u32::to_le_bytes).collect()),
    ] {
        let path = folder.file(name);
        fs::write(&path, &contents).expect("written");
        let error = refused(&path);
        assert!(matches!(error, OpenError::NotAStore { .. }), "{name}: {error:?}");
        assert!(error.to_string().starts_with(path.to_str().expect("a path")), "{error}");
        assert_eq!((error.path(), fs::read(&path).expect("there")), (path.as_path(), contents), "{name}");
    }
}

#[test]
fn a_store_that_was_damaged_is_named_and_nobody_panics() {
    let folder = Folder::new();
    let whole = folder.file("whole");
    let store = open(&whole);
    let records: Vec<_> = (0..200).map(|number| put(&format!("record {number}"), &[7; 500])).collect();
    store.commit(&records).expect("written");
    drop(store);
    let whole = fs::read(&whole).expect("there");
    for kept in [1000, 3000, 5000, 100_000] {
        let path = folder.file(&format!("first {kept}"));
        fs::write(&path, &whole[..kept]).expect("written");
        assert!(matches!(refused(&path), OpenError::NotAStore { .. }), "{kept}");
    }
    let path = folder.file("overwritten");
    let overwritten: Vec<u8> =
        whole.iter().enumerate().map(|(at, byte)| if at < 4096 { *byte } else { 0xff }).collect();
    fs::write(&path, overwritten).expect("written");
    assert!(matches!(refused(&path), OpenError::NotAStore { .. }));
}

#[test]
fn a_store_that_ends_before_its_time_is_said_to_be_damaged() {
    let folder = Folder::new();
    let path = folder.file("sessions");
    open(&path).commit(&[put("kept", b"1")]).expect("committed");
    let whole = fs::read(&path).expect("there");
    for length in [1, 50, 300, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..length]).expect("written");
        let error = refused(&path);
        assert!(matches!(error, OpenError::NotAStore { .. }), "{length}: {error:?}");
        assert_eq!(fs::read(&path).expect("there"), whole[..length], "{length}: it is left as it is");
    }
}

#[test]
fn a_file_that_cannot_be_had_is_named() {
    let folder = Folder::new();
    for path in [folder.file("no/such/folder"), folder.0.clone()] {
        let error = refused(&path);
        assert!(matches!(error, OpenError::Io { .. }), "{error:?}");
        assert!(error.to_string().contains(path.to_str().expect("a path")), "{error}");
    }
}

#[test]
fn a_file_of_a_newer_version_is_named_and_left_as_it_is() {
    const ABOUT: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("hermes");
    let folder = Folder::new();
    let path = folder.file("sessions");
    drop(open(&path));
    let database = redb::Database::open(&path).expect("a database");
    let writing = database.begin_write().expect("a transaction");
    writing.open_table(ABOUT).expect("a table").insert("format", u64::from(FORMAT) + 1).expect("written");
    writing.commit().expect("committed");
    drop(database);
    for _ in 0..2 {
        let error = refused(&path);
        assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error:?}");
        assert!(error.to_string().contains("written by a newer version"), "{error}");
    }
}

#[cfg(unix)]
#[test]
fn only_its_owner_can_read_a_new_file() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Folder::new();
    let path = folder.file("sessions");
    drop(open(&path));
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o600);
}

#[test]
fn an_empty_file_is_a_new_store() {
    let folder = Folder::new();
    let path = folder.file("sessions");
    fs::write(&path, b"").expect("written");
    assert_eq!(open(&path).load().expect("readable").len(), 0);
}

/// Whatever part of the last write came to the disk, the store opens, with that write or without it.
#[test]
fn a_torn_last_write_never_prevents_the_start() {
    let folder = Folder::new();
    let (path, torn) = (folder.file("sessions"), folder.file("torn"));
    let mut dice = Dice::new(4711);
    for round in 0..4_u8 {
        let store = open(&path);
        let value = vec![round; 1 + usize::from(round) * 3_000];
        store.commit(&[put("always", b"there"), put("before", &value)]).expect("committed");
        // As the disk has it at this moment: the process has not closed the file.
        let before = fs::read(&path).expect("there");
        let was = sorted(&store);
        store
            .commit(&[put("before", b"other"), put("after", &value), put(&round.to_string(), b"")])
            .expect("committed");
        let after = fs::read(&path).expect("there");
        let is = sorted(&store);
        let sector = [512, 4096][usize::from(round) % 2];
        for attempt in 0..12 {
            let mut mixed = before.clone();
            mixed.resize(before.len().max(after.len()), 0);
            for (at, new) in after.chunks(sector).enumerate() {
                let has_come = match attempt {
                    0 => true,
                    1 => false,
                    _ => dice.chance(50),
                };
                if has_come {
                    mixed[at * sector..at * sector + new.len()].copy_from_slice(new);
                }
            }
            fs::write(&torn, &mixed).expect("written");
            let restored = sorted(&open(&torn));
            assert!(restored == was || restored == is, "round {round}, attempt {attempt}: {restored:?}");
            match attempt {
                0 => assert_eq!(restored, is, "all of it came"),
                1 => assert_eq!(restored, was, "nothing of it came"),
                _ => {}
            }
        }
    }
}

fn sorted(store: &FileStore) -> Vec<Record> {
    let mut all = store.load().expect("readable");
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}
