//! What can go wrong in a task.

use std::io;
use std::path::PathBuf;
use std::process::ExitStatus;

use crate::ledger::Number;
use crate::package::Flaw;

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
    /// The file in which tests note what they tried holds something else.
    #[error("{}: {source}", path.display())]
    Grid {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A build finished without the program that it was run for.
    #[error("cargo built no program named `{0}`")]
    NoProgram(&'static str),
    /// The package that is to be tried out is installed on this machine.
    #[error("`{0}` is installed here: try it out where it is not")]
    Installed(&'static str),
    /// A package that was taken away has left something.
    #[error("{} is still there after the {after}", path.display())]
    Leftover {
        /// What is left.
        path: PathBuf,
        /// What was done.
        after: &'static str,
    },
    /// A package that was taken away has taken along what is not its own.
    #[error("{} is gone, and belongs to whoever runs the server", .0.display())]
    Lost(PathBuf),
    /// What a unit starts does not serve.
    #[error("`{command}` does not serve: {answer}")]
    Unserved {
        /// The command line.
        command: String,
        /// What came in place of what had to come.
        answer: String,
    },
    /// The container file breaks a rule.
    #[error("the container file: {0}")]
    Container(#[from] Flaw),
    /// The program wants what an image of the program alone does not have.
    #[error(
        "{} is started by {interpreter}, which an image of it alone does not have: it has to be linked statically, \
         as it is without --program",
        path.display()
    )]
    Dynamic {
        /// The program.
        path: PathBuf,
        /// What the system starts it with.
        interpreter: String,
    },
    /// The tests with pages have no browser.
    #[error("there is no browser, and Chromium cannot be installed here: name one in HERMES_BROWSER")]
    NoBrowser,
    /// Rules of style are broken; the findings were printed.
    #[error("{0} findings: see above")]
    Untidy(usize),
    /// A row of the ledger is named in another way than `R` and three digits.
    #[error("`{0}` names no row: write R and three digits, as in R085")]
    RowNumber(String),
    /// A span of revisions is neither `all`, `legacy`, one revision, nor two with `..` between them.
    #[error(
        "`{0}` is no span of revisions: write all, legacy, 2025-06-18, 2025-06-18.. or 2025-03-26..2025-11-25"
    )]
    Span(String),
    /// The ledger has no row of that number.
    #[error("the ledger has no row {0}")]
    NoRow(Number),
    /// What the conformance suite wrote down is not what it used to write.
    #[error("{}: {source}", path.display())]
    Checks {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// The conformance suite found something; it was printed.
    #[error("{0} findings of the conformance suite: see above")]
    Conformance(usize),
    /// The generator of load wrote something else than its figures.
    #[error("figures of `bench-load`: {0}")]
    Figures(serde_json::Error),
    /// A server that ran for long lost calls, or kept tasks or descriptors; the figures were printed.
    #[error("calls were lost, or tasks or descriptors were left: see above")]
    Soaked,
    /// A call takes more instructions than it did.
    #[error(
        "a call takes more than it did: {}; find out why, or record it: `cargo xtask bench --count --record`",
        .0.join(", ")
    )]
    Grown(Vec<String>),
    /// No fuzz target has that name.
    #[error("there is no target `{name}`: {known}")]
    NoTarget {
        /// What was named.
        name: String,
        /// The targets that there are.
        known: String,
    },
    /// There is no compiler for libFuzzer.
    #[error(
        "libFuzzer is written in C++, and no compiler for it is there: `apt-get install g++` on Debian, \
         `dnf install gcc-c++` on Fedora, `xcode-select --install` on macOS; or name one with CXX"
    )]
    NoCompiler,
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
