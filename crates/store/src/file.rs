//! The store in a file.

use std::error::Error;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hermes_proto::session::SessionId;
use hermes_server::store::{Change, FORMAT, Place, Record, Store, StoreError};
use redb::{Database, DatabaseError, ReadableTable as _, StorageError, Table, TableDefinition, TableError};

use crate::OpenError;
use crate::quiet::unharmed;

/// All records. A place is the bytes of its session's id, or none for the server.
const RECORDS: TableDefinition<'_, (&[u8], &str), &[u8]> = TableDefinition::new("records");

/// What the file is.
const ABOUT: TableDefinition<'_, &str, u64> = TableDefinition::new("hermes");

/// The version of what the records hold.
const VERSION: &str = "format";

/// How much of the file the database keeps in memory. Everything is read once, at the start.
const CACHE: usize = 16 << 20;

/// Opens the database, always in the same file.
type Opening = Box<dyn Fn() -> Result<Database, DatabaseError> + Send + Sync>;

/// What the database says.
type Failure = Box<dyn Error + Send + Sync>;

/// Keeps sessions in one file.
///
/// A commit is on the disk when it returns: neither `kill -9` nor a power cut takes it away. One that was broken off
/// has not happened. One process has the file at a time. Whoever can read it can speak for every client: it is made for
/// its owner alone (mode 600 on Unix), and has to stay so.
///
/// ```
/// use hermes_server::Server;
/// use hermes_server::endpoint::{Endpoint, Options};
/// use hermes_server::store::Loaded;
/// use hermes_store::FileStore;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let path = std::env::temp_dir().join(format!("hermes-store-doc-{}", std::process::id()));
/// let store = Loaded::load(FileStore::open(&path)?).await?;
/// let options = Options { store: Some(store), ..Options::default() };
/// let endpoint = Endpoint::new(Server::new("demo", "0.1.0"), options);
/// # drop(endpoint);
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
pub struct FileStore {
    /// None after a write has failed: the database refuses everything from then on, until it is opened again.
    database: Mutex<Option<Database>>,
    open: Opening,
    path: PathBuf,
}

