//! What a folder holds, and what has become of it since.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A folder. Files that begin with a dot, links and folders in it are left alone.
pub(crate) struct Folder(PathBuf);

/// What a folder held: each file with its time and size.
#[derive(Default)]
pub(crate) struct Snapshot(BTreeMap<String, (SystemTime, u64)>);

/// What has become of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Change<'a> {
    Came(&'a str),
    Changed(&'a str),
    Went(&'a str),
}

impl Folder {
    pub(crate) fn new(path: &Path) -> io::Result<Self> {
        let folder = Self(path.canonicalize()?);
        // Whether it can be read is better known now than later.
        folder.look().map(|_| folder)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.0
    }

    /// Where a file is. The names come from [`look`](Self::look), never from a client.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn look(&self) -> io::Result<Snapshot> {
        let mut files = BTreeMap::new();
        for entry in self.0.read_dir()? {
            let entry = entry?;
            // A file that has gone meanwhile is none.
            let Ok(metadata) = entry.metadata() else { continue };
            let Ok(name) = entry.file_name().into_string() else { continue };
            if metadata.is_file() && !name.starts_with('.') {
                files.insert(name, (metadata.modified()?, metadata.len()));
            }
        }
        Ok(Snapshot(files))
    }
}

impl Snapshot {
    /// What has become of the files since, by name.
    pub(crate) fn changes<'a>(&'a self, now: &'a Self) -> Vec<Change<'a>> {
        let went = self.0.keys().filter(|name| !now.0.contains_key(*name)).map(|name| Change::Went(name));
        let came = now.0.iter().filter_map(|(name, file)| match self.0.get(name) {
            None => Some(Change::Came(name)),
            Some(before) if before != file => Some(Change::Changed(name)),
            Some(_) => None,
        });
        went.chain(came).collect()
    }
}
