//! What can go wrong in a task.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

/// A failed task: which command or file, and why.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A command could not be started at all.
    #[error("`{command}` does not start: {source}")]
    Spawn {
        /// The command line as printed.
        command: String,
        /// The system's answer.
        source: io::Error,
    },
    /// A command ran and said no.
    #[error("`{command}` failed: {status}")]
    Command {
        /// The command line as printed.
        command: String,
        /// Its exit status.
        status: ExitStatus,
    },
    /// A file or folder could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Cargo's description of the workspace could not be had.
    #[error("cargo metadata: {0}")]
    Metadata(#[from] cargo_metadata::Error),
    /// A build finished without the program that it was run for.
    #[error("cargo built no program named `{0}`")]
    NoProgram(&'static str),
    /// Rules of style are broken; the findings were printed.
    #[error("{0} findings: see above")]
    Untidy(usize),
    /// Some stages failed; the table above names them.
    #[error("failed: {}", .0.join(", "))]
    Stages(Vec<String>),
}

/// The outcome of a task.
pub type Result<T> = std::result::Result<T, Error>;

/// Says which path an input or output error is about.
pub(crate) fn at(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Error {
    let path = path.into();
    move |source| Error::File { path, source }
}