impl FileStore {
    /// Opens the store in this file, which is made if it is not there. A write that was broken off when the process before
    /// ended is undone.
    ///
    /// The database panics at a file that is damaged, which is an error here. So that the panic is not told as well, the hook for
    /// panics is wrapped the first time; it is told of all others as before.
    ///
    /// # Errors
    /// [`OpenError`]: the file is no store, or not one for this process; what to do stands in it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, OpenError> {
        let path = path.as_ref().to_path_buf();
        let file = match private(&path) {
            Ok(file) => file,
            Err(source) => return Err(OpenError::Io { path, source }),
        };
        // The file that is held, and not whatever has its name by then.
        let open = move || {
            Database::builder()
                // Later versions of the database read this one as well.
                .create_with_file_format_v3(true)
                .set_cache_size(CACHE)
                .create_file(file.try_clone().map_err(StorageError::Io)?)
        };
        Self::open_by(path, Box::new(open))
    }

    fn open_by(path: PathBuf, open: Opening) -> Result<Self, OpenError> {
        let (database, begun) = match unharmed(|| open().map(|database| (begin(&database), database))) {
            Ok(Ok((begun, database))) => (database, begun),
            Ok(Err(error)) => return Err(refused(path, error)),
            Err(source) => return Err(OpenError::NotAStore { path, source }),
        };
        match begun {
            Ok(found) if found > u64::from(FORMAT) => Err(OpenError::Newer { path, found, known: FORMAT }),
            Ok(_) => Ok(Self { database: Mutex::new(Some(database)), open, path }),
            Err(source) => Err(OpenError::NotAStore { path, source }),
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Works with the database, which is opened again if the work before has failed.
    fn with<T>(&self, work: impl FnOnce(&Database) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut held = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        let before = held.take();
        let (database, done) = unharmed(|| {
            let database = match before {
                Some(database) => database,
                None => (self.open)()?,
            };
            let done = work(&database)?;
            Ok::<_, Failure>((database, done))
        })??;
        *held = Some(database);
        Ok(done)
    }

    fn read(database: &Database) -> Result<Vec<Record>, Failure> {
        let reading = database.begin_read()?;
        let table = reading.open_table(RECORDS)?;
        let mut records = Vec::new();
        for entry in table.iter()? {
            let (key, value) = entry?;
            let (place, name) = key.value();
            // Nothing else is ever written there.
            let Some(place) = place_of(place) else { continue };
            records.push(Record { place, name: name.to_owned(), value: Arc::from(value.value()) });
        }
        Ok(records)
    }

    fn write(database: &Database, changes: &[Change]) -> Result<(), Failure> {
        let writing = database.begin_write()?;
        {
            let mut table = writing.open_table(RECORDS)?;
            changes.iter().try_for_each(|change| apply(&mut table, change))?;
        }
        writing.commit()?;
        Ok(())
    }
}

impl Store for FileStore {
    fn load(&self) -> Result<Vec<Record>, StoreError> {
        self.with(Self::read).map_err(StoreError::Read)
    }

    fn commit(&self, changes: &[Change]) -> Result<(), StoreError> {
        self.with(|database| Self::write(database, changes)).map_err(StoreError::Write)
    }
}

/// Makes one change in the table.
fn apply(table: &mut Table<'_, (&[u8], &str), &[u8]>, change: &Change) -> Result<(), StorageError> {
    match change {
        Change::Clear(place) => {
            let first = key_of(*place);
            // No key lies between these but those of the place: all other ids differ within its length.
            let mut behind = first.clone();
            behind.push(0);
            table.retain_in((first.as_slice(), "")..(behind.as_slice(), ""), |_, _| false)?;
        }
        Change::Put(Record { place, name, value }) => {
            table.insert((key_of(*place).as_slice(), name.as_str()), &**value)?;
        }
        Change::Remove { place, name } => {
            table.remove((key_of(*place).as_slice(), name.as_str()))?;
        }
    }
    Ok(())
}

fn key_of(place: Place) -> Vec<u8> {
    match place {
        Place::Server => Vec::new(),
        Place::Session(id) => id.to_bytes().to_vec(),
    }
}

fn place_of(key: &[u8]) -> Option<Place> {
    match key {
        [] => Some(Place::Server),
        key => <[u8; 16]>::try_from(key).ok().map(|id| Place::Session(SessionId::from_bytes(id))),
    }
}

/// The version of the records; in a new file it is ours.
fn begin(database: &Database) -> Result<u64, Failure> {
    let known = {
        let reading = database.begin_read()?;
        match reading.open_table(ABOUT) {
            Ok(about) => about.get(VERSION)?.map(|version| version.value()),
            Err(TableError::TableDoesNotExist(_)) => None,
            Err(error) => return Err(error.into()),
        }
    };
    if let Some(version) = known {
        return Ok(version);
    }
    let writing = database.begin_write()?;
    writing.open_table(ABOUT)?.insert(VERSION, u64::from(FORMAT))?;
    writing.open_table(RECORDS)?;
    writing.commit()?;
    Ok(u64::from(FORMAT))
}

/// Opens a file for its owner alone, as far as it is made here.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Why the database does not take the file.
fn refused(path: PathBuf, error: DatabaseError) -> OpenError {
    match error {
        DatabaseError::DatabaseAlreadyOpen => OpenError::InUse { path },
        // What is no database, or ends before its time, is read without an error of the disk.
        DatabaseError::Storage(StorageError::Io(source))
            if !matches!(source.kind(), io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof) =>
        {
            OpenError::Io { path, source }
        }
        error => OpenError::NotAStore { path, source: error.into() },
    }
}

impl std::fmt::Debug for FileStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileStore").field("path", &self.path).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
