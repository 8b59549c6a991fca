use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redb::StorageBackend;
use redb::backends::InMemoryBackend;

use super::*;

/// A disk that can be full.
#[derive(Debug, Clone, Default)]
struct Disk(Arc<InMemoryBackend>, Arc<AtomicBool>);

impl Disk {
    fn room(&self) -> io::Result<()> {
        if self.1.load(Ordering::SeqCst) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }
    fn read(&self, offset: u64, len: usize) -> io::Result<Vec<u8>> {
        self.0.read(offset, len)
    }
    fn set_len(&self, len: u64) -> io::Result<()> {
        self.room()?;
        self.0.set_len(len)
    }
    fn sync_data(&self, eventual: bool) -> io::Result<()> {
        self.room()?;
        self.0.sync_data(eventual)
    }
    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.room()?;
        self.0.write(offset, data)
    }
}

#[test]
fn a_store_is_written_again_once_its_disk_has_room() {
    let disk = Disk::default();
    let open = {
        let disk = disk.clone();
        move || Database::builder().create_with_file_format_v3(true).create_with_backend(disk.clone())
    };
    let store = FileStore::open_by(PathBuf::from("disk"), Box::new(open)).expect("a store");
    let put = |name: &str| {
        Change::Put(Record { place: Place::Server, name: name.into(), value: Arc::from(&b"1"[..]) })
    };
    let names = || store.load().expect("readable").into_iter().map(|record| record.name).collect::<Vec<_>>();
    store.commit(&[put("before")]).expect("written");

    disk.1.store(true, Ordering::SeqCst);
    assert!(matches!(store.commit(&[put("full")]), Err(StoreError::Write(_))));
    assert!(matches!(store.commit(&[put("full")]), Err(StoreError::Write(_))));

    disk.1.store(false, Ordering::SeqCst);
    store.commit(&[put("after")]).expect("written again");
    assert_eq!(names(), ["after", "before"]);
}
