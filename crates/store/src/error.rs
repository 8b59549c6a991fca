//! Why a file cannot be used as a store.

use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// A file cannot be opened as a store. Nothing was changed in it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process has it, or this one has it twice.
    #[error("the store {} is in use by another server: end that one, or give this one another file", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be read and written.
    #[error("the store {} cannot be opened: see that its folder is there and can be written to", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        #[source]
        source: io::Error,
    },
    /// A newer version of Hermes has written it.
    #[error(
        "the store {} was written by a newer version (format {found}, this one reads {known}): use that version, or move the file away to begin anew",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format that it has.
        found: u64,
        /// The newest format that can be read.
        known: u32,
    },
    /// It holds something else, or is damaged beyond what a broken-off write can do.
    #[error(
        "{} is no store of sessions, or is damaged: name another file, or move it away to begin anew",
        path.display()
    )]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// What the database says.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
}

impl OpenError {
    /// The file that cannot be used.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::InUse { path }
            | Self::Io { path, .. }
            | Self::Newer { path, .. }
            | Self::NotAStore { path, .. } => path,
        }
    }
}
