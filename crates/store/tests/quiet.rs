//! A damaged file is an error, and no panic that anybody sees. In a program of its own: the hook is of the whole process.

use std::fs;
use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use hermes_store::{FileStore, OpenError};

static TOLD: AtomicUsize = AtomicUsize::new(0);

#[test]
fn the_panics_of_the_database_are_not_told_and_those_of_others_are() {
    panic::set_hook(Box::new(|_| {
        TOLD.fetch_add(1, Ordering::SeqCst);
    }));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("quiet-{}", std::process::id()));
    drop(FileStore::open(&path).expect("a new store"));
    let whole = fs::metadata(&path).expect("it is there").len();
    let file = fs::OpenOptions::new().write(true).open(&path).expect("it can be written");
    file.set_len(whole / 2).expect("it can be cut");
    let error = FileStore::open(&path).expect_err("half a store");
    assert!(matches!(error, OpenError::NotAStore { .. }), "{error:?}");
    assert_eq!(TOLD.load(Ordering::SeqCst), 0);
    panic::catch_unwind(|| panic!("of somebody else")).expect_err("a panic");
    assert_eq!(TOLD.load(Ordering::SeqCst), 1);
    std::thread::spawn(|| panic!("of somebody else")).join().expect_err("a panic");
    assert_eq!(TOLD.load(Ordering::SeqCst), 2);
    fs::remove_file(&path).expect("it can be removed");
    drop(panic::take_hook());
}
