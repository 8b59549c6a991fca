//! What can be wrong with a file of servers, and with one server in it.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a file of servers says nothing at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// It cannot be read.
    #[error("cannot read {}", .file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// It is longer than any file of servers is.
    #[error("{} has more than {limit} bytes: it is no file of servers", .file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
        /// How long it may be, in bytes.
        limit: u64,
    },
    /// It is no JSON, not even with comments and trailing commas.
    #[error("{}:{line}:{column}: no JSON: {problem}", .file.display())]
    Json {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, in characters, from 1.
        column: usize,
        /// What is wrong there. No text of the file is in it.
        problem: String,
    },
    /// It is JSON, but names no servers.
    #[error("{} names no servers: it has to be an object with `mcpServers` or `servers`, which is an object", .file.display())]
    NoServers {
        /// The file.
        file: PathBuf,
    },
}

/// Why one server of a file cannot be used. The others are not affected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryError {
    /// The file.
    pub file: PathBuf,
    /// The line of the file, from 1.
    pub line: usize,
    /// The name of the server.
    pub server: String,
    /// The member of its entry that is wrong, such as `args[1]` or `env.TOKEN`; `None` when it is the whole.
    pub member: Option<String>,
    /// What is wrong.
    pub flaw: Flaw,
}

/// Without any value of the file or the environment: they may be secrets.
impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: server {:?}: ", self.file.display(), self.line, self.server)?;
        if let Some(member) = &self.member {
            write!(f, "`{member}` ")?;
        }
        self.flaw.fmt(f)
    }
}

impl std::error::Error for EntryError {}

/// What is wrong with a server, or a member of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Flaw {
    /// Both a command and an address, and no `type` that chooses.
    #[error("has both `command` and `url`: remove one, or choose with `type`")]
    Both,
    /// It is empty.
    #[error("is empty")]
    Empty,
    /// A file of variables that cannot be read.
    #[error("names {}, which cannot be read: {kind}", .file.display())]
    EnvFile {
        /// The file.
        file: PathBuf,
        /// Why.
        kind: io::ErrorKind,
    },
    /// A file that is longer than any file of variables is.
    #[error("names {}, which has more than {limit} bytes: it is no file of variables", .file.display())]
    EnvFileTooLong {
        /// The file.
        file: PathBuf,
        /// How long it may be, in bytes.
        limit: u64,
    },
    /// A file of variables with a line that is none.
    #[error("names {}, whose line {line} is no NAME=VALUE", .file.display())]
    EnvFileLine {
        /// The file.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Neither a command nor an address.
    #[error("has neither `command` nor `url`: add the one by which the server is reached")]
    Neither,
    /// Variables within defaults of variables, without end.
    #[error("has a default within a default too often")]
    Nested,
    /// An input without a value.
    #[error("needs the input `{id}`, which has no value: give it one, or a `default` in `inputs`")]
    NoInput {
        /// The input.
        id: String,
    },
    /// No address of a server.
    #[error("is no http://, https://, ws:// or wss:// address")]
    NotAnAddress,
    /// A variable whose value is no text.
    #[error("needs the environment variable {variable}, whose value is not UTF-8")]
    NotUnicode {
        /// The variable.
        variable: String,
    },
    /// A required member that is not there.
    #[error("is missing")]
    Missing,
    /// The same name again. JSON has it that only one of them counts, which may not be the one that is meant.
    #[error("is there twice, first in line {first}: rename one of the two")]
    Twice {
        /// The line of the first, from 1.
        first: usize,
    },
    /// A variable that is never closed.
    #[error("has a `${{` without its `}}`")]
    Unclosed,
    /// A kind of server that is not known.
    #[error("is {name:?}, which is not known: it may be stdio, http, streamable-http, sse or ws")]
    UnknownType {
        /// The kind.
        name: String,
    },
    /// A variable that only another program knows.
    #[error("needs {variable}, which is known to editors alone: write what it stands for")]
    UnknownVariable {
        /// The variable, with its braces.
        variable: String,
    },
    /// A variable that is not set.
    #[error(
        "needs the environment variable {variable}, which is not set: set it, or write ${{{variable}:-DEFAULT}}"
    )]
    Unset {
        /// The variable.
        variable: String,
    },
    /// A value of the wrong kind.
    #[error("has to be {wanted}, not {found}")]
    WrongKind {
        /// What it has to be, such as `a string`.
        wanted: &'static str,
        /// What it is.
        found: &'static str,
    },
}
